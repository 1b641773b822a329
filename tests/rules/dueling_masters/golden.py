"""The golden game: a whole game as one text, with every sheet, event and board.

`python -m tests.rules.dueling_masters.golden` writes golden.txt; what then differs is
what a change of the rules, bots or words has changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pbem.ruleset import Dice, Event, SeatName
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.state import SEATS, State
from tests.rules.dueling_masters.table import SETUPS, new_game, read, turn, view

PATH = Path(__file__).with_name("golden.txt")

Sheets = dict[SeatName, list[str]]

OPENING: Sequence[Sheets] = (
    {
        "one": [*SETUPS["one"], "SETUP W F1"],
        "two": ["SETUP HOME I3 I9 J6", "SETUP ASTEROID I3 I3", "SETUP Z F3 F4 F7 F8"],
    },
    {"one": ["SETUP HOME B6 B8 A9"]},
    {"one": ["MOVE Z1 J1", "DRAW OFFER"], "two": ["MOVE Z1 A3"]},
    {"two": ["DRAW DECLINE"]},
    {"one": ["MOVE Z1 K9", "MOVE Z1 J10"]},
    {"two": ["MOVE Z1 A3"]},
    {"one": ["MOVE X1 TO E2", "MOVE X1 TO E2 RAM"]},
    {},
)
"""Turns with all that bots do not do, slips included."""


def game(state: State, write: Callable[[State, int], Sheets]) -> Iterator[str]:
    """Yield the lines of a whole game in which `write` gives the sheets of each turn."""
    events: tuple[Event, ...] = ()
    for number in itertools.count():
        yield from _moment(state, events)
        if state.result is not None:
            return
        sheets = write(state, number)
        yield from _sheets(state, sheets)
        taken = {seat: _taken(state, seat, lines) for seat, lines in sheets.items()}
        state, events = turn(state, one=taken.get("one"), two=taken.get("two"))


def played(state: State, number: int) -> Sheets:
    """Return the sheets of the golden game: an opening, and then those of bots."""
    return OPENING[number] if number < len(OPENING) else _bots(state, Dice(b"golden").within(number))


def _bots(state: State, dice: Dice) -> Sheets:
    bot = RULESET.bots["standard"]
    return {seat: bot(view(state, seat), dice) for seat in sorted(RULESET.standing(state).awaiting)}


def _taken(state: State, seat: SeatName, lines: list[str]) -> list[str]:
    return [RULESET.orders.line(order) for order in read(state, seat, *lines).orders]


def _moment(state: State, events: Sequence[Event]) -> Iterator[str]:
    """Yield events and both boards."""
    for event in events:
        yield f"  {'+'.join(sorted(event.audience))}: {event.kind} {dict(event.data)}"
    yield ""
    yield f"== {view(state, 'one')['label']}"
    for seat in SEATS:
        yield f"-- board of {seat}"
        board = RULESET.text_map(view(state, seat, events)).splitlines()
        yield from (line for line in board[1:-2] if "+--" not in line and not set(line[1:]) <= set(" |"))


def _sheets(state: State, sheets: Sheets) -> Iterator[str]:
    for seat, lines in sheets.items():
        yield from (f"{seat}> {line}" for line in lines)
        for found in read(state, seat, *lines).findings:
            yield f"  {found.severity} in line {found.line}: {found.text} [{found.code}] {found.hint}".rstrip()


def text() -> str:
    """Return the golden game as it is now."""
    return "\n".join(game(new_game(homes="3"), played)) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
