"""What the doctor says of one thing, and of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Result = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Examined:
    """One thing looked at: `text` is what was found, `mend` what to do about it, "" if nothing."""

    name: str
    result: Result
    text: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that was looked at, and how often there was something to mend."""

    problems: int
    warnings: int
    checks: tuple[Examined, ...]


def fine(name: str, text: str) -> Examined:
    """Nothing to mend."""
    return Examined(name, "ok", text)


def doubtful(name: str, text: str, mend: str) -> Examined:
    """It may be meant so; turns go on all the same."""
    return Examined(name, "warning", text, mend)


def bad(name: str, text: str, mend: str) -> Examined:
    """Something cannot work until it is mended."""
    return Examined(name, "problem", text, mend)
