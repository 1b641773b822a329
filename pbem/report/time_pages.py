"""What players and GMs are told of deadlines, holds and missed sheets: one record for each page."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from pbem.ruleset.values import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """To all players: their GM has paused the game; `why` are his words, if any."""

    page: ClassVar[str] = "paused"

    campaign: str
    why: str
    gm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
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
class Late:
    """After the deadline, to a seat without a sheet: until `closes` one still counts. `late` is who else is late."""

    page: ClassVar[str] = "late"

    campaign: str
    seat: Seat
    label: str
    deadline: dt.datetime
    closes: dt.datetime
    zone: str
    header: str
    address: str
    order_lines: tuple[str, ...] = ()
    late: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LateOthers:
    """After the deadline, to a seat whose sheet is in: whom the turn still waits for, and until when."""

    page: ClassVar[str] = "late_others"

    campaign: str
    label: str
    closes: dt.datetime
    zone: str
    late: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LateDigest:
    """To the GM, when a deadline has passed and the turn waits out its grace: who is late."""

    page: ClassVar[str] = "late_digest"

    campaign: str
    turn: int
    deadline: dt.datetime
    closes: dt.datetime
    zone: str
    late: tuple[Seat, ...]
    came: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTurn:
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
    missing: tuple[Seat, ...]
    came: tuple[Seat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """To a player: a turn, `label` to him, was run without a sheet of his, the `in_a_row`th time.

    `opens_in` and `removed_in` are how many more misses in a row give the seat
    to somebody else or take it out of the game; None where that never happens.
    """

    page: ClassVar[str] = "missed"

    campaign: str
    seat: Seat
    label: str
    in_a_row: int
    opens_in: int | None
    removed_in: int | None
    gm: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedOthers:
    """To all others, where the campaign says so: whose sheets did not come."""

    page: ClassVar[str] = "missed_others"

    campaign: str
    missed: tuple[Seat, ...]


class Miss(NamedTuple):
    """A seat that missed, for the GM; `done` is what became of it, in sentences, if anything did."""

    seat: Seat
    in_a_row: int
    in_all: int
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedDigest:
    """To the GM after a run: whose sheets did not come, and what was done about it."""

    page: ClassVar[str] = "missed_digest"

    campaign: str
    turn: int
    missed: tuple[Miss, ...]
