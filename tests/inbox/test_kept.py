"""Messages that anyone could have written: they are kept, their owner is asked, and one YES is enough."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pytest
from sqlalchemy import select

from pbem.campaign.house_rules import HouseRules
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import InboxMessage, OrderSheet, PendingRequest
from tests.inbox.people import QUESTION, confirm, form, insist, players, question
from tests.inbox.test_requests import Essay
from tests.inbox.trusting import (
    ANN,
    BOB,
    EVE,
    SHEET,
    believing,
    code,
    put_seat,
    stamp,
    stand_in,
    token,
    told,
    version_taken,
)
from tests.toy.home import Desk, text_of


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start(rules={"authentication": "confirm"})


def asked_about(desk: Desk, text: str = SHEET, *, sender: str = ANN, **headers: str) -> str:
    """Post a message, and return the question to its owner, on one line."""
    desk.post(text, sender=sender, headers=headers)
    return told(desk)[sender]


def quoted(desk: Desk, to: str = ANN) -> str:
    """Return what a mail program puts below an answer to the question."""
    return "On Mon, 2 Nov 2026, pbem wrote:\n" + "\n".join(
        f"> {line}" for line in text_of(question(desk, to)).split("\n")
    )


def bids(desk: Desk) -> list[str]:
    """Return the texts of the accepted sheets."""
    with desk.app.store.reading() as session:
        return [
            sheet.text
            for sheet in session.scalars(select(OrderSheet).where(OrderSheet.accepted).order_by(OrderSheet.id))
        ]


def notes(desk: Desk) -> list[str]:
    """Return the note on each message."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(InboxMessage.note).order_by(InboxMessage.id)))


def test_it_is_the_usual_rule() -> None:
    """The rule is the default, in new campaigns and in those that were running."""
    assert HouseRules.read({}).authentication == "confirm"


def test_the_question_says_what_to_do(desk: Desk) -> None:
    """The question shows the text, its sender and the seat, and says that YES is enough."""
    text = asked_about(desk)

    assert "From ann@example.org, for the seat red in toy1:" in text
    assert "| ORDERS toy1 red | BID 3 | END" in text
    assert "TO CONFIRM: reply with YES, before the turn runs." in text
    assert bids(desk) == []


@pytest.mark.parametrize("typed", ["yes", "YES\n\n{quoted}", "Yes, that was me!\n-- \nAnn\n\n{quoted}"])
def test_a_word_for_yes_counts(desk: Desk, typed: str) -> None:
    """A reply confirms if it has a word for yes, whatever it quotes."""
    asked_about(desk)
    desk.reply(question(desk, ANN), typed.format(quoted=quoted(desk)))

    assert version_taken(told(desk)[ANN]) == 1
    assert bids(desk) == ["ORDERS toy1 red\nBID 3\nEND\n"]


@pytest.mark.parametrize("typed", ["", "{quoted}", "-- \nAnn"])
def test_a_reply_with_nothing_typed_is_no_answer(desk: Desk, typed: str) -> None:
    """An empty reply, a quotation or a signature alone confirms nothing, and says so; a YES then counts."""
    asked_about(desk)
    desk.reply(question(desk, ANN), typed.format(quoted=quoted(desk)))
    assert "Your reply was empty" in told(desk)[ANN]
    assert bids(desk) == []

    desk.reply(desk.last(ANN), "YES")
    assert version_taken(told(desk)[ANN]) == 1


def test_an_original_without_marks_is_no_answer_of_its_own(desk: Desk) -> None:
    """A question quoted without marks, below a head of the mail program, is no text of the sender."""
    asked_about(desk)
    head = "From: pbem <orders@example.org>\nSent: Monday\nTo: ann@example.org\nSubject: did you send this?\n\n"
    desk.reply(question(desk, ANN), f"\n\n{head}{text_of(question(desk, ANN))}")

    assert "Your reply was empty" in told(desk)[ANN]


@pytest.mark.parametrize("way", ["to", "subject", "in_reply_to"])
def test_any_one_way_of_the_code_is_enough(desk: Desk, way: str) -> None:
    """Providers that drop plus-addresses, or programs that rewrite subjects, do no harm."""
    asked_about(desk)
    lost = {"to": "orders@example.org", "subject": "Re: your mail", "in_reply_to": "<lost@example.org>"}
    del lost[way]
    desk.reply(question(desk, ANN), "YES", **lost)

    assert version_taken(told(desk)[ANN]) == 1


@pytest.mark.parametrize("typed", ["ORDERS toy1 red\nBID 4\nEND", "BID 4", "BID 4\n\n{quoted}"])
def test_a_sheet_in_the_answer_counts_instead(desk: Desk, typed: str) -> None:
    """A sheet in the answer replaces the one that was kept."""
    asked_about(desk)
    desk.reply(question(desk, ANN), typed.format(quoted=quoted(desk)))

    assert version_taken(told(desk)[ANN]) == 1
    assert ["BID 4" in sheet for sheet in bids(desk)] == [True]
    assert notes(desk)[0].startswith("given up for message 2")


def test_a_no_ends_the_question(desk: Desk) -> None:
    """A plain no is answered, and the message never counts."""
    asked_about(desk)
    desk.reply(question(desk, ANN), "No! That was not me.")
    assert "You said NO to the question whether a mail is yours." in told(desk)[ANN]

    desk.reply(question(desk, ANN), "YES")
    assert "That was answered before" in told(desk)[ANN]
    assert bids(desk) == []
    assert notes(desk)[0].startswith("not its owner's")


def test_a_question_about_a_question_goes_to_the_gm(desk: Desk) -> None:
    """Words that ask something are passed on, and the GM's reply goes to the player."""
    asked_about(desk)
    desk.reply(question(desk, ANN), "Who is this?")

    assert "passed on to the GM, gm@example.org" in told(desk)[ANN]
    passed = desk.last("gm@example.org")
    assert (passed["Reply-To"], "| Who is this?" in text_of(passed)) == (ANN, True)


@pytest.mark.parametrize("typed", ["BID 4\nand so on", "Yes, but bid 4 instead.", "Yes if that is allowed", "not yes"])
def test_other_words_are_no_yes(desk: Desk, typed: str) -> None:
    """Neither chat nor a yes with a reservation confirms; the message still waits for a plain answer."""
    asked_about(desk)
    desk.reply(question(desk, ANN), typed)
    assert "was not a plain YES or NO" in told(desk)[ANN]
    assert bids(desk) == []

    desk.reply(question(desk, ANN), "YES")
    assert version_taken(told(desk)[ANN]) == 1


@pytest.mark.parametrize("marks", [{"Auto-Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"X-Autoreply": "yes"}])
def test_an_answering_machine_says_nothing(desk: Desk, marks: dict[str, str]) -> None:
    """Automatic answers do not confirm."""
    asked_about(desk)
    asked = question(desk, ANN)
    desk.post("", to=asked["Reply-To"], subject=f"Re: {asked['Subject']}", headers=marks)

    assert told(desk) == {}
    assert bids(desk) == []


def test_a_code_is_good_once(desk: Desk) -> None:
    """A second reply to the same question does nothing more, and says so."""
    asked_about(desk)
    for _ in range(2):
        desk.reply(question(desk, ANN), "YES")
    desk.answer()

    assert "That was answered before" in " ".join(text_of(desk.last()).split())
    assert len(bids(desk)) == 1


@pytest.mark.parametrize("text", ["PAUSE", "LEAVE", "DEPUTY eve@example.net UNTIL 2026-11-20", "PRESS TO blue\nhello"])
def test_a_code_is_good_for_its_message_alone(desk: Desk, text: str) -> None:
    """A person who was passed a question can answer it, and do nothing else with its code."""
    asked_about(desk)
    desk.reply(question(desk, ANN), text, sender=EVE)
    heard = told(desk)

    assert "paused" not in heard.get(ANN, "")
    assert players(desk)["red"] == ANN
    assert len(desk.mails(BOB)) == 2


def test_a_sheet_for_another_seat_is_no_answer(desk: Desk) -> None:
    """The code of a question to red is no proof for another seat."""
    asked_about(desk)
    desk.reply(question(desk, ANN), "ORDERS toy1 blue\nBID 1\nEND")

    assert "A mail with orders for your seat blue in toy1 came from someone else who plays here." in told(desk)[BOB]
    assert bids(desk) == []


def test_saying_it_again_is_a_yes(desk: Desk) -> None:
    """An answer that repeats the command confirms it."""
    asked_about(desk, "LEAVE")
    desk.reply(question(desk, ANN), f"LEAVE\n\n{quoted(desk)}")
    desk.answer()

    assert players(desk)["red"] == ""


def test_an_answer_after_the_turn_was_run_comes_too_late(desk: Desk) -> None:
    """A sheet for one turn counts for no other; the player is told where the game is."""
    asked_about(desk)
    asked = question(desk, ANN)
    desk.tick(hours=24 * 5)
    desk.reply(asked, "YES")

    text = told(desk)[ANN]
    assert "The turn for which you confirmed your orders has already run" in text
    assert "toy1 is at round 2 now." in text
    assert bids(desk) == []


def test_a_vote_is_for_its_turn_alone(desk: Desk) -> None:
    """EXTEND cannot be confirmed in a later turn; a pause may be confirmed in any."""
    desk.post("EXTEND\nPAUSE")
    desk.answer()
    asked = question(desk, ANN)
    desk.tick(hours=24 * 5)
    desk.reply(asked, "YES")

    text = told(desk)[ANN]
    assert "EXTEND Not done: the turn for which you asked it has been run since." in text
    assert "is paused" in text


def test_a_former_player_confirms_nothing(desk: Desk) -> None:
    """The answer of a seat's former player confirms nothing."""
    asked_about(desk)
    put_seat(desk, person_id=None, status="open")
    desk.reply(question(desk, ANN), "YES")

    assert "that is not yours any more" in told(desk)[ANN]
    assert bids(desk) == []


def test_an_address_is_asked_ten_times_a_day(desk: Desk) -> None:
    """Forged mails cause ten questions a day at most; the last one says so, and other codes still come."""
    for number in range(12):
        desk.post(f"ORDERS toy1 red\nBID {number}\nEND")
    before = len(desk.mails(ANN))
    desk.answer()
    asked = [mail for mail in desk.mails(ANN)[before:] if QUESTION.search(mail["Subject"])]

    assert len(asked) == 10
    assert ["the last such question today" in " ".join(text_of(mail).split()) for mail in asked] == [False] * 9 + [True]
    assert sum("kept; not asked about" in note for note in notes(desk)) == 2
    desk.post("ADDRESS anna@example.com")
    assert "You asked to play from anna@example.com" in told(desk)[ANN]


def test_an_address_that_is_vouched_for_counts(desk: Desk) -> None:
    """If the receiving server vouches for the sender no question is asked, and forged messages are not kept."""
    believing(desk)
    desk.post(SHEET, headers=stamp("pass"))
    assert version_taken(told(desk)[ANN]) == 1

    desk.post(SHEET, headers=stamp("fail"))
    assert "says that it did not come from there" in told(desk)[ANN]
    with desk.app.store.reading() as session:
        assert session.scalars(select(PendingRequest)).all() == []


def test_a_deputy_is_asked_at_their_own_address(desk: Desk) -> None:
    """A deputy's sheet counts once the deputy has confirmed it, and both get the receipt."""
    stand_in(desk, EVE, first=-1, last=1)
    asked_about(desk, sender=EVE)
    desk.reply(question(desk, EVE), "YES")
    heard = told(desk)

    assert heard.keys() == {ANN, EVE}
    assert all("who stands in for the seat's player" in text for text in heard.values())


def test_a_key_in_a_kept_mail_is_not_told(desk: Desk) -> None:
    """A question shows neither token nor code, as it may be passed on."""
    key = token(desk)
    desk.post(f"PLAYER toy1 red {key}\nPAUSE\nEND", sender=EVE)

    text = told(desk)[ANN]
    assert "| PLAYER toy1 red ********" in text
    assert key not in text


def test_only_so_much_of_a_mail_is_shown(desk: Desk) -> None:
    """A question shows only as much of a mail as its owner needs to recognise it."""
    text = asked_about(desk, "\n".join(["PRESS TO blue", *(f"line {number}" for number in range(40))]))

    assert "line 10 |" in text
    assert "line 11" not in text
    assert "(and more)" in text


ABOVE = "\n".join(["BID 1", *[f"; line {number}" for number in range(20)]])
"""Text of a sheet that a forger may know."""


def test_the_command_is_shown_without_the_text_above_it(desk: Desk) -> None:
    """The command is shown, so that a player does not confirm it by the look of their own sheet above it."""
    text = asked_about(desk, f"{ABOVE}\nPLAYER toy1 red\nDEPUTY eve@example.net UNTIL 2026-12-24\nEND")

    assert "It can give your seat away or speaks for you, so it is done only if you say that it is yours." in text
    assert "| DEPUTY eve@example.net UNTIL 2026-12-24 |" in text
    assert "line 1" not in text


@pytest.mark.parametrize(
    ("sheet", "counts"),
    [
        (f"{ABOVE.replace('BID 1', 'My orders:')}\nORDERS toy1 red\nBID 7\nEND", "| BID 7 |"),
        (f"{ABOVE}\nORDERS toy1 red\nBID 7\nEND", "| BID 1 |"),
    ],
    ids=["the sheet", "the orders above it"],
)
def test_the_sheet_that_would_count_is_shown(desk: Desk, sheet: str, counts: str) -> None:
    """Of several sheets in a mail, the one that would be read is shown."""
    text = asked_about(desk, sheet)

    assert counts in text
    assert ("BID 7" in text) == (counts == "| BID 7 |")


def test_a_mail_without_text_is_shown_by_its_subject(desk: Desk) -> None:
    """The question about a mail without text shows its subject."""
    desk.post("", subject="PAUSE")
    desk.answer()

    assert "| PAUSE" in text_of(question(desk, ANN))


def test_a_long_line_is_shown_in_part(desk: Desk) -> None:
    """A line without end is cut like many short ones."""
    asked_about(desk, "PRESS TO blue\n" + "word " * 150 + "\n" + "more " * 150)

    assert "word" in text_of(question(desk, ANN))
    assert text_of(question(desk, ANN)).count("more ") < 20


def test_a_place_on_a_list_is_not_given_up_for_others(desk: Desk) -> None:
    """A standby is asked before being taken off the list."""
    form(desk, "red", name="toy2", open_seats=1, signup="on")
    desk.post("JOIN toy2", sender=BOB)
    desk.answer()
    confirm(desk, BOB)
    form(desk, "red", "green", name="toy3", signup="on")
    desk.post("JOIN toy3", sender=EVE)
    desk.answer()
    confirm(desk, EVE)

    assert "A mail came with nothing to show that it is yours" in asked_about(desk, "WITHDRAW toy3", sender=EVE)
    desk.reply(question(desk, EVE), "YES")
    assert "You are off the standby list of toy3." in told(desk)[EVE]


def test_a_seat_is_not_given_up_before_the_start_without_a_question(desk: Desk) -> None:
    """Before there is a code to show, the question protects a seat."""
    form(desk, "red", "blue", name="toy2")
    asked_about(desk, "PLAYER toy2 red\nLEAVE\nEND")
    assert players(desk, "toy2")["red"] == ANN

    insist(desk, "PLAYER toy2 red\nLEAVE\nEND")
    assert players(desk, "toy2")["red"] == ""


def test_looking_up_needs_no_answer(desk: Desk) -> None:
    """Answers to queries go to the registered address at once."""
    assert "toy1 (Toy Auction), seat red" in asked_about(desk, "STATUS")
    assert asked_about(desk, "JOURNAL").startswith("Done Toy Auction · toy1 JOURNAL Mon 2 Nov")


def test_in_a_game_of_free_words_chat_is_no_sheet(desk: Desk) -> None:
    """In a game that accepts free text, only a framed sheet in the answer replaces one."""
    desk.app = dataclasses.replace(desk.app, games={"toy": Essay()})
    asked_about(desk)
    desk.reply(question(desk, ANN), "It was me, I think.")
    fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
    process_messages(desk.app, desk.now)

    assert bids(desk) == []


def test_a_sheet_with_its_code_is_not_asked_about(desk: Desk) -> None:
    """A sheet with the code of its report is taken without a question, from any address."""
    desk.post(f"ORDERS toy1 red {code(desk)}\nBID 3\nEND", sender=EVE)
    assert version_taken(told(desk)[ANN]) == 1

    desk.reply(desk.last(ANN), "BID 4")
    assert version_taken(told(desk)[ANN]) == 2


@pytest.mark.parametrize("text", ["LEAVE", "PAUSE", SHEET])
def test_a_deputy_confirms_for_himself_alone(desk: Desk, text: str) -> None:
    """A message from a deputy's address is the deputy's to confirm, with the rights at the time of the answer."""
    stand_in(desk, EVE, first=-1, last=1)
    asked_about(desk, f"PLAYER toy1 red\n{text}\nEND" if text != SHEET else text, sender=EVE)
    desk.now += dt.timedelta(days=2)
    desk.reply(question(desk, EVE), "YES")

    assert "You may send orders for red in toy1 from Sun 1 Nov, 10:00 CET to Tue 3 Nov, 10:00 CET." in told(desk)[EVE]
    assert players(desk)["red"] == ANN
    assert bids(desk) == []
