"""Tests of orders that are struck out, taken back or have a sign apart from its number, in whole messages."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from tests.inbox.letters import FREE, GAMES, good_orders, new_order, receive
from tests.inbox.people import words
from tests.toy.home import Desk

MARKS = (";", "#", "//", "%", "/*")


def orders(key: str, lines: list[str]) -> tuple[object, ...]:
    """Return the orders of a message."""
    return receive(key, lines).reading.parsed.orders


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("key", GAMES)
def test_an_order_that_is_struck_out_is_named_and_not_given(key: str, mark: str) -> None:
    """The other orders are given, and a note names the line and its mark; in and out of a frame, below a greeting."""
    order = new_order(key)
    kept, struck = [each for each in good_orders(key) if each != order], f"{mark} {order}{' */' * (mark == '/*')}"

    for lines in (["Hi,", "", struck, *kept], ["ORDERS trap7 red", struck, *kept, "END"], [*kept, struck, "", "Ann"]):
        received = receive(key, lines)
        assert received.reading.parsed.orders == orders(key, kept)
        assert received.notes == (
            f'Lines that begin with a {mark} are not orders: "{struck}". Take the {mark} away to give them.',
        )


@pytest.mark.parametrize("key", GAMES)
def test_what_stands_between_the_marks_of_a_remark_is_not_given(key: str) -> None:
    """Lines from /* to */ are no orders, greetings, closings or words to the host, and the lines around them count."""
    first, *rest = good_orders(key)
    lines = [*rest, "/* Hi,", first, "WAIT", "Thanks */"]

    received = receive(key, lines)

    assert received.reading.parsed.orders == orders(key, rest)
    assert received.sheet.wait is None
    assert any(f'"/* {first} */"' in note for note in received.notes)


def test_a_remark_without_an_end_is_told() -> None:
    """A /* that nothing closes makes remarks of all lines below it, and a note says so."""
    received = receive("harvester", ["MOVE S2 NE", "/* later", "MOVE L1 NE"])

    assert [entry.line for entry in received.reading.parsed.entries] == [1]
    assert "Line 2 has a /* that no */ closes: all below it was left alone, as a remark." in received.notes


def test_a_remark_before_an_order_ends_where_it_is_closed() -> None:
    """An order behind */ on its line counts, and so do the lines below."""
    received = receive("harvester", ["/* first */ MOVE S2 NE", "MOVE L1 NE"])

    assert received.reading.parsed.orders == orders("harvester", ["MOVE S2 NE", "MOVE L1 NE"])
    assert received.notes == ()


def test_a_line_of_the_form_behind_another_sign_is_told() -> None:
    """Forms write a semicolon before their lines: behind a # such a line was typed."""
    assert receive("singularity", ["; PLACE f6"]).notes == ()
    assert '"# PLACE f6"' in receive("singularity", ["# PLACE f6"]).notes[-1]


def test_a_numbered_line_of_free_text_is_not_lost() -> None:
    """Where every line is an order, those that begin with a # are named."""
    received = receive(FREE, ["#1 march to Rome", "#2 hold the pass", "The envoy rides to Blue"])

    assert len(received.reading.parsed.orders) == 1
    assert '"#1 march to Rome", "#2 hold the pass"' in received.notes[-1]


def test_marks_within_free_text_are_words() -> None:
    """The GM reads a line of free text as it was written, but for a remark that it begins with."""
    lines = ["/* 1 */ March to Rome // or Ostia; 50 % of the men", "See https://example.org/map"]

    assert [entry.order.words() for entry in receive(FREE, lines).reading.parsed.entries] == [
        "March to Rome // or Ostia; 50 % of the men",
        "See https://example.org/map",
    ]


@pytest.mark.parametrize("minus", ["-", "\u2011", "\u2013", "\u2014", "\u2212", "\uff0d", "\ufe63", "\u00ad"])
@pytest.mark.parametrize("gap", ["", " ", "\t", "\u00a0", " \u202f"])
def test_a_minus_in_a_message_is_read(minus: str, gap: str) -> None:
    """Whatever a mail program makes of a minus, and of the blanks beside it, the march goes west."""
    meant = orders("harvester", ["MOVE S2 W"])

    assert orders("harvester", [f"MOVE S2 TO {minus}{gap}1,0"]) == meant
    assert orders("harvester", [f"MOVE S2 TO{gap}{minus}1,{gap}0"]) == meant


@pytest.mark.parametrize(
    "line", ["MOVE S2 - 1,0", "S2-1,0", "MOVE S2 TO 1-0", "MOVE S2 TO 0 - 1", "TARGET 3-2", "TARGET - 1,0"]
)
def test_a_sign_that_may_be_a_dash_is_asked_about(line: str) -> None:
    """A sign that may part two words, too, is not guessed at."""
    (error,) = receive("harvester", [line]).reading.parsed.errors

    assert error.code == "doubtful-sign"
    assert error.hint == "write a hex as in: TO -3,2"


@pytest.mark.parametrize("level", ["-9", "- 9", "–9", "− 9", "-\t9"])
def test_a_level_below_zero_is_read_as_such(level: str) -> None:
    """A space below the plane, however its minus is written, is named as that space."""
    (error,) = receive("singularity_trap", [f"BUILD Scout AT J1 {level}"]).reading.parsed.errors

    assert error.text.endswith(": J1-9")


def test_a_struck_out_order_is_told_in_the_receipt(desk: Desk) -> None:
    """The mail of a player who put an order aside gets a receipt that names it, and the rest is done."""
    desk.start()
    desk.reply(desk.last(), "BID 4\n// WHISPER blue deal")
    desk.answer()

    assert 'Lines that begin with a // are not orders: "// WHISPER blue deal".' in words(desk.last())
    assert "Nothing else to do" not in words(desk.last())
    assert "A part of your mail was left out, see below." in words(desk.last())


def test_an_order_with_a_line_through_it_is_told_in_the_receipt(desk: Desk) -> None:
    """What a mail program shows struck out is not given, though its plain text has no mark of it."""
    desk.start()
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "ann@example.org", desk.last()["Reply-To"], "orders"
    mail.set_content("WHISPER blue deal\nBID 4\n")
    mail.add_alternative("<div><s>WHISPER blue deal</s></div><div>BID 4</div>", subtype="html")
    (desk.home / "post" / "inbox" / "0.eml").write_bytes(mail.as_bytes())
    desk.answer()

    assert 'Text that is struck out does not count: "WHISPER blue deal".' in words(desk.last())
    assert "1 of 1" in str(desk.last()["Subject"])
