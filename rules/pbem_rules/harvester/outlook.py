"""Forecast of a sheet for its receipt, from what the player's report shows.

It is made of the orders kept and of the view, and says what is certain, what holds if no other unit comes in the
way, what if the others in sight stay where they are, and what only if nothing unseen stops the units. The turn is
rehearsed only where others are in sight on a unit's way; all other ways are read from the orders, which is cheaper
and the usual case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

from pbem.ruleset import Finding, Order, SeatName
from pbem_rules.common.hexes import Hex, step
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.orders import Build, Destroy, DestroyHarvester, Drop, Move, Target
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.rehearsal import Rehearsal, next_hex
from pbem_rules.harvester.routes import written
from pbem_rules.harvester.summary import AHEAD
from pbem_rules.harvester.units import COMBAT, HARVESTER, MOST_HELD, NIMBLE, SCANNER, SLOT
from pbem_rules.harvester.units import NAMES as UNITS

H = UNITS[HARVESTER]
OrderT = TypeVar("OrderT", bound=Order)


@dataclass(frozen=True)
class Fate:
    """The forecast for a unit, in words that follow its name, and its condition, a key of `_CONDITIONS`."""

    unit: str
    condition: str
    words: str


# Codes of the notes on units, and the conditions that these depend on.
_CONDITIONS = {
    "outlook": "if no other unit comes in the way",
    "outlook-seen": "if those in sight stay where they are",
    "outlook-unseen": "if nothing stops them",
}


class Outlook:
    """The forecast for the orders kept from a sheet."""

    def __init__(self, atlas: Atlas, orders: Sequence[Order]) -> None:
        self.view, self.orders, self.atlas = atlas.view, orders, atlas
        self.kinds: dict[type[Order], list[Any]] = {}
        for order in orders:
            self.kinds.setdefault(type(order), []).append(order)
        view = self.view
        self.at = atlas.units
        self.own = Counter([*self.at.values(), self.atlas.home])
        self.foes: dict[Hex, set[SeatName]] = {}
        self.others: set[Hex] = set()
        for each in view["contacts"]:
            spot = each["q"], each["r"]
            self.others.add(spot)
            if each["side"] == "foe":
                self.foes.setdefault(spot, set()).add(each["owner"])

    def findings(self) -> Iterator[Finding]:
        """Yield the forecast, as notes on the whole sheet."""
        if self._of(DestroyHarvester):
            if len(self.orders) > 1:
                yield _note("nothing-else", "Harvester and units are gone before any other order is carried out")
            return
        yield from (_note("treasury", text) for text in self._treasury())
        fates = [*(self._fate(order) for order in self._of(Move)), *self._left_behind()]
        for code, condition in _CONDITIONS.items():
            if told := "; ".join(_together(fate for fate in fates if fate.condition == code)):
                yield _note(code, f"{condition}: {told}")
        yield from self._idle()
        yield from self._driving()

    def _of(self, kind: type[OrderT]) -> list[OrderT]:
        return self.kinds.get(kind, [])

    # -- resources and building

    @property
    def spent(self) -> int:
        """The resources that the sheet spends."""
        return sum(order.amount for order in self._of(Drop)) + sum(map(_price, self._of(Build)))

    def _treasury(self) -> Iterator[str]:
        held = self.view["harvester"]["held"]
        told = [f"{order.amount} dropped" for order in self._of(Drop)]
        told += [f"{_price(order)} paid for {order.unit}" for order in self._of(Build)]
        if told:
            yield f"of {held} resources, {' and '.join(told)}: {held - self.spent} left before your Harvester gathers"
        for unit, turns in self._works():
            last = self.view["turn"] + turns - 1
            when = "this turn" if turns == 1 else f"turn {last}, if the game goes on so long"
            yield f"{unit} is ready at the end of {when}, and stands with your Harvester then"

    def _works(self) -> Iterator[tuple[str, int]]:
        """Yield the unit being rebuilt and the turns that it still takes, this one counted."""
        if self.view["building"] is not None:
            yield self.view["building"]["unit"], self.view["building"]["turns"]
        for order in self._of(Build):
            yield order.unit, int(COMBAT[SLOT[order.unit]])

    # -- defence units

    @cached_property
    def _destroyed_units(self) -> set[str]:
        return {order.unit for order in self._of(Destroy)}

    @cached_property
    def _rehearsal(self) -> Rehearsal:
        return Rehearsal(self.atlas, self.orders)

    @cached_property
    def _paths(self) -> dict[str, list[Hex]]:
        """The hexes over which each unit with orders would go, its own first."""
        return {order.unit: self._path(order) for order in self._of(Move)}

    def _path(self, order: Move) -> list[Hex]:
        """Return the hexes of a march, up to the first known crags that the unit cannot enter."""
        path = [self.at[order.unit]]
        for way in order.steps:
            there = self.atlas.named(step(path[-1], DIRECTIONS[way]))
            if there in self.atlas.crags and not NIMBLE[SLOT[order.unit]]:
                break
            path.append(there)
        return path

    def _fate(self, order: Move) -> Fate:
        """Return the forecast for a unit that marches."""
        unit, path = order.unit, self._paths[order.unit]
        met = self.others.intersection(path)
        if unit in self._known and not met:
            return Fate(unit, "outlook", f"at {written(path[-1])}")
        if unit in self._known and not self._is_doubtful_for_units(met):
            return Fate(unit, "outlook-seen", self._rehearsed(unit, path))
        foes = " (foes on the way)" if met.intersection(self.foes) else ""
        return Fate(unit, "outlook-unseen", f"at {written(path[-1])}{foes}")

    @cached_property
    def _known(self) -> set[str]:
        """The units of which scanners show all that is in the hexes on their way."""
        return {unit for unit, path in self._paths.items() if all(map(self._is_seen, path[1:]))}

    def _is_seen(self, spot: Hex) -> bool:
        return spot in self.atlas.near or self.atlas.numbers.get(spot) == self.own.get(spot, 0)

    def _is_doubtful(self, spots: set[Hex]) -> bool:
        """Return True if the meeting with others in some hexes depends on more than what is in sight.

        A view does not tell which foes are on one side, nor who else changes sides with one that is
        conquered; and an own unit on an unknown way may come there, or not.
        """
        if any(len(self.foes.get(spot, ())) > 1 for spot in spots):
            return True
        if any(unit not in self._known and spots.intersection(path) for unit, path in self._paths.items()):
            return True
        conquered = {event["who"] for event in self._rehearsal.of("won-over")}
        return bool(conquered) and any(self.foes.get(spot, conquered) - conquered for spot in spots)

    def _is_doubtful_for_units(self, spots: set[Hex]) -> bool:
        # Whoever conquers the reader's Harvester may have others on their side, who are foes no more (ruling 8).
        return self._is_doubtful(spots) or bool(self._rehearsal.of("conquered"))

    def _rehearsed(self, unit: str, path: Sequence[Hex]) -> str:
        """Return the end of a unit's way that meets others, in words."""
        fought = self._rehearsal.of("fought")
        end = self._rehearsal.at.get(unit)
        if end is None:
            return _loss_text(next(fight for fight in fought if unit in fight["lost"].split()))
        told = f"at {written(end)}"
        if any(event["unit"] == unit and event["why"] == "ruler" for event in self._rehearsal.of("blocked")):
            return f"{told}: {AHEAD['ruler']}"
        for before, ahead in pairwise(path):
            tie = _at(fought, "tied", ahead)
            if before == end and tie:
                return f"{told}, as {_enemies(tie)} at {written(ahead)} {_are_as_strong(tie)}"
        won = _at(fought, "won", end)
        return f"{told}, where you win against {_enemies(won)}" if won else told

    def _left_behind(self) -> Iterator[Fate]:
        """Yield the forecast for units that stay, and fall where they stand with foes."""
        staying = [unit for unit, spot in self.at.items() if spot in self.foes and unit not in self._paths]
        for unit in staying:
            lost = [fight for fight in self._rehearsal.of("fought") if unit in fight["lost"].split()]
            if lost and not self._is_doubtful_for_units({self.at[unit]}):
                yield Fate(unit, "outlook-seen", _loss_text(lost[0]))

    def _idle(self) -> Iterator[Finding]:
        ordered = {order.unit for order in self._of(Move)} | self._destroyed_units
        idle = [unit for unit in self.at if unit not in ordered]
        if idle and len(idle) < len(self.at):
            yield _note("idle", f"without an order: {', '.join(idle)}")

    # -- the Harvester

    def _driving(self) -> Iterator[Finding]:
        """Yield where the Harvester will be, what it gathers there, and what it holds then."""
        start, ahead = self.atlas.home, next_hex(self.atlas, self.orders)
        target = self.view["harvester"]["target"]
        # Views up to version 2 do not tell the next hex of a line begun before.
        if ahead is None and target and not self._of(Target):
            left = self.view["harvester"]["left"] - 1
            yield _note("outlook-unseen", f"{_UNSEEN}, your Harvester is {left} steps from {written(target)} then")
            return
        if self.others & {start, ahead}:
            yield from self._driving_among_others(start, ahead)
            return
        there = start if ahead is None or ahead in self.atlas.crags else ahead
        found = self._found(there)
        if found or ahead is not None:
            held = self.view["harvester"]["held"] - self.spent
            gathered = min(found, MOST_HELD - held)
            gain = _gain(gathered, held + gathered) if found else ""
            yield _note("outlook", f"{_ALONE}, your Harvester {_stands(start, there)}{gain}")

    def _driving_among_others(self, start: Hex, ahead: Hex | None) -> Iterator[Finding]:
        """Yield the forecast for a Harvester with others beside it or ahead of it, if these stay."""
        there, met = self._rehearsal.at[H], self.others & {start, ahead}
        gain = "".join(_gain(event["amount"], event["held"]) for event in self._rehearsal.of("gathered"))
        conquered = next((event["by"] for event in self._rehearsal.of("conquered")), "")
        foes = met.intersection(self.foes)
        code, condition = ("outlook-seen", _SEEN) if foes else ("outlook", _ALONE)
        if self._is_doubtful(met):
            code, condition = "outlook-unseen", _UNSEEN
        if conquered and code == "outlook-seen":
            yield _note(code, f"{condition}, your Harvester is conquered by {conquered} at {written(there)}")
        elif why := self._kept_out(ahead):
            yield _note("outlook-seen", f"your Harvester will wait at {written(start)} if {why}")
            if gain:
                yield _note(code, f"{condition}, your Harvester stays at {written(start)}{gain}")
        elif gain or ahead is not None:
            yield _note(code, f"{condition}, your Harvester {_stands(start, there)}{gain}")

    def _kept_out(self, ahead: Hex | None) -> str:
        """Return who keeps the Harvester from its next hex if they stay; "" if none of those in sight does.

        They do if they move, too, but what is in the way may be destroyed before anything moves.
        """
        blocked = next((event["why"] for event in self._rehearsal.of("blocked") if event["unit"] == H), "")
        there = [each for each in self.view["contacts"] if (each["q"], each["r"]) == ahead]
        if blocked == "harvester":
            owner = next(each["owner"] for each in there if H in each["units"])
            return f"{owner}'s Harvester stays at {written(ahead)}" if ahead else ""
        if blocked == "ruler":
            owner = next(each["owner"] for each in there if each["owner"] in self.view["rulers"])
            return f"units of {owner}, who is above you, stay at {written(ahead)}" if ahead else ""
        return ""

    def _found(self, spot: Hex) -> int:
        """Return the resources in a hex next to the Harvester, or in its own, when it gathers."""
        dropped = sum(order.amount for order in self._of(Drop)) if spot == self.atlas.home else 0
        # A unit that destroys itself leaves its scanner rating (ruling 6).
        wrecks = sum(int(SCANNER[SLOT[unit]]) for unit in self._destroyed_units if self.at[unit] == spot)
        return self.atlas.near.get(spot, 0) + dropped + wrecks


_ALONE = "if no other unit comes in its way"
_SEEN = _CONDITIONS["outlook-seen"]
_UNSEEN = "if nothing is in its way"


def _stands(start: Hex, there: Hex) -> str:
    return f"stays at {written(there)}" if there == start else f"comes to {written(there)}"


def _gain(gathered: int, held: int) -> str:
    return f", gathers {gathered} and holds {held} then"


def _at(fights: Iterable[Mapping[str, Any]], outcome: str, spot: Hex) -> Mapping[str, Any] | None:
    return next((each for each in fights if each["outcome"] == outcome and (each["q"], each["r"]) == spot), None)


def _enemies(fight: Mapping[str, Any]) -> str:
    """Return the enemies of a fight with their owners: "bob's G S"."""
    return "; ".join(f"{who}'s {' '.join(units)}" for who, units in map(str.split, fight["enemies"].split(", ")))


def _are_as_strong(tie: Mapping[str, Any]) -> str:
    return f"{'are' if len(tie['enemies'].split()[1]) > 1 else 'is'} as strong: {tie['best']}"


def _loss_text(fight: Mapping[str, Any]) -> str:
    where = written((fight["q"], fight["r"]))
    return f"lost at {where} to {_enemies(fight)}, {fight['strength']} against {fight['best']}"


def _price(order: Build) -> int:
    return int(SCANNER[SLOT[order.unit]])


def _together(fates: Iterable[Fate]) -> Iterator[str]:
    """Yield the forecasts in words, units with the same one in one sentence."""
    units: dict[str, list[str]] = {}
    for fate in fates:
        units.setdefault(fate.words, []).append(fate.unit)
    for words, names in units.items():
        yield f"{', '.join(names)} {words}"


def _note(code: str, text: str) -> Finding:
    return Finding(0, "note", code, text)
