"""The order forms of our mails where a message quotes them, and what was edited in them.

What we mailed is known word for word: only what differs was typed. Nothing depends on
marks of quotation. A frame, from ORDERS to END, is our form only if our own words
stand next to it (*anchored*), or if one of its lines is still behind our semicolon
(*traced*; so are its lines alone, quoted without ORDERS and END); any other may be an
older sheet of its sender, and is never read. So whatever is not certain is told, as
lines that were not read.

All is compared as words (`frames.words_of`), without bullets; a semicolon at
the beginning is a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from pbem.actions.ruling import form_hash
from pbem.campaign.courtesies import NAMES_TURN
from pbem.errors import CampaignError
from pbem.inbox.frames import (
    Frame,
    Words,
    depth_of,
    find_frames,
    has_frame,
    has_quoted_comment,
    spell_line,
    strip_marks,
    undress,
    words_of,
)
from pbem.mail.quoting import is_quoted, with_plain_marks
from pbem.mail.reply_parser import is_end

What = Literal["quotation", "old", "anchored", "traced", "unknown"]
"""Kinds of frames: a form as it was mailed, one of an earlier mail, an edited form, or none of ours."""

_MOST_JOINED = 6
"""Lines into which programs break a line of a form at most."""

_NARROWEST = 56
"""Columns at which programs break lines at least, less marks of quotation."""

_VERB = 1
_ABOUT = 2
"""Words of an order that say what it is, and what it is about."""


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
        return tuple(map(spell_line, self.orders))


@dataclass(frozen=True)
class Mailed:
    """Mails and sheets of a seat: the frames mailed, the newest code, and the sheets sent this turn.

    `answers_ours` is False for a message that answers a mail which is none of ours. `verbs` are those of the game, in
    small letters; it may have none.
    """

    frames: Sequence[Frame]
    code: str
    sent: Sequence[Collection[Words]] = ()
    answers_ours: bool = True
    verbs: Collection[str] = ()


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
    def is_reported(self) -> bool:
        """True if its sender is told that its orders were not read, if they are not."""
        return bool(self.orders) and (self.what in ("anchored", "traced", "unknown") or self.ours)


def read_form(frame: Frame, form: Frame, verbs: Collection[str]) -> Edits:
    """Return what was edited in a form that may be in a frame, whose lines a program may have broken."""
    left, orders, hidden, shared, behind, at = list(form.spelt), list[str](), list[str](), 0, 0, 0
    lines = [line for line in frame.lines if spell_line(line)]
    while at < len(lines):
        found = _match_line(lines, at, left)
        if found.words:
            left.remove(found.words)
            shared += 1
            behind += not found.freed and found.words[0] == ";"
        elif _is_rest(lines, at, left):
            at += 1
            continue
        else:
            found = _Match(_count_broken(lines, at, left, verbs))
        if found.freed or not found.words:
            # A turn behind a semicolon takes what is below it out of the sheet, and must be told.
            into = hidden if spell_line(lines[at])[0] == ";" and not NAMES_TURN(lines[at]) else orders
            into.append(undress(" ".join(line.strip() for line in lines[at : at + found.count])))
        at += found.count
    # Only now: a line further down may be the one of the form as it was.
    shared += sum(_has_changed(line, left) for line in orders)
    return Edits(tuple(orders), shared, behind, tuple(hidden))


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


def _count_broken(lines: Sequence[str], at: int, form: Sequence[Words], verbs: Collection[str]) -> int:
    """Return how many lines are one that was changed, so that it is none of the form, and broken afterwards."""
    count = 1
    while at + count < len(lines) and count < _MOST_JOINED and _goes_on(lines, at + count, form, verbs):
        count += 1
    return count


def _goes_on(lines: Sequence[str], at: int, form: Sequence[Words], verbs: Collection[str]) -> bool:
    """Return True if a line may go on with the one above, which was full: it begins with no verb, and is no other's."""
    word = undress(lines[at]).split()[0]
    if (
        len(lines[at - 1]) + 1 + len(word) <= _NARROWEST
        or spell_line(lines[at])[0] == ";"
        or _match_line(lines, at, form).words
    ):
        return False
    return word.casefold() not in verbs if verbs else word[0].islower()


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


def sort_frame(frame: Frame, mailed: Mailed, *, old: bool) -> FoundForm:
    """Return what a frame of a message is; `old`: it is none of the newest mail to its seat."""
    forms = [(read_form(frame, form, mailed.verbs), form) for form in mailed.frames]
    edits, form = max(forms, key=lambda each: each[0].shared, default=(read_form(frame, frame, mailed.verbs), frame))
    if any(frame.words == each.words for each in mailed.frames) or (forms and not edits.orders):
        hidden = edits.hidden if frame.words != form.words and not old else ()
        return FoundForm(frame, "quotation", hidden=hidden)
    if not forms:
        edits = replace(edits, orders=tuple(line for line in frame.lines if is_order(line)), behind=0)
    anchored = any(_is_next_to(frame, each) for each in mailed.frames)
    traced = edits.behind > 0 and (frame.bare or 2 * edits.shared >= len(form.spelt))
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


def quotes_form(lines: Sequence[str], typed: Sequence[str]) -> bool:
    """Return True if a text quotes a frame, or lines behind a semicolon: only then `sort_frames` may find some."""
    return has_quoted_comment(lines) or (has_frame(lines) and bool(_untyped(find_frames(lines), typed)))


def _untyped(frames: Sequence[Frame], typed: Sequence[str]) -> list[Frame]:
    own = find_frames(typed)
    same = {(each.header, each.lines) for each in own}
    # Most are typed as they stand: then no words are compared, whose spelling takes long.
    left = [frame for frame in frames if (frame.header, frame.lines) not in same]
    spelt = [(each.header, each.words) for each in own] if left else []
    return [frame for frame in left if (frame.header, frame.words) not in spelt]


def sort_frames(lines: Sequence[str], typed: Sequence[str], mailed: Mailed) -> list[FoundForm]:
    """Return the frames of a text but for those in the lines that were typed."""
    plain = with_plain_marks(lines)
    least = min((depth_of(line) for line in plain if is_quoted(line) and strip_marks(line)), default=1)
    found = find_frames(lines)
    frames = _untyped(found, typed)
    frames += _find_bare_forms(plain, {at for frame in found for at in frame.numbers}, mailed)
    return [sort_frame(frame, mailed, old=_is_old(frame, mailed, plain, least)) for frame in frames]


def _find_bare_forms(lines: Sequence[str], framed: Collection[int], mailed: Mailed) -> list[Frame]:
    """Return neighbouring quoted lines that are lines of a form, without ORDERS or END around them."""
    quoted = [at for at, line in enumerate(lines) if at not in framed and is_quoted(line) and spell_line(line)]
    if not any(spell_line(lines[at])[0] == ";" for at in quoted):
        return []
    texts = [lines[at] for at in quoted]
    forms = {form.words: form for form in mailed.frames if form.header.key.lower() == mailed.code}
    return [
        Frame(
            form.header,
            range(quoted[first], quoted[last - 1] + 1),
            tuple(texts[first:last]),
            depth=depth_of(texts[first]),
            bare=True,
        )
        for form in forms.values()
        for first, last in _find_runs(texts, form)
    ]


def _find_runs(lines: Sequence[str], form: Frame) -> Iterator[tuple[int, int]]:
    """Yield the first of neighbouring lines that are lines of a form, and the one below the last."""
    at = first = 0
    while at < len(lines):
        found = _match_line(lines, at, form.spelt)
        at += found.count
        if not found.words:
            if first < at - 1:
                yield first, at - 1
            first = at
    if first < at:
        yield first, at


def _is_old(frame: Frame, mailed: Mailed, lines: Sequence[str], least: int) -> bool:
    if not mailed.answers_ours or frame.header.key.lower() != mailed.code:
        return True
    return frame.depth > least if frame.depth else frame.count_origins(lines) > 1


def is_against(one: Sequence[str], another: Sequence[str]) -> bool:
    """Return True if two orders, as words, say different things of the same: their first two words alone are equal."""
    return one != another and tuple(one[:_ABOUT]) == tuple(another[:_ABOUT])


def missing_in(orders: Sequence[str], typed: Sequence[str]) -> Iterator[str]:
    """Yield the orders that are not among the typed lines."""
    known = set(map(spell_line, typed))
    return (line for line in orders if spell_line(line) not in known)


# All repetitions are bounded, so that hostile lines take linear time.
_FIRST_LINE = re.compile(
    r"((?:[ \t]{0,3}>){0,9}[ \t]{0,9})"
    r"(RULING(?:[ \t]{1,9}YES)?(?:[ \t]{1,9}\d{1,6})?)[ \t]{0,9}"
    r"(?:;[ \t]{0,9}(\S{1,40}),[ \t]{1,3}turn[ \t]{1,3}(\d{1,6})[ \t]{0,9})?",
    re.IGNORECASE,
)
_MARK = re.compile(r"[ \t]{0,3}>[ \t]?")


@dataclass(frozen=True, slots=True)
class MailedForm:
    """A form in a mail: how often it is quoted, its command, for which campaign and turn, and the lines down to END.

    `about` is empty if the form does not say. A form that is not `closed` has no END.
    """

    depth: int
    command: str
    about: tuple[str, ...]
    lines: tuple[str, ...]
    closed: bool

    @property
    def checksum(self) -> str:
        """The checksum of the form as it was filled in, the same as that of the mailed form if it was not."""
        about = f" ; {self.about[0]}, turn {self.about[1]}" if self.about else ""
        return form_hash("\n".join([f"{self.command}{about}", *self.lines, "END"]))


def find_forms(lines: Sequence[str]) -> list[MailedForm]:
    """Return the forms in the text of a mail, as they were written before they were quoted. Never raises."""
    starts = [(at, match) for at, line in enumerate(lines) if (match := _FIRST_LINE.fullmatch(line))]
    stops = [*(at for at, _ in starts[1:]), len(lines)]
    return [_read_form(match, lines[at + 1 : stop]) for (at, match), stop in zip(starts, stops, strict=False)]


def _read_form(first: re.Match[str], below: Sequence[str]) -> MailedForm:
    depth = first[1].count(">")
    inside = [_without_marks(line, depth) for line in below]
    # The last one: a text in the form may have a line with END, too.
    end = max((at for at, line in enumerate(inside) if is_end(line)), default=None)
    about = (first[3], first[4]) if first[3] else ()
    return MailedForm(depth, first[2], about, tuple(inside[:end]), closed=end is not None)


def _without_marks(line: str, depth: int) -> str:
    """Return a line without at most so many marks of quotation; more of them belong to its text."""
    for _ in range(depth):
        line = _MARK.sub("", line, count=1) if _MARK.match(line) else line
    return line


def choose_form(forms: Sequence[MailedForm], campaign: str, turn: int, blank: str) -> MailedForm:
    """Return the form of a reply that was filled in; `blank` is the checksum of the one that was mailed.

    Raises:
        CampaignError: There is none, there are two, it is cut off, or it belongs to another turn or campaign.
    """
    filled = [form for form in forms if form.checksum != blank]
    if not forms:
        raise CampaignError(
            "there is no form in your mail: reply with the form quoted, from RULING to END, and your words below its "
            f"headings. Other commands need your token: GM {campaign} TOKEN above them, END below"
        )
    if not filled:
        raise CampaignError("the form in your mail is as it was sent to you: write what comes of the turn into it")
    # The least quoted is the newest, wherever a mail program puts what it quotes.
    newest = [form for form in filled if form.depth == min(each.depth for each in filled)]
    form = newest[0]
    if any(other.checksum != form.checksum for other in newest):
        raise CampaignError("there are two forms in your mail, which differ: send the one that counts")
    if form.about and form.about != (campaign, str(turn)):
        raise CampaignError(f"the form in your mail is that of {form.about[0]}, turn {form.about[1]}")
    if not form.closed:
        raise CampaignError("the form in your mail has no END, so that it may be cut off: send it again, down to END")
    return form
