"""Plays campaigns through the house with sheets good, bad and mad, and proves every archive.

`main` prints the hash of each state, so that a test can compare processes.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import select

from pbem.actions.base import Scene, do
from pbem.actions.create import NewCampaign, create
from pbem.actions.deadlines import release
from pbem.actions.ruling import TakeRuling
from pbem.actions.start import Start
from pbem.app import House, open_house
from pbem.campaign.archive_sync import prove
from pbem.campaign.snapshot import load_campaign, load_last_reports
from pbem.config import load_settings, write_default_settings
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.testing.play import named, usual_seats
from pbem.ruleset.testing.sheets import HOSTILE
from pbem.ruleset.testing.tables import default_options
from pbem.ruleset.values import Seat, View
from pbem.scheduler.tick import Ticked, run_now, tick
from pbem.store.migrate import migrate
from pbem.store.models import InboxMessage, Turn
from pbem.store.types import LetterState, Phase

TURNS_A_CAMPAIGN = 25
START = dt.datetime(2026, 11, 2, 9, tzinfo=dt.UTC)
PACE = dt.timedelta(hours=12)


def soak(ruleset: AnyRuleset, turns: int, folder: Path) -> Iterator[str]:
    """Plays at least so many turns, in as many campaigns as that takes; yields the hash of every state."""
    path = write_default_settings(folder, "orders@example.org")
    path.write_text(path.read_text().replace("pictures = true", "pictures = false"))
    migrate(load_settings(folder).database)
    with open_house(folder, {ruleset.key: ruleset}) as house:
        played = 0
        for number in itertools.count():
            hashes = _campaign(house, ruleset, f"soak{number}")
            yield from hashes
            played += len(hashes) - 1
            if played >= turns:
                return


def _campaign(house: House, ruleset: AnyRuleset, name: str) -> list[str]:
    """One campaign, to its end or its last turn here; its archive is proved, and no letter was set aside."""
    dice, now = Dice(name.encode()), START
    seats = usual_seats(ruleset)
    wanted = NewCampaign(
        name=name,
        game=ruleset.key,
        gm="gm@example.org",
        seats=[(seat, f"{seat}@example.org") for seat in seats],
        deadline="EVERY 12h",
        options={option: str(value) for option, value in default_options(ruleset).items() if value is not None},
        policy={"accept": "address"},
    )
    create(house, wanted, now, seed=dice.seed)
    do(house, name, Start(), now)
    for turn in range(TURNS_A_CAMPAIGN):
        for seat, view in _views(house, name):
            _write(house, ruleset, name, seat, view, dice.scoped(turn, seat))
        assert not tick(house, now).problems
        now += PACE
        done = tick(house, now)
        assert not done.problems
        if done.held:
            assert not run_now(house, name, now).problems
        if done.awaiting:
            assert not _rule(house, name, now, dice.scoped(turn, "gm")).problems
        if _is_over(house, name):
            break
    prove(house, name)
    with house.store.reading() as session:
        assert not session.scalars(select(InboxMessage.note).where(InboxMessage.state == LetterState.QUARANTINED)).all()
        snapshot = load_campaign(session, name)
        hashes = select(Turn.state_hash).where(Turn.campaign_id == snapshot.id).order_by(Turn.number)
        return list(session.scalars(hashes))


def _rule(house: House, name: str, now: dt.datetime, dice: Dice) -> Ticked:
    """The GM writes something, however mad, to everyone; if that cannot be read, he lets the turn pass without."""
    with house.store.reading() as session:
        snapshot = load_campaign(session, name)
    names = ["all.txt", *(f"{seat}.txt" for seat in snapshot.seats)]
    files = {file: "\n".join(dice.pick(list(HOSTILE.values()), file)) for file in names}
    games = ["", f"SCORE {snapshot.seats[0]} 5\nLABEL The storm", "OVER", "LABEL \x00\x1b", "SCORE ½"]
    kept = do(house, name, TakeRuling({**files, "game.txt": dice.pick(games, "game")}), now).kept
    with house.store.writing() as session:
        release(Scene(session, house, snapshot, now))
    return tick(house, now) if kept else run_now(house, name, now)


def _is_over(house: House, name: str) -> bool:
    with house.store.reading() as session:
        return load_campaign(session, name).status == Phase.OVER


def _views(house: House, name: str) -> list[tuple[Seat, View]]:
    """What each player was mailed last."""
    with house.store.reading() as session:
        reports = load_last_reports(session, load_campaign(session, name))
    return [(seat, json.loads(report.view)) for seat, report in reports.items()]


def _write(house: House, ruleset: AnyRuleset, name: str, seat: Seat, view: View, dice: Dice) -> None:
    """Puts what a player sends in the inbox: often a sheet, sometimes two, sometimes nothing or no mail at all."""
    for count in range(dice.below(3, "mails")):
        luck = dice.scoped(count)
        lines = [ruleset.orders.invent(view, luck, "line", line) for line in range(luck.below(8, "lines"))]
        if luck.chance(2, 3, "bot"):
            lines[2:2] = ruleset.bots["standard"](view, luck)
        if luck.chance(1, 3, "garbage"):
            lines += luck.pick(list(HOSTILE.values()), "which")
        head = f"From: {seat}@example.org\nSubject: {name}\nContent-Type: text/plain; charset=utf-8\n\n"
        sheet = "\n".join([f"ORDERS {name} {seat}", *lines, "END"])
        raw = (head + sheet).encode(errors="replace")
        if luck.chance(1, 10, "torn"):
            raw = raw[luck.below(len(raw), "from") :]
        inbox = house.settings.home / "post" / "inbox"
        inbox.mkdir(parents=True, exist_ok=True)
        (inbox / f"{name}-{seat}-{count}.eml").write_bytes(raw)


def main() -> None:
    """Soaks one game: its class, the turns, and the folder to play in."""
    game, turns, folder = sys.argv[1:]
    for state_hash in soak(named(game), int(turns), Path(folder)):
        sys.stdout.write(f"{state_hash}\n")
