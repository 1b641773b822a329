"""Parse the bytes of a mail into a message: sender, references, reply codes and typed text.

Parsing is total: any bytes make a message, in time and memory bounded by their
number, which `MAX_MAIL` bounds in turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple
from unicodedata import normalize

from pbem.mail.body import (
    MAX_PARTS,
    TRIFLES,
    MessageBody,
    PartWalker,
    TextPart,
    collapse_spaces,
    rejoin_lines,
    walk_leaves,
)
from pbem.mail.headers import MAX_HEAD, MESSAGE_ID, REPLY_CODE, SUBJECT_TAG, find_addresses, parse_address
from pbem.mail.machines import Kind, Sign, classify, classify_text
from pbem.mail.mailbox import CUT_HEADER, MAX_MAIL, is_read_whole
from pbem.mail.mime import Part, decode_words, parse_entity, without_envelope
from pbem.mail.reply_parser import (
    FOOTER,
    LEFT_OUT,
    MAX_LINES,
    MAX_TEXT,
    SENT_BACK,
    has_content,
    has_header,
    is_list_footer,
    normalise_text,
    sender_lines,
)

MAX_RECIPIENTS = 100
MAX_REFERENCES = 50
MAX_SUBJECT = 500
MAX_NOTES = 20

# The last three are added by receiving servers: sometimes only they have the address with the code.
_RECIPIENT_FIELDS = ("to", "cc", "delivered-to", "x-original-to", "envelope-to")

_CUT = "The mail is too big; only its beginning was read."

FOOTER_NAME = re.compile(r"ATT\d+\.txt", re.IGNORECASE)
"""The names of disclaimers and list footers that Exchange attaches."""


@dataclass(frozen=True, slots=True)
class AttachedText:
    """Text of attached files in which no sheet begins; `names` as notes mention them."""

    names: str
    text: str

    @property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self.text.split("\n") if self.text else []


@dataclass(frozen=True, slots=True)
class MessageText:
    """Text in which the sender's lines were found, before anything was left out, and notes on how it was found."""

    body: MessageBody
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """Mail as the inbox needs it. Message-IDs have their angle brackets.

    `sender` is None unless there is exactly one, well-formed. `references` are
    the mails this one answers, the nearest first. `machine` says which kind of
    program wrote the mail, if any did, which then is not answered (RFC 3834). `notes` are
    sentences on what was left out of the text. `filed` are attached files that
    may hold the orders, if the text holds none. `quotes_ours` is True if it was found
    to quote a mail of ours without marks. `source` is the text before anything was
    left out of it. `sender_name` is the display name of the From field, which proves
    nothing.
    """

    sender: str | None
    recipients: tuple[str, ...]
    subject: str
    message_id: str
    references: tuple[str, ...]
    machine: Sign
    text: str
    notes: tuple[str, ...]
    filed: AttachedText | None = None
    quotes_ours: bool = False
    source: MessageText | None = field(default=None, compare=False, repr=False)
    sender_name: str = field(default="", compare=False)

    @property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self.text.split("\n") if self.text else []

    @property
    def written_by_program(self) -> bool:
        """True if no person wrote the mail, so that it is not answered (RFC 3834)."""
        return self.machine.kind not in (Kind.PERSON, Kind.BULK)

    @property
    def source_lines(self) -> list[str]:
        """All lines of the text in which the sender's own were found."""
        return _lines(self.source.body) if self.source else []

    @property
    def same_in_html(self) -> str:
        """The same text as in the mail's HTML, "" if it has none."""
        rich = self.source.body.same_in_html if self.source else None
        return rich() if rich else ""

    @property
    def left_out(self) -> bool:
        """True if an earlier mail was left out whole, from where it begins to the end."""
        return any(note.startswith(LEFT_OUT) for note in self.notes)

    @property
    def sent_back(self) -> bool:
        """True if the text is a sheet found in an earlier mail, with nothing written above that."""
        return any(note.startswith(SENT_BACK) for note in self.notes)


UNREADABLE = Message(
    sender=None, recipients=(), subject="", message_id="", references=(), machine=Sign(), text="", notes=()
)
"""Stands for a message that cannot be read."""


def parse_message(raw: bytes) -> Message:
    """Return the message in a mail's bytes. Never raises."""
    whole = is_read_whole(raw, len(raw))
    entity = parse_entity(without_envelope(raw if whole else raw[:MAX_MAIL]))
    letter = _message_of(entity)
    body, chosen, filed = _find_text(entity, letter)
    cut = not whole or entity.first(CUT_HEADER.lower())
    source = MessageText(body, (_CUT, *chosen) if cut else chosen)
    text, notes = _read_text(source, _lines(body), letter)
    machine = letter.machine if letter.machine.kind else classify_text(letter.subject, text)
    return replace(letter, machine=machine, text=text, notes=notes, source=source, filed=filed)


def reparse(letter: Message, lines: list[str]) -> Message:
    """Return the message read from these lines in place of its source's, such as the same with more lines quoted."""
    if letter.source is None:
        return letter
    text, notes = _read_text(letter.source, lines, letter)
    return replace(letter, text=text, notes=notes)


def _read_text(source: MessageText, lines: list[str], letter: Message) -> tuple[str, tuple[str, ...]]:
    text, notes = _extract_typed(source.body, lines, letter)
    return text, tuple(dict.fromkeys([*source.notes, *notes]))[:MAX_NOTES]


def parse_headers(raw: bytes) -> Message:
    """Return the message in a mail's bytes without its text, which is fast for any size. Never raises."""
    return _message_of(parse_entity(without_envelope(raw[:MAX_HEAD])))


def _message_of(entity: Part) -> Message:
    # Of two From fields programs show one or the other, and servers vouch for either: such mail has no sender.
    senders = entity.fields.get("from", [])
    sender = parse_address(senders[0]) if len(senders) == 1 and not entity.cut else None
    subject = " ".join(normalise_text(decode_words(entity.first("subject"))).split())[:MAX_SUBJECT]
    ids = MESSAGE_ID.findall(entity.first("message-id"))
    return Message(
        sender=sender,
        recipients=_recipients(entity),
        subject=subject,
        message_id=ids[0] if ids else "",
        references=_references(entity),
        machine=classify(entity, sender, subject),
        text="",
        notes=(),
        sender_name=_display_name(senders[0]) if sender else "",
    )


_LONGEST_NAME = 200


def _display_name(field: str) -> str:
    """Return what a From field has besides the address."""
    return " ".join(decode_words(field[:_LONGEST_NAME]).rpartition("<")[0].replace('"', " ").split())


def _recipients(entity: Part) -> tuple[str, ...]:
    fields = [field for name in _RECIPIENT_FIELDS for field in entity.fields.get(name, ())[:MAX_RECIPIENTS]]
    return tuple(dict.fromkeys(address for field in fields for address in find_addresses(field)))[:MAX_RECIPIENTS]


def _references(entity: Part) -> tuple[str, ...]:
    replied, older = (MESSAGE_ID.findall(entity.first(name)) for name in ("in-reply-to", "references"))
    newest_first = replied + older[::-1]
    return tuple(dict.fromkeys(newest_first))[:MAX_REFERENCES]


def _find_text(entity: Part, letter: Message) -> tuple[MessageBody, tuple[str, ...], AttachedText | None]:
    """Return the text of a mail that may hold orders, notes on it, and files that may hold the orders instead."""
    walk = PartWalker()
    pieces = walk.pieces(entity)
    body, chosen = _choose_body(pieces)
    files = _files_without_sheet(pieces) if body.in_mail and not _is_sheet(body) else []
    loose, filed = MessageBody(files), None
    if files and not _extract_typed(body, _lines(body), letter)[0].strip():
        body, chosen = loose, []
    elif files:
        filed = AttachedText(_join_names(files), _extract_typed(loose, _lines(loose), letter)[0])
    return body, (*walk.notes, *chosen), filed


def _lines(body: MessageBody) -> list[str]:
    return body.text[:MAX_TEXT].split("\n", MAX_LINES)[:MAX_LINES]


def _extract_typed(body: MessageBody, lines: list[str], letter: Message) -> tuple[str, list[str]]:
    """Return what the sender typed among the lines of a text, and notes on the rest."""
    lines, left_out = sender_lines(lines, sender=letter.sender, ours=letter.recipients)
    if len(body.text) > MAX_TEXT or body.text.count("\n") >= MAX_LINES:
        left_out.append("The text is too long; only its beginning was read.")
    lines, mended = rejoin_lines(lines, body.same_in_html)
    return "\n".join(lines).strip("\n"), [*body.notes(lines), *left_out, *mended]


def _choose_body(pieces: list[TextPart]) -> tuple[MessageBody, list[str]]:
    """Return the text that holds the orders, and notes: attached files before the body, if they hold a sheet.

    A mail that is forwarded as an attachment counts when the body is blank, or
    has no sheet and the forwarded mail has one.
    """
    written = [piece for piece in pieces if not piece.name and not piece.forwarded]
    body = _join_written(written)
    files = [piece for piece in pieces if piece.name and piece.text.strip()]
    forwarded = [piece for piece in pieces if piece.forwarded and piece.text.strip()]
    # Beside other text a sheet counts only if it is filled in.
    sheets = [piece for piece in files if _is_sheet(piece) and (body.blank or has_content(piece.text.split("\n")))]
    if sheets:
        return MessageBody(sheets), [] if body.blank else [read_from(_join_names(sheets))]
    passed_over = [
        f"The attached {piece.name} was not read: there is no sheet in it that is filled in."
        for piece in files
        if not FOOTER_NAME.fullmatch(piece.name) and (_is_sheet(body) or _is_sheet(piece))
    ]
    if any(is_list_footer(piece.text) for piece in written[1:]):
        passed_over.append(FOOTER)
    if not forwarded:
        return body, passed_over
    if body.blank or (not _is_sheet(body) and any(has_content(piece.text.split("\n")) for piece in forwarded)):
        return MessageBody(forwarded), ["The orders were read from the forwarded mail."]
    return body, [*passed_over, "A mail inside the mail was not read."]


def read_from(names: str) -> str:
    """Return the note that the orders were found in files of these names, beside other text in the mail."""
    return f"The orders were read from the attached {names}, not from the mail's text."


def _join_names(pieces: list[TextPart]) -> str:
    return ", ".join(piece.name for piece in pieces)


def _files_without_sheet(pieces: list[TextPart]) -> list[TextPart]:
    """Return the files that may hold orders without an ORDERS line."""
    files = [piece for piece in pieces if piece.name and piece.text.strip()]
    return [piece for piece in files if not (FOOTER_NAME.fullmatch(piece.name) or _is_sheet(piece))]


def _is_sheet(piece: TextPart | MessageBody) -> bool:
    return has_header(piece.text.split("\n"))


def _without_list_footer(pieces: list[TextPart]) -> list[TextPart]:
    """Return the pieces with text, without the footers that a mailing list has put behind the first."""
    written = [piece for piece in pieces if piece.text.strip()]
    return [piece for at, piece in enumerate(written) if at == 0 or not is_list_footer(piece.text)]


def _join_written(pieces: list[TextPart]) -> MessageBody:
    """Return the mail's own text; HTML beside plain text is included only where it says something else."""
    written = _without_list_footer(pieces)
    if len(written) < 2:
        return MessageBody(written or pieces)
    said = "".join(collapse_spaces(piece.text) for piece in written if not piece.html)
    return MessageBody([piece for piece in written if not piece.html or collapse_spaces(piece.text) not in said])


_WORD = re.compile(REPLY_CODE)


def find_reply_codes(letter: Message, address: str) -> list[str]:
    """Return all that looks like a reply code in a message, without doubles: recipients first, then the subject."""
    found = [code for recipient in letter.recipients if (code := _plus_code(recipient.lower(), address.lower()))]
    found += [code.lower() for code in SUBJECT_TAG.findall(letter.subject)]
    return list(dict.fromkeys(found))


def _plus_code(recipient: str, address: str) -> str:
    """Return the code in a plus address of ours, "" if there is none."""
    local, _, domain = recipient.rpartition("@")
    before, _, code = local.rpartition("+")
    return code if f"{before}@{domain}" == address and _WORD.fullmatch(code) else ""


# Endings of names for files without one.
_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/svg+xml": ".svg", "application/pdf": ".pdf"}


class AttachedFile(NamedTuple):
    """File of a mail; `inline` ones are shown in its text, such as pasted pictures and logos."""

    name: str
    content: bytes
    inline: bool


def list_attachments(raw: bytes) -> list[AttachedFile]:
    """Return the files of a mail, in order, without mails inside it, signatures and footers. Never raises."""
    entity = parse_entity(without_envelope(raw if is_read_whole(raw, len(raw)) else raw[:MAX_MAIL]))
    files = islice(filter(_is_file, walk_leaves(entity)), MAX_PARTS)
    return [_read_attachment(part, number) for number, part in enumerate(files, start=1)]


def is_truncated(raw: bytes) -> bool:
    """Return True if only the beginning of a mail was read, so that files may be missing."""
    return not is_read_whole(raw, len(raw)) or raw.startswith(CUT_HEADER.encode())


def _is_file(part: Part) -> bool:
    kind = part.content_type
    if kind in TRIFLES or kind.startswith("message/") or FOOTER_NAME.fullmatch(part.file_name):
        return False
    return part.attached or not kind.startswith("text/")


def _read_attachment(entity: Part, number: int) -> AttachedFile:
    kind, disposition = entity.content_type, entity.first("content-disposition").lstrip().lower()
    name = (
        " ".join(normalize("NFC", normalise_text(entity.file_name)).split()) or f"file-{number}{_ENDINGS.get(kind, '')}"
    )
    inline = kind.startswith("image/") and not disposition.startswith("attachment")
    return AttachedFile(name, entity.content(), inline)
