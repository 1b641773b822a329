"""The reports of one large turn, made by one process and by several.

    python -m bench.cores [--jobs 2] [--rounds 3] [--seats 1000] [--drawn 120]

Two batches: Harvester with a crowd, without pictures, whose views are made on
the way, as in the run of a turn; and reports of many tables of The Singularity
Trap, with their charts. Each is made by new reporters
with 1 and with so many processes, by turns, so that other work on the machine
slows both; the seconds are the least of the rounds, by the clock, with all that
it takes to start and to end the processes. Their bytes are compared.
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path

from bench.harvester import middle
from bench.parts.club import USUAL_TABLE
from pbem.games import installed_games
from pbem.report.facts import RenderedReport, ReportFacts
from pbem.report.pool import Job
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset, Dice, Event, SeatName, TurnInput, View, canonical_json
from pbem.testing.play import default_options, mail_view, seat_names, standard
from pbem_rules.harvester import RULESET as HARVESTER

TEMPLATES = Path(__file__).parents[1] / "templates"
TURNS = 8
"""Turns into a game of the Trap at which its reports are taken."""

AIM = 1.6
"""The speed-up that two processes on two processors should reach."""


@dataclass(frozen=True)
class Batch:
    """Reports to be rendered. Their views are computed again in each iteration."""

    name: str
    ruleset: AnyRuleset
    views: Iterable[tuple[SeatName, View]]
    pictures: bool

    def jobs(self) -> Iterator[Job]:
        """Yield the jobs as a campaign submits them."""
        deadline = dt.datetime(2027, 1, 8, 19, tzinfo=dt.UTC)
        for seat, view in self.views:
            facts = ReportFacts(
                campaign="cores",
                seat=seat,
                seats=("red", "cyan"),
                deadline=deadline,
                zone="Europe/Berlin",
                code="abcdefghijklmnop",
                address="orders@example.org",
            )
            yield Job(self.ruleset, canonical_json(view), facts)


class _Crowd:
    """The views of a game of Harvester in its middle."""

    def __init__(self, seats: int) -> None:
        self._state, self._events, _ = middle(seats)

    def __iter__(self) -> Iterator[tuple[SeatName, View]]:
        return iter(HARVESTER.views(self._state, self._state.seats, self._events))


def crowd(seats: int) -> Batch:
    """Return a turn of Harvester."""
    return Batch(f"Harvester, {seats} seats", HARVESTER, _Crowd(seats), pictures=False)


def club(reports: int) -> Batch:
    """Return reports of tables of six at the Trap, each from the middle of its game."""
    ruleset = installed_games()["singularity_trap"]
    views = chain.from_iterable(table(ruleset, number) for number in count())
    return Batch(f"{ruleset.title}, {reports} reports", ruleset, list(islice(views, reports)), pictures=True)


def table(ruleset: AnyRuleset, number: int) -> Iterator[tuple[SeatName, View]]:
    """Yield the views of a turn of a game of bots."""
    dice, seats = Dice(f"table {number}".encode()), seat_names(ruleset, USUAL_TABLE)
    state = ruleset.setup(default_options(ruleset), seats, dice)
    events: tuple[Event, ...] = ()
    last: dict[SeatName, View] = {}
    for turn in range(TURNS):
        last = {seat: mail_view(ruleset, state, seat, events, last=last.get(seat)) for seat in seats}
        lines = {seat: standard(ruleset, view, dice.within(seat, turn)) for seat, view in last.items()}
        orders = {seat: ruleset.parse(last[seat], enumerate(lines[seat], 1)).orders for seat in seats}
        state, events = ruleset.resolve(state, TurnInput(orders), dice.within("turn", turn))
    yield from last.items()


def made(batch: Batch, jobs: int) -> tuple[float, str]:
    """Render a batch; return the seconds of wall-clock time, and the hash of all its files."""
    games: Mapping[str, AnyRuleset] = {batch.ruleset.key: batch.ruleset}
    start = time.perf_counter()
    with Renderer([TEMPLATES], games, pictures=batch.pictures, jobs=jobs) as reporter:
        known = known_by(reporter.reports(batch.jobs()))
    return time.perf_counter() - start, known


def known_by(reports: Iterable[RenderedReport]) -> str:
    """Return the hash of all files of these reports."""
    known = hashlib.sha256()
    for parts in reports:
        for content in parts.files().values():
            known.update(content)
    return known.hexdigest()


def compared(batch: Batch, jobs: int, rounds: int) -> tuple[float, float]:
    """Return the seconds with one process and with several; raise RuntimeError if their reports differ."""
    made(batch, 1)  # templates are compiled by the first
    runs = [(made(batch, 1), made(batch, jobs)) for _ in range(rounds)]
    if len({known for run in runs for _, known in run}) > 1:
        raise RuntimeError(f"{batch.name}: the reports of {jobs} processes are not those of one")
    return min(one for (one, _), _ in runs), min(several for _, (several, _) in runs)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seats", type=int, default=1_000)
    parser.add_argument("--drawn", type=int, default=120)
    given = parser.parse_args()
    print(f"{os.cpu_count()} processors\n\n{'reports':<36} {'1 process':>10} {given.jobs:>6} processes   ratio")
    for batch in (crowd(given.seats), club(given.drawn)):
        one, several = compared(batch, given.jobs, given.rounds)
        print(f"{batch.name:<36} {one:>8.2f} s {several:>14.2f} s {one / several:>7.2f} (aim {AIM})", flush=True)


if __name__ == "__main__":
    main()
