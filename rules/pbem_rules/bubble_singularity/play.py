"""A turn while it is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pbem.ruleset import Dice, Event, FieldError, Order, SeatName
from pbem_rules.bubble_singularity.events import ENDS, private, public
from pbem_rules.bubble_singularity.orders import ORDERS
from pbem_rules.bubble_singularity.plan import Item, Plan, plan_of
from pbem_rules.bubble_singularity.scores import totals, winners
from pbem_rules.bubble_singularity.state import PendingChoice, Result, State
from pbem_rules.bubble_singularity.table import Table


@dataclass(eq=False)
class Chain:
    """A chain reaction: the squares of its pops, and what else counts for its score (ruling 13)."""

    pops: list[str] = field(default_factory=list)
    stations: list[str] = field(default_factory=list)
    nodes: int = 0
    begun_beside_research: bool = False
    beside_node: bool = False
    universe: bool = False
    length: int = 0


class Play:
    """A turn while it is resolved: table, mover, plan and events, changed by each step.

    `waiting` maps the spaces about to pop, the first that became ready first, to
    the chain that completed the group (ruling 11); `sparks` are spaces that pop
    with one bubble. `chains` are those begun, `pops` the spaces of all their pops,
    in order; `chain` is the one whose pop is being resolved. `stop` is the space
    where the Mari ended its move, `research` is True while bubbles are still to be
    drawn at the research station. `questions` are those to the mover, in the order
    drawn. Without dice it is a rehearsal, in which no step may draw anything.
    """

    def __init__(self, state: State, orders: Mapping[SeatName, tuple[Order, ...]], dice: Dice | None) -> None:
        self.state, self.orders, self._dice = state, orders, dice
        self.table = Table(state)
        self.order = list(state.order)
        self.mover, self.round, self.last_round = state.mover, state.round, state.last_round
        self.questions: list[PendingChoice] = list(state.questions)
        self.pending = state.pending
        self.wish, self.liking = state.wish, state.liking
        self.lists = dict(state.lists)
        self.quiet, self.unscored = state.quiet, state.unscored
        self.result = state.result
        self.events: list[Event] = []
        self.refusals: list[tuple[SeatName, Item, FieldError]] = []
        self.waiting: dict[str, Chain] = {}
        self.sparks: set[str] = set()
        self.chains: list[Chain] = []
        self.pops: list[str] = []
        self.chain: Chain | None = None
        self.stop = ""
        self.research = False
        self.plan = Plan()
        if state.phase == "turn":
            self.plan = plan_of(self.orders.get(self.seat, ()), self.refuse)

    def branch(self, orders: tuple[Order, ...]) -> Play:
        """Return a copy of a rehearsal before its first pop, which goes on with other orders of the mover."""
        other = Play.__new__(Play)
        other.__dict__.update(self.__dict__)
        other.table = self.table.copy()
        other.events, other.refusals, other.sparks = list(self.events), list(self.refusals), set(self.sparks)
        other.chains, other.pops = [], []
        other.waiting = {place: Chain() for place in self.waiting}
        other.plan = plan_of(orders, other.refuse)
        return other

    @property
    def seat(self) -> SeatName:
        """The mover; only while there is one."""
        assert self.mover is not None
        return self.mover

    @property
    def at(self) -> str:
        """The space of the mover's Mari."""
        place = self.table.players[self.seat].at
        assert place is not None
        return place

    @property
    def rehearsed(self) -> bool:
        """True if the turn is played without dice."""
        return self._dice is None

    @property
    def dice(self) -> Dice:
        """The dice; not in a rehearsal."""
        assert self._dice is not None
        return self._dice

    def tell(self, kind: str, **data: Any) -> None:
        """Record a public event."""
        self.events.append(public(self.state.seats, kind, **data))

    def refuse(self, item: Item, refused: FieldError, seat: SeatName | None = None) -> None:
        """Record that an order cannot be followed, with an event for its player alone."""
        owner = seat or self.seat
        self.refusals.append((owner, item, refused))
        self.events.append(private(owner, "refused", line=ORDERS.line(item.order), why=str(refused)))

    @property
    def researched(self) -> bool:
        """True if bubbles were drawn at the research station in this turn."""
        return any(event.kind == "researched" for event in self.events)

    def notice(self) -> None:
        """Queue the spaces that have become ready to pop, each with its chain (ruling 11)."""
        ripe = self.ripe()
        # A space that was pushed apart before its pop does not pop (ruling 10).
        self.waiting = {place: chain for place, chain in self.waiting.items() if place in ripe}
        for place in ripe:
            if place not in self.waiting:
                # A pop belongs to the chain that completed its group; without one it begins its own (ruling 11).
                self.waiting[place] = self.chain or Chain()

    @property
    def rich(self) -> list[SeatName]:
        """Players with the markers that end the game, in the order of play."""
        limit = self.table.rules.markers_to_end
        return [seat for seat in self.order if self.table.players[seat].markers >= limit]

    @property
    def in_last_round(self) -> bool:
        """True if no round follows this one (rulings 24 and 36)."""
        return self.last_round or bool(self.rich) or 0 < self.table.rules.rounds <= self.round

    def ripe(self) -> list[str]:
        """Return the spaces that are ready to pop, those with a spark included, in the order of squares."""
        ripe = self.table.ripe(self.seat)
        if not self.sparks:
            return ripe
        found = {*ripe, *(place for place in self.sparks if self.table.can_pop(place))}
        return [place for place in self.table.bubbles if place in found]

    def draw(self, *key: str | int) -> str | None:
        """Draw a bubble from the bag; return None if it is empty."""
        bag = self.table.bag
        if not bag:
            return None
        colour = self.dice.pick(bag, "bag", *key)
        bag.remove(colour)
        return colour

    def end(self, how: str) -> None:
        state = self.table.freeze(replace(self.state, order=tuple(self.order)))
        self.result = Result(winners(state), how)
        self.tell("ended", winners=list(self.result.winners), how=how, words=ENDS[how], scores=totals(state))

    def finished(self) -> State:
        """Return the state after the turn."""
        return replace(
            self.table.freeze(self.state),
            order=tuple(self.order),
            mover=None if self.result else self.mover,
            round=self.round,
            last_round=self.last_round,
            question=None if self.result else next(iter(self.questions), None),
            # Nothing is asked after the end: `conclude` has made the open choices (ruling 35).
            further=() if self.result else tuple(self.questions[1:]),
            pending=0 if self.result else self.pending,
            wish=self.wish,
            liking=self.liking,
            lists=self.lists,
            quiet=self.quiet,
            unscored=self.unscored,
            result=self.result,
        )
