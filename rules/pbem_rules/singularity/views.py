"""Views of Singularity as plain JSON data: everything but the opponent's kept replies (ruling 5).

Cells are written as players write them ("d4"), stones are in the order placed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from pbem.ruleset import Event, SeatName, events_for
from pbem_rules.singularity.events import result_words
from pbem_rules.singularity.orders import written
from pbem_rules.singularity.state import SEATS, Reply, State


class StoneView(TypedDict):
    """A stone on the board; `number` counts the stones placed, from 1."""

    number: int
    who: SeatName
    cell: str


class ReplyView(TypedDict):
    """A kept reply of the reader's own; `line` is how it is written on a sheet."""

    when: str
    reply: str
    after: str | None
    line: str


class WinView(TypedDict):
    """A win on the board: the group, its perimeter stones that count (`ends`), and the perimeter path(s) between.

    `path` of a surrounded stone is the path that holds the black stone; of a Y, all other perimeter cells.
    """

    group: list[str]
    ends: list[str]
    path: list[str]


class ResultView(TypedDict):
    """The end of the game: no winners is a draw; `how` are keys of `events.ENDS`, `words` all of it in one line."""

    winners: list[SeatName]
    how: list[str]
    words: str


class SingularityView(TypedDict):
    """A seat's whole knowledge. Alike for both seats but for `seat`, `awaited`, `kept` and what `events` tells of it.

    `mover` is the seat to place the next stone, None when the game is over;
    `offer` the seat whose offer of a draw waits for an answer; `misses` the
    deadlines each seat has missed in a row; `latest` the cells of the stones
    placed since the last report, or else that of the last one.
    """

    seat: SeatName
    label: str
    over: bool
    awaited: bool
    events: list[dict[str, Any]]
    size: int
    forfeit_after: int
    black: str
    mover: SeatName | None
    moves: list[StoneView]
    latest: list[str]
    kept: list[ReplyView]
    offer: SeatName | None
    misses: dict[SeatName, int]
    win: WinView | None
    result: ResultView | None


def view_of(state: State, seat: SeatName, events: Sequence[Event]) -> SingularityView:
    """Return the view of a seat; `events` are all of the turn, of which it takes those that its seat may hear."""
    over = state.result is not None
    told = events_for(events, seat)
    fresh = [event["cell"] for event in told if event["kind"] == "placed"]
    return SingularityView(
        seat=seat,
        label=f"end, {len(state.moves)} stones" if over else f"move {len(state.moves) + 1}",
        over=over,
        awaited=not over and seat == state.mover,
        events=told,
        size=state.size,
        forfeit_after=state.forfeit_after,
        black=state.field.names[state.field.black],
        mover=None if over else state.mover,
        moves=[
            StoneView(number=number + 1, who=SEATS[number % 2], cell=cell) for number, cell in enumerate(state.moves)
        ],
        latest=fresh or list(state.moves[-1:]),
        # Kept replies are secret, and the only thing that is (ruling 5).
        kept=[_reply(line) for line in state.players[seat].kept],
        offer=state.offer,
        misses={each: state.players[each].misses for each in SEATS},
        win=_win(state),
        result=_result(state),
    )


def _reply(line: Reply) -> ReplyView:
    return ReplyView(when=line.when, reply=line.reply, after=line.after, line=written(line))


def _result(state: State) -> ResultView | None:
    if state.result is None:
        return None
    winners, how = list(state.result.winners), list(state.result.how)
    return ResultView(winners=winners, how=how, words=result_words(winners, how))


def _win(state: State) -> WinView | None:
    """Return the winning group of a game won on the board: that of the last stone."""
    if state.result is None or not {"surround", "y"} & set(state.result.how):
        return None
    board, plan = state.board(), state.field
    colour, last = (len(state.moves) - 1) % 2, plan.cells[state.moves[-1]]
    ends, path = plan.proof(board.rim_of(colour, last))
    return WinView(
        group=[plan.names[cell] for cell in board.group(colour, last)],
        ends=[plan.names[cell] for cell in ends],
        path=[plan.names[cell] for cell in path],
    )
