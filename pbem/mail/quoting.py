"""Recognise quotations of earlier mail, in the words of mail programs of many languages.

Four marks are known: an attribution ("On … wrote:"), a header block
("From: … Sent: … To: …"), a divider ("-----Original Message-----") and a rule of
dashes or underscores, the last only above one of the others.

Their words are in `words/quotations.toml`. Where lines quoted with ">" follow, or an attribution holds an address
and a date, its form is sufficient in any language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pbem.mail.headers import find_addresses
from pbem.mail.phrases import load_phrases

_WORDS = load_phrases("quotations")
_SAYS_IT = rf"(?:\b{_WORDS['wrote']}|{_WORDS['wrote_unspaced']})"

ATTRIBUTION_LINES = 4
"""Lines onto which mail programs wrap "On … wrote:" at most."""

BLOCK_LINES = 10
"""Lines of a header block: some hold several recipients."""

FEWEST_BARRED = 2
"""Lines that begin with "|", with no attribution above them, from which on they are quoted."""

# Characters of an attribution that are examined.
_LONGEST = 500

# Characters at its end that may contain "wrote": in some languages name or date come after it.
_TAIL = 150

_SHORTEST_BETWEEN, _LONGEST_BETWEEN = 12, 302
"""Characters of an attribution between dashes."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """Lines above an original: the first of them, their number, and whether they say "forwarded"."""

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
        """The line with the writer of the original, "" if there is none."""
        return next(filter(_FROM_FIELD.match, self.text.split("\n")), "")


# Possessive quantifiers (++, *+) do not backtrack, so that hostile input takes linear time.
_START = re.compile(rf"\A\s*+{_WORDS['start']}\s", re.IGNORECASE)
_SAYS = re.compile(rf"\b{_WORDS['wrote']}\b|{_WORDS['wrote_unspaced']}", re.IGNORECASE)
_END = re.compile(rf"{_SAYS_IT}\s?:\s*+\Z", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s<>\[\]()@]@[^\s<>\[\]()@.]++\.++\w")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|(?:19|20)\d\d\s?[年년]|\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d\d"
)

_TIME = re.compile(r"\b\d{1,2}[:h]\d\d\b")
_DAY = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d\d\b")
_EXCERPT = re.compile(rf"\A\s*+{_WORDS['excerpt']}\s", re.IGNORECASE)
_WROTE_AT_END = re.compile(rf"{_SAYS_IT}\s*+\Z", re.IGNORECASE)
_GMAIL_DATE = re.compile(r"\A\s*+\d{4}([-/])\d\d?\1\d\d?\s")
# Gmail's attribution without a word: "2026-11-20 17:21 GMT+01:00 Ann <ann@example.org>", and its older form.
_GMAIL_END = re.compile(r"\A[^<>]*+<[^\s<>@]++@[^\s<>@]++>\s*+\Z|\A\s*+\S++\s++\d\d?:\d\d\s++GMT[+-]\d\d:\d\d\s++\S")

# An attribution followed by the original on the same line, as Yahoo's apps write it.
_INLINE_ATTRIBUTION = re.compile(
    rf"\A\s*+{_WORDS['start']}\s[^<>]{{0,150}}<[^\s<>@]{{1,64}}@[^\s<>@]{{1,200}}>\s?{_WORDS['wrote']}\s?:\s+\S",
    re.IGNORECASE,
)

_DATE_FIRST = re.compile(r"\A\s*+\d{1,4}[./-]\d{1,2}[./-]\d{2,4}[\s,]")

_GOES_ON = re.compile(r"[<(,]\s*+\Z")
# A line with an address, but not one that begins with it in brackets: such a line continues a name.
_NAMED = re.compile(r"\A\s*+[^\s<>].{0,150}?[^\s<>\[\]()@]@[^\s<>\[\]()@.]++\.\w")

# A divider; Samsung and Yahoo put the header block behind it on the same line, and MH no dashes (RFC 934).
_DIVIDER = re.compile(
    rf"\A\s*+(?:[-_=*]{{2,}}+\s*+(?:{_WORDS['original']}|({_WORDS['forwarded']}))\s*+[-_=*]{{2,}}+"
    rf"(?:\s*+(?=\*{{0,2}}{_WORDS['from']}\s?:).*+)?"
    rf"|({_WORDS['forwarded_below']})\s?:|-{{5,}}+\s*+({_WORDS['forwarded']}))\s*+",
    re.IGNORECASE,
)
_ANY_DIVIDER = re.compile(r"\A\s*+[-_=*]{3,}+\s*+[^\W\d_][^-_=*]{2,50}+\s*+[-_=*]{3,}+\s*+")
_RULE = re.compile(r"\A\s*+(?:_{5,}+|-{5,}+|={5,}+|\*{5,}+)\s*+")

# The sender in a header block that follows a divider on the same line.
_FROM_BEHIND = re.compile(
    rf"[-_=*]\s*+(\*{{0,2}}{_WORDS['from']}\s?:.*?)(?:[\s>]\*{{0,2}}{_WORDS['other_fields']}\s?:|\Z)", re.IGNORECASE
)
_FROM_FIELD = re.compile(rf"\A\s*+\*{{0,2}}{_WORDS['from']}\s?:", re.IGNORECASE)
_OTHER_FIELD = re.compile(rf"\A\s*+\*{{0,2}}{_WORDS['other_fields']}\s?:", re.IGNORECASE)
_ANY_FIELD = re.compile(r"\A\s*+\*{0,2}[^\W\d_][^:@]{0,30}+:\*{0,2}\s*+\S")
_ROW = re.compile(r"\A\s*+\|.*\|\s*+")
INITIALS = re.compile(r"^[ \t]*+([^\W\d_][^\W_]{0,4})>++(?:\s|\Z)", re.MULTILINE)
_LEFT_OUT = re.compile(
    r"\A\s*+(?>(?:>\s*+)*)(?:\[\.\.\.\]|\(\.\.\.\)|[<\[]snip(?:ped)?[>\]]|\[schnipp\]|\[quoted text hidden\]"
    # As notmuch writes it in place of a picture or a file.
    r"|(?:Non-text part: |Attachment: .{1,200} \()[\w.+-]{1,60}/[\w.+-]{1,60}\)?)\s*+",
    re.IGNORECASE,
)
# Beginnings of lines that may be a divider or a header field; all others are skipped for speed.
_SUSPECT = re.compile(r"\A(?:\s*+[-_=*]|[^:]*+:)")


def find_attribution(lines: Sequence[str], at: int) -> Attribution | None:
    """Return the attribution, header block or divider that begins at this line; None if there is none."""
    line = lines[at]
    if _SUSPECT.match(line) and (found := _find_divider(lines, at) or _find_block(lines, at)):
        return found
    return _find_attribution_line(lines, at)


def names_one_of(lines: Sequence[str], at: int, addresses: Collection[str]) -> Attribution | None:
    """Return an attribution in unknown words: one of the addresses, a date and a time, on a line or two."""
    if not addresses or (at and lines[at - 1].strip()):
        return None
    for count in (1, 2):
        text = " ".join(lines[at : at + count])[:_LONGEST]
        named = {_without_code(each) for each in find_addresses(text)} if "@" in text else set()
        if named & set(map(_without_code, addresses)) and _TIME.search(text) and _DAY.search(text):
            return Attribution(lines[at], min(count, len(lines) - at), text=text)
        begun = "@" in text or _DAY.search(text) is not None
        if not begun or at + 1 == len(lines) or _find_attribution_line(lines, at + 1):
            return None
    return None


def _without_code(address: str) -> str:
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def is_quoted(line: str) -> bool:
    """Return True if a mail program marked the line as one of an earlier mail."""
    return line.lstrip().startswith(">")


def is_left_out(line: str) -> bool:
    """Return True if a line stands for a left out part of an original, as KMail, notmuch and people write it."""
    return _LEFT_OUT.fullmatch(line) is not None


def with_plain_marks(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines with ">" in place of bars, and of the writer's initials (The Bat!, Supercite): "AB> …".

    It is a quotation only if two lines have the same initials, or neighbouring ones bars.
    """
    bars = frozenset(_barred_quotations(lines))
    initials = [INITIALS.match(line) for line in lines]
    counted = Counter(found[1] for found in initials if found)
    if not bars and max(counted.values(), default=0) < 2:
        return lines
    return [
        f"> {line.lstrip()[1:].lstrip()}"
        if at in bars
        else f"> {line[found.end() :].lstrip()}"
        if found and counted[found[1]] > 1
        else line
        for at, (line, found) in enumerate(zip(lines, initials, strict=True))
    ]


def _is_barred(line: str) -> bool:
    return line.lstrip().startswith("|")


def _barred_quotations(lines: Sequence[str]) -> Iterator[int]:
    """Yield the lines of runs of several with "|" before them, but for the rows of tables, which end in one too."""
    for barred, run in groupby((at for at, line in enumerate(lines) if line.strip()), lambda at: _is_barred(lines[at])):
        rows = list(run)
        if barred and len(rows) >= FEWEST_BARRED and not all(_ROW.fullmatch(lines[at]) for at in rows):
            yield from rows


def is_head_line(line: str) -> bool:
    """Return True for a divider, or a field of a header block, as stands above an original."""
    return any(form.match(line) for form in (_FROM_FIELD, _OTHER_FIELD)) or _DIVIDER.fullmatch(line) is not None


def quote_follows(lines: Sequence[str], at: int) -> bool:
    """Return True if the next line that is not blank, of the three from here, is quoted, be it the only one."""
    return next(
        (is_quoted(line) or is_left_out(line) or _is_barred(line) for line in lines[at : at + 3] if line.strip()), False
    )


def _find_divider(lines: Sequence[str], at: int) -> Attribution | None:
    """Return a divider or a rule, with the header block or attribution below it."""
    line = lines[at]
    known = _DIVIDER.fullmatch(line)
    rule = None if known else _RULE.fullmatch(line)
    if not (known or rule or _ANY_DIVIDER.fullmatch(line) or _text_between_dashes(line)):
        return None
    below = at + 1
    while below < min(at + 3, len(lines)) and not lines[below].strip():
        below += 1
    head = None
    if below < len(lines):
        if rule and (divider := _DIVIDER.fullmatch(lines[below])):
            return Attribution(lines[below], below + 1 - at, bool(divider.lastindex))
        head = _find_block(lines, below) or _find_attribution_line(lines, below) or _find_foreign_block(lines, below)
    if head:
        forwarded = bool(known and known.lastindex)
        return Attribution(head.line if rule else line, below + head.count - at, forwarded, head.text)
    if not (known or _is_dashed_attribution(line)):
        return None
    behind = _FROM_BEHIND.search(line)
    return Attribution(line, 1, bool(known and known.lastindex), behind[1] if behind else "")


def _is_dashed_attribution(line: str) -> bool:
    """Return True for an attribution between dashes: "---- On … wrote ----"."""
    inner = _text_between_dashes(line)
    return bool(inner) and _is_attribution(inner + ":", starts=False)


def _text_between_dashes(line: str) -> str:
    """Return the text between dashes, three or more on either side; "" if it cannot be an attribution."""
    stripped = line.strip()
    if not (stripped.startswith("---") and stripped.endswith("---")):
        return ""
    inner = stripped.strip("-").strip()
    return inner if _SHORTEST_BETWEEN <= len(inner) <= _LONGEST_BETWEEN else ""


def _find_block(lines: Sequence[str], at: int) -> Attribution | None:
    """Return a header block in a known language: a sender and two fields more, or an address and a date."""
    if not (_FROM_FIELD.match(lines[at]) or _OTHER_FIELD.match(lines[at])):
        return None
    block = _paragraph(lines, at)
    senders = [line for line in block if _FROM_FIELD.match(line)]
    others = [line for line in block if _OTHER_FIELD.match(line)]
    short = any(map(_ADDRESS.search, senders)) and any(map(_DATE.search, others))
    if not senders or (len(others) < 2 and not short):
        return None
    last = max(number for number, line in enumerate(block) if _OTHER_FIELD.match(line) or _ANY_FIELD.match(line))
    return Attribution(lines[at], last + 1, text="\n".join(block[: last + 1]))


def _find_foreign_block(lines: Sequence[str], at: int) -> Attribution | None:
    """Return a header block in any language, recognised by its form: fields only, one of them with an address."""
    block = _paragraph(lines, at)
    if len(block) >= 3 and all(map(_ANY_FIELD.match, block)) and any(map(_ADDRESS.search, block)):
        return Attribution(lines[at], len(block), text="\n".join(block))
    return None


def _paragraph(lines: Sequence[str], at: int) -> Sequence[str]:
    block = lines[at : at + BLOCK_LINES]
    return block[: next((number for number, line in enumerate(block) if not line.strip()), len(block))]


def _find_attribution_line(lines: Sequence[str], at: int) -> Attribution | None:
    """Return an attribution with the writer of an original and the date, on one line or wrapped onto several.

    Without one of the words that begin attributions, only a line that begins a
    paragraph is joined with those below it.
    """
    first = lines[at]
    if _INLINE_ATTRIBUTION.match(first[:_LONGEST]):
        return Attribution(first, 1, text=first)
    count = _lines_to_colon(lines, at)
    if not count:
        return _find_without_colon(lines, at)
    text = " ".join(lines[at : at + count])[:_LONGEST]
    starts = _START.match(first) is not None
    if count > 1 and ((not starts and not _may_begin(lines, at, count)) or _begins_below(lines, at, count)):
        return None
    if _is_attribution(text, starts=starts) or _precedes_quote(lines, at, count, text):
        return Attribution(first, count, text=text)
    return _find_without_colon(lines, at)


def _find_without_colon(lines: Sequence[str], at: int) -> Attribution | None:
    """Return an attribution that ends its paragraph without a colon: in "wrote", or in Gmail's older form."""
    if not (_START.match(lines[at]) or _GMAIL_DATE.match(lines[at])):
        return None
    for count in range(1, ATTRIBUTION_LINES):
        if at + count > len(lines) or not lines[at + count - 1].strip():
            return None
        if at + count < len(lines) and lines[at + count].strip() and not is_quoted(lines[at + count]):
            continue
        text = " ".join(lines[at : at + count])[:_LONGEST]
        by_word = _START.match(text) and _DATE.search(text) and _WROTE_AT_END.search(text[-_TAIL:])
        by_form = _GMAIL_DATE.match(text) and _GMAIL_END.match(text)
        return Attribution(lines[at], count, text=text) if by_word or by_form else None
    return None


def _begins_below(lines: Sequence[str], at: int, count: int) -> bool:
    """Return True if a whole attribution begins further down, and this line only begins like one, as "Il …" may."""
    first = lines[at]
    rests = [" ".join(lines[below : at + count])[:_LONGEST] for below in range(at + 1, at + count)]
    if not (_DATE.search(first) or _ADDRESS.search(first)):
        return any(_START.match(rest) and _DATE.search(rest) and _is_attribution(rest, starts=True) for rest in rests)
    if _START.match(first) or _DATE_FIRST.match(first) or _GOES_ON.search(first):
        return False
    return any(_NAMED.match(rest) and _END.search(rest[-_TAIL:]) for rest in rests)


def _may_begin(lines: Sequence[str], at: int, count: int) -> bool:
    """Return True if an attribution of several lines may begin here without one of the words for it."""
    first = lines[at][:_LONGEST]
    begins = at == 0 or not lines[at - 1].strip() or _DATE_FIRST.match(first) is not None
    dated = _DATE.search(first) or _ADDRESS.search(first)
    return begins and dated is not None and not any(map(_START.match, lines[at + 1 : at + count]))


def _lines_to_colon(lines: Sequence[str], at: int) -> int:
    """Return the number of lines from here to one that ends in a colon; 0 if none in this paragraph does."""
    for count, line in enumerate(lines[at : at + ATTRIBUTION_LINES], start=1):
        stripped = line.rstrip()
        if not stripped:
            return 0
        if stripped.endswith(":"):
            return count
    return 0


def _is_attribution(text: str, *, starts: bool) -> bool:
    if (starts or _ADDRESS.search(text)) and _END.search(text[-_TAIL:]):
        return True
    return bool(_DATE.search(text) and (_ADDRESS.search(text) or _SAYS.search(text[-_TAIL:])))


def _precedes_quote(lines: Sequence[str], at: int, count: int, text: str) -> bool:
    """Return True if text that ends in a colon names the writer of the quoted lines right below it."""
    if not quote_follows(lines, at + count):
        return False
    if _EXCERPT.match(text):
        return True
    return count == 1 and bool(_END.search(text[-_TAIL:]) or _ADDRESS.search(text))
