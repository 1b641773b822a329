"""All worked examples and all frequent questions of the source, played."""

from __future__ import annotations

import dataclasses

from pbem.ruleset import SeatName
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.state import Player
from tests.rules.bubble_singularity.table import bubbles, codes, lay, miss, play, read, refused, view

# Examples


def test_example_of_a_move() -> None:
    """Blue moves 3 spaces from the edge towards a node, places a blue bubble on each, and has 3 fewer."""
    after = play(lay(blue="B4", hand="bbbbr", nodes=["D2"]), "MOVE N N E", "BUBBLES blue blue blue", "PULL S")

    assert [space for space, _ in after.told("moved")[0]["path"]] == ["B3", "B2", "C2"]
    assert [after.lying(place) for place in ("B3", "B2", "C2")] == ["b", "b", "b"]
    assert after.hand() == "rb"


def test_example_of_rotate_and_push() -> None:
    """A card with 2 arrows and 5 bubbles, turned clockwise: arrows north and east carry one each, the rest evenly."""
    state = lay(hand="b", lying={"C2": "rrgg"}, cards={"C2": "NW"})
    after = play(state, "MOVE N", "ROTATE CW")

    assert after.state.cards["C2"].arrows == "NE"
    assert [way for _, way, _ in after.told("rotated")[0]["sent"]] == ["N", "N", "N", "E", "E"]
    assert after.told("rotated")[0]["sent"][0][2] == "C1"


def test_example_of_gravity_pull() -> None:
    """2 green bubbles here, 1 yellow on the next space: pulled together they are 3, and pop."""
    after = play(lay(hand="", lying={"C3": "gg", "D3": "y"}), "PULL E")

    assert after.told("pulled")[0]["bubbles"] == ["yellow"]
    assert after.pops == ["C3"]


def test_example_of_a_pop_on_two_arrows() -> None:
    """5 bubbles, 3 blue and 2 red: a blue goes north, a red east, and 2 blue and 1 red are collected."""
    state = lay(hand="", lying={"C3": "bb", "C2": "brr"}, cards={"C3": "NE"})
    after = play(state, "PULL N", "POP C3 blue N, red E")

    assert (after.lying("C2"), after.lying("D3")) == ("b", "r")
    assert after.hand() == "rbb"


def test_example_of_a_three_chain() -> None:
    """Space A with 4 bubbles pops, B makes three, then D: 6 points, and A's 2 excess bubbles are collected."""
    lying = {"C3": "rr", "B3": "gg", "D3": "yy", "D2": "rr"}
    cards = {"C3": "EW", "D3": "NS"}
    after = play(lay(blue="C3", hand="", lying=lying | {"B3": ""} | {"C2": "gg"}, cards=cards), "PULL N")

    assert after.pops == ["C3", "D3", "D2"]
    assert after.told("popped")[0]["collected"] == ["green", "green"]
    assert (after.scored["points"], after.scored["markers"]) == (6, 0)


def test_example_of_a_node() -> None:
    """A 2-chain with a pop on a node counts as a 3-chain, 6 points instead of 3; of 2 cards drawn 1 is kept."""
    lying = {"C3": "rr", "C2": "g", "D3": "rr"}
    after = play(lay(hand="", nodes=["D3"], lying=lying, cards={"C3": "NES", "D3": "NSW"}), "PULL N")

    assert (len(after.pops), after.scored["points"]) == (2, 6)
    assert after.state.question is not None
    kept = play(after.state, f"KEEP {after.state.question.choices[1]}")
    assert len(kept.player().cards) == 1


def test_example_turn_1() -> None:
    """Quantum Drift: two diagonal moves and a push make a pop with one excess bubble, worth 1 point.

    The source's example needs a fourth bubble for the excess (ruling 33).
    """
    lying = {"C3": "y", "D3": "bbr"}
    cards = {"C3": "NS", "D3": "NSW"}
    state = lay(blue="A1", red="D1", hand="bb", held=["drift"], nodes=["D2"], lying=lying, cards=cards)
    after = play(state, "MOVE SE SE", "ROTATE CW", "SEND blue E, yellow W")

    assert [space for space, _ in after.told("moved")[0]["path"]] == ["B2", "C3"]
    assert [item[:2] for item in after.told("rotated")[0]["sent"]] == [["blue", "E"], ["yellow", "W"]]
    assert after.pops == ["D3"]
    assert len(after.told("popped")[0]["collected"]) == 1
    assert after.scored["points"] == 1


def test_example_turn_1_without_a_fourth_bubble() -> None:
    """Three bubbles on three arrows leave no excess: the example's needs a fourth (ruling 33)."""
    state = lay(blue="B2", hand="b", held=["drift"], lying={"C3": "y", "D3": "bb"}, cards={"C3": "NS", "D3": "NSW"})
    after = play(state, "MOVE SE", "ROTATE CW", "SEND blue E, yellow W")

    assert (after.pops, after.told("popped")[0]["collected"], after.scored["points"]) == (["D3"], [], 1)


def test_example_turn_2() -> None:
    """Bubble Fusion: 2 own bubbles here and a red one pulled pop, and two more groups of 3 follow: 6 points."""
    lying = {"C2": "b", "D2": "r", "C1": "rr", "C3": "rr"}
    cards = {"C1": "EW", "C2": "NS", "C3": "EW"}
    state = lay(blue="A2", red="A4", hand="bb", held=["fusion"], lying=lying, cards=cards)
    after = play(state, "MOVE E E", "PULL E")

    assert after.lying("B2") == "b"
    assert after.pops == ["C2", "C1", "C3"]
    assert after.scored["points"] == 6


def test_example_of_final_scoring() -> None:
    """Blue 17 + 6 = 23, green (who ended the game) 12 + 2 = 14, red 23 + 3 = 26: red wins."""
    others: dict[SeatName, Player] = {
        "green": Player(side="E", at="D4", hand=bubbles("yy"), points=12, markers=5),
        "red": Player(side="S", at="A1", hand=bubbles("yyy"), points=23, markers=2),
    }
    state = lay(hand="yyyyyy", points=17, markers=3, others=others)
    state = dataclasses.replace(state, last_round=True, order=("red", "green", "blue"), mover="blue")

    standing = RULESET.standing(state)
    after = play(dataclasses.replace(state, players=_walled(state.players)), "ROTATE CW")

    assert standing.scores == {"red": 26, "green": 14, "blue": 23}
    assert after.state.result is not None
    assert after.state.result.winners == ("red",)
    assert RULESET.standing(after.state).scores == {"red": 26, "green": 14, "blue": 23}


def _walled(players: object) -> dict[SeatName, Player]:
    """Place blue in a corner between the others, so that nothing is placed."""
    assert isinstance(players, dict)
    places = {"blue": "A1", "red": "B1", "green": "A2"}
    return {seat: dataclasses.replace(player, at=places[seat]) for seat, player in players.items()}


def test_example_of_the_advanced_game() -> None:
    """Three red bubbles are converted, then the bonus pops a single blue one: 10 points and 2 markers.

    The 4-chain passes the Universe, which an unstable card moved to D4. The converted bubbles pop too, as a chain of
    their own.
    """
    state = lay(
        blue="C5",
        red="A3",
        hand="bb",
        held=["fusion"],
        bag="bbb",
        advanced=True,
        control={"energy": "blue"},
        lying={"E4": "rrr", "D4": "b", "C5": "b"},
        cards={"C3": "NS", "D4": "NW universe", "E4": "NE", "D5": "NW", "C5": "SW", "E5": "SW energy"},
    )
    after = play(state, "MOVE E E", "USE CONVERT E4 red, E4 red, E4 red", "USE IGNITE E5")

    assert after.pops == ["E4", "E5", "D5", "D4", "C5"]
    assert [(chain["pops"], chain["points"], chain["markers"]) for chain in after.told("scored")] == [
        (1, 0, 0),
        (4, 10, 2),
    ]


# Movement questions


def test_faq_fewer_than_three_spaces() -> None:
    """A Mari may move 1, 2 or 3 spaces."""
    assert [play(lay(), f"MOVE {ways}", "PULL E").player().at for ways in ("W", "W W", "W W N")] == ["B3", "A3", "A2"]


def test_faq_a_bubble_on_every_space() -> None:
    """One bubble is placed on each space moved through, the destination included."""
    assert refused(lay(), "MOVE W W", "BUBBLES blue none", "PULL E")[0] == "bubble-needed"


def test_faq_not_enough_bubbles() -> None:
    """A Mari cannot move more spaces than there are bubbles to place."""
    assert refused(lay(hand="b"), "MOVE W W", "PULL E")[0] == "too-few-bubbles"


def test_faq_more_than_three_spaces() -> None:
    """Only Efficient Explorer allows 4 spaces, with 3 bubbles."""
    assert refused(lay(hand="bbbb"), "MOVE W W N N", "PULL E")[0] == "too-far"
    assert refused(lay(red="D4", hand="bbbb"), "MOVE W W N N", "PULL E")[0] == "too-far"
    after = play(lay(red="D4", hand="bbb", held=["explorer"]), "MOVE W W N N", "PULL E")
    assert (after.player().at, after.hand()) == ("A1", "")


# Pop questions


def test_faq_who_chooses_the_arrows() -> None:
    """The player who triggered the pop decides which bubbles go where, whatever their colour."""
    after = play(lay(hand="", lying={"C3": "r", "C2": "gy"}, cards={"C3": "NES"}), "PULL N", "POP C3 yellow N, red E")

    assert [after.lying(place) for place in ("C2", "D3", "C4")] == ["y", "r", "g"]


def test_faq_off_the_grid() -> None:
    """No bubble moves off the grid; the arrow counts for the excess: 3 bubbles, 2 arrows, one of them off: 1 excess."""
    after = play(lay(blue="C1", hand="", lying={"C1": "r", "C2": "ry"}, cards={"C1": "NS"}), "PULL S")

    (popped,) = after.told("popped")
    assert (len(popped["sent"]), len(popped["stayed"]), len(popped["collected"])) == (1, 1, 1)


def test_faq_the_same_space_twice() -> None:
    """A space that has popped pops again if 3 bubbles come together there."""
    lying = {"C3": "rr", "C2": "gy", "B3": "rr", "D3": "rr", "C4": "rr"}
    after = play(lay(hand="", lying=lying, cards={"B3": "NES", "D3": "NSW"}), "PULL N")

    assert after.pops.count("C3") > 1


# Ability questions


def test_faq_one_ability_of_each_category() -> None:
    """A player holds one ability of each category at most; a new one is kept or goes below its deck."""
    state = lay(hand="", nodes=["C3"], held=["wormhole", "amplifier", "folder"], lying={"C3": "rr", "C2": "g"})
    after = miss(play(state, "PULL N").state)

    assert len(after.player().cards) == 3
    assert sum(map(len, after.state.decks.values())) == 9


def test_faq_abilities_stack() -> None:
    """Abilities of different categories work together: Amplifier and Affinity on one pop score 3 + 2 points."""
    state = lay(hand="", nodes=["D3"], held=["amplifier", "affinity"], lying={"C3": "rr", "C2": "g"})

    assert play(state, "PULL N").scored["points"] == 5


# Station questions


def test_faq_passive_effects_are_for_all() -> None:
    """A station's passive effect works for any player, controller or not."""
    state = lay(hand="", red="D1", stations=True, control={"energy": "red"}, lying={"D3": "ry"})

    assert play(state, "ROTATE CW").pops == ["D3"]


def test_faq_active_effects_are_for_whoever_ends_there() -> None:
    """A station controlled by another player can be used."""
    state = lay(blue="C1", red="D4", stations=True, control={"transit": "red"})

    assert play(state, "MOVE E", "USE TELEPORT B2").player().at == "B2"


def test_faq_control_needs_a_pop_on_the_station() -> None:
    """A chain of 3 gives control of a station with a pop on it, and of no other."""
    lying = {"A1": "rrr", "B1": "rr", "A2": "rr", "C1": "r"}
    after = play(lay(red="D4", hand="", stations=True, lying=lying), "ROTATE CW")

    assert after.state.control == {"research": "blue"}


# Questions on the end


def test_faq_the_fifth_marker_completes_the_round() -> None:
    """The round goes on until all have had the same number of turns."""
    after = play(lay(hand="", markers=5), "ROTATE CW")

    assert RULESET.standing(after.state).awaiting == {"red"}
    assert view(after.state, "red")["last_round"]
    assert play(after.state, "ROTATE CW").state.result is not None


def test_faq_final_points() -> None:
    """Points of chains and 1 for each bubble in the supply."""
    assert RULESET.standing(lay(hand="rgby", points=9)).scores["blue"] == 13


def test_faq_ties() -> None:
    """A tie goes to the most markers, then to the most points of chains."""
    state = lay(hand="", points=10, markers=1, others={"red": Player(side="S", at="A1", points=10, markers=2)})
    over = play(dataclasses.replace(state, last_round=True, order=("red", "blue")), "ROTATE CW").state

    assert over.result is not None
    assert over.result.winners == ("red",)


def test_the_quick_reference_is_a_sheet() -> None:
    """Move, choose an action, resolve: two lines are a whole turn."""
    assert codes(read(lay(), "MOVE N", "ROTATE CW")) == []
