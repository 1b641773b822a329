"""What a player of The Singularity Trap may know, as plain JSON data.

Spaces are written as players write them ("J1+9"). Ships have the id all see
(owner's letter and a drawn number, "R472"). Lists are sorted by what their
reader sees, never by anything hidden.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Section = Literal["turn", "economic", "movement", "combat", "ecopolitical"]
"""What the sheet now asked for covers; "turn" is all four sections at once (ruling 24)."""


class PlayerView(TypedDict):
    """A player as all know him, and the reader's own dealings with him."""

    colour: str
    letter: str
    playing: bool
    planets: int
    ally: bool
    wish: bool
    """The reader's own alliance setting toward this player."""


class PlanetView(TypedDict):
    """A planet; owners and colours are public (ruling 5). `worth` is what it pays the reader if his."""

    space: str
    name: str
    colour: str
    owner: str | None
    worth: int


class UnitsView(TypedDict):
    """One kind of unit of an own ship: how many are undamaged, of how many."""

    unit: str
    left: int
    full: int


class ShipView(TypedDict):
    """An own ship, in full. `moved`: it was given a move this turn, so it is not stationary."""

    id: str
    type: str
    space: str
    dark: bool
    moved: bool
    damage: int
    units: list[UnitsView]


class SeenShip(TypedDict):
    """Another's ship in a space with an own non-dark ship: no more than this is known of it."""

    id: str
    owner: str
    type: str
    damage: int


class ContactView(TypedDict):
    """A space in which the reader sees others' ships."""

    space: str
    ships: list[SeenShip]


class AlliedView(TypedDict):
    """A space that holds non-dark ships of an ally; neither how many nor which."""

    owner: str
    space: str


class SensorsView(TypedDict):
    """All that sensors tell at one moment (ruling 25)."""

    contacts: list[ContactView]
    unknown: list[str]
    allied: list[AlliedView]


class ChartView(TypedDict):
    """A hyperspace jump the reader has made."""

    entry: str
    exit: str


class FactionView(TypedDict):
    """A declared faction, public. `held` counts the turn starts at which it had its planets."""

    kind: Literal["faction", "empire"]
    members: list[str]
    dominant: str | None
    held: int


class CombatView(TypedDict):
    """A space in which the reader is asked to fire (pace "section")."""

    space: str
    round: int
    own: list[str]
    enemies: list[SeenShip]


class TypeView(TypedDict):
    """A ship type of the chart in force: units by name, and the price."""

    name: str
    letter: str
    ship_class: str
    units: dict[str, int]
    cost: int


class RulesView(TypedDict):
    """The public settings a player plans by."""

    planets_to_win: int
    turns_to_hold: int
    faction_sizes: dict[str, int]
    alliances: bool
    radius: int
    levels: int
    colours: list[str]
    types: list[TypeView]


class ResultView(TypedDict):
    """How the game ended."""

    winners: list[str]
    reason: str


class TrapView(TypedDict):
    """A seat's whole knowledge at the start of a turn or section.

    `events` tells what happened since the last report; its kinds and their
    data are listed in `events.py`.
    """

    seat: str
    label: str
    over: bool
    awaited: bool
    turn: int
    section: Section
    points: int
    income: int
    upkeep: int
    players: list[PlayerView]
    planets: list[PlanetView]
    ships: list[ShipView]
    sensors: SensorsView
    charts: list[ChartView]
    faction: FactionView | None
    combats: list[CombatView]
    rules: RulesView
    events: list[dict[str, Any]]
    result: ResultView | None
