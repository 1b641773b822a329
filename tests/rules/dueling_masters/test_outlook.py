"""Forecasts of receipts, compared with turns in which the opponent does whatever they may."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pytest

from pbem.ruleset import Dice, Event, Finding, Order, ParsedSheet, SeatName
from pbem_rules.common.negotiation import Draw
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.kinds import WORDS
from pbem_rules.dueling_masters.moves import Fleet
from pbem_rules.dueling_masters.state import SEATS, State, opponent
from tests.rules.dueling_masters.table import SETUPS, begun, new_game, position, read, told, turn, view
from tests.rules.whatever import certain, turns

MOVES = 40
"""Most moves of each game."""

Outcome = tuple[State, Sequence[Event]]
Said = Sequence[str]

Check = Callable[[Outcome, SeatName, Said], bool]


def _ended(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    winners = () if said[0] == "it is drawn" else (opponent(seat),)
    return outcome[0].result is not None and outcome[0].result.winners == winners


def _announced(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    heard = told(outcome[1], opponent(seat), "departed")
    words = [WORDS[event["type"]] if "type" in event else "piece" for event in heard]
    return (words, [event["square"] for event in heard]) == ([said[0]], [said[1]])


def _departed(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    return _data(outcome, seat, "moved", "piece", "square", "origin") == [tuple(said)]


def _rammed(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    return _data(outcome, seat, "rammed", "piece", "square") == [tuple(said)]


def _offered(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    return _data(outcome, seat, "draw-offered", "who") == [(seat,)]


def _declined(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    return _data(outcome, seat, "draw-declined", "who") == [(seat,)]


def _began(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    return _data(outcome, seat, "begun", "mover") == [(seat if said[0] == "you move" else opponent(seat),)]


def _judged(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    piece, square, rams = said
    if outcome[0].result is not None or told(outcome[1], seat, "spent"):
        return True
    flown = told(outcome[1], seat, "moved") + (told(outcome[1], seat, "rammed") if rams else [])
    return [event["piece"] for event in flown] == [piece] and (bool(rams) or flown[0]["square"] == square)


def _is_asked_again(outcome: Outcome, seat: SeatName, said: Said) -> bool:
    return seat in RULESET.standing(outcome[0]).awaiting


def _data(outcome: Outcome, seat: SeatName, kind: str, *names: str) -> list[tuple[str, ...]]:
    return [tuple(event[name] for name in names) for event in told(outcome[1], seat, kind)]


TRUE: Mapping[str, tuple[str, Check]] = {
    "ends": ("this ends the game: (you lose it|it is drawn), if your opponent does not resign", _ended),
    "announced": (
        "your opponent hears that an? (piece|[WBXYZ] fighter|home planet) departs from ([A-J][0-9]+)",
        _announced,
    ),
    "departs": ("([A-Z0-9]+) departs for ([A-J][0-9]+) from ([A-J][0-9]+);", _departed),
    "rams": ("([A-Z0-9]+) and your own asteroid on ([A-J][0-9]+) are both lost", _rammed),
    "judged": ("if not, and the game goes on, ([A-Z0-9]+) departs for ([A-J][0-9]+)(, and rams if)?", _judged),
    "asked-again": ("you are asked for once more", _is_asked_again),
    "offers": ("your opponent is offered a draw", _offered),
    "declines": ("your opponent's offer of a draw is declined", _declined),
    "begins": ("the game begins, and (you move|your opponent moves) first", _began),
}
"""The wording of each note that is certain, or has an "if" that `_is_moot` tests, and the check of it."""


def alone(state: State, seat: SeatName, parsed: ParsedSheet) -> Outcome:
    """Resolve a turn in which the other seat sends nothing."""
    return next(turns(RULESET, state, seat, parsed.orders, Dice(b"alone")))


def _is_moot(outcome: Outcome, seat: SeatName, orders: Sequence[Order]) -> bool:
    """Return True if the game was over before any orders: the opponent left, or both agreed (ruling 25)."""
    left = any(event["who"] == opponent(seat) for event in told(outcome[1], seat, "resigned"))
    result = outcome[0].result
    return left or (result is not None and result.how == "agreed" and Draw("ACCEPT") not in orders)


def untrue(outcome: Outcome, seat: SeatName, findings: Sequence[Finding]) -> list[str]:
    """Return the notes of a receipt that did not come true; one without an "if" whose wording is unknown is untrue."""
    found = []
    for finding in findings:
        if finding.code in TRUE:
            wording, came_true = TRUE[finding.code]
            said = re.search(wording, finding.text)
            if said is None or not came_true(outcome, seat, said.groups()):
                found.append(finding.text)
        elif finding in certain(findings):
            found.append(finding.text)
    return found


def sheets(state: State, seat: SeatName, dice: Dice) -> Iterator[list[str]]:
    """Yield sheets that a player might send: a bot's, moves of all sorts, and answers about draws."""
    yield RULESET.bots["standard"](view(state, seat), dice)
    fleet = Fleet.of_view(view(state, seat))
    for piece in dice.shuffle(fleet.movable(), "pieces")[:3]:
        yield from ([f"MOVE {piece.name} TO {end}"] for end in dice.shuffle(list(fleet.moves(piece)), piece.name)[:2])
        yield from ([f"MOVE {piece.name} TO {end} RAM"] for end in fleet.rams(piece)[:1])
    for talk in ("DRAW OFFER", "DRAW ACCEPT", "DRAW DECLINE", "RESIGN CONFIRM"):
        yield [talk]
    if fleet.movable():
        yield [f"MOVE {fleet.movable()[0].name} TO A1", "DRAW OFFER"]


def games(**rules: Any) -> Iterator[State]:
    """Yield the states of a game of bots, some with an offer open."""
    state = begun(**rules)
    for number in range(MOVES):
        yield state
        yield dataclasses.replace(state, offer=SEATS[number % 2])
        mover = next(iter(RULESET.standing(state).awaiting))
        lines = RULESET.bots["standard"](view(state, mover), Dice(b"game").within(number))
        state, _ = turn(state, **{mover: lines})
        if state.result is not None:
            return


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize("rules", [{}, {"announce": "square"}, {"home_moves": True}, {"collisions": "reached"}])
def test_what_a_receipt_states_comes_true(rules: dict[str, Any]) -> None:
    """Every note without an "if" comes true, with any sheet, whatever the opponent does."""
    stated = set()
    for number, state in enumerate(islice(games(**rules), 0, None, 3)):
        for seat in SEATS:
            for lines in sheets(state, seat, Dice(b"sheets").within(number, seat)):
                parsed = read(state, seat, *lines)
                for outcome in turns(RULESET, state, seat, parsed.orders, Dice(b"others").within(number, seat)):
                    if not _is_moot(outcome, seat, parsed.orders):
                        assert untrue(outcome, seat, parsed.findings) == [], lines
                stated |= {finding.code for finding in parsed.findings}

    assert {"ends", "announced", "departs", "rams", "offers", "declines", "judged"} <= stated


def test_the_end_of_the_set_up_comes_true() -> None:
    """The receipt of the sheet that completes the second set-up says that the game begins, and it does."""
    waiting, _ = turn(new_game(), one=SETUPS["one"], two=SETUPS["two"][1:])
    parsed = read(waiting, "two", *SETUPS["two"])

    assert [finding.code for finding in parsed.findings] == ["begins"]
    assert untrue(alone(waiting, "two", parsed), "two", parsed.findings) == []


def test_a_wrong_forecast_is_caught() -> None:
    """The notes for another position are found untrue, one by one."""
    state, other = position("Z1 E1", "Z1 J1"), position("Z1 E2", "Z1 J1")
    parsed = read(state, "one", "MOVE Z1 TO E5", "DRAW OFFER")

    assert len(untrue(alone(other, "one", parsed), "one", parsed.findings)) == 2
    assert len(untrue(alone(other, "one", read(state, "one", "MOVE Z1 TO E6")), "one", parsed.findings)) == 3


def test_what_hangs_on_hidden_pieces_is_marked() -> None:
    """The new flight of a piece in transit is told with an "if", as the piece may turn out to be destroyed."""
    findings = read(position("Z1 E1>C1", "Z1 J1"), "one", "MOVE Z1 H1").findings
    (note,) = [finding for finding in findings if finding.code == "judged"]

    assert note.text == (
        "Z1's flight from E1 to C1, over D1, C1, is judged first: if it is destroyed, that was your move; "
        "if not, and the game goes on, Z1 departs for H1"
    )


def test_to_ram_after_a_judgement_is_told_with_an_if() -> None:
    """The judgement may destroy the asteroid that is to be rammed, and then the ship flies on (ruling 23)."""
    findings = read(position("Z1 E1>C1, ASTEROID1 C3", "Z1 J1"), "one", "MOVE Z1 C5 RAM").findings

    (note,) = [found.text for found in findings if found.code == "judged"]
    assert note.endswith(
        "; if not, and the game goes on, Z1 departs for C5, and rams if an asteroid of yours is still on its way"
    )
