"""Scanners: which hexes are perceived, in which band, for many players at once (ruling 9).

The work is done on arrays for a chunk of players; of a hex that several units
perceive only the nearest band counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pbem_rules.harvester.combat import kinds_of
from pbem_rules.harvester.forest import Subjects, tops
from pbem_rules.harvester.planet import Flags, Ints
from pbem_rules.harvester.state import DUST, LEFT_BIT, NOWHERE, State
from pbem_rules.harvester.units import FARTHEST, HARVESTER, SCANNER, SLOTS

CHUNK = 60_000
"""Scanned hexes processed at once, roughly; more is faster up to a point, and takes memory."""

_HEXES_A_PLAYER = 311

UNSEEN = FARTHEST + 1
"""Value in place of a band for a hex that no scanner shows."""

# Bits that hold the rank of any offset, and any band; with the reader in a chunk they make 31.
_RANK_BITS, _BAND_BITS = 20, 3


@dataclass(frozen=True)
class Scans:
    """The scanned hexes of a chunk of players, sorted by reader, band and coordinates.

    `reader` counts within the chunk; the scans of each reader in each band begin and end at `bounds`. `rank`
    is that of the offset by which the reader calls the hex. `band` is 1 to 5; `dusty` marks dust fields seen
    from outside, of which nothing more is told (ruling 10).
    """

    bounds: Ints
    reader: Ints
    cell: Ints
    rank: NDArray[np.int32]
    band: NDArray[np.int8]
    dusty: Flags


class Crews(NamedTuple):
    """The units of each player in each hex, by hex, in each by the owners' names.

    Those of a hex are from `bounds[hex]` to `bounds[hex + 1]`.
    """

    bounds: NDArray[np.int32]
    owners: Ints
    kinds: list[str]


class Sensors:
    """All that scanners can find on a planet at the end of a turn."""

    def __init__(self, state: State) -> None:
        self.state, self.planet = state, state.planet
        self.subjects, self.tops = Subjects(state.ruler), tops(state.ruler)
        self.has_dust = bool((state.ground == DUST).any())

    @cached_property
    def marked(self) -> Flags:
        """Flags of the hexes that hold a Harvester or a resource (band 5)."""
        marked = self.state.resources > 0
        harvesters = self.state.at[:, HARVESTER]
        marked[harvesters[harvesters != NOWHERE]] = True
        return marked

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        """The number of units in each hex (band 2)."""
        cells = self.state.at.reshape(-1)
        return np.bincount(cells[cells != NOWHERE], minlength=self.planet.count).astype(np.int32)

    @cached_property
    def telling(self) -> NDArray[np.int8]:
        """The farthest band that tells of anything in each hex, 0 where none does."""
        telling = np.where(self.counts > 0, 2, 0)
        telling[self.state.traffic > 0] = 4
        telling[self.marked] = 5
        return telling.astype(np.int8)

    def facts(self, cells: Ints) -> Sequence[NDArray[Any]]:
        """Return what the bands tell of hexes, from the farthest to the nearest, as in a GameView's `scan`.

        The directions of entries are bits.
        """
        traffic = self.state.traffic[cells]
        known = self.counts[cells], self.state.resources[cells]
        return self.marked[cells], traffic > 0, traffic & (LEFT_BIT - 1), *known

    @cached_property
    def units(self) -> Ints:
        """All living units, as player × SLOTS + slot, by their hexes; in each hex by the players' names."""
        seats = self.state.seats
        named = np.array(sorted(range(len(seats)), key=seats.__getitem__))
        cells = self.state.at[named].reshape(-1)
        living = np.argsort(cells, kind="stable")[np.count_nonzero(cells == NOWHERE) :]
        units: Ints = named[living // SLOTS] * SLOTS + living % SLOTS
        return units

    @cached_property
    def crews(self) -> Crews:
        owners, cells = self.units // SLOTS, self.state.at.reshape(-1)[self.units]
        first = np.flatnonzero((np.diff(cells, prepend=-1) != 0) | (np.diff(owners, prepend=-1) != 0))
        bits = np.bitwise_or.reduceat(1 << self.units % SLOTS, first).tolist() if len(first) else []
        # 32 bits each, as they are as many as the planet has hexes.
        bounds = np.zeros(self.planet.count + 1, np.int32)
        np.cumsum(np.bincount(cells[first], minlength=self.planet.count), out=bounds[1:])
        return Crews(bounds, owners[first], [kinds_of(crew) for crew in bits])

    def chunks(self, players: Sequence[int]) -> Iterator[tuple[list[list[int]], Scans]]:
        """Yield the players, a chunk at a time, each with their subservients, and what the scanners of all perceive."""
        crews: list[list[int]] = []
        weight = 0
        for player in players:
            crew = [player, *self.subjects.below(player)]
            crews.append(crew)
            # Rulers see what all below them see, so a player's scans grow with their subservients.
            weight += len(crew) * _HEXES_A_PLAYER
            if weight >= CHUNK:
                yield crews, self._scan(crews)
                crews, weight = [], 0
        if crews:
            yield crews, self._scan(crews)

    def are_empty(self, players: Ints, cells: Ints) -> Flags:
        """Flag the players whose scanners show nothing to gather in a hex, one hex for each player (ruling 5).

        In band 1 that is a hex without resources, in others one without a mark.
        """
        bands = self._bands(players, cells)
        empty = np.where(bands == 1, self.state.resources[cells] == 0, ~self.marked[cells])
        told: Flags = empty & (bands <= FARTHEST)
        return told

    def _bands(self, players: Ints, cells: Ints) -> Ints:
        """Return the nearest band in which each player's report tells of a hex; UNSEEN if none does."""
        crews = [[player, *self.subjects.below(player)] for player in players.tolist()]
        readers = np.repeat(np.arange(len(crews)), [len(crew) for crew in crews])
        at = self.state.at[[member for crew in crews for member in crew]]
        offsets = (cells[readers, None] - at) % self.planet.count
        distances = self.planet.distance[offsets]
        seen = (at != NOWHERE) & (distances <= SCANNER)
        if self.has_dust:
            # A unit in dust, or behind it, sees the next hexes alone (ruling 10).
            seen &= (distances <= 1) | ~self._clouded(at, np.where(seen, offsets, 0))
            seen &= (distances <= 1) | (self.state.ground[cells] != DUST)[readers, None]
        bands = np.full(len(crews), UNSEEN)
        np.minimum.at(bands, readers, np.where(seen, np.maximum(distances, 1), UNSEEN).min(axis=1, initial=UNSEEN))
        return bands

    def _clouded(self, at: Ints, offsets: Ints) -> Flags:
        """Flag units with dust under them, or on the straight line to a hex within reach (ruling 10)."""
        largest = self.planet.discs[FARTHEST]
        place = np.zeros(self.planet.count, np.int64)
        place[largest] = np.arange(len(largest))
        on_the_way = (at[..., None] + self.planet.between[place[offsets]]) % self.planet.count
        clouded: Flags = (self.state.ground[on_the_way] == DUST).any(axis=-1)
        return clouded

    def _scan(self, crews: list[list[int]]) -> Scans:
        origins = self.state.origin[[crew[0] for crew in crews]]
        members = [member for crew in crews for member in crew]
        readers = np.repeat(np.arange(len(crews), dtype=np.int32), [len(crew) for crew in crews])
        first, at = self._first[members], self.state.at[members]
        found = []
        for rating in range(1, FARTHEST + 1):
            row, slot = np.nonzero(first & (rating == SCANNER))
            found.append(self._reach(readers[row], at[row, slot], origins[readers[row]], rating))
        return self._named(origins, np.sort(np.concatenate(found)))

    @cached_property
    def _first(self) -> Flags:
        """Flags of the living units that are the first of their player's in their hex, as `at`.

        It perceives all that the others there do.
        """
        at = np.ascontiguousarray(self.state.at.T)
        return np.array([(cells != NOWHERE) & (at[:slot] != cells).all(axis=0) for slot, cells in enumerate(at)]).T

    def _reach(self, readers: NDArray[np.int32], cells: Ints, origins: Ints, rating: int) -> NDArray[np.int32]:
        """Return (reader, rank, band) of all hexes that units of a rating perceive, packed into one number each."""
        offsets = self.planet.discs[rating]
        # To wrap an index takes less time than to divide it.
        ranks = self.planet.rank.take((cells - origins)[:, None] + offsets, mode="wrap")
        # A unit's own hex counts as near as the next ones (ruling 9).
        bands = np.maximum(self.planet.distance[offsets], 1)
        keys: NDArray[np.int32] = (((readers[:, None] << _RANK_BITS) + ranks) << _BAND_BITS) + bands
        return keys[self._visible(cells, offsets)] if self.has_dust else keys.reshape(-1)

    def _visible(self, cells: Ints, offsets: Ints) -> Flags:
        """Flag hexes that no dust hides: the next ones, and those without dust under it or on the way (ruling 10)."""
        on_the_way = (cells[:, None, None] + self.planet.between[: len(offsets)]) % self.planet.count
        clouded = (self.state.ground[on_the_way] == DUST).any(axis=2)
        visible: Flags = ~clouded | (self.planet.distance[offsets] <= 1)
        return visible

    def _named(self, origins: Ints, keys: NDArray[np.int32]) -> Scans:
        """Return the scans in sorted keys; of each hex the nearest band, which comes first, counts."""
        keys = keys[np.diff(keys >> _BAND_BITS, prepend=-1) != 0]
        # The band goes before the rank, and all are sorted once more.
        bands, ranks = keys & (1 << _BAND_BITS) - 1, keys >> _BAND_BITS & (1 << _RANK_BITS) - 1
        readers = keys >> _RANK_BITS + _BAND_BITS
        keys = np.sort((((readers << _BAND_BITS) + bands) << _RANK_BITS) + ranks)
        steps = (np.arange(len(origins))[:, None] << _BAND_BITS) + np.arange(1, FARTHEST + 1)
        bounds = np.searchsorted(keys, np.append(steps << _RANK_BITS, np.iinfo(np.int32).max).astype(np.int32))
        readers = np.repeat(np.arange(len(origins)), np.diff(bounds[::FARTHEST]))
        ranks, bands = keys & (1 << _RANK_BITS) - 1, (keys >> _RANK_BITS & (1 << _BAND_BITS) - 1).astype(np.int8)
        cells = origins[readers] + self.planet.ranked[ranks]
        # To divide would take longer.
        cells -= self.planet.count * (cells >= self.planet.count)
        dusty = (bands > 1) & (self.state.ground[cells] == DUST)
        return Scans(bounds, readers, cells, ranks, bands, dusty)
