"""Keyed dice: every draw has a key of its own, so no draw can disturb another.

A draw is SHA-256 of the secret seed, a scope (campaign-wide or one turn) and
the key of the draw. It does not depend on the order of draws, on other players'
orders or on parallel execution, and can be repeated by anyone who has the seed.
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

    `seed` is secret until the campaign ends. `scope` names the turn; the empty
    scope holds what is drawn once for the whole campaign.
    """

    seed: bytes
    scope: tuple[Key, ...] = ()

    def scoped(self, *scope: Key) -> Dice:
        """The same dice within a further scope, such as one turn."""
        return Dice(self.seed, (*self.scope, *scope))

    @property
    def campaign(self) -> Dice:
        """The same dice without scope: one draw for a key, in every turn alike."""
        return Dice(self.seed)

    def below(self, limit: int, *key: Key) -> int:
        """An integer from 0 to `limit` − 1, each exactly as likely (by rejection)."""
        if limit < 1:
            raise ValueError(f"a draw needs at least one outcome, not {limit}")
        bound = _SPAN - _SPAN % limit
        attempt = 0
        while (drawn := self._number(key, attempt)) >= bound:
            attempt += 1
        return drawn % limit

    def roll(self, sides: int, *key: Key) -> int:
        """A die: 1 to `sides`."""
        return 1 + self.below(sides, *key)

    def chance(self, numerator: int, denominator: int, *key: Key) -> bool:
        """True with probability numerator / denominator, exactly."""
        return self.below(denominator, *key) < numerator

    def pick(self, items: Sequence[T], *key: Key) -> T:
        """One of the items, each as likely."""
        return items[self.below(len(items), *key)]

    def shuffle(self, items: Sequence[T], *key: Key) -> list[T]:
        """The items in a random order (Fisher–Yates)."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1, *key, last)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed

    def _number(self, key: tuple[Key, ...], attempt: int) -> int:
        name = json.dumps([list(self.scope), list(key), attempt], separators=(",", ":"))
        return int.from_bytes(hashlib.sha256(self.seed + name.encode()).digest(), "big")


def seed_hash(seed: bytes) -> str:
    """The hash published when a campaign starts; the seed follows when it ends."""
    return hashlib.sha256(b"pbem dice seal\0" + seed).hexdigest()
