"""First reading of a sheet: each line by the order parser, or else in the words that players of this game use."""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterable

from pbem.ruleset import (
    MOST_REMARKS,
    Finding,
    Order,
    ParsedSheet,
    View,
    comment_of,
    join_lines,
    orders_in_remark,
    resigning_word,
)
from pbem_rules.singularity_trap.orders import BOOK
from pbem_rules.singularity_trap.wording import TWICE, plain

_RESTING = ("HOLD", "STAY", "WAIT", "GUARD", "STOP")
# Hints for words that are no orders here, as the first or second of a line.
_HINTS = {
    word + end: "a ship without a MOVE stays where it is; MOVE with its id and STAY counts as moving"
    for word in _RESTING
    for end in ("", "S")
}

_VERBS = "possible: " + ", ".join(dict.fromkeys(verb.word for verb in BOOK.verbs)) + "; or a ship's id and its way"


def understood(view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
    """Return the orders as declared, from lines as they are or as `wording` puts them, and all findings."""
    written = [(number, TWICE.sub(r"\1", line)) for number, line in join_lines(lines)]
    parsed = BOOK.read(view, written)
    entries = {entry.line: entry for entry in parsed.entries}
    findings: dict[int, list[Finding]] = defaultdict(list)
    for finding in parsed.findings:
        findings[finding.line].append(finding)
    for number, line in written:
        if resigning_word(line):
            continue  # it counts in one spelling only (ruling 35), and is not put into other words
        if any(map(_is_doubtful, findings[number])) or (number in entries and _STEPS.search(line)):
            again = BOOK.read(view, [(number, plain(line))])
            if _is_better(again, findings[number]):
                entries |= {entry.line: entry for entry in again.entries}
                findings[number] = [
                    *again.findings,
                    *(each for each in findings[number] if each.code in ("second-order", "order-rest")),
                ]
    for number, line in [(number, line) for number, line in written if comment_of(line)][:MOST_REMARKS]:
        if not any(finding.code in ("second-order", "order-rest") for finding in findings[number]):
            findings[number] += _behind(view, number, line)
    told = [_cut_short(view, _hinted(each, line), line) for number, line in written for each in findings[number]]
    return ParsedSheet(tuple(entries[number] for number in sorted(entries)), tuple(told))


def _behind(view: View, number: int, line: str) -> list[Finding]:
    """Return warnings of orders, or the rest of one, in a remark in the words of players."""
    told = orders_in_remark(line, lambda text: _plainly(view, text))
    return [Finding(number, "warning", each.code, each.text, each.hint) for each in told]


def _plainly(view: View, text: str) -> tuple[Order, ...] | None:
    read = BOOK.parse(view, [(1, plain(text))])
    return read.orders if read.orders and not read.findings else None


_MOST_CUT = 6
"""Words behind an order among which the end of it is looked for."""

_UNKNOWN = ("unknown-verb", "takes-back")

# Steps north or south, which look like a space of column N or S; that one has TO before it.
_STEPS = re.compile(r"(?<!TO )(?<![A-Z])[NS] ?[1-9]\s*[.!]*$", re.IGNORECASE)


def _is_doubtful(finding: Finding) -> bool:
    return (finding.severity == "error" and finding.code != "too-much") or finding.code == "dropped"


def _is_better(again: ParsedSheet, before: list[Finding]) -> bool:
    """Return True if a line in other words is accepted, or its fault explained better, than as it is."""
    # No rewording makes a resignation of a line (ruling 35).
    if any(order.ends_seat for order in again.orders):
        return False
    if again.entries:
        return not again.findings or not any(finding.code == "dropped" for finding in before)
    unknown = (any(finding.code in _UNKNOWN for finding in findings) for findings in (before, again.findings))
    return bool(again.findings) and [*unknown] == [True, False]


def _cut_short(view: View, finding: Finding, line: str) -> Finding:
    """Return the finding with the BUILD that a line begins with, if only words behind it are wrong."""
    if finding.severity != "error" or finding.corrected or finding.code not in ("bad-name", "extra-words"):
        return finding
    words = plain(line).split()
    if words[0] != "BUILD" or "AND" in words:
        return finding
    for end in range(len(words) - 1, max(len(words) - _MOST_CUT, 1), -1):
        read = BOOK.parse(view, [(1, " ".join(words[:end]))])
        if read.orders and not read.findings:
            return dataclasses.replace(finding, corrected=BOOK.line(read.orders[0]))
    return finding


def _hinted(finding: Finding, line: str) -> Finding:
    """Return the finding, with a hint at what the player of such a line may have meant."""
    words = line.upper().replace(",", " ").split()
    if finding.severity == "error" and "AND" in words and words[0].startswith("BUI"):
        return dataclasses.replace(finding, hint="write a BUILD line for each type")
    if finding.severity != "error" or resigning_word(line):
        return finding
    hint = next((_HINTS[word] for word in (each.strip(".!") for each in words[:2]) if word in _HINTS), "")
    if finding.code == "unknown-verb":
        hint = hint or _VERBS
    if not hint or (finding.hint.startswith("did you mean") and finding.hint != "did you mean STAY?"):
        return finding
    return dataclasses.replace(finding, hint=hint)
