"""Rule that a game is played as it was recorded."""

from __future__ import annotations

import inspect
from pathlib import Path

from pbem.ruleset.golden import golden_differences, golden_name, read_golden
from pbem.testing.suite import RulesetTests, rule


class GoldenRules(RulesetTests):
    """A game is held to the games that were recorded of it, one for each of its versions."""

    @property
    def golden(self) -> Path:
        """The folder `golden` beside the module of the tests."""
        return Path(inspect.getfile(type(self))).with_name("golden")

    @rule(
        "Record the game with `pbem dev record KEY tests/golden`. Where it is meant to be played otherwise now, "
        "record it again, and look at what git shows as changed. The record of an earlier version stays as it is: "
        "campaigns are played to their end by the rules under which they began."
    )
    def test_golden_games_are_played_as_recorded(self) -> None:
        """Of each version that is read there is a whole game that is played as it was recorded."""
        names = [golden_name(version) for version in range(self.ruleset.oldest_version, self.ruleset.version + 1)]
        texts = {name: (self.golden / name).read_text(encoding="utf-8") for name in names}

        found = {name: golden_differences(self.ruleset, read_golden(text)) for name, text in texts.items()}

        assert {name: told for name, told in found.items() if told} == {}
