"""The chart of a campaign: board, colour wheel, ship table and planets, all as data.

The standard chart is the file `standard_chart.json` beside this module; a GM
may give a campaign another one of the same form. All of it is checked when it
is read, and refused with one sentence that names the place.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from pbem.ruleset import SetupError
from pbem_rules.singularity_trap.space import HIGHEST_LEVEL, LARGEST_RADIUS, Space, StarMap

COLOURS = ("red", "yellow", "green", "cyan", "blue", "magenta")
"""The colour wheel, clockwise; also the seats and, by first letter, the owners in ship ids."""

GRAY = "gray"
"""The colour in the middle of the wheel."""

UNITS = ("drive", "weapons", "armor", "sensor", "slip", "jump", "multifire", "terraform", "system")
"""The kinds of units, in the order in which ships hold them."""

DRIVE, WEAPONS, ARMOR, SENSOR, SLIP, JUMP, MULTIFIRE, TERRAFORM, SYSTEM = range(len(UNITS))

_LINE = re.compile(r"[^\x00-\x1f]{1,40}")
_TYPE_NAME = re.compile(r"[A-Z][A-Za-z]{2,14}")
_LETTER = re.compile(r"[A-Z]")
_SITE_NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")

MOST_UNITS = 99
MOST_TYPES = 20
MOST_PLANETS = 200

Units = tuple[int, ...]
"""Numbers of units of each kind, in the order of UNITS."""


def letter_of(colour: str) -> str:
    """Return the letter with which a player's ship ids begin."""
    return colour[0].upper()


def wheel_distance(a: str, b: str) -> int:
    """Return the steps between two colours on the wheel, 0 to 3 (ruling 4)."""
    apart = abs(COLOURS.index(a) - COLOURS.index(b))
    return min(apart, len(COLOURS) - apart)


@dataclass(frozen=True, slots=True)
class ShipType:
    """A row of the ship table. A ship costs one point per unit (ruling 6)."""

    name: str
    letter: str
    ship_class: str
    units: Units

    @property
    def cost(self) -> int:
        """The price of a new ship, in points."""
        return sum(self.units)


@dataclass(frozen=True, slots=True)
class Site:
    """The place of a planet and the colour it begins with; `home` is the player it begins with, if any."""

    name: str
    space: Space
    colour: str
    home: str | None


@dataclass(frozen=True)
class Chart:
    """All figures of a campaign that are not rules.

    `worth` has the points that planets pay, by wheel distance, own colour first.
    """

    name: str
    board: StarMap
    worth: tuple[int, ...]
    gray_worth: int
    types: tuple[ShipType, ...]
    sites: tuple[Site, ...]

    @functools.cached_property
    def type_by_name(self) -> Mapping[str, ShipType]:
        return {kind.name: kind for kind in self.types}

    @functools.cached_property
    def site_at(self) -> Mapping[Space, Site]:
        """The planets' sites by space."""
        return {site.space: site for site in self.sites}

    def worth_to(self, owner: str, colour: str) -> int:
        """Return the points that a planet of a colour pays its owner each turn (rulebook, section A)."""
        return self.gray_worth if colour == GRAY else self.worth[wheel_distance(owner, colour)]


def closer(owner: str, colour: str) -> tuple[str, ...]:
    """Return the colours one step nearer to the owner's own; of two, the clockwise one is first (ruling 20)."""
    if colour == GRAY:
        return _beside(owner, 1)
    return {3: _beside(owner, 2), 2: (GRAY,), 1: (owner,), 0: ()}[wheel_distance(owner, colour)]


def _beside(colour: str, steps: int) -> tuple[str, str]:
    at = COLOURS.index(colour)
    return COLOURS[(at + steps) % len(COLOURS)], COLOURS[(at - steps) % len(COLOURS)]


@functools.cache
def standard_chart() -> Chart:
    """Return the chart of the rulebook (rulings 1–6)."""
    text = resources.files(__package__).joinpath("standard_chart.json").read_text(encoding="utf-8")
    return read_chart(json.loads(text))


def read_chart(data: Any) -> Chart:
    """Return the chart of JSON data.

    Raises:
        SetupError: If it is no chart; the text names the first place that is wrong.
    """
    top = _EntryReader("chart", data, ("name", "radius", "levels", "worth", "gray_worth", "types", "planets"))
    board = StarMap(top.whole("radius", 1, LARGEST_RADIUS), top.whole("levels", 0, HIGHEST_LEVEL))
    worth = top.items("worth", 4, 4)
    types = tuple(_read_type(f"chart: types[{at}]", item) for at, item in enumerate(top.items("types", 1, MOST_TYPES)))
    planets = top.items("planets", 2, MOST_PLANETS)
    sites = tuple(_read_site(f"chart: planets[{at}]", item, board) for at, item in enumerate(planets))
    _check_types(types)
    _check_sites(sites, board)
    pays = tuple(_whole(f"chart: worth[{at}]", points, 0, 99) for at, points in enumerate(worth))
    return Chart(top.text("name"), board, pays, top.whole("gray_worth", 0, 99), types, sites)


def write_chart(chart: Chart) -> dict[str, Any]:
    """Return the JSON data that `read_chart` reads as this chart."""
    return {
        "name": chart.name,
        "radius": chart.board.radius,
        "levels": chart.board.levels,
        "worth": list(chart.worth),
        "gray_worth": chart.gray_worth,
        "types": [_write_type(kind) for kind in chart.types],
        "planets": [_write_site(site, chart.board) for site in chart.sites],
    }


def _write_type(kind: ShipType) -> dict[str, Any]:
    units = {name: count for name, count in zip(UNITS, kind.units, strict=True) if count}
    return {"name": kind.name, "letter": kind.letter, "class": kind.ship_class, "units": units}


def _write_site(site: Site, board: StarMap) -> dict[str, Any]:
    return {"name": site.name, "space": board.name(site.space), "colour": site.colour, "home": site.home}


def _read_type(where: str, data: Any) -> ShipType:
    item = _EntryReader(where, data, ("name", "letter", "class", "units"))
    units = _EntryReader(f"{where}.units", item.value("units"), UNITS)
    counts = tuple(units.whole(name, 0, MOST_UNITS, default=0) for name in UNITS)
    if counts[SYSTEM] != 1:
        raise SetupError(f"{where}.units: every ship has exactly 1 system, not {counts[SYSTEM]}")
    if not counts[DRIVE] and not counts[WEAPONS]:
        raise SetupError(f"{where}.units: a ship with neither drive nor weapons would be destroyed at once")
    return ShipType(item.text("name", _TYPE_NAME), item.text("letter", _LETTER),
                    item.text("class"), counts)  # fmt: skip


def _read_site(where: str, data: Any, board: StarMap) -> Site:
    item = _EntryReader(where, data, ("name", "space", "colour", "home"))
    written = item.text("space")
    space = board.read(written)
    if space is None:
        raise SetupError(f"{where}.space: {written!r} is not a space of a board of radius {board.radius}"
                         f" with levels to {board.levels}; the centre is {board.name((0, 0, 0))}")  # fmt: skip
    home = item.value("home", default=None)
    if home is not None and home not in COLOURS:
        raise SetupError(f"{where}.home: {home!r} is no player; expected one of {', '.join(COLOURS)}, or null")
    colour = item.value("colour")
    if colour not in (*COLOURS, GRAY):
        raise SetupError(f"{where}.colour: {colour!r} is no colour; expected one of {', '.join((*COLOURS, GRAY))}")
    return Site(item.text("name", _SITE_NAME), space, colour, home)


def _check_types(types: Sequence[ShipType]) -> None:
    _check_unique("types", "name", [kind.name.casefold() for kind in types])
    _check_unique("types", "letter", [kind.letter for kind in types])
    # TARGET takes players and types alike.
    clash = sorted({kind.name.casefold() for kind in types} & set(COLOURS))
    if clash:
        raise SetupError(f"chart: types: {clash[0]!r} is the name of a player, so it cannot be that of a type")


def _check_sites(sites: Sequence[Site], board: StarMap) -> None:
    _check_unique("planets", "name", [site.name for site in sites])
    _check_unique("planets", "space", [board.name(site.space) for site in sites])
    homes = [site.home for site in sites if site.home]
    _check_unique("planets", "home", homes)
    missing = [colour for colour in COLOURS if colour not in homes]
    if missing:
        raise SetupError(f"chart: planets: no planet is the home of {missing[0]}; every colour needs one")
    # Orders take a space or the name of a planet.
    named = [site.name for site in sites if board.read(site.name)]
    if named:
        raise SetupError(f"chart: planets: the name {named[0]!r} reads as a space")


def _check_unique(table: str, column: str, values: Sequence[str]) -> None:
    twice = [value for value in values if values.count(value) > 1]
    if twice:
        raise SetupError(f"chart: {table}: the {column} {twice[0]!r} occurs twice")


def _whole(where: str, value: Any, low: int, high: int) -> int:
    # In Python bool is a kind of int, but true is no number in JSON.
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise SetupError(f"{where}: expected a whole number from {low} to {high}, got {value!r}")
    return value


_NEEDED = object()


class _EntryReader:
    """Reader of one JSON object's entries, which names the place in every refusal."""

    def __init__(self, where: str, data: Any, known: Sequence[str]) -> None:
        if not isinstance(data, dict):
            raise SetupError(f"{where}: expected an object with {', '.join(known)}")
        unknown = [key for key in data if key not in known]
        if unknown:
            raise SetupError(f"{where}: {unknown[0]!r} is not known; expected {', '.join(known)}")
        self.where, self.data = where, data

    def value(self, key: str, default: Any = _NEEDED) -> Any:
        if key not in self.data and default is _NEEDED:
            raise SetupError(f"{self.where}: {key!r} is missing")
        return self.data.get(key, default)

    def whole(self, key: str, low: int, high: int, default: Any = _NEEDED) -> int:
        return _whole(f"{self.where}.{key}", self.value(key, default), low, high)

    def text(self, key: str, pattern: re.Pattern[str] = _LINE) -> str:
        value = self.value(key)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise SetupError(f"{self.where}.{key}: expected text of the form {pattern.pattern}, got {value!r}")
        return value

    def items(self, key: str, least: int, most: int) -> list[Any]:
        value = self.value(key)
        if not isinstance(value, list) or not least <= len(value) <= most:
            count = f"{least}" if least == most else f"{least} to {most}"
            raise SetupError(f"{self.where}.{key}: expected a list of {count} entries")
        return value
