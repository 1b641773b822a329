"""The golden game: a whole game as one text, with every sheet, finding and event, and some maps.

`python -m tests.rules.harvester.golden` writes golden.txt; what then differs is
what a change of the rules, bots or words has changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pbem.ruleset import Dice, Event, Order, SeatName, TurnInput, View, canonical_json
from pbem_rules.harvester import RULESET

PATH = Path(__file__).with_name("golden.txt")
SEED = Dice(b"golden")
SEATS = ("ann", "bob", "cyd", "dan", "eve")
OPTIONS = {"crags": 8, "dust": 6}
MAP_EVERY = 6

SCRIPT: Mapping[int, Mapping[SeatName, list[str] | None]] = {
    1: {
        "ann": ["MOVE S1 E E E", "MOVE G E E", "MOVE S1 W", "TARGET 99,99", "BUILD C1", "DROP 1", "FLY C1 E"],
        "bob": None,
    },
    2: {"ann": ["DESTROY C4", "DROP 1", "MOVE C1 W NW W W", "move c2 se"], "bob": []},
    3: {"ann": ["BUILD C4", "build c4", "DESTROY HARVESTER"]},
    9: {"eve": ["RESIGN CONFIRM"]},
}
"""Sheets with all that bots do not do, slips included; None for a missing sheet."""


def game(write: Callable[[View, int], list[str] | None]) -> Iterator[str]:
    """Yield the lines of a whole game in which `write` gives the sheet of each seat and turn."""
    state, number = RULESET.setup(OPTIONS, SEATS, SEED), 0
    events: tuple[Event, ...] = ()
    while not RULESET.standing(state).over:
        number += 1
        views = {seat: json.loads(canonical_json(view)) for seat, view in RULESET.views(state, SEATS, events)}
        yield from _moment(views, number)
        sheets = {seat: write(views[seat], number) for seat in SEATS if views[seat]["awaited"]}
        yield from _written(views, sheets)
        state, events = RULESET.resolve(state, _input(views, sheets), SEED.within("turn", number))
        yield from _happened(events)
    yield f"== the end: {RULESET.standing(state).reason}"


def _sheet(view: View, number: int) -> list[str] | None:
    scripted = SCRIPT.get(number, {})
    if view["seat"] in scripted:
        return scripted[view["seat"]]
    return RULESET.bots["standard"](view, SEED.within("bot", view["seat"], number))


def _input(views: Mapping[SeatName, View], sheets: Mapping[SeatName, list[str] | None]) -> TurnInput:
    orders: dict[SeatName, tuple[Order, ...]] = {
        seat: RULESET.parse(views[seat], list(enumerate(lines or [], 1))).orders for seat, lines in sheets.items()
    }
    return TurnInput(orders, missing=frozenset(seat for seat, lines in sheets.items() if lines is None))


def _moment(views: Mapping[SeatName, View], number: int) -> Iterator[str]:
    yield ""
    yield f"== turn {number}"
    if number % MAP_EVERY == 1:
        yield RULESET.text_map(views["bob"])
    for seat, view in views.items():
        if view["harvester"]:
            home, points = view["harvester"], view["points"]
            place = f"{seat} at {home['q']},{home['r']}"
            yield f"{place}: {points['total']} points, under {view['rulers']}, lost {view['lost']}"


def _written(views: Mapping[SeatName, View], sheets: Mapping[SeatName, list[str] | None]) -> Iterator[str]:
    for seat, lines in sheets.items():
        yield f"{seat}> " + ("no sheet" if lines is None else "; ".join(lines))
        parsed = RULESET.parse(views[seat], list(enumerate(lines or [], 1)))
        for found in (found for found in parsed.findings if found.severity != "note"):
            yield f"  {found.severity} in line {found.line}: {found.text} [{found.code}] {found.hint}".rstrip()


def _happened(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        yield f"  {'+'.join(sorted(event.audience))}: {event.kind} {dict(event.data)}"


def text() -> str:
    """Return the golden game as it is now."""
    return "\n".join(game(_sheet)) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
