"""The golden games: whole games as one text, with every sheet, finding and event.

`python -m tests.rules.bubble_singularity.golden` writes golden.txt; what then
differs is what a change of the rules, bots or words has changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pbem.ruleset import Dice, Event, SeatName, TurnInput
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.state import State
from tests.rules.bubble_singularity.table import new_game, read, view

PATH = Path(__file__).with_name("golden.txt")
SEED = b"golden"

SLIPS: Mapping[int, Sequence[str]] = {
    1: ["MOVE S S S S", "BUBBLES pink", "PULL UPON", "USE FODLER C3 CW"],
    2: ["MOVE N", "POP A1 red N", "KEEP fusion"],
    4: [],
}
"""Sheets of the first game that no bot would write, by turn."""

MISSED = 3
"""The turn of the first game without sheets."""


Sheets = Mapping[SeatName, Sequence[str]]
Write = Callable[[State, int], Sheets]


def game(write: Write, seats: int, **options: Any) -> Iterator[str]:
    """Yield the lines of a game in which `write` gives the sheets of each turn."""
    state = new_game(seats, seed=SEED, **options)
    yield from _moment(state, ())
    for number in itertools.count():
        if state.result is not None:
            return
        sheets = write(state, number)
        yield from _sheets(state, sheets)
        state, events = RULESET.resolve(state, _turn(state, sheets), Dice(SEED).within(number))
        yield from _moment(state, events)


def games(slipping: Write, other: Write) -> Iterator[str]:
    """Yield the lines of both golden games; in one turn of the first no sheet is sent."""
    yield from game(lambda state, number: {} if number == MISSED else slipping(state, number), 3)
    yield ""
    yield from game(other, 2, advanced=True, layout="shuffled")


def bots(state: State, number: int) -> Sheets:
    """Return the sheets of bots."""
    awaited = sorted(RULESET.standing(state).awaiting)
    return {seat: RULESET.bots["standard"](view(state, seat), Dice(SEED).within(number, seat)) for seat in awaited}


def slips(state: State, number: int) -> Sheets:
    """Return the sheets of bots, except in the turns of `SLIPS`."""
    if number in SLIPS:
        return dict.fromkeys(RULESET.standing(state).awaiting, SLIPS[number])
    return bots(state, number)


def _turn(state: State, sheets: Mapping[SeatName, Sequence[str]]) -> TurnInput:
    missing = RULESET.standing(state).awaiting - set(sheets)
    orders = {seat: read(state, *lines, seat=seat).orders for seat, lines in sheets.items()}
    return TurnInput(orders | {seat: RULESET.defaults(view(state, seat), ()) for seat in missing}, missing)


def _moment(state: State, events: Sequence[Event]) -> Iterator[str]:
    """Yield events and the position; the board once a round."""
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


def _sheets(state: State, sheets: Mapping[SeatName, Sequence[str]]) -> Iterator[str]:
    for seat, lines in sheets.items():
        yield from (f"{seat}> {line}" for line in lines)
        for found in read(state, *lines, seat=seat).findings:
            yield f"  {found.severity} in line {found.line}: {found.text} [{found.code}] {found.hint}".rstrip()


def text() -> str:
    """Return the golden games as they are now."""
    return "\n".join(games(slips, bots)) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
