"""Saves: a state survives storage, and saves of every released version can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.ruleset import SaveError, json_sha256
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.state import VERSION
from tests.rules.dueling_masters.table import begun, turn

SAVES = Path(__file__).with_name("saves")


def test_a_save_of_version_4_is_read() -> None:
    """The frozen save of version 4: a game that is drawn when three more moves destroy nothing."""
    state = RULESET.load(json.loads((SAVES / "version4.json").read_text()), 4)

    assert (state.rules.edition, state.rules.quiet_turns, state.quiet) == (4, 3, 3)


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
