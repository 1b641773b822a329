"""The words of USE that a page offers: abilities, stations' actions and the bonuses of their controllers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.ruleset import Choice, Order, View
from pbem_rules.bubble_singularity.cards import TURNS
from pbem_rules.bubble_singularity.grid import WAYS, around, step
from pbem_rules.bubble_singularity.orders import ABILITY_OF, STATION_ACTIONS, STATION_BONUSES, UseAttractor
from pbem_rules.bubble_singularity.reach import free_stops, stops
from pbem_rules.bubble_singularity.state import COLOURS, State
from pbem_rules.bubble_singularity.stations import CONVERTED, DEPLOYED, SELECTED
from pbem_rules.bubble_singularity.table import Table
from pbem_rules.bubble_singularity.turn import rehearse
from pbem_rules.bubble_singularity.views import state_of

TURNED = {"CW": "clockwise", "CCW": "counter-clockwise"}

_Words = tuple[str, ...]


class _Asked(NamedTuple):
    """The facts by which words behind a use are offered: the table, the player, and the words behind it so far."""

    state: State
    seat: str
    words: _Words


def use_choices(view: View, words: _Words) -> Iterator[Choice]:
    """Yield the words that can follow USE and these words."""
    if words:
        # A page asks for ten thousand lines of DEPLOY, so one that is whole is not looked at.
        if len(words) < _LENGTHS.get(words[0], 0):
            yield from _BEHIND[words[0]](_Asked(state_of(view), view["seat"], words[1:]))
        return
    for name, after in _uses(state_of(view), view["seat"]):
        # RESEARCH alone has no words behind it.
        if name not in _BEHIND or any(use_choices(view, (name,))):
            yield Choice(name, after=after)


def _uses(state: State, seat: str) -> Iterator[tuple[str, str]]:
    """Yield the uses of the player's cards, and of the stations that the Mari can come to, with the station's space."""
    table = Table(state)
    yield from ((_name(order), "") for order, card in ABILITY_OF.items() if table.has(seat, card))
    # A station works for a Mari that ends its move there (ruling 19).
    places = {kind: space for space in stops(table, seat) if (kind := table.station_at(space))}
    acting = free_stops(table, seat, "STATION")
    for order, kind in STATION_ACTIONS.items():
        if places.get(kind) in acting:
            yield _name(order), places[kind]
    for order, kind in STATION_BONUSES.items():
        if kind in places and table.control.get(kind) == seat:
            yield _name(order), places[kind]


def _name(order: type[Order]) -> str:
    return order.usage.split()[1]


def _folded(asked: _Asked) -> Iterator[Choice]:
    if not asked.words:
        yield from map(Choice, asked.state.cards)
    else:
        yield from (Choice(turn, says=TURNED[turn]) for turn in TURNS)


def _attracted(asked: _Asked) -> Iterator[Choice]:
    state, seat = asked.state, asked.seat
    yield from (Choice(node) for node in state.nodes if not rehearse(state, seat, (UseAttractor(node),)).refusals)


def _directed(asked: _Asked) -> Iterator[Choice]:
    if not asked.words:
        yield from (Choice(space) for space, found in asked.state.bubbles.items() if asked.seat in found)
    else:
        yield from _ways(asked.state, asked.words[0])


def _ways(state: State, space: str) -> Iterator[Choice]:
    goals = ((way, step(space, way, state.rules.size)) for way in WAYS)
    yield from (Choice(way, place=goal) for way, goal in goals if goal)


def _selected(asked: _Asked) -> Iterator[Choice]:
    """Yield the colours that the bag has further, each set of them in one order."""
    yield from _further([(colour,) for colour in asked.state.bag], asked.words, 1)


def _further(items: Sequence[_Words], words: _Words, wide: int) -> Iterator[Choice]:
    """Yield the next word of a list of items of `wide` words, each item as often as there is one, in their order."""
    count, begun = len(words) // wide, words[len(words) // wide * wide :]
    listed = [words[at * wide : (at + 1) * wide] for at in range(count)]
    order = list(dict.fromkeys(items))
    have, taken = Counter(items), Counter(listed)
    open_items = [
        item
        for item in order
        if taken[item] < have[item] and (not listed or order.index(item) >= order.index(listed[-1]))
    ]
    found = dict.fromkeys(item[len(begun)] for item in open_items if item[: len(begun)] == begun)
    yield from (Choice(word, ends=len(begun) == wide - 1) for word in found)


def _teleported(asked: _Asked) -> Iterator[Choice]:
    """Yield the spaces without a Mari; the station itself has the Mari on it by then."""
    taken = {player.at for other, player in asked.state.players.items() if other != asked.seat}
    spaces = (space for space, card in asked.state.cards.items() if card.kind != "transit")
    yield from (Choice(space) for space in spaces if space not in taken)


def _transferred(asked: _Asked) -> Iterator[Choice]:
    """Yield the bubbles that lie neither on the station nor beside it, where the action may move them before."""
    table = Table(asked.state)
    station = next(space for space, card in asked.state.cards.items() if card.kind == "transit")
    kept = [space for space in asked.state.cards if space not in (station, *around(station, asked.state.rules.size))]
    match asked.words:
        case ():
            lying = {colour for space in kept for colour in table.movable(space, asked.seat)}
            yield from (Choice(colour) for colour in COLOURS if colour in lying)
        case (_,):
            yield Choice("FROM")
        case (colour, "FROM"):
            yield from (Choice(space) for space in kept if colour in table.movable(space, asked.seat))
        case (_, "FROM", _):
            yield Choice("TO")
        case (_, "FROM", _, "TO"):
            yield from map(Choice, asked.state.cards)


def _converted(asked: _Asked) -> Iterator[Choice]:
    """Yield the bubbles of others beside the station, as far as the bag has own ones for them."""
    station = next(space for space, card in asked.state.cards.items() if card.kind == "energy")
    near = around(station, asked.state.rules.size)
    items = [(space, colour) for space in near for colour in asked.state.bubbles.get(space, ()) if colour != asked.seat]
    if len(asked.words) < 2 * min(CONVERTED, asked.state.bag.count(asked.seat)):
        yield from _further(items, asked.words, 2)


def _ignited(asked: _Asked) -> Iterator[Choice]:
    table = Table(asked.state)
    station = next(space for space, card in asked.state.cards.items() if card.kind == "energy")
    near = around(station, asked.state.rules.size)
    yield from (Choice(space) for space in near if asked.seat in table.bubbles[space] and table.can_pop(space))


def _deployed(asked: _Asked) -> Iterator[Choice]:
    """Yield bubbles of the supply and spaces for them, two times; of fewer bubbles the last is typed."""
    hand = Counter(asked.state.players[asked.seat].hand)
    # The move takes a bubble from the supply, except beside the transit station (ruling 8).
    if hand.total() <= DEPLOYED:
        return
    if len(asked.words) % 2:
        yield from (Choice(space) for space in asked.state.cards)
    else:
        left = hand - Counter(asked.words[::2])
        yield from (Choice(colour, cost={colour: 1}) for colour in COLOURS if left[colour])


def _blocked(asked: _Asked) -> Iterator[Choice]:
    if not asked.words:
        others = ((other, player) for other, player in asked.state.players.items() if other != asked.seat)
        yield from (Choice(other) for other, player in others if not player.out)
    else:
        yield from map(Choice, ("ROTATE", "PULL", "STATION"))


_BEHIND: Mapping[str, Callable[[_Asked], Iterator[Choice]]] = {
    "FOLDER": _folded,
    "ATTRACTOR": _attracted,
    "DIRECTOR": _directed,
    "SELECT": _selected,
    "TELEPORT": _teleported,
    "TRANSFER": _transferred,
    "CONVERT": _converted,
    "IGNITE": _ignited,
    "DEPLOY": _deployed,
    "BLOCK": _blocked,
}

_LENGTHS = {
    **dict.fromkeys(("ATTRACTOR", "IGNITE", "TELEPORT"), 2),
    **dict.fromkeys(("BLOCK", "DIRECTOR", "FOLDER"), 3),
    "SELECT": 1 + SELECTED,
    "DEPLOY": 1 + 2 * DEPLOYED,
    "TRANSFER": 6,
    "CONVERT": 1 + 2 * CONVERTED,
}
"""Words of the longest line of a use, without USE."""
