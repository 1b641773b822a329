"""Mails for tests, as bytes."""

from __future__ import annotations

from pbem.mail.message import Message, parse_message


def mail(body: str | bytes = "", *fields: str, sender: str = "Ann <ann@example.org>") -> bytes:
    """Return a mail from Ann to the order address, with further header fields and a body; text becomes UTF-8."""
    head = [f"From: {sender}", "To: orders@example.org", *fields]
    content = body if isinstance(body, bytes) else body.replace("\n", "\r\n").encode()
    return "\r\n".join(head).encode() + b"\r\n\r\n" + content


def letter(body: str | bytes = "", *fields: str, sender: str = "Ann <ann@example.org>") -> Message:
    """Return such a mail as parsed."""
    return parse_message(mail(body, *fields, sender=sender))


def text(body: str | bytes, *fields: str) -> str:
    """Return the text read from such a mail."""
    return letter(body, *fields).text


def multipart(kind: str, *parts: bytes, boundary: str = "next") -> tuple[bytes, str]:
    """Return body and Content-Type field of a multipart; each part has its own header fields."""
    body = b"".join(b"--" + boundary.encode() + b"\r\n" + part + b"\r\n" for part in parts)
    return body + b"--" + boundary.encode() + b"--\r\n", f'Content-Type: multipart/{kind}; boundary="{boundary}"'


def part(content: str | bytes, *fields: str) -> bytes:
    """Return a part of a multipart, with its header fields; text becomes UTF-8."""
    octets = content if isinstance(content, bytes) else content.encode()
    return "".join(f"{field}\r\n" for field in fields).encode() + b"\r\n" + octets
