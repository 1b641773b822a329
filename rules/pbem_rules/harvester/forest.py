"""Rulers and subservients: a forest in which every Harvester has at most one direct ruler.

`rulers[player]` is the direct ruler, NOBODY above a free Harvester. All players
with the same Harvester at the top are one side (ruling 8).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pbem_rules.harvester.planet import Ints

NOBODY = -1


def tops(rulers: Ints) -> Ints:
    """Return the player at the top of each player's chain; a free player is their own."""
    top = np.where(rulers == NOBODY, np.arange(len(rulers)), rulers)
    while True:
        # Each pass doubles the height: a chain of thousands takes a dozen.
        higher = top[top]
        if np.array_equal(higher, top):
            return top
        top = higher


def above(rulers: Sequence[int] | Ints, player: int) -> Iterator[int]:
    """Yield the Harvesters above a player, its direct ruler first."""
    while (player := int(rulers[player])) != NOBODY:
        yield player


class Subjects:
    """All players by their ruler, for walks downwards."""

    def __init__(self, rulers: Ints) -> None:
        self._direct: dict[int, list[int]] = {}
        for player in np.flatnonzero(rulers != NOBODY).tolist():
            self._direct.setdefault(int(rulers[player]), []).append(player)

    def below(self, player: int) -> list[int]:
        """Return all subservients of a player, rulers before those they rule."""
        found = list(self._direct.get(player, ()))
        for subject in found:
            found += self._direct.get(subject, ())
        return found


def points(rulers: Ints, own: Ints) -> Ints:
    """Return the points of all players: their own and those of their direct subservients, added up the same way."""
    total = own.copy()
    subjects = Subjects(rulers)
    for top in np.flatnonzero(rulers == NOBODY).tolist():
        # From the lowest up: each player's points are complete before they are added to the ruler's (ruling 11).
        for player in reversed(subjects.below(top)):
            total[rulers[player]] += total[player]
    return total
