"""The suites that every game is held to, for its author's own tests; they need the extra `test` of pbem.

    class TestLanterns(RulesetSuite):
        ruleset = RULESET
        secrecy = Secrecy(scramble)

is all there is to write, in a module beside the folder `saves`. Each failure
says which rule was broken and what to do; docs/rulesets.md lists the rules.
"""

import pytest

_RULES = ("long_play", "pages", "reports", "secrecy", "setup", "sheets", "takeovers", "turns")
pytest.register_assert_rewrite(*(f"{__name__}.rules_of_{theme}" for theme in _RULES))

from pbem.ruleset.testing.held import Held, rules  # noqa: E402 - assertions are rewritten in what is imported after
from pbem.ruleset.testing.leaks import Secrecy  # noqa: E402 - as above
from pbem.ruleset.testing.rules_of_long_play import LongPlayRules  # noqa: E402 - as above
from pbem.ruleset.testing.rules_of_pages import PageRules  # noqa: E402 - as above
from pbem.ruleset.testing.rules_of_reports import ReportRules  # noqa: E402 - as above
from pbem.ruleset.testing.rules_of_secrecy import SecrecyRules  # noqa: E402 - as above
from pbem.ruleset.testing.rules_of_setup import SetupRules  # noqa: E402 - as above
from pbem.ruleset.testing.rules_of_sheets import SheetRules  # noqa: E402 - as above
from pbem.ruleset.testing.rules_of_takeovers import TakeoverRules  # noqa: E402 - as above
from pbem.ruleset.testing.rules_of_turns import TurnRules  # noqa: E402 - as above


class RulesetSuite(
    LongPlayRules, SecrecyRules, PageRules, ReportRules, TurnRules, SheetRules, TakeoverRules, SetupRules
):
    """All rules; derive a class of tests from it and name your game."""


__all__ = ["Held", "RulesetSuite", "Secrecy", "rules"]
