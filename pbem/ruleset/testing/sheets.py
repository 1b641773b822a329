"""Sheets no honest player sends."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

from pbem.ruleset.order_types import Finding
from pbem.ruleset.protocol import AnyRuleset

HOSTILE = {
    "empty": [],
    "blank": ["", "   ", "\t", "\u00a0"],
    "comments": ["; nothing", "# nothing", ";;;", "#\\"],
    "long": ["x" * 10_000, "FIRE " * 2_000, '"' * 10_000, "a \\" * 3_000],
    "control": ["\x00", "MOVE\x00A", "\x1b[2J\x07", "".join(map(chr, range(32))), "\u2028\u2029\x85", "\ud800"],
    "numbers": ["1" * 5_000, "-1", "+0", "1e999", "NaN", "٣", "９９９９９", "9" * 9, "0x10"],
    "emoji": ["🚀", "MOVE 🚀 🚀", "👩‍👩‍👧‍👦 " * 50, "ﷺ", "ß", "İ ı", "Z̸̨͍a̵l̶g̷o̴"],
    "quotes": ['"', '""', '"" ""', '"unclosed', 'a"b"c', "'single'", '"a\\'],
    "continued": ["\\", "\\", "MOVE \\", "\\"],
    "markup": [
        "<script>alert(1)</script>",
        "{{ 7 * 7 }}",
        "{% for x in y %}",
        "%s%n",
        "../../etc/passwd",
        "'; DROP TABLE",
    ],
    "many": ["NO SUCH ORDER"] * 5_000,
}


def hostile_sheets(ruleset: AnyRuleset) -> Iterator[tuple[str, list[str]]]:
    """Named sheets: the general ones, and every verb of a game with arguments it never heard of."""
    yield from HOSTILE.items()
    strange = ["", "0", "-5", "999999999", "nothing", '""', "🚀", "\x00", "x" * 400, "A1 B2 C3 D4 E5 F6 G7"]
    yield "verbs", [f"{verb.word} {rest}" for verb in ruleset.orders.verbs for rest in strange]


def spoiled(line: str, rnd: random.Random, words: Iterable[str]) -> str:
    """A line with one of its words, but not the first, replaced by any of `words`."""
    parts = line.split()
    if len(parts) > 1:
        parts[rnd.randrange(1, len(parts))] = rnd.choice(sorted(words))
    return " ".join(parts)


def mistyped(line: str) -> Iterator[str]:
    """The line with one of its words spoiled as fingers do it: two letters swapped, one left out, one put in."""
    words = line.split()
    for at, word in enumerate(words):
        if len(word) > 2 and '"' not in word:
            swapped, short, long = word[0] + word[2] + word[1] + word[3:], word[:1] + word[2:], word + word[-1]
            for bad in (swapped, short, long):
                yield " ".join([*words[:at], bad, *words[at + 1 :]])


def mend(line: str, finding: Finding) -> Iterator[str]:
    """The line with what a finding offers in place of the word it speaks of; nothing if it offers nothing."""
    offered = re.search(r"did you mean (.+?)\?", finding.hint)
    spoken = re.search(r"'([^']+)'", finding.text)
    if offered and spoken and spoken[1] in line:
        yield line.replace(spoken[1], offered[1], 1)


def flaws(finding: Finding, lines: int) -> Iterator[str]:
    """What is wrong with a finding, as far as any can be judged."""
    if not 0 <= finding.line <= lines:
        yield f"line {finding.line} of {lines}"
    if finding.severity not in {"error", "warning", "note"}:
        yield f"severity {finding.severity!r}"
    if not finding.code or finding.code != finding.code.lower() or " " in finding.code:
        yield f"code {finding.code!r}"
    if not finding.text.strip():
        yield "no text"
    if not (finding.text + finding.hint).isprintable():
        yield f"text or hint cannot be printed on one line: {finding.text!r} {finding.hint!r}"
    if len(finding.text) + len(finding.hint) > 2_000:
        yield f"{len(finding.text) + len(finding.hint)} characters"
