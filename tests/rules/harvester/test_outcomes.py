"""Outcomes of orders: each clause is true, and says nothing that its seat cannot know."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from pbem.ruleset import Order, SeatName, TurnInput, View
from pbem.testing.play import games, mail_view
from pbem_rules.common.hexes import Hex, step
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.orders import Move, Target
from pbem_rules.harvester.planet import DIRECTIONS, planet_of
from pbem_rules.harvester.state import State
from tests.rules.harvester.table import DICE, position, read, view

_PLACE = re.compile(r"(?:stopped |waits )?at (-?\d+),(-?\d+)")


def played(
    state: State, sheets: Mapping[SeatName, Sequence[str]], **turn: Sequence[SeatName]
) -> Mapping[SeatName, list[str]]:
    """Return the outcomes of each seat's orders, in reports with the memory of the report before."""
    orders: dict[SeatName, tuple[Order, ...]] = dict.fromkeys(RULESET.standing(state).awaiting, ())
    for seat, lines in sheets.items():
        parsed = read(state, seat, *lines)
        assert not parsed.errors, parsed.errors
        orders[seat] = parsed.orders
    leaving: dict[str, Any] = {name: frozenset(seats) for name, seats in turn.items()}
    after, events = RULESET.resolve(state, TurnInput(orders, **leaving), DICE)
    views = {seat: mail_view(RULESET, after, seat, events, last=first(state, seat)) for seat in sheets}
    return {seat: list(RULESET.order_outcomes(views[seat], orders[seat])) for seat in sheets}


def first(state: State, seat: SeatName) -> View:
    """Return a seat's report before the turn."""
    return mail_view(RULESET, state, seat, ())


def said(state: State, *lines: str, **others: Sequence[str]) -> list[str]:
    """Return the outcomes of ann's orders."""
    return played(state, {"ann": lines, **others})["ann"]


def test_of_a_unit_that_moved_the_place_is_told() -> None:
    """Each order has its own line with the place of its unit, also across the seam of the chart."""
    state = position({"ann": {"C1": (0, 0), "S1": (9, 0)}})

    assert said(state, "MOVE C1 NE NE E", "MOVE S1 E") == ["at 3,-2", "at -9,9"]


def test_of_a_unit_that_could_not_go_on_the_reason_is_told() -> None:
    """The outcome names crags, or units of a Harvester above, as the reason (ruling 8)."""
    crags = position({"ann": {"L1": (0, 0)}}, crags=[(2, 0)])
    barred = position({"ann": {"S1": (0, 0)}, "bob": {"G": (1, 0)}}, rulers={"ann": "bob"})

    assert said(crags, "MOVE L1 E E") == ["stopped at 1,0: crags are ahead"]
    assert said(barred, "MOVE S1 E E") == ["stopped at 0,0: units of a Harvester above yours have the hex ahead"]


def test_a_unit_that_stepped_back_stopped_before_the_fight() -> None:
    """The outcome of a step back names the undecided fight, in a hex or on a border, on any step."""
    units = {"ann": {"S1": (1, 0), "C1": (0, -3)}, "bob": {"S1": (3, 0), "C1": (1, -3)}}

    told = said(position(units), "MOVE S1 E E E", "MOVE C1 E", bob=["MOVE C1 W"])

    assert told == [
        "stopped at 2,0: the fight against bob at 3,0 was undecided",
        "stopped at 0,-3: the fight against bob at the border E of 0,-3 was undecided",
    ]


def test_who_was_not_held_up_in_an_undecided_fight_did_not_stop_for_it() -> None:
    """An undecided fight is not given as the reason for a unit that passed the hex before, or stood there already."""
    units = {"ann": {"S1": (0, 0), "C1": (1, 0)}, "bob": {"S1": (2, 2)}}

    passed = said(position(units), "MOVE C1 E E E", "MOVE S1 E E", bob=["MOVE S1 NW NW"])
    there = said(position(units), "MOVE S1 SE E", "MOVE C1 E", bob=["MOVE S1 NW W W"])

    assert passed == ["at 4,0", "stopped at 1,0: the fight against bob at 2,0 was undecided"]
    assert there == ["stopped at 0,1: the fight against bob at 1,1 was undecided", "at 2,0"]


def test_of_several_undecided_fights_in_a_hex_that_of_the_same_step_is_told() -> None:
    """The outcome of a Soldier that comes a step after the Scout names the fight of its own step."""
    units = {"ann": {"C1": (1, 0), "S1": (0, 0)}, "bob": {"C1": (2, 0)}, "cyd": {"S1": (4, 0)}}

    told = said(position(units), "MOVE C1 E", "MOVE S1 E E", cyd=["MOVE S1 W W"])

    assert told == [
        "stopped at 1,0: the fight against bob at 2,0 was undecided",
        "stopped at 1,0: the fight against bob and cyd at 2,0 was undecided",
    ]


def test_equals_who_stood_together_hold_up_nobody_who_decides_it() -> None:
    """A Scout that decides a standoff is not said to be held up by it, whether it goes on or back."""
    units = {"ann": {"S1": (2, 0), "C1": (1, 0)}, "bob": {"S1": (2, 0)}, "cyd": {"C1": (3, 0)}}

    on = said(position(units), "MOVE C1 E E")
    back = said(position(units), "MOVE C1 E W")

    assert on == ["stopped at 2,0: the fight against cyd at 3,0 was undecided"]
    assert back == ["at 1,0"]


def test_without_the_report_before_only_the_place_is_told() -> None:
    """Without the report before, it is not known whether a unit went all its way."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (3, 0)}})
    orders = read(state, "ann", "MOVE S1 E").orders
    after, events = RULESET.resolve(state, TurnInput({"ann": orders}), DICE)

    for seen in (view(after, "ann", events), mail_view(RULESET, after, "ann", events)):
        assert RULESET.order_outcomes(seen, orders) == ["at 2,0"]


def test_of_a_lost_unit_it_is_told_where_and_to_whom() -> None:
    """The outcome of a lost unit has the place, the enemy and the strengths, for fights of every sort."""
    units = {
        "ann": {"C1": (2, 0), "C2": (-2, 0), "C3": (0, -3), "C4": (0, -3)},
        "bob": {"S1": (3, 0), "S2": (-3, 0)},
        "cyd": {"L1": (3, -3)},
    }

    told = said(
        position(units), "MOVE C1 E", "MOVE C2 W", "MOVE C3 E", "MOVE C4 E", bob=["MOVE S2 E"], cyd=["MOVE L1 W W"]
    )

    assert told == [
        "lost at 3,0 to bob: 1 against 2",
        "lost at the border W of -2,0 to bob: 1 against 2",
        "lost at 1,-3 to cyd: 2 against 3",
        "lost at 1,-3 to cyd: 2 against 3",
    ]


def test_of_a_unit_in_a_hex_that_was_won_the_enemies_are_told() -> None:
    """The outcome names the enemies beaten in a unit's hex, and the Harvester conquered there."""
    units = {"ann": {"S1": (2, 0), "G": (-5, 0)}, "bob": {"C1": (3, 0)}}

    assert said(position(units), "MOVE S1 E", "MOVE G W") == [
        "at 3,0, where you won against bob",
        "at -6,0, where you won against bob, and bob is below you now",
    ]


def test_who_won_on_a_border_did_not_win_where_it_came_from() -> None:
    """A unit in a hex on whose border another unit won is in no hex that was won."""
    units = {"ann": {"S1": (2, 0), "C1": (1, 0)}, "bob": {"C1": (3, 0)}}

    assert said(position(units), "MOVE S1 E", "MOVE C1 E", bob=["MOVE C1 W"]) == ["at 3,0", "at 2,0"]


def test_a_conquest_that_did_not_count_is_not_told() -> None:
    """A conquest that a stronger one made void is not told as one."""
    units = {"ann": {"C1": (-5, 0)}, "cyd": {"G": (1, 0)}}

    told = said(position(units, rulers={"bob": "cyd"}), "MOVE C1 W", cyd=["MOVE G W"])

    assert told == ["at -6,0, where you won against bob"]


def test_of_a_target_it_is_told_how_far_the_harvester_is() -> None:
    """The outcome of TARGET says whether the Harvester is under way, has arrived, or has no target any more."""
    state = position({"bob": {"H": (-3, 0)}}, resources={(1, 0): 2, (0, 3): 1, (0, -1): 1})

    assert said(state, "TARGET 0,3") == ["at 0,1, 2 steps from its target"]
    assert said(state, "TARGET 1,0") == ["got there and gathered 2"]
    on_the_way = position(resources={(1, 0): 2, (2, 0): 1})
    assert said(on_the_way, "TARGET 2,0") == ["at 1,0 and gathered 2, 1 step from its target"]
    gone = position({"ann": {"C1": (2, 0)}, "bob": {"H": (3, 0)}}, resources={(3, 0): 1})
    assert said(gone, "TARGET 3,0") == [
        "at 1,0: scanners show that nothing is to be gathered at the target, so it has none"
    ]


def test_a_target_reached_in_vain_is_told() -> None:
    """The outcome says that nothing was gathered at the target."""
    state = position(resources={(1, 0): 1}, held={"ann": 20})

    assert said(state, "TARGET 1,0") == ["got there, and gathered nothing"]


def test_of_a_harvester_kept_waiting_the_reason_is_told() -> None:
    """The outcome names crags, another Harvester or a fight as the reason."""
    crags = position(resources={(2, 0): 1}, crags=[(1, 0)])
    other = position({"bob": {"H": (1, 0)}}, resources={(2, 0): 1})
    fight = position({"ann": {"S1": (1, 0)}, "bob": {"S1": (1, 0)}}, resources={(2, 0): 1})

    assert said(crags, "TARGET 2,0") == ["waits at 0,0: crags are ahead"]
    assert said(other, "TARGET 2,0") == ["waits at 0,0: another Harvester has the hex ahead"]
    assert said(fight, "TARGET 2,0") == ["waits at 0,0: a fight held it up"]


def test_of_a_unit_rebuilt_cost_and_place_or_time_are_told() -> None:
    """The outcome of BUILD has the cost, and the place or the turns left."""
    state = position(held={"ann": 6})

    assert said(state, "BUILD C1") == ["cost 1 resource; it stands at 0,0"]
    assert said(state, "BUILD L1") == ["cost 3 resources; ready in 2 turns"]


def test_of_what_was_dropped_the_place_is_told() -> None:
    """The outcome of DROP has the place, and says if a Harvester that stayed gathered it again."""
    state = position(resources={(1, 0): 1}, held={"ann": 6})

    assert said(state, "DROP 2") == ["at 0,0; stayed, and gathered 2 there"]
    assert said(state, "DROP 2", "TARGET 1,0") == ["at 0,0", "got there and gathered 1"]


def test_of_a_unit_destroyed_by_order_the_wreck_is_told() -> None:
    """The outcome of DESTROY has the resources left, and the place."""
    told = said(position({"ann": {"L1": (2, 0), "C1": (0, -2)}}), "DESTROY C1", "DESTROY L1")

    assert told == ["left 1 resource at 0,-2", "left 3 resources at 2,0"]


def test_who_went_out_is_told_what_was_done_and_what_not() -> None:
    """No other order is carried out for a player who resigned or was removed, and the outcomes say so."""
    state = position({"ann": {"C1": (2, 0)}})
    not_done = "you were out of the game by then"

    assert said(state, "MOVE C1 E", "RESIGN CONFIRM") == [not_done, "you are out of the game"]
    assert played(state, {"ann": ["MOVE C1 E"]}, removed=["ann"]) == {"ann": [not_done]}


def test_of_many_enemies_the_first_are_named() -> None:
    """Of many enemies with long names the first are named."""
    seats = ("ann", *(f"somebody-of-a-long-name-{number}" for number in range(6)))
    state = position({"ann": {"C1": (2, 0)}, **{seat: {"G": (3, 0)} for seat in seats[1:]}}, seats=seats)
    below = position(
        {"ann": {"C1": (2, 0)}, **{seat: {"G": (3, 0)} for seat in seats[1:]}},
        seats=seats,
        rulers=dict.fromkeys(seats[2:], seats[1]),
    )

    assert said(state, "MOVE C1 E") == [
        "stopped at 2,0: the fight against somebody-of-a-long-name-0 and 5 more at 3,0 was undecided"
    ]
    assert said(below, "MOVE C1 E") == ["lost at 3,0 to somebody-of-a-long-name-0 and 5 more: 1 against 24"]


# -- whole games


class Told(NamedTuple):
    """An order of a whole game, its outcome, and the views of its seat before and after."""

    before: View
    after: View
    order: Order
    line: str


@pytest.fixture(scope="module")
def told() -> list[Told]:
    """Return every order of the games that bots and gremlins play."""
    return [
        Told(step.views[seat], following.views[seat], order, line)
        for game in games(RULESET)
        for step, following in pairwise(game.steps)
        for seat, orders in step.turn.orders.items()
        for order, line in zip(orders, RULESET.order_outcomes(following.views[seat], orders), strict=True)
    ]


def place(seen: View, unit: str) -> Hex | None:
    """Return the hex of a unit in a view."""
    return next(((each["q"], each["r"]) for each in seen["units"] if each["unit"] == unit), None)


def goal(seen: View, order: Move) -> Hex | None:
    """Return the hex to which the steps of an order lead from the unit's place in a view."""
    here = place(seen, order.unit)
    assert here is not None
    for way in order.steps:
        here = planet_of(seen["size"]).named(*step(here, DIRECTIONS[way]), near=(0, 0))
    return here


def test_the_place_told_is_where_the_unit_is(told: list[Told]) -> None:
    """In whole games the outcome has the place of each unit that is left, and the loss of each other."""
    marches = [(each, each.order) for each in told if isinstance(each.order, Move)]

    assert marches
    for each, order in marches:
        found = _PLACE.match(each.line)
        assert (found and (int(found[1]), int(found[2]))) == place(each.after, order.unit), each.line
        assert found or each.line.startswith(("lost at", "you were out"))


def test_the_place_told_of_a_harvester_is_where_it_is(told: list[Told]) -> None:
    """The outcome of TARGET has the Harvester's place, wherever it is bound and whatever stopped it."""
    places = [(each.after["harvester"], _PLACE.match(each.line)) for each in told if isinstance(each.order, Target)]
    bound = [(home, found) for home, found in places if found]

    assert bound
    assert [found[0] for home, found in bound if (home["q"], home["r"]) != (int(found[1]), int(found[2]))] == []


def test_who_did_not_get_where_its_steps_lead_has_stopped(told: list[Told]) -> None:
    """A unit short of its goal is said to have stopped, and one that got there is not."""
    left = [
        (each, place(each.after, each.order.unit) == goal(each.before, each.order))
        for each in told
        if isinstance(each.order, Move) and place(each.after, each.order.unit) is not None
    ]

    short = [each.line for each, got_there in left if not got_there]
    there = [each for each, got_there in left if got_there]
    assert short
    assert [line for line in short if not line.startswith("stopped at")] == []
    assert [each.line for each in there if "undecided" in each.line] == []
