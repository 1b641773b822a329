"""Receipts of sheets."""

from __future__ import annotations

import pytest

from pbem_rules.dueling_masters import RULESET
from tests.rules.dueling_masters.table import SETUPS, begun, codes, new_game, position, read, turn, view

OFFERS = (("DRAW OFFER",), ("DRAW OFFER", "MOVE Z1 F1"))


def only(line: str) -> tuple[str, str, str]:
    """Return the one error of a sheet of player one in a small position: code, text and hint."""
    state = position("Z1 E1>C1, X1 B2, X2 B9, ASTEROID1 B5", "Z1 J1")
    (finding,) = read(state, "one", line).errors
    return finding.code, finding.text, finding.hint


@pytest.mark.parametrize("line", ["MOVE Z1 TO H1", "move z1 h1", "Mov Z1 to h01", "  MOVE   z  H1 ; go"])
def test_a_move_may_be_written_in_many_ways(line: str) -> None:
    """Capitals, leading zeros, blanks, comments, TO, and abbreviated verbs or names make no difference."""
    parsed = read(position("Z1 E1", "Z1 J1"), "one", line)

    assert [RULESET.orders.line(order) for order in parsed.orders] == ["MOVE Z1 H1"]
    assert codes(parsed) == []


def test_a_word_that_is_no_square_is_refused() -> None:
    """The finding has the bounds of the board."""
    assert only("MOVE Z1 K1") == (
        "no-such-square",
        "there is no square K1",
        "rows go A to J",
    )
    assert only("MOVE Z1 C11")[2] == "columns go 1 to 10"


def test_a_square_out_of_reach_is_refused_with_near_ones() -> None:
    """The finding says where the piece is, how it moves, and where it could go instead."""
    code, text, hint = only("MOVE X1 C3")

    assert code == "out-of-reach"
    assert text == "C3 is out of reach: X1, your X fighter on B2, moves like a chess rook"
    assert hint.startswith("near it, X1 can go to B3, B4, C2")


def test_a_piece_that_is_there_already_is_refused() -> None:
    """A move to the piece's own square is refused."""
    assert only("MOVE X1 B2")[1] == "X1 is on B2 already"


def test_an_asteroid_in_the_way_is_refused_with_the_way_out() -> None:
    """The finding says how to ram."""
    assert only("MOVE X1 B7") == (
        "asteroid-in-the-way",
        "your own asteroid on B5 is in the way",
        "write: MOVE X1 TO B7 RAM to destroy them both",
    )


def test_ramming_needs_an_asteroid() -> None:
    """RAM on a free path is refused."""
    assert only("MOVE X1 B4 RAM")[::2] == ("nothing-to-ram", "leave out RAM")


def test_one_move_a_turn() -> None:
    """A second MOVE is refused, naming the first."""
    assert codes(read(position("Z1 E1", "Z1 J1"), "one", "MOVE Z1 E2", "MOVE Z1 E3")) == [(2, "only-one")]


def test_a_move_out_of_turn_is_refused() -> None:
    """A player who is not on move is told so."""
    assert codes(read(begun(), "two", "MOVE Z1 E3")) == [(1, "not-your-move")]


def test_a_sheet_without_a_move_is_remarked() -> None:
    """A sheet of the player on move without a MOVE brings a warning, unless it ends the game."""
    assert codes(read(begun(), "one")) == [(0, "no-move")]
    assert codes(read(begun(), "one", "RESIGN CONFIRM")) == []
    assert codes(read(begun(), "two")) == []


def test_an_offer_without_a_move_is_said_to_wait() -> None:
    """The receipt of the player on move says that an offer goes with the move, and does not promise it (ruling 20)."""
    said = {line: [finding.code for finding in read(begun(), "one", *line).findings] for line in OFFERS}

    assert said == {OFFERS[0]: ["no-move", "offer-waits"], OFFERS[1]: ["offers", "announced", "departs"]}


def test_two_lines_for_one_kind_are_refused() -> None:
    """Each kind is set up by one line of a sheet."""
    assert (8, "only-one") in codes(read(new_game(), "one", *SETUPS["one"], "SETUP W B1"))


def test_kinds_may_be_written_in_the_plural() -> None:
    """ASTEROIDS, HOMES and their abbreviations are understood."""
    lines = [line.replace("ASTEROID", "asteroids").replace("SETUP", "set") for line in SETUPS["one"]]

    assert codes(read(new_game(), "one", *lines)) == []


def test_draws_need_an_offer() -> None:
    """Accepting needs an offer, and an offer cannot be made twice or against another."""
    offered, _ = turn(begun(), one=["MOVE Z1 F1", "DRAW OFFER"])

    assert (1, "no-offer") in codes(read(begun(), "one", "DRAW ACCEPT"))
    assert codes(read(offered, "one", "DRAW OFFER")) == [(1, "offered")]
    assert codes(read(offered, "two", "DRAW ACCEPT")) == []


def test_orders_are_restated_in_words() -> None:
    """A receipt repeats every order in plain words."""
    placed = read(new_game(), "one", *SETUPS["one"]).orders
    moves = [
        read(position("Z1 E1, ASTEROID1 D1", "Z1 J1"), "one", line).orders[0]
        for line in ("MOVE Z1 E2", "RESIGN CONFIRM")
    ]
    ram = read(position("Z1 E1, ASTEROID1 D1", "Z1 J1"), "one", "MOVE Z1 C1 RAM").orders[0]

    assert [order.words() for order in (placed[0], placed[4], *moves, ram)] == [
        "your home planet on B8",
        "your X fighters on A2, E10",
        "Z1 flies to E2",
        "you resign: your opponent wins",
        "Z1 flies to C1 and rams your own asteroid on the way",
    ]


def test_the_sheet_of_the_set_up_shows_what_stands() -> None:
    """Placed kinds are lines ready to be returned, the others comments with blanks."""
    state, _ = turn(new_game(), one=SETUPS["one"][:2], two=[])

    form = RULESET.template(view(state, "one"))

    assert form[:2] == list(SETUPS["one"][:2])
    assert form[2:5] == ["; SETUP W <where>", "; SETUP B <where>", "; SETUP X <where> <where>"]


def test_the_sheet_of_a_move_lists_the_pieces_that_can_move() -> None:
    """Each piece that can move has a line, in transit or not, without a remark."""
    form = RULESET.template(view(position("Z1 E1>C1, X1 B2, ASTEROID1 A1", "Z1 J1>B1"), "one"))

    assert form == ["; MOVE Z1 TO <square>", "; MOVE X1 TO <square>", "; DRAW OFFER"]


def test_every_line_of_the_form_is_taken_when_filled_in() -> None:
    """A line without its semicolon and with its square filled in is that order; RAM is offered if only that is left."""
    state = position("Z1 E1>C1, Y1 A1, ASTEROID1 B2", "Z1 J1>B1")

    form = [line for line in RULESET.template(view(state, "one")) if line.startswith("; ")]
    lines = [line[2:].replace("<square>", "E3" if " Z1 " in line else "B2") for line in form]

    assert [read(state, "one", line).errors for line in lines] == [(), (), ()]
    assert [type(read(state, "one", line).orders[0]).__name__ for line in lines] == ["Move", "Ram", "Draw"]


def test_both_answers_to_an_offer_can_be_taken_from_the_form() -> None:
    """The order sheet has DRAW ACCEPT and DRAW DECLINE on a line each."""
    offered, _ = turn(begun(), one=["MOVE Z1 F1", "DRAW OFFER"])

    form = RULESET.template(view(offered, "two"))

    assert form[:2] == ["; DRAW ACCEPT", "; DRAW DECLINE"]
    assert "; DRAW OFFER" not in form
    assert [read(offered, "two", line[2:]).errors for line in form[:2]] == [(), ()]


def test_resigning_between_own_moves_is_taken() -> None:
    """A player who is not on move may resign, and is told when that takes effect (ruling 17)."""
    parsed = read(begun(), "two", "RESIGN CONFIRM")

    assert [RULESET.orders.line(order) for order in parsed.orders] == ["RESIGN CONFIRM"]
    assert [finding.code for finding in parsed.findings] == ["ends", "takes-effect"]
    assert parsed.errors == ()
