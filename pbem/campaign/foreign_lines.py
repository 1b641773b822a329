"""Lines of a sheet that players of other programs type, and that are no orders here: letters, ids, #end."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pbem.campaign.courtesies import Lines
from pbem.mail.reply_parser import ends_text
from pbem.ruleset.order_types import Finding, ParsedSheet
from pbem.ruleset.tokenizer import split_words, without_comment
from pbem.text import quote_lines

FOREIGN = re.compile(r"[\[#]")
"""A sign that each of these lines has, but for letters."""

_LETTER = re.compile(r"\A\W{0,9}(?:((?:PRESS|UNSIGNED) TO\b)|WRITE TO\b|BROADCAST\b)(.*+)\Z", re.IGNORECASE | re.DOTALL)
"""The first line of a letter, as judges of Diplomacy have it among orders."""

_TOLD = re.compile(r"\A\W{0,9}(?:MESSAGE|PRESS|TELL|WRITE)(?: TO)? (\w++)", re.IGNORECASE)
"""The beginning of words for a player, or of an order that somebody is told something."""

_ABSENCE = re.compile(
    r"\A\W{0,9}ABSENT\b:?(?>(?:\s+(?i:from|on|until|till|to|next|this|the))*)\s+"
    r"(?:[0-9]|(?i:today|tomorrow|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
)
"""The command with days behind it; other words may be an order."""

_AN_ORDER = "this is an order, which your GM reads; PRESS TO {0}, as the first line of a mail, writes to that player"


def letters_among(seats: Collection[str], lines: Lines) -> tuple[frozenset[int], list[Finding]]:
    """Return the lines of letters to players that stand among free words, and an error on the first of each.

    A letter is known by the seats it goes to, or by a line that ends it, such as ENDPRESS. Without that line only its
    first one is left out, since nobody can say where it ends. Other words to a seat may be an order, with a note on it.
    An ABSENT with days is left out too, as a command.
    """
    named = {seat.casefold() for seat in seats}
    left, refused, known = set[int](), list[Finding](), named | {"all"}
    ends = [number for number, line in lines if ends_text(line)]
    for number, line in lines:
        if number not in left and _ABSENCE.match(line):
            left.add(number)
            hint = "send it as the first line of a mail of its own"
            refused.append(Finding(number, "error", "command", "an absence is no order, and was not noted", hint))
            continue
        head = _LETTER.match(line) if number not in left else None
        end = next((end for end in ends if end > number), 0) if head else 0
        to = [word.casefold().strip(".:") for word in split_words(head[2])] if head else []
        if head is None or not (end or {*to} <= known or (head[1] and to[0] in named)):
            told = _TOLD.match(line) if number not in left else None
            if told and told[1].casefold() in named:
                refused.append(Finding(number, "note", "letter", _AN_ORDER.format(told[1])))
            continue
        inside = {below: text for below, text in lines if number < below <= end}
        left |= {number, *inside}
        rest = f"not read with it: {quote_lines([*inside.values()])}" if end else "what stands below it was read"
        hint = "send it as the first line of a mail of its own, and its words below that"
        refused.append(Finding(number, "error", "letter", f"a letter to a player is no order; {rest}", hint))
    return frozenset(left), refused


_ID = re.compile(r"(?<=[^\W\d_]|\d)\s?\[[0-9]{1,9}\]")
_NAMED_WITH_ID = re.compile(r"\b[^\W\d_]{1,19}[0-9]{1,9}\s?\[[0-9]{1,9}\]")
"""A name with a number in brackets behind it, as reports of Olympia have it: no number of steps, nor of anything."""


def with_ids(lines: Lines) -> tuple[frozenset[int], list[Finding]]:
    """Return the lines with a number in brackets behind a name, and an error on each, with the line without it."""
    refused = []
    for number, line in lines:
        body = without_comment(line) if "[" in line else ""
        if found := _NAMED_WITH_ID.search(body):
            text = f"the number in brackets in {found[0]!r} has no meaning here"
            refused.append(Finding(number, "error", "id", text, "write the name alone", _ID.sub("", body).strip()))
    return frozenset(finding.line for finding in refused), refused


_END_OF_TEMPLATE = re.compile(r"\A\s*+#\s?END\W*\Z", re.IGNORECASE)


def refuse_orders_below_end(parsed: ParsedSheet, lines: Lines) -> Iterator[Finding]:
    """Yield an error on a line #end with orders below it, which in other games are a template that nobody reads."""
    end = next((number for number, line in lines if _END_OF_TEMPLATE.match(line)), None)
    if end is not None and any(entry.line > end for entry in parsed.entries):
        text = "a #end ends no sheet here: the orders below it count"
        yield Finding(end, "error", "below-end", text, "leave it out, or those orders; a sheet ends with END")
