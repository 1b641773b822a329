"""What a GM is mailed about his own letters, and about turns that he decides."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import ClassVar

from pbem.report.receipt import Told
from pbem.ruleset.values import Seat


@dataclass(frozen=True, slots=True)
class GmCommandDone:
    """A command as it was understood, and what came of it."""

    line: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GmAnswer:
    """To a GM: what was done for his letter; or, with `findings` or a `problem`, that nothing was."""

    page: ClassVar[str] = "gm_answer"

    campaign: str
    done: tuple[GmCommandDone, ...] = ()
    findings: tuple[Told, ...] = ()
    at_fault: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GmImpostor:
    """To a GM: somebody wrote in his name without his token."""

    page: ClassVar[str] = "gm_impostor"

    campaign: str
    sender: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GmToken:
    """To a GM: the token that proves his letters."""

    page: ClassVar[str] = "gm_token"

    campaign: str
    token: str
    address: str


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
