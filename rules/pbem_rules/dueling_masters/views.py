"""Views: what a player of Dueling Masters may know, as plain JSON data.

The reader's own pieces stand where their owner believes them to be: whether a piece in transit
has arrived is decided by its judgement and not before, so nothing here looks
at both players' pieces at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypedDict

from pbem.ruleset import Event, SeatName, events_for
from pbem_rules.dueling_masters.board import SQUARES, territory
from pbem_rules.dueling_masters.deductions import crossed, in_reach, possible_kinds
from pbem_rules.dueling_masters.events import result_words
from pbem_rules.dueling_masters.kinds import KINDS, numbers
from pbem_rules.dueling_masters.state import SEATS, Piece, Player, Rules, State, opponent


class OwnView(TypedDict):
    """A piece of the reader, as they believe it to be.

    `square` is where it stands or is bound for. A piece in `transit` has
    departed from `origin` and flies along `path`, the destination last.
    `known` is where the opponent's board shows it (None: not at all);
    `typed` is True if the opponent knows its kind.
    """

    name: str
    kind: str
    square: str
    transit: bool
    origin: str | None
    path: list[str]
    known: str | None
    typed: bool


class LostView(TypedDict):
    """A piece that the reader knows to be lost; `rammed` is True if it met an own asteroid."""

    name: str
    kind: str
    square: str
    move: int
    rammed: bool


class MarkView(TypedDict):
    """An enemy piece on the reader's board.

    It stands on `square` if it was met there (`standing`), else that is the
    square it last departed from. `kind` is None while it is not known, and
    `kinds` are those it may be. `course` holds the squares it was heard on, one
    flight after the other. `reach` are the squares it may be bound for, `meets` the
    squares of own pieces that it may meet on the way there.
    """

    mark: int
    square: str
    standing: bool
    kind: str | None
    kinds: list[str]
    course: list[str]
    reach: list[str]
    meets: list[str]


class EnemyLossView(TypedDict):
    """An enemy piece that a judgement destroyed."""

    kind: str
    square: str
    move: int


class LeftView(TypedDict):
    """The number of pieces of a kind that the enemy has left, as far as the reader knows."""

    kind: str
    number: int


class DisclosedView(TypedDict):
    """An enemy piece as it truly was at the end; `fate` is "stood", "in transit", "destroyed" or "rammed"."""

    name: str
    kind: str
    square: str
    fate: str


class ResultView(TypedDict):
    """The result: no winners is a draw; `how` is a key of `events.ENDS`, `words` all of it in one line."""

    winners: list[SeatName]
    how: str
    words: str


class DuelView(TypedDict):
    """The view of a seat.

    `stage` is "set-up", "play" or "over". `move` counts the moves, 0 during
    set-up; `mover` is the player to move, or during set-up the one who will move first (None at
    the end). `set_up_round` is 1 or 2 for the first or second deadline of the set-up, when
    dice complete it, and 0 in play. With `blind`, departures name squares alone.
    `quiet` moves in a row have destroyed nothing; twice `quiet_turns` are a draw, if that is not 0. `ready` is True for
    seats with a complete set-up. `scouted` maps squares on judged paths of the reader to the move in
    which they were last looked at. `crossed` are the squares of the enemy's half that its flights are
    known to have gone over. `latest` are the squares the opponent departed from since the last report.
    `disclosed` is empty until the game is over.
    """

    seat: SeatName
    label: str
    over: bool
    awaited: bool
    events: list[dict[str, Any]]
    stage: str
    move: int
    mover: SeatName | None
    set_up_round: int
    ready: dict[SeatName, bool]
    homes: int
    home_moves: bool
    reached: bool
    forfeit_after: int
    blind: bool
    quiet: int
    quiet_turns: int
    own: list[OwnView]
    own_lost: list[LostView]
    enemy: list[MarkView]
    enemy_lost: list[EnemyLossView]
    enemy_left: list[LeftView]
    scouted: dict[str, int]
    crossed: list[str]
    latest: list[str]
    offer: SeatName | None
    misses: dict[SeatName, int]
    result: ResultView | None
    disclosed: list[DisclosedView]


def view_of(state: State, seat: SeatName, events: Sequence[Event]) -> DuelView:
    """Return the view of a seat; of the turn's `events` it takes those that the seat may know."""
    own, enemy = state.players[seat], state.players[opponent(seat)]
    lost = _enemy_lost(enemy)
    told = events_for(events, seat)
    return DuelView(
        seat=seat,
        label=_label(state),
        over=state.result is not None,
        awaited=seat in state.awaited,
        events=told,
        stage=_stage(state),
        move=state.move,
        mover=state.mover if state.result is None else None,
        set_up_round=state.set_up_round,
        ready={each: state.is_placed(each) for each in SEATS},
        homes=state.rules.homes,
        home_moves=state.rules.home_moves,
        reached=state.rules.reached,
        forfeit_after=state.rules.forfeit_after,
        blind=state.rules.blind,
        quiet=state.quiet,
        quiet_turns=state.rules.quiet_turns,
        own=[_own(state, piece) for piece in own.alive],
        own_lost=_own_lost(own),
        enemy=_marks(state, own, enemy, lost),
        enemy_lost=lost,
        enemy_left=_pieces_left(state, lost),
        scouted=dict(own.scouted),
        crossed=crossed(enemy.pieces, territory(opponent(seat))),
        latest=[event["square"] for event in told if event["kind"] == "departed"],
        offer=state.offer,
        misses={each: state.players[each].misses for each in SEATS},
        result=_result(state),
        # Both players are shown all pieces when the game is over (ruling 18).
        disclosed=_disclosed(enemy) if state.result is not None else [],
    )


def _stage(state: State) -> str:
    if state.result is not None:
        return "over"
    return "play" if state.move else "set-up"


def _label(state: State) -> str:
    if state.result is not None:
        return f"end, {state.move} moves" if state.move else "end, during set-up"
    return f"move {state.move}" if state.move else "set-up"


def _own(state: State, piece: Piece) -> OwnView:
    return OwnView(
        name=piece.name,
        kind=piece.kind,
        square=piece.square,
        transit=piece.transit,
        # A departure is announced, so the opponent's board has the square departed from.
        origin=piece.known if piece.transit else None,
        path=list(state.rules.path(piece)),
        known=piece.known,
        typed=piece.typed,
    )


def _own_lost(player: Player) -> list[LostView]:
    return [
        LostView(
            name=piece.name,
            kind=piece.kind,
            square=piece.loss.square,
            move=piece.loss.move,
            rammed=piece.loss.rammed,
        )
        for piece in player.pieces
        if piece.loss
    ]


def _marks(state: State, own: Player, enemy: Player, lost: Sequence[EnemyLossView]) -> list[MarkView]:
    """Return the marks of enemy pieces on a player's board, with those that secretly rammed asteroids (ruling 13)."""
    # The mark of a ship that rammed stays: of ramming only its owner knows (rulings 10 and 13).
    marked = [piece for piece in enemy.pieces if piece.mark and (piece.loss is None or piece.loss.rammed)]
    unknown = {left["kind"]: left["number"] for left in _pieces_left(state, lost)}
    for piece in marked:
        if piece.typed:
            # A kind of which all pieces are known is not among the possible ones of another.
            unknown[piece.kind] -= 1
    mine = {piece.square for piece in own.alive}
    return [_mark(state.rules, piece, unknown, mine) for piece in sorted(marked, key=lambda piece: piece.mark)]


def _mark(rules: Rules, piece: Piece, unknown: Mapping[str, int], mine: AbstractSet[str]) -> MarkView:
    kinds = possible_kinds(piece, unknown, rules)
    reach = in_reach(piece.course[-1], kinds, rules) if piece.transit else {}
    over = {square for path in reach.values() for square in path}
    return MarkView(
        mark=piece.mark,
        square=piece.course[-1],
        standing=not piece.transit,
        kind=piece.kind if piece.typed else None,
        kinds=kinds,
        course=list(piece.course),
        reach=list(reach),
        meets=[square for square in SQUARES if square in mine & over],
    )


def _enemy_lost(player: Player) -> list[EnemyLossView]:
    """Return a player's losses that the other knows of, in the order known."""
    lost = [
        EnemyLossView(kind=piece.kind, square=piece.loss.square, move=piece.loss.move)
        for piece in player.pieces
        if piece.loss and not piece.loss.rammed
    ]
    return sorted(lost, key=lambda loss: (loss["move"], loss["square"], KINDS.index(loss["kind"])))


def _pieces_left(state: State, lost: Sequence[EnemyLossView]) -> list[LeftView]:
    gone = [loss["kind"] for loss in lost]
    left = {kind: number - gone.count(kind) for kind, number in numbers(state.rules.homes).items()}
    return [LeftView(kind=kind, number=number) for kind, number in left.items() if number]


def _result(state: State) -> ResultView | None:
    if state.result is None:
        return None
    winners, how = list(state.result.winners), state.result.how
    return ResultView(winners=winners, how=how, words=result_words(winners, how))


def _disclosed(player: Player) -> list[DisclosedView]:
    return [
        DisclosedView(
            name=piece.name,
            kind=piece.kind,
            square=piece.loss.square if piece.loss else piece.square,
            fate=_fate(piece),
        )
        for piece in player.pieces
    ]


def _fate(piece: Piece) -> str:
    if piece.loss:
        return "rammed" if piece.loss.rammed else "destroyed"
    return "in transit" if piece.transit else "stood"
