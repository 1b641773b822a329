"""Why turns of a campaign do not run: the words that `Campaign.held` has for it."""

from __future__ import annotations

PAUSED = "paused by the GM"
"""How `Campaign.held` begins when the GM has paused the campaign."""

AWAITING = "it awaits the GM's ruling"
RULED = "it has the GM's ruling, and goes on when he releases it"
"""How a turn is held before and after its ruling."""


def is_pause(held: str) -> bool:
    """Whether a hold is the GM's own, of which the players were told."""
    return held.startswith(PAUSED)
