"""Draws scores by turn as lines: for the statistics of a campaign, and for the mail at its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pbem.report.facts import Ending
from pbem.ruleset.drawing import Anchor, Background, Drawing, Label, Picture
from pbem.ruleset.values import SeatName

INK, PALE, PAPER = "#1f2933", "#8a949e", "#ffffff"
LINES = ("#c8443c", "#1f5fa8", "#2e8b57", "#b8860b", "#7b4fa3", "#0f8b8d", "#8c564b", "#444444")
OWN = {
    "red": "#c8443c",
    "blue": "#1f5fa8",
    "green": "#2e8b57",
    "yellow": "#c9a400",
    "cyan": "#0f9fb0",
    "magenta": "#b0409f",
}
"""Seats with the name of a colour have that colour."""

START: Anchor = "start"
END: Anchor = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartFrame:
    """The place of a plot in a picture, in pixels: its edges, the distance of two turns, and the size of letters.

    Names stand behind the ends of lines, before them where there is no `room` to the right.
    """

    left: int
    right: int
    top: int
    height: int
    step: float
    room: int
    letters: int = 11


def score_lines(
    turns: Sequence[Mapping[SeatName, int]], seats: Sequence[SeatName], frame: ChartFrame
) -> tuple[list[str], list[Label]]:
    """Return the lines of the scores of each turn, as SVG, and their labels; there are two turns or more."""
    known = [score for scores in turns for score in scores.values()]
    low, high, size = min(0, *known), max(1, *known), frame.letters

    def point(at: int, score: int) -> tuple[float, float]:
        return frame.left + frame.step * (at + 0.5), frame.top + frame.height * (high - score) / (high - low)

    edges = (frame.top, frame.top + frame.height)
    lines = [f'<path d="M{frame.left},{y}H{frame.right}" stroke="#e3e8ec" fill="none"/>' for y in edges]
    labels = [
        Label(frame.left - 10, y + 4, str(score), size, PALE, END) for y, score in zip(edges, (high, low), strict=True)
    ]
    ends: list[tuple[float, float, SeatName, str]] = []
    for number, seat in enumerate(seats):
        points = [point(at, scores[seat]) for at, scores in enumerate(turns) if seat in scores]
        if points:
            colour = OWN.get(seat, LINES[number % len(LINES)])
            shown = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            lines.append(f'<polyline points="{shown}" fill="none" stroke="{colour}" stroke-width="2"/>')
            ends.append((*points[-1], seat, colour))
    return lines, [*labels, *_line_labels(ends, frame)]


def _line_labels(ends: Sequence[tuple[float, float, SeatName, str]], frame: ChartFrame) -> Iterator[Label]:
    """Yield the names of lines at their ends, moved so that none overlap."""
    places = sorted(ends, key=lambda end: end[1])
    heights = [end[1] for end in places]
    for above, below in pairwise(range(len(heights))):
        heights[below] = max(heights[below], heights[above] + frame.letters + 1)
    too_low = max(0.0, max(heights, default=0.0) - frame.top - frame.height)
    heights = [height - too_low for height in heights]
    for (x, _, seat, colour), y in zip(places, heights, strict=True):
        aside, anchor = (-6, END) if x > frame.room else (6, START)
        yield Label(round(x + aside), round(y + 4), seat[:14], frame.letters, colour, anchor, halo=PAPER)


NAME = "scores-by-turn"
"""The name of the picture in the last report."""

_WIDTH, _HIGH, _PLOT = 374, 200, 140

MOST_LINES = 12
"""Lines of a plot, the best seats first: more could not be told apart."""


def ending_plot(ending: Ending) -> Picture | None:
    """Return the plot of everybody's scores for a mail; None if there are not two turns to compare."""
    numbers = sorted({number for scores in ending.course.values() for number in scores})
    if len(numbers) < 2:
        return None
    seats = [each.seat for each in ending.scores if each.seat in ending.course][:MOST_LINES]
    course = {seat: ending.course[seat] for seat in seats}
    turns = [{seat: course[seat][number] for seat in seats if number in course[seat]} for number in numbers]
    frame = ChartFrame(left=40, right=284, top=22, height=_PLOT, step=244 / len(numbers), room=_WIDTH, letters=13)
    lines, labels = score_lines(turns, seats, frame)
    for at in (0, len(numbers) - 1):
        x = round(frame.left + frame.step * (at + 0.5))
        labels.append(Label(x, _HIGH - 14, f"{ending.by} {numbers[at]}" if at else str(numbers[at]), 13, INK, "middle"))
    ground = Background(f'<rect width="{_WIDTH}" height="{_HIGH}" fill="{PAPER}"/>' + "".join(lines), _WIDTH, _HIGH)
    return Drawing(ground, tuple(labels)).picture(NAME, _describe_course(ending, seats))


def _describe_course(ending: Ending, seats: Sequence[SeatName]) -> str:
    """Return the alternative text: of each seat the first score, some between, and the last."""
    told = [f"{seat}: {_describe_scores(ending.course[seat], ending.by)}" for seat in seats]
    return f"{ending.of.capitalize()} by {ending.by}. {' '.join(told)}"


def _describe_scores(scores: Mapping[int, int], by: str) -> str:
    numbers = sorted(scores)
    between = [numbers[len(numbers) * part // 3] for part in (1, 2)] if len(numbers) > 3 else []
    said = [f"{scores[numbers[0]]} in {by} {numbers[0]}", *(f"{scores[number]} in {number}" for number in between)]
    return f"{', '.join(said)}, {scores[numbers[-1]]} at the end."
