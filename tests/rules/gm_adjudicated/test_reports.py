"""Tests of reports in words: the GM's layout, and the whole knowledge of a seat."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pbem_rules.gm_adjudicated.events as events_module
from pbem.report.facts import RenderedReport, ReportFacts, SheetUsed
from pbem.report.renderer import Renderer
from pbem.ruleset import Attachment, Event
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.events import public, words
from pbem_rules.gm_adjudicated.state import State
from tests.rules.gm_adjudicated.table import SEATS, VERBS, new_game, read, ruled, turn, view

TEMPLATES = Path(__file__).parents[3] / "templates"

SAID: dict[str, tuple[dict[str, Any], str]] = {
    "left": ({"who": "blue"}, "Blue has left the game."),
    "unruled": ({}, "The GM gave no ruling this turn; nothing has changed."),
    "public": ({"text": "It rained."}, "It rained."),
    "result": ({"text": "You found gold."}, "You found gold."),
    "roll": ({"said": "d6 x: 4 (roll 1 of 1)"}, "d6 x: 4 (roll 1 of 1)"),
    "out": ({"who": "blue"}, "Blue is out of the game."),
    "ended": ({"winners": ["red"], "reason": "peace"}, "The game is over: Peace. Won by red."),
}
"""Each kind of event with its data, and its sentence in a report."""


FACTS = ReportFacts(
    campaign="war",
    seat="red",
    seats=SEATS,
    deadline=dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC),
    zone="Europe/Berlin",
    code="abcdefgh",
    address="orders@example.org",
)


@pytest.fixture(scope="module")
def reporter() -> Iterator[Renderer]:
    """Yield a renderer without pictures."""
    with Renderer([TEMPLATES], pictures=False) as reporter:
        yield reporter


def report(reporter: Renderer, state: State, events: Sequence[Event] = ()) -> RenderedReport:
    """Return red's report."""
    return reporter.report(RULESET, view(state, "red", events), FACTS)


@pytest.mark.parametrize("kind", SAID)
def test_every_event_has_its_sentence(reporter: Renderer, kind: str) -> None:
    """Each kind of event is in the text and in the HTML."""
    data, sentence = SAID[kind]

    parts = report(reporter, new_game(), [public(new_game(), kind, **data)])

    assert sentence in parts.text
    assert f">{sentence}<" in parts.html


def test_the_table_of_events_is_whole() -> None:
    """The kinds listed for template writers are those that have a sentence."""
    listed = re.findall(r"^\| ([a-z-]+) \|", events_module.__doc__ or "", re.MULTILINE)

    assert set(listed) - {"kind"} == set(SAID)


def test_a_report_has_all_that_the_seat_knows(reporter: Renderer) -> None:
    """A report has results, standing texts, map, last sheet, scores and the seats that are out."""
    state = new_game()
    ruling = ruled(
        state,
        all="It rained.\n[FILE]\nThe year is 431.",
        red="Gold!\n[FILE]\nnine ships\n[MAP]\nN --- C",
        game="SCORE red 7\nOUT green",
    )
    after, events = turn(state, ruling, sheets={"red": ["Dig here"]})

    text = report(reporter, after, events).text

    for told in (
        "It rained.",
        "The year is 431.",
        "Gold!",
        "nine ships",
        "N --- C",
        "- Dig here",
        "Scores: red 7, blue 0, green 0.",
    ):
        assert f"{told}\n" in text
    assert "Out of the game: green." in text


def test_a_report_shows_the_ledgers(reporter: Renderer) -> None:
    """A report has the visible entries of the seat, the world and others, with their values before."""
    state = new_game(ledgers={"seen": {"army": "public"}, "each": {"army": 3}, "red": {"gold": 40, "ships": []}})
    after, events = turn(state, ruled(state, red="[SET gold -= 40]", blue="[SET army += 1]"))

    parts = report(reporter, after, events)

    assert "Your ledger\n\narmy: 3\n\ngold: 0 (was 40)\n\nships: none\n" in parts.text
    assert "Known to all\n\nLedger  army\nblue    4 (was 3)\ngreen   3\n" in parts.text
    assert "<b>gold:</b> 0 (was 40)" in parts.html


def test_a_turn_with_a_name_is_called_by_it(reporter: Renderer) -> None:
    """The title is the GM's name for the turn; its number stands below."""
    state = new_game(turns=9)
    after, events = turn(state, ruled(state, all="War.", game="LABEL autumn 1805"))

    text = report(reporter, after, events).text

    assert text.startswith("Autumn 1805\n")
    assert "Turn 2 of 9, unless the GM says otherwise." in text


def test_help_on_verbs_and_the_lists_stand_above_the_form(reporter: Renderer) -> None:
    """The form itself has nothing but lines that can be gone on with."""
    state = new_game(verbs={"lists": {"place": ["Naxos", "Delos"]}, "GO": {"usage": "GO <place>", "help": "march"}})

    above, _, form = report(reporter, state).text.partition("ORDERS war")

    assert "GO: march · Lines in your own words do as well, one thing a line.\n\nPlace: Naxos, Delos." in above
    assert form.startswith(" red abcdefgh\n; GO <place>\nEND\n")


def test_the_gms_pictures_stand_with_the_words_that_they_belong_to(reporter: Renderer) -> None:
    """A picture of the GM is shown below their words, with its caption; a file is named."""
    map_ = Attachment("map.png", "image/png", "ab" * 32, 900, 300, 200, "The coast.")
    log = Attachment("log.pdf", "application/pdf", "cd" * 32, 900)
    told = public(new_game(), "public", **words("See for yourselves.", [map_, log]))
    facts = replace(FACTS, enclosed={map_.sha256: b"x", log.sha256: b"y"})

    parts = reporter.report(RULESET, view(new_game(), "red", [told]), facts)

    assert parts.html.index("See for yourselves.") < parts.html.index('alt="The coast."') < parts.html.index("log.pdf")
    assert "| See for yourselves.\n\nAttached: map.png, The coast.\nAttached: log.pdf\n" in parts.text


def test_the_layout_of_the_gm_is_kept(reporter: Renderer) -> None:
    """Tables and paragraphs stay as typed, behind bars; only lines too long for a mail are wrapped."""
    state = new_game()
    words = "Ships   men\n   9    900\n\n" + "long " * 30
    after, events = turn(state, ruled(state, red=words))

    text = report(reporter, after, events).text

    assert "| Ships   men\n|    9    900\n|\n| long long" in text
    assert max(len(line) for line in text.splitlines() if line.startswith("|")) <= 78


def test_the_gms_words_are_no_markup(reporter: Renderer) -> None:
    """HTML in a GM's words is shown as text."""
    state = new_game()
    after, events = turn(state, ruled(state, red="<b>bold</b> {{ 7 * 7 }}"))

    parts = report(reporter, after, events)

    assert "&lt;b&gt;bold&lt;/b&gt; {{ 7 * 7 }}" in parts.html
    assert "<b>bold</b> {{ 7 * 7 }}" in parts.text


def test_nothing_is_lost(reporter: Renderer) -> None:
    """Each report of a played story has all words of the GM, ledgers, scores, and what may be ordered."""
    seen = {"seen": {"world.nights": "public"}, "world": {"nights": 5}, "each": {"found": []}}
    state = new_game(verbs=VERBS, ledgers=seen, turns=9)
    for night in range(1, 5):
        ruling = ruled(
            state,
            all=f"The wind of night {night} has dropped.\n[SET nights -= 1]\n[FILE]\nKnown since night {night}.",
            red=f"Steps on the stair, {night} times.\n[SET found += screw {night}]\n[FILE]\nA file of night {night}.",
            game=f"SCORE red {night}\nSCORE blue {2 * night}",
        )
        state, told = turn(state, ruling, sheets={"red": [f"BUILD a tower of {night} floors"]})
        shown = " ".join(report(reporter, state, told).text.replace("|", " ").split())
        known = view(state, "red", told)
        said = [event["text"] for event in known["events"]] + [known["file"], known["shared"], *known["sheet"]]
        kept = [f"{one['name']}: " for ledger in known["ledgers"] for one in ledger["entries"]]
        scores = [f"{seat} {score}" for seat, score in known["scores"].items()]
        verbs = [f"; {one['verb']}" for one in known["verbs"]] + [one["help"] for one in known["verbs"]]
        assert len(kept) == 2
        assert [one for one in (*said, *kept, *scores, *verbs) if one not in shown] == []


def test_lines_in_own_words_stand_in_the_report_as_they_were_written(reporter: Renderer) -> None:
    """Each line that is in no verb's form is listed by itself, even if two differ in one word, and so marked."""
    state = new_game(verbs=VERBS)
    orders = read(state, "MARCH to Rome", "Burn the mill.", "Burn the barn.").orders
    sent = replace(FACTS, used=SheetUsed(1, "0" * 64))

    text = reporter.report(RULESET, view(state, "red"), sent, orders).text

    assert ("- MARCH to Rome\n- Burn the mill.\n  in your own words\n- Burn the barn.\n  in your own words\n") in text
