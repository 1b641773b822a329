"""Extract the lines that a sender typed: normalised characters, no quotations, no signature.

A form is the sheet at the end of a report: an ORDERS line, comments, END. Quoted
in a reply it is the player's sheet only if at least one of its lines is no
comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pbem.mail.headers import find_addresses
from pbem.mail.phrases import load_phrases
from pbem.mail.quoting import (
    INITIALS,
    Attribution,
    find_attribution,
    is_left_out,
    is_quoted,
    names_one_of,
    quote_follows,
    with_plain_marks,
)
from pbem.ruleset.tokenizer import BEGINS_COMMENT, BULLET, SOFT_BREAK, is_comment

MAX_TEXT = 200_000
MAX_LINES = 10_000
"""Characters and lines of a mail's text that are read."""

_ODD = re.compile(r"[^\t\n -~]")
# Plain characters for typographic ones; the letters of names stay as they are.
# Of two entries for a character the later one counts. 0x91 to 0x97 are quotes and dashes of Windows-1252, in mail that
# declares Latin-1.
_PLAIN = {
    **{sign: sign for sign in range(0x20, 0x7F)},  # str.translate is slowest at what its table lacks
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)]),
    **dict.fromkeys([0x34F, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)]),
    **dict.fromkeys([*range(0xFE00, 0xFE10), 0xFEFF, *range(0xFFF0, 0xFFFD), *range(0xE0000, 0xE0080)]),
    **dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " "),
    **dict.fromkeys([0x0B, 0x0C, 0x85, 0x2028, 0x2029, 0x0A], "\n"),
    **dict.fromkeys([0x91, 0x92, 0xB4, *range(0x2018, 0x201C), 0x2032, 0x2039, 0x203A], "'"),
    **dict.fromkeys([0x93, 0x94, 0xAB, 0xBB, *range(0x201C, 0x2020), 0x2033], '"'),
    # A soft hyphen that is no `SOFT_BREAK` is a minus: "TO \xad1,0".
    **dict.fromkeys([0x96, 0x97, 0xAD, *range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63], "-"),
    **{wide: chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)},
    0x09: "\t",
    0x2026: "...",
}

_CHANGED = {
    "Curly quotes, long dashes and the like were read as plain ones.": re.compile(
        r"[\x91-\x97\xab\xb4\xbb\u2010-\u201f\u2026\u2032\u2033\u2039\u203a\u2212\ufe58\ufe63\uff01-\uff5e]"
    ),
    "Invisible characters were left out.": re.compile(
        r"[\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufffc]"
    ),
    "Some characters could not be read; they show as \ufffd.": re.compile("\ufffd"),
}

_HEADER_FORM = r"ORDERS(?>(?:[\s,]++[\w-]++){2,4})[\s,]*+(?:(?:[;#%]|//|/\*).*+)?"
HEADER = re.compile(rf"\A\s*+{_HEADER_FORM}", re.IGNORECASE)
"""A sheet's header line: campaign, seat, maybe a key, maybe WAIT or FINAL. Prose has more words, or ends in a point."""

SENT_BACK = "The sheet was taken from the earlier mail below"
"""Beginning of the note that a sheet was found in a mail quoted without marks."""

LEFT_OUT = "The earlier mail below"
"""Beginning of the note that a mail quoted without marks was left out."""

QUOTED_FORM = 'Orders in quoted lines are not read: take the ">" off them, or write them above.'
_ROUTINE = re.compile(
    rf"\d{{1,6}} quoted lines? |{LEFT_OUT} |The (?:line ['\"]|signature |mailing list's footer |example of a sheet )"
)

_QUOTED_HEADER = re.compile(rf"\A[\s>]++{_HEADER_FORM}", re.IGNORECASE)
_SIGNATURE = re.compile(r"\A--\s*+")

_WORDS = load_phrases("additions")
# Lines that telephones, web mail and others put below a mail.
_ADDED = re.compile(
    rf"\A\s*+(?:[<\[(*_]{{0,2}}{_WORDS['added']}.{{0,120}}"
    r"|(?>(?:\[(?:cid|image|bild|img|inline image)\b[^\]]{0,120}+\]\s*+)+))",
    re.IGNORECASE,
)
# Sentences of virus scanners, and banners on mail from outside.
_SCANNED = re.compile(rf"\A[\s<>\[(*_|-]{{0,60}}+{_WORDS['scanned']}", re.IGNORECASE)
_SCANNERS_TOO = re.compile(rf"\A\s*+(?:{_WORDS['more']}|[-_=*]{{3,}}+\s*+\Z)", re.IGNORECASE)
_RULE = re.compile(r"\A\s*+[-_=*]{2,}+\s*+")
_LIST_RULE = re.compile(r"\A\s*+(?:_{10,}+|#{10,}+|={10,}+|-{10,}+|(?>(?:-=){5,40})-?)\s*+")
_LIST = re.compile(_WORDS["lists"], re.IGNORECASE)
_BROKEN = 40
"""Characters of a scanner's line that a program may have broken."""
MOST_FOOTER = 20
"""Lines of a mailing list's footer."""
FOOTER = "The mailing list's footer was left out."

# Every mail with a quotation or a signature contains one of these; all others are passed on as they are.
_MARKS = (">", "|", ":", "--", "__", "[")


@dataclass
class _Finds:
    """Result so far: the text's own lines, in stretches between quotations, and what was left out."""

    stretches: list[list[str]] = field(default_factory=lambda: [[]])
    quoted: int = 0
    form_quoted: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def own(self) -> list[str]:
        return [line for stretch in self.stretches for line in stretch]

    def quote(self, line: str) -> None:
        """Leave out a quoted line; the lines after it are a stretch of their own."""
        self.quoted += 1
        self.form_quoted = self.form_quoted or _QUOTED_HEADER.fullmatch(line) is not None
        if self.stretches[-1]:
            self.stretches.append([])


def normalise_text(text: str) -> str:
    """Return text with LF line ends, plain blanks, quotes and dashes, and without invisible characters."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return SOFT_BREAK.sub("", text).translate(_PLAIN) if _ODD.search(text) else text


def describe_normalisation(text: str, kept: Collection[str]) -> Iterator[str]:
    """Yield notes on what `normalise_text` changed in those lines that were kept; blanks around them do not count."""
    if text.isascii():
        return
    text = text.removeprefix("\ufeff")  # the byte order mark was not typed
    for note, characters in _CHANGED.items():
        if characters.search(text) and any(
            characters.search(line) and normalise_text(line).strip() in kept for line in text.splitlines()
        ):
            yield note


def is_routine(note: str) -> bool:
    """Return True for a note on text that is left out of most replies: quotations, signatures, what programs add."""
    return note == QUOTED_FORM or _ROUTINE.match(note) is not None


def is_end(line: str) -> bool:
    """Return True for the line that ends a sheet, or a frame of commands."""
    return line.strip().upper() == "END"


_AROUND_END = " \t.,:;!"
_LONGEST_END = 40
_ENDS_OF_TEXT = frozenset(("end", "endpress", "end press", "endbroadcast", "signoff"))


def ends_text(line: str) -> bool:
    """Return True for a line that ends the text of a command, such as press: END, and what judges have for it."""
    said = line.strip()
    return len(said) <= _LONGEST_END and " ".join(said.lower().strip(_AROUND_END).split()) in _ENDS_OF_TEXT


def has_header(lines: Iterable[str]) -> bool:
    """Return True if one of the lines begins a sheet."""
    return any(map(HEADER.fullmatch, lines))


def has_content(lines: Sequence[str]) -> bool:
    """Return True if a sheet in the lines holds more than comments."""
    at = _find_header(lines)
    return at is not None and any(map(_is_order, _sheet_lines(lines, at)))


def sender_lines(
    lines: Sequence[str], *, sender: str | None = None, ours: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """Return the lines that the sender typed, and notes on what was left out.

    Lines quoted with ">" and the attribution above them are left out. So is an
    original that is not marked, from its attribution or header block to the end;
    but if nothing is written above it, and the sheet in it is filled in, that
    sheet is what the sender sent back. A mail of the sender's own that `sender`
    has forwarded counts as typed. `ours` are addresses to which the mail went: beside a date and a time
    they are an attribution in any words.
    """
    text = "\n".join(lines)
    if not any(mark in text for mark in _MARKS):
        return _strip_additions(lines, [])
    finds = _sort_lines(with_plain_marks(lines) if "|" in text or INITIALS.search(text) else lines, sender, ours)
    kept = list(_strip_signatures(finds))
    if finds.form_quoted and not any(line.strip() for line in kept):
        finds.notes.append(QUOTED_FORM)
    if finds.quoted:
        finds.notes.insert(0, f"{finds.quoted} quoted line{'s were' if finds.quoted > 1 else ' was'} left out.")
    return _strip_additions(kept, finds.notes)


def _sort_lines(lines: Sequence[str], sender: str | None, ours: Collection[str]) -> _Finds:
    """Sort lines into quoted ones and own ones, up to an original that is not marked."""
    finds = _Finds()
    at = 0
    while at < len(lines):
        if is_quoted(lines[at]) or is_left_out(lines[at]):
            finds.quote(lines[at])
            at += 1
        elif found := find_attribution(lines, at) or names_one_of(lines, at, ours):
            at += found.count
            if quote_follows(lines, at):
                continue
            if found.forwarded and sender in find_addresses(found.author):
                finds.notes.append(f"The mail below {found.shown} is your own and was read.")
                continue
            _leave_out_original(finds, found, lines[at:])
            break
        else:
            finds.stretches[-1].append(lines[at])
            at += 1
    return finds


def _leave_out_original(finds: _Finds, found: Attribution, original: Sequence[str]) -> None:
    """Leave out an original that is not marked, but for a sheet filled in inside it when nothing else is written."""
    own, header, hint = finds.own, _find_header(original), ""
    typed = (line for line in _strip_signature(own, []) if line.strip(" \t_-=*") and not _ADDED.fullmatch(line))
    if not any(typed) and header is not None:
        sheet = _sheet_lines(original, header)
        if any(map(_is_order, sheet)):
            finds.notes.append(f"{SENT_BACK} {found.shown}, which you sent back.")
            finds.stretches = [[original[header], *sheet]]
            return
        hint = ", with the sheet in it, which is not filled in"
    elif header is not None and not has_header(own):
        hint = ", with the sheet in it; write your orders above it"
    finds.notes.append(f"{LEFT_OUT} {found.shown} was left out{hint}.")


def _strip_signatures(finds: _Finds) -> Iterator[str]:
    """Yield the own lines without signatures, each of which ends with its stretch; above a sheet there is none."""
    sheets = [number for number, stretch in enumerate(finds.stretches) if has_header(stretch)]
    for number, stretch in enumerate(finds.stretches):
        yield from stretch if sheets and number < sheets[-1] else _strip_signature(stretch, finds.notes)


def _strip_signature(lines: list[str], notes: list[str]) -> list[str]:
    """Return lines without the signature below them; two dashes above a sheet begin none."""
    last = max((number for number, line in enumerate(lines) if HEADER.fullmatch(line)), default=-1)
    for number in range(last + 1, len(lines)):
        if _SIGNATURE.fullmatch(lines[number]):
            notes.append("The signature was left out.")
            return lines[:number]
    return lines


def _find_header(lines: Sequence[str]) -> int | None:
    return next((number for number, line in enumerate(lines) if HEADER.fullmatch(line)), None)


def _sheet_lines(lines: Sequence[str], header: int) -> list[str]:
    """Return the lines below a header, through END; without an END, up to the next quotation or header."""
    sheet: list[str] = []
    for at in range(header + 1, len(lines)):
        if is_quoted(lines[at]) or HEADER.fullmatch(lines[at]) or find_attribution(lines, at):
            break
        sheet.append(lines[at])
        if is_end(lines[at]):
            break
    return sheet


def _is_order(line: str) -> bool:
    """Return True if a line of a sheet is more than blank, a comment or END."""
    return bool(line.strip()) and not is_comment(line) and not is_end(line)


def _strip_additions(lines: Sequence[str], notes: list[str]) -> tuple[list[str], list[str]]:
    """Return lines without those that telephones, scanners and lists add, and without trailing blanks."""
    kept: list[str] = []
    scanned = ""
    for line in _without_list_footer(lines, notes):
        by_scanner = _SCANNED.match(line) or (scanned and _belongs_to_scanner(line, scanned))
        if by_scanner and not scanned:
            _drop_rule(kept)
        if by_scanner or _ADDED.fullmatch(line):
            notes += [f"The line {line.strip()[:60]!r} was left out."] * (not _RULE.fullmatch(line))
        else:
            kept.append(line.rstrip())
        scanned = line if by_scanner else scanned * (not line.strip())
    return kept, notes


def _belongs_to_scanner(line: str, above: str) -> bool:
    """Return True if a line below a scanner's is one too: a link, a rule, or the rest of its sentence."""
    goes_on = len(above) >= _BROKEN and not above.rstrip().endswith((".", "!", "?")) and line.lstrip()[:1].islower()
    return goes_on or _SCANNERS_TOO.match(line) is not None


def _drop_rule(lines: list[str]) -> None:
    """Take a rule of dashes off the end of lines."""
    at = next((at for at in range(len(lines) - 1, -1, -1) if lines[at]), -1)
    if at >= 0 and _RULE.fullmatch(lines[at]):
        del lines[at:]


def _without_list_footer(lines: Sequence[str], notes: list[str]) -> Sequence[str]:
    """Return lines without what a mailing list has put below them, from a rule to the end."""
    for at in range(len(lines) - 1, max(-1, len(lines) - 1 - MOST_FOOTER), -1):
        if HEADER.fullmatch(lines[at]):
            return lines
        if _LIST_RULE.fullmatch(lines[at]) and any(map(_LIST.search, lines[at:])):
            notes.append(FOOTER)
            return lines[:at]
    return lines


def is_list_footer(text: str) -> bool:
    """Return True for a text that a mailing list adds as a part of its own."""
    lines = [line for line in text.split("\n", MOST_FOOTER + 1) if line.strip()]
    return 0 < len(lines) <= MOST_FOOTER and any(map(_LIST.search, lines)) and not has_header(lines)


ENCRYPTED = "The mail is encrypted and could not be read; send it as plain text."

_MARK = "-----BEGIN PGP "
_BEGIN = re.compile(r"-----BEGIN PGP ([A-Z ]{3,40}?)-----\s*+")
_FIELD = re.compile(r"(?:Hash|Charset|Comment|Version|NotDashEscaped):", re.IGNORECASE)
_END = re.compile(r"-----END PGP [A-Z ]{3,40}?-----\s*+")


def strip_pgp(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without signatures, keys and encrypted blocks, dashes unescaped, and notes on blocks lost."""
    if _MARK not in text:
        return text, ()
    notes: list[str] = []
    kept = list(_unwrap_pgp(text.split("\n"), notes))
    return "\n".join(kept), tuple(dict.fromkeys(notes))


def _unwrap_pgp(lines: list[str], notes: list[str]) -> Iterator[str]:
    signed = hidden = head = False
    for line in lines:
        if begin := _BEGIN.fullmatch(line):
            head = signed = begin[1] == "SIGNED MESSAGE"
            hidden = not signed
            if begin[1].startswith("MESSAGE"):
                notes.append(ENCRYPTED)
        elif hidden:
            hidden = not _END.fullmatch(line)
        elif head and (_FIELD.match(line) or not line.strip()):
            head = bool(line.strip())
        else:
            head = False
            yield line.removeprefix("- ") if signed else line


NARROWEST, WIDEST = 70, 80
"""Columns at which mail programs break lines."""

MOST_PIECES = 6
"""Pieces of a broken line that are joined at most."""

# A shorter line is only broken before a word of uncommon length.
_SHORTEST = 40

_MEND = "If so, put a \\ at its end, or send the sheet as a .txt file."
_NO_ORDER = re.compile(rf"{BEGINS_COMMENT.pattern}|\A\s*+(?:ORDERS\s|(?:END|WAIT|FINAL)\s*+\Z)", re.IGNORECASE)


def decode_flowed(text: str, *, delete_space: bool) -> str:
    """Return text of `format=flowed` without its soft line breaks (RFC 3676). Quoted lines stay as they are."""
    lines: list[list[str]] = []
    soft = False
    for raw in text.split("\n"):
        line = raw if raw.startswith(">") else raw.removeprefix(" ")
        if not soft or line.startswith(">") or line == "-- ":
            lines.append([])
        soft = line.endswith(" ") and line != "-- " and not line.startswith(">")
        lines[-1].append(line[:-1] if soft and delete_space else line)
    return "\n".join(map("".join, lines))


def collapse_spaces(text: str) -> str:
    """Replace each run of white space, line ends included, by one blank."""
    return " ".join(text.split())


def rejoin_lines(
    lines: Sequence[str], same_in_html: Callable[[], str | None] = lambda: None
) -> tuple[list[str], list[str]]:
    """Join lines that a mail program has certainly broken; return the lines, and notes on these and on doubtful ones.

    A break is certain if the same mail's HTML has the line in one piece, or if it
    stands inside quotation marks. Only lines too long for the next line's first
    word are considered.
    """
    breaks = frozenset(
        at for at, line in enumerate(lines[:-1]) if len(line) >= _SHORTEST and _may_continue(line, lines[at + 1])
    )
    if not breaks:
        return list(lines), []
    page = same_in_html()
    whole = None if page is None else set(map(without_bullet, page.split("\n")))
    mended: list[str] = []
    joined, doubtful = [], []
    at = 0
    starts = _first_words(lines, breaks)
    while at < len(lines):
        count = _count_pieces(lines, at, breaks, whole) if at in breaks else 1
        mended.append(" ".join(map(str.strip, lines[at : at + count])) if count > 1 else lines[at])
        if count > 1:
            joined.append(mended[-1])
        elif at in breaks and _is_doubtful(lines, at, whole, starts):
            doubtful.append(lines[at])
        at += count
    were = "were" if len(joined) > 1 else "was"
    notes = [*_note_on(joined, f"{were} joined again that your mail program had broken")]
    notes += [f"{note} {_MEND}" for note in _note_on(doubtful, "may have been broken by your mail program")]
    return mended, notes


def without_bullet(line: str) -> str:
    """Return a line with single blanks, and without the sign or number before an entry of a list."""
    # HTML has no numbers before the entries of a list: the program that shows it counts them.
    bullet = BULLET.match(line)
    return collapse_spaces(line[bullet.end() :] if bullet else line)


def _may_continue(line: str, following: str) -> bool:
    if len(line) > WIDEST or line.endswith("\\") or HEADER.fullmatch(line) or _NO_ORDER.match(following):
        return False
    word = following.split(None, 1)[:1]
    return bool(word) and len(line) + 1 + len(word[0]) > NARROWEST


def _first_words(lines: Sequence[str], breaks: Collection[int]) -> frozenset[str]:
    """Return the first words of lines that continue no other, in lower case: the verbs of this sheet."""
    return frozenset(
        bare.split(None, 1)[0].casefold()
        for at, line in enumerate(lines)
        if at - 1 not in breaks and (bare := without_bullet(line))
    )


def _count_pieces(lines: Sequence[str], at: int, breaks: Collection[int], whole: Collection[str] | None) -> int:
    """Return how many lines from here are certainly one line; 1 if it is not broken."""
    if whole is None:
        in_quotes = lines[at].count('"') % 2 and lines[at + 1].count('"') % 2
        return 2 if in_quotes and not _NO_ORDER.match(lines[at]) else 1
    if without_bullet(lines[at]) in whole:
        return 1
    for count in range(2, MOST_PIECES + 1):
        if at + count - 2 not in breaks:
            break
        if without_bullet(" ".join(lines[at : at + count])) in whole:
            return count
    return 1


def _is_doubtful(lines: Sequence[str], at: int, whole: Collection[str] | None, starts: Collection[str]) -> bool:
    """Return True if a line may be broken and that is worth a note; the rest of a broken comment is an error anyway."""
    if BEGINS_COMMENT.match(lines[at]) or (whole is not None and without_bullet(lines[at]) in whole):
        return False
    # An entry of a list begins a line of its own.
    return not BULLET.match(lines[at + 1]) and lines[at + 1].split(None, 1)[0].casefold() not in starts


def _note_on(lines: Sequence[str], said: str) -> Iterable[str]:
    """Yield a note on lines, if there are any: how many, what is said of them, and the first."""
    if lines:
        first = lines[0].strip()
        shown = first if len(first) <= 60 else f"{first[:59]}…"
        yield f"{len(lines)} {'lines' if len(lines) > 1 else 'line'} {said}: {shown!r}."
