"""Tests of scores over the turns in reports, in games with public scores."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.report.facts import format_scores
from pbem.ruleset import AnyRuleset, View
from pbem.testing.play import other_games, standard_game
from pbem_rules import bubble_singularity, dueling_masters


def _points(view: View) -> int:
    return int(view["players"][view["seat"]]["total"])


def _pieces(view: View) -> int:
    return len(view["own"])


@pytest.mark.parametrize(
    ("ruleset", "number", "score"),
    [(bubble_singularity.RULESET, "round", _points), (dueling_masters.RULESET, "move", _pieces)],
    ids=["bubble_singularity", "dueling_masters"],
)
def test_scores_are_those_of_the_reports(ruleset: AnyRuleset, number: str, score: Callable[[View], int]) -> None:
    """Each score in memory is the last that a report of its round showed, and the report has a line of them."""
    game = max((standard_game(ruleset), *other_games(ruleset)), key=lambda game: len(game.steps))
    seat = game.seats[0]
    views = [step.views[seat] for step in game.steps]
    told = {view[number]: score(view) for view in views if "memory" in view}

    assert len(told) > 5
    assert dict(views[-1]["memory"]["scores"]["turns"]) == told
    line = format_scores(views[-1]["memory"]["scores"])
    assert line is not None
    assert line.text.endswith(f"{score(views[-1])}.")
