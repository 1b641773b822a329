"""Positions and turns for tests, as the host would make them: sheets as lines, against views through JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pbem.ruleset import Dice, Event, Finding, ParsedSheet, SeatName, TurnInput, View, canonical_json
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.state import SEATS, State

Sheets = dict[SeatName, Sequence[str]]


def new_game(size: int = 6, forfeit_after: int = 3) -> State:
    """Return a game before its first stone."""
    return RULESET.setup({"size": size, "forfeit_after": forfeit_after}, SEATS, Dice(b"test"))


def position(moves: str, *, size: int = 6, forfeit_after: int = 3) -> State:
    """Return the game after some stones, red's first and then in turn, each placed by a sheet of its own."""
    state = new_game(size, forfeit_after)
    for cell in moves.split():
        state, _ = turn(state, **{state.mover: [f"PLACE {cell}"]})
    return state


def view(state: State, seat: SeatName, events: Sequence[Event] = ()) -> View:
    """Return a seat's view as it comes out of a mail."""
    data: View = json.loads(canonical_json(RULESET.view(state, seat, events)))
    return data


def read(state: State, seat: SeatName, *lines: str) -> ParsedSheet:
    """Return a seat's sheet as it is parsed."""
    return RULESET.parse(view(state, seat), list(enumerate(lines, 1)))


def remarks(parsed: ParsedSheet) -> list[Finding]:
    """Return the findings of a sheet but for the forecast: errors and warnings."""
    return [finding for finding in parsed.findings if finding.severity != "note"]


def codes(parsed: ParsedSheet) -> list[tuple[int, str]]:
    """Return the findings of a sheet but for the forecast: line and code."""
    return [(finding.line, finding.code) for finding in remarks(parsed)]


def turn(
    state: State,
    *,
    red: Sequence[str] | None = None,
    blue: Sequence[str] | None = None,
    removed: Sequence[SeatName] = (),
) -> tuple[State, tuple[Event, ...]]:
    """Play a turn with sheets that must be free of errors; an awaited seat without one misses its deadline."""
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
    """Return the events that a seat hears of, in short: kind, and who and where, or which lines."""
    return [
        (event.kind, event.data.get("lines") or f"{event.data.get('who', '')} {event.data.get('cell', '')}".strip())
        for event in events
        if seat in event.audience
    ]


def kept(state: State, seat: SeatName) -> list[str]:
    """Return a seat's kept replies as lines."""
    return [reply["line"] for reply in view(state, seat)["kept"]]
