"""What a GM who decides the turns himself is told: one record for each page."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import ClassVar

from pbem.ruleset import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """To the GM, when a turn waits for his ruling: all sheets, as the game lays them out in `digest`.

    `form` is the ruling to be filled in, as it may be mailed. `ruled`: he has ruled already, but not on all of these.
    """

    page: ClassVar[str] = "adjudication"

    campaign: str
    turn: int
    deadline: dt.datetime | None
    zone: str
    missing: tuple[Seat, ...]
    digest: str
    form: str
    ruled: bool
