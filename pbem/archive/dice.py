"""From the sealed seed and the players' words to the dice: how they are mixed, and how anyone can check it.

The seal of the seed is told when a campaign is made, the words are fixed when
it begins, and the seed is told when it is over. So the dice are those of the
mix, and neither whoever made the seed nor any one player has chosen them.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.errors import ReplayError
from pbem.report.facts import DiceTold, DiceWord
from pbem.ruleset.serialization import canonical, digest
from pbem.ruleset.values import Json, Seat

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


def drawn_word(seed: bytes, seat: Seat) -> str:
    """The word of a seat whose player sends none.

    It follows from the sealed seed, so nobody can draw it again until it suits; it tells nothing of the seed.
    """
    letters = base64.b32encode(_keyed(seed, b"pbem drawn word", seat.encode())).decode().lower()[:_DRAWN_CHARACTERS]
    return "-".join(letters[at : at + 4] for at in range(0, _DRAWN_CHARACTERS, 4))


def mixed_seed(seed: bytes, words: Sequence[DiceWord]) -> bytes:
    """The seed of the dice: the sealed one with the words; without any, as in campaigns of old, the sealed one."""
    return _keyed(seed, b"pbem dice words", canonical(_pairs(words))) if words else seed


def rehearsal_seed(seed: bytes) -> bytes:
    """The seed of dice to look ahead with, always the same: they tell nothing of those that will be rolled."""
    return _keyed(seed, b"pbem rehearsal dice", b"")


def words_record(words: Sequence[DiceWord]) -> Json:
    """The words as the record of a set-up has them; nothing where there are none."""
    return {"formula": FORMULA, "words": _pairs(words), "own": _own(words)} if words else {}


def recorded_words(record: Mapping[str, Json]) -> tuple[DiceWord, ...]:
    """The words in the record of a set-up. Raises ReplayError if they are not written as `words_record` does."""
    told: Any = record.get("dice", {})
    try:
        own = frozenset(told.get("own", ()))
        words = tuple(DiceWord(seat, word, own=seat in own) for seat, word in told.get("words", ()))
    except (TypeError, ValueError):
        words = ()
    if told != words_record(words):
        raise ReplayError("turn 0: its record has 'dice' wrong, or mixes them by a formula that is not known here")
    return words


def words_told(words: Sequence[DiceWord]) -> dict[Seat, DiceTold]:
    """What each seat's first report, and its last, tell of the words; nothing where there are none."""
    known, few = digest(_pairs(words)), len(words) <= MOST_LISTED
    return {
        each.seat: DiceTold(words=tuple(words) if few else (each,), digest=known, seats=len(words)) for each in words
    }


def _pairs(words: Sequence[DiceWord]) -> list[Json]:
    return [[each.seat, each.word] for each in words]


def _own(words: Sequence[DiceWord]) -> list[Seat]:
    return [each.seat for each in words if each.own]


def _keyed(seed: bytes, purpose: bytes, message: bytes) -> bytes:
    return hmac.digest(seed, purpose + b"\0" + message, "sha256")
