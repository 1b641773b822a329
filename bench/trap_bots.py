"""The games that the standard bot of The Singularity Trap wins against players who only rush.

    python -m bench.trap_bots [--games 60]

Duels, with the colours going round, and tables of three to six: at those of three and
five one bot sits among rushers, at those of four and six every other player is one.
The player it is measured by is `tests/rules/singularity_trap/rushing.py`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.chart import COLOURS
from tests.rules.singularity_trap.rushing import duels, rusher, winners

STANDARD = RULESET.bots["standard"]


def table(players: int, games: int) -> Iterator[bool]:
    """Yield, game by game, whether a bot is among the winners; the bots change places."""
    seats = COLOURS[:players]
    for seed in range(games):
        bots = {seats[(seed + place) % players] for place in range(0, 1 if players % 2 else players, 2)}
        won = winners({seat: STANDARD if seat in bots else rusher for seat in seats}, seed)
        yield bool(bots.intersection(won))


def main() -> None:
    """Print games won by table size, and their processor time."""
    parser = argparse.ArgumentParser(description="Games the Trap's standard bot wins against rushers.")
    parser.add_argument("--games", type=int, default=60, help="games at each table")
    games = parser.parse_args().games
    print("The Singularity Trap, games won by standard bots against rushers")
    for players in range(2, len(COLOURS) + 1):
        start = time.process_time()
        won = sum(duels(STANDARD, rusher, games) if players == 2 else table(players, games))
        spent = (time.process_time() - start) / games
        print(f"  {players} players: {won:>3} of {games} ({won / games:.0%}), {spent:.2f} s a game")


if __name__ == "__main__":
    main()
