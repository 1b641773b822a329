"""Rulers and subservients, points, and the end (rulings 8 and 11)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pbem.ruleset import TurnInput
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.state import State
from tests.rules.harvester.table import DICE, position, ruler, told, turn, view, where

ALL = ("G", "L1", "L2", "S1", "S2", "S3", "C1", "C2", "C3", "C4")


def conquest(winner: str, loser: str, **given: object) -> State:
    """Build a position just before a Scout enters the other player's unguarded hex."""
    units = {loser: {"H": (3, 0)}, winner: {"C1": (2, 0)}}
    return position({seat: units.get(seat, {}) for seat in ("ann", "bob", "cyd", "dan")}, **given)  # type: ignore[arg-type]  # named as in position()


def test_a_conquered_player_plays_on() -> None:
    """A subservient is awaited and gives orders as before."""
    after, _ = turn(conquest("ann", "bob"), {"ann": ["MOVE C1 E"]})

    assert "bob" in RULESET.standing(after).awaiting
    assert view(after, "bob")["rulers"] == ["ann"]


def test_rulers_of_the_conqueror_rule_too() -> None:
    """If the conqueror is subservient itself, its ruler is above the conquered as well."""
    after, events = turn(conquest("ann", "bob", rulers={"ann": "cyd"}), {"ann": ["MOVE C1 E"]})

    assert view(after, "bob")["rulers"] == ["ann", "cyd"]
    assert [each["seat"] for each in view(after, "cyd")["subservients"]] == ["ann", "bob"]
    assert told(events, "cyd", "won-over") == [{"who": "bob", "by": "ann"}]


def test_a_subservient_may_be_conquered_anew() -> None:
    """It leaves its former ruler for the new one, and the former one is told."""
    after, events = turn(conquest("ann", "bob", rulers={"bob": "cyd"}), {"ann": ["MOVE C1 E"]})

    assert ruler(after, "bob") == "ann"
    assert told(events, "cyd", "lost-hold") == [{"who": "bob"}]


def test_subservients_come_with_their_ruler() -> None:
    """The conqueror of a ruler also rules those below it."""
    after, _ = turn(conquest("ann", "bob", rulers={"cyd": "bob"}), {"ann": ["MOVE C1 E"]})

    assert view(after, "cyd")["rulers"] == ["bob", "ann"]


def test_the_strongest_of_the_winning_side_rules() -> None:
    """Of several winners of one side the one with the most combat ability in the hex becomes the direct ruler."""
    units = {"bob": {"S1": (2, 0)}, "cyd": {"L1": (4, 0)}, "dan": {"H": (3, 0)}}
    state = position(units, rulers={"bob": "ann", "cyd": "ann"})

    after, _ = turn(state, {"bob": ["MOVE S1 E"], "cyd": ["MOVE L1 W"]})

    assert ruler(after, "dan") == "cyd"


def test_of_equals_the_one_higher_up_rules() -> None:
    """Of equally strong winners the one nearer to the top becomes the direct ruler."""
    units = {"bob": {"S1": (2, 0)}, "cyd": {"S1": (4, 0)}, "dan": {"H": (3, 0)}}
    state = position(
        units, seats=("ann", "bob", "cyd", "dan", "eve"), rulers={"bob": "eve", "eve": "ann", "cyd": "ann"}
    )

    after, _ = turn(state, {"bob": ["MOVE S1 E"], "cyd": ["MOVE S1 W"]})

    assert ruler(after, "dan") == "cyd"


def test_nobody_rules_those_above_him() -> None:
    """Of two who conquer each other in one impulse, only the one with the higher total rules."""
    units = {"ann": {"H": (0, 0), "S1": (5, 0)}, "bob": {"H": (6, 0), "C1": (1, 0)}}
    state = position(units)

    after, _ = turn(state, {"ann": ["MOVE S1 E"], "bob": ["MOVE C1 W"]})

    assert (ruler(after, "bob"), ruler(after, "ann")) == ("ann", None)


def test_equal_mutual_conquests_are_decided_by_lot() -> None:
    """With equal totals one of the two rules, never both."""
    units = {"ann": {"H": (0, 0), "S1": (5, 0)}, "bob": {"H": (6, 0), "S1": (1, 0)}}

    after, _ = turn(position(units), {"ann": ["MOVE S1 E"], "bob": ["MOVE S1 W"]})

    assert {ruler(after, "ann"), ruler(after, "bob")} in ({None, "ann"}, {None, "bob"})


def test_sides_change_after_the_impulse() -> None:
    """From the next impulse on, a conquered player's units are no enemies of the winner's."""
    units = {"ann": {"C1": (2, 0), "S1": (6, 1)}, "bob": {"H": (3, 0), "C1": (6, 0)}}

    after, _ = turn(position(units), {"ann": ["MOVE C1 E", "MOVE S1 SE NW NW"]})

    assert where(after, "bob", "C1") == (6, 0)


def test_when_a_ruler_is_lost_its_subservients_pass_on() -> None:
    """They pass to the Harvester above the lost one."""
    state = position(rulers={"cyd": "bob", "bob": "ann"})

    after, events = turn(state, {"bob": ["RESIGN CONFIRM"]})

    assert ruler(after, "cyd") == "ann"
    assert told(events, "cyd", "passed") == [{"to": "ann"}]


def test_when_the_top_is_lost_its_subservients_are_free() -> None:
    """They are free if no Harvester is above the lost one."""
    state = position(rulers={"cyd": "bob"})

    after, events = turn(state, {"bob": ["RESIGN CONFIRM"]})

    assert ruler(after, "cyd") is None
    assert told(events, "cyd", "freed") == [{}]


def test_lost_together_rulers_are_climbed_over() -> None:
    """If a ruler and the one above it are lost at once, the next one above takes over."""
    state = position(seats=("ann", "bob", "cyd", "dan", "eve"), rulers={"cyd": "bob", "bob": "ann", "ann": "eve"})

    after, _ = turn(state, removed=["ann", "bob"])

    assert ruler(after, "cyd") == "eve"


def test_resources_and_combat_abilities_count() -> None:
    """A point for each resource held and for each point of combat ability of living units."""
    state = position({"ann": {"G": (0, 0), "S2": (1, 0)}}, held={"ann": 7})

    assert view(state, "ann")["points"] == {"held": 7, "combat": 6, "subservients": 0, "total": 13}


def test_combat_counts_twenty_at_the_most() -> None:
    """All ten units together have a combat ability of 20, the most that counts."""
    state = position({"ann": dict.fromkeys(ALL, (0, 0))}, held={"ann": 20})

    assert view(state, "ann")["points"]["total"] == 40


def test_subservients_points_count_for_their_ruler() -> None:
    """All points of each direct subservient count, and so do those of Harvesters below it."""
    state = position(rulers={"bob": "ann", "cyd": "bob"}, held={"ann": 1, "bob": 2, "cyd": 4, "dan": 8})

    assert RULESET.standing(state).scores == {"ann": 7, "bob": 6, "cyd": 4, "dan": 8}


def test_the_game_ends_when_one_rules_all() -> None:
    """A Harvester that rules all the others is the One, and the game is over for all."""
    state = conquest("ann", "bob", rulers={"cyd": "ann", "dan": "cyd"})

    after, events = turn(state, {"ann": ["MOVE C1 E"]})

    standing = RULESET.standing(after)
    assert (standing.over, standing.winners, standing.awaiting) == (True, ("ann",), frozenset())
    assert told(events, "dan", "ended") == [{"winner": "ann"}]
    assert view(after, "bob")["winner"] == "ann"


def test_who_is_out_need_not_be_ruled() -> None:
    """Only players still in play count for the end."""
    state = position(rulers={"bob": "ann", "cyd": "ann"})

    after, _ = turn(state, {"dan": ["RESIGN CONFIRM"]})

    assert RULESET.standing(after).winners == ("ann",)


def test_nobody_wins_an_empty_world() -> None:
    """If the last Harvesters go out together, the game is over without a winner."""
    after, events = turn(position(), removed=["ann", "bob", "cyd", "dan"])

    assert (RULESET.standing(after).over, RULESET.standing(after).winners) == (True, ())
    assert told(events, "ann", "ended") == [{"winner": None}]


def test_a_game_that_is_over_stays_as_it_is() -> None:
    """After the end nothing changes."""
    over = position(rulers={"bob": "ann", "cyd": "ann", "dan": "ann"})

    assert RULESET.resolve(over, TurnInput({}), DICE) == (over, ())


def test_seven_turns_without_a_sheet_end_it() -> None:
    """After the seventh turn in a row without orders a Harvester and all its units destroy themselves."""
    state = position({"bob": {"G": (-4, 0)}})
    for _ in range(6):
        state, _ = turn(state, silent=["bob"])
    assert where(state, "bob", "H") == (-6, 0)

    after, events = turn(state, silent=["bob"])

    assert where(after, "bob", "H") is where(after, "bob", "G") is None
    assert told(events, "bob", "out") == [{"who": "bob", "why": "silence"}]
    assert "bob" not in RULESET.standing(after).awaiting


def test_an_empty_sheet_is_a_sign_of_life() -> None:
    """A sheet without orders ends the row of silent turns."""
    state = dataclasses.replace(position(), silent=np.array([0, 6, 0, 0]))

    after, _ = turn(state)

    assert view(after, "bob")["silent"] == 0


@pytest.mark.parametrize("turns", [1, 2])
def test_who_went_out_is_told_once(turns: int) -> None:
    """A player who is out gets one last report, and then none until the end."""
    state, _ = turn(position(), removed=["dan"])
    for _ in range(turns - 1):
        state, _ = turn(state)

    told_now = RULESET.standing(state).told
    assert told_now is not None
    assert ("dan" in told_now) == (turns == 1)
    assert view(state, "dan")["harvester"] is None
