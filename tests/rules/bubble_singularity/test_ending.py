"""The ends of a game, and its winners."""

from __future__ import annotations

import dataclasses

import pytest

from pbem.ruleset import Dice, SeatName, TurnInput
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.events import ENDS
from pbem_rules.bubble_singularity.scores import winners as best
from pbem_rules.bubble_singularity.state import Player, State
from tests.rules.bubble_singularity.table import bubbles, codes, lay, play, read, view

GREEN: dict[SeatName, Player] = {"green": Player(side="E", at="D4")}


def with_players(state: State, **changes: dict[str, object]) -> State:
    """Replace fields of some players."""
    players = {seat: dataclasses.replace(player, **changes.get(seat, {})) for seat, player in state.players.items()}  # type: ignore[arg-type]  # fields by name
    return dataclasses.replace(state, players=players)


def test_the_round_is_completed_after_the_fifth_marker() -> None:
    """After a player's fifth marker all get the same number of turns; then the game is over."""
    first = play(lay(hand="", markers=5, others=GREEN), "ROTATE CW")
    second = play(first.state, "ROTATE CW")
    third = play(second.state, "ROTATE CW")

    assert first.told("last-round") == [{"who": "blue", "markers": 5}]
    assert [game.state.result is None for game in (first, second, third)] == [True, True, False]
    assert third.state.result is not None
    assert third.state.result.how == "markers"


def test_the_last_of_a_round_ends_the_game_at_once() -> None:
    """If the last player of a round gets the fifth marker, no further turn follows."""
    state = play(lay(hand=""), "ROTATE CW").state
    after = play(with_players(state, red={"markers": 5}), "ROTATE CW")

    assert after.state.result is not None


def test_four_markers_do_not_end_the_game() -> None:
    """Four markers are not enough."""
    assert not play(lay(hand="", markers=4), "ROTATE CW").state.last_round


def test_an_empty_bag_ends_the_game_when_a_bubble_must_be_drawn() -> None:
    """The game ends immediately when a player tries to draw a bubble and cannot."""
    chain = {"C3": "rr", "C2": "g", "D3": "rr"}
    cards = {"C3": "NES", "D3": "NSW"}
    drawing = play(lay(held=["harvest"], hand="", bag="", lying=chain, cards=cards), "PULL N")
    other = play(lay(hand="", bag="", lying=chain, cards=cards), "PULL N")

    assert drawing.state.result is not None
    assert drawing.state.result.how == "bag"
    assert other.state.result is None


def test_the_last_bubble_of_the_bag_can_be_drawn() -> None:
    """An empty bag alone ends nothing."""
    chain = {"C3": "rr", "C2": "g", "D3": "rr"}
    after = play(lay(held=["harvest"], hand="", bag="y", lying=chain, cards={"C3": "NES", "D3": "NSW"}), "PULL N")

    assert (after.hand(), after.state.bag, after.state.result) == ("y", (), None)


def test_research_may_empty_the_bag() -> None:
    """Drawing three bubbles at the research station from a bag of one ends the game; the one drawn counts."""
    after = play(lay(blue="B1", red="C2", hand="b", bag="y", stations=True), "MOVE W", "USE RESEARCH")

    assert after.state.result is not None
    assert after.state.result.how == "bag"
    assert after.hand() == "y"


def test_points_are_chains_and_bubbles() -> None:
    """The total is the points of chains plus 1 for each bubble in the supply; markers count nothing."""
    state = lay(hand="rgb", points=17, markers=3)

    assert RULESET.standing(state).scores == {"red": 0, "blue": 20}


@pytest.mark.parametrize(
    ("blue", "red", "winners"),
    [
        ((10, 2, 3), (9, 5, 2), ("blue",)),
        ((10, 2, 0), (8, 3, 2), ("red",)),
        ((10, 2, 0), (8, 2, 2), ("blue",)),
        ((10, 2, 1), (10, 2, 1), ("red", "blue")),
    ],
)
def test_ties_are_broken_by_markers_then_by_chains(
    blue: tuple[int, int, int], red: tuple[int, int, int], winners: tuple[SeatName, ...]
) -> None:
    """Most points win; among equals most markers, then most points of chains; then the win is shared."""
    given = {
        seat: {"points": points, "markers": markers, "hand": bubbles("y" * hand)}
        for seat, (points, markers, hand) in (("blue", blue), ("red", red))
    }

    assert best(with_players(lay(), **given)) == winners


def test_a_standstill_ends_the_game() -> None:
    """The game is over after two whole rounds in which no Mari moves and nothing pops."""
    state = lay(hand="")
    for _ in range(3):
        state = play(state, "ROTATE CW").state
        assert state.result is None

    after = play(state, "ROTATE CW")

    assert after.state.result is not None
    assert after.state.result.how == "standstill"


def test_a_move_or_a_pop_ends_the_count_of_quiet_turns() -> None:
    """A turn in which a Mari moves or something pops resets the count of quiet turns."""
    quiet = dataclasses.replace(lay(hand="b", lying={"A4": "rrr"}), quiet=2)

    assert play(quiet, "MOVE N", "PULL S").state.quiet == 0
    assert play(lay(hand=""), "ROTATE CW").state.quiet == 1


def test_turns_without_a_score_end_a_game_if_an_option_says_so() -> None:
    """After as many turns in a row as `scoreless` says without points or markers the game is over (ruling 34)."""
    state = dataclasses.replace(lay(hand="bb", scoreless=3, others=GREEN), unscored=1)
    second = play(state, "MOVE N", "ROTATE CW").state
    third = play(second, "ROTATE CW").state

    assert (second.unscored, second.result) == (2, None)
    assert third.result is not None
    assert third.result.how == "scoreless"
    assert play(lay(hand="bb"), "MOVE N", "ROTATE CW").state.unscored == 1


def test_a_score_begins_the_count_anew() -> None:
    """A score of any player resets the count of turns without one."""
    state = dataclasses.replace(lay(hand="", lying={"A4": "rrr"}, scoreless=3), unscored=2)
    after = play(state, "ROTATE CW").state

    assert (after.unscored, after.result) == (0, None)


def test_an_end_without_scores_is_foretold() -> None:
    """The receipt says that the turn ends the game."""
    state = dataclasses.replace(lay(hand="bb", scoreless=3), unscored=2)

    assert read(state, "MOVE N", "ROTATE CW").findings[-1].text.startswith("the game ends with this turn: nobody")


def test_what_is_still_to_be_chosen_counts_at_the_end() -> None:
    """Of bubbles drawn in the turn in which the bag runs out two are kept, by default the first."""
    after = play(drawing(), "MOVE N W", "USE RESEARCH")
    first, second, third = after.told("researched")[0]["bubbles"]

    assert after.state.result is not None
    assert after.state.result.how == "bag"
    assert after.told("kept") == [{"who": "blue", "what": [first, second], "returned": [third]}]
    assert after.state.bag == (third,)
    assert after.told("ended")[0]["scores"]["blue"] == after.player().points + len(after.player().hand)


def test_a_list_chooses_at_the_end() -> None:
    """A standing list that names all bubbles drawn chooses if the game ends before the question."""
    after = play(drawing(), "MOVE N W", "USE RESEARCH", "KEEP yellow green red blue")

    assert after.told("kept")[0]["what"] == ["yellow", "green"]


def test_another_who_leaves_takes_nothing_from_the_one_asked() -> None:
    """When all others leave while bubbles are to be chosen, two of them are kept and counted."""
    state = play(lay(blue="B1", red="C2", hand="b", bag="rgyy", stations=True), "MOVE W", "USE RESEARCH").state
    after, _ = RULESET.resolve(state, TurnInput({"blue": ()}, removed=frozenset({"red"})), Dice(b"test"))

    assert after.result is not None
    assert (len(after.players["blue"].hand), len(after.bag)) == (2, 2)


def drawing() -> State:
    """Build a table at which a chain draws more than the bag holds after USE RESEARCH."""
    lying = {"B1": "bb", "A2": "b"}
    return lay(blue="B2", red="D4", hand="bb", bag="rgy", held=["harvest", "fusion"], lying=lying, stations=True)


@pytest.mark.parametrize(("markers", "drawn"), [(5, 0), (4, 1)])
def test_no_cards_are_drawn_in_the_last_round(markers: int, drawn: int) -> None:
    """A pop on a node brings no cards once no further turn of the player comes (ruling 14)."""
    state = lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"}, markers=markers)
    said = [found.code for found in read(state, "PULL N").findings]
    after = play(state, "PULL N")

    assert len(after.told("drawn")) == drawn
    assert (RULESET.standing(after.state).awaiting == {"red"}) == (not drawn)
    assert ("cards" in said, "no-cards" in said) == (bool(drawn), not drawn)


def test_in_the_last_turn_nothing_is_asked() -> None:
    """If the game ends with the turn, bubbles drawn are kept without a question."""
    state = lay(blue="B1", red="C2", hand="b", bag="rgyy", stations=True)
    state = dataclasses.replace(state, order=("red", "blue"), last_round=True)
    after = play(state, "MOVE W", "USE RESEARCH")

    assert after.state.result is not None
    assert after.state.result.how == "markers"
    assert len(after.hand()) == 2


def test_a_game_ends_after_the_rounds_that_its_option_names() -> None:
    """After as many whole rounds as `rounds` says the game is over; the report tells it before (ruling 36)."""
    state = dataclasses.replace(lay(hand="bb", rounds=10, others=GREEN), round=10)
    said = [found.text for found in read(state, "MOVE N").findings]
    first = play(state)
    second = play(first.state)
    third = play(second.state)

    assert not [text for text in said if text.startswith("the game ends")]
    assert "This round is the last." in RULESET.turn_summary(view(state, "blue"))
    assert (first.state.result, second.state.result) == (None, None)
    assert "the game ends with this turn" in " ".join(found.text for found in read(second.state, seat="green").findings)
    assert third.state.result is not None
    assert third.state.result.how == "rounds"


def test_in_the_last_of_the_rounds_markers_end_the_game_as_ever() -> None:
    """A fifth marker in the last round is what ends the game; before it, further rounds follow the tenth of twelve."""
    last = dataclasses.replace(lay(hand="", markers=5, rounds=10), round=10, order=("red", "blue"))

    assert getattr(play(last).state.result, "how", "") == "markers"
    assert play(dataclasses.replace(lay(hand="bb", rounds=12), round=10, order=("red", "blue"))).state.round == 11


@pytest.mark.parametrize("last", [True, False])
def test_bubbles_are_not_asked_about_in_the_last_round(last: bool) -> None:
    """Of bubbles drawn in a player's last turn two are kept unasked, as any two are worth the same (ruling 38)."""
    state = lay(blue="B1", red="C2", hand="b", bag="rgyy", stations=True, rounds=10 if last else 11)
    after = play(dataclasses.replace(state, round=10), "MOVE W", "USE RESEARCH")

    assert after.state.result is None
    assert (after.state.phase == "turn") == last
    assert [len(event["what"]) for event in after.told("kept")] == [2] * last


def test_a_list_chooses_in_the_last_round_too() -> None:
    """A standing list that names all bubbles drawn is followed, so that a list and an answer bring the same."""
    state = dataclasses.replace(lay(blue="B1", red="C2", hand="b", bag="rgyy", stations=True, rounds=9), round=9)
    after = play(state, "MOVE W", "USE RESEARCH", "KEEP yellow green red blue")

    assert after.state.phase == "turn"
    assert "yellow" in after.told("kept")[0]["what"]


def test_who_resigns_leaves_the_board() -> None:
    """RESIGN takes away a player's Mari, bubbles and cards before anything else; the others play on."""
    state = lay(hand="ry", held=["drift"], others=GREEN)
    after = play(state, "RESIGN CONFIRM")

    assert (after.player().out, after.player().at, after.hand(), after.player().cards) == (True, None, "", ())
    assert after.state.decks["movement"][-1] == "drift"
    assert (after.state.mover, after.state.order) == ("red", ("red", "green"))


def test_the_last_one_left_wins() -> None:
    """When all others have left, the game is over."""
    after = play(lay(points=0, hand="b"), "RESIGN CONFIRM")

    assert after.state.result is not None
    assert (after.state.result.winners, after.state.result.how) == (("red",), "left")


def test_a_removed_player_is_skipped() -> None:
    """When the GM removes a player who is not on move, the mover's turn goes on."""
    state = lay(hand="", others=GREEN)
    after, events = RULESET.resolve(state, TurnInput({"blue": ()}, removed=frozenset({"red"})), Dice(b"test"))

    assert (after.mover, after.order) == ("green", ("blue", "green"))
    assert {"who": "red", "how": "removed"} in [dict(event.data) for event in events if event.kind == "left"]


def test_anybody_may_resign_at_any_time() -> None:
    """A player who is not on move may resign, and send no other order."""
    assert codes(read(lay(), "RESIGN CONFIRM", "ROTATE CW", seat="red")) == [(2, "not-your-turn")]


def test_after_the_end_no_orders_are_taken() -> None:
    """A finished game accepts no orders, does not change and asks for nothing."""
    over = play(lay(hand="b"), "RESIGN CONFIRM").state

    assert codes(read(over, "MOVE N", seat="red")) == [(1, "game-over")]
    assert RULESET.resolve(over, TurnInput({}), Dice(b"test")) == (over, ())
    assert RULESET.template(RULESET.view(over, "red", ())) == []


def test_every_end_has_words() -> None:
    """The GM and the players read the reason of the end."""
    over = play(lay(hand="b"), "RESIGN CONFIRM").state

    assert RULESET.standing(over).reason == ENDS["left"]
