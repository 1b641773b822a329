"""Other words for a GM's commands: the whole first words of a line inside a frame."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "HELP": ("?", "COMMANDS", "WHAT CAN I DO"),
    "TOKEN": ("NEW TOKEN",),
    "SEATS": ("WHO",),
    "JOURNAL": ("HISTORY", "LOG"),
    "JOURNAL PRESS": ("SHOW PRESS",),
    "SET": ("HOUSE RULES", "HOUSE RULE"),
    "DEADLINE": ("EXTEND", "EXTEND BY", "EXTEND FOR", "EXTEND TO", "MORE TIME", "DELAY"),
    "HOLD": ("PAUSE GAME", "STOP"),
    "RELEASE": ("CONTINUE", "GO ON", "UNHOLD"),
    "START": ("BEGIN", "ACTIVATE"),
    "RUN": ("PROCESS", "RESOLVE", "RUN NOW"),
    "PREVIEW": ("TEST",),
    "INVITE": ("ADD",),
    "GIVE": ("SEAT", "REPLACE"),
    "OPEN": ("VACATE", "OPEN SEAT"),
    "PAUSE": ("PAUSE SEAT",),
    "RESUME": ("RESUME SEAT",),
    "REMOVE": ("EJECT", "KICK", "REMOVE SEAT"),
    "ANNOUNCE": ("BROADCAST", "OFFICIAL"),
    "ANNOUNCE TO": ("PRESS TO", "ANNOUNCEMENT TO"),
    "RULING": ("ADJUDICATE", "JUDGE"),
    "ROLL": ("DICE",),
    "SHEET": ("ORDERS",),
    "UNDO": ("TAKE BACK", "REVERT", "TAKE IT BACK"),
    "FORWARD": ("ROLLFORWARD",),
    "ROLLBACK": ("REOPEN", "GO BACK TO", "GO BACK"),
    "ROLLBACK REPAIR": ("MEND", "REPAIR"),
    "RERUN": ("REDO", "RUN AGAIN"),
    "FORK": ("TRY", "WHAT IF"),
}
"""Other words by the command that they mean."""

BY_SYNONYM: Mapping[str, str] = {words: command for command, others in _SYNONYMS.items() for words in others}
"""Commands by their other words."""

_LONGEST = max(len(words.split()) for words in BY_SYNONYM)
_WITHOUT_VALUE = {"DEADLINE": "EXTEND"}
"""The meaning of a synonym alone, where its command alone would only show something."""
_NEED_MORE = ("SEAT", "PAUSE SEAT", "RESUME SEAT", "OPEN SEAT", "REMOVE SEAT", "PRESS TO", "EXTEND TO", "EXTEND BY")
"""Synonyms that are none without a word behind them: a seat may be named so."""


_LIST_MARK = re.compile(r"\A\s*+(?:\(?[0-9]{1,2}[.)]|[-*\u2022\u2013])\s++(?=\w)")


def without_list_mark(line: str) -> str:
    """Return a line without the number or bullet that a list has before it: "1. ", "1) ", "- ", "* "."""
    return _LIST_MARK.sub("", line)


def as_gm_command(line: str) -> str:
    """Return a line with the command in its own word; the line itself if it does not begin with other words for one."""
    line = without_list_mark(line)
    words = line.split()
    for count in range(min(_LONGEST, len(words)), 0, -1):
        typed = " ".join(words[:count]).upper().rstrip(".:!" if count == len(words) else ":")
        if (command := BY_SYNONYM.get(typed)) is None or (typed in _NEED_MORE and count == len(words)):
            continue
        rest = line.split(None, count)[count:]
        if not rest:
            return _WITHOUT_VALUE.get(command, command)
        return f"{command} {_as_given(rest[0]) if command == 'GIVE' else rest[0]}"
    return line


def _as_given(rest: str) -> str:
    """Return "red TO address" for "red BY address"."""
    words = rest.split()
    return (
        " ".join([words[0], "TO", *words[2:]]) if [word.upper() for word in words[1:2]] in (["BY"], ["WITH"]) else rest
    )


def also_understood(word: str) -> tuple[str, ...]:
    """Return the other words for a command, by its first word."""
    return tuple(words for words, command in BY_SYNONYM.items() if command.split()[0] == word)
