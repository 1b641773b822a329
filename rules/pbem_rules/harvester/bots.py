"""Bots: from a mailed view to the lines of a sheet.

"standard" gathers, keeps a guard at its Harvester, scouts, and sends its pack (a
Lieutenant and the Soldiers, who go together) after Harvesters that are guarded
less well, in sight or seen before, and to the hex where such a one will be.
"random" sends whatever is well-formed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pbem.ruleset import Bot, Dice, View
from pbem_rules.common.hexes import Hex, step
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.orders import ORDERS, Build, Move, Target
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.sheet import is_under_way
from pbem_rules.harvester.units import COMBAT, MOST_HELD, MOVE, NIMBLE, SCANNER, SLOT

GUARD = ("G", "L1")
PACK = ("L2", "S1", "S2", "S3")
SCOUTS = ("C1", "C2", "C3", "C4")
TRACKERS = ("C1", "C2")
"""Scouts that look for a Harvester where it was seen last."""

NEAR = 6
"""Steps from its prey within which a pack waits until it is together."""

_BUILD_ORDER = ("L2", "S1", "S2", "S3", "L1", "C1", "C2", "G", "C3", "C4")
_TURNS_A_HEADING = 6
_MIGHT = {name[0]: int(COMBAT[slot]) for name, slot in SLOT.items()}


def standard(view: View, dice: Dice) -> list[str]:
    """Return a sensible sheet."""
    return list(_Planner(view, dice).lines())


def random(view: View, dice: Dice) -> list[str]:
    """Return some random lines, not all of them valid."""
    return [ORDERS.invent(view, dice, "line", number) for number in range(dice.roll(8, "lines"))]


BOTS: Mapping[str, Bot] = {"standard": standard, "random": random}


class _Planner:
    """The plan of one player for one turn."""

    def __init__(self, view: View, dice: Dice) -> None:
        self.view, self.dice, self.atlas = view, dice, Atlas(view)
        self.home = self.atlas.home
        self.spots: dict[str, Hex] = {unit["unit"]: (unit["q"], unit["r"]) for unit in view["units"]}
        self.foes = [contact for contact in view["contacts"] if contact["side"] == "foe"]
        self.target = self._target()

    def lines(self) -> Iterator[str]:
        if self.target and not is_under_way(self.view["harvester"]):
            yield ORDERS.line(Target(*self.target))
        yield from self._build()
        yield from self._guard()
        trail = self._trail()
        yield from self._hunt(self._prey(), trail)
        for unit in SCOUTS:
            if unit in self.spots:
                goal = self._watch(unit) or (trail if unit in TRACKERS else None)
                yield from self._go(unit, goal or self._roam(unit, unit))

    # -- the Harvester

    def _target(self) -> Hex | None:
        """Return the target of the Harvester, or the nearest possible one; None if it is full."""
        home = self.view["harvester"]
        # A Harvester under way cannot turn aside (ruling 5).
        if is_under_way(home):
            return home["target"][0], home["target"][1]
        # What it cannot hold stays in the hex (ruling 7).
        if home["held"] >= MOST_HELD:
            return None
        strangers: set[Hex | None] = {(contact["q"], contact["r"]) for contact in self.view["contacts"]}
        # A mark may be a Harvester; those known to be one are no goals (ruling 9).
        strangers |= {self.home, self._last()}
        fields = [spot for spot in self.atlas.marked if spot not in strangers]
        if self.atlas.crags:
            fields = [spot for spot in fields if self.atlas.crags.isdisjoint(self.atlas.line(self.home, spot))]
        return min(fields, key=lambda spot: (self.atlas.distance(self.home, spot), spot), default=None)

    def _last(self) -> Hex | None:
        """Return the target that cannot be reached for now, if any."""
        target = self.view["harvester"]["target"]
        return (target[0], target[1]) if target else None

    def _build(self) -> Iterator[str]:
        if self.view["building"] is None:
            for unit in _BUILD_ORDER:
                if unit in self.view["lost"] and SCANNER[SLOT[unit]] <= self.view["harvester"]["held"]:
                    yield ORDERS.line(Build(unit))
                    return

    def _guard(self) -> Iterator[str]:
        """Send the guard to the hex where the Harvester will be."""
        post = self.home
        if self.target is not None:
            post = next(iter(self.atlas.line(self.home, self.target)), post)
        for unit in GUARD:
            if unit in self.spots:
                yield from self._go(unit, post)

    # -- the hunt

    def _hunt(self, prey: Hex | None, trail: Hex | None) -> Iterator[str]:
        """Send the pack to its prey, or where one was seen; near the prey it gathers first, to fight as one."""
        pack, lead = [unit for unit in PACK if unit in self.spots], self._pack_spot()
        pace = min((int(MOVE[SLOT[unit]]) for unit in pack), default=0)
        scattered = any(self.spots[unit] != lead for unit in pack)
        for unit in pack:
            if prey and scattered and self.atlas.distance(lead, prey) <= NEAR:
                yield from self._go(unit, lead)
            else:
                goal = prey or trail or self._roam(unit, "pack")
                yield from self._go(unit, goal, pace=pace, beyond=self._next_of(prey))

    def _prey(self) -> Hex | None:
        """Return the nearest foreign Harvester whose known guard is weaker than the pack."""
        might = sum(_MIGHT[unit[0]] for unit in PACK if unit in self.spots)
        guards: dict[Hex, int] = {}
        for contact in self.foes:
            spot = (contact["q"], contact["r"])
            guards[spot] = guards.get(spot, 0) + sum(_MIGHT[kind] for kind in contact["units"])
        weak = [spot for spot in self._strange_harvesters() if guards[spot] < might]
        return min(weak, key=lambda spot: (self.atlas.distance(self._pack_spot(), spot), spot), default=None)

    def _trail(self) -> Hex | None:
        """Return where a foreign Harvester was seen last, also one too strong, the nearest to the pack."""
        seen = [(q, r) for q, r, _, kinds, _ in self.view.get("memory", {}).get("foes", ()) if "H" in kinds]
        return min(seen, key=lambda spot: (self.atlas.distance(self._pack_spot(), spot), spot), default=None)

    def _strange_harvesters(self) -> list[Hex]:
        return [(contact["q"], contact["r"]) for contact in self.foes if "H" in contact["units"]]

    def _pack_spot(self) -> Hex:
        return next((self.spots[unit] for unit in PACK if unit in self.spots), self.home)

    def _watch(self, unit: str) -> Hex | None:
        """Return a scout's own hex if it is beside a foreign Harvester, so that it stays there."""
        found = [spot for spot in self._strange_harvesters() if self.atlas.distance(self.spots[unit], spot) == 1]
        return self.spots[unit] if found else None

    def _roam(self, unit: str, key: str) -> Hex:
        """Return a hex ahead, in a direction that stays the same for some turns."""
        period = self.view["turn"] // _TURNS_A_HEADING
        heading = self.dice.campaign.pick(tuple(DIRECTIONS), "heading", self.view["seat"], key, period)
        start = self.spots[unit] if unit in SCOUTS else self._pack_spot()
        pace = (
            int(MOVE[SLOT[unit]])
            if unit in SCOUTS
            else int(min(MOVE[SLOT[each]] for each in PACK if each in self.spots))
        )
        return self.atlas.named(step(start, DIRECTIONS[heading], pace))

    def _next_of(self, prey: Hex | None) -> Hex | None:
        """Return the hex to which a foreign Harvester is likely to go: towards the nearest resource."""
        if prey is None:
            return None
        fields = [spot for spot in self.atlas.marked if spot not in (prey, self.home)]
        field = min(fields, key=lambda spot: (self.atlas.distance(prey, spot), spot), default=None)
        return next(iter(self.atlas.line(prey, field)), None) if field else None

    def _go(self, unit: str, goal: Hex, *, pace: int | None = None, beyond: Hex | None = None) -> Iterator[str]:
        """Yield an order that takes a unit towards a goal, and `beyond`, as far as it gets in a turn or its pace."""
        here = self.spots[unit]
        way = [*self.atlas.course(here, goal), *(self.atlas.course(goal, beyond) if beyond else ())]
        path = way[: int(MOVE[SLOT[unit]]) if pace is None else pace]
        if not NIMBLE[SLOT[unit]]:
            path = self._before_crags(here, path)
        if path:
            yield ORDERS.line(Move(unit, tuple(path)))

    def _before_crags(self, here: Hex, path: Iterable[str]) -> list[str]:
        """Return the part of a path before known crags; sidestep them where one step to the side is enough."""
        taken: list[str] = []
        for name in path:
            ways = list(DIRECTIONS)
            turn = ways.index(name)
            free = (ways[(turn + aside) % 6] for aside in (0, 1, -1))
            way = next(
                (way for way in free if self.atlas.named(step(here, DIRECTIONS[way])) not in self.atlas.crags), None
            )
            if way is None:
                break
            here = self.atlas.named(step(here, DIRECTIONS[way]))
            taken.append(way)
        return taken
