"""Values by which a game tells a page which orders can be given now, and how they are drawn.

A page has no server to ask, so the host asks `Ruleset.choices` for every beginning of
a line when the page is made, and writes the answers as one tree
(`pbem.ruleset.order_tree`). The page walks the tree. It knows no game.

A *place* is a name of a tap target on a picture. A *unit* is a word of an order that
is the name of a place and has words behind it. A *slot* is what only one line of a
sheet can be about: a page replaces the earlier of two lines with one slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

NO_COST: Mapping[str, int] = MappingProxyType({})

Room = Literal["", "alone", "shared"]


class Choice(NamedTuple):
    """A word that can follow the beginning of a line.

    A word whose choices are none ends the line. One that the line may stop at, though
    more can follow, has `ends`. The order in which a game yields choices is its advice:
    the first at a place is the order that a tap on the place gives.
    """

    word: str
    place: str = ""
    """The place that stands for the word; by default the one that has the word among its names, if any."""
    path: tuple[str, ...] = ()
    """The places on the way there, for the arrow; a straight one without."""
    cost: Mapping[str, int] = NO_COST
    """Amounts that the word takes from purses, by their names."""
    says: str = ""
    """A few words for the button: "clockwise", "yellow Cruiser"."""
    ends: bool = False
    takes: int | str = 1
    """The number of words behind it that the line takes; a slot for as many as the line of that slot has."""
    after: str = ""
    """The place at which the sheet must leave the unit for the word to be possible."""
    room: Room = ""
    """"alone" for a word whose place no other line may fill, "shared" for one whose place no "alone" may fill."""
    makes: bool = False
    """True for the name of a unit that the line makes: it ends in a number, from which a page counts on."""


class Amount(NamedTuple):
    """A whole number that can follow the beginning of a line, from `low` to `high`, both included.

    `cost` is what each one takes from purses. The choices behind it are asked for with `low`.
    """

    low: int
    high: int
    cost: Mapping[str, int] = NO_COST
    says: str = ""
    ends: bool = False


class Need(NamedTuple):
    """Something that this turn should have an order for."""

    slot: str
    """The slot of the lines that meet the need."""
    start: str
    """The beginnings of these lines, separated by "|": "MOVE L1", "ROTATE|PULL"."""
    title: str
    """The name of the need, as the page asks for it: "Lieutenant L1"."""
    says: str = ""
    """A few words on it: "2 steps"."""
    unit: str = ""
    """The unit that it is about, if it is about one."""
    place: str = ""
    """The place of the unit, if the unit's name is none."""
    short: str = ""
    """A shorter title, for a row of steps."""
    must: bool = False
    """True if the sheet is no answer without it."""
    rest: str = ""
    """The fate of the need without an order: "What is not placed is drawn by lot."."""


class Purse(NamedTuple):
    """An amount that orders are paid from: how much there is, and its name on the page, such as "points"."""

    have: int
    shown: str


@dataclass(frozen=True, slots=True)
class OrderMark:
    """Declaration of how a line of a verb is drawn on the map.

    `shape` is "path" (an arrow from the unit along the way), "target" (a broken arrow
    and a ring), "piece" (a disc at each place), "cross" (on the unit), or "note" (a
    badge with the words of the line below the unit). `of` names the field of the unit;
    without one, it is the unit of the need that the line meets. `at` names the field of
    the places; without one, all words of the line that have a place are meant. `along`
    is a slot: the pieces lie along its path. `label` is the text of a piece or an
    arrow; with braces, a field: "{kind}".
    """

    shape: Literal["path", "target", "piece", "cross", "note"]
    of: str = ""
    at: str = ""
    along: str = ""
    label: str = ""
