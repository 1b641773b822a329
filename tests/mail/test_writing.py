"""Composed mail is valid for other programs, reproducible, and safe from injected headers."""

from __future__ import annotations

import datetime as dt
import email
import email.policy
from dataclasses import replace
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.compose import MailPart, NewMail, compose, text_only
from pbem.mail.message import parse_message

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
MAIL = NewMail(
    recipient="ann@example.org",
    subject="[trap7 abcdefghijklmnop] turn 3",
    text="Your ships:\nscout-1\n",
    message_id="<abc@example.org>",
    reply_to="orders+abcdefghijklmnop@example.org",
)
PICTURE = MailPart("map.png", "image/png", b"\x89PNG" * 100, content_id="map")
DATA = MailPart("red-3.json", "application/json", b'{"seat":"red"}')


def composed(mail: NewMail) -> bytes:
    """Return the bytes of a mail from the order address at noon."""
    return compose(mail, sender="orders@example.org", sender_name="Play by Email", at=NOON)


def parsed(mail: NewMail) -> EmailMessage:
    """Return the mail as parsed by Python's own parser, which must find no defect."""
    message = email.message_from_bytes(composed(mail), policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    assert not [defect for part in message.walk() for defect in part.defects]
    return message


def test_a_plain_mail() -> None:
    """A mail of text alone is a single part; this is all of it."""
    assert (
        composed(MAIL).decode().replace("\r\n", "\n")
        == """\
From: "Play by Email" <orders@example.org>
To: ann@example.org
Reply-To: orders+abcdefghijklmnop@example.org
Subject: [trap7 abcdefghijklmnop] turn 3
Date: Fri, 20 Nov 2026 12:00:00 +0000
Message-ID: <abc@example.org>
Precedence: bulk
Auto-Submitted: auto-generated
X-Auto-Response-Suppress: All
X-Pbem-Loop: orders@example.org
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 7bit

Your ships:
scout-1
"""
    )


def test_an_answer_names_what_it_answers() -> None:
    """An answer has In-Reply-To, its references oldest first, and says that it is an answer."""
    answer = replace(MAIL, in_reply_to="<b@x>", references=("<a@x>", "<b@x>"), automatic="auto-replied")
    message = parsed(answer)

    assert (message["In-Reply-To"], message["References"]) == ("<b@x>", "<a@x> <b@x>")
    assert message["Auto-Submitted"] == "auto-replied"


def test_what_a_person_writes_is_not_automatic() -> None:
    """A mail composed in a player's place carries none of the marks of a program."""
    assert parse_message(composed(MAIL)).machine.reason == "this program wrote it"
    assert parse_message(composed(replace(MAIL, automatic=""))).machine.reason == ""


def test_text_html_picture_and_file() -> None:
    """Text and HTML are alternatives, a picture is related to the HTML, and files are beside both."""
    message = parsed(replace(MAIL, html="<img src='cid:map'>", parts=(PICTURE, DATA), list_id="<trap7.example.org>"))

    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "application/json",
    ]
    assert message["List-Id"] == "<trap7.example.org>"


def test_parts_come_back_whole() -> None:
    """Every part has its name, its kind and its content."""
    message = parsed(replace(MAIL, html="<p>x</p>", parts=(PICTURE, DATA)))
    picture, data = (part for part in message.walk() if part.get_filename())

    assert (picture.get_filename(), picture["Content-ID"], picture.get_content()) == (
        "map.png",
        "<map>",
        PICTURE.content,
    )
    assert (data.get_filename(), data.get_content_disposition(), data.get_content()) == (
        "red-3.json",
        "attachment",
        DATA.content,
    )


@pytest.mark.parametrize(
    "content",
    [b"", b"no end", b"Rules\n\n- a = b \n.\nFrom x\n", b"a\r\nb\r\rc\n", "Größe\n".encode() * 50, b"\xff\x00 \t" * 99],
)
def test_text_files_are_sent_without_base64(content: bytes) -> None:
    """A file of text, which filters suspect in base64, arrives byte for byte in another encoding, in short lines."""
    file = MailPart("rules.txt", "text/plain; charset=utf-8", content)
    [part] = parsed(replace(MAIL, parts=(file,))).iter_attachments()

    assert (part["Content-Transfer-Encoding"], part.get_payload(decode=True)) == ("quoted-printable", content)
    assert max(map(len, composed(replace(MAIL, parts=(file,))).splitlines())) <= 78


def test_a_picture_without_html_is_a_file() -> None:
    """A picture that no HTML shows is a file like others."""
    assert [part.get_content_type() for part in parsed(replace(MAIL, parts=(PICTURE,))).walk()][-1] == "image/png"


@pytest.mark.parametrize(
    "text",
    [
        "Größe – 1\n" * 30,
        "x" * 2000 + "\n",
        ".\n..\nFrom here\n",
        "trailing \n\ttab\t\n",
        "=3D =\n",
        "-- \n",
        "",
        "no line end",
        "a\r\nb\rc\n",
    ],
)
def test_texts_come_back_whole(text: str) -> None:
    """Text comes back as written but for its line ends, and no line of the mail is longer than 998 characters."""
    mail = replace(MAIL, text=text, html="<p>" + text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n") + "\n"
    texts = [part.get_content() for part in parsed(mail).walk() if part.get_content_maintype() == "text"]

    assert [content.replace("\r\n", "\n") for content in texts] == [lines, "<p>" + lines]
    assert max(map(len, composed(mail).split(b"\r\n"))) <= 998


@pytest.mark.parametrize(
    "subject",
    ["turn 3 – Größe", "x" * 300, "word " * 60 + "end", "=?utf-8?q?not_encoded?=", "日本語" * 30, "", "two  blanks"],
)
def test_subjects_come_back_whole(subject: str) -> None:
    """A subject of any length and script is read back as written, from lines of at most 78 characters."""
    mail = replace(MAIL, subject=subject)

    assert parsed(mail)["Subject"] == subject
    assert max(map(len, composed(mail).partition(b"\r\n\r\n")[0].split(b"\r\n"))) <= 78


@given(st.text(max_size=40))
def test_no_text_can_add_a_header(hostile: str) -> None:
    """No content of names, subjects and ids changes the set of header fields."""
    clean = composed(replace(MAIL, in_reply_to="<x>", references=("<x>",), list_id="<x>", parts=(DATA,)))
    mail = replace(
        MAIL,
        recipient=hostile,
        subject=hostile,
        message_id=hostile,
        reply_to=hostile,
        in_reply_to="<x>" + hostile,
        references=(hostile,),
        list_id="<x>" + hostile,
        parts=(replace(DATA, name=hostile),),
    )
    raw = compose(mail, sender="orders@example.org", sender_name=hostile, at=NOON)

    assert names(raw) == names(clean)


def names(raw: bytes) -> list[bytes]:
    """Return the names of all header fields before the first empty line."""
    lines = raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return [line.partition(b":")[0] for line in lines if not line.startswith(b" ")]


def test_a_mail_composed_twice_is_the_same() -> None:
    """Boundaries follow from the Message-ID, so the same mail has the same bytes, and another mail has others."""
    mail = replace(MAIL, html="<p>x</p>", parts=(PICTURE,))

    assert composed(mail) == composed(mail)
    assert composed(mail) != composed(replace(mail, message_id="<other@example.org>"))


def test_what_is_written_is_read() -> None:
    """The program parses its own mail: address, ids, and the text."""
    letter = parse_message(composed(replace(MAIL, text="Größe\nWAIT\n", references=("<a@x>",), in_reply_to="<a@x>")))

    assert (letter.sender, letter.message_id, letter.references) == (
        "orders@example.org",
        "<abc@example.org>",
        ("<a@x>",),
    )
    assert letter.lines == ["Größe", "WAIT"]


def test_a_name_in_another_script() -> None:
    """The sender's name may hold quotes and letters of any script."""
    for name in ('The "Trap" house', "Häuschen", "日本語"):
        raw = compose(MAIL, sender="orders@example.org", sender_name=name, at=NOON)
        message = email.message_from_bytes(raw, policy=email.policy.default)
        assert [(address.display_name, address.addr_spec) for address in message["From"].addresses] == [
            (name, "orders@example.org")
        ]


def test_a_file_name_in_another_script() -> None:
    """The name of a file may hold letters of any script (RFC 2231)."""
    message = parsed(replace(MAIL, parts=(replace(DATA, name="größe 3%.json"),)))

    assert [part.get_filename() for part in message.iter_attachments()] == ["größe 3%.json"]


@pytest.mark.parametrize("text", ["Your ships:\nscout-1\n", "Größe\n", "--=_\r\n--=_x\r\nend", ""])
@pytest.mark.parametrize("html", ["", "<p>Your ships<img src='cid:map'>"])
def test_the_text_of_a_mail_alone(text: str, html: str) -> None:
    """A mail without its HTML and files has the bytes of one composed without them."""
    whole = replace(MAIL, text=text, html=html, parts=(PICTURE, DATA))

    assert text_only(composed(whole)) == composed(replace(MAIL, text=text))


def test_text_alone_stays_as_it_is() -> None:
    """A mail of text alone is not changed."""
    assert text_only(composed(MAIL)) == composed(MAIL)


def test_a_long_thread_keeps_its_first_mail() -> None:
    """Of more references than a header should have, the first and the last are kept."""
    long = parsed(replace(MAIL, references=tuple(f"<{number}@x>" for number in range(50))))

    assert str(long["References"]).split() == ["<0@x>", *(f"<{number}@x>" for number in range(31, 50))]
