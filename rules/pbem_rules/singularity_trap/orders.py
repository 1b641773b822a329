"""The orders of The Singularity Trap, declared; their docstrings are the help of the game.

The words of a sheet are read against the view that was mailed. Ships ordered
built on the same sheet are called NEW1, NEW2 … in the order in which the sheet
builds them (ruling 27).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pbem.ruleset import (
    DROPS_BAD,
    AnyOfPattern,
    ChoicePattern,
    Field,
    FieldError,
    FreePattern,
    IntegerField,
    KeywordField,
    NameField,
    NumberPattern,
    Order,
    OrderMark,
    OrderParser,
    Pattern,
    RepeatedPattern,
    match_name,
    plain_signs,
    show_word,
    suggest,
)
from pbem_rules.common.summary import counted, listed
from pbem_rules.singularity_trap.chart import UNITS, letter_of
from pbem_rules.singularity_trap.space import VECTORS, StarMap, board_of, distance

View = Mapping[str, Any]

MOST_BUILT = 99
"""Ships one sheet can order built, and so the highest NEW number."""

MOST_NAMED = 80
"""Ships that ALL may stand for: a line that names them one by one must still be read."""

STAY = "STAY"
JUMP = "JUMP"


def own_ships(view: View) -> list[str]:
    """Return the ids of the reader's ships."""
    return [ship["id"] for ship in view["ships"]]


def others(view: View) -> list[str]:
    """Return the other players still in the game."""
    return [player["colour"] for player in view["players"] if player["playing"] and player["colour"] != view["seat"]]


def purse(view: View) -> int:
    """Return the most points that an economic section may have: those of a player who scraps every ship."""
    return int(view["points"] + view["income"])


def _types(view: View) -> list[str]:
    return [kind["name"] for kind in view["rules"]["types"]]


def possible_targets(view: View) -> list[str]:
    """Return all that a doctrine can prefer: other players, and ship types."""
    return [*others(view), *_types(view)]


_ID = re.compile(r"[A-Z][1-9][0-9]{2,3}")
_NEW_NAME = "NEW[1-9][0-9]?"
_NEW = re.compile("NEW([1-9][0-9]?)", re.IGNORECASE)


def new_number(ship: str) -> int | None:
    """Return the number of a ship named NEW1, NEW2 …, or None if the name is an id."""
    match = _NEW.fullmatch(ship)
    return int(match[1]) if match else None


def new_name(number: int) -> str:
    """Return the name of a ship on the sheet that builds it."""
    return f"NEW{number}"


Able = Callable[[View, View], bool]
"""Test of a view and a ship: True if the ship may be of use for an order."""


def _having(unit: str) -> Able:
    """Return a test of ships: True with such units that work now, or once they are repaired on the same sheet."""

    def able(view: View, ship: View) -> bool:
        counts = "full" if view["section"] == "turn" else "left"
        return any(each["unit"] == unit and each[counts] for each in ship["units"])

    return able


def _fighting(view: View, ship: View) -> bool:
    """Return True if a ship has weapons, and in the combat section an enemy."""
    asked = view["section"] != "combat" or any(ship["id"] in combat["own"] for combat in view["combats"])
    return asked and _having("weapons")(view, ship)


def _own_ship(word: str, view: View, expected: str) -> str:
    """Return the own ship of a name. Raises FieldError."""
    try:
        return match_name(word, own_ships(view), expected, unknown="you have no ship {}")
    except FieldError as refused:
        if own_ships(view) or refused.code != "unknown-name":
            raise
        built = "; what your sheet builds is called NEW1" if view["section"] == "turn" else ""
        hint = f"you have no ships {'yet' if view['turn'] == 1 else 'now'}{built}"
        raise FieldError(refused.code, refused.text, hint, word) from None


@dataclass(frozen=True)
class OwnShip(Field):
    """The id of an own ship, or (with `new`) NEW1 … for one ordered built on the same sheet.

    A page offers those that are `able` to do what is ordered.
    """

    new: bool
    able: Able = lambda *_: True
    shown: str = "ship"
    expected: str = "one of your ships"
    example: str = "R472"

    def read(self, word: str, view: View) -> str:
        if not _NEW.fullmatch(word):
            return _own_ship(word, view, self.expected)
        if not self.new:
            raise FieldError("unknown-name", f"{word.upper()} is not built yet", word=word)
        if view["section"] != "turn":
            raise FieldError(
                "unknown-name", f"you have no ship {word.upper()}", "new ships have their ids by now", word
            )
        return word.upper()

    def samples(self, view: View) -> Sequence[str]:
        return [*own_ships(view), *(["NEW1"] if self._builds(view) else [])]

    def form(self, view: View) -> Pattern:
        ships = ChoicePattern(tuple(ship["id"] for ship in view["ships"] if self.able(view, ship)))
        return AnyOfPattern((ships, FreePattern((new_name(1),), _NEW_NAME))) if self._builds(view) else ships

    def _builds(self, view: View) -> bool:
        return self.new and bool(view["section"] == "turn")


@dataclass(frozen=True)
class NewName(Field):
    """The name of a ship on the sheet that orders it built, NEW1 to NEW99; kept as the number."""

    shown: str = "new name"
    expected: str = f"NEW with a number up to {MOST_BUILT}, such as NEW2"
    example: str = "NEW2"

    def read(self, word: str, view: View) -> int:
        number = new_number(word)
        if number is None:
            raise FieldError(
                "bad-name",
                f"{show_word(word)} is not understood: only AS may follow there, and {self.expected}",
                word=word,
            )
        return number

    def write(self, value: int) -> str:
        return new_name(value)

    def samples(self, view: View) -> Sequence[str]:
        return [new_name(1), new_name(2)]

    def form(self, view: View) -> Pattern:
        return FreePattern(tuple(self.samples(view)), _NEW_NAME)


@dataclass(frozen=True)
class Ships(Field):
    """Own ships joined by strokes: R472/R133; or ALL, or ALL of a type. With `least`, as many of them or more."""

    ship: OwnShip
    least: int = 1
    shown: str = "ships"
    expected: str = "one or more of your ships, joined by /"
    example: str = "R472/R133"
    glue: str = "/"

    def read(self, word: str, view: View) -> tuple[str, ...]:
        every = self._every(word, view)
        ships = every or tuple(dict.fromkeys(self.ship.read(part, view) for part in word.split("/")))
        if len(ships) < self.least and not every:
            raise _too_few(word)
        return ships

    def spare(self, word: str, view: View) -> tuple[tuple[str, ...], tuple[FieldError, ...]]:
        good: list[str] = []
        bad: list[FieldError] = []
        for part in word.split("/"):
            try:
                good.append(self.ship.read(part, view))
            except FieldError as refused:
                bad.append(refused)
        if len(good) < self.least:
            raise bad[0] if bad else _too_few(word)
        return tuple(dict.fromkeys(good)), tuple(bad)

    def write(self, value: Sequence[str]) -> str:
        return "/".join(value)

    def samples(self, view: View) -> Sequence[str]:
        ships = list(self.ship.samples(view))
        if len(ships) < 2:
            return ships if self.least < 2 else []
        return ["/".join(ships[:3]), *(ships if self.least < 2 else [])]

    def form(self, view: View) -> Pattern:
        named = RepeatedPattern(self.ship.form(view), self.glue, self.least)
        every = ("ALL",) if 2 <= len(view["ships"]) <= MOST_NAMED else ()
        return AnyOfPattern((named, ChoicePattern(every))) if every else named

    def longest(self, view: View) -> int:
        # "ALL scouts" are two words.
        return 2

    def _every(self, word: str, view: View) -> tuple[str, ...]:
        """Return the ships that ALL means; none if the word is another."""
        first, _, kind = word.partition(" ")
        if first.upper() != "ALL":
            return ()
        name = match_name(kind, _types(view), "a ship type") if kind else ""
        ships = tuple(ship["id"] for ship in view["ships"] if not name or ship["type"] == name)
        if not ships:
            raise FieldError("unknown-name", f"you have no {name or 'ship'} now")
        if len(ships) > MOST_NAMED:
            raise FieldError(
                "too-many", f"{len(ships)} ships are more than one line can name", "name them on several lines"
            )
        return ships


def _too_few(word: str) -> FieldError:
    return FieldError("too-few", f"{show_word(word)} is one ship, and several are to be named", word=word)


@dataclass(frozen=True)
class OwnPlanet(Field):
    """The space of an own planet, by its coordinates or its name; kept as coordinates."""

    shown: str = "space"
    expected: str = "one of your planets"
    example: str = "J1+9"

    def read(self, word: str, view: View) -> str:
        board = board_of(view)
        by_name = {planet["name"]: planet["space"] for planet in view["planets"]}
        space = _space(word, view, board)
        mine = self.samples(view)
        if space in mine:
            return str(space)
        if space is None:
            text = f"{show_word(word)} is not {self.expected}"
            raise FieldError("unknown-name", text, _nearest(None, mine, board), word)
        what = "the planet there is not yours" if space in by_name.values() else "no planet is there"
        raise FieldError("not-yours", f"{what}: {space}", _nearest(space, mine, board))

    def samples(self, view: View) -> Sequence[str]:
        return [planet["space"] for planet in view["planets"] if planet["owner"] == view["seat"]]

    def form(self, view: View) -> Pattern:
        return ChoicePattern(tuple(self.samples(view)))

    def longest(self, view: View) -> int:
        return 3


@dataclass(frozen=True)
class Place(Field):
    """Any space, by its coordinates or the name of its planet; kept as coordinates."""

    shown: str = "space"
    expected: str = "a space such as J10+0, or the name of a planet"
    example: str = "J6+3"

    def read(self, word: str, view: View) -> str:
        space = _space(word, view, board_of(view))
        if space is None:
            board = board_of(view)
            near = board.nearest(word)
            if near:
                hint = f"the nearest space is {board.name(near)}"
                raise FieldError("no-space", f"{show_word(word)} is not on the map", hint, word)
            hint = suggest(word, [planet["name"] for planet in view["planets"]])
            raise FieldError("no-space", f"{show_word(word)} is not {self.expected}", hint, word)
        return space

    def samples(self, view: View) -> Sequence[str]:
        return [planet["space"] for planet in view["planets"]]

    def form(self, view: View) -> Pattern:
        return FreePattern(tuple(self.samples(view)), "[A-Z][0-9]{1,2}([+-][0-9]{1,2})?")

    def longest(self, view: View) -> int:
        return 3


_HOME = ("home", "home-planet", "homeworld", "home-world")


def _space(word: str, view: View, board: StarMap) -> str | None:
    """Return the space that a player means: by coordinates, the name of a planet, or as their home."""
    typed = board.understand(word)
    if typed:
        return board.name(typed)
    name = "-".join(word.casefold().split())
    by_name = {planet["name"]: planet["space"] for planet in view["planets"]}
    return by_name.get(f"{view['seat']}-home" if name in _HOME else name)


def _nearest(wanted: str | None, mine: Sequence[str], board: StarMap) -> str:
    if not mine:
        return "you own none now"
    target = board.read(wanted) if wanted else None
    if target is None:
        return "yours: " + ", ".join(mine[:8])
    spaces = [space for name in mine if (space := board.read(name))]
    # On the map a planet stands in its column and row, and its level is easily left out.
    if above := [space for space in spaces if space[:2] == target[:2]]:
        return f"in that column and row yours is {board.name(above[0])}"
    nearest = min(spaces, key=lambda space: (distance(space, target), space))
    return f"the nearest of yours is {board.name(nearest)}"


@dataclass(frozen=True)
class Foe(Field):
    """The id of another player's ship, seen or not: what is met later cannot be listed now (ruling 18)."""

    shown: str = "ship"
    expected: str = "the id of another player's ship, such as B204"
    example: str = "B204"

    def read(self, word: str, view: View) -> str:
        ship = word.upper()
        letters = {letter_of(colour): colour for colour in others(view)}
        if not _ID.fullmatch(ship):
            raise FieldError("bad-ship-id", f"{show_word(word)} is not {self.expected}", word=word)
        if ship[0] == letter_of(view["seat"]):
            raise FieldError("own-ship", f"{ship} would be a ship of your own")
        if ship[0] not in letters:
            known = ", ".join(f"{letter} ({colour})" for letter, colour in letters.items())
            raise FieldError("bad-ship-id", f"no player's ships begin with {ship[0]}", f"possible: {known}")
        return ship

    def samples(self, view: View) -> Sequence[str]:
        return seen_foes(view)

    def form(self, view: View) -> Pattern:
        seen = ChoicePattern(tuple(_enemies(view)))
        letters = "".join(map(letter_of, others(view)))
        return AnyOfPattern((seen, FreePattern((), f"[{letters}][1-9][0-9]{{2,3}}"))) if letters else seen


def _enemies(view: View) -> list[str]:
    """Return the ids of ships in sight that are no ally's; while the reader is asked to fire, of those to fire at."""
    allies = {player["colour"] for player in view["players"] if player["ally"]}
    spaces = {combat["space"] for combat in view["combats"]}
    here = [contact for contact in view["sensors"]["contacts"] if contact["space"] in spaces or not spaces]
    return [ship["id"] for contact in here for ship in contact["ships"] if ship["owner"] not in allies]


def seen_foes(view: View) -> list[str]:
    """Return the ids of others' ships in sight, by space, then id."""
    return [ship["id"] for contact in view["sensors"]["contacts"] for ship in contact["ships"]]


@dataclass(frozen=True)
class Payable(NameField):
    """A ship type; a page offers those that there may be points for."""

    def form(self, view: View) -> Pattern:
        return ChoicePattern(tuple(kind["name"] for kind in view["rules"]["types"] if kind["cost"] <= purse(view)))


@dataclass(frozen=True)
class UpTo(IntegerField):
    """A whole number, of which a page offers no more than can be of use now."""

    useful: Callable[[View], int] = purse

    def form(self, view: View) -> Pattern:
        return NumberPattern(self.low, min(self.high, max(self.low, self.useful(view))))


def _longest_slip(view: View) -> int:
    """Return the most drive units of any ship, or of any type that can be built now."""
    built = [kind["units"].get("drive", 0) for kind in view["rules"]["types"]] if view["section"] == "turn" else []
    fleet = [unit["full"] for ship in view["ships"] for unit in ship["units"] if unit["unit"] == "drive"]
    return max([*built, *fleet], default=1)


@dataclass(frozen=True)
class Vector(KeywordField):
    """A vector, or one of the words that may be written for one."""

    def read(self, word: str, view: View) -> str:
        typed = plain_signs(word).upper()
        if typed not in self.words:
            text = f"{show_word(word)} is not {self.expected}"
            raise FieldError("unknown-name", text, lambda: suggest(typed, self.words) or WAYS, word)
        return typed


WAYS = "ways: N NE SE S SW NW, each also with + or -; UP DOWN; JUMP; STAY"

_OLD = OwnShip(new=False)
_HURT = OwnShip(new=False, able=lambda _, ship: bool(ship["damage"]))
_LIT = OwnShip(new=False, able=lambda _, ship: not ship["dark"])
_DRIVEN = OwnShip(new=True, able=_having("drive"))
_ARMED = OwnShip(new=True, able=_fighting)
_TERRAFORMER = OwnShip(new=True, able=_having("terraform"))
_DIRECTION = Vector(tuple(VECTORS), "a vector such as N, NE+, SW-, UP or DOWN", "vector", "NE-")
_LEG = Vector(
    (*VECTORS, JUMP, STAY), "a vector for each warp (such as N, NE+ or UP), JUMP or STAY", "vector or JUMP", "N+"
)
_PLAYER = NameField("player", "another player still in the game", "blue", others)
_COLOUR = NameField(
    "colour", "a colour of planets", "yellow", lambda view: [*view["rules"]["colours"], view["rules"]["gray"]]
)
_TYPE = Payable("type", "a ship type", "Scout", _types)
_COUNT = UpTo(1, MOST_BUILT, "count", example="2")
_PREY = NameField("player or type", "another player or a ship type", "blue", possible_targets)
_UNIT = KeywordField(UNITS, "a unit: " + ", ".join(UNITS), "unit", "weapons")


class TrapOrder(Order):
    """Base of this game's orders; `section` is the one of the turn to which an order belongs."""

    __slots__ = ()
    section: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Scrap(TrapOrder):
    """Give up ships for good; nothing is refunded, but they need no maintenance any more."""

    section = "economic"
    usage = "SCRAP ships"
    slot = "scrap {ships}"
    mark = OrderMark("cross", of="ships")
    grave = True
    also = ("SCUTTLE", "DISBAND", "DROP")
    examples = ("SCRAP R472", "SCRAP R472/R133")
    ships: Annotated[tuple[str, ...], Ships(_OLD)]

    def words(self) -> str:
        return f"scrap {listed(self.ships)}"


@dataclass(frozen=True, slots=True)
class Repair(TrapOrder):
    """Mend damaged units of a ship at 1 point each, anywhere.

    All of them, or up to so many points, or only the kinds of units named, in the order named.
    """

    section = "economic"
    usage = "REPAIR ship [points] [units...]"
    slot = "repair {ship}"
    mark = OrderMark("note", of="ship")
    also = ("FIX", "MEND")
    examples = ("REPAIR R472", "REPAIR R472 3", "REPAIR R472 2 drive weapons")
    ship: Annotated[str, _HURT]
    points: Annotated[int | None, UpTo(1, 999, "points", "the most points to spend, from 1", "3")] = None
    units: Annotated[tuple[str, ...], _UNIT] = ()

    def words(self) -> str:
        what = "all damage" if not self.units else listed(self.units)
        most = f" for at most {counted(self.points, 'point')}" if self.points else ""
        return f"repair {what} of {self.ship}{most}"


@dataclass(frozen=True, slots=True)
class Hide(TrapOrder):
    """Damage the system of ships so that they go dark: unseen, out of play, blind, until repaired."""

    section = "economic"
    usage = "HIDE ships"
    slot = "hide {ships}"
    mark = OrderMark("note", of="ships")
    also = ("CLOAK",)
    examples = ("HIDE R472", "HIDE R472/R133")
    ships: Annotated[tuple[str, ...], Ships(_LIT)]

    def words(self) -> str:
        return f"hide {listed(self.ships)}"


@dataclass(frozen=True, slots=True)
class Build(TrapOrder):
    """Build a ship, or several of one type, at an own planet.

    They can move this turn: on the same sheet they are called NEW1, NEW2 … in the order built, or from the name
    given on.
    """

    section = "economic"
    usage = "BUILD [count] type AT space [AS first]"
    mark = OrderMark("piece", at="space", label="{type}")
    also = ("BUY", "CONSTRUCT")
    examples = ("BUILD Scout AT J1+9", "BUILD 2 Cruiser AT J1+9")
    type: Annotated[str, _TYPE]
    space: Annotated[str, OwnPlanet()]
    count: Annotated[int | None, _COUNT] = None
    first: Annotated[int | None, NewName()] = None

    @property
    def number(self) -> int:
        """The number of ships ordered."""
        return self.count or 1

    def words(self) -> str:
        return f"build {counted(self.number, self.type)} at {self.space}"


def numbered(orders: Iterable[Build]) -> Iterator[tuple[Build, int]]:
    """Yield each BUILD of a sheet with the number of its first ship: the one it gives, else the next (ruling 43)."""
    following = 1
    for order in orders:
        first = order.first or following
        yield order, first
        following = first + order.number


@dataclass(frozen=True, slots=True)
class Move(TrapOrder):
    """Move ships, all by the same way.

    First a slip along one vector (up to as many spaces as drive units, 1 if no number is given), then warps of one
    space and jumps, each for one drive unit. STAY is a move that goes nowhere.
    """

    section = "movement"
    usage = "MOVE ships [SLIP vector [spaces]] [legs...]"
    slot = "move {ships}"
    mark = OrderMark("note", of="ships")
    also = ("GO", "FLY", "SEND", "WARP")
    examples = ("MOVE R472 N NE+ UP", "MOVE R472/R133 SLIP N 3", "MOVE R205 N JUMP")
    ships: Annotated[tuple[str, ...], Ships(_DRIVEN)]
    vector: Annotated[str | None, _DIRECTION] = None
    spaces: Annotated[int | None, UpTo(1, 99, "spaces", example="3", useful=_longest_slip)] = None
    legs: Annotated[tuple[str, ...], _LEG] = ()

    @property
    def reach(self) -> int:
        """The length of the slip, in spaces."""
        return self.spaces or 1

    @property
    def powered(self) -> tuple[str, ...]:
        """The legs that use a drive unit each."""
        return tuple(leg for leg in self.legs if leg != STAY)

    def words(self) -> str:
        parts = [f"slip {self.vector} for {counted(self.reach, 'space')}"] if self.vector else []
        parts += ["jump" if leg == JUMP else "stay" if leg == STAY else f"warp {leg}" for leg in self.legs]
        return f"move {listed(self.ships)}: {', '.join(parts) or 'nowhere'}"


class Shorthand(TrapOrder):
    """Base of orders that a sheet expands into others, by what its player knows; none is ever carried out as such."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class MoveTo(Shorthand):
    """Move ships to a space by a shortest lawful course that your charts know, this turn.

    The receipt says which, and what others as short would pass.
    """

    section = "movement"
    usage = "MOVE ships TO place"
    slot = "move {ships}"
    mark = OrderMark("path", of="ships", at="place")
    also = ("GO", "FLY", "SEND")
    examples = ("MOVE R472 TO J6", "MOVE R472/R133 TO J7+3")
    ships: Annotated[tuple[str, ...], Ships(_DRIVEN)]
    place: Annotated[str, Place()]

    def words(self) -> str:
        return f"move {listed(self.ships)} to {self.place}"


@dataclass(frozen=True, slots=True)
class RepairShips(Shorthand):
    """Mend all damage of several ships, or of all, in the order named, as far as the points go."""

    section = "economic"
    usage = "REPAIR ships"
    slot = "repair {ships}"
    also = ("FIX", "MEND")
    examples = ("REPAIR ALL", "REPAIR R472/R133")
    ships: Annotated[tuple[str, ...], Ships(_HURT, least=2)]

    def words(self) -> str:
        return f"repair {listed(self.ships)}"


@dataclass(frozen=True, slots=True)
class BuildHere(Shorthand):
    """Build ships at your one planet, while you own no other."""

    section = "economic"
    usage = "BUILD [count] type [AS first]"
    also = ("BUY", "CONSTRUCT")
    examples = ("BUILD Scout",)
    type: Annotated[str, _TYPE]
    count: Annotated[int | None, _COUNT] = None
    first: Annotated[int | None, NewName()] = None

    def words(self) -> str:
        return f"build {counted(self.count or 1, self.type)}"


@dataclass(frozen=True, slots=True)
class Fire(TrapOrder):
    """Aim the shots of ships at targets: each ship deals its shots out to the targets named, in turn, round and round.

    Targets that are not there are passed over.
    """

    section = "combat"
    usage = "FIRE ships AT targets..."
    slot = "fire {ships}"
    mark = OrderMark("target", of="ships", at="targets")
    also = ("SHOOT", "ATTACK")
    examples = ("FIRE R472 AT B204", "FIRE R472/R133 AT B204 B117")
    ships: Annotated[tuple[str, ...], Ships(_ARMED)]
    targets: Annotated[tuple[str, ...], Foe(), DROPS_BAD]

    def words(self) -> str:
        return f"{listed(self.ships)} to fire at {listed(self.targets)}"


@dataclass(frozen=True, slots=True)
class Target(TrapOrder):
    """Say at whom all ships without a FIRE order shoot first: players and ship types, in order of preference.

    Without it: most weapons first, then lowest number. A turn without a sheet keeps the TARGET of the
    turn before; where each section has a sheet of its own, a round of combat that of the round before.
    """

    section = "combat"
    usage = "TARGET choices..."
    slot = "target"
    examples = ("TARGET Basestar Cruiser", "TARGET blue Scout")
    choices: Annotated[tuple[str, ...], _PREY, DROPS_BAD]

    def words(self) -> str:
        return f"shoot first at {', then '.join(self.choices)}"


@dataclass(frozen=True, slots=True)
class Terraform(TrapOrder):
    """Choose the colour where a terraformer has the choice of two."""

    section = "ecopolitical"
    usage = "TERRAFORM ship [TO colour]"
    slot = "terraform {ship}"
    mark = OrderMark("note", of="ship")
    examples = ("TERRAFORM R205 TO yellow",)
    ship: Annotated[str, _TERRAFORMER]
    colour: Annotated[str | None, _COLOUR] = None

    def words(self) -> str:
        return f"terraform with {self.ship}" + (f" to {self.colour}" if self.colour else "")


@dataclass(frozen=True, slots=True)
class LeaveColour(TrapOrder):
    """Keep a terraformer from changing its planet this turn."""

    section = "ecopolitical"
    usage = "TERRAFORM ship NO"
    slot = "terraform {ship}"
    mark = OrderMark("note", of="ship")
    examples = ("TERRAFORM R205 NO",)
    ship: Annotated[str, _TERRAFORMER]

    def words(self) -> str:
        return f"do not terraform with {self.ship}"


@dataclass(frozen=True, slots=True)
class Ally(TrapOrder):
    """Set whether you want a player as ally.

    Where both say yes, you are allies from the next turn on; what is not set stays as it is.
    """

    section = "ecopolitical"
    usage = "ALLY player answer"
    slot = "ally {player}"
    examples = ("ALLY blue YES", "ALLY green NO")
    player: Annotated[str, _PLAYER]
    answer: Annotated[str, KeywordField(("YES", "NO"))]

    def words(self) -> str:
        return f"alliance with {self.player}: {self.answer.lower()}"


@dataclass(frozen=True, slots=True)
class DeclareFaction(TrapOrder):
    """Declare a faction with allies, all allied with each other, that holds enough planets at this start of turn."""

    section = "economic"
    usage = "DECLARE FACTION WITH players..."
    slot = "faction {players}"
    examples = ("DECLARE FACTION WITH blue", "DECLARE FACTION WITH blue green")
    players: Annotated[tuple[str, ...], _PLAYER]

    def words(self) -> str:
        return f"declare a faction with {listed(self.players)}"


@dataclass(frozen=True, slots=True)
class DeclareEmpire(TrapOrder):
    """Declare an empire over two allies, who need not be allied with each other; you are its dominant member."""

    section = "economic"
    usage = "DECLARE EMPIRE WITH first second"
    slot = "empire {first} {second}"
    examples = ("DECLARE EMPIRE WITH blue green",)
    first: Annotated[str, _PLAYER]
    second: Annotated[str, _PLAYER]

    @property
    def players(self) -> tuple[str, ...]:
        """The two other members."""
        return self.first, self.second

    def words(self) -> str:
        return f"declare an empire over {self.first} and {self.second}"


@dataclass(frozen=True, slots=True)
class Resign(TrapOrder):
    """Leave the game for good: your ships are scrapped, your planets become unowned. It goes before all else."""

    section = "any"
    usage = "RESIGN CONFIRM"
    ends_seat = "you would leave the game for good, your ships be scrapped and your planets become unowned"

    def words(self) -> str:
        return "resign from the game"


BOOK = OrderParser(
    (
        DeclareFaction,
        DeclareEmpire,
        Scrap,
        Repair,
        RepairShips,
        Hide,
        Build,
        BuildHere,
        Move,
        MoveTo,
        Fire,
        Target,
        Terraform,
        LeaveColour,
        Ally,
        Resign,
    )
)
"""All orders, in the order of a turn."""
