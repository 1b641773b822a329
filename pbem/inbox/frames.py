"""Frames in texts: the sheets and commands of players, and those of GMs, each from its first line to END.

    ORDERS trap7 red TOKEN      PLAYER trap7 red TOKEN      GM trap7 TOKEN
    ...orders...                ...commands...              ...commands...
    END                         END                         END

A sheet without a frame is a plain reply, all of whose lines are order lines. Lines are
counted from 1: the line after the first of the frame, or the first line of the reply.
The host's own words WAIT (hold the turn until the deadline) and FINAL (neither more to
come nor a correction) may stand on a line of their own or at the end of the line ORDERS.

Frames are looked for in what was typed, and in whole texts with all that they quote
(`find_frames`). Lines that programs have quoted are compared as words (`words_of`,
`spell_line`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from pbem.campaign.courtesies import NAMES_TURN, host_word, says_wait, split_host_words
from pbem.campaign.order_sheets import Lines, redact_lines
from pbem.mail.quoting import find_attribution, is_quoted, with_plain_marks
from pbem.mail.reply_parser import HEADER, is_end
from pbem.ruleset.tokenizer import close_comments, split_words, unclosed_comment
from pbem.util import MASK, redact_all

Names = Container[str]
"""The names of all campaigns."""

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SheetHeader:
    """Content of a line ORDERS or PLAYER; `key` is the token or reply code, if there is one."""

    campaign: str
    seat: str
    key: str = ""

    @classmethod
    def of(cls, words: Sequence[str]) -> SheetHeader | None:
        """Build the header from the words of a line, the first of which says what is framed; None if it is none."""
        if len(words) not in (3, 4):
            return None
        return cls(words[1].lower(), words[2].lower(), words[3] if len(words) == 4 else "")

    def mask_key(self) -> str:
        """Return the line ORDERS again, fit for archives: without the key."""
        return " ".join(["ORDERS", self.campaign, self.seat] + [MASK] * bool(self.key))


@dataclass(frozen=True, slots=True)
class SheetText:
    """A sheet as found: its frame, its numbered lines, and the host's words in it.

    `lines` are those for the ruleset; `written` are all, as they came. `wait`
    is None unless WAIT or FINAL was written. `at` is the line of the text on
    which the frame begins, and `above` are the lines above it, if they are more
    than blanks; `below` are those between its END and the next frame. `closed`: it
    has an END. `courtesies` are lines outside of the frame that are words to a person.
    `unread` is the number of orders that were found in a quotation, and not read. `others` are the sheets for other
    campaigns or seats below it.
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
    others: tuple[SheetText, ...] = ()

    def is_for(self, campaign: str, seat: str) -> bool:
        """Return True if its frame names a seat."""
        return self.header is not None and (self.header.campaign, self.header.seat) == (campaign, seat)

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
        return self.header.mask_key() + (" WAIT" if self.wait and not any(map(says_wait, self.written)) else "")

    def without(self, numbers: Collection[int]) -> SheetText:
        """Return the sheet without these lines."""
        return replace(self, lines=tuple(each for each in self.lines if each[0] not in numbers)) if numbers else self


@dataclass(frozen=True, slots=True)
class GmFrame:
    """A GM's commands as found: the campaign, the token, and the numbered lines between GM and END.

    `code` is that of the mail to the GM's address which they answer: it proves them instead of a token.
    `inbox_id` is that of the message that they were in, 0 for the one that is being processed.
    """

    campaign: str
    key: str
    lines: tuple[tuple[int, str], ...]
    code: str = ""
    inbox_id: int = 0

    @property
    def shown(self) -> Lines:
        """The lines without credentials."""
        return redact_lines(self.lines)


_BEGINS = {word: re.compile(rf"\A\s*+{word}\s", re.IGNORECASE) for word in ("ORDERS", "PLAYER")}
_GM = re.compile(r"\A\s*+gm\s++(\S{1,40}+)\s++(\S{1,64}+)\s*+", re.IGNORECASE)
_TOKENLIKE = re.compile(r"[0-9a-f]{15,25}", re.IGNORECASE)
"""A token, or one that was mistyped."""


def header_of(line: str, word: str = "ORDERS") -> SheetHeader | None:
    """Return the header of a frame on a line; None if none begins there."""
    return _parse_header(line, word)[0]


def _parse_header(line: str, word: str = "ORDERS") -> tuple[SheetHeader | None, bool | None]:
    """Return the header on a line, and its WAIT (True) or FINAL (False), which only sheets have."""
    if not _BEGINS[word].match(line):
        return None, None
    words = split_words(line)
    wait = host_word(words[-1:]) if word == "ORDERS" else None
    if wait is not None:
        words.pop()
    return SheetHeader.of(words), wait


def find_header(lines: Sequence[str], known: Names, word: str = "ORDERS") -> int | None:
    """Return the line on which the first frame begins; None if there is none.

    A line that looks like a header counts when its campaign is `known`, or
    when an END follows; "Orders for this week" in a greeting does neither.
    """
    headers = [(at, header) for at, line in enumerate(lines) if (header := header_of(line, word))]
    # A sheet ends at END, or where the next one begins.
    begins = [at for at, header in headers if word == "ORDERS" and header.campaign in known]
    last_end = max((*begins, *(at for at, line in enumerate(lines) if is_end(line))), default=-1)
    return next((at for at, header in headers if at < last_end or header.campaign in known), None)


def find_sheet(lines: Sequence[str], known: Names) -> SheetText:
    """Return the first framed sheet in a text with the others below it, else all as a plain reply. Never raises."""
    at = find_header(lines, known)
    if at is None:
        return plain_sheet(lines)
    starts, closed = [len(lines)], False
    for each in range(len(lines) - 1, at - 1, -1):
        header = header_of(lines[each])
        if header and (each == at or closed or header.campaign in known):
            starts.append(each)
        closed = is_end(lines[each]) or (closed and header is None)
    found = [_framed_sheet(lines, *place) for place in pairwise(reversed(starts))]
    first, others, note = found[0], list[SheetText](), ""
    for sheet in found[1:]:
        assert sheet.header is not None
        seat = (sheet.header.campaign, sheet.header.seat)
        before = next((each for each in (first, *others) if each.is_for(*seat)), None)
        # The mail may go on with an older one: what is said once more ends it, unless it is the same.
        if len(others) + 1 == MOST_SHEETS or (before is not None and before.lines != sheet.lines):
            note = f"Only the first sheet for {' '.join(seat)} was read, and nothing below it." if before else _TOO_MANY
            break
        others += [sheet] * (before is None)
    above = tuple(lines[:at]) if any(line.strip() for line in lines[:at]) else ()
    notes = (*first.notes, *[note] * bool(note), *[_ONLY_ABOVE] * bool(above and first.empty))
    return replace(first, notes=notes, above=above, others=tuple(others))


MOST_SHEETS = 8
"""Sheets of one mail that are read."""

_TOO_MANY = f"Only the first {MOST_SHEETS} sheets of the mail were read."
_ONLY_ABOVE = "There is no order between ORDERS and END; what stands above ORDERS was not read."


def plain_sheet(lines: Sequence[str]) -> SheetText:
    """Return lines without a frame as a sheet."""
    return _sheet_of(None, lines, None, ())


def _framed_sheet(lines: Sequence[str], at: int, stop: int) -> SheetText:
    """Return the sheet whose frame begins on a line; the next one does at `stop`."""
    header, wait = _parse_header(lines[at])
    end = next((below for below in range(at + 1, stop) if is_end(lines[below])), None)
    open_ = "There is no END line: everything after ORDERS was read. Close your sheet with END."
    notes = (open_,) if end is None and stop == len(lines) else ()
    sheet = _sheet_of(header, lines[at + 1 : stop if end is None else end], wait, notes)
    return replace(sheet, closed=end is not None, at=at, below=() if end is None else tuple(lines[end + 1 : stop]))


def _sheet_of(header: SheetHeader | None, lines: Sequence[str], wait: bool | None, notes: tuple[str, ...]) -> SheetText:
    if number := unclosed_comment(enumerate(lines, start=1)):
        notes = (*notes, f"Line {number} has a /* that no */ closes: all below it was left alone, as a remark.")
    numbered = list(close_comments(enumerate(lines, start=1)))
    # What stands below the name of a turn may be said of a later one.
    at = next((at for at, (_, line) in enumerate(numbered) if NAMES_TURN(line)), len(numbered))
    kept, said = split_host_words(numbered[:at])
    kept = (*kept, *numbered[at:])
    if len({says_wait(line) for number, line in set(numbered).difference(kept)}) > 1:
        notes = (*notes, f"Your sheet says WAIT and FINAL: the last of them counts, {'WAIT' if said else 'FINAL'}.")
    return SheetText(header, kept, tuple(lines), wait if said is None else said, notes)


def find_gm_frame(lines: Sequence[str]) -> GmFrame | None:
    """Return the first GM frame in a text, or None; it ends at the last END, so that a text in it may have one too."""
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    for at, line in enumerate(lines):
        match = _GM.fullmatch(line)
        # "GM is away" may be a line of a player's press or comment, which must not be lost by it.
        if match and (at == first or _TOKENLIKE.fullmatch(match[2])):
            ends = [end for end in range(at + 1, len(lines)) if is_end(lines[end])]
            inside = lines[at + 1 : ends[-1] if ends else None]
            return GmFrame(match[1].lower(), match[2], tuple(enumerate(inside, start=1)))
    return None


BULLETS = ("-", "\u2022", "\u00b7", "\u25e6")
"""Signs before the entries of lists."""

# A colon too: in HTML one parts an order from its outcome, which in plain text has a line of its own.
_TYPED_MARKS = "*_`|#:"
_MARKS = re.compile(r"\A[\s>|]*+")
_EMPHASIS = "*_"

_ANCHOR = 4
"""Words next to a frame by which it is recognised."""

_MOST_FRAMES = 20
"""Frames of a message that are compared with what we mailed."""


def words_of(line: str) -> list[str]:
    """Return a line's words as they are compared: without marks, and with keys masked as in stored mails.

    Signs of emphasis, titles and tables are marks too: some programs show them, others turn them into bold letters.
    All bullets are one: programs have their own.
    """
    words = redact_all(strip_marks(line)).casefold().split()
    if len(words) > 1 and words[0] in BULLETS:
        words[0] = BULLETS[0]
    return [kept for word in words if (kept := word.strip(_TYPED_MARKS))]


def spell_line(line: str) -> Words:
    """Return a line's words as lines of forms are compared: without bullets; a semicolon at the beginning is a word."""
    words = words_of(line)
    if len(words) > 1 and words[0] in BULLETS:
        words = words[1:]
    if words and words[0].startswith(";"):
        words = [";", *filter(None, [words[0].lstrip(";")]), *words[1:]]
    return tuple(words)


def strip_marks(line: str) -> str:
    """Return a line without marks of quotation."""
    found = _MARKS.match(line)
    return line[found.end() :] if found else line


def undress(line: str) -> str:
    """Return a line without marks, bullet and signs of emphasis around it."""
    said = strip_marks(line).strip()
    bullet, _, rest = said.partition(" ")
    said = rest.lstrip() if bullet in BULLETS else said
    return said[1:-1] if len(said) > 1 and said[0] == said[-1] and said[0] in _EMPHASIS else said


def depth_of(line: str) -> int:
    """Return how often a line is quoted."""
    marks = line[: len(line) - len(strip_marks(line))]
    return marks.count(">") + marks.count("|")


@dataclass(frozen=True)
class Frame:
    """A sheet's frame in a text with all that it quotes, as it was before it was quoted.

    `numbers` are those of its lines, ORDERS and END among them, and `lines` are those between. `above` and `below` are
    the words next to it. `depth` is how often it is quoted. `closed`: it has an END. `bare`: it has lost ORDERS too,
    so that `header` is that of the form whose lines it has.
    """

    header: SheetHeader
    numbers: range
    lines: tuple[str, ...]
    above: Words = ()
    below: Words = ()
    depth: int = 0
    closed: bool = True
    bare: bool = False

    @cached_property
    def spelt(self) -> tuple[Words, ...]:
        """The words of its lines that are not blank."""
        return tuple(words for line in self.lines if (words := spell_line(line)))

    @property
    def words(self) -> Words:
        """The words of its lines, all together."""
        return tuple(word for words in self.spelt for word in words)

    def count_origins(self, lines: Sequence[str]) -> int:
        """Return how many attributions without marks stand above it in the text."""
        count = at = 0
        above = lines[: self.numbers.start]
        while at < len(above):
            found = None if is_quoted(above[at]) else find_attribution(above, at)
            count += found is not None
            at += found.count if found else 1
        return count


EXAMPLES = frozenset({"; your orders, one a line", "; your commands, one a line"})
"""Lines in the place of orders where our mails explain how to send some."""


def may_quote_ours(lines: Sequence[str]) -> bool:
    """Return True if a text may have lines of our mails: a mark, a sentence, a heading or the example of a sheet."""
    return any(
        (">" in line and is_quoted(line))
        or line.rstrip().endswith((".", ":", "!", "?", "--", "=="))
        or " \u00b7 " in line
        or " ".join(line.split()) in EXAMPLES
        for line in lines
    )


def has_frame(lines: Sequence[str]) -> bool:
    """Return True if a sheet's frame begins in a text, however it is quoted."""
    return any(_begins(undress(line)) for line in lines if "orders" in line.lower())


def has_quoted_comment(lines: Sequence[str]) -> bool:
    """Return True if a quoted line is behind a semicolon, as the lines of our forms are."""
    return any(spell_line(line)[:1] == (";",) for line in lines if ";" in line and is_quoted(line))


def find_frames(lines: Sequence[str]) -> list[Frame]:
    """Return the sheets' frames in a text with all that it quotes. Never raises."""
    plain = with_plain_marks(lines)
    bare = [undress(line) for line in plain]
    starts = [at for at, line in enumerate(bare) if _begins(line)][:_MOST_FRAMES]
    return [_read_frame(plain, bare, at, stop) for at, stop in zip(starts, [*starts[1:], len(bare)], strict=False)]


def _begins(line: str) -> bool:
    return HEADER.fullmatch(line) is not None and header_of(line) is not None


def _read_frame(lines: Sequence[str], bare: Sequence[str], at: int, stop: int) -> Frame:
    header = header_of(bare[at])
    assert header is not None
    end = next((below for below in range(at + 1, stop) if is_end(bare[below])), None)
    # Without an END it ends above the first blank line.
    blank = next((below for below in range(at + 1, stop) if not bare[below].strip()), stop)
    last = blank - 1 if end is None else end
    return Frame(
        header,
        range(at, last + 1),
        tuple(bare[at + 1 : last + (end is None)]),
        _words_beside(reversed(bare[:at]), up=True),
        _words_beside(bare[last + 1 :]) if end is not None else (),
        depth_of(lines[at]),
        end is not None,
    )


def _words_beside(lines: Iterable[str], *, up: bool = False) -> Words:
    """Return the words next to a frame, from the nearest line on; none if there are too few."""
    found: list[str] = []
    for line in lines:
        found = [*words_of(line), *found] if up else [*found, *words_of(line)]
        if len(found) >= _ANCHOR:
            return tuple(found[-_ANCHOR:] if up else found[:_ANCHOR])
    return ()
