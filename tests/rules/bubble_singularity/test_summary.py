"""Summary of a turn: each line is right, and none is there without a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pbem.ruleset import Dice, Event, SeatName, TurnInput
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.events import public
from pbem_rules.bubble_singularity.orders import Resign
from pbem_rules.bubble_singularity.state import PendingChoice, Player, State
from tests.rules.bubble_singularity.table import bubbles, lay, miss, new_game, play, view


def summary(state: State, seat: SeatName = "blue", events: Sequence[Event] = ()) -> list[str]:
    """Return the summary in a seat's report."""
    return list(RULESET.turn_summary(view(state, seat, events)))


def test_a_quiet_table_tells_whose_turn_it_is_and_who_leads() -> None:
    """The summary has the mover, the present totals, and the place of the own Mari."""
    state = lay(points=6)

    assert summary(state) == [
        "Your Mari is on C3; you have 3 bubbles. It is your turn.",
        "You lead with 9 points; red 0.",
    ]
    assert summary(state, "red")[:2] == ["Blue is to move, then you.", "Blue leads with 9 points; you 0."]


def test_players_between_are_named_and_equals_share_the_lead() -> None:
    """Players are named in the order of play; those with equal totals share the lead."""
    others = {"green": Player(side="W", at="A3", points=3), "yellow": Player(side="E", at="D2")}
    state = lay(others=others)

    assert summary(state, "yellow")[:2] == [
        "Blue is to move, then red, green and you.",
        "Green and blue lead with 3 points; red 0, you 0.",
    ]


def test_what_a_turn_scored_is_summed_up() -> None:
    """Points, markers and pops are summed over all chains of a turn, for the mover and for others."""
    done = play(lay(hand="", lying={"C3": "rr", "C2": "g"}), "PULL N")
    chains = [
        public(done.state.seats, "scored", who="blue", pops=3, points=6, markers=0, total=6, chain=1),
        public(done.state.seats, "scored", who="blue", pops=4, points=10, markers=1, total=16, chain=2),
    ]

    assert "You scored 1 point with 1 pop." in summary(done.state, "blue", done.events)
    assert "Blue scored 1 point with 1 pop." in summary(done.state, "red", done.events)
    assert "Blue scored 16 points and 1 marker with 7 pops in 2 chains." in summary(done.state, "red", chains)


def test_markers_are_told_with_how_many_end_the_game() -> None:
    """Markers are listed, the most first; in the last round the summary says that it is the last."""
    state = lay(markers=2, others={"green": Player(side="W", at="A3", markers=4)})

    assert "Markers, of 5 that end the game: green 4, you 2." in summary(state)
    assert "Markers, of 7 that end the game: you 1." in summary(lay(markers=1, advanced=True))
    assert "This round is the last." in summary(replace(state, last_round=True))
    assert summary(replace(state, mover="red", last_round=True))[0] == "Red is to move; you have had your last turn."


def test_stations_and_abilities_won_are_named() -> None:
    """The summary names the former controller of a station, and the card that a player kept."""
    state = lay(control={"energy": "blue"}, stations=True)
    events = [
        public(state.seats, "controlled", who="blue", station="energy", before="red"),
        public(state.seats, "kept", who="red", what=["drift"], returned=["fusion"]),
    ]

    assert "You took the energy station from red." in summary(state, "blue", events)
    assert "Blue took the energy station from you." in summary(state, "red", events)
    assert not [line for line in summary(state, "blue", events) if "ability" in line]
    holding = replace(state, players={**state.players, "red": Player(side="S", at="A1", cards=("drift",))})
    assert "Red has a new ability: Quantum Drift." in summary(holding, "blue", events)


def test_a_card_chosen_again_is_no_new_ability() -> None:
    """A card that was held before, or was replaced in the same turn, is not told as new."""
    asked = replace(
        lay(held=["wormhole"]),
        question=PendingChoice("card", "blue", ("drift", "folder")),
        further=(PendingChoice("card", "blue", ("explorer", "fusion")),),
    )
    told = {
        line: [said for said in summary(after.state, "blue", after.events) if "ability" in said]
        for line in ("KEEP wormhole drift fusion", "KEEP explorer drift")
        for after in [play(asked, line)]
    }

    assert told == {
        "KEEP wormhole drift fusion": ["You have a new ability: Bubble Fusion."],
        "KEEP explorer drift": ["You have a new ability: Efficient Explorer."],
    }


def test_a_block_is_told_to_whom_it_binds() -> None:
    """A block is told to the player it binds, and to no other."""
    assert "You may not ROTATE in your next turn." in summary(lay(blocked="ROTATE"))
    assert not [line for line in summary(lay(blocked="ROTATE"), "red") if "may not" in line]


def test_a_missed_turn_is_told() -> None:
    """A missing sheet is told to its player and to the others."""
    done = miss(lay())

    assert summary(done.state, "blue", done.events)[0] == "No orders came from you; the game's default was played."
    assert summary(done.state, "red", done.events)[0] == "No orders came from blue; the game's default was played."


def test_a_question_and_the_set_up_are_awaited_in_their_words() -> None:
    """The summary says what is to be chosen, and which player chooses."""
    asked = replace(lay(), question=PendingChoice("bubbles", "blue", ("red", "blue")))

    assert summary(asked)[0] == "You choose what to keep."
    assert summary(asked, "red")[0] == "Blue is to choose, then you."
    new = new_game(2)
    first = "You move first." if new.first == "red" else "Green moves first."
    assert summary(new, "red") == ["You choose where to start and one of two abilities.", first]
    assert summary(new_game(2, advanced=True), "red")[0] == "You choose where to start."


def test_spaces_one_bubble_short_of_a_pop_are_named() -> None:
    """Spaces with two bubbles are named."""
    assert summary(lay(lying={"D4": "rb", "A2": "yy", "B2": "r"}))[-1] == "One bubble short of a pop: A2 and D4."


def test_two_bubbles_that_fusion_pops_are_not_called_short() -> None:
    """Spaces that pop in the reader's turn alone are named as ready to the reader, and as short to the others."""
    state = lay(held=["fusion"], lying={"B2": "bb", "D4": "rb"})

    assert summary(state)[-1] == "Ready to pop in your turn: B2; one bubble short: D4."
    assert summary(state, "red")[-1] == "One bubble short of a pop: B2 and D4."


def test_a_coming_standstill_is_told() -> None:
    """A coming standstill is told after a whole round without a move or a pop."""
    assert "Nothing moves or pops: the game ends after 1 more turn like that." in summary(replace(lay(), quiet=3))
    assert not [line for line in summary(replace(lay(), quiet=1)) if line.startswith("Nothing")]


def test_the_end_tells_who_won_and_why() -> None:
    """The summary of the end has the reason, the winner and the totals."""
    done = RULESET.resolve(lay(points=6), TurnInput({}, frozenset(), frozenset({"red"})), Dice(b"test"))

    assert summary(done[0], "blue", done[1]) == [
        "The game is over: all others left.",
        "You win.",
        "You had 9 points.",
    ]
    assert summary(done[0], "red", done[1])[1:] == ["Blue wins.", "Blue had 9 points."]
    rich = Player(side="S", at="A1", hand=bubbles("rr"), markers=5)
    last = replace(lay(red="A1", others={"red": rich}), last_round=True, order=("red", "blue"))
    ended = play(last, "MOVE E", "ROTATE CW")
    assert summary(ended.state, "red", ended.events)[0] == (
        "The game is over: the markers were reached and the round is complete."
    )


def test_a_table_that_everybody_has_left_is_told_too() -> None:
    """If all resign in one turn, the summary names no leader and says how the game ended."""
    done, events = RULESET.resolve(lay(), TurnInput({"blue": (Resign(),), "red": (Resign(),)}), Dice(b"all"))
    told = summary(done, "red", events)

    assert done.phase == "over"
    assert told[1] == "Nobody wins."
    assert not [line for line in told if "lead" in line]


def test_a_coming_end_without_scores_is_told() -> None:
    """The turns left before an end without scores are told once they are few."""
    state = lay(scoreless=5)

    assert "No score for 3 turns: the game ends after 2 more turns like that." in summary(replace(state, unscored=3))
    assert not [line for number in (0, 1) for line in summary(replace(state, unscored=number)) if "No score" in line]
    assert not [line for line in summary(replace(lay(), unscored=50)) if "No score" in line]


def test_own_losses_are_marked_as_such() -> None:
    """A missed turn, a block and the loss of a station or of the game are losses to one player alone."""
    state = lay(blocked="ROTATE", stations=True, control={"energy": "red"})
    taken = [public(state.seats, "controlled", who="red", station="energy", before="blue")]

    assert [line for line in RULESET.turn_summary(view(state, "blue", taken)) if getattr(line, "bad", False)] == [
        "You may not ROTATE in your next turn.",
        "Red took the energy station from you.",
    ]
    assert not [line for line in RULESET.turn_summary(view(state, "red", taken)) if getattr(line, "bad", False)]


def test_a_reminder_says_what_is_played_without_orders() -> None:
    """It is the default of the turn, of the choice, or of the set-up."""
    asked = replace(lay(), question=PendingChoice("bubbles", "blue", ("red", "blue", "green")))

    assert RULESET.without_orders(view(lay(), "blue")) == "Without orders this is played for you: MOVE N, ROTATE CW."
    assert RULESET.without_orders(view(asked, "blue")) == "Without orders this is kept for you: red blue."
    assert "your start is chosen for you, and you keep " in RULESET.without_orders(view(new_game(2), "red"))


def test_five_headlines_are_enough() -> None:
    """Of a turn with more news the most important come first: whose turn it is, how near the end is, what was won."""
    state = replace(
        lay(markers=2, stations=True, held=["drift"], blocked="PULL", lying={"D4": "rb"}, control={"energy": "blue"}),
        quiet=3,
    )
    scored = public(state.seats, "scored", who="red", pops=3, points=6, markers=0, total=6, chain=1)
    taken = public(state.seats, "controlled", who="blue", station="energy", before="red")

    assert summary(state, "blue", [scored, taken]) == [
        "Your Mari is on C3; you have 3 bubbles. It is your turn.",
        "Nothing moves or pops: the game ends after 1 more turn like that.",
        "You may not PULL in your next turn.",
        "Red scored 6 points with 3 pops.",
        "You took the energy station from red.",
    ]
