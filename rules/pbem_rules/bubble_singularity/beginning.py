"""Set-up of a game: the board, the starts, the first abilities (rulings 1 to 3, 27 and 28)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from pbem.ruleset import Dice, FieldError, Order, SeatName
from pbem_rules.bubble_singularity.abilities import CATEGORIES, deck
from pbem_rules.bubble_singularity.asking import hold_card
from pbem_rules.bubble_singularity.cards import shuffled_chart, standard_chart
from pbem_rules.bubble_singularity.grid import WAYS, far_nodes, first_nodes, rim, side_of, starts
from pbem_rules.bubble_singularity.orders import ORDERS, Keep, Start
from pbem_rules.bubble_singularity.plan import Item
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.state import COLOURS, OF_EACH_COLOUR, Player, Rules, State, in_order
from pbem_rules.bubble_singularity.table import category_of


def laid(rules: Rules, seats: Sequence[SeatName], dice: Dice) -> State:
    """Return the state before any choice; in a beginners' game, the state of the first turn."""
    size = rules.size
    chart = (
        shuffled_chart(size, dice, stations=rules.with_stations)
        if rules.layout == "shuffled"
        else standard_chart(size, stations=rules.with_stations)
    )
    bag = [colour for colour in COLOURS for _ in range(OF_EACH_COLOUR)]
    for colour in [colour for seat in seats for colour in node_bubbles(rules, seat)]:
        bag.remove(colour)
    hands = {seat: _hand(rules, seat, bag, dice) for seat in seats}
    decks = {category: dice.shuffle(deck(category), "deck", category) for category in CATEGORIES}
    state = State(
        rules=rules,
        seats=tuple(seats),
        first=dice.pick(seats, "first"),
        cards=chart,
        nodes=first_nodes(size),
        players={seat: Player(hand=hands[seat], **_dealt(rules, seat, decks, dice)) for seat in seats},
        bag=tuple(bag),
        decks={category: tuple(cards) for category, cards in decks.items()},
    )
    return _begun(state) if rules.beginner else state


def node_bubbles(rules: Rules, seat: SeatName) -> list[str]:
    """Return the bubbles reserved for the nodes opposite a player's start; their number is the same for all sides."""
    return [seat for _ in far_nodes("N", rules.size)]


def _hand(rules: Rules, seat: SeatName, bag: list[str], dice: Dice) -> tuple[str, ...]:
    """Draw a player's first bubbles from the bag; beginners get their own colour (ruling 28)."""
    drawn = []
    for count in range(rules.first_bubbles):
        colour = seat if rules.beginner else dice.pick(bag, "hand", seat, count)
        bag.remove(colour)
        drawn.append(colour)
    return in_order(drawn)


def _dealt(rules: Rules, seat: SeatName, decks: Mapping[str, list[str]], dice: Dice) -> dict[str, Any]:
    """Deal a player's first ability cards: none for beginners, one of each deck on 5×5, else two to choose from."""
    if rules.beginner:
        return {}
    if rules.advanced:
        return {"cards": tuple(decks[category].pop(0) for category in CATEGORIES)}
    drawn = []
    for count in range(2):
        # Four players draw eight of the twelve cards, so a deck may be empty.
        open_decks = [category for category in CATEGORIES if decks[category]]
        drawn.append(decks[dice.pick(open_decks, "offer", seat, count)].pop(0))
    return {"offer": tuple(drawn)}


def _begun(state: State) -> State:
    """Seat the players of a beginners' game, each on the first space of a side; two sit opposite (ruling 28)."""
    play = Play(state, {}, None)
    # Two beginners start on opposite sides (ruling 28).
    sides = ("N", "S", "E", "W") if len(state.seats) == 2 else WAYS
    for seat, side in zip(state.seats, sides, strict=False):
        _seat(play, seat, starts(state.rules.size)[side][0])
    _begin(play)
    return play.finished()


def starting(play: Play) -> None:
    """Seat the players and give them their starting abilities, in the order of joining (ruling 3)."""
    for seat in play.state.seats:
        player = play.table.players[seat]
        if player.out:
            continue
        place = _start_of(play, seat)
        card = _first_card(play, seat)
        _seat(play, seat, place)
        returned = [other for other in player.offer if other != card]
        play.table.change(seat, offer=())
        for other in returned:
            play.table.decks[category_of(other)].append(other)
        if card:
            hold_card(play, seat, card)
        play.tell("seated", who=seat, space=place, card=card, returned=returned)
    _begin(play)


def wishes(size: int) -> list[str]:
    """Return all start spaces, in the order in which they are taken by default."""
    sides = starts(size)
    return [sides[side][at] for at in range(len(sides["N"])) for side in WAYS]


def _orders(play: Play, seat: SeatName, kind: type[Order]) -> list[Item]:
    found = [Item(at, order) for at, order in enumerate(play.orders.get(seat, ())) if isinstance(order, kind)]
    for item in found[1:]:
        line = ORDERS.line(found[0].order)
        play.refuse(item, FieldError("only-one", f"the sheet says {line} already", "only one such line is taken"), seat)
    return found[:1]


def _start_of(play: Play, seat: SeatName) -> str:
    """Return the first space that a player wishes for whose side is free (ruling 3)."""
    size = play.state.rules.size
    taken = {player.side for player in play.table.players.values()}
    named = [space for item in _orders(play, seat, Start) for space in _spaces(item.order)]
    return next(space for space in [*named, *wishes(size)] if side_of(space, size) not in taken)


def _spaces(order: Order) -> tuple[str, ...]:
    assert isinstance(order, Start)
    return order.spaces


def _first_card(play: Play, seat: SeatName) -> str | None:
    """Return the card that a player keeps of the two dealt, by default the first; None if none was dealt."""
    offer = play.table.players[seat].offer
    for item in _orders(play, seat, Keep):
        assert isinstance(item.order, Keep)
        try:
            return first_card(offer, item.order.what)
        except FieldError as refused:
            play.refuse(item, refused, seat)
    return offer[0] if offer else None


def first_card(offer: Sequence[str], what: Sequence[str]) -> str:
    """Return the starting ability that a KEEP chooses: the first of its list that was dealt (ruling 26).

    Raises:
        FieldError: none was dealt, or the list names none of them.
    """
    if not offer:
        raise FieldError("nothing-to-keep", "you have no starting ability to choose")
    found = next((card for card in what if card in offer), None)
    if found is None:
        raise FieldError(
            "not-offered", "your starting ability is one of the two cards dealt", "KEEP " + " or ".join(offer)
        )
    return found


def _seat(play: Play, seat: SeatName, place: str) -> None:
    play.table.change(seat, side=side_of(place, play.state.rules.size), at=place)


def _begin(play: Play) -> None:
    """Place the bubbles on nodes and, for two players, on the empty edge; set the order of play."""
    table, size = play.table, play.state.rules.size
    playing = [seat for seat in play.state.seats if not table.players[seat].out]
    for seat in playing:
        for node in far_nodes(table.players[seat].side, size):
            table.bubbles[node].append(seat)
    if len(play.state.seats) == 2:
        _lay_neutral(play)
    # Play goes clockwise by sides (ruling 3).
    around = sorted(playing, key=lambda seat: WAYS.index(table.players[seat].side))
    # The first player drawn may have left during the set-up.
    first = play.state.first if play.state.first in around else around[0]
    at = around.index(first)
    play.order = around[at:] + around[:at]
    play.mover, play.round = first, 1
    play.tell("begun", first=first, order=list(play.order))


def _lay_neutral(play: Play) -> None:
    """Place bubbles of the colours without a player, in turn, on each empty edge space (ruling 28)."""
    table, size = play.table, play.state.rules.size
    colours = cycle([colour for colour in COLOURS if colour not in play.state.seats])
    laid_down = []
    for place in rim(size):
        if table.is_free(place) and not table.bubbles[place]:
            wanted = next(colours)
            # The bag may be short of a colour after the first supplies were drawn.
            colour = wanted if wanted in table.bag else next(other for other in COLOURS if other in table.bag)
            table.bag.remove(colour)
            table.bubbles[place].append(colour)
            laid_down.append([place, colour])
    play.tell("neutral", bubbles=laid_down)
