"""Phase 2: one action, Rotate & Push or Gravity Pull or a station's active effect (rulings 5, 6, 19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.ruleset import FieldError, Order, SeatName
from pbem_rules.bubble_singularity import stations
from pbem_rules.bubble_singularity.cards import UNIVERSE
from pbem_rules.bubble_singularity.grid import WAYS, step
from pbem_rules.bubble_singularity.orders import Pull, Rotate, Send, action_word, pairs
from pbem_rules.bubble_singularity.plan import Item
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.state import COLOURS
from pbem_rules.bubble_singularity.table import Table, own_last


def acting(play: Play) -> None:
    """Carry out the action ordered, else the default one."""
    item = play.plan.single("action")
    if item is not None and _tried(play, item):
        done = item.order
    else:
        done = default_action(play.table, play.seat)
        _act(play, done)
    send = play.plan.single("send")
    if send is not None and not isinstance(done, Rotate):
        play.refuse(send, FieldError("no-push", "SEND goes with a ROTATE of the same sheet", "leave it out"))


def _tried(play: Play, item: Item) -> bool:
    try:
        check_blocked(play.table, play.seat, item.order)
        _act(play, item.order)
    except FieldError as refused:
        play.refuse(item, refused)
        return False
    return True


def _act(play: Play, order: Order) -> None:
    if isinstance(order, Rotate):
        _rotate(play, order)
    elif isinstance(order, Pull):
        _pull(play, order)
    else:
        stations.act(play, order)
    play.notice()


def check_blocked(table: Table, seat: SeatName, order: Order) -> None:
    """Raise FieldError if the controller of the defense station has blocked an action (ruling 21)."""
    player, word = table.players[seat], action_word(order)
    # On the Universe any action may be chosen, blocked or not (ruling 21).
    if player.at and table.cards[player.at].kind != UNIVERSE and player.blocked == word:
        raise FieldError("blocked", f"{word} is blocked for you in this turn", "choose another action")


def default_action(table: Table, seat: SeatName) -> Order:
    """Return the default action (ruling 23): rotate clockwise, or pull where that is blocked."""
    try:
        check_blocked(table, seat, Rotate("CW"))
    except FieldError:
        here = table.players[seat].at
        assert here is not None
        return Pull(next(way for way in WAYS if step(here, way, table.size)))
    return Rotate("CW")


def _rotate(play: Play, order: Rotate) -> None:
    table, here = play.table, play.at
    card = table.cards[here] = table.cards[here].turned(order.turn)
    # Bubbles that the defense station protects stay where they are (ruling 20).
    load = own_last(table.movable(here, play.seat), play.seat)
    # Round and round the arrows, so that five bubbles on two arrows go three and two (ruling 5).
    slots = [card.arrows[count % len(card.arrows)] for count in range(len(load))]
    pushed = _pushed(play, here, slots, load)
    for colour, _, space in pushed:
        table.bubbles[here].remove(colour)
        table.bubbles[space].append(colour)
    sent = [list(each) for each in pushed]
    play.tell("rotated", who=play.seat, space=here, turn=order.turn, arrows=card.arrows, sent=sent)


def _pushed(play: Play, here: str, slots: list[str], load: list[str]) -> list[tuple[str, str, str]]:
    """Return the bubbles pushed as (colour, way, space); those on arrows off the board keep their space (ruling 5)."""
    wanted: list[tuple[str, str]] = []
    send = play.plan.single("send")
    if send is not None:
        assert isinstance(send.order, Send)
        try:
            wanted = checked_pairs(send.order.pairs)
            assigned(wanted, slots, load)
        except FieldError as refused:
            play.refuse(send, refused)
            wanted = []
    return [(colour, way, step(here, way, play.table.size) or here) for colour, way in assigned(wanted, slots, load)]


def checked_pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return colours and ways two by two. Raise FieldError if they do not alternate."""
    found = pairs(words)
    for colour, way in found:
        if colour not in COLOURS or not way or way in COLOURS:
            raise FieldError("not-in-pairs", "colours and ways must stand in turn", "such as: blue N, red E")
    return found


def assigned(wanted: Sequence[tuple[str, str]], slots: Sequence[str], load: Sequence[str]) -> list[tuple[str, str]]:
    """Assign bubbles to slots: those wanted first, then the rest of the load in its order.

    Raises:
        FieldError: a bubble that is wanted is not there, or its arrow takes no more.
    """
    free, left = list(slots), list(load)
    taken: list[tuple[str, str]] = []
    for colour, way in wanted:
        if colour not in left:
            raise FieldError("no-such-bubble", f"there is no further {colour} bubble to send", _lying(load))
        if way not in free:
            raise FieldError("no-such-arrow", f"no further bubble goes {way}", _carrying(slots))
        left.remove(colour)
        free.remove(way)
        taken.append((colour, way))
    taken += [(left.pop(0), way) for way in free]
    return sorted(taken, key=lambda pair: WAYS.index(pair[1]))


def _lying(load: Sequence[str]) -> str:
    return "there lie " + (", ".join(load) or "none")


def _carrying(slots: Sequence[str]) -> str:
    shares = Counter(slots)
    return "the arrows carry " + (", ".join(f"{shares[way]} {way}" for way in WAYS if shares[way]) or "nothing")


def _pull(play: Play, order: Pull) -> None:
    table, here = play.table, play.at
    start = step(here, order.way, table.size)
    if start is None:
        ways = ", ".join(way for way in WAYS if step(here, way, table.size))
        raise FieldError(
            "off-board", f"{order.way} of {here} is the edge of the board", f"from {here} there are {ways}"
        )
    pulled = own_last(table.movable(start, play.seat), play.seat)
    for colour in pulled:
        table.bubbles[start].remove(colour)
    table.bubbles[here] += pulled
    play.tell("pulled", who=play.seat, space=here, way=order.way, start=start, bubbles=pulled)
