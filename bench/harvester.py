"""Harvester with a crowd: how resolving a turn and making all views grow with the players.

    [ERESSEA=.../eressea] python -m bench.harvester [--players 100 1000 10000] [--rounds 3] [--reports 1000]

Each number of players is measured in a process of its own, in the middle of a
game of bots: a turn resolved and every player's view made, in seconds of CPU
(the best of the rounds), and the peak of memory. Beside it stands the growth
exponent between the last two numbers: 1 is linear.

Then, for `--reports` players, the CPU a player needs from the lines of a sheet to
the view: parsing, its share of the resolution, the view itself; and the picture.
What the rest of a report takes shows `bench.reports`.

Last, from the lines to the text of a report, beside Eressea, an engine in C: ERESSEA names
its program, in a folder with its configuration and a script `crowd.lua`, which makes N
factions, gives orders by chance, and prints what orders, turn and two reports each take a
faction: "… per faction 0.8 ms".
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from pbem.ruleset import Dice, Event, Order, SeatName, TurnInput, View, canonical_json
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.state import State

SEED = Dice(b"bench")
WARM_TURNS = 6
"""Turns of bots before anything is measured, so that units are scattered and fight."""

Lines = Mapping[SeatName, list[str]]
T = TypeVar("T")


@dataclass(frozen=True)
class Crowd:
    """The costs of a number of players: seconds of CPU time, megabytes at the peak.

    `uncollected` is a turn with all its views with Python's garbage collector
    disabled: its passes go through all live objects, also those outside the game.
    """

    players: int
    resolve: float
    views: float
    uncollected: float
    setup: float
    megabytes: float

    @property
    def total(self) -> float:
        """The seconds of a turn and all its views."""
        return self.resolve + self.views


@dataclass(frozen=True)
class Night:
    """The CPU time of a turn, in milliseconds a player."""

    parse: float
    resolve: float
    views: float
    picture: float

    @property
    def total(self) -> float:
        """The milliseconds from the lines of a sheet to the view."""
        return self.parse + self.resolve + self.views


def timed(act: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds of CPU time of a call, and its result."""
    start = time.process_time()
    done = act()
    return time.process_time() - start, done


def best(rounds: int, act: Callable[[], Any]) -> float:
    """Return the least seconds of CPU time of some rounds."""
    return min(timed(act)[0] for _ in range(rounds))


def middle(players: int) -> tuple[State, tuple[Event, ...], float]:
    """Return a game of bots after some turns, its last events, and the seconds of CPU time of its set-up."""
    seats = [f"seat{number}" for number in range(1, players + 1)]
    seconds, state = timed(lambda: RULESET.setup({}, seats, SEED))
    events: tuple[Event, ...] = ()
    for _ in range(WARM_TURNS):
        sent, events = TurnInput(orders(state, sheets(state, events))), ()
        state, events = RULESET.resolve(state, sent, SEED.within("turn", state.turn))
        del sent  # as the program has no more than one turn's
    return state, events, seconds


def sheets(state: State, events: Sequence[Event]) -> Lines:
    """Return the lines of the bots."""
    return {
        seat: RULESET.bots["standard"](view, SEED.within("bot", seat, state.turn))
        for seat, view in RULESET.views(state, state.seats, events)
        if view["awaited"]
    }


def orders(state: State, lines: Lines) -> dict[SeatName, tuple[Order, ...]]:
    """Return the orders in the sheets."""
    views = RULESET.views(state, state.seats, ())
    return {seat: RULESET.parse(view, enumerate(lines[seat], 1)).orders for seat, view in views if seat in lines}


def crowd(players: int, rounds: int) -> Crowd:
    """Measure in this process."""
    state, events, seconds = middle(players)
    sent, dice = TurnInput(orders(state, sheets(state, events))), SEED.within("turn", state.turn)
    resolve = best(rounds, lambda: RULESET.resolve(state, sent, dice))
    after, happened = RULESET.resolve(state, sent, dice)
    views = best(rounds, lambda: sum(1 for _ in RULESET.views(after, after.seats, happened)))
    gc.disable()
    uncollected = best(rounds, lambda: RULESET.resolve(state, sent, dice))
    uncollected += best(rounds, lambda: sum(1 for _ in RULESET.views(after, after.seats, happened)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Crowd(players, resolve, views, uncollected, seconds, peak)


def apart(players: int, rounds: int) -> Crowd:
    """Measure in a process of its own, so that its peak of memory belongs to this crowd alone."""
    command = [sys.executable, "-m", "bench.harvester", "--alone", str(players), "--rounds", str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - this very module
    return Crowd(**json.loads(done.stdout))


def night(players: int, rounds: int) -> Night:
    """Measure the cost of each part of a turn for a player."""
    state, events, _ = middle(players)
    written = sheets(state, events)
    mailed = {seat: json.loads(canonical_json(view)) for seat, view in RULESET.views(state, state.seats, events)}
    sent, dice = TurnInput(orders(state, written)), SEED.within("turn", state.turn)
    after, happened = RULESET.resolve(state, sent, dice)
    views = [json.loads(canonical_json(view)) for _, view in RULESET.views(after, after.seats, happened)]

    def each(act: Callable[[View], Any]) -> float:
        return 1000 * best(rounds, lambda: [act(view) for view in views]) / players

    def share(act: Callable[[], Any]) -> float:
        return 1000 * best(rounds, act) / players

    return Night(
        parse=share(lambda: [RULESET.parse(mailed[seat], enumerate(lines, 1)) for seat, lines in written.items()]),
        resolve=share(lambda: RULESET.resolve(state, sent, dice)),
        views=share(lambda: sum(1 for _ in RULESET.views(after, after.seats, happened))),
        picture=each(RULESET.pictures),
    )


def table(crowds: Sequence[Crowd]) -> str:
    """Return the table of crowds, with the growth of their costs."""
    lines = ["players  resolve s  views s  together s  (gc off)  set-up s  peak MB"]
    lines += [
        f"{each.players:7}  {each.resolve:9.3f}  {each.views:7.3f}  {each.total:10.3f}  {each.uncollected:8.3f}"
        f"  {each.setup:8.2f}  {each.megabytes:7.0f}"
        for each in crowds
    ]
    if len(crowds) > 1:
        small, large = crowds[-2:]
        more = math.log(large.players / small.players)
        growth = math.log(large.total / small.total) / more
        uncollected = math.log(large.uncollected / small.uncollected) / more
        spread = f"from {small.players} to {large.players} players"
        lines.append(f"growth exponent {spread}: {growth:.2f} (gc off: {uncollected:.2f})")
    return "\n".join(lines)


def text(players: int, rounds: int) -> float:
    """Return the milliseconds of CPU time that the text of a report takes, with all that the game makes for it."""
    # Imported here: the peak of the crowds is not to have the renderer in it.
    from bench.parts.reported import costs, played

    reports = played(RULESET, [f"seat{number}" for number in range(1, players + 1)], WARM_TURNS)
    each = costs(RULESET, reports, rounds)
    return each.became + each.brief + each.map + each.form + each.worded + each.text


def peer(players: int) -> float | None:
    """Return the milliseconds of CPU time that Eressea takes a faction, in its best turn; None if it is not named."""
    program = os.environ.get("ERESSEA")
    if not program:
        return None
    done = subprocess.run(  # noqa: S603 - the program that the caller names
        [program, "-v0", "crowd.lua"],
        cwd=Path(program).parent,
        env={**os.environ, "N": str(players)},
        capture_output=True,
        text=True,
        check=True,
    )
    return min(float(cost) for cost in re.findall(r"per faction ([0-9.]+) ms", done.stdout))


def main() -> None:
    """Print the measurements."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--players", type=int, nargs="+", default=[100, 1_000, 10_000])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--reports", type=int, default=1_000)
    options.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.alone:
        sys.stdout.write(json.dumps(asdict(crowd(chosen.alone, chosen.rounds))))
        return
    sys.stdout.write(table([apart(players, chosen.rounds) for players in chosen.players]) + "\n\n")
    measured = night(chosen.reports, chosen.rounds)
    parts = "  ".join(f"{name} {cost:.3f}" for name, cost in asdict(measured).items())
    sys.stdout.write(f"{chosen.reports} players, ms CPU a player: {parts}\n")
    sys.stdout.write(f"parse + resolve + views: {measured.total:.2f} ms a player\n")
    whole = measured.total + text(chosen.reports, chosen.rounds)
    theirs = peer(chosen.reports)
    beside = f"{theirs:.2f} ms a faction: {whole / theirs:.1f} x" if theirs else "missing (ERESSEA names no program)"
    sys.stdout.write(f"with the text of a report: {whole:.2f} ms a player; Eressea {beside}\n")


if __name__ == "__main__":
    main()
