"""The receipt of an order sheet: what was understood, what was not, and what counts now."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pbem.ruleset.order_types import Finding, Order, Parsed
from pbem.ruleset.orders import OrderBook
from pbem.ruleset.tokenizer import join_lines
from pbem.ruleset.values import Seat
from pbem.text import counted

DIGEST_SHOWN = 12
"""Hex digits of a sheet's digest that players are shown."""


@dataclass(frozen=True, slots=True)
class Restated:
    """An order taken: the number of its line, the order in words, and as it is written; typed so, it is the same."""

    line: int
    words: str
    typed: str

    @property
    def differs(self) -> bool:
        """Whether its words are others than those that are written."""
        return self.words.casefold() != self.typed.casefold()


@dataclass(frozen=True, slots=True)
class Told:
    """A finding and the line it speaks of, as received; line 0 is the sheet as a whole."""

    line: int
    severity: str
    source: str
    text: str
    hint: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a sheet changed against the one that counted before, in order lines."""

    version: int
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    reordered: bool = False

    @property
    def same(self) -> bool:
        """Whether both sheets ask for the same."""
        return not (self.added or self.dropped or self.reordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a player is told of one sheet.

    `version` and `digest` (hex SHA-256) name it. `accepted` is false when it
    has only errors; then `counts` is the earlier version that still counts, if
    any. `replaces` is the difference from the version that counted before.
    `wait`: the player asked not to be resolved early. `complete`: what the seat
    is awaited for is in the sheet. `missing`: what the
    sheet still leaves open, of what its seat may know. `notes`: what was
    cleaned from the mail. `held`: the turn waits for the GM. `late`: the deadline had passed when it was read;
    `closes` is until when such a sheet counts, if there is a grace. `by_gm`: the
    GM has entered it for the player.
    """

    page: ClassVar[str] = "receipt"

    campaign: str
    seat: Seat
    label: str
    version: int
    digest: str
    accepted: bool
    orders: tuple[Restated, ...]
    findings: tuple[Told, ...]
    deadline: dt.datetime | None
    zone: str
    counts: int | None = None
    replaces: Replacement | None = None
    wait: bool = False
    complete: bool = True
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    held: bool = False
    late: bool = False
    closes: dt.datetime | None = None
    by_gm: bool = False

    @property
    def errors(self) -> tuple[Told, ...]:
        """The findings because of which lines were not taken."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def remarks(self) -> tuple[Told, ...]:
        """The findings on lines that were taken nevertheless."""
        return tuple(finding for finding in self.findings if finding.severity != "error")

    @property
    def verdict(self) -> str:
        """The first line of the receipt."""
        problems = counted(len({finding.line for finding in self.errors}), "line") + " in error"
        if not self.accepted:
            return f"Sheet {self.version} not taken: {problems}, and no order besides."
        taken = counted(len(self.orders), "order") if self.orders else "no orders, as you sent it"
        return f"Sheet {self.version} taken: {taken}" + (f", {problems}." if self.errors else ".")

    @property
    def short_digest(self) -> str:
        """The digest as players are shown it."""
        return self.digest[:DIGEST_SHOWN]


def restate(parsed: Parsed, book: OrderBook) -> tuple[Restated, ...]:
    """Every order taken, in words and as it is written, in the order of the sheet."""
    return tuple(Restated(entry.line, entry.order.words(), book.line(entry.order)) for entry in parsed.entries)


def tell_findings(findings: Iterable[Finding], lines: Iterable[tuple[int, str]]) -> tuple[Told, ...]:
    """Every finding with the line it speaks of; `lines` are the sheet's, numbered as they were parsed."""
    sources = dict(join_lines(lines))
    return tuple(
        Told(finding.line, finding.severity, sources.get(finding.line, "").strip(), finding.text, finding.hint)
        for finding in findings
    )


def compare(version: int, before: Sequence[Order], now: Sequence[Order], book: OrderBook) -> Replacement:
    """The difference of a sheet's orders from those of `version`, the one that counted before."""
    old, new = [book.line(order) for order in before], [book.line(order) for order in now]
    added, dropped = _without(new, old), _without(old, new)
    return Replacement(version, added, dropped, reordered=not added and not dropped and old != new)


def _without(lines: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    left = Counter(others)
    kept = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            kept.append(line)
    return tuple(kept)
