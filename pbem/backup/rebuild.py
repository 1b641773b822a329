"""Make a campaign again from the lines of its export and from its archive.

The archive has been checked by then (`pbem.archive.verify`), and each line has its schema. Here the rows
are made: what records say is taken from them, long content is found by its hash, and codes and keys are
new. Then the turns have to be consistent, as `pbem doctor` asks of all campaigns.
"""

from __future__ import annotations

import datetime as dt
import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from pbem.actions.withdrawal import find_inconsistency
from pbem.archive.reader import MOST_RECORD, ArchivedTurn, load_turns, load_withdrawn
from pbem.archive.record import RECORD, file_hash, load_dice_words
from pbem.backup.files import LINES
from pbem.backup.lines import Line, is_content
from pbem.campaign.people import is_person
from pbem.campaign.snapshot import is_current, load_campaign
from pbem.errors import PARSE_ERRORS, BackupError, RulesetError
from pbem.mail.headers import reply_code
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json, json_sha256
from pbem.store.columns import Leaves, left_values, target_of
from pbem.store.models import Person, Turn
from pbem.util import read_plain

Row = dict[str, Any]


class ImportedArchive:
    """The turns of a campaign's archive, and its content by hash: files of turns, records, and those of a folder."""

    def __init__(self, archive: Path, name: str, content: Path) -> None:
        self.turns: Sequence[ArchivedTurn] = load_turns(archive, name)
        self.by_record = {turn.hash: turn for turn in (*self.turns, *load_withdrawn(archive, name))}
        self.states = {turn.record["state_after"] for turn in self.by_record.values()}
        self._content = content
        self._files = {
            hash_: turn.path / path
            for turn in self.by_record.values()
            for path, hash_ in chain([(RECORD, turn.hash)], turn.record["files"].items())
        }

    @property
    def seats(self) -> Sequence[str]:
        """The seats of the campaign, in their order."""
        seats: Sequence[str] = self.turns[0].record["seats"]
        return seats

    def read(self, line: Line, column: str, hash_: str) -> bytes:
        """Return the content of a hash. Raises BackupError if there is none."""
        try:
            content = read_plain(self._files.get(hash_, self._content / hash_), MOST_RECORD)
        except (OSError, ValueError):
            content = b""
        if file_hash(content) != hash_:
            raise line.fault(f"{line.table.name}, /{column}: nothing in the file has the hash {hash_}")
        return content


class Rebuilding:
    """Rows that are made of lines, one after the other, in a transaction."""

    def __init__(self, session: Session, archive: ImportedArchive, ruleset: AnyRuleset, now: dt.datetime) -> None:
        self._database = session.connection()
        self._archive, self._ruleset, self._now = archive, ruleset, now
        # With its old key, the writer of the file could compute the codes that players get from now on.
        self._key = secrets.token_bytes(32)
        self._ids: dict[str, list[int]] = {}
        self._seats: list[str] = []
        self._turns: list[tuple[int, ArchivedTurn | None]] = []
        """The number of each turn that has a line, and its record; None for one that was open."""
        self._made: Mapping[str, Callable[[Line, Row], Row]] = {
            "campaign": self._campaign,
            "person": self._person,
            "seat": self._seat,
            "turn": self._turn,
            "report": self._report,
            "sheet": self._sheet,
            "enclosed": self._attachment,
        }

    def insert(self, lines: Iterable[Line]) -> None:
        """Insert the row of each line. Raises BackupError naming the line that does not agree with the archive."""
        for line in lines:
            row = self._row(line)
            if make := self._made.get(line.table.name):
                row |= make(line, row)
            try:
                id_ = self._known_person(row) if line.table.name == "person" else None
                if id_ is None:
                    id_ = self._database.execute(insert(line.table).values(row).returning(line.table.c.id)).scalar_one()
            except IntegrityError:
                raise line.fault(f"{line.table.name}: there is such a row here already") from None
            self._ids.setdefault(line.table.name, []).append(id_)
        if tuple(self._seats) != tuple(self._archive.seats):
            raise BackupError(f"{LINES} has other seats than its archive: {', '.join(self._seats) or 'none'}")

    def _row(self, line: Line) -> Row:
        row: Row = {**left_values(line.table, Leaves.CAMPAIGN)}
        for name, value in line.values.items():
            column = line.table.c[name]
            target = target_of(column)
            if value is not None and target is not None:
                value = self._ids[target.name][value - 1]
            elif value is not None and is_content(column):
                value = self._archive.read(line, name, value)
            row[name] = value
        return row

    def _campaign(self, line: Line, row: Row) -> Row:
        first, newest = self._archive.turns[0], self._archive.turns[-1]
        if row["name"] != first.record["campaign"]:
            raise line.fault(f"campaign, /name: its archive is of {first.record['campaign']}")
        return {
            "game": first.record["game"],
            "version": newest.record["version"],
            "options": first.record["options"],
            "turn": newest.number + 1,
            "dice_words": [[each.seat, each.word, each.own] for each in load_dice_words(first.record)],
            "mail_key": self._key,
            "origin": first.number,
        }

    def _person(self, line: Line, row: Row) -> Row:
        return {"key": row["address"].lower()}

    def _known_person(self, row: Row) -> int | None:
        return self._database.execute(select(Person.id).where(is_person(row["key"]))).scalar()

    def _seat(self, line: Line, row: Row) -> Row:
        self._seats.append(row["name"])
        return {}

    def _turn(self, line: Line, row: Row) -> Row:
        run = None
        if line.values["record"] is not None:
            run = self._archive.by_record.get(line.values["record"])
            if run is None or (run.number, run.is_withdrawn) != (row["number"], row["withdrawal_id"] is not None):
                raise line.fault(f"turn, /record: the archive has no such record of turn {row['number']}")
        # A set-up has no hash of its state, as there is none before it.
        set_up = run is not None and run.is_set_up
        known = {json_sha256(run.record.get("given"))} if run is not None and set_up else self._archive.states
        if line.values["state"] not in known:
            raise line.fault("turn, /state: no record in the archive led to it")
        self._turns.append((row["number"], run))
        return {
            "state_hash": "" if set_up else line.values["state"],
            "resolved_at": None if run is None else dt.datetime.fromisoformat(run.record["resolved"]),
            "archived_at": None if run is None or run.is_withdrawn else self._now,
        }

    def _report(self, line: Line, row: Row) -> Row:
        seat, told = self._seats[line.values["seat_id"] - 1], dict(line.values["files"])
        paths = {f"reports/{name}": hash_ for name, hash_ in told.items()}
        if f"reports/{seat}.json" not in paths or not all(path.startswith(f"reports/{seat}.") for path in paths):
            raise line.fault(f"report, /files: expected {seat}.json and other files of {seat}")
        number, _ = self._turns[line.values["turn_id"] - 1]
        runs = self._archive.by_record.values()
        if not any(run.number == number - 1 and paths.items() <= run.record["files"].items() for run in runs):
            raise line.fault(f"report, /files: no run of turn {number - 1} in the archive has this report of {seat}")
        files = {name: self._archive.read(line, "files", hash_) for name, hash_ in told.items()}
        try:
            view = read_report_data(files[f"{seat}.json"])["view"]
        except ReportDataError as error:
            raise line.fault(f"report, /files: {error}") from None
        code = reply_code(self._key, "imported", line.number)
        return {"files": files, "view": canonical_json(view), "code": code}

    def _sheet(self, line: Line, row: Row) -> Row:
        (_, run), seat = self._turns[line.values["turn_id"] - 1], self._seats[line.values["seat_id"] - 1]
        digest = json_sha256(row["orders"])
        # A later version of the game may lack orders of an earlier one.
        if run is None or run.record["version"] == self._ruleset.version:
            self._check_orders(line, row["orders"])
        if run is not None:
            self._check_received(line, row, run, seat, digest)
        return {"digest": digest}

    def _check_received(self, line: Line, row: Row, run: ArchivedTurn, seat: str, digest: str) -> None:
        """Raise BackupError unless a sheet of a turn that was run is the one that its record names."""
        used = run.record.get("sheets", {}).get(seat, {})
        if used.get("version") == row["version"] and used["digest"] != digest:
            raise line.fault(f"sheet, /orders: turn {run.number} was run with others")
        text = run.record["files"].get(f"sheets/{seat}-v{row['version']}.txt")
        if text is not None and text != file_hash(row["text"].encode()):
            raise line.fault(f"sheet, /text: it is not the one that turn {run.number} has in the archive")

    def _check_orders(self, line: Line, orders: Sequence[Any]) -> None:
        """Raise BackupError unless the game has the orders of a sheet, and reads them as they are."""
        book = self._ruleset.orders
        try:
            same = [book.to_json(book.from_json(order)) for order in orders] == orders
        except (*PARSE_ERRORS, RulesetError) as error:
            raise line.fault(f"sheet, /orders: {self._ruleset.title} has no such orders ({error})") from None
        if not same:
            raise line.fault(f"sheet, /orders: {self._ruleset.title} reads them as others")

    def _attachment(self, line: Line, row: Row) -> Row:
        return {"sha256": line.values["content"]}


def check_rebuilt(session: Session, ruleset: AnyRuleset, name: str) -> None:
    """Raise BackupError unless the turns of a campaign are consistent, and the game goes on in the open one."""
    snapshot = load_campaign(session, name)
    if broken := find_inconsistency(session, snapshot):
        raise BackupError(f"the turn history of {name} is inconsistent: {broken}")
    turn = session.execute(
        select(Turn.state, Turn.awaited).where(is_current(snapshot.id), Turn.number == snapshot.turn)
    ).one()
    where = f"campaign {name}, turn {snapshot.turn}"
    try:
        standing = ruleset.standing(ruleset.load(json.loads(turn.state), snapshot.version))
    except (*PARSE_ERRORS, RulesetError) as error:
        raise BackupError(f"{where}: {ruleset.title} cannot read its state ({error})") from None
    if standing.over:
        raise BackupError(f"{where}: the game is over there: there is nothing to play on")
    if set(turn.awaited) != set(standing.awaiting):
        awaiting = ", ".join(sorted(standing.awaiting))
        raise BackupError(f"{where}: by its state orders are awaited from {awaiting}, and its line says otherwise")
