"""The mails by which press and a GM's words go out. `level` is that of titles in the words, 0 if they make none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pbem.ruleset.values import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class PressMail:
    """To a player: a letter of another. `by` is "" when it is not signed, `to` is empty when it is to all."""

    page: ClassVar[str] = "press"
    level: ClassVar[int] = 0

    campaign: str
    by: Seat
    to: tuple[Seat, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Broadcast:
    """To a player: words of his GM, whose address is `gm`; `to` is empty when they are to all."""

    page: ClassVar[str] = "broadcast"
    level: ClassVar[int] = 2

    campaign: str
    gm: str
    to: tuple[Seat, ...]
    text: str
