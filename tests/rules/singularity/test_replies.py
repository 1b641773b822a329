"""Conditional orders: which are kept, when they are played, when they lapse, and that the opponent never sees them."""

from __future__ import annotations

import itertools

from pbem.ruleset import Dice, TurnInput
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.replies import MAX_KEPT
from tests.rules.singularity.table import kept, new_game, position, read, told, turn, view


def test_a_kept_reply_is_played_at_once() -> None:
    """When the opponent's next stone matches, the reply is placed in the same turn."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])

    after, events = turn(before, blue=["PLACE d4"])

    assert after.moves == ("f6", "d4", "e5")
    assert RULESET.standing(after).awaiting == {"blue"}
    assert told(events, "blue") == [("placed", "blue d4"), ("placed", "red e5")]


def test_the_owner_is_told_which_reply_was_played() -> None:
    """The owner's report names the reply that was used, and it is used up."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])

    after, events = turn(before, blue=["PLACE d4"])

    assert ("answered", ["IF d4 THEN e5"]) in told(events, "red")
    assert kept(after, "red") == []


def test_a_chain_goes_on_as_long_as_replies_match() -> None:
    """Replies of both players answer each other in one turn, told in the order placed."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5", "IF c7 THEN c8 AFTER e5"])

    after, events = turn(before, blue=["PLACE d4", "IF e5 THEN c7"])

    assert after.moves == ("f6", "d4", "e5", "c7", "c8")
    assert [event.data["number"] for event in events if event.kind == "placed"] == [2, 3, 4, 5]


def test_a_player_not_on_move_may_keep_replies() -> None:
    """IF lines of the seat not awaited are in time for the very stone of that turn."""
    after, _ = turn(new_game(), red=["PLACE d4"], blue=["IF d4 THEN e5"])

    assert after.moves == ("d4", "e5")


def test_a_reply_holds_for_the_next_stone_only() -> None:
    """When the opponent plays elsewhere it lapses, its owner alone is told, and it never makes a move (ruling 6)."""
    state, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])

    state, events = turn(state, blue=["PLACE a7"])
    later, _ = turn(turn(state, red=["PLACE b8"])[0], blue=["PLACE d4"])

    assert ("past", ["IF d4 THEN e5"]) in told(events, "red")
    assert told(events, "blue") == [("placed", "blue a7")]
    assert later.moves == ("f6", "a7", "b8", "d4")


def test_of_several_lines_of_play_the_others_lapse() -> None:
    """The stone that came decides: its reply is played, what goes on from that stays, all else is gone (ruling 6)."""
    plan = [
        "IF d4 THEN e5",
        "IF c4 THEN c5 AFTER e5",
        "IF b7 THEN b8 AFTER c5",
        "IF e4 THEN c8",
        "IF b7 THEN a8 AFTER c8",
    ]
    before, _ = turn(new_game(), red=["PLACE f6", *plan])

    after, events = turn(before, blue=["PLACE d4"])

    assert kept(after, "red") == plan[1:3]
    assert ("past", plan[3:]) in told(events, "red")


def test_a_chain_lapses_where_it_is_left() -> None:
    """Replies further on are gone as soon as the opponent leaves the line of play (ruling 6)."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5", "IF c4 THEN c5 AFTER e5", "IF b7 THEN b8 AFTER c5"])
    state, _ = turn(before, blue=["PLACE d4"])

    after, _ = turn(state, blue=["PLACE a7"])

    assert kept(after, "red") == []


def test_a_stone_by_a_reply_is_the_next_stone_too() -> None:
    """A stone that the opponent's kept reply places lets lines lapse as one from a sheet does (ruling 6)."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF c7 THEN c8"], blue=["IF a6 THEN a7"])

    after, _ = turn(before, blue=["PLACE d4"], red=["IF d4 THEN a6", "IF a8 THEN a9 AFTER a6"])

    assert after.moves == ("f6", "d4", "a6")
    assert (kept(after, "red"), kept(after, "blue")) == (["IF a8 THEN a9 AFTER a6"], [])


def test_after_makes_a_reply_wait() -> None:
    """A reply with AFTER sleeps until its owner has a stone on that cell."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF c4 THEN c5 AFTER e5"])

    after, _ = turn(before, blue=["PLACE c4"])

    assert after.moves == ("f6", "c4")


def test_chains_may_be_planned_move_by_move() -> None:
    """Each reply may wait for the one before, so that a whole line of play runs by itself."""
    plan = ["IF d4 THEN e5", "IF c4 THEN c5 AFTER e5", "IF b7 THEN b8 AFTER c5"]
    state, _ = turn(new_game(), red=["PLACE f6", *plan])
    for cell in ("d4", "c4", "b7"):
        state, _ = turn(state, blue=[f"PLACE {cell}"])

    assert state.moves == ("f6", "d4", "e5", "c4", "c5", "b7", "b8")


def test_different_lines_of_play_may_be_planned_side_by_side() -> None:
    """The same cell may be answered differently, by what has been reached; the first reply that is awake is played."""
    plan = ["IF c4 THEN c5 AFTER e5", "IF c4 THEN c6"]
    before, _ = turn(new_game(), red=["PLACE f6", *plan])

    after, _ = turn(before, blue=["PLACE c4"])

    assert after.moves[-1] == "c6"


def test_a_reply_that_cannot_be_played_gives_way() -> None:
    """A reply whose cell was taken earlier in the turn is passed over for the next that answers the same stone."""
    plan = ["IF e9 THEN d4", "IF c7 THEN e9 AFTER d4", "IF c7 THEN c8 AFTER d4"]
    before, _ = turn(new_game(), red=["PLACE f6", *plan])

    after, events = turn(before, blue=["PLACE e9", "IF d4 THEN c7"])

    assert after.moves == ("f6", "e9", "d4", "c7", "c8")
    assert ("answered", ["IF e9 THEN d4", "IF c7 THEN c8 AFTER d4"]) in told(events, "red")
    assert kept(after, "red") == []


def test_a_reply_lapses_when_its_cell_is_taken() -> None:
    """A reply of no more use is dropped at the end of the turn, and its owner alone is told."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])

    after, events = turn(before, blue=["PLACE e5"])

    assert kept(after, "red") == []
    assert told(events, "red") == [("placed", "blue e5"), ("past", ["IF d4 THEN e5"])]
    assert told(events, "blue") == [("placed", "blue e5")]


def test_a_sleeping_reply_lapses_when_its_time_is_past() -> None:
    """A reply whose cell was played while it slept, or whose awaited cell the opponent holds, is dropped."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e6 AFTER c4", "IF b6 THEN b7 AFTER d4"])

    after, _ = turn(before, blue=["PLACE d4"])

    assert kept(after, "red") == []


def test_a_reply_may_wait_for_the_stone_of_the_same_sheet() -> None:
    """AFTER may name the cell that the sheet itself places a stone on."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5 AFTER f6"])

    after, _ = turn(before, blue=["PLACE d4"])

    assert after.moves[-1] == "e5"


def test_a_new_reply_replaces_its_like() -> None:
    """A line for the same cell that waits for the same stone takes the place of the old one."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])

    after, _ = turn(before, red=["IF d4 THEN e4", "IF d4 THEN e3 AFTER c8"])

    assert kept(after, "red") == ["IF d4 THEN e4", "IF d4 THEN e3 AFTER c8"]


def test_forget_drops_replies() -> None:
    """FORGET with a cell drops the replies to it, without one all; lines are followed in the order written."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5", "IF c4 THEN c5", "IF d4 THEN e3 AFTER b6"])

    some, _ = turn(before, red=["FORGET d4"])
    none, _ = turn(before, red=["FORGET"])
    new, _ = turn(before, red=["FORGET", "IF b6 THEN b7"])

    assert kept(some, "red") == ["IF c4 THEN c5"]
    assert kept(none, "red") == []
    assert kept(new, "red") == ["IF b6 THEN b7"]


def test_a_reply_can_win() -> None:
    """A kept reply that meets a condition wins like any other stone, and nothing follows it."""
    before = position("a6 d7 b5 e6 c4 f5 d4 e5 e3 d6", size=4)
    before, _ = turn(before, red=["PLACE f3", "IF g2 THEN g3"], blue=["IF g3 THEN g4"])

    after, events = turn(before, blue=["PLACE g2"])

    assert after.result is not None
    assert (after.result.winners, after.moves[-1]) == (("red",), "g3")
    assert [kind for kind, _ in told(events, "blue")] == ["placed", "placed", "ended"]
    assert (kept(after, "red"), kept(after, "blue")) == ([], [])


def test_nobody_else_sees_what_is_kept() -> None:
    """The opponent's view does not change by a single byte with what is kept."""
    plain, _ = turn(new_game(), red=["PLACE f6"])
    planned, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5", "IF c4 THEN c5 AFTER e5"])

    assert view(planned, "blue") == view(plain, "blue")
    assert view(planned, "red") != view(plain, "red")


def test_a_reply_is_told_like_any_stone() -> None:
    """The opponent's report has no other word for a stone that a kept reply placed."""
    before, _ = turn(new_game(), red=["PLACE f6", "IF d4 THEN e5"])
    _, replied = turn(before, blue=["PLACE d4"])
    by_hand, first = turn(position("f6"), blue=["PLACE d4"])
    _, second = turn(by_hand, red=["PLACE e5"])

    heard = [event for event in replied if "blue" in event.audience]

    assert heard == [*first, *second]


def test_what_is_kept_is_bounded() -> None:
    """A seat keeps at most 500 replies: a further line is refused on the sheet, and dropped by the resolver."""
    cells = [f"{column}{number}" for column in "abcdef" for number in range(13, 25)]
    lines = [f"IF {when} THEN {reply}" for when, reply in itertools.pairwise(cells)]
    many = [f"{line} AFTER {after}" for after in ("n5", "n6", "n7", "n8", "n9", "n10", "n11", "n12") for line in lines]
    parsed = read(new_game(13), "red", *many)

    over = TurnInput({"red": (*parsed.orders, *parsed.orders[:3])})
    after, _ = RULESET.resolve(new_game(13), over, Dice(b"test"))

    assert len(parsed.orders) == MAX_KEPT
    assert {finding.code for finding in parsed.errors} == {"too-many"}
    assert len(after.players["red"].kept) == MAX_KEPT
