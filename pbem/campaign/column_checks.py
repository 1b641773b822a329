"""Checks of the values of every column of an imported database.

A column declares its form at the model (`pbem.store.columns`); `FORMS` has the check
of each. What is left behind when a campaign moves is void here, and needs no form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
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
from pbem.store.columns import Form, facts_of
from pbem.store.rows import UnreadableValue, stored_rows
from pbem.store.types import CanonicalJson, CompressedBytes, CompressedFiles, UtcDateTime

LARGEST_ID = 2_000_000_000
"""The largest id of a row: a hundred million are left for rows to come, of which each restore skips a million."""

_DICE_WORD = re.compile(f"(?s).{{0,{LONGEST}}}")

_ID = between(1, LARGEST_ID)
_COUNT = between(0)


def person_name(value: Any) -> None:
    """Raise ValueError unless a value can be shown as a name in mails."""
    if not (isinstance(value, str) and is_name(value)):
        raise ValueError(f"a name is expected, and it is {shown(value)}")


FORMS: Mapping[Form, Check] = {
    Form.ADDRESS: address,
    Form.ADDRESS_OR_NONE: or_empty(address),
    Form.LOWER_ADDRESS: lower_address,
    Form.PERSON_NAME_OR_NONE: or_empty(person_name),
    Form.CAMPAIGN_NAME: campaign_name,
    Form.GAME: game_key,
    Form.ORDINAL: between(1, 1_000_000),
    Form.TURN: between(0, 1_000_000),
    Form.OBJECT: mapping,
    Form.OBJECTS: list_of(mapping),
    Form.SCHEDULE: schedule,
    Form.HOUSE_RULES: house_rules,
    Form.SECRET: sized(16, 64),
    Form.DICE: dice_notation,
    Form.DICE_WORD: matching(_DICE_WORD, f"a word of at most {LONGEST} characters"),
    Form.DICE_WORDS: dice_words,
    Form.SEAT: seat_name,
    Form.SEATS: list_of(seat_name),
    Form.STATE: state,
    Form.RECORD: record,
    Form.VIEW: view,
    Form.REPORT_FILES: report_files,
    Form.HASH: hash_,
    Form.HASH_OR_NONE: or_empty(hash_),
    Form.CODE: code,
    Form.MESSAGE_ID: message_id,
}
"""The check of each form, of a value that is not NULL."""


def check_of(column: Column[Any]) -> Check:
    """Return the check of a column's values, in the form in which the program reads them."""
    facts = facts_of(column)
    if facts.form is not None:
        return FORMS[facts.form]
    if facts.until is not None:
        return FORMS[Form.TURN]
    if not isinstance(column.type, Integer):
        return anything
    return _ID if column.primary_key or column.foreign_keys else _COUNT


def first_unfit(connection: Connection) -> UnreadableValue | None:
    """Return the first value that breaks the rule of its column, or None."""
    with closing(stored_rows(connection)) as rows:
        return next((fault for table, row in rows for fault in row_faults(table, row)), None)


def row_faults(table: Table, row: Sequence[Any]) -> Iterator[UnreadableValue]:
    """Yield the unreadable values of a row, given in its stored form."""
    read: dict[str, Any] = {}
    number = shown(row[0])
    for column, value in zip(table.columns, row, strict=True):
        try:
            read[column.name] = read_value(column, value)
            if read[column.name] is not None:
                check_of(column)(read[column.name])
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
