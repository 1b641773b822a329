"""The forecast of a receipt: it comes true when the opponent is idle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from pbem.ruleset import Dice, ParsedSheet, SeatName, TurnInput, View
from pbem.testing.play import games, mail_view, number_lines
from pbem_rules.singularity import RULESET
from pbem_rules.singularity.state import State
from tests.rules.singularity.table import new_game, read, turn

EXTRA: Sequence[list[str]] = ([], ["DRAW OFFER"], ["DRAW ACCEPT"], ["RESIGN CONFIRM"], ["FORGET"])


def sheets(seen: View, dice: Dice) -> Iterator[list[str]]:
    """Yield sheets that a player might send: a bot's stone and replies, random lines, and talk."""
    yield RULESET.bots["standard"](seen, dice)
    yield [RULESET.orders.invent(seen, dice, "line", count) for count in range(4)]
    yield RULESET.bots["random"](seen, dice) + list(dice.pick(EXTRA, "extra"))


def alone(state: State, seat: SeatName, parsed: ParsedSheet) -> tuple[View, bool]:
    """Return the next report of a seat that is on move, and True if a reply kept by the opponent came between."""
    after, events = RULESET.resolve(state, TurnInput({seat: parsed.orders}), Dice(b"alone"))
    placed = [event for event in events if event.kind == "placed"]
    return mail_view(RULESET, after, seat, events), len(placed) > 1


def truth(seen: View, parsed: ParsedSheet, *, answered: bool) -> list[str]:
    """Return the statements of a receipt that the next report belies."""
    said = {found.code: found.text for found in parsed.findings if not found.line}
    ends = said.get("ends", "")
    wrong = [ends] if ends and (not seen["over"] or not ends.endswith(seen["result"]["words"])) else []
    forfeits = "wins" in said.get("missed", "")
    if seen["over"] and not ends and not forfeits and not answered:
        wrong.append("the game ended, and nothing was said")
    if forfeits and not seen["over"]:
        wrong.append(said["missed"])
    if "in a row, and" in said.get("missed", "") and f": {seen['misses'][seen['seat']]} in a row" not in said["missed"]:
        wrong.append(said["missed"])
    kept = "; ".join(reply["line"] for reply in seen["kept"])
    if "keeps" in said and not answered and not seen["over"] and kept not in said["keeps"]:
        wrong.append(said["keeps"])
    return wrong


@pytest.mark.in_turn
def test_what_a_receipt_says_comes_true() -> None:
    """On move, with nothing from the opponent, a game ends as told or goes on, and what is kept is what was told."""
    told: list[str] = []
    for game in games(RULESET):
        for step in game.steps:
            seat = step.state.mover
            for lines in sheets(step.views[seat], Dice(b"sheets").within(step.number, seat)):
                parsed = RULESET.parse(step.views[seat], number_lines(lines))
                seen, answered = alone(step.state, seat, parsed)
                assert (lines, truth(seen, parsed, answered=answered)) == (lines, [])
                told += [found.code for found in parsed.findings]
    assert min(told.count(code) for code in ("ends", "keeps", "missed")) > 5


def texts(state: State, seat: SeatName, *lines: str) -> Sequence[str]:
    """Return the forecast for a sheet."""
    return [found.text for found in read(state, seat, *lines).findings if not found.line and found.severity == "note"]


def test_a_word_that_ends_the_game_is_told() -> None:
    """To resign and to accept a draw end the game."""
    offered, _ = turn(new_game(3), red=["PLACE c3", "DRAW OFFER"])

    assert texts(new_game(3), "red", "RESIGN CONFIRM") == ["this sheet ends the game: blue wins: the opponent resigned"]
    assert texts(offered, "blue", "DRAW ACCEPT") == ["this sheet ends the game: a draw: the players agreed to a draw"]


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
