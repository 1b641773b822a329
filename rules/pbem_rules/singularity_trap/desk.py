"""Order form of The Singularity Trap: the orders that may be of use to a player now, with what they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.ruleset import Order
from pbem_rules.singularity_trap.factions import certain, open_question
from pbem_rules.singularity_trap.orders import (
    BOOK,
    Ally,
    Build,
    BuildHere,
    DeclareEmpire,
    DeclareFaction,
    Fire,
    Hide,
    LeaveColour,
    Move,
    MoveTo,
    OwnPlanet,
    Repair,
    RepairShips,
    Resign,
    Scrap,
    Terraform,
    TrapOrder,
    View,
    others,
)


def desk(view: View) -> dict[str, Any]:
    """Return the form of the orders of the section asked for, without those for which the player has no use."""
    return BOOK.desk(view, [order for order in BOOK.types if order in set(_offered(view))])


def _offered(view: View) -> Iterator[type[Order]]:
    # RESIGN is taken at any time, asked or not (ruling 42).
    if any(player["playing"] for player in view["players"] if player["colour"] == view["seat"]) and not view["over"]:
        yield Resign
    if not view["awaited"]:
        return
    # A form offers the planets to choose from, so BUILD without one is of no use there.
    needless = {BuildHere, *_without_use(view)}
    for order in BOOK.types:
        assert issubclass(order, TrapOrder)
        if view["section"] in ("turn", order.section) and order not in needless:
            yield order


def _without_use(view: View) -> Iterator[type[Order]]:
    """Yield the orders that nothing the player has, or can build now, could carry out."""
    yards = bool(OwnPlanet().samples(view))
    fleet = bool(view["ships"]) or (yards and view["section"] == "turn")
    hurt = sum(bool(ship["damage"]) for ship in view["ships"])
    declared = {type(order) for order in (*certain(view), *open_question(view))}
    useful: dict[type[Order], bool] = {
        **dict.fromkeys((DeclareFaction, DeclareEmpire), False),
        **dict.fromkeys(declared, True),
        Repair: hurt > 0,
        RepairShips: hurt > 1,
        Build: yards,
        **dict.fromkeys((Scrap, Hide), bool(view["ships"])),
        **dict.fromkeys((Move, MoveTo, Fire, Terraform, LeaveColour), fleet),
        Ally: bool(view["rules"]["alliances"] and others(view)),
    }
    return (order for order, use in useful.items() if not use)
