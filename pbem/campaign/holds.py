"""Holds of a campaign, during which no turn of it is run, and the words for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.store.types import HoldKind

_PAUSED = "paused by the GM"

_WORDS = {
    HoldKind.NO_MAIL: "not one mail has come in since the turn opened",
    HoldKind.NO_PLAYERS: "every seat is open or paused, so nobody would send orders",
    HoldKind.REVIEW: "it awaits your review",
    HoldKind.RULING: "it awaits the GM's ruling",
    HoldKind.RULED: "it has the GM's ruling, and goes on when he releases it",
}

NO_HOLD: Mapping[str, Any] = {"hold_kind": HoldKind.NONE, "hold_reason": ""}
"""The columns of a campaign that is not held."""


def is_pause(kind: HoldKind) -> bool:
    """Return whether a hold is a GM's own, of which the players were told."""
    return kind in (HoldKind.GM, HoldKind.RESTORED, HoldKind.IMPORTED)


def describe_hold(kind: HoldKind, reason: str) -> str:
    """Return a hold as a clause; "" if turns are run."""
    if is_pause(kind):
        return f"{_PAUSED}: {reason}" if reason else _PAUSED
    return reason or _WORDS.get(kind, "")
