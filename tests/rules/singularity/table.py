"""Sets up positions and plays turns, as the host would: sheets as lines, against views through JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

from pbem.ruleset import Dice, Event, Finding, ParsedSheet, SeatName, TurnInput, View, canonical_json
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.state import SEATS, VERSION, State

Sheets = dict[SeatName, Sequence[str]]


def new_game(size: int = 6, forfeit_after: int = 3, *, edition: int = VERSION) -> State:
    """A game before its first stone."""
    state = RULESET.setup({"size": size, "forfeit_after": forfeit_after}, SEATS, Dice(b"test"))
    return dataclasses.replace(state, edition=edition)


def position(moves: str, *, size: int = 6, forfeit_after: int = 3) -> State:
    """The game after some stones, red's first and then in turn, each placed by a sheet of its own."""
    state = new_game(size, forfeit_after)
    for cell in moves.split():
        state, _ = turn(state, **{state.mover: [f"PLACE {cell}"]})
    return state


def view(state: State, seat: SeatName, events: Sequence[Event] = ()) -> View:
    """A seat's view as it comes out of a mail."""
    data: View = json.loads(canonical_json(RULESET.view(state, seat, events)))
    return data


def read(state: State, seat: SeatName, *lines: str) -> ParsedSheet:
    """What a seat's sheet comes to."""
    return RULESET.parse(view(state, seat), list(enumerate(lines, 1)))


def remarks(parsed: ParsedSheet) -> list[Finding]:
    """What is wrong with a sheet, or to be looked at: its findings but for the forecast."""
    return [finding for finding in parsed.findings if finding.severity != "note"]


def codes(parsed: ParsedSheet) -> list[tuple[int, str]]:
    """The findings of a sheet but for the forecast: line and code."""
    return [(finding.line, finding.code) for finding in remarks(parsed)]


def turn(
    state: State,
    *,
    red: Sequence[str] | None = None,
    blue: Sequence[str] | None = None,
    removed: Sequence[SeatName] = (),
) -> tuple[State, tuple[Event, ...]]:
    """One turn with the sheets given, which must be free of errors; an awaited seat without one misses its deadline."""
    sheets = {seat: lines for seat, lines in zip(SEATS, (red, blue), strict=True) if lines is not None}
    orders = {}
    for seat, lines in sheets.items():
        parsed = read(state, seat, *lines)
        assert not parsed.errors, parsed.errors
        orders[seat] = parsed.orders
    missing = RULESET.standing(state).awaiting - set(sheets) - set(removed)
    sent = TurnInput(orders | dict.fromkeys(missing, ()), frozenset(missing), frozenset(removed))
    return RULESET.resolve(state, sent, Dice(b"test"))


def told(events: Sequence[Event], seat: SeatName) -> list[tuple[str, object]]:
    """What a seat hears, in short: kind, and who and where, or which lines."""
    return [
        (event.kind, event.data.get("lines") or f"{event.data.get('who', '')} {event.data.get('cell', '')}".strip())
        for event in events
        if seat in event.audience
    ]


def kept(state: State, seat: SeatName) -> list[str]:
    """A seat's kept replies as lines."""
    return [reply["line"] for reply in view(state, seat)["kept"]]
