"""Everything the host refuses with one clear sentence.

    PbemError
    ├── ConfigError      pbem.toml, or what it names, cannot be used
    ├── CampaignError    a campaign cannot do what was asked of it
    ├── ReplayError      an archive does not prove itself
    └── PostError        a mailbox or carrier failed
        ├── TemporaryPostError   worth another try later
        └── PermanentPostError   the same mail will never pass

Rulesets raise their own family, `pbem.ruleset.RulesetError`.
"""

from __future__ import annotations


class PbemError(Exception):
    """Base of all; its text is one sentence for a GM."""


class ConfigError(PbemError):
    """A setting is missing, misspelt or out of bounds."""


class CampaignError(PbemError):
    """The campaign does not exist, or is not in a state for this act."""


class ReplayError(PbemError):
    """The first place where an archive differs from what its rules produce."""


class PostError(PbemError):
    """A mailbox or carrier could not be used."""


class TemporaryPostError(PostError):
    """The other side may accept the same mail later (SMTP 4yz, broken connection)."""


class PermanentPostError(PostError):
    """The other side will never accept this mail (SMTP 5yz)."""
