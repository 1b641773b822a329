"""Reports in words: every event, and everything a seat may know."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pbem_rules.singularity.events as events_module
from pbem.report.facts import DiceDisclosure, RenderedReport, ReportFacts
from pbem.report.renderer import Renderer
from pbem.ruleset import Event, SeatName
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.state import SEATS, State
from tests.rules.singularity.table import new_game, position, turn, view

TEMPLATES = Path(__file__).parents[3] / "templates"

SAID: dict[str, tuple[dict[str, Any], str]] = {
    "placed": ({"who": "red", "cell": "d4", "number": 7}, "Red placed stone 7 on d4."),
    "missed": (
        {"who": "red", "misses": 2, "limit": 3},
        "Red placed no stone by the deadline: 2 missed in a row, and 3 lose the game.",
    ),
    "draw-offered": ({"who": "blue"}, "Blue offers a draw."),
    "draw-declined": ({"who": "red", "how": "played on"}, "Red declined the draw by playing on."),
    "resigned": ({"who": "red", "how": "forfeit"}, "Red has missed too many deadlines and lost the game."),
    "ended": (
        {"winners": [], "how": ["agreed"], "words": "a draw: the players agreed to a draw"},
        "The game is over. A draw: the players agreed to a draw.",
    ),
    "answered": ({"lines": ["IF d4 THEN e5"]}, "Your kept reply was played: IF d4 THEN e5."),
    "past": (
        {"lines": ["IF d4 THEN e5"]},
        "Lapsed with that stone, for replies hold for the next one only: IF d4 THEN e5.",
    ),
    "lapsed": (
        {"lines": ["IF d4 THEN e5", "IF c8 THEN c9"]},
        "Dropped, for they can no longer be used: IF d4 THEN e5; IF c8 THEN c9.",
    ),
    "refused": ({"line": "PLACE d4", "why": "d4 is not free"}, "Not done: PLACE d4, for d4 is not free."),
}
"""Each kind of event with its data, and how a report says it."""


@pytest.fixture(scope="module")
def reporter() -> Iterator[Renderer]:
    """Yield a renderer without pictures."""
    reporter = Renderer([TEMPLATES], pictures=False)
    yield reporter
    reporter.close()


def report(reporter: Renderer, state: State, seat: SeatName, events: Sequence[Event] = ()) -> RenderedReport:
    """Return a seat's report."""
    return reporter.report(RULESET, view(state, seat, events), report_facts(seat))


def report_facts(seat: SeatName, **more: Any) -> ReportFacts:
    """Return the facts of a seat's report."""
    return ReportFacts(
        campaign="sing1",
        seat=seat,
        seats=SEATS,
        deadline=dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC),
        zone="Europe/Berlin",
        code="abcdefgh",
        address="orders@example.org",
        **more,
    )


@pytest.mark.parametrize("kind", SAID)
def test_every_event_has_its_sentence(reporter: Renderer, kind: str) -> None:
    """Each kind of event is told in one plain sentence, in the text and in the HTML."""
    data, sentence = SAID[kind]

    parts = report(reporter, new_game(), "red", [Event(kind, frozenset(SEATS), data)])

    assert f"- {sentence}\n" in parts.text
    assert f">{sentence}</li>" in parts.html


def test_the_table_of_events_is_whole() -> None:
    """The kinds listed for template writers are those that have a sentence."""
    listed = re.findall(r"^\| ([a-z-]+) \|", events_module.__doc__ or "", re.MULTILINE)

    assert set(listed) - {"kind"} == set(SAID)


def test_a_report_tells_all_that_is_pending(reporter: Renderer) -> None:
    """The player on move, the offer of a draw, missed deadlines and own kept replies are in the report."""
    state, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])
    state, events = turn(state, blue=["IF e5 THEN e6"])

    for shown in (report(reporter, state, "blue", events).text, report(reporter, state, "blue", events).html):
        assert "is to place stone 2; that is you." in shown
        assert "Red offers you a draw" in shown
        assert "Deadlines missed by blue in a row: 1 of 3." in shown
        assert "IF e5 THEN e6" in shown


def test_who_waits_is_told_what_he_may_send(reporter: Renderer) -> None:
    """The player not on move reads that replies to be kept, a draw or a resignation may be sent."""
    state = position("d4")

    assert "While you wait" in report(reporter, state, "red").text
    assert "While you wait" not in report(reporter, state, "blue").text


def test_the_last_report_tells_what_won(reporter: Renderer) -> None:
    """The end names winner, group, perimeter stones and the path between them."""
    over = position("a6 d7 b5 e6 c4 f5 d4 e5 e3 d6 f3 e4 g3", size=4)

    for shown in (report(reporter, over, "blue").text, report(reporter, over, "blue").html):
        assert "Red wins: surrounded the black stone." in shown
        assert "Winning group: a6 b5 c4 d4 e3 f3 g3" in shown
        assert "Perimeter path between them: a5 a4 b3 c2 d1 e1 f1 g1 g2" in shown
        assert "IF" not in shown


def test_a_game_without_dice_says_nothing_of_them(reporter: Renderer) -> None:
    """Neither the first report, which has the seal of others, nor the last one shows a seal, a seed or dice words."""
    facts = report_facts("red", first=True, seal="ab" * 32, dice=DiceDisclosure(words=(), digest="0f" * 32, seats=2))

    for shown in (facts, replace(facts, first=False, seed="cd" * 32)):
        parts = reporter.report(RULESET, view(new_game(), "red"), shown)
        assert "dice" not in (parts.text + parts.html).lower()


def test_who_waits_reads_whose_move_it_is(reporter: Renderer) -> None:
    """A report that asks for no orders begins with that, and has neither a button nor a form."""
    parts = report(reporter, position("d4"), "red")

    assert parts.text.split("\n\n")[1] == "Blue moves: nothing to do"
    assert not re.search("ORDER FORM|TO SEND ORDERS", parts.text)
    assert "Write orders" not in parts.html
