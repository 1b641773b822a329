"""Orders as lines, as JSON, in the reference and at random, and checks of their declarations."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.ruleset import Dice, Finding, IntegerField, KeywordField, Order, OrderParser, ParsedSheet, canonical_json
from pbem.ruleset.order_types import OrderType
from tests.ruleset.fleet import BOOK, EMPTY_VIEW, VIEW, DeclareWar, Hold, Load, Sail, Scratch, order, read

ships = st.sampled_from(VIEW["ships"])
ports = st.sampled_from(VIEW["ports"])
some_ports = st.lists(ports, min_size=1, max_size=4).map(tuple)
orders: st.SearchStrategy[Order] = st.one_of(
    st.builds(Sail, ships, some_ports, pace=st.sampled_from([None, "slow", "fast"])),
    st.builds(Sail, ships, some_ports, st.sampled_from(["iron", "Coral"]), st.none() | st.integers(-5, 300)),
    st.builds(Scratch, st.lists(ships, max_size=3).map(tuple), st.none() | ports),
    st.builds(Load, st.just("corn"), st.just(()) | some_ports, st.none() | ports),
    st.builds(DeclareWar, ports),
    st.just(Hold()),
)


@given(orders)
def test_an_order_written_as_a_line_reads_as_itself(given_order: Order) -> None:
    """Names with blanks, commas and comment signs are quoted; absent parts are left out."""
    assert order(BOOK.line(given_order)) == given_order


@given(orders)
def test_an_order_stored_as_json_comes_back(given_order: Order) -> None:
    """JSON of an order is plain data, and gives the same order."""
    data = BOOK.to_json(given_order)

    assert json.loads(canonical_json(data)) == data
    assert BOOK.from_json(data) == given_order


@given(st.lists(st.text(max_size=80), max_size=20))
def test_any_text_is_read_without_falling(lines: list[str]) -> None:
    """Any text gives orders and findings on lines that exist."""
    parsed = read(*lines)

    assert all(1 <= found.line <= len(lines) for found in parsed.findings)
    assert all((found.text + found.hint).isprintable() for found in parsed.findings)


words = st.sampled_from(
    ["SAIL", "Kite", "VIA", "WITH", "TIMES", "3", '"', "\\", ";", ",", "AT", "Red Star", "LOAD", "FOR"]
)


@given(st.lists(st.lists(words, max_size=12).map(" ".join), max_size=5))
def test_any_mixture_of_true_words_is_read_without_falling(lines: list[str]) -> None:
    """Words of the game in any order give orders or findings, and these orders can be written."""
    for read_order in read(*lines).orders:
        assert order(BOOK.line(read_order)) == read_order


@given(st.integers())
def test_invented_lines_are_good_where_the_view_has_names(key: int) -> None:
    """Random lines are well-formed."""
    line = BOOK.invent(VIEW, Dice(b"seed"), key)

    assert read(line).errors == ()
    assert len(read(line).orders) == 1


def test_lines_are_invented_even_of_nothing() -> None:
    """Without names in the view a line is still invented, and will be refused."""
    lines = [BOOK.invent(EMPTY_VIEW, Dice(b"seed"), key) for key in range(50)]

    assert "SCRAP nothing" in {line[:13] for line in lines}


def test_json_names_the_order() -> None:
    """Stored orders stay readable: the declaration's name, its fields, lists for tuples."""
    assert BOOK.to_json(Load("corn", ("Ayr",))) == {"order": "load", "cargo": "corn", "ports": ["Ayr"], "owner": None}
    assert BOOK.to_json(DeclareWar("Ayr"))["order"] == "declare-war"


def test_foreign_json_is_refused() -> None:
    """An undeclared order, or one with unknown fields, is refused."""
    with pytest.raises(KeyError):
        BOOK.from_json({"order": "fly"})
    with pytest.raises(TypeError):
        BOOK.from_json({"order": "hold", "until": "dawn"})


def test_the_reference_shows_usage_help_and_example() -> None:
    """The rulebook's order reference follows from the declarations."""
    reference = BOOK.reference()

    assert "- `SAIL <ship> VIA <port>... [WITH iron|corn|Coral [TIMES <count>]] [NOW slow|fast]`" in reference
    assert "Sail a ship through ports. A cargo is optional." in reference
    assert "Example: `SAIL Kite VIA Ayr WITH iron TIMES -5 NOW slow`" in reference


def test_examples_can_be_typed() -> None:
    """Each example of the reference reads as its order."""
    for verb in BOOK.verbs:
        assert type(order(verb.example)) is verb.order


def test_findings_and_orders_of_a_sheet_are_told_apart() -> None:
    """Only errors keep a line from being accepted; warnings and notes do not."""
    findings = tuple(Finding(1, severity, "code", "text") for severity in ("note", "warning", "error"))

    assert ParsedSheet((), findings).errors == findings[2:]


@dataclass(frozen=True, slots=True)
class Unnamed(Order):
    """Its usage forgets a field."""

    usage = "UNNAMED"
    count: Annotated[int, IntegerField(1, 2)]


@dataclass(frozen=True, slots=True)
class Unkind(Order):
    """Its field has no kind."""

    usage = "UNKIND count"
    count: int


@dataclass(frozen=True, slots=True)
class Verbless(Order):
    """It begins with a field."""

    usage = "count COUNTS"
    count: Annotated[int, IntegerField(1, 2)]


@dataclass(frozen=True, slots=True)
class Unfillable(Order):
    """Its optional field has no default."""

    usage = "UNFILLABLE [count]"
    count: Annotated[int, IntegerField(1, 2)]


@dataclass(frozen=True, slots=True)
class Unconfirmed(Order):
    """Ends a seat without CONFIRM."""

    usage = "RESIGN"
    ends_seat = "you would be gone"


@dataclass(frozen=True, slots=True)
class HalfConfirmed(Order):
    """Ends a seat by another line, without CONFIRM."""

    usage = "RESIGN CONFIRM"
    ends_seat = "you would be gone"
    also_ends_seat = ("SCUTTLE FLAGSHIP",)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (Unconfirmed, "the usage RESIGN CONFIRM"),
        (HalfConfirmed, "CONFIRM behind them"),
        (Unnamed, "does not name its fields"),
        (Unkind, "exactly one Field"),
        (Verbless, "must begin with its verb"),
        (Unfillable, "needs a default"),
    ],
)
def test_a_bad_declaration_is_refused_at_once(declared: type[Order], said: str) -> None:
    """A game with such an order fails on import, not on a player's sheet."""
    with pytest.raises(TypeError, match=said):
        OrderType.of(declared)


def test_a_word_may_stand_for_itself_in_usage() -> None:
    """A field of a few keywords shows them in the usage, unless it has a name of its own."""
    assert KeywordField(("a", "b")).shown == "a|b"
    assert dataclasses.replace(KeywordField(("a", "b")), shown="letter").shown == "letter"


def test_two_books_do_not_share_verbs() -> None:
    """A parser knows the orders that it was made of, and no others."""
    book = OrderParser((Hold,))

    assert [verb.usage for verb in book.verbs] == ["HOLD"]
    assert [error.code for error in book.parse(VIEW, [(1, "SCRAP Kite")]).errors] == ["unknown-verb"]
