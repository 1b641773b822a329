"""Pictures painted as drawings, beside the same pictures painted whole by the renderer of SVG.

    python -m bench.pictures [--game KEY] [--turns 30] [--pictures 16]

Bots play each game that has pictures. Of its pictures, spread over turns and
seats, each is painted both ways, one after the other, by a worker that knows
its ground and has painted before, as in a night it has. CPU time, medians; the
first picture of a worker, with all that it then keeps, has a column of its own.
Times are those of a picture: `game` of drawing it from a view, `paint` of
making its PNG.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pbem.games import installed_games
from pbem.report.painter import Canvas, paint
from pbem.ruleset import AnyRuleset, Picture, View
from pbem.testing.play import play, standard

CPU_AIM, BYTES_AIM = 30.0, 110_000
"""Milliseconds and bytes that a picture may take."""

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One picture of a game: milliseconds of CPU time, and bytes; `most` is the size of the largest PNG."""

    name: str
    count: int
    game: float
    first: float
    paint: float
    whole: float
    size: float
    most: int
    whole_size: float

    @property
    def kept(self) -> bool:
        """True if the aims are met."""
        return self.game + self.paint <= CPU_AIM and self.most <= BYTES_AIM


def timed(act: Callable[[], T]) -> tuple[float, T]:
    """Return the milliseconds of CPU time of a call, and its result."""
    start = time.process_time()
    done = act()
    return 1000 * (time.process_time() - start), done


def views_of(ruleset: AnyRuleset, turns: int, count: int) -> list[View]:
    """Return views of a game of bots, spread over its turns and seats."""
    views = list(play(ruleset, standard, turns).views())
    return views[:: max(1, len(views) // count)][:count]


def rows(ruleset: AnyRuleset, turns: int, count: int) -> Iterator[Row]:
    """Yield the costs of each picture in a game's reports; a game without drawings has no rows."""
    views = views_of(ruleset, turns, count)
    spent = [timed(lambda view=view: list(ruleset.pictures(view))) for view in views]  # type: ignore[misc]
    names = dict.fromkeys(picture.name for _, pictures in spent for picture in pictures)
    for name in names:
        found = [
            (cost / len(pictures), picture) for cost, pictures in spent for picture in pictures if picture.name == name
        ]
        if all(picture.drawing for _, picture in found):
            yield _row(f"{ruleset.key} {name}", found)


def _row(name: str, found: Sequence[tuple[float, Picture]]) -> Row:
    easel = Canvas()
    first, _ = timed(lambda: painted(easel, found[0][1]))
    for _, picture in found:
        painted(easel, picture)
    ours = [timed(lambda picture=picture: painted(easel, picture)) for _, picture in found]  # type: ignore[misc]
    theirs = [
        timed(lambda picture=picture: paint(picture.svg, picture.width, picture.height))  # type: ignore[misc]
        for _, picture in found
    ]
    return Row(
        name=name,
        count=len(found),
        game=statistics.median(cost for cost, _ in found),
        first=first,
        paint=statistics.median(cost for cost, _ in ours),
        whole=statistics.median(cost for cost, _ in theirs),
        size=statistics.median(len(png) for _, png in ours),
        most=max(len(png) for _, png in ours),
        whole_size=statistics.median(len(png) for _, png in theirs),
    )


def painted(easel: Canvas, picture: Picture) -> bytes:
    """Return the PNG of a picture, painted in this process."""
    assert picture.drawing is not None
    return easel.draw(picture.drawing)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", help="one game alone")
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--pictures", type=int, default=16)
    given = parser.parse_args()
    games = {key: game for key, game in installed_games().items() if given.game in (None, key)}
    print("CPU ms a picture                  game  first  paint  whole    kB   most  whole")
    for ruleset in games.values():
        for row in rows(ruleset, given.turns, given.pictures):
            times = f"{row.game:6.1f} {row.first:6.1f} {row.paint:6.1f} {row.whole:6.1f}"
            sizes = f"{row.size / 1000:5.0f}  {row.most / 1000:5.0f}  {row.whole_size / 1000:5.0f}"
            print(f"{row.name:<30} {times} {sizes}{'' if row.kept else '  (over the aim)'}", flush=True)


if __name__ == "__main__":
    main()
