"""Harvester passes the suite for all games."""

from __future__ import annotations

from pbem.testing import RulesetSuite, SecrecySpec
from pbem_rules.harvester import RULESET
from tests.rules.harvester import secrecy


class TestHarvester(RulesetSuite):
    """Set-up, sheets, turns, reports, secrecy and long play."""

    ruleset = RULESET
    secrecy = SecrecySpec(secrecy.scramble, secrecy.elsewhere, public=secrecy.PUBLIC)
