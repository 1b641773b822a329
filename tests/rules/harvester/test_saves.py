"""Saves: a state survives storage, and saves of every released version can be read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pbem.ruleset import SaveError, canonical_json
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.state import ARRAYS, VERSION
from tests.rules.harvester.table import new_game, turn

SAVES = Path(__file__).with_name("saves")


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
