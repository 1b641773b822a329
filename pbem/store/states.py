"""What the words mean in which rows say how they stand; the database has them as they are spelt here."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """How far a campaign has come; one that has moved is played in another home."""

    FORMING = "forming"
    RUNNING = "running"
    OVER = "over"
    MOVED = "moved"


class Seating(StrEnum):
    """Whether a seat is in the game: where it is open nobody sits now, and somebody may take it over."""

    PLAYING = "playing"
    OPEN = "open"
    REMOVED = "removed"


class Pages(StrEnum):
    """How a report comes as a page for a browser besides: not at all, with its mail, or behind a link to the site."""

    NO = "no"
    ATTACHED = "attached"
    LINK = "link"


class ApplicantStatus(StrEnum):
    """What became of somebody who wishes to play: he waits on the list, has a seat, or wishes no more."""

    LISTED = "listed"
    SEATED = "seated"
    WITHDRAWN = "withdrawn"


class LetterState(StrEnum):
    """Whether a mail that came has been dealt with; what is quarantined waits for a GM to look at it."""

    NEW = "new"
    DONE = "done"
    QUARANTINED = "quarantined"


class MailState(StrEnum):
    """Where a mail of the house is; it is replaced by a later one of the same topic while it still waits."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    BOUNCED = "bounced"
    REPLACED = "replaced"


UNSENT = (MailState.QUEUED, MailState.SENDING)
"""Mail that will go out, or is just going."""

SITE = "site"
"""The name of the fact that says of what the site was written last."""
