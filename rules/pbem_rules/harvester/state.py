"""The state of a game as arrays, and its JSON form."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pbem.ruleset import Json, SeatName
from pbem_rules.harvester import forest
from pbem_rules.harvester.planet import Flags, Ints, PlanetMap, planet_of
from pbem_rules.harvester.units import COMBAT, MOST_HELD, SLOTS

VERSION = 3
NOWHERE = -1
PLAIN, CRAGS, DUST = range(3)
"""Kinds of ground."""

LEFT_BIT = 1 << 6
"""In `traffic`: something left the hex. Bits 0 to 5: something entered it from that direction."""

NO_COURSE = (NOWHERE, NOWHERE)


@dataclass(frozen=True, eq=False)
class State:
    """A game between two turns; `turn` is the one to be played next.

    `edition` is the version of the game in which the campaign began, whose rules it keeps to its
    end. `standoffs` are the hexes in which enemies stand together undecided, and were told so
    (ruling 14).

    Arrays by player: `at` (× 11) the hex of each unit, NOWHERE for one that is
    destroyed; `held` resources in the Harvester; `origin` the hex that the player
    calls 0,0, where its Harvester started; `course` (× 2) the hexes where its straight line
    begins and ends; `waiting`, 1 if it was kept from its last step; `build`
    (× 2) the slot being rebuilt and the turns that it still takes; `ruler` the direct
    one; `silent` turns without a sheet in a row; `left` the turn in which the
    player went out, 0 for one still in play. Arrays by hex: `resources`,
    `ground`, and the last turn's `traffic`.
    """

    seats: tuple[SeatName, ...]
    size: int
    turn: int
    drift: int
    edition: int
    standoffs: tuple[int, ...]
    at: Ints
    held: Ints
    origin: Ints
    course: Ints
    waiting: Ints
    build: Ints
    ruler: Ints
    silent: Ints
    left: Ints
    resources: Ints
    ground: NDArray[np.uint8]
    traffic: NDArray[np.uint8]

    def __post_init__(self) -> None:
        for name in ARRAYS:
            # States share arrays that no turn changes (`ground`, `origin`); of the others a turn makes copies.
            getattr(self, name).flags.writeable = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        plain = all(getattr(self, name) == getattr(other, name) for name in PLAIN_FIELDS)
        return plain and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ARRAYS)

    __hash__ = None  # type: ignore[assignment]  # arrays have none either

    @property
    def planet(self) -> PlanetMap:
        """The geometry of the planet."""
        return planet_of(self.size)

    @property
    def playing(self) -> Flags:
        """Flags of the players still in play."""
        playing: Flags = self.left == 0
        return playing

    @property
    def over(self) -> bool:
        """True if one Harvester rules all others still in play, or none is left (ruling 11)."""
        return int((self.playing & (self.ruler == forest.NOBODY)).sum()) <= 1

    @property
    def winner(self) -> SeatName | None:
        """The Harvester that rules all others, if there is one."""
        free = np.flatnonzero(self.playing & (self.ruler == forest.NOBODY))
        # With nobody left, nobody wins (ruling 11).
        return self.seats[free[0]] if len(free) == 1 else None

    def combat(self) -> Ints:
        """Return the total combat ability of each player's living units."""
        combat: Ints = (COMBAT * (self.at != NOWHERE)).sum(axis=1)
        return combat

    def points(self) -> Ints:
        """Return the victory points of all players (ruling 11)."""
        own = np.minimum(self.held, MOST_HELD) + np.minimum(self.combat(), MOST_HELD)
        return forest.points(self.ruler, np.where(self.playing, own, 0))


ARRAYS: dict[str, str] = {
    "at": "<i4",
    "held": "<i4",
    "origin": "<i4",
    "course": "<i4",
    "waiting": "|u1",
    "build": "|i1",
    "ruler": "<i4",
    "silent": "|u1",
    "left": "<i4",
    "resources": "<i4",
    "ground": "|u1",
    "traffic": "|u1",
}
"""The arrays of a state, and how a save stores their numbers."""

_SHAPES = {"at": (-1, SLOTS), "course": (-1, 2), "build": (-1, 2)}
PLAIN_FIELDS = tuple(slot.name for slot in dataclasses.fields(State) if slot.name not in ARRAYS)


def dump(state: State) -> Json:
    """Return the state as JSON data; each array as the base64 of its numbers, row by row, little-endian."""
    arrays = {name: _packed(getattr(state, name), kind) for name, kind in ARRAYS.items()}
    plain = {name: getattr(state, name) for name in PLAIN_FIELDS}
    return {**plain, "seats": list(state.seats), "standoffs": list(state.standoffs), "arrays": arrays}


def read(data: Mapping[str, Any]) -> State:
    """Return the state that `dump` has written. Raise ValueError if an array has the wrong length."""
    arrays: dict[str, Any] = {name: _unpacked(name, data["arrays"][name]) for name in ARRAYS}
    plain: dict[str, Any] = {name: data[name] for name in PLAIN_FIELDS}
    state = State(**{**plain, "seats": tuple(data["seats"]), "standoffs": tuple(data["standoffs"])}, **arrays)
    players, hexes = len(state.seats), state.planet.count
    for name, array in arrays.items():
        wanted = hexes if name in ("resources", "ground", "traffic") else players
        if len(array) != wanted:
            raise ValueError(f"{name} has {len(array)} entries, not {wanted}")
    return state


def _packed(array: NDArray[Any], kind: str) -> str:
    return base64.b64encode(array.astype(kind).tobytes()).decode()


def _unpacked(name: str, text: str) -> NDArray[Any]:
    array = np.frombuffer(base64.b64decode(text, validate=True), ARRAYS[name])
    wide = np.uint8 if name in ("ground", "traffic") else np.int64
    return array.astype(wide).reshape(_SHAPES.get(name, (-1,)))
