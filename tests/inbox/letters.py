"""Messages as strangers write them, read as the inbox reads them, against real views of all games."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pbem.campaign.courtesies import sender_names
from pbem.campaign.order_sheets import SheetReading, parse_sheet
from pbem.inbox.frames import SheetText, find_sheet
from pbem.inbox.free_words import find_words
from pbem.inbox.sheet_choice import choose_sheet
from pbem.mail.reply_parser import normalise_text, sender_lines
from pbem.ruleset import AnyRuleset, Dice, View
from pbem.testing.play import default_options, mail_view, standard, usual_seats
from tests.games import RULESETS

GAMES = {ruleset.key: ruleset for ruleset in RULESETS}
FREE = "gm_adjudicated"
"""The game in which every line can be an order."""

NAMES = sender_names("Ann Smith", "ann@example.org")
_DICE = Dice(b"letters")


@cache
def view_of(key: str) -> View:
    """Return the first view of a game by which a seat is asked for orders."""
    ruleset = GAMES[key]
    state = ruleset.setup(default_options(ruleset), usual_seats(ruleset), _DICE)
    return mail_view(ruleset, state, min(ruleset.standing(state).awaiting), ())


@cache
def good_orders(key: str) -> tuple[str, ...]:
    """Return a sheet of the game's standard bot."""
    return tuple(line for line in standard(GAMES[key], view_of(key), _DICE) if line.strip())


@cache
def new_order(key: str) -> str:
    """Return an order of that sheet which the form does not suggest."""
    form = [_SIGNS.findall(line) for line in GAMES[key].template(view_of(key))]
    return next(line for line in good_orders(key) if _SIGNS.findall(line) not in form)


_SIGNS = re.compile(r"[\w+-]+")


@dataclass(frozen=True)
class Received:
    """A message as it was read: its sheet, the numbers of its courtesies, and the reading."""

    sheet: SheetText
    reading: SheetReading
    asks: bool
    notes: tuple[str, ...]

    @property
    def courtesies(self) -> tuple[str, ...]:
        """The lines that the receipt names as no orders."""
        return (*self.reading.courtesies, *self.sheet.courtesies)

    @property
    def wrong(self) -> list[str]:
        """The lines with errors, as typed."""
        return [finding.source for finding in self.reading.remarks if finding.severity == "error" and finding.line]

    def accounts_for(self, line: str) -> bool:
        """Return True if a line was accepted, or if a finding, a note or the list of courtesies names it."""
        said = line.strip()
        numbers = {number for number, typed in self.sheet.lines if typed.strip() == said}
        told = {entry.line for entry in self.reading.parsed.entries}
        told |= {finding.line for finding in self.reading.parsed.findings}
        named = any(" ".join(said.split())[:60] in note for note in self.notes)
        return bool(numbers & told) or said in self.courtesies or named


def receive(key: str, lines: Sequence[str]) -> Received:
    """Return a message of Ann Smith's to a campaign called trap7, as the inbox reads it."""
    ruleset: AnyRuleset = GAMES[key]
    view = view_of(key)
    typed, notes = sender_lines(normalise_text("\n".join(lines)).split("\n"))
    sheet = choose_sheet(ruleset, view, find_sheet(typed, {"trap7"}), None, NAMES)
    sheet, courtesies = find_words(ruleset, view, sheet, NAMES)
    reading = parse_sheet(ruleset, view, sheet.lines, courtesies)
    asks = not sheet.without(courtesies).empty
    return Received(sheet, reading, asks, (*notes, *sheet.notes, *reading.notes))
