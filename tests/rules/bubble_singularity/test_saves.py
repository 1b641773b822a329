"""Saves: a state survives storage, and saves of every released version can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.ruleset import SaveError
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.state import VERSION
from tests.rules.bubble_singularity.table import lay, play

SAVES = Path(__file__).with_name("saves")


def test_a_save_of_version_4_is_read() -> None:
    """The frozen save of version 4: bubbles on the table and a pair of cards, in a game that ends without scores."""
    data = json.loads((SAVES / "version4.json").read_text())

    state = RULESET.load(data, 4)

    assert (state.edition, [question.kind for question in state.questions]) == (4, ["bubbles", "card"])
    assert (state.rules.scoreless, state.unscored) == (12, 2)
    assert RULESET.dump(state) == data


def test_a_finished_game_survives_storage() -> None:
    """A result is stored and read back as it was."""
    over = play(lay(hand="b"), "RESIGN CONFIRM").state

    assert RULESET.load(json.loads(json.dumps(RULESET.dump(over))), VERSION) == over


@pytest.mark.parametrize("data", [None, [], {}, {"rules": {}}, {**RULESET.dump(lay()), "bag": []}])
def test_what_is_no_save_is_refused(data: object) -> None:
    """Other data raise a SaveError."""
    with pytest.raises(SaveError, match="not a save"):
        RULESET.load(data, VERSION)
