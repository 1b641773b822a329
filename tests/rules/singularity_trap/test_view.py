"""Views of seats (rulebook, "Who knows what"; rulings 25, 31, 32, 38 and 39)."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from pbem.ruleset import Dice
from pbem_rules.singularity_trap import RULESET
from tests.rules.singularity_trap.builders import DICE, at, dark, play, reported, ship, view, world

SITE = "J12+5"


def _sensors(*ships: Any, seat: str = "red", **extra: Any) -> dict[str, Any]:
    return dict(view(world(*ships, **extra), seat)["sensors"])


def test_a_view_is_plain_json() -> None:
    """A view comes through JSON text unchanged."""
    shown = view(world(ship("R101", SITE), ship("G101", SITE)), "red")

    assert json.loads(json.dumps(shown)) == shown


def test_own_ships_are_shown_in_full() -> None:
    """A player has the details of all own ships, dark ones included."""
    own = view(world(ship("R102", SITE, weapons=1), dark("R101", "J10")), "red")["ships"]

    assert [(each["id"], each["space"], each["dark"], each["damage"]) for each in own] == [
        ("R101", "J10+0", True, 1), ("R102", SITE, False, 1)]  # fmt: skip
    assert {"unit": "weapons", "left": 1, "full": 2} in own[1]["units"]


def test_planets_are_known_to_all() -> None:
    """Everyone can see the ownership and colour of all planets; worth is told to each by their own colour."""
    state = world(owners={"J10+0": "green"})

    red, cyan = (view(state, seat)["planets"] for seat in ("red", "cyan"))

    assert [(each["name"], each["owner"], each["colour"]) for each in red] == [
        (each["name"], each["owner"], each["colour"]) for each in cyan]  # fmt: skip
    assert (red[0]["worth"], cyan[0]["worth"]) == (5, 1)


def test_ships_in_the_same_space_are_seen() -> None:
    """Of another's ship in the same space id, type and damage total are seen, and no more."""
    seen = _sensors(ship("R101", SITE), ship("G102", SITE, weapons=1, armor=1), ship("G101", SITE, "Scout"))

    assert seen["contacts"] == [
        {"space": SITE, "ships": [{"id": "G101", "owner": "green", "type": "Scout", "damage": 0},
                                  {"id": "G102", "owner": "green", "type": "Cruiser", "damage": 2}]}
    ]  # fmt: skip
    assert seen["unknown"] == []


def test_unknown_ships_are_detected_in_adjacent_spaces() -> None:
    """Every ship that is not dark detects unknown ships one space around it."""
    seen = _sensors(ship("R101", SITE), ship("G101", "J11+6"), ship("G102", "J11+6"), ship("C101", "J10+5"))

    assert seen == {"contacts": [], "unknown": ["J11+6"], "allied": []}


def test_a_sensor_unit_reaches_two_spaces() -> None:
    """An undamaged sensor unit gives a range of 2."""
    there = ship("C101", "J10+7")

    assert _sensors(ship("R101", SITE, "Scout"), there)["unknown"] == ["J10+7"]
    assert _sensors(ship("R101", SITE, "Scout", sensor=0), there)["unknown"] == []


def test_dark_ships_see_nothing_and_are_not_seen() -> None:
    """A dark ship gives no sensor information, and only its owner can see it."""
    assert _sensors(dark("R101", SITE), ship("G101", SITE)) == {"contacts": [], "unknown": [], "allied": []}
    assert _sensors(ship("R101", SITE), dark("G101", SITE), dark("G102", "J11+5"))["contacts"] == []


def test_planets_are_blind() -> None:
    """A planet without ships sees no ship, not even in its own space."""
    assert _sensors(ship("G101", "J1+9")) == {"contacts": [], "unknown": [], "allied": []}


def test_allied_fleets_are_located() -> None:
    """The spaces of all allied ships that are not dark are known, but neither how many nor which."""
    fleet = [ship("G101", "J10"), ship("G102", "J10"), ship("G103", "A19+9"), dark("G104", "C12")]

    seen = _sensors(*fleet, allies=[("red", "green")])

    assert seen["allied"] == [{"owner": "green", "space": "A19+9"}, {"owner": "green", "space": "J10+0"}]
    assert seen["contacts"] == []


def test_allies_do_not_share_what_they_see() -> None:
    """An ally's fleet is located; what it sees is not told."""
    seen = _sensors(ship("G101", SITE), ship("C101", SITE), ship("C102", "J11+5"), allies=[("red", "green")])

    assert seen == {"contacts": [], "unknown": [], "allied": [{"owner": "green", "space": SITE}]}


def test_an_allied_fleet_is_not_unknown() -> None:
    """A mark of unknown ships stands for players who are no allies (ruling 31)."""
    seen = _sensors(ship("R101", SITE), ship("G101", "J11+5"), allies=[("red", "green")])

    assert seen["unknown"] == []


def test_points_and_charts_are_private() -> None:
    """Nothing in another's view changes with a player's points, numbers, charts and one-sided wishes."""
    state = world(ship("R101", SITE))
    rich = dataclasses.replace(state.players["red"], points=3, numbers=(101, 555), charts=((at("J10"), at("A19")),),
                               wishes=("green",))  # fmt: skip

    other = dataclasses.replace(state, players={**state.players, "red": rich})

    assert view(other, "green") == view(state, "green")
    assert view(other, "red")["charts"] == [{"entry": "J10+0", "exit": "A19+0"}]


def test_alliances_are_known_to_their_members_only() -> None:
    """No other player is told who is allied (ruling 32)."""
    assert view(world(allies=[("red", "green")]), "cyan") == view(world(), "cyan")
    assert [each["colour"] for each in view(world(allies=[("red", "green")]), "red")["players"] if each["ally"]] == [
        "green"
    ]


def test_sensors_are_read_at_the_end_of_each_section() -> None:
    """At pace "turn" the report tells what was seen after the economic and movement sections, and at the end."""
    state = world(ship("R101", SITE, "Terraformer"), ship("G101", "J11+5", "Terraformer"))

    played = play(state, green="MOVE G101 N N")

    assert [(each["after"], each["unknown"]) for each in played.told("sensed", "red")] == [("economic", ["J11+5"])]


def test_what_is_met_on_the_way_is_told() -> None:
    """A ship that moves next to others sees them after movement."""
    state = world(ship("R101", SITE), ship("G101", "J9+5", "Terraformer"))

    played = play(state, red="MOVE R101 N N")

    assert played.told("sensed", "red")[0] == {
        "after": "movement", "contacts": [], "unknown": ["J9+5"], "allied": []}  # fmt: skip


def test_moves_of_others_are_not_told() -> None:
    """The navigation log is each player's own."""
    played = play(world(ship("R101", SITE), ship("G101", "J9+5")), green="MOVE G101 N N", red="BUILD Scout AT J1+9")

    kinds = {event["kind"] for event in view(played.state, "green", played.events)["events"]}
    assert "moved" in kinds
    assert "built" not in kinds


@pytest.mark.parametrize("seat", ["red", "green", "cyan"])
def test_views_made_together_are_as_made_alone(seat: str) -> None:
    """Views of several seats are the same as those made one by one."""
    state = world(ship("R101", SITE), ship("G101", SITE), allies=[("red", "cyan")])

    assert dict(RULESET.views(state, state.seats, ()))[seat] == view(state, seat)


def test_the_purse_is_told_before_the_economic_section() -> None:
    """A view tells the points saved, and what income and maintenance will be."""
    shown = view(world(ship("R101", SITE), owners={"J10+0": "red"}, points=7), "red")

    assert (shown["points"], shown["income"], shown["upkeep"]) == (7, 8, 1)


def test_the_end_is_told_to_all() -> None:
    """When the game is over no player is asked for orders, and all are told who won and why."""
    played = play(world(seats=("red", "cyan")), cyan="RESIGN CONFIRM")

    shown = view(played.state, "cyan", played.events)

    assert (shown["over"], shown["awaited"], shown["label"]) == (True, False, "the end")
    assert shown["result"] == {"winners": ["red"], "reason": "the last player left"}
    assert reported(played.state) == {"red", "cyan"}


def test_who_is_out_gets_no_more_reports_till_the_end() -> None:
    """A player who leaves is told so, and then nothing until the game is over."""
    left = play(world(), red="RESIGN CONFIRM")

    assert reported(left.state) == {"red", "green", "cyan"}
    assert reported(play(left.state).state) == {"green", "cyan"}


def test_a_view_of_the_first_turn() -> None:
    """The first report asks for a whole turn."""
    shown = RULESET.view(RULESET.setup({}, ("red", "cyan"), Dice(b"x")), "red", ())

    assert (shown["label"], shown["section"], shown["awaited"], shown["round"]) == ("turn 1", "turn", True, 0)


def test_events_of_nobody_are_in_no_view() -> None:
    """Dice and orders of others leave no trace in a view: it is equal whatever they did far away."""
    state = world(ship("R101", "J3+7"), ship("G101", "A19-9"), ship("C101", "A19-9"))

    quiet, loud = play(state), play(state, green="TARGET Scout / FIRE G101 AT C101 / BUILD Scout AT S10+9")
    other = play(state, dice=DICE.within("other dice"))

    shown = [view(each.state, "red", each.events) for each in (quiet, loud, other)]
    assert shown[0] == shown[1] == shown[2]


def test_the_rounds_of_a_combat_are_told_together() -> None:
    """Place by place: a report tells one combat to its end before it goes on to the next."""
    fleets = [ship("R101", "C9"), ship("G101", "C9"), ship("R102", "J12"), ship("C101", "J12")]
    state = world(*fleets)

    played = play(state)

    shown = [event for event in view(played.state, "red", played.events)["events"] if event["kind"] == "combat"]
    order = [(event["space"], event["round"]) for event in shown]
    assert order == sorted(order)
    assert len({space for space, _ in order}) == 2
    assert len(order) > 2


def test_ships_that_are_seen_are_not_unknown_as_well() -> None:
    """Between two neighbouring fleets of the reader's, enemies in the space of one are seen, not marked."""
    sensed = _sensors(ship("R101", "J12"), ship("R102", "J13"), ship("G101", "J12"))

    assert [contact["space"] for contact in sensed["contacts"]] == ["J12+0"]
    assert sensed["unknown"] == []


@pytest.mark.parametrize("keys", [("R101", "R102"), ("R102", "R101")])
def test_the_best_sensor_of_a_fleet_counts(keys: tuple[str, str]) -> None:
    """A cruiser beside a scout takes nothing from what the scout detects."""
    scout, cruiser = keys

    assert _sensors(ship(scout, "J12", "Scout"), ship(cruiser, "J12"), ship("G101", "J14"))["unknown"] == ["J14+0"]
