"""Plays a campaign by mail in a fresh home, with bots for players, and tells where to look."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import select

from pbem.actions.base import do, look
from pbem.actions.create import NewCampaign, create
from pbem.actions.deadlines import Release
from pbem.actions.ruling import ShowRulingForm, read_folder, write_folder
from pbem.actions.start import Start
from pbem.app import House, open_house
from pbem.archive.replay import replay
from pbem.campaign.snapshot import load_campaign, load_state, players_allowed
from pbem.config import load_settings, write_default_settings
from pbem.errors import CampaignError, ConfigError
from pbem.games import choose_game
from pbem.log import open_log
from pbem.mail.maildir import MaildirCarrier
from pbem.players import Player
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Standing
from pbem.scheduler.tick import Ticked, run_now, tick
from pbem.site.publish import publish
from pbem.store.migrate import migrate
from pbem.store.models import Campaign, Sheet
from pbem.util import Progress, silent

CAMPAIGN = "demo"
SITE = "site"
RULINGS = "rulings"
MOST_TURNS = 500
USUAL_SEATS = 4
START = dt.datetime(2027, 1, 4, 9, 0, tzinfo=dt.UTC)
"""The demo's clock starts here, so that a demo played again comes out the same."""

_ADDRESS = "orders@example.org"
_SETTLE = dt.timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """What a demo did, and where to look.

    `page` is that of a seat's last report which asked for orders. `proved` are the turns that the replay of the
    archive passed. In `rulings` is what the GM wrote, a folder a turn, if there was one to judge them.
    """

    game: str
    standing: Standing
    turns: int
    sheets: int
    slips: int
    errors: int
    mails: int
    reports: int
    pictures: int
    proved: int
    archive: Path
    rulings: Path | None
    site: Path
    report: Path
    page: Path | None
    picture: Path | None
    receipt: Path | None


def play(
    folder: Path,
    games: Mapping[str, AnyRuleset],
    *,
    game: str,
    seats: int | None = None,
    turns: int = MOST_TURNS,
    seed: str = "demo",
    progress: Progress = silent,
) -> DemoResult:
    """Plays in a folder that has no home yet, to the end of the game or for so many turns.

    Raises ConfigError, CampaignError or RulesetError.
    """
    ruleset = choose_game(games, game)
    names = seat_names(ruleset, seats)
    write_default_settings(folder, _ADDRESS)
    migrate(load_settings(folder).database)
    with open_house(folder, games) as house, open_log(house.settings.log):
        demo = _Demo(house, ruleset, names, hashlib.sha256(seed.encode()).digest())
        demo.begin()
        while demo.turns < turns and demo.play_turn():
            progress("playing turn", demo.turns, turns if turns < MOST_TURNS else 0)
        return demo.result()


def seat_names(ruleset: AnyRuleset, seats: int | None) -> list[str]:
    """So many seats of a game, four where it takes them. Raises ConfigError when it does not take so many."""
    known = ruleset.seats
    number = seats if seats is not None else min(known.most, max(known.least, USUAL_SEATS))
    if not known.least <= number <= known.most:
        raise ConfigError(f"{ruleset.title} is for {players_allowed(known)} players, not {number}")
    if known.names:
        return list(known.names[:number])
    others = [f"player{count}" for count in range(1, number + 1)]
    return [*ruleset.demo.seats[:number], *others[len(ruleset.demo.seats) :]]


class _Demo:
    """One campaign, its players, and the clock."""

    def __init__(self, house: House, ruleset: AnyRuleset, seats: list[str], seed: bytes) -> None:
        self._house, self._ruleset, self._seed = house, ruleset, seed
        self._now = START
        home = house.settings.home
        self._inbox = MaildirCarrier(home / house.settings.inbox_url.path)
        self._sent = home / house.settings.carrier_url.path / "new"
        self._seen = ""
        self._receipt: Path | None = None
        self._mails = 0
        bot = ruleset.demo.bot or ruleset.bots["standard"]
        self._players = [
            Player(seat, f"{seat}@example.org", _ADDRESS, bot, Dice(seed).scoped("players")) for seat in seats
        ]
        self.turns = 0

    def begin(self) -> None:
        """Creates and starts the campaign; its players read their first mail."""
        wanted = NewCampaign(
            name=CAMPAIGN,
            game=self._ruleset.key,
            gm="gm@example.org",
            seats=[(player.seat, player.address) for player in self._players],
            deadline="EVERY 24h",
            options=self._options(),
            policy={"site": "all"},
        )
        create(self._house, wanted, self._now, seed=self._seed)
        do(self._house, CAMPAIGN, Start(), self._now)
        self._tick()
        self._inbox.send(_ADDRESS, self._players[0].ask(CAMPAIGN, "FORMAT PAGE", self._now))

    def _options(self) -> dict[str, str]:
        """The options of the campaign as a GM types them; what is in a file is written into one."""
        wanted, typed = self._ruleset.demo.options, {}
        values = wanted([player.seat for player in self._players]) if wanted else {}
        for option in self._ruleset.options:
            value = values.get(option.name)
            if value is not None and option.kind == "file":
                path = self._house.settings.home / f"{option.name}.json"
                path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
                typed[option.name] = str(path)
            elif value is not None:
                typed[option.name] = str(value)
        return typed

    def play_turn(self) -> bool:
        """Everyone sends, slips are mended, the turn is resolved. False when the game is over."""
        for write in (Player.write, Player.mend):
            for player in self._players:
                raw = write(player, self._now)
                if raw is not None:
                    self._inbox.send(_ADDRESS, raw)
            self._tick()
        self._now += _SETTLE
        self.turns += len(self._tick().resolved)
        return not all(player.view["over"] for player in self._players)

    def result(self) -> DemoResult:
        """Counts what happened, and proves the archive by its replay."""
        settings = self._house.settings
        with self._house.store.reading() as session:
            seed = session.scalars(select(Campaign.seed)).one()
            sheets = session.scalars(select(Sheet.findings)).all()
        proof = replay(settings.archive, CAMPAIGN, ruleset=self._ruleset, seed=seed, head=None)
        folder = settings.archive / CAMPAIGN / f"{self.turns:04d}" / "reports"
        seat = self._players[0].seat
        return DemoResult(
            game=self._ruleset.title,
            standing=self._standing(),
            turns=self.turns,
            sheets=len(sheets),
            slips=sum(player.slips for player in self._players),
            errors=sum(finding["severity"] == "error" for sheet in sheets for finding in sheet),
            mails=self._mails,
            reports=proof.reports,
            pictures=len(list(settings.archive.rglob("*.png"))),
            proved=proof.turns,
            archive=settings.archive / CAMPAIGN,
            rulings=self._rulings if self._rulings.is_dir() else None,
            site=publish(self._house, settings.home / SITE).page,
            report=folder / f"{seat}.html",
            page=self._page(),
            picture=next(
                iter(sorted(folder.glob(f"{seat}.*.png")) or sorted(folder.parent.glob("enclosed/*.png"))), None
            ),
            receipt=self._receipt,
        )

    def _page(self) -> Path | None:
        """The page that the first player was mailed last, beside the campaign's home."""
        player = self._players[0]
        path = self._house.settings.home / f"{player.seat}.html"
        if player.page:
            path.write_bytes(player.page)
        return path if player.page else None

    def _standing(self) -> Standing:
        with self._house.store.reading() as session:
            return self._ruleset.standing(load_state(session, self._ruleset, load_campaign(session, CAMPAIGN)))

    def _tick(self) -> Ticked:
        done = tick(self._house, self._now)
        if done.awaiting:
            done = self._ruled()
        for path in sorted(self._sent.iterdir()):
            if path.name > self._seen:
                self._seen = path.name
                self._mails += 1
                self._hand_out(path)
        return done

    def _ruled(self) -> Ticked:
        """The turn that waits for the GM is run with his ruling; without one, where the game brings no GM."""
        rule = self._ruleset.demo.rule
        if rule is None:
            return run_now(self._house, CAMPAIGN, self._now)
        form = look(self._house, CAMPAIGN, ShowRulingForm(), self._now)
        files, beside = rule(form.turn, form.files)
        folder = self._rulings / str(form.turn)
        write_folder(replace(form, files=files), folder)
        for name, content in beside.items():
            (folder / name).write_text(content, encoding="utf-8")
        taken = do(self._house, CAMPAIGN, read_folder(CAMPAIGN, folder).taken(), self._now)
        if not taken.kept:
            raise CampaignError(f"the ruling of the demo's GM on turn {form.turn} has errors: {dict(taken.findings)}")
        do(self._house, CAMPAIGN, Release(), self._now)
        return tick(self._house, self._now)

    @property
    def _rulings(self) -> Path:
        return self._house.settings.home / RULINGS

    def _hand_out(self, path: Path) -> None:
        """Gives a mail to the player it is for."""
        raw = path.read_bytes()
        to = raw.partition(b"\nTo: ")[2].partition(b"\n")[0].decode()
        for player in self._players:
            if player.address == to:
                player.read(raw)
                if player.mending and b"auto-replied" in raw:
                    self._receipt = path
