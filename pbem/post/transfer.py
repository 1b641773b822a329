"""Transfer encodings undone (RFC 2045, 6), also where they are damaged, not there, or there without a word."""

from __future__ import annotations

import binascii
import re

_BASE64_LINE = re.compile(rb"[A-Za-z0-9+/]*+={0,2}[ \t\r]*+")
_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/]++=*+")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/=]++")
_BASE64_TEXT = re.compile(rb"\A\s*+(?:[A-Za-z0-9+/]{60,76}\r?\n)*+[A-Za-z0-9+/]{4,76}={0,2}\s*+")
_SHORTEST_BASE64 = 40
"""Characters without a blank that no person types."""

_PADDED_BREAK = re.compile(rb"=[ \t]++(?=\r?\n)")
_SOFT_BREAK = re.compile(rb"[^\r\n]{69,75}=\r?\n")
"""A line that an encoder has filled before it broke it: 76 characters are the most (RFC 2045, 6.7)."""

_NO_ESCAPE = re.compile(rb"=(?![0-9A-F]{2}|\r?\n)")

_NOT_SO = "The mail's text is not in {}, as it says; it was read as it stands."
_NOT_SAID = "The mail's text is in {} without saying so; that was undone."
_DAMAGED = "The mail's text came damaged (base64); some of it may be missing."


def decode_transfer(body: bytes, encoding: str) -> tuple[bytes, str]:
    """A body without its transfer encoding, and a note on what was wrong with it, "" if nothing."""
    encoding = encoding.strip(" \t\"';").lower()
    if encoding == "quoted-printable":
        return from_quoted_printable(body), ""
    if encoding == "base64":
        return _from_base64_lines(body)
    return _undeclared(body)


def from_quoted_printable(body: bytes) -> bytes:
    """Quoted-printable undone; blanks that a mail server put behind a soft line end do not undo it."""
    if b"= " in body or b"=\t" in body:
        body = _PADDED_BREAK.sub(b"=", body)
    return binascii.a2b_qp(body)


def from_base64(body: bytes) -> bytes:
    """Base64 undone; letters that do not belong to it are passed over, and pieces may be padded one by one."""
    try:
        if b"=" not in body.rstrip(b"=\r\n \t"):
            return binascii.a2b_base64(body + b"==")  # more padding than needed does no harm, less is an error
    except binascii.Error:  # one letter too many at the end
        pass
    return b"".join(map(_from_run, _BASE64_RUN.findall(_NOT_BASE64.sub(b"", body))))


def _from_run(run: bytes) -> bytes:
    letters = run.rstrip(b"=")
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"==")


def _from_base64_lines(body: bytes) -> tuple[bytes, str]:
    """Base64 undone; text that something on the way put behind it stays as it is."""
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


def _undeclared(body: bytes) -> tuple[bytes, str]:
    """The body, unless it is beyond doubt in an encoding that its header does not name."""
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
