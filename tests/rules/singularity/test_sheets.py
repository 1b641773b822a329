"""Receipts of sheets."""

from __future__ import annotations

import pytest

from pbem_rules.singularity import RULESET
from pbem_rules.singularity.orders import If
from tests.rules.singularity.table import codes, new_game, position, read, remarks, turn, view


def only(*lines: str) -> tuple[str, str, str]:
    """Return the one finding of a sheet of blue's, on move after a stone on d4: code, text and hint."""
    (finding,) = remarks(read(position("d4"), "blue", *lines))
    return finding.code, finding.text, finding.hint


@pytest.mark.parametrize("line", ["PLACE e5", "place E5", "PLACE 5e", "Pla e05", "  place   e5 ; my best"])
def test_a_stone_may_be_written_in_many_ways(line: str) -> None:
    """Capitals, leading zeros, blanks, comments and short verbs make no difference."""
    parsed = read(position("d4"), "blue", line)

    assert [RULESET.orders.line(order) for order in parsed.orders] == ["PLACE e5"]
    assert remarks(parsed) == []


def test_a_cell_beyond_the_board_is_refused_with_its_columns_bounds() -> None:
    """A player who names a cell that is not there learns where the column ends."""
    code, text, hint = only("PLACE a3", "PLACE e5")

    assert (code, text, hint) == ("no-such-cell", "there is no cell a3", "column a goes from a6 to a11")


def test_a_column_beyond_the_board_is_refused_with_the_bounds() -> None:
    """A name that could be a cell of a larger board is answered with the bounds of this one."""
    assert only("PLACE z9", "PLACE e5")[::2] == ("no-such-cell", "columns go from a to k")


@pytest.mark.parametrize(
    "line", ["IF any THEN g6", "if red plays anywhere, I answer g6", "IF f6 THEN e6, else g6", "IF * g6"]
)
def test_no_word_stands_for_any_cell(line: str) -> None:
    """A reply answers the cell that it names, so one to any cell is refused with what to write."""
    assert only(line, "PLACE e5") == (
        "any-cell",
        "a line is about the cells that it names: no word stands for any cell",
        "write a line for each cell: IF <their cell> THEN <your cell>",
    )


def test_a_number_of_a_move_needs_no_blank_behind_it() -> None:
    """Moves are numbered as in chess."""
    assert read(new_game(), "red", "1.e5").orders == read(new_game(), "red", "1. PLACE e5").orders != ()


@pytest.mark.parametrize("line", ["Blue: PLACE e5", "blue E5", "e5 blue"])
def test_a_stone_of_the_opponent_is_not_ones_own(line: str) -> None:
    """A line that names the other colour places no stone; a reply may name it."""
    (error,) = read(new_game(), "red", line).errors

    assert (error.code, error.hint) == ("not-yours", "write: PLACE e5")
    assert read(new_game(), "red", f"if {line.replace('PLACE ', '')} then f5").orders == (If("e5", "f5"),)


def test_an_occupied_cell_is_refused() -> None:
    """The finding says whose stone lies there, and which."""
    assert only("PLACE d4", "PLACE e5")[:2] == ("taken", "d4 is taken: stone 1 (red) is there")


def test_the_black_stones_cell_is_refused() -> None:
    """Nothing can be placed on the black stone."""
    assert only("PLACE f1", "PLACE e5")[:2] == ("taken", "f1 is taken: the black stone stands there")


def test_one_stone_a_turn() -> None:
    """A second PLACE is refused, naming the first."""
    assert only("PLACE e5", "PLACE e6")[:2] == ("only-one", "line 1 says PLACE e5 already")


def test_a_stone_out_of_turn_is_refused() -> None:
    """A player not on move is told so, and how to plan ahead."""
    parsed = read(new_game(), "blue", "PLACE e5")

    assert codes(parsed) == [(1, "not-your-move")]
    assert "IF" in parsed.findings[0].hint


def test_a_sheet_without_a_stone_is_remarked() -> None:
    """A player on move who places nothing gets a warning, except where the sheet ends the game."""
    assert [read(new_game(), "red", *lines).errors for lines in ([], ["DRAW OFFER"])] == [(), ()]
    assert codes(read(new_game(), "red")) == [(0, "no-place")]
    assert codes(read(new_game(), "red", "DRAW OFFER")) == [(0, "no-place")]
    assert codes(read(new_game(), "red", "RESIGN CONFIRM")) == []
    assert codes(read(new_game(), "blue", "DRAW OFFER")) == []


@pytest.mark.parametrize("line", ["IF e5 THEN e5", "IF e5 THEN e6 AFTER e5", "IF e5 THEN e6 AFTER e6"])
def test_a_reply_names_different_cells(line: str) -> None:
    """The two or three cells of an IF line differ."""
    assert only(line, "PLACE a7")[0] == "same-cell"


def test_a_reply_needs_free_cells() -> None:
    """Both cells of an IF line are free; AFTER may name an own stone, but not one of the opponent's."""
    state = position("d4 e5")

    assert codes(read(state, "red", "PLACE a7", "IF d4 THEN c8", "IF c8 THEN e5")) == [(2, "taken"), (3, "taken")]
    assert codes(read(state, "red", "PLACE a7", "IF c8 THEN c4 AFTER d4", "IF c8 THEN c4 AFTER e5")) == [(3, "taken")]


def test_a_reply_and_the_stone_do_not_share_a_cell() -> None:
    """The cell of the sheet's own stone cannot be one of an IF line's; the stone counts, whichever comes first."""
    assert only("PLACE e5", "IF e5 THEN e6")[0] == "taken"
    assert codes(read(position("d4"), "blue", "IF e6 THEN e5", "PLACE e5")) == [(1, "taken")]


@pytest.mark.parametrize(
    "line", ["IF e4 THEN c8", "IF e4 THEN c8 AFTER e5", "IF e4 THEN PLACE c8", "IF e4 PLACE c8 AFTER e5"]
)
def test_replies_may_stand_before_the_stone(line: str) -> None:
    """IF lines above PLACE are understood as those below it, and PLACE may be written in them, too."""
    state = position("d4")

    above, below = read(state, "blue", line, "PLACE e5"), read(state, "blue", "PLACE e5", line)

    assert (remarks(above), set(above.orders)) == ([], set(below.orders))
    assert [entry.line for entry in above.entries] == [1, 2]


def test_a_replaced_reply_is_remarked() -> None:
    """A line that takes another's place is taken, with a warning that names the old one."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])

    parsed = read(before, "red", "IF d4 THEN e6", "IF d4 THEN e7")

    assert [finding.text for finding in remarks(parsed)] == [
        "this replaces IF d4 THEN e5",
        "this replaces IF d4 THEN e6",
    ]
    assert len(parsed.orders) == 2


def test_forget_knows_what_is_kept() -> None:
    """FORGET takes only cells that a kept reply answers, and offers those."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])

    parsed = read(before, "red", "FORGET c4", "FORGET d4", "FORGET")

    assert codes(parsed) == [(1, "unknown-name")]
    assert remarks(parsed)[0].hint == "possible: d4"
    assert [RULESET.orders.line(order) for order in parsed.orders] == ["FORGET d4", "FORGET"]


def test_draws_need_an_offer() -> None:
    """Accepting needs an offer, and an offer cannot be made twice or across another."""
    offered, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])

    assert only("DRAW ACCEPT", "PLACE e5")[0] == "no-offer"
    assert codes(read(offered, "red", "DRAW OFFER")) == [(1, "offered")]
    assert remarks(read(offered, "blue", "DRAW OFFER", "PLACE e5"))[0].hint == "write: DRAW ACCEPT"
    assert codes(read(offered, "blue", "DRAW ACCEPT")) == []


def test_a_finished_game_takes_no_orders() -> None:
    """After the end each line is answered so."""
    over, _ = turn(new_game(), red=["RESIGN CONFIRM"])

    assert codes(read(over, "blue", "PLACE e5", "RESIGN CONFIRM")) == [(1, "game-over"), (2, "game-over")]


def test_orders_are_restated_in_words() -> None:
    """A receipt repeats every order in plain words."""
    offered, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])
    offered, _ = turn(offered, blue=["IF c8 THEN c4"])
    lines = [
        "PLACE e5",
        "IF e4 THEN e6",
        "IF b6 THEN b7 AFTER e6",
        "FORGET c8",
        "FORGET",
        "DRAW DECLINE",
        "RESIGN CONFIRM",
    ]

    parsed = read(offered, "blue", *lines)

    assert [order.words() for order in parsed.orders] == [
        "your stone goes to e5",
        "if your opponent plays e4, you answer e6",
        "if your opponent plays b6, you answer b7, once you have a stone on e6",
        "your kept replies to c8 are dropped",
        "all your kept replies are dropped",
        "you decline the draw",
        "you resign: your opponent wins",
    ]


def test_the_sheet_in_a_report_says_what_is_asked() -> None:
    """A player on move finds PLACE, kept replies and the answer to an offer; the sheet can be returned as it is."""
    state, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"], blue=["IF e5 THEN e6"])

    mover, other = (RULESET.template(view(state, seat)) for seat in ("blue", "red"))

    assert [line.split()[:3] for line in mover if line[0] == ";"] == [
        [";", "DRAW", "ACCEPT"],
        [";", "DRAW", "DECLINE"],
        [";", "PLACE", "f6"],
        [";", "IF", "e6"],
    ]
    assert [line.split()[1] for line in other] == ["IF"]
    assert RULESET.template(view(new_game(), "red"))[-1] == "; DRAW OFFER"
    assert read(state, "blue", *mover).orders == ()


def test_every_line_of_the_form_is_an_order_without_its_semicolon() -> None:
    """The cells of the lines are free, and each line fits the others."""
    state, _ = turn(position("f6"), blue=["PLACE d4", "DRAW OFFER"], red=["IF e6 THEN e5"])
    form = RULESET.template(view(state, "red"))

    assert form == ["; DRAW ACCEPT", "; DRAW DECLINE", "; PLACE e6", "; IF e7 THEN f5"]
    for lines in ([form[0]], [form[1]], form[2:]):
        parsed = read(state, "red", *(line.removeprefix("; ") for line in lines))
        assert (len(parsed.orders), parsed.errors) == (len(lines), ())


def test_no_sheet_is_asked_for_at_the_end() -> None:
    """A finished game's report brings no sheet."""
    over, _ = turn(new_game(), red=["RESIGN CONFIRM"])

    assert RULESET.template(view(over, "red")) == []
