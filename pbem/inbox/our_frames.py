"""The order forms of our mails where a message quotes them, and what was edited in them.

What we mailed is known word for word: only what differs was typed. Nothing depends on
marks of quotation. A frame, from ORDERS to END, is our form only if our own words
stand next to it (*anchored*), or if one of its lines is still behind our semicolon
(*traced*); any other may be an older sheet of its sender, and is never read. So
whatever is not certain is told, as lines that were not read.

All is compared as words (`quoted_originals.words_of`), without bullets; a semicolon at
the beginning is a word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from pbem.inbox.quoted_originals import BULLETS, strip_marks, words_of
from pbem.inbox.sheet_finder import SheetHeader, header_of
from pbem.mail.quoting import find_attribution, is_quoted, with_plain_marks
from pbem.mail.reply_parser import HEADER, is_end

Words = tuple[str, ...]
What = Literal["quotation", "old", "anchored", "traced", "unknown"]
"""Kinds of frames: a form as it was mailed, one of an earlier mail, an edited form, or none of ours."""

_ANCHOR = 4
"""Words next to a frame by which it is recognised."""

_MOST_JOINED = 6
"""Lines into which programs break a line of a form at most."""

_MOST_FRAMES = 20
"""Frames of a message that are compared with what we mailed."""

_VERB = 1
_ABOUT = 2
"""Words of an order that say what it is, and what it is about."""


@dataclass(frozen=True)
class Frame:
    """A frame in a text: its header, the numbers of its lines, ORDERS and END among them, and the lines between.

    `above` and `below` are the words next to it. `depth` is how often it is quoted, `origins` how many attributions
    stand above it. `closed`: it has an END.
    """

    header: SheetHeader
    numbers: range
    lines: tuple[str, ...]
    above: Words
    below: Words
    depth: int = 0
    origins: int = 0
    closed: bool = True

    @cached_property
    def spelt(self) -> tuple[Words, ...]:
        """The words of its lines that are not blank."""
        return tuple(words for line in self.lines if (words := spell_line(line)))

    @property
    def words(self) -> Words:
        """The words of its lines, all together."""
        return tuple(word for words in self.spelt for word in words)


@dataclass(frozen=True, slots=True)
class Edits:
    """A frame compared with a form: lines that are orders, how many lines of the form are there, and behind ";".

    `hidden` are other lines behind a semicolon.
    """

    orders: tuple[str, ...]
    shared: int
    behind: int
    hidden: tuple[str, ...] = ()

    @property
    def spelt(self) -> tuple[Words, ...]:
        """The words of the orders."""
        return tuple(map(spell_line, self.orders))


@dataclass(frozen=True)
class Mailed:
    """Mails and sheets of a seat: the frames mailed, the newest code, and the sheets sent this turn.

    `answers_ours` is False for a message that answers a mail which is none of ours.
    """

    frames: Sequence[Frame]
    code: str
    sent: Sequence[Collection[Words]] = ()
    answers_ours: bool = True


@dataclass(frozen=True)
class FoundForm:
    """A frame of a message: what it is, its orders, and whether it may be our form, though it is not read.

    `hidden` are lines behind a semicolon that are none of the form.
    """

    frame: Frame
    what: What
    orders: tuple[str, ...] = field(default=())
    ours: bool = False
    hidden: tuple[str, ...] = ()

    @property
    def told(self) -> bool:
        """True if its sender is told that its orders were not read, if they are not."""
        return bool(self.orders) and (self.what in ("anchored", "traced", "unknown") or self.ours)


def spell_line(line: str) -> Words:
    """Return a line's words as lines of forms are compared."""
    words = words_of(line)
    if len(words) > 1 and words[0] in BULLETS:
        words = words[1:]
    if words and words[0].startswith(";"):
        words = [";", *filter(None, [words[0].lstrip(";")]), *words[1:]]
    return tuple(words)


def has_frame(lines: Sequence[str]) -> bool:
    """Return True if a frame begins in a text, however it is quoted."""
    return any(_begins(_undress(line)) for line in lines if "orders" in line.lower())


def find_frames(lines: Sequence[str]) -> list[Frame]:
    """Return the frames in a text, as they were before they were quoted. Never raises."""
    plain = with_plain_marks(lines)
    bare = [_undress(line) for line in plain]
    starts = [at for at, line in enumerate(bare) if _begins(line)][:_MOST_FRAMES]
    return [_read_frame(plain, bare, at, stop) for at, stop in zip(starts, [*starts[1:], len(bare)], strict=False)]


def _begins(line: str) -> bool:
    return HEADER.fullmatch(line) is not None and header_of(line) is not None


def _read_frame(lines: Sequence[str], bare: Sequence[str], at: int, stop: int) -> Frame:
    header = header_of(bare[at])
    assert header is not None
    end = next((below for below in range(at + 1, stop) if is_end(bare[below])), None)
    last = _last_of_open(bare, at, stop) if end is None else end
    return Frame(
        header,
        range(at, last + 1),
        tuple(bare[at + 1 : last + (end is None)]),
        _last_words(lines[:at]),
        _first_words(lines[last + 1 :]) if end is not None else (),
        _depth(lines[at]),
        _count_origins(lines[:at]),
        end is not None,
    )


def _last_of_open(bare: Sequence[str], at: int, stop: int) -> int:
    """Return the last line of a frame without an END: that above the first blank one."""
    return next((below - 1 for below in range(at + 1, stop) if not bare[below].strip()), stop - 1)


_EMPHASIS = "*_"


def _undress(line: str) -> str:
    """Return a line without marks, bullet and signs of emphasis around it."""
    said = strip_marks(line).strip()
    bullet, _, rest = said.partition(" ")
    said = rest.lstrip() if bullet in BULLETS else said
    return said[1:-1] if len(said) > 1 and said[0] == said[-1] and said[0] in _EMPHASIS else said


def _last_words(lines: Sequence[str]) -> Words:
    found: list[str] = []
    for line in reversed(lines):
        found = [*words_of(_undress(line)), *found]
        if len(found) >= _ANCHOR:
            return tuple(found[-_ANCHOR:])
    return ()


def _first_words(lines: Sequence[str]) -> Words:
    found: list[str] = []
    for line in lines:
        found += words_of(_undress(line))
        if len(found) >= _ANCHOR:
            return tuple(found[:_ANCHOR])
    return ()


def _depth(line: str) -> int:
    marks = line[: len(line) - len(strip_marks(line))]
    return marks.count(">") + marks.count("|")


def _count_origins(lines: Sequence[str]) -> int:
    """Return how many attributions there are without marks."""
    count = at = 0
    while at < len(lines):
        found = None if is_quoted(lines[at]) else find_attribution(lines, at)
        count += found is not None
        at += found.count if found else 1
    return count


def read_form(frame: Frame, form: Frame) -> Edits:
    """Return what was edited in a form that may be in a frame, whose lines a program may have broken."""
    left, orders, hidden, shared, behind, at = list(form.spelt), list[str](), list[str](), 0, 0, 0
    lines = [line for line in frame.lines if spell_line(line)]
    while at < len(lines):
        found = _match_line(lines, at, left)
        if found.words:
            left.remove(found.words)
            shared += 1
            behind += not found.freed and found.words[0] == ";"
        if found.freed or (not found.words and not _is_rest(lines, at, left)):
            into = hidden if spell_line(lines[at])[0] == ";" else orders
            into.append(_join(lines[at : at + found.count]))
        at += found.count
    # Only now: a line further down may be the one of the form as it was.
    shared += sum(_has_changed(line, left) for line in orders)
    return Edits(tuple(orders), shared, behind, tuple(hidden))


def _join(lines: Sequence[str]) -> str:
    return _undress(" ".join(line.strip() for line in lines))


@dataclass(frozen=True, slots=True)
class _Match:
    """A line of a form found in so many lines of a frame; `freed`: it has lost its semicolon there."""

    count: int
    words: Words = ()
    freed: bool = False


def _match_line(lines: Sequence[str], at: int, form: Sequence[Words]) -> _Match:
    """Return the line of the form that the lines from here are together, with or without its semicolon."""
    together: Words = ()
    for count, line in enumerate(lines[at : at + _MOST_JOINED], start=1):
        together += spell_line(line) if count == 1 else tuple(words_of(line))
        if together in form:
            return _Match(count, together)
        if (";", *together) in form:
            return _Match(count, (";", *together), freed=True)
    return _Match(1)


def _is_rest(lines: Sequence[str], at: int, form: Sequence[Words]) -> bool:
    """Return True if a line goes on with a comment above it that is the beginning of a line of the form."""
    if at == 0:
        return False
    above, words = spell_line(lines[at - 1]), tuple(words_of(lines[at]))
    together = (*above, *words)
    return above[:1] == (";",) and any(line[: len(together)] == together for line in form)


def _has_changed(line: str, form: list[Words]) -> bool:
    """Take a line of the form with the verb of an order out of it; return False if there is none."""
    verb = spell_line(line)[:_VERB]
    found = next((words for words in form if words[1 : 1 + _VERB] == verb and words[0] == ";"), None)
    if found is not None:
        form.remove(found)
    return found is not None


def sort_frame(frame: Frame, mailed: Mailed, least: int) -> FoundForm:
    """Return what a frame of a message is; `least` is how often its least quoted line is quoted."""
    forms = [(read_form(frame, form), form) for form in mailed.frames]
    edits, form = max(forms, key=lambda each: each[0].shared, default=(read_form(frame, frame), frame))
    if any(frame.words == each.words for each in mailed.frames) or (forms and not edits.orders):
        hidden = edits.hidden if frame.words != form.words and not _is_old(frame, mailed, least) else ()
        return FoundForm(frame, "quotation", hidden=hidden)
    if not forms:
        edits = replace(edits, orders=tuple(line for line in frame.lines if is_order(line)), behind=0)
    anchored = any(_is_next_to(frame, each) for each in mailed.frames)
    traced = edits.behind > 0 and 2 * edits.shared >= len(form.spelt)
    old = _is_old(frame, mailed, least)
    if (old or not anchored) and any(sent.issuperset(edits.spelt) for sent in map(frozenset, mailed.sent)):
        return FoundForm(frame, "quotation")
    if old:
        return FoundForm(frame, "old", edits.orders, anchored or traced)
    return FoundForm(frame, "anchored" if anchored else "traced" if traced else "unknown", edits.orders)


def is_order(line: str) -> bool:
    """Return True if a line is more than blank or a comment."""
    words = spell_line(line)
    return bool(words) and not words[0].startswith((";", "#"))


def _is_next_to(frame: Frame, form: Frame) -> bool:
    # No words are equal to no words: an anchor has four, or is none.
    same_above = bool(frame.above) and frame.above == form.above
    return same_above or (bool(frame.below) and frame.below == form.below)


def _is_old(frame: Frame, mailed: Mailed, least: int) -> bool:
    if not mailed.answers_ours or frame.header.key.lower() != mailed.code:
        return True
    return frame.depth > least if frame.depth else frame.origins > 1


def sort_frames(lines: Sequence[str], typed: Sequence[str], mailed: Mailed) -> list[FoundForm]:
    """Return the frames of a text but for those in the lines that were typed."""
    own = [(each.header, each.words) for each in find_frames(typed)]
    plain = with_plain_marks(lines)
    least = min((_depth(line) for line in plain if is_quoted(line) and strip_marks(line)), default=1)
    frames = (frame for frame in find_frames(lines) if (frame.header, frame.words) not in own)
    return [sort_frame(frame, mailed, least) for frame in frames]


def is_against(one: Sequence[str], another: Sequence[str]) -> bool:
    """Return True if two orders, as words, say different things of the same: their first two words alone are equal."""
    return one != another and tuple(one[:_ABOUT]) == tuple(another[:_ABOUT])


def missing_in(orders: Sequence[str], typed: Sequence[str]) -> Iterator[str]:
    """Yield the orders that are not among the typed lines."""
    known = set(map(spell_line, typed))
    return (line for line in orders if spell_line(line) not in known)
