"""Keyed dice: every draw has a key of its own, so no draw can disturb another.

A draw is the SHA-256 of the secret seed, a scope (the whole campaign or one turn)
and the key of the draw. It does not depend on the order of draws, on other
players' orders or on parallel execution, and anyone who has the seed can repeat it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
Key = str | int

_SPAN = 1 << 256


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice of one campaign.

    `seed` is secret until the campaign ends. `scope` names the turn; draws of the
    empty scope are made once for the whole campaign. Two draws with the same scope
    and key are the same draw, so put into the key all that tells one draw from
    another:

    >>> dice = Dice(b"secret", ("turn", 3))
    >>> dice.roll(6, "fire", "R101", "J7") == dice.roll(6, "fire", "R101", "J7")
    True
    """

    seed: bytes
    scope: tuple[Key, ...] = ()

    def within(self, *scope: Key) -> Dice:
        """Return the same dice within a further scope, such as one turn."""
        return Dice(self.seed, (*self.scope, *scope))

    @property
    def campaign(self) -> Dice:
        """The same dice without scope, of which a key draws the same in every turn."""
        return Dice(self.seed)

    def below(self, limit: int, *key: Key) -> int:
        """Return an integer from 0 to `limit` - 1, each with exactly the same probability.

        Raises:
            ValueError: `limit` is less than 1.
        """
        if limit < 1:
            raise ValueError(f"a draw needs at least one outcome, not {limit}")
        # Rejection: the remainder of the whole span would favour small numbers.
        bound = _SPAN - _SPAN % limit
        attempt = 0
        while (drawn := self._number(key, attempt)) >= bound:
            attempt += 1
        return drawn % limit

    def roll(self, sides: int, *key: Key) -> int:
        """Return the face of a die: 1 to `sides`."""
        return 1 + self.below(sides, *key)

    def chance(self, numerator: int, denominator: int, *key: Key) -> bool:
        """Return True with a probability of exactly `numerator` / `denominator`."""
        return self.below(denominator, *key) < numerator

    def pick(self, items: Sequence[T], *key: Key) -> T:
        """Return one of the items, each with the same probability.

        Raises:
            ValueError: There are no items.
        """
        return items[self.below(len(items), *key)]

    def shuffle(self, items: Sequence[T], *key: Key) -> list[T]:
        """Return the items in a random order (Fisher-Yates), as a new list."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            # With one key for all exchanges each would be the same draw.
            other = self.below(last + 1, *key, last)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def _number(self, key: tuple[Key, ...], attempt: int) -> int:
        # JSON keeps scope, key and attempt apart, and the number 1 from the text "1".
        name = json.dumps([list(self.scope), list(key), attempt], separators=(",", ":"))
        return int.from_bytes(hashlib.sha256(self.seed + name.encode()).digest(), "big")


def seed_hash(seed: bytes) -> str:
    """Return the dice seal, in hex: the hash that is published when a campaign starts.

    The seed itself is published when the campaign ends.
    """
    # With a prefix of its own, so that the seal, which is published, is no draw.
    return hashlib.sha256(b"pbem dice seal\0" + seed).hexdigest()
