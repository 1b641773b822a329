"""Sanitizer for the HTML of a mail, so that it can stand in a page.

A mail has its styles inline, which a page's policy forbids, as it does scripts.
Styles become classes; only the elements and attributes that reports need stay, and
pictures shown by `cid:` are replaced by those of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser

from markupsafe import Markup


def _words(*rows: str) -> frozenset[str]:
    return frozenset(word for row in rows for word in row.split())


_ELEMENTS = _words(
    "a abbr article b bdi blockquote br caption code col colgroup dd del div dl dt em figcaption figure h1 h2 h3 h4",
    "h5 h6 hr i ins kbd li mark ol p pre q s samp section small span strong sub sup table tbody td tfoot th thead",
    "tr u ul",
)
_VOID = _words("br col hr")
# Elements that are removed with their content.
_DROPPED = _words("script style template title head iframe object svg math textarea select noscript xmp")

_ATTRIBUTES = _words(
    "align alt aria-hidden aria-label border cellpadding cellspacing colspan dir lang role rowspan scope start",
    "tabindex title valign value",
)
MAIL_ONLY = "w"
"""The class of elements that a page leaves out: buttons that write a mail, where the page has a form."""

_MAIN = re.compile(r"<main\b", re.IGNORECASE)
_ROLE = re.compile(r"<div role=\"main\"")
_LINKS = re.compile(r"(?:https?|mailto):[^\s]*", re.IGNORECASE)
_NOT_IN_STYLES = re.compile(r"[{}<>\\@]|url\s*\(|/\*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SanitizedHtml:
    """The body of a mail as part of a page, and the rules for the classes in it."""

    body: Markup
    style: str


def sanitize_html(html: str, pictures: Mapping[str, str]) -> SanitizedHtml:
    """Return the content of a mail's main part, or of its <body> if it has none, as far as it is allowed.

    The main part is a <div> with that role, or in older mails a <main>. What is of use in a mail alone, by its class
    `MAIL_ONLY`, is left out. `pictures` are elements, safe as they are, by Content-ID.
    """
    whole = "div" if _ROLE.search(html) else "main" if _MAIN.search(html) else "body"
    reader = _HtmlReader(pictures, whole)
    reader.feed(html)
    reader.close()
    # Safe in a <style>: `_NOT_IN_STYLES` lets no style through that could end its rule or the element.
    rules = "\n".join(f".{name} {{ {style} }}" for style, name in reader.classes.items())
    return SanitizedHtml(Markup("".join(reader.written)), rules)  # noqa: S704 - made of what is allowed, and escaped


class _HtmlReader(HTMLParser):
    """Writes the allowed elements, each closed in its turn."""

    def __init__(self, pictures: Mapping[str, str], whole: str) -> None:
        super().__init__(convert_charrefs=True)
        self._whole = whole
        self.written: list[str] = []
        self.classes: dict[str, str] = {}
        self._pictures = pictures
        self._open: list[str] = []
        self._within = False
        self._dropped: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        if tag in _DROPPED or [tag] == self._dropped[-1:] or (tag not in _VOID and _is_mail_only(attrs)):
            self._dropped.append(tag)
        elif tag == self._whole and not self._within and (tag != "div" or ("role", "main") in attrs):
            self._within = True
        elif self._is_visible and tag == "img":
            self._show(dict(attrs))
        elif self._is_visible and tag in _ELEMENTS:
            self.written.append(f"<{tag}{''.join(map(self._attribute, attrs))}>")
            if tag not in _VOID:
                self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those within it that were left open."""
        if self._dropped:
            if tag == self._dropped[-1]:
                self._dropped.pop()
        elif tag in self._open:
            self._close_to(len(self._open) - 1 - self._open[::-1].index(tag))
        elif tag == self._whole:
            self._close_to(0)
            self._within = False

    def handle_data(self, data: str) -> None:
        """Write a text."""
        if self._is_visible:
            self.written.append(escape(data, quote=False))

    def close(self) -> None:
        """Close all that was left open."""
        super().close()
        self._close_to(0)

    @property
    def _is_visible(self) -> bool:
        return self._within and not self._dropped

    def _close_to(self, depth: int) -> None:
        while len(self._open) > depth:
            self.written.append(f"</{self._open.pop()}>")

    def _attribute(self, attribute: tuple[str, str | None]) -> str:
        name, value = attribute[0], attribute[1] or ""
        if name == "style":
            return self._class_of(value)
        if name in _ATTRIBUTES:
            return f' {name}="{escape(value)}"'
        # Other schemes, such as javascript:, run code.
        if name == "href" and _LINKS.fullmatch(value):
            return f' href="{escape(value)}" rel="noreferrer noopener"'
        return ""

    def _class_of(self, style: str) -> str:
        if _NOT_IN_STYLES.search(style):
            return ""
        return f' class="{self.classes.setdefault(style, f"m{len(self.classes)}")}"'

    def _show(self, attributes: Mapping[str, str | None]) -> None:
        source, words = attributes.get("src") or "", attributes.get("alt") or ""
        if source.startswith("cid:") and source[4:] in self._pictures:
            self._close_paragraph()
            self.written.append(self._pictures[source[4:]])
        elif words:
            self.written.append(f"[{escape(words)}]")

    def _close_paragraph(self) -> None:
        # A page has a <div> in place of the <img> of a mail, and HTML ends a paragraph before a <div>.
        if self._open and self._open[-1] == "p":
            self._close_to(len(self._open) - 1)
            if self.written[-2] == "<p>":
                del self.written[-2:]


def _is_mail_only(attributes: list[tuple[str, str | None]]) -> bool:
    return any(name == "class" and MAIL_ONLY in (value or "").split() for name, value in attributes)
