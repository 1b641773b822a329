"""The text of HTML mail, as the person who wrote it saw it: without what is hidden, and without what is struck out.

HTML is read in one pass over its tags, in linear time: `html.parser` takes cubic
time on hostile input in the supported Python versions. Where the end of an element
is missing, more is shown rather than less, so that no order is lost.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

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
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
# Elements whose end may be missing before the next one; all other blocks end what was opened within them.
_ENDED_BY_NEXT = frozenset({"p", "li", "dd", "dt"})
_CONTAINERS = _BLOCKS - _ENDED_BY_NEXT - _VOID | _CELLS
_LINE_ENDS = re.compile(r"[\r\n]+")
# A number beyond all characters; for thousands of digits int() raises ValueError.
_LONG_REFERENCE = re.compile(r"&#[0-9]{9,}+;?")

_INDENT = re.compile(r"border(?:-left)?:\s*(?:none|0)", re.IGNORECASE)
# Tell a blockquote that quotes from one with which a program only indents typed text.
_CITE = re.compile(r"\bcite\b|quote|border-left:\s*(?:solid|[1-9])", re.IGNORECASE)
# Marks of mail programs in their HTML, and the line that marks the same in plain text.
# Outlook on the web puts "x_" before the names in a mail that it quotes.
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
# Outlook for telephones puts the cursor into the signature, so people type there; it is one only below other text.
_OFTEN_TYPED_IN = re.compile(r"\bid=.?(?:x_)?ms-outlook-mobile-signature\b")

_STYLE = re.compile(r"""\bstyle\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|(\S++))""", re.IGNORECASE)
_QUOTED = re.compile(r""""[^"]*+"|'[^']*+'""")
_HIDDEN_ATTRIBUTE = re.compile(r"(?:\A|\s)hidden(?=[\s=/]|\Z)", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(
    r"(?:\A|[;\s])(?:display\s*+:\s*+none|visibility\s*+:\s*+(?:hidden|collapse)|mso-hide\s*+:\s*+all"
    r"|(?:max-height|opacity)\s*+:\s*+0(?:\.0++)?(?:px|pt|em|%)?(?=[\s;!]|\Z))",
    re.IGNORECASE,
)
_FONT_SIZE = re.compile(r"(?:\A|[;\s])font-size\s*+:\s*+([0-9.]++)", re.IGNORECASE)
_STRUCK = frozenset({"s", "strike", "del"})
_STRUCK_STYLE = re.compile(r"(?:\A|[;\s])text-decoration(?:-line)?\s*+:[^;]{0,60}?\bline-through\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HtmlText:
    """Text of a page, and what it shows struck out.

    `struck` has each line with struck-out text in it, whole, and what is left of it.
    """

    text: str
    struck: dict[str, str]


def html_to_text(markup: str) -> str:
    """Return the text of an HTML mail, a line for each block; quotations begin with ">", empty lines are left out."""
    return read_html(markup).text


def read_html(markup: str) -> HtmlText:
    """Return the same text, and which lines of the page have struck-out text, which is not in it."""
    markup = _strip_comments(markup)
    page = _Page()
    at = 0
    for tag in _TAG.finditer(markup):
        page.add(markup[at : tag.start()])
        page.tag((tag[2] or "").lower(), tag[3] or "", closing=bool(tag[1]))
        at = tag.end()
    page.add(markup[at:])
    page.end_line()
    return HtmlText("\n".join(page.lines), page.struck)


def _strip_comments(markup: str) -> str:
    kept, at = [], 0
    while (start := markup.find("<!--", at)) >= 0:
        kept.append(markup[at:start])
        end = markup.find("-->", start + 4)
        at = len(markup) if end < 0 else end + 3
    return "".join(kept) + markup[at:]


class _Extent:
    """Element whose text has a property, such as being hidden, and where that ends; `name` is "" if none is open."""

    def __init__(self) -> None:
        self.name = ""
        self._open, self._level = 0, 0

    def begin(self, name: str, level: int) -> None:
        """Begin with an element that stands in so many containers."""
        self.name, self._open, self._level = name, 1, level

    def follow(self, name: str, level: int, *, closing: bool) -> None:
        """Process the next tag, after which so many containers are open."""
        if name == self.name:
            self._open += -1 if closing or (name in _ENDED_BY_NEXT and level == self._level) else 1
        ended = self._open == 0 or level < self._level
        if ended or (self.name == "p" and name in _CONTAINERS and not closing):
            self.name = ""


class _Page:
    """Text of a page as it grows.

    `quotes` has True for each open blockquote that quotes, False for one that only indents.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.struck: dict[str, str] = {}
        self._line: list[str] = []
        self._struck_pieces: set[int] = set()
        self._pre = 0
        self._level = 0
        self._hidden, self._tiny, self._strike = _Extent(), _Extent(), _Extent()
        self._quotes: list[bool] = []
        self._quoted = 0

    def add(self, markup: str) -> None:
        """Add the text between two tags."""
        if self._hidden.name or self._tiny.name or not markup:
            return
        if not self._pre:
            self._add_piece(_unescape(_LINE_ENDS.sub(" ", markup)))
            return
        first, *others = _unescape(markup).split("\n")
        self._add_piece(first)
        for other in others:
            self.end_line()
            self._add_piece(other)

    def _add_piece(self, text: str) -> None:
        if self._strike.name:
            self._struck_pieces.add(len(self._line))
        self._line.append(text)

    def tag(self, name: str, attributes: str, *, closing: bool) -> None:
        """Process one tag; a comment has no name."""
        self._follow(name, closing=closing)
        if self._hidden.name:
            return
        if name in _BLOCKS:
            self.end_line()
        if attributes:
            self._mark(attributes)
        if not closing and name not in _VOID:
            self._find_properties(name, attributes)
        if name == "pre":
            self._pre = max(0, self._pre + (-1 if closing else 1))
        elif name == "blockquote":
            self._quote(attributes, closing=closing)
        elif name in _CELLS:
            self._line.append(" ")

    def _follow(self, name: str, *, closing: bool) -> None:
        """End what is hidden or struck out, if it ends here."""
        if self._hidden.name not in _SILENT and name in _CONTAINERS:
            self._level = max(0, self._level + (-1 if closing else 1))
        for extent in (self._hidden, self._tiny, self._strike):
            if extent.name:
                extent.follow(name, self._level, closing=closing)

    def _find_properties(self, name: str, attributes: str) -> None:
        """Begin what an element hides or strikes out."""
        around = self._level - (name in _CONTAINERS)
        style = _style_of(attributes)
        if name in _SILENT:
            self._hidden.begin(name, 0)
        elif _HIDDEN_STYLE.search(style) or _has_hidden_attribute(attributes):
            self._hidden.begin(name, around)
        if size := _FONT_SIZE.search(style):
            self._tiny.begin("" if size[1].strip("0.") else name, around)
        if not self._strike.name and (name in _STRUCK or _STRUCK_STYLE.search(style)):
            self._strike.begin(name, around)

    def end_line(self) -> None:
        """End the line, if it has any text."""
        whole = " ".join("".join(self._line).split())
        text = whole
        if self._struck_pieces:
            kept = [piece for at, piece in enumerate(self._line) if at not in self._struck_pieces]
            text = " ".join("".join(kept).split())
            self._struck_pieces.clear()
        self._line.clear()
        mark = "> " if self._quoted else ""
        if text != whole:
            self.struck[mark + whole] = mark + text
        if text:
            self.lines.append(mark + text)

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


def _style_of(attributes: str) -> str:
    found = _STYLE.search(attributes) if "style" in attributes.lower() else None
    return html.unescape(found[1] or found[2] or found[3] or "") if found else ""


def _has_hidden_attribute(attributes: str) -> bool:
    if "hidden" not in attributes.lower():
        return False
    return _HIDDEN_ATTRIBUTE.search(_QUOTED.sub('""', attributes)) is not None


def _unescape(text: str) -> str:
    return html.unescape(_LONG_REFERENCE.sub("\ufffd", text)) if "&" in text else text
