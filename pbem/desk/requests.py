"""What a letter asks of the desk besides orders: its commands, found in the text, and as handlers are given them.

A letter asks when the first line that says anything begins with a command
written in full, so that no order cut short is taken for one; or when its
commands are framed as a sheet is, and then they may be cut to three letters:

    PLAYER trap7 red TOKEN
    ABSENT 2026-12-20 TO 2027-01-03
    END

A command that takes a text has all that stands below it, to END or to the end
of what its writer typed, so it comes last.

A module of handlers exports `HANDLERS`, command → function; `pbem.desk.dispatch`
puts the tables together. A handler does what is asked, in the transaction of
the letter, and returns what to answer: sentences, each line of them a
paragraph, or "" if the answer goes out by itself. What it refuses it says there
too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbem.actions.arguments import PlayerCommand
from pbem.campaign.order_sheets import without_courtesies
from pbem.desk.commands import COMMANDS, VERBS, WITH_TEXT
from pbem.desk.days import with_days
from pbem.desk.replies import Case
from pbem.desk.seats import SeatContext
from pbem.desk.sheet import Header, Names, SheetText
from pbem.mail.reply_parser import is_end
from pbem.ruleset.order_types import Order, Parsed
from pbem.ruleset.orders import SHORTEST_ABBREVIATION
from pbem.ruleset.tokenizer import split_words
from pbem.store.models import Person
from pbem.util import without_keys

MOST_COMMANDS = 20
"""More commands in one letter are not read."""

BELOW = (
    "What stands below the first blank line was left alone: commands that go on there belong between PLAYER and END."
)

NEVER_ORDERS = (
    "This mail is press, and press is never orders: its ORDERS line was not read as a sheet. "
    "The text goes as far as the first END; send orders in a mail of their own."
)

_FIRST = re.compile(r"\A\s*+([A-Za-z]++)\b")
_POLITE = (" please", " pls", " thanks", " thank you")
_WITH_DAYS = ("ABSENT", "DEPUTY")
_FRAME = re.compile(r"\A\s*+player\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A command about one seat, which the letter has shown to be its writer's.

    `text` is what stands below the command, up to END, a signature or a
    quotation: plain, and cleaned as order sheets are.
    """

    case: Case
    spot: SeatContext
    text: str


@dataclass(frozen=True, slots=True)
class AskedByPerson:
    """A command about no seat in particular; `person` is None for a sender whom the house does not know.

    `to` is where the answer goes, and `spot` the seat that the letter shows to be its writer's, if it shows one.
    """

    case: Case
    person: Person | None
    sender: str
    to: str
    spot: SeatContext | None
    text: str


Handlers = Mapping[type[PlayerCommand], Callable[[Asked, Any], str]]
"""What is done for each command about a seat."""

PersonHandlers = Mapping[type[PlayerCommand], Callable[[AskedByPerson, Any], str]]
"""What is done for each command about no seat in particular."""


@dataclass(frozen=True, slots=True)
class CommandList:
    """Commands as found: the numbered lines that hold them, and the text below the last.

    `header` is that of the frame, if there is one. `pressed`: it was sent by a
    button, which may have been pressed by accident. `at` is the line of the
    letter on which they begin.
    """

    header: Header | None
    lines: tuple[tuple[int, str], ...]
    text: str = ""
    notes: tuple[str, ...] = ()
    pressed: bool = False
    at: int = 0

    def parse(self) -> Parsed:
        """The commands in the order written, and what is wrong with the rest. Never raises."""
        return without_courtesies(COMMANDS.parse({}, self.lines), self.lines)[0]


def find_request(lines: Sequence[str], known: Names) -> CommandList | None:
    """The commands in a text, cleaned of quotations before; None if it asks for nothing.

    A line that looks like a frame's first counts when its campaign is `known`, or when an END follows.
    """
    last_end = max((at for at, line in enumerate(lines) if is_end(line)), default=-1)
    for at, line in enumerate(lines):
        header = _header(line)
        if header is not None and (at < last_end or header.campaign in known):
            end = _end(lines, at + 1)
            note = "There is no END line: everything after PLAYER was read."
            return replace(_request(header, lines[at + 1 : end], () if end is not None else (note,)), at=at)
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    if first is None or not begins_with_command(lines[first]):
        return None
    return _unframed(lines[first : _end(lines, first)])


def find_press(lines: Sequence[str], sheet: SheetText, known: Names) -> CommandList | None:
    """What a letter asks that begins with a text to pass on, above any sheet in it; None if it does not.

    Words such as "Press on! My orders:" are no command, and take no sheet away.
    """
    above, whole = find_request(lines[: sheet.at] if sheet.header else lines, known), find_request(lines, known)
    if above is None or whole is None or not any(map(_has_text, above.parse().orders)):
        return None
    return replace(whole, notes=(*whole.notes, *[NEVER_ORDERS] * bool(sheet.header)))


def _has_text(order: Order) -> bool:
    return isinstance(order, PlayerCommand) and order.takes_text


def begins_with_command(line: str) -> bool:
    """Whether the first word of a line is a command in full."""
    match = _FIRST.match(line)
    return match is not None and match[1].upper() in VERBS


def _unframed(lines: Sequence[str]) -> CommandList:
    """Without a frame the commands end where the first paragraph does, unless a text follows them."""
    blank = next((at for at, line in enumerate(lines) if not line.strip()), len(lines))
    if any(map(_takes_text, lines[:blank])):
        return _request(None, lines, ())
    return _request(None, lines[:blank], (BELOW,) if any(map(begins_with_command, lines[blank:])) else ())


def _request(header: Header | None, lines: Sequence[str], notes: tuple[str, ...]) -> CommandList:
    numbered = tuple(enumerate(lines, start=1))
    texted = next((at for at, line in enumerate(lines) if _takes_text(line)), None)
    if texted is not None:
        text = "\n".join(lines[texted + 1 :]).strip("\n")
        numbered = numbered[: texted + 1]
    asking = [(number, _plainly(without_keys(line))) for number, line in numbered if split_words(line)]
    if len(asking) > MOST_COMMANDS:
        notes = (*notes, f"Only the first {MOST_COMMANDS} commands were read.")
    return CommandList(header, tuple(asking[:MOST_COMMANDS]), text if texted is not None else "", notes)


def _plainly(line: str) -> str:
    """A command without "please" and a full stop behind it, its days in digits; words for the dice stay as they are."""
    match = _FIRST.match(line)
    verb = _in_full(match[1].upper()) if match else ""
    if verb in ("", "DICE"):
        return line
    said = (with_days(line) if verb in _WITH_DAYS else line).rstrip(" \t.!?,")
    polite = next((words for words in _POLITE if said.lower().endswith(words)), "")
    return said.removesuffix(said[len(said) - len(polite) :]).rstrip(" \t,")


def _takes_text(line: str) -> bool:
    match = _FIRST.match(line)
    return match is not None and _in_full(match[1].upper()) in WITH_TEXT


def _in_full(word: str) -> str:
    """The command that a word begins, as the reader of commands will take it; "" if none or several."""
    meant = [verb for verb in VERBS if verb.startswith(word)] if len(word) >= SHORTEST_ABBREVIATION else []
    return word if word in VERBS else meant[0] if len(meant) == 1 else ""


def _header(line: str) -> Header | None:
    return Header.of(split_words(line)) if _FRAME.match(line) else None


def _end(lines: Sequence[str], start: int) -> int | None:
    return next((at for at in range(start, len(lines)) if is_end(lines[at])), None)
