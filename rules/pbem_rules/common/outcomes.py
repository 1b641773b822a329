"""What became of orders, for any game: a line for each, and words that games share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.ruleset import Order, View
from pbem_rules.common.negotiation import Draw
from pbem_rules.common.summary import cut, sentence

SIGNS = 200
"""Signs of what became of an order, as the contract of rulesets has them."""


def fate(*sentences: str) -> str:
    """Sentences as one line, each with a capital in front; what does not fit is cut at a word."""
    told = " ".join(sentence(each) for each in sentences if each)
    return cut(told, SIGNS)


def not_done(why: str) -> str:
    """That an order was refused."""
    return f"not done, for {why}."


def refusals(view: View, orders: Sequence[Order], line: Callable[[Order], str]) -> list[str]:
    """Why each order was refused, "" where it was not.

    `line` writes an order as the view's "refused" events do. Of equal lines it is the last that were refused.
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
    """What became of an offer of a draw, or of an answer to one; `agreed` is whether the game ended by one."""
    if agreed:
        return "Both agreed: the game is drawn."
    if view["over"]:
        return "The game ended without it."
    if order.what == "DECLINE":
        return "The offer no longer stands."
    return "It waits for your opponent's answer." if view["offer"] == view["seat"] else ""


def resign_fate(view: View) -> str:
    """What became of a player who gave up: a draw, if the other did so too."""
    result = view["result"]
    drawn = result and not result["winners"]
    return f"{sentence(result['words'])}." if drawn else "The game is over."
