"""Find leaks in mail by playing one turn of a prepared world through the whole host.

L4  the whole message: subject, texts, pictures, names and sizes of attachments, ids, order of sending
L5  canaries: secrets of others, planted where only they write and read, must not occur in it
"""

from __future__ import annotations

import base64
import datetime as dt
import email.policy
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Self

from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.app import TEMPLATE_DIR, App
from pbem.config import load_settings, write_default_settings
from pbem.mail.headers import reply_code
from pbem.report.renderer import Renderer
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json, json_sha256
from pbem.ruleset.values import SeatName
from pbem.scheduler.tick import run_campaign_now, tick
from pbem.store.models import Campaign, Report, Seat, Turn
from pbem.store.session import Store
from pbem.store.types import CampaignState
from pbem.testing.leaks import (
    AlternativeState,
    Leak,
    Sample,
    SecrecySpec,
    Sheets,
    elsewhere_world,
    find_leaks,
    moments,
    own_sheet,
)
from pbem.testing.play import SEED, Game, games, standard_game, usual_seats
from pbem.testing.scrambling import covers, find_unscrambled
from pbem.testing.suite import RulesetTests, migrated_database, rule

NAME = "fog"
ADDRESS = "orders@example.org"
GM = "gm@example.org"
MAIL_KEY = bytes(range(100, 132))
SALT = bytes(range(132, 164)).hex()
NOW = dt.datetime(2027, 1, 4, 9, 0, tzinfo=dt.UTC)
CANARY = "Xylophagous"
MAILED = 3
"""Samples of a game whose mail is compared."""


@dataclass(frozen=True)
class SentMail:
    """A mail as it was sent."""

    to: str
    raw: bytes

    @property
    def parsed(self) -> EmailMessage:
        """The mail as parsed by the email package."""
        return email.message_from_bytes(self.raw, policy=email.policy.default)

    @property
    def is_report(self) -> bool:
        """True if the mail is a report: no other has data."""
        return any(part.get_content_subtype() == "json" for part in self.parsed.walk())

    def texts(self) -> Iterator[str]:
        """Yield everything in the mail that can be read: headers, names of parts, decoded text and data."""
        for part in self.parsed.walk():
            yield from (f"{name}: {value}" for name, value in part.items())
            if part.get_content_maintype() in {"text", "application"}:
                payload = part.get_payload(decode=True)
                assert isinstance(payload, bytes)
                yield payload.decode()


def address_of(seat: SeatName) -> str:
    """Return the mail address of a seat's player."""
    return f"{seat}.player@example.org"


class MailSandbox:
    """A home with one campaign at its first turn, into which a world is planted; call `begin` in a new one."""

    def __init__(self, folder: Path, ruleset: AnyRuleset, reporter: Renderer) -> None:
        database = folder / "pbem.sqlite"
        if not database.exists():
            write_default_settings(folder, ADDRESS)
            database.write_bytes(migrated_database())
        settings = load_settings(folder)
        self._app = App(settings, Store(settings.database), {ruleset.key: ruleset}, lambda: reporter)
        self._ruleset = ruleset
        self._seats = usual_seats(ruleset)
        self._seen = len(self._sent_paths())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._app.store.close()

    @property
    def over(self) -> bool:
        """True if the game is over."""
        with self._app.store.reading() as session:
            return session.scalars(select(Campaign.status)).one() == CampaignState.OVER

    def begin(self) -> None:
        """Start the campaign, with fixed keys; discard its first mails."""
        wanted = NewCampaign(
            name=NAME,
            game=self._ruleset.key,
            gm=GM,
            seats=[(seat, address_of(seat)) for seat in self._seats],
            deadline="EVERY 24h",
            options={},
            # Sheets of the suite show an address alone, about which the player would usually be asked (decision 14).
            policy={"authentication": "address", "page": "attached"},
        )
        create_campaign(self._app, wanted, NOW, seed=SEED)
        with self._app.store.writing() as session:
            # Before the first reports: their reply codes follow from this key, and must be the same in both worlds.
            session.execute(update(Campaign).values(mail_key=MAIL_KEY))
        run_action(self._app, NAME, StartCampaign(), NOW)
        with self._app.store.writing() as session:
            (setup,) = session.scalars(select(Turn).where(Turn.record.is_not(None)))
            # The next reports disclose the hash of this record. With a random salt it would always differ, and a leak
            # through it could not be found.
            setup.record = canonical_json(json.loads(setup.record or b"") | {"salt": SALT}) + b"\n"
        tick(self._app, NOW)
        self._new_mail()

    def plant(self, moment: Sample, world: AlternativeState) -> None:
        """Make a world the state of the open turn, and its views those that were mailed."""
        state = self._ruleset.dump(world.state)
        awaited = sorted(self._ruleset.standing(world.state).awaiting)
        values = {"state": canonical_json(state), "state_hash": json_sha256(state), "awaited": awaited}
        with self._app.store.writing() as session:
            session.execute(update(Turn).where(Turn.number == 1).values(values))
            # Sheets are parsed against the view that was mailed, so that must be one of the planted world.
            for row, seat in session.execute(select(Report.id, Seat.name).join(Seat, Report.seat_id == Seat.id)):
                view = canonical_json(moment.view(world.state, seat))
                session.execute(update(Report).where(Report.id == row).values(view=view))

    def run(self, letters: Sequence[bytes]) -> list[SentMail]:
        """Deliver these mails in order, run the turn, and return the mail sent, in order."""
        inbox = self._app.settings.home / "post" / "inbox" / "new"
        for number, letter in enumerate(letters):
            path = inbox / f"{number:04d}"
            path.write_bytes(letter)
            os.utime(path, (NOW.timestamp() + number,) * 2)  # mail is read in the order of these times
        run_campaign_now(self._app, NAME, NOW + dt.timedelta(hours=1))
        return self._new_mail()

    def _sent_paths(self) -> list[Path]:
        return sorted((self._app.settings.home / "post" / "sent" / "new").glob("*"))

    def _new_mail(self) -> list[SentMail]:
        paths = self._sent_paths()
        new, self._seen = paths[self._seen :], len(paths)
        raws = [path.read_bytes() for path in new]
        return [SentMail(email.message_from_bytes(raw)["To"], raw) for raw in raws]


def letter(seat: SeatName, lines: Sequence[str], number: int = 0) -> bytes:
    """Return a seat's order sheet as its player mails it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = address_of(seat), ADDRESS, "orders"
    mail["Message-ID"] = f"<{seat}.{number}@example.org>"
    mail.set_content("\n".join([f"ORDERS {NAME} {seat}", *lines, "END"]))
    return bytes(mail)


def stranger(number: int) -> bytes:
    """Return a mail from a sender who plays nothing here."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = f"stranger{number}@example.org", ADDRESS, CANARY
    mail.set_content(f"What is this about? {CANARY}")
    return bytes(mail)


def question(seat: SeatName) -> bytes:
    """Return a seat's question to the GM."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = address_of(seat), ADDRESS, "a question"
    mail["Message-ID"] = f"<{seat}.question@example.org>"
    mail.set_content(f"PLAYER {NAME} {seat}\nASK GM\nMay I? {CANARY}\nEND")
    return bytes(mail)


def letters_of(moment: Sample, own: Sequence[str], sheets: Sheets, *, noise: int) -> list[bytes]:
    """Return the inbox of a turn: the seat's sheet amid others full of canaries, and `noise` further mails."""
    others = [
        letter(seat, [*lines, f"; {CANARY}", f"{CANARY} to everyone"])
        for seat, lines in sheets.items()
        if seat != moment.seat
    ]
    # Other mail differs in number: neither an id nor the order of sending may show how much there is.
    asking = [question(seat) for seat in usual_seats(moment.ruleset) if seat != moment.seat]
    return [*map(stranger, range(noise)), *asking[:noise], *others[:noise], letter(moment.seat, own), *others[noise:]]


def secrets_of(moment: Sample) -> dict[str, str]:
    """Return texts that must never occur in the seat's mail, with their names."""
    others = [seat for seat in usual_seats(moment.ruleset) if seat != moment.seat]
    codes = {reply_code(MAIL_KEY, NAME, seat, turn): f"reply code of {seat}" for seat in others for turn in (1, 2)}
    addresses = {address_of(seat): f"address of {seat}" for seat in others}
    # The seed foretells dice, the mail key gives the codes of others, and the salt hides what a record's hash is of.
    keys = {"seed": SEED, "mail key": MAIL_KEY, "salt": bytes.fromhex(SALT)}
    raw = {text: name for name, key in keys.items() for text in (key.hex(), base64.b64encode(key).decode())}
    return {**codes, **addresses, **raw, CANARY: "what others wrote"}


def mail_leaks(moment: Sample, posts: Sequence[Sequence[SentMail]]) -> Iterator[Leak]:
    """Yield leaks of L4 and L5: differences between the mail of two worlds, and secrets in it."""
    own = [[sent.raw for sent in post if sent.to == address_of(moment.seat)] for post in posts]
    ours, theirs = ({f"mail {number}": raw.decode() for number, raw in enumerate(raws)} for raws in own)
    yield from moment.leaks("L4", {"mails": len(ours), **ours}, {"mails": len(theirs), **theirs})
    readers = [[sent.to for sent in post if sent.is_report] for post in posts]
    yield from moment.leaks("L4", *({"order of reports": each} for each in readers))
    for sent in posts[0]:
        if sent.to == address_of(moment.seat):
            yield from _canaries(moment, sent)


def _canaries(moment: Sample, sent: SentMail) -> Iterator[Leak]:
    texts = list(sent.texts())
    for secret, name in secrets_of(moment).items():
        for text in texts:
            at = text.find(secret)
            if at >= 0:
                yield Leak("L5", moment.seat, moment.number, name, text[max(0, at - 60) : at + 60])


def find_mail_leaks(moment: Sample, begun: Sequence[Path], reporter: Renderer) -> Iterator[Leak]:
    """Run a sample's turn in two worlds, each in a copy of a home of its own and amid more or less other mail."""
    posts, ended = [], False
    for number, home in enumerate(begun):
        world = elsewhere_world(moment, moment.rnd("elsewhere", number))
        letters = letters_of(moment, own_sheet(moment, world), world.sheets, noise=2 * number)
        with MailSandbox(_copy_home(home), moment.ruleset, reporter) as app:
            app.plant(moment, world)
            posts.append(app.run(letters))
            ended |= app.over
    # The end of a game discloses what was hidden, so worlds in which it ends differ rightly.
    if not ended:
        yield from mail_leaks(moment, posts)


def all_mail_leaks(game: Game, secrecy: SecrecySpec, folder: Path, reporter: Renderer) -> Iterator[Leak]:
    """Yield the leaks in the mail of some samples of a game."""
    begun = [folder / "one", folder / "other"]
    for home in begun:
        with MailSandbox(home, game.ruleset, reporter) as app:
            app.begin()
    for moment in moments([game], secrecy, MAILED):
        yield from find_mail_leaks(moment, begun, reporter)


def _copy_home(home: Path) -> Path:
    """Return a copy of a home beside it, in place of the previous copy."""
    copy = home.with_name(f"{home.name} copied")
    shutil.rmtree(copy, ignore_errors=True)
    return Path(shutil.copytree(home, copy))


COVERED = 120
"""Samples of which worlds are made to see what scramblers change: more, as nothing is rendered."""


class SecrecyRules(RulesetTests):
    """Nothing mailed to a seat depends on what the seat may not know."""

    watched = 24
    """Reports of played games for which worlds that differ in secrets are compared."""

    @rule(
        "Build the view by adding what the seat may know, in an order made of nothing else; give events "
        "to those who may hear of them, without running numbers; draw dice by keys; let parse judge by "
        "the view. Each leak listed has the level (L1 shown, L2 answered, L3 reported next turn), the "
        "reader, the turn, the place and the difference. If your scrambler changed what the seat may "
        "know, mend the scrambler."
    )
    def test_no_game_leaks(self) -> None:
        """Reports, receipts and what becomes of orders are the same in worlds that differ in secrets alone."""
        assert list(find_leaks(games(self.ruleset), self.secrecy, count=self.watched)) == []

    @rule(
        "Let scramble change what is hidden: move, add, drop, alter and renumber it. A game that hides "
        "nothing between turns says SecrecySpec(scramble, open=True)."
    )
    def test_worlds_are_really_scrambled(self) -> None:
        """A suite that compared a world with itself would find nothing; only an open game has nothing to scramble."""
        watched = moments(games(self.ruleset), self.secrecy, self.watched)

        scrambled = [self.secrecy.scramble(each.state, each.seat, each.rnd()) != each.state for each in watched]

        assert any(scrambled) is not self.secrecy.open

    @rule(
        "Let scramble or elsewhere change each path named here, for if its value reaches a report no test can tell; "
        "where every seat knows it, add it to SecrecySpec(…, public=(…)). A path declared there is to be one that "
        "nothing changes."
    )
    def test_all_that_is_hidden_is_scrambled(self) -> None:
        """Each part of the state is changed in some world, or is said to be known to all."""
        left = find_unscrambled(moments(games(self.ruleset), self.secrecy, COVERED))
        public = self.secrecy.public

        forgotten = [path for path in left if not any(covers(each, path) for each in public)]
        assert self.secrecy.open or not forgotten, f"the same in all worlds: {', '.join(forgotten)}"
        changed = [each for each in public if not any(covers(each, path) for path in left)]
        assert not changed, f"declared public, and changed or not there: {', '.join(changed)}"

    @rule(
        "See what differs in the mail (L4) or comes up in it (L5): subject, text, HTML, data, a picture, "
        "its size. Templates, pictures and maps may use the view and nothing else."
    )
    def test_no_mail_leaks(self, tmp_path: Path) -> None:
        """Receipt and report are the same to the byte, whatever others have, do and write."""
        with Renderer([TEMPLATE_DIR], {self.ruleset.key: self.ruleset}) as reporter:
            found = list(all_mail_leaks(standard_game(self.ruleset), self.secrecy, tmp_path, reporter))

        assert found == []
