"""Phase 2: Rotate & Push, or Gravity Pull."""

from __future__ import annotations

import pytest

from tests.rules.bubble_singularity.table import codes, lay, play, read, refused


@pytest.mark.parametrize(("turn", "arrows"), [("CW", "NEW"), ("CCW", "ESW")])
def test_the_card_turns_by_a_quarter_either_way(turn: str, arrows: str) -> None:
    """Rotate & Push turns the card under the Mari by 90 degrees clockwise or counter-clockwise."""
    after = play(lay(cards={"C2": "NSW"}), "MOVE N", f"ROTATE {turn}")

    assert after.state.cards["C2"].arrows == arrows


def test_all_bubbles_are_pushed_along_the_arrows() -> None:
    """After the turn every bubble of the space leaves along an arrow."""
    after = play(lay(lying={"C2": "r"}, cards={"C2": "NS"}), "MOVE N", "ROTATE CW")

    assert [after.lying(place) for place in ("B2", "C2", "D2")] == ["b", "", "r"]


def test_five_bubbles_on_two_arrows_go_three_and_two() -> None:
    """Bubbles are spread as evenly as possible, one by one, clockwise from north."""
    after = play(lay(lying={"C2": "rrrr"}, cards={"C2": "NW"}), "MOVE N", "ROTATE CW")

    assert [(colour[0] + way) for colour, way, _ in after.told("rotated")[0]["sent"]] == ["rN", "rN", "bN", "rE", "rE"]


def test_the_player_chooses_which_bubbles_go_where() -> None:
    """SEND says which bubble takes which arrow, within the even shares."""
    state = lay(lying={"C2": "rg"}, cards={"C2": "NW"})
    after = play(state, "MOVE N", "ROTATE CW", "SEND blue E")

    assert [after.lying(place) for place in ("C1", "D2")] == ["rg", "b"]


@pytest.mark.parametrize(
    ("send", "code"),
    [
        ("SEND blue W", "no-such-arrow"),
        ("SEND blue E, red E", "no-such-arrow"),
        ("SEND yellow N", "no-such-bubble"),
        ("SEND blue", "not-in-pairs"),
        ("SEND blue red", "not-in-pairs"),
    ],
)
def test_a_send_that_cannot_be_is_refused(send: str, code: str) -> None:
    """Bubbles that are not there, arrows that are full or missing, and lonely words are refused."""
    assert refused(lay(lying={"C2": "rg"}, cards={"C2": "NW"}), "MOVE N", "ROTATE CW", send)[0] == code


def test_a_send_needs_a_push() -> None:
    """SEND without ROTATE is refused."""
    assert refused(lay(), "MOVE N", "PULL N", "SEND blue N")[0] == "no-push"


def test_bubbles_whose_arrow_points_off_the_board_stay() -> None:
    """A push off the board carries nothing; its bubble stays on the space."""
    after = play(lay(lying={"C1": "r"}, cards={"C1": "EW"}), "MOVE N N", "ROTATE CW")

    assert after.told("rotated")[0]["arrows"] == "NS"
    assert [after.lying("C1"), after.lying("C2")] == ["r", "bb"]


def test_an_empty_space_can_be_rotated() -> None:
    """A Mari without bubbles may turn an empty card."""
    assert play(lay(hand=""), "ROTATE CW").told("rotated")[0]["sent"] == []


@pytest.mark.parametrize(("way", "start"), [("N", "C2"), ("E", "D3"), ("S", "C4"), ("W", "B3")])
def test_gravity_pulls_all_bubbles_of_one_neighbour(way: str, start: str) -> None:
    """Gravity Pull brings all bubbles of one adjacent space to the Mari's, and of no other."""
    lying = {"C2": "ry", "D3": "ry", "C4": "ry", "B3": "ry"}
    after = play(lay(hand="", lying=lying), f"PULL {way}")

    (pulled,) = after.told("pulled")
    assert (pulled["start"], pulled["bubbles"]) == (start, ["red", "yellow"])
    assert after.lying("C3") == "ry"
    assert [place for place in lying if not after.lying(place)] == [start]


def test_a_mari_does_not_guard_its_bubbles() -> None:
    """The space of another Mari may be pulled from."""
    assert play(lay(hand="", red="C2", lying={"C2": "r"}), "PULL N").lying("C3") == "r"


def test_there_is_nothing_beyond_the_edge_to_pull() -> None:
    """Gravity Pull needs a space to pull from."""
    assert refused(lay(blue="C2"), "MOVE N", "PULL N")[0] == "off-board"


def test_exactly_one_action_is_taken() -> None:
    """A second action of any kind is refused."""
    assert codes(read(lay(), "MOVE N", "ROTATE CW", "PULL N", "ROTATE CCW")) == [(3, "only-one"), (4, "only-one")]


def test_a_sheet_without_an_action_rotates_clockwise() -> None:
    """An action is not optional: without one the card is rotated clockwise."""
    state = lay(cards={"C2": "NE"})

    assert play(state, "MOVE N").state.cards["C2"].arrows == "ES"
    assert (0, "no-action") in codes(read(state, "MOVE N"))


def test_the_action_is_where_the_move_ended() -> None:
    """The action concerns the space on which the Mari ended its movement."""
    after = play(lay(), "MOVE N N", "ROTATE CW")

    assert after.told("rotated")[0]["space"] == "C1"


def test_the_order_of_move_and_action_lines_is_free() -> None:
    """The move comes first, even where its line stands below the action's."""
    assert play(lay(), "PULL W", "MOVE N").told("pulled")[0]["space"] == "C2"
