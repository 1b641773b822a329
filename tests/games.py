"""The games under test: those of this project, found like all others by their entry points."""

from __future__ import annotations

from pbem.games import installed_games
from pbem.ruleset import AnyRuleset

RULESETS: tuple[AnyRuleset, ...] = tuple(installed_games().values())
