"""One campaign with a crowd: a night's processor time and memory, as its seats become ten times as many.

    python -m bench.crowd [--seats 1000 10000]

For each number of seats a campaign of Harvester is begun, and then a night: an
order mail of every seat lies in the local post folder, is polled and answered,
the turn is run and archived, and everything goes out to the folder. Start and
night are processes of their own, each with its peak of memory, and make all
reports themselves (see `bench.cores`); SQLite, no pictures. The sheets are those of players who all move one unit.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.app import App, init_home, open_app
from pbem.config_values import FILE_NAME
from pbem.mail.maildir import MaildirTransport
from pbem.scheduler.tick import tick
from pbem_rules.harvester import RULESET

NAME, ORDERS = "crowd", "orders@example.org"
MONDAY = dt.datetime(2027, 1, 4, 9, 0, tzinfo=dt.UTC)
WEEK = dt.timedelta(days=7)

MEMORY_AIM, CPU_AIM = 2.0, 1.15
"""The peak and the processor time of a seat, as multiples of those with a tenth of the seats."""


@dataclass(frozen=True)
class Measured:
    """Milliseconds of processor time a seat, and megabytes at the peak, of a part of the work."""

    cpu: float
    peak: float


def start(app: App, seats: int) -> None:
    """Create and start the campaign, and send the mails of that."""
    wanted = NewCampaign(
        name=NAME,
        game=RULESET.key,
        gm="gm@example.org",
        seats=[(f"seat{number}", address(number)) for number in range(1, seats + 1)],
        deadline="EVERY 7d",
        options={},
        policy={"authentication": "address"},
    )
    create_campaign(app, wanted, MONDAY, seed=b"a seed for a crowd")
    run_action(app, NAME, StartCampaign(), MONDAY)
    tick(app, MONDAY)


def night(app: App, seats: int) -> None:
    """Answer all order mails and run the turn; raise RuntimeError if any of it was left undone."""
    done = tick(app, MONDAY + WEEK)
    if (done.processed.sheets, len(done.resolved), done.sent.sent) != (seats, 1, 2 * seats):
        raise RuntimeError(f"a night for {seats} seats did something else: {done}")


WORK = {"start": start, "night": night}


def address(number: int) -> str:
    """Return the mail address of a seat's player."""
    return f"player{number}@example.org"


def write(app: App, seats: int) -> None:
    """Put the order mails of all seats into the local mail folder."""
    inbox = MaildirTransport(app.settings.home / app.settings.inbox_url.path)
    for number in range(1, seats + 1):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = address(number), ORDERS, "orders"
        mail["Message-ID"] = f"<{number}@example.org>"
        mail.set_content(f"ORDERS {NAME} seat{number}\nMOVE C1 E\nEND")
        inbox.send(ORDERS, bytes(mail))


def measured(work: str, seats: int, home: Path) -> Measured:
    """Do a part of the work in a process of its own."""
    command = [sys.executable, "-m", "bench.crowd", "--work", work, "--seats", str(seats), "--home", str(home)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this module
    return Measured(**json.loads(done.stdout))


def work_on(work: str, seats: int, home: Path) -> Measured:
    """Do a part of the work in this process."""
    with open_app(home, {RULESET.key: RULESET}) as app:
        began = time.process_time()
        WORK[work](app, seats)
        took = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(1000 * took / seats, peak)


def crowd(seats: int) -> dict[str, Measured]:
    """Measure start and night of a campaign."""
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        (home / FILE_NAME).write_text(f'address = "{ORDERS}"\npictures = false\njobs = 1\n')
        init_home(home, ORDERS)
        begun = measured("start", seats, home)
        with open_app(home, {RULESET.key: RULESET}) as app:
            write(app, seats)
        return {"start": begun, "night": measured("night", seats, home)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seats", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--work", choices=WORK, help=argparse.SUPPRESS)
    parser.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        print(json.dumps(asdict(work_on(given.work, given.seats[0], given.home))))
        return
    print("One campaign of Harvester, local folders, SQLite, no pictures\n")
    print(f"{'seats':>8}  {'start ms/seat':>14}  {'MB':>6}  {'night ms/seat':>14}  {'MB':>6}")
    rows = []
    for seats in given.seats:
        rows.append(crowd(seats))
        begun, ran = rows[-1]["start"], rows[-1]["night"]
        print(f"{seats:>8}  {begun.cpu:>14.2f}  {begun.peak:>6.0f}  {ran.cpu:>14.2f}  {ran.peak:>6.0f}", flush=True)
    if len(rows) > 1:
        first, last = rows[0]["night"], rows[-1]["night"]
        print(
            f"\nnight, last beside first: memory x {last.peak / first.peak:.2f} (aim {MEMORY_AIM}), "
            f"processor time a seat x {last.cpu / first.cpu:.2f} (aim {CPU_AIM})"
        )


if __name__ == "__main__":
    main()
