"""Several orders on one line: each is read where that is certain, and else the line is refused as a whole."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence

import pytest

from pbem.actions.base import run_action
from pbem.actions.start import StartCampaign
from pbem.campaign.order_sheets import parse_sheet
from pbem.ruleset import Dice
from pbem.ruleset.orders import MAX_LINE
from tests.inbox.letters import FREE, GAMES, good_orders, receive, view_of
from tests.inbox.people import ANN, form, words
from tests.inbox.test_untouched import link_in
from tests.toy.home import Desk

OTHERS = [key for key in GAMES if key != FREE]
_HINT = "write one order a line"


def read(key: str, *lines: str) -> list[str]:
    """Return the orders that a sheet is taken for, as lines."""
    return [order.typed for order in receive(key, lines).reading.restated]


def refused(key: str, line: str) -> list[str]:
    """Return the hints of the errors on a line, none of which is an order."""
    reading = receive(key, [line]).reading
    assert reading.parsed.entries == ()
    return [error.hint for error in reading.parsed.errors]


@pytest.mark.parametrize("key", OTHERS)
@pytest.mark.parametrize("between", ["; ", ";", ", ", ". ", " ;; ", ".; "])
def test_a_whole_sheet_on_one_line_is_the_same_orders(key: str, between: str) -> None:
    """The orders of a sheet are the same on one line, in their order, and each is echoed."""
    sheet = [line for line in good_orders(key) if len(line) < 80][:5]
    received = receive(key, [between.join(sheet)]).reading

    assert [order.typed for order in received.restated] == read(key, *sheet)
    assert received.parsed.errors == ()
    assert {order.line for order in received.restated} == {1}


@pytest.mark.parametrize(
    ("line", "orders"),
    [
        ("MOVE G E; MOVE L1 E; MOVE L2 NE", ["MOVE G E", "MOVE L1 E", "MOVE L2 NE"]),
        ("move G e. Move L1 E. Move L2 NE.", ["MOVE G E", "MOVE L1 E", "MOVE L2 NE"]),
        ("TARGET -1,1, S1 NE", ["TARGET -1 1", "MOVE S1 NE"]),
        ("1. MOVE G E 2. MOVE L1 E", ["MOVE G E", "MOVE L1 E"]),
        ("MOVE G E；MOVE L1 E", ["MOVE G E", "MOVE L1 E"]),
        ("MOVE G E; MOVE L1 E; as agreed", ["MOVE G E", "MOVE L1 E"]),
        ("MOVE S1 NE, NE; MOVE S2 W, W", ["MOVE S1 NE NE", "MOVE S2 W W"]),
        ("MOVE G E; more soon, e.g. at 20:00", ["MOVE G E"]),
        ("MOVE G E ; http://example.org/a,b;c.d", ["MOVE G E"]),
        ("MOVE G E ; 1.5 hexes; (3,-2) is near", ["MOVE G E"]),
        ("; MOVE G E; MOVE L1 E", []),
        ("# MOVE G E; MOVE L1 E", []),
    ],
)
def test_lines_with_several_orders(line: str, orders: list[str]) -> None:
    """Each order is read; numbers, coordinates, addresses and remarks part nothing."""
    assert read("harvester", line) == orders
    assert receive("harvester", [line]).reading.parsed.errors == ()


@pytest.mark.parametrize(
    "line",
    [
        "MOVE G E; MOVE L9 E",
        "MOVE G E, MOVE L9 E",
        "MOVE G E; MVOE L1 E",
        "MOVE G E; thanks; MOVE L1 E",
        "MOVE G E; MOVE G W",
        "MOVE G E; RESIGN CONFIRM",
        "MOVE G E. DESTROY HARVESTER CONFIRM",
        "MOVE G E, unless Bob comes, MOVE L1 E",
        "MOVE G E; WAIT",
        "MOVE G E; final please",
        "S1 NE; S2 W; S9 W",
    ],
)
def test_a_line_of_which_a_part_is_no_order_is_refused(line: str) -> None:
    """Nothing of it counts, and the player is told to write one order a line."""
    assert refused("harvester", line) == [_HINT]


def test_a_line_says_which_part_is_wrong() -> None:
    """The error of a line that is refused has the part and what is wrong with it, also of one without a verb."""
    reading = receive("dueling_masters", ["Home on E1; W on D2; Queen on D4"]).reading

    assert [error.text for error in reading.parsed.errors if error.line] == [
        "of the orders on the line, 'Queen on D4' is not accepted: 'queen' could be B or Z"
    ]


def test_an_order_for_a_ship_built_on_the_line_is_not_blamed() -> None:
    """Of a line whose second order moves what the first builds, the part that is no order is named."""
    space = good_orders("singularity_trap")[0].split()[-1]
    reading = receive("singularity_trap", [f"Build cruiser at {space}. Move NEW1 N. Ally with Ann"]).reading

    assert [error.text.partition(" is not")[0] for error in reading.parsed.errors if error.line] == [
        "of the orders on the line, 'Ally with Ann'"
    ]


def test_a_part_is_no_condition_of_another() -> None:
    """Words before or behind a comma may limit an order, so such a line is left as it was."""
    assert read("singularity", "unless Blue plays e4, PLACE d4") == []
    assert read("singularity", "if Blue plays e4, I answer d4") == ["IF e4 THEN d4"]
    assert read("singularity", "PLACE d4; e5") == []


def test_an_error_names_the_line_as_typed() -> None:
    """Below a line with several orders errors have the numbers of the lines in the mail."""
    reading = receive("harvester", ["MOVE G E; MOVE L1 E", "MOVE S1 NE", "MOVE L1 W", "MOVE S2 QQ"]).reading

    assert [(each.line, each.source) for each in reading.remarks if each.severity == "error"] == [
        (3, "MOVE L1 W"),
        (4, "MOVE S2 QQ"),
    ]
    assert "line 1 gives L1 an order already" in reading.remarks[0].text
    assert [order.line for order in reading.restated] == [1, 1, 2]


def test_a_new_ship_may_move_on_the_line_that_builds_it() -> None:
    """An order that needs the one before it is read beside it."""
    assert (
        read("singularity_trap", "BUILD Scout, MOVE NEW1 SLIP")[1:]
        == read("singularity_trap", "BUILD Scout", "MOVE NEW1 SLIP")[1:]
    )


def _noisy(key: str) -> Iterator[str]:
    """Yield lines of a game: its own, random ones, and these among signs and words."""
    view, dice, book = view_of(key), Dice(b"one line"), GAMES[key].orders
    lines = [*good_orders(key), *(book.invent(view, dice, number) for number in range(40))]
    yield from lines
    ends = (
        "",
        ".",
        "; as agreed",
        ", please",
        " ;",
        " // x; y",
        ", e.g. there",
        '; "MOVE" it is',
        "; 3,-2",
        ". Thanks!",
    )
    for number, (line, other) in enumerate(itertools.pairwise(lines)):
        end = ends[number % len(ends)]
        yield f"{line}{end}"
        yield f"{number % 3 + 1}. {line}{end}"
        yield f"{line}{(', ', '. ', ' and ', ', then ', '; ')[number % 5]}{other}"


@pytest.mark.parametrize("key", OTHERS)
def test_a_line_that_was_accepted_is_never_read_otherwise(key: str) -> None:
    """Splitting changes no line that its game accepts, and parts are read as lines of their own, in their order."""
    ruleset, view, split = GAMES[key], view_of(key), 0
    for line in _noisy(key):
        whole = ruleset.parse(view, [(1, line)])
        reading = parse_sheet(ruleset, view, [(1, line)])
        if whole.entries and not [each for each in whole.findings if each.line and each.severity != "note"]:
            refused = "several-orders" in {each.code for each in reading.parsed.errors}
            assert reading.parsed.orders == whole.orders or (refused and "; " in line), line
        elif reading.origin:
            parts, at = [text for number, text in reading.lines if reading.origin[number] == 1], 0
            for part in parts:
                at = line.index(part.partition("; ")[0], at)
            if len(parts) > 1:
                split += 1
                assert reading.parsed.orders == ruleset.parse(view, [*enumerate(parts, start=1)]).orders, line
    assert split


def _hostile(order: str) -> Sequence[str]:
    return (
        ";" * MAX_LINE,
        "; ".join([order] * 100)[:MAX_LINE],
        ", ".join([order] * 100)[:MAX_LINE],
        f"{order}; " + "MOVE;" * 80,
        f"{order}; " + "x;" * 200,
        order + "," * 300 + order,
        f'{order}; "' + "; ".join([order] * 20),
        f"{order}; /*" + f"; {order}" * 10,
        "1. " + " 2. ".join([order] * 30),
        f"{order}; “{order}; {order}",
        f"{order};\u2028{order};\x00;{order}",
        f"{order}; ({order}, [{order}; {order})",
        "MOVE " * 90 + ";" + "MOVE, " * 5,
    )


@pytest.mark.parametrize("key", OTHERS)
def test_hostile_lines_take_no_time(key: str) -> None:
    """A sheet of thousands of signs between parts is read within the time of a mail, and never raises."""
    order = ("PLACE E5",) if key == "singularity" else good_orders(key)
    lines = [line for each in order[:2] for line in _hostile(each)] * 2
    began = time.process_time()

    reading = parse_sheet(GAMES[key], view_of(key), list(enumerate(lines, start=1)))

    assert time.process_time() - began < 10
    assert set(reading.origin.values()) <= {*range(1, len(lines) + 1)}


@pytest.mark.parametrize("key", OTHERS)
@pytest.mark.parametrize("remark", ["; as agreed", " ; to the gate, I hope", "; ", " ;;; ---", " // the other way"])
def test_a_remark_stays_a_remark(key: str, remark: str) -> None:
    """Words behind a semicolon that are no order are no error."""
    order = next(iter(good_orders(key)))

    reading = receive(key, [f"{order}{remark}"]).reading

    assert reading.parsed.errors == ()
    assert len(reading.parsed.entries) == 1


def test_free_words_are_never_split() -> None:
    """In a game of free words a line is one entry, whatever signs it has."""
    line = "March to Rome; hold the pass. Build a fleet, and wait."

    assert read(FREE, line) == [line]


@pytest.mark.parametrize("text", ["", "Thanks!", "BID 3"])
def test_orders_in_the_subject_are_told(desk: Desk, text: str) -> None:
    """The subject is no part of a sheet: orders in it are named in the answer, and nothing is said to be done."""
    desk.start()
    desk.reply(desk.last(ANN), text, subject="BID 4")
    desk.answer()

    answer = words(desk.last(ANN))
    assert 'The subject of your mail was NOT read: "BID 4". Write orders into the mail itself.' in answer
    assert "Nothing else to do" not in answer


@pytest.mark.parametrize("subject", ["BID 3", "Re: [toy1] BID 3", "my bid for round 1", "Re: [toy1] round 1", ""])
def test_other_subjects_are_not_spoken_of(desk: Desk, subject: str) -> None:
    """A subject without orders, or with those that stand in the mail too, is passed over."""
    desk.start()
    desk.reply(desk.last(ANN), "BID 3", subject=subject)
    desk.answer()

    assert "subject" not in words(desk.last(ANN))


def test_each_order_of_a_line_is_in_the_receipt(desk: Desk) -> None:
    """The receipt counts the orders of a line, and has a line for each."""
    desk.start()
    desk.reply(desk.last(ANN), "BID 3; WHISPER blue deal")
    desk.answer()

    assert "orders in: 2 of 2" in desk.last(ANN)["Subject"]
    assert "- BID 3 - WHISPER blue deal" in words(desk.last(ANN))


def test_the_corrected_sheet_keeps_the_order_before_a_remark(desk: Desk) -> None:
    """Of "A # B" the link that corrects the sheet has A as an order, and the whole line as a comment."""
    form(desk, "red", "blue", hold="off")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()

    desk.reply(desk.last(ANN), "BID 3 # BID 4")
    desk.answer()

    link = link_in(desk.last(ANN), "Correct my orders")
    assert "\nBID 3\n; not possible so far: BID 3 # BID 4\nEND" in link


@pytest.mark.parametrize(
    ("line", "orders"),
    [
        ("MOVE G E; move L1 east next turn", ["MOVE G E"]),
        ("MOVE G E; build next turn", ["MOVE G E"]),
        ("MOVE G E ; target something later", ["MOVE G E"]),
        ("MOVE G E; MOVE L1 E; MOVE L2 NE next turn", ["MOVE G E", "MOVE L1 E"]),
    ],
)
def test_a_remark_on_a_later_turn_may_begin_like_an_order(line: str, orders: list[str]) -> None:
    """Behind a ; it is told that it was read as a remark, and the orders before it count."""
    reading = receive("harvester", [line]).reading
    told = [finding for finding in reading.findings if "later turn" in finding.text]

    assert [order.typed for order in reading.restated] == orders
    assert reading.parsed.errors == ()
    assert [(each.severity, each.hint) for each in told] == [
        ("warning", "to keep an order for the next turn, write it below NEXT TURN")
    ]


def test_an_order_with_a_slip_is_no_remark() -> None:
    """Without a word of a later turn what begins like an order behind a ; is one, and the line is refused."""
    assert refused("harvester", "MOVE G E; MOVE L1 soonish") == [_HINT]
