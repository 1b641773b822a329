"""Attached files, in the forms in which mail programs attach them, and the larger limit for mail of a GM."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.mail.mailbox import CUT_TO, MAX_GM_MAIL, MAX_MAIL, is_read_whole
from pbem.mail.maildir import MaildirMailbox
from pbem.mail.message import is_truncated, list_attachments, parse_message

GM = "GM war 0123456789abcdef0123\nRULING\nEND\n"

HEAD = b"From: gm@example.org\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nhello\r\n"


def part(*fields: str) -> bytes:
    """Return a mail with one file, which has these fields."""
    return HEAD + b"--b\r\n" + "\r\n".join(fields).encode() + b"\r\n\r\nabc\r\n--b--\r\n"


FORMS = {
    "Thunderbird": (
        part(
            'Content-Type: image/png; name="=?UTF-8?Q?Die_K=C3=BCste=2Epng?="',
            "Content-Disposition: attachment; filename*0*=UTF-8''Die%20K%C3%BCste; filename*1*=%2Epng",
        ),
        ("Die Küste.png", False),
    ),
    "Apple Mail": (
        part(
            'Content-Type: image/png; x-unix-mode=0644; name="=?utf-8?Q?Die_Ku=CC=88ste=2Epng?="',
            "Content-Disposition: inline; filename*=utf-8''Die%20Ku%CC%88ste.png",
        ),
        ("Die Küste.png", True),
    ),
    "Outlook": (
        part(
            'Content-Type: image/png; name="image001.png"',
            "Content-ID: <image001.png@01D>",
            'Content-Disposition: inline; filename="image001.png"; size=3',
        ),
        ("image001.png", True),
    ),
    "an old program": (part('Content-Type: application/octet-stream; name="rules.pdf"'), ("rules.pdf", False)),
    "no name at all": (part("Content-Type: image/jpeg", "Content-ID: <1>"), ("file-1.jpg", True)),
    "a text file": (part('Content-Type: text/plain; name="red.txt"'), ("red.txt", False)),
}


@pytest.mark.parametrize("program", FORMS)
def test_a_file_is_found_in_each_form(program: str) -> None:
    """A file is found with its name, in NFC; pictures shown in the text are marked as inline."""
    raw, (name, inline) = FORMS[program]

    (found,) = list_attachments(raw)
    assert (found.name, found.inline, found.content.strip()) == (name, inline, b"abc")


NONE = {
    "a text": part("Content-Type: text/html"),
    "a footer": part('Content-Type: text/plain; name="ATT00001.txt"'),
    "a signature": part('Content-Type: application/pgp-signature; name="signature.asc"'),
    "a mail inside": part("Content-Type: message/rfc822"),
    "no mail": b"\x00\xff",
}


@pytest.mark.parametrize("what", NONE)
def test_what_is_no_file_of_its_writer_is_none(what: str) -> None:
    """Texts, footers added by servers, signatures and forwarded mails are no files."""
    assert list_attachments(NONE[what]) == []


def mail(text: str, size: int) -> bytes:
    """Return a mail with a file of so many bytes."""
    message = EmailMessage()
    message["From"] = "gm@example.org"
    message.set_content(text)
    message.add_attachment(b"x" * size, maintype="image", subtype="png", filename="map.png")
    return bytes(message)


def test_a_greater_mail_is_read_whole_if_it_is_a_gms(tmp_path: Path) -> None:
    """A larger mail of a GM is read to the last byte; of any other mail only the beginning is read."""
    (tmp_path / "new").mkdir()
    for name, text in (("1", GM), ("2", "ORDERS war red 0123456789abcdef0123\nEND\n")):
        (tmp_path / "new" / name).write_bytes(mail(text, MAX_MAIL))
    first, second = sorted(
        (each for batch in MaildirMailbox(tmp_path, name="inbox").batches() for each in batch),
        key=lambda each: each.uid,
    )

    assert [len(each.content) for each in list_attachments(first.raw)] == [MAX_MAIL]
    assert parse_message(first.raw).text.startswith("GM war")
    assert len(second.raw) < 70_000
    assert [is_truncated(each.raw) for each in (first, second)] == [False, True]


def test_a_gms_mail_has_its_bounds_too() -> None:
    """A GM's mail beyond its limit is cut, and so is one whose GM line comes too late."""
    assert is_read_whole(GM.encode(), MAX_GM_MAIL)
    assert not is_read_whole(GM.encode(), MAX_GM_MAIL + 1)
    assert not is_read_whole(b"x" * CUT_TO + b"\n" + GM.encode(), MAX_MAIL + 1)
    assert not is_read_whole(b"GM is away until Monday\n", MAX_MAIL + 1)
