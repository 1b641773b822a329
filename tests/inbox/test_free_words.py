"""In a game of free words only what was typed as orders is one, and no mail takes the place of a sheet unasked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.start import StartCampaign
from pbem.inbox.free_words import is_for_another_sheet, read_meaning
from pbem.store.models import OrderSheet
from pbem_rules.gm_adjudicated import RULESET as UMPIRE
from tests.inbox.letters import FREE, GAMES, good_orders, receive
from tests.inbox.people import ANN, form, reports, words
from tests.inbox.test_untouched import link_in
from tests.toy.home import Desk, open_desk, prepared, text_of

NAMES = {"ann", "smith"}
HOLD = "The army holds the bridge."
SAIL = "The fleet sails at dawn."
SIGNED = """Best regards,

Ann Smith
Senior Consultant, Logistics
Acme Industrial Holdings Inc.
12 High Street, London
Tel. +44 20 1234567
www.acme.example"""
NOTICE = """This e-mail and any attachments are confidential and may be privileged. If you are not the
intended recipient, please notify the sender and delete it.

Registered in England, number 1234567"""

ADDED = [
    (
        "CAUTION: This email originated from outside of the organization. Do not click\nlinks unless you trust it.\n\n",
        "",
    ),
    ("CAUTION: This email originated from outside of the organization.\n", ""),
    ("[EXTERNAL]\n\n", ""),
    ("You don't often get email from orders@example.org. Learn why this is important\n", ""),
    ("ACHTUNG: Diese E-Mail stammt von einem externen Absender.\n\n", ""),
    ("", f"\n\n{SIGNED}"),
    ("Hi,\n\n", f"\n\nThanks\n\n{SIGNED}\n\n{NOTICE}"),
    ("", f"\n\n{NOTICE}"),
    (
        "",
        "\n\nDiese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der Empfänger sind, bitte löschen.",
    ),
    ("", "\n\nThis email has been scanned for viruses by Foo.\nwww.foo.example"),
]


def left(key: str, text: str) -> list[str]:
    """Return the orders that are read from a message of Ann Smith's."""
    reading = receive(key, text.split("\n")).reading
    return [reading.book.line(order) for order in reading.parsed.orders] + [
        each.source for each in reading.remarks if each.severity == "error"
    ]


@pytest.mark.parametrize(("above", "below"), ADDED)
def test_what_programs_and_companies_add_is_no_order(above: str, below: str) -> None:
    """Banners, notices, scanners' lines and signatures are taken off, and each of their lines is named."""
    received = receive(FREE, f"{above}{HOLD}\n{SAIL}{below}".split("\n"))

    assert [order.words() for order in received.reading.parsed.orders] == [HOLD, SAIL]
    assert [line for line in f"{above}{below}".split("\n") if line.strip() and not received.accounts_for(line)] == []


@pytest.mark.parametrize("key", [key for key in GAMES if key != FREE])
@pytest.mark.parametrize(("above", "below"), ADDED)
def test_nothing_added_is_an_error_in_a_game_with_verbs(key: str, above: str, below: str) -> None:
    """In a game with verbs the same lines are no errors, so that no turn waits for their correction."""
    orders = "\n".join(good_orders(key))

    assert left(key, f"{above}{orders}{below}") == left(key, orders)


@pytest.mark.parametrize(
    "line",
    [
        "Caution: the bridge is a trap, send scouts outside.",
        "Attention, the sender of the letter is to be found.",
        "This message is intended only for the abbot: burn it.",
        "External walls are to be mended.",
        "Important: hold the gate.",
    ],
)
def test_an_order_that_begins_like_a_banner_stays(line: str) -> None:
    """A sentence that only begins like a banner or a notice is an order."""
    assert left(FREE, f"{line}\n{SAIL}") == [line, SAIL]
    assert left(FREE, f"{SAIL}\n\n{line}") == [SAIL, line]


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        (f"{SAIL}\nThanks,\nAnn\n\nPS: {HOLD}", [SAIL, f"PS: {HOLD}"]),
        (f"{SAIL}\nThanks,\nAnn\n\n{HOLD}", [SAIL, HOLD]),
        (f"Write to the king:\nHold fast.\nBest regards\nAnn\n{HOLD}", ["Write to the king:", "Hold fast.", HOLD]),
        (f"{SAIL}\nBest regards\nTo the queen a ring\nTo the king a sword", None),
    ],
)
def test_what_stands_below_a_signature_stays(text: str, orders: list[str] | None) -> None:
    """Only a closing with a sign of its sender below it is taken off, down to that sign."""
    assert left(FREE, text) == (text.split("\n") if orders is None else orders)


@pytest.mark.parametrize(
    "below",
    [
        "The fleet sails to Acre 2026-12-04",
        "The fleet sails to Acre 4.12.2026",
        "Pay 10 000 000 crowns",
        "Men 100-1200",
    ],
)
def test_a_date_below_a_signature_is_no_telephone_number(below: str) -> None:
    """Dates and sums end no signature."""
    assert left(FREE, f"{HOLD}\nBest regards\nAnn\n{below}") == [HOLD, below]


def test_only_notices_at_the_end_are_taken() -> None:
    """A notice in the middle takes nothing from what stands below it."""
    typed = f"{HOLD}\n\n{NOTICE}\n\n{SAIL}".replace("\nintended", " intended")

    assert [line for line in left(FREE, typed) if line in (HOLD, SAIL)] == [HOLD, SAIL]
    assert left(FREE, f"{HOLD}\n{SAIL}\nBest regards\nAnn\n\n{NOTICE}") == [HOLD, SAIL]


@pytest.mark.parametrize("letter", ["PRESS TO seat2 we attack", "Press to seat2: we attack", "PRESS TO all"])
def test_a_letter_on_one_line_is_no_order(letter: str) -> None:
    """Beside orders, and with its words on the line, it is refused with where it belongs."""
    (wrong,) = [each for each in receive(FREE, [HOLD, letter, SAIL]).reading.remarks if each.severity == "error"]

    assert (wrong.source, wrong.hint) == (
        letter,
        "send it as the first line of a mail of its own, and its words below that",
    )
    assert left(FREE, f"{HOLD}\n{letter}\n{SAIL}") == [HOLD, SAIL, letter]


@pytest.mark.parametrize(
    "line", ["TELL seat2 we attack", "Message to seat2: hello", "Write seat2 a letter", "press seat2 hard"]
)
def test_an_order_to_tell_a_player_something_says_how_to_write(line: str) -> None:
    """It counts, as the GM may be meant to have it told; its note names PRESS TO."""
    received = receive(FREE, [line])

    assert [order.words() for order in received.reading.parsed.orders] == [line]
    assert "PRESS TO seat2, as the first line of a mail" in received.reading.remarks[0].text


@pytest.mark.parametrize(
    "line", ["Press to all gates!", "Press to the river", "Tell the king of it", "Write to Rome that we come"]
)
def test_an_order_to_no_seat_has_no_note(line: str) -> None:
    """Words that name no seat are orders like all others."""
    received = receive(FREE, [line])

    assert ([order.words() for order in received.reading.parsed.orders], received.reading.remarks) == ([line], ())


def test_a_broken_paragraph_is_one_order() -> None:
    """Lines that a mail program has broken are one sentence; a new one begins where a line is short."""
    rows = ["The army marches to the bridge over the river Axe at dawn, and", "then waits until all have come up."]

    assert left(FREE, "\n".join([*rows, SAIL, f"and {HOLD}"])) == [" ".join(rows), SAIL, f"and {HOLD}"]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Thanks, got it", "talk"),
        ("ok, great", "talk"),
        ("Ok great thanks", "talk"),
        ("\U0001f44d", "talk"),
        (":-)", "talk"),
        ("Thanks for the report!\nAnn", "talk"),
        ("Great turn, what a game!", "talk"),
        ("My orders will follow.", "talk"),
        ("OK, I'll send orders later.", "talk"),
        ("FYI", "talk"),
        ("FYI I'll be late. IMO we should ally!", "question"),
        ("FYI I'll be late. Hold the bridge.", "orders"),
        ("Danke für den Bericht, toll!", "talk"),
        ("Can I attack the bridge?", "question"),
        ("Hi GM, can I attack? And when?", "question"),
        ("Frage: darf ich über den Fluss?", "question"),
        ("Yes", "orders"),
        ("No", "orders"),
        ("Tak", "orders"),
        ("Hold", "orders"),
        ("Got it. Hold the bridge.", "orders"),
        ("Tell the king: will you ally?", "orders"),
        ("Will you tell me how many men fit? I hold the bridge.", "orders"),
        ("Thanks to all who came", "orders"),
    ],
)
def test_small_talk_and_questions_are_told_from_orders(text: str, meaning: str) -> None:
    """Words that need no answer and questions alone are known word for word; all else may be an order."""
    assert read_meaning(text.split("\n"), NAMES) == meaning


@pytest.mark.parametrize(
    ("new", "asked"),
    [
        ([HOLD, "Ten men stay at the mill."], False),
        (["1. " + HOLD], False),
        (["Hold the mill."], True),
        (["Ten men stay at the mill, and wait."], False),
    ],
)
def test_few_words_that_share_no_line_are_for_another_sheet(new: list[str], asked: bool) -> None:
    """An edited copy, or a text half as long, takes the place of the sheet; a few other words are asked about."""
    assert is_for_another_sheet(new, [HOLD, SAIL]) is asked


@pytest.fixture
def pen(tmp_path: Path) -> Iterator[Desk]:
    """Yield a home with a campaign of free words that has begun, and a sheet of two lines of Ann's that counts."""
    with open_desk(tmp_path / "home", games={"gm_adjudicated": UMPIRE}) as desk:
        _begin_pen(desk)
        yield desk


@prepared
def _begin_pen(desk: Desk) -> None:
    form(desk, "red", "blue", name="pen1", game=FREE)
    run_action(desk.app, "pen1", StartCampaign(), desk.now)
    desk.answer()
    desk.reply(reports(desk, ANN)[-1], f"{HOLD}\n{SAIL}")
    desk.tick(hours=1)


def counted(desk: Desk) -> list[str]:
    """Return the lines of the newest sheet that counts."""
    with desk.app.store.reading() as session:
        kept = select(OrderSheet.orders).where(OrderSheet.accepted).order_by(OrderSheet.id.desc())
        return [order["text"] for order in session.scalars(kept).first() or ()]


def told(desk: Desk, text: str) -> str:
    """Return the answer to a reply to Ann's newest mail, with its subject, on one line; "" without one."""
    before = len(desk.mails(ANN))
    desk.reply(desk.last(ANN), text)
    desk.tick(hours=1)
    new = desk.mails(ANN)[before:]
    return f"{new[-1]['Subject']}: {words(new[-1])}" if new else ""


STILL = "Your orders of Mon 2 Nov, 11:00 CET still count"


@pytest.mark.parametrize("text", ["Thanks, got it", "ok, great", "\U0001f44d", f"Great turn!\n\n{SIGNED}\n\n{NOTICE}"])
def test_small_talk_keeps_the_sheet_and_has_no_answer(pen: Desk, text: str) -> None:
    """Thanks for a receipt are no sheet, and are not answered."""
    assert told(pen, text) == ""
    assert counted(pen) == [HOLD, SAIL]


@pytest.mark.parametrize(
    "text", ["Thanks!\nArmy A marches to Jaffa\nFleet B sails to Acre\n\nAnn", "ADD\nCheers\nBurn the mill\nAnn"]
)
def test_orders_between_thanks_and_a_name_are_no_signature(pen: Desk, text: str) -> None:
    """A mail that begins with thanks and ends with a name has orders between them, not a signature."""
    answer = told(pen, text)

    assert all(line in answer for line in text.split("\n")[1:-1] if line not in ("", "Cheers"))


def test_a_mail_that_was_set_aside_as_a_whole_is_answered(pen: Desk) -> None:
    """What only looks like a notice is no small talk: its sender learns that it was not read."""
    order = "Confidential: the army marches to Jaffa at night; the intended recipient of the letter is the abbot."

    assert STILL in told(pen, f"{order}\nBuild a tower.")


@pytest.mark.parametrize(
    "order",
    ["Turn: the lever.", "Turn - around!", "Turn off", "Turn 3 was fun.", "TURN 7 is when I am away", "Turn left"],
)
def test_a_sentence_that_begins_with_turn_is_an_order(pen: Desk, order: str) -> None:
    """Words that name no later turn, or only speak of one, stay an order among the others."""
    told(pen, f"{HOLD}\n{order}\n{SAIL}")

    assert counted(pen) == [HOLD, order, SAIL]


def test_a_question_is_pointed_to_the_gm(pen: Desk) -> None:
    """A question alone is no sheet; the answer says how it reaches the GM, and what counts."""
    answer = told(pen, "Hi, can I attack the mill too?\nAnn")

    assert STILL in answer
    assert "reply with ASK GM and your question" in answer
    assert counted(pen) == [HOLD, SAIL]


def test_an_edited_copy_replaces(pen: Desk) -> None:
    """An edited copy counts instead, and the receipt says of what, and how to have both."""
    answer = told(pen, f"{HOLD}\nThe fleet stays in the harbour.")

    assert "They count instead of your orders of Mon 2 Nov, 11:00 CET (2 lines)." in answer
    assert "To have both, reply with ADD, and the lines that were dropped below it." in answer
    assert counted(pen) == [HOLD, "The fleet stays in the harbour."]


def test_the_link_to_have_both_adds_what_was_dropped(pen: Desk) -> None:
    """The link of the receipt adds the dropped lines to the new ones."""
    told(pen, f"{HOLD}\nThe fleet stays in the harbour.")
    link = link_in(pen.last(ANN), "Have both: ADD")
    pen.post(link, sender=ANN, to=pen.last(ANN)["Reply-To"])
    pen.tick()

    assert counted(pen) == [HOLD, "The fleet stays in the harbour.", SAIL]


@pytest.mark.parametrize(
    "text", ["ADD\nBurn the mill.", "ADD Burn the mill.", "Add to my orders:\nBurn the mill.\n\nThanks\nAnn"]
)
def test_add_adds(pen: Desk, text: str) -> None:
    """ADD adds to the orders that count, and the receipt shows the whole."""
    answer = told(pen, text)

    assert counted(pen) == [HOLD, SAIL, "Burn the mill."]
    assert all(line in answer for line in counted(pen))


@pytest.mark.parametrize(
    "text", [f"ADD\n{HOLD}\nBurn the mill.", "ADD\nBurn the mill.\nADD", "ADD Burn the mill.\nADD Hold the gate."]
)
def test_what_counts_is_added_once(pen: Desk, text: str) -> None:
    """A line that counts already is not added again, and the receipt says so; another ADD is no order."""
    answer = told(pen, text)

    assert counted(pen)[:3] == [HOLD, SAIL, "Burn the mill."]
    assert counted(pen)[3:] == (["Hold the gate."] if "gate" in text else [])
    assert (f'Not added, as it counts already: "{HOLD}".' in answer) is (HOLD in text)


def test_a_sentence_that_begins_with_add_is_an_order(pen: Desk) -> None:
    """In free words "Add" begins a sentence."""
    told(pen, f"{HOLD}\nAdd a tower to the gate.")

    assert counted(pen) == [HOLD, "Add a tower to the gate."]


ASKED = "[pen1] instead of your orders, or besides? Reply REPLACE or ADD"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("answer", "orders"),
    [
        ("REPLACE", ["Burn the mill."]),
        ("Add\n\nThanks\nAnn", [HOLD, SAIL, "Burn the mill."]),
        ("ADD please", [HOLD, SAIL, "Burn the mill."]),
        ("NO", [HOLD, SAIL]),
        ("YES", [HOLD, SAIL]),
        ("Tak", [HOLD, SAIL]),
        ("REPLACE or ADD? What is the difference?", [HOLD, SAIL]),
        ("ADD this only if it rains", [HOLD, SAIL]),
        ("Thanks", [HOLD, SAIL]),
        ("", [HOLD, SAIL]),
    ],
)
def test_few_other_words_are_asked_about(pen: Desk, answer: str, orders: list[str]) -> None:
    """A few words that share nothing with the sheet change nothing until their sender says REPLACE or ADD."""
    question = told(pen, "Burn the mill.")

    assert (question.startswith(ASKED), f"{STILL} (2 lines)." in question) == (True, True)
    assert counted(pen) == [HOLD, SAIL]
    told(pen, answer)
    assert counted(pen) == orders


def test_what_is_unclear_is_asked_again_in_its_own_words(pen: Desk) -> None:
    """YES is no answer to "or", and the mail that asks again says which words are."""
    told(pen, "Burn the mill.")

    assert "Your answer to the question whether your mail counts instead of your orders or besides was not" in told(
        pen, "YES"
    )
    assert pen.last(ANN)["Subject"].startswith("[pen1] not done: reply REPLACE or ADD ")


def test_a_frame_is_never_asked_about(pen: Desk) -> None:
    """Between ORDERS and END anything replaces the sheet."""
    told(pen, "ORDERS pen1 red\nBurn it.\nEND")

    assert counted(pen) == ["Burn it."]


LIST = {"List-Id": "<club.example.org>", "Precedence": "list"}


def test_words_that_came_through_a_list_are_asked_about(pen: Desk) -> None:
    """Signs of bulk mail stop the answer, not the sheet: free words with a code count if their sender says so."""
    words_sent = f"{HOLD}\nThe fleet stays in the harbour."
    pen.post(words_sent, to=pen.last(ANN)["Reply-To"], headers=LIST)
    pen.tick(hours=1)
    asked = words(pen.last(ANN))

    assert counted(pen) == [HOLD, SAIL]
    assert ("This came as mail of a list" in asked, STILL in asked, HOLD in asked) == (True, True, True)
    told(pen, "YES")
    assert counted(pen) == words_sent.split("\n")


def test_small_talk_that_came_through_a_list_has_no_answer(pen: Desk) -> None:
    """Nothing but a warning to the GM comes of small talk with signs of bulk mail."""
    before = len(pen.mails(ANN))
    pen.post("Thanks, got it", to=pen.last(ANN)["Reply-To"], headers=LIST)
    pen.tick(hours=1)

    assert len(pen.mails(ANN)) == before
    assert pen.last("gm@example.org")["Subject"].startswith("[pen1] bulk mail without orders for red")


def test_small_talk_without_a_sheet_is_no_sheet(pen: Desk) -> None:
    """Where nothing counts small talk is answered as a mail without orders, and is no sheet."""
    told(pen, "CLEAR ORDERS")

    assert "There were no orders in your mail." in told(pen, "ok, great")
    assert "Nothing has changed." in words(pen.last(ANN))


def test_wait_among_small_talk_keeps_the_orders(pen: Desk) -> None:
    """WAIT beside small talk says WAIT and nothing else."""
    assert "the orders of your sheet 1 were kept" in told(pen, "Thanks, got it\nWAIT")
    assert counted(pen) == [HOLD, SAIL]


def test_an_absence_among_free_words_is_a_command(pen: Desk) -> None:
    """ABSENT with days is no order: below WAIT, as beside orders, the answer says where the command stands."""
    told_as = "ABSENT is a command: send it as the first line of a mail of its own."

    assert told_as in told(pen, "WAIT\nABSENT until Monday")
    assert counted(pen) == [HOLD, SAIL]
    assert told_as in told(pen, "The army marches.\nABSENT 20 Dec TO 3 Jan")
    assert counted(pen) == ["The army marches."]


@pytest.mark.parametrize("line", ["ABSENT from the gate, the guard sleeps.", "Absent friends are to be toasted."])
def test_absent_with_other_words_is_an_order_in_free_words(line: str) -> None:
    """A sentence about someone who is absent stays what it is."""
    assert left(FREE, f"{SAIL}\n{line}") == [SAIL, line]


@pytest.mark.parametrize(
    "typed", ["ADD\nWHISPER blue deal", "add WHISPER blue deal", "ORDERS toy1 red\nADD\nWHISPER blue deal\nEND"]
)
def test_add_works_in_a_game_with_verbs(desk: Desk, typed: str) -> None:
    """A part of a sheet is added to what counts, and its WAIT stays."""
    desk.start()
    for text in ("BID 4\nWAIT", typed, "ADD\nBIT 5"):
        desk.reply(desk.last(), text)
        desk.answer()

    assert text_of(desk.last()).startswith("1 of 3 orders not accepted; the other 2 count")
    with desk.app.store.reading() as session:
        sheets = session.scalars(select(OrderSheet).order_by(OrderSheet.version)).all()
    assert [(len(each.orders), each.wait) for each in sheets] == [(1, True), (2, True), (2, True)]
