"""Content that the host adds to a report, and the parts of a rendered report."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from pbem.ruleset.values import Json, SeatName
from pbem.text import join_names

MANY_ORDERS = 8
"""Orders in a turn whose outcomes a report tells one by one; of more it counts those that are plain."""

MOST_ROWS = 12
"""Seats in the table of scores, and the reader's own."""

LONGEST_TITLE = 28
"""Characters of the heading of a mail, so that it is one line on a phone."""


@dataclass(frozen=True, slots=True)
class SheetUsed:
    """The sheet whose orders a turn was resolved with; `digest` is the hex SHA-256 of its receipt."""

    version: int
    digest: str


class DiceWord(NamedTuple):
    """A seat's dice word, chosen by its player (`own`) or drawn."""

    seat: SeatName
    word: str
    own: bool


class OrderOutcome(NamedTuple):
    """An order of a seat in the turn reported: in words, its outcome ("" if there is nothing to say), and its line.

    `state` is done, part or not, or plain: done, with an outcome that need not be told. In receipts, where the outcome
    is what is noted of the line, it is done or warned.
    """

    words: str
    became: str = ""
    typed: str = ""
    state: str = "done"

    @property
    def told(self) -> str:
        """The outcome, with the state before it unless that is done.

        >>> OrderOutcome("", "you have 3 coins", "BID 7", "not").told
        'not done: you have 3 coins'
        """
        state = {"not": "not done", "part": "in part"}.get(self.state, "")
        return ": ".join(filter(None, (state, self.became)))


def group_outcomes(outcomes: Sequence[OrderOutcome]) -> list[OrderOutcome]:
    """Return outcomes with equal ones in sequence put together, if their lines differ in one word alone.

    >>> rows = [OrderOutcome("", "at 0,3", f"MOVE {unit} NW") for unit in ("L2", "S1")]
    >>> [row.typed for row in group_outcomes(rows)]
    ['MOVE L2, S1 NW']
    """
    groups: list[tuple[OrderOutcome, list[list[str]]]] = []
    for row in outcomes:
        words = [[word] for word in row.typed.split(" ")]
        if groups and (row.became, row.state) == (groups[-1][0].became, groups[-1][0].state) and row.became:
            joined = _join_words(groups[-1][1], words)
            if joined is not None:
                groups[-1] = (row, joined)
                continue
        groups.append((row, words))
    return [row._replace(typed=" ".join(", ".join(words) for words in line)) for row, line in groups]


def abridge_outcomes(outcomes: Iterable[OrderOutcome]) -> list[OrderOutcome]:
    """Return outcomes without those that are plain; of lines of a verb with equal ones the first two words, together.

    >>> rows = [OrderOutcome("", "the way is blocked", f"MOVE {unit}", "not") for unit in ("L2 N N", "S1 NW")]
    >>> [row.typed for row in abridge_outcomes([*rows, OrderOutcome("", "at 0,3", "MOVE C1 N", "plain")])]
    ['MOVE L2, S1 …']
    """
    alike: dict[tuple[str, ...], list[OrderOutcome]] = {}
    for row in outcomes:
        if row.state != "plain":
            alike.setdefault((row.typed.split(" ")[0], row.became, row.state), []).append(row)
    return [_abridge(some) if len(some) > 1 else some[0] for some in alike.values()]


def _abridge(alike: Sequence[OrderOutcome]) -> OrderOutcome:
    lines = [row.typed.split(" ", 2) for row in alike]
    return alike[0]._replace(typed=f"{lines[0][0]} {', '.join(word for line in lines for word in line[1:2])} …")


def _join_words(group: list[list[str]], line: list[list[str]]) -> list[list[str]] | None:
    """Return the words of a group with those of one more line; None if more than one place would have several."""
    if len(group) != len(line):
        return None
    differing = [at for at, (words, word) in enumerate(zip(group, line, strict=True)) if words != word]
    several = [at for at, words in enumerate(group) if len(words) > 1]
    # The verb is one word for all, or the line could not be read.
    if len(differing) != 1 or differing[0] == 0 or several not in ([], differing):
        return None
    at = differing[0]
    return [*group[:at], [*group[at], *line[at]], *group[at + 1 :]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceDisclosure:
    """The dice words that a report discloses: those of all `seats`, or its own alone where they are many.

    `digest` is the hex SHA-256 of the list of all, as JSON pairs of seat and word.
    """

    words: tuple[DiceWord, ...]
    # Where there are more than 60 seats, this stands for the words that are not listed (decision 16).
    digest: str
    seats: int

    @property
    def complete(self) -> bool:
        """True if the words of all seats are listed."""
        return len(self.words) == self.seats

    @property
    def lines(self) -> tuple[str, ...]:
        """The words as a report lists them, a seat a line."""
        # Drawn words are marked: where all are, the creator of the seed has chosen the dice (decision 16).
        return tuple(f"{each.seat}: {each.word}" + ("" if each.own else " (drawn)") for each in self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedText:
    """A person's text, passed on. `by` is a seat, "" if it is unsigned; `to` are seats, none for all.

    `label` is the turn in which it was written, where that is disclosed.
    """

    by: SeatName
    text: str
    to: tuple[SeatName, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionText:
    """A question to the GM, and the answer, "" if there is none yet. It is the reader's `own`, or another seat's."""

    own: bool
    text: str
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PressSection:
    """Texts of people in a report: of its GM, of those who write to all, of those who write to its seat.

    `diaries` are disclosed when the game is over. `looks` says how the GM looked at
    real dice, and `notes` what happened to the home, in the program's words. Only
    `looks` is part of the report's JSON.
    """

    # Not in the JSON: that is the game's own, for clients and for the proof of the archive.
    gm_texts: tuple[str, ...] = ()
    questions: tuple[QuestionText, ...] = ()
    looks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    news: tuple[QuotedText, ...] = ()
    press: tuple[QuotedText, ...] = ()
    diaries: tuple[QuotedText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The notes of a corrected report; the first version of a report has none.

    `changes` are sentences on what is different. `differences` are lines of the text:
    "- " as before, "+ " as now. `sheet` says what happened to the sheet that the seat
    had sent in answer to the report before. `moved`: the deadline had passed, and there
    is a new one.
    """

    edition: int
    differences: tuple[str, ...]
    sheet: Literal["none", "kept", "dropped"] = "none"
    changes: tuple[str, ...] = ()
    moved: bool = False


class FinalScore(NamedTuple):
    """A seat's score at the end; None if it has none that all may know."""

    seat: SeatName
    score: int | None
    won: bool


class OpenCampaign(NamedTuple):
    """A campaign that takes players by mail: its name, the title of its game, and the number of open seats."""

    name: str
    game: str
    free: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of a game, as the last report of a `seat` tells it.

    `scores` are of all seats, the winners and the best first. `course` are the scores of each
    seat by the numbers of turns; `of` is the thing counted, in the plural, and `by` the
    unit of the numbers. `replay` is the web address of the replay, "" if there is none.
    `following` are campaigns that anyone may join.
    """

    seats: tuple[SeatName, ...]
    winners: tuple[SeatName, ...]
    reason: str
    seat: SeatName = ""
    scores: tuple[FinalScore, ...] = ()
    course: Mapping[SeatName, Mapping[int, int]] = field(default_factory=dict)
    of: str = ""
    by: str = ""
    replay: str = ""
    following: tuple[OpenCampaign, ...] = ()

    @property
    def rows(self) -> list[tuple[str, int | str, str]]:
        """The table of scores: the best seats, and the reader's own; none where nobody has a score."""
        shown = [each for at, each in enumerate(self.scores) if at < MOST_ROWS or each.seat == self.seat]
        if all(each.score is None for each in self.scores):
            return []
        return [
            (
                each.seat + (" (you)" if each.seat == self.seat else ""),
                "" if each.score is None else each.score,
                "won" if each.won else "",
            )
            for each in shown
        ]

    @property
    def title(self) -> str:
        """The result in at most 28 characters.

        >>> Ending(seats=("red", "blue"), winners=("red",), reason="", seat="red").title
        'You won against blue'
        """
        others = [winner for winner in self.winners if winner != self.seat]
        lost = [seat for seat in self.seats if seat not in self.winners]
        if not self.winners:
            return "The game is over: a draw" if "draw" in self.reason.lower() else "The game is over"
        if self.seat in self.winners:
            against = f" against {lost[0]}" if len(lost) == 1 and not others else ""
            full, short = f"You{f' and {join_names(others)}' if others else ''} won{against}", "You won"
        else:
            full, short = f"{join_names(others)} won", "Others won"
        return full if len(full) <= LONGEST_TITLE else short


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFacts:
    """The content that the host adds to a view in a report. Only what its seat may know belongs here.

    `deadline` is for the orders now asked for, in UTC, and late ones count until
    `closes`, if there is a grace; `zone` is that in which times are told (`pbem.text.zone_for`). `code`
    is the reply code, `address` the order address without it. `used` is the sheet
    that counted in the turn reported; with `missed`, none came and the defaults were
    used. `ordered` are the orders of the seat in it.

    `seed` is the hex of the dice seed once the campaign is over, "" before; `dice` are
    the dice words, in the first and the last report of a seat. `record` is the hash
    of the archive's record of the turn before the one reported, by which the archive
    can be checked against this report; "" if there is none. `rolled`: the campaign is
    over, and its GM has rolled its dice.

    `first`: nothing was resolved before this report. `taken_over`, in the first report
    of a game taken over from elsewhere, is the number of its first turn here, 0 in all others.
    `full`: all that is known is wanted, also what earlier reports have told. `gm` is the GM as shown to people, `title`
    the campaign's own, `site` the address of its page on the web, both "" if it has none.
    `page`: the player wants it as a page too. `words` are those of people. `enclosed`
    are the contents, by hash, of the pictures and files that the view names. `ending` is
    there when the game is over.
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
    # In every report: a GM could write the whole chain anew, but not change the mails that players keep.
    record: str = ""
    dice: DiceDisclosure | None = None
    # Reports of an adjudicated game speak of dice only where the GM has rolled some (decision 33).
    rolled: bool = False
    first: bool = False
    taken_over: int = 0
    page: bool = False
    full: bool = False
    gm: str = ""
    title: str = ""
    site: str = ""
    closes: dt.datetime | None = None
    words: PressSection = PressSection()
    enclosed: Mapping[str, bytes] = field(default_factory=dict)
    correction: Correction | None = None
    ending: Ending | None = None

    @property
    def edition(self) -> int:
        """The version of the report: 1, or more for a corrected one."""
        return self.correction.edition if self.correction else 1

    @property
    def header(self) -> str:
        """The first line of this seat's order sheets."""
        return f"ORDERS {self.campaign} {self.seat} {self.code}"

    def content_id(self, picture: str) -> str:
        """Return the Content-ID of one picture of this report (RFC 2392), which discloses its name alone."""
        # The reply code makes it differ from report to report; .invalid is the domain of no host (RFC 2606).
        name = f"{self.campaign}/{self.seat}/{self.code}/{picture}"
        return f"{picture}.{hashlib.sha256(name.encode()).hexdigest()[:16]}@pbem.invalid"

    def attachment_id(self, sha256: str) -> str:
        """Return the Content-ID of a picture that the GM attached."""
        return self.content_id(f"{_ATTACHED}{sha256[:12]}")

    def with_content_ids(self, html: str) -> str:
        """Return the HTML of a report in the archive with the Content-IDs of this report for its pictures."""

        def name(found: re.Match[str]) -> str:
            picture = found["mailed"] or found["drawn"]
            return f"cid:{self.content_id(picture) if picture else self.attachment_id(found['attached'])}"

        return _with_sources(html, name)


_ATTACHED = "enclosed-"
# What a person writes cannot be such an attribute: its quotes are escaped. Archives of older versions have Content-IDs.
# It begins with plain letters, which are found twenty times as fast as an assertion.
_SOURCE = re.compile(
    r"""src(?<=\bsrc)=["'](?P<place>cid:(?P<mailed>[a-z0-9-]++)\.[0-9a-f]{16}@pbem\.invalid"""
    r"""|[a-z0-9-]++\.(?P<drawn>[a-z0-9-]++)\.png"""
    r"""|\.\./(?:\.\./[0-9]++/)?enclosed/(?P<attached>[0-9a-f]{64})\.[a-z]++)(?=["'])"""
)


def _with_sources(html: str, place: Callable[[re.Match[str]], str]) -> str:
    """Return HTML with other places in the attributes that `_SOURCE` finds."""
    return _SOURCE.sub(lambda found: f"{found[0].removesuffix(found['place'])}{place(found)}", html)


_NOT_OF_FILES = re.compile(r"[^a-z0-9]++")


def picture_file(campaign: str, label: str, picture: str) -> str:
    """Return the name under which a picture is attached: "trap7-turn-11-chart.png"."""
    moment = _NOT_OF_FILES.sub("-", label.lower()).strip("-")
    return f"{campaign}-{moment}-{picture}.png"


class DrawnPicture(NamedTuple):
    """A picture of a report; `png` is None if it could not be drawn. `file` is its name if it is attached."""

    name: str
    title: str
    png: bytes | None
    file: str = ""


@dataclass(frozen=True, slots=True)
class RenderedReport:
    """All parts of a report: those that are mailed, and those that the archive keeps.

    `subject` lacks the tag with the reply code, which is added when it is sent;
    `data` is the JSON attachment. `page` is the report as one file for a browser, if
    the player wants it; it is not stored, since it follows from the rest.
    """

    seat: SeatName
    subject: str
    text: str
    html: str
    data: bytes
    pictures: tuple[DrawnPicture, ...] = ()
    page: bytes | None = None

    def files(self, attached: Mapping[str, str] = MappingProxyType({})) -> dict[str, bytes]:
        """Return the parts by their names in the archive's `reports/` folder.

        Their HTML shows the files beside it; `attached` has the paths of the GM's pictures by Content-ID.
        """
        drawn = {f"{self.seat}.{each.name}.png": each.png for each in self.pictures if each.png is not None}

        def place(found: re.Match[str]) -> str:
            own = f"{self.seat}.{found['mailed']}.png"
            return own if own in drawn else attached.get(found["place"].removeprefix("cid:"), found["place"])

        return {
            f"{self.seat}.txt": self.text.encode(),
            f"{self.seat}.html": _with_sources(self.html, place).encode(),
            f"{self.seat}.json": self.data,
            **drawn,
        }


SHOWN = 12
"""Scores shown, the latest ones."""

_BARS = "▁▂▃▄▅▆▇█"


class FormattedScores(NamedTuple):
    """Scores in words, and as bars of one sign each."""

    text: str
    bars: str


def format_scores(scores: Json) -> FormattedScores | None:
    """Return the last of the `scores` in a view's memory; None if there are fewer than two."""
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
