"""The game is held to the rules of all games."""

from __future__ import annotations

from pbem.testing import RulesetSuite, SecrecySpec
from pbem_rules.singularity import RULESET
from tests.rules.singularity import secrecy


class TestSingularity(RulesetSuite):
    """Setting up, sheets, turns, reports, secrecy and long play."""

    ruleset = RULESET
    secrecy = SecrecySpec(secrecy.scramble, secrecy.elsewhere, public=secrecy.PUBLIC)
