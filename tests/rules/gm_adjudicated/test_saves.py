"""Tests of saves: a stored state is loaded unchanged, from every released version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.ruleset import SaveError
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import VERSION
from tests.rules.gm_adjudicated.table import new_game, ruled, turn

SAVES = Path(__file__).with_name("saves")


def test_a_save_of_version_3_is_read() -> None:
    """The frozen save of version 3 is loaded, with attachments, ledgers, and verbs with arguments."""
    state = RULESET.load(json.loads((SAVES / "version3.json").read_text()), 3)
    ledgers = state.ledgers

    (picture,), (file,) = state.players["red"].known.with_map, state.shared.with_file
    assert (picture.name, picture.caption, picture.shown) == ("pass.svg", "The pass", True)
    assert (file.name, file.kind, file.shown) == ("rules.pdf", "application/pdf", False)
    assert ledgers.entries["red"] == {"gold": 35, "ships": ("Argo", "Swift"), "title": "Duke"}
    assert (ledgers.before["red"]["gold"], ledgers.entries["world"]["winter"]) == (40, 2)
    assert ledgers.seen == {"title": "public", "world.winter": "public"}
    assert (dict(state.usages), state.players["red"].sheet) == (
        {"MARCH": "MARCH <army:number 1..9> TO <place>"},
        ('MARCH 2 TO "the pass"',),
    )
    assert dict(state.lists) == {"place": ("Naxos", "the pass")}


def test_a_finished_game_survives_storage() -> None:
    """A result is stored and loaded unchanged."""
    state = new_game()
    over, _ = turn(state, ruled(state, game="OVER Peace\nWINNER red"))

    assert RULESET.load(json.loads(json.dumps(RULESET.dump(over))), VERSION) == over


@pytest.mark.parametrize("data", [{}, [], None, {"players": 3}])
def test_data_that_is_no_save_is_refused(data: object) -> None:
    """Data that are no save are refused in a sentence."""
    with pytest.raises(SaveError, match="not a save of The Umpire's Pen"):
        RULESET.load(data, VERSION)
