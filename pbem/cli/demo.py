"""The demo command: plays a campaign with bots that read and write mail as players would.

A bot knows only the JSON attached to its reports. Some sheets are sent with a
typing error; a corrected one follows when the receipt has arrived.
"""

from __future__ import annotations

import base64
import datetime as dt
import email
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.message import Message
from pathlib import Path

import click
from sqlalchemy import select

from pbem.actions.base import run_action, run_query
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.deadlines import ReleaseCampaign
from pbem.actions.ruling import ShowRulingForm, read_folder, write_folder
from pbem.actions.start import StartCampaign
from pbem.app import App, open_app
from pbem.archive.replay import replay
from pbem.bots.match import seat_names
from pbem.campaign.snapshot import load_campaign, load_state
from pbem.cli.command import NEW, Call, command
from pbem.cli.options import FOLDER
from pbem.cli.output import progress
from pbem.config import load_settings, write_default_settings
from pbem.errors import CampaignError, GameError, describe_error
from pbem.games import fault_place, find_game
from pbem.log import open_log
from pbem.mail.compose import NewMail, compose
from pbem.mail.headers import message_id
from pbem.mail.maildir import MaildirTransport
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import Bot, Standing, View
from pbem.scheduler.tick import run_campaign_now, tick
from pbem.scheduler.work import TickResult
from pbem.site.publish import publish
from pbem.store.migrate import migrate
from pbem.store.models import Campaign, OrderSheet
from pbem.text import count_noun, wrap
from pbem.util import Progress, no_progress

SLIP_EVERY = 6
"""About one sheet in this many has a typing error."""

_NONSENSE = "and may the best of us win"


@dataclass(slots=True)
class BotPlayer:
    """A seat's bot. `report` is the last one it was mailed, `view` the view in it.

    `page` is the last one that came with a report which asked for orders.
    """

    seat: str
    address: str
    orders_to: str
    bot: Bot
    dice: Dice
    token: str = ""
    report: Message | None = None
    view: View = field(default_factory=dict)
    page: bytes = b""
    written: int = 0
    slips: int = 0
    _right: Sequence[str] = ()

    @property
    def mending(self) -> bool:
        """True if a sheet with a typing error was sent, and the correct one is to follow."""
        return bool(self._right)

    def read(self, raw: bytes) -> None:
        """Read a mail: a welcome for its token, a report for its view; receipts are only counted by the demo."""
        mail = email.message_from_bytes(raw)
        data = _find_json(mail)
        if data is not None:
            self.report, self.view = mail, data["view"]
            if self.view["awaited"]:
                self.page = _find_file(mail, "text/html") or self.page
        elif not self.token:
            self.token = _find_token(mail)

    def ask(self, campaign: str, command: str, now: dt.datetime) -> bytes:
        """Return a mail with a command, framed with the token of the welcome."""
        self.written += 1
        framed = f"PLAYER {campaign} {self.seat} {self.token}\n{command}\nEND"
        return self._compose(self.orders_to, "please", framed, "", now)

    def write(self, now: dt.datetime) -> bytes | None:
        """Return the sheet for the newest report; None if there is nothing to send."""
        if not self.view["awaited"]:
            return None
        lines = self.bot(self.view, self._dice("bot"))
        if lines and self._dice("slip").chance(1, SLIP_EVERY):
            self._right = lines
            lines = self._with_slip(lines)
            self.slips += 1
        return self._mail(lines, now)

    def mend(self, now: dt.datetime) -> bytes | None:
        """Return the correct sheet after one with a typing error; None if there was none."""
        lines, self._right = self._right, ()
        return self._mail(lines, now) if lines else None

    def _dice(self, purpose: str) -> Dice:
        return self.dice.within(purpose, self.seat, str(self.view["label"]))

    def _with_slip(self, lines: Sequence[str]) -> list[str]:
        """Return the lines with two letters of a verb swapped, or with one line that is no order."""
        dice = self._dice("which slip")
        at = dice.below(len(lines), "line")
        words = split_words(lines[at])
        if not words or len(words[0]) < 3 or dice.chance(1, 3, "nonsense"):
            return [*lines, _NONSENSE]
        verb = words[0]
        slipped = verb[0] + verb[2] + verb[1] + verb[3:]
        return [*lines[:at], lines[at].replace(verb, slipped, 1), *lines[at + 1 :]]

    def _mail(self, lines: Sequence[str], now: dt.datetime) -> bytes:
        """Return a mail in one of three forms: a bare reply, a reply with a framed sheet, a new mail with the token."""
        assert self.report is not None
        self.written += 1
        manner = self.written % 3
        campaign = str(self.report["Subject"]).partition(" ")[0].strip("[]")
        # The forms are those of people: greetings and signatures stand around a frame, and mail programs quote.
        framed = ["Hello,", "", f"ORDERS {campaign} {self.seat}", *lines, "END", "", "-- ", self.seat.capitalize()]
        subject, answers = f"Re: {self.report['Subject']}", str(self.report["Message-ID"])
        to = str(self.report["Reply-To"])
        # Without lines a bare reply would be no sheet; a frame without lines is an empty one.
        if manner == 1 and lines:
            framed = [*lines, "", *_quote(self.report)]
        elif manner == 2 and self.token:
            framed[2] += f" {self.token}"
            subject, to, answers = "my orders", self.orders_to, ""
        return self._compose(to, subject, "\n".join(framed), answers, now)

    def _compose(self, to: str, subject: str, text: str, answers: str, now: dt.datetime) -> bytes:
        mail = NewMail(
            recipient=to,
            subject=subject,
            text=text,
            message_id=message_id(self.dice.seed, "example.org", "player", self.seat, self.written),
            reply_to=self.address,
            in_reply_to=answers,
            # As from a person: what is marked as automatic is not answered (RFC 3834).
            automatic="",
        )
        return compose(mail, sender=self.address, sender_name=self.seat.capitalize(), at=now)


def _find_json(mail: Message) -> dict[str, View] | None:
    content = _find_file(mail, "application/json")
    data: dict[str, View] | None = json.loads(content) if content else None
    return data


def _find_file(mail: Message, content_type: str) -> bytes:
    """Return the content of the attached file of this type, b"" if there is none."""
    files = (part for part in mail.walk() if part.get_filename() and part.get_content_type() == content_type)
    return next((base64.b64decode(str(part.get_payload())) for part in files), b"")


def _find_token(mail: Message) -> str:
    """Return the last word of the ORDERS line in a welcome mail."""
    headers = (line.split() for line in _text_of(mail).splitlines() if line.startswith("ORDERS "))
    return next((words[3] for words in headers if len(words) == 4), "")


def _quote(report: Message) -> Iterator[str]:
    """Yield the beginning of a report, as a mail program quotes it."""
    yield f"On {report['Date']}, {report['From']} wrote:"
    for line in _text_of(report).splitlines()[:12]:
        yield f"> {line}"


def _text_of(mail: Message) -> str:
    text = next(part for part in mail.walk() if part.get_content_type() == "text/plain").get_payload(decode=True)
    assert isinstance(text, bytes)
    return text.decode()


CAMPAIGN = "demo"
SITE = "site"
RULINGS = "rulings"
MOST_TURNS = 500
START = dt.datetime(2027, 1, 4, 9, 0, tzinfo=dt.UTC)
"""The demo's clock starts here, so that a repeated demo has the same result."""

_ADDRESS = "orders@example.org"
_SETTLE = dt.timedelta(minutes=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoResult:
    """The result of a demo, and the files to look at.

    `page` is that of a seat's last report which asked for orders. `proved` are the turns that the replay of the
    archive passed. `rulings` is the folder with what the GM wrote, a folder for each turn, if a GM judges the game.
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


def run_demo(
    folder: Path,
    games: Mapping[str, AnyRuleset],
    *,
    game: str,
    seats: int | None = None,
    turns: int = MOST_TURNS,
    seed: str = "demo",
    progress: Progress = no_progress,
) -> DemoResult:
    """Play a demo in a folder that has no home yet, to the end of the game or for so many turns.

    Raises:
        ConfigError, CampaignError, RulesetError: The game or the folder does not allow it.
        GameError: A turn cannot be run, or a bot fails; the text names the line of the game's code.
    """
    ruleset = find_game(games, game)
    names = seat_names(ruleset, seats)
    # Refuses a folder that is a home already, before anything in it is changed.
    write_default_settings(folder, _ADDRESS)
    migrate(load_settings(folder).database)
    with open_app(folder, games) as app, open_log(app.settings.log):
        demo = _Demo(app, ruleset, names, hashlib.sha256(seed.encode()).digest())
        demo.begin()
        while demo.turns < turns and demo.play_turn():
            progress("playing turn", demo.turns, turns if turns < MOST_TURNS else 0)
        return demo.result()


def _naming_faults(ruleset: AnyRuleset, bot: Bot) -> Bot:
    """Return a bot that raises GameError, with seat, turn and line of the game's code, for whatever it raises."""

    def order(view: View, dice: Dice) -> list[str]:
        try:
            return bot(view, dice)
        except Exception as error:
            place = fault_place(error, ruleset)
            said = f"the bot of {view['seat']} fails in {view['label']}: {describe_error(error)}"
            raise GameError(f"{said}, at {place}" if place else said) from error

    return order


class _Demo:
    """One campaign, its players, and the clock."""

    def __init__(self, app: App, ruleset: AnyRuleset, seats: list[str], seed: bytes) -> None:
        self._app, self._ruleset, self._seed = app, ruleset, seed
        self._now = START
        home = app.settings.home
        self._inbox = MaildirTransport(home / app.settings.inbox_url.path)
        self._sent = home / app.settings.carrier_url.path / "new"
        self._seen = ""
        self._receipt: Path | None = None
        self._mails = 0
        bot = _naming_faults(ruleset, ruleset.demo.bot or ruleset.bots["standard"])
        self._players = [
            BotPlayer(seat, f"{seat}@example.org", _ADDRESS, bot, Dice(seed).within("players")) for seat in seats
        ]
        self.turns = 0

    def begin(self) -> None:
        """Create and start the campaign; let its players read their first mail."""
        wanted = NewCampaign(
            name=CAMPAIGN,
            game=self._ruleset.key,
            gm="gm@example.org",
            seats=[(player.seat, player.address) for player in self._players],
            deadline="EVERY 24h",
            options=self._options(),
            policy={"site": "full"},
        )
        create_campaign(self._app, wanted, self._now, seed=self._seed)
        run_action(self._app, CAMPAIGN, StartCampaign(), self._now)
        self._tick()
        # One player asks for pages, so that there is one to look at.
        self._inbox.send(_ADDRESS, self._players[0].ask(CAMPAIGN, "FORMAT PAGE", self._now))

    def _options(self) -> dict[str, str]:
        """Return the options of the campaign as a GM types them; contents of files are written to files."""
        wanted, typed = self._ruleset.demo.options, {}
        values = wanted([player.seat for player in self._players]) if wanted else {}
        for option in self._ruleset.options:
            value = values.get(option.name)
            if value is not None and option.kind == "file":
                path = self._app.settings.home / f"{option.name}.json"
                path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
                typed[option.name] = str(path)
            elif value is not None:
                typed[option.name] = str(value)
        return typed

    def play_turn(self) -> bool:
        """Let everyone send sheets, then corrections, and run the turn. Return False when the game is over."""
        # With a tick between: receipts come before the corrected sheets are sent.
        for write in (BotPlayer.write, BotPlayer.mend):
            for player in self._players:
                raw = write(player, self._now)
                if raw is not None:
                    self._inbox.send(_ADDRESS, raw)
            self._tick()
        # A complete turn waits so long after its last sheet, in case of second thoughts.
        self._now += _SETTLE
        self.turns += len(self._tick().resolved)
        return not all(player.view["over"] for player in self._players)

    def result(self) -> DemoResult:
        """Return the counts of what happened, after a replay of the archive."""
        settings = self._app.settings
        with self._app.store.reading() as session:
            seed = session.scalars(select(Campaign.seed)).one()
            state = load_state(session, self._ruleset, load_campaign(session, CAMPAIGN))
            sheets = session.scalars(select(OrderSheet.findings)).all()
        # With the seed, which the archive does not disclose before the end of the game.
        proof = replay(settings.archive, CAMPAIGN, ruleset=self._ruleset, seed=seed, head=None)
        folder = settings.archive / CAMPAIGN / f"{self.turns:04d}" / "reports"
        seat = self._players[0].seat
        return DemoResult(
            game=self._ruleset.title,
            standing=self._ruleset.standing(state),
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
            site=publish(self._app, settings.home / SITE, self._now).page,
            report=folder / f"{seat}.html",
            page=self._page(),
            picture=next(
                iter(sorted(folder.glob(f"{seat}.*.png")) or sorted(folder.parent.glob("enclosed/*.png"))), None
            ),
            receipt=self._receipt,
        )

    def _page(self) -> Path | None:
        """Write the page that the first player was mailed last into the campaign's home; return its path."""
        player = self._players[0]
        path = self._app.settings.home / f"{player.seat}.html"
        if player.page:
            path.write_bytes(player.page)
        return path if player.page else None

    def _tick(self) -> TickResult:
        done = tick(self._app, self._now)
        if done.problems or done.on_hold:
            refused = f"most sheets of the bots for turn {self.turns + 1} do not count"
            raise GameError(f"{self._ruleset.title} fails: {next(iter(done.problems), refused)}")
        if done.needs_ruling:
            done = self._rule_and_run()
        for path in sorted(self._sent.iterdir()):
            if path.name > self._seen:
                self._seen = path.name
                self._mails += 1
                self._hand_out(path)
        return done

    def _rule_and_run(self) -> TickResult:
        """Run the turn that waits for the GM with their ruling; without one, if the game brings no GM."""
        rule = self._ruleset.demo.rule
        if rule is None:
            return run_campaign_now(self._app, CAMPAIGN, self._now)
        form = run_query(self._app, CAMPAIGN, ShowRulingForm(), self._now)
        files, beside = rule(form.turn, form.files)
        folder = self._rulings / str(form.turn)
        write_folder(replace(form, files=files), folder)
        for name, content in beside.items():
            (folder / name).write_text(content, encoding="utf-8")
        taken = run_action(self._app, CAMPAIGN, read_folder(CAMPAIGN, folder).submission(), self._now)
        if not taken.kept:
            raise CampaignError(f"the ruling of the demo's GM on turn {form.turn} has errors: {dict(taken.findings)}")
        run_action(self._app, CAMPAIGN, ReleaseCampaign(), self._now)
        return tick(self._app, self._now)

    @property
    def _rulings(self) -> Path:
        return self._app.settings.home / RULINGS

    def _hand_out(self, path: Path) -> None:
        """Give a mail to the player it is for."""
        raw = path.read_bytes()
        to = raw.partition(b"\nTo: ")[2].partition(b"\n")[0].decode()
        for player in self._players:
            if player.address == to:
                player.read(raw)
                # Receipts are marked so, and reports as auto-generated (RFC 3834, 5).
                if player.mending and b"auto-replied" in raw:
                    self._receipt = path


def demo_lines(result: DemoResult) -> Iterator[str]:
    """Yield the result of a demo, and the files to look at."""
    facts = [
        ("turns", str(result.turns)),
        ("order sheets", f"{result.sheets}, {result.slips} of them with a slip on purpose"),
        ("receipts", f"{result.sheets}, with {count_noun(result.errors, 'line')} in error"),
        ("reports", f"{result.reports}, with {count_noun(result.pictures, 'picture')}"),
        ("mails sent", str(result.mails)),
        ("replay", f"passed: {count_noun(result.proved, 'turn')} resolved again from the archive, all hashes equal"),
        ("standing", _describe_standing(result.standing)),
    ]
    looks = [
        ("a report", result.report),
        ("its picture", result.picture),
        ("a receipt", result.receipt),
        ("the archive", result.archive),
        ("the rulings", result.rulings),
        ("the site", result.site),
        ("a seat's page", result.page),
    ]
    yield f"{result.game}, played by mail"
    yield ""
    yield from (f"  {name:<13} {value}" for name, value in facts)
    yield ""
    yield from (f"  {name:<13} {path}" for name, path in looks if path is not None)
    yield ""
    yield wrap(
        f"The folder {result.report.parent.parent.name} has what came of turn {result.turns}. "
        "Its reports are headed by what they open: the turn after it, or the end."
    )


def _describe_standing(standing: Standing) -> str:
    if standing.over:
        winners = ", ".join(standing.winners)
        return f"won by {winners}: {standing.reason}" if winners else f"nobody has won: {standing.reason}"
    scores = sorted(standing.scores.items(), key=lambda score: (-score[1], score[0]))
    return "still playing" + (": " if scores else "") + ", ".join(f"{seat} {score}" for seat, score in scores)


@command(
    "pbem demo trial --game harvester",
    NEW,
    help="It is played in FOLDER, a home of its own; the bots mail real order sheets.",
)
@click.argument("folder", type=FOLDER)
@click.option("--game", show_default=True, metavar="KEY", help="The game; see: pbem games")
@click.option("--seats", type=int, help="How many play. [default: four, where the game takes them]")
@click.option("--turns", type=click.IntRange(1), default=MOST_TURNS, help="Stop after so many. [default: to the end]")
@click.option("--seed", metavar="TEXT", default="demo", show_default=True, help="Another word, another game.")
def demo(call: Call, *, folder: Path, game: str, seats: int | None, turns: int, seed: str) -> None:
    with progress() as bar:
        result = run_demo(folder, call.games, game=game, seats=seats, turns=turns, seed=seed, progress=bar)
    call.print(result, demo_lines(result))
