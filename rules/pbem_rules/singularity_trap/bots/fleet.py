"""Moves and fire of a bot's ships."""

from __future__ import annotations

from collections.abc import Sequence

from pbem_rules.singularity_trap.bots.knowledge import Craft, World
from pbem_rules.singularity_trap.bots.plan import Plan
from pbem_rules.singularity_trap.bots.yard import work
from pbem_rules.singularity_trap.orders import JUMP
from pbem_rules.singularity_trap.space import distance


def move(plan: Plan) -> None:
    """Send raiders to take what they can, explorers to try jumps, and terraformers to work; guards stay."""
    free = [craft for craft in plan.crafts if craft.mobile]
    _send_workers(plan, [craft for craft in free if craft.terraforms])
    keep = {craft.name for craft in _on_guard(plan)}
    left = _attack(plan, [craft for craft in free if craft.weapons and craft.name not in keep])
    _explore(plan, [craft for craft in left if craft.jumps])
    _advance(plan, [craft for craft in left if not craft.jumps])


def fire(plan: Plan) -> None:
    """Shoot at the types with most weapons first."""
    kinds = [kind for kind in plan.known.types.values() if kind["units"].get("weapons", 0)]
    ranked = sorted(kinds, key=lambda kind: (-kind["units"]["weapons"], kind["name"]))
    if ranked and (plan.view["section"] == "turn" or plan.view["combats"]):
        plan.order("TARGET " + " ".join(kind["name"] for kind in ranked))


def _send_workers(plan: Plan, workers: Sequence[Craft]) -> None:
    open_ = {world.space: world for world in work(plan)}
    for craft in workers:
        if open_.pop(craft.space, None) is None and open_:
            goal = min(open_.values(), key=lambda world: (distance(craft.space, world.space), world.written))
            del open_[goal.space]
            plan.go(craft, goal.space)


def _on_guard(plan: Plan) -> list[Craft]:
    """Return the slow ships at own planets, unless the type of guards is that of raiders."""
    posts = {world.space for world in plan.known.mine()}
    return [craft for craft in plan.of(plan.guard) if craft.space in posts] if plan.guard != plan.raider else []


def _attack(plan: Plan, ships: Sequence[Craft]) -> list[Craft]:
    """Take every prize for which enough ships are within a turn, the richest first; return the ships left over.

    Of the ships in reach those go that could take least else.
    """
    left, prizes = list(ships), sorted(plan.known.foes(), key=lambda prize: (-prize.spoils, prize.written))
    choices = {craft.name: sum(plan.arrives(craft, prize.space) for prize in prizes) for craft in left}
    for prize in prizes:
        ready = [craft for craft in left if plan.arrives(craft, prize.space)]
        ready.sort(key=lambda craft: (choices[craft.name], distance(craft.space, prize.space), craft.name))
        for craft in _enough(ready, _needed(plan, prize)):
            left.remove(craft)
            if craft.space != prize.space:
                plan.go(craft, prize.space)
    return left


def _needed(plan: Plan, prize: World) -> int:
    """Return the weapons to send: half as many again as are seen there; one ship where no enemy is."""
    seen = plan.known.strength.get(prize.space, 0)
    return max(1, (3 * seen + 1) // 2)


def _enough(ready: Sequence[Craft], needed: int) -> list[Craft]:
    """Return the first ships whose weapons add up to what is needed; none if all of them do not."""
    team: list[Craft] = []
    for craft in ready:
        if sum(member.weapons for member in team) >= needed:
            break
        team.append(craft)
    return team if sum(member.weapons for member in team) >= needed else []


def _explore(plan: Plan, ships: Sequence[Craft]) -> None:
    """Let ships with nothing to take jump where they have not jumped before; elsewhere they go on as the rest."""
    for craft in ships:
        if craft.space not in plan.known.exits:
            plan.order(f"MOVE {craft.name} {JUMP}")
        else:
            _advance(plan, [craft])


def _advance(plan: Plan, ships: Sequence[Craft]) -> None:
    """Close up to the nearest prizes, each ship to another, but not to where enemies are seen."""
    taken: set[str] = set()
    prizes, strength = plan.known.foes(), plan.known.strength
    for craft in ships:
        goals = [prize for prize in prizes if prize.written not in taken] or prizes
        if goals:
            toil = {prize: distance(craft.space, prize.space) + strength.get(prize.space, 0) for prize in goals}
            goal = min(goals, key=lambda prize: (toil[prize], prize.written))
            taken.add(goal.written)
            way = plan.way(craft, goal.space)
            if way and way.end not in strength:
                plan.go(craft, goal.space)
