"""Random playouts of Singularity a second: the ruleset's own board, and beside it one judged afresh each move.

    python -m bench.playouts [--size 6] [--seconds 1] [--rounds 5]

Both play the same games, move by move to the end, and must agree on every one.
CPU time; the median of the rounds, which take turns.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pbem_rules.singularity.board import NOBODY, Board
from pbem_rules.singularity.field import LARGEST, SMALLEST, USUAL, Grid, field_of

SEED = 2024
SLOW_GAMES = 20
"""Games that are also judged afresh each move, which is slow: enough to compare."""

Outcome = tuple[int, int]
"""The winner (NOBODY: a draw) and the number of stones."""


@dataclass(frozen=True)
class Rate:
    """Moves a second of one way to play."""

    name: str
    moves_per_second: float


def grown(field: Grid, order: Sequence[int]) -> Outcome:
    """Play a game on the board that is updated stone by stone."""
    place, colour = Board(field).place, 0
    for number, cell in enumerate(order, 1):
        if place(colour, cell):
            return colour, number
        colour = 1 - colour
    return NOBODY, len(order)


def recomputed(field: Grid, order: Sequence[int]) -> Outcome:
    """Play a game with all groups of the mover computed again after each stone."""
    stones: tuple[set[int], set[int]] = (set(), set())
    for number, cell in enumerate(order):
        mine = stones[number % 2]
        mine.add(cell)
        if any(map(field.wins, _rims(field, mine))):
            return number % 2, number + 1
    return NOBODY, len(order)


def _rims(field: Grid, stones: set[int]) -> list[int]:
    """Return the rim mask of each group of stones."""
    rims, left = [], set(stones)
    while left:
        rim, reached = 0, [left.pop()]
        while reached:
            cell = reached.pop()
            rim |= field.rim[cell]
            for side in field.near[cell]:
                if side in left:
                    left.remove(side)
                    reached.append(side)
        rims.append(rim)
    return rims


def orders(field: Grid, rnd: random.Random, count: int) -> list[list[int]]:
    """Return random orders in which to fill the board; drawing them is part of a playout."""
    free = Board(field).free()
    return [sorted(free, key=lambda _: rnd.random()) for _ in range(count)]


def measure(field: Grid, play: Callable[[Grid, Sequence[int]], Outcome], games: int) -> tuple[float, list[Outcome]]:
    """Return the moves a second over some games, and their outcomes."""
    start = time.process_time()
    outcomes = [play(field, order) for order in orders(field, random.Random(SEED), games)]  # noqa: S311 - games, not secrets
    spent = time.process_time() - start
    return sum(moves for _, moves in outcomes) / spent, outcomes


def compare(field: Grid, seconds: float, rounds: int) -> tuple[list[Rate], list[Outcome]]:
    """Measure both ways by turns, about `seconds` of the fast one a round; raise AssertionError if they disagree."""
    rate, sample = measure(field, grown, SLOW_GAMES)
    games = max(SLOW_GAMES, int(seconds * rate * SLOW_GAMES / sum(moves for _, moves in sample)))
    fast, slow, outcomes = [], [], sample
    for _ in range(rounds):
        rate, outcomes = measure(field, grown, games)
        fast.append(rate)
        rate, judged = measure(field, recomputed, SLOW_GAMES)
        slow.append(rate)
        assert judged == outcomes[:SLOW_GAMES], "the two ways to judge a board disagree"
    rates = [Rate("the ruleset's board", statistics.median(fast)), Rate("judged afresh", statistics.median(slow))]
    return rates, outcomes


def main() -> None:
    """Print both rates, their ratio, and the outcomes of the games."""
    parser = argparse.ArgumentParser(description="Random playouts of Singularity a second.")
    parser.add_argument("--size", type=int, default=USUAL, choices=range(SMALLEST, LARGEST + 1), metavar="N")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time a round")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    field = field_of(asked.size)
    rates, outcomes = compare(field, asked.seconds, asked.rounds)
    print(f"Singularity, size {asked.size} ({len(field.axial)} cells), random playouts, one core")
    for rate in rates:
        print(f"  {rate.name:<20} {rate.moves_per_second:>12,.0f} moves/s")
    print(f"  {'ratio':<20} {rates[0].moves_per_second / rates[1].moves_per_second:>12.1f}")
    wins = [sum(winner == colour for winner, _ in outcomes) for colour in (0, 1, NOBODY)]
    mean = statistics.mean(moves for _, moves in outcomes)
    print(f"  {len(outcomes):,} games of {mean:.1f} moves: red {wins[0]:,}, blue {wins[1]:,}, drawn {wins[2]:,}")


if __name__ == "__main__":
    main()
