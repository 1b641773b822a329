"""The orders of a sheet, arranged by the step of the turn that uses them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pbem.ruleset import FieldError, Order
from pbem_rules.bubble_singularity.orders import (
    ABILITY_OF,
    ORDERS,
    STATION_ACTIONS,
    STATION_BONUSES,
    Bubbles,
    Draw,
    Keep,
    Move,
    Pop,
    Pull,
    Resign,
    Rotate,
    Send,
    Swap,
)


@dataclass(frozen=True, slots=True)
class Item:
    """An order and its index among the orders of its sheet, from 0."""

    index: int
    order: Order


@dataclass
class Plan:
    """The orders of a turn, by the step that uses them.

    Uses of abilities come before the move, before the action or after it, where
    their lines stand (ruling 9); a controller's bonus always comes after the action.
    """

    singles: dict[str, Item] = field(default_factory=dict)
    before: list[Item] = field(default_factory=list)
    between: list[Item] = field(default_factory=list)
    after: list[Item] = field(default_factory=list)
    pops: dict[str, list[Item]] = field(default_factory=dict)
    swaps: dict[str, list[Item]] = field(default_factory=dict)

    def take(self, item: Item) -> None:
        """Add one more order. Raise FieldError if it has no place in a turn, or one too many."""
        order = item.order
        if isinstance(order, Pop):
            self.pops.setdefault(order.space, []).append(item)
        elif isinstance(order, Swap):
            self.swaps.setdefault(order.space, []).append(item)
        elif type(order) in SINGLES:
            self._take_single(SINGLES[type(order)], item)
        elif type(order) in ABILITY_OF or type(order) in STATION_BONUSES:
            self._take_use(item)
        elif not isinstance(order, Resign):
            raise FieldError("not-now", f"{ORDERS.line(order).split()[0]} has no place in a turn", "see the template")

    def single(self, name: str) -> Item | None:
        """Return the order of a kind that a turn has once at most: a value of `SINGLES`; None if there is none."""
        return self.singles.get(name)

    def next_of(self, waiting: dict[str, list[Item]], space: str) -> Item | None:
        """Remove and return the next line for a space from `pops` or `swaps`; None if none is left."""
        lines = waiting.get(space)
        return lines.pop(0) if lines else None

    def unused(self) -> list[Item]:
        """Return the lines for pops that did not happen, in the order of the sheet."""
        left = [*self.pops.values(), *self.swaps.values()]
        return sorted((item for items in left for item in items), key=lambda item: item.index)

    def _take_single(self, name: str, item: Item) -> None:
        if name in self.singles:
            earlier = ORDERS.line(self.singles[name].order)
            raise FieldError("only-one", f"the sheet says {earlier} already", f"a turn has one {name} only")
        self.singles[name] = item

    def _take_use(self, item: Item) -> None:
        uses = [*self.before, *self.between, *self.after]
        if any(type(use.order) is type(item.order) for use in uses):
            raise FieldError("once-a-turn", f"{' '.join(ORDERS.line(item.order).split()[:2])} works once a turn")
        # A use takes effect where its line stands (ruling 9); a bonus comes on top of the action (ruling 19).
        if "action" in self.singles or type(item.order) in STATION_BONUSES:
            self.after.append(item)
        elif "move" in self.singles:
            self.between.append(item)
        else:
            self.before.append(item)


SINGLES: dict[type[Order], str] = {
    Move: "move",
    Bubbles: "bubbles",
    Send: "send",
    Draw: "draw",
    Keep: "keep",
    **dict.fromkeys((Rotate, Pull, *STATION_ACTIONS), "action"),
}
"""Orders that a turn has once at most, and the names by which a plan keeps them."""


def plan_of(orders: tuple[Order, ...], refuse: Callable[[Item, FieldError], None]) -> Plan:
    """Return the plan of a sheet; call `refuse` for each order that has no place in it."""
    plan = Plan()
    for item in map(Item, range(len(orders)), orders):
        try:
            plan.take(item)
        except FieldError as refused:
            refuse(item, refused)
    return plan
