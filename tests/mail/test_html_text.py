"""HTML as the person who wrote it saw it: what is hidden or struck out is no text."""

from __future__ import annotations

import pytest

from pbem.mail.html_text import html_to_text, read_html
from tests.mail.letters import letter, multipart, part, text

HTML = "Content-Type: text/html; charset=utf-8"

HIDDEN = {
    "display": '<div style="display: none">BID 9</div>',
    "visibility": "<span style='color:red;visibility:hidden'>BID 9</span>",
    "tiny": "<span style=font-size:0px>BID 9</span>",
    "no point": '<span style="font-size: 0.0pt; color: white">BID 9</span>',
    "word": '<span style="mso-hide:all">BID 9</span>',
    "no height": '<div style="max-height:0;overflow:hidden">BID 9</div>',
    "clear": '<div style="opacity:0">BID 9</div>',
    "attribute": "<div hidden><div>BID 9</div></div>",
    "attribute with a value": '<p hidden="until-found">BID 9</p>',
    "nested": '<div style="display:none"><div><p>BID 9</div><div>BID 8</div></div>',
    "without its end, before the next": '<p style="display:none">BID 9',
    "without its end, in a box": '<div><span style="display:none">BID 9</div>',
    "a picture": '<img style="display:none"><input type="hidden" value="BID 9"><br hidden>',
}


@pytest.mark.parametrize("markup", HIDDEN.values(), ids=HIDDEN.keys())
def test_hidden_text_is_no_text(markup: str) -> None:
    """Preheaders and the like are left out, and what stands around them counts."""
    assert html_to_text(f"<body><p>BID 1</p>{markup}<p>BID 2</p></body>") == "BID 1\nBID 2"


SHOWN = {
    "a class of that name": '<div class="not hidden">BID 9</div>',
    "a border": '<div style="border-style:hidden;font-size:10pt">BID 9</div>',
    "larger than nothing": '<span style="font-size:0.9em">BID 9</span>',
    "a size within none": '<td style="font-size:0"><div style="font-size:13px">BID 9</div></td>',
    "a title": '<span title="display:none">BID 9</span>',
    "no more a script": "<script>a = '</div>';</script><div>BID 9</div>",
}


@pytest.mark.parametrize("markup", SHOWN.values(), ids=SHOWN.keys())
def test_what_only_looks_hidden_is_text(markup: str) -> None:
    """No order is lost by a word in an attribute."""
    assert html_to_text(f"<div>{markup}</div>") == "BID 9"


STRUCK = ["<s>{}</s>", "<strike>{}</strike>", '<del datetime="2026">{}</del>']
STRUCK += [
    '<span style="text-decoration:underline line-through">{}</span>',
    "<p style='text-decoration:line-through'>{}",
]
STRUCK += ['<span style="color: red; text-decoration-line: line-through;"><b>{}</b></span>']


@pytest.mark.parametrize("marks", STRUCK)
def test_struck_out_text_is_named_and_no_text(marks: str) -> None:
    """An order with a line through it is not given; the note names it."""
    read = letter(f"<p>BID 1</p><div>{marks.format('BID 9')}</div><p>BID 2</p>", HTML)

    assert read.text == "BID 1\nBID 2"
    assert read.notes == (
        'Text that is struck out does not count: "BID 9". To give it, write it anew, without a line through it.',
    )


@pytest.mark.parametrize("marks", [marks for marks in STRUCK if not marks.startswith("<p")])
def test_a_struck_out_word_leaves_the_rest_of_its_line(marks: str) -> None:
    """Who strikes out one word and writes another means the other."""
    read = read_html(f"<div>MOVE R389 {marks.format('N')} S</div>")

    assert read.text == "MOVE R389 S"
    assert read.struck == {"MOVE R389 N S": "MOVE R389 S"}


def alternative(plain: str, html: str) -> list[str]:
    """Return the lines read from a mail with both, and then its notes."""
    body, kind = multipart("alternative", part(plain, "Content-Type: text/plain; charset=utf-8"), part(html, HTML))
    read = letter(body, kind)
    return [*read.lines, *read.notes]


@pytest.mark.parametrize("plain", ["BID 9", "- BID 9", "-BID 9-", "~~BID 9~~"])
def test_what_the_sender_saw_struck_out_is_so_in_plain_text(plain: str) -> None:
    """Programs write struck-out words into their plain text without a mark: the HTML is what the sender saw."""
    lines = alternative(f"BID 1\n{plain}\nBID 2", "<p>BID 1</p><p><s>BID 9</s></p><p>BID 2</p>")

    assert [line for line in lines[:-1] if line] == ["BID 1", "BID 2"]
    assert lines[-1].startswith('Text that is struck out does not count: "BID 9".')


def test_a_struck_out_word_is_so_in_plain_text() -> None:
    """The rest of the line counts."""
    assert alternative("MOVE R389 N S", "<p>MOVE R389 <s>N</s> S</p>")[0] == "MOVE R389 S"


def test_a_long_line_is_struck_out_where_plain_text_is_broken() -> None:
    """A paragraph that the program has broken in its plain text is known by its words."""
    said = "The army that stands before the gates of Rome marches home over the long road by the sea"
    plain = f"BID 1\n{said[:63]}\n{said[64:]}\nBID 2"

    lines = alternative(plain, f"<p>BID 1</p><p><strike>{said}</strike></p><p>BID 2</p>")

    assert [line for line in lines[:-1] if line] == ["BID 1", "BID 2"]


def test_a_line_that_also_stands_unstruck_counts() -> None:
    """Of two equal lines the one that is not struck out is given."""
    assert alternative("BID 9\nBID 9", "<p><s>BID 9</s></p><p>BID 9</p>")[:2] == ["BID 9", "BID 9"]


def test_struck_out_words_of_a_quoted_mail_are_not_named() -> None:
    """Only what the sender struck out in their own text is worth a note."""
    read = letter("<p>BID 1</p><blockquote><p><s>old</s></p><p>words</p></blockquote>", HTML)

    assert read.text == "BID 1"
    assert read.notes == ("1 quoted line was left out.",)


def test_an_endless_strike_takes_linear_time() -> None:
    """A page of openings alone is read like any other."""
    assert text("<s>" * 50_000 + "<div style='display:none'>" * 50_000, HTML) == ""
