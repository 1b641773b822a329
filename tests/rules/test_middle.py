"""Tests of imported states that have the right shape, but could not arise in any game."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.ruleset import Json, StateImporter
from pbem.ruleset.serialization import through_json
from pbem.testing.play import play, standard
from tests.games import RULESETS

TURNS = 4

BY_KEY = {ruleset.key: ruleset for ruleset in RULESETS}


def too_many_replies(data: Json) -> str:
    """Give a player more than 500 replies (ruling 7 of Singularity)."""
    data["players"]["red"]["kept"] = [["c1", "d1", None]] * 501
    return "/players/red/kept: "


def fighter_at_home(data: Json) -> str:
    """Put a fighter on a home planet, which stands alone (ruling 1 of Dueling Masters)."""
    pieces = data["players"]["one"]["pieces"]
    home = next(index for index, piece in enumerate(pieces) if piece["kind"] == "HOME")
    resting = next(piece for piece in pieces if piece["kind"] == "Z" and not piece["mark"] and not piece["loss"])
    resting["square"] = pieces[home]["square"]
    return f"/players/one/pieces/{home}/square: "


def two_of_a_category(data: Json) -> str:
    """Give a player two ability cards of one category."""
    data["players"]["red"]["cards"] = data["decks"]["movement"][:2]
    return "/players/red/cards: "


def nodes_on_one_space(data: Json) -> str:
    """Put a node onto another one (ruling 16 of Bubble Singularity)."""
    data["nodes"][1] = data["nodes"][0]
    return "/nodes/1: "


@pytest.mark.parametrize(
    ("key", "spoil"),
    [
        ("singularity", too_many_replies),
        ("dueling_masters", fighter_at_home),
        ("bubble_singularity", two_of_a_category),
        ("bubble_singularity", nodes_on_one_space),
    ],
)
def test_a_state_against_the_rules_is_told(key: str, spoil: Callable[[Json], str]) -> None:
    """A state that breaks a rule is reported by the path of its fault."""
    ruleset = BY_KEY[key]
    game = play(ruleset, standard, TURNS)
    data = through_json(ruleset.dump(game.steps[-1].state))
    path = spoil(data)

    assert isinstance(ruleset, StateImporter)
    assert path in [f"{fault.path}: " for fault in ruleset.check_state(data, game.seats)]
