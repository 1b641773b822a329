"""Checks of the values of every column of the database, applied to the rows of an imported campaign (`pbem.backup`).

`CHECKS` has a check for each column of each table; a test keeps it complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Enum,
    Integer,
    LargeBinary,
    String,
    Table,
)
from sqlalchemy.types import TypeEngine

from pbem.campaign.history import LONGEST
from pbem.campaign.value_checks import (
    CODE,
    Check,
    Unfit,
    address,
    anything,
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
from pbem.store.rows import UnreadableValue, raw_rows
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


def first_unfit(connection: Connection) -> UnreadableValue | None:
    """Return the first value that breaks the rule of its column, or None."""
    for table in Base.metadata.sorted_tables:
        # Few rows at a time: they hold whole mails and reports.
        rows = raw_rows(table, connection.dialect.name)
        with connection.execute(rows.execution_options(yield_per=50)) as found:
            for row in found:
                for fault in row_faults(table, row):
                    return fault
    return None


def row_faults(table: Table, row: Sequence[Any]) -> Iterator[UnreadableValue]:
    """Yield the unreadable values of a row, given in its stored form."""
    read: dict[str, Any] = {}
    number = shown(row[0])
    for column, value in zip(table.columns, row, strict=True):
        try:
            read[column.name] = read_value(column, value)
            if read[column.name] is not None:
                CHECKS[table.name][column.name](read[column.name])
        except ValueError as error:
            yield UnreadableValue(table.name, number, column.name, f"{error}, and it is {shown(value)}")
            return
    for field, said in _relation_faults(table.name, read):
        yield UnreadableValue(table.name, number, field, said)


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
