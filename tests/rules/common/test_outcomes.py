"""Tests of outcomes of orders, in phrases that games share."""

from __future__ import annotations

from typing import Any

import pytest

from pbem_rules.common.negotiation import Draw
from pbem_rules.common.outcomes import SIGNS, clauses, draw_fate, refusals, refused, resign_fate


def test_parts_become_one_clause_that_fits() -> None:
    """It follows the typed line and a colon: small letters but for places, no full stop, cut at a word."""
    assert clauses("It went to C3.", "", "then it stayed") == "it went to C3; then it stayed"
    assert clauses("A7 did not pop.") == "A7 did not pop"
    assert len(clauses("one two " * 40)) <= SIGNS


def test_a_refused_order_is_marked_as_not_done() -> None:
    """The report puts the words before it, so the clause is the reason and what was done in its place."""
    outcome = refused("the cell is taken", "by default it went to B1.")

    assert (outcome, outcome.state) == ("the cell is taken; by default it went to B1", "not")


@pytest.mark.parametrize(
    ("refused", "whys"),
    [
        ([], ["", "", ""]),
        ([("b", "why")], ["", "why", ""]),
        ([("a", "why")], ["", "", "why"]),
        ([("a", "one"), ("a", "two")], ["one", "", "two"]),
    ],
)
def test_refusals_go_with_their_lines(refused: list[tuple[str, str]], whys: list[str]) -> None:
    """Of equal lines the last were refused, in their order; here the first and the third are equal."""
    offer, accept = Draw("OFFER"), Draw("ACCEPT")
    events = [{"kind": "refused", "line": line, "why": why} for line, why in refused]

    said = refusals({"events": events}, (offer, accept, offer), lambda order: "a" if order == offer else "b")

    assert said == whys


@pytest.mark.parametrize(
    ("what", "view", "agreed", "said"),
    [
        ("OFFER", {"offer": "red", "over": False}, False, "It waits for your opponent's answer."),
        ("OFFER", {"offer": None, "over": True}, False, "The game ended without it."),
        ("OFFER", {"offer": None, "over": True}, True, "Both agreed: the game is drawn."),
        ("ACCEPT", {"offer": None, "over": True}, True, "Both agreed: the game is drawn."),
        ("ACCEPT", {"offer": None, "over": False}, False, ""),
        ("DECLINE", {"offer": None, "over": False}, False, "The offer no longer stands."),
    ],
)
def test_the_talk_of_a_draw_is_told(what: str, view: dict[str, Any], agreed: bool, said: str) -> None:
    """Offers and answers have the outcome of the draw."""
    assert draw_fate({"seat": "red", **view}, Draw(what), agreed=agreed) == said


def test_giving_up_ends_the_game_or_draws_it() -> None:
    """A resignation ends the game, and is a draw if both resigned."""
    assert resign_fate({"result": {"winners": ["blue"], "words": "blue wins"}}) == "The game is over."
    assert resign_fate({"result": {"winners": [], "words": "a draw: both left"}}) == "A draw: both left."
