"""Texts with orders or commands in them: held back, shown to their writer, sent by one YES; and attacks on that."""

from __future__ import annotations

import threading
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import func, select

from pbem.actions.base import run_action
from pbem.actions.seats import GiveSeat
from pbem.backup.create import create_backup
from pbem.backup.restore import check_backup
from pbem.campaign.people import A_DAY
from pbem.config import load_settings
from pbem.inbox.command_parser import MOST_COMMANDS
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import OrderSheet, Press, Question
from tests.inbox.people import ANN, BOB, EVE, GM, words
from tests.inbox.trusting import token
from tests.toy.home import GAMES, Desk, text_of

SECRET = "cyd is weak."


@pytest.fixture
def begun(desk: Desk) -> Desk:
    """Return a desk with a campaign of three seats."""
    desk.start(seats=("red", "blue", "green"))
    return desk


def post(desk: Desk, text: str, sender: str = ANN) -> EmailMessage:
    """Post a mail and tick; return the last mail to its sender."""
    desk.post(text, sender=sender, subject="hello")
    desk.answer()
    return desk.last(sender)


def sent(desk: Desk) -> list[tuple[str, list[str]]]:
    """Return the text and the recipients of all press."""
    with desk.app.store.reading() as session:
        return [(each.text, each.recipients) for each in session.scalars(select(Press).order_by(Press.id))]


def orders(desk: Desk) -> list[list[dict[str, object]]]:
    """Return the orders of all sheets."""
    with desk.app.store.reading() as session:
        return [each.orders for each in session.scalars(select(OrderSheet).order_by(OrderSheet.version))]


def told(desk: Desk, address: str) -> str:
    """Return the text of all mail to an address."""
    return "\n".join(map(text_of, desk.mails(address)))


@pytest.mark.parametrize("end", ["END", "endpress", "End Press.", "endbroadcast", "SIGNOFF"])
def test_an_end_word_ends_a_text_and_orders_below_it_count(begun: Desk, end: str) -> None:
    """What players of judges write: the words go to their reader, the orders are taken, and no line goes astray."""
    post(begun, f"PRESS TO blue\nHello Bob, {SECRET}\n{end}\nBID 3\nsignoff")

    assert sent(begun) == [(f"Hello Bob, {SECRET}", ["blue"])]
    assert orders(begun) == [[{"order": "bid", "coins": 3}]]
    assert "BID" not in told(begun, BOB).partition("message from red")[2]


@pytest.mark.parametrize("between", ["", "\n", "\nThanks, Ann\n\n"])
def test_orders_at_the_foot_of_a_text_hold_it(begun: Desk, between: str) -> None:
    """Without an END nothing is sent; the orders count, and the receipt says where they stood."""
    offer = post(begun, f"PRESS TO blue\nHello Bob, {SECRET}{between}\nBID 3")

    assert "NOT sent: reply YES" in offer["Subject"]
    assert (sent(begun), len(orders(begun))) == ([], 1)
    receipt = words(begun.mails(ANN)[-2])
    assert 'Read as orders, as they stand in a text of yours that was not sent: "BID 3"' in receipt
    assert SECRET not in told(begun, BOB)


def test_a_yes_sends_what_was_shown(begun: Desk) -> None:
    """The copy says what goes to whom, and exactly that goes; the orders are not among it."""
    offer = post(begun, f"PRESS TO blue\nHello Bob, {SECRET}\n\nBID 3")
    assert f"These lines held it: | BID 3 PRESS TO blue | Hello Bob, {SECRET} TO SEND IT" in words(offer)
    begun.reply(offer, "YES")
    begun.answer()

    assert sent(begun) == [(f"Hello Bob, {SECRET}", ["blue"])]
    assert len(orders(begun)) == 1


def test_a_second_heading_holds_both_texts(begun: Desk) -> None:
    """A forgotten END gives no one another's words: each text is shown to its writer with its own readers."""
    offer = post(begun, "PRESS TO blue\nHello.\n\nPRESS TO green\nSecret: blue is weak.\nASK GM\nWho leads?")
    assert (sent(begun), "Who leads?" in told(begun, GM)) == ([], False)
    begun.reply(offer, "YES")
    begun.answer()

    assert sent(begun) == [("Hello.", ["blue"]), ("Secret: blue is weak.", ["green"])]
    assert "| Who leads?" in text_of(begun.last(GM))
    assert "weak" not in told(begun, BOB)


def test_texts_with_an_end_go_to_their_own_readers(begun: Desk) -> None:
    """Several texts in one mail are sent at once, each to its readers."""
    post(begun, "PRESS TO blue\nHello.\nEND\nPRESS TO green\nblue is weak.\nendpress\n\nASK GM\nWho leads?\nEND")

    assert sent(begun) == [("Hello.", ["blue"]), ("blue is weak.", ["green"])]
    assert "| Who leads?" in text_of(begun.last(GM))


@pytest.mark.parametrize("heading", ["PRESS TO grene", "PRESS green", "PRESS TO nobody", "Write to green:"])
def test_a_heading_with_a_slip_leaks_nothing(begun: Desk, heading: str) -> None:
    """A second heading with an unknown seat, or without TO, holds the text above it."""
    post(begun, f"PRESS TO blue\nHello.\n{heading}\n{SECRET}")

    assert sent(begun) == []
    assert SECRET not in told(begun, BOB)


def test_a_part_that_cannot_be_sent_is_named(begun: Desk) -> None:
    """The copy says which part never goes, and YES sends the others alone."""
    offer = post(begun, f"PRESS TO blue\nHello.\nPRESS TO nobody\n{SECRET}")
    assert f'PRESS TO nobody: never sent | {SECRET} Toy1 has no seat "nobody"' in words(offer)
    begun.reply(offer, "YES")
    begun.answer()

    assert sent(begun) == [("Hello.", ["blue"])]


def test_orders_amid_words_replace_none_that_count(begun: Desk) -> None:
    """An order between words may be a quotation: the sheet that counts stays, and the copy says so."""
    post(begun, "ORDERS toy1 red\nBID 5\nEND")
    offer = post(begun, "PRESS TO blue\nI have ordered\nBID 3\nand what about you?")

    assert 'Not read as orders, since your orders before still count: "BID 3"' in words(offer)
    assert (len(orders(begun)), sent(begun)) == (1, [])


def test_a_quoted_order_is_talk(begun: Desk) -> None:
    """An order in quotation marks is sent as it stands, and so is a quoted END."""
    post(begun, 'PRESS TO blue\nI wrote\n"BID 3"\n"END"\nand you?')

    assert sent(begun) == [('I wrote\n"BID 3"\n"END"\nand you?', ["blue"])]


def test_a_quotation_ends_no_text(begun: Desk) -> None:
    """An END in what a mail program quotes is not the writer's, and nothing below it is read."""
    post(begun, "PRESS TO blue\nHello.\n> END\n> BID 9\n> PRESS TO green")

    assert (sent(begun), orders(begun)) == ([("Hello.", ["blue"])], [])


@pytest.mark.parametrize("typed", ["NO", "Yes, but not the last line", "Why?", "ok then, if you must", ""])
def test_what_is_no_yes_sends_nothing(begun: Desk, typed: str) -> None:
    """Only the plain word sends a text."""
    offer = post(begun, f"PRESS TO blue\n{SECRET}\nBID 3")
    begun.reply(offer, typed)
    begun.answer()

    assert sent(begun) == []


def test_a_yes_counts_once(begun: Desk) -> None:
    """A second YES sends nothing."""
    offer = post(begun, f"PRESS TO blue\n{SECRET}\nBID 3")
    for typed in ("YES", "yes"):
        begun.reply(offer, typed)
        begun.answer()

    assert len(sent(begun)) == 1
    assert "You have answered the question whether to send your words before" in words(begun.last(ANN))


def test_two_answers_at_the_same_time_send_it_once(begun: Desk) -> None:
    """Two processes that read a YES each send the text once."""
    offer = post(begun, f"PRESS TO blue\n{SECRET}\nBID 3")
    begun.reply(offer, "YES")
    begun.reply(offer, "yes")
    fetch_messages(begun.app.store, open_mailbox(begun.app.settings), begun.now)
    both = [threading.Thread(target=process_messages, args=(begun.app, begun.now)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()

    assert len(sent(begun)) == 1


def test_a_yes_after_the_turn_sends_the_words_and_no_orders(begun: Desk) -> None:
    """The words go out also when the turn has run; the orders counted for the turn in which they were sent."""
    offer = post(begun, f"PRESS TO blue\n{SECRET}\nBID 3")
    begun.tick(hours=24 * 5)
    begun.reply(offer, "YES")
    begun.answer()

    assert (len(sent(begun)), len(orders(begun))) == (1, 1)


def test_a_yes_of_a_former_player_sends_nothing(begun: Desk) -> None:
    """The offer speaks for the person who was asked, as long as they play the seat."""
    offer = post(begun, f"PRESS TO blue\n{SECRET}\nBID 3")
    run_action(begun.app, "toy1", GiveSeat("red", EVE), begun.now)
    begun.reply(offer, "YES")
    begun.answer()

    assert sent(begun) == []


def test_an_old_offer_sends_nothing(begun: Desk) -> None:
    """After two weeks the code is worth nothing."""
    offer = post(begun, f"PRESS TO blue\n{SECRET}\nBID 3")
    begun.reply(offer, "YES")
    begun.tick(hours=24 * 15)

    assert sent(begun) == []


def test_a_hundred_headings_send_nothing_by_themselves(begun: Desk) -> None:
    """They are held; so many are shown as there may be commands in a mail, and the others are named as never sent."""
    offer = post(begun, "\n".join(f"PRESS TO blue\nWord {number}" for number in range(100)))
    assert sent(begun) == []
    assert "Never sent, as only 20 texts of a mail are read" in words(offer)
    begun.reply(offer, "YES")
    begun.answer()

    assert len(sent(begun)) == MOST_COMMANDS


def test_so_many_offers_a_day_at_most(begun: Desk) -> None:
    """Afterwards the writer is told that nothing was sent."""
    for _ in range(A_DAY):
        post(begun, "PRESS TO blue\nHello.\nSTATUS")

    assert f"You were asked {A_DAY} times today" in words(post(begun, "PRESS TO blue\nHello.\nSTATUS"))
    assert sent(begun) == []


def test_keys_are_masked_in_what_is_shown_and_kept(begun: Desk) -> None:
    """A key in a held text is in no mail."""
    key = token(begun)
    offer = post(begun, f"PRESS TO blue\nMy token is {key}\nORDERS toy1 red {key}\nBID 3")
    begun.reply(offer, "YES")
    begun.answer()

    assert not any(key in text_of(mail) for mail in begun.mails()[3:])


def test_a_question_is_held_too(begun: Desk) -> None:
    """ASK GM keeps to the same rule."""
    post(begun, "ASK GM\nMay I?\nBID 3")

    with begun.app.store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Question)) == 0
    assert len(orders(begun)) == 1


def test_a_stranger_in_a_players_name_is_asked_first(desk: Desk) -> None:
    """Where a From proves nothing, neither words nor orders count before its owner has said whose they are."""
    desk.start(seats=("red", "blue", "green"), rules={"authentication": "confirm"})
    asked = post(desk, f"PRESS TO blue\n{SECRET}\nBID 3")
    assert ("did you send this" in asked["Subject"], sent(desk), orders(desk)) == (True, [], [])
    desk.reply(asked, "YES")
    desk.answer()

    assert (sent(desk), len(orders(desk))) == ([], 1)
    assert "NOT sent: reply YES" in desk.last(ANN)["Subject"]


def test_press_that_is_off_is_refused_and_the_orders_count(desk: Desk) -> None:
    """Where no part can be sent no question is asked; the answer says why."""
    desk.start(seats=("red", "blue", "green"), rules={"press": "off"})

    assert "there is no press in toy1" in words(post(desk, "PRESS TO blue\nHello.\nBID 3")).lower()
    assert len(orders(desk)) == 1


def test_an_offer_is_kept_by_a_backup(begun: Desk, tmp_path: Path) -> None:
    """A backup made while a text waits for its YES is sound."""
    post(begun, f"PRESS TO blue\n{SECRET}\nBID 3")
    file = create_backup(load_settings(begun.home), tmp_path / "kept.zip", begun.now).path
    checked = check_backup(file, begun.now, GAMES)

    assert (checked.problems, checked.unknown) == ((), ())
