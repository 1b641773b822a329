"""Alliances of a bot: with partners to win with, and with all others against a player too strong."""

from __future__ import annotations

from pbem_rules.singularity_trap.bots.plan import Plan
from pbem_rules.singularity_trap.orders import View


def declare(plan: Plan) -> None:
    """Declare the smallest faction that holds enough; an empire where the bot's own planets allow it."""
    rules, known = plan.view["rules"], plan.known
    allies = sorted(known.allies & known.standing.keys(), key=lambda ally: (-known.standing[ally], ally))
    if plan.view["faction"] or not allies:
        return
    for others in range(1, min(rules["largest_faction"], len(allies) + 1)):
        members = allies[:others]
        if known.standing[known.me] + sum(known.standing[ally] for ally in members) >= rules["planets_to_win"]:
            empire = others == 2 and known.standing[known.me] >= rules["empire_planets"]
            plan.order(f"DECLARE {'EMPIRE' if empire else 'FACTION'} WITH {' '.join(members)}")
            return


def ally(plan: Plan) -> None:
    """Offer alliances to the players wanted, and to no others."""
    if not plan.view["rules"]["alliances"]:
        return
    wanted = _wanted(plan)
    for player in plan.view["players"]:
        colour = player["colour"]
        if player["playing"] and colour != plan.known.me and player["wish"] != (colour in wanted):
            plan.order(f"ALLY {colour} {'YES' if colour in wanted else 'NO'}")


def _wanted(plan: Plan) -> set[str]:
    """Return the partners; but while another player is halfway to winning and ahead, all except that one."""
    standing, partners = plan.known.standing, _partners(plan.view)
    rest = standing.keys() - partners - {plan.known.me}
    leader = max(rest, key=lambda colour: (standing[colour], colour), default="")
    if leader and len(standing) > 2:
        ahead = standing[leader] > standing[plan.known.me]
        if ahead and 2 * standing[leader] >= plan.view["rules"]["planets_to_win"]:
            return set(standing) - {leader, plan.known.me}
    return partners


def _partners(view: View) -> set[str]:
    """Return the players in the same places of the wheel, as many as a faction can have.

    All bots reckon alike, and so choose each other.
    """
    size, players = view["rules"]["largest_faction"], view["players"]
    if size < 2:
        return set()
    step = len(players) // size
    colours = [player["colour"] for player in players]
    mine = colours.index(view["seat"])
    group = [place for place in range(len(colours)) if place % step == mine % step and place // step < size]
    return {colours[place] for place in group} - {view["seat"]} if mine in group else set()
