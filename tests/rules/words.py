"""Tables of lines as people write them (`words.txt` beside a game's tests), and what is told of each.

A row is what is typed, a bar, and what must come of it: the orders as a sheet has
them, parted by +, or "refused", or "nothing". Behind another bar may stand words
that the findings must hold. A heading in brackets names the view by which the
rows below are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pbem.ruleset import OrderBook, Parsed

_MEANT = re.compile(r"did you mean ([^?]+)\?")
_WRITE = re.compile(r"(?:write|as far as it gets): ([^<>|\[\]]+?)(?:,|;|$)")
_ECHO = re.compile(r"'([^']+)'")


@dataclass(frozen=True, slots=True)
class Row:
    """A line as typed, the view it is read by, the orders that must come of it, and words that must be told of it."""

    view: str
    typed: str
    orders: tuple[str, ...]
    refused: bool
    said: str


def outcome(parsed: Parsed, book: OrderBook) -> tuple[bool, tuple[str, ...]]:
    """What became of a sheet of one line: whether it was refused, and the orders taken."""
    return bool(parsed.errors), tuple(map(book.line, parsed.orders))


def rows(path: Path) -> list[Row]:
    """The rows of a table."""
    found, view = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            view = heading[1]
        elif line and not line.startswith("#"):
            found.append(_row(view, line))
    return found


def _row(view: str, line: str) -> Row:
    typed, meant, said = [*line.split(" | "), ""][:3]
    orders = () if meant in ("refused", "nothing") else tuple(meant.split(" + "))
    return Row(view, typed, orders, meant == "refused", said)


def hinted(typed: str, parsed: Parsed) -> Iterator[str]:
    """The lines that the errors of a line tell its player to write."""
    for finding in parsed.errors:
        if meant := _MEANT.search(finding.hint):
            echo = _ECHO.search(finding.text)
            yield typed.replace(echo[1], meant[1]) if echo else meant[1]
        if write := _WRITE.search(finding.hint):
            yield write[1]
