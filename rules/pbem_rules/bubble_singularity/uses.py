"""The once-a-turn abilities: Space Folder, Singularity Attractor, Bubble Director (rulings 9 and 16)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from pbem.ruleset import FieldError, Order
from pbem_rules.bubble_singularity import stations
from pbem_rules.bubble_singularity.abilities import ABILITIES
from pbem_rules.bubble_singularity.grid import WAYS, distance, spot, step
from pbem_rules.bubble_singularity.orders import ABILITY_OF, UseAttractor, UseDirector, UseFolder
from pbem_rules.bubble_singularity.plan import Item
from pbem_rules.bubble_singularity.play import Play

PULLED = 2
"""Spaces that a node comes towards a Mari."""


def opening(play: Play) -> None:
    """Apply the uses before the move."""
    play.notice()
    _use(play, play.plan.before)


def between(play: Play) -> None:
    """Apply the uses between the move and the action."""
    _use(play, play.plan.between)


def closing(play: Play) -> None:
    """Apply the uses after the action and before any pop, and the bonus of a station's controller."""
    _use(play, play.plan.after)


def _use(play: Play, items: Iterable[Item]) -> None:
    for item in items:
        try:
            _use_one(play, item.order)
        except FieldError as refused:
            play.refuse(item, refused)
        play.notice()


def _use_one(play: Play, order: Order) -> None:
    card = ABILITY_OF.get(type(order))
    if card is not None and not play.table.has(play.seat, card):
        raise FieldError("no-ability", f"you do not hold {ABILITIES[card].title}")
    if isinstance(order, UseFolder):
        _fold(play, order)
    elif isinstance(order, UseAttractor):
        _attract(play, order)
    elif isinstance(order, UseDirector):
        _direct(play, order)
    else:
        stations.grant(play, order)


def _fold(play: Play, order: UseFolder) -> None:
    card = play.table.cards[order.space] = play.table.cards[order.space].turned(order.turn)
    play.tell("folded", who=play.seat, space=order.space, turn=order.turn, arrows=card.arrows)


def _direct(play: Play, order: UseDirector) -> None:
    goal = step(order.space, order.way, play.table.size)
    if goal is None:
        raise FieldError("off-board", f"{order.way} of {order.space} is the edge of the board")
    if play.seat not in play.table.bubbles[order.space]:
        mine = [space for space, found in play.table.bubbles.items() if play.seat in found]
        hint = f"yours lie on {', '.join(mine)}" if mine else ""
        raise FieldError("no-such-bubble", f"no bubble of yours lies on {order.space}", hint)
    play.table.bubbles[order.space].remove(play.seat)
    play.table.bubbles[goal].append(play.seat)
    play.tell("directed", who=play.seat, start=order.space, space=goal)


def _attract(play: Play, order: UseAttractor) -> None:
    nodes, here = play.table.nodes, play.at
    if order.node not in nodes:
        raise FieldError("no-node", f"there is no node on {order.node}", "nodes: " + ", ".join(nodes))
    most = min(PULLED, distance(order.node, here))
    if not most:
        raise FieldError("node-here", f"the node on {order.node} is with your Mari already")
    straightest = _straightest(play, order.node, most)
    ways = order.ways or straightest
    if len(ways) != len(straightest):
        spaces = "1 space" if len(straightest) == 1 else f"{len(straightest)} spaces"
        raise FieldError("wrong-distance", f"the node on {order.node} comes {spaces}, not {len(ways)}")
    goal = _pulled_to(play, order.node, ways)
    nodes[nodes.index(order.node)] = goal
    play.tell("attracted", who=play.seat, start=order.node, space=goal)


def _pulled_to(play: Play, start: str, ways: Sequence[str]) -> str:
    """Return the space that a node reaches by some ways, over other nodes but never onto one.

    Raises:
        FieldError: a step leads away from the Mari or off the board, or a node lies where it ends.
    """
    place = start
    for count, way in enumerate(ways, 1):
        goal = step(place, way, play.table.size)
        if goal is None or distance(goal, play.at) > distance(place, play.at):
            raise FieldError("not-towards", f"{way} of {place} is not towards your Mari on {play.at}")
        if play.table.is_node(goal) and count == len(ways):
            raise FieldError("node-there", f"there is a node on {goal} already")
        place = goal
    return place


def _straightest(play: Play, start: str, most: int) -> Sequence[str]:
    """Return the default ways of a node: along the longer axis first, and as far as other nodes allow (ruling 16)."""
    (ax, ay), (bx, by) = spot(start), spot(play.at)
    across_first = abs(ax - bx) >= abs(ay - by)
    axes = ("E", "W", "S", "N") if across_first else ("S", "N", "E", "W")
    for steps in range(most, 0, -1):
        for ways in product(sorted(WAYS, key=axes.index), repeat=steps):
            try:
                _pulled_to(play, start, ways)
            except FieldError:
                continue
            return ways
    raise FieldError("node-there", f"other nodes block all ways of the node on {start}")
