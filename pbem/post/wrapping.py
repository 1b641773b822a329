"""Lines that mail programs break at their column joined again: by rule (RFC 3676) or, where there is none, by proof."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from pbem.post.cleaning import HEADER

NARROWEST, WIDEST = 70, 80
"""Columns at which mail programs break lines."""

MOST_PIECES = 6
"""Pieces of a broken line that are put together."""

_SHORTEST = 40
"""A shorter line is only broken before a word of uncommon length."""

_COMMENT = re.compile(r"\A\s*+[;#]")
_NO_ORDER = re.compile(r"\A\s*+(?:[;#]|ORDERS\s|(?:END|WAIT|FINAL)\s*+\Z)", re.IGNORECASE)


def unflow(text: str, *, delete_space: bool) -> str:
    """Text of `format=flowed` with its soft line ends taken out (RFC 3676). Quoted lines stay as they are."""
    lines: list[list[str]] = []
    soft = False
    for raw in text.split("\n"):
        line = raw if raw.startswith(">") else raw.removeprefix(" ")
        if not soft or line.startswith(">") or line == "-- ":
            lines.append([])
        soft = line.endswith(" ") and line != "-- " and not line.startswith(">")
        lines[-1].append(line[:-1] if soft and delete_space else line)
    return "\n".join(map("".join, lines))


def squeezed(text: str) -> str:
    """A text with single blanks for all runs of them, line ends included."""
    return " ".join(text.split())


def mend(lines: Sequence[str], same_in_html: Callable[[], str] | None) -> tuple[list[str], list[str]]:
    """Lines with those joined that a mail program has certainly broken, and notes on them and on the doubtful ones.

    A break is certain if the same mail's HTML has the line in one piece, or if
    it stands inside quotation marks. Only a line that could not hold the
    next one's first word is looked at.
    """
    breaks = frozenset(
        at for at, line in enumerate(lines[:-1]) if len(line) >= _SHORTEST and _may_go_on(line, lines[at + 1])
    )
    if not breaks:
        return list(lines), []
    whole = None if same_in_html is None else set(map(squeezed, same_in_html().split("\n")))
    mended: list[str] = []
    joined, doubtful = [], []
    at = 0
    starts = _starts(lines, breaks)
    while at < len(lines):
        count = _pieces(lines, at, breaks, whole) if at in breaks else 1
        mended.append(" ".join(map(str.strip, lines[at : at + count])) if count > 1 else lines[at])
        if count > 1:
            joined.append(mended[-1])
        elif at in breaks and _is_doubtful(lines, at, whole, starts):
            doubtful.append(lines[at])
        at += count
    return mended, [*_joined_note(joined), *_doubtful_note(doubtful)]


def _may_go_on(line: str, following: str) -> bool:
    if len(line) > WIDEST or line.endswith("\\") or HEADER.fullmatch(line) or _NO_ORDER.match(following):
        return False
    word = following.split(None, 1)[:1]
    return bool(word) and len(line) + 1 + len(word[0]) > NARROWEST


def _starts(lines: Sequence[str], breaks: Collection[int]) -> frozenset[str]:
    """The first words of lines that go on from no other: the verbs of this sheet."""
    return frozenset(
        line.split(None, 1)[0].casefold() for at, line in enumerate(lines) if line.strip() and at - 1 not in breaks
    )


def _pieces(lines: Sequence[str], at: int, breaks: Collection[int], whole: Collection[str] | None) -> int:
    """How many lines from here are certainly one; 1 if none but this."""
    if whole is None:
        in_quotes = lines[at].count('"') % 2 and lines[at + 1].count('"') % 2
        return 2 if in_quotes and not _NO_ORDER.match(lines[at]) else 1
    if squeezed(lines[at]) in whole:
        return 1
    for count in range(2, MOST_PIECES + 1):
        if at + count - 2 not in breaks:
            break
        if squeezed(" ".join(lines[at : at + count])) in whole:
            return count
    return 1


def _is_doubtful(lines: Sequence[str], at: int, whole: Collection[str] | None, starts: Collection[str]) -> bool:
    """Whether to speak of a line that may be broken; the end of a broken comment shows as an error anyway."""
    if _COMMENT.match(lines[at]) or (whole is not None and squeezed(lines[at]) in whole):
        return False
    return lines[at + 1].split(None, 1)[0].casefold() not in starts


def _joined_note(lines: Sequence[str]) -> Iterable[str]:
    if lines:
        many = f"{len(lines)} lines were" if len(lines) > 1 else "1 line was"
        yield f"{many} joined again that your mail program had broken: {_shown(lines[0])}"


def _doubtful_note(lines: Sequence[str]) -> Iterable[str]:
    if lines:
        many = f"{len(lines)} lines" if len(lines) > 1 else "1 line"
        yield (
            f"{many} may have been broken by your mail program: {_shown(lines[0])}"
            " If so, put a \\ at its end, or send the sheet as a .txt file."
        )


def _shown(line: str) -> str:
    line = line.strip()
    return repr(line if len(line) <= 60 else line[:59] + "…") + "."
