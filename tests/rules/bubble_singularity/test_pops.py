"""Phase 3: when bubbles pop, where they go, and how one pop causes the next."""

from __future__ import annotations

import pytest

from pbem_rules.bubble_singularity.grid import squares
from tests.rules.bubble_singularity.table import codes, lay, play, read, refused, tokens


def test_three_bubbles_pop() -> None:
    """A space with 3 or more bubbles pops, whatever their colours."""
    after = play(lay(hand="", lying={"C3": "r", "C2": "gy"}), "PULL N")

    assert after.pops == ["C3"]


def test_two_bubbles_rest() -> None:
    """Two bubbles on a space do not pop."""
    after = play(lay(hand="", lying={"C3": "r", "C2": "g"}), "PULL N")

    assert (after.pops, after.told("scored")) == ([], [])


def test_one_bubble_moves_along_each_arrow() -> None:
    """With as many bubbles as arrows each arrow carries one to the next space."""
    after = play(lay(hand="", lying={"C3": "r", "C2": "gy"}, cards={"C3": "NEW"}), "PULL N")

    assert [after.lying(place) for place in ("C2", "D3", "B3", "C3")] == ["r", "g", "y", ""]


def test_the_mover_collects_the_excess() -> None:
    """Bubbles that no arrow carries go to the supply of the player who triggered the pop."""
    after = play(lay(hand="", lying={"C3": "rr", "C2": "bbb"}, cards={"C3": "NE"}), "PULL N")

    assert after.hand() == "bbb"
    assert after.told("popped")[0]["collected"] == ["blue", "blue", "blue"]


def test_fewer_bubbles_than_arrows_go_clockwise_from_north() -> None:
    """Three bubbles on four arrows take north, east and south."""
    after = play(lay(hand="", lying={"C3": "r", "C2": "gy"}), "PULL N")

    assert [after.lying(place) for place in ("C2", "D3", "C4", "B3")] == ["r", "g", "y", ""]


def test_the_mover_chooses_which_bubble_takes_which_arrow() -> None:
    """POP assigns bubbles to arrows; those not named go by default, and the rest is collected."""
    state = lay(hand="", lying={"C3": "r", "C2": "gyb"}, cards={"C3": "NE"})
    after = play(state, "PULL N", "POP C3 blue N, yellow E")

    assert [after.lying("C2"), after.lying("D3"), after.hand()] == ["b", "y", "rg"]


def test_the_own_colour_is_sent_last_by_default() -> None:
    """By default the other colours leave and the own colour is collected."""
    after = play(lay(hand="", lying={"C3": "b", "C2": "yr"}, cards={"C3": "NE"}), "PULL N")

    assert [after.lying("C2"), after.lying("D3"), after.hand()] == ["r", "y", "b"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("POP C3 red S", "no-such-arrow"),
        ("POP C3 red N, green N", "no-such-arrow"),
        ("POP C3 blue N", "no-such-bubble"),
        ("POP C3 red", "not-in-pairs"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(line: str, code: str) -> None:
    """A POP that names missing bubbles or arrows is refused and the pop goes by default."""
    state = lay(hand="", lying={"C3": "r", "C2": "gy"}, cards={"C3": "NE"})

    assert refused(state, "PULL N", line)[0] == code


def test_a_pop_that_does_not_come_is_remarked() -> None:
    """A POP line for a space that does not pop, or not so often, brings a warning."""
    state = lay(hand="", lying={"C3": "r", "C2": "gy"})

    assert codes(read(state, "PULL N", "POP B2 red N", "POP C3 red N", "POP C3 red E")) == [
        (2, "no-such-pop"),
        (4, "no-such-pop"),
    ]


def test_bubbles_never_leave_the_board() -> None:
    """An arrow off the board carries nothing but counts: of 4 bubbles on C1 2 move, 1 stays, 1 is collected."""
    after = play(lay(blue="C1", hand="", lying={"C1": "rr", "C2": "rr"}, cards={"C1": "NES"}), "PULL S")

    (popped,) = after.told("popped")
    assert [way for _, way, _ in popped["sent"]] == ["E", "S"]
    assert (popped["stayed"], popped["collected"]) == (["red"], ["red"])


def test_a_bubble_can_be_told_to_stay() -> None:
    """Named with an arrow off the board, a bubble stays on the space."""
    state = lay(blue="C1", hand="", lying={"C1": "ry", "C2": "gb"}, cards={"C1": "NES"})
    after = play(state, "PULL S", "POP C1 yellow N, blue E")

    assert after.lying("C1") == "y"
    assert after.lying("D1") == "b"


def test_bubbles_without_an_arrow_stay() -> None:
    """Three bubbles on an edge card with three arrows: two move and the third finds none on the board."""
    after = play(lay(blue="C1", hand="", lying={"C1": "r", "C2": "gy"}, cards={"C1": "NES"}), "PULL S")

    assert (after.told("popped")[0]["stayed"], after.lying("C1")) == (["yellow"], "y")


def test_a_pop_that_would_change_nothing_does_not_happen() -> None:
    """Two bubbles beside the energy station whose arrows point off the board stay unpopped."""
    cards = {"A2": "NE energy", "A1": "NW"}
    after = play(lay(blue="D4", red="D1", hand="b", lying={"A1": "rr"}, cards=cards), "MOVE N", "PULL W")

    assert after.pops == []


def test_pops_come_after_the_action() -> None:
    """A group of three made by moving may be pushed apart before it pops."""
    after = play(lay(hand="b", lying={"C2": "rg"}, cards={"C2": "NSW"}), "MOVE N", "ROTATE CW")

    assert after.pops == []
    assert [after.lying(place) for place in ("C1", "D2", "B2")] == ["r", "g", "b"]


def test_a_group_made_in_passing_pops_too() -> None:
    """All groups that are ready pop, also one that the Mari only passed."""
    after = play(lay(hand="bb", lying={"C2": "rg"}), "MOVE N N", "PULL W")

    assert after.pops == ["C2"]


def test_whatever_is_ready_pops_in_the_turn() -> None:
    """A group left ready by an earlier turn pops in this one, touched or not."""
    after = play(lay(hand="", lying={"A4": "rrr"}), "ROTATE CW")

    assert after.pops == ["A4"]


def test_a_pop_may_bring_the_next() -> None:
    """A bubble that joins two others makes three, and they pop: a chain."""
    lying = {"C3": "r", "C2": "gy", "D3": "rr"}
    after = play(lay(hand="", lying=lying, cards={"C3": "NE", "D3": "NS"}), "PULL N")

    assert after.pops == ["C3", "D3"]
    assert [after.lying(place) for place in ("D2", "D4")] == ["r", "r"]


def test_the_space_first_ready_pops_first() -> None:
    """Pops come in the order in which spaces became ready; of several at once, by rows from the north-west."""
    lying = {"C2": "rg", "C3": "rr", "C1": "rr", "A1": "ggg", "D4": "ggg"}
    after = play(lay(red="A3", hand="bb", lying=lying), "MOVE N N", "PULL W")

    assert after.pops[:4] == ["A1", "D4", "C2", "C1"]


def test_a_space_may_pop_again() -> None:
    """When three bubbles come together again on a space that has popped, it pops again."""
    lying = {"C3": "rr", "C2": "gy", "B3": "rr", "D3": "rr", "C4": "rr"}
    after = play(lay(hand="", lying=lying, cards={"B3": "NES", "D3": "NSW"}), "PULL N")

    assert after.pops[:5] == ["C3", "B3", "D3", "C4", "C3"]


def test_a_second_pop_line_is_for_the_second_pop() -> None:
    """The lines for a space are used pop by pop."""
    lying = {"C3": "rr", "C2": "gy", "B3": "rr", "D3": "rr", "C4": "rr"}
    state = lay(hand="", lying=lying, cards={"B3": "NES", "D3": "NSW"})
    lines = ["PULL N", "POP C3 yellow N", "POP C3 red S"]
    after = play(state, *lines)

    sent = [event["sent"] for event in after.told("popped") if event["space"] == "C3"]
    assert (len(sent), sent[0][0][:2], sent[1][-1][:2]) == (2, ["yellow", "N"], ["red", "S"])
    assert codes(read(state, *lines)) == []
    assert codes(read(state, *lines, "POP C3 red S")) == [(4, "no-such-pop")]


def test_a_chain_ends_where_everything_repeats() -> None:
    """An endless chain ends when board and waiting pops are as they were before (ruling 15)."""
    everywhere = dict.fromkeys(squares(4), "NESW")
    state = lay(blue="A1", red="D4", hand="", lying=dict.fromkeys(squares(4), "rrr"), cards=everywhere, bag="")
    after = play(state, "ROTATE CW")

    assert len(after.pops) == 42
    assert any(chain["cut"] for chain in after.told("scored"))
    assert tokens(after.state) == tokens(state)


def test_the_receipt_tells_what_a_sheet_will_bring() -> None:
    """As the game lies open, the receipt tells pops, length and points in advance."""
    notes = read(lay(hand="", lying={"C3": "r", "C2": "gy"}), "PULL N").findings

    assert [(note.severity, note.text) for note in notes] == [
        ("note", "green, yellow pulled from C2 to C3"),
        ("note", "pops: C3; length 1, 1 point"),
    ]
