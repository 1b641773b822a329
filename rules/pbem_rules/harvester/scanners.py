"""Scanners: which hexes are perceived, in which band, for many players at once (ruling 9).

The work is done on arrays for a chunk of players; of a hex that several units
perceive only the nearest band counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pbem_rules.harvester.forest import Subjects
from pbem_rules.harvester.planet import Flags, Ints
from pbem_rules.harvester.state import DUST, LEFT_BIT, NOWHERE, State
from pbem_rules.harvester.units import FARTHEST, HARVESTER, SCANNER

CHUNK = 60_000
"""Scanned hexes processed at once, roughly; more is faster up to a point, and takes memory."""

_HEXES_A_PLAYER = 311

UNSEEN = FARTHEST + 1
"""Value in place of a band for a hex that no scanner shows."""

# Bits that hold the coordinates of any offset, negative ones too.
_SPAN = 12


@dataclass(frozen=True)
class Scans:
    """The scanned hexes of a chunk of players, sorted by reader, band and coordinates.

    `reader` counts within the chunk. `band` is 1 to 5; `dusty` marks dust fields seen from
    outside, of which nothing more is told (ruling 10).
    """

    reader: Ints
    cell: Ints
    q: Ints
    r: Ints
    band: Ints
    dusty: Flags


class Sensors:
    """All that scanners can find on a planet at the end of a turn."""

    def __init__(self, state: State) -> None:
        self.state, self.planet = state, state.planet
        self.subjects = Subjects(state.ruler)
        self.has_dust = bool((state.ground == DUST).any())

    @cached_property
    def marked(self) -> Flags:
        """Flags of the hexes that hold a Harvester or a resource (band 5)."""
        marked = self.state.resources > 0
        harvesters = self.state.at[:, HARVESTER]
        marked[harvesters[harvesters != NOWHERE]] = True
        return marked

    @cached_property
    def counts(self) -> Ints:
        """The number of units in each hex (band 2)."""
        cells = self.state.at.reshape(-1)
        return np.bincount(cells[cells != NOWHERE], minlength=self.planet.count)

    @cached_property
    def by_cell(self) -> tuple[Ints, Ints]:
        """All living units, by hex: the hexes, ascending, and the units in them as player × SLOTS + slot."""
        cells = self.state.at.reshape(-1)
        units = np.flatnonzero(cells != NOWHERE)
        order = np.argsort(cells[units], kind="stable")
        return cells[units][order], units[order]

    def entered(self, cells: Ints) -> Ints:
        """Return the directions from which the hexes were entered, as bits (band 3)."""
        return self.state.traffic[cells].astype(np.int64) & (LEFT_BIT - 1)

    def moved(self, cells: Ints) -> Ints:
        """Return 1 for each hex that anything moved into or out of, else 0 (band 4)."""
        return (self.state.traffic[cells] > 0).astype(np.int64)

    def chunks(self, players: Sequence[int]) -> Iterator[tuple[list[int], Scans]]:
        """Yield the players, a chunk at a time, with what their scanners and those of their subservients perceive."""
        chunk: list[int] = []
        crews: list[list[int]] = []
        weight = 0
        for player in players:
            crew = [player, *self.subjects.below(player)]
            chunk.append(player)
            crews.append(crew)
            # Rulers see what all below them see, so a player's scans grow with their subservients.
            weight += len(crew) * _HEXES_A_PLAYER
            if weight >= CHUNK:
                yield chunk, self._scan(chunk, crews)
                chunk, crews, weight = [], [], 0
        if chunk:
            yield chunk, self._scan(chunk, crews)

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

    def _scan(self, chunk: list[int], crews: list[list[int]]) -> Scans:
        crew = np.array([member for crew in crews for member in crew], np.int64)
        readers = np.repeat(np.arange(len(chunk)), [len(crew) for crew in crews])
        found = [self._reach(readers, self.state.at[crew], rating) for rating in range(1, FARTHEST + 1)]
        keys = np.concatenate(found)
        # Sorted, the nearest band of each hex comes first: reader and hex are the high bits, the band the low ones.
        keys.sort()
        spots = keys >> 3
        nearest = np.ones(len(keys), bool)
        nearest[1:] = spots[1:] != spots[:-1]
        return self._named(np.array(chunk), spots[nearest], keys[nearest] & 7)

    def _reach(self, readers: Ints, at: Ints, rating: int) -> Ints:
        """Return (reader, hex, band) within reach of all units of a rating, packed into one number each."""
        columns = at[:, rating == SCANNER]
        whose = np.repeat(readers, columns.shape[1])
        cells = columns.reshape(-1)
        alive = cells != NOWHERE
        whose, cells = whose[alive], cells[alive]
        offsets = self.planet.discs[rating]
        reached = (cells[:, None] + offsets) % self.planet.count
        # A unit's own hex counts as near as the next ones (ruling 9).
        bands = np.maximum(self.planet.distance[offsets], 1)
        keys: Ints = ((whose[:, None] * self.planet.count + reached) << 3) + bands
        return keys[self._visible(cells, offsets)] if self.has_dust else keys.reshape(-1)

    def _visible(self, cells: Ints, offsets: Ints) -> Flags:
        """Flag hexes that no dust hides: the next ones, and those without dust under it or on the way (ruling 10)."""
        on_the_way = (cells[:, None, None] + self.planet.between[: len(offsets)]) % self.planet.count
        clouded = (self.state.ground[on_the_way] == DUST).any(axis=2)
        visible: Flags = ~clouded | (self.planet.distance[offsets] <= 1)
        return visible

    def _named(self, chunk: Ints, spots: Ints, bands: Ints) -> Scans:
        """Return the scans with coordinates as each reader writes them."""
        state, planet = self.state, self.planet
        readers, cells = np.divmod(spots, planet.count)
        whose = chunk[readers]
        names = (cells - state.origin[whose]) % planet.count
        q, r = planet.q[names].astype(np.int64), planet.r[names].astype(np.int64)
        order = np.argsort((((readers << 3) + bands << _SPAN) + q << _SPAN) + r)
        dusty = (bands > 1) & (state.ground[cells] == DUST)
        return Scans(readers[order], cells[order], q[order], r[order], bands[order], dusty[order])
