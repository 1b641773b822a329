"""What the host's own mails tell, besides receipts and reports: one record for each page.

Each record is rendered with `Reporter.write(record)`, which its template,
`templates/host/<page>.txt.j2`, sees under the name `page`.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from markupsafe import Markup

from pbem.ruleset.values import Seat

Reason = Literal[
    "unknown-sender",
    "no-orders",
    "no-text",
    "untouched",
    "doubtful",
    "stale-code",
    "withdrawn",
    "wrong-campaign",
    "unknown-seat",
    "not-started",
    "removed",
    "game-over",
    "moved",
    "vacant",
    "needs-code",
    "needs-token",
    "unverified",
    "sender-mismatch",
    "forged",
    "not-deputy-now",
    "deputy-asks",
    "confirmed-late",
    "not-yours-now",
    "unclear",
    "answered",
]
"""Why a mail could not be used; `templates/host/refusal.txt.j2` has a paragraph for each."""


class Page(Protocol):
    """A record of facts for one mail; `page` names its template."""

    page: ClassVar[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """To a new player: where he sits, his token, and how to play. An `heir` takes over a seat played before.

    `moved`: he has played it himself, in another home.

    `word` is that of his seat which is mixed into the dice, `options` are the
    campaign's, in words. The rulebook goes with it as the file `rules`. In a
    `judged` game the GM decides, and dice are rolled by him if at all.
    """

    page: ClassVar[str] = "welcome"

    campaign: str
    seat: Seat
    token: str
    seats: tuple[Seat, ...]
    game: str
    designer: str
    summary: str
    gm: str
    address: str
    schedule: str
    rules: str
    options: tuple[str, ...] = ()
    seal: str = ""
    word: str = ""
    judged: bool = False
    heir: bool = False
    moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """Before the deadline, to a seat for which the turn waits; `counted` is the version of its sheet, if it has one.

    `missing` are all seats without a sheet, where the campaign tells.
    """

    page: ClassVar[str] = "reminder"

    campaign: str
    seat: Seat
    label: str
    deadline: dt.datetime
    zone: str
    header: str
    address: str
    order_lines: tuple[str, ...] = ()
    counted: int | None = None
    missing: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """To the sender of a mail that cannot be used, or to the address of the seat that it was for.

    `typed` is what the mail said where it went wrong, `hint` the nearest valid
    thing. `counted` is the version that still counts. `since` and `until` are
    those of a deputy. To an unknown sender nothing of any campaign is told.
    """

    page: ClassVar[str] = "refusal"

    reason: Reason
    address: str
    campaign: str = ""
    seat: Seat = ""
    label: str = ""
    typed: str = ""
    hint: str = ""
    sender: str = ""
    gm: str = ""
    counted: int | None = None
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    zone: str = "UTC"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderHelp:
    """An order of a game, or a command if it has no `game`: how it is written, what it does, and lines that show it."""

    verb: str
    game: str
    usage: str
    help: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnVerb:
    """To whoever mailed HELP and a verb: what that is for, in each game of his that has it."""

    page: ClassVar[str] = "help_on_verb"

    address: str
    orders: tuple[OrderHelp, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """The player guide; with a campaign and seat, its examples are the reader's own.

    `orders` are those of his games, `commands` what else may be asked by mail: usage and help. `unknown` is a
    word that he asked about and that no order begins with, `hint` what may be meant.
    """

    page: ClassVar[str] = "help"

    address: str
    campaign: str = "trap7"
    seat: Seat = "red"
    orders: tuple[OrderHelp, ...] = ()
    commands: tuple[tuple[str, str], ...] = ()
    unknown: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookPage:
    """To a player: the rulebook of his game, or sections of it; `about` says which. `text` and `html` are the same."""

    page: ClassVar[str] = "rulebook"

    game: str
    about: str
    text: str
    html: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnProblem:
    """To the GM: a turn could not be resolved. `problem` is one sentence; nothing was changed or mailed."""

    page: ClassVar[str] = "turn_problem"

    campaign: str
    label: str
    problem: str
    at: dt.datetime
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounced:
    """To the GM: a mail of his campaign came back. `seats` are played from the address that it went to.

    `reason` is one line in the words of the other side; `subject` has no reply code.
    """

    page: ClassVar[str] = "bounce"

    campaign: str
    seats: tuple[Seat, ...]
    recipient: str
    subject: str
    sent_at: dt.datetime
    zone: str
    reason: str
