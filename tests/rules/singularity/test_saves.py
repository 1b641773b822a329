"""Saves: stored states come back, from every version released."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.ruleset import SaveError, json_sha256
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.state import VERSION
from tests.rules.singularity.table import kept, new_game, turn

SAVES = Path(__file__).with_name("saves")


def test_a_save_of_version_2_is_read() -> None:
    """The frozen save of version 2 has replies of a line of play, and the rules that it began with."""
    state = RULESET.load(json.loads((SAVES / "version2.json").read_text()), 2)

    assert state.edition == 2
    assert kept(state, "red") == ["IF c4 THEN c5 AFTER e5", "IF b7 THEN b8 AFTER c5"]


def test_a_finished_game_survives_storage() -> None:
    """A result is stored and read back as it was."""
    over, _ = turn(new_game(), red=["RESIGN CONFIRM"])

    assert RULESET.load(json.loads(json.dumps(RULESET.dump(over))), VERSION) == over
    assert json_sha256(RULESET.dump(over)) == json_sha256(RULESET.dump(RULESET.load(RULESET.dump(over), VERSION)))


@pytest.mark.parametrize("data", [{}, [], None, {"size": 6}])
def test_data_that_is_no_save_is_refused(data: object) -> None:
    """Any data but a save are refused with a sentence."""
    with pytest.raises(SaveError, match="not a save of Singularity"):
        RULESET.load(data, VERSION)
