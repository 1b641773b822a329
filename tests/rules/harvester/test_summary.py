"""Summary of a turn: each line is right, and none is there without a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pbem.ruleset import Event, Loss, SeatName
from pbem.testing.play import mail_view
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.state import State
from tests.rules.harvester.table import position, read, turn, view

IDLE = "Your Harvester holds 0 of 20 and has no target."


def summary(done: tuple[State, Sequence[Event]], seat: SeatName = "ann") -> list[str]:
    """Return the summary in a seat's report after a turn."""
    return list(RULESET.turn_summary(view(done[0], seat, done[1])))


def test_where_nothing_happens_little_is_said() -> None:
    """The summary of a quiet turn has the Harvester, the points and the rule."""
    assert summary((position(), ())) == [IDLE, "0 points; no Harvester is below you."]


def test_fights_are_counted_and_losses_named() -> None:
    """The summary counts fights won and lost, and names enemies and lost units."""
    units = {"ann": {"S1": (2, 0), "G": (0, -2)}, "bob": {"L1": (3, 0)}, "cyd": {"C1": (0, -3)}}
    done = turn(position(units), {"ann": ["MOVE S1 E", "MOVE G NW"]})

    assert summary(done)[:2] == ["You lost S1 to bob.", "Fights: 1 won, 1 lost, against bob and cyd."]
    assert summary(done, "bob")[:1] == ["Fights: 1 won, against ann."]


def test_a_tie_is_undecided() -> None:
    """A tie is neither won nor lost."""
    units = {"ann": {"S1": (2, 0)}, "bob": {"S1": (3, 0)}}

    assert summary(turn(position(units), {"ann": ["MOVE S1 E"]}))[0] == "Fights: 1 undecided, against bob."


def test_a_conquest_is_told_to_both() -> None:
    """Both players read the conquest, and how many Harvesters are ruled."""
    done = turn(position({"ann": {"G": (-5, 0)}}), {"ann": ["MOVE G W"]})

    assert "1 Harvester won, now below you: bob." in summary(done)
    assert "4 points; you rule 1 Harvester." in summary(done)
    assert "Your Harvester was conquered by ann, and serves it. You play on." in summary(done, "bob")
    assert "0 points; no Harvester is below you, and ann is above you." in summary(done, "bob")


def test_who_loses_a_ruler_is_told_who_comes_after() -> None:
    """A player who loses a ruler is told the next one above, or that there is none."""
    state = position(rulers={"bob": "ann", "cyd": "bob"})

    assert "You are free: the Harvester above yours is gone." in summary(turn(state, removed=["ann"]), "bob")
    passed = turn(state, removed=["bob"])
    assert "The Harvester that ruled yours is gone; ann rules it now." in summary(passed, "cyd")
    assert "Out of the game, and no longer below you: bob." in summary(passed)
    assert summary(passed, "bob") == ["You are out of the game: your Harvester and all its units are gone."]


def test_a_hold_that_others_broke_is_named() -> None:
    """A subservient conquered by others is no longer below its ruler."""
    done = turn(position({"cyd": {"G": (-5, 0)}}, rulers={"bob": "ann"}), {"cyd": ["MOVE G W"]})

    assert "1 Harvester lost to others, no longer below you: bob." in summary(done)


def test_foes_near_are_named_with_their_distance() -> None:
    """The nearest foe is named, all are counted, and units that scanners only count are told apart."""
    units = {"ann": {"G": (0, 0)}, "bob": {"L1": (1, 0), "S1": (0, 1), "S2": (0, 1)}, "cyd": {"C1": (-2, 0)}}

    lines = summary((position(units), ()))

    assert lines[0] == "Nearest foe: bob's 2 units at 0,1, 1 step off; 3 foes in sight, 1 unit of unknown owners."
    alone = position({"ann": {"G": (0, 0)}, "cyd": {"C1": (-2, 0)}})
    assert summary((alone, ()))[0] == "A unit of unknown owner at -2,0, 2 steps off."


def test_friends_are_no_threat() -> None:
    """Units of a subservient beside the own Harvester are not named among foes."""
    lines = summary((position({"bob": {"G": (1, 0)}}, rulers={"bob": "ann"}), ()))

    assert lines == [IDLE, "4 points; you rule 1 Harvester."]


def test_the_distance_is_the_shortest_around_the_planet() -> None:
    """A foe beyond the seam of the chart may be near."""
    units = {"ann": {"H": (9, 0), "G": (9, 0)}, "bob": {"S1": (10, 0)}}

    assert summary((position(units), ()))[0].endswith(", 1 step off.")


def test_the_harvester_says_what_it_holds_and_does() -> None:
    """The summary has what the Harvester gathered and holds, and its goal or what stopped it."""
    state = position(resources={(1, 0): 2, (3, 0): 1})
    gathered = turn(state, {"ann": ["TARGET 3,0"]})
    blocked = turn(position(resources={(2, 0): 1}, crags=[(1, 0)]), {"ann": ["TARGET 2,0"]})

    assert summary(gathered)[0] == "Your Harvester gathered 2, holds 2 of 20 and is 2 steps from 3,0."
    assert summary(blocked)[0] == "Your Harvester holds 0 of 20; stopped: crags are ahead."


def test_what_stopped_the_harvester_is_told_whole() -> None:
    """The reason stands in the line of what was gathered."""
    state = position({"bob": {"H": (1, 0)}}, resources={(0, 0): 2, (1, 0): 21})

    told = "Your Harvester gathered 2, holds 2 of 20; stopped: another Harvester has the hex ahead."
    assert told in summary(turn(state, {"ann": ["TARGET 1,0"]}))


def test_without_a_target_the_nearest_place_to_gather_is_named() -> None:
    """The nearest hex is named with its resources if they are known, unless a Harvester is known to be there."""
    state = position({"ann": {"C1": (0, 0)}, "bob": {"H": (1, 0)}}, resources={(0, 1): 2, (0, -3): 3})

    assert "Nearest to gather: 2 resources at 0,1, 1 step off." in summary((state, ()))
    richer = position({"ann": {"C1": (0, 0)}}, resources={(-1, 0): 1, (0, 1): 1, (1, 0): 3})
    assert "Nearest to gather: 3 resources at 1,0, 1 step off." in summary((richer, ()))
    farther = position(resources={(0, -3): 3})
    assert "Nearest to gather: a Harvester or resource at 0,-3, 3 steps off." in summary((farther, ()))


def test_no_place_that_a_harvester_cannot_enter_is_named_to_gather() -> None:
    """Hexes with crags are not suggested, in the summary or in a receipt (ruling 10)."""
    state = position(resources={(0, 1): 2, (3, 0): 1}, crags=[(0, 1)])

    assert "Nearest to gather: a Harvester or resource at 3,0, 3 steps off." in summary((state, ()))
    assert read(state, "ann", "TARGET 0,2").errors[0].hint.endswith(" 3,0")


def test_missed_turns_and_failed_orders_are_told() -> None:
    """The summary counts turns without a sheet and orders without effect."""
    state = replace(position(), silent=np.array([2, 0, 0, 0]))

    assert summary(turn(state, silent=["ann"]))[0] == "No orders of yours for 3 turns; after 7 in a row you are out."


def test_repairs_are_told() -> None:
    """The summary names the unit rebuilt, and when the next one is ready."""
    started = turn(position(held={"ann": 6}), {"ann": ["BUILD L1"]})
    scout = turn(position(held={"ann": 6}), {"ann": ["BUILD C1"]})

    assert summary(started)[-1] == "3 points; no Harvester is below you. L1 is ready in 2 turns."
    assert summary(scout)[-1] == "6 points; no Harvester is below you. Rebuilt: C1."


def test_at_the_end_it_is_said_who_won_and_why() -> None:
    """The One and the others read who won, or that no Harvester is left."""
    rulers = {"bob": "ann", "cyd": "ann"}
    done = turn(position({"ann": {"G": (6, -5)}}, rulers=rulers), {"ann": ["MOVE G NW"]})
    nobody = turn(position(), removed=["ann", "bob", "cyd", "dan"])

    assert summary(done)[0] == "You are the One: your Harvester rules all others. The game is over."
    assert summary(done, "bob")[0] == "The game is over: ann is the One, and rules all others."
    assert summary(nobody)[0] == "The game is over, and no player has won: no Harvester is left."


def test_of_many_names_the_first_are_told() -> None:
    """Of many enemies the first are named, and headlines fit with the longest names, none cut within a sentence."""
    seats = ("ann", *(f"a-long-name-of-a-se-{number}" for number in range(6)))
    state = position(
        {"ann": {"G": (4, 0)}, **{seat: {"H": (5, 0)} for seat in seats[1:]}},
        seats=seats,
        rulers=dict.fromkeys(seats[2:], seats[1]),
    )

    lines = summary(turn(state, {"ann": ["MOVE G E"]}))

    assert "Fights: 1 won, against a-long-name-of-a-se-0, a-long-name-of-a-se-1 and 4 more." in lines
    assert all(len(line) <= 90 and line.endswith(".") for line in lines)


def test_bad_news_comes_first_and_is_marked_as_such() -> None:
    """Losses, conquests and missing orders are marked for the colour of losses; gains are not."""
    units = {"ann": {"S1": (2, 0)}, "bob": {"L1": (3, 0)}}

    lines = summary(turn(position(units), {"ann": ["MOVE S1 E"]}))

    assert [line for line in lines if isinstance(line, Loss)] == lines[:1] == ["You lost S1 to bob."]


def test_points_are_compared_with_the_report_before() -> None:
    """The change of points is told if the report before is remembered, and if there is one."""
    state = position(resources={(1, 0): 2})
    before = mail_view(RULESET, state, "ann", ())
    after, events = turn(state, {"ann": ["TARGET 1,0"]})

    lines = RULESET.turn_summary(mail_view(RULESET, after, "ann", events, last=before))

    assert lines[-1] == "2 points (2 more than before); no Harvester is below you."


def test_what_happens_without_orders_is_told() -> None:
    """Units stay and the Harvester keeps its course; the seventh turn ends all; a player who is out is told nothing."""
    state, _ = turn(position(resources={(3, 0): 1}), {"ann": ["TARGET 3,0"]}, removed=["dan"])
    late = replace(position(), silent=np.array([6, 0, 0, 0]))

    told = [RULESET.without_orders(view(each, seat)) for each, seat in ((state, "ann"), (state, "bob"), (state, "dan"))]

    stays = "Without orders your units stay where they are, and your Harvester"
    assert told == [f"{stays} goes on to 3,0.", f"{stays} stays where it is.", ""]
    assert "7th turn in a row, and all of them destroy themselves" in RULESET.without_orders(view(late, "ann"))
