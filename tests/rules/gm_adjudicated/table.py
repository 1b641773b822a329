"""Sets up games and plays turns as the host does: sheets as lines, the GM's ruling as files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.ruleset import Dice, Event, ParsedSheet, Roll, Rolls, SeatName, TurnInput, View, canonical_json
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import State

SEATS = ("red", "blue", "green")
VERBS = {"MARCH": "an army goes where you say", "BUILD": "", "MARRY": "a member of your house"}


def new_game(**options: Any) -> State:
    """Return a game of three seats before its first turn."""
    return RULESET.setup(options, SEATS, Dice(b"test"))


def view(state: State, seat: SeatName, events: Sequence[Event] = ()) -> View:
    """Return a seat's view as it comes out of a mail."""
    data: View = json.loads(canonical_json(RULESET.view(state, seat, events)))
    return data


def read(state: State, *lines: str) -> ParsedSheet:
    """Return red's sheet, parsed."""
    return RULESET.parse(view(state, "red"), list(enumerate(lines, 1)))


def texts(parsed: ParsedSheet) -> list[str]:
    """Return the accepted lines of a sheet."""
    return [RULESET.orders.line(order) for order in parsed.orders]


def codes(parsed: ParsedSheet) -> list[tuple[int, str]]:
    """Return the findings of a sheet: line and code."""
    return [(finding.line, finding.code) for finding in parsed.findings]


def rolls() -> Rolls:
    """Return the rolls of a turn without any roll so far."""
    return Rolls(Dice(b"rolls"))


def ruled(state: State, rolled: Rolls | None = None, /, **files: str) -> Any:
    """Return the ruling in files named without their ending; it must be free of errors."""
    named = {f"{name}.txt": text for name, text in files.items()}
    ruling, findings = RULESET.read_ruling(state, named, rolled or rolls())
    assert not [found for each in findings.values() for found in each if found.severity == "error"], findings
    return json.loads(canonical_json(ruling))


def faults(state: State, **files: str) -> dict[str, list[tuple[int, str]]]:
    """Return the errors and warnings in such files, except "untold", by file: line and code."""
    _, findings = RULESET.read_ruling(state, {f"{name}.txt": text for name, text in files.items()}, rolls())
    told = {
        name: [(each.line, each.code) for each in found if each.code != "untold"] for name, found in findings.items()
    }
    return {name: found for name, found in told.items() if found}


def turn(
    state: State,
    ruling: Any = None,
    *,
    sheets: Mapping[SeatName, Sequence[str]] | None = None,
    removed: Sequence[SeatName] = (),
    rolled: Sequence[Roll] = (),
) -> tuple[State, tuple[Event, ...]]:
    """Play one turn with the sheets and the ruling given; seats without a sheet are missing."""
    orders = {
        seat: RULESET.parse(view(state, seat), list(enumerate(lines, 1))).orders
        for seat, lines in (sheets or {}).items()
    }
    missing = RULESET.standing(state).awaiting - set(orders) - set(removed)
    given = TurnInput(
        orders | dict.fromkeys(missing, ()), frozenset(missing), frozenset(removed), ruling, tuple(rolled)
    )
    return RULESET.resolve(state, given, Dice(b"test"))


def told(events: Sequence[Event], seat: SeatName) -> list[tuple[str, dict[str, Any]]]:
    """Return the events that a seat hears: kind and data."""
    return [(event.kind, dict(event.data)) for event in events if seat in event.audience]
