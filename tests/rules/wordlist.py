"""Tables of lines as people write them, `words.txt` beside a game's tests.

A row is what is typed, a bar, and what must come of it: the order as a sheet
has it, or "refused:" and words that must stand in the hint. A heading in
brackets names the view that the rows below are read by, and, after a colon, a
line that stands above them on the sheet.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pbem.ruleset import AnyRuleset, Parsed, View

REFUSED = "refused: "
_HEADING = re.compile(r"\[([\w-]+)(?:: (.*))?\]")
_MEANT = re.compile(r"did you mean (.+)\?")
_ECHO = re.compile(r"got ('|\")(.+?)\1")


class Row(NamedTuple):
    """A line as typed, the view it is read by, what stands above it, and what must come of it."""

    view: str
    above: str
    typed: str
    meant: str

    @property
    def is_lawful(self) -> bool:
        """Whether an order is meant that can be taken."""
        return not self.meant.startswith(REFUSED)


def rows(path: Path) -> list[Row]:
    """The rows of a table."""
    found, view, above = [], "", ""
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            view, above = heading[1], heading[2] or ""
        elif line and not line.startswith("# "):
            typed, _, meant = line.rpartition(" | ")
            found.append(Row(view, above, typed, meant))
    return found


class Reader:
    """Reads rows by the views of a game."""

    def __init__(self, ruleset: AnyRuleset, views: dict[str, Callable[[], View]]) -> None:
        self.ruleset = ruleset
        self.views = {name: make() for name, make in views.items()}

    def parse(self, row: Row, typed: str | None = None) -> Parsed:
        """What becomes of a row, or of another line in its place."""
        lines = [*([(1, row.above)] if row.above else []), (2, row.typed if typed is None else typed)]
        return self.ruleset.parse(self.views[row.view], lines)

    def outcome(self, row: Row) -> str:
        """What came of a row, in the words of the table."""
        parsed = self.parse(row)
        hints = [finding.hint for finding in parsed.errors if finding.line == 2]
        if hints:
            wanted = row.meant.removeprefix(REFUSED)
            return row.meant if any(wanted in hint for hint in hints) else REFUSED + "; ".join(hints)
        return " / ".join(self.ruleset.orders.line(entry.order) for entry in parsed.entries if entry.line == 2)

    def untaken_hint(self, row: Row) -> str:
        """A "did you mean" of a row that is not taken when typed in place of the bad word; "" if there is none."""
        for finding in self.parse(row).errors:
            meant, echo = _MEANT.search(finding.hint), _ECHO.search(finding.text)
            if meant and echo and self.parse(row, row.typed.replace(echo[2], meant[1])).errors:
                return finding.hint
        return ""
