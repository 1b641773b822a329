"""Tests of draws and resignations between two players."""

from __future__ import annotations

import pytest

from pbem.ruleset import FieldError, Order, OrderParser, TurnInput
from pbem_rules.common.negotiation import Draw, Parley, Resign, check_draw, leaving, parley

SEATS = ("red", "blue")
OFFER, ACCEPT, DECLINE = Draw("OFFER"), Draw("ACCEPT"), Draw("DECLINE")


def turn(*, red: tuple[Order, ...] = (), blue: tuple[Order, ...] = (), removed: str = "") -> TurnInput:
    """Return a turn with these orders."""
    return TurnInput({"red": red, "blue": blue}, removed=frozenset(removed.split()))


def test_an_offer_is_made() -> None:
    """DRAW OFFER opens an offer."""
    assert parley(turn(red=(OFFER,)), seats=SEATS, offer=None) == Parley(False, "red", ("red",))


def test_an_offer_stands_until_it_is_answered() -> None:
    """Silence changes nothing, and neither does the same offer made again."""
    assert parley(turn(), seats=SEATS, offer="red") == Parley(False, "red")
    assert parley(turn(red=(OFFER,)), seats=SEATS, offer="red") == Parley(False, "red")


@pytest.mark.parametrize("answer", [ACCEPT, OFFER])
def test_an_offer_is_accepted(answer: Draw) -> None:
    """Accepting, or offering in turn, agrees to the draw."""
    assert parley(turn(blue=(answer,)), seats=SEATS, offer="red").agreed


def test_two_offers_in_one_turn_agree() -> None:
    """If both offer at once, the game is drawn."""
    assert parley(turn(red=(OFFER,), blue=(OFFER,)), seats=SEATS, offer=None).agreed


def test_an_offer_is_declined() -> None:
    """DRAW DECLINE, or a move instead of an answer, ends the offer."""
    declined = parley(turn(blue=(DECLINE,)), seats=SEATS, offer="red")
    ignored = parley(turn(), seats=SEATS, offer="red", playing_on=frozenset({"blue"}))

    assert (declined.offer, declined.declined) == (None, "declined")
    assert (ignored.offer, ignored.declined) == (None, "played on")


def test_ones_own_move_leaves_ones_offer_standing() -> None:
    """A player's move does not decline that player's own offer."""
    assert parley(turn(), seats=SEATS, offer="red", playing_on=frozenset({"red"})).offer == "red"


def test_an_offer_may_follow_one_declined() -> None:
    """A player whose offer was declined may offer again in the same turn."""
    again = parley(turn(red=(OFFER,), blue=(DECLINE,)), seats=SEATS, offer="red")

    assert (again.declined, again.offer, again.offered) == ("declined", "red", ("red",))


def test_accepting_without_an_offer_is_nothing() -> None:
    """An answer to no offer changes nothing when a turn is resolved."""
    assert parley(turn(blue=(ACCEPT,)), seats=SEATS, offer=None) == Parley(False)


def test_who_gives_up() -> None:
    """Players leave by resigning or by being removed; removal takes precedence."""
    assert leaving(turn(red=(Resign(),)), SEATS) == {"red": "resigned"}
    assert leaving(turn(red=(Resign(),), removed="red blue"), SEATS) == {"red": "removed", "blue": "removed"}
    assert leaving(turn(), SEATS) == {}


@pytest.mark.parametrize(
    ("order", "offer", "code"),
    [
        (ACCEPT, None, "no-offer"),
        (DECLINE, "red", "no-offer"),
        (OFFER, "blue", "offered"),
        (OFFER, "red", "offered"),
    ],
)
def test_lines_that_do_not_fit_are_refused(order: Draw, offer: str | None, code: str) -> None:
    """Red cannot answer without blue's offer, nor offer against or after an open one."""
    with pytest.raises(FieldError) as refused:
        check_draw(order, other="blue", offer=offer)

    assert refused.value.code == code


@pytest.mark.parametrize(("order", "offer"), [(ACCEPT, "blue"), (DECLINE, "blue"), (OFFER, None)])
def test_lines_that_fit_are_taken(order: Draw, offer: str | None) -> None:
    """Red answers blue's offer, or makes one if there is none."""
    check_draw(order, other="blue", offer=offer)


def test_the_orders_in_words() -> None:
    """Both orders are written, read and restated."""
    book = OrderParser((Draw, Resign))

    orders = book.parse({}, [(1, "draw offer"), (2, "DRAW acc"), (3, "draw decline"), (4, "resign confirm")]).orders

    assert [book.line(order) for order in orders] == ["DRAW OFFER", "DRAW ACCEPT", "DRAW DECLINE", "RESIGN CONFIRM"]
    assert [order.words() for order in orders] == [
        "you offer a draw",
        "you accept the draw",
        "you decline the draw",
        "you resign: your opponent wins",
    ]
