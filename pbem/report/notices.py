"""Records of the mails that the host sends of its own accord: one for each template.

Each record is rendered with `Renderer.write(record)`. Its template,
`templates/host/<page>.txt.j2`, sees it under the name `page`.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

from pbem.ruleset.values import SeatName


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
    seat: SeatName
    label: str
    deadline: dt.datetime
    zone: str
    header: str
    address: str
    order_lines: tuple[str, ...] = ()
    counted: int | None = None
    missing: tuple[SeatName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed:
    """To the GM: a turn could not be resolved. `problem` is one sentence; nothing was changed or mailed."""

    page: ClassVar[str] = "turn_problem"

    campaign: str
    label: str
    problem: str
    at: dt.datetime
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailReturned:
    """To the GM: a mail of his campaign came back. `seats` are played from the address that it went to.

    `reason` is one line in the words of the other side; `subject` has no reply code.
    """

    page: ClassVar[str] = "bounce"

    campaign: str
    seats: tuple[SeatName, ...]
    recipient: str
    subject: str
    sent_at: dt.datetime
    zone: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """To a player: the game stands at another moment than before, and his report of that counts again.

    `back`: it was rolled back; otherwise that was taken back. `label` is what
    his report calls the moment, `sheet` the version of his sheet that counts.
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
    gm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWithdrawn:
    """To a player: his last report no longer counts, and as things are now he gets none in its place."""

    page: ClassVar[str] = "report_gone"

    campaign: str
    seat: SeatName
    label: str
    gm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PressMessage:
    """To a player: a letter of another. `by` is "" when it is not signed, `to` is empty when it is to all."""

    page: ClassVar[str] = "press"
    level: ClassVar[int] = 0

    campaign: str
    by: SeatName
    to: tuple[SeatName, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementMail:
    """To a player: words of his GM, whose address is `gm`; `to` is empty when they are to all."""

    page: ClassVar[str] = "broadcast"
    level: ClassVar[int] = 2

    campaign: str
    gm: str
    to: tuple[SeatName, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignHeld:
    """To all players: their GM has paused the game; `why` are his words, if any."""

    page: ClassVar[str] = "paused"

    campaign: str
    why: str
    gm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignReleased:
    """To all players: their GM lets the game go on. `deadline` is that of the open turn."""

    page: ClassVar[str] = "resumed"

    campaign: str
    deadline: dt.datetime | None
    now: dt.datetime
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineMoved:
    """To all players: the open turn is due later. `closes` is when it is run at last, if there is a grace.

    `by_vote`: enough players asked for it; else the GM decided it.
    """

    page: ClassVar[str] = "deadline_moved"

    campaign: str
    old: dt.datetime
    new: dt.datetime
    closes: dt.datetime
    zone: str
    by_vote: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescheduled:
    """To all players: turns still to open are due at other times. `deadline` is that of the open turn, which stays."""

    page: ClassVar[str] = "rescheduled"

    campaign: str
    old: str
    new: str
    deadline: dt.datetime | None
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOverdue:
    """After the deadline, to a seat without a sheet: until `closes` one still counts. `late` is who else is late."""

    page: ClassVar[str] = "late"

    campaign: str
    seat: SeatName
    label: str
    deadline: dt.datetime
    closes: dt.datetime
    zone: str
    header: str
    address: str
    order_lines: tuple[str, ...] = ()
    late: tuple[SeatName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingForOthers:
    """After the deadline, to a seat whose sheet is in: whom the turn still waits for, and until when."""

    page: ClassVar[str] = "late_others"

    campaign: str
    label: str
    closes: dt.datetime
    zone: str
    late: tuple[SeatName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverdueDigest:
    """To the GM, when a deadline has passed and the turn waits out its grace: who is late."""

    page: ClassVar[str] = "late_digest"

    campaign: str
    turn: int
    deadline: dt.datetime
    closes: dt.datetime
    zone: str
    late: tuple[SeatName, ...]
    came: tuple[SeatName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnHeld:
    """To the GM: a turn that was due is held until he says what to do. `why` is a clause.

    `review`: he asked to see each turn first; else something is wrong with the sheets.
    """

    page: ClassVar[str] = "held_turn"

    campaign: str
    turn: int
    why: str
    review: bool
    deadline: dt.datetime | None
    zone: str
    missing: tuple[SeatName, ...]
    came: tuple[SeatName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetMissed:
    """To a player: a turn, `label` to him, was run without a sheet of his, the `in_a_row`th time.

    `opens_in` and `removed_in` are how many more misses in a row give the seat
    to somebody else or take it out of the game; None where that never happens.
    """

    page: ClassVar[str] = "missed"

    campaign: str
    seat: SeatName
    label: str
    in_a_row: int
    opens_in: int | None
    removed_in: int | None
    gm: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OthersMissed:
    """To all others, where the campaign says so: whose sheets did not come."""

    page: ClassVar[str] = "missed_others"

    campaign: str
    missed: tuple[SeatName, ...]


class Miss(NamedTuple):
    """A seat that missed, for the GM; `done` is what became of it, in sentences, if anything did."""

    seat: SeatName
    in_a_row: int
    in_all: int
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedSheets:
    """To the GM after a run: whose sheets did not come, and what was done about it."""

    page: ClassVar[str] = "missed_digest"

    campaign: str
    turn: int
    missed: tuple[Miss, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GmToken:
    """To a GM: the token that proves his letters."""

    page: ClassVar[str] = "gm_token"

    campaign: str
    token: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingDigest:
    """To the GM, when a turn waits for his ruling: all sheets, as the game lays them out in `digest`.

    `form` is the ruling to be filled in, as it may be mailed. `ruled`: he has ruled already, but not on all of these.
    """

    page: ClassVar[str] = "adjudication"

    campaign: str
    turn: int
    deadline: dt.datetime | None
    zone: str
    missing: tuple[SeatName, ...]
    digest: str
    form: str
    ruled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceNotice:
    """To a player before the start: the seal of the dice, and how to add a word of his own, of so many characters.

    `word` is the one that is drawn for him otherwise. To the GM it has no `seat`.
    In a `judged` game dice are rolled by the GM, if at all.
    """

    page: ClassVar[str] = "dice_notice"

    campaign: str
    game: str
    seat: SeatName
    seal: str
    word: str
    longest: int
    gm: str
    judged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """News of a campaign in a few sentences; "" is a campaign for what concerns a person in all of his."""

    page: ClassVar[str] = "notice"

    paragraphs: tuple[str, ...]
    campaign: str = ""
    gm: str = ""
