"""Outcome of each order of a turn, worded from the report's view alone.

Of a flight it says only that it began: whether a piece arrives is judged
later, and a report shows nothing of it before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import Order, View
from pbem_rules.common.negotiation import Draw, Resign
from pbem_rules.common.outcomes import clauses, draw_fate, refusals, refused, resign_fate
from pbem_rules.common.summary import events_of, listed, named
from pbem_rules.dueling_masters.kinds import FIGHTERS, WORDS
from pbem_rules.dueling_masters.orders import ORDERS, Move, Ram, RamFirst, Setup

Event = Mapping[str, Any]

MOST_MET = 4
"""Most meetings told of one piece; the rest is a number."""


def order_outcomes(view: View, orders: Sequence[Order]) -> list[str]:
    """Return a clause or two for each order of the reader."""
    whys = refusals(view, orders, ORDERS.line)
    return [refused(why) if why else _fate(view, order) for order, why in zip(orders, whys, strict=True)]


def _fate(view: View, order: Order) -> str:
    told = list(_TELLERS[type(order)](view, order))
    return refused(*told) if told[:1] and told[0] in (_USED_UP, *_ENDED) else clauses(*told)


_USED_UP = "your move is used up"

# The last is common to both games with offers of a draw.
_ENDED = ("the game ended before it came to that", "the game ended before it departed", "The game ended without it.")


def _setup(view: View, order: Setup) -> Iterator[str]:
    """Yield that pieces stand, by their names if they are numbered."""
    if events_of(view, "placed"):
        names = [name for square in dict.fromkeys(order.squares) for name in _names(view, order.kind, square)]
        yield listed(names) if order.kind in FIGHTERS and len(names) > 1 else "placed"
    elif view["over"]:
        yield _ENDED[0]


def _names(view: View, kind: str, square: str) -> list[str]:
    return [piece["name"] for piece in view["own"] if (piece["kind"], piece["square"]) == (kind, square)]


def _move(view: View, order: Move) -> Iterator[str]:
    """Yield that the piece flies now, or why not, and what it had met on its flight before."""
    moved, rammed = (_of(view, kind, order.piece) for kind in ("moved", "rammed"))
    if moved:
        yield f"departed from {moved['origin']}, in transit"
    elif rammed:
        yield f"departed from {rammed['origin']} and met your asteroid on {rammed['square']}: both are gone"
    elif any(event["who"] == view["seat"] for event in events_of(view, "spent")):
        yield _USED_UP
    elif view["over"]:
        yield _ENDED[1]
    met = [_meeting(event) for event in events_of(view, "collision") if event["own"]["piece"] == order.piece]
    if met:
        yield f"before, it had met {named(met, MOST_MET)}"


def _meeting(event: Event) -> str:
    """Return an enemy that the piece met, the square, and which of them was lost."""
    own, enemy = event["own"]["lost"], event["enemy"]["lost"]
    lost = "both" if own and enemy else "yours" if own else "enemy"
    return f"an enemy {WORDS[event['enemy']['type']]} on {event['square']} ({lost} lost)"


def _draw(view: View, order: Draw) -> Iterator[str]:
    result = view["result"]
    yield draw_fate(view, order, agreed=bool(result) and result["how"] == "agreed")


def _resign(view: View, _order: Resign) -> Iterator[str]:
    yield resign_fate(view)


def _of(view: View, kind: str, name: str) -> Event | None:
    return next((event for event in events_of(view, kind) if event["piece"] == name), None)


_TELLERS: Mapping[type[Order], Callable[[View, Any], Iterator[str]]] = {
    Setup: _setup,
    Move: _move,
    Ram: _move,
    RamFirst: _move,
    Draw: _draw,
    Resign: _resign,
}
