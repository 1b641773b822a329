"""Scores over the course of a game as a plot: lines on a ground, coloured by the style sheet of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pbem.ruleset.drawing import svg_escape
from pbem.ruleset.values import Seat

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 26
COLOURS = 8
"""Lines that look different; of more seats, those further on look like the first."""

KNOWN = ("red", "yellow", "green", "cyan", "blue", "magenta", "white", "orange")
"""Seats with the name of a colour have that."""


def colour_of(seats: Sequence[Seat]) -> Mapping[Seat, str]:
    """The class of each seat's line: that of its own colour, or else one by its place."""
    return {seat: f"c-{seat}" if seat in KNOWN else f"c-{at % COLOURS}" for at, seat in enumerate(seats)}


def plot(scores: Mapping[Seat, Sequence[int | None]], labels: Sequence[str], title: str) -> str:
    """An SVG of the scores of each seat, one for each of the labels; "" if there are none to compare."""
    told = [score for each in scores.values() for score in each if score is not None]
    if len(labels) < 2 or not told:
        return ""
    low, high = min(0, *told), max(1, *told)
    colours = colour_of(tuple(scores))

    def x(at: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / (len(labels) - 1)

    def y(score: int) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - score) / (high - low)

    def line(seat: Seat, values: Sequence[int | None]) -> str:
        points = " ".join(f"{x(at):.1f},{y(score):.1f}" for at, score in enumerate(values) if score is not None)
        return f'<polyline class="{colours[seat]}" points="{points}"><title>{svg_escape(seat)}</title></polyline>'

    axis = "".join(_axis(y, low, high))
    ends = (
        f'<text x="{LEFT}" y="{HEIGHT - 6}">{svg_escape(labels[0])}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end">{svg_escape(labels[-1])}</text>'
    )
    lines = "".join(line(seat, values) for seat, values in scores.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{svg_escape(title)}" data-left="{LEFT}" data-right="{WIDTH - RIGHT}">{axis}{ends}{lines}'
        f'<line class="now" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/></svg>'
    )


def _axis(y: Callable[[int], float], low: int, high: int) -> Iterator[str]:
    """Lines across, at round numbers."""
    step = _step(high - low)
    for score in range(-(-low // step) * step, high + 1, step):
        at = y(score)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{score}</text>'


def _step(span: int) -> int:
    """A round number of which at most five make the span."""
    step = 1
    while span > 5 * step:
        step = 5 * step // 2 if str(step)[0] == "2" else 2 * step
    return step
