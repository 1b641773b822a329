"""Saves: a state survives storage, and saves of every released version can be read."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from pbem.ruleset import SaveError
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.state import VERSION
from tests.rules.bubble_singularity.table import lay, play, view

SAVES = Path(__file__).with_name("saves")


def test_a_save_of_version_1_is_read() -> None:
    """The frozen save of version 1: a question in the middle of an advanced game, with stations held."""
    state = RULESET.load(json.loads((SAVES / "version1.json").read_text()), 1)

    assert (state.rules.advanced, state.seats, state.round) == (True, ("red", "green", "blue"), 2)
    assert state.question is not None
    assert (state.question.kind, state.question.seat) == ("card", state.mover)
    assert state.control
    assert RULESET.dump(state) == {
        **_counting(json.loads((SAVES / "version1.json").read_text())),
        "edition": 1,
        "lists": {},
        "further": [],
    }


def _counting(data: dict[str, Any]) -> dict[str, Any]:
    """Add the fields of version 4 to data of an earlier one: the turns without a score and their limit."""
    return {**data, "rules": {**data["rules"], "scoreless": 0}, "unscored": 0}


def test_a_save_of_version_2_is_read() -> None:
    """The frozen save of version 2: a question in the middle of an advanced game, by the rules it began with."""
    data = json.loads((SAVES / "version2.json").read_text())

    state = RULESET.load(data, 2)

    assert (state.edition, state.phase) == (2, "question")
    assert RULESET.dump(state) == {**_counting(data), "further": []}


def test_a_save_of_version_3_is_read() -> None:
    """The frozen save of version 3: bubbles and two pairs of cards to choose from at once."""
    data = json.loads((SAVES / "version3.json").read_text())

    state = RULESET.load(data, 3)

    assert (state.edition, [question.kind for question in state.questions]) == (3, ["bubbles", "card", "card"])
    assert RULESET.dump(state) == _counting(data)


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


def test_a_view_of_version_3_is_still_read() -> None:
    """Sheets, form, summary and defaults accept a view that was mailed before an update."""
    shown = view(dataclasses.replace(lay(nodes=["D2"]), edition=3), "blue")
    del shown["unscored"], shown["rules"]["scoreless"]

    assert not RULESET.parse(shown, [(1, "MOVE E"), (2, "ROTATE CW")]).errors
    assert RULESET.defaults(shown, ())
    assert RULESET.turn_summary(shown)
    assert RULESET.template(shown)
