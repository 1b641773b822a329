"""The golden game: a whole game as one text, every sheet, event and position of it.

`python -m tests.rules.singularity.golden` records it again; the difference in
golden.txt is what a change of the rules, bots or words has changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pbem.ruleset import Dice, Event, SeatName
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.state import SEATS, State
from tests.rules.singularity.table import new_game, read, remarks, turn, view

PATH = Path(__file__).with_name("golden.txt")
SIZE = 4

Sheets = dict[SeatName, list[str]]

OPENING: Sequence[Sheets] = (
    {"red": ["PLACE d4", "IF d3 THEN e3", "IF e3 THEN d3", "IF c5 THEN c4 AFTER e3"], "blue": ["IF c4 THEN c5"]},
    {"blue": ["PLACE d3", "DRAW OFFER"]},
    {"blue": ["DRAW DECLINE"]},
    {"red": ["DRAW DECLINE"]},
    {},
    {"blue": ["PLACE d3", "PLACE e5", "FORGET"], "red": ["FORGET d3", "IF e5 THEN e4"]},
)
"""Turns with everything in them that bots do not do; slips included."""


def game(state: State, write: Callable[[State, int], Sheets]) -> Iterator[str]:
    """Yield the lines of a whole game in which `write` gives the sheets of each turn."""
    events: tuple[Event, ...] = ()
    for number in itertools.count():
        yield from _moment(state, events)
        if state.result is not None:
            return
        sheets = write(state, number)
        yield from _sheets(state, sheets)
        state, events = turn(state, **{seat: _taken(state, seat, lines) for seat, lines in sheets.items()})


def played(state: State, number: int) -> Sheets:
    """Return the sheets of the golden game: an opening, and then those of bots."""
    if number < len(OPENING):
        return OPENING[number]
    return {state.mover: _bot(state, Dice(b"golden").within(number))}


def _bot(state: State, dice: Dice) -> list[str]:
    return RULESET.bots["standard"](view(state, state.mover), dice)


def _taken(state: State, seat: SeatName, lines: list[str]) -> list[str]:
    return [RULESET.orders.line(order) for order in read(state, seat, *lines).orders]


def _moment(state: State, events: Sequence[Event]) -> Iterator[str]:
    """Yield the events, the position, and all that is kept."""
    for event in events:
        yield f"  {'+'.join(sorted(event.audience))}: {event.kind} {dict(event.data)}"
    yield ""
    yield f"== {view(state, 'red')['label']}"
    yield RULESET.text_map(view(state, "red", events))
    for seat in SEATS:
        yield from (f"  kept by {seat}: {reply['line']}" for reply in view(state, seat)["kept"])


def _sheets(state: State, sheets: Sheets) -> Iterator[str]:
    """Yield the sheets with their findings."""
    for seat, lines in sheets.items():
        yield from (f"{seat}> {line}" for line in lines)
        for found in remarks(read(state, seat, *lines)):
            yield f"  {found.severity} in line {found.line}: {found.text} [{found.code}] {found.hint}".rstrip()


def text() -> str:
    """Return the golden game as it is now."""
    return "\n".join(game(new_game(SIZE, 9), played)) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
