"""Resolution of a turn, step by step (ruling 14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pbem.ruleset import Event, SeatName, TurnInput
from pbem_rules.common.negotiation import DuelTurn
from pbem_rules.singularity.events import result_words
from pbem_rules.singularity.orders import ORDERS, Place, written
from pbem_rules.singularity.replies import changed, following
from pbem_rules.singularity.state import SEATS, Player, Reply, Result, State, opponent


class Play(DuelTurn):
    """A turn in the making: the position and what is recorded of the seats, as the steps change them."""

    def __init__(self, state: State, turn: TurnInput) -> None:
        super().__init__(turn, SEATS, state.offer)
        self.state = state
        self.board = state.board()
        self.moves = list(state.moves)
        self.kept = {seat: list(state.players[seat].kept) for seat in SEATS}
        self.past: dict[SeatName, list[str]] = {seat: [] for seat in SEATS}
        self.misses = {seat: state.players[seat].misses for seat in SEATS}
        self.result: Result | None = None

    @property
    def mover(self) -> SeatName:
        """The seat to place the next stone."""
        return SEATS[len(self.moves) % 2]

    def end(self, how: str | Sequence[str], winner: SeatName | None = None) -> None:
        """End the game, in one or several ways at once; without a winner it is a draw."""
        self.result = Result((winner,) if winner else (), (how,) if isinstance(how, str) else tuple(how))
        winners, words = list(self.result.winners), result_words(self.result.winners, self.result.how)
        self.tell("ended", winners=winners, how=list(self.result.how), words=words)

    def put(self, cell: str) -> None:
        """Place the mover's stone on a free cell, which may end the game (rulings 3 and 4)."""
        seat, plan = self.mover, self.state.field
        colour, number = SEATS.index(seat), plan.cells[cell]
        won = self.board.place(colour, number)
        self.moves.append(cell)
        # Misses add up only with no stone placed in between (ruling 13).
        self.misses[seat] = 0
        self.tell("placed", who=seat, cell=cell, number=len(self.moves))
        if won:
            self.end(plan.ways(self.board.rim_of(colour, number)), seat)
        elif len(self.moves) == len(plan.axial) - 1:
            self.end("full")

    def is_free(self, cell: str) -> bool:
        """Return True if a stone may be placed on a cell."""
        return self.board.is_free(self.state.field.cells[cell])

    def holds(self, seat: SeatName, cell: str) -> bool:
        """Return True if a seat has a stone on a cell."""
        return self.board.colour(self.state.field.cells[cell]) == SEATS.index(seat)

    def finished(self) -> State:
        """Return the state the turn leaves behind; what is kept or pending ends with the game."""
        # As soon as the game is over all kept replies are gone (ruling 14).
        kept = self.kept if self.result is None else {seat: [] for seat in SEATS}
        return replace(
            self.state,
            moves=tuple(self.moves),
            players={seat: Player(tuple(kept[seat]), self.misses[seat]) for seat in SEATS},
            offer=self.offer if self.result is None else None,
            result=self.result,
        )


def resignations(play: Play) -> None:
    """End the game for players who resign, or were removed by the GM: they lose, or both draw (ruling 12)."""
    play.take_out()


def draws(play: Play) -> None:
    """Accept, decline and make offers of a draw; two offers agree (ruling 11)."""
    # A stone that is placed by a sheet declines the offer; a kept reply leaves it standing (ruling 11).
    play.settle_draw(frozenset({play.mover} if play.orders(play.mover, Place) else ()))


def keeping(play: Play) -> None:
    """Change the kept replies by IF and FORGET, before any stone is placed (ruling 7)."""
    for seat in SEATS:
        for order in play.turn.orders.get(seat, ()):
            play.kept[seat] = changed(play.kept[seat], order)


def placing(play: Play) -> None:
    """Place the stone of the seat on move; then kept replies answer, as long as one matches (rulings 2 and 6)."""
    mover = play.mover
    for order in play.orders(mover, Place)[:1]:
        if play.is_free(order.cell):
            play.put(order.cell)
            _answer(play)
        else:
            play.confide(mover, "refused", line=ORDERS.line(order), why=f"{order.cell} is not free")


def _answer(play: Play) -> None:
    used: dict[SeatName, list[str]] = {seat: [] for seat in SEATS}
    while play.result is None:
        seat, match = play.mover, _matching(play)
        _hold(play, seat, match)
        if match is None:
            break
        used[seat].append(written(match))
        play.put(match.reply)
    for seat, lines in used.items():
        if lines:
            play.confide(seat, "answered", lines=lines)


def _hold(play: Play, seat: SeatName, match: Reply | None) -> None:
    """Keep, after a stone of the opponent's, only the replies that go on from the reply that it brings (ruling 6)."""
    others = [kept for kept in play.kept[seat] if kept != match]
    play.kept[seat] = following(others, match.reply) if match else []
    play.past[seat] += [written(kept) for kept in others if kept not in play.kept[seat]]


def _matching(play: Play) -> Reply | None:
    """Return the first kept reply of the mover that answers the last stone, is awake and can be played (ruling 8)."""
    seat, last = play.mover, play.moves[-1]
    for kept in play.kept[seat]:
        if kept.when == last and (kept.after is None or play.holds(seat, kept.after)) and play.is_free(kept.reply):
            return kept
    return None


def lapsing(play: Play) -> None:
    """Drop replies kept for another stone, or that can no longer be used, and tell their owner (ruling 9)."""
    for seat in SEATS:
        if play.past[seat]:
            play.confide(seat, "past", lines=play.past[seat])
        gone = [written(kept) for kept in play.kept[seat] if not _usable(play, seat, kept)]
        play.kept[seat] = [kept for kept in play.kept[seat] if _usable(play, seat, kept)]
        if gone:
            play.confide(seat, "lapsed", lines=gone)


def _usable(play: Play, seat: SeatName, kept: Reply) -> bool:
    # Both cells of a reply must be free, and the opponent not hold the cell that it waits for (ruling 9).
    blocked = kept.after is not None and play.holds(opponent(seat), kept.after)
    return play.is_free(kept.when) and play.is_free(kept.reply) and not blocked


def deadlines(play: Play) -> None:
    """Count a missed deadline if the turn ends without the stone awaited; too many in a row lose (ruling 13)."""
    if len(play.moves) > len(play.state.moves):
        return
    seat, limit = play.mover, play.state.forfeit_after
    play.misses[seat] += 1
    play.tell("missed", who=seat, misses=play.misses[seat], limit=limit)
    if 0 < limit <= play.misses[seat]:
        play.tell("resigned", who=seat, how="forfeit")
        play.end("forfeit", opponent(seat))


STEPS: tuple[Callable[[Play], None], ...] = (resignations, draws, keeping, placing, lapsing, deadlines)
"""The steps of a turn, in this order, until the game is over (ruling 14)."""


def resolve(state: State, turn: TurnInput) -> tuple[State, tuple[Event, ...]]:
    """Return the state after a turn, and its events; a game that is over stays as it is."""
    if state.result is not None:
        return state, ()
    play = Play(state, turn)
    for step in STEPS:
        if play.result is None:
            step(play)
    return play.finished(), tuple(play.events)
