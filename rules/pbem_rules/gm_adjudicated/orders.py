"""The one order of the game: a line in a player's own words, which may begin with one of the GM's verbs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset import (
    FieldError,
    Finding,
    Order,
    OrderParser,
    ParsedOrder,
    ParsedSheet,
    View,
    is_comment,
    join_lines,
    missing_word,
)
from pbem_rules.gm_adjudicated.text import one_line
from pbem_rules.gm_adjudicated.usages import Usages, usages_of
from pbem_rules.gm_adjudicated.verbs import SAY, first_word, meant, slip_of
from pbem_rules.gm_adjudicated.words import Line

MOST_LINES = 400
LONGEST_LINE = 2_000
LONGEST_SHEET = 40_000
"""Characters of a sheet without its comments: as much as a GM may be asked to read (ruling 2)."""

_ARGUMENT = re.compile(r"<([^<>: ]*+)[^<>]*+>")
_BLOCKS = re.compile(r"\A(?>(?:\s*+/\*.*?\*/)+)")


class FreeTextParser(OrderParser):
    """Parser that reads every line as words, beginning with one of the verbs in the view if there are any."""

    def parse(self, view: Mapping[str, Any], lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        """Return the lines in the players' words, verbs in full, with hints at possible slips."""
        sheet = _Sheet(view, [entry["verb"] for entry in view["verbs"]], usages_of(view))
        for number, line in join_lines(lines):
            text = _without_blocks(one_line(line)).rstrip("\\ ")  # the last line of a sheet may end in a backslash
            if not text or is_comment(text):
                continue
            if view["over"]:
                return ParsedSheet(
                    (), (Finding(number, "error", "game-over", "the game is over; no more orders are taken"),)
                )
            if sheet.is_full:
                sheet.tell(number, "error", "too-much", "the sheet was read no further than here")
                break
            sheet.take(number, text)
        return sheet.parsed()

    def line(self, order: Order) -> str:
        assert isinstance(order, Line)
        return order.text


@dataclass
class _Sheet:
    """The lines read so far."""

    view: Mapping[str, Any]
    verbs: Sequence[str]
    usages: Usages
    entries: list[ParsedOrder] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    length: int = 0

    @property
    def is_full(self) -> bool:
        """True if no more lines are read."""
        return len(self.entries) >= MOST_LINES or len(self.findings) >= MOST_LINES or self.length >= LONGEST_SHEET

    def take(self, number: int, text: str) -> None:
        """Accept one more line, or note why not."""
        try:
            text = _not_too_long(self._with_arguments(number, self._with_verb(number, text)))
        except FieldError as refused:
            self.tell(number, "error", refused.code, refused.text, refused.hint)
            return
        self.length += len(text)
        self.entries.append(ParsedOrder(number, Line(text)))

    def tell(self, line: int, severity: str, code: str, text: str, hint: str = "") -> None:
        """Note a finding."""
        self.findings.append(Finding(line, severity, code, text, hint))

    def parsed(self) -> ParsedSheet:
        """Return the parsed sheet; all lines without a verb share one note."""
        if self.free:
            more = len(self.free) - 1
            these = "this line begins" if not more else f"this line and {more} more begin"
            self.tell(self.free[0], "note", "free-text", f"{these} with no verb; the GM reads your words as they are")
        return ParsedSheet(tuple(self.entries), tuple(sorted(self.findings, key=lambda finding: finding.line)))

    def _with_verb(self, number: int, text: str) -> str:
        """Return the line with its verb in full, if it has one; raise FieldError."""
        typed, rest = first_word(text)
        word = typed.upper()
        if word == SAY:
            if not rest:
                raise missing_word("what you say", None, "write: SAY <your words>")
            return f"{SAY} {rest}"
        verbs = meant(word, self.verbs)
        if len(verbs) == 1:
            if verbs[0] != word:
                self.tell(
                    number, "note", "abbreviated", f"read as {verbs[0]}", f"if it is none, write: {SAY} {typed} …"
                )
            return f"{verbs[0]} {rest}".rstrip()
        self._doubt(number, typed, verbs)
        return text

    def _with_arguments(self, number: int, text: str) -> str:
        """Return the line as the usage of its verb writes it, if it has one and the line is in that form (ruling 1)."""
        try:
            line, findings = self.usages.read(self.view, number, text)
        except FieldError as refused:
            told = f"{_not_in_form(self.view, text)}; your GM reads it as it stands"
            self.tell(number, "warning", refused.code, told, "; ".join(filter(None, (refused.text, refused.hint))))
            return text
        self.findings += findings
        return line

    def _doubt(self, number: int, typed: str, verbs: Sequence[str]) -> None:
        """Note a line whose first word is no verb, or possibly one."""
        near = slip_of(typed.upper(), self.verbs)
        if verbs:
            could = f"{_quote(typed)} could be {' or '.join(verbs[:6])}; the GM reads your words as they are"
            self.tell(number, "warning", "ambiguous-verb", could, "write the verb in full")
        elif near:
            none = f"{_quote(typed)} is no verb of this campaign; the GM reads your words as they are"
            self.tell(number, "warning", "unknown-verb", none, f"did you mean {near}?")
        elif self.verbs:
            self.free.append(number)


_OWN_WORDS = "in your own words"


def order_outcomes(view: View, orders: Sequence[Order]) -> list[str]:
    """Return of each line that is in the form of no verb that it counts as words, if there are verbs (ruling 1)."""
    verbs, usages = {entry["verb"] for entry in view["verbs"]}, usages_of(view)
    return [_outcome(view, verbs, usages, ORDERS.line(order)) if verbs else "" for order in orders]


def _outcome(view: View, verbs: Collection[str], usages: Usages, line: str) -> str:
    if line.partition(" ")[0] not in (SAY, *verbs):
        return _OWN_WORDS
    try:
        usages.read(view, 0, line)
    except FieldError:
        return f"{_OWN_WORDS}, {_not_in_form(view, line)}"
    return ""


def _not_in_form(view: View, line: str) -> str:
    """Return that a line is not in the form of its verb."""
    usage = next(entry["usage"] for entry in view["verbs"] if entry["verb"] == line.partition(" ")[0])
    return "not in the form " + _ARGUMENT.sub(r"\1", usage)


def _without_blocks(text: str) -> str:
    """Return a line without the comments in `/* */` that it begins with; elsewhere they are words like others."""
    blocks = _BLOCKS.match(text)
    return text[blocks.end() :].lstrip() if blocks else text


def _not_too_long(text: str) -> str:
    if len(text) > LONGEST_LINE:
        told = f"the line has {len(text)} characters; {LONGEST_LINE} are read at the most"
        raise FieldError("too-long", told, "break it into several lines")
    return text


def _quote(word: str) -> str:
    return repr(word[:40])


ORDERS: OrderParser = FreeTextParser((Line,))
