"""Validation of a dumped state before it is played on."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbem.ruleset import Json, SeatName, ValidationError, validation
from pbem_rules.harvester.beginnings import LARGEST_SIZE, LEAST_PLAYERS, LEAST_SIZE, MOST_PLAYERS
from pbem_rules.harvester.events import SILENCE_LIMIT
from pbem_rules.harvester.forest import NOBODY
from pbem_rules.harvester.planet import Flags, planet_of
from pbem_rules.harvester.state import ARRAYS, CRAGS, DUST, LEFT_BIT, NOWHERE, VERSION, State, read
from pbem_rules.harvester.units import COMBAT, HARVESTER, MOST_HELD, NAMES, NIMBLE, SLOTS

MOST_TURNS = 100_000
MOST_RESOURCES = 1_000_000
"""Bound for one hex, far more than ever drift there."""

LONGEST_ARRAY = 100_000_000
"""Most characters of base64."""

_WIDTHS = {"at": SLOTS, "course": 2, "build": 2}
_OF_HEXES = ("resources", "ground", "traffic")


def check_state(data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:
    """Return the errors of a dumped state that is to be played on by these seats."""
    found = list(validation.validate(_SHAPE, data))
    found = found or list(_arrays(data))
    found = found or list(_ranges(data))
    return found or list(_across(read(data), seats))


_SHAPE = validation.ObjectSchema(
    {
        "seats": validation.ListSchema(validation.StringSchema(20, 1), LEAST_PLAYERS, MOST_PLAYERS, distinct=True),
        "size": validation.IntegerSchema(LEAST_SIZE, LARGEST_SIZE),
        "turn": validation.IntegerSchema(1, MOST_TURNS),
        "drift": validation.IntegerSchema(0, 200),
        "edition": validation.IntegerSchema(VERSION, VERSION),
        "standoffs": validation.ListSchema(validation.IntegerSchema(0), distinct=True),
        "arrays": validation.MapSchema(validation.StringSchema(LONGEST_ARRAY), every=tuple(ARRAYS)),
    }
)


def _arrays(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Check that each array is base64, of the length that players or hexes ask for."""
    players, hexes = len(data["seats"]), planet_of(data["size"]).count
    for name, kind in ARRAYS.items():
        path = f"/arrays/{name}"
        wanted = hexes if name in _OF_HEXES else players * _WIDTHS.get(name, 1)
        try:
            raw = base64.b64decode(data["arrays"][name], validate=True)
        except ValueError:
            yield ValidationError(path, "expected numbers in base64")
            continue
        each = np.dtype(kind).itemsize
        if len(raw) != wanted * each:
            yield ValidationError(path, f"expected {wanted} numbers of {each} bytes each, got {len(raw)} bytes")


def _ranges(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Check that each number is in its bounds; yield the first fault of each array."""
    last, players = planet_of(data["size"]).count - 1, len(data["seats"])
    bounds = {
        "at": (NOWHERE, last),
        "held": (0, MOST_HELD),
        "origin": (0, last),
        "course": (NOWHERE, last),
        "waiting": (0, 1),
        "build": (NOWHERE, SLOTS - 1),
        "ruler": (NOBODY, players - 1),
        "silent": (0, SILENCE_LIMIT - 1),
        "left": (0, data["turn"] - 1),
        "resources": (0, MOST_RESOURCES),
        "ground": (0, max(CRAGS, DUST)),
        "traffic": (0, 2 * LEFT_BIT - 1),
    }
    for name, (low, high) in bounds.items():
        numbers = np.frombuffer(base64.b64decode(data["arrays"][name]), ARRAYS[name]).astype(np.int64)
        for index in np.flatnonzero((numbers < low) | (numbers > high))[:1].tolist():
            place = _owner_of_entry(data["seats"], name, index)
            found = int(numbers[index])
            hint = f"the nearest is {low if found < low else high}"
            yield validation.unexpected(f"/arrays/{name}/{index}", f"{place}a number from {low} to {high}", found, hint)
    for index, cell in enumerate(data["standoffs"]):
        if cell > last:
            yield validation.unexpected(
                f"/standoffs/{index}", f"a hex from 0 to {last}", cell, f"the nearest is {last}"
            )


def _owner_of_entry(seats: Sequence[SeatName], name: str, index: int) -> str:
    """Return whose number an entry of an array is, for a message."""
    if name in _OF_HEXES:
        return f"for hex {index} "
    player, place = divmod(index, _WIDTHS.get(name, 1))
    return f"for {seats[player]}{f', {NAMES[place]},' if name == 'at' else ''} "


def _across(state: State, seats: Sequence[SeatName]) -> Iterator[ValidationError]:
    """Yield contradictions between fields: seats and campaign, players out, rulers, and places of units."""
    if set(state.seats) != set(seats):
        yield ValidationError(
            "/seats", f"expected those of the campaign, {', '.join(seats)}, got {', '.join(state.seats)}"
        )
    wrong = list(_rulers(state))
    yield from wrong or _players(state)
    if not wrong and state.over:
        yield ValidationError("/arrays/ruler", "one Harvester rules all others, so there is nothing to play on")


def _rulers(state: State) -> Iterator[ValidationError]:
    """Check that no chain of rulers is a circle, and that a player who is out neither rules nor is ruled."""
    top = np.where(state.ruler == NOBODY, np.arange(len(state.ruler)), state.ruler)
    # Each pass doubles the steps up the chain, so a chain that has not ended by then is a circle.
    for _ in range(len(top).bit_length()):
        top = top[top]
    out = ~state.playing
    ruled = np.isin(np.arange(len(top)), state.ruler)
    for player in np.flatnonzero((state.ruler[top] != NOBODY) | (out & ((state.ruler != NOBODY) | ruled)))[:1].tolist():
        who = state.seats[player]
        yield ValidationError(
            f"/arrays/ruler/{player}", f"{who} would rule itself by way of others, or is out of the game"
        )


def _players(state: State) -> Iterator[ValidationError]:
    playing, home = state.playing, state.at[:, HARVESTER]
    alive = state.at != NOWHERE
    yield from _named(state, "at", playing & (home == NOWHERE), "expected a Harvester, as it is in play")
    yield from _named(state, "at", ~playing & alive.any(axis=1), "expected no units, as it is out of the game")
    if (~playing & (home != NOWHERE)).any() or (playing & (home == NOWHERE)).any():
        return
    stuck = alive & (state.ground[np.where(alive, state.at, 0)] == CRAGS) & ~NIMBLE
    yield from _named(state, "at", stuck.any(axis=1), "expected none but Soldiers and Scouts on crags")
    yield from _courses(state, playing)
    slot, turns = state.build.T
    idle, lost = (slot == NOWHERE) & (turns == 0), ~alive[np.arange(len(slot)), np.maximum(slot, 1)]
    # A unit takes as many turns as its combat ability (ruling 6).
    due = (turns >= 1) & (turns <= COMBAT[np.maximum(slot, 0)])
    fine = idle | (playing & (slot > HARVESTER) & lost & due)
    yield from _named(state, "build", ~fine, "expected a lost unit and the turns that it takes yet, or -1 and 0")
    empty = (state.held == 0) & (state.silent == 0) & (state.waiting == 0)
    yield from _named(state, "held", ~playing & ~empty, "expected nothing held, silent or waiting, as it is out")


def _courses(state: State, playing: Flags) -> Iterator[ValidationError]:
    """Check that each straight line has two ends, and its Harvester on it, short of its end."""
    start, end = state.course.T
    none = (start == NOWHERE) & (end == NOWHERE)
    here = playing & (start != NOWHERE) & (end != NOWHERE)
    planet = state.planet
    at = np.where(here, state.at[:, HARVESTER], 0)
    ways = [planet.distance[(b - a) % planet.count].astype(np.int64) for a, b in ((start, at), (at, end), (start, end))]
    fine = none & (state.waiting == 0) | here & (ways[1] > 0) & (ways[0] + ways[1] == ways[2])
    text = "expected the hexes where the straight line of its Harvester begins and ends, or -1 and -1"
    yield from _named(state, "course", ~fine, text)


def _named(state: State, name: str, wrong: NDArray[np.bool_], text: str) -> Iterator[ValidationError]:
    """Yield an error for the first player who is flagged."""
    for player in np.flatnonzero(wrong)[:1].tolist():
        yield ValidationError(f"/arrays/{name}/{player * _WIDTHS.get(name, 1)}", f"{text} ({state.seats[player]})")
