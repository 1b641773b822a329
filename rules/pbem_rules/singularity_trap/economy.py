"""The economic section: income, scrap, maintenance, repair, hide, build (rulings 6–10)."""

from __future__ import annotations

import dataclasses

from pbem.ruleset import SeatName
from pbem_rules.common.summary import counted
from pbem_rules.singularity_trap.chart import (
    ARMOR,
    DRIVE,
    JUMP,
    MULTIFIRE,
    SENSOR,
    SLIP,
    SYSTEM,
    TERRAFORM,
    UNITS,
    WEAPONS,
    ShipType,
    letter_of,
)
from pbem_rules.singularity_trap.draft import Draft
from pbem_rules.singularity_trap.orders import Build, Hide, Repair, Scrap, numbered
from pbem_rules.singularity_trap.space import Space
from pbem_rules.singularity_trap.state import Ship

MENDING = (SYSTEM, DRIVE, WEAPONS, MULTIFIRE, ARMOR, SENSOR, SLIP, JUMP, TERRAFORM)
"""The order in which units are mended if the player names none (ruling 9)."""


def income(draft: Draft) -> None:
    """Pay each player for every planet owned, by its colour."""
    for seat in draft.playing:
        owned = [planet for planet in draft.planets.values() if planet.owner == seat]
        points = sum(draft.chart.worth_to(seat, planet.colour) for planet in owned)
        draft.tell("income", seat, points=points, planets=len(owned), saved=draft.points(seat))
        draft.pay(seat, -points)


def scrap(draft: Draft) -> None:
    """Scrap ships by order, before maintenance is due."""
    for seat in draft.playing:
        for order in draft.orders_of(seat, Scrap):
            for ship in draft.ordered_ships(seat, order, order.ships):
                _scrap(draft, ship, "order")


def _scrap(draft: Draft, ship: Ship, why: str) -> None:
    del draft.ships[ship.id]
    draft.tell("scrapped", ship.owner, ship=ship.id, type=ship.type, space=draft.name(ship.space), why=why)


def maintain(draft: Draft) -> None:
    """Take a point for every ship, and scrap ships that cannot be paid for (ruling 8)."""
    for seat in draft.playing:
        fleet = sorted(draft.fleet(seat), key=lambda ship: _first_given_up(draft, ship))
        # Dark ships must be paid for too (rulebook, "Ships").
        unpaid = max(0, len(fleet) - draft.points(seat))
        for ship in fleet[:unpaid]:
            _scrap(draft, ship, "unpaid")
        cost = len(fleet) - unpaid
        if cost:
            draft.pay(seat, cost)
            draft.tell("maintained", seat, ships=cost, cost=cost)


def _first_given_up(draft: Draft, ship: Ship) -> tuple[bool, int, int]:
    # Dark ships go first, then the cheapest, then the highest number (ruling 8).
    return not ship.dark, draft.chart.type_by_name[ship.type].cost, -ship.number


def repair(draft: Draft) -> None:
    """Repair units at a point each, in the order written, until the points run out (ruling 9)."""
    for seat in draft.playing:
        for order in draft.orders_of(seat, Repair):
            for ship in draft.ordered_ships(seat, order, (order.ship,)):
                _repair(draft, seat, order, ship)


def _repair(draft: Draft, seat: SeatName, order: Repair, ship: Ship) -> None:
    damaged = damaged_units(draft.chart.type_by_name[ship.type], ship, order)
    wanted = damaged[: order.points]
    mended = wanted[: draft.points(seat)]
    for unit in mended:
        ship = ship.with_unit(unit, +1)
    if mended:
        draft.put(ship)
        draft.repaired.add(ship.id)
        draft.pay(seat, len(mended))
        draft.tell("repaired", seat, ship=ship.id, units=[UNITS[unit] for unit in mended], cost=len(mended))
    if not wanted:
        draft.refuse(seat, order, f"nothing of that is damaged on {ship.id}")
    elif len(mended) < len(wanted):
        draft.refuse(seat, order, f"the points ran out after {len(mended)} of {len(wanted)} repairs")


def damaged_units(kind: ShipType, ship: Ship, order: Repair) -> list[int]:
    """Return the units that an order would repair, one entry a point, in the order of repair."""
    kinds = dict.fromkeys(map(UNITS.index, order.units)) if order.units else MENDING
    return [unit for unit in kinds for _ in range(kind.units[unit] - ship.left[unit])]


def hide(draft: Draft) -> None:
    """Make ships go dark by damage to their own systems."""
    for seat in draft.playing:
        for order in draft.orders_of(seat, Hide):
            for ship in draft.ordered_ships(seat, order, order.ships):
                if ship.dark:
                    draft.refuse(seat, order, f"{ship.id} is dark already")
                # Only ships that were not repaired this turn can hide (rulebook, section A).
                elif ship.id in draft.repaired:
                    draft.refuse(seat, order, f"{ship.id} was repaired this turn, so it cannot hide")
                else:
                    draft.put(ship.with_unit(SYSTEM, -1))
                    draft.tell("hidden", seat, ship=ship.id)


def build(draft: Draft) -> None:
    """Build ships at own planets, in the order written, until the points run out (ruling 9)."""
    for seat in draft.playing:
        for order, first in numbered(draft.orders_of(seat, Build)):
            _build(draft, seat, order, first)


def _build(draft: Draft, seat: SeatName, order: Build, first: int) -> None:
    space, kind = draft.board.read(order.space), draft.chart.type_by_name.get(order.type)
    planet = draft.planets.get(space) if space else None
    if kind is None or space is None or planet is None or planet.owner != seat:
        draft.refuse(seat, order, f"the planet at {order.space} is not yours")
        return
    for number in range(first, first + order.number):
        if draft.points(seat) < kind.cost:
            why = f"a {kind.name} costs {counted(kind.cost, 'point')}, with {draft.points(seat)} left"
            draft.refuse(seat, order, f"{number - first} of {order.number} built: {why}")
            return
        ship = _launch(draft, seat, kind, space)
        draft.built[seat, number] = ship.id
        draft.tell("built", seat, ship=ship.id, type=kind.name, space=draft.name(space), cost=kind.cost)


def _launch(draft: Draft, seat: SeatName, kind: ShipType, space: Space) -> Ship:
    player = draft.players[seat]
    number = _next_number(draft, seat, player.numbers)
    ship = Ship(f"{letter_of(seat)}{number}", seat, kind.name, space, kind.units)
    points = player.points - kind.cost
    draft.players[seat] = dataclasses.replace(player, points=points, numbers=(*player.numbers, number))
    draft.put(ship)
    return ship


def _next_number(draft: Draft, seat: SeatName, used: tuple[int, ...]) -> int:
    """Return a number never used by this player, drawn so that it does not tell how many ships the player has built.

    It has three digits while any are free, then four. The draw depends on nothing
    but the player and the count of the player's own ships (ruling 6).
    """
    taken = set(used)
    for low, high in ((100, 1_000), (1_000, 10_000)):
        free = [number for number in range(low, high) if number not in taken]
        if free:
            return free[draft.dice.campaign.below(len(free), "ship number", seat, len(used))]
    raise AssertionError("nobody builds 9,900 ships")


def close(draft: Draft) -> None:
    """Tell each player the points saved."""
    for seat in draft.playing:
        draft.tell("saved", seat, points=draft.points(seat))
