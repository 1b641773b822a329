"""How a game begins: the table laid, the Maris seated, the first abilities chosen (rulings 1 to 3, 27 and 28)."""

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
    """The table before anybody has chosen anything; by the beginners' set-up, ready for the first turn."""
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
    """The bubbles laid aside for the nodes opposite a player's start; alike for all sides."""
    return [seat for _ in far_nodes("N", rules.size)]


def _hand(rules: Rules, seat: SeatName, bag: list[str], dice: Dice) -> tuple[str, ...]:
    """A player's first bubbles: drawn from the bag, or for beginners of the own colour."""
    drawn = []
    for count in range(rules.first_bubbles):
        colour = seat if rules.beginner else dice.pick(bag, "hand", seat, count)
        bag.remove(colour)
        drawn.append(colour)
    return in_order(drawn)


def _dealt(rules: Rules, seat: SeatName, decks: Mapping[str, list[str]], dice: Dice) -> dict[str, Any]:
    """A player's first ability cards: none for beginners, one of each deck on 5×5, else two to choose from."""
    if rules.beginner:
        return {}
    if rules.advanced:
        return {"cards": tuple(decks[category].pop(0) for category in CATEGORIES)}
    drawn = []
    for count in range(2):
        open_decks = [category for category in CATEGORIES if decks[category]]
        drawn.append(decks[dice.pick(open_decks, "offer", seat, count)].pop(0))
    return {"offer": tuple(drawn)}


def _begun(state: State) -> State:
    """The beginners' table, where everybody starts on the first space of a side: for two, of opposite sides."""
    play = Play(state, {}, None)
    sides = ("N", "S", "E", "W") if len(state.seats) == 2 else WAYS
    for seat, side in zip(state.seats, sides, strict=False):
        _seat(play, seat, starts(state.rules.size)[side][0])
    _begin(play)
    return play.finished()


def starting(play: Play) -> None:
    """Everybody's start and starting ability, in the order of joining; then the first turn is on."""
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
    """All start spaces, in the order in which they are taken by default."""
    sides = starts(size)
    return [sides[side][at] for at in range(len(sides["N"])) for side in WAYS]


def _orders(play: Play, seat: SeatName, kind: type[Order]) -> list[Item]:
    found = [Item(at, order) for at, order in enumerate(play.orders.get(seat, ())) if isinstance(order, kind)]
    for item in found[1:]:
        line = ORDERS.line(found[0].order)
        play.refuse(item, FieldError("only-one", f"the sheet says {line} already", "only one such line is taken"), seat)
    return found[:1]


def _start_of(play: Play, seat: SeatName) -> str:
    """The first space a player wishes for whose side is free."""
    size = play.state.rules.size
    taken = {player.side for player in play.table.players.values()}
    named = [space for item in _orders(play, seat, Start) for space in _spaces(item.order)]
    return next(space for space in [*named, *wishes(size)] if side_of(space, size) not in taken)


def _spaces(order: Order) -> tuple[str, ...]:
    assert isinstance(order, Start)
    return order.spaces


def _first_card(play: Play, seat: SeatName) -> str | None:
    """The card a player keeps of the two dealt; by default the first."""
    offer = play.table.players[seat].offer
    for item in _orders(play, seat, Keep):
        assert isinstance(item.order, Keep)
        try:
            return first_card(offer, item.order.what)
        except FieldError as refused:
            play.refuse(item, refused, seat)
    return offer[0] if offer else None


def first_card(offer: Sequence[str], what: Sequence[str]) -> str:
    """The starting ability that a KEEP chooses, which is a list, best first (ruling 26). Raises FieldError."""
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
    """Bubbles come to the nodes and, for two, to the empty edge; the order of play goes round by sides."""
    table, size = play.table, play.state.rules.size
    playing = [seat for seat in play.state.seats if not table.players[seat].out]
    for seat in playing:
        for node in far_nodes(table.players[seat].side, size):
            table.bubbles[node].append(seat)
    if len(play.state.seats) == 2:
        _lay_neutral(play)
    around = sorted(playing, key=lambda seat: WAYS.index(table.players[seat].side))
    first = play.state.first if play.state.first in around else around[0]
    at = around.index(first)
    play.order = around[at:] + around[:at]
    play.mover, play.round = first, 1
    play.tell("begun", first=first, order=list(play.order))


def _lay_neutral(play: Play) -> None:
    """With two players, bubbles of the colours nobody plays, in turn, on each empty edge space (ruling 28)."""
    table, size = play.table, play.state.rules.size
    colours = cycle([colour for colour in COLOURS if colour not in play.state.seats])
    laid_down = []
    for place in rim(size):
        if table.is_free(place) and not table.bubbles[place]:
            wanted = next(colours)
            colour = wanted if wanted in table.bag else next(other for other in COLOURS if other in table.bag)
            table.bag.remove(colour)
            table.bubbles[place].append(colour)
            laid_down.append([place, colour])
    play.tell("neutral", bubbles=laid_down)
