"""Module 1: the network of space stations."""

from __future__ import annotations

import pytest

from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.cards import STATIONS
from pbem_rules.bubble_singularity.scores import STATION_POINTS
from pbem_rules.bubble_singularity.state import Player, State
from tests.rules.bubble_singularity.table import bubbles, codes, lay, miss, new_game, play, read, refused, tokens


def station(**changes: object) -> State:
    """Build a table with stations: research A1, transit D1, energy D4, defense A4; red is out of the way."""
    return lay(**{"red": "C2", "stations": True, "hand": "bbbrr", **changes})  # type: ignore[arg-type]  # by name


def test_four_stations_replace_the_corner_cards() -> None:
    """Research, transit, energy and defense stations lie in the corners, clockwise from A1."""
    cards = new_game(stations=True).cards

    assert [cards[place].kind for place in ("A1", "D1", "D4", "A4")] == list(STATIONS)
    assert sum(card.kind != "plain" for card in cards.values()) == 4
    assert cards["A1"].arrows == new_game().cards["A1"].arrows


def test_shuffled_stations_stay_in_the_corners() -> None:
    """With a shuffled layout the lot decides which station lies in which corner."""
    layouts = {
        tuple(
            new_game(stations=True, layout="shuffled", seed=bytes([seed])).cards[place].kind
            for place in ("A1", "D1", "D4", "A4")
        )
        for seed in range(9)
    }

    assert len(layouts) > 3
    assert all(sorted(kinds) == sorted(STATIONS) for kinds in layouts)


def test_everybody_begins_with_six_bubbles() -> None:
    """With stations the first supply is 6 bubbles; beginners have one more of their colour."""
    assert len(new_game(stations=True).players["red"].hand) == 6
    assert new_game(stations=True, beginner=True).players["red"].hand == ("red",) * 4


# Research


def test_research_makes_chains_begun_beside_it_longer() -> None:
    """Passive: a chain whose first pop is beside the research station counts one more, for any player."""
    beside = play(station(lying={"B1": "rrr"}), "MOVE S", "PULL E")
    away = play(station(lying={"B3": "rrr"}), "MOVE S", "PULL E")

    assert (beside.scored["length"], beside.scored["points"]) == (2, 3)
    assert away.scored["length"] == 1


def test_research_draws_three_bubbles_and_keeps_two() -> None:
    """Active: ending a move there, draw 3 bubbles and keep 2; the third goes back to the bag."""
    state = station(blue="B1", hand="b")
    drawn = play(state, "MOVE W", "USE RESEARCH")
    (shown,) = drawn.told("researched")

    first, second, _ = shown["bubbles"]
    after = play(drawn.state, f"KEEP {first} {second}")

    assert sorted(after.player().hand) == sorted([first, second])
    assert len(after.state.bag) == len(state.bag) - 2
    assert RULESET.standing(after.state).awaiting == {"red"}


def test_research_asks_for_two_of_the_three() -> None:
    """The answer names two of the bubbles drawn; by default the first two are kept."""
    drawn = play(station(blue="B1", hand="b", bag="rgy"), "MOVE W", "USE RESEARCH")

    assert refused(drawn.state, "KEEP red")[0] == refused(drawn.state, "KEEP blue red")[0] == "not-offered"
    assert len(miss(drawn.state).player().hand) == 2


def test_research_may_be_answered_beforehand() -> None:
    """A KEEP line of the same sheet that names all colours drawn answers at once."""
    after = play(station(blue="B1", hand="b", bag="rgy"), "MOVE W", "USE RESEARCH", "KEEP yellow green red")

    assert after.hand() == "gy"


def test_the_controller_of_research_takes_three_bubbles_of_choice() -> None:
    """Controller: look into the bag and take 3 bubbles of your choice, on top of the action."""
    state = station(blue="B1", hand="b", control={"research": "blue"})
    after = play(state, "MOVE W", "ROTATE CW", "USE SELECT yellow yellow green")

    assert after.hand() == "gyy"
    assert refused(state, "MOVE W", "ROTATE CW", "USE SELECT yellow yellow yellow")[0] == "bag-short"
    assert refused(state, "MOVE W", "ROTATE CW", "USE SELECT red red green green")[0] == "too-many"


def test_select_comes_after_research() -> None:
    """SELECT takes from what RESEARCH has left in the bag, and the bubbles kept are told last."""
    state = station(blue="B1", hand="b", bag="rgy", control={"research": "blue"})
    after = play(state, "MOVE W", "USE SELECT yellow red", "USE RESEARCH", "KEEP yellow green red")

    assert [event.kind for event in after.events if event.kind in ("researched", "kept", "selected")] == [
        "researched",
        "selected",
        "kept",
    ]
    assert (after.hand(), after.state.bag) == ("gy", ("red",))
    assert after.told("selected") == [{"who": "blue", "bubbles": []}]


def test_research_at_an_empty_bag_ends_the_game_at_once() -> None:
    """If three bubbles cannot be drawn the game ends before anything pops, and the receipt says so (ruling 24)."""
    state = station(blue="B1", hand="b", bag="rg", lying={"D2": "rrr"})
    after = play(state, "MOVE W", "USE RESEARCH")

    assert after.state.result is not None
    assert (after.pops, after.hand()) == ([], "rg")
    assert "the game ends" in read(state, "MOVE W", "USE RESEARCH").findings[-1].text


# Transit


def test_moving_beside_transit_costs_no_bubbles() -> None:
    """Passive: spaces beside the transit station are entered without a bubble, but one may be placed."""
    state = station(blue="B1", hand="b", red="A3")

    assert play(state, "MOVE E", "PULL W").told("moved")[0]["path"] == [["C1", []]]
    assert play(state, "MOVE E", "BUBBLES blue", "PULL W").told("moved")[0]["path"] == [["C1", ["blue"]]]


def test_who_has_no_bubbles_can_move_beside_transit() -> None:
    """A Mari without bubbles can move where spaces cost nothing."""
    assert play(station(blue="B1", hand="", red="A3"), "MOVE E", "PULL W").player().at == "C1"


def test_transit_teleports() -> None:
    """Active: ending a move there, the Mari may go to any free space."""
    state = station(blue="C1")
    after = play(state, "MOVE E", "USE TELEPORT A3")

    assert after.player().at == "A3"
    assert refused(state, "MOVE E", "USE TELEPORT C2")[0] == "occupied"


def test_the_controller_of_transit_moves_any_bubble_anywhere() -> None:
    """Controller: one bubble goes from any space to any other, on top of the action."""
    state = station(blue="C1", control={"transit": "blue"}, lying={"A3": "y", "B4": "rr"})
    after = play(state, "MOVE E", "USE TRANSFER yellow FROM A3 TO B4", "ROTATE CW")

    assert after.pops == ["B4"]
    assert refused(state, "MOVE E", "ROTATE CW", "USE TRANSFER red FROM A3 TO B4")[0] == "no-such-bubble"


# Energy


def test_two_bubbles_pop_beside_the_energy_station() -> None:
    """Passive: beside it 2 bubbles of any colours pop, for any player; on it 3 are needed."""
    beside = play(station(lying={"D3": "ry"}, hand="b"), "MOVE W", "ROTATE CW")
    on = play(station(lying={"D4": "ry"}, hand="b"), "MOVE W", "ROTATE CW")

    assert (beside.pops, on.pops) == (["D3"], [])


def test_energy_converts_bubbles_beside_it() -> None:
    """Active: up to 3 bubbles on spaces beside it become your colour; those replaced go to the bag."""
    state = station(blue="D2", hand="bb", lying={"C4": "ry", "D3": "g"}, bag="bbb")
    after = play(state, "MOVE S S", "USE CONVERT C4 red, C4 yellow, D3 green")

    (converted,) = after.told("converted")
    assert converted["bubbles"] == [["C4", "red"], ["C4", "yellow"], ["D3", "green"]]
    assert after.state.bag == bubbles("rgy")
    assert tokens(after.state) == tokens(state)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("USE CONVERT B4 red", "not-beside"),
        ("USE CONVERT C4 green", "no-such-bubble"),
        ("USE CONVERT C4 red, C4 red, C4 red, C4 red", "too-many"),
        ("USE CONVERT C4", "not-in-pairs"),
        ("USE CONVERT C4 red, C4 red, C4 red", "bag-short"),
    ],
)
def test_conversion_has_its_bounds(line: str, code: str) -> None:
    """Up to three bubbles beside the station are converted, and no more than the bag has of the own colour."""
    state = station(blue="D2", hand="bb", lying={"C4": "rrr"}, bag="bb")

    assert refused(state, "MOVE S S", line)[0] == code


def test_the_controller_of_energy_pops_a_single_bubble() -> None:
    """Controller: a pop with just 1 bubble of your colour, on the station or beside it."""
    state = station(blue="D3", hand="b", control={"energy": "blue"})
    after = play(state, "MOVE S", "PULL W", "USE IGNITE D4")

    assert after.pops == ["D4"]
    assert refused(state, "MOVE S", "PULL W", "USE IGNITE A1")[0] == "not-beside"
    assert refused(state, "MOVE S", "PULL W", "USE IGNITE C4")[0] == "no-such-bubble"


# Defense


def test_defense_keeps_others_from_moving_bubbles_beside_it() -> None:
    """Passive: beside it, actions of others do not move a player's bubbles; those of colours without a player move."""
    pulled = play(station(blue="B3", hand="", lying={"A3": "ry"}), "PULL W")
    pushed = play(station(blue="B3", hand="b", lying={"B4": "ry"}, cards={"B4": "NS"}), "MOVE S", "ROTATE CW")

    assert (pulled.lying("A3"), pulled.lying("B3")) == ("r", "y")
    assert [pushed.lying(place) for place in ("A4", "B4", "C4")] == ["b", "r", "y"]


def test_defense_does_not_hold_ones_own_bubbles() -> None:
    """A player can move their own bubbles beside it."""
    assert play(station(blue="C4", hand="", lying={"B4": "br"}), "PULL W").lying("C4") == "b"


def test_defense_does_not_hold_back_pops() -> None:
    """A pop is no action: it sends all bubbles."""
    assert play(station(hand="", lying={"B4": "rrr"}), "ROTATE CW").lying("B4") == ""


def test_defense_places_two_bubbles_anywhere() -> None:
    """Active: ending a move there, 2 bubbles of the supply are placed on any spaces."""
    state = station(blue="A3", hand="bbr", red="D1", lying={"C3": "yy"})
    after = play(state, "MOVE S", "USE DEPLOY red C3, blue B2", "BUBBLES blue")

    assert after.pops == ["C3"]
    assert (after.lying("B2"), after.hand()) == ("b", "")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("USE DEPLOY red C3", "miscounted"),
        ("USE DEPLOY red C3, red B2", "no-such-bubble"),
        ("USE DEPLOY C3 B2", "not-in-pairs"),
    ],
)
def test_deployment_has_its_bounds(line: str, code: str) -> None:
    """Exactly two bubbles that are in the supply."""
    assert refused(station(blue="A3", hand="bbbr"), "MOVE S", "BUBBLES blue", line)[0] == code


def test_the_controller_of_defense_blocks_an_action() -> None:
    """Controller: another player must choose a different action in the next turn, and only in that one."""
    state = station(blue="A3", hand="b", control={"defense": "blue"}, others={"red": Player(side="S", at="C2")})
    after = play(state, "MOVE S", "PULL N", "USE BLOCK red ROTATE")

    assert (1, "blocked") in codes(read(after.state, "ROTATE CW", seat="red"))
    following = miss(after.state)
    assert (following.told("rotated"), len(following.told("pulled"))) == ([], 1)
    assert following.player("red").blocked == ""


# All stations


@pytest.mark.parametrize(
    "line", ["USE RESEARCH", "USE TELEPORT A2", "USE CONVERT C4 red", "USE DEPLOY red B2, blue B2"]
)
def test_an_active_effect_needs_the_move_to_end_there(line: str) -> None:
    """Active effects are for a Mari that ended its move on the station."""
    assert refused(station(), "MOVE W", line)[0] == "not-there"


@pytest.mark.parametrize(
    "line", ["USE SELECT red", "USE IGNITE D4", "USE BLOCK red PULL", "USE TRANSFER red FROM C4 TO B2"]
)
def test_a_bonus_needs_control(line: str) -> None:
    """The controller's bonus needs control of the station that the Mari is on."""
    places = {"SELECT": "B1", "IGNITE": "C4", "BLOCK": "B4", "TRANSFER": "C1"}
    ways = {"SELECT": "W", "IGNITE": "E", "BLOCK": "W", "TRANSFER": "E"}
    word = line.split()[1]

    assert refused(station(blue=places[word]), f"MOVE {ways[word]}", "ROTATE CW", line)[0] == "no-control"


def test_an_active_effect_is_an_action() -> None:
    """A station's effect takes the place of Rotate & Push or Gravity Pull."""
    assert codes(read(station(blue="B1"), "MOVE W", "USE RESEARCH", "ROTATE CW")) == [(3, "only-one")]


def test_anybody_may_use_an_active_effect() -> None:
    """Any player may use a station's active effect, controller or not."""
    assert play(station(blue="C1", control={"transit": "red"}), "MOVE E", "USE TELEPORT A3").player().at == "A3"


def test_a_chain_of_three_takes_control() -> None:
    """A chain of length 3 or more with a pop on the station gives control of it."""
    lying = {"A1": "rrr", "B1": "rr", "A2": "rr"}
    after = play(station(hand="", lying=lying, control={"research": "red"}), "ROTATE CW")

    assert len(after.pops) >= 3
    assert after.state.control == {"research": "blue"}
    assert after.told("controlled") == [{"who": "blue", "station": "research", "before": "red"}]


@pytest.mark.parametrize("lying", [{"A1": "rrr"}, {"B2": "rrrr", "B1": "rr", "A2": "rr", "C4": "rrr"}])
def test_control_needs_length_and_a_pop_on_the_station(lying: dict[str, str]) -> None:
    """A short chain, or a long one that does not pop on the station, gives no control."""
    assert play(station(hand="", lying=lying), "ROTATE CW").state.control == {}


@pytest.mark.parametrize(("stations", "points"), [(0, 0), (1, 0), (2, 5), (3, 12), (4, 20)])
def test_stations_are_worth_points_at_the_end(stations: int, points: int) -> None:
    """Two stations count 5 points, three 12, four 20."""
    state = station(hand="", control=dict.fromkeys(STATIONS[:stations], "blue"))

    assert STATION_POINTS[stations] == points
    assert RULESET.standing(state).scores["blue"] == points
