"""The cost of a report, part by part, in each game.

    python -m bench.reports [--game KEY ...] [--turns 6] [--rounds 5] [--crowd 120]

Bots play some turns of each game: six seats, or as many as it takes, and a crowd
where it takes hundreds. Then the reports of all seats on the last turn are made
of their views as JSON data, without pictures. Milliseconds of processor time a
report; each part by itself, the best of the rounds.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields

from bench.parts.reported import Costs, costs, played
from pbem.bots.match import seat_names
from pbem.games import installed_games
from pbem.ruleset import AnyRuleset

USUAL_TABLE = 6
CROWDED = 100
"""Seats above which a game is measured with a crowd."""


def seats_of(ruleset: AnyRuleset, crowd: int) -> list[str]:
    """Return the seats to be measured."""
    most = ruleset.seats.most
    return seat_names(ruleset, min(most, crowd if most > CROWDED else USUAL_TABLE))


def main() -> None:
    """Print a line for each game."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    games = installed_games()
    options.add_argument("--game", nargs="+", choices=list(games), default=list(games))
    options.add_argument("--turns", type=int, default=6)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--crowd", type=int, default=120, help="seats of a game that takes hundreds")
    chosen = options.parse_args()
    print(f"{'ms CPU a report':20} seats {' '.join(f'{each.name:>7}' for each in fields(Costs))}")
    for key in chosen.game:
        ruleset = games[key]
        reports = played(ruleset, seats_of(ruleset, chosen.crowd), chosen.turns)
        cost = asdict(costs(ruleset, reports, chosen.rounds))
        print(f"{key:20} {len(reports):5} {' '.join(f'{value:7.2f}' for value in cost.values())}", flush=True)


if __name__ == "__main__":
    main()
