"""The chart (rulings 3 to 6) and charts that a GM gives (ruling 26)."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from pbem.ruleset import SetupError
from pbem_rules.common.hexes import DIRECTIONS
from pbem_rules.singularity_trap.chart import COLOURS, GRAY, closer, read_chart, standard_chart, write_chart
from tests.rules.singularity_trap.builders import at

CHART = standard_chart()


def _by_ruling() -> dict[str, tuple[tuple[int, int, int], str]]:
    """Return ruling 3, computed: name to space and colour."""
    ways = list(DIRECTIONS.values())
    found = {"centre": ((0, 0, 0), GRAY)}
    for sector, colour in enumerate(COLOURS):
        here, after, before = ways[sector], ways[(sector + 1) % 6], ways[sector - 1]
        sign = 1 if sector % 2 == 0 else -1
        for name, a, other, b, level, offset in (
            ("home", 9, after, 0, 9, 0),
            ("gate", 6, after, 0, 6, 3),
            ("left", 6, after, 3, 6, 1),
            ("right", 6, before, 3, 6, 0),
            ("rim", 3, after, 3, 0, 3),
            ("inner", 3, after, 0, 3, 0),
        ):
            space = here[0] * a + other[0] * b, here[1] * a + other[1] * b, level * sign
            found[f"{colour}-{name}"] = space, COLOURS[(sector + offset) % 6]
    return found


def test_the_planets_stand_as_ruled() -> None:
    """Home, gate, left, right, rim and inner planets of six sectors, and the gray centre: 37."""
    assert {site.name: (site.space, site.colour) for site in CHART.sites} == _by_ruling()
    assert len(CHART.sites) == 37


def test_every_colour_stands_on_six_planets() -> None:
    """No colour is rarer than another at the start; one planet is gray."""
    assert Counter(site.colour for site in CHART.sites) == {**dict.fromkeys(COLOURS, 6), GRAY: 1}


def test_each_player_has_the_home_of_his_colour() -> None:
    """Six homes, each of its owner's colour."""
    assert [site.home for site in CHART.sites if site.home] == list(COLOURS)
    assert all(site.colour == site.home for site in CHART.sites if site.home)


@pytest.mark.parametrize(
    ("name", "units", "cost"),
    [
        ("Terraformer", {"drive": 2, "jump": 1, "terraform": 1, "system": 1}, 5),
        ("Scout", {"drive": 2, "weapons": 1, "sensor": 1, "jump": 1, "system": 1}, 6),
        ("Cruiser", {"drive": 3, "weapons": 2, "armor": 2, "slip": 1, "multifire": 1, "system": 1}, 10),
        ("Basestar", {"drive": 1, "weapons": 5, "armor": 5, "sensor": 1, "slip": 1, "multifire": 1, "system": 1}, 15),
    ],
)
def test_the_ship_table(name: str, units: dict[str, int], cost: int) -> None:
    """A ship costs one point a unit."""
    kind = next(kind for kind in write_chart(CHART)["types"] if kind["name"] == name)

    assert kind["units"] == units
    assert CHART.type_by_name[name].cost == sum(units.values()) == cost


@pytest.mark.parametrize(
    ("colour", "points"), [("red", 5), ("yellow", 4), ("magenta", 4), (GRAY, 3), ("green", 2), ("blue", 2), ("cyan", 1)]
)
def test_a_planet_pays_by_its_distance_on_the_wheel(colour: str, points: int) -> None:
    """Own colour 5, the two beside it 4, gray 3, the two half across 2, the far one 1 (here for red)."""
    assert CHART.worth_to("red", colour) == points


@pytest.mark.parametrize(
    ("colour", "steps"),
    [("cyan", ("green", "blue")), ("green", (GRAY,)), ("blue", (GRAY,)), (GRAY, ("yellow", "magenta")),
     ("yellow", ("red",)), ("magenta", ("red",)), ("red", ())],
)  # fmt: skip
def test_terraforming_goes_through_gray(colour: str, steps: tuple[str, ...]) -> None:
    """One step nearer to red: with a choice of two from the far side and from gray, the clockwise one first."""
    assert closer("red", colour) == steps


def test_a_chart_is_read_as_it_is_written() -> None:
    """A GM can start from the written form of the standard chart."""
    assert read_chart(write_chart(CHART)) == CHART


def _without(key: str) -> Callable[[Any], None]:
    return lambda data: data.pop(key)


def _set(*path: Any, to: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_without("planets"), "chart: 'planets' is missing"),
        (_set("size", to=3), "chart: 'size' is not known; expected name, radius"),
        (_set("radius", to=13), "chart.radius: expected a whole number from 1 to 12, got 13"),
        (_set("radius", to=True), "chart.radius: expected a whole number"),
        (_set("levels", to=3), r"chart: planets\[0\].space: 'J1\+9' is not a space of a board of radius 9"),
        (_set("worth", to=[1, 2]), "chart.worth: expected a list of 4 entries"),
        (_set("worth", 0, to="5"), r"chart: worth\[0\]: expected a whole number from 0 to 99, got '5'"),
        (_set("types", 1, "name", to="Terraformer"), "chart: types: the name 'terraformer' occurs twice"),
        (_set("types", 1, "letter", to="T"), "chart: types: the letter 'T' occurs twice"),
        (_set("types", 1, "name", to="Red"), "chart: types: 'red' is the name of a player"),
        (_set("types", 1, "units", "system", to=2), r"types\[1\].units: every ship has exactly 1 system, not 2"),
        (_set("types", 0, "units", "drive", to=0), r"types\[0\].units: a ship with neither drive nor weapons"),
        (_set("types", 0, "units", "lasers", to=1), r"types\[0\].units: 'lasers' is not known"),
        (_set("types", 0, to="Scout"), r"types\[0\]: expected an object with name, letter"),
        (_set("planets", 1, "space", to="J1+9"), r"chart: planets: the space 'J1\+9' occurs twice"),
        (_set("planets", 1, "home", to="red"), "chart: planets: the home 'red' occurs twice"),
        (_set("planets", 0, "home", to=None), "chart: planets: no planet is the home of red"),
        (_set("planets", 0, "home", to="pink"), r"planets\[0\].home: 'pink' is no player; expected one of red"),
        (_set("planets", 0, "colour", to="pink"), r"planets\[0\].colour: 'pink' is no colour; expected one of red"),
        (_set("planets", 0, "name", to="Home!"), r"planets\[0\].name: expected text of the form"),
        (_set("planets", 0, "name", to="j4"), "chart: planets: the name 'j4' reads as a space"),
    ],
)
def test_a_faulty_chart_is_refused_by_name(change: Callable[[Any], None], told: str) -> None:
    """A GM is told the place and what was expected."""
    data = copy.deepcopy(write_chart(CHART))
    change(data)

    with pytest.raises(SetupError, match=told):
        read_chart(data)


@pytest.mark.parametrize("data", [None, [], "chart", 5, {"planets": {}}])
def test_what_is_no_chart_is_refused(data: Any) -> None:
    """Any JSON at all is read or refused, never a failure."""
    with pytest.raises(SetupError, match="chart"):
        read_chart(data)


def test_the_centre_is_gray_and_in_the_middle() -> None:
    """The centre planet is at J10+0."""
    assert CHART.site_at[at("J10+0")].colour == GRAY
