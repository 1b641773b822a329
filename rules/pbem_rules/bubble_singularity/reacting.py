"""Phase 3: bubble pops, one after another, until none is left (rulings 10 to 15)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import FieldError
from pbem_rules.bubble_singularity.acting import assigned, checked_pairs
from pbem_rules.bubble_singularity.cards import EXPANSION, FLUX, STATIONS, UNIVERSE, UNSTABLE, Card
from pbem_rules.bubble_singularity.grid import WAYS, open_first, step
from pbem_rules.bubble_singularity.orders import Pop, Swap
from pbem_rules.bubble_singularity.play import Chain, Play
from pbem_rules.bubble_singularity.state import in_order
from pbem_rules.bubble_singularity.table import own_last

_Seen = dict[tuple[tuple[str, ...], frozenset[str]], list[tuple[list[Card], list[tuple[str, ...]]]]]
"""Cards and bubbles before each pop of a turn, by the pops that waited and the sparks."""


def reacting(play: Play) -> None:
    """Resolve pops, the first that became ready first, until none is left or the board repeats itself (ruling 15)."""
    seen: _Seen = {}
    while play.waiting and not _goes_round(play, seen):
        pop(play, next(iter(play.waiting)))
        play.notice()


def _goes_round(play: Play, seen: _Seen) -> bool:
    """Return True if board and waiting pops are as they were before an earlier pop of the turn; add them to `seen`."""
    # All that decides what comes next: waiting pops, sparks, cards (they turn and move) and bubbles.
    alike = seen.setdefault((tuple(play.waiting), frozenset(play.sparks)), [])
    cards, bubbles = list(play.table.cards.values()), [tuple(found) for found in play.table.bubbles.values()]
    # Bubbles are put in order for comparisons alone, which are few: bots play hundreds of chains for a turn.
    if any(cards == before and list(map(in_order, bubbles)) == list(map(in_order, lying)) for before, lying in alike):
        return True
    alike.append((cards, bubbles))
    return False


def pop(play: Play, place: str) -> None:
    """Resolve one pop: a bubble along each arrow, the excess to the mover, then the effect of the card (ruling 12)."""
    table = play.table
    number = _count(play, play.waiting.pop(place), place)
    sent, stayed, collected = _shared_out(play, place)
    table.bubbles[place] = stayed
    for colour, _, goal in sent:
        table.bubbles[goal].append(colour)
    table.gain(play.seat, *collected)
    play.tell(
        "popped",
        who=play.seat,
        space=place,
        number=len(play.pops),
        chain=number,
        node=table.is_node(place),
        sent=[list(each) for each in sent],
        stayed=stayed.copy(),
        collected=collected,
    )
    _after_pop(play, place)


def _count(play: Play, chain: Chain, place: str) -> int:
    """Add a pop to its chain, and return the chain's number in the turn, from 1."""
    table = play.table
    kind = table.cards[place].kind
    play.chain = chain
    if not chain.pops:
        play.chains.append(chain)
        # Only the first pop of a chain counts for the research station (ruling 13).
        chain.begun_beside_research = table.beside(place, "research")
    chain.pops.append(place)
    play.pops.append(place)
    play.sparks.discard(place)
    chain.nodes += table.is_node(place)
    chain.beside_node |= table.beside_node(place)
    chain.universe |= kind == UNIVERSE
    if kind in (*STATIONS, UNIVERSE) and kind not in chain.stations:
        chain.stations.append(kind)
    return play.chains.index(chain) + 1


def _shared_out(play: Play, place: str) -> tuple[list[tuple[str, str, str]], list[str], list[str]]:
    """Return the bubbles of a pop: those that move (colour, way, goal), those that stay and those collected."""
    table = play.table
    load = own_last(table.bubbles[place], play.seat)
    arrows = table.cards[place].arrows
    # Arrows off the board carry nothing, but count: with more bubbles than arrows each keeps one on the space (ruling
    # 12).
    kept = min(len(load), len(arrows))
    ways, count = open_first(place, arrows, table.size)
    open_ways, slots = ways[:count], ways[:kept]
    far = _wanted(play, place, slots, load)
    taken = assigned([(colour, way[0]) for colour, way in far], slots, load)
    twice = [(colour, way[0]) for colour, way in far if len(way) > 1]
    sent = [
        (colour, way, _goal(play, place, way, twice=(colour, way) in twice))
        for colour, way in taken
        if way in open_ways
    ]
    stayed = [colour for colour, way in taken if way not in open_ways]
    collected = load.copy()
    for colour, _ in taken:
        collected.remove(colour)
    return sent, stayed, collected


def _wanted(play: Play, place: str, slots: Sequence[str], load: list[str]) -> list[tuple[str, str]]:
    """Return what the mover's line for this pop asks for; nothing if there is none, or if it cannot be done."""
    item = play.plan.next_of(play.plan.pops, place)
    if item is None:
        return []
    assert isinstance(item.order, Pop)
    try:
        wanted = checked_pairs(item.order.pairs)
        assigned([(colour, way[0]) for colour, way in wanted], slots, load)
        for colour, way in wanted:
            if len(way) > 1:
                _check_twice(play, place, colour, way[0])
    except FieldError as refused:
        play.refuse(item, refused)
        return []
    return wanted


def _check_twice(play: Play, place: str, colour: str, way: str) -> None:
    """Raise FieldError if Cascade Control does not let a bubble go a second space."""
    if not play.table.has(play.seat, "cascade"):
        raise FieldError("no-cascade", f"{way}{way} needs Cascade Control", f"write {way}")
    if colour != play.seat:
        raise FieldError("not-yours", f"Cascade Control is for {play.seat} bubbles", f"write {way}")
    if _goal(play, place, way, twice=True) == _goal(play, place, way, twice=False):
        raise FieldError("off-board", f"{way}{way} of {place} is beyond the edge", f"write {way}")


def _goal(play: Play, place: str, way: str, *, twice: bool) -> str:
    """Return the space where a bubble comes to rest: as far as it goes on the board (ruling 29)."""
    # Expansion cards and Cascade Control add a space each (ruling 29).
    steps = 1 + (play.table.cards[place].kind == EXPANSION) + twice
    for _ in range(steps):
        place = step(place, way, play.table.size) or place
    return place


def _after_pop(play: Play, place: str) -> None:
    """Turn a flux card, swap an unstable card with a neighbour (ruling 29)."""
    cards = play.table.cards
    if cards[place].kind == FLUX:
        cards[place] = cards[place].turned("CW")
        play.tell("turned", space=place, arrows=cards[place].arrows)
    elif cards[place].kind == UNSTABLE:
        other = _partner(play, place)
        cards[place], cards[other] = cards[other], cards[place]
        play.tell("swapped", space=place, other=other)


def _partner(play: Play, place: str) -> str:
    """Return the neighbour that an unstable card is swapped with: the one named, else the first clockwise."""
    found = [goal for way in WAYS if (goal := step(place, way, play.table.size))]
    item = play.plan.next_of(play.plan.swaps, place)
    if item is None:
        return found[0]
    assert isinstance(item.order, Swap)
    named = step(place, item.order.way, play.table.size)
    if named is None:
        play.refuse(item, FieldError("off-board", f"{item.order.way} of {place} is the edge of the board"))
    return named or found[0]
