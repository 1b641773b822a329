"""Who rules whom: a forest in which every Harvester has at most one direct ruler.

`rulers[player]` is the direct ruler, NOBODY above a free Harvester. All who
have the same Harvester at their top are one side (ruling 8).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pbem_rules.harvester.planet import Ints

NOBODY = -1


def tops(rulers: Ints) -> Ints:
    """Who is at the top of each player's chain; the player himself if he is free."""
    top = np.where(rulers == NOBODY, np.arange(len(rulers)), rulers)
    while True:
        higher = top[top]
        if np.array_equal(higher, top):
            return top
        top = higher


def above(rulers: Ints, player: int) -> Iterator[int]:
    """The Harvesters above a player, its direct ruler first."""
    while (player := int(rulers[player])) != NOBODY:
        yield player


class Subjects:
    """All players by their ruler, for walks downwards."""

    def __init__(self, rulers: Ints) -> None:
        self._direct: dict[int, list[int]] = {}
        for player in np.flatnonzero(rulers != NOBODY).tolist():
            self._direct.setdefault(int(rulers[player]), []).append(player)

    def below(self, player: int) -> list[int]:
        """All subservients of a player, rulers before those they rule."""
        found = list(self._direct.get(player, ()))
        for subject in found:
            found += self._direct.get(subject, ())
        return found


def points(rulers: Ints, own: Ints) -> Ints:
    """Everyone's points: his own, and those of his direct subservients, who count theirs likewise."""
    total = own.copy()
    subjects = Subjects(rulers)
    for top in np.flatnonzero(rulers == NOBODY).tolist():
        for player in reversed(subjects.below(top)):
            total[rulers[player]] += total[player]
    return total
