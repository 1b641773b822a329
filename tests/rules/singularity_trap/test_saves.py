"""Saved states."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pbem.ruleset import SaveError, canonical_json
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.state import Faction, Result
from tests.rules.singularity_trap import golden
from tests.rules.singularity_trap.builders import play, ship, view, world


def test_a_save_of_version_2_is_read() -> None:
    """A campaign can be played on from the frozen save of version 2."""
    state = RULESET.load(json.loads((golden.SAVES / "version2.json").read_text()), 2)

    assert play(state).state.turn == state.turn + 1
    assert view(state, "red")["turn"] == state.turn


def test_a_save_is_read_as_it_was() -> None:
    """Everything of a state is saved, whatever has happened in it."""
    state = play(world(ship("R101", "J10", "Scout"), factions=[Faction(("red", "green"), "red", 2)]),
                 red="MOVE R101 JUMP / ALLY green YES").state  # fmt: skip
    ended = play(world(seats=("red", "cyan")), cyan="RESIGN CONFIRM").state

    for each in (state, ended):
        assert RULESET.load(json.loads(canonical_json(RULESET.dump(each))), RULESET.version) == each
    assert ended.result == Result(("red",), "the last player left")


def _damaged() -> list[Any]:
    whole = RULESET.dump(world(ship("R101", "J10")))
    return [None, [], {}, {**whole, "ships": [1]}, {**whole, "chart": {}}, {**whole, "planets": [["Z99", "red", None]]}]


@pytest.mark.parametrize("data", _damaged())
def test_a_damaged_save_is_refused(data: Any) -> None:
    """Data that are no save of this game are refused with one sentence."""
    with pytest.raises(SaveError, match="not a save of The Singularity Trap"):
        RULESET.load(data, RULESET.version)
