"""Splits an order line into tokens, strictly or leniently.

`split_tokens` keeps to the rules of a sheet: blanks and commas separate tokens,
quotes hold them together, and comments are left out: what follows `;` or `//`, what
follows `#` or `%` at the beginning of a word, and what stands in `/* */`, also over
several lines. `split_leniently` reads the forms that mail programs, phones and habit
produce: typographic quotes and dashes, a sign apart from its number, a full stop at
the end, arrows, `(3,-2)`, `a/b`, `a & b`, a bullet or a number before the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Possessive quantifiers here and below: no line of a player may take more than linear time.
_TOKEN = re.compile(r'"([^"]*+)"?|([^\s,"]++)')
_PARTING = re.compile(r"[\s,;#%]|//|/\*")

# A // behind a colon is a part of an address.
_COMMENT = re.compile(r'"[^"]*+"?|(;|(?<![^\s,"])[#%]|(?<!:)//|/\*)')
_MAY_HAVE_COMMENT = re.compile(r"[;#%]|/[/*]")

BEGINS_COMMENT = re.compile(r"\A\s*+(?:[;#%]|//|/\*)")
"""Beginning of a line that is a comment, or has one before its order."""

# All kinds of minus and plus that keyboards and mail programs offer. The dashes of one script alone, such as the
# Japanese ー, stay: they are letters of words, and no number that begins with one is read.
_MINUSES = "\u00ad\u02d7‐‑‒–—―\u2043\u207b\u208b−\u2796\ufe58\ufe63"
_PLUSES = "\u02d6\u207a\u208a\u2795\ufe62"

SOFT_BREAK = re.compile(r"\u00ad(?![\s\u200b-\u200d\u2060\ufeff]*+[0-9]|(?<=[^\W\d_]\u00ad)(?:\s|\Z))")
"""A soft hyphen where a word may be broken; before a number, or at the end of a word, it was typed as a minus."""

_IN_WORD = re.compile(r"(?<=[^\W_])\u00ad(?=[^\W\d_])")
"""A soft hyphen inside a word. In an order any other was typed, while mails are also filled up with them."""

# A sign and the number that it belongs to: behind a comma, a bracket, an arrow or a preposition it can be nothing else.
_AHEAD = r"[,(\[=:@>→➔➜⇒⟶]|(?<![^\s,])/|(?<![^\W_])(?:TO|TOWARDS?|AT|ON|ONTO|IN|INTO|BY|FROM|VIA|HEX)(?![^\W_])"
_APART = re.compile(rf"({_AHEAD})(\s*+)([-+])\s*+(?=[0-9])", re.IGNORECASE)

# Typographic signs that mail programs and phones put in place of plain ones, and characters without width.
# A wide ; stays as it is: the parts of a line are told apart before this.
_WIDE = {wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F) if chr(wide) not in "；＃％／＊"}
_CURLY = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", None),
        **{chr(wide): plain for wide, plain in _WIDE.items()},
        **dict.fromkeys(_MINUSES, "-"),
        **dict.fromkeys(_PLUSES, "+"),
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
    """Return the tokens of a line: blanks and commas separate, quotes hold together, comments are left out."""
    tokens: list[Token] = []
    end = 0
    line = without_comment(line)
    for match in _TOKEN.finditer(line):
        quoted, plain = match.groups()
        listed = "," in line[end : match.start()]
        tokens.append(Token(plain if plain is not None else quoted, match.start(), plain is None, listed))
        end = match.end()
    return tokens


def split_words(line: str) -> list[str]:
    """Return the words of a line: blanks and commas separate, quotes hold together, comments are left out.

    >>> split_words('MOVE "Red Star", N ; to the gate')
    ['MOVE', 'Red Star', 'N']
    """
    return [plain or quoted for quoted, plain in _TOKEN.findall(without_comment(line))]


def _comments(line: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each comment of a line begins and ends, and its mark; one in `/* */` may have an order behind it."""
    at = 0
    while found := next((each for each in _COMMENT.finditer(line, at) if each[1]), None):
        close = line.find("*/", found.end()) if found[1] == "/*" else -1
        at = len(line) if close < 0 else close + len("*/")
        yield found.start(), at, found[1]


def comment_of(line: str) -> str:
    """Return the text of the comments of a line, without their marks; "" if there is none.

    >>> comment_of("MOVE R1 N // then E")
    ' then E'
    """
    if not _MAY_HAVE_COMMENT.search(line):
        return ""
    return ";".join(line[start + len(mark) : end].removesuffix("*/") for start, end, mark in _comments(line))


def comment_mark(line: str) -> str:
    """Return the mark with which the first comment of a line begins, such as "//"; "" if there is none."""
    return next((mark for _, _, mark in _comments(line)), "") if _MAY_HAVE_COMMENT.search(line) else ""


def without_comment(line: str) -> str:
    """Return a line up to its comment, with blanks for one in `/* */`, so that words stay at their places.

    >>> without_comment('Nf3 ; to the centre')
    'Nf3 '
    >>> without_comment("Nf3 /* or g3 */ DRAW")
    'Nf3             DRAW'
    """
    if not _MAY_HAVE_COMMENT.search(line):
        return line
    parts, at = [], 0
    for start, end, _ in _comments(line):
        parts += [line[at:start], " " * (end - start) if end < len(line) else ""]
        at = end
    return "".join([*parts, line[at:]])


def is_comment(line: str) -> bool:
    """Return True for a line with a comment and nothing besides."""
    return BEGINS_COMMENT.match(line) is not None and not without_comment(line).strip()


def close_comments(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines; of a comment in `/* */` over several lines each is made a comment of its own.

    What stands below a `/*` without a `*/` is a comment to the last line: it is better to
    miss an order, and to be told so, than to be given one that was struck out.
    """
    open_ = False
    for number, line in lines:
        if open_:
            open_ = "*/" not in line
            line = f"/* {line.strip()} */" if open_ and line.strip() else line if open_ else f"/* {line.lstrip()}"
        if not open_ and _is_open(line):
            open_ = True
            line = f"{line.rstrip()} */"
        yield number, line


def unclosed_comment(lines: Iterable[tuple[int, str]]) -> int:
    """Return the number of the line with a `/*` that no `*/` closes; 0 if there is none."""
    begun = 0
    for number, line in lines:
        if begun and "*/" in line:
            begun, line = 0, f"/* {line}"
        if not begun and _is_open(line):
            begun = number
    return begun


def _is_open(line: str) -> bool:
    last = next(reversed([*_comments(line)]), None) if "/*" in line else None
    return last is not None and last[2] == "/*" and "*/" not in line[last[0] + len("/*") :]


def plain_signs(line: str) -> str:
    """Return a line with plain quotes, dashes, signs and letters for typographic and wide ones.

    Characters that have no width are left out. A sign that can only belong to the number
    behind it stands directly before it.

    >>> plain_signs("MOVE S1 TO − 1, + 2")
    'MOVE S1 TO -1, +2'
    """
    plain = line if line.isascii() else _IN_WORD.sub("", line).translate(_CURLY)
    return _APART.sub(_bind_sign, plain) if "-" in plain or "+" in plain else plain


def _bind_sign(found: re.Match[str]) -> str:
    ahead, gap, sign = found.groups()
    # "TO-1" has no blank; behind a comma, "0, - 1" may stay as wide as it is.
    return f"{ahead}{' ' if gap or ahead[-1:].isalpha() else ''}{sign}"


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

    A joined line has the number of its first part. Comments over several lines are one on each.
    """
    start, held = 0, ""
    for number, line in close_comments(lines):
        start = start or number
        stripped = line.rstrip()
        if stripped.endswith("\\") and without_comment(stripped).endswith("\\"):
            held += stripped[:-1] + " "
            continue
        yield start, held + line
        start, held = 0, ""
    if held:
        yield start, held


def quote_word(word: str) -> str:
    """Return a word as a line has it: in quotes if it would be split otherwise."""
    return f'"{word}"' if not word or _PARTING.search(word) else word
