"""Pace "section": a sheet for each section, and each round of combat for those with a choice (ruling 24)."""

from __future__ import annotations

import dataclasses
from typing import Any

from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.resolve import STEPS
from pbem_rules.singularity_trap.state import Ship, State
from tests.rules.singularity_trap.builders import Played, codes, play, reported, ship, view, world

SITE = "J12+5"


def _at(section: str, *ships: Ship, **extra: Any) -> State:
    return dataclasses.replace(world(*ships, pace="section", **extra), section=section)


def _asked(played: Played) -> tuple[str, set[str]]:
    standing = RULESET.standing(played.state)
    return played.state.section, set(standing.awaiting)


EVERYONE = {"red", "green", "cyan"}


def test_the_sections_follow_each_other() -> None:
    """Economic, movement, combat, ecopolitical, and then the next turn."""
    state, seen = world(ship("R101", "J10"), pace="section"), []
    for _ in range(4):
        played = play(state)
        seen.append((played.state.turn, *_asked(played)))
        state = played.state

    assert seen == [(1, "movement", EVERYONE), (1, "ecopolitical", EVERYONE), (2, "economic", EVERYONE),
                    (2, "movement", EVERYONE)]  # fmt: skip


def test_the_steps_are_those_of_the_rulebook() -> None:
    """The resolver names its steps in the order of the rules."""
    names = [step.__name__ for section in STEPS.values() for step in section]

    assert [name for name in names if name != "sense"] == [
        "declare", "income", "scrap", "maintain", "repair", "hide", "build", "close", "move", "fight_round", "cease",
        "capture", "terraform", "ally", "begin_turn"]  # fmt: skip


def test_new_ships_are_known_by_their_ids() -> None:
    """After the economic section the new ships are in the report, and move in the same turn."""
    built = play(world(pace="section"), red="BUILD Cruiser AT J1+9")
    key = next(iter(built.state.ships))

    moved = play(built.state, red=f"MOVE {key} S-")

    assert moved.ship(key).moved
    assert moved.told("moved", "red")


def test_a_round_is_asked_of_those_with_a_choice() -> None:
    """A player with a shot and two targets or more is asked; one with a single target or none has no choice."""
    fleet = [ship("R101", SITE), ship("G101", SITE), ship("G102", SITE, "Terraformer"), ship("C101", "J3")]

    played = play(_at("movement", *fleet))

    assert _asked(played) == ("combat", {"red"})
    assert view(played.state, "red")["combats"] == [
        {"space": SITE, "round": 1, "own": ["R101"], "shots": 2,
         "enemies": [{"id": "G101", "owner": "green", "type": "Cruiser", "damage": 0},
                     {"id": "G102", "owner": "green", "type": "Terraformer", "damage": 0}]}
    ]  # fmt: skip
    assert view(played.state, "green")["combats"] == []


def test_all_are_told_of_the_movement_before_combat() -> None:
    """After movement all get their navigation logs, also those who are not asked to fire."""
    fleet = [ship("R101", SITE), ship("G101", SITE), ship("G102", SITE), ship("C101", "J3")]

    played = play(_at("movement", *fleet), cyan="MOVE C101 N")

    assert reported(played.state) == EVERYONE
    assert view(played.state, "cyan", played.events)["label"] == "turn 1, combat round 1"


def test_between_rounds_only_those_there_are_told() -> None:
    """The report of a round goes to those who were there as it began."""
    hulks = [ship("G101", SITE, "Basestar", weapons=0), ship("G102", SITE, "Basestar", weapons=0)]
    state = play(_at("movement", ship("R101", SITE), *hulks, ship("C101", "J3"))).state

    played = play(state, red="FIRE R101 AT G102")

    assert _asked(played)[0] == "combat"
    assert reported(played.state) == {"red", "green"}
    assert {shot["at"] for shot in played.told("combat")[0]["shots"] if shot["by"] == "R101"} == {"G102"}


def test_rounds_without_choice_are_fought_at_once() -> None:
    """If no player has a choice combat runs to its end, and the ecopolitical section follows."""
    played = play(_at("movement", ship("R101", SITE), ship("G101", SITE)))

    assert _asked(played) == ("ecopolitical", EVERYONE)
    assert played.told("combat")[0]["round"] == 1
    assert played.state.round == 0


def test_rounds_are_counted_from_one_in_every_turn() -> None:
    """A fight that needs several sheets counts on, and the next turn's starts again at one."""
    hulks = [ship("G101", SITE, "Basestar", weapons=0), ship("G102", SITE, "Basestar", weapons=0)]
    state = play(_at("movement", ship("R101", SITE), *hulks)).state
    labels = []
    while state.section == "combat":
        labels.append(view(state, "red")["label"])
        state = play(state).state

    assert labels[:2] == ["turn 1, combat round 1", "turn 1, combat round 2"]
    assert state.round == 0


def test_a_sheet_takes_only_orders_of_its_section() -> None:
    """An order of another section is an error that names both."""
    state = _at("movement", ship("R101", SITE))

    assert codes(state, "red", "BUILD Scout AT J1+9 / MOVE R101 N") == [(1, "error", "wrong-section")]


def test_resigning_is_possible_in_every_section() -> None:
    """A player may leave with any sheet."""
    played = play(_at("movement", ship("R101", SITE)), red="RESIGN CONFIRM")

    assert _asked(played)[1] == {"green", "cyan"}


def test_who_moved_does_not_terraform_later() -> None:
    """A ship that moved counts as moved in the ecopolitical section, and no more in the next turn."""
    state = _at("movement", ship("R101", "J10", "Terraformer"), owners={"J10+0": "red"})

    moved = play(state, red="MOVE R101 STAY")
    after = play(moved.state)

    assert view(moved.state, "red")["ships"][0]["moved"]
    assert after.colour("J10+0") == "gray"
    assert not after.ship("R101").moved


def test_who_sent_no_sheet_is_told() -> None:
    """A missing sheet is mentioned in its player's report alone."""
    played = play(world(pace="section"), missing=["red"])

    assert played.told("no-sheet", "red") == [{}]
    assert not played.told("no-sheet", "green")


def _round_two(*ships: Ship, **extra: Any) -> Played:
    """Return a fight of red's with a choice of targets, after its first round."""
    hulks = [ship("G101", SITE, "Basestar", weapons=0), ship("G102", SITE, "Basestar", weapons=0)]
    state = play(_at("movement", ship("R101", SITE), *hulks, *ships, **extra)).state
    return play(state)


def test_sensors_are_not_read_between_rounds() -> None:
    """Within a combat the report shows who is in the reader's spaces, and no marks nor allied fleets (ruling 39)."""
    watch = [ship("R102", "A10"), ship("G103", "A11"), ship("C101", "S10")]
    before = play(_at("movement", ship("R101", SITE), ship("G101", SITE), ship("G102", SITE), *watch,
                      allies=[("red", "cyan")]))  # fmt: skip

    between = _round_two(*watch, allies=[("red", "cyan")])

    assert view(before.state, "red")["sensors"]["unknown"] == ["A11+0"]
    assert view(before.state, "red")["sensors"]["allied"] == [{"owner": "cyan", "space": "S10+0"}]
    sensors = view(between.state, "red")["sensors"]
    assert [ship["id"] for ship in sensors["contacts"][0]["ships"]] == ["G101", "G102"]
    assert (sensors["unknown"], sensors["allied"]) == ([], [])


def test_a_departure_between_rounds_is_news_after_combat() -> None:
    """A player who leaves on the sheet of a round is told so at once; players elsewhere hear of it after combat."""
    state = play(_at("movement", *(ship(key, SITE) for key in ("R101", "R102", "G101", "Y101")),
                     seats=("red", "yellow", "green", "cyan", "blue"))).state  # fmt: skip
    gone = play(state, yellow="RESIGN CONFIRM", removed=["blue"])

    assert _asked(gone) == ("combat", {"green"})
    assert reported(gone.state) == {"red", "yellow", "green", "blue"}


def test_who_has_left_hears_nothing_of_a_combat() -> None:
    """A player out of the game is not told of a departure between rounds either."""
    fleet = [ship(key, SITE) for key in ("R101", "R102", "G101", "Y101")]
    state = play(_at("movement", *fleet, seats=("red", "yellow", "green", "cyan")), removed=["cyan"]).state

    assert "cyan" not in reported(play(state, yellow="RESIGN CONFIRM").state)
