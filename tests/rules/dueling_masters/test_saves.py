"""Saves: a state survives storage, and saves of every released version can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.ruleset import SaveError, json_sha256
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.state import VERSION
from tests.rules.dueling_masters.table import begun, lost, own, turn, view

SAVES = Path(__file__).with_name("saves")


def test_a_save_of_version_1_is_read() -> None:
    """The frozen save of version 1: three homes, losses, a ship that rammed, flights, an offer, a missed deadline."""
    state = RULESET.load(json.loads((SAVES / "version1.json").read_text()), 1)

    assert (state.move, state.mover, state.offer, state.rules.homes) == (13, "one", "one", 3)
    assert lost(state, "one") == ["HOME3", "ASTEROID1", "ASTEROID5", "X1", "Z1", "Z4"]
    assert [piece["name"] for piece in view(state, "one")["own_lost"] if piece["rammed"]] == ["ASTEROID5", "X1"]
    assert (own(state, "two", "Z4")["origin"], own(state, "two", "Z4")["square"]) == ("F8", "B8")
    assert [mark["mark"] for mark in view(state, "two")["enemy"]] == [2, 4]
    assert state.players["two"].misses == 1


def test_a_save_of_version_2_is_read() -> None:
    """The frozen save of version 2: courses of enemies known by their kind, and the rules it began with."""
    state = RULESET.load(json.loads((SAVES / "version2.json").read_text()), 2)

    assert (state.rules.blind, state.rules.edition) == (False, 2)
    assert {mark["mark"]: (mark["kind"], mark["course"]) for mark in view(state, "one")["enemy"]} == {
        2: ("X", ["G1"]),
        4: ("B", ["J9"]),
    }


def test_a_save_of_version_3_is_read() -> None:
    """The frozen save of version 3: a set-up of which player one's part is asked for a second time."""
    state = RULESET.load(json.loads((SAVES / "version3.json").read_text()), 3)

    assert (state.rules.edition, state.asked_again, state.awaited) == (3, True, frozenset({"one"}))


def test_a_save_of_version_4_is_read() -> None:
    """The frozen save of version 4: a game that is drawn when three more moves destroy nothing."""
    state = RULESET.load(json.loads((SAVES / "version4.json").read_text()), 4)

    assert (state.rules.edition, state.rules.quiet_turns, state.quiet) == (4, 3, 3)


def test_a_campaign_of_version_1_keeps_its_rules() -> None:
    """It announces the square alone, after the judgement, to its end (ruling 23)."""
    state = RULESET.load(json.loads((SAVES / "version1.json").read_text()), 1)

    assert (state.rules.blind, state.rules.edition) == (True, 1)


def test_a_finished_game_survives_storage() -> None:
    """A result is stored and read back as it was."""
    over, _ = turn(begun(), one=["RESIGN CONFIRM"])

    assert RULESET.load(json.loads(json.dumps(RULESET.dump(over))), VERSION) == over
    assert json_sha256(RULESET.dump(over)) == json_sha256(RULESET.dump(RULESET.load(RULESET.dump(over), VERSION)))


@pytest.mark.parametrize("data", [{}, [], None, {"rules": {"moons": 2}}])
def test_data_that_is_no_save_is_refused(data: object) -> None:
    """Data other than a save are refused with a sentence."""
    with pytest.raises(SaveError, match="not a save of Dueling Masters"):
        RULESET.load(data, VERSION)
