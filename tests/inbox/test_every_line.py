"""Tests that no line of a message with orders is lost without a word."""

from __future__ import annotations

import pytest

from pbem.ruleset import Dice
from tests.inbox.letters import FREE, GAMES, good_orders, new_order, receive, view_of
from tests.inbox.people import ask, words
from tests.toy.home import Desk, text_of

PROSE = ("Blue has been quiet, has he not", "I could use another day for this", "What happened at the gate")
COURTESIES = ("Thanks a lot", "Best regards", "Ann Smith", "Good luck everyone")
MESSAGES = 40


def generated(key: str, number: int) -> list[str]:
    """Return a random message: orders in a frame or not, with prose, courtesies and remarks, and text below END."""
    ruleset, view, dice = GAMES[key], view_of(key), Dice(b"lines").within(key, number)
    invented = [ruleset.orders.invent(view, dice, "order", at) for at in range(dice.roll(4, "orders"))]
    form = [line for line in ruleset.template(view) if line.startswith("; ")][:3]
    said = [dice.pick(PROSE, "prose")] * dice.chance(1, 2, "chat")
    sheet = [*said, *good_orders(key)[:3], *invented, *(line.removeprefix("; ") for line in form)]
    if dice.chance(1, 2, "semicolon"):
        sheet.append(f"; {good_orders(key)[0]} {good_orders(key)[-1].split()[-1]}")
    below = (
        ["Hi,"] * dice.chance(1, 2, "hi"),
        [dice.pick(COURTESIES, "courtesy", at) for at in range(dice.roll(3, "end"))],
    )
    if dice.chance(1, 3, "plain"):
        return [*below[0], *sheet, "", *below[1]]
    after = [good_orders(key)[0], dice.pick(PROSE, "after")][: dice.roll(3, "after") - 1]
    return [*below[0], "ORDERS trap7 red", *sheet, "END", *after, "", *below[1]]


@pytest.mark.sampled(80)
@pytest.mark.parametrize("number", range(MESSAGES))
@pytest.mark.parametrize("key", GAMES)
def test_every_line_is_accounted_for(key: str, number: int) -> None:
    """Each line is an order, is named by a finding or a note, or is listed among the courtesies."""
    lines = generated(key, number)
    received = receive(key, lines)

    frame = ("ORDERS trap7 red", "END")
    assert [line for line in lines if line.strip() and line not in frame and not received.accounts_for(line)] == []


@pytest.mark.parametrize(
    ("key", "line", "part"),
    [
        ("singularity_trap", "TARGET Scout; then Cruiser", "then Cruiser"),
        ("bubble_singularity", "START C1, D3; B4, E9", "B4, E9"),
        ("dueling_masters", "SETUP HOME E1 # SETUP W D2", "SETUP W D2"),
        ("harvester", "MOVE L1 NE; then SE", "then SE"),
        ("singularity", "PLACE E5 // F5", "F5"),
    ],
)
def test_what_stands_behind_an_order_is_warned_of(key: str, line: str, part: str) -> None:
    """An order behind a # or //, or a part of one behind a ;, is named by a warning."""
    received = receive(key, [line])

    warned = [each for each in received.reading.parsed.findings if each.code in ("second-order", "order-rest")]
    assert [part in each.text for each in warned] == [True]


def test_yes_and_no_are_no_answer() -> None:
    """ALLY with both answers is refused, and not taken for one of them."""
    view = view_of("singularity_trap")
    other = next(player["colour"] for player in view["players"] if player["colour"] != view["seat"])

    assert receive("singularity_trap", [f"ALLY {other} YES NO"]).wrong == [f"ALLY {other} YES NO"]


@pytest.mark.parametrize("key", [key for key in GAMES if key != FREE])
def test_an_order_with_its_semicolon_is_noticed(key: str) -> None:
    """An order behind a ; that the form does not have is named, and the untouched lines of the form are not."""
    form = list(GAMES[key].template(view_of(key)))
    order = new_order(key)
    untouched = receive(key, ["ORDERS trap7 red", *form, "END"])
    changed = receive(key, ["ORDERS trap7 red", *form, f"; {order}", "END"])

    assert [note for note in untouched.notes if "begin with a ;" in note] == []
    assert any(f'"; {order}"' in note for note in changed.notes)


def test_a_form_line_changed_behind_its_semicolon_is_noticed() -> None:
    """A line of the form that was filled in and kept its semicolon is told to be no order."""
    received = receive("singularity_trap", ["; TARGET Scout", "ALLY cyan YES"])

    note = 'Lines that begin with a ; are not orders: "; TARGET Scout". Take the ; away to give them.'
    assert note in received.notes


def test_orders_below_end_are_named(desk: Desk) -> None:
    """A receipt says which lines below END were not read; thanks there are none of them."""
    desk.start()
    desk.reply(desk.last(), "ORDERS toy1 red\nBID 4\nEND\nWHISPER blue deal\nThanks\nAnn")
    desk.answer()

    assert 'Not read, as it stands below END: "WHISPER blue deal".' in words(desk.last())
    assert 'Not orders: "Thanks", "Ann".' in text_of(desk.last())


def test_keys_outside_of_the_frame_are_masked(desk: Desk) -> None:
    """A line outside of the frame is repeated without the key in it."""
    desk.start()
    code = str(desk.last()["Reply-To"]).partition("+")[2].partition("@")[0]
    desk.reply(desk.last(), f"ORDERS toy1 red\nBID 4\nEND\nmy code is {code}")
    desk.answer()

    assert 'below END: "my code is ********".' in words(desk.last())


def test_words_below_press_are_named(desk: Desk) -> None:
    """The answer to PRESS … END says which lines below END were not read."""
    desk.start()

    answer = ask(desk, "PRESS TO blue\nLet us meet.\nEND\nAnd you?\n\nThanks\nAnn")

    assert 'Not read, as it stands below END: "And you?".' in answer


def test_a_wait_that_was_dropped_is_mentioned(desk: Desk) -> None:
    """A sheet without the WAIT of the one before says so; one with FINAL was meant to."""
    desk.start()
    said = []
    for text in ("BID 4\nWAIT", "BID 5", "BID 6", "ORDERS toy1 red WAIT\nBID 7\nEND", "BID 8\nFINAL"):
        desk.reply(desk.last(), text)
        desk.answer()
        said.append("WAIT is no longer in it" in words(desk.last()))

    assert said == [False, True, False, False, False]
