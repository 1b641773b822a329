"""The texts in a mail's parts: its body, files that may hold orders, mails it forwards; and a word on all the rest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pbem.post.armour import ENCRYPTED, without_armour
from pbem.post.cleaning import changes, plain
from pbem.post.html_text import html_to_text
from pbem.post.mime import Entity, parameter, parse_entity
from pbem.post.wrapping import squeezed, unflow
from pbem.post.writing import LOOP_HEADER

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
"""Types of parts nobody expects to be read."""

_TOO_DEEP = "The mail has too many parts inside parts; not all were read."
_TOO_MANY = "The mail has too many parts; not all were read."
_FORWARD_UNREAD = "A mail inside the mail was not read."
_PACKED_SIGNATURE = (
    "The mail's text is packed inside its signature (S/MIME) and could not be read;"
    " send it as plain text, or sign it in the clear."
)
_WINMAIL = "The attached winmail.dat was not read: Outlook packs text and files into it. Send the mail as plain text."
_UNKNOWN_TYPE = "A part of the mail was not read: what it says of its type cannot be understood."
_CALENDAR = "The invitation in the mail (calendar) was not read."


@dataclass(frozen=True)
class Piece:
    """A text found in a mail: part of its body, a file of this name, or the body of a forwarded mail.

    `rich` is the HTML that says the same.
    """

    entity: Entity
    html: bool = False
    name: str = ""
    forwarded: bool = False
    rich: Entity | None = None

    @cached_property
    def _read(self) -> tuple[str, tuple[str, ...]]:
        text, notes = self.entity.text()
        return (html_to_text(text) if self.html else text), notes

    @cached_property
    def _bare(self) -> tuple[str, tuple[str, ...]]:
        text = plain(self._read[0])
        content_type = self.entity.first("content-type")
        if not self.html and parameter(content_type, "format").lower() == "flowed":
            text = unflow(text, delete_space=parameter(content_type, "delsp").lower() == "yes")
        return without_armour(text)

    @property
    def text(self) -> str:
        """The text in plain characters; it is not worked out before somebody asks."""
        return self._bare[0]

    def notes(self, kept: Collection[str]) -> list[str]:
        """What was wrong with the text, and what was changed in those lines of it that were kept."""
        return [*self._read[1], *self._bare[1], *changes(self._read[0], kept)]


@dataclass(frozen=True)
class Body:
    """Several pieces as one text."""

    pieces: Sequence[Piece]

    @cached_property
    def text(self) -> str:
        """The pieces one below the other."""
        return "\n".join(piece.text for piece in self.pieces) if len(self.pieces) != 1 else self.pieces[0].text

    @property
    def in_mail(self) -> bool:
        """Whether it is the mail's own text, and of no file or mail inside it."""
        return not any(piece.name or piece.forwarded for piece in self.pieces)

    @property
    def blank(self) -> bool:
        """Whether there is nothing to read in it."""
        return not self.text.strip()

    def notes(self, kept: Iterable[str]) -> list[str]:
        """The notes of all pieces."""
        lines = frozenset(map(str.strip, kept))
        return [note for piece in self.pieces for note in piece.notes(lines)]

    @property
    def same_in_html(self) -> Callable[[], str] | None:
        """Works out what the same mail says in HTML, where it does so; None if it does not."""
        rich = [piece.rich for piece in self.pieces if piece.rich is not None]
        if not rich:
            return None
        return lambda: "\n".join(Piece(entity, html=True).text for entity in rich)


class Walk:
    """One walk through a mail's parts, within bounds. `notes` tell what was passed over."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._left = MAX_PARTS

    def pieces(self, entity: Entity, depth: int = 0) -> list[Piece]:
        """All texts in a part, in order."""
        kind = entity.content_type
        if kind.startswith("multipart/"):
            return self._multipart(entity, kind, depth)
        if kind == "message/rfc822":
            return self._forwarded(entity, depth)
        return self._leaf(entity, kind, depth)

    def _multipart(self, entity: Entity, kind: str, depth: int) -> list[Piece]:
        if kind == "multipart/encrypted":
            self._note(ENCRYPTED)
            return []
        children = self._children(entity, depth)
        if not children and depth == 0:
            return [Piece(entity)]  # its boundary is missing or wrong; the whole body is better than nothing
        if kind == "multipart/signed":
            children = children[:1]  # the other is the signature (RFC 1847, 2.1)
        pieces = [piece for child in children for piece in self.pieces(child, depth + 1)]
        return _best(pieces) if kind == "multipart/alternative" else pieces

    def _children(self, entity: Entity, depth: int) -> list[Entity]:
        if depth >= MAX_DEPTH:
            self._note(_TOO_DEEP)
            return []
        children = list(itertools.islice(entity.children(), self._left + 1))
        if len(children) > self._left:
            self._note(_TOO_MANY)
            children.pop()
        self._left -= len(children)
        return children

    def _forwarded(self, entity: Entity, depth: int) -> list[Piece]:
        """The texts of a mail inside the mail; mail of this program's own holds forms, not orders."""
        inner = parse_entity(entity.content())
        if depth >= MAX_DEPTH or LOOP_HEADER.lower() in inner.fields:
            self._note(_TOO_DEEP if depth >= MAX_DEPTH else _FORWARD_UNREAD)
            return []
        found = [replace(piece, forwarded=True) for piece in self.pieces(inner, depth + 1)]
        return [piece for piece in found if not piece.name]

    def _leaf(self, entity: Entity, kind: str, depth: int) -> list[Piece]:
        name = " ".join(plain(entity.file_name).split())
        if depth and entity.mistyped:
            self._note(_UNKNOWN_TYPE)
            return []
        if (name.lower().endswith(_FILE_NAMES) and _may_be_text(kind)) or (kind == "text/plain" and entity.attached):
            return [Piece(entity, name=name or "file")]
        if kind in ("text/plain", "text/html") and not entity.attached:
            return [Piece(entity, html=kind == "text/html")]
        if kind not in TRIFLES:
            self._pass_over(entity, kind, name)
        return []

    def _pass_over(self, entity: Entity, kind: str, name: str) -> None:
        if kind in _PACKED:
            signed = parameter(entity.first("content-type"), "smime-type").lower() == "signed-data"
            self._note(_PACKED_SIGNATURE if signed else ENCRYPTED)
        elif kind == "application/ms-tnef" or name.lower() == "winmail.dat":
            self._note(_WINMAIL)
        elif kind == "text/calendar" or name.lower().endswith(".ics"):
            self._note(_CALENDAR)
        elif kind.startswith("message/"):
            self._note(_FORWARD_UNREAD)
        elif name and not entity.first("content-id"):  # else it is a picture that the HTML shows, such as a logo
            self._note(f"The attached {name!r} was not read; orders stand in the mail itself or in a .txt file.")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _may_be_text(kind: str) -> bool:
    """Whether a file may be text although its type does not say so: programs that do not know one write others."""
    return not kind.startswith(_NEVER_TEXT)


def _best(pieces: list[Piece]) -> list[Piece]:
    """Of alternatives the plain text, with the HTML as its witness, if there is any; or the HTML if that is all."""
    html = [piece for piece in pieces if piece.html and not piece.name]
    plain_ones = [piece for piece in pieces if not piece.html and not piece.name]
    files = [piece for piece in pieces if piece.name]
    if not html:
        return [*_unlike(plain_ones), *files]
    written = [piece for piece in plain_ones if piece.text.strip() and not _is_stub(piece.text)]
    if not written:
        return [*html, *files]
    first, *others = written
    return [replace(first, rich=html[0].entity), *others, *files]


def _unlike(pieces: list[Piece]) -> list[Piece]:
    """Pieces without those that say what one before them does."""
    return list({squeezed(piece.text): piece for piece in reversed(pieces)}.values())[::-1]


def _is_stub(text: str) -> bool:
    """Whether a plain text only says that the mail is in HTML."""
    return len(text) <= _LONGEST_STUB and "\n" not in text.strip() and _STUB.search(text) is not None
