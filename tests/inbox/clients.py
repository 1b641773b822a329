"""Replies as ten mail programs write them, around a mail of ours as text or as HTML."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from html import escape
from typing import NamedTuple

from pbem.mail.html_text import html_to_text

WROTE = "On Fri, 20 Nov 2026 at 10:00, Orders <orders@example.org> wrote:"
DIVIDER = """-----Original Message-----
From: Orders <orders@example.org>
Sent: Friday, November 20, 2026 10:00
To: Ann <ann@example.org>
Subject: turn 2
"""


class Quoted(NamedTuple):
    """A mail of ours to be quoted, and the width at which the program breaks lines; 0 for none."""

    text: str
    html: str
    width: int


def broken(text: str, width: int) -> str:
    """Return a text whose long lines are broken as simple programs break them."""
    if not width:
        return text
    lines = (_wrapped(line, width) or [""] for line in text.split("\n"))
    return "\n".join(piece for pieces in lines for piece in pieces)


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)


def marked(text: str, mark: str = "> ") -> str:
    """Return a text with a mark before each line."""
    return "\n".join(f"{mark}{line}".rstrip() for line in text.split("\n"))


CLIENTS: dict[str, Callable[[Quoted], str]] = {
    "marks, broken before": lambda mail: f"{WROTE}\n\n{marked(broken(mail.text, mail.width))}",
    "marks, broken after": lambda mail: f"{WROTE}\n\n{broken(marked(mail.text), mail.width)}",
    "divider": lambda mail: f"{DIVIDER}\n{broken(mail.text, mail.width)}",
    "divider of another language": lambda mail: f"_____ Algne kiri _____\n\n{broken(mail.text, mail.width)}",
    "unknown header": lambda mail: f"Orders => Ann\n\n{broken(mail.text, mail.width)}",
    "no header": lambda mail: broken(mail.text, mail.width),
    "indented": lambda mail: f"{WROTE}\n\n{textwrap.indent(broken(mail.text, mail.width), '  ')}",
    "bars": lambda mail: marked(broken(mail.text, mail.width), "| "),
    "without blank lines": lambda mail: "\n".join(filter(str.strip, broken(mail.text, mail.width).split("\n"))),
    "HTML as text": lambda mail: broken(re.sub(r"(?m)^> ?", "", html_to_text(mail.html)), mail.width),
}
"""Lines that programs write below a reply."""

HTML_CLIENTS: dict[str, Callable[[str], str]] = {
    "Gmail": lambda body: f'<div class="gmail_quote"><div>{WROTE}</div><blockquote>{body}</blockquote></div>',
    "Outlook": lambda body: f"<hr><div>{'<br>'.join(map(escape, DIVIDER.split(chr(10))[1:]))}</div>{body}",
    "Apple": lambda body: f'<blockquote type="cite"><div>{WROTE}</div>{body}</blockquote>',
    "no header": lambda body: f"<div>{body}</div>",
    "paragraphs": lambda body: f"<p>Orders =&gt; Ann</p>{body.replace('<li', '<p').replace('</li>', '</p>')}",
}
"""The same for programs that write HTML alone."""

WIDTHS = (0, 60, 66, 72, 76, 78, 80, 90, 100)
