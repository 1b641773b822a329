"""The order form of a page: which orders a player may use now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.ruleset import Order, View
from pbem_rules.bubble_singularity.cards import UNSTABLE
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
    Start,
    Swap,
)
from pbem_rules.bubble_singularity.views import state_of


def desk(view: View) -> dict[str, Any]:
    """Return the form with the orders of the phase, and of the player's cards and stations."""
    offered = set(_offered(view))
    return ORDERS.desk(view, [order for order in ORDERS.types if order in offered])


def _offered(view: View) -> Iterator[type[Order]]:
    if view["over"] or view["players"][view["seat"]]["out"]:
        return
    # A player may resign at any time (ruling 31).
    yield Resign
    if not view["awaited"]:
        return
    if view["phase"] == "turn":
        yield from _of_turn(view)
    elif view["phase"] == "question" or view["players"][view["seat"]]["offer"]:
        yield Keep
    if view["phase"] == "setup":
        yield Start


def _of_turn(view: View) -> Iterator[type[Order]]:
    me, rules = view["players"][view["seat"]], state_of(view).rules
    yield from (Move, Bubbles, Send, Pop)
    yield from (order for order in (Rotate, Pull) if order.__name__.upper() != me["blocked"])
    if any(space["kind"] == UNSTABLE for space in view["spaces"].values()):
        yield Swap
    # Beginners play without ability cards (ruling 28).
    if not rules.beginner:
        yield from (Keep, Draw)
    yield from (order for order, card in ABILITY_OF.items() if card in me["cards"])
    if rules.with_stations and me["blocked"] != "STATION":
        yield from STATION_ACTIONS
    held = {space["kind"] for space in view["spaces"].values() if space["control"] == view["seat"]}
    yield from (order for order, station in STATION_BONUSES.items() if station in held)
