"""My Game keeps the rules of all games. What a failure asks for is in docs/games/suites.md of pbem."""

from mygame_secrets import PUBLIC, elsewhere, scramble
from pbem.testing import GoldenRules, RulesetSuite, SecrecySpec

from mygame import RULESET


class TestMyGame(GoldenRules, RulesetSuite):
    """Setting up, sheets, turns, reports, secrecy and long play; the recorded game in `golden`."""

    ruleset = RULESET
    secrecy = SecrecySpec(scramble, elsewhere, public=PUBLIC)
    soak_turns = 24
