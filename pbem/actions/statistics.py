"""Statistics of a campaign for its GM: sheets, length of turns, scores, fading players."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from pbem.actions.base import Channel, Query
from pbem.campaign.snapshot import CampaignSnapshot, Context, SeatView, is_current
from pbem.report.plot import END, INK, PALE, PAPER, ChartFrame, score_lines
from pbem.ruleset.drawing import Background, Drawing, Label, Mark, Picture
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import SeatName, View
from pbem.store.models import InboxMessage, OrderSheet, Person, Report, Seat, Turn
from pbem.store.types import CampaignState
from pbem.text import count_noun, format_table, format_time_short, wrap

LATELY = 3
"""The number of last awaited turns by which it is judged whether a player still plays."""

TOO_MANY = 2
"""The number of missed ones among those from which a player counts as fading."""

SILENT = dt.timedelta(days=7)
"""A player who is silent for so long, and for two turns of the usual length, counts as fading."""

_HOUR = dt.timedelta(hours=1)

MOST_SEATS = 40
"""The most seats in a table, fading ones first."""

ACROSS = 8
"""The most seats with a column each; with more, a turn's sheets are counted."""

MOST_TURNS_LISTED = 30
"""The most turns in a table; the newest are listed."""


class SheetTiming(StrEnum):
    """The punctuality of a sheet; one that is still pending was not missed yet."""

    ON_TIME = "on_time"
    LATE = "late"
    MISSED = "missed"
    PENDING = "pending"

    @property
    def words(self) -> str:
        return "on time" if self is SheetTiming.ON_TIME else str(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetCame:
    """A seat's sheet for a turn. `at` is the time of the first one accepted, `hours` the hours left to the deadline.

    `hours` is negative after the deadline, and None where there was no deadline or no sheet.
    """

    came: SheetTiming
    at: dt.datetime | None = None
    hours: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTaken:
    """A turn: the times when it opened, was due and was run (None: it is open), its length in hours, and its sheets.

    `sheets` has the seats that were awaited or sent one. `scores` are those with which it opened.
    """

    turn: int
    opened: dt.datetime
    deadline: dt.datetime | None
    resolved: dt.datetime | None
    hours: float | None
    sheets: Mapping[SeatName, SheetCame]
    scores: Mapping[SeatName, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlayed:
    """A seat: its sheets, counted; the median of `hours` before the deadline; the time of its player's last message.

    `fading` are the reasons to expect that the player drops out; usually there are none.
    """

    seat: SeatName
    address: str
    in_time: int
    late: int
    missed: int
    hours: float | None
    last_word: dt.datetime | None
    fading: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """A campaign until `now`: its turns in their order, its seats, and the median length of a turn in `hours`.

    `public`: its players know the scores.
    """

    campaign: str
    title: str
    status: CampaignState
    zone: str
    now: dt.datetime
    hours: float | None
    turns: tuple[TurnTaken, ...]
    seats: tuple[SeatPlayed, ...]
    public: bool


@dataclass(frozen=True, slots=True)
class ShowStatistics(Query[Statistics]):
    """See whose sheets came when, how long turns took, scores, and who may drop out; with a picture."""

    def look(self, context: Context) -> Statistics:
        """Return the statistics; a campaign that has not started has no turns."""
        snapshot, ruleset = context.snapshot, context.app.game(context.snapshot.game)
        turns = tuple(_load_turns(context.session, snapshot, ruleset))
        usual = _median([turn.hours for turn in turns])
        words, since = _load_last_words(context.session, snapshot), _load_first_known(context.session, snapshot)
        return Statistics(
            campaign=snapshot.name,
            title=ruleset.title,
            status=snapshot.status,
            zone=snapshot.schedule.zone,
            now=context.now,
            hours=usual,
            turns=turns,
            seats=tuple(
                _build_seat(context, place, turns, words.get(place.id), since.get(place.id), usual)
                for place in snapshot.places
            ),
            public=bool(turns) and _are_public(context.session, snapshot, ruleset, turns[-1]),
        )

    def render(self, facts: Statistics, channel: Channel) -> Iterator[str]:
        turns = facts.turns
        played = sum(turn.resolved is not None for turn in turns)
        usual = f", usually {_format_span(facts.hours)} each" if facts.hours is not None else ""
        yield f"{facts.campaign}: {facts.title}, {count_noun(played, 'turn')} played{usual}"
        seats = sorted(facts.seats, key=lambda seat: not seat.fading)[:MOST_SEATS]
        yield from _seat_lines(facts, seats)
        if turns:
            yield ""
            yield from _turn_lines(facts)
        if any(turn.scores for turn in turns):
            yield ""
            yield from _score_lines(facts)
        yield ""
        yield from _fading_lines(facts)
        if len(facts.seats) > MOST_SEATS or len(turns) > MOST_TURNS_LISTED:
            every = f"All seats and turns are in: pbem status {facts.campaign} --stats --json"
            yield channel.either(every, f"{every} (at the machine)")


def _seat_lines(statistics: Statistics, seats: Sequence[SeatPlayed]) -> Iterator[str]:
    rows = [
        (
            seat.seat,
            seat.in_time,
            seat.late,
            seat.missed,
            "-" if seat.hours is None else _format_lead(seat.hours),
            _format_age(statistics.now, seat.last_word),
        )
        for seat in seats
    ]
    table = format_table(rows, "seat", "on time", "late", "missed", "usually comes", "last word")
    yield from (f"  {line}" for line in table.splitlines())


def _turn_lines(statistics: Statistics) -> Iterator[str]:
    turns = statistics.turns[-MOST_TURNS_LISTED:]
    seats = [seat.seat for seat in statistics.seats]
    if len(seats) <= ACROSS:
        yield "Hours before the deadline that the first sheet came; late ones have a minus:"
        rows = [
            (*_turn_cells(turn, statistics), *(_sheet_cell(turn.sheets.get(seat)) for seat in seats)) for turn in turns
        ]
        table = format_table(rows, "turn", "opened", "took", *seats)
    else:
        yield "Sheets that came on time, late, and did not come:"
        kinds = (SheetTiming.ON_TIME, SheetTiming.LATE, SheetTiming.MISSED)
        counted = [(turn, Counter(sheet.came for sheet in turn.sheets.values())) for turn in turns]
        rows = [(*_turn_cells(turn, statistics), *(sheets[came] for came in kinds)) for turn, sheets in counted]
        table = format_table(rows, "turn", "opened", "took", *kinds)
    yield from (f"  {line}" for line in table.splitlines())


def _turn_cells(turn: TurnTaken, statistics: Statistics) -> tuple[int, str, str]:
    last = "the end" if statistics.status == CampaignState.OVER else "open"
    return (
        turn.turn,
        format_time_short(turn.opened, statistics.zone),
        last if turn.hours is None else _format_span(turn.hours),
    )


def _sheet_cell(sheet: SheetCame | None) -> str:
    if sheet is None:
        return "."
    if sheet.hours is None:
        return str(sheet.came)
    return f"{sheet.hours:.0f}" if abs(sheet.hours) >= 1 else f"{sheet.hours:.1f}"


def _score_lines(statistics: Statistics) -> Iterator[str]:
    """Yield the scores with which turns opened, of the seats that lead now."""
    turns = statistics.turns[-MOST_TURNS_LISTED:]
    best = sorted(turns[-1].scores, key=lambda seat: -turns[-1].scores[seat])[:ACROSS]
    yield f"Scores as each turn opened{'' if statistics.public else ', which players may not know'}:"
    rows = [(turn.turn, *(turn.scores.get(seat, "") for seat in best)) for turn in turns]
    yield from (f"  {line}" for line in format_table(rows, "turn", *best).splitlines())


def _fading_lines(statistics: Statistics) -> Iterator[str]:
    fading = [seat for seat in statistics.seats if seat.fading]
    if not fading:
        yield "No player seems inactive."
        return
    yield "May drop out:"
    for seat in fading[:MOST_SEATS]:
        why = ", ".join(seat.fading)
        yield "  " + wrap(f"{seat.seat} ({seat.address}): {why}", "    ")
    if len(fading) > MOST_SEATS:
        yield f"  and {len(fading) - MOST_SEATS} more"


def _format_lead(hours: float) -> str:
    return f"{_format_span(abs(hours))} {'before' if hours >= 0 else 'late'}"


def _format_span(hours: float) -> str:
    """Return hours in words: as minutes, hours or days."""
    if hours < 48:
        return f"{hours:.0f} h" if hours >= 1 else f"{60 * hours:.0f} min"
    return f"{hours / 24:.1f} days"


def _format_age(now: dt.datetime, at: dt.datetime | None) -> str:
    """Return in words how long ago a time was."""
    # Not negative: the clock may have been ahead when the message came.
    return "never" if at is None else f"{_format_span(max(0.0, (now - at) / dt.timedelta(hours=1)))} ago"


def _turns(snapshot: CampaignSnapshot) -> Select[Any]:
    columns = (Turn.id, Turn.number, Turn.awaited, Turn.opened_at, Turn.deadline, Turn.resolved_at)
    return select(*columns).where(is_current(snapshot.id))


def count_sheets(
    session: Session, snapshot: CampaignSnapshot, newest: int
) -> Iterator[tuple[int, Mapping[SheetTiming, int]]]:
    """Yield the newest turns for which sheets were awaited, in their order, with the number of sheets by timing."""
    played = _turns(snapshot).where(Turn.number >= snapshot.first)
    rows = session.execute(played.order_by(Turn.number.desc()).limit(newest)).all()
    sheets = _load_first_sheets(session, snapshot, since=rows[-1].number if rows else 0)
    for row in reversed(rows):
        came = _classify_sheets(snapshot, row, _load_record(session, row.id), sheets.get(row.id, {}))
        if counted := Counter(sheet.came for _, sheet in came):
            yield row.number, counted


def _load_record(session: Session, turn_id: int) -> Mapping[str, Any]:
    """Return the record of a turn, without a key for one that was not run."""
    record: Mapping[str, Any] = json.loads(session.scalar(select(Turn.record).where(Turn.id == turn_id)) or b"{}")
    return record


def _load_turns(session: Session, snapshot: CampaignSnapshot, ruleset: AnyRuleset) -> Iterator[TurnTaken]:
    """Yield the turns that were played or are open."""
    sheets = _load_first_sheets(session, snapshot)
    version = snapshot.version
    for row in session.execute(_turns(snapshot).order_by(Turn.number)).all():
        record = _load_record(session, row.id)
        if row.number >= snapshot.first and (row.awaited or row.resolved_at is None):
            # One by one: the states of a large game would fill the memory together.
            state = session.scalars(select(Turn.state).where(Turn.id == row.id)).one()
            standing = ruleset.standing(ruleset.load(json.loads(state), version))
            yield TurnTaken(
                turn=row.number,
                opened=row.opened_at,
                deadline=row.deadline,
                resolved=row.resolved_at,
                hours=_hours_between(row.opened_at, row.resolved_at) if row.resolved_at else None,
                sheets=dict(_classify_sheets(snapshot, row, record, sheets.get(row.id, {}))),
                scores=dict(standing.scores),
            )
        version = record.get("version", version)  # that of the next turn's state


def _are_public(session: Session, snapshot: CampaignSnapshot, ruleset: AnyRuleset, last: TurnTaken) -> bool:
    """Return True if all that players see of the last turn has its scores."""
    mailed = select(Report.view).join(Turn, Turn.id == Report.turn_id).where(is_current(snapshot.id))
    raw = session.scalars(mailed.where(Turn.number == last.turn).limit(1)).first()
    view: View = json.loads(raw) if raw else {}
    panorama = ruleset.public_view({view["seat"]: view}) if view else None
    return panorama is not None and panorama.scores == last.scores


def _classify_sheets(
    snapshot: CampaignSnapshot, turn: Any, record: Mapping[str, Any], came: Mapping[int, dt.datetime]
) -> Iterator[tuple[SeatName, SheetCame]]:
    missing = record.get("missing", ())
    for place in snapshot.places:
        at = came.get(place.id)
        if place.seat in missing:
            yield place.seat, SheetCame(came=SheetTiming.MISSED)
        elif at is not None:
            hours = _hours_between(at, turn.deadline) if turn.deadline else None
            late = hours is not None and hours < 0
            yield place.seat, SheetCame(came=SheetTiming.LATE if late else SheetTiming.ON_TIME, at=at, hours=hours)
        # No turn waits for an open or paused seat, so nothing is expected of it.
        elif place.seat in turn.awaited and turn.resolved_at is None and place.manned:
            yield place.seat, SheetCame(came=SheetTiming.PENDING)


def _load_first_sheets(
    session: Session, snapshot: CampaignSnapshot, since: int = 0
) -> Mapping[int, Mapping[int, dt.datetime]]:
    """Return the time of the first accepted sheet since a turn: by id of the turn, then of the seat."""
    rows = session.execute(
        select(OrderSheet.turn_id, OrderSheet.seat_id, func.min(OrderSheet.received_at))
        .join(Turn, Turn.id == OrderSheet.turn_id)
        .where(is_current(snapshot.id), Turn.number >= since, OrderSheet.accepted)
        .group_by(OrderSheet.turn_id, OrderSheet.seat_id)
    )
    found: dict[int, dict[int, dt.datetime]] = defaultdict(dict)
    for turn, seat, at in rows:
        found[turn][seat] = at
    return found


def _load_last_words(session: Session, snapshot: CampaignSnapshot) -> Mapping[int, dt.datetime]:
    """Return the time of each seat's last message: from the player's own address, or a sheet from another one."""
    senders = {place.address.lower(): place.id for place in snapshot.places if place.address}
    latest = select(InboxMessage.sender, func.max(InboxMessage.received_at)).where(InboxMessage.sender.in_(senders))
    found = {senders[sender]: at for sender, at in session.execute(latest.group_by(InboxMessage.sender)) if sender}
    sheets = select(OrderSheet.seat_id, func.max(OrderSheet.received_at)).join(Turn, Turn.id == OrderSheet.turn_id)
    written = (Turn.campaign_id == snapshot.id, OrderSheet.author == "player")
    for seat, at in session.execute(sheets.where(*written).group_by(OrderSheet.seat_id)):
        found[seat] = max(at, found.get(seat, at))
    return found


def _load_first_known(session: Session, snapshot: CampaignSnapshot) -> Mapping[int, dt.datetime]:
    """Return the time since when each seat's player has been known here."""
    known = select(Seat.id, Person.created_at).join(Person, Person.id == Seat.person_id)
    rows = session.execute(known.where(Seat.campaign_id == snapshot.id))
    return {row.id: row.created_at for row in rows}


def _build_seat(
    context: Context,
    place: SeatView,
    turns: Sequence[TurnTaken],
    last_word: dt.datetime | None,
    since: dt.datetime | None,
    usual: float | None,
) -> SeatPlayed:
    sheets = [turn.sheets[place.seat] for turn in turns if place.seat in turn.sheets]
    came = [sheet.came for sheet in sheets]
    plays = context.snapshot.status == CampaignState.RUNNING and place.manned
    opened = turns[0].opened if turns else context.now
    # Silence is counted from the day on which the player became known here.
    began = max(opened, since or opened)
    return SeatPlayed(
        seat=place.seat,
        address=place.address,
        in_time=came.count(SheetTiming.ON_TIME),
        late=came.count(SheetTiming.LATE),
        missed=came.count(SheetTiming.MISSED),
        hours=_median([sheet.hours for sheet in sheets]),
        last_word=last_word,
        fading=tuple(_reasons_to_fade(context, came, last_word, began, usual)) if plays else (),
    )


def _reasons_to_fade(
    context: Context,
    came: Sequence[SheetTiming],
    last_word: dt.datetime | None,
    began: dt.datetime,
    usual: float | None,
) -> Iterator[str]:
    """Yield the reasons why a player may drop out: missed sheets, or silence."""
    lately = [each for each in came if each != SheetTiming.PENDING][-LATELY:]
    missed = lately.count(SheetTiming.MISSED)
    if missed >= TOO_MANY:
        yield f"missed {missed} of the last {len(lately)}"
    silence = context.now - (last_word or began)
    if silence >= max(SILENT, 2 * (usual or 0) * _HOUR):
        days = count_noun(silence // dt.timedelta(days=1), "day")
        yield f"last word {days} ago" if last_word else f"no word in {days}"
    limit = context.snapshot.policy.remove_after_missed
    in_a_row = next((at for at, each in enumerate(reversed(lately)) if each != SheetTiming.MISSED), len(lately))
    if limit and missed and in_a_row == limit - 1:
        yield "is removed if the next is missed too"


def _hours_between(since: dt.datetime, until: dt.datetime) -> float:
    return round((until - since) / _HOUR, 1)


def _median(hours: Sequence[float | None]) -> float | None:
    known = [each for each in hours if each is not None]
    return round(median(known), 1) if known else None


WIDTH = 760
LEFT, RIGHT = 110, 20
TOP = 64
ROW = 20
KEY, APART = LEFT + 150, 98
"""The left edge of the key of the squares, and the distance of its entries."""
BARS, PLOT = 70, 170
"""The heights of the parts below the squares."""

MOST_ROWS, MOST_TURNS = 40, 60
"""The most seats, fading ones first, and the most turns, the newest: a larger picture could not be read."""

FILLS = {
    SheetTiming.ON_TIME: "#4c9f70",
    SheetTiming.LATE: "#e0a030",
    SheetTiming.MISSED: "#c8443c",
    SheetTiming.PENDING: "#d5dbe1",
}
BAR = "#6d8fb3"
CLOSE = "#a8d5b5"
"""The colour of sheets in time, but in the last sixth of the turn."""


def statistics_chart(statistics: Statistics) -> Picture:
    """Return the chart: sheets by seat and turn, below them the length of turns, and scores as each turn opened."""
    turns = statistics.turns[-MOST_TURNS:]
    seats = [each.seat for each in sorted(statistics.seats, key=lambda each: not each.fading)][:MOST_ROWS]
    scored = any(turn.scores for turn in turns)
    bars = TOP + ROW * len(seats) + 44
    height = bars + BARS + (PLOT + 60 if scored else 30)
    height += height % 2
    body = [f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>']
    marks: list[Mark] = list(_title_labels(statistics, len(seats)))
    for part, labels in (
        _draw_squares(turns, seats),
        _draw_bars(turns, bars),
        _draw_scores(turns, seats, bars + BARS + 44),
    ):
        body += part
        marks += labels
    background = Background("".join(body), WIDTH, height)
    title = f"How {statistics.campaign} has gone: sheets, length of turns, scores"
    return Drawing(background, tuple(marks)).picture("statistics", title)


_Part = tuple[Sequence[str], Sequence[Label]]


def _title_labels(statistics: Statistics, rows: int) -> Iterator[Label]:
    yield Label(LEFT, 20, f"{statistics.campaign}: {statistics.title}", 14, INK, bold=True)
    shown = "" if rows == len(statistics.seats) else f" ({rows} of {len(statistics.seats)} seats)"
    yield Label(LEFT, 38, f"Sheets by turn{shown}", 11, PALE)


def _column_step(turns: Sequence[TurnTaken]) -> float:
    return min(40.0, (WIDTH - LEFT - RIGHT) / max(1, len(turns)))


def _draw_squares(turns: Sequence[TurnTaken], seats: Sequence[SeatName]) -> _Part:
    step, labels = _column_step(turns), []
    kinds = {SheetTiming.ON_TIME.words: FILLS[SheetTiming.ON_TIME], "just in time": CLOSE} | {
        came.words: fill for came, fill in FILLS.items()
    }
    key = [_draw_box(KEY + APART * at, 28, 15, 12, fill) for at, fill in enumerate(kinds.values())]
    labels += [Label(KEY + APART * at + 17, 38, kind, 11, PALE) for at, kind in enumerate(kinds)]
    drawn = []
    for row, seat in enumerate(seats):
        y = TOP + ROW * row
        labels.append(Label(LEFT - 10, y + 13, seat[:14], 11, INK, "end"))
        for at, turn in enumerate(turns):
            if seat in turn.sheets:
                fill = _square_fill(turn, turn.sheets[seat])
                drawn.append(_draw_box(LEFT + step * at, y, step, ROW - 3, fill))
    return [*key, *drawn], labels


def _draw_box(x: float, y: float, step: float, high: float, fill: str) -> str:
    """Return the box of a turn, with a gap to the next."""
    width = max(step - 3, 1)
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{high:.1f}" rx="2" fill="{fill}"/>'


def _square_fill(turn: TurnTaken, sheet: SheetCame) -> str:
    if sheet.came != SheetTiming.ON_TIME or sheet.hours is None or turn.deadline is None:
        return FILLS[sheet.came]
    whole = (turn.deadline - turn.opened).total_seconds() / 3600
    return CLOSE if 6 * sheet.hours < whole else FILLS[SheetTiming.ON_TIME]


def _draw_bars(turns: Sequence[TurnTaken], top: int) -> _Part:
    """Return the bars of the length of each turn, in days, or in hours where none took two days."""
    step, longest = _column_step(turns), max((turn.hours or 0 for turn in turns), default=0) or 1
    unit, hours = ("days", 24) if longest >= 48 else ("hours", 1)
    bars, labels = [], [Label(LEFT - 10, top + 12, f"{unit} a turn", 11, PALE, "end")]
    labels.append(Label(LEFT - 10, top + BARS, f"0 to {longest / hours:.1f}", 11, PALE, "end"))
    every = max(1, round(36 / step))
    for at, turn in enumerate(turns):
        x = LEFT + step * at
        if turn.hours is not None:
            high = (BARS - 4) * turn.hours / longest
            bars.append(_draw_box(x, top + BARS - high, step, high, BAR))
        if at % every == 0:
            labels.append(Label(round(x + step / 2), top + BARS + 15, str(turn.turn), 11, PALE, "middle"))
    return bars, labels


def _draw_scores(turns: Sequence[TurnTaken], seats: Sequence[SeatName], top: int) -> _Part:
    scores = [turn.scores for turn in turns]
    if not any(scores) or len(turns) < 2:
        return [], [Label(LEFT, top, "Scores: none to compare", 11, PALE)] if any(scores) else []
    step, right = _column_step(turns), WIDTH - RIGHT
    lines, labels = score_lines(
        scores, seats, ChartFrame(left=LEFT, right=right, top=top, height=PLOT, step=step, room=WIDTH - 100)
    )
    return lines, [Label(LEFT - 10, top + PLOT // 2 + 4, "scores", 11, PALE, END), *labels]
