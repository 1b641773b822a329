"""The order sheet that a report encloses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pbem.ruleset import Order, View
from pbem_rules.bubble_singularity.asking import default_answer
from pbem_rules.bubble_singularity.beginning import wishes
from pbem_rules.bubble_singularity.grid import WAYS
from pbem_rules.bubble_singularity.moving import default_bubbles, path_of
from pbem_rules.bubble_singularity.orders import (
    ABILITY_OF,
    ORDERS,
    STATION_ACTIONS,
    STATION_BONUSES,
    Bubbles,
    Move,
    UseAttractor,
    UseDirector,
    UseFolder,
)
from pbem_rules.bubble_singularity.sheet import default_answers, default_turn
from pbem_rules.bubble_singularity.state import State
from pbem_rules.bubble_singularity.table import Table
from pbem_rules.bubble_singularity.turn import rehearse
from pbem_rules.bubble_singularity.views import state_of


def template(view: View) -> list[str]:
    """Return the lines of the sheet; a line becomes an order when the semicolon before it is removed.

    Remarks begin with # and stay remarks. MOVE, BUBBLES and the action are those of the default, so they are valid.
    """
    if not view["awaited"]:
        return []
    forms = {"setup": _start_form, "question": _answer_form, "turn": _turn_form}
    return [_form_line(line, remark) for line, remark in forms[view["phase"]](view)]


def _form_line(line: str, remark: str) -> str:
    if line.startswith("#"):
        return f"{line}: {remark}"
    # The remark begins with #, so that the line is an order as soon as its semicolon is gone.
    return f"; {line:<32}# {remark}" if remark else f"; {line}"


def _start_form(view: View) -> Iterator[tuple[str, str]]:
    yield "START " + " ".join(wishes(view["size"])[:4]), "where you would like to start, best first"
    offer = view["players"][view["seat"]]["offer"]
    if offer:
        yield f"KEEP {offer[0]}", f"your starting ability; or: KEEP {offer[1]}"


def _answer_form(view: View) -> Iterator[tuple[str, str]]:
    state = state_of(view)
    yield from ((ORDERS.line(order), _remark(state)) for order in default_answers(state))


def _remark(state: State) -> str:
    """Return the other choices of a single question; several questions have theirs in the report."""
    first, *further = state.questions
    if further:
        return "one line answers all, best first"
    if first.kind == "bubbles":
        return "two of " + ", ".join(first.choices)
    others = [card for card in first.choices if card not in default_answer(first)]
    return "".join(f"or: KEEP {card}" for card in others)


def _turn_form(view: View) -> Iterator[tuple[str, str]]:
    me, rules = view["players"][view["seat"]], state_of(view).rules
    yield from _default_form(view)
    for order, ability in ABILITY_OF.items():
        if ability in me["cards"]:
            yield _offered(view, order), "once a turn"
    for order, station in (*STATION_ACTIONS.items(), *STATION_BONUSES.items()):
        held = any(space["kind"] == station and space["control"] == view["seat"] for space in view["spaces"].values())
        if order in STATION_ACTIONS:
            if rules.with_stations and me["blocked"] != "STATION":
                yield f"# {_usages[order]}", f"your action, if you end on {station}"
        elif held:
            yield f"# {_usages[order]}", f"your bonus, if you end on {station}"
    if not rules.beginner:
        yield "KEEP fusion drift", "kept unasked from now on, best first"
    yield from _sent(view)


def _offered(view: View, order: type[Order]) -> str:
    """Return a line with a use of an ability that is possible now, else its usage as a remark."""
    state, seat = state_of(view), view["seat"]
    spaces = [space for space, found in state.bubbles.items() if seat in found]
    lines: Mapping[type[Order], Sequence[Order]] = {
        UseFolder: [UseFolder(space, "CW") for space in state.cards],
        UseAttractor: [UseAttractor(node) for node in state.nodes],
        UseDirector: [UseDirector(space, way) for space in spaces for way in WAYS],
    }
    # Fixed examples were refused more often than not, so each is rehearsed.
    taken = (ORDERS.line(each) for each in lines[order] if not rehearse(state, seat, (each,)).refusals)
    return next(taken, f"# {_usages[order]}")


def _sent(view: View) -> Iterator[tuple[str, str]]:
    """Yield a SEND for the first bubble that the default action pushes, if any."""
    pushed = (
        event.data["sent"] for event in rehearse(state_of(view), view["seat"], ()).events if event.kind == "rotated"
    )
    for colour, way, _ in next(pushed, [])[:1]:
        yield f"SEND {colour} {way}", "where a push sends it; pops: POP B2 red N"


def _default_form(view: View) -> Iterator[tuple[str, str]]:
    """Yield the move and the action of the default, with remarks on the alternatives."""
    state, seat = state_of(view), view["seat"]
    *moves, action = default_turn(state)
    for move in moves:
        assert isinstance(move, Move)
        path = path_of(Table(state), seat, move.ways)
        yield ORDERS.line(move), f"up to {state.rules.range} ways, such as E E N"
        yield ORDERS.line(Bubbles(tuple(default_bubbles(Table(state), seat, path)))), "one for each space entered"
    blocked = state.players[seat].blocked
    others = [line for line in ("ROTATE CCW", "PULL <way>") if line.split()[0] != blocked]
    yield ORDERS.line(action), "or: " + ", or: ".join(others)


_usages = {verb.order: verb.usage for verb in ORDERS.verbs}
