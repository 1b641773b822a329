"""The board in reports: picture and text map."""

from __future__ import annotations

import re

from pbem.ruleset import Sprite, SpriteInstance
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters import picture as board
from pbem_rules.dueling_masters.state import State
from tests.rules.dueling_masters.table import begun, position, turn, view
from tests.rules.sight import LETTERS, SIGNS, contrast, faint_labels, outside, small_letters


def stamps(state: State, seat: str = "one") -> list[Sprite]:
    """Return the sprites on the board in a seat's report."""
    drawing = RULESET.pictures(view(state, seat))[1].drawing
    assert drawing is not None
    return [mark.sprite for mark in drawing.marks if isinstance(mark, SpriteInstance)]


def svg(state: State, seat: str = "one") -> str:
    """Return the picture in a seat's report."""
    _, picture = RULESET.pictures(view(state, seat))
    return picture.svg


def written(drawing: str) -> list[str]:
    """Return all texts of a picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawing)


def rows(state: State, seat: str) -> dict[str, str]:
    """Return the upper lines of a text map's rows, by letter."""
    lines = RULESET.text_map(view(state, seat)).splitlines()
    return {line[0]: line for line in lines if re.match(r"[A-J] \|", line)}


def test_each_player_has_their_half_at_the_bottom() -> None:
    """Player one's board has row A at the bottom, player two's row J, in the picture as in the text map."""
    for seat, order in (("one", "JIHGFEDCBA"), ("two", "ABCDEFGHIJ")):
        assert "".join(rows(begun(), seat)) == order
        assert "".join(text for text in written(svg(begun(), seat)) if re.fullmatch("[A-J]", text))[:10] == order


def test_columns_run_from_left_to_right_on_both_boards() -> None:
    """Numbers 1 to 10 stand along the top."""
    for seat in ("one", "two"):
        assert RULESET.text_map(view(begun(), seat)).splitlines()[0].split() == [str(number) for number in range(1, 11)]


def test_the_text_map_of_a_position() -> None:
    """Own pieces stand above, ~ for in transit, * for asteroids; enemy marks below, [met] or (departed)."""
    before = position("X1 E1>C1, Z2 E3, ASTEROID1 E9", "Y1 J10>B2, W D1, Z1 J2")
    state, _ = turn(before, one=["MOVE Z2 D2"])
    state, _ = turn(state, two=["MOVE Y1 D4"])
    state, _ = turn(state, one=["MOVE X1 C9"])

    lines = RULESET.text_map(view(state, "one")).splitlines()

    assert [line for line in lines if not line.startswith("  +")][11:19] == [
        "E |      |      |      |      |      |      |      |      |  *   |      |",
        "  |      |      |      |      |      |      |      |      |      |      |",
        "D |  .   | ~Z2  |      |      |      |      |      |      |      |      |",
        "  | [2W] |      |      |      |      |      |      |      |      |      |",
        "C |  .   |      |      |      |      |      |      |      |      |      |",
        "  |      |      |      |      |      |      |      |      |      |      |",
        "B |      |      |      |      |      |      |      |      |      |      |",
        "  |      | (1Y) |      |      |      |      |      |      |      |      |",
    ]


def test_a_crowded_square_is_counted() -> None:
    """If the signs of a square do not fit, their number stands there."""
    state = position("Z1 E1, Z2 E1, Z3 E1, W E1", "Z1 J1")

    assert rows(state, "one")["E"].startswith("E |4 own |")


def test_the_picture_shows_own_pieces_and_marks() -> None:
    """Own pieces bear their names, enemy marks their numbers and kinds; nothing else of the enemy is drawn."""
    drawing = svg(position("Z1 E1>C1, W B2", "X1 J3>A5, Y2 G4", blind=True))
    assert {"Z1", "W", "H", "?", "1"} <= set(written(drawing))
    assert "Y2" not in drawing


def test_flights_in_transit_are_drawn() -> None:
    """A dashed line goes from the square departed from to the destination."""
    assert svg(position("Z1 E1>C1", "Z1 J1")).count("<polyline") == 1
    assert "<polyline" not in svg(position("Z1 E1", "Z1 J1>A1"))


def test_the_picture_marks_what_is_new() -> None:
    """Squares just departed from are framed, and squares where pieces met bear a star."""
    before = position("Z1 E1>A1, Z2 E9", "X1 C1, Z1 J1")
    state, events = turn(before, one=["MOVE Z1 A3"])
    _, fresh = RULESET.pictures(view(state, "two", events))
    _, stale = RULESET.pictures(view(state, "two"))

    assert fresh.svg.count("<polygon") == stale.svg.count("<polygon") + 1


def test_pictures_can_be_read() -> None:
    """Letters are large enough and have contrast, also in crowded squares; nothing is clipped."""
    state = position("Z1 E1>C1, W B2, Z2 B2, Z3 B2, X1 B2, Y1 B2", "X1 J3>A5, Y2 G4, Z1 J1", blind=True)
    _, picture = RULESET.pictures(view(state, "one"))

    assert small_letters(picture) == []
    assert faint_labels(picture) == []
    assert outside(picture) == []


def test_signs_stand_out_from_both_halves() -> None:
    """Pieces, flights, enemy marks, crosses and coordinates have contrast for every kind of sight."""
    grounds = (board.OWN_HALF, board.THEIR_HALF)
    signs = (board.LIGHT, board.HOME_FILL, board.ROCK, board.FLIGHT, board.DARK_EDGE, board.BURST, board.STAR)

    assert min(contrast(sign, ground) for sign in signs for ground in grounds) >= SIGNS
    assert contrast(board.INK, board.SPACE) >= LETTERS


def test_what_was_seen_has_its_age() -> None:
    """A square on a judged flight bears the number of moves since."""
    before = position("Z1 E1>C1, Z2 E9", "Z1 J1")
    state, _ = turn(before, one=["MOVE Z2 A5"])
    state, _ = turn(state, two=["MOVE Z1 F1"])
    state, _ = turn(state, one=["MOVE Z1 A1"])
    seen = view(state, "one")

    assert seen["scouted"]
    ages = {str(seen["move"] - move) for move in seen["scouted"].values()}
    assert ages <= set(written(svg(state)))
    assert board.CROSS in stamps(state)


def test_where_a_fresh_enemy_may_be_bound_is_marked() -> None:
    """A dot is in each square that an enemy who has just departed may be bound for."""
    state, events = turn(position("Z1 E9>A9", "Z1 J1", mover="two"), two=["MOVE Z1 A1"])
    seen = view(state, "one", events)
    drawing = RULESET.pictures(seen)[1].drawing

    assert drawing is not None
    dots = [mark for mark in drawing.marks if isinstance(mark, SpriteInstance) and mark.sprite == board.REACH]
    assert len(dots) == len(seen["enemy"][0]["reach"]) > 0


def test_titles_tell_the_moment() -> None:
    """The alternative text names the game, the move and the player of the board."""
    _, picture = RULESET.pictures(view(begun(), "two"))

    assert picture.title == "Dueling Masters of Space-Time, move 1: the board of player two"
    assert "Move 1: player one to move" in written(picture.svg)
