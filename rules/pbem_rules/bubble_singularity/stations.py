"""Effects of stations for a Mari that ended its move on them (rulings 19 to 22)."""

from __future__ import annotations

from collections import Counter

from pbem.ruleset import FieldError, Order
from pbem_rules.bubble_singularity.asking import RESEARCHED, draw_bubbles, note_wishes
from pbem_rules.bubble_singularity.grid import around
from pbem_rules.bubble_singularity.orders import (
    STATION_ACTIONS,
    STATION_BONUSES,
    UseBlock,
    UseConvert,
    UseDeploy,
    UseIgnite,
    UseResearch,
    UseSelect,
    UseTeleport,
    UseTransfer,
    pairs,
)
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.state import COLOURS

SELECTED = CONVERTED = 3
DEPLOYED = 2


def act(play: Play, order: Order) -> None:
    """Carry out the active effect of a station, as the action of a turn. Raise FieldError if that is not possible."""
    _check_at(play, STATION_ACTIONS[type(order)])
    if isinstance(order, UseResearch):
        _research(play)
    elif isinstance(order, UseTeleport):
        _teleport(play, order)
    elif isinstance(order, UseConvert):
        _convert(play, order)
    elif isinstance(order, UseDeploy):
        _deploy(play, order)


def grant(play: Play, order: Order) -> None:
    """Carry out the bonus of a station's controller. Raise FieldError if that is not possible."""
    station = STATION_BONUSES[type(order)]
    _check_at(play, station)
    if play.table.control.get(station) != play.seat:
        raise FieldError("no-control", f"you do not control the {station} station")
    if isinstance(order, UseSelect):
        _select(play, order)
    elif isinstance(order, UseTransfer):
        _transfer(play, order)
    elif isinstance(order, UseIgnite):
        _ignite(play, order)
    elif isinstance(order, UseBlock):
        _block(play, order)


def _check_at(play: Play, station: str) -> None:
    if play.table.station_at(play.stop) != station:
        raise FieldError("not-there", f"your Mari does not end its move on the {station} station")


def _research(play: Play) -> None:
    """Draw at once, before the controller's bonus and all pops (ruling 20)."""
    # A rehearsal has no dice; it takes the bag only where that is too small to draw from.
    if play.rehearsed and len(play.table.bag) >= RESEARCHED:
        play.research = True
    else:
        # If the bag is short the game ends here, and the wishes of this sheet decide what is kept (ruling 35).
        note_wishes(play)
        draw_bubbles(play)


def _teleport(play: Play, order: UseTeleport) -> None:
    start = play.at
    if not play.table.is_free(order.space):
        raise FieldError("occupied", f"a Mari stands on {order.space}", "all spaces without a Mari are free")
    play.table.change(play.seat, at=order.space)
    play.tell("teleported", who=play.seat, start=start, space=order.space)


def _convert(play: Play, order: UseConvert) -> None:
    """Swap bubbles beside the station for ones of the own colour from the bag (ruling 20)."""
    wanted = pairs(order.pairs)
    for space, colour in wanted:
        if space in COLOURS or colour not in COLOURS:
            raise FieldError("not-in-pairs", "spaces and colours must stand in turn", "such as: B1 red, A2 green")
        if space not in around(play.stop, play.table.size):
            raise FieldError("not-beside", f"{space} is not beside the station on {play.stop}")
    if len(wanted) > CONVERTED:
        raise FieldError("too-many", f"{len(wanted)} bubbles are too many", f"{CONVERTED} may be converted")
    for (space, colour), count in Counter(wanted).items():
        if count > play.table.bubbles[space].count(colour):
            raise FieldError("no-such-bubble", f"there is no further {colour} bubble on {space}")
    if play.table.bag.count(play.seat) < len(wanted):
        raise FieldError("bag-short", f"the bag holds only {play.table.bag.count(play.seat)} {play.seat} bubbles")
    for space, colour in wanted:
        play.table.bubbles[space].remove(colour)
        play.table.bubbles[space].append(play.seat)
        play.table.bag.remove(play.seat)
        play.table.bag.append(colour)
    play.tell("converted", who=play.seat, bubbles=[list(pair) for pair in wanted])


def _deploy(play: Play, order: UseDeploy) -> None:
    wanted = pairs(order.pairs)
    if any(colour not in COLOURS or not space or space in COLOURS for colour, space in wanted):
        raise FieldError("not-in-pairs", "colours and spaces must stand in turn", "such as: red B2, blue C3")
    hand = Counter(play.table.players[play.seat].hand)
    # Two bubbles, or what the player has (ruling 20).
    if len(wanted) != min(DEPLOYED, hand.total()):
        raise FieldError("miscounted", f"{len(wanted)} bubbles are named, not {min(DEPLOYED, hand.total())}")
    for colour, count in Counter(colour for colour, _ in wanted).items():
        if count > hand[colour]:
            raise FieldError("no-such-bubble", f"you have no further {colour} bubble")
    for colour, space in wanted:
        play.table.spend(play.seat, colour)
        play.table.bubbles[space].append(colour)
        play.notice()
    play.tell("deployed", who=play.seat, bubbles=[[space, colour] for colour, space in wanted])


def _select(play: Play, order: UseSelect) -> None:
    """Take bubbles from the bag; those that USE RESEARCH has drawn in this turn are gone (ruling 20)."""
    if len(order.bubbles) > SELECTED:
        raise FieldError("too-many", f"{len(order.bubbles)} bubbles are too many", f"{SELECTED} may be taken")
    bag = Counter(play.table.bag)
    taken = [colour for count, colour in enumerate(order.bubbles) if order.bubbles[:count].count(colour) < bag[colour]]
    # After USE RESEARCH the player could not know what the bag still holds: take what is left (ruling 20).
    if len(taken) < len(order.bubbles) and not play.researched:
        short = next(colour for colour, count in Counter(order.bubbles).items() if count > bag[colour])
        raise FieldError("bag-short", f"the bag holds only {bag[short]} {short} bubbles")
    for colour in taken:
        play.table.bag.remove(colour)
    play.table.gain(play.seat, *taken)
    play.tell("selected", who=play.seat, bubbles=taken)


def _transfer(play: Play, order: UseTransfer) -> None:
    if order.colour not in play.table.movable(order.start, play.seat):
        raise FieldError("no-such-bubble", f"there is no {order.colour} bubble on {order.start} that you may move")
    play.table.bubbles[order.start].remove(order.colour)
    play.table.bubbles[order.end].append(order.colour)
    play.tell("transferred", who=play.seat, colour=order.colour, start=order.start, space=order.end)


def _ignite(play: Play, order: UseIgnite) -> None:
    if order.space not in (play.stop, *around(play.stop, play.table.size)):
        raise FieldError("not-beside", f"{order.space} is neither the station on {play.stop} nor beside it")
    if play.seat not in play.table.bubbles[order.space]:
        raise FieldError("no-such-bubble", f"no bubble of yours lies on {order.space}")
    if not play.table.can_pop(order.space):
        raise FieldError("no-way-out", f"no arrow of {order.space} points at the board")
    play.sparks.add(order.space)
    play.tell("ignited", who=play.seat, space=order.space)


def _block(play: Play, order: UseBlock) -> None:
    if play.table.players[order.player].out:
        raise FieldError("not-playing", f"{order.player} has left the game")
    play.table.change(order.player, blocked=order.action)
    play.tell("blocked", who=play.seat, player=order.player, action=order.action)
