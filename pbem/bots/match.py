"""A match: one play of a game in memory, with the views that would be mailed, without mail and without a database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from pbem.archive.record import setup_dice, turn_dice
from pbem.campaign.snapshot import format_player_count
from pbem.errors import ConfigError
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset, TurnInput, iter_views, with_memory
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Event, SeatName, Standing, View

USUAL_SEATS = 4


class Match:
    """A match. Its dice are those of a campaign whose seed, mixed with the dice words, is the same.

    `turns` is the number of turns run, `standing` that of now.

    Raises:
        SetupError: The game cannot be played with these options or seats.
    """

    def __init__(self, ruleset: AnyRuleset, options: Mapping[str, Any], seats: Sequence[SeatName], seed: bytes) -> None:
        self.ruleset, self.seats, self.turns = ruleset, tuple(seats), 0
        self._seed = seed
        self._state = ruleset.setup(options, self.seats, setup_dice(seed))
        self._events: list[tuple[Event, ...]] = []
        self._heard = dict.fromkeys(self.seats, 0)
        self._mailed: dict[SeatName, bytes] = {}
        self._used: Mapping[SeatName, tuple[Order, ...]] = {}
        self.standing = self._report()

    def view(self, seat: SeatName) -> View:
        """Return the view that the seat was mailed last, as a copy of its own."""
        view: View = json.loads(self._mailed[seat])
        return view

    def run(self, orders: Mapping[SeatName, tuple[Order, ...]]) -> None:
        """Run the open turn with these orders; an awaited seat that has sent none at all gets its defaults."""
        missing = self.standing.awaiting - orders.keys()
        used = {seat: tuple(self.ruleset.defaults(self.view(seat), self._used.get(seat, ()))) for seat in missing}
        self._used = {**orders, **used}
        self.turns += 1
        turn = TurnInput(self._used, missing=missing)
        self._state, events = self.ruleset.resolve(self._state, turn, turn_dice(self._seed, self.turns))
        self._events.append(events)
        self.standing = self._report()

    def _report(self) -> Standing:
        """Make the views of the seats that get a report now; return the standing."""
        standing = self.ruleset.standing(self._state)
        everyone = standing.over or standing.told is None or not self._events  # all are told of the set-up
        told = [seat for seat in self.seats if everyone or seat in standing.awaiting | (standing.told or frozenset())]
        # A seat that got no report at some openings hears of all events since its last one.
        for first in sorted({self._heard[seat] for seat in told}):
            seats = [seat for seat in told if self._heard[seat] == first]
            events = tuple(chain.from_iterable(self._events[first:]))
            for seat, view in iter_views(self.ruleset, self._state, seats, events):
                last = self.view(seat) if seat in self._mailed else None
                self._mailed[seat] = canonical_json(with_memory(self.ruleset, view, last))
        self._heard.update(dict.fromkeys(told, len(self._events)))
        return standing


def seat_names(ruleset: AnyRuleset, seats: int | None) -> list[str]:
    """Return the names of so many seats of a game; by default four, where it takes them.

    Raises:
        ConfigError: If it does not take so many.
    """
    known = ruleset.seats
    number = seats if seats is not None else min(known.most, max(known.least, USUAL_SEATS))
    if not known.least <= number <= known.most:
        raise ConfigError(f"{ruleset.title} is for {format_player_count(known)} players, not {number}")
    if known.names:
        return list(known.names[:number])
    others = [f"player{count}" for count in range(1, number + 1)]
    return [*ruleset.demo.seats[:number], *others[len(ruleset.demo.seats) :]]


def seed_of(*words: str | int) -> bytes:
    """Return a seed that follows from words alone."""
    return hashlib.sha256(json.dumps(words).encode()).digest()
