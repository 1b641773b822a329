"""A sheet's lines, laid out in the order in which a turn needs them."""

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
    """An order and its place among the orders of its sheet, from 0."""

    index: int
    order: Order


@dataclass
class Plan:
    """The orders of a turn. Ability uses come before the move, before the action or after it, as the lines stand
    (ruling 9); the controller's bonuses always after the action."""

    singles: dict[str, Item] = field(default_factory=dict)
    before: list[Item] = field(default_factory=list)
    between: list[Item] = field(default_factory=list)
    after: list[Item] = field(default_factory=list)
    pops: dict[str, list[Item]] = field(default_factory=dict)
    swaps: dict[str, list[Item]] = field(default_factory=dict)

    def take(self, item: Item) -> None:
        """Lays out one more order. Raises FieldError."""
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
        """The order of a kind of which there is one at most: "move", "bubbles", "action", "send", "draw" or "keep"."""
        return self.singles.get(name)

    def next_of(self, waiting: dict[str, list[Item]], space: str) -> Item | None:
        """Takes the next line for a space off `pops` or `swaps`."""
        lines = waiting.get(space)
        return lines.pop(0) if lines else None

    def unused(self) -> list[Item]:
        """The lines for pops that did not come."""
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
"""The orders of which a turn has one at most, and what they are for."""


def plan_of(orders: tuple[Order, ...], refuse: Callable[[Item, FieldError], None]) -> Plan:
    """The plan of a sheet; what has no place in it is handed to `refuse`."""
    plan = Plan()
    for item in map(Item, range(len(orders)), orders):
        try:
            plan.take(item)
        except FieldError as refused:
            refuse(item, refused)
    return plan
