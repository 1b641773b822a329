"""Events as reports word them, for the acting player and for the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbem.report.templates import TEXT_FILTERS
from pbem.ruleset import Event, SeatName
from pbem_rules.dueling_masters.state import SEATS, State
from tests.rules.dueling_masters.table import SETUPS, begun, new_game, position, turn, view

TEMPLATES = Path(__file__).parents[3] / "templates"

MISSED = "sent no orders by the deadline, and the move was passed"
UNMOVED = "sent no move by the deadline, and the move was passed"
DRAWN = "sent no orders by the deadline; dice completed the set-up"
RAMMED = (
    "Your Z1 departed from E1 and rammed your own asteroid on C1; both are gone, "
    "and your opponent knows only that it departed."
)

Turn = tuple[State, tuple[Event, ...]]


def sentences(happened: Turn, seat: SeatName) -> list[str]:
    """Return the sentences on events in a seat's report."""
    state, events = happened
    templates = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True)
    templates.filters.update(TEXT_FILTERS)
    module: Any = templates.get_template("dueling_masters/events.j2").module
    seen = view(state, seat, events)
    return [" ".join(module.event(event, seen).split()) for event in seen["events"]]


def offered() -> State:
    """Return a game in which player two is to move and has been offered a draw."""
    return turn(begun(), one=["MOVE Z1 F1", "DRAW OFFER"])[0]


SAID: Sequence[tuple[Turn, list[str], list[str]]] = (
    (
        turn(new_game(), one=["SETUP HOME B8", *SETUPS["one"][3:]], two=[]),
        [
            "Your set-up is not complete. Still to be placed: asteroid, W fighter.",
            "The game waits for your set-up and your opponent's.",
        ],
        ["The game waits for your set-up and your opponent's."],
    ),
    (
        turn(turn(new_game(), one=SETUPS["one"], two=SETUPS["two"][1:])[0]),
        [
            f"Your opponent {DRAWN}. 1 missed in a row, and 3 lose the game.",
            "Both set-ups are complete. Player one moves first.",
        ],
        [
            f"You {DRAWN}. 1 missed in a row, and 3 lose the game.",
            "No complete set-up of yours came in time, so dice placed what was missing: SETUP HOME J8",
            "Both set-ups are complete. Player one moves first.",
        ],
    ),
    (
        turn(position("Z1 E1>A1, Z2 A2", "Z1 J1"), one=["MOVE Z1 A5", "DRAW OFFER"]),
        ["You offer a draw.", "Your Z1 departed from A1, bound for A5."],
        ["Your opponent offers a draw.", "Enemy 1, a Z fighter, left A1; you had it at E1."],
    ),
    (
        turn(position("Z1 E1, Z2 A2, ASTEROID1 C1", "Z1 J1"), one=["MOVE Z1 A1 RAM"]),
        [
            RAMMED,
        ],
        ["Enemy 1, a Z fighter, left E1, the first you hear of it."],
    ),
    (
        turn(position("Z1 E1>A1, Z2 E9", "X1 C1, ASTEROID1 F9"), one=["MOVE Z1 A2"]),
        [
            "On C1 your Z1 met an enemy X fighter (enemy 1): yours was destroyed.",
            "The piece you ordered had been destroyed on its flight before, so your move is used up.",
        ],
        [
            "Enemy 1, a Z fighter, left A1; you had it at E1.",
            "On C1 your X1 met an enemy Z fighter (enemy 1): the enemy was destroyed.",
            "Your opponent ordered a piece that had been destroyed, so their move is used up.",
        ],
    ),
    (
        turn(position("HOME B2, Z1 E1", "ASTEROID1 F9", home_moves=True), one=["MOVE HOME C3"]),
        ["Your home planet departed from B2, bound for C3."],
        ["Enemy 1, a home planet, left B2, the first you hear of it."],
    ),
    (
        turn(position("Z1 E1, Z2 E9", "ASTEROID1 F9"), one=["MOVE Z1 A1"]),
        [
            "Your Z1 departed from E1, bound for A1.",
            "Your opponent has no piece that can move, and the turn passes on.",
        ],
        [
            "Enemy 1, a Z fighter, left E1, the first you hear of it.",
            "You have no piece that can move, and the turn passes on.",
        ],
    ),
    (
        turn(offered()),
        [f"Your opponent {MISSED}. 1 missed in a row, and 3 lose the game."],
        [f"You {MISSED}. 1 missed in a row, and 3 lose the game."],
    ),
    (
        turn(offered(), two=["DRAW DECLINE"]),
        ["Your opponent declined the draw.", f"Your opponent {UNMOVED}. 1 missed in a row, and 3 lose the game."],
        ["You declined the draw.", f"You {UNMOVED}. 1 missed in a row, and 3 lose the game."],
    ),
    (
        turn(begun(forfeit_after=1)),
        [
            "You sent no orders by the deadline. 1 missed in a row, and 1 lose the game.",
            "You missed too many deadlines.",
            "The game is over. Player two wins: the opponent missed too many deadlines.",
        ],
        [
            "Your opponent sent no orders by the deadline. 1 missed in a row, and 1 lose the game.",
            "Your opponent missed too many deadlines.",
            "The game is over. Player two wins: the opponent missed too many deadlines.",
        ],
    ),
    (
        turn(new_game(forfeit_after=1), two=SETUPS["two"]),
        [
            "You sent no orders by the deadline. 1 missed in a row, and 1 lose the game.",
            "You missed too many deadlines.",
            "The game is over. Player two wins: the opponent missed too many deadlines.",
        ],
        [
            "Your set-up is complete.",
            "Your opponent sent no orders by the deadline. 1 missed in a row, and 1 lose the game.",
            "Your opponent missed too many deadlines.",
            "The game is over. Player two wins: the opponent missed too many deadlines.",
        ],
    ),
    (
        turn(begun(), one=[], removed=["two"]),
        [
            "Your opponent was taken out of the game.",
            "The game is over. Player one wins: the opponent was taken out of the game.",
        ],
        [
            "You were taken out of the game.",
            "The game is over. Player one wins: the opponent was taken out of the game.",
        ],
    ),
)


@pytest.mark.parametrize(("happened", "one", "two"), SAID, ids=[str(number) for number in range(len(SAID))])
def test_events_in_words(happened: Turn, one: list[str], two: list[str]) -> None:
    """Each player is told in plain sentences what they may know, and nothing else."""
    assert [sentences(happened, seat) for seat in SEATS] == [one, two]
