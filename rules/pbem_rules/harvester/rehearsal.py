"""Rehearsal of a turn: the result of a sheet if the others in sight stay, and there are no others.

It judges battles as the turn does (`pbem_rules.harvester.combat`), and takes the steps of one player alone: among a
few dozen units arrays would take twenty times as long. That both come to the same is tested with whole games.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import Dice, Order, SeatName, View
from pbem_rules.common.hexes import Hex, step
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.combat import Battle, Contest, conquer, first_slot
from pbem_rules.harvester.forest import NOBODY
from pbem_rules.harvester.movement import IMPULSES
from pbem_rules.harvester.orders import Build, Destroy, Drop, Move, Target
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.units import HARVESTER, MOST_HELD, NAMES, NIMBLE, SCANNER, SLOT, SLOTS

_READER = 0
"""The number of the reader, who comes first of the players."""


class Rehearsal(Contest):
    """The orders of a sheet, carried out; `at` gives the places of the reader's surviving units.

    Units are numbers as in the turn: slot u mod SLOTS of player u div SLOTS.
    """

    # They decide nothing: lots are drawn between Harvesters that move, and only one does.
    dice = Dice(b"rehearsal")

    def __init__(self, atlas: Atlas, orders: Sequence[Order]) -> None:
        view = atlas.view
        self.atlas, self.seats = atlas, _seats(view)
        number = {seat: index for index, seat in enumerate(self.seats)}
        self.ruler = [number.get(_ruler(view, seat), NOBODY) for seat in self.seats]
        self.cells = {number[seat] * SLOTS + SLOT[name]: spot for seat, name, spot in _units(view)}
        self.held, self.left = view["harvester"]["held"], dict[Hex, int]()
        self.standoffs: set[Hex] = set()
        self.halted: set[int] = set()
        self._take_sides()
        self._events: list[tuple[tuple[int, ...], dict[str, Any]]] = []
        self._prepare(orders)
        self._march(
            next_hex(atlas, orders), {SLOT[order.unit]: order.steps for order in orders if isinstance(order, Move)}
        )
        self._gather()
        self.at = {NAMES[unit]: spot for unit, spot in self.cells.items() if unit < SLOTS}
        self._events.sort(key=lambda event: event[0])

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of a kind, as a report tells them."""
        return [event for _, event in self._events if event["kind"] == kind]

    def tell(self, players: Iterable[int], kind: str, **data: Any) -> None:
        """Record an event of the reader's."""
        if _READER in players:
            self._events.append(((self.impulse, SLOTS), {"kind": kind, **data}))

    def _take_sides(self) -> None:
        """Find the side of every player."""
        self.tops = [[player, *self.above(player)][-1] for player in range(len(self.seats))]

    # -- the steps of the turn

    def _prepare(self, orders: Sequence[Order]) -> None:
        """Carry out what comes before movement: units destroy themselves, resources are dropped and spent."""
        self._wreck(SLOT[order.unit] for order in orders if isinstance(order, Destroy))
        for order in orders:
            if isinstance(order, Drop):
                self.held -= order.amount
                self._leave(order.amount, self.cells[HARVESTER])
            elif isinstance(order, Build):
                self.held -= int(SCANNER[SLOT[order.unit]])

    def _march(self, ahead: Hex | None, steps: Mapping[int, tuple[str, ...]]) -> None:
        for self.impulse in range(IMPULSES):
            self._meet_where_they_stand()
            aims = {
                unit: self.atlas.named(step(self.cells[unit], DIRECTIONS[ways[self.impulse]]))
                for unit, ways in steps.items()
                if unit in self.cells and unit not in self.halted and self.impulse < len(ways)
            }
            if ahead and not self.impulse and HARVESTER not in self.halted:
                aims[HARVESTER] = ahead
            self._hold_back(aims)
            self._meet_in_hexes(aims)

    def _gather(self) -> None:
        home = self.cells[HARVESTER]
        taken = min(MOST_HELD - self.held, self.atlas.near.get(home, 0) + self.left.get(home, 0))
        if taken > 0:
            self.tell([_READER], "gathered", amount=taken, held=self.held + taken)

    def _leave(self, amount: int, spot: Hex) -> None:
        self.left[spot] = self.left.get(spot, 0) + amount

    def _wreck(self, units: Iterable[int]) -> None:
        for unit in units:
            self._leave(int(SCANNER[unit % SLOTS]), self.cells.pop(unit))

    # -- movement

    def _meet_where_they_stand(self) -> None:
        """Judge enemies who are together before any unit takes a step, until none are new (ruling 14)."""
        for _ in self.seats:
            battles = self._battles(self.cells)
            tied = {spot for spot, battle in battles.items() if battle.victor is None}
            # Equals that stand together are told of each other once (ruling 14).
            self._fight({spot: battle for spot, battle in battles.items() if spot not in tied & self.standoffs})
            self.standoffs = tied
            if len(tied) == len(battles):
                return

    def _hold_back(self, aims: dict[int, Hex]) -> None:
        """Stop the units that may not enter the hex ahead (rulings 5, 8 and 10)."""
        homes = {spot for unit, spot in self.cells.items() if unit % SLOTS == HARVESTER}
        above = self.above(_READER)
        ruled = {spot for unit, spot in self.cells.items() if unit // SLOTS in above}
        for unit, aim in [*aims.items()]:
            if aim in self.atlas.crags and not NIMBLE[unit]:
                why = "crags"
            elif unit == HARVESTER and aim in homes:
                why = "harvester"
            elif aim in ruled:
                why = "ruler"
            else:
                continue
            self._stop(unit, aims)
            self.tell([_READER], "blocked", unit=NAMES[unit], why=why)

    def _stop(self, unit: int, aims: dict[int, Hex]) -> None:
        del aims[unit]
        self.halted.add(unit)

    def _meet_in_hexes(self, aims: dict[int, Hex]) -> None:
        """Undo steps into ties, until none is left; then take the others, and judge all hexes (ruling 4)."""
        while True:
            battles = self._battles(self.cells | aims)
            tied = {spot: battle for spot, battle in battles.items() if battle.victor is None}
            back = [unit for unit, aim in aims.items() if aim in tied]
            if not back:
                break
            self._fight({spot: tied[spot] for spot in {aims[unit] for unit in back}})
            for unit in back:
                self._stop(unit, aims)
        self.cells |= aims
        self._fight({spot: battle for spot, battle in battles.items() if battle.victor is not None})

    # -- fights

    def _battles(self, spots: Mapping[int, Hex]) -> dict[Hex, Battle]:
        """Return the battles wherever sides meet."""
        crews: dict[Hex, dict[int, int]] = {}
        for unit, spot in spots.items():
            here = crews.setdefault(spot, {})
            here[unit // SLOTS] = here.get(unit // SLOTS, 0) | 1 << unit % SLOTS
        crowded = ((spot, here) for spot, here in crews.items() if len(here) > 1)
        tops = self.tops
        return {spot: Battle(here, tops) for spot, here in crowded if len({tops[each] for each in here}) > 1}

    def _fight(self, battles: Mapping[Hex, Battle]) -> None:
        """Tell of battles, wreck the units that lost, and apply conquests."""
        for spot, battle in battles.items():
            if _READER in battle.crews:
                told = dict(zip(battle.crews, battle.fights(self.seats, self.impulse + 1, {}), strict=True))[_READER]
                key = self.impulse, first_slot(battle.crews[_READER]), *spot
                self._events.append((key, {"kind": "fought", **told, "q": spot[0], "r": spot[1]}))
            losers = battle.losers()
            self.halted.update(losers)
            self._wreck(unit for unit in losers if unit % SLOTS != HARVESTER)
        if conquests := {each.victim: each for battle in battles.values() for each in battle.conquests(self)}:
            conquer(self, conquests)
            self._take_sides()


def next_hex(atlas: Atlas, orders: Sequence[Order]) -> Hex | None:
    """Return the next hex on the Harvester's way; None if it has no target.

    Views up to version 2 do not always tell it for a line of an earlier turn: then it is None, too.
    """
    home = atlas.view["harvester"]
    target = next((order for order in orders if isinstance(order, Target)), None)
    if target is None and home["target"] is None:
        return None
    if target is None and home.get("ahead"):
        return home["ahead"][0], home["ahead"][1]
    goal = (target.q, target.r) if target else (home["target"][0], home["target"][1])
    ways = atlas.course(atlas.home, goal)
    if target is None and len(set(ways)) > 1:
        return None
    return atlas.named(step(atlas.home, DIRECTIONS[ways[0]]))


def _seats(view: View) -> tuple[SeatName, ...]:
    """Return the reader, their rulers and subservients, and the owners of the units in sight."""
    others = (*view["rulers"], *(each["seat"] for each in view["subservients"]))
    return tuple(dict.fromkeys((view["seat"], *others, *(each["owner"] for each in view["contacts"]))))


def _ruler(view: View, seat: SeatName) -> SeatName:
    """Return the direct ruler of a seat as far as the report tells: foes count as free, other friends as the top's."""
    chain: tuple[SeatName, ...] = (view["seat"], *view["rulers"])
    if seat in chain:
        return (*chain, "")[chain.index(seat) + 1]
    below: dict[SeatName, SeatName] = {each["seat"]: each["ruler"] for each in view["subservients"]}
    friends = {each["owner"] for each in view["contacts"] if each["side"] == "friend"}
    return below.get(seat) or (chain[-1] if seat in friends else "")


def _units(view: View) -> Iterator[tuple[SeatName, str, Hex]]:
    """Yield the units that the report shows, by owner and name; those of others get any name of their kind."""
    home = view["harvester"]
    yield view["seat"], NAMES[HARVESTER], (home["q"], home["r"])
    for unit in view["units"]:
        yield view["seat"], unit["unit"], (unit["q"], unit["r"])
    free: dict[SeatName, list[str]] = {}
    for each in view["contacts"]:
        names = free.setdefault(each["owner"], list(NAMES))
        for kind in each["units"]:
            # A report gives units of others by kind, not by number (ruling 12).
            name = next(name for name in names if name[0] == kind)
            names.remove(name)
            yield each["owner"], name, (each["q"], each["r"])
