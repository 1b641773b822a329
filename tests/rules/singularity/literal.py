"""The rules taken word by word, slowly, sharing nothing with the ruleset but cell names, for comparison with it."""

from __future__ import annotations

import functools
import itertools
import string
from collections.abc import Iterable, Iterator

Cells = frozenset[str]


@functools.lru_cache
def neighbours(size: int) -> dict[str, Cells]:
    """Return every cell of a board with the cells that touch it, drawn column by column."""
    columns = [range(max(1, size - at), min(2 * size - 1, 3 * size - 2 - at) + 1) for at in range(2 * size - 1)]
    spots = {(at, number) for at, column in enumerate(columns) for number in column}
    sides = ((0, 1), (0, -1), (1, 0), (1, -1), (-1, 0), (-1, 1))
    return {
        _name(at, number): frozenset(
            _name(at + right, number + down) for right, down in sides if (at + right, number + down) in spots
        )
        for at, number in spots
    }


def _name(at: int, number: int) -> str:
    return f"{string.ascii_lowercase[at]}{number}"


@functools.lru_cache
def perimeter(size: int) -> tuple[str, ...]:
    """Return the cells with fewer than six neighbours, walked around from the black stone."""
    touching = neighbours(size)
    edge = {cell for cell, sides in touching.items() if len(sides) < 6}
    walk = [_name(size - 1, 1)]
    while len(walk) < len(edge):
        walk.append(min(cell for cell in touching[walk[-1]] & edge if cell not in walk))
    return tuple(walk)


def groups(size: int, stones: Iterable[str]) -> Iterator[Cells]:
    """Yield the connected sets of some stones."""
    left = set(stones)
    while left:
        group = {left.pop()}
        while more := {cell for cell in left if neighbours(size)[cell] & group}:
            group |= more
            left -= more
        yield frozenset(group)


def between(size: int, one: str, other: str) -> tuple[Cells, Cells]:
    """Return the two paths of perimeter cells between two perimeter cells, without these."""
    walk = perimeter(size)
    first, last = sorted((walk.index(one), walk.index(other)))
    return frozenset(walk[first + 1 : last]), frozenset(walk[last + 1 :] + walk[:first])


def surrounds(size: int, group: Cells) -> bool:
    """Return True if a path of half the perimeter's length between two perimeter stones holds the black stone."""
    walk = perimeter(size)
    return any(
        walk[0] in path and 2 * len(path) == len(walk)
        for one, other in itertools.combinations([cell for cell in walk if cell in group], 2)
        for path in between(size, one, other)
    )


def forms_y(size: int, group: Cells) -> bool:
    """Return True if perimeter stones and the shortest perimeter paths that join them are the entire perimeter."""
    walk = perimeter(size)
    covered = stones = group & set(walk)
    for one, other in itertools.combinations(sorted(stones), 2):
        paths = between(size, one, other)
        shortest = min(map(len, paths))
        covered |= frozenset().union(*(path for path in paths if len(path) == shortest))
    return len(stones) >= 2 and covered == set(walk)


def has_won(size: int, stones: Iterable[str]) -> bool:
    """Return True if any group of these stones meets a condition."""
    return any(surrounds(size, group) or forms_y(size, group) for group in groups(size, stones))
