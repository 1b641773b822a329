"""How a campaign has gone so far, as tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from pbem.housekeeping.statistics import Came, SeatPlayed, SheetCame, Statistics, TurnTaken
from pbem.report.wording import briefly, columns, counted, wrapped
from pbem.store.states import Phase
from pbem.telling.door import Door

MOST_SEATS = 40
"""Seats in a table, those first that may drop out."""

ACROSS = 8
"""Seats that have a column each; of more, a turn's sheets are counted."""

MOST_TURNS = 30
"""The newest turns."""


def statistics_lines(statistics: Statistics, door: Door) -> Iterator[str]:
    """Seats, turns, scores, and who may drop out and why."""
    turns = statistics.turns
    played = sum(turn.resolved is not None for turn in turns)
    usual = f", usually {_span(statistics.hours)} each" if statistics.hours is not None else ""
    yield f"{statistics.campaign}: {statistics.title}, {counted(played, 'turn')} played{usual}"
    seats = sorted(statistics.seats, key=lambda seat: not seat.fading)[:MOST_SEATS]
    yield from _seats(statistics, seats)
    if turns:
        yield ""
        yield from _turns(statistics)
    if any(turn.scores for turn in turns):
        yield ""
        yield from _scores(statistics)
    yield ""
    yield from _fading(statistics)
    if len(statistics.seats) > MOST_SEATS or len(turns) > MOST_TURNS:
        every = f"All seats and turns are in: pbem stats {statistics.campaign} --json"
        yield door.either(every, f"{every} (at the machine)")


def _seats(statistics: Statistics, seats: Sequence[SeatPlayed]) -> Iterator[str]:
    rows = [
        (
            seat.seat,
            seat.in_time,
            seat.late,
            seat.missed,
            "-" if seat.hours is None else _before(seat.hours),
            _ago(statistics.now, seat.last_word),
        )
        for seat in seats
    ]
    table = columns(rows, "seat", "in time", "late", "missed", "usually comes", "last word")
    yield from (f"  {line}" for line in table.splitlines())


def _turns(statistics: Statistics) -> Iterator[str]:
    turns = statistics.turns[-MOST_TURNS:]
    seats = [seat.seat for seat in statistics.seats]
    if len(seats) <= ACROSS:
        yield "Hours before the deadline that the first sheet came; late ones have a minus:"
        rows = [(*_turn(turn, statistics), *(_cell(turn.sheets.get(seat)) for seat in seats)) for turn in turns]
        table = columns(rows, "turn", "opened", "took", *seats)
    else:
        yield "Sheets that came in time, late, and did not come:"
        kinds = (Came.IN_TIME, Came.LATE, Came.MISSED)
        rows = [(*_turn(turn, statistics), *(_count(turn, came) for came in kinds)) for turn in turns]
        table = columns(rows, "turn", "opened", "took", *kinds)
    yield from (f"  {line}" for line in table.splitlines())


def _turn(turn: TurnTaken, statistics: Statistics) -> tuple[int, str, str]:
    last = "the end" if statistics.status == Phase.OVER else "open"
    return turn.turn, briefly(turn.opened, statistics.zone), last if turn.hours is None else _span(turn.hours)


def _count(turn: TurnTaken, came: Came) -> int:
    return sum(sheet.came == came for sheet in turn.sheets.values())


def _cell(sheet: SheetCame | None) -> str:
    if sheet is None:
        return "."
    if sheet.hours is None:
        return str(sheet.came)
    return f"{sheet.hours:.0f}" if abs(sheet.hours) >= 1 else f"{sheet.hours:.1f}"


def _scores(statistics: Statistics) -> Iterator[str]:
    """The scores with which turns opened, of those seats that have most now."""
    turns = statistics.turns[-MOST_TURNS:]
    best = sorted(turns[-1].scores, key=lambda seat: -turns[-1].scores[seat])[:ACROSS]
    yield "Scores as each turn opened, which players may not know:"
    rows = [(turn.turn, *(turn.scores.get(seat, "") for seat in best)) for turn in turns]
    yield from (f"  {line}" for line in columns(rows, "turn", *best).splitlines())


def _fading(statistics: Statistics) -> Iterator[str]:
    fading = [seat for seat in statistics.seats if seat.fading]
    if not fading:
        yield "Nobody seems about to drop out."
        return
    yield "May drop out:"
    for seat in fading[:MOST_SEATS]:
        why = ", ".join(seat.fading)
        yield "  " + wrapped(f"{seat.seat} ({seat.address}): {why}", "    ")
    if len(fading) > MOST_SEATS:
        yield f"  and {len(fading) - MOST_SEATS} more"


def _before(hours: float) -> str:
    return f"{_span(abs(hours))} {'before' if hours >= 0 else 'late'}"


def _span(hours: float) -> str:
    """Hours, or days of so many."""
    if hours < 48:
        return f"{hours:.0f} h" if hours >= 1 else f"{60 * hours:.0f} min"
    return f"{hours / 24:.1f} days"


def _ago(now: dt.datetime, at: dt.datetime | None) -> str:
    """How long ago; a clock that was behind makes nothing lie ahead."""
    return "never" if at is None else f"{_span(max(0.0, (now - at) / dt.timedelta(hours=1)))} ago"
