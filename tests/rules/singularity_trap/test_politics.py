"""Alliances, factions, empires, leaving and winning (rulebook, "Winning" and section D; rulings 21 to 23)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.chart import COLOURS
from pbem_rules.singularity_trap.state import Faction, Ship, State
from tests.rules.singularity_trap.builders import Played, at, dark, findings, given, play, ship, view, world

ALL = COLOURS
RING = [("red", "green"), ("green", "blue"), ("red", "blue")]


def _holding(
    shares: dict[str, int], allies: Sequence[tuple[str, str]] = (), *, seats: Sequence[str] = ALL, **extra: Any
) -> State:
    """Return a campaign in which some players own so many planets, and the others one each."""
    state = world(seats=seats, allies=allies, **extra)
    owners = [seat for seat, count in shares.items() for _ in range(count)]
    sites = state.chart.sites
    owners += [seat for seat in state.seats if seat not in shares]
    planets = {
        site.space: dataclasses.replace(state.planets[site.space], owner=owner)
        for site, owner in zip(sites, [*owners, *[None] * (len(sites) - len(owners))], strict=True)
    }
    return dataclasses.replace(state, planets=planets)


def _turns(state: State, *sheets: str) -> list[Played]:
    """Play turns in which red sends these sheets."""
    played = []
    for sheet in sheets:
        played.append(play(state, red=sheet))
        state = played[-1].state
    return played


def _result(played: Played) -> tuple[str, ...] | None:
    return played.state.result.winners if played.state.result else None


def _why(played: Played, seat: str = "red") -> str:
    return str(played.told("refused", seat)[0]["why"])


# Alliances


def test_two_who_wish_it_are_allies_next_turn() -> None:
    """If two players have each other set to yes they are allies for the following turn; both are told."""
    played = play(world(), red="ALLY green YES", green="ALLY red YES")

    assert played.state.allied("red", "green")
    assert played.told("alliance", "red") == [{"who": "green", "on": True}]
    assert not played.told("alliance", "cyan")


def test_the_gm_may_answer_allies() -> None:
    """The allies of a player are those that its own view shows; a pure war game declares none."""
    played = play(world(), red="ALLY green YES", green="ALLY red YES")
    shown = view(played.state, "red", played.events)

    assert RULESET.allies(shown) == ["green"]
    assert RULESET.allies(view(world(), "red")) == []
    assert RULESET.allies({**shown, "rules": {**shown["rules"], "alliances": False}}) is None


def test_one_wish_is_no_alliance() -> None:
    """If either has the other set to no they are not allies, and the other hears nothing of the wish."""
    played = play(world(), red="ALLY green YES")

    assert not played.state.allies
    assert view(played.state, "green", played.events)["players"] == view(world(), "green")["players"]


def test_an_alliance_begins_only_with_the_next_turn() -> None:
    """The combat of a turn is fought by the alliances of before."""
    state = world(ship("R101", "J12+5"), ship("G101", "J12+5"))

    assert play(state, red="ALLY green YES", green="ALLY red YES").told("combat")


def test_settings_stay_until_changed() -> None:
    """Current alliances are set to yes unless a player changes them; unmentioned players keep their setting."""
    state = world(allies=[("red", "green"), ("red", "cyan")])

    played = play(state, red="ALLY green NO")

    assert played.state.allies == {("cyan", "red")}
    assert played.told("alliance", "green") == [{"who": "red", "on": False}]


def test_a_wish_waits_for_its_answer() -> None:
    """A yes of an earlier turn counts when the other says yes too."""
    first = play(world(), red="ALLY green YES")

    assert play(first.state, green="ALLY red YES").state.allied("red", "green")


def test_alliances_overlap() -> None:
    """Two allies of a player need not be allies of each other."""
    state = world(allies=[("red", "green"), ("red", "cyan")])

    assert not play(state).state.allied("green", "cyan")


# Winning alone


def test_25_planets_at_three_starts_of_turn_win() -> None:
    """Controlling 25 or more planets at the beginning of 3 successive turns is a win for a single player."""
    first, second, third = _turns(_holding({"red": 25}), "", "", "")

    assert (_result(first), _result(second), _result(third)) == (None, None, ("red",))
    assert [each.told("holding")[0]["held"] for each in (first, second)] == [1, 2]
    assert RULESET.standing(third.state).over


def test_24_planets_do_not_win() -> None:
    """24 planets are not enough, however long."""
    assert _result(_turns(_holding({"red": 24}), "", "", "", "")[-1]) is None


def test_a_start_with_fewer_planets_begins_the_count_anew() -> None:
    """The starts must be successive."""
    state = _turns(_holding({"red": 25}), "", "")[-1].state
    lost = dataclasses.replace(state.planets[at("J1+9")], owner="green")

    played = play(dataclasses.replace(state, planets={**state.planets, at("J1+9"): lost}))

    assert _result(played) is None
    assert played.state.players["red"].held == 0


@pytest.mark.parametrize(("goal", "turns"), [(10, 1), (10, 2), (12, 1)])
def test_house_rules_set_the_goal(goal: int, turns: int) -> None:
    """A campaign may ask for other numbers of planets and of turns."""
    played = _turns(_holding({"red": goal}, planets_to_win=goal, turns_to_hold=turns), *[""] * turns)

    assert [_result(each) for each in played] == [None] * (turns - 1) + [("red",)]


def test_of_two_who_reach_a_low_goal_the_greater_wins() -> None:
    """Of several who would win at the same start those with most planets do, and a tie is shared (ruling 34)."""
    unequal = play(_holding({"red": 11, "green": 12}, planets_to_win=10, turns_to_hold=1))
    equal = play(_holding({"red": 11, "green": 11}, planets_to_win=10, turns_to_hold=1))

    assert _result(unequal) == ("green",)
    assert _result(equal) == ("red", "green")


# Factions


def test_a_faction_wins_with_the_start_at_which_it_was_declared_and_two_more() -> None:
    """A faction declared at a start of turn with 25 planets must hold them at the following 2 starts to win."""
    state = _holding({"red": 13, "green": 12}, [("red", "green")])

    first, second = _turns(state, "DECLARE FACTION WITH green", "")

    assert first.told("declared") == [{"kind_of": "faction", "members": ["red", "green"], "dominant": None}]
    assert first.told("faction-held") == [{"members": ["red", "green"], "held": 2, "needed": 3}]
    assert _result(first) is None
    assert _result(second) == ("red", "green")


def test_all_hear_of_a_faction() -> None:
    """Factions are declared before all."""
    played = play(_holding({"red": 13, "green": 12}, [("red", "green")]), green="DECLARE FACTION WITH red")

    assert all(played.told("declared", seat) for seat in ALL)
    assert view(played.state, "cyan")["factions"][0]["held"] == 2
    assert view(played.state, "cyan")["faction"] is None


@pytest.mark.parametrize(
    ("shares", "allies", "order", "why"),
    [
        ({"red": 12, "green": 12}, [("red", "green")], "FACTION WITH green", "it holds 24 planets and needs 25"),
        ({"red": 13, "green": 12}, [], "FACTION WITH green", "its members are not all allied with each other"),
        ({"red": 9, "green": 9, "blue": 9}, RING[1:], "FACTION WITH green blue",
         "its members are not all allied with each other"),
        ({"red": 25}, [("red", c) for c in ("green", "cyan", "blue")], "FACTION WITH green cyan blue",
         "a faction has 2 to 3 members here"),
        ({"red": 12, "green": 9, "blue": 9}, RING, "EMPIRE WITH green blue",
         "its dominant member needs 13 planets alone"),
        ({"red": 13, "green": 12}, [("red", "green")], "EMPIRE WITH green green", "an empire has 3 members"),
        ({"red": 13, "green": 9, "blue": 9}, RING[:2], "EMPIRE WITH green blue",
         "red is not allied with both others"),
    ],
)  # fmt: skip
def test_a_faction_that_cannot_be_is_refused(
    shares: dict[str, int], allies: list[tuple[str, str]], order: str, why: str
) -> None:
    """It needs 25 planets together and all its alliances; an empire three members and 13 planets of its first."""
    played = play(_holding(shares, allies), red=f"DECLARE {order}")

    assert not played.state.factions
    assert _why(played) == why


@pytest.mark.parametrize(("players", "why"), [(3, "there are no factions"), (5, "a faction has 2 members here")])
def test_faction_sizes_depend_on_the_table(players: int, why: str) -> None:
    """Three may not form a faction in a game of 4 or 5, nor any players in a smaller one."""
    allies = [("red", "yellow"), ("red", "green"), ("yellow", "green")]

    played = play(_holding({"red": 25}, allies, seats=ALL[:players]), red="DECLARE FACTION WITH yellow green")

    assert _why(played).startswith(why)


def test_a_faction_dissolves_below_25_planets() -> None:
    """It dissolves if it holds 24 or fewer at the beginning of a turn."""
    state = _holding({"red": 12, "green": 12}, [("red", "green")], factions=[Faction(("red", "green"), None, 1)])

    played = play(state)

    assert not played.state.factions
    assert played.told("dissolved", "cyan") == [
        {"members": ["red", "green"], "why": "it holds 24 planets and needs 25"}
    ]


def test_a_faction_that_falls_for_its_planets_tells_nothing_of_its_alliances() -> None:
    """Alliances are private, so they are not spoken of where the planets, which all can see, are reason enough."""
    state = _holding({"red": 12, "green": 12}, [], factions=[Faction(("red", "green"), None, 1)])

    assert play(state).told("dissolved")[0]["why"] == "it holds 24 planets and needs 25"


def test_a_faction_dissolves_without_its_alliance() -> None:
    """It dissolves if a required alliance is missing at the beginning of a turn."""
    state = _holding({"red": 13, "green": 12}, [("red", "green")], factions=[Faction(("red", "green"), None, 1)])

    assert not play(state, green="ALLY red NO").state.factions


def test_a_standard_three_may_be_declared_by_any_member() -> None:
    """All members are allied with all others."""
    state = _holding({"red": 9, "green": 8, "blue": 8}, RING)

    assert play(state, blue="DECLARE FACTION WITH red green").state.factions


def test_a_receipt_says_that_a_standard_three_hangs_on_the_others() -> None:
    """An alliance is known to its two members only, so that of the two others can just be named (ruling 32)."""
    state = _holding({"red": 13, "green": 6, "blue": 6}, [RING[0], RING[2]])

    assert [each.text for each in findings(state, "red", "DECLARE FACTION WITH green blue")] == [
        "it stands only if blue and green are allied with each other too"
    ]
    assert not findings(state, "red", "DECLARE EMPIRE WITH green blue")


def test_an_empire_needs_only_the_alliances_of_its_dominant_member() -> None:
    """An empire has a dominant player with 13 planets and 2 allies, even if those are not allied with each other."""
    state = _holding({"red": 13, "green": 6, "blue": 6}, [RING[0], RING[2]])

    first, second = _turns(state, "DECLARE EMPIRE WITH green blue", "")

    assert first.told("declared")[0] == {"kind_of": "empire", "members": ["red", "green", "blue"], "dominant": "red"}
    assert _result(second) == ("red", "green", "blue")


@pytest.mark.parametrize(
    ("red", "allies", "stands"),
    [(13, [RING[0], RING[2]], True), (12, [RING[0], RING[2]], False), (12, RING, True), (13, RING[:2], False)],
)
def test_when_an_empire_dissolves(red: int, allies: list[tuple[str, str]], stands: bool) -> None:
    """It dissolves at a start with two members who are no allies and the dominant one below 13 planets.

    As any faction does, it also dissolves without the alliances that it needs.
    """
    empire = Faction(("red", "green", "blue"), "red", 1)

    played = play(_holding({"red": red, "green": 7, "blue": 7}, allies, factions=[empire]))

    assert bool(played.state.factions) is stands


def test_a_faction_is_not_declared_twice() -> None:
    """A second declaration of the same faction on one sheet is refused."""
    state = _holding({"red": 13, "green": 12}, [("red", "green")])

    played = play(state, red="DECLARE FACTION WITH green", green="DECLARE FACTION WITH red")

    assert len(played.state.factions) == 1
    assert _why(played, "green") == "it stands already"


def test_factions_may_overlap() -> None:
    """A player may be in two factions; each counts its own starts (ruling 34)."""
    state = _holding({"red": 17, "green": 8, "blue": 8}, [RING[0], RING[2]])

    played = play(state, red="DECLARE FACTION WITH green / DECLARE FACTION WITH blue")

    assert [faction.members for faction in played.state.factions] == [("red", "green"), ("red", "blue")]


def test_winning_alone_goes_before_winning_together() -> None:
    """A player with the planets for three starts wins alone, even if a faction of theirs would win (ruling 34)."""
    state = _holding({"red": 25, "green": 2}, [RING[0]], factions=[Faction(("red", "green"), None, 2)])
    state = dataclasses.replace(
        state, players={**state.players, "red": dataclasses.replace(state.players["red"], held=2)}
    )

    assert _result(play(state)) == ("red",)


# Leaving


def test_a_resigned_players_ships_are_scrapped_and_planets_unowned() -> None:
    """A player who resigns loses everything, before anything else is done; the rest of the sheet does not count."""
    played = play(world(ship("R101", "J10")), red="BUILD Scout AT J1+9 / RESIGN CONFIRM / MOVE R101 N")

    assert not played.state.ships
    assert played.owner("J1+9") is None
    assert played.told("resigned", "cyan") == [{"who": "red", "how": "resigned"}]
    assert RULESET.standing(played.state).awaiting == {"green", "cyan"}


def test_a_gm_can_take_a_player_out() -> None:
    """A removed player fares as one who resigned."""
    played = play(world(ship("R101", "J10")), removed=["red"])

    assert not played.state.ships
    assert played.told("resigned")[0] == {"who": "red", "how": "removed"}


def test_who_left_is_nobodys_ally_or_partner() -> None:
    """Alliances and factions end with a member; alliances at once."""
    state = _holding({"red": 13, "green": 13}, [("red", "green")], factions=[Faction(("red", "green"), None, 1)])
    section = dataclasses.replace(state.house, pace="section")

    played = play(state, green="RESIGN CONFIRM")

    assert not played.state.allies
    assert not play(dataclasses.replace(state, house=section), green="RESIGN CONFIRM").state.allies
    assert played.told("dissolved")[0]["why"] == "a member has left the game"


def test_the_last_player_left_wins() -> None:
    """When all others have left the game is over (ruling 33)."""
    played = play(world(seats=("red", "cyan")), cyan="RESIGN CONFIRM")

    assert _result(played) == ("red",)
    assert not played.told("income")
    assert played.told("victory", "cyan") == [{"winners": ["red"], "reason": "the last player left"}]


def test_when_all_leave_nobody_wins() -> None:
    """Two who resign at once leave a war without victor."""
    played = play(world(seats=("red", "cyan")), cyan="RESIGN CONFIRM", red="RESIGN CONFIRM")

    assert _result(played) == ()
    assert RULESET.standing(played.state).over


def test_a_player_without_planet_and_ship_is_out() -> None:
    """A player with neither planet nor ship at the start of a turn is out, and all are told (ruling 33)."""
    state = world(ship("C101", "J1+9"))

    played = play(state)

    assert played.told("resigned", "green") == [{"who": "red", "how": "eliminated"}]
    assert not played.state.players["red"].playing


@pytest.mark.parametrize("remnant", [ship("R101", "J12"), dark("R101", "J12")])
def test_a_player_with_a_ship_plays_on(remnant: Ship) -> None:
    """One ship is enough to stay in the game, even a dark one."""
    played = play(world(ship("C101", "J1+9"), remnant))

    assert played.state.players["red"].playing


def test_scores_are_planets() -> None:
    """The scores that a GM sees are planets owned."""
    assert RULESET.standing(given(world(), 7, "red")).scores == {"red": 7, "green": 1, "cyan": 1}


def test_factions_are_judged_before_anybody_is_out() -> None:
    """A member without planet and ship shares the victory of a faction that stands (ruling 40)."""
    faction = Faction(("red", "green"), None, 1)
    state = _holding({"red": 26, "green": 0, "cyan": 1}, [("red", "green")], factions=[faction])

    first, second = _turns(state, "", "")

    assert first.told("faction-held")
    assert not first.told("resigned")
    assert _result(second) == ("red", "green")


def test_a_member_is_out_when_his_faction_falls() -> None:
    """A member without planet and ship stays only as long as the faction stands (ruling 40)."""
    faction = Faction(("red", "green"), None, 1)
    state = _holding({"red": 26, "green": 0, "cyan": 1}, [("red", "green")], factions=[faction])

    played = play(state, red="ALLY green NO")

    assert played.told("dissolved")[0]["why"] == "its members are not all allied with each other"
    assert played.told("resigned")[0] == {"who": "green", "how": "eliminated"}


def test_victory_goes_before_elimination() -> None:
    """A player who has held enough planets wins by them, though the last of the others is out at the same start."""
    state = _holding({"red": 37, "cyan": 0}, seats=("red", "cyan"), turns_to_hold=1)

    assert play(state).told("victory")[0]["reason"] == "held 25 or more planets at the start of a turn"


def test_who_left_cannot_be_named_in_a_faction() -> None:
    """A partner who resigns on the sheet of the same turn is gone before the declaration is judged (ruling 35)."""
    state = _holding({"red": 25, "green": 1}, [("red", "green")])

    played = play(state, red="DECLARE FACTION WITH green", green="RESIGN CONFIRM")

    assert not played.told("declared")
    assert _why(played) == "a member has left the game"


def test_the_reason_of_a_victory_is_the_rule() -> None:
    """All are told what the winners held, and at how many starts."""
    played = play(_holding({"red": 12}, planets_to_win=10, turns_to_hold=1))

    assert played.told("victory")[0]["reason"] == "held 10 or more planets at the start of a turn"
