"""The choices of a page: every line that they make is accepted, and every place is on a picture."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pbem.ruleset import Amount, Choice, Dice, FieldError, TurnInput, View, canonical_json, with_memory
from pbem_rules.common.hexes import Hex, disc, step
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.orders import Move, hex_of
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.routes import reach, route_to
from pbem_rules.harvester.sprites import WIDE
from pbem_rules.harvester.units import MOVE, SLOT
from tests.rules.harvester.table import DICE, new_game, position, turn, view

GAMES: Mapping[str, dict[str, Any]] = {
    "usual": {"players": 4},
    "rough": {"players": 6, "crags": 15, "dust": 8},
    "wide": {"players": 4, "size": 40},
}
TURNS, EACH = 30, 3

RING = tuple(DIRECTIONS.values())


@functools.cache
def played(name: str) -> tuple[View, ...]:
    """Return views of a game of bots, with their memory: two of every third turn."""
    state, events, last = new_game(**GAMES[name]), (), {}  # type: Any, Any, dict[str, View]
    kept: list[View] = []
    while not state.over and state.turn <= TURNS:
        for seat in state.seats:
            last[seat] = json.loads(canonical_json(with_memory(RULESET, view(state, seat, events), last.get(seat))))
        kept += [last[seat] for seat in state.seats[:2] if state.turn % EACH == 1]
        orders = {}
        for seat in RULESET.standing(state).awaiting:
            sheet = RULESET.bots["standard"](last[seat], Dice(b"bot").within(state.turn, seat))
            orders[seat] = RULESET.parse(last[seat], list(enumerate(sheet, 1))).orders
        state, events = RULESET.resolve(state, TurnInput(orders), DICE.within("turn", state.turn))
    return tuple(kept)


def words(seen: View, *before: str) -> list[Choice]:
    """Return the words that can follow the beginning of a line, where no amount can."""
    return [each for each in RULESET.choices(seen, before) if isinstance(each, Choice)]


def lines(seen: View, line: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Mapping[str, int]]]:
    """Yield the lines that the choices make, each with what it costs; of an amount the least and the most."""
    for each in RULESET.choices(seen, line):
        if isinstance(each, Amount):
            for number in {each.low, each.high}:
                yield (*line, str(number)), {purse: cost * number for purse, cost in each.cost.items()}
        elif deeper := list(lines(seen, (*line, each.word))):
            yield from deeper
        else:
            yield (*line, each.word), each.cost


def places(seen: View) -> Iterator[Choice]:
    """Yield the places that are offered."""
    yield from words(seen, "TARGET")
    for unit in words(seen, "MOVE"):
        yield from words(seen, "MOVE", unit.word, "TO")


def offered(seen: View) -> set[str]:
    """Return the lines that are offered."""
    return {" ".join(line) for line, _ in lines(seen)}


@pytest.mark.in_turn
@pytest.mark.parametrize("name", GAMES)
def test_every_line_is_accepted_by_itself(name: str) -> None:
    """No line of the tree is refused or warned of, in games of bots."""
    for seen in played(name)[::4]:
        for line, _ in lines(seen):
            read = RULESET.parse(seen, [(1, " ".join(line))])
            assert [each for each in read.findings if each.severity != "note"] == [], line
            assert len(read.orders) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", GAMES)
def test_every_place_is_on_a_picture(name: str) -> None:
    """Each place in reach, each target, each hex on the way and each unit of the agenda is a spot, 24 pixels wide."""
    for seen in played(name):
        wide = {
            each: max(x for x, _ in spot.points) - min(x for x, _ in spot.points)
            for picture in RULESET.pictures(seen)
            for spot in picture.spots
            for each in spot.names
        }
        named = {each for choice in places(seen) for each in (choice.word, *choice.path)}
        named |= {need.place or need.unit for need in RULESET.agenda(seen)}
        assert named <= wide.keys()
        assert all(wide[each] >= 24 for each in named)


def can_reach(atlas: Atlas, unit: str, start: Hex, goal: Hex) -> bool:
    """Return True if there is a route for a unit."""
    try:
        return bool(route_to(atlas, unit, start, goal))
    except FieldError:
        return False


@pytest.mark.parametrize("name", GAMES)
def test_the_goals_of_a_unit_lie_around_its_first_spot(name: str) -> None:
    """On the chart the places in a unit's reach lie together: no farther from its first spot than it goes."""
    for seen in played(name):
        _, chart = RULESET.pictures(seen)
        middles: dict[str, list[tuple[int, int]]] = {}
        for spot in chart.spots:
            (x, top), (_, bottom) = spot.points[0], spot.points[3]
            for each in spot.names:
                middles.setdefault(each, []).append((x, (top + bottom) // 2))
        for unit in seen["units"]:
            (x, y), pace = middles[unit["unit"]][0], int(MOVE[SLOT[unit["unit"]]])
            for goal in words(seen, "MOVE", unit["unit"], "TO"):
                nearest = min(math.dist((x, y), middle) for middle in middles[goal.word])
                assert nearest <= pace * WIDE, (unit, goal)


@pytest.mark.parametrize("name", GAMES)
def test_reach_is_as_routes_decide(name: str) -> None:
    """The ways to all places at once are those that are found for each place alone, and no place is left out."""
    for seen in played(name)[::7]:
        atlas = Atlas(seen)
        for unit in seen["units"]:
            start = unit["q"], unit["r"]
            near = {atlas.named(step(start, way)) for way in disc(5)}
            ways = {path[-1]: way for way, path in reach(atlas, unit["unit"], start)}
            assert ways == {goal: route_to(atlas, unit["unit"], start, goal).way for goal in ways}
            assert ways.keys() == {goal for goal in near if can_reach(atlas, unit["unit"], start, goal)}


def test_places_come_nearest_first_with_the_way_there() -> None:
    """A Lieutenant is offered twelve hexes around crags, those of one step first."""
    seen = view(position({"ann": {"H": (0, 0), "L1": (0, 0)}}, crags=[(1, 0)]), "ann")

    around = words(seen, "MOVE", "L1", "TO")

    atlas = Atlas(seen)
    assert [atlas.distance((0, 0), hex_of(each.word)) for each in around] == [1] * 5 + [2] * 11
    assert {each.word: each.path for each in around}["2,-1"] == ("1,-1",)
    assert not {"1,0", "2,0"} & {each.word for each in around}


def test_a_path_is_the_one_that_the_order_takes() -> None:
    """The arrow of a line passes the hexes of the order that `parse` makes of it."""
    seen = view(position({"ann": {"H": (0, 0), "C1": (0, 0)}}, crags=[(1, 0)]), "ann")
    for each in words(seen, "MOVE", "C1", "TO"):
        (order,) = RULESET.parse(seen, [(1, f"MOVE C1 TO {each.word}")]).orders
        assert isinstance(order, Move)
        here, passed = (0, 0), []
        for way in order.steps:
            here = step(here, DIRECTIONS[way])
            passed.append(f"{here[0]},{here[1]}")
        assert (*each.path, each.word) == tuple(passed)


def test_a_unit_shut_in_by_crags_is_not_asked_for() -> None:
    """A General among crags can go nowhere, and so has no place in tree and agenda; a Scout there has."""
    seen = view(position({"ann": {"H": (0, 0), "G": (0, 0), "C1": (0, 0)}}, crags=RING), "ann")

    assert [each.word for each in words(seen, "MOVE")] == ["C1"]
    assert [need.unit for need in RULESET.agenda(seen)] == ["C1"]


def test_a_harvester_without_units_is_offered_no_moves() -> None:
    """Without units, resources and marks nothing is offered, and nothing asked."""
    seen = view(position(), "ann")

    assert offered(seen) == set()
    assert RULESET.agenda(seen) == []


@pytest.mark.parametrize("change", [{"over": True}, {"harvester": None, "awaited": False}])
def test_nothing_is_offered_to_those_who_may_not_order(change: Mapping[str, Any]) -> None:
    """After the end, and to who is out, no word is offered."""
    crew = {"ann": {"H": (0, 0), "C1": (0, 0)}}
    seen = {**view(position(crew, resources={(2, 0): 1}, held={"ann": 9}), "ann"), **change}

    assert offered(seen) == set()


def test_a_target_is_asked_for_unless_there_is_one() -> None:
    """Targets past crags are not offered, and none to a Harvester under way."""
    state = position({"ann": {"H": (0, 0), "C1": (0, 0)}}, resources={(3, 0): 1, (-2, 0): 1}, crags=[(1, 0)])

    seen, after = view(state, "ann"), view(turn(state, {"ann": ["TARGET -2,0"]})[0], "ann")

    assert [line for line in offered(seen) if line.startswith("TARGET")] == ["TARGET -2,0"]
    assert [(need.title, need.place) for need in RULESET.agenda(seen)] == [("Harvester", "0,0"), ("Scout C1", "")]
    assert not [line for line in offered(after) if line.startswith("TARGET")]
    assert [need.start for need in RULESET.agenda(after)] == ["MOVE C1"]


def test_costs_are_what_the_sheet_charges() -> None:
    """A unit and a drop that use up the purse are accepted together, and one resource more is not."""
    seen = view(position(held={"ann": 6}), "ann")
    costs = {" ".join(line): cost["held"] for line, cost in lines(seen)}
    have = RULESET.purses(seen)["held"].have

    assert (have, costs["BUILD G"], costs["BUILD C1"], costs["DROP 6"]) == (6, 4, 1, 6)
    for unit in ("G", "L1", "S1", "C1"):
        left = have - costs[f"BUILD {unit}"]
        assert RULESET.parse(seen, [(1, f"BUILD {unit}"), (2, f"DROP {left}")]).errors == ()
        assert RULESET.parse(seen, [(1, f"BUILD {unit}"), (2, f"DROP {left + 1}")]).errors


def test_nothing_is_built_while_something_is() -> None:
    """A Harvester builds one unit at a time."""
    after, _ = turn(position(held={"ann": 9}), {"ann": ["BUILD G"]})

    assert {line.split()[0] for line in offered(view(after, "ann"))} == {"DROP"}


def test_grave_orders_and_slots() -> None:
    """A unit's orders replace each other, as do two targets; what destroys is set apart."""
    declared = {each.order.__name__: each.order for each in RULESET.orders.verbs}

    assert {declared[name].slot for name in ("Move", "MoveTo", "Destroy")} == {"unit {unit}"}
    assert {declared[name].slot for name in ("Target", "TargetHex")} == {"harvester"}
    assert [name for name, order in declared.items() if order.grave] == ["Destroy", "DestroyHarvester"]
