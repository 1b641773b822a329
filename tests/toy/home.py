"""A home with a campaign of the toy game, and a `Desk` that posts messages and reads mail."""

from __future__ import annotations

import datetime as dt
import email
import email.policy
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.app import App, open_app
from pbem.campaign.house_rules import parse_house_rules
from pbem.config import load_settings, write_default_settings
from pbem.config_values import FILE_NAME
from pbem.ruleset import AnyRuleset
from pbem.scheduler.tick import answer_mail, fetch_mail, send_mail, tick
from pbem.scheduler.work import TickResult
from pbem.store.migrate import migrate, schema_is_current
from pbem.store.models import Campaign
from pbem.testing.suite import migrated_database
from tests.toy.ruleset import Auction

GAMES: Mapping[str, AnyRuleset] = {"toy": Auction()}
MONDAY = dt.datetime(2026, 11, 2, 9, 0, tzinfo=dt.UTC)
"""The time at which the tests' campaigns start."""

ADDRESS_IS_ENOUGH = {"authentication": "address"}
"""The house rule of tests about other things: a sheet counts because of its From."""

SetUp = TypeVar("SetUp", bound=Callable[..., Any])

_TEMPLATES = Path(__file__).parent / "templates"
_PARSED = lru_cache(maxsize=10_000)(email.policy.default.header_fetch_parse)


class _Reading(email.policy.EmailPolicy):
    """The usual policy, with a cache: Python parses a header field again each time that it is read."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        """Return a parsed header field; equal fields of all mails share it."""
        return _PARSED(name, value)


ADDRESSES = {"red": "ann@example.org", "blue": "bob@example.org", "green": "cyd@example.org"}


def make_home(folder: Path, *, database: str = "") -> Path:
    """Make a home with the toy's templates, an empty database and no pictures; return its folder."""
    path = write_default_settings(folder, "orders@example.org")
    text = path.read_text().replace("pictures = true", "pictures = false")
    if database:
        text = re.sub(r'database = "[^"]*"', f'database = "{database}"', text)
    path.write_text(text)
    shutil.copytree(_TEMPLATES, folder / "templates")
    if database:
        if not schema_is_current(database):
            migrate(database)
    else:
        (folder / "pbem.sqlite").write_bytes(migrated_database())
    return folder


@dataclass(frozen=True)
class Prepared:
    """Rows and files that a set-up leaves in a home: hundreds of tests begin with the same one."""

    rows: sqlite3.Connection
    files: Mapping[Path, bytes | None]
    """By their paths in the home; None for a folder."""
    now: dt.datetime
    count: int
    returned: Any

    @classmethod
    def of(cls, desk: Desk, returned: Any) -> Prepared:
        """Return what a home has now."""
        rows = sqlite3.connect(":memory:", check_same_thread=False)
        with closing(sqlite3.connect(desk.home / DATABASE)) as live:
            live.backup(rows)
        written = [path for folder in _WRITTEN for path in sorted((desk.home / folder).rglob("*"))]
        files = {path.relative_to(desk.home): None if path.is_dir() else path.read_bytes() for path in written}
        return cls(rows, files, desk.now, desk.count, None if returned is desk else returned)

    def put(self, desk: Desk) -> Any:
        """Copy it into another home; return what the set-up has returned there."""
        with closing(sqlite3.connect(desk.home / DATABASE)) as live:
            self.rows.backup(live)
        for name, content in self.files.items():
            path = desk.home / name
            if content is None:
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        desk.now, desk.count = self.now, self.count
        return desk if self.returned is None else self.returned


DATABASE = "pbem.sqlite"
_WRITTEN = ("turns", "post")
"""Folders of a home that set-ups write to, besides its database."""

_MOST_PREPARED = 200
_PREPARED: dict[object, Prepared] = {}
"""Set-ups by all that they depend on; of more than so many the oldest is forgotten."""


def prepared(set_up: SetUp) -> SetUp:
    """Run a set-up of a fresh home once in a process; into each later one that is made alike, put what that left.

    The set-up depends on the home, the time and its arguments alone, whose `repr` says all about them. It returns
    the desk, or a value that is never changed.
    """

    @wraps(set_up)
    def once(desk: Desk, *args: Any, **options: Any) -> Any:
        # Settings that a test has given to the application alone are in no file, and so in no key.
        as_filed = desk.app.settings == load_settings(desk.home)
        if not (desk.alike and as_filed and is_untouched(desk.home)):
            return set_up(desk, *args, **options)
        key = (set_up, repr(args), repr(sorted(options.items())), desk.now, *desk.app.games.items(), made_of(desk.home))
        if key in _PREPARED:
            return _PREPARED[key].put(desk)
        returned = set_up(desk, *args, **options)
        if len(_PREPARED) >= _MOST_PREPARED:
            del _PREPARED[next(iter(_PREPARED))]
        _PREPARED[key] = Prepared.of(desk, returned)
        return returned

    return once  # type: ignore[return-value]


def is_untouched(home: Path) -> bool:
    """Return True if nothing was ever written to the home: no mail, and no row to its database, if that is a file."""
    file, log = home / DATABASE, home / f"{DATABASE}-wal"
    written = (log.exists() and log.stat().st_size) or any((home / folder).exists() for folder in _WRITTEN)
    return file.exists() and not written and file.read_bytes() == migrated_database()


def made_of(home: Path) -> tuple[tuple[str, bytes], ...]:
    """Return the settings and templates of a home."""
    templates = sorted(path for path in (home / "templates").rglob("*") if path.is_file())
    return tuple((path.name, path.read_bytes()) for path in (home / FILE_NAME, *templates))


@dataclass
class Desk:
    """An open application with one campaign, "toy1", and a clock that tests set."""

    app: App
    now: dt.datetime = MONDAY
    count: int = 0
    """Mails posted so far."""
    _read: dict[Path, tuple[str, EmailMessage]] = field(default_factory=dict)
    alike: bool = True
    """True if homes that were prepared alike may share keys and salts."""

    @property
    def home(self) -> Path:
        """The home's folder."""
        return self.app.settings.home

    def begin(
        self,
        *,
        seats: tuple[str, ...] = ("red", "blue"),
        name: str = "toy1",
        deadline: str = "FRI 20:00 Europe/Berlin",
        rules: Mapping[str, str] | None = None,
        **options: str,
    ) -> None:
        """Create and start a campaign with these house rules; an address is proof unless they say otherwise."""
        wanted = NewCampaign(
            name=name,
            game="toy",
            gm="gm@example.org",
            seats=[(seat, ADDRESSES[seat]) for seat in seats],
            deadline=deadline,
            options=options,
        )
        _begin(self, wanted, ADDRESS_IS_ENOUGH | dict(rules or {}))

    def start(self, **begun: Any) -> None:
        """Begin a campaign, and mail the first reports."""
        _start(self, **begun)

    def set_rules(self, name: str = "toy1", **rules: str) -> None:
        """Change house rules of a campaign."""
        with self.app.store.writing() as session:
            campaign = session.scalars(select(Campaign).where(Campaign.name == name)).one()
            campaign.policy = {**campaign.policy, **parse_house_rules(rules)}

    def post(
        self,
        text: str,
        *,
        sender: str = "ann@example.org",
        to: str = "orders@example.org",
        subject: str = "orders",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Put a mail into the inbox."""
        number, self.count = self.count, self.count + 1
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = sender, to, subject
        message["Message-ID"] = f"<letter{number}@example.org>"
        for name, value in (headers or {}).items():
            message[name] = value
        message.set_content(text)
        inbox = self.home / "post" / "inbox"
        inbox.mkdir(parents=True, exist_ok=True)
        (inbox / f"{number:04d}.eml").write_bytes(bytes(message))

    def reply(self, report: EmailMessage, text: str, **changes: str) -> None:
        """Answer a mail as a mail program would."""
        self.post(
            text,
            sender=changes.get("sender", report["To"]),
            to=changes.get("to", report["Reply-To"]),
            subject=changes.get("subject", f"Re: {report['Subject']}"),
            headers={"In-Reply-To": changes.get("in_reply_to", report["Message-ID"])},
        )

    def tick(self, *, hours: float = 0, live: bool = False) -> TickResult:
        """Advance the clock, then tick."""
        self.now += dt.timedelta(hours=hours)
        return tick(self.app, self.now, live=live)

    def answer(self) -> TickResult:
        """Fetch mail, answer it and send the answers: a tick without what is due by the time, as turns are."""
        done = TickResult()
        fetch_mail(self.app, self.now, done)
        answer_mail(self.app, self.now, done)
        send_mail(self.app, self.now, done)
        return done

    def mails(self, to: str = "") -> list[EmailMessage]:
        """Return all mail sent so far, oldest first; to one address, if given."""
        found = [self._mail(path) for path in sorted((self.home / "post" / "sent" / "new").glob("*"))]
        return [mail for reader, mail in found if to in ("", reader)]

    def _mail(self, path: Path) -> tuple[str, EmailMessage]:
        """Return a sent mail with its recipient; it is read once, as it never changes."""
        if path not in self._read:
            mail = email.message_from_bytes(path.read_bytes(), policy=_Reading())
            assert isinstance(mail, EmailMessage)
            self._read[path] = (mail["To"], mail)
        return self._read[path]

    def last(self, to: str = "ann@example.org") -> EmailMessage:
        """Return the last mail sent to an address."""
        return self.mails(to)[-1]


@prepared
def _begin(desk: Desk, wanted: NewCampaign, rules: Mapping[str, str]) -> None:
    create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
    desk.set_rules(wanted.name, **rules)
    run_action(desk.app, wanted.name, StartCampaign(), desk.now)


@prepared
def _start(desk: Desk, **begun: Any) -> None:
    desk.begin(**begun)
    desk.tick()


def is_report(mail: EmailMessage) -> bool:
    """Return True if a mail is a report: no other mail has data."""
    return any(part.get_content_subtype() == "json" for part in mail.walk())


def text_of(mail: EmailMessage) -> str:
    """Return the text of a mail."""
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


@contextmanager
def open_desk(folder: Path, *, database: str = "", games: Mapping[str, AnyRuleset] = GAMES) -> Iterator[Desk]:
    """Open a fresh home in a folder."""
    make_home(folder, database=database)
    with open_app(folder, games) as app:
        yield Desk(app)
