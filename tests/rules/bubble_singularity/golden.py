"""The golden games: whole games as one text, every sheet, finding and event of them.

`python -m tests.rules.bubble_singularity.golden` writes it anew; what then
differs in golden.txt is what a change of the rules, bots or words has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pbem.ruleset import Dice, Event, Seat, TurnInput
from rules.bubble_singularity import RULESET
from rules.bubble_singularity.state import State
from tests.rules.bubble_singularity.table import new_game, read, view

PATH = Path(__file__).with_name("golden.txt")
SEED = b"golden"

SLIPS: Mapping[int, Sequence[str]] = {
    1: ["MOVE S S S S", "BUBBLES pink", "PULL UP", "USE FODLER C3 CW"],
    2: ["MOVE N", "POP A1 red N", "KEEP fusion"],
    4: [],
}
"""Sheets of the first game that no bot would write, by turn."""

MISSED = 3
"""The turn of the first game in which no sheet comes."""


def game(slips: Mapping[int, Sequence[str]], seats: int, **options: Any) -> Iterator[str]:
    """The lines of a game of bots, with some other sheets."""
    state, events = new_game(seats, seed=SEED, **options), ()  # type: State, tuple[Event, ...]
    number = 0
    yield from _moment(state, events)
    while state.result is None:
        sheets = {
            seat: list(slips.get(number, RULESET.bots["standard"](view(state, seat), Dice(SEED).scoped(number, seat))))
            for seat in sorted(RULESET.standing(state).awaiting)
        }
        if slips and number == MISSED:
            sheets = {}
        yield from _sheets(state, sheets)
        state, events = RULESET.resolve(state, _turn(state, sheets), Dice(SEED).scoped(number))
        yield from _moment(state, events)
        number += 1


def _turn(state: State, sheets: Mapping[Seat, Sequence[str]]) -> TurnInput:
    missing = RULESET.standing(state).awaiting - set(sheets)
    orders = {seat: read(state, *lines, seat=seat).orders for seat, lines in sheets.items()}
    return TurnInput(orders | {seat: RULESET.defaults(view(state, seat), ()) for seat in missing}, missing)


def _moment(state: State, events: Sequence[Event]) -> Iterator[str]:
    """What happened, and the position; the board once a round."""
    for event in events:
        heard = "" if len(event.audience) == len(state.seats) else f" (to {'+'.join(sorted(event.audience))})"
        yield f"  {event.kind} {dict(event.data)}{heard}"
    shown = view(state, state.seats[0], events)
    yield ""
    yield f"== {shown['label']}"
    if state.phase in ("setup", "over") or state.mover == state.order[0]:
        yield RULESET.text_map(shown).split("\n\n")[0]
    for seat, player in state.players.items():
        supply = "".join(colour[0] for colour in player.hand)
        yield f"  {seat}: {supply or '-'} {' '.join(player.cards)} {player.points} points, {player.markers} markers"


def _sheets(state: State, sheets: Mapping[Seat, Sequence[str]]) -> Iterator[str]:
    """The sheets with their findings."""
    for seat, lines in sheets.items():
        yield from (f"{seat}> {line}" for line in lines)
        for found in read(state, *lines, seat=seat).findings:
            yield f"  {found.severity} in line {found.line}: {found.text} [{found.code}] {found.hint}".rstrip()


def text() -> str:
    """The golden games as they are now."""
    return "\n".join([*game(SLIPS, 3), "", *game({}, 2, advanced=True, layout="shuffled")]) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
