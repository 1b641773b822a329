"""The board as players see it: picture and text map."""

from __future__ import annotations

import re

import pytest

from pbem_rules.singularity import RULESET
from pbem_rules.singularity import picture as board
from pbem_rules.singularity.field import column_letters, field_of
from pbem_rules.singularity.state import State
from pbem_rules.singularity.textmap import text_map
from tests.rules.sight import LETTERS, SIGNS, contrast, faint_labels, small_letters
from tests.rules.singularity.table import new_game, position, turn, view

WON = "a6 d7 b5 e6 c4 f5 d4 e5 e3 d6 f3 e4 g3"


def svg(state: State) -> str:
    """Return the picture of a state in red's report."""
    (picture,) = RULESET.pictures(view(state, "red"))
    return picture.svg


def written(drawing: str) -> list[str]:
    """Return all texts of a picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawing)


def test_the_picture_shows_all_coordinates() -> None:
    """Each column's letter and each line's number is beside the board, and each free cell's name in it."""
    texts = written(svg(new_game(6)))

    assert set(texts) >= {column_letters(column) for column in range(11)} | {str(line) for line in range(1, 12)}
    assert set(texts) >= set(field_of(6).names) - {"f1"}


def test_a_large_board_has_no_names_in_its_cells() -> None:
    """If cells are too small to read, only the edges bear coordinates, and every fifth line is tinted."""
    assert "m8" not in written(svg(new_game(13)))
    assert ["#ebdfc4" in svg(new_game(size)) for size in (10, 11)] == [False, True]


def test_stones_differ_without_colour() -> None:
    """A red stone bears a ring, a blue one does not."""
    before, red, blue = (svg(position(moves)).count("<circle") for moves in ("", "d4", "d4 e6"))

    assert (red - before, blue - red) == (2, 1)


def test_the_latest_stones_are_marked() -> None:
    """The cells of the stones placed since the last report are bright, one or more of them."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])
    after, events = turn(before, blue=["PLACE d4"])

    assert view(after, "red", events)["latest"] == ["d4", "e5"]
    assert view(after, "red")["latest"] == ["e5"]
    assert 'fill="#ffdd66"' in svg(after)
    assert 'fill="#ffdd66"' not in svg(new_game())


def test_the_picture_of_a_win_shows_the_path() -> None:
    """Every cell of the perimeter path and both its ends bear a dot."""
    over = position(WON, size=4)
    won = view(over, "red")["win"]

    assert len(won["path"]) == 9
    assert won["ends"] == ["g3", "a6"]
    assert won["group"] == ["a6", "b5", "c4", "d4", "e3", "f3", "g3"]
    assert svg(over).count("#2f8f4e") == 9


def test_pictures_can_be_read() -> None:
    """Letters are large enough and stand out from what is below them, on small and large boards."""
    for state in (new_game(3), position("d4 e6 d5"), position(WON, size=4), new_game(26)):
        (picture,) = RULESET.pictures(view(state, "red"))
        assert small_letters(picture, least=min(11, 10.9 * picture.width / 374)) == []
        assert faint_labels(picture) == []


def test_stones_and_coordinates_stand_out() -> None:
    """Stones and dots on any cell, names on free cells, rings and numbers on stones differ for every kind of sight."""
    grounds = (board.CELL, board.GUIDE, board.RIM)

    assert min(contrast(stone, ground) for stone in board.STONES.values() for ground in grounds) >= SIGNS
    assert min(contrast(board.FAINT, ground) for ground in grounds) >= LETTERS
    assert min(contrast(board.LIGHT, stone) for stone in board.STONES.values()) >= LETTERS


def test_threats_are_marked() -> None:
    """A cell on which a player's next stone would win bears that player's stone, small, and is told in the title."""
    almost = position(WON.rsplit(" ", 1)[0], size=4)
    (picture,) = RULESET.pictures(view(almost, "red"))

    assert picture.title.endswith("Red could win on g2, g3.")
    assert picture.svg.count('fill="#b92f22"') > svg(position("d4", size=4)).count('fill="#b92f22"')
    assert "could win" not in RULESET.pictures(view(position("d4"), "red"))[0].title


def test_the_last_move_is_told() -> None:
    """The last stone bears its number."""
    texts = written(svg(position("d4 e6", size=4)))

    assert texts.count("2") == written(svg(new_game(4))).count("2") + 1


def test_the_board_fills_the_picture() -> None:
    """There is neither title nor legend: all letters are names of cells and coordinates, at 374 pixels eleven high."""
    (picture,) = RULESET.pictures(view(new_game(6), "red"))
    plan = field_of(6)

    assert set(written(picture.svg)) == {*plan.names, *map(str, range(1, 12)), *"abcdefghijk"}
    assert small_letters(picture, least=11 * picture.width / 374 - 1) == []


def test_titles_say_where_the_stones_are_and_who_has_won() -> None:
    """The alternative text tells all that the board shows, and in the end the result."""
    begun, won = (RULESET.pictures(view(state, "red"))[0].title for state in (position("d4"), position(WON, size=4)))

    assert begun == "The board, 6 cells a side, the black stone on f1. Red: d4. Last: d4."
    assert won.startswith(
        "The board, 4 cells a side, the black stone on d1. Red: a6, b5, c4, d4, e3, f3, g3. Blue: d7, "
    )
    assert won.endswith(" Last: g3. Red wins: surrounded the black stone.")


def test_the_text_map_of_a_small_board() -> None:
    """Every cell bears its name, after the sign of what is on it; columns run down, lines down to the right."""
    lines = text_map(view(position("c3 d1 e2", size=3), "red")).splitlines()

    assert lines == [
        "          #c1",
        "      b2      Bd1",
        "  a3      c2      e1",
        "      b3      d2",
        "  a4      Rc3    (Re2)",
        "      b4      d3",
        "  a5      c4      e3",
        "      b5      d4",
        "          c5",
        "",
        "Rd4 red, Bd4 blue, #c1 the black stone, d4 alone a free cell; () latest",
    ]


def test_the_text_map_marks_the_winning_group() -> None:
    """The stones of the group that won stand in square brackets."""
    shown = text_map(view(position(WON, size=4), "red"))

    assert (shown.count("[R"), shown.count("(Rg3)")) == (6, 1)
    assert "[] the group that won" in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 76


@pytest.mark.parametrize("size", range(3, 27))
def test_text_maps_of_all_sizes_fit_a_mail(size: int) -> None:
    """Every size fits 76 columns, and each cell's name stands on it once, or where there is no room in a list below."""
    shown = text_map(view(new_game(size), "red"))

    assert max(map(len, shown.splitlines())) <= 76
    board = shown.split("\n\n")[0] if size <= 12 else shown.split("each column:\n")[1]
    assert sorted(re.findall(r"[a-z]+[0-9]+", board)) == sorted(field_of(size).names)


def test_a_board_without_room_for_names_keeps_its_coordinates() -> None:
    """Signs apart from each other, letters below their columns and numbers beside their lines."""
    shown = text_map(view(new_game(26), "red")).split("\n\n")[0]

    assert sum(shown.count(sign) for sign in ".+#") == 3 * 26 * 25 + 1
    assert re.findall(r"\d+", shown) == [str(line) for line in range(1, 52)]
    assert sorted(re.findall(r"[a-z]+", shown)) == sorted(column_letters(column) for column in range(51))
