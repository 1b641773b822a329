"""Ledgers of seats and of the world (ruling 9): numbers, texts and lists, and who sees which of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pbem.ruleset import Json, SeatName

WORLD = "world"
"""The owner of the ledger that belongs to no seat."""

PUBLIC, OWN, GM = "public", "own", "gm"

LARGEST = 1_000_000_000
LONGEST_TEXT, LONGEST_LIST = 200, 60

Value = int | str | tuple[str, ...]
Entries = Mapping[str, Value]


class LedgerChange(NamedTuple):
    """A GM's change of an entry; `operation` is "=", "+=" or "-="."""

    owner: str
    name: str
    operation: str
    value: Value

    @classmethod
    def load(cls, data: Sequence[Any]) -> LedgerChange:
        """Return the change of a list in JSON data; raise TypeError or ValueError on other data."""
        owner, name, operation, value = data
        return cls(owner, name, operation, tuple(value) if isinstance(value, list) else value)


@dataclass(frozen=True, slots=True)
class Ledgers:
    """The entries of each seat and of the world; `before` are those before the last turn.

    `seen` says of the entries of seats, and of "world.winter" and the like, who
    sees them: all (PUBLIC), the seat itself (OWN), or the GM alone.
    """

    entries: Mapping[str, Entries] = field(default_factory=dict)
    before: Mapping[str, Entries] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)

    @property
    def opened(self) -> Ledgers:
        """The ledgers at the start of a turn, in which nothing has changed yet."""
        return replace(self, before=self.entries)

    def changed(self, change: LedgerChange) -> Ledgers:
        own = self.entries.get(change.owner, {})
        value = after(own.get(change.name, nothing(change.value)), change)
        return replace(self, entries={**self.entries, change.owner: {**own, change.name: value}})

    def names(self, owner: str) -> dict[str, Value]:
        """Return the entries that an owner may have, each with a value of its kind: any seat's, or the world's."""
        same = [own for each, own in self.entries.items() if (each == WORLD) == (owner == WORLD)]
        return {name: value for own in same for name, value in own.items()}

    def shown_to(self, seat: SeatName) -> Iterator[dict[str, Any]]:
        """Yield the ledgers that a seat sees, as JSON data: its own, the world's, and the public entries of others."""
        for owner in (seat, WORLD, *(each for each in self.entries if each not in (seat, WORLD))):
            own = self.entries.get(owner, {})
            rows = [self._row(owner, name) for name in own if self._sees(seat, owner, name)]
            if rows:
                yield {"of": owner, "entries": rows}

    def lines(self, owner: str) -> Iterator[str]:
        """Yield all entries of an owner, for the GM."""
        own = self.entries.get(owner, {})
        yield from (f"{name}: {value_text(value)} ({self._who(owner, name)})" for name, value in own.items())

    def dump(self) -> Json:
        """Return the ledgers as JSON data; their order counts."""
        return {"entries": _dumped(self.entries), "before": _dumped(self.before), "seen": sorted(self.seen.items())}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Ledgers:
        """Return the ledgers of `dump` data."""
        return cls(_loaded(data["entries"]), _loaded(data["before"]), dict(data["seen"]))

    def _row(self, owner: str, name: str) -> dict[str, Any]:
        value = self.entries[owner][name]
        was = self.before.get(owner, {}).get(name, nothing(value))
        row = {"name": name, "value": _plain(value)}
        return row if was == value else row | {"was": _plain(was)}

    def _sees(self, seat: SeatName, owner: str, name: str) -> bool:
        who = self._who(owner, name)
        return who == PUBLIC or (who == OWN and owner == seat)

    def _who(self, owner: str, name: str) -> str:
        # Entries that the file does not name are secret: the world's to all, a seat's to the others.
        if owner == WORLD:
            return self.seen.get(f"{WORLD}.{name}", GM)
        return self.seen.get(name, OWN)


def value_text(value: Value) -> str:
    """Return a value in words."""
    return (", ".join(value) or "none") if isinstance(value, tuple) else str(value) or "none"


def after(now: Value, change: LedgerChange) -> Value:
    """Return the value after a change; a value of another kind is replaced."""
    value, sign = change.value, {"+=": 1, "-=": -1}.get(change.operation, 0)
    if isinstance(now, int) and isinstance(value, int) and sign:
        return min(max(now + sign * value, -LARGEST), LARGEST)
    if isinstance(now, tuple) and isinstance(value, tuple) and sign:
        return (now + value)[:LONGEST_LIST] if sign > 0 else _without(now, value)
    return value


def _without(items: Sequence[str], gone: Sequence[str]) -> tuple[str, ...]:
    """Return the items without one of each that is gone."""
    left = list(items)
    for item in gone:
        if item in left:
            left.remove(item)
    return tuple(left)


def nothing(value: Value) -> Value:
    """Return the empty value of the same kind."""
    return 0 if isinstance(value, int) else () if isinstance(value, tuple) else ""


def _plain(value: Value) -> Json:
    return list(value) if isinstance(value, tuple) else value


def _dumped(entries: Mapping[str, Entries]) -> Json:
    return [[owner, [[name, _plain(value)] for name, value in own.items()]] for owner, own in entries.items()]


def _loaded(data: Sequence[Any]) -> dict[str, dict[str, Value]]:
    return {
        owner: {name: tuple(value) if isinstance(value, list) else value for name, value in own} for owner, own in data
    }
