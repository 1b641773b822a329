"""From a mail's bytes to a letter: who writes, what it answers, and the text its writer typed.

Reading is total: any bytes make a letter, in time and memory bounded by their
number, which `MAX_MAIL` bounds in turn.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pbem.post.addresses import all_addresses, one_address
from pbem.post.cleaning import MAX_TEXT, has_header, own_lines, plain, unflow
from pbem.post.html_text import html_to_text
from pbem.post.incoming import CUT_HEADER, MAX_MAIL
from pbem.post.mime import Entity, decode_words, parameter, parse_entity
from pbem.post.writing import LOOP_HEADER

MAX_PARTS = 100
MAX_DEPTH = 20
MAX_RECIPIENTS = 100
MAX_REFERENCES = 50
MAX_SUBJECT = 500
MAX_RECEIVED = 30
"""Stations of a mail; more are a loop (RFC 5321, 6.3)."""

_RECIPIENT_FIELDS = ("to", "cc", "delivered-to", "x-original-to", "envelope-to")
_ID = re.compile(r"<[^<>\s]{1,198}>")
_ROBOT = re.compile(
    r"(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|autoreply)(?:[+-].*)?@.*", re.IGNORECASE
)
_FOOTER_NAME = re.compile(r"ATT\d+\.txt", re.IGNORECASE)
"""How Exchange names the disclaimers and list footers that it attaches."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as the desk needs it. Message-IDs have their angle brackets.

    `sender` is None unless there is exactly one, well-formed. `references` are
    the mails this one answers, the nearest first. `automatic` says why the
    mail must not be answered (RFC 3834), "" if a person wrote it. `notes` are
    sentences on what was left out of the text.
    """

    sender: str | None
    recipients: tuple[str, ...]
    subject: str
    message_id: str
    references: tuple[str, ...]
    automatic: str
    text: str
    notes: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self.text.split("\n") if self.text else []


@dataclass(frozen=True)
class _Piece:
    """A text found in a mail: part of its body, or a file of this name."""

    entity: Entity
    html: bool
    name: str = ""

    @cached_property
    def text(self) -> str:
        """The text in plain characters; it is not worked out before somebody asks."""
        text = plain(self.entity.text())
        if self.html:
            return plain(html_to_text(text))
        content_type = self.entity.first("content-type")
        if parameter(content_type, "format").lower() == "flowed":
            return unflow(text, delete_space=parameter(content_type, "delsp").lower() == "yes")
        return text


def read_letter(raw: bytes) -> Letter:
    """The letter of a mail's bytes. Never raises."""
    entity = parse_entity(_without_envelope(raw[:MAX_MAIL]))
    sender = _sender(entity)
    text, notes = _text(entity)
    ids = _ID.findall(entity.first("message-id"))
    return Letter(
        sender=sender,
        recipients=_recipients(entity),
        subject=_subject(entity),
        message_id=ids[0] if ids else "",
        references=_references(entity),
        automatic=_automatic(entity, sender),
        text=text,
        notes=(*_cut_note(entity, len(raw)), *notes),
    )


def _without_envelope(raw: bytes) -> bytes:
    """A mail saved from an mbox file begins with a line that is none of its own."""
    if b"\n" not in raw:
        raw = raw.replace(b"\r", b"\n")
    return raw[raw.find(b"\n") + 1 :] if raw.startswith((b"From ", b">From ")) else raw


def _sender(entity: Entity) -> str | None:
    fields = entity.fields.get("from", [])
    return one_address(fields[0]) if len(fields) == 1 else None


def _recipients(entity: Entity) -> tuple[str, ...]:
    fields = [field for name in _RECIPIENT_FIELDS for field in entity.fields.get(name, ())[:MAX_RECIPIENTS]]
    return tuple(dict.fromkeys(address for field in fields for address in all_addresses(field)))[:MAX_RECIPIENTS]


def _subject(entity: Entity) -> str:
    subject = " ".join(plain(decode_words(entity.first("subject"))).split())
    return subject[:MAX_SUBJECT]


def _references(entity: Entity) -> tuple[str, ...]:
    newest_first = _ID.findall(entity.first("in-reply-to")) + _ID.findall(entity.first("references"))[::-1]
    return tuple(dict.fromkeys(newest_first))[:MAX_REFERENCES]


def _cut_note(entity: Entity, size: int) -> Iterable[str]:
    said = entity.first(CUT_HEADER.lower())
    if said or size > MAX_MAIL:
        yield "The mail is too big; only its beginning was read."


_SIGNS: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE), reason)
    for name, pattern, reason in (
        (LOOP_HEADER.lower(), r".*", "this program wrote it"),
        ("content-type", r"multipart/report\b.*", "it is a delivery report"),
        ("return-path", r"<\s*>", "it is a delivery report"),
        ("auto-submitted", r"(?!no\b).*", "a program sent it (Auto-Submitted)"),
        ("precedence", r"bulk|junk|list|auto_reply", "it is bulk mail (Precedence)"),
        ("x-autoreply", r"(?!no\b).*", "it is an automatic answer"),
        ("x-autorespond", r"(?!no\b).*", "it is an automatic answer"),
        ("x-auto-response-suppress", r".*\b(?:all|autoreply)\b.*", "it asks for no automatic answer"),
    )
)
"""Fields by which programs show themselves, and the values they do it with."""


def _automatic(entity: Entity, sender: str | None) -> str:
    """Why a mail must not be answered; the first reason of RFC 3834 and of what programs do in practice."""
    for name, sign, reason in _SIGNS:
        if any(map(sign.fullmatch, entity.fields.get(name, ()))):
            return reason
    if any(name.startswith("list-") for name in entity.fields):
        return "it came through a mailing list"
    if len(entity.fields.get("received", ())) > MAX_RECEIVED:
        return "it went round in a loop"
    if sender and _ROBOT.fullmatch(sender):
        return "its sender is a program"
    return ""


def _text(entity: Entity) -> tuple[str, list[str]]:
    walk = _Walk()
    pieces = walk.pieces(entity)
    text, chosen = _choose(pieces)
    lines, left_out = own_lines(text[:MAX_TEXT].split("\n"))
    if len(text) > MAX_TEXT:
        left_out.append("The text is too long; only its beginning was read.")
    return "\n".join(lines).strip("\n"), [*walk.notes, *chosen, *left_out]


def _choose(pieces: list[_Piece]) -> tuple[str, list[str]]:
    """The text that holds the orders: attached files before the body, if they begin a sheet or the body does not."""
    body = _body(pieces)
    files = [(piece.name, piece.text) for piece in pieces if piece.name and piece.text.strip()]
    sheets = [(name, text) for name, text in files if has_header(text)]
    if not sheets and not has_header(body):
        sheets = [(name, text) for name, text in files if not _FOOTER_NAME.fullmatch(name)]
    if not sheets:
        return body, []
    names = ", ".join(name for name, _ in sheets)
    note = [f"The orders were read from the attached {names}, not from the mail's text."] if body.strip() else []
    return "\n".join(text for _, text in sheets), note


def _body(pieces: list[_Piece]) -> str:
    """The mail's own text; HTML is only looked at where there is no other."""
    for html in (False, True):
        texts = [piece.text for piece in pieces if not piece.name and piece.html is html and piece.text.strip()]
        if texts:
            return "\n".join(texts)
    return ""


class _Walk:
    """One walk through a mail's parts, within bounds."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._left = MAX_PARTS

    def pieces(self, entity: Entity, depth: int = 0) -> list[_Piece]:
        """All texts in a part, in order."""
        kind = entity.content_type
        if kind.startswith("multipart/"):
            return self._multipart(entity, kind, depth)
        return self._leaf(entity, kind)

    def _multipart(self, entity: Entity, kind: str, depth: int) -> list[_Piece]:
        if kind == "multipart/encrypted":
            self._note("The mail is encrypted and could not be read; send it as plain text.")
            return []
        children = self._children(entity, depth)
        if not children and depth == 0:
            return [_Piece(entity, html=False)]
        if kind == "multipart/signed":
            children = children[:1]
        pieces = [piece for child in children for piece in self.pieces(child, depth + 1)]
        if kind == "multipart/alternative" and any(_is_plain_body(piece) for piece in pieces):
            return [piece for piece in pieces if piece.name or not piece.html]
        return pieces

    def _children(self, entity: Entity, depth: int) -> list[Entity]:
        if depth >= MAX_DEPTH:
            self._note("The mail has too many parts inside parts; not all were read.")
            return []
        children = list(itertools.islice(entity.children(), self._left + 1))
        if len(children) > self._left:
            self._note("The mail has too many parts; not all were read.")
            children.pop()
        self._left -= len(children)
        return children

    def _leaf(self, entity: Entity, kind: str) -> list[_Piece]:
        name = " ".join(plain(entity.file_name).split())
        if name.lower().endswith(".txt") or (kind == "text/plain" and entity.attached):
            return [_Piece(entity, html=False, name=name or "file")]
        if kind in ("text/plain", "text/html") and not entity.attached:
            return [_Piece(entity, html=kind == "text/html")]
        if kind.startswith("message/"):
            self._note("A mail inside the mail was not read.")
        elif kind in ("application/pkcs7-mime", "application/x-pkcs7-mime"):
            self._note("The mail is encrypted and could not be read; send it as plain text.")
        elif name and not entity.first("content-id"):
            self._note(f"The attached {name!r} was not read; orders stand in the mail itself or in a .txt file.")
        return []

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _is_plain_body(piece: _Piece) -> bool:
    return not piece.name and not piece.html and bool(piece.text.strip())
