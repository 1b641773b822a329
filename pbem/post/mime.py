"""MIME taken apart by hand: header fields, parts, charsets.

The email package raises on some malformed headers, takes half a minute for
others, and recurses as deep as the sender likes. Everything here takes any
bytes, never raises, and needs time in proportion to their number.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from pbem.post.transfer import decode_transfer, from_base64

MAX_HEAD = 100_000
MAX_FIELD = 8_192
MAX_FIELDS = 1_000
MAX_BOUNDARY = 200
MAX_CONTINUATIONS = 20
"""Pieces of one parameter (RFC 2231, 3) that are put together."""

_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r"})
_HEAD_END = re.compile(rb"\n\r?\n|\A\r?\n")
_FOLD = re.compile(r"\r?\n(?=[ \t])")
_TYPE = re.compile(r"\A\s*+([!#$&^_.+a-z0-9-]{1,80}+/[!#$&^_.+a-z0-9-]{1,80}+)(?:[\s;]|\Z)", re.IGNORECASE)
_OLD_TEXT = re.compile(r"(?:text\s*+)?(?:;|\Z)|charset=", re.IGNORECASE)
_PARAMETER = re.compile(r';\s*+([^\s=;"]++)\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^\s;]*+))')
_ESCAPE = re.compile(r"\\(.)")

_ENCODED = re.compile(r"=\?([^?\s*]{1,40})(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=", re.IGNORECASE)
_BETWEEN_ENCODED = re.compile(r"\?=\s++=\?")
"""Blanks between encoded words, which are no part of the text (RFC 2047, 6.2)."""

_CHARSET = re.compile(
    r"utf-?8|utf-?(?:16|32)(?:-?[lb]e)?|iso[-_]?8859-\d{1,2}|latin-?\d|(?:windows|cp|ibm)-?\d{3,4}|koi8-[rtu]|macintosh"
    r"|gb2312|gbk|gb18030|hz-gb-2312|big5(?:-?hkscs)?|shift[-_]?jis|sjis|euc-?(?:jp|kr)|ks_c_5601-1987|iso-2022-(?:jp|kr)"
    r"|tis-620|viscii",
    re.IGNORECASE,
)
_SEVEN_BIT = re.compile(r"iso-2022|hz", re.IGNORECASE)
"""Charsets whose text looks like ASCII and is not."""

_WIDE = re.compile(r"utf-?(?:16|32)", re.IGNORECASE)

_WIDER = {
    **dict.fromkeys(["gb2312", "gbk"], "gb18030"),
    **dict.fromkeys(["shift_jis", "shift-jis", "sjis"], "cp932"),
    **dict.fromkeys(["euc-kr", "ks_c_5601-1987"], "cp949"),
}
"""What programs write under a charset's name is often its larger successor."""

_ALIKE = {
    "utf-8-sig": ("UTF-8", re.compile(r"|utf-?8", re.IGNORECASE)),
    "cp1252": ("Windows-1252", re.compile(r"iso[-_]?8859-1|latin-?1|(?:windows|cp)-?1252", re.IGNORECASE)),
    **dict.fromkeys(
        ["utf-16", "utf-16-le", "utf-16-be"], ("UTF-16", re.compile(r"utf-?(?:16|32)(?:-?[lb]e)?", re.IGNORECASE))
    ),
}
"""For charsets found in a text: how they are shown, and the names with which they are no surprise."""

_NAME = re.compile(r"[\w.:+-]{1,40}", re.ASCII)

_WESTERN = re.compile(
    r"|unknown-8bit|(?:us-)?ascii|ansi.*|iso[-_]?8859-1|latin-?1|(?:windows|cp)-?1252|utf-?8", re.IGNORECASE
)
"""Names that programs write on UTF-8 and Windows-1252 alike: which of these it is, the bytes show better."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A message or a part of one: its header fields by lower-case name, unfolded, and its body as it came.

    `cut`: it has more fields than are read.
    """

    fields: dict[str, list[str]]
    body: bytes
    cut: bool = False

    def first(self, name: str) -> str:
        """The first field of a name, "" if there is none."""
        found = self.fields.get(name)
        return found[0] if found else ""

    @property
    def content_type(self) -> str:
        """The media type in lower case; text/plain where none, or none that can be read, is given (RFC 2045, 5.2)."""
        match = _TYPE.match(self.first("content-type"))
        return match[1].lower() if match else "text/plain"

    @property
    def mistyped(self) -> bool:
        """Whether a media type is given that cannot be read; "text" alone is how very old programs name plain text."""
        given = self.first("content-type").strip()
        return bool(given) and not _TYPE.match(given) and _OLD_TEXT.match(given) is None

    @property
    def attached(self) -> bool:
        """Whether the part says of itself that it is a file, or has a file's name."""
        return self.first("content-disposition").lstrip().lower().startswith("attachment") or bool(self.file_name)

    @property
    def file_name(self) -> str:
        """The name of the file that the part is, "" if it has none."""
        name = parameter(self.first("content-disposition"), "filename") or parameter(self.first("content-type"), "name")
        return decode_words(name).strip()[:200]

    def content(self) -> bytes:
        """The body without its transfer encoding; what cannot be decoded stays as it is."""
        return decode_transfer(self.body, self.first("content-transfer-encoding"))[0]

    def text(self) -> tuple[str, tuple[str, ...]]:
        """The body as text, by its charset or by the likeliest one, and notes on what was wrong with its encoding."""
        content, damage = decode_transfer(self.body, self.first("content-transfer-encoding"))
        named = parameter(self.first("content-type"), "charset")
        text, surprise = read_charset(content, named)
        return text, tuple(filter(None, (damage, surprise)))

    def children(self) -> Iterator[Entity]:
        """The parts of a multipart body, in order; none if its boundary is missing or never stands in it."""
        boundary = parameter(self.first("content-type"), "boundary").rstrip()
        if 0 < len(boundary) <= MAX_BOUNDARY:
            yield from map(parse_entity, _split(self.body, b"--" + boundary.encode("utf-8", "replace")))


def parse_entity(raw: bytes) -> Entity:
    """Header fields and body of a message or part. Fields that are too long are empty; too many are left out."""
    end = _HEAD_END.search(raw)
    head, body = (raw[: end.start()], raw[end.end() :]) if end else (raw, b"")
    lines = _FOLD.sub("", _decode_head(head[:MAX_HEAD])).split("\n", MAX_FIELDS)
    fields: dict[str, list[str]] = {}
    for line in lines[:MAX_FIELDS]:
        name, colon, value = line.partition(":")
        if colon:
            # That it is there counts: what others may take for the sender must not make way for a second From.
            fields.setdefault(name.strip().lower(), []).append(value.strip() if len(value) <= MAX_FIELD else "")
    return Entity(fields, body, cut=len(head) > MAX_HEAD or len(lines) > MAX_FIELDS)


def without_envelope(raw: bytes) -> bytes:
    """A mail saved from an mbox file begins with a line that is none of its own."""
    if b"\n" not in raw:  # lines that end in CR alone would be one endless line of the head
        raw = raw.replace(b"\r", b"\n")
    return raw[raw.find(b"\n") + 1 :] if raw.startswith((b"From ", b">From ")) else raw


def _decode_head(head: bytes) -> str:
    head = head.translate(None, _CONTROLS)
    try:
        return head.decode()
    except UnicodeDecodeError:
        return head.decode("cp1252", "replace")


def _split(body: bytes, mark: bytes) -> Iterator[bytes]:
    """What stands between delimiter lines (RFC 2046, 5.1.1); the last part may lack its end."""
    start = -1
    for at, end, last in _delimiters(body, mark):
        if start >= 0:
            # The line end before a delimiter belongs to that; a part may have none, being empty.
            yield body[start : max(start, at - 1)].removesuffix(b"\r")
        if last:
            return
        start = end
    if start >= 0:
        yield body[start:]


def _delimiters(body: bytes, mark: bytes) -> Iterator[tuple[int, int, bool]]:
    """The beginning and end of each delimiter line, and whether it is the closing one."""
    at = body.find(mark)
    while at >= 0:
        if at == 0 or body[at - 1 : at] == b"\n":
            end = body.find(b"\n", at) + 1 or len(body)
            tail = body[at + len(mark) : end].strip()
            if tail in (b"", b"--"):
                yield at, end, bool(tail)
        at = body.find(mark, at + len(mark))


def parameter(value: str, name: str) -> str:
    """A parameter of a Content-Type or Content-Disposition field, also in the forms of RFC 2231; "" if not there."""
    if name not in value.lower():
        return ""
    found: dict[str, str] = {}
    for key, quoted, plain in _PARAMETER.findall(value):
        found.setdefault(key.lower(), _ESCAPE.sub(r"\1", quoted) if quoted else plain)
    if name in found:
        return found[name]
    if f"{name}*" in found:
        return _extended([found[f"{name}*"]])
    pieces = []
    for number in range(MAX_CONTINUATIONS):
        piece = found.get(f"{name}*{number}*", found.get(f"{name}*{number}"))
        if piece is None:
            break
        pieces.append(piece)
    return _extended(pieces)


def _extended(pieces: list[str]) -> str:
    joined = "".join(pieces)
    charset, quote, rest = joined.partition("'")
    _, second, text = rest.partition("'")
    return decode_text(unquote_to_bytes(text), charset) if quote and second else joined


def decode_words(value: str) -> str:
    """A header's text with its encoded words read (RFC 2047)."""
    if "=?" not in value:
        return value
    return _ENCODED.sub(_decode_word, _BETWEEN_ENCODED.sub("?==?", value))


def _decode_word(match: re.Match[str]) -> str:
    charset, encoding, text = match[1], match[2].lower(), match[3].encode("utf-8", "replace")
    content = from_base64(text) if encoding == "b" else binascii.a2b_qp(text, header=True)
    return decode_text(content, charset)


def decode_text(content: bytes, charset: str) -> str:
    """Bytes as text. A wrong, missing or unknown charset falls back on UTF-8 and then Windows-1252."""
    return read_charset(content, charset)[0]


def read_charset(content: bytes, charset: str) -> tuple[str, str]:
    """Bytes as text, and a note if they are in another charset than the one named, "" if not."""
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
    yield "utf-8-sig"  # text that is valid UTF-8 by chance is next to none in Western charsets


def _guess_utf_16(content: bytes) -> Iterator[str]:
    """UTF-16 without its mark shows in Western text: nearly every other byte is NUL."""
    half = len(content) // 2
    if content[1::2].count(0) * 2 > half:
        yield "utf-16-le"
    elif content[::2].count(0) * 2 > half:
        yield "utf-16-be"


def _decode_line(line: bytes) -> str:
    """A line of a text that is in no one charset, as where an answer is in another than what it quotes."""
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
