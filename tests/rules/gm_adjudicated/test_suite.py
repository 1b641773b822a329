"""The Umpire's Pen in the suite of all games."""

from __future__ import annotations

from pbem.testing import RulesetSuite, SecrecySpec
from pbem_rules.gm_adjudicated import RULESET
from tests.rules.gm_adjudicated import secrecy


class TestGmAdjudicated(RulesetSuite):
    """Set-up, sheets, turns, reports, secrecy and long play."""

    ruleset = RULESET
    secrecy = SecrecySpec(secrecy.scramble, secrecy.elsewhere, public=secrecy.PUBLIC)
