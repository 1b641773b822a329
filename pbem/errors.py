"""All exceptions of host and rulesets.

    PbemError
    ├── ConfigError      pbem.toml, or what it names, cannot be used
    │   ├── StoreError   the database cannot be used now
    │   └── UnusableTemplateError   a template cannot be read or filled in
    ├── CampaignError    a campaign cannot do what was asked of it
    │   └── GameError        its game is installed, but cannot be used
    ├── ReplayError      an archive does not prove itself
    ├── BackupError      a backup cannot be made, read or believed
    ├── MailAdminError   a message or mail is not there, or not to be tried again
    └── MailError        a mailbox or transport failed
        ├── TemporaryMailError       worth another try later
        │   └── TransportUnavailable     no mail passes now
        └── PermanentMailError       the same mail will never pass

Rulesets raise their own family, `RulesetError`.
"""

from __future__ import annotations

import errno


class RulesetError(Exception):
    """Base of what a ruleset refuses; the text is one sentence for a GM."""


class SetupError(RulesetError):
    """Options, seats or a chart with which the game cannot be set up."""


class SaveError(RulesetError):
    """A saved state this code cannot read, such as one newer than itself."""


class PbemError(Exception):
    """Base of all; its text is one sentence for a GM."""


class ConfigError(PbemError):
    """A setting is missing, misspelt or out of bounds."""


class StoreError(ConfigError):
    """The database cannot be used now: locked, full, broken, out of reach, or without its tables.

    Whatever was under way is to be left for the next try; no letter and no turn is to blame.
    """


class UnusableTemplateError(ConfigError):
    """A template cannot be read or filled in. `place` is its name, and the line where that is known."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"the template {place} cannot be used: {why}")
        self.place, self.why = place, why


class CampaignError(PbemError):
    """The campaign does not exist, or is not in a state for this act."""


class GameError(CampaignError):
    """A package offers a game that cannot be imported, is no ruleset, or is offered by another package too."""


class ReplayError(PbemError):
    """The first place where an archive differs from what its rules produce."""


class BackupError(PbemError):
    """A backup cannot be made here, or is cut, changed or not for this place."""


class MailAdminError(PbemError):
    """The letter or mail does not exist, or is not in a state for another try."""


class MailError(PbemError):
    """A mailbox or carrier could not be used."""


class TemporaryMailError(MailError):
    """The other side may accept the same mail later (SMTP 4yz, broken connection)."""


class TransportUnavailable(TemporaryMailError):
    """No mail passes now, whoever it is for: no connection, no login, a spent quota, a folder that is not there."""


class PermanentMailError(MailError):
    """The other side will never accept this mail (SMTP 5yz)."""


PARSE_ERRORS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, AssertionError, RecursionError)
"""What a ruleset may raise at a state, a view or a record that it did not write itself."""

DISK_FULL = "the disk is full; free some space, then try again"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def is_disk_full(error: OSError) -> bool:
    """Return whether a file could not be written for want of room, on the disk or of the user's share."""
    return error.errno in _NO_ROOM


def reason_of(error: OSError) -> str:
    """Return why the operating system refused; a full disk is named as such."""
    return DISK_FULL if is_disk_full(error) else error.strerror or str(error) or type(error).__name__


def describe_error(error: Exception) -> str:
    """An error for a GM: what was refused in a sentence as it stands, a fault in program or game by its name too."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'a file'}: {reason_of(error)}"
    return str(error) if isinstance(error, PbemError | RulesetError) else f"{type(error).__name__}: {error}"
