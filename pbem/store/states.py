"""What the words mean in which rows say how they stand; the database has them as they are spelt here."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """How far a campaign has come; one that has moved is played in another home."""

    FORMING = "forming"
    RUNNING = "running"
    OVER = "over"
    MOVED = "moved"


class HoldKind(StrEnum):
    """Kinds of holds, during which no turn of a campaign is run (`pbem.campaign.holds`)."""

    NONE = "none"
    GM = "gm"
    MISSING = "missing"
    NO_MAIL = "no_mail"
    NO_PLAYERS = "no_players"
    REVIEW = "review"
    RULING = "ruling"
    RULED = "ruled"
    RESTORED = "restored"
    IMPORTED = "imported"


class Seating(StrEnum):
    """Whether a seat is in the game: where it is open nobody sits now, and somebody may take it over."""

    PLAYING = "playing"
    OPEN = "open"
    REMOVED = "removed"


class Pages(StrEnum):
    """How a report comes as a page for a browser besides: not at all, with its mail, or behind a link to the site."""

    OFF = "off"
    ATTACHED = "attached"
    LINK = "link"


class ApplicantStatus(StrEnum):
    """States of a person who asked for a seat: on the waiting list, seated, or gone from it."""

    WAITING = "waiting"
    SEATED = "seated"
    LEFT = "left"


class LetterState(StrEnum):
    """States of a message received; one in quarantine was not processed and waits for the GM."""

    NEW = "new"
    PROCESSED = "processed"
    QUARANTINED = "quarantined"


class MailState(StrEnum):
    """States of an outgoing mail; a queued one is superseded by a later one of the same topic."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    BOUNCED = "bounced"
    SUPERSEDED = "superseded"


UNSENT = (MailState.QUEUED, MailState.SENDING)
"""Mail that will go out, or is just going."""

SITE = "site"
"""The name of the fact that says of what the site was written last."""
