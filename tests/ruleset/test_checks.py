"""Orders checked against the view and the lines above them, and lines in a game's own notation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from pbem.ruleset import (
    BaseRuleset,
    FieldError,
    Finding,
    IntegerField,
    KeywordField,
    Order,
    OrderParser,
    ParsedOrder,
    View,
)

SQUARE = KeywordField(tuple(f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)), shown="square")


@dataclass(frozen=True, slots=True)
class Move(Order):
    """Move a piece."""

    usage = "MOVE start TO end"
    slot = "piece {start}"
    start: Annotated[str, SQUARE]
    end: Annotated[str, SQUARE]


@dataclass(frozen=True, slots=True)
class Bet(Order):
    """Bet on a win."""

    usage = "BET coins"
    at_any_time = True
    coins: Annotated[int, IntegerField(1, 9, shown="coins")]


@dataclass(frozen=True, slots=True)
class Resign(Order):
    """Leave."""

    usage = "RESIGN CONFIRM"
    ends_seat = "you would lose"


_MOVE = re.compile(r"\s*([a-z][0-9])-([a-z][0-9])\s*")


def rewrite(line: str, view: View) -> str:
    """Return `e2-e4` as a MOVE."""
    if line.strip() == "O-O":
        raise FieldError("no-castling", f"the king of {view['seat']} has moved")
    if line.strip() == "1-0":
        return "RESIGN CONFIRM"
    return _MOVE.sub(r"MOVE \1 TO \2", line)


class Chess(BaseRuleset[Any]):
    """A game whose moves are written in its own notation."""

    orders = OrderParser((Move, Bet, Resign), rewrite=rewrite)

    def check_order(self, view: View, order: Order, before: Sequence[ParsedOrder]) -> None:
        super().check_order(view, order, before)
        spent = sum(earlier.order.coins for earlier in before if isinstance(earlier.order, Bet))
        if isinstance(order, Bet) and spent + order.coins > view["purse"]:
            raise FieldError("too-dear", f"you have {view['purse'] - spent} coins left")


VIEW: View = {"seat": "white", "over": False, "awaited": True, "purse": 5}


def read(*lines: str, **view: Any) -> tuple[list[str], list[tuple[int, str]]]:
    """Return the lines of the orders accepted, and number and code of each error."""
    parsed = Chess().parse({**VIEW, **view}, list(enumerate(lines, 1)))
    return [Chess.orders.line(order) for order in parsed.orders], [(each.line, each.code) for each in parsed.errors]


def test_a_second_line_for_one_slot_is_refused_by_default() -> None:
    """The finding has its own line, and names the one above; orders without a slot add up."""
    parsed = Chess().parse(VIEW, [(3, "MOVE e2 TO e4"), (4, "BET 1"), (5, "BET 2"), (7, "MOVE e2 TO e3")])

    assert [entry.line for entry in parsed.entries] == [3, 4, 5]
    text = "line 3 says MOVE e2 TO e4 already"
    assert parsed.findings == (Finding(7, "error", "only-one", text, "leave one of the two lines out"),)


def test_a_line_refused_takes_nothing_from_those_below() -> None:
    """Only accepted orders are given to the check as earlier ones."""
    assert read("BET 4", "BET 3", "BET 1") == (["BET 4", "BET 1"], [(2, "too-dear")])


def test_findings_are_in_the_order_of_lines() -> None:
    """Those of the parser and those of the check are sorted together."""
    assert read("BET 4", "BET 4", "FLY", "BET 9", "BET x") == (
        ["BET 4"],
        [(2, "too-dear"), (3, "unknown-verb"), (4, "too-dear"), (5, "not-a-number")],
    )


def test_a_seat_that_is_not_awaited_gives_orders_of_any_time_alone() -> None:
    """Others are refused, with the forms that are possible; the page offers the same."""
    parsed = Chess().parse({**VIEW, "awaited": False}, [(1, "MOVE e2 TO e4"), (2, "BET 1"), (3, "RESIGN CONFIRM")])

    assert parsed.orders == (Bet(1), Resign())
    assert [(each.code, each.hint) for each in parsed.errors] == [
        ("not-awaited", "at any time: BET <coins>, RESIGN CONFIRM")
    ]
    desk = Chess().desk({**VIEW, "awaited": False})
    assert [verb["word"] for verb in desk["verbs"]] == ["BET", "RESIGN"]


def test_no_order_is_accepted_at_the_end() -> None:
    """Not even one of any time, and the page offers none."""
    over = {"over": True, "awaited": False}

    assert read("MOVE e2 TO e4", "BET 1", "RESIGN CONFIRM", **over) == ([], [(at, "game-over") for at in (1, 2, 3)])
    assert Chess().desk({**VIEW, **over})["verbs"] == []


def test_a_line_in_the_games_notation_is_read_as_an_order() -> None:
    """What the game does not know it leaves as it is; a comment is not given to it."""
    assert read("e2-e4 ; the centre", "move d2 to d4 # d7-d5", "") == (["MOVE e2 TO e4", "MOVE d2 TO d4"], [])


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("e2-e9", "e9 is not one of"),
        ("O-O", "the king of white has moved"),
        ("Nf3", "there is no order Nf3"),
    ],
)
def test_errors_in_the_games_notation_have_the_line_as_typed(line: str, text: str) -> None:
    """The finding has the number of the typed line, and speaks of words that were typed."""
    (error,) = Chess().parse(VIEW, [(1, "BET 1"), (4, line)]).errors

    assert error.line == 4
    assert error.text.startswith(text)


def test_no_notation_ends_a_seat() -> None:
    """A line that a game rewrites as RESIGN CONFIRM is refused as RESIGN without CONFIRM is."""
    assert read("1-0") == ([], [(1, "unconfirmed")])


def test_a_line_too_long_is_not_rewritten() -> None:
    """The game is given no line of more than 500 characters."""
    assert read(f"e2-e4{' ' * 500}") == ([], [(1, "too-long")])
