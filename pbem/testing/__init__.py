"""Test suites for authors of games; they need the extra `test` of pbem.

    class TestLanterns(RulesetSuite):
        ruleset = RULESET
        secrecy = SecrecySpec(scramble)

is all there is to write, in a module beside the folder `saves`. Each failure
says which rule was broken and what to do; docs/games/suites.md lists the rules.
"""

import typing

import pytest

_MODULES = (
    "form_rules",
    "golden_rules",
    "mail_leaks",
    "report_rules",
    "setup_rules",
    "sheet_rules",
    "suite",
    "turn_rules",
)
# Pytest rewrites assertions of test modules alone: a rule in a package would fail without the values compared.
pytest.register_assert_rewrite(*(f"{__name__}.{module}" for module in _MODULES))

from pbem.testing.form_rules import PageRules  # noqa: E402 - assertions are rewritten in what is imported after
from pbem.testing.golden_rules import GoldenRules  # noqa: E402 - as above
from pbem.testing.leaks import SecrecySpec  # noqa: E402 - as above
from pbem.testing.mail_leaks import SecrecyRules  # noqa: E402 - as above
from pbem.testing.report_rules import ReportRules  # noqa: E402 - as above
from pbem.testing.setup_rules import SetupRules, TakeoverRules  # noqa: E402 - as above
from pbem.testing.sheet_rules import SheetRules  # noqa: E402 - as above
from pbem.testing.suite import PreflightRules, RulesetTests, rules  # noqa: E402 - as above
from pbem.testing.turn_rules import LongPlayRules, TurnRules  # noqa: E402 - as above


# Pytest runs the tests of the last base first.
class RulesetSuite(
    LongPlayRules,
    SecrecyRules,
    PageRules,
    ReportRules,
    TurnRules,
    SheetRules,
    TakeoverRules,
    SetupRules,
    PreflightRules,
):
    """All rules; derive a test class from it and name your game."""


__all__ = ["GoldenRules", "RulesetSuite", "RulesetTests", "SecrecySpec", "rules"]


if not typing.TYPE_CHECKING:  # type checkers would take any name for one of the module

    def __getattr__(name: str) -> typing.NoReturn:
        """Raise ImportError for a name that is not there, with the nearest one."""
        from pbem.ruleset.names import unknown_name

        raise unknown_name(__name__, name)
