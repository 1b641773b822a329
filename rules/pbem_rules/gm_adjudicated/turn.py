"""Resolves a turn: the GM's decisions take effect, step by step (ruling 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from pbem.ruleset import Event, Roll, SeatName, TurnInput, count_rolls
from pbem_rules.gm_adjudicated.brackets import with_rolls
from pbem_rules.gm_adjudicated.events import private, public, rolled, words
from pbem_rules.gm_adjudicated.ledgers import Ledgers
from pbem_rules.gm_adjudicated.orders import ORDERS
from pbem_rules.gm_adjudicated.ruling import Ruling, Told
from pbem_rules.gm_adjudicated.state import Player, Result, State

Happened = tuple[State, tuple[Event, ...]]


def resolve(state: State, turn: TurnInput) -> Happened:
    """Return the state after a turn, and its events. A game that is over stays as it is."""
    if state.result is not None:
        return state, ()
    ruling = None if turn.ruling is None else Ruling.load(turn.ruling)
    # Ruling 6: who has left, the GM's words and changes, who is out, and then the next turn or the end.
    state, left = _leaving(_with_sheets(replace(state, ledgers=state.ledgers.opened), turn), turn)
    state, told = (state, (public(state, "unruled"),)) if ruling is None else _ruled(state, ruling, turn.rolls)
    state, ended = _closed(state, ruling or Ruling())
    return state, (*left, *told, *ended)


def _with_sheets(state: State, turn: TurnInput) -> State:
    """Store the lines of each seat's sheet for its next report."""
    lines = {seat: tuple(map(ORDERS.line, turn.orders.get(seat, ()))) for seat in state.players}
    return replace(state, players={seat: replace(player, sheet=lines[seat]) for seat, player in state.players.items()})


def _leaving(state: State, turn: TurnInput) -> Happened:
    """Take the seats out of the game that the host has removed."""
    gone = [seat for seat in state.playing if seat in turn.removed]
    return _without(state, gone), tuple(public(state, "left", who=seat) for seat in gone)


def _ruled(state: State, ruling: Ruling, rolls: Sequence[Roll]) -> Happened:
    """Apply a ruling: tell the GM's words, and change files, ledgers, scores and seats."""
    out = [seat for seat in state.playing if seat in ruling.out]
    ruling, shown = _with_rolls(ruling, rolls)
    events = (*_events(state, ruling), *_rolled(state, shown, rolls), *(public(state, "out", who=seat) for seat in out))
    players = {seat: _player(seat, player, ruling) for seat, player in state.players.items()}
    turns = state.turns if ruling.turns is None else ruling.turns
    shared, told, notes = ruling.all.after(state.shared), ruling.all.result, ruling.all.noted(state.notes)
    ledgers = reduce(Ledgers.changed, ruling.changes, state.ledgers)
    after = replace(state, players=players, shared=shared, told=told, notes=notes, turns=turns, ledgers=ledgers)
    return _without(after, out), events


def _events(state: State, ruling: Ruling) -> Iterator[Event]:
    if ruling.all.says:
        yield public(state, "public", **words(ruling.all.result, ruling.all.with_result))
    for seat in state.players:
        told = ruling.seats.get(seat, Told())
        if told.says:
            yield private(seat, **words(told.result, told.with_result))


def _with_rolls(ruling: Ruling, rolls: Sequence[Roll]) -> tuple[Ruling, Mapping[SeatName, tuple[Roll, ...]]]:
    """Return the ruling with its rolls filled in, and the rolls shown to each seat; under "" those shown to all."""
    public, open_ = with_rolls(ruling.all.result, rolls)
    seats = {seat: with_rolls(told.result, rolls) for seat, told in ruling.seats.items()}
    told = {seat: replace(ruling.seats[seat], result=text) for seat, (text, _) in seats.items()}
    # A roll that all are told of is not told to single seats again.
    shown = {"": open_} | {seat: tuple(each for each in own if each not in open_) for seat, (_, own) in seats.items()}
    return replace(ruling, all=replace(ruling.all, result=public), seats=told), shown


def _rolled(state: State, shown: Mapping[SeatName, tuple[Roll, ...]], rolls: Sequence[Roll]) -> Iterator[Event]:
    """Yield the rolls in the GM's words as events, so that readers know the campaign's own from mere words."""
    for seat in ("", *state.players):
        readers = frozenset({seat} if seat else state.players)
        yield from (rolled(readers, roll, count_rolls(rolls, roll.label)) for roll in shown.get(seat, ()))


def _player(seat: SeatName, player: Player, ruling: Ruling) -> Player:
    told, score = ruling.seats.get(seat, Told()), ruling.scores.get(seat, player.score)
    known, notes = told.after(player.known), told.noted(player.notes)
    return replace(player, known=known, score=score, told=told.result, notes=notes)


def _closed(state: State, ruling: Ruling) -> Happened:
    """Open the next turn, unless the game is over: by the GM, after its last turn, or without players (ruling 10)."""
    reason = ruling.over
    if not reason and state.turns and state.turn >= state.turns:
        reason = "the last turn has been played"
    if not reason and not state.playing:
        reason = "nobody is left in the game"
    state = replace(state, turn=state.turn + 1, name=ruling.name)
    if not reason:
        return state, ()
    result = Result(ruling.winners, reason)
    ended = public(state, "ended", winners=list(result.winners), reason=reason)
    return replace(state, result=result), (ended,)


def _without(state: State, seats: list[SeatName]) -> State:
    players = {seat: replace(each, playing=each.playing and seat not in seats) for seat, each in state.players.items()}
    return replace(state, players=players)
