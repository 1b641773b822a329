"""Where an earlier mail begins inside a mail: what mail programs put above an original, in their users' languages.

Four things are known: an attribution ("On … wrote:"), a header block
("From: … Sent: … To: …"), a divider ("-----Original Message-----") and a rule
of dashes or underscores, the last only above one of the others.

Lists of words are enough where an original is not marked otherwise. Above
lines quoted with ">", and where an attribution holds an address and a date,
its form is sure in any language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pbem.post import languages

ATTRIBUTION_LINES = 4
"""Mail programs wrap "On … wrote:" onto up to so many lines."""

BLOCK_LINES = 10
"""Lines of a header block: some hold several recipients."""

_LONGEST = 500
"""Characters of an attribution that are looked at."""

_TAIL = 150
"""Characters at its end among which "wrote" stands: in some languages name or date come after it."""

_SHORTEST_BETWEEN, _LONGEST_BETWEEN = 12, 302
"""Characters that stand between dashes where those are put around an attribution."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What stands above an original: its first line, how many lines it takes, and whether it says "forwarded"."""

    line: str
    count: int
    forwarded: bool = False
    text: str = ""

    @property
    def shown(self) -> str:
        """Its first line as notes quote it."""
        line = self.line.strip()
        return repr(line if len(line) <= 40 else line[:39] + "…")

    @property
    def author(self) -> str:
        """The line that says who wrote the original, "" if none does."""
        return next(filter(_FROM_FIELD.match, self.text.split("\n")), "")


_START = re.compile(rf"\A\s*+(?:{languages.START})\s", re.IGNORECASE)
_SAYS = re.compile(rf"\b(?:{languages.WROTE})\b|{languages.WROTE_UNSPACED}", re.IGNORECASE)
_END = re.compile(rf"(?:\b(?:{languages.WROTE})|{languages.WROTE_UNSPACED})\s?:\s*+\Z", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s<>\[\]()@]@[^\s<>\[\]()@.]++\.++\w")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|(?:19|20)\d\d\s?[年년]|\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d\d"
)

_DIVIDER = re.compile(
    rf"\A\s*+(?:[-_=*]{{2,}}+\s*+(?:{languages.ORIGINAL}|({languages.FORWARDED}))\s*+[-_=*]{{2,}}+"
    rf"|({languages.FORWARDED_BELOW})\s?:)\s*+",
    re.IGNORECASE,
)
_ANY_DIVIDER = re.compile(r"\A\s*+[-_=*]{3,}+\s*+[^\W\d_][^-_=*]{2,50}+\s*+[-_=*]{3,}+\s*+")
_RULE = re.compile(r"\A\s*+(?:_{5,}+|-{5,}+|={5,}+|\*{5,}+)\s*+")

_FROM_FIELD = re.compile(rf"\A\s*+\*{{0,2}}(?:{languages.FROM})\s?:", re.IGNORECASE)
_OTHER_FIELD = re.compile(rf"\A\s*+\*{{0,2}}(?:{languages.OTHER_FIELDS})\s?:", re.IGNORECASE)
_ANY_FIELD = re.compile(r"\A\s*+\*{0,2}[^\W\d_][^:@]{0,30}+:\*{0,2}\s*+\S")
_SUSPECT = re.compile(r"\A(?:\s*+[-_=*]|[^:]*+:)")
"""How the lines begin that are worth a closer look."""


def opening(lines: Sequence[str], at: int) -> Opening | None:
    """What a mail program put above an original, beginning at this line; None if the line is something else."""
    line = lines[at]
    if _SUSPECT.match(line) and (found := _divided(lines, at) or _block(lines, at)):
        return found
    return _attribution(lines, at)


def is_quoted(line: str) -> bool:
    """Whether a mail program marked the line as one of an earlier mail."""
    return line.lstrip().startswith(">")


def quote_follows(lines: Sequence[str], at: int) -> bool:
    """Whether the next line that is not blank, of the three from here, is quoted."""
    return next((is_quoted(line) for line in lines[at : at + 3] if line.strip()), False)


def _divided(lines: Sequence[str], at: int) -> Opening | None:
    """A divider or a rule, with the header block or attribution below it."""
    line = lines[at]
    known = _DIVIDER.fullmatch(line)
    rule = None if known else _RULE.fullmatch(line)
    if not (known or rule or _ANY_DIVIDER.fullmatch(line) or _between_dashes(line)):
        return None
    below = at + 1
    while below < min(at + 3, len(lines)) and not lines[below].strip():
        below += 1
    head = None
    if below < len(lines):
        if rule and (divider := _DIVIDER.fullmatch(lines[below])):
            return Opening(lines[below], below + 1 - at, bool(divider.lastindex))
        head = _block(lines, below) or _attribution(lines, below) or _foreign_block(lines, below)
    if head:
        forwarded = bool(known and known.lastindex)
        return Opening(head.line if rule else line, below + head.count - at, forwarded, head.text)
    return Opening(line, 1, bool(known and known.lastindex)) if known or _is_dashed_attribution(line) else None


def _is_dashed_attribution(line: str) -> bool:
    """An attribution between dashes: "---- On … wrote ----"."""
    inner = _between_dashes(line)
    return bool(inner) and _is_attribution(inner + ":", starts=False)


def _between_dashes(line: str) -> str:
    """What stands between dashes, three or more on either side; "" if nothing like an attribution does."""
    stripped = line.strip()
    if not (stripped.startswith("---") and stripped.endswith("---")):
        return ""
    inner = stripped.strip("-").strip()
    return inner if _SHORTEST_BETWEEN <= len(inner) <= _LONGEST_BETWEEN else ""


def _block(lines: Sequence[str], at: int) -> Opening | None:
    """A header block in a known language: who it is from, and two fields more."""
    if not (_FROM_FIELD.match(lines[at]) or _OTHER_FIELD.match(lines[at])):
        return None
    block = _paragraph(lines, at)
    if not any(map(_FROM_FIELD.match, block)) or sum(1 for line in block if _OTHER_FIELD.match(line)) < 2:
        return None
    last = max(number for number, line in enumerate(block) if _OTHER_FIELD.match(line) or _ANY_FIELD.match(line))
    return Opening(lines[at], last + 1, text="\n".join(block[: last + 1]))


def _foreign_block(lines: Sequence[str], at: int) -> Opening | None:
    """A header block in any language, told by its form: fields only, one of them with an address."""
    block = _paragraph(lines, at)
    if len(block) >= 3 and all(map(_ANY_FIELD.match, block)) and any(map(_ADDRESS.search, block)):
        return Opening(lines[at], len(block), text="\n".join(block))
    return None


def _paragraph(lines: Sequence[str], at: int) -> Sequence[str]:
    block = lines[at : at + BLOCK_LINES]
    return block[: next((number for number, line in enumerate(block) if not line.strip()), len(block))]


def _attribution(lines: Sequence[str], at: int) -> Opening | None:
    """Who wrote an original and when, on one line or wrapped onto several.

    Without one of the words that begin attributions, only a line that begins a
    paragraph is taken together with those below it.
    """
    count = _lines_to_colon(lines, at)
    if not count:
        return None
    first, text = lines[at], " ".join(lines[at : at + count])[:_LONGEST]
    starts = _START.match(first) is not None
    if count > 1 and not starts and not _may_begin(lines, at, count):
        return None
    if _is_attribution(text, starts=starts) or (count == 1 and _precedes_quote(lines, at, text)):
        return Opening(first, count, text=text)
    return None


def _may_begin(lines: Sequence[str], at: int, count: int) -> bool:
    """Whether an attribution of several lines may begin here without one of the words for it."""
    first = lines[at][:_LONGEST]
    begins = at == 0 or not lines[at - 1].strip()
    dated = _DATE.search(first) or _ADDRESS.search(first)
    return begins and dated is not None and not any(map(_START.match, lines[at + 1 : at + count]))


def _lines_to_colon(lines: Sequence[str], at: int) -> int:
    """How many lines from here to one that ends in a colon; 0 if none does in this paragraph."""
    for count, line in enumerate(lines[at : at + ATTRIBUTION_LINES], start=1):
        stripped = line.rstrip()
        if not stripped:
            return 0
        if stripped.endswith(":"):
            return count
    return 0


def _is_attribution(text: str, *, starts: bool) -> bool:
    if starts and _END.search(text[-_TAIL:]):
        return True
    return bool(_DATE.search(text) and (_ADDRESS.search(text) or _SAYS.search(text[-_TAIL:])))


def _precedes_quote(lines: Sequence[str], at: int, text: str) -> bool:
    """Whether a line that ends in a colon names the writer of the quoted lines right below it."""
    return bool(_END.search(text[-_TAIL:]) or _ADDRESS.search(text)) and quote_follows(lines, at + 1)
