"""What the desk tells besides receipts and refusals: one record for each page, `templates/host/<page>.txt.j2`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.desk.sheet import Header


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """To a player whose mail names one seat and answers another's report; `header` is what it names, if any."""

    page: ClassVar[str] = "disagreement"

    address: str
    header: Header | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """To a sender whose letter could not be dealt with because of a fault in the house."""

    page: ClassVar[str] = "fault"

    address: str


FloodOf = Literal["letters", "sheets", "keys"]
"""What came too often in a player's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """To a player, and to his GM: more than `most` came in the player's name."""

    page: ClassVar[str] = "flood"

    of: FloodOf
    most: int
    campaign: str
    seat: str
    player: str
    to_gm: bool
    gm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterProblem:
    """To a GM: a letter was set aside. `problem` is one sentence."""

    page: ClassVar[str] = "letter_problem"

    letter: int
    sender: str
    subject: str
    problem: str
