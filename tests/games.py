"""The games under test: those that this project brings, through the door by which all games come."""

from __future__ import annotations

from pbem.games import installed_games
from pbem.ruleset import AnyRuleset

RULESETS: tuple[AnyRuleset, ...] = tuple(installed_games().values())
