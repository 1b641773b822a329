"""Factions that a player can declare, judged by the player's view alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from pbem_rules.singularity_trap.orders import DeclareEmpire, DeclareFaction, View


def unfit(view: View, order: DeclareFaction | DeclareEmpire) -> str:
    """Return why there can be no such faction; "" if there can, as far as its player knows."""
    rules, members = view["rules"], {view["seat"], *order.players}
    planets = {player["colour"]: player["planets"] for player in view["players"]}
    empire = isinstance(order, DeclareEmpire)
    if rules["largest_faction"] < (3 if empire else 2):
        return f"there are no {'empires' if empire else 'factions'} in this campaign"
    if len(members) > rules["largest_faction"] or (empire and len(members) < 3):
        return f"a faction here has at most {rules['largest_faction']} members, an empire 3"
    # The dominant member of an empire is allied with both others, who need not be allied with each other.
    strangers = sorted(members - _allies(view) - {view["seat"]})
    if strangers:
        return f"{strangers[0]} is not your ally"
    dominant = view["seat"] if empire else None
    if any((set(each["members"]), each["dominant"]) == (members, dominant) for each in view["factions"]):
        return "it stands already"
    if empire and planets[view["seat"]] < rules["empire_planets"]:
        return f"the dominant member of an empire needs {rules['empire_planets']} planets alone"
    held = sum(planets[member] for member in members)
    return "" if held >= rules["planets_to_win"] else f"together you hold {held} planets of {rules['planets_to_win']}"


def certain(view: View) -> Iterator[DeclareFaction | DeclareEmpire]:
    """Yield the declarations that hold without alliances of others: factions of two, and empires."""
    allies = sorted(_allies(view))
    orders: list[DeclareFaction | DeclareEmpire] = [DeclareFaction((ally,)) for ally in allies]
    orders += itertools.starmap(DeclareEmpire, itertools.combinations(allies, 2))
    return (order for order in orders if not unfit(view, order))


def open_question(view: View) -> Iterator[DeclareFaction]:
    """Yield the declarations of three that hold if the two others are allied with each other."""
    # An alliance is known to its two members alone (ruling 32), so the view cannot answer that.
    threes = (DeclareFaction(two) for two in itertools.combinations(sorted(_allies(view)), 2))
    return (order for order in threes if not unfit(view, order))


def _allies(view: View) -> set[str]:
    return {player["colour"] for player in view["players"] if player["ally"] and player["playing"]}
