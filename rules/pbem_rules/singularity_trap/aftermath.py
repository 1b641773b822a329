"""The events of a report, matched to the orders that they follow: ships built, refused, moved, hit or lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from pbem.ruleset import Order, View
from pbem_rules.singularity_trap.orders import BOOK, Build, Fire, Repair, new_name, numbered

AnOrder = TypeVar("AnOrder", bound=Order)


class Aftermath:
    """A view after a section or a turn, read together with the orders its seat had in it.

    `ships` are the own ships left, by id; `launched` has the ids built by each BUILD, by its index among all orders;
    `mended` has the events of each REPAIR, likewise. `built` has the names of ships that the orders had built.
    """

    def __init__(self, view: View, orders: Sequence[Order]) -> None:
        self.view, self.orders, self.seat = view, orders, view["seat"]
        self.ships = {ship["id"]: ship for ship in view["ships"]}
        self.planets = {planet["space"]: planet for planet in view["planets"]}
        self._events: dict[str, list[dict[str, Any]]] = {}
        for event in view["events"]:
            self._events.setdefault(event["kind"], []).append(event)
        self.fights = self.events("combat")
        self.launched = dict(self._launched())
        self.mended = dict(self._mended())
        self._ids = dict(self._called())
        self.built = frozenset(self._ids)

    def events(self, kind: str, **data: Any) -> list[dict[str, Any]]:
        """Return the events of a kind that have such data, as they happened."""
        events = self._events.get(kind, ())
        return [event for event in events if all(event[key] == value for key, value in data.items())]

    def of(self, kind: type[AnOrder]) -> list[tuple[int, AnOrder]]:
        """Return the orders of a kind, each with its index among all."""
        return [(index, order) for index, order in enumerate(self.orders) if isinstance(order, kind)]

    def refusals(self, order: Order) -> list[str]:
        """Return the reasons why an order, or the same on another line, was refused, for one of its ships or at all."""
        return [event["why"] for event in self.events("refused", line=BOOK.line(order))]

    def id_of(self, name: str) -> str:
        """Return the id of a ship as an order names it; NEW1 itself if it was not built."""
        return self._ids.get(name, name)

    def place(self, space: str) -> str:
        """Return a space, with the name of its planet."""
        return f"{space} ({self.planets[space]['name']})" if space in self.planets else space

    def loss(self, ship: str) -> tuple[str, str]:
        """Return where combat took a ship out of play and how it looks to the reader; both "" if it did not."""
        lost = [
            (fight["space"], loss["how"]) for fight in self.fights for loss in fight["lost"] if loss["ship"] == ship
        ]
        return lost[-1] if lost else ("", "")

    def fought(self, ship: str) -> bool:
        """Return True if a ship was in a combat, and not dark."""
        return any(ship == each["id"] for fight in self.fights for each in fight["ships"])

    def shots(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield the shots of the reader's ships, each with its target as it was seen."""
        for fight in self.fights:
            ships = {ship["id"]: ship for ship in fight["ships"]}
            yield from ((shot, ships[shot["at"]]) for shot in fight["shots"] if ships[shot["by"]]["owner"] == self.seat)

    def aims(self) -> dict[str, set[str]]:
        """Return the targets that each ship was ordered to fire at; of two orders the later counts (ruling 28)."""
        return {self.id_of(name): set(order.targets) for _, order in self.of(Fire) for name in order.ships}

    def _launched(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the ids that each BUILD had built."""
        # Ships are built in the order written (ruling 9), so those of a type at a place belong to the lines in turn.
        waiting = self.events("built")
        for index, order in self.of(Build):
            fitting = [each for each in waiting if (each["type"], each["space"]) == (order.type, order.space)]
            built = fitting[: order.number]
            waiting = [each for each in waiting if each not in built]
            yield index, [each["ship"] for each in built]

    def _called(self) -> Iterator[tuple[str, str]]:
        for (index, _), (_, first) in zip(self.of(Build), numbered(order for _, order in self.of(Build)), strict=True):
            for number, ship in enumerate(self.launched[index], first):
                yield new_name(number), ship

    def _mended(self) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Yield the events of each REPAIR: a repair, a refusal, or a repair and the refusal of its rest."""
        lines = {BOOK.line(order) for _, order in self.of(Repair)}
        waiting = [
            event
            for event in self.view["events"]
            if event["kind"] == "repaired" or (event["kind"] == "refused" and event["line"] in lines)
        ]
        for index, order in self.of(Repair):
            own, waiting = waiting[:1], waiting[1:]
            if own and waiting and own[0]["kind"] == "repaired" and _is_rest(own[0], waiting[0], BOOK.line(order)):
                own, waiting = [*own, waiting[0]], waiting[1:]
            yield index, own


def _is_rest(repaired: dict[str, Any], event: dict[str, Any], line: str) -> bool:
    """Return True if an event refuses the rest of the order that led to a repair."""
    if event["kind"] != "refused" or event["line"] != line:
        return False
    why: str = event["why"]
    return why.startswith(f"the points ran out after {repaired['cost']} of ")
