"""Outcomes of orders, for any game: one line for each, and phrases that games share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.ruleset import NotDone, Order, View
from pbem_rules.common.negotiation import Draw
from pbem_rules.common.summary import cut, sentence

SIGNS = 200
"""Characters of an outcome, as the ruleset protocol limits them."""


def clauses(*parts: str) -> str:
    """Join parts, in small letters and perhaps with full stops, to the clause that an outcome is."""
    return cut("; ".join(_clause(part) for part in parts if part), SIGNS)


def _clause(text: str) -> str:
    # A space such as "A1" and a verb such as "FORGET" keep their capitals.
    return (text[0].lower() + text[1:] if text[1:2].islower() else text).removesuffix(".")


def refused(why: str, *instead: str) -> NotDone:
    """Return the outcome of an order that was not carried out: why, and what was done in its place."""
    return NotDone(clauses(why, *instead))


def refusals(view: View, orders: Sequence[Order], line: Callable[[Order], str]) -> list[str]:
    """Return why each order was refused, "" where it was not.

    `line` writes an order as the view's "refused" events do. Of equal lines, the last ones were refused.
    """
    whys: dict[str, list[str]] = {}
    for event in view["events"]:
        if event["kind"] == "refused":
            whys.setdefault(event["line"], []).append(event["why"])
    found = []
    for order in reversed(orders):
        waiting = whys.get(line(order))
        found.append(waiting.pop() if waiting else "")
    return found[::-1]


def draw_fate(view: View, order: Draw, *, agreed: bool) -> str:
    """Return the outcome of an offer of a draw or of an answer to one; `agreed`: the game ended in that draw."""
    if agreed:
        return "Both agreed: the game is drawn."
    if view["over"]:
        return "The game ended without it."
    if order.what == "DECLINE":
        return "The offer no longer stands."
    return "It waits for your opponent's answer." if view["offer"] == view["seat"] else ""


def resign_fate(view: View) -> str:
    """Return the outcome of a resignation: a draw, if both players resigned."""
    result = view["result"]
    drawn = result and not result["winners"]
    return f"{sentence(result['words'])}." if drawn else "The game is over."
