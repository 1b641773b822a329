"""A player to measure the standard bot by, who builds nothing but cruisers and never waits for others."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from pbem.ruleset import Bot, Dice, Event, SeatName, TurnInput, View
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.bots.knowledge import Craft, Knowledge, World
from pbem_rules.singularity_trap.bots.routes import route
from pbem_rules.singularity_trap.chart import COLOURS
from pbem_rules.singularity_trap.space import distance
from tests.rules.singularity_trap.builders import lines

CAP = 60
"""Turns after which a campaign is broken off, and given to the player with most planets."""

DUELS = list(itertools.permutations(COLOURS, 2))


def rusher(view: View, dice: Dice) -> list[str]:
    """Build cruisers at the planet nearest to the rest; send each ship to the best prize no other of them goes to."""
    if not view["awaited"]:
        return []
    known, sheet = Knowledge(view), ["TARGET Basestar Cruiser Scout"]
    mine, prizes, ships = known.mine(), known.foes(), list(known.crafts)
    points = view["points"] + view["income"] - view["upkeep"]
    if mine and prizes:
        yard = min(mine, key=lambda world: min(distance(world.space, prize.space) for prize in prizes))
        cruisers = points // known.types["Cruiser"]["cost"]
        sheet += [f"BUILD Cruiser AT {yard.written}"] * cruisers
        ships += [known.new_craft(f"NEW{number + 1}", "Cruiser", yard.space) for number in range(cruisers)]
    taken: set[World] = set()
    for ship in (ship for ship in ships if ship.mobile):
        free = [prize for prize in prizes if prize not in taken] or prizes
        if free:
            goal = min(free, key=lambda prize: _price(ship, prize))
            taken.add(goal)
            way = route(known.board, ship, goal.space)
            sheet += [f"MOVE {ship.name} {way.words}"] if way else []
    return sheet


def _price(ship: Craft, prize: World) -> tuple[int, bool, int, int]:
    """Return turns on the way, then enemies' planets before unowned ones, then the pay, then spaces on the way."""
    away = distance(ship.space, prize.space)
    return -(-away // 6), prize.owner is None, -prize.worth, away


def winners(players: Mapping[SeatName, Bot], seed: int) -> tuple[SeatName, ...]:
    """Return the winners of a campaign of bots, or those with most planets when it is broken off."""
    dice, events = Dice(b"match").within(seed), tuple[Event, ...]()
    state = RULESET.setup({}, [colour for colour in COLOURS if colour in players], dice)
    while not RULESET.standing(state).over and state.turn < CAP:
        orders = {}
        for seat, view in RULESET.views(state, sorted(state.awaited), events):
            sheet = players[seat](view, dice.within("bot", state.turn, seat))
            orders[seat] = RULESET.parse(view, lines("\n".join(sheet))).orders
        state, events = RULESET.resolve(state, TurnInput(orders), dice.within("turn", state.turn))
    standing = RULESET.standing(state)
    most = max(standing.scores.values())
    return standing.winners or tuple(seat for seat, planets in standing.scores.items() if planets == most)


def duels(one: Bot, other: Bot, games: int) -> Iterator[bool]:
    """Yield True if the first of two bots wins, game by game; the colours go round."""
    for seed in range(games):
        mine, yours = DUELS[seed * 7 % len(DUELS)]
        yield winners({mine: one, yours: other}, seed) == (mine,)
