"""The former place of `pbem.testing`, kept for one version."""

from pbem.testing import Held, RulesetSuite, Secrecy, rules

__all__ = ["Held", "RulesetSuite", "Secrecy", "rules"]
