"""Owners of planets after combat, and the colours that terraformers give them (ruling 20)."""

from __future__ import annotations

import dataclasses

from pbem.ruleset import SeatName
from pbem_rules.singularity_trap.chart import closer
from pbem_rules.singularity_trap.draft import Draft
from pbem_rules.singularity_trap.orders import LeaveColour, Terraform
from pbem_rules.singularity_trap.space import Space
from pbem_rules.singularity_trap.state import Planet, Ship


def capture(draft: Draft) -> None:
    """Give planets to new owners by the weapons present (rulebook, section C)."""
    in_play = draft.in_play()
    for planet in list(draft.planets.values()):
        owner = _new_owner(draft, planet, in_play.get(planet.space, []))
        if owner != planet.owner:
            draft.planets[planet.space] = dataclasses.replace(planet, owner=owner)
            name = draft.chart.site_at[planet.space].name
            draft.proclaim("captured", space=draft.name(planet.space), name=name, was=planet.owner, now=owner)


def _new_owner(draft: Draft, planet: Planet, ships: list[Ship]) -> SeatName | None:
    strength: dict[SeatName, int] = {}
    for ship in ships:
        strength[ship.owner] = strength.get(ship.owner, 0) + ship.weapons
    most = max(strength.values(), default=0)
    # Unarmed ships take nothing, and dark ones are not in play (rulebook, section C).
    if most == 0:
        return planet.owner
    strongest = [seat for seat, weapons in strength.items() if weapons == most]
    # A planet stays with its owner if the owner or an ally has most weapons or ties for most.
    if planet.owner and any(not draft.hostile(planet.owner, seat) for seat in strongest):
        return planet.owner
    # Of several with most an unowned planet goes to none, and an owned one becomes unowned.
    return strongest[0] if len(strongest) == 1 else None


def terraform(draft: Draft) -> None:
    """Change own planets with a stationary terraformer one step toward their owner's colour (rulebook, section D)."""
    for seat in draft.playing:
        orders = _orders(draft, seat)
        workers: dict[Space, list[Ship]] = {}
        for ship in draft.fleet(seat):
            why = _idle(draft, ship)
            order = orders.get(ship.id)
            if why and isinstance(order, Terraform):
                draft.refuse(seat, order, why)
            elif not why and not isinstance(order, LeaveColour):
                workers.setdefault(ship.space, []).append(ship)
        for space in sorted(workers):
            _change(draft, draft.planets[space], [orders.get(ship.id) for ship in workers[space]])


def _orders(draft: Draft, seat: SeatName) -> dict[str, Terraform | LeaveColour]:
    """Return the order that counts for each ship: of two for one ship the later (ruling 28)."""
    orders: dict[str, Terraform | LeaveColour] = {}
    for order in draft.orders.get(seat, ()):
        if isinstance(order, Terraform | LeaveColour):
            for ship in draft.ordered_ships(seat, order, (order.ship,)):
                orders[ship.id] = order
    return orders


def _idle(draft: Draft, ship: Ship) -> str:
    """Return why a ship cannot change a planet now; "" if it can."""
    planet = draft.planets.get(ship.space)
    if planet is None or planet.owner != ship.owner:
        return f"{ship.id} is not at a planet of yours"
    if ship.moved:
        return f"{ship.id} moved this turn"
    if not ship.can_terraform:
        return f"{ship.id} is dark or has no undamaged terraforming unit"
    return "" if closer(ship.owner, planet.colour) else f"the planet of {ship.id} has your colour already"


def _change(draft: Draft, planet: Planet, orders: list[Terraform | LeaveColour | None]) -> None:
    """Change a planet one step: to the colour first asked for among those possible, else to the clockwise one."""
    assert planet.owner is not None
    options = closer(planet.owner, planet.colour)
    asked = [order for order in orders if isinstance(order, Terraform) and order.colour]
    # A refused colour does not keep its ship from working (ruling 36).
    for order in asked:
        if order.colour not in options:
            draft.refuse(planet.owner, order, f"from {planet.colour} the next step is {' or '.join(options)}")
    colour = next((order.colour for order in asked if order.colour in options), None) or options[0]
    draft.planets[planet.space] = dataclasses.replace(planet, colour=colour)
    name = draft.chart.site_at[planet.space].name
    draft.proclaim("terraformed", space=draft.name(planet.space), name=name, was=planet.colour, now=colour)
