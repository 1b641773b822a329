"""A night's work for one tick, and a process that does it until it is killed.

The work: sheets of every kind wait in the inbox, a turn is past its deadline,
another has just been filled, a third needs reminders, a fourth cannot be
resolved, and a campaign that has just been started has all its mail unsent.
"""

from __future__ import annotations

import datetime as dt
import multiprocessing
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.app import App, open_app
from pbem.campaign.notices import host_mail_key
from pbem.errors import PbemError, describe_error
from pbem.log import open_log
from pbem.ruleset import AnyRuleset, Dice, Event, ParsedSheet, TurnInput, View
from pbem.scheduler.tick import tick
from pbem.store import session as sessions
from tests.faults.trap import Strike, Trap, kill
from tests.patience import PATIENCE
from tests.toy.home import MONDAY
from tests.toy.ruleset import Auction, Table

NIGHT = dt.datetime(2026, 11, 6, 20, 0, tzinfo=dt.UTC)
"""The moment of the night's tick, an hour after the deadline on Friday."""

LATER = dt.timedelta(minutes=20)
"""The time from one tick to the next, in which a claim on a mail expires."""

POISON = "BID 13"
"""The order that cannot be read."""

ENDLESS = 13
"""The number of rounds of a campaign that cannot be resolved."""


class Brittle(Auction):
    """The toy game with a sheet that it cannot parse and a turn that it cannot resolve."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        kept = list(lines)
        if any(line == POISON for _, line in kept):
            raise ZeroDivisionError("the reader tripped")
        return super().parse(view, kept)

    def resolve(self, state: Table, turn: TurnInput, dice: Dice) -> tuple[Table, tuple[Event, ...]]:
        if state.rounds == ENDLESS:
            raise ZeroDivisionError("the resolver tripped")
        return super().resolve(state, turn, dice)


GAMES: dict[str, AnyRuleset] = {"toy": Brittle()}


def letter(number: int, sender: str, text: str, *, domain: str = "example.org", to: str = "orders") -> bytes:
    """Return a mail as it comes from a player; `to` may have a reply code after a plus sign."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = f"{sender}@{domain}", f"{to}@{domain}", "orders"
    message["Message-ID"] = f"<letter{number}@mail.{domain}>"
    message.set_content(text)
    return bytes(message).replace(b"\n", b"\r\n")


def begin(
    app: App,
    name: str,
    now: dt.datetime,
    *,
    domain: str = "example.org",
    deadline: str = "FRI 19:00 UTC",
    **options: str,
) -> None:
    """Create and start a campaign of Ann and Bob."""
    wanted = NewCampaign(
        name=name,
        game="toy",
        gm=f"gm@{domain}",
        seats=[("red", f"ann@{domain}"), ("blue", f"bob@{domain}")],
        deadline=deadline,
        options=options,
        policy={"authentication": "address"},
    )
    create_campaign(app, wanted, now, seed=b"a seed for tests")
    run_action(app, name, StartCampaign(), now)
    with app.store.writing() as session:
        host_mail_key(session)  # now, or each copy of the home would draw another


def whole_night(home: Path) -> list[bytes]:
    """Prepare all of a night's work in a home; return the messages that arrive."""
    with open_app(home, GAMES) as app:
        begin(app, "due", MONDAY)
        begin(app, "full", MONDAY, deadline="SUN 20:00 UTC", rounds="1")
        begin(app, "late", MONDAY, deadline="SAT 19:00 UTC")
        begin(app, "stuck", MONDAY, rounds=str(ENDLESS))
        tick(app, MONDAY)
        begin(app, "fresh", NIGHT - LATER)
    sheets = [
        ("ann", "ORDERS due red\nBID 1\nEND\n"),
        ("ann", "ORDERS due red\nBID 2\nWHISPER blue deal\nEND\n"),
        ("ann", "ORDERS due red\nnonsense\nEND\n"),
        ("ann", "ORDERS full red\nBID 3\nEND\n"),
        ("bob", "ORDERS full blue\nBID 4\nEND\n"),
        ("ann", "ORDERS late red\nBID 5\nEND\n"),
        ("bob", f"ORDERS late blue\n{POISON}\nEND\n"),
        ("eve", "ORDERS due red\nBID 9\nEND\n"),
        ("fay", "How do I join?\n"),
    ]
    return [letter(number, sender, text) for number, (sender, text) in enumerate(sheets)]


def small_night(home: Path, *, domain: str) -> list[bytes]:
    """Prepare one campaign in a home, its first mail unsent and its turn due; return the messages that arrive."""
    with open_app(home, GAMES) as app:
        begin(app, "due", MONDAY, domain=domain)
    sheets = ["ORDERS due red\nBID 1\nEND\n", "ORDERS due red\nBID 2\nEND\n"]
    return [letter(number, "ann", text, domain=domain) for number, text in enumerate(sheets)]


@dataclass(frozen=True)
class Ended:
    """The end of a process: its exit code, which is the negative number of a signal.

    Unless it was killed, with the points it passed, and the error of its tick, if any.
    """

    code: int
    passed: tuple[str, ...] = ()
    said: str = ""


def processes() -> ForkServerContext:
    """Return a context for processes forked from one that has imported everything and runs no threads."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", "tests.faults.warm"])
    return context


Work = Callable[[App, dt.datetime], object]
"""Work of a process in a home; it must be importable by its name in another process."""


def live_tick(app: App, now: dt.datetime) -> None:
    """Run a tick by the clock."""
    tick(app, now, live=True)


def points_of(kind: str, passed: Sequence[str]) -> list[int]:
    """Return the points of a kind, but not those right after a commit: a kill there leaves what it leaves at it."""
    named = enumerate(pairwise(["", *passed]))
    return [at for at, pair in named if re.match(kind, pair[1]) and pair != ("commit: after", "commit: before")]


def tick_in_a_process(
    home: Path, *, at: int | None = None, strike: Strike = kill, now: dt.datetime = NIGHT, work: Work = live_tick
) -> Ended:
    """Run one tick in a home, or other work, with a strike at one of its points or at none."""
    here, there = processes().Pipe(duplex=False)
    process = processes().Process(target=_tick, args=(home, at, strike, now, work, there))
    process.start()
    there.close()
    try:
        passed, said = here.recv()
    except EOFError:
        passed, said = (), ""
    process.join()
    assert process.exitcode is not None
    return Ended(process.exitcode, passed, said)


def _tick(home: Path, at: int | None, strike: Strike, now: dt.datetime, work: Work, told: Connection) -> None:
    sessions.BUSY_SECONDS = 0  # alone in its home, a tick has no other process to wait for
    trap = Trap(home, at, strike)
    trap.set()
    said = ""
    try:
        with open_app(home, GAMES) as app, open_log(app.settings.log):
            work(app, now)
    except (OSError, PbemError) as error:
        said = describe_error(error)
    told.send((tuple(trap.passed), said))


def ticks_at_once(home: Path, count: int) -> list[bool]:
    """Tick a home in so many processes at the same moment; return for each whether it found another at work."""
    barrier, told = processes().Barrier(count), processes().Queue()
    ticking = [processes().Process(target=_tick_with_others, args=(home, barrier, told)) for _ in range(count)]
    for process in ticking:
        process.start()
    busy = [told.get(timeout=PATIENCE) for _ in ticking]
    for process in ticking:
        process.join()
    return busy


def _tick_with_others(home: Path, barrier: Barrier, told: Queue[bool]) -> None:
    with open_app(home, GAMES) as app:
        barrier.wait()
        told.put(tick(app, NIGHT).busy)
