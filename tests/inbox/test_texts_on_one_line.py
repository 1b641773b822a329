"""Texts that begin on the line of their command, behind a colon: as if they stood below it."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from sqlalchemy import select

from pbem.inbox.command_parser import CommandList, find_commands, find_press, split_text
from pbem.inbox.frames import GmFrame, find_sheet
from pbem.inbox.gm_lines import parse_gm_frame
from pbem.ruleset.orders import MAX_LINE
from pbem.store.models import OrderSheet, Press
from tests.inbox.gms import framed
from tests.inbox.people import ANN, BOB, CYD, GM, ask, form, words
from tests.toy.home import Desk, text_of

THREE = ("red", "blue", "green")
KNOWN = {"toy1"}

COMMANDS = ("DIARY", "NEWS", "PRESS TO blue", "PRESS TO blue, green", "UNSIGNED TO ALL", "ASK GM", "JOIN toy1 AS red")


def found(*lines: str) -> CommandList:
    """Return the commands of a mail, all of whose lines are for the first."""
    commands = find_commands(lines, KNOWN)
    assert commands is not None
    return commands


def press_of(desk: Desk) -> list[tuple[str, str]]:
    """Return the kind and the words of each text that was kept."""
    with desk.app.store.reading() as session:
        return [(each.kind, each.text) for each in session.scalars(select(Press).order_by(Press.id))]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("typed", [str.upper, str.capitalize, "1. {}".format, "PLAYER toy1 red\n{}".format])
@pytest.mark.parametrize("below", [(), ("and more",), ("", "and more")])
def test_words_behind_a_colon_are_those_below(command: str, typed: object, below: Sequence[str]) -> None:
    """Each command with a text reads the same, its text on its line or below, in a list, in small letters, framed."""
    assert callable(typed)
    head = typed(command).split("\n")
    beside, under = (
        found(*head[:-1], *lines, *below, "END") for lines in ([f"{head[-1]}: We meet."], [head[-1], "We meet."])
    )

    assert beside.parse().orders == under.parse().orders
    assert beside.parse().findings == ()
    assert [*beside.texts.values()] == [*under.texts.values()] == ["\n".join(["We meet.", *below])]


@pytest.mark.parametrize("line", ["DIARY: at 20:00 I attack", "DIARY : at 20:00 I attack", "DIARY:at 20:00 I attack"])
def test_the_first_colon_parts_them(line: str) -> None:
    """Later colons are the text's."""
    assert [*found(line).texts.values()] == ["at 20:00 I attack"]


@pytest.mark.parametrize(
    "line",
    [
        *[
            "PRESS TO: blue",
            "Press on: my orders follow",
            "NEWS from the front: we won",
            "News 12:30",
            "Diary http://x.org",
        ],
        *["Tell Rome: we come", "Write to Ravenna: we offer grain", "Ask Bob: is it so?", "JOIN: toy1", "ZONE: Athens"],
        *["MUTE: blue", ": words", "DIARY", ""],
    ],
)
def test_a_line_without_a_whole_command_is_not_parted(line: str) -> None:
    """The words before the colon must be all that the command needs, in its own words."""
    assert split_text(line) == (line, "")


def test_a_diary_of_one_line(desk: Desk) -> None:
    """It is entered, and no other player gets a word of it."""
    desk.start(seats=THREE)

    said = ask(desk, "DIARY: I shall leave blue alone.")
    assert "Entered into the diary of red, round 1." in said
    assert press_of(desk) == [("diary", "I shall leave blue alone.")]
    assert not any("leave blue alone" in text_of(mail) for mail in desk.mails() if mail["To"] != ANN)


def test_press_news_and_a_question_of_one_line(desk: Desk) -> None:
    """Each goes to whom it names, and the line tells them nothing of the command."""
    desk.start(seats=THREE)

    assert "goes by mail at once to blue." in ask(desk, "PRESS TO blue: Let us deal: 3 for 2.")
    assert "| Let us deal: 3 for 2.\n" in text_of(desk.last(BOB))
    assert "stand in the newspaper" in ask(desk, "News: Red is ready.")
    assert "Mailed to your GM" in ask(desk, "Message to the GM: May I?")
    assert "| May I?\n" in text_of(desk.last(GM))
    assert press_of(desk) == [("press", "Let us deal: 3 for 2."), ("news", "Red is ready.")]
    assert not any("us deal" in text_of(mail) for mail in desk.mails(CYD))


def test_words_to_the_gm_come_with_a_wish_to_join(desk: Desk) -> None:
    """A JOIN with words behind a colon is a JOIN, and the GM of a full campaign reads them."""
    form(desk, "red", "blue", signup="on")

    ask(desk, "JOIN toy1: I have played this before.", CYD)
    desk.reply(desk.last(CYD), "YES")
    desk.answer()
    assert any("I have played this before." in words(mail) for mail in desk.mails(GM))


def test_a_second_text_on_one_line_is_shown_first(desk: Desk) -> None:
    """Without an END between them a diary may be meant for its writer alone, so nothing goes out before a YES."""
    desk.start(seats=THREE)

    ask(desk, "PRESS TO blue: I am with you.\nDiary: I am not.")
    assert press_of(desk) == []
    assert not any("I am not" in text_of(mail) for mail in desk.mails() if mail["To"] != ANN)
    desk.reply(desk.last(ANN), "YES")
    desk.answer()
    assert press_of(desk) == [("press", "I am with you."), ("diary", "I am not.")]
    assert not any("I am not" in text_of(mail) for mail in desk.mails() if mail["To"] != ANN)


@pytest.mark.parametrize("line", ["PRESS TO blue: BID 3", "NEWS: ORDERS toy1 red", "DIARY: CLEAR ORDERS"])
def test_an_order_in_the_text_holds_it(desk: Desk, line: str) -> None:
    """As in a text below: nothing is sent, and the writer is asked."""
    desk.start(seats=THREE)

    ask(desk, line)
    assert press_of(desk) == []


def test_a_sheet_below_the_end_counts(desk: Desk) -> None:
    """A text of one line, END and orders: both are taken."""
    desk.start(seats=THREE)
    desk.reply(desk.last(ANN), "PRESS TO blue: Hello.\nEND\nBID 3")
    desk.answer()

    assert press_of(desk) == [("press", "Hello.")]
    with desk.app.store.reading() as session:
        assert [sheet.text for sheet in session.scalars(select(OrderSheet))] == ["BID 3\n"]


def test_join_with_a_word_that_is_no_campaign_begins_a_sentence() -> None:
    """The sheet below "Join us: …" is read; JOIN and a campaign has the words below as its text."""
    lines = ["Join us: we march", "ORDERS toy1 red k", "BID 3", "END"]

    assert find_press(lines, find_sheet(lines, KNOWN), KNOWN) is None
    lines[0] = "JOIN toy1: we march"
    assert find_press(lines, find_sheet(lines, KNOWN), KNOWN) is not None


def test_a_key_in_the_words_is_not_passed_on(desk: Desk) -> None:
    """A line that has a key is masked behind the colon as below it."""
    desk.start(seats=THREE)
    key = desk.last(BOB)["Subject"].rpartition("[")[2].rstrip("]")

    ask(desk, f"PRESS TO blue: mine is {key}")
    assert key not in "".join(text for _, text in press_of(desk))


@pytest.mark.parametrize(
    ("line", "command", "text"),
    [
        ("ANNOUNCE: We play on.", "ANNOUNCE", ["We play on."]),
        ("Announce to red, blue: at 20:00", "ANNOUNCE TO red blue", ["at 20:00"]),
        ("ANSWER 3: yes", "ANSWER 3", ["yes"]),
        ("Answer 3 to all: yes", "ANSWER 3 TO ALL", ["yes"]),
        ("SHEET red: BID 3", "SHEET red", ["BID 3"]),
        ("RULING: red wins", "RULING", ["red wins"]),
        ('STATE: {"a": 1}', "STATE", ['{"a": 1}']),
    ],
)
def test_the_texts_of_a_gm(line: str, command: str, text: list[str]) -> None:
    """A GM's commands with a text read the same, the text on their line or below."""
    said = f"{line.partition(':')[0]}:"
    beside = parse_gm_frame(GmFrame("toy1", "", ((1, line),)))
    below = parse_gm_frame(GmFrame("toy1", "", ((1, said), *enumerate(text, start=2))))

    for read in (beside, below):
        assert (read.parsed.findings, read.below) == ((), ())
        assert [" ".join(type(order).usage.split()[:1]) for order in read.parsed.orders] == command.split()[:1]
        assert [line for block in read.texts.values() for _, line in block.lines] == text
    assert beside.parsed.orders == below.parsed.orders


def test_an_announcement_of_one_line(running: Desk) -> None:
    """It is mailed to all, as it was written."""
    framed(running, "ANNOUNCE: We play on: at 20:00.")

    assert "| We play on: at 20:00.\n" in text_of(running.last(BOB))


def test_hostile_lines_take_no_time() -> None:
    """Lines of colons, commands and blanks are read in linear time, and never raise."""
    began = time.process_time()
    for line in (
        ":" * MAX_LINE,
        "DIARY:" * 300,
        "DIARY" + " " * MAX_LINE + ":",
        "PRESS TO " + "blue," * 400 + ": x",
        "ask gm " * 300,
        "ask gm" + " ." * MAX_LINE,
        "JOIN \x00: \u2028",
        'PRESS TO "blue: x',
        "1. 2. 3. DIARY: x",
    ):
        for lines in ([line], ["PLAYER toy1 red", line, "END"], [line] * 50):
            commands = find_commands(lines, KNOWN)
            assert commands is None or commands.parse() is not None
            assert parse_gm_frame(GmFrame("toy1", "", tuple(enumerate(lines, start=1)))) is not None
    assert time.process_time() - began < 10


@pytest.mark.parametrize("line", ["News: none.", "Tell blue: hi", "Press to the south: all you have"])
def test_talk_in_a_text_stays_in_it(desk: Desk, line: str) -> None:
    """A line of a message that only looks like a command goes out with it."""
    desk.start(seats=THREE)

    ask(desk, f"PRESS TO blue\nHello.\n{line}")
    assert press_of(desk) == [("press", f"Hello.\n{line}")]
