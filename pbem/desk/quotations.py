"""Finds what a letter quotes of our own mails without any mark, so that it is not taken for what its writer orders.

Two things are sure. The sheet that our mails show as an example, not filled in,
is ours wherever it stands. And what stands indented, line for line in the very
mail that the letter answers, with whole sentences in it, is quoted: no order is
lost that its writer has indented. Other sheets are left in: whether one was
filled in is judged where sheets are taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.masking import masked
from pbem.post.cleaning import HEADER, is_end
from pbem.post.reading import Letter, read_letter
from pbem.store.models import Outgoing

EXAMPLES = frozenset({"; your orders, one a line", "; your commands, one a line"})
"""What stands in the place of orders where our mails explain how to send some."""

PLACEHOLDER = "TOKEN"
"""What stands in the place of a key there."""

MOST_ANSWERED = 3
"""Of the mails that a letter names, the nearest are looked at."""

_SENTENCES, _WORDS = 2, 4
"""A stretch is a quotation if it has so many lines of ours of so many words each."""

_EXAMPLE = "The example of a sheet that our mails show was left out, since it is not filled in."


def unquoted(session: Session, letter: Letter) -> Letter:
    """The letter without what it surely quotes of a mail of ours; notes tell what was left out."""
    lines = letter.lines
    examples = set(_examples(lines))
    quoted = set(_indented(session, letter)) - examples
    kept = [line for at, line in enumerate(lines) if at not in examples | quoted]
    if not any(map(str.strip, kept)) and not any(PLACEHOLDER in lines[at].upper() for at in examples):
        return letter
    notes = [_EXAMPLE] * bool(examples)
    if quoted:
        notes.append(f"{len(quoted)} indented lines were left out: they stand word for word in the mail you answered.")
    return replace(letter, text="\n".join(kept).strip("\n"), notes=(*letter.notes, *notes)) if notes else letter


def _examples(lines: Sequence[str]) -> Iterator[int]:
    """The lines of all examples, each of them a frame with nothing but our words in it."""
    for at in range(len(lines) - 2):
        begins = HEADER.fullmatch(lines[at]) or lines[at].split(None, 1)[:1] == ["PLAYER"]
        if begins and " ".join(lines[at + 1].split()) in EXAMPLES and is_end(lines[at + 2]):
            yield from (at, at + 1, at + 2)


def _indented(session: Session, letter: Letter) -> Iterator[int]:
    """The indented lines that stand in a mail that the letter answers, where enough of them are sentences."""
    stretches = list(_stretches(letter.lines))
    ours = _ours(session, letter.references[:MOST_ANSWERED]) if stretches else frozenset()
    for stretch in stretches:
        told = [(at, line) for at, line in stretch if _spelt(line) in ours]
        if sum(len(line.split()) >= _WORDS for _, line in told) >= _SENTENCES:
            yield from (at for at, _ in told)


def _stretches(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """The indented lines that stand together, with their places; blank lines do not part them."""
    stretch: list[tuple[int, str]] = []
    for at, line in enumerate(lines):
        if line.strip() and line[0].isspace():
            stretch.append((at, line))
        elif line.strip() and stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _ours(session: Session, references: Sequence[str]) -> frozenset[str]:
    """The lines of our mails of these ids, but for the sheets in them."""
    raws = session.scalars(select(Outgoing.raw).where(Outgoing.message_id.in_(references)))
    return frozenset(_spelt(line) for raw in raws for line in _outside_sheets(read_letter(raw).lines))


def _outside_sheets(lines: Iterable[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        inside = inside or HEADER.fullmatch(line) is not None
        if not inside:
            yield line
        inside = inside and not is_end(line)


def _spelt(line: str) -> str:
    """A line as it is compared: keys may be masked in what is stored, and programs change blanks."""
    return " ".join(masked(line).split())
