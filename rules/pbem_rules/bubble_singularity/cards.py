"""Space cards: arrows and kinds, the fixed charts, and charts shuffled by the seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pbem.ruleset import Dice
from pbem_rules.bubble_singularity.grid import WAYS, squares

PLAIN, FLUX, UNSTABLE, EXPANSION, UNIVERSE = "plain", "flux", "unstable", "expansion", "universe"
STATIONS = ("research", "transit", "energy", "defense")
"""The four stations, in the order in which the standard charts lay them clockwise from the north-west."""

KINDS: Mapping[str, str] = {
    FLUX: "turns clockwise after each pop on it",
    UNSTABLE: "changes places with a neighbour after each pop on it",
    EXPANSION: "its pops send bubbles 2 spaces instead of 1",
    UNIVERSE: "node and station in one; a chain with a pop on it brings a marker",
    "research": "+1 length for chains begun beside it; ending here: draw 3 bubbles and keep 2",
    "transit": "spaces beside it cost no bubble to enter; ending here: teleport",
    "energy": "2 bubbles pop on the spaces beside it; ending here: convert 3 bubbles beside it",
    "defense": "actions of others don't move your bubbles beside it; ending here: place 2 bubbles anywhere",
}
"""The effect of each card that is not plain, in one line."""

TURNS = ("CW", "CCW")
_SHAPES = {"straight": "NS", "corner": "NE", "three": "NES", "four": "NESW"}


@dataclass(frozen=True, slots=True)
class Card:
    """A space card on the board: its arrows, clockwise from north ("NES"), and its kind."""

    arrows: str
    kind: str = PLAIN

    def turned(self, turn: str) -> Card:
        """Return the card after a quarter turn, "CW" or "CCW"."""
        return Card(_turned(self.arrows, turn), self.kind)


@cache
def _turned(arrows: str, turn: str) -> str:
    quarter = 1 if turn == "CW" else -1
    ways = {WAYS[(WAYS.index(way) + quarter) % 4] for way in arrows}
    return "".join(way for way in WAYS if way in ways)


# The arrows of the standard charts, row by row (rulings 1 and 27).
_CHARTS = {
    4: """
        ES  ESW  EW   SW
        NS  NESW NESW NSW
        NES NESW NESW NS
        NE  EW   NEW  NW
    """,
    5: """
        ES EW   ESW  SW   SW
        NS NESW NESW NESW NS
        NES NES NESW NSW  NSW
        NS NESW NESW NESW NS
        NE NE   NEW  EW   NW
    """,
}

# Squares of the special cards in the standard 5×5 chart.
_SPECIALS: Mapping[str, tuple[str, ...]] = {
    FLUX: ("B1", "E2", "D5", "A4"),
    UNSTABLE: ("D1", "E4", "B5", "A2"),
    EXPANSION: ("C2", "D3", "C4", "B3"),
}


def corners(size: int) -> tuple[str, str, str, str]:
    """Return the corner squares, clockwise from the north-west."""
    east, south = "ABCDE"[size - 1], size
    return "A1", f"{east}1", f"{east}{south}", f"A{south}"


def standard_chart(size: int, *, stations: bool) -> dict[str, Card]:
    """Return the fixed chart of a board (rulings 1, 19 and 27)."""
    arrows = dict(zip(squares(size), _CHARTS[size].split(), strict=True))
    kinds = dict(zip(corners(size), STATIONS, strict=True)) if stations else {}
    if size == 5:
        kinds |= {place: kind for kind, places in _SPECIALS.items() for place in places} | {"C3": UNIVERSE}
    return {place: Card(arrows[place], kinds.get(place, PLAIN)) for place in squares(size)}


def shuffled_chart(size: int, dice: Dice, *, stations: bool) -> dict[str, Card]:
    """Return a chart by the seed: as many cards of each shape, each at a random place and angle.

    Stations stay in the corners, the Universe stays in the middle.
    """
    standard = standard_chart(size, stations=stations)
    # Module 2 puts the Universe in the centre.
    fixed = {"C3"} if size == 5 else set()
    loose = [place for place in standard if place not in fixed]
    # The box has fixed numbers of each shape, so these are shuffled rather than drawn (ruling 1).
    shapes = dice.shuffle([_shape(standard[place]) for place in loose], "shapes")
    inner = [place for place in loose if not (stations and place in corners(size))]
    kinds = dict(zip(inner, dice.shuffle([standard[place].kind for place in inner], "kinds"), strict=True))
    if stations:
        kinds |= dict(zip(corners(size), dice.shuffle(STATIONS, "stations"), strict=True))
    chart = {place: standard[place] for place in fixed}
    for place, shape in zip(loose, shapes, strict=True):
        chart[place] = _turned_anyhow(Card(_SHAPES[shape], kinds[place]), dice, place)
    return {place: chart[place] for place in standard}


def _shape(card: Card) -> str:
    if len(card.arrows) != 2:
        return "three" if len(card.arrows) == 3 else "four"
    return "straight" if card.arrows in ("NS", "EW") else "corner"


def _turned_anyhow(card: Card, dice: Dice, place: str) -> Card:
    for _ in range(dice.below(4, "quarters", place)):
        card = card.turned("CW")
    return card
