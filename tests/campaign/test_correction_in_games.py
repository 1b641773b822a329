"""A refused line holds turns of every game, whether seats order at once or one after the other."""

from __future__ import annotations

import pytest

from pbem.campaign.order_sheets import parse_sheet, waits_because
from pbem.report.sample_game import latest_awaited, play_turns, sample_sheet
from pbem.ruleset import AnyRuleset
from tests.games import RULESETS

REFUSED = "SAY"
"""A line that every game refuses, also one of free words."""


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)
def test_a_refused_line_holds_a_turn_of_every_game(ruleset: AnyRuleset) -> None:
    """Beside the orders of a bot it has the turn wait for a correction, beside them and FINAL for nothing."""
    found = latest_awaited(list(play_turns(ruleset, 2)))
    assert found is not None
    view = found[0].views[found[1]]
    lines = [ruleset.orders.line(order) for order in sample_sheet(ruleset, view, 500)]
    good, slip = (parse_sheet(ruleset, view, list(enumerate(each, start=1))) for each in (lines, [*lines, REFUSED]))

    assert slip.accepted
    assert waits_because(good, says_wait=None) == ""
    assert waits_because(slip, says_wait=None) == "correction"
    assert waits_because(slip, says_wait=False) == ""
