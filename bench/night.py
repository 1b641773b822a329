"""The night of a turn, beside the bare floor of the same mails.

    python -m bench.night [--game KEY] [--seats 6 60 600] [--turns 4] [--rounds 3] [--connections 1]

Bots play campaigns of up to six seats to the middle of a game. Then, night
after night, all their order mails are in a mailbox and every campaign is due.
The night polls the mailbox, answers each sheet with a receipt, resolves the
turns, renders and archives the reports, and sends everything. The floor fetches
and moves the very same order mails with imapclient, in batches, and sends the
very same receipts and reports with smtplib over one persistent connection.

Both talk to the same Dovecot and Postfix, started for the occasion on loopback,
with TLS, and both begin with new connections. SQLite; all mails are counted;
medians of the rounds.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import func, select

from bench.parts import mails
from bench.parts.clock import Stages, medians
from bench.parts.club import Club
from pbem.actions.run_turn import run_turn
from pbem.app import App
from pbem.campaign.archive_sync import archive_pending
from pbem.campaign.deadlines import due_turns, open_turns
from pbem.games import installed_games
from pbem.inbox.process import process_messages
from pbem.mail.delivery import deliver_due
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.mail.transport import open_transport
from pbem.scheduler.reminders import send_reminders
from pbem.store.models import Campaign, Report, Turn
from tests.servers.mail import MailServer, running_mail

HOUSE, PLAYER = "orders", "ann"
"""The accounts of the application and, by plus-addresses, of all players."""

PASSWORD = "PBEM_BENCH_PASSWORD"  # noqa: S105 - the name of an environment variable

WITH_PICTURES = 60
"""Seats up to which there is another row with pictures, which take longer than all the rest."""

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of a random name is made in it
"""The mail folder of the servers, if it exists: thousands of mails would slow down the disk of the application."""

STAGES = ("poll", "answer", "turns", "send")
FLOOR = ("fetch", "send")


@dataclass(frozen=True)
class Night:
    """One night: the number of mails received and sent, the bytes sent, its time, and the time of its floor."""

    came: int
    sent: int
    size: int
    stages: Stages
    floor: Stages


class Miscount(Exception):
    """Raised when a night or a floor has not done all of its work, so that its time means nothing."""


def measure(server: MailServer, club: Club, *, pictures: bool = False, connections: int = 1) -> Night:
    """Measure another night of a club, and its floor; raise Miscount."""
    sheets = club.sheets()
    for account in (HOUSE, PLAYER):
        mails.clear(server, account)
    server.append(HOUSE, sheets)
    with club.open(**_settings(server, pictures=pictures, connections=connections)) as app:
        stages = _night(app, club, len(sheets))
        sent = club.read(app)
        _check("receipts and reports", len(sent), len(sheets) + _reports(app, club))
    _check("mails accepted", sum(mail.reply.startswith("250 ") for mail in sent), len(sent))
    _check("mails delivered", mails.delivered(server, PLAYER, at_least=len(sent)), len(sent))
    floor = _floor(server, len(sheets), [(mail.recipient, mail.raw) for mail in sent])
    return Night(len(sheets), len(sent), sum(len(mail.raw) for mail in sent), stages, floor)


def _settings(server: MailServer, *, pictures: bool, connections: int) -> dict[str, str]:
    os.environ[PASSWORD] = server.password(HOUSE)
    return {
        "inbox": f'"{server.inbox(HOUSE)}"',
        "carrier": f'"{server.carrier(HOUSE)}"',
        "inbox_password": f'{{ env = "{PASSWORD}" }}',
        "carrier_password": f'{{ env = "{PASSWORD}" }}',
        "tls_ca": f'"{server.ca_file}"',
        "pictures": str(pictures).lower(),
        "connections": str(connections),
    }


def _night(app: App, club: Club, sheets: int) -> Stages:
    """Do the work of a tick, stage by stage."""
    stages, now, running = Stages(), club.now, _running(app)
    with stages.timed("poll"), closing(open_mailbox(app.settings)) as mailbox:
        polled = fetch_messages(app.store, mailbox, now)
    with stages.timed("answer"):
        answered = process_messages(app, now)
    with stages.timed("turns"):
        ran = run_turns(app, now)
    with stages.timed("send"), closing(open_transport(app.settings)) as carrier:
        deliver_due(app.store, carrier, now, connections=app.settings.connections)
    _check("letters polled", polled, sheets)
    _check("sheets taken", answered.sheets, sheets)
    _check("turns resolved", ran, running)
    return stages


def run_turns(app: App, now: dt.datetime) -> int:
    """Run all turns that are due, and archive them; return their number."""
    waiting = open_turns(app)
    send_reminders(app, waiting, now)
    ran = [run_turn(app, turn.campaign, now, reason=turn.reason, number=turn.turn) for turn in due_turns(waiting, now)]
    archive_pending(app, now)
    app.reporter.close()  # the processor time of its workers counts once they have ended
    return sum(each is not None for each in ran)


def _running(app: App) -> int:
    with app.store.reading() as session:
        return session.scalar(select(func.count()).where(Campaign.status == "running")) or 0


def _reports(app: App, club: Club) -> int:
    """Return the number of reports that this night has made."""
    made = select(func.count(Report.id)).join(Turn, Turn.id == Report.turn_id).where(Turn.opened_at == club.now)
    with app.store.reading() as session:
        return session.scalar(made) or 0


def _floor(server: MailServer, sheets: int, sent: Sequence[tuple[str, bytes]]) -> Stages:
    """Fetch and send the same mails, without any processing."""
    mails.put_back(server, HOUSE)
    stages = Stages()
    with stages.timed("fetch"):
        fetched = mails.fetch(server, HOUSE)
    with stages.timed("send"):
        accepted = mails.send(server, HOUSE, sent)
    _check("mails fetched for the floor", fetched, sheets)
    _check("mails accepted from the floor", accepted, len(sent))
    mails.delivered(server, PLAYER, at_least=2 * len(sent))
    return stages


def _check(what: str, found: int, expected: int) -> None:
    if not expected:
        raise Miscount(f"no {what}: the games are over; play fewer turns beforehand")
    if found != expected:
        raise Miscount(f"{what}: {found} instead of {expected}")


HEADING = """\
                                      night, ms a seat                        floor, ms a seat     night
seats pictures      in  out   kB       poll  answer   turns    send     all    fetch    send     all  / floor"""


def rows(seats: int, nights: Sequence[Night], *, pictures: bool) -> Iterator[str]:
    """Yield the two rows of the same nights: wall-clock time, and processor time of the application alone."""
    night, last = medians([night.stages for night in nights]), nights[-1]
    floor = medians([night.floor for night in nights])
    mailed = f"{last.came / seats:5.2f} {last.sent / seats:4.2f} {last.size / seats / 1000:4.0f}"
    for kind, start in (("wall", f"{seats:5} {'yes' if pictures else 'no':<8}"), ("cpu", " " * 14)):
        spent = [getattr(night.spent[stage], kind) for stage in STAGES] + [getattr(night.whole, kind)]
        bare = [getattr(floor.spent[stage], kind) for stage in FLOOR] + [getattr(floor.whole, kind)]
        times = "  ".join("".join(f"{1000 * time / seats:8.2f}" for time in times) for times in (spent, bare))
        yield f"{start} {mailed} {kind:<4}{times} {spent[-1] / bare[-1]:8.2f}"
        mailed = " " * len(mailed)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The night of a turn, beside the bare floor of the same mails.")
    parser.add_argument("--game", choices=list(installed_games()), default="singularity_trap")
    parser.add_argument("--seats", type=int, nargs="+", default=[6, 60, 600], metavar="N")
    parser.add_argument("--turns", type=int, default=4, help="turns played beforehand")
    parser.add_argument("--rounds", type=int, default=3, help="nights measured")
    parser.add_argument("--connections", type=int, default=1, help="SMTP connections of the night; the floor has one")
    asked = parser.parse_args()
    ruleset = installed_games()[asked.game]
    print(f"{ruleset.title}: the night after turn {asked.turns}, beside its mails alone\n\n{HEADING}", flush=True)
    memory = MEMORY if MEMORY.is_dir() else None
    with TemporaryDirectory(dir=memory) as folder, TemporaryDirectory() as home, running_mail(Path(folder)) as server:
        for wanted in asked.seats:
            club = Club(Path(home, str(wanted)), ruleset, wanted, server.address(HOUSE), server.address(PLAYER))
            painted = (False, True) if wanted <= WITH_PICTURES else (False,)
            club.play(asked.turns, pictures=str(any(painted)).lower())  # so that there are backgrounds
            for pictures in painted:
                how = {"pictures": pictures, "connections": asked.connections}
                nights = [measure(server, club, **how) for _ in range(asked.rounds)]
                print(*rows(len(club.players), nights, pictures=pictures), sep="\n", flush=True)


if __name__ == "__main__":
    main()
