"""Select and decode the text of a mail: parts, flowed lines, and inline PGP (RFC 9580, 6 and 7)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pbem.mail.compose import LOOP_HEADER
from pbem.mail.mime import Part, parameter, parse_entity
from pbem.mail.reply_parser import HEADER, describe_normalisation, normalise_text
from pbem.ruleset.tokenizer import BEGINS_COMMENT, BULLET

if TYPE_CHECKING:
    from pbem.mail.html_text import HtmlText

# What occurs in each page with text that is struck out.
_MAY_STRIKE = re.compile(r"<(?:s|strike|del)[\s>]|line-through", re.IGNORECASE)

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


def rejoin_lines(lines: Sequence[str], same_in_html: Callable[[], str] | None) -> tuple[list[str], list[str]]:
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
    whole = None if same_in_html is None else set(map(_without_bullet, same_in_html().split("\n")))
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


def _without_bullet(line: str) -> str:
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
        if at - 1 not in breaks and (bare := _without_bullet(line))
    )


def _count_pieces(lines: Sequence[str], at: int, breaks: Collection[int], whole: Collection[str] | None) -> int:
    """Return how many lines from here are certainly one line; 1 if it is not broken."""
    if whole is None:
        in_quotes = lines[at].count('"') % 2 and lines[at + 1].count('"') % 2
        return 2 if in_quotes and not _NO_ORDER.match(lines[at]) else 1
    if _without_bullet(lines[at]) in whole:
        return 1
    for count in range(2, MOST_PIECES + 1):
        if at + count - 2 not in breaks:
            break
        if _without_bullet(" ".join(lines[at : at + count])) in whole:
            return count
    return 1


def _is_doubtful(lines: Sequence[str], at: int, whole: Collection[str] | None, starts: Collection[str]) -> bool:
    """Return True if a line may be broken and that is worth a note; the rest of a broken comment is an error anyway."""
    if BEGINS_COMMENT.match(lines[at]) or (whole is not None and _without_bullet(lines[at]) in whole):
        return False
    # An entry of a list begins a line of its own.
    return not BULLET.match(lines[at + 1]) and lines[at + 1].split(None, 1)[0].casefold() not in starts


def _note_on(lines: Sequence[str], said: str) -> Iterable[str]:
    """Yield a note on lines, if there are any: how many, what is said of them, and the first."""
    if lines:
        yield f"{len(lines)} {'lines' if len(lines) > 1 else 'line'} {said}: {_quote_line(lines[0])}"


def _quote_line(line: str) -> str:
    line = line.strip()
    return repr(line if len(line) <= 60 else line[:59] + "…") + "."


MAX_PARTS = 100
MAX_DEPTH = 20

_STUB = re.compile(r"\bHTML\b", re.IGNORECASE)
_LONGEST_STUB = 300

_FILE_NAMES = (".txt", ".text", ".ord")
_NEVER_TEXT = ("image/", "audio/", "video/", "font/", "application/pdf", "application/zip", "application/msword")
_PACKED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
TRIFLES = frozenset(
    {
        *("application/pgp-signature", "application/pgp-keys", "application/pkcs7-signature"),
        *("application/x-pkcs7-signature", "text/vcard", "text/x-vcard", "text/directory", "text/x-amp-html"),
        *("text/watch-html", "message/delivery-status", "message/disposition-notification", "text/rfc822-headers"),
    }
)
"""Types of parts that are skipped without a note."""

_TOO_DEEP = "The mail has too many parts inside parts; not all were read."
_TOO_MANY = "The mail has too many parts; not all were read."
_FORWARD_UNREAD = "A mail inside the mail was not read."
_PACKED_SIGNATURE = (
    "The mail's text is packed inside its signature (S/MIME) and could not be read;"
    " send it as plain text, or sign it in the clear."
)
_WINMAIL = "The attached winmail.dat was not read: Outlook packs text and files into it. Send the mail as plain text."
_UNKNOWN_TYPE = "A part of the mail was not read: what it says of its type cannot be understood."
_LONGEST_NAME = 60
CALENDAR_UNREAD = "The invitation in the mail (calendar) was not read."


@dataclass(frozen=True)
class TextPart:
    """Text found in a mail: part of its body, a file of this name, or the body of a forwarded mail.

    `rich` is the HTML part that says the same.
    """

    entity: Part
    html: bool = False
    name: str = ""
    forwarded: bool = False
    rich: Part | None = None

    @cached_property
    def _read(self) -> tuple[str, tuple[str, ...]]:
        text, notes = self.entity.text()
        if not self.html:
            return text, notes
        page = _read_html(text)
        return page.text, (*notes, *_struck_note(page.struck))

    @cached_property
    def _plain(self) -> tuple[str, tuple[str, ...]]:
        text = normalise_text(self._read[0])
        content_type = self.entity.first("content-type")
        if not self.html and parameter(content_type, "format").lower() == "flowed":
            text = decode_flowed(text, delete_space=parameter(content_type, "delsp").lower() == "yes")
        text, notes = strip_pgp(text)
        if self.rich is None or not _MAY_STRIKE.search(markup := self.rich.text()[0]):
            return text, notes
        text, struck = _without_struck(text, _read_html(markup))
        return text, (*notes, *_struck_note(struck))

    @property
    def text(self) -> str:
        """The text in plain characters, decoded on first use."""
        return self._plain[0]

    def notes(self, kept: Collection[str]) -> list[str]:
        """Return notes on faults of the text, and on changes in those of its lines that were kept."""
        return [*self._read[1], *self._plain[1], *describe_normalisation(self._read[0], kept)]


def _read_html(markup: str) -> HtmlText:
    from pbem.mail.html_text import read_html  # most mail is read by its plain text

    return read_html(markup)


def _without_struck(text: str, page: HtmlText) -> tuple[str, list[str]]:
    """Return plain text without what the same mail's HTML has struck out, and the lines that had such text.

    Programs leave the words in their plain text, without a mark: only the HTML is what the sender saw.
    """
    shown = set(page.text.split("\n"))
    struck = {_plain_key(whole): (whole, left) for whole, left in page.struck.items() if whole not in shown}
    lines, kept, found, at = text.split("\n"), list[str](), list[str](), 0
    while at < len(lines):
        keys = ((size, _plain_key(" ".join(lines[at : at + size]))) for size in range(1, MOST_PIECES + 1))
        size, key = next(((size, key) for size, key in keys if key in struck), (1, ""))
        kept.append(struck[key][1] if key else lines[at])
        found += [struck[key][0]] if key else []
        at += size
    return "\n".join(kept), found


def _plain_key(line: str) -> str:
    # Some programs put a dash or "~" around it.
    return _without_bullet(normalise_text(line)).strip(" -~")


def _struck_note(lines: Iterable[str]) -> Iterable[str]:
    named = ", ".join(f'"{line[:_LONGEST_NAME]}"' for line in lines if not line.startswith(">"))
    if named:
        yield f"Text that is struck out does not count: {named}. To give it, write it anew, without a line through it."


@dataclass(frozen=True)
class MessageBody:
    """Several pieces as one text."""

    pieces: Sequence[TextPart]

    @cached_property
    def text(self) -> str:
        """The pieces, one below the other."""
        return "\n".join(piece.text for piece in self.pieces) if len(self.pieces) != 1 else self.pieces[0].text

    @property
    def in_mail(self) -> bool:
        """True if this is the mail's own text, not that of a file or of a mail inside it."""
        return not any(piece.name or piece.forwarded for piece in self.pieces)

    @property
    def blank(self) -> bool:
        """True if there is no text to read."""
        return not self.text.strip()

    def notes(self, kept: Iterable[str]) -> list[str]:
        """Return the notes of all pieces."""
        lines = frozenset(map(str.strip, kept))
        return [note for piece in self.pieces for note in piece.notes(lines)]

    @property
    def same_in_html(self) -> Callable[[], str] | None:
        """Function that decodes the same text from the mail's HTML; None if it has none."""
        rich = [piece.rich for piece in self.pieces if piece.rich is not None]
        if not rich:
            return None
        return lambda: "\n".join(TextPart(entity, html=True).text for entity in rich)


def walk_leaves(entity: Part, *, most: int = MAX_PARTS, deepest: int = MAX_DEPTH) -> Iterator[Part]:
    """Yield the parts of a mail that are no multiparts, but none of encrypted ones, and no signatures."""
    kind = entity.content_type
    if not kind.startswith("multipart/"):
        yield entity
    elif deepest > 0 and kind != "multipart/encrypted":
        for part in itertools.islice(entity.children(), 1 if kind == "multipart/signed" else most):
            yield from walk_leaves(part, most=most, deepest=deepest - 1)


class PartWalker:
    """One walk through a mail's parts, within limits. `notes` say which parts were not read."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._left = MAX_PARTS

    def pieces(self, entity: Part, depth: int = 0) -> list[TextPart]:
        """Return all texts in a part, in order."""
        kind = entity.content_type
        if kind.startswith("multipart/"):
            return self._multipart(entity, kind, depth)
        if kind == "message/rfc822":
            return self._forwarded(entity, depth)
        return self._leaf(entity, kind, depth)

    def _multipart(self, entity: Part, kind: str, depth: int) -> list[TextPart]:
        if kind == "multipart/encrypted":
            self._note(ENCRYPTED)
            return []
        children = self._children(entity, depth)
        if not children and depth == 0:
            return [TextPart(entity)]  # its boundary is missing or wrong; the whole body is better than nothing
        if kind == "multipart/signed":
            children = children[:1]  # the other is the signature (RFC 1847, 2.1)
        pieces = [piece for child in children for piece in self.pieces(child, depth + 1)]
        return _choose_alternative(pieces) if kind == "multipart/alternative" else pieces

    def _children(self, entity: Part, depth: int) -> list[Part]:
        if depth >= MAX_DEPTH:
            self._note(_TOO_DEEP)
            return []
        children = list(itertools.islice(entity.children(), self._left + 1))  # one more shows that there are too many
        if len(children) > self._left:
            self._note(_TOO_MANY)
            children.pop()
        self._left -= len(children)
        return children

    def _forwarded(self, entity: Part, depth: int) -> list[TextPart]:
        """Return the texts of a mail inside the mail, but none of our own mail: it holds forms, not orders."""
        inner = parse_entity(entity.content())
        if depth >= MAX_DEPTH or LOOP_HEADER.lower() in inner.fields:
            self._note(_TOO_DEEP if depth >= MAX_DEPTH else _FORWARD_UNREAD)
            return []
        found = [replace(piece, forwarded=True) for piece in self.pieces(inner, depth + 1)]
        return [piece for piece in found if not piece.name]

    def _leaf(self, entity: Part, kind: str, depth: int) -> list[TextPart]:
        name = " ".join(normalise_text(entity.file_name).split())
        if depth and entity.mistyped:
            self._note(_UNKNOWN_TYPE)
            return []
        # Programs that do not know the type of a text file give it any other.
        is_text_file = name.lower().endswith(_FILE_NAMES) and not kind.startswith(_NEVER_TEXT)
        if is_text_file or (kind == "text/plain" and entity.attached):
            return [TextPart(entity, name=name or "file")]
        if kind in ("text/plain", "text/html") and not entity.attached:
            return [TextPart(entity, html=kind == "text/html")]
        if kind not in TRIFLES:
            self._pass_over(entity, kind, name)
        return []

    def _pass_over(self, entity: Part, kind: str, name: str) -> None:
        if kind in _PACKED:
            signed = parameter(entity.first("content-type"), "smime-type").lower() == "signed-data"
            self._note(_PACKED_SIGNATURE if signed else ENCRYPTED)
        elif kind == "application/ms-tnef" or name.lower() == "winmail.dat":
            self._note(_WINMAIL)
        elif kind == "text/calendar" or name.lower().endswith(".ics"):
            self._note(CALENDAR_UNREAD)
        elif kind.startswith("message/"):
            self._note(_FORWARD_UNREAD)
        # A picture with an id is one that the HTML shows, such as a logo; Apple Mail gives ids to all files.
        elif name and not (kind.startswith("image/") and entity.first("content-id")):
            self._note(
                f"The attached {name[:_LONGEST_NAME]} was not read: please write the orders into the mail itself."
            )

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _choose_alternative(pieces: list[TextPart]) -> list[TextPart]:
    """Return the plain text of alternatives, with the HTML to compare it with; the HTML if there is no plain text."""
    html = [piece for piece in pieces if piece.html and not piece.name]
    plain_ones = [piece for piece in pieces if not piece.html and not piece.name]
    files = [piece for piece in pieces if piece.name]
    if not html:
        return [*_without_doubles(plain_ones), *files]
    written = [piece for piece in plain_ones if piece.text.strip() and not _is_stub(piece.text)]
    if not written:
        return [*html, *files]
    first, *others = written
    return [replace(first, rich=html[0].entity), *others, *files]


def _without_doubles(pieces: list[TextPart]) -> list[TextPart]:
    """Return the pieces without those that repeat an earlier one."""
    return list({collapse_spaces(piece.text): piece for piece in reversed(pieces)}.values())[::-1]


def _is_stub(text: str) -> bool:
    """Return True if a plain text only says that the mail is in HTML."""
    return len(text) <= _LONGEST_STUB and "\n" not in text.strip() and _STUB.search(text) is not None
