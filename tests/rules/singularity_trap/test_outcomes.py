"""Outcomes of orders: as the view of the report has them, in a clause."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from pbem.ruleset import AsOrdered, InPart, NotDone, Order, View
from pbem.testing.play import games
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.orders import Build, Move
from pbem_rules.singularity_trap.state import State
from tests.rules.singularity_trap.builders import Played, dark, given, play, read, ship, view, world

SITE = "J12+5"
"""A space without a planet."""
HOME = "J1+9"
GATE = "J4+6"


def outcomes(state: State, sheet: str, *, green: str = "") -> list[str]:
    """Return the outcome of each order of red's sheet."""
    return told(play(state, red=sheet, green=green), read(state, "red", sheet))


def told(played: Played, orders: tuple[Order, ...]) -> list[str]:
    """Return the outcomes of red's orders when a turn was played, with their states unless they were carried out."""
    found = RULESET.order_outcomes(view(played.state, "red", played.events), orders)
    return [STATES[type(each)] + each for each in found]


STATES = {str: "", AsOrdered: "", NotDone: "NOT DONE: ", InPart: "IN PART: "}


FLEET = world(
    ship("R101", SITE),
    ship("R102", SITE, "Scout"),
    dark("R103", SITE),
    ship("R104", SITE, drive=1, armor=0),
    ship("R105", SITE, drive=0),
    ship("R106", SITE, slip=0),
    ship("R107", "J19+5", "Scout"),
    ship("R108", GATE),
    ship("R109", "J10+0", "Terraformer"),
    ship("R110", HOME, "Terraformer"),
    ship("G101", "J14+5", system=1),
    ship("G102", "A10+0", "Scout"),
    owners={"J10+0": "red"},
)
"""Red's ships of all sorts in three spaces, two of green's elsewhere."""


@pytest.mark.parametrize(
    ("sheet", "said"),
    [
        ("SCRAP R101", ["was scrapped at J12+5."]),
        ("SCRAP R101/R102", ["R101 and R102 were scrapped at J12+5."]),
        ("SCRAP R108", ["was scrapped at J4+6 (red-gate)."]),
        ("SCRAP R101 / REPAIR R101", ["was scrapped at J12+5.", "NOT DONE: had been scrapped."]),
        ("REPAIR R104", ["drive 2, armor 2, for 4 points."]),
        ("REPAIR R104 1", ["drive, for 1 point."]),
        ("REPAIR R101", ["NOT DONE: nothing of that is damaged on R101."]),
        (
            "REPAIR R104 1 / REPAIR R104 1 / REPAIR R104 drive",
            ["drive, for 1 point."] * 2 + ["NOT DONE: nothing of that is damaged on R104."],
        ),
        ("HIDE R101", ["went dark at J12+5."]),
        ("HIDE R101/R103", ["IN PART: R101 went dark at J12+5; R103 was dark already."]),
        ("REPAIR R104 / HIDE R104", ["drive 2, armor 2, for 4 points.", "NOT DONE: was repaired this turn."]),
        ("SCRAP R101 / HIDE R101", ["was scrapped at J12+5.", "NOT DONE: had been scrapped."]),
        ("MOVE R101 UP", ["at J12+6."]),
        ("MOVE R101/R102 UP", ["R101 and R102 at J12+6."]),
        ("MOVE R101/R102/R106 UP", ["all 3 at J12+6."]),
        ("MOVE R101 STAY", ["at J12+5."]),
        ("MOVE R107 S", ["IN PART: stopped at the edge of the map, at J19+5."]),
        ("MOVE R101 S S", ["stopped by a ship at J14+5"]),
        ("MOVE R103 UP", ["NOT DONE: was dark and stayed at J12+5."]),
        ("MOVE R105 UP", ["NOT DONE: had no drive unit left and stayed at J12+5."]),
        ("MOVE R104 UP UP", ["NOT DONE: had drive for 1 warp or jump, not 2, and stayed at J12+5."]),
        ("MOVE R106 SLIP N", ["NOT DONE: had no undamaged slip unit and stayed at J12+5."]),
        ("MOVE R101/R105 UP", ["IN PART: R101 at J12+6; R105 had no drive unit left and stayed at J12+5."]),
        ("MOVE R101 UP / MOVE R101 DOWN", ["NOT DONE: followed a later order.", "at J12+4."]),
        ("SCRAP R101 / MOVE R101 UP", ["was scrapped at J12+5.", "NOT DONE: had been scrapped."]),
        ("MOVE NEW1 UP", ["NOT DONE: was not built."]),
        ("FIRE R101 AT G101", ["NOT DONE: was in no combat."]),
        ("FIRE R101/R102 AT G101", ["NOT DONE: R101 and R102 were in no combat."]),
        ("FIRE R101 AT G101 / FIRE R101 AT G102", ["NOT DONE: a later order counted.", "NOT DONE: was in no combat."]),
        ("TARGET Scout", ["no ship of yours fired by it."]),
        ("TARGET Scout / TARGET Cruiser", ["NOT DONE: a later order counted.", "no ship of yours fired by it."]),
        ("TERRAFORM R109", ["centre (J10+0) went from gray to yellow."]),
        ("TERRAFORM R109 TO magenta", ["centre (J10+0) went from gray to magenta."]),
        (
            "TERRAFORM R109 TO cyan",
            ["IN PART: centre (J10+0) went from gray to yellow; from gray the next step is yellow or magenta."],
        ),
        ("TERRAFORM R110", ["NOT DONE: the planet of R110 has your colour already."]),
        ("TERRAFORM R101", ["NOT DONE: R101 is not at a planet of yours."]),
        ("TERRAFORM R109 NO", ["centre stays gray."]),
        ("TERRAFORM R101 NO", ["NOT DONE: it was not at a planet of yours."]),
        ("TERRAFORM R109 / TERRAFORM R109 NO", ["NOT DONE: a later order counted.", "centre stays gray."]),
        ("SCRAP R109 / TERRAFORM R109", ["was scrapped at J10+0 (centre).", "NOT DONE: had been scrapped."]),
        ("SCRAP R109 / TERRAFORM R109 NO", ["was scrapped at J10+0 (centre).", "NOT DONE: had been scrapped."]),
        ("ALLY green YES", ["green has not said yes so far."]),
        ("ALLY green NO", ["you and green are not allies."]),
        ("ALLY green YES / ALLY green NO", ["NOT DONE: a later order counted.", "you and green are not allies."]),
        ("DECLARE FACTION WITH green", ["NOT DONE: there are no factions in this campaign."]),
        ("RESIGN CONFIRM", ["you are out of the war, and 10 ships of yours scrapped."]),
        ("MOVE R101 UP / RESIGN CONFIRM", ["NOT DONE: you had left the war.", "you are out of the war, and 10"]),
    ],
)
def test_each_order_is_told_of(sheet: str, said: list[str]) -> None:
    """Outcomes tell where a ship is, what was repaired, built or changed, and why an order came to nothing."""
    lines = outcomes(FLEET, sheet)

    assert [line[: len(start)] for line, start in zip(lines, said, strict=True)] == said


@pytest.mark.parametrize(
    ("sheet", "plain"),
    [
        ("MOVE R101 UP UP", True),
        ("MOVE R101 S S", True),
        ("MOVE R101 S S S", False),
        ("MOVE R107 S", False),
        ("MOVE R101/R105 UP", False),
        ("REPAIR R104", True),
        ("SCRAP R101", False),
        ("TERRAFORM R109", True),
        ("TERRAFORM R109 TO cyan", False),
        ("TARGET Scout", True),
        ("ALLY green YES", False),
    ],
)
def test_what_came_as_it_was_ordered_is_marked(sheet: str, plain: bool) -> None:
    """A report on many orders need not tell one that came true as written, also where others were met at its end."""
    (said,) = RULESET.order_outcomes(*_played(FLEET, sheet))

    assert isinstance(said, AsOrdered) == plain


def _played(state: State, sheet: str) -> tuple[View, tuple[Order, ...]]:
    after = play(state, red=sheet)
    return view(after.state, "red", after.events), read(state, "red", sheet)


def test_ships_built_are_told_by_the_lines_that_name_them() -> None:
    """Each line tells its own ships, of lines alike too, and a move of NEW2 tells which ship that was."""
    sheet = "BUILD Cruiser AT J1+9 / BUILD 2 Cruiser AT J1+9 / BUILD Scout AT J1+9 / MOVE NEW2 UP"
    state = world(points=25)
    played = play(state, red=sheet)
    first, second, third = (event["ship"] for event in played.told("built"))

    assert told(played, read(state, "red", sheet)) == [
        f"{first} built.",
        f"{second} and {third} built.",
        "NOT DONE: a Scout costs 6 points, with 0 left.",
        f"IN PART: {second} stopped at the edge of the map, at J1+9.",
    ]


def test_ships_built_for_a_section_have_no_other_names() -> None:
    """At pace "section" no order can say NEW1; a ship that was not built has its reason."""
    state = world(points=5, pace="section")
    played = play(state, red="BUILD 2 Scout AT J1+9")
    (ship_,) = (event["ship"] for event in played.told("built"))

    assert told(played, read(state, "red", "BUILD 2 Scout AT J1+9")) == [
        f"IN PART: {ship_} built, and no more: a Scout costs 6 points, with 4 left."
    ]


def test_the_points_run_out_in_the_midst_of_repairs() -> None:
    """Units repaired for the last points are told, and that no more were; of two lines alike the second got nothing."""
    state = world(ship("R101", SITE, drive=1, armor=0), owners={HOME: None}, points=3)

    assert outcomes(state, "REPAIR R101 / REPAIR R101") == [
        "IN PART: drive 2, for 2 points; the points ran out after 2 of 4 repairs.",
        "NOT DONE: the points ran out after 0 of 2 repairs.",
    ]


def test_ships_given_up_for_want_of_upkeep_are_told_so() -> None:
    """A ship that could not be paid was not there for its orders."""
    state = world(ship("R101", SITE), owners={HOME: None}, points=0)

    assert outcomes(state, "MOVE R101 UP / HIDE R101") == ["NOT DONE: had been scrapped, for want of upkeep."] * 2


def test_a_move_tells_of_the_fight_at_its_end() -> None:
    """A scout moves to a basestar, and is destroyed; one that was met where it stood could not move away."""
    doomed = world(ship("R101", SITE, "Scout", weapons=0, drive=1), ship("G101", "J12+6", "Basestar"))
    pinned = world(ship("R101", SITE, armor=0), ship("G101", SITE, "Terraformer"))

    assert outcomes(doomed, "MOVE R101 UP") == ["stopped by a ship at J12+6, and was destroyed there."]
    assert outcomes(pinned, "MOVE R101 UP") == ["NOT DONE: was in an encounter and stayed at J12+5."]


def test_a_move_tells_of_the_planet_taken() -> None:
    """If weapons take a planet, that is told."""
    assert outcomes(world(ship("R101", "J4+5")), "MOVE R101 UP") == ["at J4+6, taken."]


FIGHT = world(
    ship("R101", SITE, "Basestar"),
    ship("R102", SITE),
    ship("G101", SITE, "Terraformer"),
    ship("G102", SITE, "Scout", weapons=0),
)
"""Red's fire, all of which hits: no ship there can fire back."""


@pytest.mark.parametrize(
    ("sheet", "said"),
    [
        ("FIRE R101/R102 AT G101", ["7 hits in 7 shots at G101, and it vanished; 7 hits in 7 shots at others."]),
        ("FIRE R101 AT G101 G102", [" at G101, and it vanished; ", " at G102, and it vanished."]),
        ("FIRE R102 AT G199", ["4 hits in 4 shots at others."]),
        ("TARGET Terraformer", ["14 hits in 14 shots, 5 of them at these types."]),
    ],
)
def test_fire_is_told_by_hits(sheet: str, said: list[str]) -> None:
    """Shots at each target are told with their hits, and lost targets; else how many shots went elsewhere."""
    (line,) = outcomes(FIGHT, sheet)

    assert [part for part in said if part not in line] == []


def test_a_ship_without_shots_fired_none() -> None:
    """A ship that was there and has no weapon left fired no shot; what became of it is its MOVE's to tell."""
    state = world(ship("R101", SITE, weapons=0), ship("R102", SITE), ship("G101", SITE, "Terraformer"))

    assert outcomes(state, "FIRE R101 AT G101") == ["NOT DONE: fired no shot."]


def test_the_loss_of_a_shooter_is_told() -> None:
    """A scout that fires at a basestar is destroyed in one of the rounds, and its FIRE says so."""
    (line,) = outcomes(world(ship("R101", SITE, "Scout"), ship("G101", SITE, "Basestar")), "FIRE R101 AT G101")

    assert re.fullmatch(r"(no|[0-9]+) hits? in [0-9]+ shots? at G101; R101 was destroyed\.", line, re.IGNORECASE)


def test_a_terraformer_lost_or_told_not_to_work() -> None:
    """One destroyed before it could work; and one kept from it, whose planet another of red's changed."""
    lost = world(ship("R101", "J10", "Terraformer"), ship("G101", "J10", "Basestar"), owners={"J10+0": "red"})
    two = world(ship("R101", "J10", "Terraformer"), ship("R102", "J10", "Terraformer"), owners={"J10+0": "red"})

    assert outcomes(lost, "TERRAFORM R101 TO yellow") == ["NOT DONE: was destroyed before."]
    assert outcomes(two, "TERRAFORM R101 NO") == ["centre (J10+0) went from gray to yellow, by another ship."]


@pytest.mark.parametrize(
    ("allies", "red", "green", "said"),
    [
        ((), "YES", "ALLY red YES", "you and green are allies now."),
        ([("red", "green")], "YES", "", "you and green are still allies."),
        ([("red", "green")], "YES", "ALLY red NO", "you and green are no longer allies."),
        ([("red", "green")], "NO", "", "you and green are no longer allies."),
        ((), "YES", "RESIGN CONFIRM", "NOT DONE: green has left the war."),
    ],
)
def test_alliances_are_told_as_they_stand(allies: Any, red: str, green: str, said: str) -> None:
    """Allies now, still, no longer, or never again."""
    assert outcomes(world(allies=allies), f"ALLY green {red}", green=green) == [said]


BOUND = (("red", "green"), ("red", "cyan"))
APART = "its members are not all allied with each other"
SIX = ("red", "yellow", "green", "cyan", "blue", "magenta")


def bound(count: int = 25, **options: Any) -> State:
    """Return a world of six players; red holds so many planets, and is allied with green and cyan alone."""
    return given(world(seats=SIX, allies=BOUND, **options), count, "red")


@pytest.mark.parametrize(
    ("state", "sheet", "said"),
    [
        (bound(), "DECLARE FACTION WITH green", ["it stands, at 2 of 3 turn starts."]),
        (bound(), "DECLARE EMPIRE WITH green cyan", ["it stands, at 2 of 3 turn starts."]),
        (bound(), "DECLARE FACTION WITH green cyan", [f"NOT DONE: {APART}."]),
        (bound(3), "DECLARE FACTION WITH green", ["NOT DONE: it holds 4 planets and needs 25."]),
        (bound(turns_to_hold=1), "DECLARE FACTION WITH green", ["it has won the war."]),
        (
            bound(),
            "DECLARE FACTION WITH green / DECLARE FACTION WITH green",
            ["it stands, at 2 of 3 turn starts.", "NOT DONE: it stands already."],
        ),
        (
            bound(),
            "DECLARE FACTION WITH green / ALLY green NO",
            [
                f"it was declared, and dissolved at the next start of turn: {APART}.",
                "you and green are no longer allies.",
            ],
        ),
    ],
)
def test_declarations_are_told_as_they_stand(state: State, sheet: str, said: list[str]) -> None:
    """A declaration is told with the reason against it, or with its turn starts so far, or with its end."""
    assert outcomes(state, sheet) == said


def test_orders_of_a_war_that_was_over_came_to_nothing() -> None:
    """The last player left wins before orders are carried out; so does a faction before all but declarations."""
    alone = world(ship("R101", SITE), seats=("red", "green"))
    state = bound(turns_to_hold=1)

    assert outcomes(alone, "MOVE R101 UP", green="RESIGN CONFIRM") == ["NOT DONE: the war was over."]
    assert outcomes(alone, "DECLARE FACTION WITH green", green="RESIGN CONFIRM") == ["NOT DONE: the war was over."]
    assert outcomes(state, "ALLY blue YES", green="DECLARE FACTION WITH red") == ["NOT DONE: the war was over."]


def test_orders_of_a_turn_that_ended_the_war_are_told_of() -> None:
    """A player who has held enough for long enough wins when all is done, and hears of their orders as ever."""
    state = given(world(ship("R101", SITE), turns_to_hold=1), 25, "red")

    assert outcomes(state, "MOVE R101 UP") == ["at J12+6."]


def test_many_ships_are_told_in_a_line() -> None:
    """The fates of ten ships in ten spaces are more than a line holds; ten alike are told together."""
    apart = [ship(f"R{number}", f"J{number - 98}", drive=0) for number in range(100, 118)]
    alike = [ship(f"R{number}", SITE) for number in range(100, 110)]
    names = "/".join(each.id for each in apart)

    (line,) = outcomes(world(*apart), f"MOVE {names} UP")
    assert len(line.removeprefix("NOT DONE: ")) <= 200
    assert line.endswith(" …")
    assert outcomes(world(*alike), f"MOVE {names.replace('R110', 'R100')[:49]} UP") == ["all 10 at J12+6."]


def test_who_was_removed_hears_that_nothing_was_done() -> None:
    """The GM's removal goes before all orders."""
    state = world(ship("R101", SITE))
    played = play(state, removed=["red"], red="MOVE R101 UP")

    assert told(played, read(state, "red", "MOVE R101 UP")) == ["NOT DONE: you had left the war."]


def _told_in_games() -> Iterator[tuple[View, Order, str]]:
    """Yield all orders of the games of bots, with the views of the reports on them."""
    for game in games(RULESET):
        for step, following in pairwise(game.steps):
            for seat, orders in step.turn.orders.items():
                shown = following.views[seat]
                for order, said in zip(orders, RULESET.order_outcomes(shown, orders), strict=True):
                    yield shown, order, said


def test_something_is_told_of_every_order() -> None:
    """In games of bots no order is passed over."""
    assert [order for _, order, said in _told_in_games() if not said] == []


_COURSE = re.compile(r"(?:([RYG][0-9]+) )?(?:.*?(?:stayed|stopped|of the map,) )?at ([A-S][0-9]+[+-][0-9]+)")


def test_moves_end_where_the_view_has_the_ship() -> None:
    """The place told of a ship is where it is; one that is dark or gone is said to be, and no other."""
    wrong, seen = [], 0
    for shown, order, said in _told_in_games():
        ships = {each["id"]: each for each in shown["ships"]}
        if isinstance(order, Move) and len(order.ships) == 1 and (course := _COURSE.match(said)):
            own = ships.get(course[1] or order.ships[0])
            seen += 1
            as_told = (own["space"] == course[2]) if own else "destroyed" in said
            dark_told = own is None or own["dark"] == ("dark" in said)
            wrong += [] if as_told and dark_told else [said]

    assert wrong == []
    assert seen > 100


def test_ships_said_to_be_built_were_built() -> None:
    """The ids told of a BUILD are those of ships of its type, at its place, as the view's events have them."""
    for shown, order, said in _told_in_games():
        if isinstance(order, Build) and type(said) is not NotDone:
            built = {each["ship"] for each in shown["events"] if each["kind"] == "built" and each["type"] == order.type}
            assert set(re.findall(r"[A-Z][0-9]{3}", said)) <= built


def test_each_section_tells_of_its_own_orders() -> None:
    """The report between movement and the first round tells of the move, that on the round of its fire."""
    fleet = (ship("R101", "J12+4"), ship("G101", SITE, "Terraformer"), ship("G102", SITE, "Terraformer"))
    state = dataclasses.replace(world(*fleet, pace="section"), section="movement")
    moved = play(state, red="MOVE R101 UP")
    fired = play(moved.state, red="FIRE R101 AT G102")
    shots = [shot["at"] for fight in fired.told("combat") for shot in fight["shots"]]

    assert moved.state.section == "combat"
    assert told(moved, read(state, "red", "MOVE R101 UP")) == ["stopped by a ship at J12+5."]
    (said,) = told(fired, read(moved.state, "red", "FIRE R101 AT G102"))
    assert said.startswith(f"{shots.count('G102')} hits in {shots.count('G102')} shots at G102")


def test_what_is_hidden_changes_nothing() -> None:
    """Green's far fleet and points are green's: red hears the same of its orders without."""
    plain = world(ship("R101", SITE), ship("G101", SITE))
    rich = world(ship("R101", SITE), ship("G101", SITE), ship("G777", "D13-4"))
    rich = dataclasses.replace(
        rich, players={**rich.players, "green": dataclasses.replace(rich.players["green"], points=1)}
    )
    sheet = "MOVE R101 UP / FIRE R101 AT G101 / ALLY green YES"

    assert outcomes(plain, sheet) == outcomes(rich, sheet)
