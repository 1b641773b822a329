"""Alliances, factions, empires, departures and victory (rulings 21–23)."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence

from pbem.ruleset import SeatName
from pbem_rules.singularity_trap.draft import Draft
from pbem_rules.singularity_trap.orders import Ally, DeclareEmpire, DeclareFaction, Resign
from pbem_rules.singularity_trap.state import Faction, Pair, pair


def resign(draft: Draft) -> None:
    """Take out the players who resign, before anything else is done (rulings 23 and 35)."""
    for seat in draft.playing:
        if draft.orders_of(seat, Resign):
            leave(draft, seat, "resigned")


def leave(draft: Draft, seat: SeatName, how: str) -> None:
    """Take a player out: ships are scrapped and planets become unowned (ruling 23)."""
    for space, planet in list(draft.planets.items()):
        if planet.owner == seat:
            draft.planets[space] = dataclasses.replace(planet, owner=None)
    for ship in draft.fleet(seat):
        del draft.ships[ship.id]
        draft.tell("scrapped", seat, ship=ship.id, type=ship.type, space=draft.name(ship.space), why="resigned")
    draft.players[seat] = dataclasses.replace(draft.players[seat], playing=False, held=0, wishes=())
    # Alliances with a player who leaves end at once.
    draft.allies = frozenset(allies for allies in draft.allies if seat not in allies)
    draft.proclaim("resigned", who=seat, how=how)


def last_left(draft: Draft) -> None:
    """End the game if a single player is left, who wins, or none (ruling 33)."""
    if len(draft.playing) == 1:
        draft.end(draft.playing, "the last player left")
    elif not draft.playing:
        draft.end((), "no player is left")


def declare(draft: Draft) -> None:
    """Declare factions and empires at this start of turn, which is the first of those they need (ruling 22)."""
    for seat in draft.playing:
        for order in draft.orders.get(seat, ()):
            if not isinstance(order, DeclareFaction | DeclareEmpire):
                continue
            dominant = seat if isinstance(order, DeclareEmpire) else None
            faction = Faction(_members(draft, seat, order.players), dominant, held=1)
            why = _unfit(draft, seat, faction)
            if why:
                draft.refuse(seat, order, why)
            else:
                draft.factions = (*draft.factions, faction)
                members = list(faction.members)
                draft.proclaim("declared", kind_of=faction.kind, members=members, dominant=faction.dominant)
    # The start of turn counts (ruling 22): a single turn to hold is held already.
    _win(draft)


def _members(draft: Draft, seat: SeatName, others: Iterable[SeatName]) -> tuple[SeatName, ...]:
    # In the order of the wheel, so that a faction is found again however it was declared.
    named = {seat, *others}
    return tuple(member for member in draft.seats if member in named)


def _unfit(draft: Draft, seat: SeatName, faction: Faction) -> str:
    """Return why a faction cannot be declared now; "" if it can."""
    most = draft.house.largest_faction
    if not 2 <= len(faction.members) <= most:
        return _sizes(most)
    if faction.dominant and len(faction.members) != 3:
        return "an empire has 3 members"
    if any((each.members, each.dominant) == (faction.members, faction.dominant) for each in draft.factions):
        return "it stands already"
    if faction.dominant and draft.planets_of(seat) < draft.house.empire_planets:
        return f"its dominant member needs {draft.house.empire_planets} planets alone"
    return broken(draft, faction)


def _sizes(most: int) -> str:
    if most < 2:
        return "there are no factions in this campaign"
    return "a faction has 2 members here" if most == 2 else f"a faction has 2 to {most} members here"


def broken(draft: Draft, faction: Faction) -> str:
    """Return why a faction cannot stand at this start of turn; "" if it can."""
    # What all can see comes first: a faction that falls for it need not tell who is allied (ruling 32).
    if any(not draft.players[member].playing for member in faction.members):
        return "a member has left the game"
    held, needed = _planets(draft, faction), draft.house.planets_to_win
    if held < needed:
        return f"it holds {held} planets and needs {needed}"
    apart = [(a, b) for a, b in itertools.combinations(faction.members, 2) if not draft.allied(a, b)]
    if faction.dominant is None and apart:
        return "its members are not all allied with each other"
    if any(faction.dominant in couple for couple in apart):
        return f"{faction.dominant} is not allied with both others"
    if faction.dominant and apart and draft.planets_of(faction.dominant) < draft.house.empire_planets:
        return (
            f"two members are not allied and {faction.dominant} holds fewer than {draft.house.empire_planets} planets"
        )
    return ""


def _planets(draft: Draft, faction: Faction) -> int:
    return sum(map(draft.planets_of, faction.members))


def ally(draft: Draft) -> None:
    """Set alliances: players who both wish it are allies from the next turn on (ruling 21)."""
    if not draft.house.alliances:
        return
    for seat in draft.playing:
        # A setting stays until it is changed (ruling 21).
        wishes = set(draft.players[seat].wishes)
        for order in draft.orders_of(seat, Ally):
            (wishes.add if order.answer == "YES" else wishes.discard)(order.player)
        kept = tuple(other for other in draft.playing if other in wishes and other != seat)
        draft.players[seat] = dataclasses.replace(draft.players[seat], wishes=kept)
    before, draft.allies = draft.allies, frozenset(_agreed(draft))
    for a, b in sorted(before ^ draft.allies):
        on = (a, b) in draft.allies
        draft.tell("alliance", a, who=b, on=on)
        draft.tell("alliance", b, who=a, on=on)


def _agreed(draft: Draft) -> Iterable[Pair]:
    for a, b in itertools.combinations(draft.playing, 2):
        if b in draft.players[a].wishes and a in draft.players[b].wishes:
            yield pair(a, b)


def begin_turn(draft: Draft) -> None:
    """Begin the next turn: planets held, factions that stand, victory, and then players who are out."""
    draft.turn += 1
    for key, ship in draft.ships.items():
        if ship.moved:
            draft.ships[key] = dataclasses.replace(ship, moved=False)
    _hold(draft)
    _hold_factions(draft)
    _win(draft)
    # Victory comes first, so that a player's own fall does not take it from partners (ruling 40).
    if draft.result is None:
        _eliminate(draft)
        last_left(draft)


def _eliminate(draft: Draft) -> None:
    """Take out players with neither planet nor ship, except members of a faction that stands (rulings 33 and 40)."""
    alive = {ship.owner for ship in draft.ships.values()} | {planet.owner for planet in draft.planets.values()}
    alive |= {member for faction in draft.factions for member in faction.members}
    for seat in draft.playing:
        if seat not in alive:
            leave(draft, seat, "eliminated")


def _hold(draft: Draft) -> None:
    for seat in draft.playing:
        player = draft.players[seat]
        held = player.held + 1 if draft.planets_of(seat) >= draft.house.planets_to_win else 0
        draft.players[seat] = dataclasses.replace(player, held=held)
        if held:
            draft.proclaim("holding", who=seat, held=held, needed=draft.house.turns_to_hold)


def _hold_factions(draft: Draft) -> None:
    standing = []
    for faction in draft.factions:
        why = broken(draft, faction)
        if why:
            draft.proclaim("dissolved", members=list(faction.members), why=why)
            continue
        faction = dataclasses.replace(faction, held=faction.held + 1)
        standing.append(faction)
        members = list(faction.members)
        draft.proclaim("faction-held", members=members, held=faction.held, needed=draft.house.turns_to_hold)
    draft.factions = tuple(standing)


def _win(draft: Draft) -> None:
    """End the game if a player, or failing that a faction, has held long enough (ruling 34)."""
    goal, needed = draft.house.planets_to_win, draft.house.turns_to_hold
    alone = [(seat,) for seat in draft.playing if draft.players[seat].held >= needed]
    together = [faction.members for faction in draft.factions if faction.held >= needed]
    # Winning alone goes before winning as a faction; then most planets decide, and a tie is shared (ruling 34).
    groups: Sequence[tuple[SeatName, ...]] = alone or together
    if not groups:
        return
    best = max(sum(map(draft.planets_of, group)) for group in groups)
    winners = {seat for group in groups if sum(map(draft.planets_of, group)) == best for seat in group}
    starts = f"{needed} successive starts of turn" if needed > 1 else "the start of a turn"
    draft.end((seat for seat in draft.seats if seat in winners), f"held {goal} or more planets at {starts}")
