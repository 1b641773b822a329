"""Parse the bytes of a mail into a message: sender, references, reply codes, its parts, and the text that was typed.

Parsing is total: any bytes make a message, in time and memory bounded by their
number, which `MAX_MAIL` bounds in turn.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from pbem.mail.compose import LOOP_HEADER
from pbem.mail.headers import MAX_HEAD, MESSAGE_ID, REPLY_CODE, SUBJECT_TAG, answered_id, find_addresses, parse_address
from pbem.mail.machines import Kind, Sign, classify, classify_text
from pbem.mail.mailbox import CUT_HEADER, MAX_MAIL, is_read_whole
from pbem.mail.mime import Part, decode_words, parameter, parse_entity, without_envelope
from pbem.mail.reply_parser import (
    ENCRYPTED,
    FOOTER,
    LEFT_OUT,
    MAX_LINES,
    MAX_TEXT,
    MOST_PIECES,
    SENT_BACK,
    collapse_spaces,
    decode_flowed,
    describe_normalisation,
    has_content,
    has_header,
    is_list_footer,
    normalise_text,
    rejoin_lines,
    sender_lines,
    strip_pgp,
    without_bullet,
)

if TYPE_CHECKING:
    from pbem.mail.html_text import HtmlText

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
class Message:
    """Mail as the inbox needs it. Message-IDs have their angle brackets.

    `sender` is None unless there is exactly one, well-formed. `references` are
    the mails this one answers, the nearest first. `machine` says which kind of
    program wrote the mail, if any did, which then is not answered (RFC 3834). `notes` are
    sentences on what was left out of the text. `filed` are attached files that
    may hold the orders, if the text holds none. `quotes_ours` is True if it was found
    to quote a mail of ours without marks. `source` is the text before anything was
    left out of it. `sender_name` is the display name of the From field, which proves
    nothing; `came_from` is its address, `sender` the first one of its person.
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
    source: MessageBody | None = field(default=None, compare=False, repr=False)
    sender_name: str = field(default="", compare=False)
    came_from: str | None = field(default=None, compare=False)

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
        return self.source.lines if self.source else []

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
    message = _message_of(entity)
    source, filed = _find_text(entity, message)
    if not whole or entity.first(CUT_HEADER.lower()):
        source = replace(source, found=(_CUT, *source.found))
    text, notes = _read_text(source, source.lines, message)
    machine = message.machine if message.machine.kind else classify_text(message.subject, text)
    return replace(message, machine=machine, text=text, notes=notes, source=source, filed=filed)


def read_source(raw: bytes) -> MessageBody:
    """Return the text of a mail of ours with all that it quotes: who wrote which line is not asked. Never raises."""
    return _find_text(parse_entity(without_envelope(raw[:MAX_MAIL])), UNREADABLE)[0]


def reparse(message: Message, lines: list[str]) -> Message:
    """Return the message read from these lines in place of its source's, such as the same with more lines quoted."""
    if message.source is None:
        return message
    text, notes = _read_text(message.source, lines, message)
    return replace(message, text=text, notes=notes)


def _read_text(source: MessageBody, lines: Sequence[str], message: Message) -> tuple[str, tuple[str, ...]]:
    """Return what the sender typed among the lines of a text, and notes on the rest."""
    typed, left_out = sender_lines(lines, sender=message.sender, ours=message.recipients)
    if len(source.text) > MAX_TEXT or source.text.count("\n") >= MAX_LINES:
        left_out.append("The text is too long; only its beginning was read.")
    typed, mended = rejoin_lines(typed, lambda: source.same_in_html)
    notes = dict.fromkeys([*source.found, *source.notes(typed), *left_out, *mended])
    return "\n".join(typed).strip("\n"), tuple(notes)[:MAX_NOTES]


def parse_headers(raw: bytes) -> Message:
    """Return the message in a mail's bytes without its text, which is fast for any size. Never raises."""
    return _message_of(parse_entity(without_envelope(raw[:MAX_HEAD])))


def _message_of(entity: Part) -> Message:
    # Of two From fields programs show one or the other, and servers vouch for either: such mail has no sender.
    senders = entity.fields.get("from", [])
    sender = parse_address(senders[0]) if len(senders) == 1 and not entity.cut else None
    subject = " ".join(normalise_text(decode_words(entity.first("subject"))).split())[:MAX_SUBJECT]
    ids = MESSAGE_ID.findall(entity.first("message-id"))
    name = decode_words(senders[0][:_LONGEST_NAME]).rpartition("<")[0] if sender else ""
    return Message(
        sender=sender,
        recipients=_recipients(entity),
        subject=subject,
        message_id=ids[0] if ids else "",
        references=_references(entity),
        machine=classify(entity, sender, subject),
        text="",
        notes=(),
        sender_name=" ".join(name.replace('"', " ").split()),
    )


_LONGEST_NAME = 200


def _recipients(entity: Part) -> tuple[str, ...]:
    fields = [field for name in _RECIPIENT_FIELDS for field in entity.fields.get(name, ())[:MAX_RECIPIENTS]]
    return tuple(dict.fromkeys(address for field in fields for address in find_addresses(field)))[:MAX_RECIPIENTS]


def _references(entity: Part) -> tuple[str, ...]:
    replied, older = (MESSAGE_ID.findall(entity.first(name)) for name in ("in-reply-to", "references"))
    newest_first = map(answered_id, replied + older[::-1])
    return tuple(dict.fromkeys(newest_first))[:MAX_REFERENCES]


def _find_text(entity: Part, message: Message) -> tuple[MessageBody, AttachedText | None]:
    """Return the text of a mail that may hold orders, and files that may hold the orders instead."""
    walk = PartWalker()
    pieces = walk.pieces(entity)
    body = _choose_body(pieces, walk.notes)
    if not body.in_mail or body.is_sheet:
        return body, None
    files = [each for each in pieces if each.is_file and not (FOOTER_NAME.fullmatch(each.name) or each.is_sheet)]
    loose = MessageBody(files, tuple(walk.notes))
    if files and not _read_text(body, body.lines, message)[0].strip():
        return loose, None
    return body, AttachedText(_join_names(files), _read_text(loose, loose.lines, message)[0]) if files else None


def _choose_body(pieces: Sequence[TextPart], notes: Sequence[str]) -> MessageBody:
    """Return the text that holds the orders, with more notes: attached files before the body, if they hold a sheet.

    A mail that is forwarded as an attachment counts when the body is blank, or
    has no sheet and the forwarded mail has one.
    """
    written = [piece for piece in pieces if not piece.name and not piece.forwarded]
    body = _join_written(written)
    files = [piece for piece in pieces if piece.is_file]
    forwarded = [piece for piece in pieces if piece.forwarded and piece.text.strip()]
    # Beside other text a sheet counts only if it is filled in.
    if sheets := [piece for piece in files if piece.is_sheet and (body.blank or piece.has_content)]:
        return MessageBody(sheets, (*notes, *[read_from(_join_names(sheets))] * (not body.blank)))
    passed_over = [
        f"The attached {piece.name} was not read: there is no sheet in it that is filled in."
        for piece in files
        if not FOOTER_NAME.fullmatch(piece.name) and (body.is_sheet or piece.is_sheet)
    ]
    if any(is_list_footer(piece.text) for piece in written[1:]):
        passed_over.append(FOOTER)
    if forwarded and (body.blank or (not body.is_sheet and any(piece.has_content for piece in forwarded))):
        return MessageBody(forwarded, (*notes, "The orders were read from the forwarded mail."))
    return replace(body, found=(*notes, *passed_over, *["A mail inside the mail was not read."] * bool(forwarded)))


def read_from(names: str) -> str:
    """Return the note that the orders were found in files of these names, beside other text in the mail."""
    return f"The orders were read from the attached {names}, not from the mail's text."


def _join_names(pieces: Iterable[TextPart]) -> str:
    return ", ".join(piece.name for piece in pieces)


def _join_written(pieces: Sequence[TextPart]) -> MessageBody:
    """Return the mail's own text, without the footers that a list has put behind it.

    HTML beside plain text is included only where it says something else.
    """
    texts = [piece for piece in pieces if piece.text.strip()]
    written = [piece for at, piece in enumerate(texts) if at == 0 or not is_list_footer(piece.text)]
    if len(written) < 2:
        return MessageBody(written or pieces)
    said = "".join(collapse_spaces(piece.text) for piece in written if not piece.html)
    return MessageBody([piece for piece in written if not piece.html or collapse_spaces(piece.text) not in said])


# What occurs in each page with text that is struck out.
_STRIKES = re.compile(r"<(?:s|strike|del)[\s>]")

MAX_PARTS = 100
MAX_DEPTH = 20

_STUB = re.compile(r"\bHTML\b", re.IGNORECASE)
_LONGEST_STUB = 300
# A quoted sheet with its lines on one, as Evolution makes them of HTML, which may be broken anew.
_JOINED = re.compile(
    rf"(?m)^((?>(?:> ?)+))(ORDERS [\w-]++ [\w-]++ {REPLY_CODE}) .{{1,200}}+(?:\n\1.{{0,200}}+){{0,60}}?(?<=[^>\s] END)$"
)

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
_LONGEST_SHOWN = 60
_FILE_UNREAD = ("The attached ", " was not read: please write the orders into the mail itself.")
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
    def _unstruck(self) -> tuple[str, tuple[str, ...]]:
        text = normalise_text(self._read[0])
        content_type = self.entity.first("content-type")
        if not self.html and parameter(content_type, "format").lower() == "flowed":
            text = decode_flowed(text, delete_space=parameter(content_type, "delsp").lower() == "yes")
        return strip_pgp(text)

    def beside(self, rich: Part) -> TextPart:
        """Return the same text, decoded once, with HTML that says the same."""
        both = replace(self, rich=rich)
        vars(both).update(_read=self._read, _unstruck=self._unstruck)
        return both

    @cached_property
    def _plain(self) -> tuple[str, tuple[str, ...]]:
        text, notes = self._unstruck
        if self.rich is None or not _may_strike(markup := self.rich.text()[0]):
            return _JOINED.sub(_split_comments, text), notes
        text, struck = _without_struck(text, _read_html(markup))
        return text, (*notes, *_struck_note(struck))

    @property
    def text(self) -> str:
        """The text in plain characters, decoded on first use."""
        return self._plain[0]

    @property
    def is_file(self) -> bool:
        """True for a file with text in it."""
        return bool(self.name and self.text.strip())

    @property
    def is_sheet(self) -> bool:
        """True if a sheet begins in it."""
        return has_header(self.text.split("\n"))

    @property
    def has_content(self) -> bool:
        """True if it has a sheet that is filled in."""
        return has_content(self.text.split("\n"))

    def notes(self, kept: Collection[str]) -> list[str]:
        """Return notes on faults of the text, and on changes in those of its lines that were kept."""
        return [*self._read[1], *self._plain[1], *describe_normalisation(self._read[0], kept)]


def _split_comments(sheet: re.Match[str]) -> str:
    begun = f"\n{sheet[1]}"
    split = sheet[0].removesuffix(" END").replace(begun, " ").replace(" ;", f"{begun};")
    return split.replace(f"{sheet[2]} ", f"{sheet[2]}{begun}", 1) + f"{begun}END"


def _may_strike(markup: str) -> bool:
    # Searched for as they stand: without regard to case, a pattern has no beginning that is found fast.
    small = markup.lower()
    return "line-through" in small or _STRIKES.search(small) is not None


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
    return without_bullet(normalise_text(line)).strip(" -~")


def _struck_note(lines: Iterable[str]) -> Iterable[str]:
    named = ", ".join(f'"{line[:_LONGEST_SHOWN]}"' for line in lines if not line.startswith(">"))
    if named:
        yield f"Text that is struck out does not count: {named}. To give it, write it anew, without a line through it."


@dataclass(frozen=True)
class MessageBody:
    """Text in which the sender's lines are found, of several pieces; `found` are notes on how it was found."""

    pieces: Sequence[TextPart]
    found: tuple[str, ...] = ()

    @cached_property
    def text(self) -> str:
        """The pieces, one below the other."""
        return "\n".join(piece.text for piece in self.pieces)

    @property
    def lines(self) -> list[str]:
        """Its lines, as far as they are read."""
        return self.text[:MAX_TEXT].split("\n", MAX_LINES)[:MAX_LINES]

    @property
    def in_mail(self) -> bool:
        """True if this is the mail's own text, not that of a file or of a mail inside it."""
        return not any(piece.name or piece.forwarded for piece in self.pieces)

    @property
    def blank(self) -> bool:
        """True if there is no text to read."""
        return not self.text.strip()

    @property
    def is_sheet(self) -> bool:
        """True if a sheet begins in it."""
        return has_header(self.text.split("\n"))

    def notes(self, kept: Iterable[str]) -> list[str]:
        """Return the notes of all pieces, on these of their lines."""
        lines = frozenset(map(str.strip, kept))
        return [note for piece in self.pieces for note in piece.notes(lines)]

    @property
    def html_lines(self) -> list[str]:
        """The lines of the same text in the mail's HTML, if it has that."""
        return (self.same_in_html or "").split("\n")

    @property
    def same_in_html(self) -> str | None:
        """The same text as in the mail's HTML; None if it has none."""
        rich = [piece.rich for piece in self.pieces if piece.rich is not None]
        return "\n".join(TextPart(entity, html=True).text for entity in rich) if rich else None


def walk_leaves(entity: Part, *, most: int = MAX_PARTS, deepest: int = MAX_DEPTH) -> Iterator[Part]:
    """Yield the parts of a mail that are no multiparts, but none of encrypted ones, and no signatures."""
    kind = entity.content_type
    if not kind.startswith("multipart/"):
        yield entity
    elif deepest > 0 and kind != "multipart/encrypted":
        for part in islice(entity.children(), 1 if kind == "multipart/signed" else most):
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
            return self._forwarded_texts(entity, depth)
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
        children = list(islice(entity.children(), self._left + 1))  # one more shows that there are too many
        if len(children) > self._left:
            self._note(_TOO_MANY)
            children.pop()
        self._left -= len(children)
        return children

    def _forwarded_texts(self, entity: Part, depth: int) -> list[TextPart]:
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
            self._note(name[:_LONGEST_SHOWN].join(_FILE_UNREAD))

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _choose_alternative(pieces: list[TextPart]) -> list[TextPart]:
    """Return the plain text of alternatives, with the HTML to compare it with; the HTML if there is no plain text."""
    html = [piece for piece in pieces if piece.html and not piece.name]
    plain_ones = [piece for piece in pieces if not piece.html and not piece.name]
    files = [piece for piece in pieces if piece.name]
    if not html:
        once = {collapse_spaces(piece.text): piece for piece in reversed(plain_ones)}
        return [*reversed(once.values()), *files]
    written = [piece for piece in plain_ones if piece.text.strip() and not _is_stub(piece.text)]
    if not written or _JOINED.search(written[0]._unstruck[0]):
        return [*html, *files]
    return [written[0].beside(html[0].entity), *written[1:], *files]


def _is_stub(text: str) -> bool:
    """Return True if a plain text only says that the mail is in HTML."""
    return len(text) <= _LONGEST_STUB and "\n" not in text.strip() and _STUB.search(text) is not None


_WORD = re.compile(REPLY_CODE)


def find_reply_codes(message: Message, address: str) -> list[str]:
    """Return all that looks like a reply code in a message, without doubles: recipients first, then the subject."""
    found = [code for recipient in message.recipients if (code := _plus_code(recipient.lower(), address.lower()))]
    found += [code.lower() for code in SUBJECT_TAG.findall(message.subject)]
    return list(dict.fromkeys(found))


def _plus_code(recipient: str, address: str) -> str:
    """Return the code in a plus address of ours, "" if there is none."""
    local, _, domain = recipient.rpartition("@")
    before, _, code = local.rpartition("+")
    return code if f"{before}@{domain}" == address and _WORD.fullmatch(code) else ""


# Endings of names for files without one.
_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/svg+xml": ".svg", "application/pdf": ".pdf"}


class AttachedFile(NamedTuple):
    """File of a mail; `inline` ones are shown in its text, such as pasted pictures and logos.

    `cut`: it is the last one of a mail of which only the beginning was read, so that its end may be missing.
    """

    name: str
    content: bytes
    inline: bool
    cut: bool = False


def list_attachments(raw: bytes) -> list[AttachedFile]:
    """Return the files of a mail, in order, without mails inside it, signatures and footers. Never raises."""
    entity = parse_entity(without_envelope(raw if is_read_whole(raw, len(raw)) else raw[:MAX_MAIL]))
    files = islice(filter(_is_file, walk_leaves(entity)), MAX_PARTS)
    found = [_read_attachment(part, number) for number, part in enumerate(files, start=1)]
    return [*found[:-1], *(last._replace(cut=is_truncated(raw)) for last in found[-1:])]


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
