"""My Game keeps the rules of all games. What each failure asks for is listed in docs/rulesets.md of pbem."""

from hidden import PUBLIC, elsewhere, scramble
from pbem.testing import RulesetSuite, SecrecySpec

from mygame import RULESET


class TestMyGame(RulesetSuite):
    """Setting up, sheets, turns, reports, secrecy and long play."""

    ruleset = RULESET
    secrecy = SecrecySpec(scramble, elsewhere, public=PUBLIC)
    soak_turns = 24
