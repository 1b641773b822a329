"""HTML mail to lines of text, as far as orders need it.

`html.parser` takes cubic time on hostile input in the Pythons this program
runs on, and a tree of the document is not needed: one pass over the tags is.
"""

from __future__ import annotations

import html
import re

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)([^<>]*+)>|<[!?][^<>]*+>")
_SILENT = frozenset({"style", "script", "title", "template", "noscript"})
_BLOCKS = frozenset(
    [
        *("address", "article", "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "footer", "form"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section"),
        *("table", "tbody", "tfoot", "thead", "tr", "ul"),
    ]
)
_CELLS = frozenset({"td", "th"})
_LINE_ENDS = re.compile(r"[\r\n]+")
_LONG_REFERENCE = re.compile(r"&#[0-9]{9,}+;?")
"""A number beyond all characters; of one with thousands of digits Python would make nothing but a ValueError."""

_INDENT = re.compile(r"border(?:-left)?:\s*(?:none|0)", re.IGNORECASE)
_CITE = re.compile(r"\bcite\b|quote|border-left:\s*(?:solid|[1-9])", re.IGNORECASE)
"""By these a blockquote that quotes is told from one with which a program has only indented what its user typed."""
_MARKED = (
    (
        re.compile(
            r"\b(?:id|class)=.?(?:x_)?(?:Signature|gmail_signature|moz-signature|protonmail_signature_block"
            r"|ymail_android_signature)\b"
        ),
        "-- ",
    ),
    (
        re.compile(
            r"\bid=.?(?:x_)?(?:divRplyFwdMsg|OLK_SRC_BODY_SECTION|mail-editor-reference-message-container|zwchr)\b"
            r"|\bclass=.?(?:x_)?(?:OutlookMessageHeader|yahoo_quoted)\b"
        ),
        "-----Original Message-----",
    ),
)
"""What mail programs mark in their HTML, and the line that marks the same in plain text.

Outlook on the web puts "x_" before the names in a mail that it quotes.
"""


def html_to_text(markup: str) -> str:
    """The text of an HTML mail, a line for each block; quotations begin with ">", empty lines are left out."""
    markup = _uncommented(markup)
    page = _Page()
    at = 0
    for tag in _TAG.finditer(markup):
        page.add(markup[at : tag.start()])
        page.tag((tag[2] or "").lower(), tag[3] or "", closing=bool(tag[1]))
        at = tag.end()
    page.add(markup[at:])
    page.end_line()
    return "\n".join(page.lines)


def _uncommented(markup: str) -> str:
    kept, at = [], 0
    while (start := markup.find("<!--", at)) >= 0:
        kept.append(markup[at:start])
        end = markup.find("-->", start + 4)
        at = len(markup) if end < 0 else end + 3
    return "".join(kept) + markup[at:]


_OFTEN_TYPED_IN = re.compile(r"\bid=.?(?:x_)?ms-outlook-mobile-signature\b")
"""A signature in which people type, since the cursor of Outlook's telephones lands there; not if they have above it."""


class _Page:
    """The text of a page as it grows.

    `silent` is the element being left out, `depth` how often it is open;
    `quotes` says of each open blockquote whether it quotes or only indents.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._line: list[str] = []
        self._pre = 0
        self._silent, self._depth = "", 0
        self._quotes: list[bool] = []
        self._quoted = 0

    def add(self, markup: str) -> None:
        """Text between two tags."""
        if self._silent or not markup:
            return
        if not self._pre:
            self._line.append(_unescaped(_LINE_ENDS.sub(" ", markup)))
            return
        first, *others = _unescaped(markup).split("\n")
        self._line.append(first)
        for other in others:
            self.end_line()
            self._line.append(other)

    def tag(self, name: str, attributes: str, *, closing: bool) -> None:
        """One tag; a comment has no name."""
        if self._silent:
            self._depth += 0 if name != self._silent else -1 if closing else 1
            self._silent = self._silent if self._depth else ""
            return
        if name in _BLOCKS:
            self.end_line()
        if attributes:
            self._mark(attributes)
        if name in _SILENT and not closing:
            self._silent, self._depth = name, 1
        elif name == "pre":
            self._pre = max(0, self._pre + (-1 if closing else 1))
        elif name == "blockquote":
            self._quote(attributes, closing=closing)
        elif name in _CELLS:
            self._line.append(" ")

    def end_line(self) -> None:
        """Ends the line, if there is anything on it."""
        text = " ".join("".join(self._line).split())
        self._line.clear()
        if text:
            self.lines.append(f"> {text}" if self._quoted else text)

    def _mark(self, attributes: str) -> None:
        if self.lines and _OFTEN_TYPED_IN.search(attributes):
            self.lines.append("-- ")
        for mark, line in _MARKED:
            if mark.search(attributes):
                self.end_line()
                self._line.append(line)
                self.end_line()

    def _quote(self, attributes: str, *, closing: bool) -> None:
        if not closing:
            quotes = not _INDENT.search(attributes) or _CITE.search(attributes) is not None
            self._quotes.append(quotes)
            self._quoted += quotes
        elif self._quotes:
            self._quoted -= self._quotes.pop()


def _unescaped(text: str) -> str:
    return html.unescape(_LONG_REFERENCE.sub("\ufffd", text)) if "&" in text else text
