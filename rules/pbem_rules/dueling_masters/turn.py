"""Resolution of a turn, step by step (ruling 18)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from pbem.ruleset import Dice, Event, FieldError, SeatName, TurnInput
from pbem_rules.common.negotiation import DuelTurn
from pbem_rules.dueling_masters.board import colour
from pbem_rules.dueling_masters.events import result_words
from pbem_rules.dueling_masters.judging import Judgement, Meeting, Named
from pbem_rules.dueling_masters.kinds import ASTEROID, FIGHTERS, HOME, Y, dies
from pbem_rules.dueling_masters.moves import Fleet
from pbem_rules.dueling_masters.orders import ORDERS, Move, Setup
from pbem_rules.dueling_masters.placement import arranged, check_placement, lacking, pieces_of, placed_of
from pbem_rules.dueling_masters.state import SEATS, Piece, PieceLoss, Player, Result, Rules, State, opponent


class Play(DuelTurn):
    """A turn while it is resolved, as the steps change it."""

    def __init__(self, state: State, turn: TurnInput, dice: Dice) -> None:
        super().__init__(turn, SEATS, state.offer)
        self.state, self.dice = state, dice
        self.rules: Rules = state.rules
        self.pieces = {Named(seat, piece.name): piece for seat in SEATS for piece in state.players[seat].pieces}
        self.misses = {seat: state.players[seat].misses for seat in SEATS}
        self.scouted = {seat: dict(state.players[seat].scouted) for seat in SEATS}
        self.move, self.mover = state.move, state.mover
        self.asked_again = state.asked_again
        self.result: Result | None = None

    def end(self, how: str, winner: SeatName | None = None) -> None:
        """End the game; without a winner it is a draw."""
        self.result = Result((winner,) if winner else (), how)
        winners = list(self.result.winners)
        self.tell("ended", winners=winners, how=how, words=result_words(winners, how))

    def of(self, seat: SeatName) -> list[Piece]:
        """Return a seat's pieces, lost ones included."""
        return [piece for named, piece in self.pieces.items() if named.seat == seat]

    def alive(self, seat: SeatName) -> list[Piece]:
        """Return a seat's pieces that are not lost."""
        return [piece for piece in self.of(seat) if piece.loss is None]

    def fleet(self, seat: SeatName) -> Fleet:
        """Return a seat's pieces on its own board."""
        return Fleet.of_pieces(self.alive(seat), home_moves=self.rules.home_moves)

    def change(self, named: Named, **fields: Any) -> Piece:
        """Replace fields of a piece, and return it."""
        self.pieces[named] = replace(self.pieces[named], **fields)
        return self.pieces[named]

    def mark(self, seat: SeatName, piece: Piece) -> int:
        """Return the number of a seat's piece on the opponent's board: the one it has, or the next."""
        return piece.mark or 1 + max(each.mark for each in self.of(seat))

    def pass_on(self) -> None:
        """Pass the move to the other player."""
        self.move += 1
        self.mover = opponent(self.mover)

    def finished(self) -> State:
        """Return the state after the turn."""
        return State(
            rules=self.rules,
            players={seat: Player(tuple(self.of(seat)), self.misses[seat], self.scouted[seat]) for seat in SEATS},
            move=self.move,
            mover=self.mover,
            offer=self.offer if self.result is None else None,
            result=self.result,
            asked_again=self.asked_again,
        )


def resignations(play: Play) -> None:
    """Let players who resign, or were removed by the GM, lose; if both do, the game is drawn (ruling 17)."""
    play.take_out()


def draws(play: Play) -> None:
    """Accept, decline and make offers of a draw; two offers agree (ruling 16)."""
    moved = bool(play.move and play.orders(play.mover, Move))
    # An offer of the player to move goes with the move (ruling 20).
    held = play.move and not moved
    # To move instead of answering declines an offer (ruling 16).
    play.settle_draw(frozenset({play.mover} if moved else ()), held=play.mover if held else None)


def setting_up(play: Play) -> None:
    """Place pieces where the sheets say, before the first move (rulings 1 and 11)."""
    if play.move:
        return
    for seat in SEATS:
        orders = play.orders(seat, Setup)
        if orders:
            _set_up(play, seat, orders)


def _set_up(play: Play, seat: SeatName, orders: list[Setup]) -> None:
    named = {order.kind for order in orders}
    # A new line takes the place of the old one; if it is refused, the old one stands (ruling 11).
    placed = {kind: squares for kind, squares in placed_of(play.of(seat)).items() if kind not in named}
    for order in orders:
        try:
            check_placement(placed, order.kind, order.squares, seat=seat, homes=play.rules.homes)
        except FieldError as refused:
            play.confide(seat, "refused", line=ORDERS.line(order), why=refused.text)
        else:
            placed[order.kind] = order.squares
    _place(play, seat, placed)
    missing = lacking(placed)
    if not missing:
        play.misses[seat] = 0
    play.confide(seat, "placed", lines=_lines(placed), lacking=missing)


def _place(play: Play, seat: SeatName, placed: dict[str, tuple[str, ...]]) -> None:
    others = {named: piece for named, piece in play.pieces.items() if named.seat != seat}
    own = {Named(seat, piece.name): piece for piece in pieces_of(placed, play.rules.homes)}
    play.pieces = own | others


def _lines(placed: dict[str, tuple[str, ...]]) -> list[str]:
    return [ORDERS.line(Setup(kind, squares)) for kind, squares in placed.items()]


def moving(play: Play) -> None:
    """Announce the piece ordered, judge it if it is in transit, and let it depart if it lives (rulings 4 to 6)."""
    mover = play.mover
    for order in play.orders(mover, Move)[:1] if play.move else ():
        named = Named(mover, order.piece)
        try:
            _fit(play, named, order)
        except FieldError as refused:
            play.confide(mover, "refused", line=ORDERS.line(order), why=refused.text)
            return
        # A move ends the count of missed deadlines (ruling 12).
        play.misses[mover] = 0
        announcing(play, named)
        judging(play, named)
        if play.result is None:
            _go_on(play, named, order)
            play.pass_on()


def _fit(play: Play, named: Named, order: Move) -> None:
    piece = play.pieces.get(named)
    if piece is None or piece.loss:
        raise FieldError("no-such-piece", f"there is no {order.piece} any more")
    play.fleet(named.seat).check(order.piece, order.square, ram=order.ram)


def announcing(play: Play, named: Named) -> None:
    """Tell the opponent which piece departs from which square, and not where to (ruling 4)."""
    seat, piece = named.seat, play.pieces[named]
    mark, kind = play.mark(seat, piece), {} if play.rules.blind else {"type": piece.kind}
    play.confide(opponent(seat), "departed", who=seat, square=piece.square, mark=mark, before=piece.known, **kind)
    play.change(named, mark=mark, typed=piece.typed or not play.rules.blind)


def _go_on(play: Play, named: Named, order: Move) -> None:
    """Carry out the order after the judgement (ruling 6)."""
    if play.pieces[named].loss:
        play.tell("spent", who=named.seat, type=play.pieces[named].kind)
        return
    departing(play, named, order)


def judging(play: Play, named: Named) -> None:
    """Judge a piece's pending path and all that depends on it; tell both players of every meeting (rulings 5 and 7)."""
    judgement = Judgement(play.rules, {each: piece for each, piece in play.pieces.items() if piece.loss is None})
    judgement.judge(named)
    lost = judgement.lost()
    # What was judged stands at its destination and is in transit no more (ruling 14).
    for each, squares in judgement.flown.items():
        play.scouted[each.seat] |= dict.fromkeys(squares, play.move)
        play.change(each, transit=False)
    _reveal(play, judgement.meetings, set(lost))
    for seat in SEATS:
        # The order in which meetings were found would reveal paths.
        play.events += sorted((_collision(play, seat, meeting) for meeting in judgement.meetings), key=_by_square)
    for each, square in lost.items():
        play.change(each, loss=PieceLoss(square, play.move))
    _end_without_home(play)


def _reveal(play: Play, meetings: Iterable[Meeting], lost: set[Named]) -> None:
    """Mark pieces that were met and survive on the opponent's board, with their kinds (ruling 13).

    A piece met where it stands now is known to stand there; one met only on
    its way keeps its mark where it departed from, until it departs again.
    """
    met = [(meeting.square, each) for meeting in meetings for each in meeting.pieces if each not in lost]
    for square, each in sorted(met, key=lambda at: (at[0], at[1].seat, play.pieces[at[1]].kind, at[1].name)):
        piece = play.pieces[each]
        course = _heard_on(piece, square) if square == piece.square else piece.course
        play.change(each, typed=True, course=course, mark=play.mark(each.seat, piece))


def _heard_on(piece: Piece, square: str) -> tuple[str, ...]:
    """Return the course of a piece that the opponent hears of on a square."""
    return piece.course if square == piece.known else (*piece.course, square)


def _collision(play: Play, seat: SeatName, meeting: Meeting) -> Event:
    """Return the event of a meeting for one of the two players."""
    own, enemy = (play.pieces[each] for each in sorted(meeting.pieces, key=lambda each: each.seat != seat))
    data = {
        "square": meeting.square,
        "own": {"piece": own.name, "type": own.kind, "lost": dies(own.kind, enemy.kind)},
        "enemy": {"mark": enemy.mark, "type": enemy.kind, "lost": dies(enemy.kind, own.kind)},
    }
    return Event("collision", frozenset({seat}), data)


def _by_square(event: Event) -> tuple[str, str, str, int]:
    """Return a sort key of meetings that reveals nothing of the order in which they were found."""
    own, enemy = event.data["own"], event.data["enemy"]
    return event.data["square"], own["piece"], enemy["type"], enemy["mark"]


def _end_without_home(play: Play) -> None:
    """End the game if a player's last home planet is destroyed; if both are, it is drawn (rulings 8 and 9)."""
    without = [seat for seat in SEATS if not _homes(play, seat)]
    if len(without) == len(SEATS):
        play.end("both-destroyed")
    elif without:
        play.end("destroyed", opponent(without[0]))


def departing(play: Play, named: Named, order: Move) -> None:
    """Let a piece depart for another square, or for an asteroid that it rams (ruling 3)."""
    seat, piece = named.seat, play.pieces[named]
    fleet = play.fleet(seat)
    # A ship that rams flies up to the first own asteroid on its path (ruling 3).
    asteroid = fleet.first(ASTEROID, fleet.flights(fleet.pieces[piece.name])[order.square]) if order.ram else None
    play.change(named, square=asteroid or order.square, course=_heard_on(piece, piece.square), transit=True)
    if asteroid is None:
        play.confide(seat, "moved", piece=piece.name, origin=piece.square, square=order.square)
        return
    play.confide(seat, "rammed", piece=piece.name, origin=piece.square, square=asteroid)
    rammed = next(each for each in play.alive(seat) if each.kind == ASTEROID and each.square == asteroid)
    for gone in (named, Named(seat, rammed.name)):
        play.change(gone, loss=PieceLoss(asteroid, play.move, rammed=True))


def deadlines(play: Play) -> None:
    """Count missed deadlines: dice finish a set-up, a move is passed, too many in a row lose (rulings 1 and 12)."""
    limit = play.rules.forfeit_after
    for seat in SEATS:
        stage = _missed(play, seat)
        if stage and play.result is None:
            play.misses[seat] += 1
            play.tell("missed", who=seat, misses=play.misses[seat], limit=limit, stage=stage)
            if 0 < limit <= play.misses[seat]:
                play.tell("resigned", who=seat, how="forfeit")
                play.end("forfeit", opponent(seat))
            elif not play.state.move:
                _arrange(play, seat)
            elif seat == play.mover:
                play.pass_on()


def _missed(play: Play, seat: SeatName) -> str:
    """Return the stage at which a seat missed its deadline; "" if it did not.

    It did if no sheet came, if it was to move and did not, or if its set-up is incomplete for the second time.
    """
    if seat in play.turn.missing:
        return "move" if play.state.move else "set-up"
    # Else offers of a draw, deadline after deadline, would hold the game up for ever (ruling 20).
    if play.state.move and seat == play.state.mover:
        return "no-move" if play.move == play.state.move else ""
    # Else one line at a time would put the game off for ever.
    if play.state.set_up_round == 2 and lacking(placed_of(play.of(seat))):
        return "incomplete"
    return ""


def _arrange(play: Play, seat: SeatName) -> None:
    before = placed_of(play.of(seat))
    placed = arranged(before, seat=seat, homes=play.rules.homes, dice=play.dice)
    _place(play, seat, placed)
    play.confide(seat, "arranged", lines=_lines({kind: placed[kind] for kind in lacking(before)}))


def beginning(play: Play) -> None:
    """Begin play when both set-ups are complete, else ask again for those that are not (ruling 11)."""
    if play.move:
        return
    waiting = [seat for seat in SEATS if lacking(placed_of(play.of(seat)))]
    play.asked_again = bool(waiting)
    if waiting:
        play.tell("waiting", who=waiting)
        return
    play.move = 1
    play.tell("begun", mover=play.mover)


def stalemates(play: Play) -> None:
    """Draw a game that cannot be won any more, and pass over a player without a move (rulings 8 and 15)."""
    if not play.move:
        return
    stuck = [seat for seat in SEATS if not play.fleet(seat).movable()]
    if not any(_may_win(play, seat) for seat in SEATS):
        play.end("out-of-reach")
    elif len(stuck) == len(SEATS):
        play.end("no-moves")
    elif play.mover in stuck:
        play.tell("skipped", who=play.mover)
        play.mover = opponent(play.mover)


def _may_win(play: Play, seat: SeatName) -> bool:
    """Return True if a seat has a piece that could ever reach a home planet of the other, and win by that.

    Y fighters stay on squares of one colour; other own pieces are not thought
    to be in the way for ever. Home planets that move destroy each other one for
    one, so that they can win only for the side that has more of them (ruling 8).
    """
    own, other = _homes(play, seat), _homes(play, opponent(seat))
    if play.rules.home_moves and len(own) > len(other):
        return True
    # A bishop never changes the colour of its squares.
    colours = {colour(home.square) for home in other}
    fighters = [piece for piece in play.alive(seat) if piece.kind in FIGHTERS]
    return any(piece.kind != Y or play.rules.home_moves or colour(piece.square) in colours for piece in fighters)


def quiet(play: Play) -> None:
    """Draw a game in which nothing was destroyed for as many turns of each player as is allowed (ruling 24)."""
    if 0 < 2 * play.rules.quiet_turns <= play.finished().quiet:
        play.end("quiet")


def _homes(play: Play, seat: SeatName) -> list[Piece]:
    return [piece for piece in play.alive(seat) if piece.kind == HOME]


STEPS: tuple[Callable[[Play], None], ...] = (
    resignations,
    draws,
    setting_up,
    moving,
    deadlines,
    beginning,
    stalemates,
    quiet,
)
"""The steps of a turn, in order, until the game is over (ruling 18)."""


def resolve(state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Return the state after a turn, and the events of it; a game that is over stays as it is."""
    if state.result is not None:
        return state, ()
    play = Play(state, turn, dice)
    for step in STEPS:
        if play.result is None:
            step(play)
    return play.finished(), tuple(play.events)
