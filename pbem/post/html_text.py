"""HTML mail to lines of text, as far as orders need it.

`html.parser` takes cubic time on hostile input in the Pythons this program
runs on, and a tree of the document is not needed: one pass over the tags is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)[^<>]*+>|<[!?][^<>]*+>")
_SILENT = frozenset({"style", "script", "title", "blockquote", "template", "noscript"})
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article body br center dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr html li main ol p pre"
        " section table tbody tfoot thead tr ul",
    )
)
_CELLS = frozenset({"td", "th"})
_LINE_ENDS = re.compile(r"[\r\n]+")
_LONG_REFERENCE = re.compile(r"&#[0-9]{9,}+;?")

QUOTE = "\n>\n"
"""Stands where a quotation was left out, so that the line above it is known as its attribution."""


def html_to_text(markup: str) -> str:
    """The text of an HTML mail, a line for each block; quotations and empty lines are left out."""
    lines = (" ".join(line.split()) for line in "".join(_pieces(_uncommented(markup))).split("\n"))
    return "\n".join(line for line in lines if line)


def _uncommented(markup: str) -> str:
    kept, at = [], 0
    while (start := markup.find("<!--", at)) >= 0:
        kept.append(markup[at:start])
        end = markup.find("-->", start + 4)
        at = len(markup) if end < 0 else end + 3
    return "".join(kept) + markup[at:]


def _pieces(markup: str) -> Iterator[str]:
    """Texts and line ends, in order. `silent` is the element being left out, `depth` how often it is open."""
    at, pre, silent, depth = 0, 0, "", 0
    for tag in _TAG.finditer(markup):
        if not silent:
            yield _text(markup[at : tag.start()], preformatted=pre > 0)
        at = tag.end()
        name, closing = (tag[2] or "").lower(), bool(tag[1])
        if silent:
            depth += 0 if name != silent else -1 if closing else 1
            silent = silent if depth else ""
        elif name in _SILENT and not closing:
            silent, depth = name, 1
            yield QUOTE if name == "blockquote" else ""
        elif name == "pre":
            pre = max(0, pre + (-1 if closing else 1))
            yield "\n"
        else:
            yield "\n" if name in _BLOCKS else " " if name in _CELLS else ""
    if not silent:
        yield _text(markup[at:], preformatted=pre > 0)


def _text(markup: str, *, preformatted: bool) -> str:
    collapsed = markup if preformatted else _LINE_ENDS.sub(" ", markup)
    if "&" not in collapsed:
        return collapsed
    return html.unescape(_LONG_REFERENCE.sub("\ufffd", collapsed))
