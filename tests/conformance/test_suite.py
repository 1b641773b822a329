"""A game that keeps every rule passes the suite; and no game of this project goes without it."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Iterable

import pytest

from pbem.ruleset import AnyRuleset, Parsed, View
from pbem.ruleset.testing import RulesetSuite, rules
from tests.conformance.secrecy import SECRECY
from tests.conformance.toy import TOY
from tests.games import RULESETS


class TestFogPatrol(RulesetSuite):
    """The game with which the suite itself is tried."""

    ruleset = TOY
    secrecy = SECRECY
    soak_turns = 12


@pytest.mark.parametrize("game", RULESETS, ids=lambda game: game.key)
def test_every_game_is_held_to_every_rule(game: AnyRuleset) -> None:
    """Each game of this project has a class of the whole suite in its tests, which leaves no rule out."""
    module = importlib.import_module(f"tests.rules.{game.key}.test_suite")

    (held,) = (each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == module.__name__)

    assert issubclass(held, RulesetSuite)
    assert held.ruleset is game
    assert list(rules(held)) == list(rules(RulesetSuite))


def test_every_test_of_the_suite_is_a_rule() -> None:
    """Whatever the suite looks at says what its author must do, and passes on what it found."""
    tests = [name for name, _ in inspect.getmembers(RulesetSuite) if name.startswith("test_")]

    assert sorted(name for name, _, _ in rules(RulesetSuite)) == tests


def test_a_broken_rule_says_what_to_do() -> None:
    """The note on a failure has the rule in a sentence, and how to keep it."""

    class Silent(type(TOY)):  # type: ignore[misc]
        title = " Fog "

    suite = RulesetSuite()
    suite.ruleset = Silent()

    with pytest.raises(AssertionError) as failed:
        suite.test_a_game_introduces_itself()

    (note,) = failed.value.__notes__
    assert note.startswith("The rule: Title, designer and summary are one printable line each")
    assert "What to do: Give title, designer, summary and pace as one line each" in note


def test_a_hint_that_is_not_taken_is_found() -> None:
    """The suite types hints in, and so finds one that leads nowhere."""

    class Misleading(type(TOY)):  # type: ignore[misc]
        def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> Parsed:
            parsed = super().parse(view, lines)
            astray = (dataclasses.replace(finding, hint="did you mean Atlantis?") for finding in parsed.findings)
            return Parsed(parsed.entries, tuple(astray))

    suite = RulesetSuite()
    suite.ruleset = Misleading()

    with pytest.raises(AssertionError, match="Atlantis"):
        suite.test_a_hint_typed_in_is_taken()
