"""Tables of lines as people write them: `words.txt` beside a game's tests.

A row has the typed line, a bar, and the expected result: the orders as a sheet
has them, separated by slashes; "nothing"; or "refused:" and words that the
finding or its hint must have. Behind another bar there may be words that the
findings of an accepted line must have. A heading in brackets names the view for
the rows below, and, after a colon, a line that comes before them on the sheet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pbem.ruleset import AnyRuleset, Finding, ParsedSheet, View

LEAST = 120
REFUSED, NOTHING = "refused: ", "nothing"
_BETWEEN = " / "
# The line of the sheet on which a row is read; the line before it comes first.
_LINE = 2

_HEADING = re.compile(r"\[([\w-]+)(?:: (.*))?\]")
_MEANT = re.compile(r"did you mean ([^?]+)\?")
_WRITE = re.compile(r"(?:write|as far as it gets): ([A-Z][^<>|\[\],]*? [^<>|\[\]]+?)(?:,|;| or | to |$)")
_ECHO = re.compile(r"'([^']+)'")


class Row(NamedTuple):
    """A typed line, its view, the line before it, the expected result, and the expected words of its findings."""

    view: str
    above: str
    typed: str
    meant: str
    said: str

    @property
    def is_lawful(self) -> bool:
        """True if acceptable orders are expected."""
        return not self.meant.startswith(REFUSED) and self.meant != NOTHING


def rows(path: Path) -> list[Row]:
    """Return the rows of a table."""
    found, view, above = [], "", ""
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            view, above = heading[1], heading[2] or ""
        elif " | " in line and not line.startswith("# "):
            typed, meant, said = [*line.split(" | "), ""][:3]
            found.append(Row(view, above, typed, meant, said))
    return found


class Reader:
    """Reads rows by the views of a game, which are made when first needed; a single one has no name."""

    def __init__(self, ruleset: AnyRuleset, views: Mapping[str, Callable[[], View]]) -> None:
        self.ruleset = ruleset
        self._views = views
        self._made: dict[str, View] = {}

    def parse(self, row: Row, typed: str | None = None) -> ParsedSheet:
        """Return a row parsed, or another line in its place."""
        if row.view not in self._made:
            self._made[row.view] = self._views[row.view]()
        above = [(_LINE - 1, row.above)] if row.above else []
        return self.ruleset.parse(self._made[row.view], [*above, (_LINE, row.typed if typed is None else typed)])

    def outcome(self, row: Row) -> str:
        """Return the result of a row in the words of the table, with the findings if they lack expected words."""
        parsed = self.parse(row)
        told = " ".join(f"{each.text}; {each.hint}" for each in parsed.findings if each.line in (0, _LINE))
        if any(map(_is_its_error, parsed.findings)):
            wanted = row.meant.removeprefix(REFUSED)
            return row.meant if row.meant.startswith(REFUSED) and wanted in told else REFUSED + told
        lines = [self.ruleset.orders.line(entry.order) for entry in parsed.entries if entry.line == _LINE]
        taken = _BETWEEN.join(lines) or NOTHING
        return taken if row.said in told else f"{taken} | {told}"

    def untaken_hints(self, row: Row) -> list[str]:
        """Return the lines that the errors of a row suggest but that are refused."""
        parsed = self.parse(row)
        errors = list(filter(_is_its_error, parsed.findings))
        return [line for error in errors for line in _hinted(row, error) if self.parse(row, line).errors]


def _is_its_error(finding: Finding) -> bool:
    return finding.severity == "error" and finding.line in (0, _LINE)


def _hinted(row: Row, error: Finding) -> Iterator[str]:
    if error.corrected:
        yield error.corrected
    elif meant := _MEANT.search(error.hint):
        echo = _ECHO.search(error.text)
        yield row.typed.replace(echo[1], meant[1]) if echo else meant[1]
    if write := _WRITE.search(error.hint):
        yield write[1]


def understood(reader: Reader, every: list[Row]) -> float:
    """Return the part of all lines meant as orders that are read as those; the table must be long enough."""
    assert len(every) >= LEAST
    lawful = [row for row in every if row.is_lawful]
    return sum(reader.outcome(row) == row.meant for row in lawful) / len(lawful)
