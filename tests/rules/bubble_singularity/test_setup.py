"""Set-up: board, nodes, first supplies, starts, starting abilities, two players, beginners."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pbem.ruleset import Dice, SetupError, TurnInput
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.abilities import ABILITIES
from pbem_rules.bubble_singularity.grid import around, rim
from pbem_rules.bubble_singularity.state import COLOURS
from tests.rules.bubble_singularity.table import begun, codes, miss, new_game, read, sides, tokens, view


def shapes(arrows: list[str]) -> Counter[int]:
    """Count cards by their number of arrows."""
    return Counter(map(len, arrows))


@pytest.mark.parametrize("layout", ["standard", "shuffled"])
def test_sixteen_cards_lie_in_a_square(layout: str) -> None:
    """The 16 space cards make a grid of 4 by 4; each has two to four arrows."""
    cards = new_game(layout=layout).cards

    assert list(cards) == [f"{column}{row}" for row in "1234" for column in "ABCD"]
    assert shapes([card.arrows for card in cards.values()]) == {2: 8, 3: 4, 4: 4}
    assert sum(card.arrows in ("NS", "EW") for card in cards.values()) == 4


def test_a_shuffled_layout_is_by_the_seed() -> None:
    """With `layout` shuffled another seed gives another board; the standard chart is always the same."""
    shuffled = [new_game(layout="shuffled", seed=seed).cards for seed in (b"one", b"two", b"one")]
    standard = [new_game(seed=seed).cards for seed in (b"one", b"two")]

    assert shuffled[0] == shuffled[2] != shuffled[1]
    assert standard[0] == standard[1]


def test_four_nodes_form_a_diamond() -> None:
    """The nodes are B1, D2, C4 and A3."""
    assert set(new_game().nodes) == {"B1", "D2", "C4", "A3"}


def test_there_are_sixty_bubbles_fifteen_of_each_colour() -> None:
    """Board, supplies and bag together hold 60 bubbles, 15 of each colour."""
    state = begun(4).state

    everything = Counter(state.bag)
    for player in state.players.values():
        everything.update(player.hand)
    for found in state.bubbles.values():
        everything.update(found)

    assert tokens(state) == 60
    assert everything == dict.fromkeys(COLOURS, 15)


def test_each_player_draws_five_bubbles() -> None:
    """The first supply is five bubbles from the bag, of any colours, another with another seed."""
    hands = [new_game(4, seed=seed).players["red"].hand for seed in (b"one", b"two")]

    assert all(len(player.hand) == 5 for player in new_game(4).players.values())
    assert hands[0] != hands[1]


def test_each_player_is_dealt_two_cards_and_keeps_one() -> None:
    """Two cards are dealt; the one named is kept as the starting ability and the other goes below its deck."""
    before = new_game()
    first, second = before.players["red"].offer

    after = begun(sheets={"red": [f"KEEP {second}"]})

    assert after.player("red").cards == (second,)
    assert after.state.decks[ABILITIES[first].category][-1] == first
    assert after.player("red").offer == ()


def test_a_starting_ability_may_be_named_in_a_list() -> None:
    """KEEP is a list, best first (ruling 26), also of cards that were not dealt."""
    first, second = new_game().players["red"].offer
    undealt = next(card for card in ABILITIES if card not in (first, second))

    assert begun(sheets={"red": [f"KEEP {undealt} {second} {first}"]}).player("red").cards == (second,)


def test_everybody_begins_at_once() -> None:
    """All players are asked for starts and cards in the same mail."""
    assert RULESET.standing(new_game(3)).awaiting == {"red", "green", "blue"}


def test_a_mari_starts_on_a_middle_card_of_a_side() -> None:
    """Each player starts on one of the middle cards of an outer edge; other cards are refused."""
    after = begun(sheets={"red": ["START B1"], "green": ["START A2"]}).state

    assert (after.players["red"].at, after.players["green"].at) == ("B1", "A2")
    assert (1, "unknown-name") in codes(read(new_game(), "START A1", seat="red"))


def test_no_two_players_start_on_the_same_side() -> None:
    """In the order of joining each player gets the first start named whose side is free."""
    state = begun(3, sheets={"red": ["START C1"], "green": ["START B1 D2"], "blue": ["START C1 D3 A3"]}).state

    assert [state.players[seat].at for seat in state.seats] == ["C1", "D2", "A3"]
    assert sorted(sides(state).values()) == ["E", "N", "W"]


def test_starts_are_given_by_default() -> None:
    """Without a START the first free one of C1, D3, B4 and A2 is taken."""
    state = begun(4, sheets={"green": ["START C1"]}).state

    assert [state.players[seat].at for seat in state.seats] == ["C1", "D3", "B4", "A2"]


def test_a_bubble_of_each_colour_lies_on_the_node_opposite() -> None:
    """A player in the north has a bubble on C4, in the east on A3, in the south on B1, in the west on D2."""
    state = begun(4, sheets={"red": ["START C1"], "green": ["START D2"], "blue": ["START C4"], "yellow": ["START A2"]})

    assert [state.lying(node) for node in ("C4", "A3", "B1", "D2")] == ["r", "g", "b", "y"]


def test_play_goes_clockwise_from_the_player_drawn() -> None:
    """The first player is drawn by the seed; the others follow clockwise by their sides."""
    starts = {"red": ["START B4"], "green": ["START A2"], "blue": ["START D3"]}
    state = begun(3, sheets=starts).state
    clockwise = ["blue", "red", "green"]
    at = clockwise.index(state.first)

    assert list(state.order) == clockwise[at:] + clockwise[:at]
    assert {new_game(3, seed=bytes([seed])).first for seed in range(20)} == {"red", "green", "blue"}


def test_the_set_up_has_defaults() -> None:
    """A player without a sheet gets a start by default and keeps the first card dealt."""
    before = new_game()

    after = miss(before)

    assert [after.player(seat).cards for seat in before.seats] == [
        before.players[seat].offer[:1] for seat in before.seats
    ]
    assert [event["what"] for event in after.told("missed")] == ["setup", "setup"]


def test_with_two_players_neutral_bubbles_lie_on_the_empty_edge() -> None:
    """With two players each edge space without bubble or Mari gets a bubble of a colour without a player."""
    after = begun(2, sheets={"red": ["START C1"], "green": ["START B4"]})

    for place in rim(4):
        expected = {"C1": "", "B4": "", "C4": "r", "B1": "g"}.get(place)
        assert after.lying(place) in (("b", "y") if expected is None else (expected,)), place
    assert sum(after.lying(place) == "b" for place in rim(4)) == sum(after.lying(place) == "y" for place in rim(4))


def test_with_more_players_the_edge_stays_empty() -> None:
    """Neutral bubbles are for two players only."""
    after = begun(3)

    assert after.told("neutral") == []
    assert sum(map(len, after.state.bubbles.values())) == 3


def test_beginners_play_without_abilities() -> None:
    """In the beginners' game no ability cards are dealt, and pops on nodes bring none."""
    state = new_game(3, beginner=True)

    assert all(player.cards == player.offer == () for player in state.players.values())
    assert view(state, "red")["abilities"] == {}


def test_beginners_have_three_bubbles_of_their_colour() -> None:
    """Each beginner starts with 3 bubbles of the own colour."""
    state = new_game(4, beginner=True)

    assert {seat: player.hand for seat, player in state.players.items()} == {seat: (seat,) * 3 for seat in state.seats}


def test_more_bubbles_to_begin_with_are_an_option() -> None:
    """With `bubbles` each player begins with that number, beginners of their own colour (ruling 37)."""
    assert new_game(4, beginner=True, bubbles=6).players["red"].hand == ("red",) * 6
    assert [len(player.hand) for player in new_game(4, bubbles=10).players.values()] == [10] * 4
    assert len(new_game(2, stations=True, bubbles=0).players["red"].hand) == 6


@pytest.mark.parametrize(
    ("options", "rounds"),
    [
        ({}, 0),
        ({"beginner": True}, 15),
        ({"beginner": True, "rounds": "none"}, 0),
        ({"beginner": True, "rounds": "8"}, 8),
        ({"rounds": "20"}, 20),
    ],
)
def test_a_beginners_game_usually_has_fifteen_rounds(options: dict[str, Any], rounds: int) -> None:
    """The option `rounds` is 15 for beginners and none in the full game, unless the GM says otherwise (ruling 36)."""
    assert new_game(3, **options).rules.rounds == rounds


def test_a_campaign_made_before_there_were_such_options_begins_as_it_did() -> None:
    """With all options of before and none of these, as campaigns then stored them, nothing changes."""
    before: dict[str, Any] = {
        "layout": "standard",
        "beginner": True,
        "stations": False,
        "advanced": False,
        "scoreless": 0,
    }
    state = new_game(3, **before)

    assert (state.rules.rounds, RULESET.dump(state)["rules"]) == (0, before)
    assert view(state, "red")["rules"] == before


def test_beginners_start_at_once() -> None:
    """The beginners' set-up is simpler: starts are given, and the first player is on move."""
    state = new_game(4, beginner=True)

    assert [state.players[seat].at for seat in state.seats] == ["C1", "D3", "B4", "A2"]
    assert RULESET.standing(state).awaiting == {state.first}


def test_two_beginners_face_each_other() -> None:
    """Two beginners start on opposite sides, with neutral bubbles on the empty edge."""
    state = new_game(2, beginner=True)

    assert sides(state) == {"red": "N", "green": "S"}
    assert len(state.bubbles) == 10


@pytest.mark.parametrize(
    "seats", [(), ("red",), ("red", "pink"), ("red", "red"), ("red", "green", "blue", "yellow", "x")]
)
def test_the_game_is_for_two_to_four(seats: tuple[str, ...]) -> None:
    """Bubble Singularity is played by 2 to 4 of the four colours."""
    with pytest.raises(SetupError, match="2 to 4"):
        RULESET.setup({}, seats, Dice(b"test"))


def test_any_of_the_colours_may_play() -> None:
    """A campaign takes any seats, in the order of joining."""
    state = new_game(("yellow", "green"))

    assert state.seats == ("yellow", "green")
    assert RULESET.standing(state).awaiting == {"yellow", "green"}


def test_a_seat_that_leaves_before_the_start_gets_none() -> None:
    """A player removed during the set-up has no Mari; bubbles and cards go back."""
    before = new_game(3)

    after, _ = RULESET.resolve(before, TurnInput({}, removed=frozenset({"green"})), Dice(b"test"))

    assert after.players["green"].out
    assert after.players["green"].at is None
    assert len(after.order) == 2
    assert tokens(after) == 60


def test_around_a_space_are_its_neighbours() -> None:
    """Neighbours are to the north, east, south and west."""
    assert around("B2", 4) == ("B1", "C2", "B3", "A2")
    assert around("A1", 4) == ("B1", "A2")
