"""What the desk tells besides receipts and refusals: one record for each page, `templates/host/<page>.txt.j2`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterProblem:
    """To a GM: a letter was set aside. `problem` is one sentence."""

    page: ClassVar[str] = "letter_problem"

    letter: int
    sender: str
    subject: str
    problem: str
