"""Lenient reading: lines as people write them, omissions that are reported, and guesses that are not made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from pbem.ruleset import (
    DROPS_BAD,
    Field,
    FieldError,
    Finding,
    IntegerField,
    KeywordField,
    NameField,
    Order,
    OrderParser,
    ParsedSheet,
    match_name,
)
from pbem.ruleset.lenient_parser import MOST_REMARKS
from pbem.ruleset.order_types import OrderType

VIEW: Mapping[str, Any] = {"ships": ["R101", "R102", "R103"], "cards": ["Quantum Drift", "Void Walker", "Echo"]}

SHIP = NameField("ship", "one of your ships", "R101", lambda view: view["ships"])
CARD = NameField("card", "a card", "Echo", lambda view: view["cards"])
WAY = KeywordField(("N", "NE", "NE+", "SE", "S", "UP"), "a way")


class Point(Field):
    """Coordinates."""

    shown, expected, example, glue = "q,r", "coordinates like 3,-2", "3,-2", ","

    def read(self, word: str, view: Mapping[str, Any]) -> str:
        """Return the coordinates. Raises FieldError."""
        parts = word.split(",")
        if len(parts) != 2:
            raise FieldError("no-point", f"{word} is not {self.expected}", word=word)
        return ",".join(str(int(part)) for part in parts)

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return ("3,-2",)


class Fleet(Field):
    """Ships joined by slashes."""

    shown, expected, example, glue = "ships", "ships joined by /", "R101/R102", "/"

    def read(self, word: str, view: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the ships. Raises FieldError."""
        return tuple(match_name(part, view["ships"], self.expected) for part in word.split("/"))

    def spare(self, word: str, view: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[FieldError, ...]]:
        """Return the ships that can be read, and errors for the others. Raises FieldError if none can."""
        good, bad = [], []
        for part in word.split("/"):
            try:
                good.append(match_name(part, view["ships"], self.expected))
            except FieldError as refused:
                bad.append(refused)
        if not good:
            raise bad[0]
        return tuple(good), tuple(bad)

    def write(self, value: Sequence[str]) -> str:
        return "/".join(value)

    def samples(self, view: Mapping[str, Any]) -> Sequence[str]:
        return list(view["ships"])


class Spoken(Order):
    """Base of these orders."""

    __slots__ = ()

    def words(self) -> str:
        """Return the name of the class."""
        return type(self).__name__


@dataclass(frozen=True, slots=True)
class Jump(Spoken):
    """Jump to a point."""

    usage = "JUMP ship TO point"
    ship: Annotated[str, SHIP]
    point: Annotated[str, Point()]


@dataclass(frozen=True, slots=True)
class Move(Spoken):
    """Move a fleet."""

    usage = "MOVE fleet ways..."
    also = ("GO",)
    examples = ("MOVE R101 N NE", "MOVE R101/R102 UP")
    fleet: Annotated[tuple[str, ...], Fleet()]
    ways: Annotated[tuple[str, ...], WAY]


@dataclass(frozen=True, slots=True)
class Keep(Spoken):
    """Keep cards."""

    usage = "KEEP cards..."
    cards: Annotated[tuple[str, ...], CARD, DROPS_BAD]


@dataclass(frozen=True, slots=True)
class Build(Spoken):
    """Build something."""

    usage = "BUILD [count] type [AT point]"
    type: Annotated[str, KeywordField(("Cruiser", "Ferry"))]
    count: Annotated[int | None, IntegerField(1, 9)] = None
    point: Annotated[str | None, Point()] = None


@dataclass(frozen=True, slots=True)
class Send(Spoken):
    """Send something from one to another."""

    usage = "SEND card FROM giver TO taker"
    card: Annotated[str, CARD]
    giver: Annotated[str, SHIP]
    taker: Annotated[str, SHIP]


@dataclass(frozen=True, slots=True)
class Resign(Spoken):
    """Leave."""

    usage = "RESIGN CONFIRM"
    ends_seat = "you would be gone"


BOOK = OrderParser((Jump, Move, Keep, Build, Send, Resign))

UNDERSTOOD = {
    "Jump R101 to 3,-2.": 'JUMP R101 TO "3,-2"',
    "jump R101 to (3,-2)!": 'JUMP R101 TO "3,-2"',
    "JUMP R101 (3, -2)": 'JUMP R101 TO "3,-2"',
    "JUMP R101 TO 3 -2": 'JUMP R101 TO "3,-2"',
    "jump R101 -> (+3/-2)": 'JUMP R101 TO "3,-2"',
    "jump R101->3,-2": 'JUMP R101 TO "3,-2"',
    "JUMP R101 → 3,–2": 'JUMP R101 TO "3,-2"',
    "jump the r101 at 3,-2 please": 'JUMP R101 TO "3,-2"',
    "please jump my R 101 to 3,-2, thanks!": 'JUMP R101 TO "3,-2"',
    "- JUMP R101 TO 3,-2": 'JUMP R101 TO "3,-2"',
    "2) jump: R101 to 3,-2": 'JUMP R101 TO "3,-2"',
    "go R101 N": "MOVE R101 N",
    "MOVE R101: N, NE then UP": "MOVE R101 N NE UP",
    "move R101 ne + n": "MOVE R101 NE+ N",
    "MOVE R101, R102 N": "MOVE R101/R102 N",
    "MOVE R101 and R102 & R103 to the N": "MOVE R101/R102/R103 N",
    "MOVE R101&R102 N/NE": "MOVE R101/R102 N NE",
    "MOVE R101 / R102 N": "MOVE R101/R102 N",
    "KEEP quantum drift": 'KEEP "Quantum Drift"',
    "KEEP quantum drift, echo and void walker.": 'KEEP "Quantum Drift" Echo "Void Walker"',
    "KEEP “Quantum Drift”": 'KEEP "Quantum Drift"',
    "keep 'quantum drift'": 'KEEP "Quantum Drift"',
    "BUILD two cruisers at (1, 1)": 'BUILD 2 Cruiser AT "1,1"',
    "build 3x ferries": "BUILD 3 Ferry",
    "build a cruiser": "BUILD Cruiser",
    "SEND echo R101 R102": "SEND Echo FROM R101 TO R102",
}


def parsed(line: str) -> ParsedSheet:
    """Return the sheet of one line."""
    return BOOK.parse(VIEW, [(1, line)])


@pytest.mark.parametrize(("line", "meant"), UNDERSTOOD.items(), ids=UNDERSTOOD)
def test_a_line_as_people_write_it_is_understood(line: str, meant: str) -> None:
    """Full stops, arrows, brackets, fillers, lists, titles, plurals and typographic signs do not change the meaning."""
    found = parsed(line)

    assert found.findings == ()
    assert [BOOK.line(order) for order in found.orders] == [meant]


NOT_GUESSED = {
    "SEND echo TO R102 FROM R101": "missing-word",
    "RESIGN": "unconfirmed",
    "RESIGN please": "unconfirmed",
    "RES CONFIRM": "unconfirmed",
    '"RESIGN CONFIRM"': "unknown-verb",
    '"RESIGN" CONFIRM': "unconfirmed",
    "RESIGN CONFIRM?": "unconfirmed",
    "Please RESIGN CONFIRM": "unconfirmed",
    "I would like to resign?": "unconfirmed",
    "quit": "unknown-verb",
    "we give up!": "unknown-verb",
    "MOVE R101 N and R102 S": "unknown-name",
    "do not MOVE R101 N": "takes-back",
    "CANCEL MOVE R101 N": "takes-back",
    "Please forget: MOVE R101 N": "takes-back",
    "MOVE R101 N cancelled": "unknown-name",
    "BUILD - 2 cruisers": "unknown-name",
    "JUMP R101 TO 3 - 2": "no-point",
    "JUMP R101 - 3,2": "missing-word",
    "MOVE R101 not N": "unknown-name",
    "MOVE R101 N?": "unknown-name",
    "MOVE R101, not R102 N": "unknown-name",
    "BUILD 10 cruisers": "out-of-bounds",
    "JUMP R101 TO (3,-2,1)": "no-point",
}


@pytest.mark.parametrize(("line", "code"), NOT_GUESSED.items(), ids=NOT_GUESSED)
def test_what_words_may_turn_round_is_not_guessed(line: str, code: str) -> None:
    """No word that could change the meaning is skipped, and no confirming word is added."""
    (found,) = parsed(line).findings

    assert parsed(line).orders == ()
    assert found.code == code


def test_a_line_that_could_mean_two_things_names_both() -> None:
    """A line with two lenient readings is refused with both, for the player to choose."""

    @dataclass(frozen=True, slots=True)
    class Load(Spoken):
        """Load cards for a ship."""

        usage = "LOAD ships... [FOR owner]"
        ships: Annotated[tuple[str, ...], SHIP]
        owner: Annotated[str | None, SHIP] = None

    book = OrderParser((Load,))

    (found,) = book.parse(VIEW, [(1, "LOAD the R101 R102")]).findings

    assert (found.code, found.text) == ("ambiguous", "this could mean LOAD R101 R102 or LOAD R101 FOR R102")


def test_from_and_the_word_behind_it_may_stand_where_no_order_asks_for_them() -> None:
    """The rest of the line is accepted, with a note on the words that are ignored."""
    found = parsed("JUMP R101 FROM 1,1 TO 3,-2")

    assert [BOOK.line(order) for order in found.orders] == ['JUMP R101 TO "3,-2"']
    assert found.findings == (
        Finding(1, "note", "not-read", "'FROM 1,1' is not looked at; the rest of the line counts"),
    )


@pytest.mark.parametrize(
    ("line", "kept", "lost"),
    [
        ("KEEP echo, ekko, void walker", 'KEEP Echo "Void Walker"', "ekko"),
        ("KEEP nonsense echo", "KEEP Echo", "nonsense"),
        ("KEEP echo and nonsense", "KEEP Echo", "nonsense"),
        ("MOVE R101/R999 N", "MOVE R101 N", "R999"),
        ("MOVE R101, R999 and R102 N", "MOVE R101/R102 N", "R999"),
    ],
)
def test_a_list_with_a_bad_item_keeps_the_good_ones(line: str, kept: str, lost: str) -> None:
    """Bad items are dropped where the declaration allows it, with a warning that names them."""
    found = parsed(line)

    assert [BOOK.line(order) for order in found.orders] == [kept]
    assert [(finding.severity, finding.code) for finding in found.findings] == [("warning", "dropped")]
    assert found.findings[0].text.startswith(f"left out: {lost} is not ")


@pytest.mark.parametrize("line", ["KEEP nonsense", "MOVE R999 N", "MOVE R101 N backwards"])
def test_nothing_good_or_no_such_declaration_keeps_nothing(line: str) -> None:
    """A list of bad items alone is refused, and so is a bad item where the declaration does not allow dropping."""
    assert parsed(line).orders == ()
    assert len(parsed(line).errors) == 1


def test_a_list_that_drops_bad_items_stands_at_the_end() -> None:
    """A list that drops items must end the usage, or the words behind it could be dropped as bad items."""

    @dataclass(frozen=True, slots=True)
    class Hand(Spoken):
        """Hand cards over."""

        usage = "HAND cards... TO ship"
        cards: Annotated[tuple[str, ...], CARD, DROPS_BAD]
        ship: Annotated[str, SHIP]

    with pytest.raises(TypeError, match="only a list at its end"):
        OrderType.of(Hand)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("MOVE R101 N; MOVE R102 S", "MOVE R102 S"),
        ("MOVE R101 N ; go r102 to the s.", "go r102 to the s."),
        ("MOVE R999 N; KEEP echo", "KEEP echo"),
        ("KEEP echo; as said; BUILD ferry", "BUILD ferry"),
        ("KEEP echo; and then MOVE R102 S", "and then MOVE R102 S"),
        ("KEEP echo; mov R102 S", "mov R102 S"),
    ],
)
def test_an_order_in_a_remark_is_named(line: str, part: str) -> None:
    """A second order behind a semicolon causes a warning."""
    warnings = [finding for finding in parsed(line).findings if finding.severity == "warning"]

    assert warnings == [
        Finding(
            1,
            "warning",
            "second-order",
            f"{part!r} stands behind a ; and so is a remark, not an order",
            "write one order a line",
        )
    ]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("MOVE R101 N; then S", "then S"),
        ("MOVE R101 N ; S", "S"),
        ("MOVE R101 N; R102 S", "R102 S"),
        ("KEEP echo ; void walker", "void walker"),
    ],
)
def test_the_rest_of_an_order_in_a_remark_is_named(line: str, part: str) -> None:
    """Words behind a semicolon that would extend the order, or make another of its verb, cause a warning."""
    (warning,) = parsed(line).findings

    assert (warning.severity, warning.code) == ("warning", "order-rest")
    assert warning.text == f"{part!r} stands behind a ; and so is a remark, not a part of the order"


def test_remarks_are_looked_at_within_bounds() -> None:
    """In a sheet of remarks, orders are searched for in the first hundred only, to bound the time."""
    lines = [(number, "KEEP echo; BUILD ferry") for number in range(1, 2 * MOST_REMARKS)]

    assert len(BOOK.parse(VIEW, lines).findings) == MOST_REMARKS


@pytest.mark.parametrize(
    "line",
    ["MOVE R101 N; move over!", "; KEEP echo", "KEEP echo; kee echo", "KEEP echo ; please"],
)
def test_a_remark_stays_a_remark(line: str) -> None:
    """No warning: words that are no order, comments behind #, and whole lines behind a semicolon."""
    assert parsed(line).findings == ()


def test_a_line_of_fillers_is_given_up_in_time() -> None:
    """A line with many fillers is read in a bounded number of steps."""
    line = "KEEP " + "the and to / " * 35 + "what"

    assert parsed(line).orders == ()


def test_declared_examples_stand_for_those_put_together() -> None:
    """Declared examples replace the generated ones."""
    move, build = BOOK.verbs[1], BOOK.verbs[3]

    assert (move.example, move.examples) == ("MOVE R101 N NE", ("MOVE R101 N NE", "MOVE R101/R102 UP"))
    assert build.examples == ("BUILD 1 Cruiser AT 3,-2", "BUILD Cruiser")


def test_a_book_may_keep_to_the_rules() -> None:
    """A parser without `loosely` guesses nothing."""
    strict = OrderParser(BOOK.types, loosely=False)

    assert strict.parse(VIEW, [(1, "JUMP R101 3,-2")]).orders == ()
