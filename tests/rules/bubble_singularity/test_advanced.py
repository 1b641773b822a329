"""Module 2: the 5 by 5 grid with the Universe, flux, unstable and expansion cards."""

from __future__ import annotations

from collections import Counter

import pytest

from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.abilities import CATEGORIES
from pbem_rules.bubble_singularity.cards import STATIONS
from pbem_rules.bubble_singularity.state import Rules, State
from pbem_rules.bubble_singularity.table import category_of
from tests.rules.bubble_singularity.table import begun, codes, lay, new_game, play, read, refused, sides


def wide(**changes: object) -> State:
    """Build a 5 by 5 table with blue on C5 and red on A3."""
    return lay(**{"blue": "C5", "red": "A3", "advanced": True, **changes})  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize("layout", ["standard", "shuffled"])
def test_there_are_25_cards(layout: str) -> None:
    """Four stations, the Universe, four flux, four unstable, four expansion and eight plain cards."""
    cards = new_game(advanced=True, layout=layout).cards

    kinds = Counter(card.kind for card in cards.values())
    assert len(cards) == 25
    assert kinds == {"plain": 8, "flux": 4, "unstable": 4, "expansion": 4, "universe": 1} | dict.fromkeys(STATIONS, 1)
    assert all(2 <= len(card.arrows) <= 4 for card in cards.values())


def test_the_universe_lies_in_the_centre_and_stations_in_the_corners() -> None:
    """C3 is the Universe; stations lie in the corners, clockwise from A1."""
    cards = new_game(advanced=True).cards

    assert cards["C3"].kind == "universe"
    assert [cards[place].kind for place in ("A1", "E1", "E5", "A5")] == list(STATIONS)


def test_nodes_lie_diagonally_around_the_centre() -> None:
    """The four nodes are B2, D2, B4 and D4."""
    assert set(new_game(advanced=True).nodes) == {"B2", "D2", "B4", "D4"}


def test_a_mari_starts_on_the_middle_of_a_side() -> None:
    """Starts are C1, E3, C5 and A3."""
    state = begun(4, advanced=True).state

    assert [state.players[seat].at for seat in state.seats] == ["C1", "E3", "C5", "A3"]
    assert sides(state) == {"red": "N", "green": "E", "blue": "S", "yellow": "W"}


def test_a_bubble_lies_on_both_nodes_opposite() -> None:
    """A player in the north has a bubble on B4 and D4, and so on: two bubbles on each node with four players."""
    after = begun(4, advanced=True)

    assert [after.lying(node) for node in ("B2", "D2", "B4", "D4")] == ["gb", "by", "rg", "ry"]


def test_everybody_begins_with_seven_bubbles_and_three_abilities() -> None:
    """The first supply is 7 bubbles, and each player holds one ability of each category."""
    state = new_game(4, advanced=True)

    assert all(len(player.hand) == 7 for player in state.players.values())
    assert all([category_of(card) for card in player.cards] == list(CATEGORIES) for player in state.players.values())
    assert new_game(advanced=True, beginner=True).players["red"].hand == ("red",) * 5


def test_a_mari_moves_up_to_four_spaces() -> None:
    """Maximum movement is 4 spaces, and 5 with Efficient Explorer."""
    state = wide(hand="bbbb")

    assert play(state, "MOVE N N E S", "PULL W").player().at == "D4"
    assert refused(wide(hand="bbbbb"), "MOVE N N E S E", "PULL W")[0] == "too-far"
    assert play(wide(hand="bbbb", held=["explorer"]), "MOVE N N E S E", "PULL W").player().at == "E4"


@pytest.mark.parametrize(("length", "points"), [(1, 0), (2, 1), (3, 3), (4, 6), (5, 10), (9, 10)])
def test_chains_must_be_longer_by_one(length: int, points: int) -> None:
    """Length requirements increase by 1."""
    assert Rules(advanced=True).points(length) == points


def test_a_marker_needs_a_chain_of_five() -> None:
    """A chain of 4 brings no marker on 5 by 5; one of 5 does."""
    cards = dict.fromkeys(["A2", "B2", "C2", "D2", "E2"], "NW")
    row = {"E2": "rrr", "D2": "rr", "C2": "rr", "B2": "rr"}
    four = play(wide(hand="", lying=row, cards=cards), "ROTATE CW")
    five = play(wide(hand="", lying={**row, "A2": "rr"}, cards=cards), "ROTATE CW")

    assert (len(four.pops), four.scored["points"], four.scored["markers"]) == (4, 6, 0)
    assert (five.scored["points"], five.scored["markers"]) == (10, 1)


def test_the_game_ends_with_the_seventh_marker() -> None:
    """Seven markers end the game instead of five."""
    six = play(wide(hand="", markers=6), "ROTATE CW")
    seven = play(wide(hand="", markers=7), "ROTATE CW")

    assert (six.state.last_round, seven.state.last_round) == (False, True)


def test_the_universe_is_a_node() -> None:
    """A pop on it makes the chain one longer and brings ability cards."""
    after = play(wide(hand="", lying={"C3": "rrr"}), "ROTATE CW")

    assert after.scored["length"] == 2
    assert after.state.question is not None


def test_a_chain_with_the_universe_brings_a_marker_more() -> None:
    """A chain that includes the Universe awards 1 additional marker, however long it is."""
    after = play(wide(hand="", lying={"C3": "rrr"}), "ROTATE CW")

    assert (after.scored["markers"], after.player().markers) == (1, 1)


def test_the_universe_is_a_station() -> None:
    """A chain of length 3 or more with a pop on it gives control, and it counts among the stations at the end."""
    after = play(wide(hand="", lying={"C3": "rrr", "C2": "rr"}, control={"research": "blue"}), "ROTATE CW")

    assert after.state.control == {"research": "blue", "universe": "blue"}
    assert RULESET.view(after.state, "blue", ())["players"]["blue"]["stations"] == 5


def test_on_the_universe_any_action_may_be_chosen() -> None:
    """A blocked action may be chosen on the Universe all the same."""
    state = wide(blue="C4", hand="b", blocked="ROTATE")

    assert codes(read(state, "MOVE N", "ROTATE CW")) == []
    assert codes(read(state, "MOVE W", "ROTATE CW"))[-1] == (2, "blocked")


def test_a_flux_card_turns_after_each_pop() -> None:
    """After a pop on it a flux card rotates clockwise; the pop itself went by the old arrows."""
    after = play(wide(hand="", lying={"E2": "rrr"}), "ROTATE CW")

    assert [way for _, way, _ in after.told("popped")[0]["sent"]] == ["N", "S"]
    assert after.state.cards["E2"].arrows == "EW"
    assert after.told("turned") == [{"space": "E2", "arrows": "EW"}]


def test_an_unstable_card_changes_places_with_a_neighbour() -> None:
    """After a pop on it an unstable card is swapped with the card chosen; what lies on them stays."""
    after = play(wide(hand="", lying={"E4": "rrr", "D4": "y"}), "ROTATE CW", "SWAP E4 W")

    assert after.told("swapped") == [{"space": "E4", "other": "D4"}]
    assert (after.state.cards["D4"].kind, after.state.cards["E4"].kind) == ("unstable", "plain")
    assert "y" in after.lying("D4")


def test_an_unstable_card_swaps_north_by_default() -> None:
    """Without SWAP the partner is the first neighbour clockwise from north; one off the board is refused."""
    state = wide(hand="", lying={"E4": "rrr"})

    assert play(state, "ROTATE CW").told("swapped") == [{"space": "E4", "other": "E3"}]
    assert refused(state, "ROTATE CW", "SWAP E4 E")[0] == "off-board"


def test_a_swapped_station_keeps_its_controller() -> None:
    """Control belongs to the card, wherever it lies."""
    state = wide(hand="", lying={"E4": "rrr"}, control={"energy": "red"})
    after = play(state, "ROTATE CW", "SWAP E4 S")

    shown = RULESET.view(after.state, "blue", ())["spaces"]["E4"]
    assert (shown["kind"], shown["control"]) == ("energy", "red")


def test_from_an_expansion_card_bubbles_go_two_spaces() -> None:
    """When an expansion card pops, bubbles move 2 spaces instead of 1, or one where the second is off the board."""
    after = play(wide(hand="", lying={"D3": "rry"}, cards={"D3": "NEW expansion"}), "ROTATE CW")

    assert [goal for _, _, goal in after.told("popped")[0]["sent"]] == ["D1", "E3", "B3"]


def test_cascade_control_adds_to_an_expansion() -> None:
    """From an expansion card Cascade Control sends a bubble three spaces."""
    state = wide(hand="", held=["cascade"], lying={"D3": "rrb"}, cards={"D3": "EW expansion"})
    after = play(state, "ROTATE CW", "POP D3 blue WW")

    assert after.told("popped")[0]["sent"] == [["red", "E", "E3"], ["blue", "W", "A3"]]


def test_pushes_are_no_chains() -> None:
    """Flux, unstable and expansion cards act on pops, not on Rotate & Push."""
    after = play(wide(hand="b", lying={"C4": "r"}), "MOVE N", "ROTATE CW")

    assert after.told("rotated")[0]["space"] == "C4"
    assert (after.lying("C3"), after.lying("D4")) == ("r", "b")
