"""Ways through the trap for a bot: how far a ship gets toward a goal in one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pbem_rules.common import hexes
from pbem_rules.singularity_trap.bots.knowledge import Craft
from pbem_rules.singularity_trap.orders import JUMP
from pbem_rules.singularity_trap.space import VECTORS, Space, StarMap, distance, plus


@dataclass(frozen=True, slots=True)
class Route:
    """A move as the words after MOVE and the ships, and where it ends."""

    words: str
    end: Space


def route(board: StarMap, craft: Craft, goal: Space, exits: Mapping[Space, Space] | None = None) -> Route | None:
    """Return the move that brings a ship nearest to a goal; None if it cannot come nearer.

    `exits` are the jumps it may use: only from where it is, so that it never jumps into the unknown.
    """
    ways = [_way(board, craft.space, goal, slip=craft.drive if craft.slips else 0, warps=craft.drive)]
    end = (exits or {}).get(craft.space)
    if craft.jumps and end is not None:
        beyond = _way(board, end, goal, slip=0, warps=craft.drive - 1)
        ways.append(Route(f"{JUMP} {beyond.words}".strip(), beyond.end))
    best = min(ways, key=lambda way: _apart(board, way.end, goal))
    return best if _apart(board, best.end, goal) < _apart(board, craft.space, goal) else None


def _way(board: StarMap, start: Space, goal: Space, *, slip: int, warps: int) -> Route:
    """Return a slip of at most `slip` spaces, then at most `warps` warps."""
    space, words = _best_slip(board, start, goal, slip) if slip else (start, [])
    for _ in range(warps):
        step = min(VECTORS, key=lambda vector: (_apart(board, plus(space, VECTORS[vector]), goal), vector))
        if _apart(board, plus(space, VECTORS[step]), goal) >= _apart(board, space, goal):
            break
        space = plus(space, VECTORS[step])
        words.append(step)
    return Route(" ".join(words), space)


def _best_slip(board: StarMap, start: Space, goal: Space, reach: int) -> tuple[Space, list[str]]:
    best, words = start, list[str]()
    for vector, offset in VECTORS.items():
        for count in range(1, reach + 1):
            end = plus(start, offset, count)
            if _apart(board, end, goal) < _apart(board, best, goal):
                best, words = end, ["SLIP", vector, str(count)]
    return best, words


def _apart(board: StarMap, a: Space, goal: Space) -> tuple[bool, int, int]:
    """Return how far a space is from the goal: in moves, then in the sum of both ways; off the board is worst."""
    return not board.has(a), distance(a, goal), hexes.distance(a[:2], goal[:2]) + abs(a[2] - goal[2])
