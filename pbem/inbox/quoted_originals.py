"""Text of our own mails quoted in a message, however it is marked or wrapped.

A run of lines is ours if its words follow each other in the original, and some of
its lines are sentences or headings, which no orders are: so orders copied by the
sender remain the sender's. Between two runs, lines made of the words of the
original that are missing there are the original's too, reformatted by a mail
program, and so are lines that stand in it word for word, however short. All other
lines were typed.

Our mails also repeat what was typed: such lines are echoes (`SentText.is_echo`).
They show nothing, and are ours only between lines that are none.

Two things are certain. The unedited example sheet of our mails is ours wherever it
stands. So are the lines of the very mail that the message answers, and of the
receipts sent to its seat, whatever a mail program made of them: the message is
parsed again as if they were marked, so that text typed between and below them is
found. Other sheets are left in: whether one was filled in is decided when sheets
are processed (docs/decisions/0030).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, islice, pairwise

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from pbem.inbox.codes import Codes
from pbem.inbox.frames import BULLETS, EXAMPLES, Words, depth_of, find_frames, strip_marks, words_of
from pbem.mail.fetch import load_raw
from pbem.mail.message import CALENDAR_UNREAD, Message, MessageBody, list_attachments, read_source, reparse
from pbem.mail.quoting import BLOCK_LINES, is_head_line, is_quoted
from pbem.mail.reply_parser import HEADER, has_header, is_end
from pbem.store.models import OrderSheet, OutgoingMail, Seat

_STARTS = 4
"""Words of a line by which its places in the original are found."""

_MOST_PLACES = 200
"""A beginning with more places, as the rows of a map have, gives no evidence."""

_MOST_LINES = 5_000
"""Longer texts are not compared with mails."""

_FEWEST_WORDS = 12
_FEWEST_SENTENCES = 2
"""Words and sentences of a quotation: fewer may be alike by chance, or copied."""

_MOSTLY, _FEWEST_MADE = 0.8, 5
"""A line of so many words is the original's, reformatted, if this share of them is missing between two runs."""

_SHEET = ""
"""Stands for a sheet among the words; no word equals it."""

# Or the line below the title of each mail: game · campaign · seat.
_SENTENCE = re.compile(r"\A(?:(?=(?:\S++\s++){3}).*(?:[.:!?]\s*+| · .*+)|\s*+[-=]{4,}+\s*+)")


@dataclass(frozen=True)
class SentText:
    """Words of a mail of ours, and those of the sheets in it.

    `starts` are the places at which a line begins. `echoes` are the words, one to four
    together, of lines that repeat what was typed, or may do so.
    """

    words: tuple[str, ...]
    sheets: frozenset[tuple[str, ...]]
    starts: frozenset[int] = frozenset()
    echoes: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def of(cls, lines: Sequence[str], echoes: Iterable[str] = ()) -> SentText:
        """Build the original from a mail's lines; `echoes` are its lines that may repeat what was typed."""
        sheets = _find_sheets(lines)
        # A sheet that our mail itself quotes is text of it.
        forms = [numbers for numbers, _ in sheets if not depth_of(lines[numbers.start])]
        inside = {at: [_SHEET] if at == numbers.start else [] for numbers in forms for at in numbers}
        spelt = [inside[at] if at in inside else words_of(line) for at, line in enumerate(lines)]
        return cls(
            tuple(chain.from_iterable(spelt)),
            frozenset(words for _, words in sheets),
            frozenset(accumulate(map(len, spelt), initial=0)),
            frozenset(part for it in set(echoes) for n in range(1, _STARTS + 1) for part in _parts(words_of(it), n)),
        )

    def is_echo(self, words: Sequence[str]) -> bool:
        """Return True for the words of a line, or of a part of one, that repeats what was typed."""
        return bool(self.echoes) and all(part in self.echoes for part in _parts(words, min(len(words), _STARTS)))

    def goes_on(self, above: Sequence[str], words: Sequence[str]) -> bool:
        """Return True if words follow those of the line above in the middle of a line of the original."""
        together = [*above, *words]
        places = self._places.get(tuple(together[:_STARTS]), []) if above and len(together) >= _STARTS else []
        return any(
            at + len(above) not in self.starts and self.has(together, at) for at in places[:_MOST_PLACES] if words
        )

    @cached_property
    def _places(self) -> dict[tuple[str, ...], list[int]]:
        places: dict[tuple[str, ...], list[int]] = {}
        for at in range(len(self.words) - _STARTS + 1):
            places.setdefault(self.words[at : at + _STARTS], []).append(at)
        return places

    def has(self, words: Sequence[str], at: int) -> bool:
        """Return True if the original has these words at a place."""
        return at >= 0 and self.words[at : at + len(words)] == tuple(words)

    def place(self, words: Sequence[str], after: int) -> int | None:
        """Return the place of a line's words: the first at or after `after`, else the first before; None if unknown."""
        places = self._places.get(tuple(words[:_STARTS]), []) if len(words) >= _STARTS else []
        found = [at for at in places if self.has(words, at)] if len(places) <= _MOST_PLACES else []
        return next((at for at in found if at >= after), found[0] if found else None)


@dataclass
class _Run:
    """Lines that follow each other in the original: their numbers, and where their words begin and end there.

    Other lines may be between them: the sender has typed those.
    """

    lines: list[int]
    start: int
    end: int


def spell(lines: Sequence[str]) -> Sequence[Sequence[str]]:
    """Return the words of each line; nothing for a text that is too long to be compared."""
    return [words_of(line) for line in lines] if len(lines) <= _MOST_LINES else []


def match_lines(original: SentText, lines: Sequence[str], spelt: Sequence[Sequence[str]]) -> frozenset[int]:
    """Return the numbers of the lines that are the original's; none if that is not certain. Blank lines are skipped.

    `spelt` are the words of the lines, which are compared with several originals.
    """
    runs = list(_find_runs(original, spelt))
    told = [at for run in runs for at in run.lines if not original.is_echo(spelt[at])]
    if not may_quote(lines[at] for at in told) or sum(len(spelt[at]) for at in told) < _FEWEST_WORDS:
        return frozenset()
    found = {*(at for run in runs for at in run.lines), *_find_reformatted(original, spelt, runs)}
    certain = [at for at in found if not original.is_echo(spelt[at])]
    found = {at for at in found if min(certain) <= at <= max(certain)}
    for at, line in enumerate(lines):
        # Signs without words, such as a part of a drawing: with the line right above.
        if at - 1 in found and line.strip() and not spelt[at]:
            found.add(at)
    return frozenset(found)


def match_ends(original: SentText, lines: Sequence[str], spelt: Sequence[Sequence[str]]) -> frozenset[int]:
    """Return the numbers of lines without a mark that go on with the words of the marked line above them.

    A program has broken that line, so they go on in the middle of a line of the original.
    """
    form, ends, above = match_form_lines(original, lines), set[int](), list[str]()
    for at, words in enumerate(spelt):
        if is_quoted(lines[at]):
            above = [*words]
        # Only right below: what was typed has a blank line above it, or other words than those that follow.
        elif _is_below(lines, at, ends) and (not words or at in form or original.goes_on(above, words)):
            ends.add(at)
            above += words
    # Signs without words, such as a part of a drawing, are ends only beside others.
    return frozenset(ends) if any(spelt[at] for at in ends) else frozenset()


def _is_below(lines: Sequence[str], at: int, ends: Collection[int]) -> bool:
    """Return True if a line is right below a marked one, or below an end of one."""
    return at > 0 and bool(lines[at].strip()) and (is_quoted(lines[at - 1]) or at - 1 in ends)


def may_quote(lines: Iterable[str]) -> bool:
    """Return True if some of these lines are sentences or headings, as all mails of ours have and no sheets."""
    sentences = (line for line in lines if _SENTENCE.fullmatch(strip_marks(line)))
    return len(list(islice(sentences, _FEWEST_SENTENCES))) == _FEWEST_SENTENCES


def match_form_lines(original: SentText, lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines that repeat a sheet of the original word for word."""
    return frozenset(at for numbers, words in _find_sheets(lines) if words in original.sheets for at in numbers)


def _find_sheets(lines: Sequence[str]) -> list[tuple[range, Words]]:
    """Return the numbers and the words of the sheets that have an end."""
    found = (each for each in find_frames(lines) if each.closed)
    return [(each.numbers, (each.header.campaign, each.header.seat, *each.words)) for each in found]


def _parts(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    """Yield all so many words together."""
    return (tuple(words[at : at + length]) for at in range(len(words) - length + 1))


def find_entries(lines: Iterable[str]) -> Iterator[str]:
    """Yield the entries of lists that are no sentences, without bullets: orders, as receipts and reports show them."""
    for line in lines:
        bullet, _, entry = line.strip().partition(" ")
        if bullet in BULLETS and entry and not _SENTENCE.fullmatch(line):
            yield entry


def _find_runs(original: SentText, spelt: Sequence[Sequence[str]]) -> Iterator[_Run]:
    run: _Run | None = None
    for at, words in enumerate(spelt):
        if not words:
            continue
        if run and original.has(words, run.end):
            run.lines.append(at)
            run.end += len(words)
            continue
        place = original.place(words, run.end if run else 0)
        if place is not None:
            if run:
                yield run
            run = _start_run(original, spelt, at, place, run.lines[-1] if run else -1)
    if run:
        yield run


def _start_run(original: SentText, spelt: Sequence[Sequence[str]], at: int, place: int, above: int) -> _Run:
    """Return a run that begins with a line, and with the short ones above that belong to it."""
    start, lines = place, [at]
    for number in range(at - 1, above, -1):
        words = spelt[number]
        if not words:
            continue
        if not original.has(words, start - len(words)):
            break
        lines.append(number)
        start -= len(words)
    return _Run(lines[::-1], start, place + len(spelt[at]))


def _find_reformatted(original: SentText, spelt: Sequence[Sequence[str]], runs: Sequence[_Run]) -> Iterator[int]:
    """Yield the lines below each run that are of what is missing of the original there."""
    for run, following in zip(runs, [*runs[1:], None], strict=True):
        between = following is not None and following.start >= run.end
        until = following.start if following and between else len(original.words)
        missing = original.words[run.end : until]
        joined, there = f" {' '.join(missing)} ", frozenset(missing) - {_SHEET}
        for at in range(run.lines[-1] + 1, following.lines[0] if following else len(spelt)):
            words = spelt[at]
            made = len(words) >= _FEWEST_MADE and sum(word in there for word in words) >= _MOSTLY * len(words)
            if words and (f" {' '.join(words)} " in joined or (between and made)):
                yield at


PLACEHOLDER = "TOKEN"
"""Word in the place of a key there."""

MOST_ANSWERED = 3
"""Mails named by a message that are compared with it, the nearest ones."""

MOST_RECEIPTS = 20
"""Receipts of a seat that are compared with a message, the newest ones."""

_MOST_FOUND = 8
"""Lines that may come to light below an original that was left out whole: more are likely to be its own."""

_EXAMPLE = "The example of a sheet that our mails show was left out, since it is not filled in."


def strip_our_text(session: Session, message: Message, codes: Codes) -> Message:
    """Return the message without text that is certainly quoted from a mail of ours; notes tell what was left out.

    `codes` tell which mails it answers.
    """
    message = _mark_originals(session, message, codes)
    lines = message.lines
    examples = set(_find_examples(lines))
    kept = [line for at, line in enumerate(lines) if at not in examples]
    # A mail of nothing but the example, with its key filled in, is an attempt at a sheet.
    if not any(map(str.strip, kept)) and not any(PLACEHOLDER in lines[at].upper() for at in examples):
        return message
    if not examples:
        return message
    return replace(message, text="\n".join(kept).strip("\n"), notes=(*message.notes, _EXAMPLE))


def _mark_originals(session: Session, message: Message, codes: Codes) -> Message:
    """Return the message parsed again, with the lines marked that are in a mail which it answers."""
    lines = message.source_lines
    if not may_quote(line for line in lines if not is_quoted(line)):
        return _mark_ends(session, message, codes)
    ours, forms, spelt = set[int](), set[int](), spell(lines)
    for original in _load_originals(session, message, codes):
        # All lines, also those found in another original: text and HTML of a mail each have lines that the other lacks.
        found = match_lines(original, lines, spelt)
        ours |= found
        forms |= match_form_lines(original, lines) if found else set()
    if not any(not is_quoted(lines[at]) for at in ours):
        return message
    again = _mark_lines(message, ours | forms)
    # A form that is all there is was sent on purpose.
    again = again if again.text.strip() else _mark_lines(message, ours)
    return again if _is_better(again, message) else message


def _mark_ends(session: Session, message: Message, codes: Codes) -> Message:
    """Return the message parsed again, with a mark before the ends of marked lines that a program broke afterwards."""
    lines = message.source_lines
    if not any(is_quoted(above) and line.strip() and not is_quoted(line) for above, line in pairwise(lines)):
        return message
    ends, spelt = set[int](), spell(lines)
    for original in _load_originals(session, message, codes):
        ends |= match_ends(original, lines, spelt)
    return _mark_lines(message, ends) if ends else message


def _mark_lines(message: Message, ours: Collection[int]) -> Message:
    """Return the message as if these lines of its source, and the head above them, were quoted."""
    lines = message.source_lines
    ours = {*ours, *_head_above(lines, min(ours))}
    lines = [f"> {line}" if at in ours and not is_quoted(line) else line for at, line in enumerate(lines)]
    return replace(reparse(message, lines), quotes_ours=True)


def _head_above(lines: Sequence[str], first: int) -> range:
    """Return the lines of a divider and a header block above an original, also where blank lines are between them."""
    at = top = first
    while at > max(0, first - BLOCK_LINES) and (not lines[at - 1].strip() or is_head_line(lines[at - 1])):
        at -= 1
        top = at if lines[at].strip() else top
    return range(top, first)


def _is_better(again: Message, message: Message) -> bool:
    """Return False if text appears that may be old, where an original was left out whole."""
    if not message.left_out:
        return True
    found = sum(1 for line in set(again.lines) - set(message.lines) if line.strip())
    return found <= _MOST_FOUND and (has_header(message.lines) or not has_header(again.lines))


def _find_examples(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines of all examples, each of them a frame with nothing but our words in it."""
    for at in range(len(lines) - 2):
        begins = HEADER.fullmatch(lines[at]) or lines[at].split(None, 1)[:1] == ["PLAYER"]
        if begins and " ".join(lines[at + 1].split()) in EXAMPLES and is_end(lines[at + 2]):
            yield from (at, at + 1, at + 2)


def repeats_receipt(session: Session, seat_id: int, lines: Iterable[str]) -> bool:
    """Return True if all of these lines are, one after the other, in one of the seat's receipts."""
    words = tuple(word for line in lines for word in words_of(line))
    receipts = _raw_mails(session, _receipt_ids(session, [seat_id]))
    joined = f" {' '.join(words)} "
    return bool(words) and any(joined in f" {' '.join(original.words)} " for original in _parse_originals(receipts))


def _load_originals(session: Session, message: Message, codes: Codes) -> Iterator[SentText]:
    """Yield the mails that a message answers, the reports whose codes it shows, and the receipts of their seats."""
    seats = {each.seat_id for each in (*codes.shown, *codes.typed) if each.is_report}
    ids = [*_named_ids(message, codes), *_receipt_ids(session, seats)]
    yield from _parse_originals(_raw_mails(session, ids), _sheet_lines(session, seats))


def load_named(session: Session, message: Message, codes: Codes) -> list[MessageBody]:
    """Return the texts of the mails that a message answers and of the reports whose codes it shows."""
    return list(map(read_source, _raw_mails(session, _named_ids(message, codes))))


def strip_our_files(session: Session, message: Message, codes: Codes, inbox_id: int) -> Message:
    """Return the message without notes on files that it brings back from a mail that it answers, by name and size."""
    if not any(note.startswith(_FILE_NOTES) for note in message.notes):
        return message
    ours = {file for mail in _raw_mails(session, _named_ids(message, codes)) for file in _name_files(mail)}
    back = [name for name, size in _name_files(load_raw(session, inbox_id)) if (name, size) in ours]
    known = [f"The attached {name} was not read" for name in back]
    known += [CALENDAR_UNREAD] * any(name.lower().endswith(".ics") for name in back)
    return replace(message, notes=tuple(note for note in message.notes if not note.startswith(tuple(known))))


_FILE_NOTES = ("The attached ", CALENDAR_UNREAD)


def _name_files(raw: bytes) -> Iterator[tuple[str, int]]:
    """Yield the name and the size in bytes of each file of a mail, whatever its line ends."""
    return ((file.name, len(file.content.replace(b"\r\n", b"\n"))) for file in list_attachments(raw))


def _named_ids(message: Message, codes: Codes) -> list[str]:
    """Return the Message-IDs of the mails that a message answers, and of the reports whose codes it shows."""
    reports = [each.mailed for each in (*codes.shown, *codes.typed) if each.is_report]
    return [*message.references[:MOST_ANSWERED], *reports[:MOST_ANSWERED]]


def _sheet_lines(session: Session, seats: Collection[int]) -> list[str]:
    """Return the lines of the newest sheets of some seats."""
    if not seats:
        return []
    newest = select(OrderSheet.text).where(OrderSheet.seat_id.in_(seats)).order_by(OrderSheet.id.desc())
    sheets = session.scalars(newest.limit(MOST_RECEIPTS))
    return [line for text in sheets for line in text.split("\n") if line.strip()]


def _receipt_ids(session: Session, seats: Collection[int]) -> list[str]:
    """Return the Message-IDs of the newest receipts that were sent to the players of some seats."""
    if not seats:
        return []
    # One mail has the receipts of several campaigns, and so belongs to none.
    own = (OutgoingMail.campaign_id == Seat.campaign_id) | OutgoingMail.campaign_id.is_(None)
    to_players = (OutgoingMail.person_id == Seat.person_id) & own
    sent = (
        select(OutgoingMail.message_id).join(Seat, to_players).where(Seat.id.in_(seats), OutgoingMail.kind == "receipt")
    )
    return list(session.scalars(sent.order_by(OutgoingMail.id.desc()).limit(MOST_RECEIPTS)))


# Built once: it runs for most messages that quote.
_RAW = select(OutgoingMail.raw).where(OutgoingMail.message_id.in_(bindparam("ids", expanding=True)))


def _raw_mails(session: Session, ids: Collection[str]) -> Iterable[bytes]:
    return session.connection().execute(_RAW, {"ids": list(set(ids))}).scalars() if ids else ()


def _parse_originals(mails: Iterable[bytes], typed: Sequence[str] = ()) -> Iterator[SentText]:
    """Yield mails as their text is and as their HTML reads, which programs quote where they can.

    `typed` are lines that were typed before. What echoes them in HTML is known by the plain text: HTML has an order and
    its outcome on one line.
    """
    for source in map(read_source, mails):
        echoes = (*typed, *find_entries(source.lines))
        yield SentText.of(source.lines, echoes)
        if rich := source.same_in_html:
            yield SentText.of(rich.split("\n"), echoes)
