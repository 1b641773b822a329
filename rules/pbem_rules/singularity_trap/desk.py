"""What a page offers a player of The Singularity Trap to order: what may be of use in his section, with what he has."""

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
    """The verbs of the section asked for; of those written short, the ones that a choice does not make needless."""
    return BOOK.desk(view, [order for order in BOOK.types if order in set(_offered(view))])


def _offered(view: View) -> Iterator[type[Order]]:
    if any(player["playing"] for player in view["players"] if player["colour"] == view["seat"]) and not view["over"]:
        yield Resign
    if not view["awaited"]:
        return
    needless = {BuildHere, *_without_use(view)}
    for order in BOOK.types:
        assert issubclass(order, TrapOrder)
        if view["section"] in ("turn", order.section) and order not in needless:
            yield order


def _without_use(view: View) -> Iterator[type[Order]]:
    """Orders for which the player has nothing, and builds nothing."""
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
