"""Sentences that express a wish for which there is a command: each is answered with the line to send."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

from pbem.inbox.command_parser import TWO_WORDS, VERBS, command_in_full, command_of
from pbem.inbox.synonyms import LONGEST, as_command, plain_words
from pbem.ruleset.fields import nearest

_ORDERS = r"(?:orders?|moves?|sheet|turn)"
_FEW = r"(?:a few|another|one|two|three|some|[0-9]{1,3})"
_GM = r"(?:gm|game ?master|moderator|umpire|referee)"
_WITHDRAW = r"(?:cancel|withdraw|retract|delete|discard|forget|ignore|scrap)"
_PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "time",
        (
            r"(?:more|extra|additional|some) time\b|\bextension\b|\blater deadline\b",
            r"\b(?:extend|postpone|delay|move|push back) the (?:turn|deadline)\b",
            rf"\b(?:need|have|give me|get|wait) {_FEW}(?: more)? (?:hours?|days?)\b",
        ),
    ),
    ("break", (r"\bneed (?:a|some) (?:break|rest|pause)\b|\btake a break\b",)),
    # "I am away" alone is no wish: answering machines say it.
    ("wait", (rf"\bwait for (?:me|my {_ORDERS})\b|\b(?:dont|do not) run the turn\b",)),
    (
        "again",
        (r"\bsame (?:orders |moves |thing )?(?:as|like) (?:last|the last|before|my last|previous)\b", r"\brepeat my\b"),
    ),
    (
        "clear",
        (
            rf"\b{_WITHDRAW} (?:all |my |the |all my |all of my )(?:last |previous |earlier )?{_ORDERS}\b",
            rf"\b{_WITHDRAW} (?:all |everything |what )(?:that )?i (?:have )?sent\b",
        ),
    ),
    ("undo", (r"^(?:undo|take back|revert|oops)\b|\b(?:undo|take back|revert) (?:my|the|that|this)\b",)),
    (
        "who",
        (
            r"^(?:who|what) are you\b|^is any(?:one|body) there\b",
            r"\bare you (?:a )?(?:human|bot|robot|program|real|person|machine)\b",
        ),
    ),
    (
        "gm",
        (
            r"\b(?:i have|ive) (?:a|another|one) question\b|\bquestion (?:to|for) (?:the |my )?gm\b",
            rf"^(?:dear|hello|hi|hey) gm\b|\b(?:ask|contact|reach|tell|write to|talk to) (?:the |my )?{_GM}\b",
        ),
    ),
)
_WISHES = tuple((name, re.compile("|".join(patterns))) for name, patterns in _PATTERNS)
_FORTNIGHT = dt.timedelta(days=14)
_MOST_WORDS = 3
_LONGEST_VERB, _SHORTEST_VERB = 20, 3


def answer_wish(line: str, today: dt.date) -> str:
    """Return the answer to a line that expresses a wish, with what to send; "" for any other line."""
    said = plain_words(line) if len(line) <= LONGEST else ""
    if (command := command_of(line)) and as_command(line) != line:
        return f"{command_in_full(command)} is a command: send it as the first line of a mail of its own."
    name = next((name for name, pattern in _WISHES if pattern.search(said)), "")
    return _ANSWERS[name](today) if name else ""


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


def _on_days(today: dt.date) -> str:
    first, last = today + dt.timedelta(days=1), today + dt.timedelta(days=1) + _FORTNIGHT
    return f"ABSENT {first.day} {first:%b} TO {last.day} {last:%b}"


_ASK_GM = "To write to your GM, send ASK GM as the first line, and your words below it."
_ANSWERS: dict[str, Callable[[dt.date], str]] = {
    "time": lambda today: f"For more time: EXTEND asks the other players; {_on_days(today)} says that you are away.",
    "break": lambda today: (
        f"For a rest: {_on_days(today)} says that you are away; PAUSE lets turns go on without you, until you send "
        "RESUME."
    ),
    "wait": lambda _: (
        "WAIT, on a line of its own with your orders or alone once they are in, lets the turn wait for its deadline. "
        "EXTEND asks the other players for more time."
    ),
    "again": lambda _: (
        "Orders are for one turn, so please send them again, one a line. Your last receipt has them, ready to be "
        "copied."
    ),
    "clear": lambda _: "CLEAR ORDERS, as the first line of a mail, withdraws your orders for this turn.",
    "undo": lambda _: (
        "Until the turn is run, a new sheet replaces the one before as a whole; CLEAR ORDERS withdraws your orders."
    ),
    "who": lambda _: (
        f"This is the program that runs the game by mail; no person reads these mails. HELP brings the guide. {_ASK_GM}"
    ),
    "gm": lambda _: _ASK_GM,
}
