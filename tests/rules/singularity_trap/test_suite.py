"""The game is held to the rules of all games."""

from __future__ import annotations

from pbem.testing import RulesetSuite, SecrecySpec
from pbem_rules.singularity_trap import RULESET
from tests.rules.singularity_trap import secrecy


class TestSingularityTrap(RulesetSuite):
    """Setting up, sheets, turns, reports, secrecy and long play."""

    ruleset = RULESET
    secrecy = SecrecySpec(secrecy.scramble, secrecy.elsewhere, public=secrecy.PUBLIC)
