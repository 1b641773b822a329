"""A mutable copy of the table for one turn, and the basic operations on it."""

from __future__ import annotations

import dataclasses
import functools

from pbem.ruleset import SeatName
from pbem_rules.bubble_singularity.abilities import ABILITIES
from pbem_rules.bubble_singularity.cards import STATIONS, UNIVERSE
from pbem_rules.bubble_singularity.grid import around, open_first, squares
from pbem_rules.bubble_singularity.state import COLOURS, Player, State, in_order

NEEDED = 3
"""Number of bubbles that pop."""

NEEDED_LESS = 2
"""Number that pops of the own colour by Bubble Fusion, and of any colour beside the energy station."""


class Table:
    """A copy of what lies on the table of a state, changed by a turn and frozen again."""

    def __init__(self, state: State) -> None:
        self.rules, self.size = state.rules, state.rules.size
        self.cards = dict(state.cards)
        self.nodes = list(state.nodes)
        self.bubbles = {place: list(state.bubbles.get(place, ())) for place in squares(self.size)}
        self.players = dict(state.players)
        self.control = dict(state.control)
        self.bag = list(state.bag)
        self.decks = {category: list(cards) for category, cards in state.decks.items()}

    def copy(self) -> Table:
        """Return a copy, which changes by itself."""
        other = Table.__new__(Table)
        other.__dict__.update(self.__dict__)
        other.cards, other.players, other.control = dict(self.cards), dict(self.players), dict(self.control)
        other.nodes, other.bag = list(self.nodes), list(self.bag)
        other.bubbles = {place: found.copy() for place, found in self.bubbles.items()}
        other.decks = {category: cards.copy() for category, cards in self.decks.items()}
        return other

    def freeze(self, state: State) -> State:
        """Return a state with this table's contents."""
        return dataclasses.replace(
            state,
            cards=dict(self.cards),
            nodes=tuple(self.nodes),
            bubbles={place: in_order(found) for place, found in self.bubbles.items() if found},
            players=dict(self.players),
            control={kind: self.control[kind] for kind in (*STATIONS, UNIVERSE) if kind in self.control},
            bag=in_order(self.bag),
            decks={category: tuple(cards) for category, cards in self.decks.items()},
        )

    def change(self, seat: SeatName, **changes: object) -> Player:
        """Replace fields of a player, and return the player."""
        # As `dataclasses.replace`, in half the time.
        before = self.players[seat]
        player = Player(**{name: getattr(before, name) for name in Player.__slots__} | changes)
        self.players[seat] = player
        return player

    def has(self, seat: SeatName, ability: str) -> bool:
        """Return True if a player holds an ability card."""
        return ability in self.players[seat].cards

    def is_free(self, place: str) -> bool:
        """Return True if no Mari stands on a space."""
        return all(player.at != place for player in self.players.values())

    def is_node(self, place: str) -> bool:
        """Return True if a space is a node, by a token or as the Universe."""
        return place in self.nodes or self.cards[place].kind == UNIVERSE

    def beside(self, place: str, kind: str) -> bool:
        """Return True if a station of that kind lies beside a space."""
        # Asked hundreds of times a turn by bots, so boards without stations are not searched.
        if self.rules.with_stations:
            for near in around(place, self.size):
                if self.cards[near].kind == kind:
                    return True
        return False

    def beside_node(self, place: str) -> bool:
        """Return True if a node lies beside a space."""
        return any(self.is_node(near) for near in around(place, self.size))

    def station_at(self, place: str | None) -> str:
        """Return the kind of the station on a space; "" if there is none."""
        kind = self.cards[place].kind if place else ""
        return kind if kind in STATIONS else ""

    def gain(self, seat: SeatName, *colours: str) -> None:
        """Add bubbles to a player's supply."""
        if colours:
            self.change(seat, hand=in_order([*self.players[seat].hand, *colours]))

    def spend(self, seat: SeatName, *colours: str) -> None:
        """Take bubbles from a player's supply."""
        if not colours:
            return
        hand = list(self.players[seat].hand)
        for colour in colours:
            hand.remove(colour)
        self.change(seat, hand=tuple(hand))

    def movable(self, place: str, seat: SeatName) -> list[str]:
        """Return the bubbles of a space that an action of a seat may move."""
        found = self.bubbles[place]
        if not self.beside(place, "defense"):
            return list(found)
        # Only bubbles of other players' colours are protected, not those of colours without a player (ruling 20).
        owners = {other for other in self.players if other != seat and not self.players[other].out}
        return [colour for colour in found if colour not in owners]

    def can_pop(self, place: str) -> bool:
        """Return True if a pop on a space would move or free any bubble."""
        found, arrows = self.bubbles[place], self.cards[place].arrows
        return bool(found) and (len(found) > len(arrows) or open_first(place, arrows, self.size)[1] > 0)

    def ripe(self, seat: SeatName) -> list[str]:
        """Return the spaces that pop in a seat's turn and change something by it, in order (rulings 10 and 12)."""
        # Bots rehearse hundreds of sheets, and most of that time goes into this: one pass, and no call for most spaces.
        fused, charged = self.has(seat, "fusion"), self.rules.with_stations
        return [
            place
            for place, found in self.bubbles.items()
            if (count := len(found)) >= NEEDED_LESS
            and (
                count >= NEEDED
                or (fused and found.count(seat) >= NEEDED_LESS)
                or (charged and self.beside(place, "energy"))
            )
            and self.can_pop(place)
        ]


def own_last(colours: list[str], seat: SeatName) -> list[str]:
    """Sort bubbles as they are placed and sent by default: the own colour last (ruling 4)."""
    return sorted(colours, key=_ranks(seat).__getitem__)


@functools.cache
def _ranks(seat: SeatName) -> dict[str, int]:
    return {colour: at + len(COLOURS) * (colour == seat) for at, colour in enumerate(COLOURS)}


def category_of(card: str) -> str:
    return ABILITIES[card].category
