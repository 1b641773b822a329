"""The steps of a turn, in the order of the rulebook. A state is never changed, only followed by another."""

from collections.abc import Iterator
from dataclasses import replace

from pbem.ruleset import Dice, Event, SeatName, TurnInput

from mygame.orders import Hide, Search
from mygame.state import Player, State


def resolve(state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
    """Return the next state, and the events."""
    state = leave(state, turn)
    state = hide(state, turn)
    searched = list(search(state, turn, dice))
    state = score(state, searched)
    return replace(state, turn=state.turn + 1), (*hidden(turn), *searched)


def leave(state: State, turn: TurnInput) -> State:
    """Remove the seats that the GM has taken out, with their lanterns (rule 6)."""
    return _changed(state, {seat: replace(state.players[seat], playing=False) for seat in turn.removed})


def hide(state: State, turn: TurnInput) -> State:
    """Move all lanterns at once (rule 3)."""
    carried = {
        seat: replace(state.players[seat], cave=int(order.cave))
        for seat, sheet in turn.orders.items()
        for order in sheet
        if isinstance(order, Hide)
    }
    return _changed(state, carried)


def search(state: State, turn: TurnInput, dice: Dice) -> Iterator[Event]:
    """Yield the searches: the searcher is told what they found, and the owner by whom (rule 4)."""
    for seat in sorted(turn.orders):
        for order in turn.orders[seat]:
            if isinstance(order, Search):
                there = [other for other in state.playing - {seat} if state.players[other].cave == int(order.cave)]
                found = [other for other in sorted(there) if dice.chance(3, 4, "find", seat, other)]
                yield Event("searched", frozenset({seat}), {"cave": order.cave, "found": found})
                yield from (Event("found", frozenset({other}), {"by": seat, "cave": order.cave}) for other in found)


def score(state: State, searched: list[Event]) -> State:
    """Add a point for each lantern found."""
    points = dict.fromkeys(state.players, 0)
    for event in searched:
        if event.kind == "searched":
            (seat,) = event.audience
            points[seat] += len(event.data["found"])
    return _changed(
        state, {seat: replace(player, score=player.score + points[seat]) for seat, player in state.players.items()}
    )


def hidden(turn: TurnInput) -> Iterator[Event]:
    """Yield where each seat has hidden its lantern, for that seat alone."""
    for seat in sorted(turn.orders):
        for order in turn.orders[seat]:
            if isinstance(order, Hide):
                yield Event("hidden", frozenset({seat}), {"cave": order.cave})


def _changed(state: State, players: dict[SeatName, Player]) -> State:
    return replace(state, players={**state.players, **players})
