"""How a sheet reads against the view its seat was mailed: for receipts, for checks at home, and for GMs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import AnyRuleset, Finding, Parsed, View, digest

Lines = Sequence[tuple[int, str]]
"""The lines of a sheet with their numbers, without the frame."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A sheet as its receipt tells it: what was read, and of which lines."""

    parsed: Parsed
    lines: Lines
    notes: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Only a sheet with nothing but errors is not taken; an empty one is."""
        return bool(self.parsed.entries) or not self.parsed.errors

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
    return Reading(ruleset.parse(view, lines), lines)


def still_reads(ruleset: AnyRuleset, view: View, orders: Sequence[Mapping[str, Any]]) -> bool:
    """Whether orders given against another view, as a sheet keeps them, could be given against this one too."""
    lines = [ruleset.orders.line(ruleset.orders.from_json(order)) for order in orders]
    parsed = ruleset.parse(view, enumerate(lines, start=1))
    return not parsed.errors and digest(list(map(ruleset.orders.to_json, parsed.orders))) == digest(list(orders))


def _is_missing(finding: Finding) -> bool:
    return finding.line == 0 and finding.severity == "note"
