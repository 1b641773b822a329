"""MIME: header fields, parts, transfer encodings and charsets.

Everything here takes any bytes, never raises, and runs in linear time, which the
email package does not (docs/decisions/0039).
"""

from __future__ import annotations

import binascii
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import decode_rfc2231
from itertools import takewhile
from urllib.parse import unquote_to_bytes

from pbem.mail.headers import MAX_FIELD, MAX_HEAD

MAX_FIELDS = 1_000
MAX_BOUNDARY = 200
MAX_CONTINUATIONS = 20
"""Pieces of one parameter that are joined at most (RFC 2231, 3)."""

_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r"})
_HEAD_END = re.compile(rb"\n\r?\n|\A\r?\n")
_FOLD = re.compile(r"\r?\n(?=[ \t])")
# Possessive quantifiers (++, *+) do not backtrack, so that hostile input takes linear time.
_TYPE = re.compile(r"\A\s*+([!#$&^_.+a-z0-9-]{1,80}+/[!#$&^_.+a-z0-9-]{1,80}+)(?:[\s;]|\Z)", re.IGNORECASE)
_OLD_TEXT = re.compile(r"(?:text\s*+)?(?:;|\Z)|charset=", re.IGNORECASE)
_PARAMETER = re.compile(r';\s*+([^\s=;"]++)\s*+=\s*+(?:"([^"\\]*+(?>(?:\\.[^"\\]*+)*))"|([^\s;]*+))')
_ESCAPE = re.compile(r"\\(.)")

_ENCODED = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=", re.IGNORECASE)
# Blanks between encoded words are no part of the text (RFC 2047, 6.2).
_BETWEEN_ENCODED = re.compile(r"\?=\s++=\?")

_CHARSET = re.compile(
    r"utf-?8|utf-?(?:16|32)(?:-?[lb]e)?|iso[-_]?8859-\d{1,2}|latin-?\d|(?:windows|cp|ibm)-?\d{3,4}|koi8-[rtu]|macintosh"
    r"|gb2312|gbk|gb18030|hz-gb-2312|big5(?:-?hkscs)?|shift[-_]?jis|sjis|euc-?(?:jp|kr)|ks_c_5601-1987|iso-2022-(?:jp|kr)"
    r"|tis-620|viscii",
    re.IGNORECASE,
)
# Charsets whose text looks like ASCII and is not.
_SEVEN_BIT = re.compile(r"iso-2022|hz", re.IGNORECASE)

_WIDE = re.compile(r"utf-?(?:16|32)", re.IGNORECASE)

# Programs often write a charset's larger successor under its name.
_WIDER = {
    **dict.fromkeys(["gb2312", "gbk"], "gb18030"),
    **dict.fromkeys(["shift_jis", "shift-jis", "sjis"], "cp932"),
    **dict.fromkeys(["euc-kr", "ks_c_5601-1987"], "cp949"),
}

# For charsets found in a text: their name in notes, and the declared names that need no note.
_ALIKE = {
    "utf-8-sig": ("UTF-8", re.compile(r"|utf-?8", re.IGNORECASE)),
    "cp1252": ("Windows-1252", re.compile(r"iso[-_]?8859-1|latin-?1|(?:windows|cp)-?1252", re.IGNORECASE)),
    **dict.fromkeys(
        ["utf-16", "utf-16-le", "utf-16-be"], ("UTF-16", re.compile(r"utf-?(?:16|32)(?:-?[lb]e)?", re.IGNORECASE))
    ),
}

_NAME = re.compile(r"[\w.:+-]{1,40}", re.ASCII)

# Names that programs declare for both UTF-8 and Windows-1252: the bytes show better which it is.
_WESTERN = re.compile(
    r"|unknown-8bit|(?:us-)?ascii|ansi.*|iso[-_]?8859-1|latin-?1|(?:windows|cp)-?1252|utf-?8", re.IGNORECASE
)

_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]*+={0,2}[ \t\r]*+")
_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/]++=*+")
_NOT_BASE64 = bytes({*range(256)} - {*b"+/=", *string.ascii_letters.encode(), *string.digits.encode()})
_BASE64_TEXT = re.compile(rb"\A\s*+(?>(?:[A-Za-z0-9+/]{60,76}\r?\n)*)[A-Za-z0-9+/]{4,76}={0,2}\s*+")
# Shorter text without blanks may have been typed.
_SHORTEST_BASE64 = 40

_PADDED_BREAK = re.compile(rb"=[ \t]++(?=\r?\n)")
# A line that an encoder broke because it was full: 76 characters are the most (RFC 2045, 6.7).
_SOFT_BREAK = re.compile(rb"[^\r\n]{69,75}=\r?\n")

_NO_ESCAPE = re.compile(rb"=(?![0-9A-F]{2}|\r?\n)")

_NOT_SO = "The mail's text is not in {}, as it says; it was read as it stands."
_NOT_SAID = "The mail's text is in {} without saying so; that was undone."
_DAMAGED = "The mail's text came damaged (base64); some of it may be missing."


@dataclass(frozen=True, slots=True)
class Part:
    """Message or part of one: its header fields by lower-case name, unfolded, and its body as received.

    `cut` is True if it has more fields than are read.
    """

    fields: dict[str, list[str]]
    body: bytes
    cut: bool = False

    def first(self, name: str) -> str:
        """Return the first field of a name, "" if there is none."""
        return self.fields.get(name, [""])[0]

    @property
    def content_type(self) -> str:
        """The media type in lower case; text/plain if it is missing or malformed (RFC 2045, 5.2)."""
        match = _TYPE.match(self.first("content-type"))
        return match[1].lower() if match else "text/plain"

    @property
    def mistyped(self) -> bool:
        """True for a malformed media type, but not for "text" alone, which very old programs write for plain text."""
        given = self.first("content-type").strip()
        return bool(given) and not _TYPE.match(given) and _OLD_TEXT.match(given) is None

    @property
    def attached(self) -> bool:
        """True if the part is declared an attachment, or has a file name."""
        return self.first("content-disposition").lstrip().lower().startswith("attachment") or bool(self.file_name)

    @property
    def file_name(self) -> str:
        """The name of the part as a file, "" if it has none."""
        name = parameter(self.first("content-disposition"), "filename") or parameter(self.first("content-type"), "name")
        return decode_words(name).strip()[:200]

    def content(self) -> bytes:
        """Return the body without its transfer encoding; a body that cannot be decoded is returned as it is."""
        return decode_transfer(self.body, self.first("content-transfer-encoding"))[0]

    def text(self) -> tuple[str, tuple[str, ...]]:
        """Return the body as text, by its charset or the likeliest one, and notes on errors in its encoding."""
        content, damage = decode_transfer(self.body, self.first("content-transfer-encoding"))
        text, surprise = read_charset(content, parameter(self.first("content-type"), "charset"))
        return text, tuple(filter(None, (damage, surprise)))

    def children(self) -> Iterator[Part]:
        """Yield the parts of a multipart body; none if its boundary is missing or does not occur in it."""
        boundary = parameter(self.first("content-type"), "boundary").rstrip()
        if 0 < len(boundary) <= MAX_BOUNDARY:
            yield from map(parse_entity, _split(self.body, b"\n--" + boundary.encode("utf-8", "replace")))


def parse_entity(raw: bytes) -> Part:
    """Parse a message or part. Fields that are too long become empty; too many are left out."""
    end = _HEAD_END.search(raw)
    head, body = (raw[: end.start()], raw[end.end() :]) if end else (raw, b"")
    lines = _unfold(head)
    fields: dict[str, list[str]] = {}
    for name, value in _fields(lines):
        fields.setdefault(name, []).append(value)
    return Part(fields, body, cut=len(head) > MAX_HEAD or len(lines) > MAX_FIELDS)


def header_fields(raw: bytes) -> Iterator[tuple[str, str]]:
    """Yield the header fields of a message in order, with the limits of `parse_entity`."""
    return _fields(_unfold(head_of(raw)))


def head_of(raw: bytes) -> bytes:
    """Return the header of a message, as far as it is read."""
    head = raw[:MAX_HEAD]
    end = _HEAD_END.search(head)
    return head[: end.start() + 1] if end else head


def without_envelope(raw: bytes) -> bytes:
    """Return a mail without the "From " line that an mbox file puts above it."""
    if b"\n" not in raw:  # lines that end in CR alone would be one endless line of the head
        raw = raw.replace(b"\r", b"\n")
    return raw[raw.find(b"\n") + 1 :] if raw.startswith((b"From ", b">From ")) else raw


def _unfold(head: bytes) -> list[str]:
    head = head[:MAX_HEAD].translate(None, _CONTROLS)
    try:
        text = head.decode()
    except UnicodeDecodeError:
        text = head.decode("cp1252", "replace")
    return _FOLD.sub("", text).split("\n", MAX_FIELDS)


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines[:MAX_FIELDS]:
        name, colon, value = line.partition(":")
        if colon:
            # Its presence counts: a From field that is too long must not give way to a second one.
            yield name.strip().lower(), value.strip() if len(value) <= MAX_FIELD else ""


def _split(body: bytes, mark: bytes) -> Iterator[bytes]:
    """Yield the parts between delimiter lines (RFC 2046, 5.1.1); the last one may lack its end."""
    part: list[bytes] = []
    _, *pieces = (b"\n" + body).split(mark)
    for piece in pieces:
        line, _, rest = piece.partition(b"\n")
        tail = line.strip()
        if tail not in (b"", b"--"):
            part += [mark, piece] if part else []
            continue
        if part:
            yield b"".join(part).removesuffix(b"\r")  # the line end before a delimiter is part of it
        if tail:
            return
        part = [rest]
    if part:
        yield b"".join(part)


def parameter(value: str, name: str) -> str:
    """Return a parameter of a Content-Type or Content-Disposition field, also of RFC 2231; "" if it is missing."""
    if name not in value.lower():
        return ""
    found: dict[str, str] = {}
    for key, quoted, plain in _PARAMETER.findall(value):
        found.setdefault(key.lower(), _ESCAPE.sub(r"\1", quoted) if quoted else plain)
    if name in found:
        return found[name]
    numbered = (found.get(f"{name}*{number}*", found.get(f"{name}*{number}")) for number in range(MAX_CONTINUATIONS))
    pieces = takewhile(lambda piece: piece is not None, numbered)
    joined = found.get(f"{name}*", "".join(filter(None, pieces)))
    charset, _, text = decode_rfc2231(joined)
    return joined if charset is None else decode_text(unquote_to_bytes(text), charset)


def decode_words(value: str) -> str:
    """Decode the encoded words in the text of a header (RFC 2047)."""
    return _ENCODED.sub(_decode_word, _BETWEEN_ENCODED.sub("?==?", value)) if "=?" in value else value


def _decode_word(match: re.Match[str]) -> str:
    charset, encoding, text = match[1], match[2].lower(), match[3].encode("utf-8", "replace")
    return decode_text(from_base64(text) if encoding == "b" else binascii.a2b_qp(text, header=True), charset)


def decode_text(content: bytes, charset: str) -> str:
    """Decode text. A wrong, missing or unknown charset falls back on UTF-8 and then Windows-1252."""
    return read_charset(content, charset)[0]


def read_charset(content: bytes, charset: str) -> tuple[str, str]:
    """Return the text, and a note if it is in another charset than the one named, "" if not."""
    named = charset.strip()
    if content.isascii() and b"\x00" not in content and not _SEVEN_BIT.match(named):
        return content.decode("ascii"), ""
    for tried in _candidates(content, named.lower()):
        try:
            return content.decode(tried), _charset_note(named, tried)
        except (UnicodeDecodeError, LookupError):
            continue
    return "".join(map(_decode_line, content.splitlines(keepends=True))), _charset_note(named, "cp1252")


def _candidates(content: bytes, charset: str) -> Iterator[str]:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield "utf-16"
    elif b"\x00" in content and not _WIDE.match(charset):
        yield from _guess_utf_16(content)
    narrow = b"\x00" not in content and _WIDE.match(charset)
    if _CHARSET.fullmatch(charset) and not _WESTERN.fullmatch(charset) and not narrow:
        yield _WIDER.get(charset, charset)
    yield "utf-8-sig"  # text in Western charsets is hardly ever valid UTF-8 by chance


def _guess_utf_16(content: bytes) -> Iterator[str]:
    """Yield the byte order of UTF-16 without a mark, if nearly every other byte is NUL, as in Western text."""
    half = len(content) // 2
    if content[1::2].count(0) * 2 > half:
        yield "utf-16-le"
    elif content[::2].count(0) * 2 > half:
        yield "utf-16-be"


def _decode_line(line: bytes) -> str:
    """Decode a line of a text in several charsets, such as an answer in another than the text it quotes."""
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def _charset_note(named: str, used: str) -> str:
    shown, alike = _ALIKE.get(used, ("", None))
    if alike is None or alike.fullmatch(named):
        return ""
    if not named:
        return f"The mail does not name its charset; it was read as {shown}."
    said = named if _NAME.fullmatch(named) else "the charset it names"
    return f"The mail's text is not in {said}, as it says; it was read as {shown}."


def decode_transfer(body: bytes, encoding: str) -> tuple[bytes, str]:
    """Return a body without its transfer encoding, and a note on an error in that, "" if there is none."""
    encoding = encoding.strip(" \t\"';").lower()
    if encoding == "quoted-printable":
        # A soft line break remains one if a mail server put blanks behind it.
        return binascii.a2b_qp(_PADDED_BREAK.sub(b"=", body)), ""
    if encoding == "base64":
        return _from_base64_lines(body)
    return _decode_undeclared(body)


def from_base64(body: bytes) -> bytes:
    """Decode Base64; letters that do not belong to it are skipped, and pieces may be padded one by one."""
    runs = (run.rstrip(b"=") for run in _BASE64_RUN.findall(body.translate(None, _NOT_BASE64)))
    # binascii raises for a single letter too many and for missing padding, but not for too much of it.
    return b"".join(binascii.a2b_base64(run[: len(run) - (len(run) % 4 == 1)] + b"==") for run in runs)


def _from_base64_lines(body: bytes) -> tuple[bytes, str]:
    """Decode Base64; text that a mail server put behind it stays as it is."""
    lines = body.split(b"\n")
    odd = next((number for number, line in enumerate(lines) if not _BASE64_LINE.fullmatch(line)), None)
    if odd is None:
        return from_base64(body), ""
    rest = b"\n".join(lines[odd:])
    if not b"".join(lines[:odd]).strip() and b" " in lines[odd].strip():
        return body, _NOT_SO.format("base64")
    if b" " in rest.strip():
        return from_base64(b"\n".join(lines[:odd])) + b"\n" + rest, ""
    return from_base64(body), _DAMAGED


def _decode_undeclared(body: bytes) -> tuple[bytes, str]:
    """Return the body, decoded only if it is beyond doubt in an encoding that its header does not name."""
    if (b"=\n" in body or b"=\r\n" in body) and _SOFT_BREAK.search(body) and not _NO_ESCAPE.search(body):
        return binascii.a2b_qp(body), _NOT_SAID.format("quoted-printable")
    if len(body) >= _SHORTEST_BASE64 and _BASE64_TEXT.fullmatch(body):
        content = from_base64(body)
        if _is_text(content):
            return content, _NOT_SAID.format("base64")
    return body, ""


def _is_text(content: bytes) -> bool:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character in "\t\r\n" for character in text)
