"""Scores of chain reactions: lengths, points, markers, nodes."""

from __future__ import annotations

import pytest

from pbem.ruleset import SeatName
from pbem_rules.bubble_singularity.state import Player, Rules
from tests.rules.bubble_singularity.table import bubbles, lay, play

ROW = {"A2": "NS", "B2": "NS", "C2": "NS", "D2": "NS"}
"""Cards whose arrows send bubbles out of their row."""


@pytest.mark.parametrize(("length", "points"), [(0, 0), (1, 1), (2, 3), (3, 6), (4, 10), (5, 10), (12, 10)])
def test_a_chain_is_worth_by_its_length(length: int, points: int) -> None:
    """A single pop scores 1, two pops 3, three 6, four or more 10."""
    assert Rules().points(length) == points


@pytest.mark.parametrize(("more", "points", "markers"), [("", 1, 0), ("D", 3, 0), ("DB", 6, 0), ("DBC", 10, 1)])
def test_each_pop_counts(more: str, points: int, markers: int) -> None:
    """1, 3 and 6 points for chains of 1, 2 and 3; 10 points and a Singularity Point marker for 4."""
    places = {"D": "D3", "B": "B3", "C": "C4"}
    cards = dict.fromkeys(("D3", "B3"), "NS") | {"C4": "EW", "C3": "ESW"}
    lying = {"C3": "rr", "C2": "g"} | {places[letter]: "rr" for letter in more}
    after = play(lay(hand="", lying=lying, cards=cards), "PULL N")

    assert len(after.pops) == 1 + len(more)
    assert (after.player().points, after.player().markers) == (points, markers)


def test_the_mover_scores_for_all_bubbles() -> None:
    """The player who began the chain scores all of it, no matter who placed the bubbles."""
    after = play(lay(hand="", lying={"C3": "r", "C2": "rr", "D3": "rr"}), "PULL N")

    assert after.player("red").points == 0
    assert after.player("blue").points == after.scored["points"] > 0


def test_a_marker_is_earned_at_once() -> None:
    """A chain of 4 brings its marker in the same turn; longer chains bring no more than one."""
    lying = {"C3": "rr", "C2": "gy", "B3": "rr", "D3": "rr", "C4": "rr"}
    after = play(lay(hand="", lying=lying, cards={"B3": "NES", "D3": "NSW"}), "PULL N")

    assert len(after.pops) > 4
    assert (after.scored["markers"], after.player().markers) == (1, 1)


def test_points_add_up() -> None:
    """Points of chains are kept from turn to turn."""
    after = play(lay(hand="", points=7, lying={"C3": "r", "C2": "gy"}), "PULL N")

    assert after.player().points == after.scored["total"] == 8


def test_pops_that_no_pop_caused_begin_chains_of_their_own() -> None:
    """Two groups that lay ready are two chains of length 1, each scored for itself (ruling 11)."""
    after = play(lay(hand="", lying={"A4": "rrr", "D1": "rrr"}), "ROTATE CW")

    assert after.pops == ["D1", "A4"]
    assert [(chain["length"], chain["points"]) for chain in after.told("scored")] == [(1, 1), (1, 1)]


def test_a_pop_belongs_to_the_chain_that_completed_its_group() -> None:
    """Of two chains that send bubbles to one space, the one that brings the third has its pop (ruling 11)."""
    lying = {"A1": "rrr", "A3": "rrr", "A2": "r"}
    after = play(lay(red="D1", hand="", lying=lying, cards={"A1": "ES", "A3": "NE", "A2": "EW"}), "ROTATE CW")

    assert after.pops == ["A1", "A3", "A2"]
    assert [event["chain"] for event in after.told("popped")] == [1, 2, 2]
    assert [chain["length"] for chain in after.told("scored")] == [1, 2]


def test_each_chain_brings_what_it_earns() -> None:
    """Reaction Amplifier lengthens each chain, Energy Harvest brings a bubble for each of length 2 (rulings 13, 17)."""
    lying = {"A1": "rrr", "A2": "rr", "D3": "rr", "D4": "rrr"}
    cards = {"A1": "ES", "A2": "EW", "D4": "NW", "D3": "EW"}
    amplified, harvested = (
        play(lay(red="D1", hand="", lying=lying, cards=cards, held=[card]), "ROTATE CW")
        for card in ("amplifier", "harvest")
    )

    assert [chain["points"] for chain in amplified.told("scored")] == [6, 6]
    assert len(harvested.told("harvested")) == 2


def test_a_node_makes_a_chain_longer() -> None:
    """A pop on a node adds 1 to the length: a 2-chain scores 6 points."""
    lying = {"C3": "r", "C2": "gy", "D3": "rr"}
    after = play(lay(hand="", nodes=["D3"], lying=lying, cards={"C3": "NE", "D3": "NS"}), "PULL N")

    assert (len(after.pops), after.scored["length"], after.scored["points"]) == (2, 3, 6)
    assert after.scored["extra"] == ["+1 for pops on nodes"]


def test_each_pop_on_a_node_counts() -> None:
    """Two pops on nodes add 2 and bring two pairs of cards."""
    lying = {"C3": "r", "C2": "gy", "D3": "rr"}
    after = play(lay(hand="", nodes=["C3", "D3"], lying=lying, cards={"C3": "NE", "D3": "NS"}), "PULL N")

    assert (after.scored["length"], after.scored["markers"]) == (4, 1)
    assert len(after.state.questions) == 2


def test_a_node_beside_the_chain_does_not_count() -> None:
    """Only a pop on the node itself counts."""
    after = play(lay(hand="", nodes=["C2", "D3"], lying={"C3": "r", "C2": "gy"}), "PULL N")

    assert (after.scored["length"], after.state.question) == (1, None)


def test_nothing_scores_without_a_pop() -> None:
    """A turn without a pop brings no points."""
    assert play(lay(), "MOVE N", "ROTATE CW").told("scored") == []


def test_the_next_player_follows_clockwise() -> None:
    """After a turn the next player of the order moves; after the last a new round begins."""
    others: dict[SeatName, Player] = {"green": Player(side="E", at="D4", hand=bubbles("g"))}
    state = lay(others=others)
    movers = []
    for _ in range(4):
        movers.append((state.round, state.mover))
        state = play(state, "ROTATE CW").state

    assert movers == [(1, "blue"), (1, "red"), (1, "green"), (2, "blue")]
