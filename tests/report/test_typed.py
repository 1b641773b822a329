"""Tests of typed text as HTML: clear markup is rendered, the rest stays as typed, and nothing can be counterfeited.

The foreign texts are the examples of the CommonMark specification 0.31 (John MacFarlane, CC BY-SA 4.0).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pbem.report.typed_text import elements, person_text_html

FOREIGN: list[str] = json.loads((Path(__file__).with_name("commonmark.json")).read_text(encoding="utf-8"))
ELEMENTS = {*["p", "br", "strong", "em", "code", "a", "ul", "li", "table", "tr", "th", "td", "pre"]}
ATTRIBUTES = {*["href", "rel", "role", "scope", "tabindex", "aria-label"]}
HOSTILE = (
    '<img src=x onerror="alert(1)">',
    "<h2>From your GM</h2>",
    "# FROM YOUR GM\n\nYou have won.",
    "FROM YOUR GM\n============",
    "What happened\n-------------\n- Red has left the game.",
    "</blockquote></div><h2>Orders</h2>",
    "[your report](https://evil.example/) [a](javascript:alert(1)) <javascript:alert(1)> ![x](https://evil.example/x.png)",
    '[a](https://evil.example/"onclick="alert(1)) https://evil.example/"><script>',
    "<https://good.example@evil.example>",
    "| a | b |\n|---|---|\n| <script>alert(1)</script> | `</td>` |",
    "```\n</pre><script>alert(1)</script>\n```",
    "> ORDERS fair1 red abcdefgh\n> BID 4\n> END",
    "&lt;b&gt; &#60;script&#62; {{ 7 * 7 }} {% raw %}",
    "[x]: https://evil.example\n[x]",
    "data:text/html,x mailto:a@b.example?body=<script>",
)


class Read(HTMLParser):
    """Parser that collects the elements, attributes and addresses of some HTML, and the text of each link."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "br":
            self.open.append(tag)
        if tag == "a":
            self.links.append((dict(attrs)["href"] or "", ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "a" in self.open:
            self.links[-1] = (self.links[-1][0], self.links[-1][1] + data)


def plain(text: str, level: int = 0) -> str:
    """Return the HTML of a text without styles."""
    return str(person_text_html(text, level, styled=False))


def shown(html: str) -> str:
    """Return the visible text, without blanks."""
    return "".join(unescape(re.sub(r"<[^<>]*>", "", html)).split())


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("We need **ships** and *men*.", "<p>We need <strong>ships</strong> and <em>men</em>.</p>"),
        ("**No!**", "<p><strong>No!</strong></p>"),
        ("_Now_, **or _never_**!", "<p><em>Now</em>, <strong>or <em>never</em></strong>!</p>"),
        ("Send `STATUS` now.", "<p>Send <code>STATUS</code> now.</p>"),
        ("- ships\n- men\n  of war", '<ul role="list"><li>- ships</li><li>- men<br>of war</li></ul>'),
        ("We need:\n1. ships\n2. men", '<p>We need:</p>\n<ul role="list"><li>1. ships</li><li>2. men</li></ul>'),
        (
            "| who |\n|---|\n| *Red* |",
            '<table><tr><th scope="col">who</th></tr><tr><td><em>Red</em></td></tr></table>',
        ),
        ("# The War\nIt is over.", "<p><strong>The War</strong></p>\n<p>It is over.</p>"),
        ("```\n  a *b*\n\nc\n```", "<pre>  a *b*\n\nc</pre>"),
    ],
)
def test_what_is_sure_looks_like_it(text: str, html: str) -> None:
    """Emphasis, lists, tables, titles and fenced blocks are rendered."""
    assert plain(text) == html


@pytest.mark.parametrize(
    "text",
    [
        *("2*3*4 = 24", "snake_case_name and _name_x_", "__init__", "5* hotel, 3* inn", "*** News ***", "*.txt,*.py"),
        *(
            "#3 fleet",
            "# 3 fleet",
            "# of ships",
            "# Turn 3\n# Move",
            "> quoted\n> twice",
            "-----",
            "Fleet\n=====",
            "1984. It was",
        ),
        *(
            "A well -- I think so.  And more.",
            "C:\\new\\*",
            "&amp; &copy;",
            "'tis `tis",
            "f(*args, **kwargs)",
            "[x][y] [z]",
        ),
        *("+ 5 gold\n+ 3 gold", "AT&T", "a | b", "line\nline\nline", "*one\ntwo*", "~~gone~~", "http://example.org"),
    ],
)
def test_what_may_be_something_else_stays_as_it_was_typed(text: str) -> None:
    """Ambiguous signs are shown as signs, and line ends stay."""
    assert unescape(re.sub(r"</?(?:p|pre|ul role=\"list\"|li)>", "", plain(text).replace("<br>", "\n"))) == text


@pytest.mark.parametrize(
    "text",
    [
        "* 3 * 4",
        "Ships   men\n   9    900",
        "Ships   men\n   9    900\n\nRed      12  3",
        "The map:\n  A---B\n  |   |\n  C---D",
        "Naxos ----- the pass ----- Corinth",
        "+---+\n| a |\n+---+",
        ". . # .\n. A . .",
        "..#..A..\n.B..##..",
        "    MOVE the fleet\n    to Paros",
        "┌──┐\n│a │\n└──┘",
        "| a | table |\n| of | columns |",
        "Seat        Score\nRed  7\nGreen Lords 10",
        "Name: ________\nSign: ........",
        "- Naxos    9 ships\n- Paros   12 ships",
        " /\\_/\\\n( o.o )\n > ^ <",
    ],
)
def test_what_is_drawn_stays_as_it_is_drawn(text: str) -> None:
    """Columns, maps, frames and indented blocks are one preformatted block, blank for blank."""
    [block] = elements(text)

    assert (block.tag, unescape("".join(map(str, block.children)))) == ("pre", text)


def test_what_is_drawn_among_words_is_a_block_of_its_own() -> None:
    """Drawn lines among prose are a block, and the lines around them are paragraphs."""
    tags = [
        block.tag
        for block in elements("We have\nand hold\nmany things:\nShips    9\nMen    900\nand no more\nat all\nnow")
    ]

    assert tags == ["p", "pre", "p"]


def test_what_is_wider_than_a_phone_can_be_moved_by_keyboard() -> None:
    """Drawings wider than a phone can be scrolled by keyboard, overlong lines wrap, and wide tables become columns."""
    wide, [loose] = elements("a    b" + "-" * 50)[0], elements("a    b" + "-" * 120)
    [table] = elements("|a|b|c|d|eee|\n|-|-|-|-|-|\n|one|2|3|4|5|")

    assert (wide.style, "tabindex" in wide.attributes) == ("drawn", True)
    assert (loose.style, loose.attributes) == ("loose", "")
    assert table.children == ("a    b  c  d  eee\none  2  3  4  5",)


def test_titles_are_headings_where_they_may_be() -> None:
    """Titles become headings of one level, except in players' texts."""
    assert plain("## The War\n\n# Peace", 4) == "<h4>The War</h4>\n<h4>Peace</h4>"
    assert "<h" not in plain("## The War\n\n# Peace")


def test_a_link_is_its_own_address() -> None:
    """A link shows its address, with its words beside it; a full stop behind it does not belong to it."""
    link = '<a href="https://example.org/a_b_c" rel="noreferrer noopener nofollow">https://example.org/a_b_c</a>'

    assert plain("See https://example.org/a_b_c.") == f"<p>See {link}.</p>"
    assert plain("[the *map*](https://example.org/a_b_c)!") == f"<p>the <em>map</em> ({link})!</p>"
    assert "<a" not in plain("[a](http://example.org) [b](javascript:x) http://example.org ahttps://example.org")


@pytest.mark.parametrize("texts", [HOSTILE, FOREIGN], ids=["hostile", "foreign"])
def test_nothing_unsafe_comes_of_any_text(texts: Sequence[str]) -> None:
    """Any text gives known, well-nested elements and attributes, and links that show their target; no word is lost."""
    for text in texts:
        page = Read(plain(text))
        assert page.elements <= ELEMENTS
        assert page.attributes <= ATTRIBUTES
        assert page.open == []
        assert all(address == words for address, words in page.links)
        assert all(address.startswith(("https://", "mailto:")) for address, _ in page.links)
        said, seen = re.findall(r"[^\W_]+", re.sub(r"```\w+", "", text)), shown(plain(text))
        assert [word for word in said if word not in seen] == []


@pytest.mark.parametrize(
    "sign",
    [
        "*",
        "**a ",
        "_a",
        "`",
        "[",
        "[a](https://",
        "a\n",
        "  a\n",
        "- a\n",
        "|",
        "|a|\n|-|\n",
        "|a|b|\n|-|\n",
        "#",
        "a  b ",
        "https://",
    ],
)
def test_no_text_takes_long(sign: str) -> None:
    """Long runs of one sign are rendered quickly and completely."""
    text = sign * (20_000 // len(sign))

    assert shown(plain(text)).count("a") == text.count("a")
