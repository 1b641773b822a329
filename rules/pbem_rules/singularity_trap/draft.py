"""A turn under way: the state being changed, the orders, the dice and the events so far.

The steps of the resolver work on a draft; the state it was made from stays as
it was. Records are replaced, never changed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pbem.ruleset import Dice, Event, Order, SeatName
from pbem_rules.singularity_trap.orders import BOOK, new_number
from pbem_rules.singularity_trap.sensors import Watch
from pbem_rules.singularity_trap.space import Space
from pbem_rules.singularity_trap.state import Planet, Player, Result, Ship, State

AnOrder = TypeVar("AnOrder", bound=Order)


class Draft:
    """A state in the making.

    `repaired` has the ids of the ships repaired in this economic section, `built` those of the ships built, by
    player and NEW number.
    """

    def __init__(self, state: State, orders: Mapping[SeatName, tuple[Order, ...]], dice: Dice) -> None:
        self.house, self.chart, self.board = state.house, state.chart, state.chart.board
        self.turn, self.seats = state.turn, state.seats
        self.section, self.round = state.section, state.round
        self.orders, self.dice = orders, dice
        self.players: dict[SeatName, Player] = dict(state.players)
        self.planets: dict[Space, Planet] = dict(state.planets)
        self.ships: dict[str, Ship] = dict(state.ships)
        self.allies, self.factions, self.result = state.allies, state.factions, state.result
        self.events: list[Event] = []
        self.repaired: set[str] = set()
        self.built: dict[tuple[SeatName, int], str] = {}
        self._base = state

    def finished(self, *, awaited: Iterable[SeatName], told: frozenset[SeatName] | None) -> State:
        """Return the state that this draft has reached."""
        return dataclasses.replace(
            self._base,
            turn=self.turn,
            section=self.section,
            round=self.round,
            players=self.players,
            planets=self.planets,
            ships=self.ships,
            allies=self.allies,
            factions=self.factions,
            result=self.result,
            awaited=frozenset(awaited),
            told=told,
        )

    @property
    def playing(self) -> list[SeatName]:
        """The players still in the game, in the order of the wheel."""
        return [seat for seat in self.seats if self.players[seat].playing]

    def orders_of(self, seat: SeatName, kind: type[AnOrder]) -> list[AnOrder]:
        """Return a player's orders of one kind, in the order written."""
        return [order for order in self.orders.get(seat, ()) if isinstance(order, kind)]

    def tell(self, kind: str, *audience: SeatName, **data: Any) -> None:
        """Report an event to some players."""
        self.events.append(Event(kind, frozenset(audience), data))

    def proclaim(self, kind: str, **data: Any) -> None:
        """Report an event to all."""
        self.tell(kind, *self.seats, **data)

    def refuse(self, seat: SeatName, order: Order, why: str) -> None:
        """Tell a player that an order, or a part of it, was not carried out."""
        self.tell("refused", seat, line=BOOK.line(order), why=why)

    def end(self, winners: Iterable[SeatName], reason: str) -> None:
        """End the game and tell all."""
        self.result = Result(tuple(winners), reason)
        self.proclaim("victory", winners=list(self.result.winners), reason=reason)

    def allied(self, a: SeatName, b: SeatName) -> bool:
        """Return True if two players are allies."""
        return a != b and ((a, b) if a < b else (b, a)) in self.allies

    def hostile(self, a: SeatName, b: SeatName) -> bool:
        """Return True if two players are neither the same nor allies."""
        return a != b and not self.allied(a, b)

    def pay(self, seat: SeatName, points: int) -> None:
        """Take points from a player; income is negative."""
        player = self.players[seat]
        self.players[seat] = dataclasses.replace(player, points=player.points - points)

    def points(self, seat: SeatName) -> int:
        """Return the points that a player has to spend."""
        return self.players[seat].points

    def fleet(self, seat: SeatName) -> list[Ship]:
        """Return a player's ships, by number."""
        return sorted((ship for ship in self.ships.values() if ship.owner == seat), key=lambda ship: ship.number)

    def put(self, ship: Ship) -> None:
        """Add a ship or replace it."""
        self.ships[ship.id] = ship

    def name(self, space: Space) -> str:
        """Return a space as players write it."""
        return self.board.name(space)

    def planets_of(self, seat: SeatName) -> int:
        """Return the number of planets that a player owns."""
        return sum(planet.owner == seat for planet in self.planets.values())

    def own_ship(self, seat: SeatName, name: str) -> Ship | None:
        """Return the ship that a player names by its id, or as NEW1 …; None if the player has no such ship any more."""
        number = new_number(name)
        ship = self.ships.get(self.built.get((seat, number), "") if number else name)
        return ship if ship and ship.owner == seat else None

    def ordered_ships(self, seat: SeatName, order: Order, names: Iterable[str]) -> Iterator[Ship]:
        """Yield the ships that an order names; those that are gone are refused one by one."""
        for name in names:
            ship = self.own_ship(seat, name)
            if ship is None:
                self.refuse(seat, order, f"{name} was not built" if new_number(name) else f"{name} is no more")
            else:
                yield ship

    def in_play(self) -> dict[Space, list[Ship]]:
        """Return the ships that are not dark, by space, each space's by id."""
        spaces: dict[Space, list[Ship]] = {}
        for key in sorted(self.ships):
            ship = self.ships[key]
            if not ship.dark:
                spaces.setdefault(ship.space, []).append(ship)
        return spaces

    def sense(self, after: str) -> None:
        """Tell every player the reading of their sensors at the end of a section (ruling 25)."""
        watch = Watch(self.chart, self.ships.values(), self.allied)
        for seat in self.playing:
            sensed = watch.sensors(seat)
            if any(sensed.values()):
                self.tell("sensed", seat, after=after, **sensed)


Step = Callable[[Draft], None]
"""One step of a turn."""
