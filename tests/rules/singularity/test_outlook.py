"""The forecast of a receipt: it comes true whatever the opponent does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from pbem.ruleset import Dice, Event, ParsedSheet, SeatName, View
from pbem.testing.play import games, mail_view, number_lines
from pbem_rules.common.negotiation import Draw
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.state import State, opponent
from tests.rules.singularity.table import new_game, read, turn
from tests.rules.whatever import certain, turns

EXTRA: Sequence[list[str]] = ([], ["DRAW OFFER"], ["DRAW ACCEPT"], ["RESIGN CONFIRM"], ["FORGET"])


def sheets(seen: View, dice: Dice) -> Iterator[list[str]]:
    """Yield sheets that a player might send: a bot's stone and replies, random lines, and talk."""
    yield RULESET.bots["standard"](seen, dice)
    yield [RULESET.orders.invent(seen, dice, "line", count) for count in range(4)]
    yield RULESET.bots["random"](seen, dice) + list(dice.pick(EXTRA, "extra"))


def untrue(seat: SeatName, parsed: ParsedSheet, after: State, events: Sequence[Event]) -> list[str]:
    """Return the notes without an "if", and those on the end of the game, that a turn belies."""
    told = {found.code: found.text for found in parsed.findings if found.severity == "note"}
    seen = mail_view(RULESET, after, seat, events)
    left = any(event["kind"] == "resigned" and event["who"] == opponent(seat) for event in seen["events"])
    if left or (after.result and after.result.how == ("agreed",) and Draw("ACCEPT") not in parsed.orders):
        # Over before any stone is placed (ruling 15).
        return []
    true = {
        "ends": bool(seen["over"]) and told.get("ends", "").endswith(seen["result"]["words"] if seen["over"] else ""),
        "declines": any(event["kind"] == "draw-declined" for event in seen["events"]),
        "keeps": bool(seen["over"]) or _kept(seen) == set(re.findall(r"IF [^;]+", told.get("keeps", ""))),
    }
    unknown = [found.text for found in certain(parsed.findings) if found.code not in true]
    return unknown + [text for code, text in told.items() if not true.get(code, True)]


def _kept(seen: View) -> set[str]:
    """Return the replies that were kept when the turn began to be played: those left, used, and dropped in it."""
    done = [event["lines"] for event in seen["events"] if event["kind"] in ("past", "lapsed", "answered")]
    return {line for lines in done for line in lines} | {reply["line"] for reply in seen["kept"]}


@pytest.mark.in_turn
def test_what_a_receipt_says_comes_true() -> None:
    """Whatever the opponent does, a game ends as told, and what is kept is what was told."""
    told: list[str] = []
    for game in games(RULESET):
        for place, step in enumerate(game.steps[::5]):
            mover = step.state.mover
            seat = mover if place % 2 else opponent(mover)
            state = replace(step.state, offer=(None, opponent(seat), seat)[place % 3])
            before = mail_view(RULESET, state, seat, ())
            for lines in sheets(before, Dice(b"sheets").within(step.number, seat)):
                parsed = RULESET.parse(before, number_lines(lines))
                for after, events in turns(RULESET, state, seat, parsed.orders, Dice(b"others")):
                    assert (lines, untrue(seat, parsed, after, events)) == (lines, [])
                told += [found.code for found in parsed.findings]
    assert {"ends", "keeps", "declines"} <= set(told)


@pytest.mark.in_turn
def test_a_game_does_not_end_unforetold() -> None:
    """With nothing from the opponent, a game goes on unless the receipt said that it ends; misses are as told."""
    for game in games(RULESET):
        for step in game.steps[::5]:
            seat = step.state.mover
            for lines in sheets(step.views[seat], Dice(b"sheets").within(step.number, seat)):
                parsed = RULESET.parse(step.views[seat], number_lines(lines))
                told = {found.code: found.text for found in parsed.findings}
                after, events = next(turns(RULESET, step.state, seat, parsed.orders, Dice(b"alone")))
                answered = sum(event.kind == "placed" for event in events) > 1
                ends = "ends" in told or "wins" in told.get("missed", "")
                assert answered or ends == (after.result is not None)
                missed = re.search(r": (?:that is )?([0-9]+) ", told.get("missed", ""))
                assert missed is None or int(missed[1]) == after.players[seat].misses


def texts(state: State, seat: SeatName, *lines: str) -> Sequence[str]:
    """Return the forecast for a sheet."""
    return [found.text for found in read(state, seat, *lines).findings if not found.line and found.severity == "note"]


def test_a_word_that_ends_the_game_is_told() -> None:
    """To resign and to accept a draw end the game."""
    offered, _ = turn(new_game(3), red=["PLACE c3", "DRAW OFFER"])

    assert texts(new_game(3), "red", "RESIGN CONFIRM") == [
        "this sheet ends the game, if blue does not resign too: blue wins: the opponent resigned"
    ]
    assert texts(offered, "blue", "DRAW ACCEPT") == [
        "this sheet ends the game, if red does not resign: a draw: the players agreed to a draw"
    ]


def test_a_stone_that_leaves_an_offer_unanswered_declines_it() -> None:
    """The receipt says that the stone declines the offer (ruling 11)."""
    offered, _ = turn(new_game(), red=["PLACE d4", "DRAW OFFER"])

    assert texts(offered, "blue", "PLACE e5") == ["your stone declines the draw that red offers"]


def test_what_a_missing_stone_costs_is_told() -> None:
    """A sheet without the stone awaited counts as a missed deadline (ruling 13)."""
    missed, _ = turn(turn(new_game())[0])

    assert texts(new_game(), "red", "DRAW OFFER") == [
        "if you send no stone by the deadline, it counts as missed: 1 in a row, and 3 lose the game"
    ]
    assert texts(missed, "red") == ["if you send no stone by the deadline, blue wins: that is 3 missed in a row"]
