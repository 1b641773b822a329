"""Splits an order line into tokens, strictly or leniently.

`split_tokens` keeps to the rules of a sheet: blanks and commas separate tokens,
quotes hold them together, `;` and `#` begin comments. `split_leniently` reads
the forms that mail programs, phones and habit produce: typographic quotes and
dashes, a full stop at the end, arrows, `(3,-2)`, `a/b`, `a & b`, a bullet or a
number before the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Possessive quantifiers here and below: no line of a player may take more than linear time.
_TOKEN = re.compile(r'"([^"]*+)"?|([;#].*+)|([^\s,";]++)', re.DOTALL)
_PARTING = re.compile(r"[\s,;#]")

# Typographic signs that mail programs and phones put in place of plain ones, and characters without width.
_CURLY = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", None),
    }
)

BULLET = re.compile(r"\s{0,9}(?:[-*•·]{1,9}\s{1,9}|\(?[0-9]{1,2}[.)]\s{1,9}|\(?[a-z]\)\s{1,9})", re.IGNORECASE)
"""The mark or number before an entry of a list; orders may have one."""

_GAP, _PART, _COORDINATE = r"\s{0,9}", r"\s{0,9}[,/\s]\s{0,9}", r"[+-]?[0-9]{1,9}"
_POINTS = re.compile(rf"\({_GAP}({_COORDINATE}){_PART}({_COORDINATE})(?:{_PART}({_COORDINATE}))?{_GAP}\)")
_SINGLE = re.compile(r"(?<!\S)'([^'\";#]+)'(?![^\s,.!])")
_ARROW = re.compile(r"(?<![^\s])[-=]+>|[-=]>|[→➔➜⇒⟶]")
_AND = re.compile(r"&(?:amp;)?")
_BRACKETS = str.maketrans("()[]", "    ")

ARROW = "→"
"""The token that stands for any arrow."""


class Token(NamedTuple):
    """A word of a line and the index of its first character.

    `quoted` is set if it was in quotes, `listed` if a comma came before it.
    """

    text: str
    start: int
    quoted: bool = False
    listed: bool = False


def split_tokens(line: str) -> list[Token]:
    """Return the tokens of a line: blanks and commas separate, quotes hold together, comments are dropped."""
    tokens: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(line):
        quoted, comment, plain = match.groups()
        if comment is not None:
            break
        listed = "," in line[end : match.start()]
        tokens.append(Token(plain if plain is not None else quoted, match.start(), plain is None, listed))
        end = match.end()
    return tokens


def split_words(line: str) -> list[str]:
    """Return the words of a line: blanks and commas separate, quotes hold together, comments are dropped.

    >>> split_words('MOVE "Red Star", N ; to the gate')
    ['MOVE', 'Red Star', 'N']
    """
    return [plain or quoted for quoted, comment, plain in _TOKEN.findall(line) if not comment]


def comment_of(line: str) -> str:
    """Return the text after the first `;` of a line; "" if there is none, or a `#` comes before it."""
    for match in _TOKEN.finditer(line) if ";" in line else ():
        comment = match.group(2)
        if comment is not None:
            return comment[1:] if comment.startswith(";") else ""
    return ""


def without_comment(line: str) -> str:
    """Return a line up to its comment.

    >>> without_comment('Nf3 ; to the centre')
    'Nf3 '
    """
    starts = (match.start() for match in _TOKEN.finditer(line) if match.group(2) is not None)
    return line[: next(starts, None)]


def plain_signs(line: str) -> str:
    """Return a line with plain quotes and dashes for typographic ones, and without characters that have no width."""
    return line if line.isascii() else line.translate(_CURLY)


def split_leniently(line: str) -> list[Token]:
    """Return the tokens of a line as people write it; arrows are tokens, and coordinates in brackets are one token."""
    text = plain_signs(line)
    bullet = BULLET.match(text)
    start = bullet.end() if bullet else 0
    text = _SINGLE.sub(r'"\1"', text[start:])
    # Quoted, so that coordinates stay one token.
    text = _POINTS.sub(lambda found: '"' + ",".join(filter(None, found.groups())) + '"', text)
    spread = _ARROW.sub(f" {ARROW} ", _AND.sub(" & ", text))
    tokens = []
    for token in split_tokens(_blank_brackets(spread)):
        word = token.text if token.quoted else _trim(token.text)
        if word or token.quoted:
            tokens.append(Token(word, start + token.start, token.quoted, token.listed))
    return tokens


def _blank_brackets(text: str) -> str:
    """Return the text with blanks for brackets, except within quotes."""
    parts = text.split('"')
    return '"'.join(part if at % 2 else part.translate(_BRACKETS) for at, part in enumerate(parts))


def _trim(word: str) -> str:
    """Return a word without punctuation at its end, and without slashes at its ends."""
    return word.rstrip(".!:…").strip("/") or ("/" if word.strip("/") == "" and word else "")


def join_lines(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines, joining each that ends in a backslash, outside of a comment, to the next.

    A joined line has the number of its first part.
    """
    start, held = 0, ""
    for number, line in lines:
        start = start or number
        stripped = line.rstrip()
        if stripped.endswith("\\") and not any(match.group(2) for match in _TOKEN.finditer(stripped)):
            held += stripped[:-1] + " "
            continue
        yield start, held + line
        start, held = 0, ""
    if held:
        yield start, held


def quote_word(word: str) -> str:
    """Return a word as a line has it: in quotes if it would be split otherwise."""
    return f'"{word}"' if not word or _PARTING.search(word) else word
