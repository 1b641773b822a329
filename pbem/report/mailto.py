"""Links that open a mail, written but not sent: `mailto:` URLs (RFC 6068)."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

MOST_CHARACTERS = 1_800
"""Characters of a link. Windows hands about 2,000 to a mail program, and silently does nothing beyond."""

MORE = "; more orders: see the form in your report"
"""The line in place of those that a link has no room for."""

FORM = "; FORM: delete the ; in front of an order to give it"
"""The first line of an order form that a link carries; a form that comes back with it and no order is no sheet."""

NOT_POSSIBLE = "; not possible so far: "
"""Before a line that was not accepted and that no correction is known for, where a link carries a corrected sheet."""

_BREAK = "%0D%0A"


def mailto(address: str, subject: str, lines: Iterable[str], *, whole: bool = False) -> str:
    """Return a link that opens a mail to `address` with a subject and these lines.

    Lines that would make it too long are left out, in favour of `MORE` and the last line; if it is to be `whole`, the
    link is "" instead.
    """
    start = f"mailto:{quote(address, safe='@')}?subject={quote(subject, safe='')}&body="
    body = quote("\r\n".join(lines), safe="")
    if len(start) + len(body) > MOST_CHARACTERS:
        if whole:
            return ""
        (*rows, end), more = body.split(_BREAK), quote(MORE, safe="")
        room = MOST_CHARACTERS - len(_BREAK.join([start + more, end]))
        body = _BREAK.join([*_first_lines(rows, room), more, end])
    return start + body


def _first_lines(lines: Iterable[str], room: int) -> Iterable[str]:
    for line in lines:
        room -= len(line) + len(_BREAK)
        if room < 0:
            return
        yield line


def as_comment(line: str) -> str:
    """Return a line of an order form as a comment, which orders nothing until its semicolon is deleted."""
    return line if line.lstrip().startswith(";") else f"; {line}"
