"""Fog Patrol: a small game of boats in fog, with which the suites are tested.

Every seat has three boats on a board of 13 × 13 squares. A boat sees two squares
far, moves one square a turn and then fires at a square within three. Shots hit
half of the time; two hits sink a boat. After the last turn most boats win.

It has two versions: boats of campaigns that were begun under version 1 fire at
squares within two.

A boat's `number` is the program's own and means nothing to players: the secrecy
suite has to find leaks of it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pbem.ruleset import (
    BaseRuleset,
    Bot,
    Dice,
    Event,
    Finding,
    Json,
    KeywordField,
    NameField,
    Option,
    Order,
    OrderParser,
    ParsedSheet,
    Picture,
    SeatName,
    Seats,
    Standing,
    TurnInput,
    View,
)

SIZE = 13
SIGHT = 2
REACH = 3
HULL = 2
SQUARES = tuple(f"{chr(ord('A') + x)}{y + 1}" for x in range(SIZE) for y in range(SIZE))
STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
CORNERS = ((2, 2), (10, 10), (10, 2), (2, 10))


@dataclass(frozen=True, slots=True)
class Boat:
    """A boat; other seats see only its place and owner."""

    number: int
    owner: SeatName
    name: str
    square: str
    hull: int


@dataclass(frozen=True, slots=True)
class Sea:
    """The full state: the turn to be played, the last turn, and all boats; `edition` is the version it began under."""

    turn: int
    turns: int
    seats: tuple[SeatName, ...]
    boats: tuple[Boat, ...]
    edition: int = 2


OWN_BOAT = NameField("boat", "one of your boats", "R1", lambda view: [boat["name"] for boat in view["boats"]])
SQUARE = NameField("square", "a square from A1 to M13", "G7", lambda view: SQUARES)


@dataclass(frozen=True, slots=True)
class Move(Order):
    """Move a boat one square."""

    usage = "MOVE boat direction"
    boat: Annotated[str, OWN_BOAT]
    direction: Annotated[str, KeywordField(tuple(STEPS))]

    def words(self) -> str:
        return f"{self.boat} moves {self.direction}"


@dataclass(frozen=True, slots=True)
class Fire(Order):
    """Fire at a square, after all boats have moved."""

    usage = "FIRE boat AT square"
    boat: Annotated[str, OWN_BOAT]
    square: Annotated[str, SQUARE]

    def words(self) -> str:
        return f"{self.boat} fires at {self.square}"


def spot(square: str) -> tuple[int, int]:
    """Return column and row of a square, from 0."""
    return ord(square[0]) - ord("A"), int(square[1:]) - 1


def apart(a: str, b: str) -> int:
    """Return the distance of two squares, diagonals counting as one."""
    (ax, ay), (bx, by) = spot(a), spot(b)
    return max(abs(ax - bx), abs(ay - by))


def moved(square: str, direction: str) -> str | None:
    """Return the next square in a direction; None beyond the board."""
    x, y = (a + b for a, b in zip(spot(square), STEPS[direction], strict=True))
    return f"{chr(ord('A') + x)}{y + 1}" if 0 <= x < SIZE and 0 <= y < SIZE else None


def sees(boats: Iterable[Boat], seat: SeatName, square: str) -> bool:
    """Return True if a boat of the seat is within sight of a square."""
    return any(boat.owner == seat and apart(boat.square, square) <= SIGHT for boat in boats)


def _bot(view: View, dice: Dice) -> list[str]:
    """Fire at visible boats, and move toward the middle of the board with random detours."""
    lines = []
    for boat in view["boats"]:
        x, y = spot(boat["square"])
        ways = ["W" if 2 * x >= SIZE else "E", "N" if 2 * y >= SIZE else "S"]
        lines.append(f"MOVE {boat['name']} {dice.pick(ways, boat['name'])}")
        if view["contacts"]:
            lines.append(f"FIRE {boat['name']} AT {dice.pick(view['contacts'], boat['name'], 'target')['square']}")
    return lines


_BOTS: Mapping[str, Bot] = {"standard": _bot}


class FogPatrol(BaseRuleset[Sea]):
    """The rules of Fog Patrol."""

    key = "toy"
    title = "Fog Patrol"
    version = 2
    upgrades: tuple[Callable[[Json], Json], ...] = (lambda data: {**data, "edition": 1},)
    designer = "this project's tests"
    seats = Seats(2, 4, ("red", "blue", "green", "amber"))
    pace = "simultaneous"
    summary = "Boats look for each other in fog."
    rulebook = "# Fog Patrol\n\nBy this project's tests.\n\n1. Boats move, then fire.\n\n{{ORDERS}}"
    orders = OrderParser((Move, Fire))
    bots = _BOTS
    options = (
        Option("turns", "int", 12, "turns to play", low=2, high=20),
        Option("boats", "int", 3, "boats of each seat", low=1, high=5),
    )

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> Sea:
        boats: list[Boat] = []
        for index, seat in enumerate(seats):
            home = _square(*CORNERS[index])
            berths = [square for square in SQUARES if apart(square, home) <= SIGHT]
            for count, square in enumerate(dice.shuffle(berths, "berth", seat)[: options["boats"]]):
                boats.append(Boat(len(boats), seat, f"{seat[0].upper()}{count + 1}", square, HULL))
        return Sea(1, options["turns"], tuple(seats), tuple(boats))

    def view(self, state: Sea, seat: SeatName, events: Sequence[Event]) -> View:
        own = [boat for boat in state.boats if boat.owner == seat]
        return {
            **self.heading(state, seat, events, f"turn {state.turn}"),
            "turns": state.turns,
            "boats": [{"name": boat.name, "square": boat.square, "hull": boat.hull} for boat in sorted(own, key=_name)],
            "contacts": sorted(self.contacts(state, seat), key=lambda seen: (seen["square"], seen["owner"])),
            "winners": list(self.standing(state).winners),
        }

    def contacts(self, state: Sea, seat: SeatName) -> list[dict[str, Any]]:
        """Return the boats of others that a seat sees, in an order that tells nothing."""
        return [
            {"square": boat.square, "owner": boat.owner}
            for boat in state.boats
            if boat.owner != seat and sees(state.boats, seat, boat.square)
        ]

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        parsed = self.orders.parse(view, lines)
        entries, findings = [], list(parsed.findings)
        berths = {boat["name"]: boat["square"] for boat in view["boats"]}
        told: set[tuple[type[Order], str]] = set()
        for entry in parsed.entries:
            wrong = _objection(entry.order, berths, told)
            if wrong:
                findings.append(Finding(entry.line, "error", *wrong))
            else:
                entries.append(entry)
        return ParsedSheet(tuple(entries), tuple(sorted(findings, key=lambda finding: finding.line)))

    def template(self, view: View) -> list[str]:
        return [f"; MOVE {boat['name']} <step>" for boat in view["boats"]]

    def resolve(self, state: Sea, turn: TurnInput, dice: Dice) -> tuple[Sea, tuple[Event, ...]]:
        events: list[Event] = []
        boats = [boat for boat in state.boats if boat.owner not in turn.removed]
        boats = list(_move(boats, turn, events))
        hits = dict.fromkeys((boat.number for boat in boats), 0)
        for shooter, square in _shots(boats, turn, REACH if state.edition > 1 else 2):
            targets = [boat for boat in boats if boat.square == square and boat.owner != shooter.owner]
            struck = [boat for boat in sorted(targets, key=_name) if _hits(dice, shooter, boat)]
            for boat in struck:
                hits[boat.number] += 1
            seen = sees(boats, shooter.owner, square)
            result = ("hit" if struck else "missed") if seen else "not seen"
            events.append(_event("fired", shooter.owner, boat=shooter.name, square=square, result=result))
        left = tuple(_damage(boats, hits, events))
        return dataclasses.replace(state, turn=state.turn + 1, boats=left), tuple(events)

    def standing(self, state: Sea) -> Standing:
        scores = {seat: sum(boat.owner == seat for boat in state.boats) for seat in state.seats}
        afloat = frozenset(seat for seat, score in scores.items() if score)
        if len(afloat) > 1 and state.turn <= state.turns:
            return Standing(over=False, awaiting=afloat, scores=scores)
        winners = tuple(seat for seat in state.seats if scores[seat] == max(scores.values()))
        return Standing(over=True, awaiting=frozenset(), scores=scores, winners=winners, reason="most boats afloat")

    def pictures(self, view: View) -> Sequence[Picture]:
        marks = [(boat["square"], boat["name"]) for boat in view["boats"]]
        marks += [(seen["square"], seen["owner"]) for seen in view["contacts"]]
        drawn = "".join(_mark(square, text) for square, text in marks)
        side = 40 * SIZE
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}">{drawn}</svg>'
        return [Picture("map", "The sea as you see it", svg, side, side)]

    def text_map(self, view: View) -> str:
        marks = {seen["square"]: seen["owner"][0] for seen in view["contacts"]}
        marks |= {boat["square"]: boat["name"][0] for boat in view["boats"]}
        rows = (" ".join(marks.get(_square(x, y), ".") for x in range(SIZE)) for y in range(SIZE))
        return "\n".join(rows)


def _square(x: int, y: int) -> str:
    return SQUARES[x * SIZE + y]


def _name(boat: Boat) -> tuple[SeatName, str]:
    return boat.owner, boat.name


def _event(kind: str, *audience: SeatName, **data: Any) -> Event:
    return Event(kind, frozenset(audience), data)


def _objection(order: Order, berths: Mapping[str, str], told: set[tuple[type[Order], str]]) -> tuple[str, str] | None:
    """Return code and text of the objection to an order, as far as its player can know."""
    assert isinstance(order, Move | Fire)
    if (type(order), order.boat) in told:
        return "twice", f"{order.boat} has such an order already"
    told.add((type(order), order.boat))
    if isinstance(order, Move) and moved(berths[order.boat], order.direction) is None:
        return "off-board", f"{order.direction} of {berths[order.boat]} there is no sea"
    return None


def _move(boats: Sequence[Boat], turn: TurnInput, events: list[Event]) -> Iterator[Boat]:
    orders = {
        (seat, order.boat): order.direction
        for seat, sheet in turn.orders.items()
        for order in sheet
        if isinstance(order, Move)
    }
    for boat in boats:
        square = boat.square
        if direction := orders.get((boat.owner, boat.name)):
            square = moved(square, direction) or square
            events.append(_event("moved", boat.owner, boat=boat.name, square=square))
        yield dataclasses.replace(boat, square=square)


def _shots(boats: Sequence[Boat], turn: TurnInput, reach: int) -> Iterator[tuple[Boat, str]]:
    """Return all shots within range, by the name of the boat that fires."""
    for boat in sorted(boats, key=_name):
        for order in turn.orders.get(boat.owner, ()):
            if isinstance(order, Fire) and order.boat == boat.name and apart(boat.square, order.square) <= reach:
                yield boat, order.square


def _hits(dice: Dice, shooter: Boat, target: Boat) -> bool:
    return dice.chance(1, 2, "fire", shooter.owner, shooter.name, target.owner, target.name)


def _damage(boats: Sequence[Boat], hits: Mapping[int, int], events: list[Event]) -> Iterator[Boat]:
    for boat in sorted(boats, key=_name):
        hull = boat.hull - hits[boat.number]
        if hull > 0:
            if hull < boat.hull:
                events.append(_event("struck", boat.owner, boat=boat.name, hull=hull))
            yield dataclasses.replace(boat, hull=hull)
        else:
            witnesses = {other.owner for other in boats if apart(other.square, boat.square) <= SIGHT}
            events.append(_event("sunk", *witnesses, owner=boat.owner, square=boat.square))


def _mark(square: str, text: str) -> str:
    x, y = spot(square)
    return f'<text x="{40 * x}" y="{40 * y + 20}" font-family="DejaVu Sans" font-size="12">{text}</text>'


TOY = FogPatrol()
