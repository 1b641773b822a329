"""Text as people type it, made fit for mails and archives: nothing that a terminal or mail program would obey."""

from __future__ import annotations


def one_line(text: str) -> str:
    """A text on one line: every run of blanks becomes one, and what cannot be printed goes."""
    return " ".join(_printable(text).split())


def as_laid_out(line: str) -> str:
    """A line with its blanks where they are, tabs as blanks, and nothing at its end."""
    return _printable(line.expandtabs(4)).rstrip()


def block(text: str) -> str:
    """A text of several lines, laid out as it came, without empty lines around it."""
    return "\n".join(map(as_laid_out, text.splitlines())).strip("\n")


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else " " * sign.isspace() for sign in text)
