"""Moves of a replay: the orders of a turn as marks on a picture, read from what the game declares of them.

The words of an order name places and units; the tap targets of pictures say where
these are. A unit is where its seat's pictures of the turn before had it.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from pbem.log import event
from pbem.ruleset import split_words
from pbem.ruleset.choices import Choice, OrderMark
from pbem.ruleset.drawing import TapTarget
from pbem.ruleset.order_tree import needs
from pbem.ruleset.order_types import Order, OrderType, arguments
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Json, SeatName, View

MOST_MOVES = 300
"""Marks of a picture; more could not be told apart."""

_LONGEST_LABEL = 24
_MOST_WORDS, _MOST_CHOICES = 24, 5_000
_FIELD = re.compile(r"\{(\w*)\}")
_Spots = Sequence[TapTarget]


class Move(NamedTuple):
    """A mark of an order in words: names of its unit's place before, best first, its places, and the place after.

    A path without places, and a note of a unit that moved, are drawn to the place after.
    """

    seat: SeatName
    shape: str
    start: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    label: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Knowledge of a seat at an opening: its view, and the tap targets of its pictures."""

    view: View = field(default_factory=dict)
    spots: tuple[TapTarget, ...] = ()


def read_moves(
    ruleset: AnyRuleset, seat: SeatName, orders: Sequence[Order], before: Knowledge, after: Knowledge
) -> tuple[Move, ...]:
    """Return the marks of a seat's orders; () if the game fails at it. Never raises."""
    try:
        return tuple(_MoveReader(ruleset, seat, orders, before, after).moves())
    except Exception as error:  # noqa: BLE001 - a game may raise anything, and a replay without moves is better than none
        event("moves not drawn", level="warning", fault=error, game=ruleset.key)
        return ()


class _MoveReader:
    def __init__(
        self, ruleset: AnyRuleset, seat: SeatName, orders: Sequence[Order], before: Knowledge, after: Knowledge
    ) -> None:
        self._ruleset, self._seat, self._before, self._after = ruleset, seat, before, after
        verbs = {verb.order: verb for verb in ruleset.orders.verbs}
        self._orders = [(order, order.mark, verbs[type(order)]) for order in orders if order.mark is not None]
        self._names = {name for spot in (*before.spots, *after.spots) for name in spot.names}
        self._units = {unit for order, mark, verb in self._orders for unit in _words_of(order, verb, mark.of)}

    def moves(self) -> Iterator[Move]:
        """Yield the marks of all orders that have one."""
        for order, mark, verb in self._orders:
            places = self._places(order, mark, verb)
            label = _fill(mark.label, order, verb)[:_LONGEST_LABEL]
            if mark.along:
                yield from self._along(mark, _words_of(order, verb, mark.at) if mark.at else _all_words(order, verb))
                continue
            if mark.shape == "piece":
                yield Move(self._seat, "piece", places=places, label=label)
                continue
            for unit in _words_of(order, verb, mark.of) if mark.of else self._needy(order):
                start, end = self._where(unit, self._before.spots), self._where(unit, self._after.spots)
                # The words of a whole line would cover the picture; they stand beside it.
                said = label or (verb.word if mark.shape == "note" else "")
                yield Move(self._seat, mark.shape, start, places, end, said, unit)

    def _along(self, mark: OrderMark, words: Sequence[str]) -> Iterator[Move]:
        """Yield pieces that lie along the path of the order in a slot, one at each of its places."""
        for order, other, verb in self._orders:
            if _fill(order.slot, order, verb) == mark.along:
                for place, word in zip(self._places(order, other, verb), words, strict=False):
                    yield Move(self._seat, "piece", places=(place,), label=word[:_LONGEST_LABEL])

    def _places(self, order: Order, mark: OrderMark, verb: OrderType) -> tuple[str, ...]:
        """Return the names of an order's places: its words, or where these name none, what the game says of them."""
        words = _words_of(order, verb, mark.at) if mark.at else _all_words(order, verb)
        if any(word in self._names for word in words) or not self._before.view:
            return words
        # Only then, since a game may take long to tell all choices.
        return tuple(self._describe(split_words(self._ruleset.orders.line(order))[:_MOST_WORDS]))

    def _describe(self, words: Sequence[str]) -> Iterator[str]:
        for at in range(1, len(words)):
            choices = islice(self._ruleset.choices(self._before.view, tuple(words[:at])), _MOST_CHOICES)
            found = next((each for each in choices if isinstance(each, Choice) and each.word == words[at]), None)
            if found is not None and found.place:
                yield from (*found.path, found.place)

    def _needy(self, order: Order) -> tuple[str, ...]:
        """Return the unit, or else its place, of the need that an order met."""
        line = self._ruleset.orders.line(order)
        for need in needs(self._ruleset, self._before.view) if self._before.view else ():
            if any(f"{line} ".startswith(f"{start} ") for start in need.start.split("|")):
                return tuple(filter(None, (need.unit or need.place,)))
        return ()

    def _where(self, unit: str, spots: _Spots) -> tuple[str, ...]:
        """Return the names of a unit's place, those that most likely are places first, and then its own."""
        # Of a spot with units the names of these come first, and they may be elsewhere in another picture.
        names = (name for spot in spots if unit in spot.names for name in reversed(spot.names))
        return (*(name for name in dict.fromkeys(names) if name not in self._units), unit)


def _words_of(order: Order, verb: OrderType, name: str) -> tuple[str, ...]:
    """Return the words of a field of an order."""
    if name not in verb.kinds:
        return ()
    glued = verb.kinds[name].glue == "/"
    return tuple(piece for word in verb.words_of(order, name) for piece in (word.split("/") if glued else [word]))


def _all_words(order: Order, verb: OrderType) -> tuple[str, ...]:
    return tuple(word for part in arguments(verb.parts) for word in _words_of(order, verb, part.name))


def _fill(text: str, order: Order, verb: OrderType) -> str:
    return _FIELD.sub(lambda found: " ".join(_words_of(order, verb, found[1])), text)


class _Place(NamedTuple):
    x: float
    y: float
    size: float


def draw_moves(spots: _Spots, moves: Iterable[Move]) -> Json:
    """Return the marks on a picture as data for its page; None if none of them is on it."""
    places: dict[str, list[_Place]] = {}
    for spot in spots:
        for name in spot.names:
            places.setdefault(name, []).append(_middle(spot))
    # A unit with two orders of one picture, such as to hide and to move, is drawn once.
    found = {(mark, move.unit) for move in moves if (mark := _to_pixels(places, move))}
    drawn = Counter(mark for mark, _ in sorted(found))
    if not drawn:
        return None
    size = statistics.median(place.size for found in places.values() for place in found)
    marks = [_mark_data(mark, number) for mark, number in drawn.items()]
    return {"size": round(size), "marks": marks[:MOST_MOVES]}


class _Drawn(NamedTuple):
    seat: SeatName
    shape: str
    points: tuple[tuple[int, int], ...]
    label: str


def _to_pixels(places: Mapping[str, Sequence[_Place]], move: Move) -> _Drawn | None:
    """Return a mark in pixels; None if the picture lacks what it needs."""
    start = next((_nearest(places[name], None) for name in move.start if name in places), None)
    through: list[_Place] = []
    for name in move.places:
        if name in places:
            through.append(_nearest(places[name], through[-1] if through else start))
    end = next((_nearest(places[name], start) for name in move.end if name in places), None)
    shape, label, points = move.shape, move.label, through
    if shape == "note" and start and end and start != end:
        shape, label, points = "path", "", [start, end]
    elif shape in ("cross", "note"):
        points = [start] if start else []
    elif shape != "piece":
        aims = through or ([end] if end and shape == "path" else [])
        points = [start, *aims] if start and aims else []
    shown = tuple((round(each.x), round(each.y)) for each in points)
    return _Drawn(move.seat, shape, shown, label) if shown else None


def _mark_data(mark: _Drawn, number: int) -> Json:
    label = mark.label or (f"×{number}" if number > 1 else "")
    return {"seat": mark.seat, "shape": mark.shape, "points": [list(each) for each in mark.points], "label": label}


def _middle(spot: TapTarget) -> _Place:
    xs, ys = [x for x, _ in spot.points], [y for _, y in spot.points]
    size = min(max(xs) - min(xs), max(ys) - min(ys))
    return _Place((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, size)


def _nearest(found: Sequence[_Place], start: _Place | None) -> _Place:
    """Return the spot of a name that is meant, of several the nearest to a start, or else the largest."""
    if start is None:
        return max(found, key=lambda each: each.size)
    return min(found, key=lambda each: (each.x - start.x) ** 2 + (each.y - start.y) ** 2)
