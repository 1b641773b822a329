"""Content that the host adds to a report, and the parts of a rendered report."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pbem.ruleset.values import Json, SeatName


@dataclass(frozen=True, slots=True)
class SheetUsed:
    """The sheet whose orders a turn was resolved with; `digest` is the hex SHA-256 told in its receipt."""

    version: int
    digest: str


class DiceWord(NamedTuple):
    """A word that is mixed with the sealed seed of the dice: the `own` of a seat's player, or one drawn for him."""

    seat: SeatName
    word: str
    own: bool


class OrderOutcome(NamedTuple):
    """An order that a seat had in the turn reported: in words, and what became of it, "" if nothing is to be said."""

    words: str
    became: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceDisclosure:
    """The words mixed into the dice, as a report tells them: those of all `seats`, or where they are many its own.

    `digest` is the hex SHA-256 of the list of all, as JSON pairs of seat and word.
    """

    words: tuple[DiceWord, ...]
    digest: str
    seats: int

    @property
    def complete(self) -> bool:
        """Whether the words of all seats are listed."""
        return len(self.words) == self.seats

    @property
    def lines(self) -> tuple[str, ...]:
        """The words as a report lists them, a seat a line."""
        return tuple(f"{each.seat}: {each.word}" + ("" if each.own else " (drawn)") for each in self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedText:
    """A text of somebody, passed on. `by` is a seat, "" for an unsigned letter; `to` are seats, none for all.

    `label` is what he called the moment when he wrote it, where that is told.
    """

    by: SeatName
    text: str
    to: tuple[SeatName, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PressSection:
    """What people say in a report: its GM, those who write for all, those who write to its seat.

    `diaries` are told when the game is over. `looks` is what the program says
    of its GM: how he looked at real dice. Only they are part of the report's
    JSON, which is the game's own, for clients and for the proof of the archive.
    """

    gm_texts: tuple[str, ...] = ()
    looks: tuple[str, ...] = ()
    news: tuple[QuotedText, ...] = ()
    press: tuple[QuotedText, ...] = ()
    diaries: tuple[QuotedText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a corrected report says of itself; its first edition has none.

    `differences` are lines of the text: "- " as it was told before, "+ " as it
    is now. `sheet` is what became of the sheet that its seat had sent against
    the report before.
    """

    edition: int
    differences: tuple[str, ...]
    sheet: Literal["none", "kept", "dropped"] = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFacts:
    """What stands around a view in a report. Only what its seat may know belongs here.

    `deadline` is for the orders now asked for, in UTC, and late ones count until
    `closes`, if there is a grace; `zone` is the campaign's ("Europe/Berlin").
    `code` is the reply code, `address` the order address without it. `used` is
    the sheet that counted in the turn reported; with `missed`, none came and the
    defaults were used. `ordered` are the orders that its seat had in it.
    `seed` is the hex of the dice's seed once the campaign is over, ""
    before; `dice` are the words mixed with it, in a seat's first report and in
    its last. `record` is the hash of the archive's record of the turn before the
    one reported, by which the archive can be held to this report; "" where there
    is none. `rolled`: the campaign is over, and its GM has rolled its dice.
    `first`: nothing was resolved before this report. `taken_over`, in the first
    report of a game begun elsewhere, is the number of its first turn here, 0 in
    all others. `page`: its player wants it as a page too. `words` are those of
    people. `enclosed` are the contents, by hash, of the pictures and files that
    the view names.
    """

    campaign: str
    seat: SeatName
    seats: tuple[SeatName, ...]
    deadline: dt.datetime | None
    zone: str
    code: str
    address: str
    used: SheetUsed | None = None
    missed: bool = False
    ordered: tuple[OrderOutcome, ...] = ()
    seal: str = ""
    seed: str = ""
    record: str = ""
    dice: DiceDisclosure | None = None
    rolled: bool = False
    first: bool = False
    taken_over: int = 0
    page: bool = False
    closes: dt.datetime | None = None
    words: PressSection = PressSection()
    enclosed: Mapping[str, bytes] = field(default_factory=dict)
    correction: Correction | None = None

    @property
    def edition(self) -> int:
        """1, and more for a corrected report."""
        return self.correction.edition if self.correction else 1

    @property
    def header(self) -> str:
        """The line that begins this seat's order sheets."""
        return f"ORDERS {self.campaign} {self.seat} {self.code}"

    def content_id(self, picture: str) -> str:
        """The Content-ID of one picture of this report (RFC 2392), telling nothing but its name."""
        name = f"{self.campaign}/{self.seat}/{self.code}/{picture}"
        return f"{picture}.{hashlib.sha256(name.encode()).hexdigest()[:16]}@pbem.invalid"


class DrawnPicture(NamedTuple):
    """A picture of a report; `png` is None where it could not be drawn and its title must do."""

    name: str
    title: str
    png: bytes | None


@dataclass(frozen=True, slots=True)
class RenderedReport:
    """A report, whole: what is mailed, and what the archive keeps.

    `subject` lacks the tag with the reply code, which the postman adds;
    `data` is the JSON attachment. `page` is the report as one file for a browser,
    for a player who wants it; it is kept nowhere, since it follows from the rest.
    """

    seat: SeatName
    subject: str
    text: str
    html: str
    data: bytes
    pictures: tuple[DrawnPicture, ...] = ()
    page: bytes | None = None

    def files(self) -> dict[str, bytes]:
        """The parts by their names in the archive's `reports/` folder."""
        files = {
            f"{self.seat}.txt": self.text.encode(),
            f"{self.seat}.html": self.html.encode(),
            f"{self.seat}.json": self.data,
        }
        drawn = {f"{self.seat}.{name}.png": png for name, _, png in self.pictures if png is not None}
        return files | drawn


SHOWN = 12
"""Scores told, the last ones."""

_BARS = "▁▂▃▄▅▆▇█"


class FormattedScores(NamedTuple):
    """Scores in words, and as bars of one sign each."""

    text: str
    bars: str


def format_scores(scores: Json) -> FormattedScores | None:
    """The last of the `scores` that a view remembers; None if there is nothing to compare."""
    turns = scores["turns"][-SHOWN:] if scores else []
    if len(turns) < 2:
        return None
    numbers, values = [number for number, _ in turns], [value for _, value in turns]
    told = ", ".join(map(str, values))
    least, span = min(values), max(values) - min(values)
    bars = "".join(_BARS[(value - least) * (len(_BARS) - 1) // span if span else 0] for value in values)
    return FormattedScores(f"Your {scores['of']} by {scores['by']}, {_format_turns(numbers)}: {told}.", bars)


def _format_turns(numbers: list[int]) -> str:
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))
