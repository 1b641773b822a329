"""The order form of a page for a player of Harvester."""

from __future__ import annotations

from pbem.ruleset import Json, View
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.orders import Move, Target
from tests.rules.harvester.table import position, read, turn, view

CROWD = {"ann": {"H": (0, 0), "G": (0, 0), "S1": (1, 0), "C1": (0, 0)}}


def offered(seen: View) -> set[str]:
    """Return the orders of a form."""
    return {verb["name"] for verb in RULESET.desk(seen)["verbs"]}


def form(seen: View, order: str, at: int) -> Json:
    """Return the pattern of a part of an order."""
    desk = RULESET.desk(seen)
    (part,) = (verb["parts"][at] for verb in desk["verbs"] if verb["name"] == order)
    return desk["kinds"][part["kind"]]["form"]


def test_a_player_is_offered_what_his_units_can_do() -> None:
    """Without resources there is no BUILD and no DROP, and without a known field no TARGET."""
    seen = view(position(CROWD), "ann")

    assert offered(seen) == {"move", "move-to", "destroy", "destroy-harvester"}
    assert form(seen, "move", 1)["values"] == ["G", "S1", "C1"]


def test_a_target_is_offered_where_one_is_known() -> None:
    """Hexes with resources are samples; a Harvester under way is offered no other target."""
    state = position(CROWD, resources={(3, -2): 1, (-1, 0): 2})

    after, _ = turn(state, {"ann": ["TARGET 3,-2"]})

    assert set(form(view(state, "ann"), "target-hex", 1)["samples"]) == {"3,-2", "-1,0"}
    assert "target-hex" not in offered(view(after, "ann"))


def test_resources_bound_what_is_dropped_and_rebuilt() -> None:
    """With two resources two may be dropped or a Soldier rebuilt; a Lieutenant costs three."""
    seen = dict(view(position(CROWD), "ann"))
    seen["harvester"] = {**seen["harvester"], "held": 2}

    assert form(seen, "drop", 1) == {"type": "number", "low": 1, "high": 2}
    assert form(seen, "build", 1)["values"] == ["S2", "S3", "C2", "C3", "C4"]


def test_who_is_out_is_offered_nothing() -> None:
    """A player without a Harvester is offered no orders."""
    assert offered({**view(position(CROWD), "ann"), "harvester": None}) == set()


def test_a_hex_in_one_word_is_written_out() -> None:
    """With or without quotes, the order accepted is that of the long form."""
    state = position(CROWD, resources={(3, -2): 1})

    for hex_ in ("3,-2", '"3,-2"'):
        assert read(state, "ann", f"TARGET {hex_}").orders == (Target(3, -2),)
        assert read(state, "ann", f"MOVE C1 TO {hex_}").orders == (Move("C1", ("NE", "E", "NE")),)


def test_a_hex_beyond_the_reading_of_phrases_is_written_out_too() -> None:
    """After many mistakes lines are read by the order parser alone, with the same meaning."""
    state = position(CROWD, resources={(3, -2): 1})
    astray = ["MOVE L1 E"] * 50

    (entry,) = read(state, "ann", *astray, "MOVE C1 TO 3,-2").entries

    assert (entry.line, entry.order) == (51, Move("C1", ("NE", "E", "NE")))
