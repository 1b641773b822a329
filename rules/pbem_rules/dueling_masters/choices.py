"""The words that a page offers for the next order, and what it asks for: the set-up, or the move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.ruleset import Choice, Need, View
from pbem_rules.dueling_masters.board import territory
from pbem_rules.dueling_masters.kinds import ALONE, ASTEROID, HOME, KINDS, WORDS, manner, numbers
from pbem_rules.dueling_masters.moves import Fleet, Own
from pbem_rules.dueling_masters.placement import lacking, placed_in

_SHORT = {HOME: "Home", ASTEROID: "Rocks"}
_REST = (
    "What is not placed, you are asked for again.",
    "What is not placed at this deadline, you are asked for once more.",
    "What is not placed at this deadline, dice place, and it counts as a missed one.",
)
"""The fate of kinds that are not placed, by the round of the set-up."""


def choices(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    """Yield the words that can follow the beginning of a set-up or a move; draws are offered by their forms."""
    if view["over"]:
        return
    if view["stage"] == "set-up":
        yield from _of_set_up(view, words)
    elif view["awaited"]:
        yield from _of_move(Fleet.of_view(view), words)


def agenda(view: View) -> Sequence[Need]:
    """Return the kinds that are still to be placed, or the move."""
    if view["stage"] == "set-up":
        return [_kind_needed(view, kind) for kind in lacking(placed_in(view))]
    # A page gives no grave order by a tap, so the move begins with RAM only where there is no other.
    return [Need("move", verb, "Your move", short="Move", must=True) for verb in _verbs(Fleet.of_view(view))[:1]]


def _of_set_up(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    number = numbers(view["homes"])
    match words:
        case ():
            yield Choice("SETUP")
        case ("SETUP",):
            yield from (Choice(kind, takes=number[kind], says=_counted(kind, number[kind])) for kind in KINDS)
        case ("SETUP", kind):
            barred = {
                square
                for other, squares in placed_in(view).items()
                if other != kind and {kind, other} & set(ALONE)
                for square in squares
            }
            for square in territory(view["seat"]):
                if square not in barred:
                    yield Choice(square, room="alone" if kind in ALONE else "shared")


def _of_move(fleet: Fleet, words: tuple[str, ...]) -> Iterator[Choice]:
    match words:
        case ():
            yield from map(Choice, _verbs(fleet))
        case (verb,):
            pieces = fleet.pieces.values()
            yield from (Choice(piece.name, says=WORDS[piece.kind]) for piece in pieces if _ends(fleet, verb, piece))
        case (_, _):
            yield Choice("TO")
        case (verb, name, "TO"):
            piece = fleet.pieces[name]
            paths, leaps = fleet.flights(piece), manner(piece.kind, home_moves=fleet.home_moves) == "leap"
            # All but leaps go in a straight line, as an arrow without a path does.
            yield from (Choice(end, path=paths[end][:-1] if leaps else ()) for end in _ends(fleet, verb, piece))


def _verbs(fleet: Fleet) -> list[str]:
    """Return the verbs of moves that there are; RAM is apart, as it destroys two pieces of the reader's own."""
    return [verb for verb in ("MOVE", "RAM") if any(_ends(fleet, verb, piece) for piece in fleet.pieces.values())]


def _ends(fleet: Fleet, verb: str, piece: Own) -> list[str]:
    return fleet.rams(piece) if verb == "RAM" else list(fleet.moves(piece))


def _kind_needed(view: View, kind: str) -> Need:
    number = numbers(view["homes"])[kind]
    several = number > 1
    short = _SHORT.get(kind, kind)
    return Need(
        slot=f"setup {kind}",
        start=f"SETUP {kind}",
        title=f"{WORDS[kind][0].upper()}{WORDS[kind][1:]}{'s' if several else ''}",
        says=_counted(kind, number),
        short=f"{short} {number}" if several else short,
        rest=_REST[view["set_up_round"]],
    )


def _counted(kind: str, number: int) -> str:
    squares = "1 square" if number == 1 else f"{number} squares"
    return f"{squares}, each by itself" if kind in ALONE and number > 1 else squares
