"""Sentences that express a wish for which there is a command: each is answered with the line to send."""

from __future__ import annotations

import datetime as dt
import re

from pbem.actions.days import fill_years, find_span
from pbem.inbox.command_parser import TWO_WORDS, VERBS, command_in_full, command_of
from pbem.inbox.synonyms import LONGEST, as_command, load_table, plain_words
from pbem.ruleset.fields import nearest

_WISHES = {
    name: tuple((re.compile("|".join(wish["patterns"])), wish["answer"]) for wish in load_table(name).values())
    for name in ("wishes", "gm_wishes")
}
"""The tables of wishes: the patterns of each, and the answer to it."""

_FORTNIGHT = dt.timedelta(days=14)
_MOST_WORDS = 3
_LONGEST_VERB, _SHORTEST_VERB = 20, 3


def answer_wish(line: str, today: dt.date) -> str:
    """Return the answer to a line that expresses a wish, with what to send; "" for any other line."""
    if (command := command_of(line)) and as_command(line) != line:
        return f"{command_in_full(command)} is a command: send it as the first line of a mail of its own."
    return _find_answer("wishes", line).format(absent=_on_days(line, today))


def answer_gm_wish(line: str) -> str:
    """Return the answer to a line by which a GM asks for what a command does; "" for any other line."""
    return _find_answer("gm_wishes", line)


def _find_answer(name: str, line: str) -> str:
    said = plain_words(line) if len(line) <= LONGEST else ""
    return next((answer for pattern, answer in _WISHES[name] if pattern.search(said)), "")


def answer_slip(line: str) -> str:
    """Return the answer to a line that begins with a mistyped command, with the nearest one; "" for any other."""
    words = line[:LONGEST].split()
    word = words[0].upper().strip(".:!?,") if 0 < len(words) <= _MOST_WORDS else ""
    if not (word.isascii() and word.isalpha() and _SHORTEST_VERB <= len(word) <= _LONGEST_VERB):
        return ""
    near = nearest_command(word) if word not in VERBS | TWO_WORDS.keys() else ""
    return f"There is no command {word}. Perhaps: {near}" if near else ""


def nearest_command(word: str) -> str:
    """Return the command of which a word is a typing error, "" if there is none."""
    near = nearest(word, sorted(VERBS)) or ""
    # What only begins like a command is a word of its own.
    return "" if near.startswith(word.upper()) else near


def _on_days(line: str, today: dt.date) -> str:
    """Return an ABSENT with the days of a line, or with an example of some."""
    at = _UNTIL.search(line[:LONGEST])
    if days := find_span(line[at.start() : LONGEST]) if at else "":
        return fill_years(f"ABSENT {days}", today)
    first, last = today + dt.timedelta(days=1), today + dt.timedelta(days=1) + _FORTNIGHT
    return f"ABSENT {first.day} {first:%b} TO {last.day} {last:%b}"


_UNTIL = re.compile(r"\b(?:until|till|from|on)\b", re.IGNORECASE)
