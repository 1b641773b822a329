"""Nothing of a view is lost in its report; losses of earlier moves stand in full reports."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from itertools import pairwise

from pbem.app import TEMPLATE_DIR
from pbem.report.facts import ReportFacts
from pbem.report.renderer import Renderer
from pbem.ruleset import View
from pbem.testing.play import Game, games, play, standard
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.kinds import HOME, WORDS

Item = tuple[str, str]
"""The beginning of a line of a report, and what stands in that line; "" for any line."""


def items(view: View) -> Iterator[Item]:
    """Yield what a report tells of a view, except its events and the losses."""
    for piece in view["own"]:
        name, known = named(piece["name"]), piece["known"] is not None
        start = "Yours, known" if known else "Yours"
        yield from ((start, piece["square"]), (start, "asteroid" if piece["kind"] == "ASTEROID" else name))
        if known:
            yield start, f"from {piece['origin']} to {piece['square']}" if piece["transit"] else f"on {piece['square']}"
            yield start, f"kind {piece['kind']}" if piece["typed"] else "not its kind"
    for mark in view["enemy"] if not view["over"] else ():
        start = f"- Enemy {mark['mark']}"
        yield start, f"{'stands on' if mark['standing'] else 'left'} {mark['square']}"
        yield from ((start, WORDS[kind]) for kind in [mark["kind"]] if kind)
        yield from ((start, square) for square in mark["course"])
        yield from ((start, square) for square in mark["meets"])
        yield from ((start, square) for square in mark["reach"] if len(mark["reach"]) <= 9)
    for left in view["enemy_left"] if view["stage"] == "play" else ():
        yield "Left to your opponent", f"{left['number']} {WORDS[left['kind']]}"
    yield from (("Their flights went over", square) for square in view["crossed"])
    yield from (("Your opponent's pieces", f"{piece['square']}") for piece in view["disclosed"])
    yield from (("Deadlines missed", f"{missed} of") for missed in view["misses"].values() if missed)


def losses(view: View) -> set[tuple[str, str, str]]:
    """Return the names or kinds of lost pieces, with their squares and sides."""
    own = {("own", named(each["name"]), each["square"]) for each in view["own_lost"] if each["kind"] != "ASTEROID"}
    return own | {("enemy", each["kind"], each["square"]) for each in view["enemy_lost"] if each["kind"] != "ASTEROID"}


def named(name: str) -> str:
    """Return the name of a piece as reports write it."""
    return name.replace(HOME, "home")


def missing(wanted: Iterator[Item], text: str) -> list[Item]:
    """Return the items that a report does not tell."""
    lines = text.split("\n")
    return [
        (start, told)
        for start, told in wanted
        if not any(line.startswith(start) and re.search(rf"\b{re.escape(told)}", line) for line in lines)
    ]


def played() -> Iterator[Game]:
    """Yield bots' games, the last one long."""
    yield from games(RULESET)[:3]
    yield play(RULESET, standard, 60, game=9)


def test_a_report_tells_all_that_its_view_has() -> None:
    """A report has every item but old losses, among its events every new one; a full report has them all."""
    with Renderer([TEMPLATE_DIR], pictures=False) as reporter:
        for game in played():
            for seat in game.seats:
                views = [view for view in game.views() if view["seat"] == seat]
                for before, view in pairwise(views):
                    facts = ReportFacts(
                        campaign="duel",
                        seat=seat,
                        seats=game.seats,
                        deadline=None,
                        zone="UTC",
                        code="k2",
                        address="orders@example.org",
                    )
                    text = reporter.text(RULESET, view, facts)
                    fresh = losses(view) - losses(before)
                    news = "".join(line for line in text.split("\n") if line.startswith("- "))
                    assert missing(items(view), text) == []
                    assert [loss for loss in fresh if loss[2] not in news] == []
                    if losses(view) and not view["over"]:
                        whole = reporter.text(RULESET, view, dataclasses.replace(facts, full=True))
                        assert missing((("Lost,", f"on {square}") for *_, square in losses(view)), whole) == []
                        assert missing(items(view), whole) == []
