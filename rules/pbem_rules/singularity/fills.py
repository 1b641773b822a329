"""Boards filled by lot, many at once, for the judgement of a position.

A cell is a whole number of which bit n says whether a colour has it in the board
n, so that one AND or OR is done for all boards.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Sequence

from pbem_rules.singularity.field import Grid


def draw(key: bytes, cells: Iterable[int], boards: int) -> dict[int, int]:
    """Return for each cell by lot the boards in which a colour has it, half of them on the average."""
    size = boards // 8
    return {
        cell: int.from_bytes(hashlib.shake_128(key + cell.to_bytes(4, "big")).digest(size), "big") for cell in cells
    }


def starts(field: Grid) -> range:
    """Return the places of the ring of which a group that wins has one, since the black stone is at place 0."""
    return range(1, field.half + 1)


def wins(field: Grid, owned: Sequence[int], places: Iterable[int]) -> int:
    """Return the boards that a colour has won by the cells it has (ruling 3), by groups at some of the `starts`."""
    ring, half, won = field.ring, field.half, 0
    for place in places:
        reached = _reach(field, owned, ring[place])
        rim = [reached[cell] for cell in ring]
        won |= rim[place + half - 1] | _spread(rim, half)
    return won


def _reach(field: Grid, owned: Sequence[int], start: int) -> list[int]:
    """Return for each cell the boards in which it is connected to the start."""
    reached = [0] * len(owned)
    reached[start] = owned[start]
    waiting, queued = deque([start]), {start}
    while waiting:
        cell = waiting.popleft()
        queued.discard(cell)
        here = reached[cell]
        for side in field.near[cell]:
            there = reached[side] | (here & owned[side])
            if there != reached[side]:
                reached[side] = there
                if side not in queued:
                    queued.add(side)
                    waiting.append(side)
    return reached


def _spread(rim: Sequence[int], half: int) -> int:
    """Return the boards in which every half of the ring has one of the cells."""
    windows, width = [*rim, *rim], 1
    while width < half:
        grow = min(width, half - width)
        windows = [one | other for one, other in zip(windows, [*windows[grow:], *windows[:grow]], strict=True)]
        width += grow
    spread = windows[0]
    for window in windows[: len(rim)]:
        spread &= window
    return spread
