"""A turn while it is resolved: arrays that may change, and its events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from pbem.ruleset import Dice, Event, Order, TurnInput
from pbem_rules.harvester import forest
from pbem_rules.harvester.combat import Contest
from pbem_rules.harvester.planet import Ints
from pbem_rules.harvester.state import NO_COURSE, NOWHERE, State
from pbem_rules.harvester.units import HARVESTER, HARVESTER_WRECK, SCANNER, SLOTS

OrderT = TypeVar("OrderT", bound=Order)


class Play(Contest):
    """A turn while it is resolved. `home` is the hex of each Harvester, also after its player went out.

    Every event has a sort key: the `step` of the turn, the `impulse` of movement, the first unit of its
    reader that it concerns, and the place. These are the same whatever happens out of the reader's sight,
    so the order of events reveals nothing more (ruling 12).
    """

    def __init__(self, state: State, turn: TurnInput, dice: Dice) -> None:
        self.state, self.dice, self.planet, self.seats = state, dice, state.planet, state.seats
        self.at, self.held, self.standoffs = state.at.copy(), state.held.copy(), state.standoffs
        self.course, self.waiting, self.build = state.course.copy(), state.waiting.copy(), state.build.copy()
        self.ruler: Ints = state.ruler.copy()
        self.silent, self.left = state.silent.copy(), state.left.copy()
        self.resources = state.resources.copy()
        self.traffic = np.zeros_like(state.traffic)
        self.home = self.at[:, HARVESTER].copy()
        self.numbers = {seat: number for number, seat in enumerate(state.seats)}
        self._orders = self._by_kind(turn)
        self.missing, self.removed = self._players(turn.missing), self._players(turn.removed)
        self.step = 0
        self._told: list[Event] = []
        self._keys: list[int] = []
        self._rank = {seat: rank for rank, seat in enumerate(sorted(state.seats))}
        self._alone = [frozenset((seat,)) for seat in state.seats]

    def _by_kind(self, turn: TurnInput) -> dict[type[Order], tuple[list[int], list[Any]]]:
        orders: dict[type[Order], tuple[list[int], list[Any]]] = defaultdict(lambda: ([], []))
        for player in sorted(self.numbers[seat] for seat in turn.orders if seat in self.numbers):
            for order in turn.orders[self.state.seats[player]]:
                players, given = orders[type(order)]
                players.append(player)
                given.append(order)
        return orders

    def orders(self, kind: type[OrderT]) -> Iterator[tuple[int, OrderT]]:
        """Yield all orders of a type from players still in play, by player."""
        playing = (self.left == 0).tolist()
        for player, order in zip(*self._orders[kind], strict=True):
            if playing[player]:
                yield player, order

    def _players(self, seats: Iterable[str]) -> list[int]:
        numbers = sorted(self.numbers[seat] for seat in seats if seat in self.numbers)
        return [player for player in numbers if self.left[player] == 0]

    def tell(self, players: Iterable[int], kind: str, **data: Any) -> None:
        """Record an event without a place; several are sorted by the seat `who` they are about."""
        told = list(players)
        audience = self._alone[told[0]] if len(told) == 1 else frozenset([self.seats[player] for player in told])
        self._told.append(Event(kind, audience, data))
        self._keys += (self.step, self.impulse, SLOTS, NOWHERE, NOWHERE, self._rank.get(data.get("who", ""), NOWHERE))

    def tell_at(self, player: int, kind: str, cell: int, *, slot: int = HARVESTER, **data: Any) -> None:
        """Record an event for one player about the unit in `slot`, in a hex."""
        self.record(player, kind, cell, slot, 0, data)

    def record(self, player: int, kind: str, cell: int, slot: int, way: int, data: dict[str, Any]) -> None:
        """Record an event as `tell_at` does, in a hex or `way` from it; there are most of fights."""
        self._told.append(Event(kind, self._alone[player], data))
        self._keys += (self.step, self.impulse, slot, player, cell, way)

    def wreck(self, units: Ints) -> None:
        """Destroy defence units, given as player × SLOTS + slot, and leave their resources (ruling 6)."""
        cells = self.at.reshape(-1)
        np.add.at(self.resources, cells[units], SCANNER[units % SLOTS])
        cells[units] = NOWHERE

    def leave(self, leaving: Mapping[int, str]) -> None:
        """Take players out, for the reasons given: Harvester and units destroy themselves (rulings 6, 8 and 11)."""
        for player in sorted(leaving, key=self.state.seats.__getitem__):
            self.tell([player, *self.above(player)], "out", who=self.state.seats[player], why=leaving[player])
        for player in leaving:
            units = player * SLOTS + np.flatnonzero(self.at[player, 1:] != NOWHERE) + 1
            self.wreck(units)
            self.resources[self.at[player, HARVESTER]] += HARVESTER_WRECK
            self.at[player, HARVESTER] = NOWHERE
            self.held[player] = self.silent[player] = self.waiting[player] = 0
            self.course[player], self.build[player] = NO_COURSE, (NOWHERE, 0)
            self.left[player] = self.state.turn
        self._pass_on(leaving)

    def _pass_on(self, leaving: Mapping[int, str]) -> None:
        """Pass the subservients of lost rulers to those above, or free them (ruling 8)."""
        # All heirs are found before any ruler changes, as several rulers may leave at once.
        heirs = {}
        for player in np.flatnonzero(np.isin(self.ruler, list(leaving))).tolist():
            heir = next((ruler for ruler in self.above(player) if ruler not in leaving), forest.NOBODY)
            if player not in leaving:
                heirs[player] = heir
        for player, heir in heirs.items():
            self.ruler[player] = heir
            if heir == forest.NOBODY:
                self.tell([player], "freed")
            else:
                self.tell([player], "passed", to=self.state.seats[heir])
        for player in leaving:
            self.ruler[player] = forest.NOBODY

    def finished(self) -> State:
        """Return the state after the turn."""
        return replace(
            self.state,
            turn=self.state.turn + 1,
            standoffs=self.standoffs,
            at=self.at,
            held=self.held,
            course=self.course,
            waiting=self.waiting,
            build=self.build,
            ruler=self.ruler,
            silent=self.silent,
            left=self.left,
            resources=self.resources,
            traffic=self.traffic,
        )

    def events(self) -> tuple[Event, ...]:
        """Return the events in their order, with hexes in each reader's coordinates."""
        step, impulse, slot, player, cell, last = np.array(self._keys, np.int64).reshape(-1, 6).T
        name = (cell - self.state.origin[player]) % self.planet.count
        placed = player != NOWHERE
        q, r = np.where(placed, self.planet.q[name], 0), np.where(placed, self.planet.r[name], 0)
        spots = zip(q.tolist(), r.tolist(), strict=True)
        for event, here, known in zip(self._told, spots, placed.tolist(), strict=True):
            if known:
                # Coordinates are each reader's own (ruling 15), so they are added last, for all events at once.
                data = cast("dict[str, Any]", event.data)
                data["q"], data["r"] = here
        # A counter of judgements would tell of losses out of sight: events are sorted by what is the same for the
        # reader.
        return tuple(self._told[number] for number in np.lexsort((last, r, q, slot, impulse, step)).tolist())
