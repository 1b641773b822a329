"""The beginning of a campaign, and its options (rulings 5, 7 and 26)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pbem.ruleset import Dice, SetupError, TurnInput
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.chart import standard_chart, write_chart
from pbem_rules.singularity_trap.state import Player
from tests.rules.singularity_trap import other_chart
from tests.rules.singularity_trap.builders import DICE, at, lines, play, view, world


def test_each_player_begins_with_his_home_and_five_points() -> None:
    """At the start everyone owns one planet and has 5 points; there are no ships."""
    state = RULESET.setup({}, ("cyan", "red"), DICE)

    assert {planet.owner: planet.space for planet in state.planets.values() if planet.owner} == {
        "red": at("J1+9"), "cyan": at("J19-9")}  # fmt: skip
    assert {player.points for player in state.players.values()} == {5}
    assert not state.ships


def test_homes_of_absent_colours_are_unowned() -> None:
    """Players may take any colours; the other homes begin without owner."""
    state = RULESET.setup({}, ("yellow", "blue"), DICE)

    assert state.planets[at("J1+9")].owner is None


def test_the_first_turn_has_income() -> None:
    """The first turn begins with 5 saved and 5 from home: 10 points to spend."""
    played = play(RULESET.setup({}, ("red", "cyan"), DICE), red="BUILD Cruiser AT J1+9")

    assert played.points("red") == 0
    assert played.told("built", "red")[0]["type"] == "Cruiser"


@pytest.mark.parametrize(
    ("seats", "told"),
    [
        (("red",), "2 to 6 of red, .* not by red"),
        (("red", "red"), "not by red, red"),
        (("red", "pink"), "not by red, pink"),
    ],
)
def test_a_table_that_cannot_be_seated_is_refused(seats: tuple[str, ...], told: str) -> None:
    """A campaign has two to six players of different colours."""
    with pytest.raises(SetupError, match=told):
        RULESET.setup({}, seats, DICE)


@pytest.mark.parametrize(("players", "largest"), [(2, 0), (3, 0), (4, 2), (5, 2), (6, 3)])
def test_faction_sizes_follow_the_number_of_players(players: int, largest: int) -> None:
    """A faction may have 2 members in a game of 4 or 5 and 2 or 3 in a game of 6; with fewer players there is none."""
    state = RULESET.setup({}, RULESET.seats.names[:players], DICE)

    assert state.house.largest_faction == largest


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"planets_to_win": 38}, "planets_to_win cannot be 38: the chart has 37 planets"),
        ({"largest_faction": "3"}, "a faction of 3 leaves no opponent in a game of 3"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], told: str) -> None:
    """A goal that no player can reach is refused."""
    with pytest.raises(SetupError, match=told):
        RULESET.setup(options, ("red", "green", "cyan"), DICE)


def test_a_war_without_alliances() -> None:
    """With alliances off no players can ally, and there are no factions: a pure war game."""
    state = world(seats=RULESET.seats.names, alliances=False)

    played = play(state, red="ALLY cyan YES", cyan="ALLY red YES")

    assert not played.state.allies
    assert state.house.largest_faction == 0


def test_options_are_shown_to_players() -> None:
    """The report states the goal and settings in force."""
    rules = view(world(planets_to_win=20, turns_to_hold=2, empire_planets=9), "red")["rules"]

    assert (rules["planets_to_win"], rules["turns_to_hold"], rules["empire_planets"]) == (20, 2, 9)


def test_another_chart_is_played() -> None:
    """A GM may give a campaign a chart of its own; ships cost what it says."""
    chart = write_chart(standard_chart())
    chart["types"][1]["units"]["drive"] = 1
    state = RULESET.setup({"chart": chart}, ("red", "cyan"), Dice(b"x"))

    played = play(state, red="BUILD Scout AT J1+9")

    assert played.points("red") == 5
    assert played.told("built", "red")[0]["cost"] == 5


@pytest.mark.parametrize("pace", ["turn", "section"])
def test_a_campaign_on_another_chart_comes_to_its_end(pace: str) -> None:
    """Another board, other ships and other colours are played by the same rules: bots find a winner there."""
    options = {"chart": other_chart.CHART, "pace": pace, "planets_to_win": 6}
    state = RULESET.setup(options, ("red", "green", "blue"), DICE)
    for step in range(200):
        if RULESET.standing(state).over:
            break
        orders = {}
        for seat, shown in RULESET.views(state, sorted(state.awaited), ()):
            parsed = RULESET.parse(shown, lines("\n".join(RULESET.bots["standard"](shown, DICE.within(step, seat)))))
            assert not parsed.errors
            orders[seat] = parsed.orders
        state, _ = RULESET.resolve(state, TurnInput(orders), DICE.within("turn", step))

    assert RULESET.standing(state).winners
    assert RULESET.load(RULESET.dump(state), RULESET.version) == state


def test_the_rules_read_the_chart() -> None:
    """Income, edges of the map, slip and prices are those of the chart in force."""
    state = RULESET.setup({"chart": other_chart.CHART, "planets_to_win": 6}, ("red", "green"), DICE)
    rich = dataclasses.replace(state, players={seat: Player(seat, 99) for seat in state.seats})

    played = play(rich, red="BUILD Superdreadnough AT D1+2 / BUILD 2 Mine AT D1+2 / MOVE NEW1 SLIP S 4 UP UP")

    assert played.told("income", "red") == [{"points": 1, "planets": 1, "saved": 99}]
    assert played.told("income", "green") == [{"points": 3, "planets": 1, "saved": 99}]
    assert played.points("red") == 99 + 1 - 35 - 2 * 2
    legs = played.told("moved", "red")[0]["legs"]
    assert [(leg["how"], leg["space"]) for leg in legs] == [("slip", "D5+2")]
    assert played.told("stopped", "red")[0]["why"] == "invalid"
