"""Several orders on one line of a sheet: each an order of its own where that is certain, else the line is refused.

A line that its game accepts as a whole is never split. Of any other, the parts between `;`, commas and full stops
that begin orders are tried: if each is an order, each is read as a line of its own; if one is and another only
begins like one, none is. What stands behind a `;` and begins like no order is a remark, as is one that speaks of a
later turn.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pbem.campaign.courtesies import Lines, host_word
from pbem.ruleset.order_types import Finding, ParsedSheet
from pbem.ruleset.orders import MAX_LINE
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import BULLET, is_comment, join_lines, split_words, without_comment
from pbem.ruleset.values import View
from pbem.text import excerpt

MOST_TRIED = 200
"""Texts of a sheet that are tried as orders; lines that need more are refused."""

_MOST_AMONG, _AMONG = 10, 200
"""Lines of a sheet whose parts are tried among the orders of its other lines, and how many these may be."""

_HINT = "write one order a line"
_OWN_LINE = "WAIT and FINAL count on a line of their own"

_NOT_WHOLE = ("second-order", "order-rest", "dropped", "not-read")
"""Codes of remarks on lines of which a part was left out."""

_NO_VERB = ("unknown-verb", "takes-back")
"""Codes of errors of texts that begin with no word of an order."""

_OPAQUE = r'"[^"]*+"?|[“„«][^”“»"]*+[”“»"]?'
# Beside ; no mark of a remark parts orders: what stands behind it stays where it is.
_REMARK = r"(?:(?<!\S)[#%]|(?<!:)//|/\*).*+"
_BETWEEN = {
    ";": re.compile(rf"(?:{_OPAQUE}|{_REMARK})|([;；])", re.DOTALL),
    # No comma of coordinates or lists of numbers, and no full stop of a number, a name or an address.
    ",.": re.compile(rf"(?:{_OPAQUE}|{_REMARK})|([,，、](?=\s*+[^\W\d_])|。|\.(?=\s++[^\W\d_]))", re.DOTALL),
}
MAY_HAVE_SEVERAL = re.compile(r"[;；,，、。]\s*+\S|\.\s++\S|\s\(?[0-9]{1,2}[.)]\s")
"""A sign that each line with several orders has."""

_ENTRY = re.compile(r"(?<=\s)\(?([0-9]{1,2})[.)]\s++(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class JoinedOrders:
    """The lines of a sheet that have several orders: those that are split, by number, and errors on the others.

    `told` are warnings of remarks that speak of a later turn.
    """

    parts: Mapping[int, Sequence[str]] = field(default_factory=dict)
    refused: tuple[Finding, ...] = ()
    told: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.parts or self.refused or self.told)

    def split(self, lines: Lines) -> tuple[Lines, Mapping[int, int]]:
        """Return lines with each part on its own, numbered anew, and the number that each had."""
        found = ((number, part) for number, line in join_lines(lines) for part in self.parts.get(number, (line,)))
        pairs = list(enumerate(found, start=1))
        return [(new, part) for new, (_, part) in pairs], {new: number for new, (number, _) in pairs}


def find_joined(ruleset: AnyRuleset, view: View, lines: Lines, parsed: ParsedSheet) -> JoinedOrders:
    """Return the lines with several orders, given how the lines were parsed as they are; some have a sign of them.

    Never in a game of free words, where any sign may stand in an order.
    """
    if ruleset.free_text:
        return JoinedOrders()
    taken = {entry.line for entry in parsed.entries}
    whole, joined = taken - _troubled(parsed), list(join_lines(lines))
    trial = _Trial(ruleset, view, [(number, without_comment(line)) for number, line in joined if number in whole])
    parts, refused, told = dict[int, Sequence[str]](), list[Finding](), list[Finding]()
    for number, line in joined:
        if len(line) > MAX_LINE or is_comment(line) or not MAY_HAVE_SEVERAL.search(line):
            continue
        if _ends_with_host_word(line):
            refused.append(Finding(number, "error", "several-orders", _OWN_LINE, _HINT))
            continue
        groups = trial.groups(line, whole=number in whole)
        told += [_warn_of_later(number, each.text) for each in groups if each.later]
        if sum(each.begins for each in groups) < 2:
            continue
        why = trial.fault(number, groups, taken=number in taken)
        if why is None:
            parts[number] = _with_remarks(groups)
        elif why:
            refused.append(Finding(number, "error", "several-orders", why, _HINT))
    return JoinedOrders(parts, tuple(refused), tuple(told))


# What a player plans, and what their note says when it is for.
_LATER = re.compile(r"\b(?:next|following)\s++(?:turn|round|move|time)\b|\blater\b", re.IGNORECASE)


def _warn_of_later(number: int, text: str) -> Finding:
    said = f"{excerpt(text)!r} is read as a remark, since it speaks of a later turn"
    return Finding(number, "warning", "for-later", said, "to keep an order for the next turn, write it below NEXT TURN")


_NAMED_LINE = re.compile(r"\bline ([0-9]{1,4})\b")


def name_lines(parsed: ParsedSheet, origin: Mapping[int, int]) -> ParsedSheet:
    """Return a parsed sheet whose findings name other lines by the numbers that they had."""

    def named(found: re.Match[str]) -> str:
        return f"line {origin.get(int(found[1]), int(found[1]))}"

    def said(words: str) -> str:
        return _NAMED_LINE.sub(named, words)

    findings = tuple(replace(each, text=said(each.text), hint=said(each.hint)) for each in parsed.findings)
    return replace(parsed, findings=findings)


@dataclass(frozen=True, slots=True)
class _Group:
    """A part of a line that may be an order. `begins`: it begins like one; `remark`: it stands behind a ;.

    `later`: it is a remark that begins like an order, and speaks of a later turn.
    """

    text: str
    begins: bool
    remark: bool = False
    later: bool = False


@dataclass
class _Trial:
    """Texts of a sheet that are tried as orders of their own, each only once; `whole` are its lines that are such."""

    ruleset: AnyRuleset
    view: View
    whole: Lines
    tried: dict[str, bool] = field(default_factory=dict)
    errors: dict[str, Finding] = field(default_factory=dict)
    among: int = 0

    def groups(self, line: str, *, whole: bool) -> Sequence[_Group]:
        """Return the parts of a line that may be orders of their own; of one that is accepted, those behind a ;."""
        first, *others = _segments(line)
        rests = [text for text in others if split_words(text)]
        if whole and not any(self.ruleset.orders.is_like_order(rest) or _is_host_word(rest) for rest in rests):
            return ()
        return [*self._groups_of(first, first=True), *(each for rest in rests for each in self._groups_of(rest))]

    def _groups_of(self, segment: str, *, first: bool = False) -> Iterator[_Group]:
        """Yield the parts between commas and full stops that begin orders, each with what follows it."""
        pieces = _cut(segment, _BETWEEN[",."])
        if not first and not self._begins(pieces[0]):
            yield _Group(segment.strip(), begins=False, remark=True)
            return
        if not first and _LATER.search(segment) and not self.is_order(segment):
            yield _Group(segment.strip(), begins=False, remark=True, later=True)
            return
        if len(pieces) == 1 or self.is_order(segment):
            yield _Group(segment.strip(), self._begins(segment))
            return
        starts = [at for at in range(len(pieces)) if at == 0 or self._begins(pieces[at])]
        for start, end in zip(starts, [*starts[1:], len(pieces)], strict=True):
            text = "".join(pieces[start:end]).strip().rstrip(",，、").rstrip()
            yield _Group(text, self._begins(text))

    def _begins(self, text: str) -> bool:
        """Return True for an order, or what begins with a verb; with a misspelt one, if that is all that is wrong."""
        if not split_words(text):
            return False
        if self.ruleset.orders.begins_with_verb(text) or _is_host_word(text) or self.is_order(text):
            return True
        return text in self.errors and bool(self.errors[text].corrected)

    def is_order(self, text: str) -> bool:
        """Return True for a text that is accepted as an order on a line of its own; none that ends the seat is."""
        if text not in self.tried and len(self.tried) < MOST_TRIED:
            read = self.ruleset.parse(self.view, [(1, text)])
            self.tried[text] = _are_accepted(read, [1])
            if read.errors:
                self.errors[text] = read.errors[0]
        return self.tried.get(text, False)

    def fault(self, number: int, groups: Sequence[_Group], *, taken: bool) -> str | None:
        """Return why a line is refused; "" if it is left as it is, and None if it is split.

        A line of which something is `taken` as it is must not be left so where its orders contradict each other.
        """
        orders = [each for each in groups if not each.remark]
        if not orders[0].begins or not any(self.is_order(each.text) for each in orders):
            return ""
        if len(self.tried) >= MOST_TRIED:
            return "the sheet has more lines with several orders than are read"
        if any(each.remark for each in groups[: groups.index(orders[-1])]):
            return "the line has a remark between its orders"
        texts = [each.text for each in orders]
        if any(map(_is_host_word, texts)):
            return _OWN_LINE
        together = self._are_orders(texts) or self._are_among(number, texts)
        wrong = [each.text for each in groups if self._is_mistaken(each)] if together else texts
        if refused := next((text for at, text in enumerate(wrong) if not self._stands(wrong[: at + 1])), ""):
            why = f": {self.errors[refused].text}" if refused in self.errors else ""
            return f"of the orders on the line, {excerpt(refused)!r} is not accepted{why}"
        if together:
            return None
        return "the line has several orders, which do not go together" if taken else ""

    def _stands(self, texts: Sequence[str]) -> bool:
        """Return True if the last part is an order, alone or behind the others, which may build what it moves."""
        if self.is_order(texts[-1]):
            return True
        self.among += 1
        return len(texts) > 1 and self.among <= _MOST_AMONG and self._are_orders(texts)

    def _is_mistaken(self, group: _Group) -> bool:
        """Return True for a remark beside several orders that the game knows as an order, though it refuses it."""
        if not group.remark or group.later or self.is_order(group.text):
            return False
        return group.text in self.errors and self.errors[group.text].code not in _NO_VERB

    def _are_orders(self, texts: Sequence[str]) -> bool:
        numbered = list(enumerate(texts, start=1))
        return _are_accepted(self.ruleset.parse(self.view, numbered), [number for number, _ in numbered])

    def _are_among(self, number: int, texts: Sequence[str]) -> bool:
        """Return True if the parts of a line are orders among the others of the sheet, as those for a new ship are."""
        self.among += 1
        if self.among > _MOST_AMONG or not 0 < len(self.whole) <= _AMONG:
            return False
        others = [each for each in self.whole if each[0] != number]
        lines, origin = JoinedOrders({number: texts}).split(sorted([*others, (number, "")]))
        own = [new for new, old in origin.items() if old == number]
        return _are_accepted(self.ruleset.parse(self.view, lines), own)


def _is_host_word(text: str) -> bool:
    return host_word(split_words(text)) is not None


def _ends_with_host_word(line: str) -> bool:
    """Return True for a line such as "MOVE S1 E, WAIT", whose last word a game may read as one of its own."""
    pieces = _cut(without_comment(line), _BETWEEN[",."])
    return len(pieces) > 1 and _is_host_word(pieces[-1])


def _are_accepted(parsed: ParsedSheet, numbers: Collection[int]) -> bool:
    """Return True if lines are orders as they are, none of them one that ends the seat."""
    own = [entry for entry in parsed.entries if entry.line in numbers]
    return {*numbers} <= {entry.line for entry in own} - _troubled(parsed) and not any(
        each.order.ends_seat for each in own
    )


def _troubled(parsed: ParsedSheet) -> set[int]:
    """Return the lines that are not accepted as they are."""
    return {each.line for each in parsed.findings if each.severity == "error" or each.code in _NOT_WHOLE}


def _segments(line: str) -> list[str]:
    """Return the parts of a line between semicolons, or the entries of a list that is numbered from 1."""
    bullet = BULLET.match(line)
    body = line[bullet.end() :] if bullet else line
    marks = list(_ENTRY.finditer(body)) if bullet and bullet[0].strip(" ().") == "1" else []
    if marks and [int(mark[1]) for mark in marks] == [*range(2, len(marks) + 2)]:
        ends = [(mark.start(), mark.end()) for mark in marks]
        starts = [0, *(end for _, end in ends)]
        return [body[start:end] for start, (end, _) in zip(starts, [*ends, (len(body), 0)], strict=True)]
    return [piece.removesuffix(";").removesuffix("；") for piece in _cut(body, _BETWEEN[";"])]


def _cut(text: str, between: re.Pattern[str]) -> list[str]:
    """Return the pieces of a text, each with the sign behind it."""
    ends = [found.end() for found in between.finditer(text) if found[1]]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def _with_remarks(groups: Sequence[_Group]) -> list[str]:
    """Return the orders of a line, the last with the remark behind them."""
    orders = [each.text for each in groups if not each.remark]
    remarks = [each.text for each in groups if each.remark]
    return [*orders[:-1], "; ".join([orders[-1], *remarks])]
