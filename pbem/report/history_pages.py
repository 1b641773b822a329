"""What players are mailed when the past of their campaign is changed."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import ClassVar

from pbem.ruleset.values import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewound:
    """To a player: the game stands at another moment than before, and his report of that counts again.

    `back`: it was rolled back; otherwise that was taken back. `label` is what
    his report calls the moment, `sheet` the version of his sheet that counts.
    """

    page: ClassVar[str] = "rewound"

    campaign: str
    seat: Seat
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
class ReportGone:
    """To a player: his last report no longer counts, and as things are now he gets none in its place."""

    page: ClassVar[str] = "report_gone"

    campaign: str
    seat: Seat
    label: str
    gm: str
