"""A campaign that was made."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.acts.creation import Created
from pbem.telling.common import counted


def created_lines(name: str, created: Created) -> Iterator[str]:
    """What the making of a campaign did, and how to go on."""
    yield f"Campaign {name} is made."
    yield f"Dice seal: {created.seal}"
    yield f"{counted(created.mails, 'mail')} queued: the seal, and how to add a word to the dice. Send: pbem tick"
    yield f"When the players have had time for that: pbem start {name}"
