"""Memory of seats: ships out of sight, as they were seen last, and earlier spaces of own ships."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pbem.ruleset import View, canonical_json
from pbem.testing.play import play as played
from pbem.testing.play import standard
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.memory import KEPT_TURNS, MOST
from pbem_rules.singularity_trap.state import Ship, State
from tests.rules.singularity_trap.builders import dark, play, ship, view, world
from tests.rules.singularity_trap.sample_view import SENSORS, sample_view

LARGEST = 8_000
"""Bytes of JSON that a memory may have."""

MET = ship("R101", "J10"), ship("G101", "J10", weapons=1)
SEEN = {"id": "G101", "owner": "green", "type": "Cruiser", "damage": 1}


def after(*views: View) -> dict[str, Any]:
    """Return the memory after some reports."""
    memory: Any = {}
    for each in views:
        memory = RULESET.carry_memory(each, memory)
    return dict(memory)


def at(state: State, number: int) -> View:
    """Return red's view at the start of a turn."""
    return view(dataclasses.replace(state, turn=number), "red")


def known(*ships: Ship, number: int = 2, **options: Any) -> list[dict[str, Any]]:
    """Return the ships that red, who met a cruiser at J10 on turn 1, knows of out of sight in a later world."""
    found: list[dict[str, Any]] = after(at(world(*MET), 1), at(world(*ships, **options), number))["last_known"]
    return found


def test_a_ship_out_of_sight_is_known_as_it_was_seen() -> None:
    """It is known with its space, its facts, and the turn at whose beginning it was seen."""
    assert known(ship("R101", "J16"), ship("G101", "A19")) == [{"space": "J10+0", "turn": 1, "when": "", **SEEN}]


def test_what_is_in_sight_is_not_last_known() -> None:
    """A ship seen now is not listed as out of sight."""
    assert known(*MET) == []


GONE = {
    "an own ship is there": [ship("R101", "J10")],
    "an own ship stands beside": [ship("R101", "J11+1")],
    "a sensor reaches two spaces": [ship("R101", "J12", "Scout")],
    "it is seen elsewhere": [ship("R101", "M10"), ship("G101", "M10")],
}
OPEN = {
    "no ship is left to look": [],
    "dark ships see nothing": [dark("R101", "J10")],
    "without a sensor one space is seen": [ship("R101", "J12")],
    "a damaged sensor does not count": [ship("R101", "J12", "Scout", sensor=0)],
    "unknown ships are there": [ship("R101", "J11"), ship("G101", "J10")],
}


@pytest.mark.parametrize("why", GONE)
def test_what_is_seen_to_have_left_is_forgotten(why: str) -> None:
    """A sighting is dropped when sensors cover its space and show nothing there."""
    assert known(*GONE[why]) == []


@pytest.mark.parametrize("why", OPEN)
def test_what_may_still_be_there_is_kept(why: str) -> None:
    """A sighting is kept while no sensor shows that the ship has gone."""
    assert [each["id"] for each in known(*OPEN[why]) if "id" in each] == ["G101"]


def test_what_is_old_is_forgotten() -> None:
    """After some turns a ship may be anywhere."""
    assert known(number=1 + KEPT_TURNS)
    assert known(number=2 + KEPT_TURNS) == []


def test_ships_of_who_left_the_war_are_forgotten() -> None:
    """Ships of a player who has left are scrapped, so that they are not known any more."""
    shown = at(world(), 2)
    players = [player | {"playing": player["colour"] != "green"} for player in shown["players"]]

    assert after(at(world(*MET), 1), {**shown, "players": players})["last_known"] == []


def test_when_the_war_is_over_nothing_is_open() -> None:
    """The last report lists nothing out of sight."""
    assert after(at(world(*MET), 1), {**at(world(), 2), "over": True})["last_known"] == []


def test_unknown_ships_are_remembered_by_their_space() -> None:
    """A mark that no sensor reaches any more is all that is known."""
    first = at(world(ship("R101", "J11"), ship("G101", "J10")), 1)

    assert after(first, at(world(), 2))["last_known"] == [{"space": "J10+0", "turn": 1, "when": ""}]


def test_fleets_of_a_former_ally_are_remembered() -> None:
    """While the alliance holds they are shown wherever they are; when it ends their last spaces are known."""
    allied = [
        at(world(ship("G101", space), allies=[("red", "green")]), turn) for turn, space in ((1, "A19"), (2, "B19"))
    ]

    assert after(*allied)["last_known"] == []
    assert after(*allied, at(world(), 3))["last_known"] == [{"space": "B19+0", "turn": 2, "when": "", "owner": "green"}]


def test_ships_that_an_ally_has_elsewhere_are_forgotten() -> None:
    """Allies' fleets are always shown, so that a ship of theirs cannot be where none is."""
    assert known(ship("G101", "A19"), allies=[("red", "green")]) == []


def test_between_rounds_of_combat_nothing_is_seen_to_be_gone() -> None:
    """Sensors are not read then, so that a space beside an own ship is not seen to be empty (ruling 39)."""
    near = {**at(world(ship("R101", "J11")), 1), "section": "combat", "round": 2}

    assert len(after(at(world(*MET), 1), near)["last_known"]) == 1
    assert after(at(world(*MET), 1), {**near, "round": 1})["last_known"] == []


def test_who_destroyed_the_last_ship_there_is_known_by_the_round() -> None:
    """A fight is seen until the own ship is lost; the victor is known as the last round showed them."""
    turn = play(world(ship("R101", "J10", drive=0, armor=0, weapons=1, multifire=0), ship("G101", "J10", "Basestar")))
    last = turn.told("combat", "red")[-1]["round"]
    (found,) = after(view(turn.state, "red", turn.events))["last_known"]

    assert (found["id"], found["space"], found["turn"]) == ("G101", "J10+0", 1)
    assert found["when"] == f"combat round {last}"


def test_who_vanished_in_combat_is_forgotten() -> None:
    """Only its owner knows whether such a ship was destroyed or is dark."""
    assert "Y655" not in {each.get("id") for each in after(sample_view())["last_known"]}


def test_where_ships_that_moved_stood_is_remembered() -> None:
    """Of a ship given a move the space in the report before, of others nothing; and where all stand, for the next."""
    state = world(ship("R101", "J10"), ship("R102", "J10"))
    turn = play(state, red="MOVE R101 N N")
    memory = after(view(state, "red"), view(turn.state, "red", turn.events))

    assert memory["stood"] == {"R101": "J10+0"}
    assert memory["stand"] == {"R101": "J8+0", "R102": "J10+0"}


def test_scores_are_planets_by_turn() -> None:
    """A turn of several reports has one score."""
    more = at(world(owners={"J10": "red"}), 2)

    assert after(at(world(), 1), at(world(), 2), more)["scores"]["turns"] == [[1, 1], [2, 2]]


def test_a_campaign_that_began_before_is_remembered_from_now_on() -> None:
    """With nothing to go on from, only what this report shows is known."""
    memory = after(at(world(*MET), 9))

    assert memory["last_known"] == []
    assert [each["id"] for each in memory["shown"]] == ["G101"]


def test_the_memory_of_a_large_game_is_small() -> None:
    """With a hundred own ships on the move, and more of others than are kept, in sight or out of it."""
    shown = sample_view()
    ships = [shown["ships"][0] | {"id": f"R{number}"} for number in range(100, 200)]
    moves = [{"kind": "moved", "ship": each["id"], "legs": [], "end": "J4+6"} for each in ships[:50]]
    seen = [{"id": f"G{number}", "owner": "green", "type": "Terraformer", "damage": 10} for number in range(100, 180)]
    crowd = shown | {
        "ships": ships,
        "events": moves,
        "sensors": SENSORS | {"contacts": [{"space": "A10+0", "ships": seen}]},
    }
    last = {"scores": {"turns": [[number, 37] for number in range(300, 500)]}}

    first = RULESET.carry_memory(crowd | {"turn": 500}, last)
    then = RULESET.carry_memory(crowd | {"turn": 501, "sensors": SENSORS}, first)
    assert len(first["shown"]) == len(then["last_known"]) + len(then["shown"]) == MOST
    assert max(len(canonical_json(each)) for each in (first, then)) < LARGEST


def _facts(shown: View) -> Iterator[tuple[Any, ...]]:
    """Yield all that a view without its memory tells of others' ships."""
    for sensed in (shown["sensors"], *(event for event in shown["events"] if event["kind"] == "sensed")):
        yield from (("", space) for space in sensed["unknown"])
        yield from ((fleet["owner"], fleet["space"]) for fleet in sensed["allied"])
        for contact in sensed["contacts"]:
            yield from _named(contact["space"], contact["ships"])
    for event in shown["events"]:
        if event["kind"] == "combat":
            yield from _named(event["space"], [each for each in event["ships"] if each["owner"] != shown["seat"]])


def _named(space: str, ships: Sequence[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    return ((each["owner"], space, each["id"], each["type"], each["damage"]) for each in ships)


def _remembered(sighting: dict[str, Any]) -> tuple[Any, ...]:
    named = (sighting["id"], sighting["type"], sighting["damage"]) if "id" in sighting else ()
    return (sighting.get("owner", ""), sighting["space"], *named)


@pytest.mark.parametrize(("pace", "steps"), [("turn", 16), ("section", 40)])
def test_nothing_is_remembered_that_no_view_told(pace: str, steps: int) -> None:
    """Over a campaign, all that a seat remembers was in a view of its own, not later, and is not shown now."""
    remembered = 0
    told: dict[str, set[tuple[Any, ...]]] = {}
    for shown in played(RULESET, standard, steps, options={"pace": pace}).views():
        facts = told.setdefault(shown["seat"], set())
        facts.update(_facts(shown))
        memory = shown["memory"]
        remembered += len(memory["last_known"])
        assert {_remembered(each) for each in (*memory["last_known"], *memory["shown"])} <= facts
        assert all(0 <= shown["turn"] - each["turn"] <= KEPT_TURNS for each in memory["last_known"])
        assert not {_remembered(each) for each in memory["last_known"]} & {
            _remembered(each) for each in memory["shown"]
        }

    assert remembered
