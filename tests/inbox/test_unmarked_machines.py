"""An answering machine without a mark is answered a few times, and then no more; people are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.inbox.trusting import ANN, code
from tests.toy.home import Desk, text_of

GM = "gm@example.org"
AWAY = "Thank you for your mail.\nI am away until Monday.\nIn urgent cases please write to Bob."

MACHINES: dict[str, Callable[[int, str], str]] = {
    "the same": lambda number, mail: AWAY,
    "with the time": lambda number, mail: f"{AWAY}\nReceived 2026-11-02 at 10:0{number % 10}, ticket #4711{number}.",
    "with the mail below": lambda number, mail: f"{AWAY}\n\n{mail}",
    "of one line": lambda number, mail: "I am away.",
    "without words": lambda number, mail: "",
}


def play(desk: Desk, machine: Callable[[int, str], str], *, reply: bool) -> int:
    """Let a machine at Ann's address answer every mail, for twelve ticks; return the number of mails sent to it."""
    answered = len(desk.mails(ANN)) - 1
    before = len(desk.mails(ANN))
    for number in range(12):
        for mail in desk.mails(ANN)[answered:]:
            text = machine(number, text_of(mail))
            if reply:
                desk.reply(mail, text)
            else:
                desk.post(text, sender=ANN, to=mail["Reply-To"], subject="I am away")
        answered = len(desk.mails(ANN))
        desk.answer()
    return len(desk.mails(ANN)) - before


@pytest.mark.sampled(4)
@pytest.mark.parametrize("reply", [True, False], ids=["as a reply", "as a mail of its own"])
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())
def test_a_machine_is_answered_a_few_times(desk: Desk, machine: Callable[[int, str], str], *, reply: bool) -> None:
    """A machine is answered a few times and then no more; its GM is told once."""
    desk.start()

    assert play(desk, machine, reply=reply) <= 8
    told = [mail for mail in desk.mails(GM) if "an answering machine at red?" in str(mail["Subject"])]
    assert len(told) == 1


def test_a_person_behind_a_machine_is_read(desk: Desk) -> None:
    """Orders and commands from that address count as ever, on that day too."""
    desk.start()
    play(desk, MACHINES["the same"], reply=True)
    report = desk.mails(ANN)[1]
    desk.reply(report, "BID 4")
    desk.answer()
    assert "Sheet" in text_of(desk.last(ANN))
    assert "\n- BID 4\n" in text_of(desk.last(ANN))
    for _ in range(5):
        desk.post(f"ORDERS toy1 red {code(desk)}\nBID 5\nEND")
        desk.answer()
    assert "The same orders as before." in text_of(desk.last(ANN))
    before = len(desk.mails(ANN))
    desk.reply(report, "I do not know what to write, can you help me?")
    desk.answer()
    assert len(desk.mails(ANN)) == before + 1


def test_another_day_begins_anew(desk: Desk) -> None:
    """The same words on another day are answered again."""
    desk.start()
    play(desk, MACHINES["the same"], reply=True)
    desk.tick(hours=30)
    before = len(desk.mails(ANN))
    desk.reply(desk.mails(ANN)[1], AWAY)
    desk.answer()

    assert len(desk.mails(ANN)) == before + 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text",
    ["BIDD 4", "BID many", "I bid lots, please", "GEBOT {number}", "ORDERS toy1 red {code}\nGEBOT 4\nEND", "quit"],
    ids=["misspelt", "no number", "with openers", "other digits", "framed", "resigning"],
)
def test_a_sheet_of_errors_always_has_its_receipt(desk: Desk, text: str) -> None:
    """A sheet sent again and again, alike or with other digits, always has its receipt."""
    desk.start()
    report, shown = desk.mails(ANN)[1], code(desk)
    for number in range(7):
        before = len(desk.mails(ANN))
        desk.reply(report, text.format(number=number, code=shown))
        desk.answer()
        assert len(desk.mails(ANN)) == before + 1


def test_orders_for_a_turn_that_was_run_are_always_answered(desk: Desk) -> None:
    """The same sheet sent to an old report again and again is refused each time."""
    desk.start()
    report = desk.mails(ANN)[1]
    desk.tick(hours=24 * 5)
    for _ in range(6):
        before = len(desk.mails(ANN))
        desk.reply(report, "BID 4")
        desk.answer()
        assert len(desk.mails(ANN)) == before + 1


def test_the_first_messages_of_many_that_come_together_are_answered(desk: Desk) -> None:
    """Later messages are no reason to leave an earlier one without an answer."""
    desk.start()
    report = desk.mails(ANN)[1]
    before = len(desk.mails(ANN))
    for _ in range(6):
        desk.reply(report, AWAY)
    desk.answer()

    assert len(desk.mails(ANN)) == before + 3
