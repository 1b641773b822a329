"""Dueling Masters passes the suite for all games."""

from __future__ import annotations

from pbem.testing import RulesetSuite, SecrecySpec
from pbem_rules.dueling_masters import RULESET
from tests.rules.dueling_masters import secrecy


class TestDuelingMasters(RulesetSuite):
    """Set-up, sheets, turns, reports, secrecy and long play."""

    ruleset = RULESET
    secrecy = SecrecySpec(secrecy.scramble, secrecy.elsewhere, public=secrecy.PUBLIC)
