"""Turns in which the other seats do whatever they may, to compare forecasts with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.ruleset import AnyRuleset, Dice, Event, Finding, Order, SeatName, TurnInput, View
from pbem.testing.play import mail_view, number_lines, random_lines, standard

CONDUCTS = ("silent", "standard", "random", "wild")
LEAVING = ("RESIGN CONFIRM",)

_IF = re.compile(r"\bif\b")


def certain(findings: Sequence[Finding]) -> list[Finding]:
    """Return the notes on a whole sheet that have no "if"."""
    return [found for found in findings if not (found.line or found.severity != "note" or _IF.search(found.text))]


def turns(
    ruleset: AnyRuleset, state: Any, seat: SeatName, orders: tuple[Order, ...], dice: Dice
) -> Iterator[tuple[Any, tuple[Event, ...]]]:
    """Yield outcomes of a seat's orders: the others silent, as bots, at random, wild, or one of them leaving."""
    # A game for two has the seats of its ruleset.
    others = [other for other in getattr(state, "seats", ruleset.seats.names) if other != seat]
    views = {other: mail_view(ruleset, state, other, ()) for other in others}
    for conduct in (*CONDUCTS, *others[:3]):
        sent = {other: _sheet(ruleset, views[other], conduct, dice.within(other)) for other in others}
        missing = frozenset(other for other in others if sent[other] is None and views[other]["awaited"])
        given = {other: sheet for other, sheet in sent.items() if sheet is not None}
        given |= {other: ruleset.defaults(views[other], ()) for other in missing}
        turn = TurnInput({seat: orders} | given, missing)
        yield ruleset.resolve(state, turn, dice.within("turn", conduct))


def _sheet(ruleset: AnyRuleset, view: View, conduct: str, dice: Dice) -> tuple[Order, ...] | None:
    """Return the orders of a seat; None for no sheet."""
    lines: Sequence[str] | None = ()
    if conduct == "silent":
        return None
    if conduct == "wild":
        lines = [ruleset.orders.invent(view, dice, "line", count) for count in range(12)]
    elif conduct == view["seat"]:
        lines = LEAVING
    elif view["awaited"]:
        lines = random_lines(ruleset, view, dice) if conduct == "random" else standard(ruleset, view, dice)
    return None if lines is None else ruleset.parse(view, number_lines(lines)).orders
