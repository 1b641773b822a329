"""The statistics of a campaign as one picture: a square for each sheet, a bar for each turn, a line for each score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pbem.housekeeping.statistics import Came, SheetCame, Statistics, TurnTaken
from pbem.ruleset.drawing import Anchor, Drawing, Ground, Label, Mark, Picture
from pbem.ruleset.values import Seat

WIDTH = 760
LEFT, RIGHT = 110, 20
TOP = 64
ROW = 20
KEY, APART = LEFT + 150, 98
"""Where the key of the squares begins, and how far its entries are from each other."""
BARS, PLOT = 70, 170
"""Heights of the parts below the squares."""

MOST_ROWS, MOST_TURNS = 40, 60
"""Seats, those first that may drop out, and the newest turns: a larger picture nobody could read."""

INK, PALE, PAPER = "#1f2933", "#8a949e", "#ffffff"
FILLS = {Came.IN_TIME: "#4c9f70", Came.LATE: "#e0a030", Came.MISSED: "#c8443c", Came.AWAITED: "#d5dbe1"}
BAR = "#6d8fb3"
CLOSE = "#a8d5b5"
"""In time, but in the last sixth of the turn."""

START: Anchor = "start"
END: Anchor = "end"
LINES = ("#c8443c", "#1f5fa8", "#2e8b57", "#b8860b", "#7b4fa3", "#0f8b8d", "#8c564b", "#444444")
OWN = {
    "red": "#c8443c",
    "blue": "#1f5fa8",
    "green": "#2e8b57",
    "yellow": "#c9a400",
    "cyan": "#0f9fb0",
    "magenta": "#b0409f",
}
"""Seats with the name of a colour have that."""


def picture_of(statistics: Statistics) -> Picture:
    """Sheets by seat and turn; below them how long turns took, and scores as each turn opened."""
    turns = statistics.turns[-MOST_TURNS:]
    seats = [each.seat for each in sorted(statistics.seats, key=lambda each: not each.fading)][:MOST_ROWS]
    scored = any(turn.scores for turn in turns)
    bars = TOP + ROW * len(seats) + 44
    height = bars + BARS + (PLOT + 60 if scored else 30)
    height += height % 2
    body = [f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>']
    marks: list[Mark] = list(_head(statistics, len(seats)))
    for part, labels in (_squares(turns, seats), _bars(turns, bars), _score_plot(turns, seats, bars + BARS + 44)):
        body += part
        marks += labels
    ground = Ground("".join(body), WIDTH, height)
    title = f"How {statistics.campaign} has gone: sheets, length of turns, scores"
    return Drawing(ground, tuple(marks)).picture("statistics", title)


_Part = tuple[Sequence[str], Sequence[Label]]


def _head(statistics: Statistics, rows: int) -> Iterator[Label]:
    yield Label(LEFT, 20, f"{statistics.campaign}: {statistics.title}", 14, INK, bold=True)
    shown = "" if rows == len(statistics.seats) else f" ({rows} of {len(statistics.seats)} seats)"
    yield Label(LEFT, 38, f"Sheets by turn{shown}", 11, PALE)


def _step(turns: Sequence[TurnTaken]) -> float:
    """How far the columns of two turns are from each other."""
    return min(40.0, (WIDTH - LEFT - RIGHT) / max(1, len(turns)))


def _squares(turns: Sequence[TurnTaken], seats: Sequence[Seat]) -> _Part:
    step, labels = _step(turns), []
    kinds = {str(Came.IN_TIME): FILLS[Came.IN_TIME], "just in time": CLOSE} | {str(came): FILLS[came] for came in FILLS}
    key = [_box(KEY + APART * at, 28, 15, 12, fill) for at, fill in enumerate(kinds.values())]
    labels += [Label(KEY + APART * at + 17, 38, kind, 11, PALE) for at, kind in enumerate(kinds)]
    drawn = []
    for row, seat in enumerate(seats):
        y = TOP + ROW * row
        labels.append(Label(LEFT - 10, y + 13, seat[:14], 11, INK, "end"))
        for at, turn in enumerate(turns):
            if seat in turn.sheets:
                fill = _fill(turn, turn.sheets[seat])
                drawn.append(_box(LEFT + step * at, y, step, ROW - 3, fill))
    return [*key, *drawn], labels


def _box(x: float, y: float, step: float, high: float, fill: str) -> str:
    """The box of a turn, with some room to the next."""
    width = max(step - 3, 1)
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{high:.1f}" rx="2" fill="{fill}"/>'


def _fill(turn: TurnTaken, sheet: SheetCame) -> str:
    if sheet.came != Came.IN_TIME or sheet.hours is None or turn.deadline is None:
        return FILLS[sheet.came]
    whole = (turn.deadline - turn.opened).total_seconds() / 3600
    return CLOSE if 6 * sheet.hours < whole else FILLS[Came.IN_TIME]


def _bars(turns: Sequence[TurnTaken], top: int) -> _Part:
    """Days that each turn took, or hours where none took two days."""
    step, longest = _step(turns), max((turn.hours or 0 for turn in turns), default=0) or 1
    unit, hours = ("days", 24) if longest >= 48 else ("hours", 1)
    bars, labels = [], [Label(LEFT - 10, top + 12, f"{unit} a turn", 11, PALE, "end")]
    labels.append(Label(LEFT - 10, top + BARS, f"0 to {longest / hours:.1f}", 11, PALE, "end"))
    every = max(1, round(36 / step))
    for at, turn in enumerate(turns):
        x = LEFT + step * at
        if turn.hours is not None:
            high = (BARS - 4) * turn.hours / longest
            bars.append(_box(x, top + BARS - high, step, high, BAR))
        if at % every == 0:
            labels.append(Label(round(x + step / 2), top + BARS + 15, str(turn.turn), 11, PALE, "middle"))
    return bars, labels


def _score_plot(turns: Sequence[TurnTaken], seats: Sequence[Seat], top: int) -> _Part:
    known = [score for turn in turns for score in turn.scores.values()]
    if not known or len(turns) < 2:
        return [], [Label(LEFT, top, "Scores: none to compare", 11, PALE)] if known else []
    low, high, step = min(0, *known), max(1, *known), _step(turns)

    def point(at: int, score: int) -> tuple[float, float]:
        return LEFT + step * (at + 0.5), top + PLOT * (high - score) / (high - low)

    lines = [f'<path d="M{LEFT},{y}H{WIDTH - RIGHT}" stroke="#e3e8ec" fill="none"/>' for y in (top, top + PLOT)]
    labels = [Label(LEFT - 10, top + 4, str(high), 11, PALE, "end")]
    labels += [Label(LEFT - 10, top + PLOT + 4, str(low), 11, PALE, "end")]
    labels += [Label(LEFT - 10, top + PLOT // 2 + 4, "scores", 11, PALE, "end")]
    ends: list[tuple[float, float, Seat, str]] = []
    for number, seat in enumerate(seats):
        points = [point(at, turn.scores[seat]) for at, turn in enumerate(turns) if seat in turn.scores]
        if points:
            colour = OWN.get(seat, LINES[number % len(LINES)])
            shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            lines.append(f'<polyline points="{shown}" fill="none" stroke="{colour}" stroke-width="2"/>')
            ends.append((*points[-1], seat, colour))
    return lines, [*labels, *_named(ends)]


def _named(ends: Sequence[tuple[float, float, Seat, str]]) -> Iterator[Label]:
    """The names of lines at their ends, apart from each other."""
    places = sorted(ends, key=lambda end: end[1])
    heights = [end[1] for end in places]
    for above, below in pairwise(range(len(heights))):
        heights[below] = max(heights[below], heights[above] + 12)
    for (x, _, seat, colour), y in zip(places, heights, strict=True):
        aside, anchor = (-6, END) if x > WIDTH - 100 else (6, START)
        yield Label(round(x + aside), round(y + 4), seat[:14], 11, colour, anchor, halo=PAPER)
