"""Records of turns: inputs, results and hashes by which anyone can verify them.

A record is canonical JSON with one newline. It names the SHA-256 of the record
before it, of every file of its folder, and of every record that was withdrawn,
so the hash of the newest record covers the whole archive.

Reports disclose hashes of records, and a record holds facts that players do not
know. Its salt, 256 random bits that are disclosed only with the archive, keeps
players from guessing these facts and testing the guess against the hash.

The hash of the dice seed is disclosed when a campaign is created, the dice words
are fixed when it starts, and the seed is disclosed when it is over. The dice
follow from seed and words together, so neither the maker of the seed nor a single
player can choose them.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import hmac
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
"""The formula in the record of a set-up; if the computation changed, so would the text."""

MOST_LISTED = 60
"""Seats whose words are in each first report; with more seats, a report has its own word and the digest of all."""

_DRAWN_CHARACTERS = 12


def drawn_word(seed: bytes, seat: SeatName) -> str:
    """Return the dice word of a seat whose player sends none.

    It follows from the sealed seed, so it cannot be drawn again until it suits; it
    discloses nothing about the seed.
    """
    letters = base64.b32encode(_hmac(seed, b"pbem drawn word", seat.encode())).decode().lower()[:_DRAWN_CHARACTERS]
    return "-".join(letters[at : at + 4] for at in range(0, _DRAWN_CHARACTERS, 4))


def mixed_seed(seed: bytes, words: Sequence[DiceWord]) -> bytes:
    """Return the seed of the dice: the sealed one mixed with the words, or the sealed one if there are no words."""
    # Campaigns of earlier versions have no words.
    return _hmac(seed, b"pbem dice words", canonical_json(_pairs(words))) if words else seed


def rehearsal_seed(seed: bytes) -> bytes:
    """Return the seed of the dice of previews; it is always the same, and discloses nothing about the real dice."""
    return _hmac(seed, b"pbem rehearsal dice", b"")


def bot_seed(seed: bytes) -> bytes:
    """Return the seed of the dice of bots that play seats; a bot must not know what the campaign's dice will show."""
    return _hmac(seed, b"pbem bot dice", b"")


def dump_dice_words(words: Sequence[DiceWord]) -> Json:
    """Return the words as the record of a set-up holds them; {} if there are none."""
    own = [each.seat for each in words if each.own]
    return {"formula": FORMULA, "words": _pairs(words), "own": own} if words else {}


def load_dice_words(record: Mapping[str, Json]) -> tuple[DiceWord, ...]:
    """Return the words in the record of a set-up.

    Raises:
        ReplayError: They are not as `dump_dice_words` writes them.
    """
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
    """Return what each seat's first and last report disclose of the words; {} if there are none."""
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
"""The format of records; there was no other in any release."""

_SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class WithdrawnTurn:
    """A record that was taken out of a campaign's history; `kind` says how: "rollback" or "rerun"."""

    turn: int
    hash: str
    kind: str


def setup_dice(seed: bytes) -> Dice:
    """Return the dice for a campaign's set-up; `seed` is the mixed one."""
    return Dice(seed).within("setup")


def turn_dice(seed: bytes, number: int) -> Dice:
    """Return the dice for running a turn; a rerun has the same. `seed` is the mixed one."""
    return Dice(seed).within("turn", number)


def roll_dice(seed: bytes, number: int) -> Dice:
    """Return the dice for a GM's rolls in a turn; they are independent of those that the turn is run with."""
    return Dice(seed).within("rolls", number)


def recorded_rolls(record: Mapping[str, Json]) -> tuple[Roll, ...]:
    """Return the GM's rolls in the turn of a record."""
    return tuple(map(Roll.from_json, record.get("rolls", ())))


def state_hash(ruleset: AnyRuleset, state: Any) -> str:
    """Return the hash of a state's dump as canonical JSON."""
    return json_sha256(ruleset.dump(state))


def events_hash(events: Iterable[Event]) -> str:
    """Return the hash of all events of a turn, hidden or not, with their audiences."""
    return json_sha256(
        [{"kind": event.kind, "audience": sorted(event.audience), "data": event.data} for event in events]
    )


def file_hash(content: bytes) -> str:
    """Return the hex SHA-256 of a file's bytes: a part of a report, or a record."""
    return hashlib.sha256(content).hexdigest()


def orders_json(book: OrderParser, orders: Iterable[Order]) -> list[Json]:
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
    """Return the record of a campaign's set-up; two of the same set-up differ in their salt.

    Args:
        options: Those `ruleset.setup` was given, with the content of files in place of their paths.
        state: The `state_hash` of the state.
        files: As `turn_files` returns them.
        withdrawn: All turns of the campaign that were ever withdrawn.
        patch: What the GM changed of the state.
        words: The dice words that are mixed with the seed.
        number: 0, or for a game taken over from elsewhere the number of the turn before its first.
        given: The dumped state that such a game begins with.
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
    """Return the record of one turn's run; two of the same run differ in their salt.

    Args:
        turn: What the resolver was given.
        used: The sheets used; none for a seat that played default orders.
        state_before: The `state_hash` of the state before the turn.
        state_after: The `state_hash` of the state after it, as patched.
        files: As `turn_files` returns them.
        previous: The record before this one.
        withdrawn: All turns of the campaign that were ever withdrawn.
        patch: What the GM changed of the resulting state.
        seed: The seed in hex once the game is over.
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
    """Return the facts that are not empty: few records have these, and the bytes of all others must not change."""
    return {name: value for name, value in facts.items() if value}


def _time(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).isoformat()


def _hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: file_hash(content) for path, content in files.items()}


def _encode(record: dict[str, Json]) -> bytes:
    return canonical_json(record) + b"\n"


RECORD = "turn.json"
WITHDRAWN = "withdrawn"
"""The folder of a campaign's archive for turns that were rolled back or run again."""

HASH_CHARACTERS = 8
"""Hex digits of a record's hash in the name of a withdrawn turn's folder."""


def folder_name(number: int) -> str:
    """Return the name of a turn's folder."""
    return f"{number:04d}"


def withdrawn_name(number: int, record_hash: str) -> str:
    """Return the name of a withdrawn turn's folder inside `WITHDRAWN`."""
    return f"{folder_name(number)}-{record_hash[:HASH_CHARACTERS]}"


ENCLOSED = "enclosed"
"""The folder of attachments inside a turn's folder."""

_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg"}


def attachment_path(enclosure: Attachment) -> str:
    """Return the path of an attachment in the folder of a turn."""
    ending = _ENDINGS.get(enclosure.kind) or PurePosixPath(enclosure.name).suffix.lower()
    return f"{ENCLOSED}/{enclosure.sha256}{ending}"


def attachment_hash(path: str) -> str:
    """Return the hash in the path of an attachment, "" for any other path."""
    folder, _, name = path.partition("/")
    return PurePosixPath(name).stem if folder == ENCLOSED else ""
