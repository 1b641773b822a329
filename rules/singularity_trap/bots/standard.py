"""The standard bot: it spreads, terraforms, masses its ships and takes what is weakly held.

It judges by its view alone and writes lines such as a player would.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import Dice
from rules.singularity_trap.bots.knowledge import Craft, Knowledge, World
from rules.singularity_trap.bots.routes import route
from rules.singularity_trap.orders import View
from rules.singularity_trap.space import Space, distance

PICKET_FROM = 5
"""Planets owned before a ship is built only to look out."""


def standard_bot(view: View, dice: Dice) -> list[str]:
    """A sheet for the section, or all sections, the view asks for."""
    if not view["awaited"]:
        return []
    plan = _Plan(view, dice)
    section = view["section"]
    if section in ("turn", "economic"):
        plan.declare()
        plan.spend()
    if section in ("turn", "movement"):
        plan.move()
    if section in ("turn", "combat"):
        plan.fire()
    if section in ("turn", "ecopolitical"):
        plan.ally()
    return plan.lines


class _Plan:
    """The making of one sheet. `crafts` are the ships that will be there to move."""

    def __init__(self, view: View, dice: Dice) -> None:
        self.known = Knowledge(view)
        self.view, self.dice = view, dice
        self.lines: list[str] = []
        self.crafts = list(self.known.crafts)
        self.points = view["points"] + view["income"] - view["upkeep"]
        self.built = 0
        self.line_up = _partners(view)

    # Politics

    def declare(self) -> None:
        """Declares a faction as soon as it would hold enough."""
        rules, known = self.view["rules"], self.known
        allies = sorted(known.allies)[: rules["largest_faction"] - 1]
        if not allies or self.view["faction"]:
            return
        if known.standing[known.me] + sum(known.standing[ally] for ally in allies) >= rules["planets_to_win"]:
            self.lines.append("DECLARE FACTION WITH " + " ".join(allies))

    def ally(self) -> None:
        """Offers alliance to its partners, as many as a faction can have, and to nobody else."""
        if self.view["rules"]["alliances"]:
            for player in self.view["players"]:
                wanted = player["colour"] in self.line_up
                if player["playing"] and player["colour"] != self.known.me and player["wish"] != wanted:
                    self.lines.append(f"ALLY {player['colour']} {'YES' if wanted else 'NO'}")

    # Economy

    def spend(self) -> None:
        """Gives up idle terraformers, mends, then builds terraformers and warships."""
        self._scrap()
        self._repair()
        self._build_guards()
        self._build_terraformers()
        self._build_picket()
        self._build_warships()

    def _scrap(self) -> None:
        """A terraformer with no work within two turns costs more than it brings."""
        work = self._work()
        for craft in self.known.crafts:
            if craft.terraforms and not any(distance(craft.space, world.space) <= 4 for world in work):
                self.lines.append(f"SCRAP {craft.name}")
                self.crafts.remove(craft)
                self.points += 1

    def _repair(self) -> None:
        hurt = [craft for craft in self.crafts if craft.damage]
        for craft in sorted(hurt, key=lambda craft: (craft.damage, craft.name)):
            if craft.damage <= self.points:
                self.lines.append(f"REPAIR {craft.name}")
                self.points -= craft.damage

    def _work(self) -> list[World]:
        """Own planets not yet of the own colour, the poorest first."""
        best = max(world.worth for world in self.known.worlds)
        return sorted((world for world in self.known.mine() if world.worth < best), key=lambda world: world.worth)

    def _build_terraformers(self) -> None:
        kind = self._type("terraform")
        if kind is None or len(self.known.mine()) < 3:
            return
        workers = [craft.space for craft in self.crafts if craft.terraforms]
        limit = 1 + len(self.known.mine()) // 4
        for world in self._work():
            near = any(distance(space, world.space) <= 3 for space in workers)
            if len(workers) < limit and not near and self.points >= kind["cost"] + self._reserve():
                self._build(kind, world)
                workers.append(world.space)

    def _build_guards(self) -> None:
        """Puts the strongest ship it can pay where an enemy stands beside a planet that nobody defends."""
        guard = max(self.known.types.values(), key=lambda kind: (kind["units"].get("weapons", 0), kind["name"]))
        for world in self.known.mine():
            beside = any(distance(space, world.space) == 1 for space in self.known.strength)
            held = any(craft.weapons and craft.space == world.space for craft in self.crafts)
            if beside and not held and self.points >= guard["cost"]:
                self._build(guard, world)

    def _build_picket(self) -> None:
        """Keeps one ship that sees far, once there is something to watch over."""
        kinds = [
            kind for kind in self.known.types.values() if kind["units"].get("sensor") and kind["units"].get("drive")
        ]
        eyes = min(kinds, key=lambda kind: (kind["cost"], kind["name"]), default=None)
        if eyes is None or len(self.known.mine()) < PICKET_FROM:
            return
        watched = any(craft.type == eyes["name"] for craft in self.crafts)
        if not watched and self.points >= eyes["cost"] + self._reserve():
            self._build(eyes, min(self.known.mine(), key=self._exposure))

    def _reserve(self) -> int:
        """Points kept back for a warship."""
        kind = self._type("weapons")
        return kind["cost"] if kind else 0

    def _build_warships(self) -> None:
        kind = self._type("weapons")
        bases = [world for world in self.known.mine() if not self._threat(world.space)] or self.known.mine()
        while kind and bases and self.points >= kind["cost"]:
            self._build(kind, min(bases, key=self._exposure))

    def _type(self, unit: str) -> View | None:
        """The type to build for a use: the best speed and weapons for its price."""
        kinds = [kind for kind in self.known.types.values() if kind["units"].get(unit, 0)]
        return max(kinds, key=_quality, default=None)

    def _build(self, kind: View, world: World) -> None:
        self.built += 1
        self.points -= kind["cost"]
        self.lines.append(f"BUILD {kind['name']} AT {world.written}")
        self.crafts.append(self.known.new_craft(f"NEW{self.built}", kind["name"], world.space))

    def _exposure(self, world: World) -> tuple[int, str]:
        """How near the next prize is to an own planet; the nearest wants ships most."""
        prizes = [distance(world.space, foe.space) for foe in self.known.foes()]
        at_hand = sum(craft.weapons for craft in self.crafts if craft.space == world.space)
        return min(prizes, default=0) + at_hand, world.written

    # Movement

    def move(self) -> None:
        """Sends warships where they take most, and terraformers to their next planet."""
        free = [craft for craft in self.crafts if craft.drive and not craft.dark and not craft.pinned]
        self._send_workers([craft for craft in free if craft.terraforms])
        idle = self._attack([craft for craft in free if craft.weapons])
        self._gather(idle)

    def _threat(self, space: Space) -> int:
        return self.known.strength.get(space, 0)

    def _send_workers(self, workers: Sequence[Craft]) -> None:
        work = self._work()
        done = {craft.space for craft in workers if any(world.space == craft.space for world in work)}
        for craft in workers:
            open_work = [world for world in work if world.space not in done]
            if craft.space in done or not open_work:
                continue
            goal = min(open_work, key=lambda world: (distance(craft.space, world.space), world.written))
            done.add(goal.space)
            self._go(craft, goal.space)

    def _attack(self, free: Sequence[Craft]) -> list[Craft]:
        """Takes every prize for which enough ships are within a turn; gives the ships left over."""
        left = list(free)
        for prize in sorted(self.known.foes(), key=self._appeal, reverse=True):
            near = sorted(left, key=lambda craft: (distance(craft.space, prize.space), craft.name))
            ready = [craft for craft in near if self._arrives(craft, prize.space)]
            team = _enough(ready, self._needed(prize))
            for craft in team:
                left.remove(craft)
                if craft.space != prize.space:
                    self._go(craft, prize.space)
        return left

    def _appeal(self, world: World) -> tuple[int, str]:
        """What a planet is worth taking: its points, its loss to an enemy, and how weak that enemy is."""
        owner = 0 if world.owner is None else 4 + max(0, 8 - self.known.standing[world.owner])
        return 2 * world.worth + owner - 2 * self._threat(world.space), world.written

    def _needed(self, world: World) -> int:
        """Weapons to send: one ship for an open planet, more where somebody may stand."""
        seen = self._threat(world.space)
        if seen:
            return 2 * seen
        return 1 if world.owner is None else 2 + self.dice.below(3, "caution", world.written)

    def _arrives(self, craft: Craft, goal: Space) -> bool:
        if distance(craft.space, goal) > 2 * craft.drive:
            return False
        way = route(self.known.board, craft, goal)
        return craft.space == goal or (way is not None and way.end == goal)

    def _gather(self, idle: Sequence[Craft]) -> None:
        """Ships with no prize in reach close up to the best one, all to the same, so that they mass."""
        prizes = self.known.foes()
        for craft in idle:
            if prizes:
                best = min(prizes, key=lambda world: (distance(craft.space, world.space), world.written))
                base = min(self.known.mine(), key=lambda world: (distance(world.space, best.space), world.written),
                           default=None)  # fmt: skip
                if base and base.space != craft.space:
                    self._go(craft, base.space)

    def _go(self, craft: Craft, goal: Space) -> None:
        way = route(self.known.board, craft, goal)
        if way:
            self.lines.append(f"MOVE {craft.name} {way.words}")

    # Combat

    def fire(self) -> None:
        """Shoots at the warships first."""
        kinds = [kind for kind in self.known.types.values() if kind["units"].get("weapons", 0)]
        ranked = sorted(kinds, key=lambda kind: (-kind["units"]["weapons"], kind["name"]))
        if ranked and (self.view["section"] == "turn" or self.view["combats"]):
            self.lines.append("TARGET " + " ".join(kind["name"] for kind in ranked))


def _quality(kind: View) -> tuple[int, str]:
    """Weapons and speed for the price, in whole numbers."""
    units = kind["units"]
    speed = units.get("drive", 0) * (2 if units.get("slip", 0) else 1)
    return 100 * (1 + units.get("weapons", 0)) * speed // kind["cost"], kind["name"]


def _enough(ready: Sequence[Craft], needed: int) -> list[Craft]:
    """The fewest first of the ships whose weapons come to what is needed; none if they do not."""
    team: list[Craft] = []
    for craft in ready:
        if sum(member.weapons for member in team) >= needed:
            break
        team.append(craft)
    return team if sum(member.weapons for member in team) >= needed else []


def _partners(view: View) -> set[str]:
    """The players a bot stands by: those in the same places of the wheel, so that bots choose each other."""
    size, players = view["rules"]["largest_faction"], view["players"]
    if size < 2:
        return set()
    step = len(players) // size
    colours = [player["colour"] for player in players]
    mine = colours.index(view["seat"])
    group = [place for place in range(len(colours)) if place % step == mine % step and place // step < size]
    return {colours[place] for place in group} - {view["seat"]} if mine in group else set()
