"""The order form of a page: the time that a game takes to say what can be ordered, and the size of the tree.

    python -m bench.choices [--game KEY] [--turns 30] [--views 24]

Bots play each game. Of its views that ask for orders, spread over turns and seats,
the form is made as for a page. CPU time: the median and the most; words of all
lines, and kilobytes of the tree as a page has it: the median and the most.
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import dataclass

from bench.pictures import timed
from pbem.games import installed_games
from pbem.ruleset import AnyRuleset, View, canonical_json
from pbem.ruleset.order_tree import order_form
from pbem.ruleset.values import Json
from pbem.testing.form_rules import tree_lines
from pbem.testing.play import play, standard

CPU_AIM = 1000.0
"""Milliseconds that the form of a page may take."""


@dataclass(frozen=True)
class Row:
    """The forms of one game: milliseconds of CPU time, lines, and bytes; verbs that have to be typed."""

    name: str
    count: int
    middle: float
    most: float
    lines: int
    size: float
    largest: int
    typed: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """True if the aim is met."""
        return self.most <= CPU_AIM


def views_of(ruleset: AnyRuleset, turns: int, count: int) -> list[View]:
    """Return views that ask for orders, spread over the turns and seats of a game of bots."""
    views = [view for view in play(ruleset, standard, turns).views() if view["awaited"] and not view["over"]]
    return views[:: max(1, len(views) // count)][:count]


def tree_size(form: Json) -> int:
    """Return the bytes of a tree, with what it shares and makes."""
    return len(canonical_json({name: form[name] for name in ("tree", "shared", "made")}))


def row(ruleset: AnyRuleset, turns: int, count: int) -> Row:
    """Measure a game."""
    spent = [timed(lambda view=view: order_form(ruleset, view)) for view in views_of(ruleset, turns, count)]  # type: ignore[misc]
    forms = [form for _, form in spent]
    verbs = {verb["word"] for form in forms for verb in form["verbs"]}
    offered = {root["word"] for form in forms for root in form["tree"]}
    return Row(
        name=ruleset.key,
        count=len(forms),
        middle=statistics.median(cost for cost, _ in spent),
        most=max(cost for cost, _ in spent),
        lines=max(sum(1 for _ in tree_lines(form)) for form in forms),
        size=statistics.median(map(tree_size, forms)),
        largest=max(map(tree_size, forms)),
        typed=tuple(sorted(verbs - offered)),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", help="one game alone")
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--views", type=int, default=24)
    given = parser.parse_args()
    print("CPU ms a form          median   most   lines     kB   most  typed")
    for ruleset in [game for key, game in installed_games().items() if given.game in (None, key)]:
        found = row(ruleset, given.turns, given.views)
        sizes = f"{found.size / 1000:6.1f} {found.largest / 1000:6.1f}"
        note = "" if found.kept else "  (over the aim)"
        print(
            f"{found.name:<20} {found.middle:8.0f} {found.most:6.0f} {found.lines:7} {sizes}  "
            f"{' '.join(found.typed)}{note}",
            flush=True,
        )


if __name__ == "__main__":
    main()
