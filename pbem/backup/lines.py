"""The rows of an exported campaign: a line of JSON each, which is checked when it is read.

    {"gm":"gm@example.org","name":"trap7",…,"table":"campaign"}
    {"campaign_id":1,"name":"red","person_id":2,…,"table":"seat"}

What a line has follows from the models: the columns of a row that leaves its home, but for those that an
import makes anew. A foreign key is the number of a line of its table. Long content is told by its
SHA-256: it is a file of the archive, or one of `content/`.

A file may come from a stranger. So each value has a schema, by the type of its column and its form; what
passed can be stored as it is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Boolean, Column, Enum, Integer, LargeBinary, Table, select
from sqlalchemy.orm import Session
from sqlalchemy.types import TypeDecorator, TypeEngine

from pbem.archive.record import file_hash
from pbem.backup.files import LINES
from pbem.campaign.history import LONGEST
from pbem.campaign.house_rules import check_kept
from pbem.campaign.schedule import Schedule, read_zone
from pbem.campaign.snapshot import is_campaign_name
from pbem.errors import BackupError, CampaignError
from pbem.mail.headers import MESSAGE_ID, is_name, require_address
from pbem.ruleset.fields import FieldError
from pbem.ruleset.rolls import parse_notation
from pbem.ruleset.serialization import canonical_json, parse_json
from pbem.ruleset.validation import (
    AnySchema,
    BooleanSchema,
    EnumSchema,
    IntegerSchema,
    ListSchema,
    Nullable,
    ObjectSchema,
    Schema,
    StringSchema,
    TupleSchema,
    ValidationError,
    unexpected,
    validate,
)
from pbem.ruleset.values import SeatName
from pbem.store.columns import Form, Leaves, facts_of, left_values, of_campaigns, tables_leaving, target_of
from pbem.store.models import Base
from pbem.store.types import CanonicalJson, CompressedFiles, InArchive, UtcDateTime

MOST_BYTES = 512_000_000
MOST_LINE = 64_000_000
"""Bytes of the file, and of one line: a ruling may be as long as a record."""

MOST_LINES = 2_000_000
MOST_COUNTED = 100_000
"""The largest number of any kind: in play, turns and versions may grow to ten times as many."""

LONGEST_TEXT = 4_000_000
"""Characters of a text that people wrote."""

MOST_ENTRIES = 100_000
"""Orders of a sheet, or remarks on it."""

_FORMER_NAMES = {"shelf": "withdrawal", "shelf_id": "withdrawal_id", "era": "revision"}
"""Names of tables and columns in exports made before migration 33, and what they are called since."""

_EARLIEST, _LATEST = dt.datetime(1990, 1, 1, tzinfo=dt.UTC), dt.datetime(9000, 1, 1, tzinfo=dt.UTC)
# Times near datetime's own bounds cannot be converted to every time zone.


def exported_tables() -> list[Table]:
    """Return the tables whose rows are exported, those to which others refer first."""
    return tables_leaving(Base.metadata, Leaves.CAMPAIGN)


def exported_columns(table: Table) -> list[Column[Any]]:
    left = left_values(table, Leaves.CAMPAIGN)
    return [
        each
        for each in table.columns
        if not (each.primary_key or each.name in left or facts_of(each).form is Form.MADE_ANEW)
    ]


def write_lines(session: Session, campaign_id: int, file: IO[bytes], put: Callable[[bytes], object]) -> None:
    """Write the rows of a campaign; `put` is called with content that lines name by its hash."""
    numbers: dict[Table, dict[int, int]] = {}
    for table in exported_tables():
        mine = numbers[table] = {}
        columns = exported_columns(table)
        rows = select(table.c.id, *columns).where(of_campaigns(table, [campaign_id])).order_by(table.c.id)
        # Few rows at a time: they hold states and reports.
        for id_, *values in session.execute(rows.execution_options(yield_per=50)):
            mine[id_] = len(mine) + 1
            line = {each.name: _dump(each, value, numbers, put) for each, value in zip(columns, values, strict=True)}
            file.write(canonical_json({"table": table.name, **line}) + b"\n")


def _dump(
    column: Column[Any], value: Any, numbers: Mapping[Table, Mapping[int, int]], put: Callable[[bytes], object]
) -> Any:
    """Return the value of a column as it stands in a line."""

    def name(content: bytes | InArchive) -> str:
        if isinstance(content, InArchive):
            return content.sha256
        put(content)
        return file_hash(content)

    target = target_of(column)
    if value is None or target is not None:
        return value if target is None or value is None else numbers[target][value]
    match value:
        case dt.datetime():
            return value.isoformat()
        case bytes():
            return value.hex() if facts_of(column).form is Form.SECRET else name(value)
        case str():
            # SQLite takes text with NUL in it, PostgreSQL does not.
            return value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return [[path, name(content)] for path, content in value.items()] if _is_files(column) else value


def _is_files(column: Column[Any]) -> bool:
    return isinstance(column.type, CompressedFiles)


def is_content(column: Column[Any]) -> bool:
    """Return True if lines have the hash of a column's bytes instead of them."""
    kind: TypeEngine[Any] = column.type
    plain = kind.impl_instance if isinstance(kind, TypeDecorator) else kind
    return isinstance(plain, LargeBinary) and not _is_files(column) and facts_of(column).form is not Form.SECRET


@dataclass(frozen=True, slots=True)
class Line:
    """A checked line: its number, its table, and the values of columns; keys are numbers of lines."""

    number: int
    table: Table
    values: Mapping[str, Any]

    def fault(self, text: str) -> BackupError:
        """Return the error that names the line."""
        return _fault(self.number, text)


def _fault(number: int, text: object) -> BackupError:
    # What is quoted in it may be a stranger's.
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))
    return BackupError(f"{LINES}, line {number}: {shown}")


def read_lines(path: Path, *, own: str, seats: Sequence[SeatName]) -> Iterator[Line]:
    """Yield the lines of a file, one after the other.

    Args:
        path: The file.
        own: The order address of this home, which no person can have.
        seats: The seats of the campaign, as its archive names them.

    Raises:
        BackupError: Names the first line that is not as it has to be, and what is expected there.
    """
    reading = _Reading(own, seats)
    with path.open("rb") as file:
        for number, raw in enumerate(iter(lambda: file.readline(MOST_LINE + 1), b""), 1):
            if len(raw) > MOST_LINE or number > MOST_LINES:
                raise _fault(number, f"it has more than {MOST_LINE:,} bytes, or is one of more than {MOST_LINES:,}")
            try:
                data = parse_json(raw.decode())
            except (ValueError, RecursionError):
                raise _fault(number, "it is no JSON in UTF-8 that can be stored") from None
            table, line = reading.check(number, data)
            values = {each.name: _load(each, line[each.name]) for each in exported_columns(table)}
            yield Line(number, table, values)
    if not reading.counts["campaign"]:
        raise BackupError(f"{LINES} has no line of the table campaign")


def _load(column: Column[Any], value: Any) -> Any:
    if value is None or target_of(column) is not None:
        return value
    if isinstance(column.type, UtcDateTime):
        return dt.datetime.fromisoformat(value)
    return bytes.fromhex(value) if facts_of(column).form is Form.SECRET else value


class _Reading:
    """The schemas of lines, and how many of each table were read."""

    def __init__(self, own: str, seats: Sequence[SeatName]) -> None:
        tables = exported_tables()
        self._places = {table.name: place for place, table in enumerate(tables)}
        self._tables = tables
        self._last = 0
        self.counts = dict.fromkeys(self._places, 0)
        forms = _forms(own, seats)
        # An export of an earlier version lacks columns that have come since.
        self._defaults = {table.name: dict(_defaults(exported_columns(table))) for table in tables}
        self._schemas = {
            table.name: ObjectSchema({"table": AnySchema(), **self._columns(table, forms)}) for table in tables
        }

    def _columns(self, table: Table, forms: Mapping[Form, Schema]) -> dict[str, Schema]:
        found = {}
        for each in exported_columns(table):
            target = target_of(each)
            schema = _schema(each, forms) if target is None else _Reference(target.name, self.counts)
            found[each.name] = Nullable(schema) if each.nullable else schema
        return found

    def check(self, number: int, data: Any) -> tuple[Table, Mapping[str, Any]]:
        """Return the table of a line, and the line. Raises BackupError unless it is one of that, in its place."""
        if isinstance(data, dict):
            data = {_FORMER_NAMES.get(key, key): value for key, value in data.items()}
        name = data.get("table") if isinstance(data, dict) else None
        name = _FORMER_NAMES.get(name, name) if isinstance(name, str) else None
        if not isinstance(name, str) or name not in self._places:
            raise _fault(number, next(iter(validate(EnumSchema(tuple(self._places), "table"), name, "/table"))))
        if self._places[name] < self._last or (name == "campaign" and self.counts[name]):
            raise _fault(number, f"/table: there is one campaign, and lines of {name} come before those after it")
        self._last = self._places[name]
        line = {**self._defaults[name], **data}
        for fault in validate(self._schemas[name], line):
            raise _fault(number, f"{name}, {fault}")
        self.counts[name] += 1
        return self._tables[self._last], line


def _defaults(columns: Iterable[Column[Any]]) -> Iterator[tuple[str, Any]]:
    for each in columns:
        default: Any = each.default
        if each.nullable:
            yield each.name, None
        elif default is not None:
            yield each.name, default.arg(None) if default.is_callable else default.arg


def _schema(column: Column[Any], forms: Mapping[Form, Schema]) -> Schema:
    """Return the schema of the values of a column that is no foreign key."""
    kind, form = column.type, facts_of(column).form
    longest = getattr(kind, "length", None) or LONGEST_TEXT
    if form is not None:
        schema = forms[form]
        return replace(schema, longest=longest) if isinstance(schema, _Accepted) else schema
    if is_content(column):
        return _HASH
    simple: Sequence[tuple[type[TypeEngine[Any]], Callable[[Any], Schema]]] = (
        (Enum, lambda kind: EnumSchema(tuple(kind.enums))),
        (Boolean, lambda _: BooleanSchema()),
        (Integer, lambda _: IntegerSchema(0, MOST_COUNTED)),
        (UtcDateTime, lambda _: _TIME),
        (CompressedFiles, lambda _: _FILES),
        (CanonicalJson, lambda _: AnySchema()),
    )
    made = next((make for known, make in simple if isinstance(kind, known)), None)
    return _Text(longest) if made is None else made(kind)


@dataclass(frozen=True, slots=True)
class _Reference:
    """The number of a line of a table that was read before."""

    table: str
    counts: Mapping[str, int]

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        most = self.counts[self.table]
        if type(data) is not int or not 1 <= data <= most:
            yield unexpected(path, f"the number of a line of {self.table}, of which {most} come before", data)


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of any number of lines."""

    longest: int

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        if not isinstance(data, str) or len(data) > self.longest:
            yield unexpected(path, f"a text of at most {self.longest:,} characters", data)


@dataclass(frozen=True, slots=True)
class _Accepted:
    """A text that a reader of ours accepts."""

    expected: str
    accepts: Callable[[str], Any]
    longest: int = LONGEST_TEXT

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        try:
            fits = isinstance(data, str) and len(data) <= self.longest and self.accepts(data)
        except (ValueError, CampaignError, FieldError) as error:
            yield ValidationError(path, f"expected {self.expected}: {str(error)[:300]}")
            return
        if not fits:
            yield unexpected(path, self.expected, data)


@dataclass(frozen=True, slots=True)
class _HouseRules:
    """The house rules of a campaign, as it holds them."""

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        try:
            check_kept(data)
        except CampaignError as error:
            yield ValidationError(path, str(error)[:300])


@dataclass(frozen=True, slots=True)
class _Objects:
    """A list of JSON objects; what is in them is checked by the game."""

    def faults(self, data: Any, path: str) -> Iterator[ValidationError]:
        if not isinstance(data, list) or len(data) > MOST_ENTRIES or not all(isinstance(each, dict) for each in data):
            yield unexpected(path, f"a list of at most {MOST_ENTRIES:,} objects", data)


def is_hash(text: str) -> bool:
    """Return True for a SHA-256 in hexadecimal digits."""
    return len(text) == len(file_hash(b"")) and set(text) <= set("0123456789abcdef")


def _is_time(text: str) -> bool:
    at = dt.datetime.fromisoformat(text)
    return at.tzinfo is not None and _EARLIEST <= at <= _LATEST


def _is_secret(text: str) -> bool:
    return text == text.lower() and 16 <= len(bytes.fromhex(text)) <= 64


_HASH = _Accepted("a SHA-256 in hexadecimal digits", is_hash)
_TIME = _Accepted("a time with its zone like 2026-11-02T09:00:00+00:00", _is_time)
# Names and hashes of a report's files, in their order in its mail.
_FILES = ListSchema(TupleSchema((StringSchema(120, least=1), _HASH)), most=1_000)


def _or_empty(accepts: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: text == "" or accepts(text)


def _forms(own: str, seats: Sequence[SeatName]) -> Mapping[Form, Schema]:
    """Return the schema of each form. No person has the address `own`."""

    def is_address(text: str) -> bool:
        return require_address(text, "a person", own) == text

    finding: dict[str, Schema] = {name: _Text(LONGEST_TEXT) for name in ("code", "text", "hint", "corrected")}
    finding |= {"line": IntegerSchema(0, LONGEST_TEXT), "severity": EnumSchema(("error", "warning", "note"))}
    return {
        Form.ADDRESS: _Accepted("an address like ann@example.org", is_address),
        Form.ADDRESS_OR_NONE: _Accepted("an address like ann@example.org, or none", _or_empty(is_address)),
        Form.PERSON_NAME_OR_NONE: _Accepted("a name that mails can show, or none", _or_empty(is_name)),
        Form.CAMPAIGN_NAME: _Accepted("a name of 1 to 40 of a-z, 0-9 and -", is_campaign_name),
        Form.SCHEDULE: _Accepted("a schedule", Schedule.read),
        Form.ZONE_OR_NONE: _Accepted("a time zone like Europe/Berlin, or none", _or_empty(read_zone)),
        Form.HOUSE_RULES: _HouseRules(),
        Form.SECRET: _Accepted("16 to 64 bytes in hexadecimal digits", _is_secret),
        Form.DICE: _Accepted("dice such as 3d6+2", parse_notation),
        Form.DICE_WORD: StringSchema(LONGEST),
        Form.SEAT: EnumSchema(seats, "seat"),
        Form.SEATS: ListSchema(EnumSchema(seats, "seat"), most=len(seats), distinct=True),
        Form.ORDERS: _Objects(),
        Form.FINDINGS: ListSchema(ObjectSchema(finding), most=MOST_ENTRIES),
        Form.MESSAGE_ID: _Accepted("a Message-ID in angle brackets", MESSAGE_ID.fullmatch),
    }
