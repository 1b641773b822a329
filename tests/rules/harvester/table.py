"""Builders of positions and turns: sheets as lines, checked against views that went through JSON.

All players of a position use the same coordinates, so that tests read like a map:
(0, 0) is hex number 0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pbem.ruleset import Dice, Event, ParsedSheet, SeatName, TurnInput, View, canonical_json
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.planet import planet_of
from pbem_rules.harvester.state import CRAGS, DUST, NO_COURSE, NOWHERE, VERSION, State
from pbem_rules.harvester.units import NAMES, SLOT, SLOTS

DICE = Dice(b"test")
SEATS = ("ann", "bob", "cyd", "dan")
FAR: Mapping[SeatName, Hex] = {"ann": (0, 0), "bob": (-6, 0), "cyd": (0, 6), "dan": (6, -6)}
"""Default hexes of the Harvesters of a position."""

Units = Mapping[str, Hex]


def position(
    units: Mapping[SeatName, Units] | None = None,
    *,
    size: int = 10,
    turn: int = 1,
    resources: Mapping[Hex, int] | None = None,
    crags: Sequence[Hex] = (),
    dust: Sequence[Hex] = (),
    rulers: Mapping[SeatName, SeatName] | None = None,
    held: Mapping[SeatName, int] | None = None,
    seats: Sequence[SeatName] = SEATS,
    drift: int = 0,
) -> State:
    """Build a state with exactly these units; Harvesters not placed stand far away, alone."""
    planet = planet_of(size)
    at = np.full((len(seats), SLOTS), NOWHERE)
    for number, seat in enumerate(seats):
        own = {"H": FAR.get(seat, (0, 0))} | dict((units or {}).get(seat, {}))
        for name, spot in own.items():
            at[number, SLOT[name]] = cell(size, spot)
    ground = np.zeros(planet.count, np.uint8)
    ground[[cell(size, spot) for spot in crags]] = CRAGS
    ground[[cell(size, spot) for spot in dust]] = DUST
    found = np.zeros(planet.count, np.int64)
    for spot, amount in (resources or {}).items():
        found[cell(size, spot)] = amount
    numbers = {seat: number for number, seat in enumerate(seats)}
    return State(
        seats=tuple(seats),
        size=size,
        turn=turn,
        drift=drift,
        edition=VERSION,
        standoffs=(),
        at=at,
        held=np.array([(held or {}).get(seat, 0) for seat in seats]),
        origin=np.zeros(len(seats), np.int64),
        course=np.array([NO_COURSE] * len(seats)),
        waiting=np.zeros(len(seats), np.int64),
        build=np.array([(NOWHERE, 0)] * len(seats)),
        ruler=np.array([numbers[rulers[seat]] if rulers and seat in rulers else NOWHERE for seat in seats]),
        silent=np.zeros(len(seats), np.int64),
        left=np.zeros(len(seats), np.int64),
        resources=found,
        ground=ground,
        traffic=np.zeros(planet.count, np.uint8),
    )


def cell(size: int, spot: Hex) -> int:
    """Return the number of a hex."""
    return int(planet_of(size).offset(np.array(spot[0]), np.array(spot[1])))


def new_game(players: int = 4, **options: Any) -> State:
    """Return a game before its first turn."""
    return RULESET.setup(options, [f"seat{number}" for number in range(1, players + 1)], DICE)


def view(state: State, seat: SeatName, events: Sequence[Event] = ()) -> View:
    """Return a seat's view after a way through JSON."""
    data: View = json.loads(canonical_json(RULESET.view(state, seat, events)))
    return data


def read(state: State, seat: SeatName, *lines: str) -> ParsedSheet:
    """Parse a seat's sheet."""
    return RULESET.parse(view(state, seat), list(enumerate(lines, 1)))


def codes(parsed: ParsedSheet) -> list[tuple[int, str]]:
    """Return line and code of the findings on lines."""
    return [(finding.line, finding.code) for finding in parsed.findings if finding.line]


def turn(
    state: State,
    sheets: Mapping[SeatName, Sequence[str]] | None = None,
    *,
    silent: Sequence[SeatName] = (),
    removed: Sequence[SeatName] = (),
    dice: Dice = DICE,
) -> tuple[State, tuple[Event, ...]]:
    """Resolve a turn with the sheets given, which must be free of errors; all others but the silent send empty ones."""
    orders = {seat: RULESET.parse(view(state, seat), []).orders for seat in state.seats}
    for seat, lines in (sheets or {}).items():
        parsed = read(state, seat, *lines)
        assert not parsed.errors, parsed.errors
        orders[seat] = parsed.orders
    sent = {seat: orders[seat] for seat in RULESET.standing(state).awaiting}
    return RULESET.resolve(
        state, TurnInput(sent, frozenset(silent), frozenset(removed)), dice.within("turn", state.turn)
    )


def where(state: State, seat: SeatName, unit: str) -> Hex | None:
    """Return the hex of a unit, near (0, 0); None if it is destroyed."""
    planet = state.planet
    at = int(state.at[state.seats.index(seat), NAMES.index(unit)])
    return None if at == NOWHERE else (int(planet.q[at]), int(planet.r[at]))


def ruler(state: State, seat: SeatName) -> SeatName | None:
    """Return the direct ruler of a seat."""
    number = int(state.ruler[state.seats.index(seat)])
    return None if number == NOWHERE else state.seats[number]


def resources(state: State, spot: Hex) -> int:
    """Return the resources in a hex."""
    return int(state.resources[cell(state.size, spot)])


def held(state: State, seat: SeatName) -> int:
    """Return the resources that a seat's Harvester holds."""
    return int(state.held[state.seats.index(seat)])


def told(events: Sequence[Event], seat: SeatName, kind: str) -> list[dict[str, Any]]:
    """Return the data of a seat's events of a kind."""
    return [dict(event.data) for event in events if event.kind == kind and seat in event.audience]


def scanned(view: View, spot: Hex) -> tuple[int, list[Any]] | None:
    """Return the band of a hex in a view and what it tells beyond the coordinates; None for a hex not scanned."""
    for band in range(1, 6):
        for row in view["scan"][band - 1]:
            if (row[0], row[1]) == spot:
                return band, row[2:]
        quiet = view["quiet"][band - 1]
        if spot in zip(quiet[::2], quiet[1::2], strict=True):
            return band, []
    return None


def empire() -> State:
    """Build a game of a thousand in which seat1 rules forty, and units are all over the planet."""
    state, draws = new_game(1000), np.random.default_rng(1)
    near = np.flatnonzero(state.planet.distance <= 7)
    at = (state.at[:, :1] + draws.choice(near, state.at.shape)) % state.planet.count
    at[:, 0] = state.at[:, 0]
    below = state.ruler.copy()
    below[1:41] = 0
    moved = draws.random(state.planet.count) < 0.2
    return replace(state, at=at, ruler=below, traffic=np.where(moved, 9, 0).astype(np.uint8), turn=9)
