"""The standard bot: it takes what is open, guards what is raided, and builds each ship where it counts at once.

It judges by its view alone and writes lines such as a player would.
"""

from __future__ import annotations

from pbem.ruleset import Dice
from pbem_rules.singularity_trap.bots import fleet, politics, yard
from pbem_rules.singularity_trap.bots.plan import Plan
from pbem_rules.singularity_trap.orders import View


def standard_bot(view: View, dice: Dice) -> list[str]:
    """Return a sheet for the section, or all sections, the view asks for."""
    plan, section = Plan(view, dice), view["section"]
    if section in ("turn", "economic"):
        politics.declare(plan)
        yard.spend(plan)
    if section in ("turn", "movement"):
        fleet.move(plan)
    if section in ("turn", "combat"):
        fleet.fire(plan)
    if section in ("turn", "ecopolitical"):
        politics.ally(plan)
    return plan.lines
