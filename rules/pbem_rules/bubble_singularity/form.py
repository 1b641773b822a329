"""The order sheet that a report encloses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from pbem.ruleset import Order, View
from pbem_rules.bubble_singularity.beginning import wishes
from pbem_rules.bubble_singularity.grid import WAYS
from pbem_rules.bubble_singularity.moving import default_bubbles, path_of
from pbem_rules.bubble_singularity.orders import (
    ABILITY_OF,
    ORDERS,
    Bubbles,
    Move,
    UseAttractor,
    UseDirector,
    UseFolder,
)
from pbem_rules.bubble_singularity.sheet import default_answers, default_turn
from pbem_rules.bubble_singularity.table import Table
from pbem_rules.bubble_singularity.turn import rehearse
from pbem_rules.bubble_singularity.views import state_of


def template(view: View) -> list[str]:
    """Return the lines of the sheet; a line becomes an order when the semicolon before it is removed.

    MOVE, BUBBLES and the action are those of the default, so they are valid.
    """
    if not view["awaited"]:
        return []
    forms = {"setup": _start_form, "question": _answer_form, "turn": _turn_form}
    return [f"; {line}" for line in forms[view["phase"]](view)]


def _start_form(view: View) -> Iterator[str]:
    yield "START " + " ".join(wishes(view["size"])[:4])
    offer = view["players"][view["seat"]]["offer"]
    if offer:
        yield f"KEEP {offer[0]}"


def _answer_form(view: View) -> Iterator[str]:
    yield from map(ORDERS.line, default_answers(state_of(view)))


def _turn_form(view: View) -> Iterator[str]:
    cards = view["players"][view["seat"]]["cards"]
    yield from _default_form(view)
    for order, ability in ABILITY_OF.items():
        if ability in cards:
            yield from _offered(view, order)
    if not view["rules"]["beginner"]:
        yield "KEEP fusion drift"
    yield from _sent(view)


def _offered(view: View, order: type[Order]) -> list[str]:
    """Return a line with a use of an ability, if one is possible now."""
    state, seat = state_of(view), view["seat"]
    spaces = [space for space, found in state.bubbles.items() if seat in found]
    lines: Mapping[type[Order], Sequence[Order]] = {
        UseFolder: [UseFolder(space, "CW") for space in state.cards],
        UseAttractor: [UseAttractor(node) for node in state.nodes],
        UseDirector: [UseDirector(space, way) for space in spaces for way in WAYS],
    }
    # Fixed examples were refused more often than not, so each is rehearsed.
    taken = (ORDERS.line(each) for each in lines[order] if not rehearse(state, seat, (each,)).refusals)
    return list(islice(taken, 1))


def _sent(view: View) -> Iterator[str]:
    """Yield a SEND for the first bubble that the default action pushes, if any."""
    pushed = (
        event.data["sent"] for event in rehearse(state_of(view), view["seat"], ()).events if event.kind == "rotated"
    )
    for colour, way, _ in next(pushed, [])[:1]:
        yield f"SEND {colour} {way}"


def _default_form(view: View) -> Iterator[str]:
    state, seat = state_of(view), view["seat"]
    *moves, action = default_turn(state)
    for move in moves:
        assert isinstance(move, Move)
        path = path_of(Table(state), seat, move.ways)
        yield ORDERS.line(move)
        yield ORDERS.line(Bubbles(tuple(default_bubbles(Table(state), seat, path))))
    yield ORDERS.line(action)
