"""The text that a player typed is found in the forms that mail programs give it."""

from __future__ import annotations

import base64

import pytest

from pbem.mail.mailbox import MAX_MAIL, truncate_message
from pbem.mail.message import MAX_PARTS, AttachedText, parse_message
from pbem.mail.reply_parser import rejoin_lines
from tests.mail.letters import letter, mail, multipart, part, text

ORDERS = "MOVE scout-1 TO B7\nBUILD mine"
HTML = "Content-Type: text/html; charset=utf-8"
PLAIN = "Content-Type: text/plain; charset=utf-8"


def test_plain_text() -> None:
    """A plain mail is read line by line, without blanks before and after the text."""
    read = letter(f"\n{ORDERS}  \n\n")

    assert read.lines == ["MOVE scout-1 TO B7", "BUILD mine"]
    assert read.notes == ()


def test_an_empty_mail_has_no_lines() -> None:
    """A mail without text has no lines, not one empty line."""
    assert letter().lines == []


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("quoted-printable", b"MOVE =\r\nscout-1 TO B=37\r\nBUILD mine=20\r\n"),
        ("base64", base64.b64encode(ORDERS.encode())),
        ("BASE64", base64.encodebytes(ORDERS.encode()).replace(b"\n", b"\r\n")),
        ("base64", base64.b64encode(ORDERS.encode()) + b"A"),
        ("8bit", ORDERS.encode()),
        ("x-unknown", ORDERS.encode()),
    ],
)
def test_transfer_encodings(encoding: str, body: bytes) -> None:
    """Quoted-printable and base64 are decoded, soft line ends included; other encodings change nothing."""
    assert text(body, f"Content-Transfer-Encoding: {encoding}") == ORDERS


@pytest.mark.parametrize(
    ("charset", "octets"),
    [
        ("utf-8", "Größe — 1".encode()),
        ("utf-8", "Größe — 1".encode("cp1252")),
        ("iso-8859-1", "Größe — 1".encode("cp1252")),
        ("iso-8859-1", "Größe — 1".encode()),
        ("us-ascii", "Größe — 1".encode()),
        ("x-nonsense", "Größe — 1".encode()),
        ("hex", "Größe — 1".encode()),
        ("utf-8", b"\xef\xbb\xbf" + "Größe — 1".encode()),
        ("utf-16", "Größe — 1".encode("utf-16")),
        ("utf-16le", "Größe — 1".encode("utf-16-le")),
        ('"UTF-8"', "Größe — 1".encode()),
    ],
)
def test_charsets(charset: str, octets: bytes) -> None:
    """Text is decoded by its charset, and by the likeliest one where that is wrong, unknown or missing."""
    assert text(octets, f"Content-Type: text/plain; charset={charset}") == "Größe - 1"


def test_no_charset() -> None:
    """Without any Content-Type text is UTF-8, or Windows-1252 if it cannot be."""
    assert [text("Größe".encode(charset)) for charset in ("utf-8", "cp1252")] == ["Größe", "Größe"]


def test_typographers_characters() -> None:
    """Blanks, quotes and dashes of word processors become plain ones; invisible characters are dropped."""
    assert (
        text("MOVE\u00a0\u201cNew\u2009Hope\u201d \u2013\u200b1 \u2018x\u2019 \u2212 2\ufeff\u00ad…\n")
        == "MOVE \"New Hope\" -1 'x' - 2..."
    )


def test_line_ends_of_every_kind() -> None:
    """Each kind of line end ends a line, and NUL is dropped."""
    assert text(b"a\rb\nc\r\nd\x0be\x0cf\xe2\x80\xa8g\x00h") == "a\nb\nc\nd\ne\nf\ngh"


def test_flowed_text_is_joined() -> None:
    """In format=flowed a blank before a line end is soft, and a stuffed blank before a line is dropped (RFC 3676)."""
    body = "MOVE scout-1 \nTO B7\n From here\n> quoted \n> text\nBUILD mine"

    assert text(body, "Content-Type: text/plain; format=flowed") == "MOVE scout-1 TO B7\nFrom here\nBUILD mine"
    assert text("MOVE sco \nut-1", "Content-Type: text/plain; format=flowed; delsp=yes") == "MOVE scout-1"


def test_plain_text_goes_before_html() -> None:
    """Of alternatives the plain text is read."""
    assert text(*multipart("alternative", part(ORDERS, PLAIN), part("<p>WAIT</p>", HTML))) == ORDERS


def test_an_empty_alternative_is_passed_over() -> None:
    """If the plain text is blank, the HTML is read."""
    assert text(*multipart("alternative", part(" \n", PLAIN), part("<p>WAIT</p>", HTML))) == "WAIT"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<div>MOVE a</div><div>BUILD&nbsp;b<br>WAIT</div>", "MOVE a\nBUILD b\nWAIT"),
        ("<p>MOVE\n  a</p>\n<p>BUILD b</p>", "MOVE a\nBUILD b"),
        ("<ul><li>MOVE a<li>BUILD b</ul>", "MOVE a\nBUILD b"),
        ("<table><tr><td>MOVE</td><td>a</td></tr><tr><td>WAIT</td></tr></table>", "MOVE a\nWAIT"),
        ("<pre>MOVE a\nBUILD b</pre>", "MOVE a\nBUILD b"),
        ("<style>p { color: red }</style><title>Hi</title><!-- <p>x</p> --><script>1<2</script>MOVE a", "MOVE a"),
        ("MOVE a<blockquote>BUILD b<blockquote>c</blockquote>d</blockquote>WAIT", "MOVE a\nWAIT"),
        ("<b>MOVE</b> &lt;a&gt; &quot;b&quot; &#66; &#x43;", 'MOVE <a> "b" B C'),
        ("<div>WAIT</div>On Friday Bob wrote:<blockquote>MOVE a</blockquote>", "WAIT"),
        ("MOVE a <!-- never closed", "MOVE a"),
        ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
        (f"&#{'9' * 5000};WAIT", "\ufffdWAIT"),
    ],
)
def test_html_alone(markup: str, expected: str) -> None:
    """HTML becomes a line for each block, without quotations, styles and comments."""
    assert text(markup, HTML) == expected


MOBILE = '<div dir="ltr">{}<br></div><div id="ms-outlook-mobile-signature">{}<div>Get Outlook for iOS</div></div>'


def test_orders_typed_into_a_signature() -> None:
    """Text in the signature of Outlook for telephones, where the cursor lands, counts if there is none above it."""
    assert text(MOBILE.format("", "<div>WAIT</div>"), HTML) == "WAIT"
    assert text(MOBILE.format("WAIT", "<div>Ann</div>"), HTML) == "WAIT"


@pytest.mark.parametrize(
    "mark",
    [
        *('div class="yahoo_quoted"', 'hr id="zwchr"', 'span id="OLK_SRC_BODY_SECTION"'),
        'div id="mail-editor-reference-message-container"',
    ],
)
def test_originals_marked_in_html(mark: str) -> None:
    """An original that a program marks in its HTML alone is left out, in any language."""
    assert text(f"<p>WAIT</p><{mark}><p>Ngày 20: Pbem</p><p>Your ships:</p>", HTML) == "WAIT"


ORDER_FILE = 'Content-Disposition: attachment; filename="orders.txt"'


def test_orders_in_an_attached_file() -> None:
    """A sheet in an attached text file counts before the mail's own text, and a note says so."""
    sheet = f"ORDERS trap7 red code\n{ORDERS}\nEND"
    file = part(sheet, "Content-Type: application/octet-stream", ORDER_FILE)
    read = letter(*multipart("mixed", part("See attachment.", PLAIN), file))

    assert read.text == sheet
    assert read.notes == ("The orders were read from the attached orders.txt, not from the mail's text.",)


def test_a_file_without_an_orders_line() -> None:
    """A file without an ORDERS line is kept beside the mail's own text; beside an empty mail it is the text."""
    file = part(ORDERS, "Content-Type: application/octet-stream", ORDER_FILE)
    read = letter(*multipart("mixed", part("See attachment.", PLAIN), file))

    assert (read.text, read.filed) == ("See attachment.", AttachedText("orders.txt", ORDERS))
    assert text(*multipart("mixed", part("Sent from my iPhone", PLAIN), file)) == ORDERS


@pytest.mark.parametrize("said", ["application/pdf", "image/png"])
def test_a_file_that_is_no_text(said: str) -> None:
    """A file of another type is not read as orders, whatever its name is."""
    file = part("%PDF-1.7", f"Content-Type: {said}", ORDER_FILE)

    assert letter(*multipart("mixed", part(ORDERS, PLAIN), file)).filed is None


def test_a_part_of_unreadable_type() -> None:
    """A part whose type cannot be understood is never orders, and a note says that it was not read."""
    read = letter(*multipart("mixed", part("WAIT", PLAIN), part("BUILD mine", "Content-Type: image")))

    assert (read.text, len(read.notes)) == ("WAIT", 1)


@pytest.mark.parametrize("said", ["text", "text; charset=utf-8", "; charset=utf-8", "charset=utf-8"])
def test_a_part_that_hardly_names_its_type(said: str) -> None:
    """The type that very old programs write for plain text is understood."""
    assert text(*multipart("mixed", part(ORDERS, f"Content-Type: {said}"))) == ORDERS


def test_alternatives_without_html() -> None:
    """The text of an alternative is read if a list, bridge or forwarder has removed its HTML."""
    assert letter(*multipart("alternative", part(ORDERS, PLAIN))).text == ORDERS
    assert text(*multipart("alternative", part(ORDERS, PLAIN), part(ORDERS, PLAIN))) == ORDERS


def test_a_sheet_in_the_mail_goes_before_a_file_without_one() -> None:
    """If the mail's own text begins a sheet, and a file does not, the mail's text is read."""
    sheet = f"ORDERS trap7 red code\n{ORDERS}\nEND"

    assert text(*multipart("mixed", part(sheet, PLAIN), part("A joke.", ORDER_FILE))) == sheet


def test_a_footer_that_exchange_attaches_is_no_sheet() -> None:
    """Disclaimers attached under a name such as ATT00001.txt are skipped."""
    footer = 'Content-Disposition: attachment; filename="ATT00001.txt"'

    assert text(*multipart("mixed", part(ORDERS, PLAIN), part("Confidential!", footer))) == ORDERS


@pytest.mark.parametrize(
    "disposition",
    [
        "Content-Disposition: inline; filename=ORDERS.TXT",
        "Content-Disposition: attachment; filename*=utf-8''best%20orders.txt",
        'Content-Disposition: attachment; filename*0="my "; filename*1=orders.txt',
        'Content-Type: application/octet-stream; name="=?utf-8?q?orders=2Etxt?="',
    ],
)
def test_names_of_files(disposition: str) -> None:
    """A file's name is read in all the forms that standards allow (RFC 2183, 2231, 2047)."""
    assert text(*multipart("mixed", part(" ", PLAIN), part(ORDERS, disposition))) == ORDERS


def test_a_file_beside_html() -> None:
    """A file is found also where a mail program put it beside the HTML, inside the alternatives."""
    sheet = f"ORDERS trap7 red code\n{ORDERS}\nEND"
    inner, inner_type = multipart("mixed", part("<p>x</p>", HTML), part(sheet, ORDER_FILE), boundary="inner")
    assert text(*multipart("alternative", part("x", PLAIN), part(inner, inner_type))) == sheet


def test_what_is_not_read_is_told() -> None:
    """A file of another kind, an invitation and a forwarded mail are left out, and the notes say so."""
    body, field = multipart(
        "mixed",
        part(ORDERS, PLAIN),
        part(b"PK", "Content-Type: application/zip", "Content-Disposition: attachment; filename=orders.zip"),
        part(mail("MOVE b"), "Content-Type: message/rfc822"),
        part("x", "Content-Type: text/calendar"),
    )
    read = letter(body, field)

    assert read.text == ORDERS
    assert read.notes == (
        "The attached orders.zip was not read: please write the orders into the mail itself.",
        "The invitation in the mail (calendar) was not read.",
        "A mail inside the mail was not read.",
    )


def test_a_file_with_an_id_is_told_and_a_logo_is_not() -> None:
    """Apple Mail gives ids to all files; a picture with one is shown by the HTML."""
    named = "Content-Disposition: attachment; filename={}"
    word = part(b"PK", "Content-Type: application/msword", named.format("orders.doc"), "Content-ID: <1@example.org>")
    logo = part(b"PNG", "Content-Type: image/png", named.format("logo.png"), "Content-ID: <2@example.org>")
    read = letter(*multipart("mixed", part(ORDERS, PLAIN), word, logo))

    assert read.notes == ("The attached orders.doc was not read: please write the orders into the mail itself.",)


def test_encrypted_mail() -> None:
    """Encrypted mail cannot be read; its sender is asked for plain text."""
    read = letter(*multipart("encrypted", part("x", "Content-Type: application/pgp-encrypted")))

    assert (read.text, read.notes) == ("", ("The mail is encrypted and could not be read; send it as plain text.",))


def test_a_signed_mail() -> None:
    """Of a signed mail the first part is read, not the signature."""
    assert text(*multipart("signed", part(ORDERS, PLAIN), part("x", PLAIN))) == ORDERS


def test_a_multipart_without_its_boundary() -> None:
    """If a multipart's boundary is missing, or does not occur in it, the whole body is its text."""
    for parameter in ("", "; boundary=other"):
        assert text(ORDERS, f"Content-Type: multipart/mixed{parameter}") == ORDERS


def test_a_multipart_that_breaks_off() -> None:
    """The last part may lack its end."""
    body, field = multipart("mixed", part(ORDERS, PLAIN))

    assert text(body.partition(b"--next--")[0], field) == ORDERS


def test_a_mail_that_was_cut() -> None:
    """A note tells if only the beginning of a mail was read."""
    note = ("The mail is too big; only its beginning was read.",)

    assert parse_message(truncate_message(mail(ORDERS), 5_000_000)).notes == note
    assert parse_message(mail(ORDERS + "\n") + b" " * MAX_MAIL).notes[0] == note[0]


def test_too_many_parts() -> None:
    """Of a thousand parts a hundred are read."""
    read = letter(*multipart("mixed", *[part("WAIT", PLAIN)] * 1000))

    assert len(read.lines) == MAX_PARTS
    assert read.notes == ("The mail has too many parts; not all were read.",)


def test_too_many_parts_inside_parts() -> None:
    """A thousand multiparts one inside the other are entered only to a limited depth."""
    body, field = b"WAIT", PLAIN
    for depth in range(1000):
        body, field = multipart("mixed", part(body, field), boundary=f"b{depth}")
    read = letter(body, field)

    assert read.notes == ("The mail has too many parts inside parts; not all were read.",)


LONG = "FIRE S2 AT S7 WITH laser-1 laser-2 laser-3 missile-1 missile-2 missile-3"


def test_entries_of_a_list_are_not_taken_for_broken_lines() -> None:
    """A long order that is followed by the next number, letter or mark of a list is whole; no note doubts it."""
    for marks in ("1. 2.", "1) 2)", "a) b)", "- -", "* *"):
        one, two = marks.split()
        lines = [f"{one} {LONG}", f"{two} MOVE S2 TO Naxos"]

        assert rejoin_lines(lines) == (lines, [])


def test_a_broken_entry_of_a_list_is_joined_by_the_html_of_its_mail() -> None:
    """HTML, which has no numbers, shows where the entries of a numbered list are whole."""
    other = LONG.replace("S2", "S3")
    lines = [f"1. {LONG}", "missile-4", f"2. {other}", "MOVE S2 TO Naxos"]
    html = f"{LONG} missile-4\n{other}\nMOVE S2 TO Naxos"

    joined, notes = rejoin_lines(lines, lambda: html)

    assert joined == [f"1. {LONG} missile-4", f"2. {other}", "MOVE S2 TO Naxos"]
    assert len(notes) == 1
    assert notes[0].startswith("1 line was joined again")


def test_a_broken_entry_of_a_list_is_doubted() -> None:
    """Without HTML the note names the entry that was broken, and not the next one."""
    _, notes = rejoin_lines([f"1. {LONG}", "missile-4", "2. MOVE S2 TO Naxos"])

    assert len(notes) == 1
    assert notes[0].startswith("1 line may have been broken by your mail program: '1. FIRE S2")
