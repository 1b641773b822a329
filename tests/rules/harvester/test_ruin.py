"""Gathering, dropping, ruin and repair (rulings 6 and 7)."""

from __future__ import annotations

import pytest

from pbem_rules.harvester import RULESET
from tests.rules.harvester.table import held, position, read, resources, told, turn, view, where

PRICES = {"G": (4, 4), "L1": (3, 3), "S1": (2, 2), "C1": (1, 1)}
"""Resources and turns that a unit takes."""


def test_a_harvester_gathers_all_of_its_hex() -> None:
    """All resources in a hex with a Harvester at the end of a turn are gathered."""
    after, events = turn(position(resources={(0, 0): 3}))

    assert (held(after, "ann"), resources(after, (0, 0))) == (3, 0)
    assert told(events, "ann", "gathered") == [{"amount": 3, "held": 3}]


def test_it_gathers_on_its_way_too() -> None:
    """A Harvester also gathers in hexes that are not its target."""
    after, _ = turn(position(resources={(1, 0): 2, (2, 0): 1}), {"ann": ["TARGET 2,0"]})

    assert held(after, "ann") == 2


def test_a_harvester_holds_twenty() -> None:
    """Resources that it cannot hold stay in the hex."""
    after, _ = turn(position(resources={(0, 0): 3}, held={"ann": 18}))

    assert (held(after, "ann"), resources(after, (0, 0))) == (20, 1)


def test_wrecks_are_gathered_in_the_same_turn() -> None:
    """Gathering comes after fighting."""
    after, _ = turn(position({"ann": {"C1": (0, 0)}}), {"ann": ["DESTROY C1"]})

    assert held(after, "ann") == 1


def test_a_harvester_may_drop_resources() -> None:
    """Dropped resources stay behind when the Harvester moves on."""
    state = position(resources={(1, 0): 1}, held={"ann": 5})

    after, events = turn(state, {"ann": ["TARGET 1,0", "DROP 3"]})

    assert (held(after, "ann"), resources(after, (0, 0))) == (3, 3)
    assert told(events, "ann", "dropped") == [{"q": 0, "r": 0, "amount": 3}]


def test_who_stays_gathers_what_it_dropped() -> None:
    """A Harvester that stays gathers what it dropped."""
    after, _ = turn(position(held={"ann": 5}), {"ann": ["DROP 3"]})

    assert held(after, "ann") == 5


def test_no_more_is_dropped_than_held() -> None:
    """A sheet cannot drop more than the Harvester holds."""
    assert [found.code for found in read(position(held={"ann": 2}), "ann", "DROP 3").errors] == ["out-of-bounds"]


@pytest.mark.parametrize("unit", PRICES)
def test_a_lost_unit_is_rebuilt(unit: str) -> None:
    """It costs its scanner rating, takes a turn for each point of combat ability, and appears at the Harvester."""
    price, turns = PRICES[unit]
    state, _ = turn(position(held={"ann": price}), {"ann": [f"BUILD {unit}"]})
    assert held(state, "ann") == 0
    for _ in range(turns - 1):
        assert where(state, "ann", unit) is None
        state, _ = turn(state)

    assert where(state, "ann", unit) == (0, 0)
    assert view(state, "ann")["building"] is None


def test_a_unit_is_rebuilt_where_the_harvester_has_come_to() -> None:
    """Building goes on while the Harvester moves."""
    state = position(resources={(2, 0): 1}, held={"ann": 2})
    state, _ = turn(state, {"ann": ["BUILD S1", "TARGET 2,0"]})

    after, events = turn(state)

    assert where(after, "ann", "S1") == (2, 0)
    assert [each["unit"] for each in told(events, "ann", "built")] == ["S1"]


def test_too_few_resources_build_nothing() -> None:
    """A unit is rebuilt only if there are sufficient resources, less what the sheet drops."""
    state = position(held={"ann": 4})

    assert read(state, "ann", "BUILD G").errors == ()
    assert [found.code for found in read(state, "ann", "DROP 1", "BUILD G").errors] == ["too-dear"]


def test_one_unit_is_rebuilt_at_a_time() -> None:
    """A second BUILD is refused, in the same sheet and while one is under way."""
    state = position(held={"ann": 9})
    busy, _ = turn(state, {"ann": ["BUILD G"]})

    assert [found.code for found in read(state, "ann", "BUILD G", "BUILD C1").errors] == ["only-one"]
    assert [found.code for found in read(busy, "ann", "BUILD C1").errors] == ["busy"]


def test_only_lost_units_are_rebuilt() -> None:
    """A Harvester replaces destroyed units and makes no new ones."""
    state = position({"ann": {"G": (0, 0)}}, held={"ann": 9})

    assert [found.code for found in read(state, "ann", "BUILD G").errors] == ["not-lost"]
    assert [found.code for found in read(state, "ann", "BUILD S4").errors] == ["unknown-name"]


@pytest.mark.parametrize(("unit", "left"), [("G", 4), ("L2", 3), ("S3", 2), ("C4", 1)])
def test_a_unit_may_destroy_itself(unit: str, left: int) -> None:
    """It leaves as many resources as its scanner rating, in its hex."""
    after, events = turn(position({"ann": {unit: (3, 0)}}), {"ann": [f"DESTROY {unit}"]})

    assert where(after, "ann", unit) is None
    assert resources(after, (3, 0)) == left
    assert told(events, "ann", "scrapped") == [{"q": 3, "r": 0, "unit": unit, "left": left}]


def test_a_player_may_destroy_his_harvester() -> None:
    """A destroyed Harvester leaves 5 resources, its units leave theirs; what it held is lost, and its player is out."""
    state = position({"ann": {"G": (3, 0)}}, held={"ann": 9})

    after, events = turn(state, {"ann": ["RESIGN CONFIRM"]})

    assert (resources(after, (0, 0)), resources(after, (3, 0))) == (5, 4)
    assert "ann" not in RULESET.standing(after).awaiting
    assert told(events, "ann", "out") == [{"who": "ann", "why": "order"}]


def test_a_harvester_is_not_destroyed_by_a_slip() -> None:
    """Without the word CONFIRM the line is refused."""
    assert [found.code for found in read(position(), "ann", "DESTROY HARVESTER").errors] == ["unconfirmed"]


def test_rulers_hear_when_a_subservient_is_gone() -> None:
    """All rulers of a player who goes out are told."""
    _, events = turn(position(rulers={"cyd": "bob", "bob": "ann"}), removed=["cyd"])

    assert told(events, "ann", "out") == told(events, "bob", "out") == [{"who": "cyd", "why": "removed"}]
