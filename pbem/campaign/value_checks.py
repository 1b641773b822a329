"""Checks of single database values: each raises Unfit, saying what was expected.

The host writes no other values, and applies these checks to rows that others may
have written. The check of each column is listed in `pbem.campaign.column_checks`.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from pbem.archive.reader import check_record
from pbem.campaign.house_rules import check_kept
from pbem.campaign.schedule import Schedule
from pbem.errors import CampaignError, ReplayError
from pbem.mail.headers import MESSAGE_ID, parse_address
from pbem.ruleset.fields import FieldError
from pbem.ruleset.rolls import parse_notation
from pbem.ruleset.serialization import parse_json
from pbem.ruleset.values import is_plain_seat
from pbem.util import CODE_CHARACTERS

Check = Callable[[Any], object]

MOST_UNPACKED = 64_000_000
"""Bytes of a value that is stored compressed: as many as a record may have."""

LONGEST_TEXT = 4_000_000
"""Characters of a text that people wrote."""

LARGEST_NUMBER = 2**31 - 1
"""The largest INTEGER of PostgreSQL."""

EARLIEST, LATEST = dt.datetime(1990, 1, 1, tzinfo=dt.UTC), dt.datetime(9000, 1, 1, tzinfo=dt.UTC)
"""Bounds of times; those near datetime's own bounds cannot be converted to every time zone."""

CODE = f"[a-z2-7]{{{CODE_CHARACTERS}}}"

_CODE = re.compile(CODE)
_FILE = re.compile(r"[a-z0-9][\w.-]{0,120}")
_GAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_HASH = re.compile("[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9-]{1,40}")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}(?:\.[0-9]{1,6})?(?:[+-][0-9]{2}(?::[0-9]{2})?)?")
# Bytes of SQLite that are not UTF-8 are read as surrogates (PEP 383), so that only their own row is unusable.
_UNDECODED = re.compile(r"[\ud800-\udfff]")

_SHOWN = 40


class Unfit(ValueError):
    """Raised when a value is not what its column may hold; its text says what was expected."""


def is_campaign_name(text: str) -> bool:
    """Return True if a campaign may have this name."""
    return _NAME.fullmatch(text) is not None


def shown(value: object) -> str:
    """Return the beginning of a value in ASCII, for a sentence that tells what was found."""
    text = ascii(value if isinstance(value, str | int | float | bytes | None) else type(value).__name__)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


# --- What the type of a column says ---------------------------------------------------------------------------------


def number(value: Any) -> int:
    """Return a whole number that every database can hold."""
    # SQLite stores any type in any column, whatever it was declared as; and True is an int to isinstance.
    if type(value) is not int or not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        raise Unfit("a whole number is expected")
    return value


def flag(value: Any) -> bool:
    """Return a boolean; SQLite stores 0 and 1."""
    if value not in (0, 1) or isinstance(value, float):
        raise Unfit("0 or 1 is expected")
    return bool(value)


def text(value: Any, longest: int | None = None) -> str:
    """Return a text of at most `longest` characters."""
    longest = longest or LONGEST_TEXT
    if not isinstance(value, str):
        raise Unfit("a text is expected")
    if len(value) > longest:
        raise Unfit(f"a text of at most {longest} characters is expected, and it has {len(value)}")
    if _UNDECODED.search(value):
        raise Unfit("a text in UTF-8 is expected")
    return value


def raw(value: Any) -> bytes:
    """Return bytes."""
    if not isinstance(value, bytes):
        raise Unfit("bytes are expected")
    return value


def moment(value: Any) -> dt.datetime:
    """Return a time in UTC, from the forms of SQLite and PostgreSQL."""
    expected = "a time like 2026-11-02 09:00:00 is expected"
    if isinstance(value, str):
        if not _MOMENT.fullmatch(value):  # SQLAlchemy cannot read other forms, or they sort wrongly
            raise Unfit(expected)
        try:
            value = dt.datetime.fromisoformat(value)
        except ValueError:
            raise Unfit(expected) from None
    if not isinstance(value, dt.datetime):
        raise Unfit(expected)
    at = value.replace(tzinfo=dt.UTC) if value.tzinfo is None else value
    if not EARLIEST <= at <= LATEST:
        raise Unfit(f"a time from {EARLIEST.year} to {LATEST.year} is expected")
    return at


def unpacked(value: Any) -> bytes:
    """Return the content of compressed bytes, if it is not larger than allowed."""
    packed = raw(value)
    # In steps: a small value of a hostile file may unpack to gigabytes.
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, MOST_UNPACKED)
    except zlib.error:
        raise Unfit("bytes compressed by zlib are expected") from None
    if unpacking.unconsumed_tail:
        raise Unfit(f"compressed bytes of at most {MOST_UNPACKED:,} are expected")
    # A cut stream raises no error in a decompressobj, and bytes behind its end are not read by it.
    if not unpacking.eof or unpacking.unused_data:
        raise Unfit("bytes compressed by zlib are expected")
    return content


def bundle(value: Any) -> dict[str, bytes]:
    """Return the files of a bundle (`pbem.store.types`), whose lengths must add up to its size."""
    packed = raw(value)
    start = 4 + int.from_bytes(packed[:4], "big")
    head, _, texts = unpacked(packed[4:start]).partition(b"\n")
    try:
        listed = json.loads(head)
        files = {str(name): int(length) for name, length in listed}
    except (ValueError, TypeError, RecursionError):
        raise Unfit("a bundle of files is expected") from None
    pictures = sum(length for name, length in files.items() if name.endswith(".png"))
    others = sum(files.values()) - pictures
    # A negative length could make the sums below agree, and would take one file's bytes for another's.
    if len(files) != len(listed) or any(length < 0 for length in files.values()):
        raise Unfit("a bundle of files is expected, each with its length, and once")
    if (others, pictures) != (len(texts), len(packed) - start):
        raise Unfit("a bundle of files is expected whose lengths are those of its contents")
    return _split_bundle(files, texts, packed[start:])


def _split_bundle(files: Mapping[str, int], texts: bytes, pictures: bytes) -> dict[str, bytes]:
    content, taken = {False: texts, True: pictures}, {False: 0, True: 0}
    found = {}
    for name, length in files.items():
        kind = name.endswith(".png")
        found[name] = content[kind][taken[kind] : taken[kind] + length]
        taken[kind] += length
    return found


def stored_data(value: Any) -> Any:
    """Return the data of a JSON text."""
    try:
        # RecursionError: a text of 100,000 brackets is short, and exhausts the stack of the parser.
        return parse_json(text(value, MOST_UNPACKED))
    except (ValueError, RecursionError):
        raise Unfit("JSON is expected") from None


# --- What a column means --------------------------------------------------------------------------------------------


def anything(_: Any) -> None:
    """Accept whatever the type of the column allows: words of people, times, flags."""


def between(low: int, high: int = LARGEST_NUMBER) -> Check:
    """Return the check of a whole number with bounds."""

    def check(value: int) -> None:
        if not low <= value <= high:
            raise Unfit(f"a number from {low} to {high} is expected")

    return check


def one_of(*words: str) -> Check:
    """Return the check of one of several words."""

    def check(value: str) -> None:
        if value not in words:
            raise Unfit(f"one of {', '.join(words)} is expected")

    return check


def matching(form: re.Pattern[str], expected: str) -> Check:
    """Return the check of a text by a regular expression."""

    def check(value: str) -> None:
        if not form.fullmatch(value):
            raise Unfit(f"{expected} is expected")

    return check


def or_empty(check: Check) -> Check:
    """Return a check that accepts an empty text too."""
    return lambda value: value == "" or check(value)


def sized(low: int, high: int) -> Check:
    """Return the check of a number of bytes."""

    def check(value: bytes) -> None:
        if not low <= len(value) <= high:
            raise Unfit(f"{low} to {high} bytes are expected")

    return check


def list_of(check: Check) -> Check:
    """Return the check of a JSON list."""

    def check_list(value: Any) -> None:
        if not isinstance(value, list):
            raise Unfit("a JSON list is expected")
        for each in value:
            check(each)

    return check_list


hash_ = matching(_HASH, "a SHA-256 in hex")
code = matching(_CODE, "a reply code")
message_id = matching(MESSAGE_ID, "a Message-ID in angle brackets")
game_key = matching(_GAME, "the key of a game")


def campaign_name(value: str) -> None:
    """Check the name of a campaign."""
    if not is_campaign_name(value):
        raise Unfit("the name of a campaign is expected: 1 to 40 of a-z, 0-9 and -")


def seat_name(value: Any) -> None:
    """Check the name of a seat."""
    if not isinstance(value, str) or not is_plain_seat(value):
        raise Unfit("the name of a seat is expected: 1 to 20 of a-z, 0-9 and -")


def address(value: str) -> None:
    """Check an address as mail is sent to it: nothing around it, its domain in lower case."""
    if parse_address(value) != value:
        raise Unfit("an address like ann@example.org is expected")


def lower_address(value: str) -> None:
    """Check an address by which a person is known."""
    if value != value.lower() or (parse_address(value) or "").lower() != value:
        raise Unfit("an address in lower case, like ann@example.org, is expected")


def schedule(value: str) -> None:
    """Check the schedule of a campaign."""
    try:
        Schedule.read(value)
    except CampaignError as error:
        raise Unfit(str(error)) from None


def house_rules(value: Any) -> None:
    """Check the house rules of a campaign."""
    try:
        check_kept(value)
    except CampaignError as error:
        raise Unfit(str(error)) from None


def dice_notation(value: str) -> None:
    """Check the dice of a roll."""
    try:
        parse_notation(value)
    except FieldError as error:
        raise Unfit(f"dice such as 3d6+2 are expected: {error}") from None


def mapping(value: Any) -> None:
    """Check a JSON object."""
    if not isinstance(value, dict):
        raise Unfit("a JSON object is expected")


def json_bytes(value: bytes) -> Any:
    """Check and return JSON in bytes."""
    try:
        return parse_json(value.decode())
    except (ValueError, RecursionError):
        raise Unfit("JSON in UTF-8 is expected") from None


def state(value: bytes) -> None:
    """Check a state of a game, as far as the host knows it. That of a set-up before the start is empty."""
    if value:
        json_bytes(value)


def record(value: bytes) -> None:
    """Check the record of a turn."""
    facts = json_bytes(value)
    turn = facts.get("number") if isinstance(facts, dict) else None
    if type(turn) is not int:
        raise Unfit("the record of a turn is expected, with its number")
    try:
        check_record(facts, turn, value)
    except ReplayError as error:
        raise Unfit(f"the record of a turn is expected: {error}") from None


def view(value: bytes) -> None:
    """Check the view of a seat."""
    seen = json_bytes(value)
    if not isinstance(seen, dict) or not isinstance(seen.get("label"), str):
        raise Unfit("a view is expected: a JSON object with a label")


def dice_words(value: Any) -> None:
    """Check the words that are mixed with the seed."""
    list_of(_dice_word_entry)(value)


def _dice_word_entry(value: Any) -> None:
    if not isinstance(value, list) or [type(each) for each in value] != [str, str, bool]:
        raise Unfit("words for the dice are expected: lists of seat, word, and whether it is the player's own")
    seat_name(value[0])


def report_files(value: Mapping[str, bytes]) -> None:
    """Check the names of a report's files."""
    for name in value:
        if not _FILE.fullmatch(name):
            raise Unfit(f"the names of a report's files are expected, and one is {shown(name)}")


def seconds(value: Any) -> None:
    """Check a number of seconds in JSON."""
    if type(value) not in (int, float) or not 0 <= value <= 10**9:
        raise Unfit("a number of seconds is expected")


def aware_moment(value: Any) -> None:
    """Check a time with its zone in JSON."""
    expected = "a time with its zone, like 2026-11-02T09:00:00+00:00, is expected"
    try:
        at = dt.datetime.fromisoformat(value)
    except (ValueError, TypeError):
        raise Unfit(expected) from None
    if at.tzinfo is None:
        raise Unfit(expected)
    moment(at)
