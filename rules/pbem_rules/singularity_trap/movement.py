"""The movement section: slips, warps and jumps, one segment at a time for all (rulings 11–15)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from pbem.ruleset import Dice, SeatName
from pbem_rules.singularity_trap.draft import Draft
from pbem_rules.singularity_trap.orders import JUMP, STAY, Move
from pbem_rules.singularity_trap.space import VECTORS, Space, StarMap, plus
from pbem_rules.singularity_trap.state import Ship


@dataclass
class _Voyage:
    """A ship on its way. `segments` are (how, vector, spaces); `stopped` is the reason why it went no further."""

    ship: Ship
    segments: list[tuple[str, str, int]]
    space: Space
    legs: list[dict[str, str]] = field(default_factory=list)
    stopped: str = ""


def move(draft: Draft) -> None:
    """Move all ships under way by their first segment, then all by their second, and so on."""
    voyages = [voyage for seat in draft.playing for voyage in _voyages(draft, seat)]
    moving = {voyage.ship.id for voyage in voyages}
    # Ships under way never stop each other (ruling 11), and dark ones stop no other.
    guards = _stationary(draft, moving)
    for segment in range(max((len(voyage.segments) for voyage in voyages), default=0)):
        for voyage in voyages:
            if segment < len(voyage.segments) and not voyage.stopped:
                _advance(draft, voyage, segment, guards)
    for voyage in voyages:
        _arrive(draft, voyage)


def _stationary(draft: Draft, moving: set[str]) -> dict[Space, set[SeatName]]:
    guards: dict[Space, set[SeatName]] = {}
    for ship in draft.ships.values():
        if not ship.dark and ship.id not in moving:
            guards.setdefault(ship.space, set()).add(ship.owner)
    return guards


def _voyages(draft: Draft, seat: SeatName) -> list[_Voyage]:
    """Return the moves that can begin, by ship, and refuse the others; of two orders for a ship the later counts."""
    # Encounters are judged once, as movement begins (ruling 13).
    present = {space: {ship.owner for ship in ships} for space, ships in draft.in_play().items()}
    ordered: dict[str, tuple[Move, Ship]] = {}
    for order in draft.orders_of(seat, Move):
        for ship in draft.ordered_ships(seat, order, order.ships):
            ordered[ship.id] = order, ship
    voyages = []
    for key in sorted(ordered):
        order, ship = ordered[key]
        met = any(draft.hostile(seat, owner) for owner in present.get(ship.space, ()))
        why = hindrance(ship, order) or (f"{ship.id} is in an encounter" if met else "")
        if why:
            draft.refuse(seat, order, why)
        else:
            voyages.append(_Voyage(ship, segments_of(order), ship.space))
    return voyages


def segments_of(order: Move) -> list[tuple[str, str, int]]:
    """Return the segments of a move as (how, vector, spaces)."""
    slip = [("slip", order.vector, order.reach)] if order.vector else []
    return slip + [_OTHER_LEGS.get(leg, ("warp", leg, 1)) for leg in order.legs]


_OTHER_LEGS = {JUMP: ("jump", "", 0), STAY: ("stay", "", 0)}


def hindrance(ship: Ship, order: Move) -> str:
    """Return why a ship as it is cannot make a move in full, wherever others are; "" if it can (ruling 29)."""
    if ship.dark:
        return f"{ship.id} is dark"
    if not ship.drive:
        return f"{ship.id} has no drive unit left"
    if order.vector and not ship.can_slip:
        return f"{ship.id} has no undamaged slip unit"
    if order.vector and order.reach > ship.drive:
        return f"{ship.id} can slip {ship.drive} spaces, not {order.reach}"
    if JUMP in order.legs and not ship.can_jump:
        return f"{ship.id} has no undamaged jump unit"
    # A slip uses no drive; warps and jumps use a unit each (ruling 12).
    if len(order.powered) > ship.drive:
        return f"{ship.id} has drive for {ship.drive} warps and jumps, not {len(order.powered)}"
    return ""


def _advance(draft: Draft, voyage: _Voyage, segment: int, guards: dict[Space, set[SeatName]]) -> None:
    how, vector, spaces = voyage.segments[segment]
    owner = voyage.ship.owner
    if how == "jump":
        target = jump_exit(draft.dice, draft.board, voyage.space)
        _chart(draft, owner, voyage.space, target)
    else:
        target = plus(voyage.space, VECTORS[vector], spaces) if vector else voyage.space
    # A step off the map ends the move at the last space (ruling 15).
    if not draft.board.has(target):
        voyage.stopped = "invalid"
        return
    voyage.space = target
    voyage.legs.append({"how": how, "space": draft.name(target)})
    if any(draft.hostile(owner, guard) for guard in guards.get(target, ())):
        voyage.stopped = "static"


def jump_exit(dice: Dice, board: StarMap, entry: Space) -> Space:
    """Return the space to which a jump leads: one of the others, drawn once for the campaign (ruling 14)."""
    spaces = board.spaces()
    # Dice of the campaign, not of the turn: an exit stays the same for good, and for all players.
    drawn = dice.campaign.below(len(spaces) - 1, "jump exit", board.name(entry))
    # The entry is no exit: the last space, which is never drawn, is in its place.
    return spaces[-1] if spaces[drawn] == entry else spaces[drawn]


def _chart(draft: Draft, seat: SeatName, entry: Space, end: Space) -> None:
    player = draft.players[seat]
    if (entry, end) not in player.charts:
        draft.players[seat] = dataclasses.replace(player, charts=tuple(sorted((*player.charts, (entry, end)))))
        draft.tell("charted", seat, entry=draft.name(entry), exit=draft.name(end))


def _arrive(draft: Draft, voyage: _Voyage) -> None:
    ship, space = voyage.ship, draft.name(voyage.space)
    draft.put(dataclasses.replace(ship, space=voyage.space, moved=True))
    draft.tell("moved", ship.owner, ship=ship.id, legs=voyage.legs, end=space)
    if voyage.stopped:
        draft.tell("stopped", ship.owner, ship=ship.id, space=space, why=voyage.stopped)
