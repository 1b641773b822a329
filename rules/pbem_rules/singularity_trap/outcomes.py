"""Outcomes of orders, a clause each, from the view of the report on their turn alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pbem.ruleset import AsOrdered, InPart, NotDone, Order, View
from pbem_rules.common.outcomes import SIGNS
from pbem_rules.common.summary import counted, cut, listed, named
from pbem_rules.singularity_trap.aftermath import Aftermath
from pbem_rules.singularity_trap.orders import (
    Ally,
    Build,
    DeclareEmpire,
    DeclareFaction,
    Fire,
    Hide,
    LeaveColour,
    Move,
    Repair,
    Resign,
    Scrap,
    Target,
    Terraform,
    new_number,
)

MOST_IDS = 8
"""The most ships that an outcome names; of more it gives the number."""


def order_outcomes(view: View, orders: Sequence[Order]) -> list[str]:
    """Return the outcome of each order, "" where the view does not tell."""
    after = Aftermath(view, orders)
    return [_cut(_outcome(after, index, order)) for index, order in enumerate(orders)]


def _cut(outcome: str) -> str:
    return type(outcome)(cut(outcome, SIGNS))


def _outcome(after: Aftermath, index: int, order: Order) -> str:
    if isinstance(order, Resign):
        return _resigned(after)
    if isinstance(order, Scrap | Hide):
        return _unplayed(after) or _TELLERS[type(order)](after, order)
    tell = _PLACED[type(order)]
    if isinstance(order, DeclareFaction | DeclareEmpire):
        # These come before all else, and may be what ended the war.
        return tell(after, index, order) or _unplayed(after)
    return _unplayed(after) or tell(after, index, order)


def _unplayed(after: Aftermath) -> str:
    """Return why nothing of a sheet was carried out; "" if it was."""
    if any(event["how"] != "eliminated" for event in after.events("resigned", who=after.seat)):
        return NotDone("you had left the war.")
    # Resignations and declarations come before income, and may end the war.
    played = any(after.events(kind) for kind in ("income", "holding", "faction-held"))
    if after.view["over"] and not played and not after.events("resigned", how="eliminated"):
        return NotDone("the war was over.")
    return ""


def _grouped(outcomes: Iterable[tuple[str, str]]) -> str:
    """Return the fates of ships, those alike together, without its name where a ship is alone.

    `{was}` in a fate is replaced by was or were. A fate that is a `NotDone` or an `InPart` makes the outcome one.
    """
    alike: dict[str, list[str]] = {}
    ships = [(ship, fate) for ship, fate in outcomes if fate]
    for ship, fate in ships:
        alike.setdefault(fate, []).append(ship)
    every = len(alike) == 1
    said = [
        f"{_ships(them, every=every)} {fate.replace('{was}', 'was' if len(them) == 1 else 'were')}"
        for fate, them in alike.items()
    ]
    if len(ships) == 1:
        # The line that the outcome follows names the ship.
        said = [fate.replace("{was}", "was") for fate in alike]
    text = f"{'; '.join(said)}." if said else ""
    kinds = {type(fate) for _, fate in ships}
    done = str if kinds <= {str, AsOrdered} else InPart
    return (kinds.pop() if len(kinds) == 1 else done)(text)


def _ships(ships: Sequence[str], *, every: bool) -> str:
    if every and len(ships) > 2:
        return f"all {len(ships)}"
    return named(ships, MOST_IDS)


def _fate(after: Aftermath, ship: str) -> str:
    """Return the fate of a ship that an order named and that was no more."""
    if new_number(ship):
        return NotDone("{was} not built")
    scrapped = after.events("scrapped", ship=ship)
    if scrapped:
        return NotDone(f"had been scrapped{', for want of upkeep' if scrapped[0]['why'] == 'unpaid' else ''}")
    return NotDone("{was} destroyed before" if after.loss(ship)[1] == "destroyed" else "{was} no more")


def _refused(after: Aftermath, order: Order, ship: str) -> str:
    """Return why an order was refused for a ship, as something to say of it; "" if it was not."""
    for why in after.refusals(order):
        who, _, what = why.partition(" ")
        if who == ship:
            verb, _, rest = what.removesuffix(", so it cannot hide").partition(" ")
            return _fate(after, ship) if _is_gone(what) else NotDone(f"{_PAST[verb]} {_singular(rest)}")
    return ""


def _singular(reason: str) -> str:
    """Return a reason in which no plural stands for one: events of earlier turns are kept as they were."""
    return reason.replace(" 1 warps and jumps", " 1 warp or jump").replace(" 1 spaces", " 1 space")


_PAST = {"is": "{was}", "was": "{was}", "has": "had", "can": "could"}


def _is_gone(what: str) -> bool:
    return what in ("is no more", "was not built")


def _counts_later(after: Aftermath, index: int, kind: type[Move | Fire], ship: str) -> bool:
    """Return True if a later order for the same ship counts (ruling 28)."""
    return any(place > index and ship in order.ships for place, order in after.of(kind))


def _later_work(after: Aftermath, index: int, ship: str) -> bool:
    """Return True if a later order for the same terraformer counts (ruling 28)."""
    orders = after.orders[index + 1 :]
    return any(isinstance(order, Terraform | LeaveColour) and order.ship == ship for order in orders)


def _scrap(after: Aftermath, order: Scrap) -> str:
    return _grouped((ship, _scrapped(after, order, ship)) for ship in order.ships)


def _scrapped(after: Aftermath, order: Scrap, ship: str) -> str:
    for event in after.events("scrapped", ship=ship, why="order"):
        return f"{{was}} scrapped at {after.place(event['space'])}"
    return _refused(after, order, ship)


def _repair(after: Aftermath, index: int, order: Repair) -> str:
    """Return the units repaired, and why not more; refusals come behind what was done."""
    mended = [event for event in after.mended[index] if event["kind"] == "repaired"]
    whys = [event["why"] for event in after.mended[index] if event["kind"] != "repaired"]
    said = [f"{_units(event['units'])}, for {counted(event['cost'], 'point')}" for event in mended]
    if said:
        return (InPart if whys else AsOrdered)(f"{'; '.join([*said, *whys])}.")
    if whys and _is_gone(whys[0].partition(" ")[2]):
        return _grouped([(order.ship, _fate(after, order.ship))])
    return NotDone(f"{'; '.join(whys)}.") if whys else ""


def _units(units: Sequence[str]) -> str:
    numbers = {unit: units.count(unit) for unit in units}
    return ", ".join(unit if number == 1 else f"{unit} {number}" for unit, number in numbers.items())


def _hide(after: Aftermath, order: Hide) -> str:
    return _grouped((ship, _hidden(after, order, ship)) for ship in order.ships)


def _hidden(after: Aftermath, order: Hide, ship: str) -> str:
    if after.events("hidden", ship=ship):
        return AsOrdered(f"went dark at {after.place(after.ships[ship]['space'])}")
    return _refused(after, order, ship)


def _build(after: Aftermath, index: int, order: Build) -> str:
    """Return the ids of the ships built; an order that moves one by its name on the sheet says which that is."""
    ships = after.launched[index]
    whys = after.refusals(order)
    why = next((why for why in whys if why.startswith(f"{len(ships)} of ")), "".join(whys[:1]))
    why = why.partition(" built: ")[2] or why
    if not ships:
        return NotDone(f"{why}.") if why else ""
    built = f"{named(ships, MOST_IDS)} built"
    if why and len(ships) < order.number:
        return InPart(f"{built}, and no more: {why}.")
    return AsOrdered(f"{built}.")


def _move(after: Aftermath, index: int, order: Move) -> str:
    fates = [(after.id_of(name), _moved(after, index, order, name)) for name in order.ships]
    said = _grouped(fates)
    if len(fates) == 1 and said and order.ships[0] in after.built:
        # The line has the name that its sheet gave the ship.
        return type(said)(f"{fates[0][0]} {said}")
    return said


def _moved(after: Aftermath, index: int, order: Move, name: str) -> str:
    """Return where a ship came to by its move, and what combat made of it there."""
    ship = after.id_of(name)
    if _counts_later(after, index, Move, name):
        return NotDone("followed a later order")
    for event in after.events("moved", ship=ship):
        course = _course(after, event)
        # A ship that met others at the end of its way did come there; what they did to it is told with the fights.
        kind = AsOrdered if len(event["legs"]) == len(order.legs) + bool(order.vector) else type(course)
        return kind(course + _end(after, ship) + _way(event))
    why = _refused(after, order, ship)
    if not why or new_number(ship) or (ship not in after.ships and not after.fought(ship)):
        return why
    space = after.ships[ship]["space"] if ship in after.ships else after.loss(ship)[0]
    comma = "," if "," in why else ""
    return NotDone(f"{why}{comma} and stayed at {after.place(space)}{_end(after, ship)}")


def _course(after: Aftermath, event: dict[str, Any]) -> str:
    place = event["end"]
    for stop in after.events("stopped", ship=event["ship"]):
        if stop["why"] != "static":
            return InPart(f"{_EDGE} {place}")
        return f"stopped by a ship at {place}"
    return f"at {place}"


_EDGE = "stopped at the edge of the map, at"


def _way(event: dict[str, Any]) -> str:
    """Return the jumps of a way; the rest of it is on the line, and on the map."""
    jumps = [leg["space"] for leg in event["legs"] if leg["how"] == "jump"]
    return ", by a jump" if jumps == [event["end"]] else f", by a jump to {listed(jumps)}" if jumps else ""


def _end(after: Aftermath, ship: str) -> str:
    """Return what became of a ship where its move ended: its loss in combat, or the planet there taken."""
    how = after.loss(ship)[1]
    if how:
        return ", and {was} destroyed there" if how == "destroyed" else ", and went dark"
    taken = after.events("captured", space=after.ships[ship]["space"], now=after.seat)
    return ", taken" if taken else ""


def _fire(after: Aftermath, index: int, order: Fire) -> str:
    """Return the hits on each target met, the shots that went elsewhere, and what became of the shooters."""
    ships = [after.id_of(name) for name in order.ships if not _counts_later(after, index, Fire, name)]
    if not ships:
        return _LATER
    shots = [shot for shot, _ in after.shots() if shot["by"] in ships]
    if not shots:
        return _grouped(
            (ship, NotDone("fired no shot" if after.fought(ship) else "{was} in no combat")) for ship in ships
        )
    said = [_hits(after, target, shots) for target in order.targets]
    others = [shot for shot in shots if shot["at"] not in order.targets]
    said += [f"{_score(others)} at others"] if others else []
    return f"{'; '.join(filter(None, [*said, *_losses(after, ships)]))}."


_LATER = NotDone("a later order counted.")


def _hits(after: Aftermath, target: str, shots: Sequence[dict[str, Any]]) -> str:
    mine = [shot for shot in shots if shot["at"] == target]
    vanished = ", and it vanished" if after.loss(target)[1] else ""
    return f"{_score(mine)} at {target}{vanished}" if mine else ""


def _score(shots: Sequence[dict[str, Any]]) -> str:
    hits = sum(shot["hit"] for shot in shots)
    return f"{counted(hits, 'hit') if hits else 'no hit'} in {counted(len(shots), 'shot')}"


def _losses(after: Aftermath, ships: Sequence[str]) -> list[str]:
    words = {"destroyed": "was destroyed", "dark": "went dark"}
    return [f"{ship} {words[how]}" for ship in ships if (how := after.loss(ship)[1])]


def _target(after: Aftermath, index: int, order: Target) -> str:
    """Return how the ships shot that no FIRE order bound."""
    if index != after.of(Target)[-1][0]:
        return _LATER
    aims = after.aims()
    shots = [(shot, at) for shot, at in after.shots() if shot["at"] not in aims.get(shot["by"], ())]
    if not shots:
        return AsOrdered("no ship of yours fired by it.")
    liked = sum(at["owner"] in order.choices or at["type"] in order.choices for _, at in shots)
    score = _score([shot for shot, _ in shots])
    if liked == len(shots):
        return AsOrdered(f"{score}.")
    return f"{score}, {liked or 'none'} of them at these types."


def _terraform(after: Aftermath, index: int, order: Terraform) -> str:
    """Return what became of the planet, or why the ship did nothing to it."""
    ship = after.id_of(order.ship)
    if _later_work(after, index, order.ship):
        return _LATER
    if ship not in after.ships:
        return _grouped([(ship, _fate(after, ship))])
    why = "".join(after.refusals(order)[:1])
    # A refused colour alone does not keep its ship from working (ruling 36).
    if why and not why.startswith("from "):
        return NotDone(f"{why}.")
    changed = _changed(after, after.ships[ship]["space"], f"; {why}" if why else "")
    return InPart(changed) if why and changed else changed


def _changed(after: Aftermath, space: str, more: str) -> str:
    for event in after.events("terraformed", space=space):
        return AsOrdered(f"{event['name']} ({space}) went from {event['was']} to {event['now']}{more}.")
    return ""


def _leave(after: Aftermath, index: int, order: LeaveColour) -> str:
    ship = after.id_of(order.ship)
    if _later_work(after, index, order.ship):
        return _LATER
    if ship not in after.ships:
        return _grouped([(ship, _fate(after, ship))])
    space = after.ships[ship]["space"]
    planet = after.planets.get(space)
    if planet is None or planet["owner"] != after.seat:
        return NotDone("it was not at a planet of yours.")
    # By another ship is not as ordered.
    return str(_changed(after, space, ", by another ship")) or AsOrdered(f"{planet['name']} stays {planet['colour']}.")


def _ally(after: Aftermath, index: int, order: Ally) -> str:
    """Return how the two stand to each other now, and who has not agreed to an alliance."""
    if any(later.player == order.player for place, later in after.of(Ally) if place > index):
        return _LATER
    who = order.player
    player = next(player for player in after.view["players"] if player["colour"] == who)
    if not player["playing"]:
        return NotDone(f"{who} has left the war.")
    for event in after.events("alliance", who=who):
        return f"you and {who} are {'allies now' if event['on'] else 'no longer allies'}."
    if player["ally"]:
        return f"you and {who} are still allies."
    if order.answer == "NO":
        return AsOrdered(f"you and {who} are not allies.")
    return f"{who} has not said yes so far." if player["wish"] else ""


def _declare(after: Aftermath, index: int, order: DeclareFaction | DeclareEmpire) -> str:
    """Return what became of a declaration, up to the start of the next turn."""
    whys = after.refusals(order)
    # Of lines alike one that is refused is never followed by one that holds: the refusals are those of the last.
    if after.orders[index:].count(order) <= len(whys):
        return NotDone(f"{whys[-after.orders[index:].count(order)]}.")
    members = {after.seat, *order.players}
    dominant = after.seat if isinstance(order, DeclareEmpire) else None
    declared = [each for each in after.events("declared", dominant=dominant) if set(each["members"]) == members]
    return _standing(after, members, dominant) if declared else ""


def _standing(after: Aftermath, members: set[str], dominant: str | None) -> str:
    result = after.view["result"]
    if result:
        return "it has won the war." if set(result["winners"]) == members else "it was declared, and the war is over."
    standing = [
        each for each in after.view["factions"] if (set(each["members"]), each["dominant"]) == (members, dominant)
    ]
    for faction in standing:
        return AsOrdered(f"it stands, at {faction['held']} of {after.view['rules']['turns_to_hold']} turn starts.")
    for event in after.events("dissolved"):
        if set(event["members"]) == members:
            return f"it was declared, and dissolved at the next start of turn: {event['why']}."
    return ""


def _resigned(after: Aftermath) -> str:
    ships = len(after.events("scrapped", why="resigned"))
    scrapped = f", and {counted(ships, 'ship')} of yours scrapped" if ships else ""
    return f"you are out of the war{scrapped}."


# Tellers of orders of which each counts.
_TELLERS: dict[type[Order], Callable[..., str]] = {Scrap: _scrap, Hide: _hide}

# Tellers of orders whose index among all matters.
_PLACED: dict[type[Order], Callable[..., str]] = {
    Repair: _repair,
    Build: _build,
    Move: _move,
    Fire: _fire,
    Target: _target,
    Terraform: _terraform,
    LeaveColour: _leave,
    Ally: _ally,
    DeclareFaction: _declare,
    DeclareEmpire: _declare,
}
