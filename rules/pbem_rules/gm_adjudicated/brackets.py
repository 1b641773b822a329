"""Command lines in brackets in a GM's files: `[ROLL 3d6+2 "the gate"]` and `[SET gold -= 5]`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbem.ruleset import FieldError, Roll, Rolls, count_rolls, suggest

ROLL, SET = "ROLL", "SET"
COMMANDS = (ROLL, SET)

_AS_IT_STANDS = "a line that is meant as it stands begins with a blank"
_SHOWN = re.compile(r'\[ROLL (\S{1,80}) "([^"]{1,80})" #([0-9]{1,6})\]')
# In capitals as a command is, with what belongs to one: "SET gold -= 5", "ROLL 3d6 the gate".
_BARE = re.compile(r"(?:SET [^\s=]{1,80}+ ?(?:=|\+=|-=)|ROLL [0-9]{0,3}d[0-9])")
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))  # as word processors and phones type them


def bracketed(line: str, section: str) -> tuple[str, str] | None:
    """Return the command of a line in brackets, and its arguments; None for a heading or plain words.

    Raises:
        FieldError: If the command is misspelt, not closed, or stands under another
            heading than [RESULT], or has no brackets.
    """
    if _BARE.match(line):
        raise FieldError("no-brackets", f"{line[:40]} has no brackets, and would be told as words", f"write: [{line}]")
    if not line.startswith("["):
        return None
    word, _, rest = line[1:].removesuffix("]").strip().partition(" ")
    command = word.upper()
    if command not in COMMANDS:
        hint = suggest(command, COMMANDS) if rest else ""
        if hint.startswith("did you mean"):
            raise FieldError("unknown-command", f"there is no [{command} …]; {_AS_IT_STANDS}", hint)
        return None
    if not line.endswith("]"):
        raise FieldError("open-bracket", f"[{command} has no ] at the end of its line", _AS_IT_STANDS)
    if section != "RESULT":
        raise FieldError("wrong-section", f"[{command} …] stands under [RESULT], not under [{section}]", _AS_IT_STANDS)
    return command, rest.strip()


def does_something(line: str) -> bool:
    """Return True if a line would not be read as plain words."""
    try:
        return bracketed(line, "RESULT") is not None
    except FieldError:
        return True


def read_roll(rest: str, rolls: Rolls) -> str:
    """Return the line of a roll as the ruling stores it; roll it if it was not rolled yet. Raises FieldError."""
    notation, label, number = _parts(rest.translate(_QUOTES))
    if not (notation and label):
        write = 'write: [ROLL 3d6+2 "ann storms the gate"]'
        raise FieldError("missing-word", "expected dice and what they are rolled for", write)
    if number and not number.isdecimal():
        raise FieldError("extra-words", f"{number[:40]!r} is not the number of a roll", "write it like #1")
    # Rolled now and not when the turn is run, so that a preview shows the same (docs/decisions/0033).
    roll = rolls.named(notation, label, int(number[:6] or 0))
    return f'[{ROLL} {roll.dice} "{roll.label}" #{roll.number}]'


def _parts(text: str) -> tuple[str, str, str]:
    """Return the dice, their label, in quotes or not, and the number behind a #; "" for what is missing."""
    dice, quote, behind = text.partition('"')
    if not quote:
        dice, _, behind = text.partition(" ")
        label, _, number = behind.partition("#")
    else:
        label, _, number = behind.partition('"')
    return dice.strip(), label.strip(), number.strip().removeprefix("#")


def with_rolls(text: str, rolls: Sequence[Roll]) -> tuple[str, tuple[Roll, ...]]:
    """Replace the lines of rolls in a text by their results, each a paragraph; return the text and those rolls."""
    known = {(roll.key, roll.number): roll for roll in rolls}
    shown: list[Roll] = []
    lines: list[str] = []
    for line in text.splitlines():
        found = _SHOWN.fullmatch(line)
        roll = known.get((found[2].casefold(), int(found[3]))) if found else None
        if roll is None:
            lines += [""] if shown and line and lines[-1:] == [_roll_text(shown[-1], rolls)] else []
            lines.append(line)
        else:
            lines += [""] if lines and lines[-1] else []
            lines.append(_roll_text(roll, rolls))
            shown.append(roll)
    return "\n".join(lines), tuple(dict.fromkeys(shown))


def _roll_text(roll: Roll, rolls: Sequence[Roll]) -> str:
    return roll.describe(count_rolls(rolls, roll.label))
