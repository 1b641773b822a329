"""The least program that makes the mails of a night: the floor of `bench.floor`.

It reads the database once, with `sqlite3` alone; the mails with `email`, each sheet
once, and only in the forms that bots write. It has the games, the templates,
without their sandbox, and the composer of the program. It commits once a campaign,
and writes one zip, with one fsync, a turn. No mistake, attack or kill is foreseen,
and nobody is authenticated.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import email
import json
import os
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment

from pbem.app import TEMPLATE_DIR, App
from pbem.archive.record import file_hash, mixed_seed, turn_dice, turn_record
from pbem.archive.writer import SheetReceived, turn_files
from pbem.campaign.deadlines import next_deadline
from pbem.campaign.house_rules import HouseRules
from pbem.campaign.notices import CampaignMailer
from pbem.campaign.order_sheets import (
    Counted,
    PreviousSheets,
    SheetReading,
    make_receipt,
    parse_sheet,
    receipt_id_parts,
    waits_because,
)
from pbem.campaign.schedule import Schedule
from pbem.campaign.snapshot import CampaignSnapshot, SeatView
from pbem.mail.compose import NewMail, compose
from pbem.mail.headers import message_id, reply_code
from pbem.mail.outbox import welcome_id
from pbem.report.answers import Receipt
from pbem.report.facts import DiceWord, RenderedReport, ReportFacts, SheetUsed
from pbem.report.pool import Job
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset, Event, Order, SeatName, TurnInput, View
from pbem.ruleset.dice import seed_hash
from pbem.ruleset.protocol import iter_views, with_memory
from pbem.ruleset.serialization import canonical_json
from pbem.store.types import LARGE_MAIL, CampaignState, HoldKind, pack_files

ASIDE = re.compile(r"^(?:-- ?$|On .* wrote:$|> )", re.MULTILINE)
"""The end of the lines that a bot has typed: its signature, or the report that it quotes."""

FRAME = re.compile(r"^ORDERS (\S+) (\S+).*\n((?s:.*?))^END$", re.MULTILINE)
CODE = re.compile(r"\+([0-9a-z]+)@")

PLAIN = ("id", "name", "game", "version", "turn", "seed", "mail_key", "gm", "gm_name", "revision", "origin")


class Sheet(NamedTuple):
    """A sheet as it was read, and the row of the mail that brought it."""

    letter: int
    version: int
    reading: SheetReading


class Last(NamedTuple):
    """The report that a seat answers."""

    code: str
    message_id: str
    view: View


@dataclass
class Table:
    """A campaign with its open turn; `sheets` and `receipts` are those of the night."""

    app: App
    snapshot: CampaignSnapshot
    turn: sqlite3.Row
    previous: bytes
    last: dict[SeatName, Last]
    sheets: dict[SeatName, list[Sheet]] = field(default_factory=dict)
    receipts: list[NewMail] = field(default_factory=list)

    @cached_property
    def ruleset(self) -> AnyRuleset:
        """The game."""
        return self.app.games[self.snapshot.game]

    @cached_property
    def mailer(self) -> CampaignMailer:
        """The composer of the campaign's mails."""
        return CampaignMailer.of(self.app, self.snapshot)

    @cached_property
    def places(self) -> dict[SeatName, SeatView]:
        """The seats by their names."""
        return {place.seat: place for place in self.snapshot.places}

    @property
    def sent(self) -> Iterator[tuple[SeatName, Sheet]]:
        """All sheets, each with its seat."""
        return ((seat, each) for seat, sheets in self.sheets.items() for each in sheets)

    def addressed(self, seat: SeatName, mail: NewMail) -> NewMail:
        """Return a mail to a seat with the header fields of the campaign."""
        name, settings = self.snapshot.name, self.app.settings
        root = message_id(self.snapshot.mail_key, settings.domain, *welcome_id(name, seat))
        return dataclasses.replace(
            mail,
            list_id=f"<{name}.{settings.domain}>",
            references=(root, *mail.references),
            unsubscribe=f"mailto:{settings.address}?subject={quote(f'Leave {name} {seat}')}",
        )


def run_floor(app: App, database: Path, archive: Path, now: dt.datetime) -> None:
    """Answer all new mail of a database, and run the turn of every campaign in it."""
    with closing(sqlite3.connect(database, isolation_level=None)) as base:
        base.row_factory = sqlite3.Row
        tables = {table.snapshot.name: table for table in read_tables(base, app)}
        seats = {last.code: (table, seat) for table in tables.values() for seat, last in table.last.items()}
        new = "SELECT id, raw FROM inbox WHERE state = 'new' ORDER BY received_at, id"
        for row in base.execute(new).fetchall():
            take(tables, seats, row["id"], zlib.decompress(row["raw"]), now)
        for table in tables.values():
            run(base, archive, table, now)


def open_renderer(games: Mapping[str, AnyRuleset]) -> Renderer:
    """Return a renderer without pictures, with the program's templates in a plain environment of Jinja."""
    reporter = Renderer([TEMPLATE_DIR], games, pictures=False)
    sandbox = reporter._templates
    names = (
        "autoescape",
        "undefined",
        "trim_blocks",
        "lstrip_blocks",
        "keep_trailing_newline",
        "auto_reload",
        "loader",
    )
    plain = Environment(**{name: getattr(sandbox, name) for name in names})  # noqa: S701 - escapes as the sandbox does
    for name in ("filters", "tests", "globals"):
        getattr(plain, name).update(getattr(sandbox, name))
    reporter._templates = plain
    return reporter


def read_tables(base: sqlite3.Connection, app: App) -> Iterator[Table]:
    """Yield all campaigns with their open turns."""
    turns = "SELECT * FROM turn WHERE campaign_id = ? AND number = ?"
    # That of the highest turn, which is not the open one where a seat is out of the game.
    reports = """
        SELECT name, code, message_id, view, max(number) FROM report
        JOIN seat ON seat.id = seat_id JOIN turn ON turn.id = turn_id WHERE turn.campaign_id = ? GROUP BY seat_id
    """
    for row in base.execute("SELECT * FROM campaign ORDER BY id").fetchall():
        turn, before = (base.execute(turns, (row["id"], row["turn"] - back)).fetchone() for back in (0, 1))
        last = {
            seat: Last(code, mailed, json.loads(zlib.decompress(view)))
            for seat, code, mailed, view, _ in base.execute(reports, (row["id"],))
        }
        yield Table(app, read_campaign(base, row), turn, zlib.decompress(before["record"]), last)


def read_campaign(base: sqlite3.Connection, row: sqlite3.Row) -> CampaignSnapshot:
    """Return a campaign in which every seat has its player."""
    seats = "SELECT seat.id, name, address FROM seat JOIN person ON person.id = person_id WHERE campaign_id = ?"
    places = base.execute(f"{seats} ORDER BY seat.id", (row["id"],))
    plain: dict[str, Any] = {name: row[name] for name in PLAIN}
    return CampaignSnapshot(
        **plain,
        status=CampaignState.RUNNING,
        hold_kind=HoldKind.NONE,
        hold_reason="",
        moved_to="",
        options=json.loads(row["options"]),
        schedule=Schedule.read(row["schedule"]),
        policy=HouseRules.read(json.loads(row["policy"])),
        places=tuple(SeatView(id_, seat, address, playing=True) for id_, seat, address in places),
        words=tuple(DiceWord(*each) for each in json.loads(row["dice_words"])),
    )


def take(
    tables: Mapping[str, Table], seats: Mapping[str, tuple[Table, SeatName]], id_: int, raw: bytes, now: dt.datetime
) -> None:
    """Read the sheet of a mail, and answer it with its receipt."""
    letter = email.message_from_bytes(raw)
    content = letter.get_payload(decode=True)
    assert isinstance(content, bytes)  # a bot's mail has one part
    text = content.decode()
    frame, above = FRAME.search(text), tuple[str, ...]()
    if frame:
        table, seat, text = tables[frame[1]], frame[2], frame[3]
        above = ("Hello,",)
    elif code := CODE.search(letter["To"]):
        table, seat = seats[code[1]]
        text = text[: aside.start()] if (aside := ASIDE.search(text)) else text
    lines = tuple(enumerate(text.splitlines(), start=1))
    reading = parse_sheet(table.ruleset, table.last[seat].view, lines, ())
    receipt = dataclasses.replace(receipt_of(table, seat, reading, now), courtesies=above)
    table.sheets.setdefault(seat, []).append(Sheet(id_, receipt.version, reading))
    snapshot, mailer = table.snapshot, table.mailer
    parts = receipt_id_parts(snapshot.name, seat, snapshot.turn, receipt.version, snapshot.revision)
    older = [*reversed((letter["References"] or "").split()), table.last[seat].message_id, letter["Message-ID"]]
    mail = mailer.mail(table.places[seat].address, receipt.subject, receipt, parts, code=receipt.code, kind="receipt")
    thread, own = tuple(dict.fromkeys(older)), letter["Message-ID"]
    mail = dataclasses.replace(mail, references=thread, in_reply_to=own, automatic="auto-replied")
    table.receipts.append(table.addressed(seat, mail))


def receipt_of(table: Table, seat: SeatName, reading: SheetReading, now: dt.datetime) -> Receipt:
    """Return the receipt of a sheet."""
    sent, view = table.sheets.get(seat, []), table.last[seat].view
    counts = next((each for each in reversed(sent) if each.reading.accepted), None)
    counted = Counted(counts.version, counts.reading.parsed.orders, at=now) if counts else None
    receipt = make_receipt(
        reading,
        PreviousSheets(table.turn["id"], table.places[seat].id, len(sent), counted),
        table.ruleset.orders,
        campaign=table.snapshot.name,
        seat=seat,
        label=view["label"],
        deadline=as_time(table.turn["deadline"]),
        held=False,
        zone=table.snapshot.schedule.zone,
        waits=waits_because(reading, says_wait=None),
        standing=None if reading.accepted else parse_sheet(table.ruleset, view, (), ()),
    )
    return dataclasses.replace(receipt, code=table.last[seat].code)


def as_time(stored: str) -> dt.datetime:
    """Return a time as the database has it."""
    return dt.datetime.fromisoformat(stored).replace(tzinfo=dt.UTC)


class Turn(NamedTuple):
    """A turn that was resolved, and the state after it as stored."""

    orders: Mapping[SeatName, tuple[Order, ...]]
    used: Mapping[SeatName, SheetUsed]
    state: Any
    dumped: bytes
    events: tuple[Event, ...]
    deadline: dt.datetime


class Made(NamedTuple):
    """A seat's report, with its view and its mail."""

    seat: SeatName
    view: bytes
    code: str
    parts: RenderedReport
    mail: NewMail


def run(base: sqlite3.Connection, archive: Path, table: Table, now: dt.datetime) -> None:
    """Run the turn of a campaign, and store all that is new of it in one transaction."""
    turn = resolve(table, now)
    reports = list(render(table, turn, now))
    files = turn_files(
        [made.parts.files() for made in reports],
        sheets=[SheetReceived(seat, each.version, each.reading.text) for seat, each in table.sent],
        orders=turn.orders,
        book=table.ruleset.orders,
    )
    record = record_of(table, turn, files, now)
    base.execute("BEGIN IMMEDIATE")
    store_sheets(base, table, now)
    store_reports(base, table, store_turn(base, table, turn, record, now), reports)
    store_mails(base, table, [*table.receipts, *(made.mail for made in reports)], now)
    base.execute("COMMIT")
    keep(archive / f"{table.snapshot.name}-{table.snapshot.turn}.zip", record, files)


def resolve(table: Table, now: dt.datetime) -> Turn:
    """Resolve the turn with the sheets that count."""
    ruleset, snapshot = table.ruleset, table.snapshot
    used = {seat: next(each for each in reversed(sent) if each.reading.accepted) for seat, sent in table.sheets.items()}
    orders = {seat: used[seat].reading.parsed.orders for seat in snapshot.seats if seat in used}
    before = ruleset.load(json.loads(zlib.decompress(table.turn["state"])), snapshot.version)
    dice = turn_dice(mixed_seed(snapshot.seed, snapshot.words), snapshot.turn)
    state, events = ruleset.resolve(before, TurnInput(orders), dice)
    told = {seat: SheetUsed(sheet.version, sheet.reading.digest) for seat, sheet in used.items()}
    deadline = next_deadline(snapshot.schedule, snapshot.policy, now)
    return Turn(orders, told, state, canonical_json(ruleset.dump(state)), events, deadline)


def render(table: Table, turn: Turn, now: dt.datetime) -> Iterator[Made]:
    """Yield the reports of all seats, in their order."""
    snapshot, mailer, number = table.snapshot, table.mailer, table.snapshot.turn + 1
    calendar = mailer.deadline_file(turn.deadline, now, snapshot.schedule.zone)
    shared = ReportFacts(
        campaign=snapshot.name,
        seat="",
        seats=snapshot.seats,
        deadline=turn.deadline,
        zone=snapshot.schedule.zone,
        code="",
        address=table.app.settings.address,
        gm=snapshot.gm_shown,
        title=snapshot.policy.title,
        seal=seed_hash(snapshot.seed),
        record=file_hash(table.previous),
    )
    standing = table.ruleset.standing(turn.state)
    told = snapshot.seats if standing.told is None else standing.awaiting | standing.told
    for seat, seen in iter_views(table.ruleset, turn.state, sorted(told, key=snapshot.seats.index), turn.events):
        view = canonical_json(with_memory(table.ruleset, seen, table.last[seat].view))
        code = reply_code(snapshot.mail_key, snapshot.name, seat, number, snapshot.revision)
        facts = dataclasses.replace(shared, seat=seat, code=code, used=turn.used.get(seat))
        parts = table.app.reporter.make(Job(table.ruleset, view, facts, turn.orders.get(seat, ())))
        id_ = ("report", snapshot.name, seat, number, snapshot.revision)
        mail = mailer.report(table.places[seat].address, parts, facts, id_)
        yield Made(
            seat, view, code, parts, table.addressed(seat, dataclasses.replace(mail, parts=(*mail.parts, calendar)))
        )


def record_of(table: Table, turn: Turn, files: Mapping[str, bytes], now: dt.datetime) -> bytes:
    """Return the record of the turn."""
    snapshot = table.snapshot
    return turn_record(
        campaign=snapshot.name,
        ruleset=table.ruleset,
        number=snapshot.turn,
        options=snapshot.options,
        seats=snapshot.seats,
        seal=seed_hash(snapshot.seed),
        opened=as_time(table.turn["opened_at"]),
        resolved=now,
        turn=TurnInput(turn.orders),
        used=turn.used,
        state_before=table.turn["state_hash"],
        state_after=file_hash(turn.dumped),
        events=turn.events,
        files=files,
        previous=table.previous,
    )


def store(base: sqlite3.Connection, table: str, *rows: Mapping[str, Any]) -> None:
    """Insert rows of the same columns into a table."""
    columns = ", ".join(rows[0])
    places = ", ".join(f":{name}" for name in rows[0])
    base.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)  # noqa: S608 - names of ours


def store_sheets(base: sqlite3.Connection, table: Table, now: dt.datetime) -> None:
    """Store the sheets of the turn, and close their mails."""
    base.executemany("UPDATE inbox SET state = 'processed' WHERE id = ?", [(each.letter,) for _, each in table.sent])
    rows = [
        {
            "turn_id": table.turn["id"],
            "seat_id": table.places[seat].id,
            "inbox_id": each.letter,
            "version": each.version,
            "accepted": each.reading.accepted,
            "wait": False,
            "digest": each.reading.digest,
            "text": each.reading.text,
            "orders": canonical_json(each.reading.orders),
            "findings": json.dumps([dataclasses.asdict(finding) for finding in each.reading.findings]),
            "received_at": now.isoformat(),
            "author": "player",
        }
        for seat, each in table.sent
    ]
    store(base, "sheet", *rows)


def store_turn(base: sqlite3.Connection, table: Table, turn: Turn, record: bytes, now: dt.datetime) -> int:
    """Store the turn that was run, and the next one; return the id of that."""
    id_, number = table.turn["campaign_id"], table.snapshot.turn + 1
    run = (now.isoformat(), zlib.compress(record, 1), table.turn["id"])
    base.execute("UPDATE turn SET resolved_at = ?, record = ? WHERE id = ?", run)
    base.execute("UPDATE campaign SET turn = ? WHERE id = ?", (number, id_))
    row = {
        "campaign_id": id_,
        "number": number,
        "awaited": json.dumps(sorted(table.ruleset.standing(turn.state).awaiting)),
        "state": zlib.compress(turn.dumped, 1),
        "state_hash": file_hash(turn.dumped),
        "opened_at": now.isoformat(),
        "deadline": turn.deadline.isoformat(),
        "extensions": 0,
    }
    store(base, "turn", row)
    return int(base.execute("SELECT last_insert_rowid()").fetchone()[0])


def store_reports(base: sqlite3.Connection, table: Table, opened: int, reports: Sequence[Made]) -> None:
    """Store the reports that open the next turn."""
    rows = [
        {
            "turn_id": opened,
            "seat_id": table.places[made.seat].id,
            "code": made.code,
            "message_id": made.mail.message_id,
            "edition": 1,
            "view": zlib.compress(made.view, 1),
            "files": pack_files(made.parts.files()),
        }
        for made in reports
    ]
    store(base, "report", *rows)


def store_mails(base: sqlite3.Connection, table: Table, mails: Sequence[NewMail], now: dt.datetime) -> None:
    """Compose mails, and put them into the outbox."""
    settings = table.app.settings
    rows = [
        {
            "campaign_id": table.snapshot.id,
            "kind": mail.kind,
            "recipient": mail.recipient,
            "provider": mail.recipient.partition("@")[2],
            "form": "full",
            "message_id": mail.message_id,
            "code": "",
            "raw": pack(compose(mail, sender=settings.address, sender_name=settings.sender_name, at=now)),
            "state": "queued",
            "attempts": 0,
            "not_before": now.isoformat(),
            "created_at": now.isoformat(),
            "reply": "",
        }
        for mail in mails
    ]
    store(base, "outgoing", *rows)


def pack(raw: bytes) -> bytes:
    """Return a mail as the outbox has it."""
    return zlib.compress(raw, 0 if len(raw) > LARGE_MAIL else 1)


def keep(file: Path, record: bytes, files: Mapping[str, bytes]) -> None:
    """Write a turn into the archive."""
    with file.open("wb") as written:
        with zipfile.ZipFile(written, "w") as folder:
            for name, content in {**files, "turn.json": record}.items():
                folder.writestr(name, content)
        written.flush()
        os.fsync(written.fileno())
