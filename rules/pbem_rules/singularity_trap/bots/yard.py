"""Spending of a bot's points: repair, hiding, and ships built where they count at once."""

from __future__ import annotations

from collections.abc import Sequence

from pbem_rules.singularity_trap.bots.knowledge import Craft, World
from pbem_rules.singularity_trap.bots.plan import Plan
from pbem_rules.singularity_trap.orders import View
from pbem_rules.singularity_trap.space import Space, distance

RAIDERS_FIRST = 3
"""Ships that take planets come before any that hold them."""

WORKERS_FROM = 8
"""Planets owned before points are spent on colours and on looking around."""

CLOSE = 3
"""Spaces at which an enemy is near enough for a ship that cannot fight to hide."""

PULLED = 2
"""Prizes that a new ship is built for: its own, and the next."""


def spend(plan: Plan) -> None:
    """Give up ships without work, hide those in danger, repair the rest and build."""
    _scrap(plan)
    hiding = _hide(plan)
    _repair(plan, hiding)
    _build_warships(plan, keep=_reserve(plan))
    _build_workers(plan)
    _build_explorer(plan)
    _build_warships(plan, keep=0)


def work(plan: Plan) -> list[World]:
    """Return own planets not yet of the own colour, the poorest first; none that enemies are near to."""
    calm = [world for world in _unfinished(plan) if world.space not in plan.dangers]
    return sorted(calm, key=lambda world: (world.worth, world.written))


def _unfinished(plan: Plan) -> list[World]:
    best = max(world.worth for world in plan.known.worlds)
    return [world for world in plan.known.mine() if world.worth < best]


def _scrap(plan: Plan) -> None:
    """Scrap terraformers with no work within two turns, which cost more than they bring."""
    places = [world.space for world in _unfinished(plan)]
    for craft in plan.known.crafts:
        if craft.terraforms and not any(distance(craft.space, place) <= 4 for place in places):
            plan.give_up(craft)


def _hide(plan: Plan) -> set[Craft]:
    """Hide ships that can neither fight nor be repaired for it while enemies are near; return all that stay dark."""
    helpless = [craft for craft in plan.crafts if not craft.weapons and not _can_arm(plan, craft)]
    near = {craft for craft in helpless if any(distance(craft.space, alarm) <= CLOSE for alarm in plan.known.alarms)}
    for craft in sorted(near, key=lambda craft: craft.name):
        if not craft.dark:
            plan.order(f"HIDE {craft.name}")
            plan.crafts.remove(craft)
    return near


def _can_arm(plan: Plan, craft: Craft) -> bool:
    return bool(plan.known.types[craft.type]["units"].get("weapons")) and craft.damage <= plan.points


def _repair(plan: Plan, hiding: set[Craft]) -> None:
    hurt = [craft for craft in plan.crafts if craft.damage and craft not in hiding]
    for craft in sorted(hurt, key=lambda craft: (craft.damage, craft.name)):
        if craft.damage <= plan.points:
            plan.order(f"REPAIR {craft.name}")
            plan.points -= craft.damage


def _reserve(plan: Plan) -> int:
    """Return the points for a worker or an explorer, once there is something to work on."""
    civilians = [kind for kind in (_worker(plan), plan.explorer) if kind]
    ripe = len(plan.known.mine()) >= WORKERS_FROM
    return max((kind["cost"] for kind in civilians), default=0) if ripe else 0


def _worker(plan: Plan) -> View | None:
    kinds = [kind for kind in plan.known.types.values() if kind["units"].get("terraform")]
    return min(kinds, key=lambda kind: (kind["cost"], kind["name"]), default=None)


def _build_warships(plan: Plan, *, keep: int) -> None:
    """Build guards where raids are to be feared, one to a planet; else raiders, where most is to be taken."""
    while plan.raider and plan.guard and plan.known.mine():
        post = _post(plan)
        kind, world = (plan.guard, post) if post else (plan.raider, _yard(plan))
        if plan.points < kind["cost"] + keep:
            return
        plan.build(kind, world)


def _post(plan: Plan) -> World | None:
    """Return the own planet that most needs a guard; None while raiders are of more use."""
    raiders, guards = len(plan.of(plan.raider)), plan.of(plan.guard)
    if plan.guard == plan.raider or raiders < RAIDERS_FIRST or len(guards) >= raiders:
        return None
    held = {craft.space for craft in guards}
    open_ = [world for world in plan.known.mine() if world.space in plan.dangers and world.space not in held]

    def need(world: World) -> tuple[int, str]:
        return plan.dangers[world.space] * (world.worth + world.lure), world.written

    return max(open_, key=need, default=None)


def _yard(plan: Plan) -> World:
    """Return the own planet from which most can be taken that ships already near do not take."""
    return max(plan.known.mine(), key=lambda world: (_pull(plan, world), world.written))


def _pull(plan: Plan, world: World) -> int:
    reach = 2 * plan.raider["units"]["drive"] if plan.raider else 0
    prizes = [10 * prize.spoils - away for prize in plan.known.foes()
              if (away := distance(world.space, prize.space)) <= reach]  # fmt: skip
    served = sum(distance(craft.space, world.space) <= reach for craft in plan.of(plan.raider))
    return sum(sorted(prizes, reverse=True)[served : served + PULLED])


def _build_workers(plan: Plan) -> None:
    """Build terraformers at poor planets out of danger, one to four planets."""
    kind, mine = _worker(plan), plan.known.mine()
    if kind is None or len(mine) < WORKERS_FROM:
        return
    workers = [craft.space for craft in plan.crafts if craft.terraforms]
    for world in work(plan):
        if len(workers) <= len(mine) // 4 and plan.points >= kind["cost"] and not _near(workers, world):
            plan.build(kind, world)
            workers.append(world.space)


def _near(workers: Sequence[Space], world: World) -> bool:
    return any(distance(space, world.space) <= 3 for space in workers)


def _build_explorer(plan: Plan) -> None:
    """Build one ship that tries out where jumps lead."""
    kind, mine = plan.explorer, plan.known.mine()
    if kind and len(mine) >= WORKERS_FROM and not plan.of(kind) and plan.points >= kind["cost"]:
        plan.build(kind, min(mine, key=lambda world: (world.space in plan.known.exits, world.written)))
