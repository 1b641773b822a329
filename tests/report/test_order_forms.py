"""The order form of a page, of a game that fails to say what can be ordered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from pbem.report.renderer import Renderer
from pbem.ruleset import Background, Choice, Drawing, Label, View
from tests.report.toy import TEMPLATES, Fair, facts, seen


class Guided(Fair):
    """Fair that knows what can be bid."""

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice]:
        return {(): [Choice("BID")], ("BID",): [Choice("3")]}.get(words, [])


class Lost(Guided):
    """Fair that fails behind the verb."""

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice]:
        return super().choices(view, words) if not words else [Choice("1" * (1 // 0))]


def form_of(game: Fair) -> Any:
    """Return the order form in a page of the game."""
    with Renderer(TEMPLATES, {game.key: game}, pictures=False) as renderer:
        page = renderer.seat_page(game, seen(), facts(), "<p>").decode()
    found = re.search(r'<script type="application/json" id="seat">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])["desk"]


def test_texts_of_a_map_do_not_meet_on_a_page() -> None:
    """A line ends behind each: SpamAssassin takes texts that meet for words that tags break up (2.5 points)."""
    drawing = Drawing(Background("", 80, 40), (Label(1, 9, "A1", 9, "#000"), Label(9, 9, "B2", 9, "#000")))
    with Renderer(TEMPLATES, {"fair": Fair()}, pictures=False) as renderer:
        shown = [drawing.picture("map", "The fair from above.")]
        html = f'<body><img src="cid:{facts().content_id("map")}" alt=""></body>'
        page = renderer.seat_page(Fair(), seen(), facts(), html, pictures=shown).decode()

    assert "B2</text>\n" in page
    assert "</text><" not in page


def test_a_page_has_what_can_be_ordered() -> None:
    """The tree of a game's choices is in the data of the page, the verbs that it answers first."""
    assert form_of(Guided())["tree"][0] == {"word": "BID", "next": "3"}


def test_a_game_that_fails_to_tell_choices_leaves_its_orders_to_typing() -> None:
    """A page whose tree cannot be made has all verbs, and no tree."""
    form = form_of(Lost())

    assert [verb["word"] for verb in form["verbs"]] == [verb["word"] for verb in form_of(Guided())["verbs"]]
    assert (form["tree"], form["agenda"]) == ([], [])
