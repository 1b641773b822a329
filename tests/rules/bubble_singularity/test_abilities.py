"""The twelve ability cards."""

from __future__ import annotations

import pytest

from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES, deck
from tests.rules.bubble_singularity.table import lay, play, refused


def test_there_are_three_categories_of_four_cards() -> None:
    """Twelve ability cards: four each of movement, reactions and special."""
    assert [len(deck(category)) for category in CATEGORIES] == [4, 4, 4]
    assert len(ABILITIES) == 12


def test_quantum_drift_moves_diagonally() -> None:
    """Quantum Drift: the Mari moves diagonally as well as orthogonally."""
    after = play(lay(held=["drift"]), "MOVE NW S SE", "PULL N")

    assert [space for space, _ in after.told("moved")[0]["path"]] == ["B2", "B3", "C4"]


def test_wormhole_travel_goes_from_edge_to_edge() -> None:
    """Wormhole Travel: a step off an edge leads to the opposite edge of the row or column."""
    after = play(lay(held=["wormhole"]), "MOVE E E S", "PULL E")

    assert [space for space, _ in after.told("moved")[0]["path"]] == ["D3", "A3", "A4"]


def test_wormhole_travel_does_not_cross_a_mari() -> None:
    """The far edge must be free, like any space."""
    assert refused(lay(red="A3", held=["wormhole"]), "MOVE E E", "ROTATE CW")[0] == "occupied"


def test_bubble_resonance_adds_a_bubble_beside_ones_own() -> None:
    """Bubble Resonance: beside a bubble of your colour you may place one more of your colour."""
    after = play(lay(held=["resonance"], hand="rbb", lying={"B2": "b"}), "MOVE N", "BUBBLES red+", "PULL S")

    assert after.lying("C2") == "rb"
    assert after.hand() == "b"


def test_bubble_resonance_reacts_to_bubbles_of_the_same_move() -> None:
    """A bubble of your colour placed a step before counts as lying beside."""
    after = play(lay(held=["resonance"], hand="bbb"), "MOVE N N", "BUBBLES blue blue+", "PULL E")

    assert (after.lying("C2"), after.lying("C1")) == ("b", "bb")


@pytest.mark.parametrize(
    ("held", "lying", "code"),
    [([], {"B2": "b"}, "no-resonance"), (["resonance"], {}, "not-beside"), (["resonance"], {"C2": "b"}, "not-beside")],
)
def test_bubble_resonance_needs_a_bubble_beside(held: list[str], lying: dict[str, str], code: str) -> None:
    """The card must be held and a bubble of your colour must lie on a neighbouring space."""
    assert refused(lay(held=held, lying=lying), "MOVE N", "BUBBLES blue+", "PULL S")[0] == code


def test_efficient_explorer_moves_four_spaces_with_three_bubbles() -> None:
    """Efficient Explorer: 4 spaces while placing 3 bubbles; the player says which space goes without."""
    after = play(lay(held=["explorer"]), "MOVE N N W S", "BUBBLES blue none blue blue", "PULL N")

    assert [len(colours) for _, colours in after.told("moved")[0]["path"]] == [1, 0, 1, 1]
    assert after.hand() == ""


def test_efficient_explorer_moves_one_space_more_with_fewer_bubbles() -> None:
    """With one bubble two spaces can be entered, of which the first goes without by default."""
    after = play(lay(held=["explorer"], hand="b"), "MOVE N N", "PULL E")

    assert after.told("moved")[0]["path"] == [["C2", []], ["C1", ["blue"]]]


def test_efficient_explorer_may_place_all_bubbles_of_a_short_move() -> None:
    """To place one fewer is a choice; it comes with the further space only."""
    state = lay(held=["explorer"], hand="bbbb")

    assert play(state, "MOVE N N W", "PULL E").hand() == "b"
    assert refused(state, "MOVE N N W S", "BUBBLES blue blue blue blue", "PULL N")[0] == "one-bare"
    assert refused(state, "MOVE N N", "BUBBLES none none", "PULL E")[0] == "bubble-needed"
    assert refused(lay(held=["explorer"], hand=""), "MOVE N", "PULL E")[0] == "too-few-bubbles"


def test_bubble_fusion_pops_two_of_the_own_colour() -> None:
    """Bubble Fusion: two bubbles of your colour trigger a pop, alone or among others."""
    after = play(lay(held=["fusion"], hand="", lying={"C3": "b", "C2": "b"}), "PULL N")

    assert after.pops == ["C3"]


@pytest.mark.parametrize("lying", [{"C3": "b", "C2": "r"}, {"C3": "r", "C2": "r"}])
def test_bubble_fusion_is_for_the_own_colour(lying: dict[str, str]) -> None:
    """One bubble of your colour and one of another do not pop at two."""
    assert play(lay(held=["fusion"], hand="", lying=lying), "PULL N").pops == []


def test_bubble_fusion_works_in_ones_own_turns() -> None:
    """A pair of another player's colour stays in your turn; your pair anywhere on the board pops in yours."""
    lying = {"A4": "bb"}

    assert play(lay(held=["fusion"], hand="", lying=lying), "ROTATE CW").pops == ["A4"]
    assert play(lay(hand="", lying=lying), "ROTATE CW").pops == []


def test_cascade_control_sends_bubbles_two_spaces() -> None:
    """Cascade Control: bubbles of your colour may go along twice by one arrow."""
    state = lay(blue="B3", held=["cascade"], hand="", lying={"B3": "b", "B2": "rr"})
    after = play(state, "PULL N", "POP B3 blue EE, red N")

    assert (after.lying("C3"), after.lying("D3")) == ("", "b")


@pytest.mark.parametrize(
    ("held", "line", "code"),
    [
        ([], "POP C3 blue NN", "no-cascade"),
        (["cascade"], "POP C3 red NN", "not-yours"),
        (["cascade"], "POP C3 blue EE", "off-board"),
    ],
)
def test_cascade_control_has_its_bounds(held: list[str], line: str, code: str) -> None:
    """It needs the card and a bubble of your colour, and it does not cross the edge."""
    assert refused(lay(held=held, hand="", lying={"C3": "b", "C2": "rr"}), "PULL N", line)[0] == code


def test_cascade_control_is_a_choice() -> None:
    """Without a doubled way bubbles of your colour go one space."""
    after = play(lay(blue="B3", held=["cascade"], hand="", lying={"B3": "b", "B2": "rr"}), "PULL N", "POP B3 blue E")

    assert after.lying("C3") == "b"


@pytest.mark.parametrize(("lying", "count"), [({"C3": "rr", "C2": "g"}, 0), ({"C3": "rr", "C2": "g", "D3": "rr"}, 1)])
def test_energy_harvest_brings_a_bubble_for_a_chain_of_two(lying: dict[str, str], count: int) -> None:
    """Energy Harvest: a chain of length 2 or more brings one bubble from the bag."""
    state = lay(held=["harvest"], hand="", lying=lying, cards={"C3": "NES", "D3": "NSW"})
    after = play(state, "PULL N")

    assert len(after.hand()) == count
    assert len(after.state.bag) == len(state.bag) - count


def test_reaction_amplifier_scores_one_longer() -> None:
    """Reaction Amplifier: a single pop scores as a chain of two; three pops earn the marker."""
    single = play(lay(held=["amplifier"], hand="", lying={"C3": "rr", "C2": "g"}), "PULL N")
    linked = {"C3": "rr", "C2": "g", "D3": "rr", "B3": "rr"}
    cards = {"B3": "NS", "D3": "NS", "C3": "ESW"}
    triple = play(lay(held=["amplifier"], hand="", lying=linked, cards=cards), "PULL N")

    assert (single.scored["length"], single.scored["points"]) == (2, 3)
    assert (len(triple.pops), triple.scored["points"], triple.scored["markers"]) == (3, 10, 1)


def test_space_folder_turns_any_card() -> None:
    """Space Folder: once a turn any card on the board is rotated by 90 degrees; nothing is pushed."""
    after = play(lay(held=["folder"], lying={"A1": "r"}), "USE FOLDER A1 CCW", "MOVE N", "PULL S")

    assert after.state.cards["A1"].arrows == "NE"
    assert after.lying("A1") == "r"


def test_space_folder_works_before_or_after_the_move() -> None:
    """An ability acts where its line stands: the card is turned before or after the push."""
    state = lay(held=["folder"], cards={"C2": "NS"})
    before = play(state, "MOVE N", "USE FOLDER C2 CW", "ROTATE CW")
    after = play(state, "MOVE N", "ROTATE CW", "USE FOLDER C2 CW")

    assert (before.lying("C1"), after.lying("D2")) == ("b", "b")


@pytest.mark.parametrize(("way", "goal"), [("", "C3"), ("N E", "B2"), ("E N", "B2"), ("N N", "A1")])
def test_singularity_attractor_brings_a_node_two_spaces_nearer(way: str, goal: str) -> None:
    """Singularity Attractor: a node comes two spaces towards the Mari, by the way named."""
    after = play(
        lay(blue="C1", red="D4", held=["attractor"], nodes=["A3"]), f"USE ATTRACTOR A3 {way}", "MOVE E", "PULL S"
    )

    assert after.state.nodes == (goal,)


def test_singularity_attractor_stops_at_the_mari() -> None:
    """A node beside the Mari comes one space only; one under it does not move."""
    state = lay(held=["attractor"], nodes=["C2", "D1"])

    assert play(state, "USE ATTRACTOR C2", "MOVE N", "PULL S").state.nodes == ("C3", "D1")
    assert refused(state, "MOVE N", "USE ATTRACTOR C2", "PULL S")[0] == "node-here"


@pytest.mark.parametrize("way", ["E E", ""])
def test_singularity_attractor_passes_a_node(way: str) -> None:
    """A node may come over another one, if only it does not end there (ruling 16)."""
    state = lay(blue="D1", red="D4", held=["attractor"], nodes=["A1", "B1"])

    assert play(state, f"USE ATTRACTOR A1 {way}", "MOVE S", "ROTATE CW").state.nodes == ("C1", "B1")


@pytest.mark.parametrize("way", ["S", ""])
def test_singularity_attractor_brings_a_node_one_space_where_others_block_it(way: str) -> None:
    """A node comes one space if it would end on another node by any way of two (ruling 16)."""
    state = lay(red="D4", held=["attractor"], nodes=["C1", "C3"])

    assert play(state, f"USE ATTRACTOR C1 {way}", "MOVE N", "PULL S").state.nodes == ("C2", "C3")
    assert refused(state, "USE ATTRACTOR C1 S S", "MOVE N", "PULL S")[0] == "wrong-distance"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("USE ATTRACTOR A1 N W", "not-towards"),
        ("USE ATTRACTOR A1 E", "wrong-distance"),
        ("USE ATTRACTOR A1 E E", "node-there"),
    ],
)
def test_singularity_attractor_keeps_to_its_way(line: str, code: str) -> None:
    """Each step comes nearer, there are two, and no node comes onto another."""
    assert refused(lay(red="D4", held=["attractor"], nodes=["A1", "C1"]), line, "MOVE N", "PULL S")[0] == code


@pytest.mark.parametrize(("nodes", "length", "points"), [(["D3"], 1, 3), (["C3"], 2, 3), (["A1"], 1, 1)])
def test_node_affinity_adds_two_points_beside_a_node(nodes: list[str], length: int, points: int) -> None:
    """Node Affinity: a chain with a pop beside a node is worth 2 points more; a pop on the node is not beside it."""
    after = play(lay(red="D4", held=["affinity"], hand="", nodes=nodes, lying={"C3": "rr", "C2": "g"}), "PULL N")

    assert (after.scored["length"], after.scored["points"]) == (length, points)


def test_bubble_director_moves_a_bubble_of_the_own_colour() -> None:
    """Bubble Director: once a turn a bubble of your colour goes to a space beside it, and may make it pop."""
    after = play(lay(held=["director"], hand="", lying={"A4": "b", "B4": "rr"}), "ROTATE CW", "USE DIRECTOR A4 E")

    assert after.told("directed") == [{"who": "blue", "start": "A4", "space": "B4"}]
    assert after.pops == ["B4"]


def test_bubble_director_moves_no_other_colour() -> None:
    """There must be a bubble of your colour, and a space to go to."""
    state = lay(held=["director"], lying={"A4": "rb"})

    assert refused(state, "MOVE N", "PULL S", "USE DIRECTOR B2 E")[0] == "no-such-bubble"
    assert refused(state, "MOVE N", "PULL S", "USE DIRECTOR A4 W")[0] == "off-board"


@pytest.mark.parametrize("line", ["USE FOLDER A1 CW", "USE ATTRACTOR D2", "USE DIRECTOR C2 N"])
def test_an_ability_must_be_held(line: str) -> None:
    """Only the holder of a card may use it."""
    assert refused(lay(nodes=["D2"], lying={"C2": "b"}), "MOVE N", line, "PULL S")[0] == "no-ability"


def test_an_ability_works_once_a_turn() -> None:
    """A second use in the same turn is refused."""
    state = lay(held=["folder"])

    assert refused(state, "USE FOLDER A1 CW", "MOVE N", "USE FOLDER A2 CW", "PULL S")[0] == "once-a-turn"


def test_abilities_of_different_categories_work_together() -> None:
    """Abilities stack: Drift, Fusion and Director in one turn."""
    state = lay(held=["drift", "fusion", "director"], hand="b", lying={"B1": "b"})
    after = play(state, "MOVE NW", "USE DIRECTOR B1 S", "PULL S")

    assert after.pops == ["B2"]
