"""All exceptions of host and rulesets.

    PbemError
    ├── ConfigError      pbem.toml, or a file that it names, cannot be used
    │   ├── StoreError   the database cannot be used now
    │   └── UnusableTemplateError   a template cannot be read or filled in
    ├── CampaignError    a campaign cannot do what it was asked to
    │   └── GameError        its game is installed, but cannot be used
    ├── ReplayError      an archive does not prove itself
    ├── BackupError      a backup cannot be made, read or trusted
    ├── MailAdminError   a message or mail does not exist, or is not to be tried again
    └── MailError        a mailbox or transport failed
        ├── TemporaryMailError       worth another try later
        │   ├── TransportUnavailable     no mail is accepted now
        │   ├── MailLost                 a mail was sent, and got no reply
        │   └── MailNotMoved             stored mail stays in the inbox
        └── PermanentMailError       the same mail will never be accepted

Rulesets raise their own family, `RulesetError`.
"""

from __future__ import annotations

import errno


class RulesetError(Exception):
    """Base class of errors of rulesets; the text is one sentence for a GM."""


class SetupError(RulesetError):
    """Raised when a game cannot be set up with these options, seats or files."""


class SaveError(RulesetError):
    """Raised for a saved state that this code cannot read, such as one of a newer version."""


class PbemError(Exception):
    """Base class of all errors of the host; the text is one sentence for a GM."""


class ConfigError(PbemError):
    """Raised when a setting is missing, misspelt or out of bounds."""


class StoreError(ConfigError):
    """Raised when the database cannot be used now: locked, full, broken, unreachable, or without its tables.

    Callers abort and retry later; no message and no turn is at fault.
    """


class UnusableTemplateError(ConfigError):
    """Raised when a template cannot be read or filled in. `place` is its name, and the line where that is known."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"the template {place} cannot be used: {why}")
        self.place, self.why = place, why


class CampaignError(PbemError):
    """Raised when a campaign does not exist, or is not in a state for an action."""


class Conflict(CampaignError):
    """Raised when the turn that an action was meant for is gone: another one is open, or the past was changed."""

    def __init__(self, campaign: str, turn: int) -> None:
        super().__init__(
            f"campaign {campaign} has changed at this very moment, and is at turn {turn} now: "
            "nothing was done; look at it, and try again"
        )
        self.campaign = campaign


class GameError(CampaignError):
    """Raised for an installed game that cannot be imported, is no ruleset, or is offered by two packages."""


class ReplayError(PbemError):
    """Raised at the first place where an archive differs from what its rules produce."""


class BackupError(PbemError):
    """Raised when a backup cannot be made here, or is truncated, changed or not for this place."""


class MailAdminError(PbemError):
    """Raised when a message or mail does not exist, or is not in a state for another try."""


class MailError(PbemError):
    """Raised when a mailbox or transport cannot be used."""


class TemporaryMailError(MailError):
    """Raised when the server may accept the same mail later (SMTP 4yz, broken connection)."""


class TransportUnavailable(TemporaryMailError):
    """Raised when no mail is accepted now: no connection, no login, a spent quota, a missing folder."""


class MailLost(TemporaryMailError):
    """Raised when the server closed the connection in place of a reply to a mail, which it may have accepted."""


class MailNotMoved(TemporaryMailError):
    """Raised when stored mail cannot be moved out of the inbox: for lack of a right, of room, or of the connection."""


class PermanentMailError(MailError):
    """Raised when the server will never accept this mail (SMTP 5yz)."""


PARSE_ERRORS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, RecursionError)
"""Exceptions that a ruleset may raise for a state, a view or a record that it did not write itself."""

DISK_FULL = "the disk is full; free some space, then try again"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def is_disk_full(error: OSError) -> bool:
    """Return True if a file could not be written because the disk, or the user's quota on it, is full."""
    return error.errno in _NO_ROOM


def reason_of(error: OSError) -> str:
    """Return why the operating system refused; a full disk is named as such."""
    return DISK_FULL if is_disk_full(error) else error.strerror or str(error) or type(error).__name__


def describe_error(error: Exception) -> str:
    """Describe an error for a GM: the sentence of a refusal, or the type and text of a fault in program or game."""
    # An OSError raised with a text alone has no strerror.
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {reason_of(error)}"
    return str(error) if isinstance(error, PbemError | RulesetError) else f"{type(error).__name__}: {error}"
