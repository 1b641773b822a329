"""The board in reports: picture and text map."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity import picture as board
from pbem_rules.bubble_singularity.grid import squares
from pbem_rules.bubble_singularity.picture import ARROW, BUBBLES, BURST, NODE, TINTS
from pbem_rules.bubble_singularity.state import State
from pbem_rules.bubble_singularity.textmap import text_map
from tests.rules.bubble_singularity.table import Played, lay, new_game, play, view
from tests.rules.sight import LETTERS, SIGNS, contrast, faint_labels, outside, small_letters


def svg(state: State, after: Played | None = None) -> str:
    """Return the picture in red's report."""
    (picture,) = RULESET.pictures(view(state, "red", after.events if after else ()))
    return picture.svg


def table(state: State, after: Played | None = None) -> str:
    """Return the picture for pages without a report."""
    (picture,) = board.table_pictures(view(state, "red", after.events if after else ()))
    return picture.svg


def written(drawing: str) -> list[str]:
    """Return all texts of a picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawing)


@pytest.mark.parametrize(("options", "size"), [({}, 4), ({"advanced": True}, 5)])
def test_the_picture_names_all_spaces(options: dict[str, Any], size: int) -> None:
    """Each space's name stands on its card, and columns and rows at the edges."""
    texts = written(svg(new_game(**options)))

    assert set(squares(size)) <= set(texts)
    assert {*"ABCDE"[:size], *"12345"[:size]} <= set(texts)


def test_each_arrow_is_drawn() -> None:
    """There are as many arrow heads as the cards have arrows."""
    state = new_game()

    assert svg(state).count(f'fill="{ARROW}"') == sum(len(card.arrows) for card in state.cards.values())


def test_bubbles_bear_letters() -> None:
    """Bubbles differ without colour: each has its first letter."""
    empty, with_two = (written(svg(lay(lying=lying))) for lying in ({}, {"B2": "ry"}))

    assert with_two.count("R") - empty.count("R") == 1
    assert with_two.count("Y") - empty.count("Y") == 1


def test_many_bubbles_fit_a_card() -> None:
    """Many bubbles on a card are counted by colour."""
    none, some, many = (written(svg(lay(lying={"B2": lying}))) for lying in ("", "rrrrry", "r" * 9 + "y" * 12))

    assert some.count("R") - none.count("R") == 5
    assert many.count("R") - none.count("R") == many.count("Y") - none.count("Y") == 1
    assert (many.count("9") - none.count("9"), many.count("12") - none.count("12")) == (1, 1)


def test_nodes_and_maris_are_drawn() -> None:
    """A node has a golden star; each Mari bears its colour."""
    assert svg(lay(nodes=["B2"])).count(f'stroke="{NODE}"') == 1
    assert svg(lay()).count("<ellipse") == 4


def test_markers_are_stars() -> None:
    """Each Singularity Point marker is a star beside its owner."""
    none, three = (table(lay(markers=markers)).count("#7a5b10") for markers in (0, 3))

    assert three - none == 3


def test_the_last_turn_is_drawn() -> None:
    """The way of the last move is a dotted line, and its pops are numbered."""
    after = play(lay(hand="bb", lying={"C2": "rg"}), "MOVE N N", "PULL W")
    drawing = svg(after.state, after)

    assert "stroke-dasharray" in drawing
    assert f'stroke="{TINTS["blue"]}"' in drawing
    assert BURST in drawing
    assert "stroke-dasharray" not in svg(after.state)


def test_the_last_turn_is_told_in_order() -> None:
    """Where there is no report, the way, the pull, and the pops in their order stand below the board."""
    after = play(lay(hand="bb", lying={"C2": "rg"}), "MOVE N N", "PULL W")
    told = " ".join(written(table(after.state, after)))
    pops = [event.data["space"] for event in after.events if event.kind == "popped"]

    assert "went" in told
    assert "pulled" in told
    assert f"pops in order: {' '.join(pops)}" in told


@pytest.mark.parametrize("options", [{}, {"advanced": True}])
def test_a_phone_shows_it_whole(options: dict[str, Any]) -> None:
    """At the 374 pixels of a phone letters are 11 pixels high and have contrast, and nothing is clipped."""
    full = view(lay(lying={"B2": "rgby" * 3, "C2": "rgby"}, **options), "red")
    fresh = view(new_game(**options), "red")

    for each in (*RULESET.pictures(full), *RULESET.pictures(fresh), *board.table_pictures(full)):
        assert small_letters(each, least=11 * each.width / 374) == []
        assert faint_labels(each) == []
        assert outside(each) == []


def test_tokens_stand_out() -> None:
    """Letters on bubbles, frames and signs have enough contrast on cards of every kind."""
    cards = [*board.GROUND.values(), board.STATION]

    assert min(contrast(board.LETTERS[colour], BUBBLES[colour]) for colour in BUBBLES) >= LETTERS
    assert min(contrast(sign, card) for sign in (board.INK, ARROW, NODE) for card in cards) >= SIGNS
    assert min(contrast(tint, ground) for tint in TINTS.values() for ground in (board.PANEL, board.SPACE)) >= LETTERS


def test_a_controlled_station_has_its_owners_frame() -> None:
    """The card of a controlled station has a thick frame in the owner's colour."""
    with_control = svg(lay(stations=True, control={"energy": "red"}))

    assert f'stroke="{TINTS["red"]}" stroke-width="4"' in with_control
    assert 'stroke-width="4"' not in svg(lay(stations=True))


def test_special_cards_are_named() -> None:
    """Cards that are not plain bear their name."""
    texts = written(svg(new_game(advanced=True)))

    assert [texts.count(kind) for kind in ("universe", "flux", "unstable", "expansion", "energy")] == [1, 4, 4, 4, 1]


def test_the_text_map_shows_cards_bubbles_and_maris() -> None:
    """Each card has its name, arrows, bubbles and Mari; nodes have an asterisk."""
    lines = text_map(view(lay(nodes=["B1"], lying={"B1": "rby", "A2": "g"}), "red")).splitlines()

    assert lines[:12] == [
        "          A             B             C             D",
        "   +-------------+-------------+-------------+-------------+",
        "   |A1           |B1*          |C1           |D1           |",
        "1  |            >|<    RBY    >|<           >|<            |",
        "   |    [RED]    |             |             |             |",
        "   |        v    |        v    |             |        v    |",
        "   +-------------+-------------+-------------+-------------+",
        "   |A2      ^    |B2      ^    |C2      ^    |D2      ^    |",
        "2  |      G      |<           >|<           >|<            |",
        "   |             |             |             |             |",
        "   |        v    |        v    |        v    |        v    |",
        "   +-------------+-------------+-------------+-------------+",
    ]


def test_the_text_map_names_special_cards_and_owners() -> None:
    """Stations and special cards have their names at the bottom, with the letter of their controller."""
    shown = text_map(view(lay(advanced=True, control={"energy": "blue"}), "red"))

    assert "|energy    (B)|" in shown
    assert all(shown.count(name) == 4 for name in ("flux", "unstab.", "expans."))
    assert max(map(len, shown.splitlines())) <= 76


def test_the_picture_is_told_in_words() -> None:
    """The alternative text has the bubbles of each space, the places of the Maris, and the nodes."""
    (picture,) = RULESET.pictures(view(lay(lying={"A2": "rb"}, nodes=["B1", "D2"]), "red"))

    assert picture.title == ("The board of 4 by 4 cards. Bubbles: A2 red blue. Maris: red A1, blue C3. Nodes: B1, D2.")


def test_the_picture_of_a_report_is_the_board_alone() -> None:
    """The players stand beside it in words, so that a phone shows no more than the board."""
    (picture,) = RULESET.pictures(view(lay(), "red"))

    assert picture.height <= 1.05 * picture.width
    assert set(written(picture.svg)) <= {*squares(4), *"ABCD", *"1234", *"RGBY"}
