"""The combat section: rounds of fire wherever enemies meet (rulings 16–19)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset import SeatName
from pbem_rules.singularity_trap.chart import ARMOR, UNITS, WEAPONS
from pbem_rules.singularity_trap.draft import Draft
from pbem_rules.singularity_trap.orders import Fire, Target
from pbem_rules.singularity_trap.space import Space
from pbem_rules.singularity_trap.state import Ship


@dataclass(frozen=True, slots=True)
class Shot:
    """One shot: the `number`-th of a ship, at a target."""

    by: Ship
    at: Ship
    number: int


def contested(draft: Draft) -> dict[Space, list[Ship]]:
    """Return the spaces where a round is to be fought, with all ships in play there, by id (ruling 16)."""
    return {space: ships for space, ships in sorted(draft.in_play().items()) if _shooters(draft, ships)}


def _shooters(draft: Draft, ships: Sequence[Ship]) -> list[Ship]:
    owners = sorted({ship.owner for ship in ships})
    if len(owners) < 2:
        return []
    hostile = {a for a in owners if any(draft.hostile(a, b) for b in owners)}
    return [ship for ship in ships if ship.shots and ship.owner in hostile]


def choosers(draft: Draft, ships: Sequence[Ship]) -> set[SeatName]:
    """Return the players with a real choice in a space: something to fire, and two targets or more (ruling 24)."""
    shooters = {ship.owner for ship in _shooters(draft, ships)}
    return {seat for seat in shooters if sum(draft.hostile(seat, ship.owner) for ship in ships) > 1}


def fight_round(draft: Draft) -> None:
    """Fight one round in every contested space."""
    draft.round += 1
    for space, ships in contested(draft).items():
        _fight(draft, space, ships)


def cease(draft: Draft) -> None:
    """End combat: the next one begins with round 1."""
    draft.round = 0


def _fight(draft: Draft, space: Space, ships: list[Ship]) -> None:
    weapons = _weapons(ships)
    # All who were there when the round began get the report, whether they fought or not (ruling 19).
    audience = sorted(weapons)
    # In a fixed order, since each hit is taken by the units that those before it have left.
    shots = sorted(_all_shots(draft, ships), key=lambda shot: (shot.by.id, shot.number))
    # Hits take effect together at the end of the round: odds and shots are those of its start.
    damaged = {ship.id: ship for ship in ships}
    told = [_shoot(draft, space, shot, weapons, damaged) for shot in shots]
    lost = [_lose(draft, ship) for before, ship in zip(ships, damaged.values(), strict=True) if ship != before]
    draft.tell(
        "combat",
        *audience,
        space=draft.name(space),
        round=draft.round,
        ships=[_as_seen(draft, ship) for ship in ships],
        shots=told,
        lost=[loss for loss in lost if loss],
    )


def _weapons(ships: Iterable[Ship]) -> dict[SeatName, int]:
    weapons: dict[SeatName, int] = {}
    for ship in ships:
        weapons[ship.owner] = weapons.get(ship.owner, 0) + ship.weapons
    return weapons


def _as_seen(draft: Draft, ship: Ship) -> dict[str, Any]:
    damage = draft.chart.type_by_name[ship.type].cost - sum(ship.left)
    return {"id": ship.id, "owner": ship.owner, "type": ship.type, "weapons": ship.weapons, "armor": ship.left[ARMOR],
            "damage": damage}  # fmt: skip


def _all_shots(draft: Draft, ships: Sequence[Ship]) -> Iterable[Shot]:
    for seat in sorted({ship.owner for ship in ships}):
        enemies = [ship for ship in ships if draft.hostile(seat, ship.owner)]
        shooters = [ship for ship in ships if ship.owner == seat and ship.shots]
        if enemies and shooters:
            yield from _Gunnery(draft, seat, enemies).aim(shooters)


@dataclass
class _Gunnery:
    """One player's fire in one space: by order where there is one, by doctrine for the rest."""

    draft: Draft
    seat: SeatName
    enemies: list[Ship]
    aimed: dict[str, int] = field(default_factory=dict)

    def aim(self, shooters: Sequence[Ship]) -> list[Shot]:
        """Return all shots of the shooters; ordered ones are aimed first, so that doctrine fills up what they leave."""
        orders = self._orders()
        by_number = sorted(shooters, key=lambda ship: ship.number)
        shots = []
        for ship in (ship for ship in by_number if ship.id in orders):
            targets = orders[ship.id]
            shots += [self._shot(ship, targets[number % len(targets)], number) for number in range(ship.shots)]
        ranked = self._ranked()
        for ship in (ship for ship in by_number if ship.id not in orders):
            shots += [self._shot(ship, self._best(ranked), number) for number in range(ship.shots)]
        return shots

    def _shot(self, ship: Ship, target: Ship, number: int) -> Shot:
        self.aimed[target.id] = self.aimed.get(target.id, 0) + 1
        return Shot(ship, target, number)

    def _best(self, ranked: Sequence[Ship]) -> Ship:
        """Return the first target at which fewer shots are aimed than it has units; then all over again (ruling 30)."""
        # Type and damage total, which all there know, tell how many units are left (ruling 41).
        return min(ranked, key=lambda ship: self.aimed.get(ship.id, 0) // sum(ship.left))

    def _orders(self) -> dict[str, list[Ship]]:
        """Return the targets present of each ship with a FIRE order; of two orders the later counts (ruling 28)."""
        here = {ship.id: ship for ship in self.enemies}
        orders: dict[str, list[Ship]] = {}
        for order in self.draft.orders_of(self.seat, Fire):
            targets = [here[target] for target in order.targets if target in here]
            for name in order.ships:
                ship = self.draft.own_ship(self.seat, name)
                if ship:
                    orders[ship.id] = targets
        # An order whose targets are not there leaves its ship to doctrine (ruling 30).
        return {ship: targets for ship, targets in orders.items() if targets}

    def _ranked(self) -> list[Ship]:
        """Return the enemies by doctrine: preference, then types with most weapons, then lowest number (ruling 18)."""
        doctrines = self.draft.orders_of(self.seat, Target)
        choices = doctrines[-1].choices if doctrines else ()
        # Types with all their weapons: only the owner knows which units a ship has left (ruling 41).
        types = self.draft.chart.type_by_name

        def rank(ship: Ship) -> tuple[int, int, int, str]:
            liked = [place for place, choice in enumerate(choices) if choice in (ship.owner, ship.type)]
            return min(liked, default=len(choices)), -types[ship.type].units[WEAPONS], ship.number, ship.id

        return sorted(self.enemies, key=rank)


def _shoot(
    draft: Draft, space: Space, shot: Shot, weapons: Mapping[SeatName, int], damaged: dict[str, Ship]
) -> dict[str, Any]:
    """Roll one shot, note its damage, and return its line for the report (ruling 17)."""
    # The chance to hit is TE of AE + TE; `need` is TE, the weapons of the target's enemies (rulebook, section C).
    against_attacker = _enemy_weapons(draft, shot.by.owner, weapons)
    need = _enemy_weapons(draft, shot.at.owner, weapons)
    of = against_attacker + need
    key = (draft.name(space), draft.round, shot.by.id, shot.number)
    die = draft.dice.roll(of, "shot", *key)
    hit = die <= need
    unit = _hit_unit(draft, damaged[shot.at.id], key) if hit else None
    if unit is not None:
        damaged[shot.at.id] = damaged[shot.at.id].with_unit(unit, -1)
    return {"by": shot.by.id, "at": shot.at.id, "need": need, "of": of, "die": die, "hit": hit,
            "unit": None if unit is None else UNITS[unit]}  # fmt: skip


def _enemy_weapons(draft: Draft, seat: SeatName, weapons: Mapping[SeatName, int]) -> int:
    return sum(count for other, count in weapons.items() if draft.hostile(seat, other))


def _hit_unit(draft: Draft, ship: Ship, key: tuple[str | int, ...]) -> int | None:
    """Return the unit that a hit takes: armor first, then any remaining one, each as likely; None if none is left."""
    if ship.left[ARMOR]:
        return ARMOR
    # A ship that is lost in this round still loses units to further hits (ruling 16).
    remaining = [unit for unit, count in enumerate(ship.left) for _ in range(count)]
    return draft.dice.pick(remaining, "unit", *key) if remaining else None


def _lose(draft: Draft, ship: Ship) -> dict[str, str] | None:
    """Put a damaged ship back, or remove it if it is destroyed; return its loss, if it is one."""
    # Without weapons and drive a ship is destroyed, without its system it goes dark (rulebook, section C).
    if not ship.weapons and not ship.drive:
        del draft.ships[ship.id]
        return {"ship": ship.id, "how": "destroyed"}
    draft.put(ship)
    return {"ship": ship.id, "how": "dark"} if ship.dark else None
