"""A sheet in the making: what its bot knows, owns and has ordered so far."""

from __future__ import annotations

import functools

from pbem.ruleset import Dice
from pbem_rules.singularity_trap.bots.knowledge import Craft, Knowledge, World
from pbem_rules.singularity_trap.bots.routes import Route, route
from pbem_rules.singularity_trap.orders import View, new_name
from pbem_rules.singularity_trap.space import Space, distance

RAID = 7
"""Spaces within which an enemy's ship is a danger to a planet: a turn's way for a cruiser, and one more."""


class Plan:
    """A sheet in the making.

    `crafts` are the ships that will be there to move, `points` those left to spend.
    """

    def __init__(self, view: View, dice: Dice) -> None:
        self.view, self.dice = view, dice
        self.known = Knowledge(view)
        self.lines: list[str] = []
        self.crafts = list(self.known.crafts)
        self.points: int = view["points"] + view["income"] - view["upkeep"]
        self._built = 0
        self._ways: dict[tuple[str, Space], Route | None] = {}

    def order(self, line: str) -> None:
        """Add a line to the sheet."""
        self.lines.append(line)

    def build(self, kind: View, world: World) -> None:
        """Order a ship built, which then is there to move (ruling 10)."""
        self._built += 1
        self.points -= kind["cost"]
        self.order(f"BUILD {kind['name']} AT {world.written}")
        self.crafts.append(self.known.new_craft(new_name(self._built), kind["name"], world.space))

    def give_up(self, craft: Craft) -> None:
        """Scrap a ship, which costs nothing any more."""
        self.order(f"SCRAP {craft.name}")
        self.crafts.remove(craft)
        self.points += 1

    def go(self, craft: Craft, goal: Space) -> None:
        """Send a ship as near to a goal as it gets this turn."""
        way = self.way(craft, goal)
        if way:
            self.order(f"MOVE {craft.name} {way.words}")

    def way(self, craft: Craft, goal: Space) -> Route | None:
        """Return the move that brings a ship nearest to a goal this turn, if any does."""
        key = craft.name, goal
        if key not in self._ways:
            self._ways[key] = route(self.known.board, craft, goal, self.known.exits)
        return self._ways[key]

    def arrives(self, craft: Craft, goal: Space) -> bool:
        """Return True if a ship can be at a goal this turn."""
        if craft.space == goal:
            return True
        # A slip and then warps bring a ship at most twice its drive far.
        if distance(craft.space, goal) > 2 * craft.drive and not craft.jumps:
            return False
        way = self.way(craft, goal)
        return way is not None and way.end == goal

    @functools.cached_property
    def dangers(self) -> dict[Space, int]:
        """The number of enemies that could be within a turn at each own planet; only where there are any."""
        near = {world.space: self._alarms_near(world) for world in self.known.mine()}
        return {space: count for space, count in near.items() if count}

    def _alarms_near(self, world: World) -> int:
        return sum(distance(alarm, world.space) <= RAID for alarm in self.known.alarms)

    @functools.cached_property
    def raider(self) -> View | None:
        """The type that takes planets: the best speed and weapons for its price."""
        return max(self._armed(), key=_quality, default=None)

    @functools.cached_property
    def guard(self) -> View | None:
        """The type that holds them: the most weapons, whatever its speed."""
        return max(self._armed(), key=lambda kind: (kind["units"]["weapons"], kind["name"]), default=None)

    @functools.cached_property
    def explorer(self) -> View | None:
        """The type that tries out jumps: the cheapest with a jump unit, and weapons to take what it finds."""
        jumpers = [kind for kind in self._armed() if kind["units"].get("jump")]
        return min(jumpers, key=lambda kind: (kind["cost"], kind["name"]), default=None)

    def of(self, kind: View | None) -> list[Craft]:
        """Return the ships of a type."""
        return [craft for craft in self.crafts if kind and craft.type == kind["name"]]

    def _armed(self) -> list[View]:
        kinds = self.known.types.values()
        return [kind for kind in kinds if kind["units"].get("weapons") and kind["units"].get("drive")]


def _quality(kind: View) -> tuple[int, str]:
    """Return weapons and speed for the price, in whole numbers."""
    units = kind["units"]
    speed = units["drive"] * (2 if units.get("slip", 0) else 1)
    return 100 * (1 + units["weapons"]) * speed // kind["cost"], kind["name"]
