"""Many draws at once: one keyed draw of the dice, expanded by SHA-256.

Word i of a table is 32 bits of SHA-256(seed ‖ i div 8), the block's number as eight
little-endian bytes, the word being number i mod 8 in the block, little-endian too.
The seed of a table is `dice.below(2²⁵⁶, *key, attempt)` as 32 big-endian bytes. A word at or
above the largest multiple of the limit is rejected and taken from the table of the next attempt.
So draw i depends on the dice, the key and i alone, and every outcome is exactly as likely.
"""

from __future__ import annotations

import hashlib

import numpy as np

from pbem.ruleset import Dice
from pbem_rules.harvester.planet import Ints

_WORDS = 8
_SPAN = 1 << 32


def draw_many(dice: Dice, limit: int, count: int, *key: str | int) -> Ints:
    """Return `count` integers from 0 to `limit` − 1."""
    # Words above the largest multiple of the limit would favour small results.
    bound = _SPAN - _SPAN % limit
    drawn = _words(dice, count, *key, 0)
    attempt = 0
    while (rejected := np.flatnonzero(drawn >= bound)).size:
        attempt += 1
        drawn[rejected] = _words(dice, count, *key, attempt)[rejected]
    return drawn % limit


def shuffled(dice: Dice, count: int, *key: str | int) -> Ints:
    """Return the numbers 0 to `count` − 1 in a random order."""
    return np.lexsort((draw_many(dice, _SPAN, count, *key, "low"), draw_many(dice, _SPAN, count, *key, "high")))


def _words(dice: Dice, count: int, *key: str | int) -> Ints:
    seed = dice.below(1 << 256, *key).to_bytes(32, "big")
    blocks = (hashlib.sha256(seed + number.to_bytes(8, "little")).digest() for number in range(-(-count // _WORDS)))
    return np.frombuffer(b"".join(blocks), "<u4")[:count].astype(np.int64)
