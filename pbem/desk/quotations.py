"""Finds what a letter quotes of our own mails without any mark, so that it is not taken for what its writer orders.

Two things are sure. The sheet that our mails show as an example, not filled in,
is ours wherever it stands. And so are the lines of the very mail that the letter
answers, and of the receipts that its seat was sent, whatever a mail program made
of them: the letter is read again as if they were marked, and so what was typed
between and below them is found. Other
sheets are left in: whether one was filled in is judged where sheets are taken.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.desk.originals import Original, forms_of, lines_of, may_quote, words_of
from pbem.desk.seats import shown_by_code, shown_by_reference
from pbem.mail.message import Message, read_again, read_letter
from pbem.mail.quoting import is_quoted
from pbem.mail.reply_parser import HEADER, has_header, is_end
from pbem.store.models import Outgoing, Report, SeatRow
from pbem.util import CODE_CHARACTERS

EXAMPLES = frozenset({"; your orders, one a line", "; your commands, one a line"})
"""What stands in the place of orders where our mails explain how to send some."""

PLACEHOLDER = "TOKEN"
"""What stands in the place of a key there."""

_CODE = re.compile(rf"(?<![a-z0-9])[a-z2-7]{{{CODE_CHARACTERS}}}(?![a-z0-9])")
_MOST_SHOWN = 20
"""Places of a letter in which a code may stand that are looked at."""

MOST_ANSWERED = 3
"""Of the mails that a letter names, the nearest are looked at."""

MOST_RECEIPTS = 20
"""Of the receipts of a seat, the newest are looked at."""

_MOST_FOUND = 8
"""Lines that may come to light below an original that was left out whole: more are rather some of its own."""

_EXAMPLE = "The example of a sheet that our mails show was left out, since it is not filled in."


def unquoted(session: Session, letter: Message) -> Message:
    """The letter without what it surely quotes of a mail of ours; notes tell what was left out."""
    letter = _without_originals(session, letter)
    lines = letter.lines
    examples = set(_examples(lines))
    kept = [line for at, line in enumerate(lines) if at not in examples]
    if not any(map(str.strip, kept)) and not any(PLACEHOLDER in lines[at].upper() for at in examples):
        return letter
    if not examples:
        return letter
    return replace(letter, text="\n".join(kept).strip("\n"), notes=(*letter.notes, _EXAMPLE))


def _without_originals(session: Session, letter: Message) -> Message:
    """The letter read again with the lines marked that stand in a mail which it answers."""
    lines = letter.source_lines
    if not may_quote(line for line in lines if not is_quoted(line)):
        return letter
    ours, forms = set[int](), set[int]()
    for original in _originals(session, _answered(session, letter)):
        # All lines, those too that another has claimed: text and HTML of a mail each have lines that the other lacks.
        found = lines_of(original, lines)
        ours |= found
        forms |= forms_of(original, lines) if found else set()
    if not any(not is_quoted(lines[at]) for at in ours):
        return letter
    again = _marked(letter, ours | forms)
    again = again if again.text.strip() else _marked(letter, ours)
    return again if _is_better(again, letter) else letter


def _marked(letter: Message, ours: Collection[int]) -> Message:
    """The letter as if these lines of its source were quoted."""
    lines = [f"> {line}" if at in ours and not is_quoted(line) else line for at, line in enumerate(letter.source_lines)]
    return replace(read_again(letter, lines), quotes_ours=True)


def _is_better(again: Message, letter: Message) -> bool:
    """Whether nothing comes to light that may be old, where an original was left out whole."""
    if not letter.left_out:
        return True
    found = sum(1 for line in set(again.lines) - set(letter.lines) if line.strip())
    return found <= _MOST_FOUND and (has_header(letter.lines) or not has_header(again.lines))


def _examples(lines: Sequence[str]) -> Iterator[int]:
    """The lines of all examples, each of them a frame with nothing but our words in it."""
    for at in range(len(lines) - 2):
        begins = HEADER.fullmatch(lines[at]) or lines[at].split(None, 1)[:1] == ["PLAYER"]
        if begins and " ".join(lines[at + 1].split()) in EXAMPLES and is_end(lines[at + 2]):
            yield from (at, at + 1, at + 2)


def repeats_receipt(session: Session, seat_id: int, lines: Iterable[str]) -> bool:
    """Return whether all of these lines stand one after the other in one of the seat's receipts."""
    words = tuple(word for line in lines for word in words_of(line))
    receipts = _raw_mails(session, _receipts(session, [seat_id]))
    return bool(words) and any(_stands_in(words, original.words) for original in _read(receipts))


def _stands_in(words: Sequence[str], original: Sequence[str]) -> bool:
    return f" {' '.join(words)} " in f" {' '.join(original)} "


def _answered(session: Session, letter: Message) -> Iterator[str]:
    """Yield the Message-IDs of mails that a letter answers, of reports whose codes it shows, and of receipts."""
    answered = letter.references[:MOST_ANSWERED]
    yield from answered
    headers = (line for line in letter.source_lines if HEADER.fullmatch(line.lstrip("> ")))
    places = islice(chain((letter.subject,), letter.recipients, headers), _MOST_SHOWN)
    codes = {code for text in places for code in _CODE.findall(text.lower())}
    if codes:
        yield from session.scalars(select(Report.message_id).where(Report.code.in_(codes)).limit(MOST_ANSWERED))
    shown = [*shown_by_code(session, codes).values(), *shown_by_reference(session, letter.references)]
    yield from _receipts(session, {each.seat_id for each in shown})


def _receipts(session: Session, seats: Collection[int]) -> list[str]:
    """Return the Message-IDs of the newest receipts that were sent to the players of some seats."""
    if not seats:
        return []
    to_players = (Outgoing.person_id == SeatRow.person_id) & (Outgoing.campaign_id == SeatRow.campaign_id)
    sent = (
        select(Outgoing.message_id).join(SeatRow, to_players).where(SeatRow.id.in_(seats), Outgoing.kind == "receipt")
    )
    return list(session.scalars(sent.order_by(Outgoing.id.desc()).limit(MOST_RECEIPTS)))


def _originals(session: Session, ids: Iterable[str]) -> Iterator[Original]:
    """Yield our mails of these ids."""
    return _read(_raw_mails(session, ids))


def _raw_mails(session: Session, ids: Iterable[str]) -> Iterable[bytes]:
    return session.scalars(select(Outgoing.raw).where(Outgoing.message_id.in_(set(ids))))


def _read(mails: Iterable[bytes]) -> Iterator[Original]:
    """Yield mails as their text is and as their HTML reads, which programs quote where they can."""
    for raw in mails:
        letter = read_letter(raw)
        yield Original.of(letter.source_lines)
        if rich := letter.same_in_html:
            yield Original.of(rich.split("\n"))
