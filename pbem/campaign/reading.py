"""How a sheet reads against the view its seat was mailed: for receipts, for checks at home, and for GMs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.campaign.courtesies import without_courtesies
from pbem.report.answers import Restated, Told, restate, tell_findings
from pbem.ruleset.order_types import Finding, Parsed
from pbem.ruleset.orders import OrderBook
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import digest
from pbem.ruleset.values import View
from pbem.util import without_keys

Lines = Sequence[tuple[int, str]]
"""The lines of a sheet with their numbers, without the frame."""


def without_keys_in(lines: Lines) -> Lines:
    """Return numbered lines as they may be kept and told again: a key that stands among them is masked."""
    return tuple((number, without_keys(line)) for number, line in lines)


@dataclass(frozen=True, slots=True)
class Reading:
    """A sheet as its receipt tells it: what was read, and of which lines. `orders` are as a sheet keeps
    them, and `book` is that of its game.
    """

    parsed: Parsed
    lines: Lines
    orders: Sequence[Mapping[str, Any]]
    book: OrderBook
    notes: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Only a sheet with nothing but errors is not taken; an empty one is."""
        return bool(self.parsed.entries) or not self.parsed.errors

    @property
    def digest(self) -> str:
        """By which its orders are known."""
        return digest(self.orders)

    @property
    def restated(self) -> tuple[Restated, ...]:
        """The orders taken, in words and as they are written."""
        return restate(self.parsed, self.book)

    @property
    def text(self) -> str:
        """Its lines as they were read."""
        return "\n".join(line for _, line in self.lines)

    @property
    def told(self) -> tuple[Told, ...]:
        """The findings, with the lines they speak of."""
        return tell_findings(self.findings, self.lines)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong or worth a look."""
        return tuple(finding for finding in self.parsed.findings if not _is_missing(finding))

    @property
    def missing(self) -> tuple[str, ...]:
        """What the sheet leaves open, in the ruleset's words."""
        return tuple(finding.text for finding in self.parsed.findings if _is_missing(finding))


def read_lines(ruleset: AnyRuleset, view: View, lines: Lines) -> Reading:
    """What a sheet's lines come to."""
    parsed, notes = without_courtesies(ruleset.parse(view, lines), lines)
    return Reading(parsed, lines, list(map(ruleset.orders.to_json, parsed.orders)), ruleset.orders, notes)


def still_reads(ruleset: AnyRuleset, view: View, orders: Sequence[Mapping[str, Any]]) -> bool:
    """Whether orders given against another view, as a sheet keeps them, could be given against this one too."""
    lines = [ruleset.orders.line(ruleset.orders.from_json(order)) for order in orders]
    reading = read_lines(ruleset, view, list(enumerate(lines, start=1)))
    return not reading.parsed.errors and reading.digest == digest(list(orders))


def _is_missing(finding: Finding) -> bool:
    """Whether it speaks of no line, and of nothing wrong: so rulesets tell what the whole sheet comes to or lacks."""
    return finding.line == 0 and finding.severity == "note"
