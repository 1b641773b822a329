"""Search for the order sheet in the text of a message or a file, after quotations were removed.

A sheet is framed, anywhere in the text:

    ORDERS trap7 red TOKEN
    ...order lines...
    END

or it is a plain reply, all of whose lines are order lines. Lines are counted
from 1: the line after ORDERS, or the first line of the reply. The host's own
words WAIT (hold the turn until the deadline) and FINAL (neither more to come nor a
correction) may stand on a line of their own or at the end of the header.

Mail programs quote in unforeseen ways, so a sheet below other text may be an older
one. Prose never reads as an order, except in games that accept free text: order
lines above a sheet were therefore typed as orders.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, replace

from pbem.campaign.courtesies import find_courtesies
from pbem.campaign.order_sheets import Lines, host_word, quote_lines, redact_lines, says_wait, split_host_words
from pbem.errors import CampaignError
from pbem.mail.message import AttachedText, read_from
from pbem.mail.mime import decode_text
from pbem.mail.reply_parser import is_end, normalise_text, sender_lines
from pbem.ruleset.order_types import ParsedSheet
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.tokenizer import close_comments, split_words, unclosed_comment
from pbem.ruleset.values import View
from pbem.util import MASK

Names = Container[str]
"""The names of all campaigns."""

_ORDERS = re.compile(r"\A\s*+orders\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SheetHeader:
    """Content of an ORDERS line; `key` is the token or reply code, if there is one."""

    campaign: str
    seat: str
    key: str = ""

    @classmethod
    def of(cls, words: Sequence[str]) -> SheetHeader | None:
        """Build the header from the words of a line, the first of which says what is framed; None if it is none."""
        if len(words) not in (3, 4):
            return None
        return cls(words[1].lower(), words[2].lower(), words[3] if len(words) == 4 else "")

    def masked(self) -> str:
        """Return the line again, fit for archives: without the key."""
        return " ".join(["ORDERS", self.campaign, self.seat] + [MASK] * bool(self.key))


@dataclass(frozen=True, slots=True)
class SheetText:
    """A sheet as found: its frame, its numbered lines, and the host's words in it.

    `lines` are those for the ruleset; `written` are all, as they came. `wait`
    is None unless WAIT or FINAL was written. `at` is the line of the text on
    which the frame begins, and `above` are the lines above it, if they are more
    than blanks; `below` are those between its END and the next frame. `closed`: it
    has an END. `courtesies` are lines outside of the frame that are words to a person.
    `unread` is the number of orders that were found in a quotation, and not read.
    """

    header: SheetHeader | None
    lines: tuple[tuple[int, str], ...]
    written: tuple[str, ...]
    wait: bool | None = None
    notes: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    closed: bool = False
    at: int = 0
    below: tuple[str, ...] = ()
    courtesies: tuple[str, ...] = ()
    unread: int = 0

    @property
    def below_text(self) -> bool:
        """True if there is text above the frame."""
        return bool(self.above)

    @property
    def empty(self) -> bool:
        """True if no line asks for anything; comments and blank lines do not."""
        return not any(split_words(line) for _, line in self.lines)

    def text(self) -> str:
        """Return the sheet as received, its key masked, for store and archive."""
        frame = ([], []) if self.header is None else ([self._first_line()], ["END"])
        return "\n".join([*frame[0], *self.written, *frame[1]]) + "\n"

    def _first_line(self) -> str:
        """Return the header's line, with WAIT if that stood there."""
        assert self.header is not None
        return self.header.masked() + (" WAIT" if self.wait and not any(map(says_wait, self.written)) else "")

    def without(self, numbers: Collection[int]) -> SheetText:
        """Return the sheet without these lines."""
        return replace(self, lines=tuple(each for each in self.lines if each[0] not in numbers)) if numbers else self


def find_sheet(lines: Sequence[str], known: Names) -> SheetText:
    """Return the framed sheet in a text, else all of it as a plain reply. Never raises.

    A line that looks like a header counts when its campaign is `known`, or
    when an END follows; "Orders for this week" in a greeting does neither.
    """
    last_end = max((at for at, line in enumerate(lines) if _ends_frame(line, known)), default=-1)
    for at, line in enumerate(lines):
        header, wait = _parse_header(line)
        if header is not None and (at < last_end or header.campaign in known):
            end = next((below for below in range(at + 1, len(lines)) if _ends_frame(lines[below], known)), None)
            return _framed_sheet(lines, at, end, header, wait)
    return plain_sheet(lines)


def plain_sheet(lines: Sequence[str]) -> SheetText:
    """Return lines without a frame as a sheet."""
    return _sheet_of(None, lines, None, ())


def _framed_sheet(lines: Sequence[str], at: int, end: int | None, header: SheetHeader, wait: bool | None) -> SheetText:
    notes = []
    if end is None:
        notes.append("There is no END line: everything after ORDERS was read. Close your sheet with END.")
    elif any(_parse_header(line)[0] for line in lines[end:]):
        notes.append("Only the first sheet of the mail was read: send one sheet a mail.")
    closed = end is not None and is_end(lines[end])
    after = len(lines) if end is None else end + closed
    following = next((below for below in range(after, len(lines)) if _parse_header(lines[below])[0]), len(lines))
    below = tuple(lines[after:following]) if closed else ()
    sheet = replace(_sheet_of(header, lines[at + 1 : end], wait, tuple(notes)), closed=closed, at=at, below=below)
    if not any(line.strip() for line in lines[:at]):
        return sheet
    if sheet.empty:
        notes.append("There is no order between ORDERS and END; what stands above ORDERS was not read.")
    return replace(sheet, notes=tuple(notes), above=tuple(lines[:at]))


def _sheet_of(header: SheetHeader | None, lines: Sequence[str], wait: bool | None, notes: tuple[str, ...]) -> SheetText:
    if number := unclosed_comment(enumerate(lines, start=1)):
        notes = (*notes, f"Line {number} has a /* that no */ closes: all below it was left alone, as a remark.")
    kept, said = split_host_words(close_comments(enumerate(lines, start=1)))
    return SheetText(header, tuple(kept), tuple(lines), wait if said is None else said, notes)


def header_of(line: str) -> SheetHeader | None:
    """Return the header of a sheet on a line; None if it has none."""
    return _parse_header(line)[0]


def _parse_header(line: str) -> tuple[SheetHeader | None, bool | None]:
    """Return the header on a line, and its WAIT (True) or FINAL (False)."""
    if not _ORDERS.match(line):
        return None, None
    words = split_words(line)
    wait = host_word(words[-1:])
    if wait is not None:
        words.pop()
    return SheetHeader.of(words), wait


def _ends_frame(line: str, known: Names) -> bool:
    """Return True if a frame ends at a line: at END, or where the next one begins."""
    header, _ = _parse_header(line)
    return is_end(line) or (header is not None and header.campaign in known)


def file_lines(raw: bytes) -> tuple[list[str], list[str]]:
    """Return the lines of a file, cleaned as a mail's text is, and notes on what was left out. Never raises."""
    return sender_lines(normalise_text(decode_text(raw, "")).strip("\n").split("\n"))


# What no editor writes into a text, and every office document, archive, picture and program has near its beginning.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOOKED_AT = 4096


def sheet_lines(raw: bytes, campaign: str) -> Lines:
    """Return the lines of the sheet in a GM's file, keys masked; without a frame all. WAIT or FINAL is the last.

    Raises:
        CampaignError: It is a file of another kind, such as a picture or a document.
    """
    if _CONTROLS.search(decode_text(raw[:_LOOKED_AT], "")):
        raise CampaignError("this file is no text: save the orders as plain text, one on each line")
    lines, _ = file_lines(raw)
    found = find_sheet(lines, {campaign})
    word = [] if found.wait is None else [(len(lines) + 1, "WAIT" if found.wait else "FINAL")]
    return redact_lines((*found.lines, *word))


MOST_ASIDE = 8
"""Lines above a sheet that are no orders: with more of them than a greeting and a signature, it is a quotation."""

UPPER = (
    "Your mail has orders at its top and a sheet below them. Only the orders at the top were read: "
    "the sheet below, from its ORDERS line on, may be an older one that your mail program quoted."
)
LOWER = (
    "Your mail has lines above the ORDERS line that read as orders, among much else: they were left alone, "
    "and the sheet was read. Send your orders again without the rest if that is not what you meant."
)
_NO_ORDERS = "The attached {} was not read: there is no ORDERS line in it, and the mail itself has orders."


def choose_sheet(
    ruleset: AnyRuleset, view: View, sheet: SheetText, filed: AttachedText | None, names: Collection[str] = ()
) -> SheetText:
    """Return the sheet that counts of those in a message; its notes tell what was passed over.

    `names` are the words of the sender's names, in small letters.
    """
    if sheet.header is None:
        return sheet if filed is None else _choose_file(ruleset, view, sheet, filed)
    courtesies, unread = _split_courtesies(ruleset, view, sheet.above, names)
    above = _orders_above(ruleset, view, sheet) if unread else None
    if above and (upper := _take_upper(sheet, above)):
        return upper
    if above:
        sheet = replace(sheet, notes=(*sheet.notes, LOWER))
    elif not sheet.empty:
        sheet = _tell_unread(sheet, courtesies, unread, "above ORDERS")
    return _tell_unread(sheet, *_split_courtesies(ruleset, view, sheet.below, names), "below END")


def _split_courtesies(
    ruleset: AnyRuleset, view: View, lines: Sequence[str], names: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the courtesies among lines outside of a frame, and the other lines, but for blank ones."""
    numbered = tuple(enumerate(lines, start=1))
    left = find_courtesies(ruleset, view, numbered, names, outside=True)
    unread = [line for number, line in numbered if line.strip() and number not in left]
    return [line.strip() for number, line in numbered if number in left], unread


def _tell_unread(sheet: SheetText, courtesies: Sequence[str], unread: Sequence[str], where: str) -> SheetText:
    """Return the sheet with lines outside of its frame: courtesies, and a note on those that were not read."""
    if unread:
        said = f"Not read, as it stands {where}: {quote_lines(unread)}. Write orders between ORDERS and END."
        sheet = replace(sheet, notes=(*sheet.notes, said))
    return replace(sheet, courtesies=(*sheet.courtesies, *courtesies)) if courtesies else sheet


def sheet_above_quote(ruleset: AnyRuleset, view: View, sheet: SheetText) -> SheetText | None:
    """Return the orders above a sheet that cannot count itself; None if there are none that do."""
    above = _orders_above(ruleset, view, sheet)
    return _take_upper(sheet, above) if above else None


def _orders_above(ruleset: AnyRuleset, view: View, sheet: SheetText) -> ParsedSheet | None:
    """Parse the lines above a sheet; return None without an order, or if the game accepts free text."""
    if not sheet.above or ruleset.free_text:
        return None
    above = ruleset.parse(view, plain_sheet(sheet.above).lines)
    return above if above.entries else None


def _take_upper(sheet: SheetText, above: ParsedSheet) -> SheetText | None:
    lines = sheet.above
    if len(above.errors) > MOST_ASIDE:
        lines = lines[: min(finding.line for finding in above.errors) - 1]
    found = plain_sheet(lines)
    if found.empty or sheet.header is None:
        return None
    # The key is part of the sheet that does not count, so it proves nothing of these orders.
    return replace(found, header=replace(sheet.header, key=""), notes=(UPPER,))


def _choose_file(ruleset: AnyRuleset, view: View, sheet: SheetText, filed: AttachedText) -> SheetText:
    """Return the orders of a file without an ORDERS line, if the mail itself has none."""
    if ruleset.parse(view, sheet.lines).entries or sheet.wait is not None:
        return replace(sheet, notes=(*sheet.notes, _NO_ORDERS.format(filed.names)))
    return replace(plain_sheet(filed.lines), notes=(read_from(filed.names),))
