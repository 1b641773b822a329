"""Saves: a state survives storage, and saves of every released version can be read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pbem.ruleset import SaveError, canonical_json
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.state import ARRAYS, VERSION
from tests.rules.harvester.table import new_game, ruler, turn, view

SAVES = Path(__file__).with_name("saves")


def test_a_save_of_version_1_is_read() -> None:
    """The frozen save of version 1: five players in turn 16, three of them subservient, one rebuilding."""
    state = RULESET.load(json.loads((SAVES / "version1.json").read_text()), 1)

    assert (state.seats, state.size, state.turn, state.drift) == (("ann", "bob", "cyd", "dan", "eve"), 10, 16, 5)
    assert {seat: ruler(state, seat) for seat in state.seats} == {
        "ann": "dan",
        "bob": "eve",
        "cyd": "dan",
        "dan": None,
        "eve": None,
    }
    assert view(state, "bob")["building"] == {"unit": "L1", "turns": 2}
    assert state.held.tolist() == [10, 20, 12, 12, 15]


def test_a_campaign_of_version_1_keeps_its_rules_and_places() -> None:
    """It keeps edition 1, and its Harvesters are where they were by their players' charts."""
    state = RULESET.load(json.loads((SAVES / "version1.json").read_text()), 1)

    assert (state.edition, state.standoffs) == (1, ())
    homes = [view(state, seat)["harvester"] for seat in state.seats]
    assert [(home["q"], home["r"]) for home in homes] == [(3, -5), (-3, 4), (-2, -1), (-7, 3), (3, 3)]


def test_a_save_of_version_2_is_read() -> None:
    """The frozen save of version 2: five players in turn 16, with a standoff."""
    state = RULESET.load(json.loads((SAVES / "version2.json").read_text()), 2)

    assert (state.turn, state.edition, state.standoffs) == (16, 2, (7,))  # and keeps the rules of version 2
    assert [seat for seat in state.seats if ruler(state, seat)] == ["ann"]


def test_a_save_of_version_3_is_read() -> None:
    """The frozen save of version 3: five players in turn 16, by the rules it began with."""
    state = RULESET.load(json.loads((SAVES / "version3.json").read_text()), 3)

    assert (state.turn, state.edition) == (16, 3)


def test_states_compare_by_what_they_hold() -> None:
    """Two states are equal if all their arrays are; a state equals nothing else."""
    one, other = new_game(), new_game()

    assert one == other
    assert one != turn(one)[0]
    assert one != "a state"


def test_a_state_cannot_be_altered() -> None:
    """The arrays of a state are read-only."""
    with pytest.raises(ValueError, match="read-only"):
        new_game().at[0, 0] = 1


def test_a_large_save_is_small() -> None:
    """A state takes a few hundred bytes a player, not a few thousand."""
    assert len(canonical_json(RULESET.dump(new_game(1000)))) < 700 * 1000


@pytest.mark.parametrize("name", ARRAYS)
def test_every_array_survives_storage(name: str) -> None:
    """No array changes on the way through JSON."""
    state, _ = turn(new_game(crags=9, dust=9))

    again = RULESET.load(json.loads(canonical_json(RULESET.dump(state))), VERSION)

    assert np.array_equal(getattr(again, name), getattr(state, name))


@pytest.mark.parametrize("change", [{"arrays": {}}, {"seats": ["ann"]}, {"size": 11}, {"arrays": {"at": "?"}}], ids=str)
def test_data_that_is_no_save_is_refused(change: dict[str, object]) -> None:
    """Data other than a whole save are refused with a sentence."""
    with pytest.raises(SaveError, match="not a save of Harvester"):
        RULESET.load({**RULESET.dump(new_game()), **change}, VERSION)
