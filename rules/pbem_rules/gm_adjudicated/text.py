"""Makes typed text fit for mails and archives: no control characters for terminals and mail programs."""

from __future__ import annotations


def one_line(text: str) -> str:
    """Return a text on one line: blanks are single, unprintable characters are dropped."""
    return " ".join(_printable(text).split())


def as_laid_out(line: str) -> str:
    """Return a line with its blanks, tabs expanded, and nothing at its end."""
    return _printable(line.expandtabs(4)).rstrip()


def block(text: str) -> str:
    """Return a text of several lines as it was laid out, without empty lines around it."""
    return "\n".join(map(as_laid_out, text.splitlines())).strip("\n")


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else " " * sign.isspace() for sign in text)
