"""The secrets of a player of Dueling Masters of Space-Time.

Of the opponent's pieces a player knows:

- those a judgement destroyed: kind, square and move;
- those that were met and have not moved since: kind and square;
- of the others that have moved: the squares they were heard on, and the kind, in the blind variant once they were met.

All else is hidden: the destinations of those in transit, and whether one of
them has in truth rammed an asteroid; the squares of everything else; the names
of pieces; what the opponent has searched. So it is hidden, too,
whether an own piece in transit has run into something.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from pbem.ruleset import SeatName
from pbem_rules.dueling_masters.board import SQUARES, flights, territory
from pbem_rules.dueling_masters.deductions import possible_kinds
from pbem_rules.dueling_masters.kinds import ALONE, ASTEROID, FIGHTERS, names, numbers
from pbem_rules.dueling_masters.moves import Fleet
from pbem_rules.dueling_masters.orders import ORDERS, Move, Ram, Setup
from pbem_rules.dueling_masters.placement import pieces_of
from pbem_rules.dueling_masters.state import Piece, PieceLoss, Player, Rules, State, opponent

Squares = dict[str, tuple[str, ...]]
TRIES = 200
ERRANDS = 4

PUBLIC = (
    "asked_again",
    "move",
    "mover",
    "offer",
    "players.*.misses",
    "rules",
)
"""What both players know: the rules, whose move it is, offers, and who let deadlines pass."""


def scramble(state: State, seat: SeatName, rnd: random.Random) -> State:
    """Return the same game with other secrets of the opponent."""
    if state.result is not None:
        return state
    enemy = opponent(seat)
    if state.move:
        pieces = _Fog(state.players[enemy], enemy, state.rules, rnd).pieces()
    else:
        pieces = pieces_of(_begun(state, enemy, rnd), state.rules.homes)
    return _with(state, enemy, pieces, rnd)


def elsewhere(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, dict[SeatName, list[str]]]:
    """Return the same game with other secrets, none of them on a pending path of the seat, and a sheet of the opponent.

    The sheet completes the opponent's set-up, or moves one and the same piece to
    any square: of that, the seat hears only the square departed from.
    """
    enemy = opponent(seat)
    if not state.move:
        sheet = [ORDERS.line(Setup(kind, squares)) for kind, squares in _placed(state, enemy, rnd).items()]
        return scramble(state, seat, rnd), {enemy: sheet}
    if state.mover == seat:
        return _aside(state, seat, rnd, ()), {}
    mover = _movers(state, enemy)[0]
    for _ in range(TRIES):
        world = _aside(state, seat, rnd, (mover,))
        if moves := _moves(world, enemy, mover.name):
            return world, {enemy: [ORDERS.line(rnd.choice(moves))]}
    raise AssertionError("no such world was found")


def lasting(state: State, seat: SeatName, rnd: random.Random) -> tuple[State, list[dict[SeatName, list[str]]]]:
    """Return the same game with other secrets that stay unknown to the seat for several turns, and their sheets.

    The seat's own sheets are the same in all such worlds, and its flights stay in
    its own half, where nothing hidden is; each of the enemy's fixed fighters departs once,
    and does not ram, so that none is in the way of another.
    """
    enemy = opponent(seat)
    own = _errands(state, seat, random.Random(f"errands {seat} {state.move}"))
    movers = [piece for piece in _movers(state, enemy) if piece.kind in FIGHTERS][: len(own)]
    for _ in range(TRIES):
        world = _aside(state, seat, rnd, movers, {*territory(seat)})
        choices = [[move for move in _moves(world, enemy, mover.name) if not move.ram] for mover in movers]
        if all(choices):
            theirs = [[ORDERS.line(rnd.choice(moves))] for moves in choices]
            return world, _in_turn(state, {seat: own, enemy: theirs})
    raise AssertionError("no such world was found")


def _errands(state: State, seat: SeatName, rnd: random.Random) -> list[list[str]]:
    """Return sheets with a flight within the own half each, and with lines that ask questions."""
    fleet, home = _fleet(state, seat), {*territory(seat)}
    errands = []
    for piece in fleet.movable():
        ends = [end for end, path in fleet.moves(piece).items() if {*path} <= home and piece.kind in FIGHTERS]
        if ends:
            errands.append([ORDERS.line(Move(piece.name, rnd.choice(ends))), "DRAW OFFER", "MOVE Z1 TO J10"])
    return errands[:ERRANDS]


def _in_turn(state: State, sheets: Mapping[SeatName, list[list[str]]]) -> list[dict[SeatName, list[str]]]:
    """Return the sheets of both players in the order in which they move."""
    order = [state.mover, opponent(state.mover)]
    return [
        {mover: sheet}
        for pair in zip(*(sheets[each] for each in order), strict=False)
        for mover, sheet in zip(order, pair, strict=True)
    ]


def _with(state: State, enemy: SeatName, pieces: tuple[Piece, ...], rnd: random.Random) -> State:
    """Return the state with other pieces of the enemy, and another record of what it has searched."""
    scouted = {square: rnd.randint(1, 1 + state.move) for square in rnd.sample(SQUARES, rnd.randrange(30))}
    player = dataclasses.replace(state.players[enemy], pieces=pieces, scouted=scouted if state.move else {})
    return dataclasses.replace(state, players={**state.players, enemy: player})


def _placed(state: State, seat: SeatName, rnd: random.Random) -> Squares:
    """Return any complete set-up."""
    return _dispersed(numbers(state.rules.homes), list(territory(seat)), rnd)


def _begun(state: State, seat: SeatName, rnd: random.Random) -> Squares:
    """Return a complete set-up if the seat's is, else any part of one."""
    whole = _placed(state, seat, rnd)
    if state.is_placed(seat):
        return whole
    return {kind: whole[kind] for kind in rnd.sample(sorted(whole), rnd.randrange(len(whole)))}


def _dispersed(number: Mapping[str, int], squares: list[str], rnd: random.Random) -> Squares:
    """Place pieces anywhere on some squares, home planets and asteroids on squares of their own."""
    free = rnd.sample(squares, len(squares))
    alone = {kind: tuple(free.pop() for _ in range(number[kind])) for kind in ALONE}
    return alone | {kind: tuple(rnd.choice(free) for _ in range(number[kind])) for kind in FIGHTERS}


def _movers(state: State, enemy: SeatName) -> list[Piece]:
    """Return the pieces that the enemy can move in this world."""
    movable = {own.name for own in _fleet(state, enemy).movable()}
    return sorted((piece for piece in state.players[enemy].alive if piece.name in movable), key=lambda p: p.name)


def _fleet(state: State, seat: SeatName) -> Fleet:
    return Fleet.of_pieces(state.players[seat].alive, home_moves=state.rules.home_moves)


def _moves(world: State, enemy: SeatName, name: str) -> list[Move]:
    fleet = _fleet(world, enemy)
    piece = fleet.pieces[name]
    return [Move(name, end) for end in fleet.moves(piece)] + [Ram(name, end) for end in fleet.rams(piece)]


def _aside(
    state: State, seat: SeatName, rnd: random.Random, fixed: Sequence[Piece], besides: AbstractSet[str] = frozenset()
) -> State:
    """Return a world with nothing hidden on the seat's pending paths or `besides`; `fixed` pieces stay as they are."""
    paths = {square for piece in state.players[seat].alive for square in state.rules.path(piece)}
    enemy = opponent(seat)
    fog = _Fog(state.players[enemy], enemy, state.rules, rnd, avoid=paths | besides, fixed=fixed)
    return _with(state, enemy, fog.pieces(), rnd)


class _Fog:
    """The enemy's pieces as they might be, by all that is known of them."""

    def __init__(
        self,
        player: Player,
        seat: SeatName,
        rules: Rules,
        rnd: random.Random,
        *,
        avoid: AbstractSet[str] = frozenset(),
        fixed: Sequence[Piece] = (),
    ) -> None:
        self.seat, self.rules, self.rnd, self.avoid, self.fixed = seat, rules, rnd, avoid, fixed
        others = [piece for piece in player.pieces if piece not in fixed]
        self.lost = [piece for piece in others if piece.loss and not piece.loss.rammed]
        self.met = [piece for piece in others if piece.loss is None and piece.known and not piece.transit]
        self.gone = [piece for piece in others if piece.transit and piece not in self.lost]
        self.pool = dict(numbers(rules.homes))
        for piece in [*fixed, *self.lost, *self.met, *(piece for piece in self.gone if piece.typed)]:
            self.pool[piece.kind] -= 1

    def pieces(self) -> tuple[Piece, ...]:
        """Return one of the possible fleets, with other names in another order."""
        made = [*self.lost, *self.met]
        made += [self._in_transit(piece) for piece in self.gone]
        made += self._rammed(made)
        made += self._at_home(made)
        return tuple(self._renamed(made))

    def _in_transit(self, piece: Piece) -> Piece:
        """Return a piece bound for any square, of any kind that it may be."""
        assert piece.known
        kinds = (
            [piece.kind]
            if piece.typed
            else [kind for kind in possible_kinds(piece, self.pool, self.rules) if self._ways(kind, piece.known)]
        )
        kind = self.rnd.choice(kinds)
        if not piece.typed:
            self.pool[kind] -= 1
        square = self.rnd.choice(self._ways(kind, piece.known))
        return dataclasses.replace(piece, kind=kind, square=square, loss=None)

    def _ways(self, kind: str, origin: str) -> list[str]:
        return [square for square in flights(self.rules.manner(kind), origin) if square not in self.avoid]

    def _rammed(self, made: list[Piece]) -> list[Piece]:
        """Return asteroids secretly rammed by ships in transit, as long as another fighter is certainly left."""
        asteroids = []
        ships = [piece for piece in made if piece.transit and piece.loss is None and piece.kind in FIGHTERS]
        spare = bool(self.fixed) or any(self.pool[kind] for kind in FIGHTERS)
        for ship in ships:
            if spare and self.pool[ASTEROID] and ship.known and self.rnd.random() < 0.3:
                loss = PieceLoss(self.rnd.choice(territory(self.seat)), self.rnd.randint(1, 9), rammed=True)
                made[made.index(ship)] = dataclasses.replace(ship, loss=loss, square=loss.square)
                self.pool[ASTEROID] -= 1
                asteroids.append(Piece("", ASTEROID, loss.square, loss=loss))
        return asteroids

    def _at_home(self, made: list[Piece]) -> Iterator[Piece]:
        """Yield all the others, anywhere in their half."""
        taken = {piece.square for piece in (*made, *self.fixed) if piece.loss is None}
        squares = [square for square in territory(self.seat) if square not in taken | self.avoid]
        for kind, places in _dispersed(self.pool, squares, self.rnd).items():
            yield from (Piece("", kind, square) for square in places)

    def _renamed(self, made: list[Piece]) -> list[Piece]:
        number = numbers(self.rules.homes)
        left = {kind: self.rnd.sample(names(kind, number[kind]), number[kind]) for kind in number}
        for piece in self.fixed:
            left[piece.kind].remove(piece.name)
        named = [dataclasses.replace(piece, name=left[piece.kind].pop()) for piece in made]
        return self.rnd.sample([*named, *self.fixed], sum(number.values()))
