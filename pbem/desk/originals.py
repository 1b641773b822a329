"""Finds the lines of a mail of ours inside another, by their words in their order: however they are marked or wrapped.

A run of lines is ours if its words stand one after the other in the original,
and some of its lines are sentences or headings, which no orders are: so orders
that somebody has copied are his. Between two runs stand the original's words
that are missing there; lines made of those are the original's too, in a form
that a mail program gave them, and what stands there word for word, though it is
short. What else stands there was typed. Sheets in the
original belong to no run: whether one was filled in is judged elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from pbem.mail.reply_parser import HEADER, is_end
from pbem.util import masked

_STARTS = 4
"""Words by which the place of a line is found."""

_MOST_PLACES = 200
"""What begins in more places, as the rows of a map do, tells nothing."""

_MOST_LINES = 5_000
"""A longer text is held against no mail."""

_FEWEST_WORDS = 12
_FEWEST_SENTENCES = 2
"""What is less may be the same by chance, or copied."""

_MOSTLY, _FEWEST_MADE = 0.8, 5
"""The share of a line's words, if it has so many, by which it is made of those that are missing between two runs."""

_SHEET = ""
"""What stands for a sheet among the words; no word is like it."""

_TYPED_MARKS = "*_`|#"
_MARKS = re.compile(r"\A[\s>|]*+")
_SENTENCE = re.compile(r"\A(?:(?=(?:\S++\s++){3}).*[.:!?]\s*+|\s*+[-=]{4,}+\s*+)")


@dataclass(frozen=True)
class Original:
    """A mail of ours by its words, and the sheets in it by theirs."""

    words: tuple[str, ...]
    sheets: frozenset[tuple[str, ...]]

    @classmethod
    def of(cls, lines: Sequence[str]) -> Original:
        """The original of a mail's lines."""
        words = tuple(word for line in _without_sheets(lines) for word in (words_of(line) if line else [_SHEET]))
        return cls(words, frozenset(sheet for _, sheet in _sheets(lines)))

    @cached_property
    def _places(self) -> dict[tuple[str, ...], list[int]]:
        places: dict[tuple[str, ...], list[int]] = {}
        for at in range(len(self.words) - _STARTS + 1):
            places.setdefault(self.words[at : at + _STARTS], []).append(at)
        return places

    def has(self, words: Sequence[str], at: int) -> bool:
        """Whether these words stand at a place."""
        return at >= 0 and self.words[at : at + len(words)] == tuple(words)

    def place(self, words: Sequence[str], after: int) -> int | None:
        """Where a line of so many words stands, at or after a place if it does so there."""
        places = self._places.get(tuple(words[:_STARTS]), []) if len(words) >= _STARTS else []
        found = [at for at in places if self.has(words, at)] if len(places) <= _MOST_PLACES else []
        return next((at for at in found if at >= after), found[0] if found else None)


@dataclass
class _Run:
    """Lines that stand together in the original, by their numbers, and where their words begin and end there.

    Other lines may stand between them: then somebody has typed those.
    """

    lines: list[int]
    start: int
    end: int


def lines_of(original: Original, lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines that are the original's; none if that is not sure. Blank lines are nobody's."""
    spelt = [words_of(line) for line in lines] if len(lines) <= _MOST_LINES else []
    runs = list(_runs(original, spelt))
    told = [at for run in runs for at in run.lines]
    if not may_quote(lines[at] for at in told) or sum(len(spelt[at]) for at in told) < _FEWEST_WORDS:
        return frozenset()
    return frozenset(told) | frozenset(_in_other_form(original, spelt, runs))


def may_quote(lines: Iterable[str]) -> bool:
    """Whether some of these lines are sentences or headings, as all mails of ours have and no sheets."""
    sentences = (line for line in lines if _SENTENCE.fullmatch(_unmarked(line)))
    return len(list(islice(sentences, _FEWEST_SENTENCES))) == _FEWEST_SENTENCES


def forms_of(original: Original, lines: Sequence[str]) -> frozenset[int]:
    """The numbers of the lines in which a sheet of the original stands as it was."""
    return frozenset(at for numbers, sheet in _sheets(lines) if sheet in original.sheets for at in numbers)


def words_of(line: str) -> list[str]:
    """A line's words as they are compared: without marks, and with keys masked as they are in what is stored.

    Those of emphasis, titles and tables are marks too: one program shows them, another makes bold letters of them.
    """
    return [kept for word in masked(_unmarked(line)).casefold().split() if (kept := word.strip(_TYPED_MARKS))]


def _unmarked(line: str) -> str:
    found = _MARKS.match(line)
    return line[found.end() :] if found else line


def _without_sheets(lines: Iterable[str]) -> Iterator[str]:
    """The lines with one empty line for each sheet, and no others that are empty."""
    inside = False
    for line in lines:
        if not inside and HEADER.fullmatch(line):
            inside = True
            yield ""
        elif not inside and line.strip():
            yield line
        inside = inside and not is_end(line)


def _sheets(lines: Sequence[str]) -> Iterator[tuple[range, tuple[str, ...]]]:
    """The sheets that have an end: the numbers of their lines, and their words."""
    start: int | None = None
    for at, line in enumerate(lines):
        if start is None and HEADER.fullmatch(_unmarked(line)):
            start = at
        elif start is not None and is_end(_unmarked(line)):
            yield range(start, at + 1), tuple(word for each in lines[start : at + 1] for word in words_of(each))
            start = None


def _runs(original: Original, spelt: Sequence[Sequence[str]]) -> Iterator[_Run]:
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
            run = _begun(original, spelt, at, place, run.lines[-1] if run else -1)
    if run:
        yield run


def _begun(original: Original, spelt: Sequence[Sequence[str]], at: int, place: int, above: int) -> _Run:
    """A run from a line on, and from the short ones above it that belong to it."""
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


def _in_other_form(original: Original, spelt: Sequence[Sequence[str]], runs: Sequence[_Run]) -> Iterator[int]:
    """The lines below each run that are of what is missing of the original there."""
    for run, following in zip(runs, [*runs[1:], None], strict=True):
        between = following is not None and following.start >= run.end
        until = following.start if following and between else len(original.words)
        missing = original.words[run.end : until]
        joined, there = f" {' '.join(missing)} ", frozenset(missing) - {_SHEET}
        for at in range(run.lines[-1] + 1, following.lines[0] if following else len(spelt)):
            words = spelt[at]
            if words and (f" {' '.join(words)} " in joined or (between and _is_made_of(words, there))):
                yield at


def _is_made_of(words: Sequence[str], there: Collection[str]) -> bool:
    return len(words) >= _FEWEST_MADE and sum(word in there for word in words) >= _MOSTLY * len(words)
