"""Numbers of new ships that a line keeps although it was not understood (ruling 43).

Players count the BUILD lines that they wrote. If one of them is refused, those
behind it name the number of their first ship, so that NEW2 is still the ship
that the player means, also when the accepted orders are sent in again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from pbem.ruleset import Finding, ParsedOrder, ParsedSheet, join_lines
from pbem_rules.singularity_trap.orders import BOOK, MOST_BUILT, Build
from pbem_rules.singularity_trap.wording import plain

_BUILD = next(verb.word for verb in BOOK.verbs if verb.order is Build)


def keep_numbers(parsed: ParsedSheet, lines: Iterable[tuple[int, str]]) -> tuple[ParsedOrder, ...]:
    """Return the entries of a sheet; BUILD lines behind one that failed name the number of their first ship."""
    failed = _failed(parsed.findings, lines)
    return renumbered(parsed.entries, failed) if failed else parsed.entries


def unpaid(entries: Iterable[ParsedOrder], findings: Iterable[Finding]) -> list[tuple[int, int]]:
    """Return the BUILD lines for which no point is left, each with the number of ships that it asks for."""
    dear = {finding.line for finding in findings if finding.code == "too-dear" and finding.severity == "error"}
    return [
        (entry.line, entry.order.number) for entry in entries if isinstance(entry.order, Build) and entry.line in dear
    ]


def renumbered(entries: tuple[ParsedOrder, ...], failed: Sequence[tuple[int, int]]) -> tuple[ParsedOrder, ...]:
    """Return entries in which BUILD lines behind those that failed name the number of their first ship."""
    return tuple(_renumbered(entries, failed)) if failed else entries


def _renumbered(entries: Sequence[ParsedOrder], failed: Iterable[tuple[int, int]]) -> Iterable[ParsedOrder]:
    following, waiting = 1, list(failed)
    skipped = False
    for entry in entries:
        # A line that was refused keeps the numbers of the ships that it would have built.
        while waiting and waiting[0][0] < entry.line:
            following, skipped = following + waiting.pop(0)[1], True
        order = entry.order
        if isinstance(order, Build):
            if skipped and order.first is None:
                order = dataclasses.replace(order, first=following)
            following = (order.first or following) + order.number
        yield dataclasses.replace(entry, order=order)


def _failed(findings: Iterable[Finding], lines: Iterable[tuple[int, str]]) -> list[tuple[int, int]]:
    """Return the BUILD lines that could not be read, each with the number of ships that it would have built."""
    wrong = {finding.line: finding for finding in findings}
    written = ((number, plain(line).split()) for number, line in join_lines(lines) if number in wrong)
    return [(number, _ships(words)) for number, words in written if words and _is_build(words[0], wrong[number])]


def _is_build(word: str, finding: Finding) -> bool:
    """Return True if a line that was not understood begins with BUILD, abbreviated or misspelt."""
    # A verb may be cut to three letters.
    return (len(word) > 2 and _BUILD.startswith(word.upper())) or finding.hint == f"did you mean {_BUILD}?"


def _ships(words: Sequence[str]) -> int:
    count = words[1].strip("X") if len(words) > 1 else ""
    return int(count) if count.isascii() and count.isdigit() and 0 < int(count[:9]) <= MOST_BUILT else 1
