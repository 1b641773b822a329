"""Resolution of a turn: the steps of the rulebook, one function each (ruling 13)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pbem.ruleset import Dice, Event, Order, TurnInput
from pbem_rules.harvester.draws import draw_many
from pbem_rules.harvester.events import SILENCE_LIMIT
from pbem_rules.harvester.movement import move
from pbem_rules.harvester.orders import ORDERS, Build, Destroy, DestroyHarvester, Drop, Target
from pbem_rules.harvester.play import Play
from pbem_rules.harvester.scanners import Sensors
from pbem_rules.harvester.state import NO_COURSE, NOWHERE, State
from pbem_rules.harvester.units import COMBAT, HARVESTER, MOST_HELD, NAMES, SCANNER, SLOT, SLOTS


def leave(play: Play) -> None:
    """Take out players who are removed, destroy their Harvester, or miss their seventh turn (rulings 6 and 11)."""
    # A sheet without orders is a sheet (ruling 11): only seats without one are missing.
    play.silent[:] = np.where(np.isin(np.arange(len(play.silent)), play.missing), play.silent + 1, 0)
    for player in play.missing:
        play.tell([player], "missed", turns=int(play.silent[player]), limit=SILENCE_LIMIT)
    leaving = dict.fromkeys(np.flatnonzero(play.silent >= SILENCE_LIMIT).tolist(), "silence")
    leaving |= {player: "order" for player, _ in play.orders(DestroyHarvester)}
    leaving |= dict.fromkeys(play.removed, "removed")
    play.leave(dict(sorted(leaving.items())))


def self_destruct(play: Play) -> None:
    """Let defence units destroy themselves where they are (ruling 6)."""
    for player, order in play.orders(Destroy):
        slot = SLOT[order.unit]
        cell = int(play.at[player, slot])
        if cell != NOWHERE:
            play.wreck(np.array([player * SLOTS + slot]))
            play.tell_at(player, "scrapped", cell, slot=slot, unit=order.unit, left=int(SCANNER[slot]))


def drop(play: Play) -> None:
    """Drop resources of Harvesters where they stand, before they move (ruling 7)."""
    for player, order in play.orders(Drop):
        if order.amount <= play.held[player]:
            cell = int(play.home[player])
            play.held[player] -= order.amount
            play.resources[cell] += order.amount
            play.tell_at(player, "dropped", cell, amount=order.amount)
        else:
            _refuse(play, player, order, f"your Harvester holds {play.held[player]}")


def target(play: Play) -> None:
    """Set the targets of Harvesters (ruling 5).

    Whether there may be anything to gather was judged with the sheet, by the report:
    to judge by the hex itself would tell a player what lies there.
    """
    for player, order in play.orders(Target):
        home, planet = int(play.home[player]), play.planet
        cell = (int(play.state.origin[player]) + planet.offset(order.q, order.r)) % planet.count
        if play.course[player, 1] != NOWHERE and not play.waiting[player]:
            _refuse(play, player, order, "your Harvester is on its way to another target")
        elif cell == home:
            _refuse(play, player, order, "your Harvester is there")
        else:
            play.course[player] = home, cell


def build(play: Play) -> None:
    """Pay for lost units and begin to rebuild them, one for each Harvester (ruling 6)."""
    for player, order in play.orders(Build):
        slot = SLOT[order.unit]
        if play.at[player, slot] != NOWHERE:
            _refuse(play, player, order, f"{order.unit} is not lost")
        elif play.build[player, 0] != NOWHERE:
            _refuse(play, player, order, f"{NAMES[play.build[player, 0]]} is being rebuilt")
        elif SCANNER[slot] > play.held[player]:
            _refuse(play, player, order, f"it costs {SCANNER[slot]}, and your Harvester holds {play.held[player]}")
        else:
            play.held[player] -= SCANNER[slot]
            play.build[player] = slot, COMBAT[slot]


def gather(play: Play) -> None:
    """Move the resources of each Harvester's hex into it, up to what it can hold (ruling 7)."""
    here = np.flatnonzero(play.left == 0)
    cells = play.home[here]
    taken = np.minimum(MOST_HELD - play.held[here], play.resources[cells])
    play.held[here] += taken
    play.resources[cells] -= taken
    for player, amount in zip(here[taken > 0].tolist(), taken[taken > 0].tolist(), strict=True):
        play.tell([player], "gathered", amount=amount, held=int(play.held[player]))


def drift(play: Play) -> None:
    """Add new resources anywhere (ruling 2)."""
    whole, part = divmod(play.planet.count * play.state.drift, 1_000)
    # A fraction of a resource is a chance (ruling 2).
    count = whole + play.dice.chance(part, 1_000, "drift")
    np.add.at(play.resources, draw_many(play.dice, play.planet.count, count, "drift"), 1)


def finish_building(play: Play) -> None:
    """Place units that are ready at their Harvesters (ruling 6)."""
    busy = play.build[:, 0] != NOWHERE
    play.build[busy, 1] -= 1
    for player in np.flatnonzero(busy & (play.build[:, 1] == 0)).tolist():
        slot = int(play.build[player, 0])
        play.at[player, slot] = play.at[player, HARVESTER]
        play.tell_at(player, "built", int(play.home[player]), slot=slot, unit=NAMES[slot])
        play.build[player] = NOWHERE, 0


def look(play: Play) -> None:
    """Stop Harvesters whose scanners show now that nothing is at their target (ruling 5)."""
    bound = np.flatnonzero(play.course[:, 1] != NOWHERE)
    empty = bound[Sensors(play.finished()).are_empty(bound, play.course[bound, 1])]
    for player in empty.tolist():
        play.tell_at(player, "nothing-there", int(play.course[player, 1]))
    left = np.isin(np.arange(len(play.course)), empty)
    play.course = np.where(left[:, None], NO_COURSE, play.course)
    play.waiting = np.where(left, 0, play.waiting)


STEPS: tuple[Callable[[Play], None], ...] = (
    leave,
    self_destruct,
    drop,
    target,
    build,
    move,
    gather,
    drift,
    finish_building,
    look,
)
"""The steps of a turn, in order (ruling 13)."""


def resolve(state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Return the state after a turn, and the events of it; a game that is over stays as it is."""
    if state.over:
        return state, ()
    play = Play(state, turn, dice)
    for number, step in enumerate(STEPS):
        play.step = number
        step(play)
    after = play.finished()
    if after.over:
        play.step = len(STEPS)
        play.tell(range(len(state.seats)), "ended", winner=after.winner)
    return after, play.events()


def _refuse(play: Play, player: int, order: Order, why: str) -> None:
    play.tell([player], "refused", line=ORDERS.line(order), why=why)
