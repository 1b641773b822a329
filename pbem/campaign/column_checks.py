"""Checks of the values of every column of the database, and a search for unreadable rows.

`CHECKS` has a check for each column of each table; a test keeps it complete. The
checks are applied to everything that comes from a file (`pbem.backup`), and to a
campaign in which an unreadable row was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Enum,
    Integer,
    LargeBinary,
    Select,
    String,
    Table,
    cast,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.types import NullType, TypeEngine

from pbem.campaign.history import LONGEST
from pbem.campaign.value_checks import (
    CODE,
    Check,
    Unfit,
    address,
    anything,
    aware_moment,
    between,
    bundle,
    campaign_name,
    code,
    dice_notation,
    dice_words,
    flag,
    game_key,
    hash_,
    house_rules,
    list_of,
    lower_address,
    mapping,
    matching,
    message_id,
    moment,
    number,
    one_of,
    or_empty,
    raw,
    record,
    report_files,
    schedule,
    seat_name,
    seconds,
    shown,
    sized,
    state,
    stored_data,
    text,
    unpacked,
    view,
)
from pbem.mail.headers import is_name
from pbem.ruleset.serialization import json_sha256
from pbem.store.models import Base
from pbem.store.types import CanonicalJson, CompressedBytes, CompressedFiles, UtcDateTime

LARGEST_ID = 2_000_000_000
"""The largest id of a row: a hundred million are left for rows to come, of which each restore skips a million."""

_DICE_WORD = re.compile(f"(?s).{{0,{LONGEST}}}")
_DOMAIN = re.compile(r"[^\s@]+")
_KIND = re.compile("[a-z_ ]*")
_PLACE = re.compile(r"p/[0-9a-f]{8,64}\.html")
_REQUEST = re.compile(f"{CODE}|run-[0-9]+-[0-9]+-[0-9]+")

_ID = between(1, LARGEST_ID)
_COUNT = between(0)
_TURN = between(0, 1_000_000)
_SEAT_NAMES = list_of(seat_name)
_TEXT = anything
_TIME = anything
_FLAG = anything
# These columns are fully checked by their types.
_ENUM = anything


def person_name(value: Any) -> None:
    """Raise ValueError unless a value can be shown as a name in mails."""
    if not (isinstance(value, str) and is_name(value)):
        raise ValueError(f"a name is expected, and it is {shown(value)}")


CHECKS: Mapping[str, Mapping[str, Check]] = {
    "person": {
        "id": _ID,
        "address": address,
        "key": lower_address,
        "fallback": or_empty(address),
        "plain": _FLAG,
        "calendar": _FLAG,
        "pages": _ENUM,
        "created_at": _TIME,
    },
    "campaign": {
        "id": _ID,
        "name": campaign_name,
        "game": game_key,
        "version": between(1, 1_000_000),
        "options": mapping,
        "gm": address,
        "gm_name": or_empty(person_name),
        "schedule": schedule,
        "status": _ENUM,
        "turn": _TURN,
        "seed": sized(16, 64),
        "dice_words": dice_words,
        "mail_key": sized(16, 64),
        "created_at": _TIME,
        "policy": house_rules,
        "gm_token_hash": or_empty(hash_),
        "hold_kind": _ENUM,
        "hold_reason": _TEXT,
        "moved_to": _TEXT,
        "era": between(0, 1_000_000),
        "origin": _TURN,
        "given": state,
    },
    "seat": {
        "id": _ID,
        "campaign_id": _ID,
        "name": seat_name,
        "person_id": _ID,
        "token_hash": or_empty(hash_),
        "status": _ENUM,
        "paused": _FLAG,
        "muted": _SEAT_NAMES,
        "dice_word": matching(_DICE_WORD, f"a word of at most {LONGEST} characters"),
        "dice_code": or_empty(code),
        "nmr_in_a_row": _COUNT,
        "nmr_total": _COUNT,
        "since": _TIME,
    },
    "deputy": {"id": _ID, "seat_id": _ID, "person_id": _ID, "since": _TIME, "until": _TIME},
    "absence": {"id": _ID, "seat_id": _ID, "since": _TIME, "until": _TIME},
    "applicant": {
        "id": _ID,
        "campaign_id": _ID,
        "person_id": _ID,
        "wish": _TEXT,
        "words": _TEXT,
        "status": _ENUM,
        "created_at": _TIME,
    },
    "request": {
        "id": _ID,
        "kind": _ENUM,
        "code": matching(_REQUEST, "the code of a request"),
        "campaign_id": _ID,
        "data": mapping,
        "message_id": or_empty(message_id),
        "created_at": _TIME,
        "done_at": _TIME,
    },
    "shelf": {
        "id": _ID,
        "campaign_id": _ID,
        "kind": _ENUM,
        "first": _TURN,
        "at": _TIME,
    },
    "roll": {
        "id": _ID,
        "campaign_id": _ID,
        "turn": _TURN,
        "label": _TEXT,
        "dice": dice_notation,
        "number": between(1, 1_000_000),
        "at": _TIME,
    },
    "turn": {
        "id": _ID,
        "campaign_id": _ID,
        "shelf_id": _ID,
        "number": _TURN,
        "awaited": _SEAT_NAMES,
        "state": state,
        "state_hash": or_empty(hash_),
        "opened_at": _TIME,
        "deadline": _TIME,
        "reminded_at": _TIME,
        "extensions": _COUNT,
        "ruling": anything,
        "resolved_at": _TIME,
        "record": record,
        "archived_at": _TIME,
    },
    "vote": {"id": _ID, "turn_id": _ID, "seat_id": _ID, "at": _TIME},
    "report": {
        "id": _ID,
        "turn_id": _ID,
        "seat_id": _ID,
        "code": code,
        "message_id": message_id,
        "edition": between(1, 1_000_000),
        "view": view,
        "files": report_files,
    },
    "report_copy": {
        "id": _ID,
        "report_id": _ID,
        "deputy_id": _ID,
        "code": code,
        "message_id": message_id,
    },
    "enclosed": {"id": _ID, "campaign_id": _ID, "turn_id": _ID, "sha256": hash_, "content": anything},
    "sealed_page": {
        "id": _ID,
        "campaign_id": _ID,
        "place": matching(_PLACE, "the place of a page, like p/0123456789abcdef.html,"),
        "content": anything,
        "seat_id": _ID,
        "person_id": _ID,
        "written_at": _TIME,
        "withdrawn_at": _TIME,
    },
    "fact": {"name": anything, "data": anything},
    "worker": {"id": anything, "machine": _TEXT, "process": _COUNT, "queues": list_of(anything), "since": _TIME},
    "letter": {
        "id": _ID,
        "mailbox": _TEXT,
        "uid_validity": _TEXT,
        "uid": _TEXT,
        "sha256": _TEXT,
        "content": _TEXT,
        "received_at": _TIME,
        "raw": anything,
        "state": _ENUM,
        "note": _TEXT,
        "attempts": _COUNT,
        "sender": or_empty(lower_address),
        "verdict": _ENUM,
        "key": _TEXT,
        "unanswered": _FLAG,
        "masked_at": _TIME,
    },
    "sheet": {
        "id": _ID,
        "turn_id": _ID,
        "seat_id": _ID,
        "letter_id": _ID,
        "version": between(1, 1_000_000),
        "accepted": _FLAG,
        "wait": _FLAG,
        "digest": hash_,
        "text": _TEXT,
        "orders": list_of(mapping),
        "findings": list_of(mapping),
        "received_at": _TIME,
        "author": _ENUM,
    },
    "outgoing": {
        "id": _ID,
        "campaign_id": _ID,
        "person_id": _ID,
        "kind": matching(_KIND, "a kind of mail"),
        "topic": _TEXT,
        "recipient": address,
        "provider": or_empty(matching(_DOMAIN, "the domain of an address")),
        "form": _ENUM,
        "message_id": message_id,
        "code": or_empty(code),
        "raw": anything,
        "state": _ENUM,
        "attempts": _COUNT,
        "not_before": _TIME,
        "created_at": _TIME,
        "sent_at": _TIME,
        "reply": _TEXT,
        "masked_at": _TIME,
    },
    "press": {
        "id": _ID,
        "campaign_id": _ID,
        "turn": _TURN,
        "kind": _ENUM,
        "sender_id": _ID,
        "recipients": _SEAT_NAMES,
        "anonymous": _FLAG,
        "text": _TEXT,
        "at": _TIME,
        "published_at": _TIME,
    },
    "question": {
        "id": _ID,
        "campaign_id": _ID,
        "number": between(1, 1_000_000),
        "turn": _TURN,
        "seat_id": _ID,
        "author": _ENUM,
        "text": _TEXT,
        "at": _TIME,
        "code": or_empty(code),
        "message_id": or_empty(message_id),
    },
    "answer": {
        "id": _ID,
        "campaign_id": _ID,
        "question_id": _ID,
        "turn": _TURN,
        "recipients": _SEAT_NAMES,
        "text": _TEXT,
        "at": _TIME,
    },
    "gm_text": {"id": _ID, "campaign_id": _ID, "turn": _TURN, "seat_id": _ID, "text": _TEXT, "at": _TIME},
    "act": {
        "id": _ID,
        "campaign_id": _ID,
        "at": _TIME,
        "actor": _TEXT,
        "text": _TEXT,
        "secret": _FLAG,
        "turn": _TURN,
        "undo": mapping,
    },
}
"""By table and column, the check of a value that is not NULL, in the form in which the program reads it."""


def _object_of(**keys: Check) -> Check:
    def check(data: Any) -> None:
        mapping(data)
        for name, check_one in keys.items():
            if name not in data:
                raise Unfit(f"{name!r} is expected in it")
            check_one(data[name])

    return check


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _outage_times(value: Any) -> None:
    if not isinstance(value, list) or len(value) != 3:
        raise Unfit("three times are expected")
    list_of(aware_moment)(value)


def _sizes(value: Any) -> None:
    mapping(value)
    for uid, size in value.items():
        text(uid)
        _COUNT(number(size))


_UNMOVED = _object_of(mailbox=text, uid_validity=text, sizes=_sizes, copied=list_of(text), reason=text)

FACTS: Mapping[str, Check] = {
    "mailbox": _object_of(
        at=aware_moment,
        newest=lambda value: _COUNT(number(value)),
        last_good=aware_moment,
        usual=_or_none(seconds),
        failed=flag,
        outage=_or_none(_outage_times),
    ),
    "processed": _object_of(unmoved=_or_none(_UNMOVED), told=_or_none(aware_moment), emptied=_or_none(aware_moment)),
    "closed": _object_of(made=aware_moment, at=aware_moment),
    "queues": _object_of(newest=text),
    "site": list_of(anything),
    "house key": lambda value: hash_(text(value)),
}
"""The check of each remembered value, by its name."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that cannot be read: its place, and what was expected and found.

    `plain`: it is a text or a number, of another form than the program writes.
    """

    table: str
    row: str
    field: str
    said: str
    plain: bool = False

    @property
    def text(self) -> str:
        """The fault as a clause."""
        return f"table {self.table}, row {self.row}, field {self.field}: {self.said}"

    def may_raise(self, error: Exception) -> bool:
        """Return True if reading the value may have raised an error; False if only a fault in the code can have."""
        # A text of another form has the methods of any text.
        return not (self.plain and isinstance(error, AttributeError | TypeError | AssertionError))


def find_faults(connection: Connection, campaign_id: int | None = None) -> Generator[Fault, None, None]:
    """Yield the unreadable values of all rows, or of those of one campaign and its people, table by table."""
    for table in Base.metadata.sorted_tables:
        rows = _rows_of(table, campaign_id, connection.dialect.name)
        if rows is not None:
            # Few rows at a time: they hold whole mails and reports.
            with connection.execute(rows.execution_options(yield_per=50)) as found:
                for row in found:
                    yield from row_faults(table, row)


def first_fault(connection: Connection, campaign_id: int | None = None) -> Fault | None:
    """Return the first unreadable value, or None."""
    with closing(find_faults(connection, campaign_id)) as faults:
        return next(faults, None)


def row_faults(table: Table, row: Sequence[Any]) -> Iterator[Fault]:
    """Yield the unreadable values of a row, given in its stored form."""
    read: dict[str, Any] = {}
    number = shown(row[0])
    for column, value in zip(table.columns, row, strict=True):
        try:
            read[column.name] = read_value(column, value)
            if read[column.name] is not None:
                CHECKS[table.name][column.name](read[column.name])
        except ValueError as error:
            plain = isinstance(read.get(column.name), str | int)
            yield Fault(table.name, number, column.name, f"{error}, and it is {shown(value)}", plain)
            return
    for field, said in _relation_faults(table.name, read):
        yield Fault(table.name, number, field, said)


def read_value(column: Column[Any], value: Any) -> Any:
    """Return the value of a column from its stored form. Raise ValueError saying what was expected."""
    if value is None:
        if not column.nullable:
            raise Unfit("a value is expected")
        return None
    read = next(read for kind, read in _READERS if isinstance(column.type, kind))
    return read(column.type, value)


def _enum_word(kind: Enum, value: Any) -> Any:
    one_of(*kind.enums)(text(value))
    return value


# The first reader whose type fits is used, since some types are subclasses of others.
_READERS: Sequence[tuple[type[TypeEngine[Any]], Callable[[Any, Any], Any]]] = (
    (UtcDateTime, lambda _, value: moment(value)),
    (CompressedBytes, lambda _, value: unpacked(value)),
    (CompressedFiles, lambda _, value: bundle(value)),
    (CanonicalJson, lambda _, value: stored_data(value)),
    (Enum, _enum_word),
    (Boolean, lambda _, value: flag(value)),
    (Integer, lambda _, value: number(value)),
    (LargeBinary, lambda _, value: raw(value)),
    (String, lambda kind, value: text(value, kind.length)),
)


def _relation_faults(table: str, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the fields whose values contradict others of the row, each with what is wrong."""
    if table == "person" and row["address"].lower() != row["key"]:
        yield "key", f"it is not the address {shown(row['address'])} in lower case"
    # Receipts have the checksum, so a sheet must not differ from what its player was told.
    if table == "sheet" and json_sha256(row["orders"]) != row["digest"]:
        yield "digest", "it is not that of the orders"
    if table == "turn" and (row["resolved_at"] is None) != (row["record"] is None):
        yield "record", "a turn that was run has a record, and no other has one"
    if table == "fact":
        yield from _fact_faults(row)


def _fact_faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if row["name"] not in FACTS:
        yield "name", f"there is no fact of this name; there are {', '.join(FACTS)}"
        return
    try:
        FACTS[row["name"]](row["data"])
    except ValueError as error:
        yield "data", f"{error}, and it is {shown(row['data'])}"


def _rows_of(table: Table, campaign_id: int | None, dialect: str) -> Select[Any] | None:
    """Return the query of the rows in their stored form; None for a table that belongs to no campaign."""
    rows = select(*(_raw_column(column, dialect) for column in table.columns)).order_by(*table.primary_key)
    if campaign_id is None:
        return rows
    tables = Base.metadata.tables
    seats = select(tables["seat"].c.id).where(tables["seat"].c.campaign_id == campaign_id)
    turns = select(tables["turn"].c.id).where(tables["turn"].c.campaign_id == campaign_id)
    reports = select(tables["report"].c.id).where(tables["report"].c.turn_id.in_(turns))
    people = select(tables["seat"].c.person_id).where(tables["seat"].c.campaign_id == campaign_id)
    within: dict[str, Callable[[Any], Any]] = {
        "campaign_id": lambda column: column == campaign_id,
        "turn_id": lambda column: column.in_(turns),
        "seat_id": lambda column: column.in_(seats),
        "report_id": lambda column: column.in_(reports),
    }
    if table.name in ("campaign", "person"):
        ids = [campaign_id] if table.name == "campaign" else people
        return rows.where(table.c.id.in_(ids))
    own = [test(table.c[name]) for name, test in within.items() if name in table.c]
    return rows.where(or_(*own)) if own else None


def _raw_column(column: Column[Any], dialect: str) -> Any:
    """Return a column without the conversions of SQLAlchemy."""
    # As text: psycopg cannot convert PostgreSQL's 'infinity'.
    if isinstance(column.type, UtcDateTime) and dialect == "postgresql":
        return cast(column, String).label(column.name)
    return type_coerce(column, NullType()).label(column.name)
