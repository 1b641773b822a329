"""Parsing of sheets, judged by the report alone (ruling 3)."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools

import numpy as np
import pytest

from pbem.campaign.order_sheets import PreviousSheets, SheetReading, make_receipt, parse_sheet
from pbem.report.answers import Receipt
from pbem.ruleset import FieldError, Order
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.orders import ORDERS, Move, Target
from pbem_rules.harvester.phrases import read_phrase
from tests.rules.harvester.table import codes, position, read, turn, view

CROWD = {"ann": {"H": (0, 0), "G": (0, 0), "S1": (1, 0), "C1": (0, 0)}}


def test_a_target_may_be_written_with_a_comma() -> None:
    """Coordinates are two numbers with a comma or a blank between them."""
    state = position(resources={(3, -2): 1})

    for line in ("TARGET 3,-2", "target 3 -2", "TAR 3, -2"):
        assert read(state, "ann", line).orders == (Target(3, -2),)


def test_lines_word_for_word_are_the_orders_that_the_parser_reads() -> None:
    """A line that is an order word for word is taken as the order parser takes it, whatever it names."""
    seen = view(position({"ann": {"S1": (0, 0), "C1": (2, 0)}}), "ann")
    verbs = ("MOVE", "TARGET", "BUILD")
    words = ("S1", "C1", "G", "C4", "E", "SW", "-0", "07", "12345", "123456", "", "\tE", "e")
    taken = 0
    for line in map(" ".join, itertools.chain(*(itertools.product(verbs, *[words] * more) for more in (1, 2, 3)))):
        with contextlib.suppress(FieldError):
            lines = tuple(read_phrase(Atlas(seen), line).lines)
            if isinstance(lines[0], Order):
                assert lines == ORDERS.parse(seen, [(1, line)]).orders
                taken += 1
    assert taken == 4 + 8 + 9 + 2


def test_a_hex_may_be_named_around_the_planet() -> None:
    """Other coordinates of a hex are accepted: nineteen steps east and nine south-west lead home (ruling 15)."""
    state = position(resources={(1, 0): 1})

    after, _ = turn(state, {"ann": ["TARGET 20,-9"]})

    assert view(after, "ann")["harvester"]["q"] == 1


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["MOVE C1 E", "MOVE C1 W"], [(2, "has-order")]),
        (["DESTROY C1", "MOVE C1 W"], [(2, "has-order")]),
        (["MOVE G E E"], [(1, "too-far")]),
        (["MOVE G E E", "MOVE G E"], [(1, "too-far")]),
        (["MOVE G N"], [(1, "ambiguous")]),
        (["MOVE G UP"], [(1, "ambiguous")]),
        (["MOVE G AWAY"], [(1, "unknown-name")]),
        (["MOVE L1 E"], [(1, "lost-unit")]),
        (["MOVE H E"], [(1, "harvester")]),
        (["MOVE G"], [(1, "missing-word")]),
        (["MOVE G TO A13"], [(1, "unknown-name")]),
        (["MOVE ALL TO A13"], [(1, "unknown-name")]),
        (["TARGET 0,1 A13"], [(1, "extra-words")]),
        (["TARGET 0,0"], [(1, "there-already")]),
        (["TARGET 2,0"], [(1, "no-resource")]),
        (["TARGET 0,0", "TARGET 0,1"], [(1, "there-already")]),
        (["TARGET 0,1", "TARGET 0,1"], [(2, "only-one")]),
        (["TARGET x,1"], [(1, "no-hex")]),
        (["TARGET 1"], [(1, "no-hex")]),
        (["DROP 0"], [(1, "out-of-bounds")]),
        (["DROP 3"], [(1, "out-of-bounds")]),
        (["BUILD L1"], [(1, "too-dear")]),
        (["BUILD C1"], [(1, "not-lost")]),
        (["BUILD C2", "DROP 2"], [(2, "too-dear")]),
        (["BUILD C2", "DROP 2", "DROP 1"], [(2, "too-dear")]),
        (["BUILD L2", "BUILD C2"], [(1, "too-dear")]),
        (["DESTROY HARVESTER"], [(1, "unconfirmed")]),
        (["RESIGN CONFIRM"], [(1, "final")]),
        (["FLY G E"], [(1, "unknown-verb")]),
    ],
)
def test_every_slip_is_found(lines: list[str], found: list[tuple[int, str]]) -> None:
    """A line that cannot be right by the report is answered with its number and a stable code."""
    state = position(CROWD, resources={(0, 1): 1}, held={"ann": 2})

    assert codes(read(state, "ann", *lines)) == found


def test_a_bare_target_brings_the_nearest_field() -> None:
    """The finding names the nearest hex that may hold a resource."""
    (found,) = read(position(resources={(0, 1): 1, (4, 0): 1}), "ann", "TARGET 5,0").findings

    assert found.hint == "the nearest your scanners tell of may be at 4,0"


def test_known_crags_are_warned_of() -> None:
    """A march or a line into crags is accepted, with a warning for units that cannot enter them."""
    state = position(CROWD, crags=[(1, 0)], resources={(3, 0): 1})

    parsed = read(state, "ann", "MOVE G E", "MOVE C1 E", "TARGET 3,0")

    assert len(parsed.orders) == 3
    assert codes(parsed) == [(1, "crags"), (3, "crags")]


def test_a_harvester_under_way_has_a_target_already() -> None:
    """The finding says how far the Harvester is from its target."""
    state, _ = turn(position(resources={(3, 0): 1}), {"ann": ["TARGET 3,0"]})

    (found,) = read(state, "ann", "TARGET 3,0").findings

    assert (found.code, found.hint) == ("under-way", "it has 2 steps left")


def test_who_is_out_orders_nothing() -> None:
    """Sheets of a player who is out are answered, and have no effect."""
    state, _ = turn(position(), removed=["dan"])

    assert codes(read(state, "dan", "DROP 1")) == [(1, "out")]
    assert RULESET.template(view(state, "dan")) == []


def test_after_the_end_nothing_is_ordered() -> None:
    """Sheets are refused when one Harvester rules all."""
    over = position(CROWD, rulers={"bob": "ann", "cyd": "ann", "dan": "ann"})

    assert codes(read(over, "ann", "MOVE G E")) == [(1, "game-over")]


def test_the_form_names_what_can_be_ordered() -> None:
    """The order sheet has a line for each unit, for the nearest target, rebuilding and dropping, and no remarks."""
    lines = RULESET.template(view(position(CROWD, resources={(0, 1): 1}, held={"ann": 2}), "ann"))

    assert lines == [
        "; TARGET 0,1",
        *(f"; MOVE {unit} <direction>" for unit in ("G", "S1", "C1")),
        "; BUILD <unit>",
        "; DROP <amount>",
    ]


def test_the_form_offers_nothing_that_would_be_refused() -> None:
    """Without a known field there is no target, and with nothing held no unit and no amount."""
    lines = RULESET.template(view(position(CROWD), "ann"))

    assert {line.split()[1] for line in lines} == {"MOVE"}


def test_every_line_of_the_form_is_taken_when_filled_in() -> None:
    """A line without its semicolon and with its blanks filled in is that order; remarks are comments."""
    state = position(CROWD, resources={(0, 1): 1}, held={"ann": 9})
    values = {"<q>": "0", "<r>": "1", "<direction>": "E", "<unit>": "L2", "<amount>": "1"}

    for line in RULESET.template(view(state, "ann")):
        for blank, value in values.items():
            line = line.replace(blank, value)
        parsed = read(state, "ann", line.removeprefix("; "))
        assert (len(parsed.orders), codes(parsed)) == (not line.startswith("#"), [])


def test_the_form_offers_no_target_on_the_way_to_one() -> None:
    """The order sheet of a Harvester under way has no line for another target."""
    state, _ = turn(position(resources={(3, 0): 1}), {"ann": ["TARGET 3,0"]})

    assert RULESET.template(view(state, "ann")) == []


def test_without_a_sheet_nothing_is_ordered() -> None:
    """The default of a missing sheet is no order, whatever was ordered before."""
    assert RULESET.defaults(view(position(CROWD), "ann"), (Move("G", ("E",)),)) == ()


def test_orders_for_what_is_no_more_do_nothing() -> None:
    """The resolver withstands orders that no report would have allowed."""
    from pbem.ruleset import TurnInput
    from pbem_rules.harvester.orders import Build, Destroy, Drop
    from tests.rules.harvester.table import DICE, told

    state = position(CROWD)
    orders = (Move("L1", ("E",)), Destroy("L1"), Build("G"), Build("L2"), Drop(3), Target(0, 0))

    after, events = RULESET.resolve(state, TurnInput({"ann": orders, "nobody": orders}), DICE)

    assert np.array_equal(after.at, state.at)
    assert [each["line"] for each in told(events, "ann", "refused")] == ["DROP 3", "TARGET 0 0", "BUILD G", "BUILD L2"]
    assert dataclasses.replace(after, turn=state.turn) == state


@pytest.mark.parametrize(
    "sign", ["-", "\u2212", "\u2013", "\u2014", "\u00ad", "\uff0d", "\u2796", "~", "\u301c", "\u058a", "\u1806"]
)
@pytest.mark.parametrize(
    "form", ["MOVE S1 TO {} 1,0", "S1 to {}1,0", "MOVE S1 TO 1,{} 1", "MOVE S1 TO 0 {} 1", "TARGET {} 1,0"]
)
def test_a_sign_before_a_number_is_a_minus_or_refused(sign: str, form: str) -> None:
    """No kind of dash before a coordinate, with a blank or without, is passed over: it is a minus or refused."""
    state = position({"ann": {"S1": (0, 0)}}, resources={(-1, 0): 1, (1, 0): 1})
    plain = form.replace("{} ", "-").replace("{}", "-")
    wanted = read(state, "ann", plain).orders

    parsed = read(state, "ann", form.format(sign))
    assert parsed.orders == wanted or (not parsed.orders and parsed.errors)


@pytest.mark.parametrize(
    "line",
    ["1. S1 NW", "2. S1 NW", "1) S1 NW", "(1) S1 NW", "1.S1 NW", "1: S1 NW", "* soldier 1 north-west", "1. MOVE S1 NW"],
)
def test_the_number_of_an_entry_is_no_part_of_the_order(line: str) -> None:
    """Orders of a numbered list are read like others, with a verb and without."""
    assert read(position({"ann": {"S1": (0, 0)}}), "ann", line).orders == (Move("S1", ("NW",)),)


def test_in_a_numbered_list_each_unit_goes_its_own_way() -> None:
    """The numbers before entries are neither steps nor units."""
    state = position({"ann": {"S1": (0, 0), "S2": (0, 0)}}, resources={(1, 0): 1})
    parsed = read(state, "ann", "1. S1 NW", "2. S2 W W", "3. TARGET 1,0")

    assert parsed.errors == ()
    assert parsed.orders == (Move("S1", ("NW",)), Move("S2", ("W", "W")), Target(1, 0))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("S1 1. NW 2. W", [("S1", "NW", "W")]),
        ("MOVE S1 (1) NW (2) W", [("S1", "NW", "W")]),
        ("1. S1 NE 2. S2 W", [("S1", "NE"), ("S2", "W")]),
        ("1. MOVE S1 NE 2. MOVE S2 W", [("S1", "NE"), ("S2", "W")]),
        ("MOVE S1 NE 2. MOVE S2 W", [("S1", "NE", "NE"), ("S2", "W")]),
        ("S1 NW x 2. S2 W", [("S1", "NW", "NW"), ("S2", "W")]),
        ("S1 NW 2. W", []),
        ("S1 2. NW 1. W", []),
        ("1) S1 1. NW 2. W", []),
    ],
)
def test_numbered_steps_are_never_taken_for_counts(line: str, wanted: list[tuple[str, ...]]) -> None:
    """The numbers of steps and entries are left out; where one may count a step the line is refused."""
    parsed = read(position({"ann": {"S1": (0, 0), "S2": (0, 0)}}), "ann", line)

    assert parsed.orders == tuple(Move(unit, tuple(steps)) for unit, *steps in wanted)
    assert bool(parsed.errors) == (not wanted)


@pytest.mark.parametrize("units", ["S1-S3", "S1..S3", "s3 \N{EN DASH} s1"])
def test_which_units_a_dash_names_is_not_guessed(units: str) -> None:
    """S1-S3 may be two units or three, and is refused; of neighbours, and in a list, each is named."""
    state = position({"ann": {"S1": (0, 0), "S2": (0, 0), "S3": (0, 0)}})

    assert [error.code for error in read(state, "ann", f"MOVE {units} E").errors] == ["doubtful-units"]
    assert len(read(state, "ann", "MOVE S1-S2 E").orders) == 2
    assert len(read(state, "ann", "MOVE S1-S2-S3 E").orders) == 3


def test_an_order_for_several_units_is_told_once() -> None:
    """A receipt has one entry for a line that moves several units, with the remarks on it once."""
    state = position({"ann": {"S1": (0, 0), "S2": (0, 0), "C1": (0, 0)}})
    lines = [(1, "soldiers NE"), (2, "S1 W"), (3, "C1 E")]
    reading = parse_sheet(RULESET, view(state, "ann"), lines)
    told = [(each.typed, each.became) for each in receipt_of(reading).noted_orders]

    assert told == [("soldiers NE", "Soldier S1 moves NE; Soldier S2 moves NE"), ("MOVE C1 E", "Scout C1 moves E")]


def receipt_of(reading: SheetReading) -> Receipt:
    """Return the receipt of a first sheet."""
    first = PreviousSheets(1, 1, 0)
    return make_receipt(
        reading, first, RULESET.orders, campaign="c", seat="ann", label="turn 1", deadline=None, held=False, zone="UTC"
    )
