"""The headlines of The Singularity Trap: what they state is so, and nothing hidden changes them."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from pbem.ruleset import Event, Loss
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.state import Faction, Result, State
from tests.rules.singularity_trap.builders import Played, given, play, ship, view, world
from tests.rules.singularity_trap.sample_view import empty_view, fight_view, sample_view, sighting

ALL = ("red", "yellow", "green", "cyan", "blue", "magenta")
SITES = [planet["space"] for planet in view(world(seats=ALL), "red")["planets"]]


def summary(state: State, seat: str = "red", events: tuple[Event, ...] = ()) -> list[str]:
    """Return the summary that a seat is sent."""
    return list(RULESET.turn_summary(view(state, seat, events)))


def told(played: Played, seat: str = "red") -> list[str]:
    """Return the summary of a turn that was played."""
    return summary(played.state, seat, played.events)


def holding(*, allies: tuple[tuple[str, str], ...] = (), factions: Any = (), **planets: int) -> State:
    """Return a world of six players, some with so many planets and the others with none; red has no ship."""
    names = [seat for seat, count in planets.items() for _ in range(count)]
    owners = dict(zip(SITES, [*names, *[None] * (len(SITES) - len(names))], strict=True))
    return world(seats=ALL, owners=owners, allies=allies, factions=factions)


def test_planets_won_and_lost_are_told_to_both() -> None:
    """Red's cruiser takes a gate of green's: red is told that it won it, and green that it lost it."""
    state = world(ship("R1", "J4+6"), owners={"J4+6": "green"})
    name = next(each["name"] for each in view(state, "red")["planets"] if each["space"] == "J4+6")

    played = play(state)

    assert told(played)[0] == f"You took {name} from green. You hold 2 of the 25 planets that win; green 1, cyan 1."
    assert told(played, "green")[0] == f"You lost {name} to red. You hold 1 of the 25 planets that win; red 2, cyan 1."
    assert isinstance(told(played, "green")[0], Loss)
    assert f"Elsewhere red took {name}." in told(played, "cyan")


def test_a_planet_that_nobody_holds_names_no_owner() -> None:
    """An unowned planet that is taken is told by its name alone."""
    assert any(line.startswith("You took ") and " from " not in line for line in told(play(world(ship("R1", "J4+6")))))


def test_gains_and_losses_of_a_turn_are_two_headlines() -> None:
    """A planet taken is told with the standing; one lost the same turn is told as a loss, behind it."""
    events = [
        {"kind": "captured", "space": "J4+6", "name": "red-gate", "was": None, "now": "red"},
        {"kind": "captured", "space": "J1+9", "name": "red-home", "was": "red", "now": "cyan"},
    ]
    lines = RULESET.turn_summary(sample_view() | {"events": events})

    assert lines[:2] == [
        "You took red-gate. You hold 8 planets; green 6, cyan 5, yellow 3, blue 3.",
        "You lost red-home to cyan.",
    ]
    assert [type(line) for line in lines[:2]] == [str, Loss]


def test_combat_tells_own_fates_and_others_ships_gone() -> None:
    """In the sample's combat an own ship went dark, and another's is no longer seen, whatever became of it."""
    line = next(line for line in RULESET.turn_summary(sample_view()) if line.startswith("Fight"))

    assert line == "Fight at M4+0: R815 went dark; yellow lost 1 Cruiser."
    assert isinstance(line, Loss)


def test_combat_without_a_loss_says_so() -> None:
    """A fight in which all ships stay is told too."""
    shown = sample_view()
    fights = [event | {"lost": []} for event in shown["events"] if event["kind"] == "combat"]

    assert "Fight at M4+0: no ship was lost." in RULESET.turn_summary(shown | {"events": fights})


def test_many_losses_are_told_in_numbers() -> None:
    """More fates than fit a line are counted."""
    shown = sample_view()
    (fight, *_) = (event for event in shown["events"] if event["kind"] == "combat")
    own = [{"id": f"R{number}", "owner": "red", "type": "Scout", "damage": 0} for number in range(100, 110)]
    lost = [{"ship": each["id"], "how": "destroyed"} for each in own]

    lines = RULESET.turn_summary(shown | {"events": [fight | {"ships": own, "lost": lost}]})
    assert "Fight at M4+0: 10 of yours destroyed." in lines


def test_losses_of_every_kind_in_many_combats_fit_a_line() -> None:
    """All ships that went dark, were destroyed or vanished are told to the end."""
    shown = sample_view()
    (fight, *_) = (event for event in shown["events"] if event["kind"] == "combat")
    fights = []
    for at, space in enumerate(("M4+0", "J10+0", "J7+3")):
        hows = {f"R{at}0": "dark", f"R{at}1": "destroyed", f"G{at}0": "vanished"}
        owners = {"R": "red", "G": "green"}
        ships = [{"id": key, "owner": owners[key[0]], "type": "Scout", "damage": 0} for key in hows]
        lost = [{"ship": key, "how": how} for key, how in hows.items()]
        fights.append(fight | {"space": space, "ships": ships, "lost": lost})

    lines = RULESET.turn_summary(shown | {"events": fights})
    assert "3 fights: 3 of yours went dark, 3 of yours destroyed; green lost 3 Scouts." in lines


def test_the_standing_counts_the_planets_of_all_who_play() -> None:
    """The reader comes first, then the player in the lead; the number that wins is told where it fits."""
    few = {**view(holding(red=5, blue=7, green=5), "green"), "turn": 2}

    assert RULESET.turn_summary(few)[0] == (
        "You hold 5 of the 25 planets that win; blue 7, red 5, yellow 0, cyan 0, magenta 0."
    )
    assert RULESET.turn_summary({**few, "over": True})[0] == (
        "You hold 5 planets; blue 7, red 5, yellow 0, cyan 0, magenta 0."
    )


@pytest.mark.parametrize(
    ("planets", "allies", "line"),
    [
        ({"red": 8, "cyan": 5}, [("red", "cyan")], "With cyan you hold 13 of the 25 planets that win."),
        (
            {"red": 12, "cyan": 5, "blue": 3, "green": 4},
            [("red", "cyan"), ("red", "blue"), ("red", "green")],
            "With cyan and green you hold 21 of the 25 planets that win.",
        ),
        (
            {"red": 20, "cyan": 5},
            [("red", "cyan")],
            "With cyan you hold 25 of the 25 planets that win: you can declare a faction.",
        ),
        (
            {"red": 13, "cyan": 6, "blue": 6},
            [("red", "cyan"), ("red", "blue")],
            "With blue and cyan you hold 25 of the 25 planets that win: you can declare an empire.",
        ),
        (
            {"red": 12, "cyan": 7, "blue": 6},
            [("red", "cyan"), ("red", "blue")],
            "With blue and cyan you hold 25 of the 25 planets that win: a faction if they are allied.",
        ),
    ],
)
def test_the_arithmetic_of_alliances(planets: dict[str, int], allies: list[Any], line: str) -> None:
    """The summary adds up the planets of the reader and their best allies, and what these let them declare."""
    assert line in summary(holding(allies=tuple(allies), **planets))


def test_a_declaration_is_spoken_of_while_it_can_be_made() -> None:
    """It belongs to a start of turn: at pace "section" not to the sheets of movement and after (ruling 22)."""
    shown = view(holding(allies=(("red", "cyan"),), red=20, cyan=5), "red")

    assert "With cyan you hold 25 of the 25 planets that win." in RULESET.turn_summary({**shown, "section": "movement"})


def test_no_arithmetic_where_no_faction_is_allowed() -> None:
    """In a campaign without factions planets are not added up."""
    shown = view(holding(allies=(("red", "cyan"),), red=8, cyan=5), "red")
    shown["rules"]["largest_faction"] = 0

    assert [line for line in RULESET.turn_summary(shown) if "With" in line] == []


def test_an_offer_of_alliance_waits_for_its_answer() -> None:
    """Red would ally with green; that green does not is all that can be, and red is told whose answer it waits for."""
    played = play(world(), red="ALLY green YES")

    assert "Your offer of an alliance waits for green." in told(played)
    assert [line for line in told(played, "green") if "alliance" in line] == []


def test_a_new_alliance_is_told() -> None:
    """Two who wish it are allies from then on."""
    played = play(world(), red="ALLY green YES", green="ALLY red YES")

    assert "You and green are allies now." in told(played)


def test_who_is_near_victory_is_told_to_all() -> None:
    """A player, or a faction, with enough planets: at how many of the turn starts it needs."""
    alone = play(given(world(), 25, "green"))
    faction = holding(red=20, cyan=5, allies=(("red", "cyan"),), factions=[Faction(("red", "cyan"), None, held=2)])

    assert "Green alone held enough to win at 1 of 3 turn starts." in told(alone)
    assert "The faction of you and cyan held enough at 2 of 3 turn starts." in summary(faction)
    assert "The faction of red and cyan held enough at 2 of 3 turn starts." in summary(faction, "blue")


def test_enemies_and_unknown_ships_at_planets_are_threats() -> None:
    """Seen enemies at a planet of the reader's, and unknown ships next to one; an ally is no threat."""
    seen = world(ship("R1", "J4+6"), ship("G1", "J4+6"), owners={"J4+6": "red"})
    near = world(ship("R1", "J4+6"), ship("G1", "J4+7"), owners={"J4+6": "red"})
    allied = world(ship("R1", "J4+6"), ship("G1", "J4+6"), owners={"J4+6": "red"}, allies=[("red", "green")])
    name = next(each["name"] for each in view(seen, "red")["planets"] if each["space"] == "J4+6")

    assert f"At your planets: enemies at {name}." in summary(seen)
    assert f"At your planets: unknown ships at most a space from {name}." in summary(near)
    assert [line for line in summary(allied) if "enem" in line or "unknown" in line] == []


def test_threats_to_many_planets_are_counted() -> None:
    """The sample's red-rim is met by yellow, and unknown ships are by red-rim and red-left."""
    line = "Your planets: enemies at 1; unknown ships at most a space from 2."

    assert line in RULESET.turn_summary(sample_view() | {"events": []})


def test_money_is_told_as_what_can_be_spent() -> None:
    """Saved points and income less upkeep; or that upkeep cannot be paid, which is a loss."""
    shown = view(world(ship("R1", "J4+6"), points=14), "red")
    left = 14 + shown["income"] - 1
    poor = {**shown, "points": 1, "income": 2, "upkeep": 9}

    assert RULESET.turn_summary({**shown, "turn": 2})[-1] == f"You have {left} points to spend."
    assert RULESET.turn_summary({**shown, "turn": 2, "upkeep": left + 1})[-1] == "You have no points to spend."
    assert RULESET.turn_summary({**shown, "section": "movement"})[-1] == "You have 14 points saved."
    assert RULESET.turn_summary(poor)[-1] == Loss(
        "Your points do not cover the upkeep of all your ships: some will be scrapped."
    )


def test_fire_that_is_awaited_comes_first() -> None:
    """Between rounds of combat the reader is asked for shots before all else."""
    assert RULESET.turn_summary(fight_view())[0] == "Your fire is awaited at M4+0: 6 shots."


@pytest.mark.parametrize(
    ("winners", "line"),
    [
        (("red",), "You have won the war."),
        (("red", "cyan"), "You have won the war, with cyan."),
        (("green", "cyan"), "The war is over: green and cyan have won."),
        (("green",), "The war is over: green has won."),
        ((), "The war is over: nobody has won."),
    ],
)
def test_the_end_tells_who_won_and_why(winners: tuple[str, ...], line: str) -> None:
    """At the end the result and its reason come first, and nothing is planned any more."""
    reason = "held 25 or more planets at 3 successive starts of turn"
    lines = summary(dataclasses.replace(world(), result=Result(winners, reason)))

    assert lines[:2] == [line, f"Why: {reason}."]
    assert [each for each in lines if "income" in each or "waits" in each] == []


def test_who_has_left_is_told_so() -> None:
    """A player who resigned is out, and has neither money nor plans; the others hear of it."""
    played = play(world(), red="RESIGN CONFIRM")

    assert told(played)[0] == "You are out of the war."
    assert [line for line in told(played) if "income" in line] == []
    assert "Red is out of the war." in told(played, "green")


def test_the_first_report_says_what_one_has_and_what_wins() -> None:
    """It begins: homes, planets to win under the options, and ships that the points pay."""
    shown = empty_view()
    alone = shown["rules"] | {"largest_faction": 0, "turns_to_hold": 1}

    assert RULESET.turn_summary(shown) == [
        "The game begins. You hold red-home (J1+9), as all others hold theirs.",
        "25 planets win, if held at 3 successive turn starts, alone or with allies.",
        "You have 10 points to spend: a Scout (6) or a Cruiser (10) is a good first ship.",
    ]
    assert RULESET.turn_summary(shown | {"rules": alone})[1] == "25 planets win, if held at the start of a turn."


@pytest.mark.parametrize("seat", ALL)
def test_a_full_turn_is_told_in_five_headlines(seat: str) -> None:
    """With one event of every kind the planets, the fights, what failed and the money are told, in this order."""
    lines = RULESET.turn_summary(sample_view(seat))

    assert [line.split()[0] for line in lines] == ["You", "Fight", "No", "One", "You"]
    assert [isinstance(line, Loss) for line in lines] == [False, True, True, True, False]


@pytest.mark.parametrize("section", ["turn", "economic", "movement", "combat", "ecopolitical"])
def test_a_reminder_says_what_happens_without_orders(section: str) -> None:
    """For each section there is one sentence."""
    said = RULESET.without_orders(sample_view() | {"section": section})

    assert said.startswith("Without orders ")
    assert said.index(".") == len(said) - 1


def test_hidden_ships_and_others_points_change_nothing() -> None:
    """Green's far fleet, its points and its alliance with cyan are green's: red's summary is the same without."""
    here = ship("R1", "J4+6")
    plain = world(here)
    rich = world(here, ship("G7", "D13-4"), ship("G8", "D13-4", "Scout"), allies=[("green", "cyan")])
    other = dataclasses.replace(rich.players["green"], points=3)
    rich = dataclasses.replace(rich, players={**rich.players, "green": other})

    assert summary(plain) == summary(rich)


def test_armed_ships_lost_from_sight_near_own_planets_are_named() -> None:
    """Last turn's, at most a slip away from a planet; not an ally's, not unarmed ones, not those of turns before."""
    facts: dict[str, Any] = {"owner": "green", "type": "Cruiser", "damage": 0}
    near = sighting("J3+7", 6, id="G500", **facts)
    others = [
        sighting("J13-3", 6, id="G501", **facts),
        sighting("J3+7", 5, id="G502", **facts),
        sighting("J3+7", 6, id="G503", **facts | {"type": "Terraformer"}),
        sighting("J3+7", 6, id="C504", **facts | {"owner": "cyan"}),
        sighting("J3+7", 6),
    ]
    shown = sample_view() | {"events": [], "factions": []}

    lines = RULESET.turn_summary(shown | {"memory": {"last_known": [near, *others]}})
    assert "Lost from sight near your planets: G500 (J3+7)." in lines
    assert not [line for line in RULESET.turn_summary(shown | {"memory": {"last_known": others}}) if "Lost" in line]


def test_many_ships_lost_from_sight_are_counted() -> None:
    """Those of one space are named with it once; more than fit a line are a number."""
    facts: dict[str, Any] = {"owner": "green", "type": "Cruiser", "damage": 0}
    apart = [sighting(f"J{at}+7", 6, id=f"G{500 + at}", **facts) for at in range(1, 6)]
    view = sample_view() | {"events": [], "factions": []}

    assert "5 armed ships near your planets went out of sight." in RULESET.turn_summary(
        view | {"memory": {"last_known": apart}}
    )
    together = [each | {"space": "J3+7"} for each in apart]
    assert "Lost from sight near your planets: G501, G502, G503, G504 and G505 (J3+7)." in RULESET.turn_summary(
        view | {"memory": {"last_known": together}}
    )
