"""Resolution of a turn, step by step, and its rehearsal without dice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile

from pbem.ruleset import Dice, Event, Order, SeatName, TurnInput
from pbem_rules.bubble_singularity.acting import acting
from pbem_rules.bubble_singularity.asking import answering, asking, conclude, return_all, withdraw_question
from pbem_rules.bubble_singularity.beginning import node_bubbles, starting
from pbem_rules.bubble_singularity.moving import moving
from pbem_rules.bubble_singularity.orders import Bubbles, Move, Resign
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.reacting import reacting
from pbem_rules.bubble_singularity.scoring import harvesting, scoring
from pbem_rules.bubble_singularity.state import State
from pbem_rules.bubble_singularity.uses import between, closing, opening

Step = Callable[[Play], None]

QUIET_ROUNDS = 2
"""Rounds without a move or a pop after which a game ends (ruling 24)."""


def passing_on(play: Play) -> None:
    """Pass the move to the next player, or end the game (ruling 24)."""
    how = how_it_ends(play)
    # If the game ends, open choices are made by list or default (ruling 35).
    if play.questions and not how:
        return
    if play.rich and not play.last_round:
        # All have the same number of turns after the marker that ends the game (ruling 24).
        first = play.rich[0]
        play.last_round = True
        play.tell("last-round", who=first, markers=play.table.players[first].markers)
    if play.seat in play.order:
        # A block holds for one turn (ruling 21).
        play.table.change(play.seat, blocked="")
    if how:
        conclude(play, how)
    else:
        later = _players_to_come(play)
        play.round += not later
        play.mover = (*later, *play.order)[0]
    play.wish = play.liking = ()


def how_it_ends(play: Play) -> str:
    """Return how the game ends once this turn is done, as a key of `ENDS`; "" if it goes on (rulings 24, 34 and 36)."""
    if play.quiet >= QUIET_ROUNDS * len(play.order):
        return "standstill"
    if 0 < play.table.rules.scoreless <= play.unscored:
        return "scoreless"
    if not play.in_last_round or _players_to_come(play):
        return ""
    return "markers" if play.last_round or play.rich else "rounds"


def _players_to_come(play: Play) -> list[SeatName]:
    """Return the players whose turns of this round are still to come."""
    at = play.state.order.index(play.seat)
    return [seat for seat in play.state.order[at + 1 :] if seat in play.order]


def counting(play: Play) -> None:
    """Count the turns in which nothing happens, for the ends by standstill and without a score (rulings 24 and 34)."""
    # To teleport is no move (ruling 24).
    stirred = play.pops or any(event.kind == "moved" for event in play.events)
    play.quiet = 0 if stirred else play.quiet + 1
    scored = any(event.data["points"] or event.data["markers"] for event in play.events if event.kind == "scored")
    play.unscored = 0 if scored else play.unscored + 1


MOVES: tuple[Step, ...] = (opening, moving, between, acting, closing, reacting, scoring)
"""The steps that the mover's sheet decides, without draws."""

STEPS: Mapping[str, tuple[Step, ...]] = {
    "setup": (starting,),
    "question": (answering, asking, passing_on),
    "turn": (*MOVES, counting, harvesting, asking, passing_on),
}
"""The steps of each phase, in order, until the game is over."""


def resolve(state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Return the state after a turn, and the events of it; a game that is over stays as it is."""
    if state.result is not None:
        return state, ()
    play = Play(state, turn.orders, dice)
    _leave(play, turn)
    _tell_missed(play, turn)
    _run(play, _steps(play))
    return play.finished(), tuple(play.events)


def rehearse(state: State, seat: SeatName, orders: tuple[Order, ...]) -> Play:
    """Play the sheet of the awaited seat without dice, up to the first draw, for receipts and bots."""
    play = Play(state, {seat: orders}, None)
    steps = {"turn": (*MOVES, counting), "question": (answering,), "setup": ()}[state.phase]
    _run(play, steps)
    return play


def rehearse_all(
    state: State, seat: SeatName, sheets: Iterable[tuple[Order, ...]]
) -> Iterator[tuple[tuple[Order, ...], Play]]:
    """Yield each sheet of a turn, in which abilities are used after the action alone, with its rehearsal.

    What sheets that begin with the same move share is played once.
    """
    begun: dict[tuple[Order, ...], Play] = {}
    for sheet in sheets:
        move = tuple(takewhile(lambda order: isinstance(order, Move | Bubbles), sheet))
        if move not in begun:
            begun[move] = Play(state, {seat: move}, None)
            _run(begun[move], MOVES[: MOVES.index(acting)])
        play = begun[move].branch(sheet)
        _run(play, (*MOVES[MOVES.index(acting) :], counting))
        yield sheet, play


def _run(play: Play, steps: Iterable[Step]) -> None:
    for step in steps:
        if play.result is None:
            step(play)


def _steps(play: Play) -> tuple[Step, ...]:
    if play.state.phase != "setup" and play.seat not in play.order:
        return (passing_on,)
    return STEPS[play.state.phase]


def _leave(play: Play, turn: TurnInput) -> None:
    """Take players who resigned or were removed out, before anything else; the last one left wins (ruling 31)."""
    leaving = {seat: "resigned" for seat, orders in turn.orders.items() if Resign() in orders}
    leaving |= dict.fromkeys(turn.removed, "removed")
    for seat in play.state.seats:
        if seat in leaving and not play.table.players[seat].out:
            return_all(play, seat)
            if play.state.phase == "setup":
                # During the set-up the bubbles for the nodes lie aside, neither in the bag nor on the board.
                play.table.bag += node_bubbles(play.state.rules, seat)
            play.order = [other for other in play.order if other != seat]
            play.tell("left", who=seat, how=leaving[seat])
    if play.state.question is not None and play.seat not in play.order:
        withdraw_question(play)
    if sum(not player.out for player in play.table.players.values()) < 2:
        conclude(play, "left")


def _tell_missed(play: Play, turn: TurnInput) -> None:
    for seat in play.state.seats:
        if seat in turn.missing and not play.table.players[seat].out and play.result is None:
            play.tell("missed", who=seat, what=play.state.phase)
