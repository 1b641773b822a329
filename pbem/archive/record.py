"""Records of turns: inputs, results and hashes by which anyone can verify them.

A record is canonical JSON with one newline. It names the SHA-256 of the record
before it, of every file of its folder, and of every record that was withdrawn,
so the hash of the newest record covers the whole archive.

Reports disclose hashes of records, and a record holds facts that players do not
know. Its salt, 256 random bits that are disclosed only with the archive, keeps
players from guessing these facts and testing the guess against the hash.

The hash of the dice seed is disclosed when a campaign is created, the dice words
are fixed when it begins, and the seed is disclosed when it is over. The dice
follow from seed and words together, so neither the maker of the seed nor a single
player can choose them.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from pbem.errors import ReplayError
from pbem.report.facts import DiceDisclosure, DiceWord, SheetUsed
from pbem.ruleset.dice import Dice
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset, TurnInput
from pbem.ruleset.rolls import Roll
from pbem.ruleset.serialization import canonical_json, json_sha256
from pbem.ruleset.values import Attachment, Event, Json, SeatName

if TYPE_CHECKING:
    from pbem.ruleset.orders import OrderParser

FORMULA = (
    "The dice are those of HMAC-SHA-256(key: the sealed seed, message: 'pbem dice words', a zero byte, and `words` as "
    "JSON in UTF-8 without blanks). The word of a seat that is not among `own` is drawn: the first 12 characters of "
    "the base32, in lower case and fours joined by -, of HMAC-SHA-256(key: the sealed seed, message: "
    "'pbem drawn word', a zero byte, and the name of the seat in UTF-8)."
)
"""What the record of a set-up says of its `dice`; another formula would be another text."""

MOST_LISTED = 60
"""Seats whose words stand in each first report; where there are more, a report has its own and the digest of all."""

_DRAWN_CHARACTERS = 12


def drawn_word(seed: bytes, seat: SeatName) -> str:
    """The word of a seat whose player sends none.

    It follows from the sealed seed, so nobody can draw it again until it suits; it tells nothing of the seed.
    """
    letters = base64.b32encode(_hmac(seed, b"pbem drawn word", seat.encode())).decode().lower()[:_DRAWN_CHARACTERS]
    return "-".join(letters[at : at + 4] for at in range(0, _DRAWN_CHARACTERS, 4))


def mixed_seed(seed: bytes, words: Sequence[DiceWord]) -> bytes:
    """The seed of the dice: the sealed one with the words; without any, as in campaigns of old, the sealed one."""
    return _hmac(seed, b"pbem dice words", canonical_json(_pairs(words))) if words else seed


def rehearsal_seed(seed: bytes) -> bytes:
    """The seed of dice to look ahead with, always the same: they tell nothing of those that will be rolled."""
    return _hmac(seed, b"pbem rehearsal dice", b"")


def dump_dice_words(words: Sequence[DiceWord]) -> Json:
    """The words as the record of a set-up has them; nothing where there are none."""
    own = [each.seat for each in words if each.own]
    return {"formula": FORMULA, "words": _pairs(words), "own": own} if words else {}


def load_dice_words(record: Mapping[str, Json]) -> tuple[DiceWord, ...]:
    """The words in the record of a set-up. Raises ReplayError if they are not written as `dump_dice_words` does."""
    told: Any = record.get("dice", {})
    try:
        own = frozenset(told.get("own", ()))
        words = tuple(DiceWord(seat, word, own=seat in own) for seat, word in told.get("words", ()))
    except (TypeError, ValueError):
        words = ()
    if told != dump_dice_words(words):
        raise ReplayError("turn 0: its record has 'dice' wrong, or mixes them by a formula that is not known here")
    return words


def disclose_dice_words(words: Sequence[DiceWord]) -> dict[SeatName, DiceDisclosure]:
    """What each seat's first report, and its last, tell of the words; nothing where there are none."""
    known, few = json_sha256(_pairs(words)), len(words) <= MOST_LISTED
    return {
        each.seat: DiceDisclosure(words=tuple(words) if few else (each,), digest=known, seats=len(words))
        for each in words
    }


def _pairs(words: Sequence[DiceWord]) -> list[Json]:
    return [[each.seat, each.word] for each in words]


def _hmac(seed: bytes, purpose: bytes, message: bytes) -> bytes:
    return hmac.digest(seed, purpose + b"\0" + message, "sha256")


Patch = Sequence[Json]
"""The operations of a JSON Patch, in their order."""

FORMAT = 2
"""That of records with a salt and the names of what was withdrawn; those of format 1 have neither."""

_SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class WithdrawnTurn:
    """A record that was taken out of a campaign's history; `kind` says how: "rollback" or "rerun"."""

    turn: int
    hash: str
    kind: str


def setup_dice(seed: bytes) -> Dice:
    """The dice a campaign is set up with; the seed is the mixed one."""
    return Dice(seed).scoped("setup")


def turn_dice(seed: bytes, number: int) -> Dice:
    """The dice one turn is resolved with; a turn run again has the same."""
    return Dice(seed).scoped("turn", number)


def roll_dice(seed: bytes, number: int) -> Dice:
    """The dice of what a GM rolls in a turn; they have nothing to do with those that it is resolved with."""
    return Dice(seed).scoped("rolls", number)


def recorded_rolls(record: Mapping[str, Json]) -> tuple[Roll, ...]:
    """What the GM rolled in the turn of a record."""
    return tuple(map(Roll.from_json, record.get("rolls", ())))


def state_hash(ruleset: AnyRuleset, state: Any) -> str:
    """The hash of a state: of its dump, as canonical JSON."""
    return json_sha256(ruleset.dump(state))


def events_hash(events: Iterable[Event]) -> str:
    """The hash of all that happened in a turn, hidden or not, and of who heard it."""
    return json_sha256(
        [{"kind": event.kind, "audience": sorted(event.audience), "data": event.data} for event in events]
    )


def file_hash(content: bytes) -> str:
    """The hex SHA-256 of a file's bytes, be it a part of a report or a record."""
    return hashlib.sha256(content).hexdigest()


def disclosed_hash(record: bytes) -> str:
    """The hash of a record as reports tell it; "" for one without a salt, whose hash would tell too much."""
    return file_hash(record) if "salt" in json.loads(record) else ""


def orders_json(book: OrderParser, orders: Iterable[Order]) -> list[Json]:
    """Orders as JSON data, in their sequence."""
    return [book.to_json(order) for order in orders]


def setup_record(
    *,
    campaign: str,
    ruleset: AnyRuleset,
    options: Mapping[str, Any],
    seats: Sequence[SeatName],
    seal: str,
    started: dt.datetime,
    state: str,
    files: Mapping[str, bytes],
    withdrawn: Iterable[WithdrawnTurn] = (),
    patch: Patch = (),
    words: Sequence[DiceWord] = (),
    number: int = 0,
    given: Json = None,
) -> bytes:
    """The record of a campaign's set-up; two of the same set-up differ in their salt.

    `options` are those `ruleset.setup` was given, with the content of files in
    place of their paths; `state` is the `state_hash`; `files` come from
    `turn_files`; `withdrawn` is all that was ever taken back of the campaign;
    `patch` is what the GM changed of the state; `words` are those mixed with the
    seed. A game taken over from elsewhere has a `number` other than 0, that of
    the turn before its first, and begins with the state `given`, dumped.
    """
    return _encode(
        _common_facts(campaign, ruleset, number, options=options, seats=seats, seal=seal)
        | {"opened": None, "resolved": _time(started), "state_after": state}
        | {"files": _hashes(files), "previous": ""}
        | _without_empty(
            patch=list(patch), withdrawn=list(map(asdict, withdrawn)), dice=dump_dice_words(words), given=given
        )
    )


def turn_record(
    *,
    campaign: str,
    ruleset: AnyRuleset,
    number: int,
    options: Mapping[str, Any],
    seats: Sequence[SeatName],
    seal: str,
    opened: dt.datetime,
    resolved: dt.datetime,
    turn: TurnInput,
    used: Mapping[SeatName, SheetUsed],
    state_before: str,
    state_after: str,
    events: Sequence[Event],
    files: Mapping[str, bytes],
    previous: bytes,
    withdrawn: Iterable[WithdrawnTurn] = (),
    patch: Patch = (),
    seed: str = "",
) -> bytes:
    """The record of one turn's run; two of the same run differ in their salt.

    `turn` is what the resolver was given, `used` the sheets behind it (none
    for a seat whose defaults were used), the states are `state_hash`es,
    `files` come from `turn_files`, and `previous` is the record before this.
    `withdrawn` is all that was ever taken back of the campaign.
    `patch` is what the GM changed of the state that came out; `seed` is the hex
    of the dice's seed once the game is over.
    """
    return _encode(
        _common_facts(campaign, ruleset, number, options=options, seats=seats, seal=seal)
        | {"opened": _time(opened), "resolved": _time(resolved)}
        | {"orders": {seat: orders_json(ruleset.orders, orders) for seat, orders in turn.orders.items()}}
        | {"missing": sorted(turn.missing), "removed": sorted(turn.removed)}
        | ({} if turn.ruling is None else {"ruling": turn.ruling})
        | {"sheets": {seat: {"version": sheet.version, "digest": sheet.digest} for seat, sheet in used.items()}}
        | {"state_before": state_before, "state_after": state_after, "events": events_hash(events)}
        | {"files": _hashes(files), "previous": file_hash(previous)}
        | _without_empty(patch=list(patch), withdrawn=list(map(asdict, withdrawn)), seed=seed)
        | _without_empty(rolls=[roll.to_json() for roll in turn.rolls])
    )


def _common_facts(
    campaign: str,
    ruleset: AnyRuleset,
    number: int,
    *,
    options: Mapping[str, Any],
    seats: Sequence[SeatName],
    seal: str,
) -> dict[str, Json]:
    return {
        "format": FORMAT,
        "salt": secrets.token_hex(_SALT_BYTES),
        "campaign": campaign,
        "game": ruleset.key,
        "version": ruleset.version,
        "number": number,
        "options": dict(options),
        "seats": list(seats),
        "seal": seal,
    }


def _without_empty(**facts: Json) -> dict[str, Json]:
    """Facts that few records have; one without them has the bytes that it had before they were thought of."""
    return {name: value for name, value in facts.items() if value}


def _time(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).isoformat()


def _hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: file_hash(content) for path, content in files.items()}


def _encode(record: dict[str, Json]) -> bytes:
    return canonical_json(record) + b"\n"


RECORD = "turn.json"
WITHDRAWN = "withdrawn"
"""The folder of a campaign's archive for turns that were taken back or run again."""

_HASH_SHOWN = 8
"""Hex digits of a record's hash in the name of a withdrawn turn's folder."""


def folder_name(number: int) -> str:
    """The name of a turn's folder."""
    return f"{number:04d}"


def withdrawn_name(number: int, record_hash: str) -> str:
    """The name of the folder of a turn that was withdrawn, inside that for all such turns."""
    return f"{folder_name(number)}-{record_hash[:_HASH_SHOWN]}"


ENCLOSED = "enclosed"
"""The folder inside that of a turn."""

_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg"}


def attachment_path(enclosure: Attachment) -> str:
    """The file of a content in the folder of a turn."""
    ending = _ENDINGS.get(enclosure.kind) or PurePosixPath(enclosure.name).suffix.lower()
    return f"{ENCLOSED}/{enclosure.sha256}{ending}"


def attachment_hash(path: str) -> str:
    """The hash in such a path, "" in any other."""
    folder, _, name = path.partition("/")
    return PurePosixPath(name).stem if folder == ENCLOSED else ""
