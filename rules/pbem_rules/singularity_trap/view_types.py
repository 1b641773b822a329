"""Types of a view: all that a player of The Singularity Trap may know, as plain JSON data.

Spaces are written as players write them ("J1+9"). Ships have the id all see
(owner's letter and a drawn number, "R472"). Lists are sorted by what their
reader sees, never by anything hidden.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Section = Literal["turn", "economic", "movement", "combat", "ecopolitical"]
"""The section that the sheet now asked for covers; "turn" is all four at once (ruling 24)."""


class PlayerView(TypedDict):
    """A player as known to all, and the reader's own relations with them."""

    colour: str
    letter: str
    playing: bool
    planets: int
    ally: bool
    wish: bool
    """The reader's own alliance setting toward this player."""
    held: int
    """The successive turn starts, up to now, at which this player alone held the winning number of planets."""


class PlanetView(TypedDict):
    """A planet; owners and colours are public. `worth` is what it pays the reader as its owner."""

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
    """An own ship, in full.

    `moved`: it was given a move this turn, so it is not stationary. `encounter`:
    a ship of a player not allied is seen in its space, so it is pinned (ruling 13).
    """

    id: str
    type: str
    space: str
    dark: bool
    moved: bool
    encounter: bool
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
    """A space in which the reader is asked to fire (pace "section"); `shots` is the number that must be fired."""

    space: str
    round: int
    own: list[str]
    enemies: list[SeenShip]
    shots: int


class TypeView(TypedDict):
    """A ship type of the chart in force: units by name, and the price."""

    name: str
    letter: str
    ship_class: str
    units: dict[str, int]
    cost: int


class RulesView(TypedDict):
    """The public settings by which a player plans.

    The board is a hexagon of `radius`, with levels from -`levels` to +`levels`.
    `colours` is the wheel, in order; `gray` is in its middle. `faction_sizes` has,
    by number of players at the start, the most members that a faction may have
    (0: none); `largest_faction` is that of this campaign. `empire_planets` must be
    held by the dominant member of an empire alone.
    """

    planets_to_win: int
    turns_to_hold: int
    faction_sizes: dict[str, int]
    largest_faction: int
    empire_planets: int
    alliances: bool
    pace: Literal["turn", "section"]
    radius: int
    levels: int
    colours: list[str]
    gray: str
    types: list[TypeView]


class ResultView(TypedDict):
    """The end of the game: its winners, and why."""

    winners: list[str]
    reason: str


class TrapView(TypedDict):
    """A seat's whole knowledge at the start of a turn or section.

    `events` has what happened since the last report; its kinds and their
    data are listed in `events.py`. `round` is the combat round asked for, or 0.
    `points` are those saved, before `income` and `upkeep` of the economic section
    to come. `factions` are all that stand, `faction` the first the reader is in.
    """

    seat: str
    label: str
    over: bool
    awaited: bool
    turn: int
    section: Section
    round: int
    points: int
    income: int
    upkeep: int
    players: list[PlayerView]
    planets: list[PlanetView]
    ships: list[ShipView]
    sensors: SensorsView
    charts: list[ChartView]
    faction: FactionView | None
    factions: list[FactionView]
    combats: list[CombatView]
    rules: RulesView
    events: list[dict[str, Any]]
    result: ResultView | None


class SightingView(TypedDict):
    """Ships seen in a space, in a turn; `when` is the moment in it, "" at its beginning.

    A ship that was met has all other keys, a fleet of a then ally has its owner's
    colour alone, unknown ships have none of them.
    """

    space: str
    turn: int
    when: str
    id: NotRequired[str]
    owner: NotRequired[str]
    type: NotRequired[str]
    damage: NotRequired[int]


class MemoryView(TypedDict):
    """The `memory` of a mailed view: what the seat knows from its former reports.

    `last_known` is out of sight now, `shown` in sight; each has the latest last. `stood`
    has the spaces in the report before of the own ships that have moved, `stand` those of
    all own ships now. `scores` are the planets held, by turn.
    """

    scores: Any
    last_known: list[SightingView]
    shown: list[SightingView]
    stood: dict[str, str]
    stand: dict[str, str]
