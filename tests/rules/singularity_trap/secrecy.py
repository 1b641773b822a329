"""Secrets of players of The Singularity Trap, stated by making other worlds in which they differ.

Written from the rulebook ("Who knows what"), not from the view.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Collection, Iterable

from pbem.archive.record import turn_dice
from pbem.ruleset import SeatName
from pbem.testing.play import SEED
from pbem_rules.singularity_trap.chart import SYSTEM, UNITS
from pbem_rules.singularity_trap.movement import jump_exit
from pbem_rules.singularity_trap.space import Space, distance
from pbem_rules.singularity_trap.state import Pair, Player, Ship, State, pair

Grounds = Callable[[Space], bool]

FURTHEST_MOVE = 6
"""Spaces a ship of the standard chart goes in a turn without a jump: a cruiser's slip and warps."""

KEN = FURTHEST_MOVE + 2
"""Spaces from own ships and planets within which a player may look this turn."""

PUBLIC = (
    "awaited",
    "chart",
    "house",
    "planets",
    "players.*.held",
    "players.*.playing",
    "players.*.seat",
    "round",
    "seats",
    "section",
    "told",
    "turn",
)
"""What all know: planets and the turn; who is asked and told now, each sees for itself."""


def scramble(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return another world that looks the same to the seat: ships, points, charts and alliances of others changed."""
    watch = _Watch(state, seat)
    taken = _Numbers(rnd)
    ships = {ship.id: ship for ship in state.ships.values() if ship.owner == seat}
    for ship in state.ships.values():
        if ship.owner != seat and not ship.dark and ship.space in watch.eyes:
            ships[ship.id] = _bruised(state, ship, rnd)
    taken.add(ships.values())
    ships |= {ship.id: ship for ship in _unseen(state, watch, taken, rnd)}
    return _private(dataclasses.replace(state, ships=ships, allies=_allies(state, seat, rnd)), seat, rnd)


def elsewhere(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, dict[SeatName, list[str]]]:
    """Return a world that differs only far from the seat, and orders of others that stay far from it.

    Public facts – planets, factions, who is out – stay alike: hidden ships are changed
    only where there is no planet and no other player's ship, and where no jump of the
    seat's ships leads in the suites, which throw the dice of SEED.
    """
    fleet = [ship for ship in state.ships.values() if ship.owner == seat]
    own = [ship.space for ship in fleet]
    own += [planet.space for planet in state.planets.values() if planet.owner == seat]
    own += [jump_exit(turn_dice(SEED, 1), state.chart.board, ship.space) for ship in fleet if ship.can_jump]
    strangers = _strangers(state, seat)
    settled = state.planets.keys() | _shared(state)
    fixed = {ship.id: ship for ship in state.ships.values() if not (_far(own, ship.space) and ship.owner in strangers)}
    fixed |= {ship.id: ship for ship in state.ships.values() if ship.space in settled}
    crowded = {ship.space for ship in fixed.values()}

    def open_ground(space: Space) -> bool:
        return _far(own, space) and space not in state.planets and space not in crowded

    loose = _roaming(state, strangers, _spaces(state, open_ground), _Numbers(rnd, fixed.values()), rnd)
    ships = fixed | {ship.id: ship for ship in loose}
    players = dict(state.players)
    for other in players.keys() - {seat}:
        upkeep = sum(ship.owner == other for ship in ships.values())
        players[other] = dataclasses.replace(players[other], points=upkeep + rnd.randint(0, 40))
    world = dataclasses.replace(state, ships=ships, players=players)
    return world, _orders(world, loose, open_ground, rnd)


class _Watch:
    """The spaces that a seat's ships watch over, worked out space by space."""

    def __init__(self, state: State, seat: SeatName) -> None:
        own = [ship for ship in state.ships.values() if ship.owner == seat and ship.left[SYSTEM]]
        self.eyes = {ship.space for ship in own}
        self.ranges = [(ship.space, 2 if ship.left[UNITS.index("sensor")] else 1) for ship in own]
        self.friends = {other for other in state.seats if pair(seat, other) in state.allies}
        self.seat = seat
        self.between_rounds = state.section == "combat" and state.round > 0

    def watched(self, space: Space) -> bool:
        """Return True if an unknown ship in a space would be detected."""
        # Between rounds of combat sensors are not read (ruling 39).
        if self.between_rounds:
            return space in self.eyes
        return any(distance(space, eye) <= reach for eye, reach in self.ranges)


class _Numbers:
    """Source of ship numbers that no other ship of the player has."""

    def __init__(self, rnd: random.Random, ships: Iterable[Ship] = ()) -> None:
        self.rnd, self.used = rnd, {ship.id for ship in ships}

    def add(self, ships: Iterable[Ship]) -> None:
        self.used |= {ship.id for ship in ships}

    def draw(self, owner: SeatName) -> str:
        while (key := f"{owner[0].upper()}{self.rnd.randint(100, 999)}") in self.used:
            pass
        self.used.add(key)
        return key


def _unseen(state: State, watch: _Watch, numbers: _Numbers, rnd: random.Random) -> Iterable[Ship]:
    """Yield all that the seat cannot count: marks and allied fleets keep their spaces, the rest is unwatched."""
    others = [other for other in state.seats if other != watch.seat and state.players[other].playing]
    strangers = [other for other in others if other not in watch.friends]
    present = {(ship.owner, ship.space) for ship in state.ships.values() if ship.left[SYSTEM]}
    for owner, space in sorted(present):
        if owner in watch.friends and space not in watch.eyes and not watch.between_rounds:
            yield from _squadron(state, owner, space, numbers, rnd)
    marks = {space for owner, space in present if owner in strangers and watch.watched(space)} - watch.eyes
    for space in sorted(marks):
        yield from _squadron(state, rnd.choice(strangers), space, numbers, rnd)
    unwatched = _spaces(state, lambda space: not watch.watched(space))
    for owner in others if watch.between_rounds else strangers:
        for _ in range(rnd.randint(0, 5)):
            yield _ship(state, owner, rnd.choice(unwatched), numbers, rnd)
    for owner in others:
        for _ in range(rnd.randint(0, 3)):
            hidden = _ship(state, owner, rnd.choice(state.chart.board.spaces()), numbers, rnd)
            yield dataclasses.replace(hidden, left=(*hidden.left[:SYSTEM], 0))


def _squadron(state: State, owner: SeatName, space: Space, numbers: _Numbers, rnd: random.Random) -> Iterable[Ship]:
    for _ in range(rnd.randint(1, 3)):
        yield _ship(state, owner, space, numbers, rnd)


def _ship(state: State, owner: SeatName, space: Space, numbers: _Numbers, rnd: random.Random) -> Ship:
    kind = rnd.choice(state.chart.types)
    moved = state.section in ("combat", "ecopolitical") and rnd.random() < 0.5
    ship = Ship(numbers.draw(owner), owner, kind.name, space, kind.units, moved)
    return _damaged(ship, rnd.randint(0, 2), rnd)


def _bruised(state: State, ship: Ship, rnd: random.Random) -> Ship:
    """Return a ship of the same type and damage total, its damage elsewhere."""
    full = state.chart.type_by_name[ship.type].units
    return (
        _damaged(dataclasses.replace(ship, left=full), sum(full) - sum(ship.left), rnd) if rnd.random() < 0.8 else ship
    )


def _damaged(ship: Ship, damage: int, rnd: random.Random) -> Ship:
    """Return a ship with so many units damaged at random, so that it is neither dark nor destroyed."""
    drive, weapons = UNITS.index("drive"), UNITS.index("weapons")
    while True:
        units = [unit for unit, count in enumerate(ship.left) for _ in range(count)]
        lost = rnd.sample(units, min(damage, len(units) - 2))
        left = tuple(count - lost.count(unit) for unit, count in enumerate(ship.left))
        if left[SYSTEM] and (left[drive] or left[weapons]):
            return dataclasses.replace(ship, left=left)


def _allies(state: State, seat: SeatName, rnd: random.Random) -> frozenset[Pair]:
    """Return the seat's own alliances, and any among others but those that a faction tells of."""
    together = {pair(a, b) for faction in state.factions for a in faction.members for b in faction.members if a != b}
    strange = {(a, b) for a in state.seats for b in state.seats if a < b and seat not in (a, b)} - together
    drawn = {allies for allies in sorted(strange) if rnd.random() < 0.5}
    return frozenset((state.allies - strange) | drawn) if state.house.alliances else state.allies


def _private(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return the state with others' private data changed: points, ships' numbers past and present, charts, wishes."""
    players = dict(state.players)
    for other in state.seats:
        if other != seat and players[other].playing:
            players[other] = _papers(state, players[other], rnd)
    return dataclasses.replace(state, players=players)


def _papers(state: State, player: Player, rnd: random.Random) -> Player:
    numbers = {ship.number for ship in state.ships.values() if ship.owner == player.seat}
    numbers |= set(rnd.sample(range(100, 1_000), rnd.randint(0, 9)))
    spaces = state.chart.board.spaces()
    charts = {rnd.choice(spaces): rnd.choice(spaces) for _ in range(rnd.randint(0, 4))}
    return dataclasses.replace(
        player,
        points=rnd.randint(0, 99),
        numbers=tuple(rnd.sample(sorted(numbers), len(numbers))),
        charts=tuple(sorted(charts.items())),
        wishes=tuple(other for other in state.seats if other != player.seat and rnd.random() < 0.5),
    )


def _strangers(state: State, seat: SeatName) -> list[SeatName]:
    """Return players not allied with the seat now or next turn, and not out of the game without their ships."""
    owners = {planet.owner for planet in state.planets.values()}
    friends = {other for other in state.seats if pair(seat, other) in state.allies}
    friends |= {other for other in state.seats if seat in state.players[other].wishes}
    return [other for other in state.seats if other in owners - friends - {seat}]


def _shared(state: State) -> set[Space]:
    """Return the spaces with ships of several players, which are left alone."""
    spaces = [space for _, space in {(ship.owner, ship.space) for ship in state.ships.values()}]
    return {space for space in spaces if spaces.count(space) > 1}


def _far(own: Collection[Space], space: Space) -> bool:
    return all(distance(space, near) > KEN for near in own)


def _spaces(state: State, grounds: Grounds) -> list[Space]:
    return [space for space in state.chart.board.spaces() if grounds(space)]


def _roaming(
    state: State, strangers: list[SeatName], grounds: list[Space], numbers: _Numbers, rnd: random.Random
) -> list[Ship]:
    """Return ships far away; some in the same spaces, so that there are fights of which the seat does not hear.

    At pace "section" rounds of combat are asked for one by one, which all notice
    (ruling 37), so there each player's ships keep to themselves.
    """
    if len(grounds) < len(strangers):
        return []
    arenas = rnd.sample(grounds, len(strangers))
    shared = state.house.pace == "turn"
    return [
        _ship(state, owner, rnd.choice(arenas) if shared else arenas[place], numbers, rnd)
        for place, owner in enumerate(strangers)
        for _ in range(rnd.randint(0, 4))
    ]


def _orders(state: State, loose: list[Ship], grounds: Grounds, rnd: random.Random) -> dict[SeatName, list[str]]:
    """Return warps within far spaces, fire, and doctrine of players without other ships that would heed it."""
    sheets: dict[SeatName, list[str]] = {}
    elsewhere = {ship.owner for ship in state.ships.values() if ship not in loose}
    for ship in loose:
        doctrine = rnd.choice(["TARGET Cruiser", "TARGET Scout Basestar", "; nothing"])
        lines = sheets.setdefault(ship.owner, [] if ship.owner in elsewhere else [doctrine])
        near = [other for other in loose if other.owner != ship.owner]
        if rnd.random() < 0.3 and near:
            lines.append(f"FIRE {ship.id} AT {rnd.choice(near).id}")
        q, r, z = ship.space
        above = (q, r, z + 1)
        if state.house.pace == "turn" and rnd.random() < 0.5 and grounds(above) and state.chart.board.has(above):
            lines.append(f"MOVE {ship.id} UP")
    return sheets
