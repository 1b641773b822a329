"""Records of the mails that the host sends unasked: one for each template; `small.py` has the small ones.

Each record is rendered with `Renderer.write(record)`. Its template,
`templates/host/<page>.j2`, sees it under the name `page`.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

from pbem.ruleset.values import SeatName
from pbem.text import as_sentence, format_time_short

LONGEST_SUBJECT = 78
"""Characters of a subject before its reply code (RFC 5322, 2.1.1)."""


class Page(Protocol):
    """The facts of one mail; `page` names its template. Without a `subject` of its own it has the message's."""

    page: ClassVar[str]

    @property
    def subject(self) -> str: ...


class MailText(NamedTuple):
    """A mail as plain text and as HTML, "" if it has none; both say the same."""

    text: str
    html: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailFrame:
    """Facts for the head, links and footer of a mail, whatever it says.

    `address` takes orders and commands; a reply goes to `reply_to`, the same with the
    code of its reader's seat or request. `game` is the title, `site` the web address of
    the campaign's page, "" if there is none. The name of the campaign is "" for mail of no campaign. `gm` is the GM
    as shown to people, `title` the campaign's own, "" if it has none. `named`: the GM has a name besides the address,
    which is then in mails with a footer of their own, too. `together`: the mail answers several sheets, so that a
    reply to it has to name its seat.
    """

    address: str = ""
    reply_to: str = ""
    campaign: str = ""
    game: str = ""
    gm: str = ""
    site: str = ""
    title: str = ""
    named: bool = False
    together: bool = False


NO_FRAME = MailFrame()


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """To a new player: their seat, their token, and how to play.

    An `heir` takes over a seat that another person has played; with `moved`, the
    same player has played it in another home. `word` is the seat's dice word,
    `options` are those of the campaign, in words, `examples` are order lines. The rulebook
    goes with the mail as the file `rules`. `seal` is "" in a game without dice. In a
    `judged` game the GM decides, and rolls dice if there are any. `wish` is another seat that they asked for.
    """

    page: ClassVar[str] = "welcome"

    campaign: str
    seat: SeatName
    token: str
    seats: tuple[SeatName, ...]
    game: str
    designer: str
    summary: str
    gm: str
    address: str
    schedule: str
    rules: str
    # The summary has figures that options may have changed.
    options: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    seal: str = ""
    word: str = ""
    judged: bool = False
    heir: bool = False
    moved: bool = False
    wish: SeatName = ""

    @property
    def subject(self) -> str:
        return f"{'welcome' if self.heir else 'the game starts'}: you play {self.seat}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """Before the deadline, to a seat that is awaited; `counted` is the version of its accepted sheet, if any.

    With `closes`, the end of the grace, it comes after the deadline, to a seat without a sheet.
    `without` is a sentence on what happens to the seat without orders, `absent` a command that says that its player is
    away, "" where turns do not wait for absences. `missing` are all seats without a sheet, where the campaign shows
    them. `extendable`: players may vote for more time. `with_page`: the report came with a page that has an order form.
    `correct` is the version of the newest sheet if lines of it were `refused`, so many; `open` are errors in it.
    """

    page: ClassVar[str] = "reminder"

    campaign: str
    seat: SeatName
    # From the view, not the host's number: that counts combat rounds, and would tell everyone of a fight (decision 1).
    label: str
    deadline: dt.datetime
    zone: str
    header: str
    address: str
    without: str
    order_lines: tuple[str, ...] = ()
    with_page: bool = False
    extendable: bool = False
    absent: str = ""
    # A sheet may count and lack the move that is awaited, or ask to WAIT: then its seat is reminded, too (decision 6).
    counted: int | None = None
    correct: int | None = None
    refused: int = 0
    open: tuple[str, ...] = ()
    missing: tuple[SeatName, ...] = ()
    closes: dt.datetime | None = None

    @property
    def others(self) -> tuple[SeatName, ...]:
        """The seats without a sheet besides this one."""
        return tuple(seat for seat in self.missing if seat != self.seat)

    @property
    def subject(self) -> str:
        if self.closes:
            return f"late: orders still count, until {format_time_short(self.closes, self.zone)}, {self.label}"
        begins = "your orders wait" if self.counted else "no orders yet"
        return f"{begins}, due {format_time_short(self.deadline, self.zone)}, {self.label}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """To a player: the campaign was rolled back to an earlier turn, whose report counts again, or that was undone.

    `back` is True for a rollback and False for its undoing. `label` is the name of
    the turn in the player's report, `sheet` the version of the sheet that counts.
    `with_page` is as in `Reminder`.
    """

    page: ClassVar[str] = "rewound"

    campaign: str
    seat: SeatName
    back: bool
    label: str
    deadline: dt.datetime | None
    zone: str
    awaited: bool
    over: bool
    sheet: int | None
    header: str
    address: str
    order_lines: tuple[str, ...] = ()
    with_page: bool = False

    @property
    def subject(self) -> str:
        due = f", due {format_time_short(self.deadline, self.zone)}" if self.awaited and self.deadline else ""
        return f"{self.label} is open again{due}" if self.back else f"the rollback is undone: back at {self.label}{due}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PressMessage:
    """To a player: press from another. `by` is "" if it is unsigned, `to` is empty if it is for all."""

    page: ClassVar[str] = "press"
    level: ClassVar[int] = 0  # titles of players are no headings, or they could counterfeit a part of the mail

    campaign: str
    by: SeatName
    to: tuple[SeatName, ...]
    text: str

    @property
    def subject(self) -> str:
        return f"message from {self.by}" if self.by else "anonymous message"


class Miss(NamedTuple):
    """A seat that has missed a turn, for the GM; `done` are the consequences in sentences, if any."""

    seat: SeatName
    in_a_row: int
    in_all: int
    done: str

    def __str__(self) -> str:
        done = f". {as_sentence(self.done)}" if self.done else ""
        return f"{self.seat}: {self.in_a_row} in a row, {self.in_all} in all{done}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingDigest:
    """To the GM, when a turn waits for a ruling: the sheets, as the game lays them out in `digest`.

    `form` is the ruling to be filled in, from RULING to END, `help` says how, in paragraphs. `ruled`: there is a ruling
    already. `since` is the time of the mail before on the same turn; the sheets are then those of the seats that have
    `changed` by now, or of all if none has. `questions` are those of players that wait for an answer, `files_left`
    sentences on files of players that could not be attached.
    """

    page: ClassVar[str] = "adjudication"

    campaign: str
    turn: int
    deadline: dt.datetime | None
    zone: str
    missing: tuple[SeatName, ...]
    digest: str
    form: str
    help: tuple[str, ...]
    ruled: bool
    changed: tuple[SeatName, ...] = ()
    since: dt.datetime | None = None
    questions: tuple[str, ...] = ()
    files_left: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        if not self.changed:
            return f"turn {self.turn} needs your ruling"
        senders = self.changed[0] if len(self.changed) == 1 else f"{len(self.changed)} players"
        return f"turn {self.turn}: {senders} sent another sheet"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceNotice:
    """To a player before the start: the seat, the dice seal, and how to choose a dice word.

    A dice word has at most `longest` characters; `word` is the one that is drawn
    otherwise. `seal` is "" in a game without dice. For the GM, `seat` is "". In a
    `judged` game the GM rolls dice, if there are any. `seats` are those with a player,
    `free` is the number of the others. `wish` is another seat that they asked for.
    """

    page: ClassVar[str] = "dice_notice"

    campaign: str
    seat: SeatName
    # Mailed before the start: until then the creator of a campaign could have tried seeds (decision 16).
    seal: str
    # Shown to its player alone until the start (decision 16).
    word: str
    longest: int
    judged: bool = False
    seats: tuple[SeatName, ...] = ()
    free: int = 0
    gm: str = ""
    schedule: str = ""
    wish: SeatName = ""

    @property
    def subject(self) -> str:
        return f"welcome: you play {self.seat}, first report at the start" if self.seat else "created, not started yet"


class TogetherPart(NamedTuple):
    """An answer to one sheet of several, with the facts for its links."""

    page: Page
    frame: MailFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """The answers to the sheets of one message, one below the other; `pieces` are these as they are written."""

    page: ClassVar[str] = "together"

    parts: tuple[TogetherPart, ...]
    pieces: tuple[MailText, ...] = ()

    @property
    def campaigns(self) -> str:
        return ", ".join(dict.fromkeys(part.frame.campaign for part in self.parts if part.frame.campaign)) or "pbem"

    @property
    def subject(self) -> str:
        """The verdicts, those with something to correct first."""
        one = len({part.frame.campaign for part in self.parts}) == 1
        said = [
            (getattr(page, "seat", "") if one else frame.campaign or getattr(page, "typed", ""), page.subject)
            for page, frame in self.parts
        ]
        clauses = [f"{name}: {subject or 'NOT accepted'}".removeprefix(": ") for name, subject in said]
        return "; ".join(sorted(clauses, key=lambda clause: "NOT" not in clause))


class Block(NamedTuple):
    """A part of a mail: the macro of `templates/host/parts.html.j2` that writes it, and its arguments."""

    macro: str
    given: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A small mail, of paragraphs and other blocks; `small.py` has those of fixed words.

    Without a `title` the subject is that; `about` follows the name of the campaign above it. Without a `preheader` it
    is the first paragraph. The `footer` is its own, or that of mails `to_gm`, or that of players; which of the two is
    told by the recipient if `to_gm` is None.
    """

    page: ClassVar[str] = "notice"

    subject: str
    blocks: tuple[str | Block, ...]
    title: str = ""
    preheader: str = ""
    about: tuple[str, ...] = ()
    to_gm: bool | None = None
    footer: str = ""
