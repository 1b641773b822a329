"""Plain replies to press: offered to be sent on, sent by one YES, and nothing else; and attacks on that."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import func, select

from pbem.actions.base import run_action
from pbem.actions.press import Announce
from pbem.actions.seats import GiveSeat, OpenSeat, RemoveSeat
from pbem.campaign.people import A_DAY
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import OrderSheet, Press
from pbem.util import MASK
from tests.inbox.people import ANN, BOB, CYD, EVE, GM, ask, words
from tests.inbox.trusting import token
from tests.toy.home import Desk, open_desk, text_of

WORDS = "Yes, let us.\nBID 3"


@pytest.fixture
def begun(desk: Desk) -> Desk:
    """Return a desk with a campaign of three seats whose press may be unsigned."""
    desk.start(seats=("red", "blue", "green"), rules={"press": "anonymous"})
    return desk


def press_for_blue(desk: Desk, line: str = "PRESS TO blue") -> EmailMessage:
    """Have Ann write press, and return the mail that Bob got."""
    desk.post(f"{line}\nShall we?", sender=ANN)
    desk.answer()
    desk.tick(hours=1)
    return [mail for mail in desk.mails(BOB) if re.search("message from|anonymous message", mail["Subject"])][-1]


def reply(desk: Desk, mail: EmailMessage, text: str = WORDS, **changes: str) -> EmailMessage:
    """Answer a mail, tick, and return the last mail to Bob."""
    desk.reply(mail, text, **changes)
    desk.answer()
    return desk.last(BOB)


def written(desk: Desk) -> list[tuple[str, list[str]]]:
    """Return the text and the recipients of all press."""
    with desk.app.store.reading() as session:
        return [(each.text, each.recipients) for each in session.scalars(select(Press).order_by(Press.id))]


def test_a_reply_is_offered_and_sent_by_yes(begun: Desk) -> None:
    """It is said not to be sent; YES sends it to the writer as signed press, and no line of it is an order."""
    offer = reply(begun, press_for_blue(begun))
    assert "not sent: reply YES to send it to red" in offer["Subject"]
    assert "This has not been sent" in text_of(offer)
    assert len(written(begun)) == 1

    assert "Your message, signed blue, goes by mail at once to red." in words(reply(begun, offer, "YES"))
    assert text_of(begun.last(ANN)).startswith(
        "Message from blue\nToy Auction · toy1 · to red\n\n| Yes, let us.\n| BID 3\n\n"
    )
    with begun.app.store.reading() as session:
        assert session.scalars(select(func.count()).select_from(OrderSheet)).one() == 0


def test_a_yes_without_the_code_is_known_by_the_mail_that_it_answers(begun: Desk) -> None:
    """A program may drop the plus-address and shorten the subject: the offer is found by its Message-ID."""
    offer = reply(begun, press_for_blue(begun))

    said = reply(begun, offer, "YES", to="orders@example.org", subject="Re: your reply")
    assert "Your message, signed blue, goes by mail at once to red." in words(said)


def test_a_second_yes_sends_nothing(begun: Desk) -> None:
    """The code of an offer is good once."""
    offer = reply(begun, press_for_blue(begun))
    reply(begun, offer, "YES")

    assert "You have answered the question whether to send your reply on before" in words(
        reply(begun, offer, "yes please")
    )
    assert len(written(begun)) == 2


def test_other_words_send_nothing(begun: Desk) -> None:
    """An offer that is answered otherwise, or not, has no effect."""
    offer = reply(begun, press_for_blue(begun))
    heard = len(begun.mails(GM))
    for typed, said in {
        "But why?": "was not a plain YES or NO",
        "Yes, but not the last line": "was not a plain YES or NO",
        "No, do not.": "You said NO to the question whether to send your reply on.",
        "YES": "You said NO to the question whether to send your reply on before",
    }.items():
        assert said in words(reply(begun, offer, typed))

    assert (len(written(begun)), len(begun.mails(GM))) == (1, heard)


def test_an_unsigned_writer_gets_the_reply_and_is_not_told(begun: Desk) -> None:
    """Neither offer nor answer name the writer; a writer who has left gives the same words."""
    told = []
    for left in (False, True):
        mail = press_for_blue(begun, "UNSIGNED TO blue")
        if left:
            run_action(begun.app, "toy1", OpenSeat("red"), begun.now)
            begun.answer()
        offer = reply(begun, mail)
        answer = reply(begun, offer, "YES")
        told.append((words(offer), words(answer)))

    assert told[0] == told[1]
    assert "red" not in told[0][0].replace("answered", "") + told[0][1]
    assert written(begun)[1] == written(begun)[3] == (WORDS, ["red"])
    assert len([mail for mail in begun.mails(ANN) if "message from blue" in mail["Subject"]]) == 1


def test_a_removed_unsigned_writer_is_not_disclosed(begun: Desk) -> None:
    """The answer is the usual one, though the seat of the writer is out of the game."""
    mail = press_for_blue(begun, "UNSIGNED TO blue")
    run_action(begun.app, "toy1", RemoveSeat("red"), begun.now)
    begun.answer()

    assert "goes by mail at once to the writer" in words(reply(begun, reply(begun, mail), "YES"))


def test_a_muted_reply_is_not_mailed(begun: Desk) -> None:
    """The writer has muted the replier: nothing comes, and the replier is not told."""
    mail = press_for_blue(begun)
    ask(begun, "MUTE blue")

    assert "goes by mail at once to red" in words(reply(begun, reply(begun, mail), "YES"))
    assert not any("message from blue" in each["Subject"] for each in begun.mails(ANN))


def test_rules_that_changed_meanwhile_count(begun: Desk) -> None:
    """Press was forbidden between the offer and YES: nothing is sent, and the answer says why."""
    offer = reply(begun, press_for_blue(begun))
    begun.set_rules(press="off")

    assert "there is no press in toy1" in words(reply(begun, offer, "YES"))
    assert len(written(begun)) == 1


def test_a_seat_with_another_player_sends_nothing(begun: Desk) -> None:
    """Neither the former player's reply nor their YES speaks for the seat."""
    mail = press_for_blue(begun)
    offer = reply(begun, mail)
    run_action(begun.app, "toy1", GiveSeat("blue", EVE), begun.now)
    begun.reply(offer, "YES", sender=BOB)
    begun.reply(mail, WORDS, sender=BOB)
    begun.answer()

    assert len(written(begun)) == 1
    assert not any("not sent" in other["Subject"] for other in begun.mails(EVE))


def test_a_reply_from_elsewhere_is_offered_to_the_player(begun: Desk) -> None:
    """Whoever answers the mail, the offer goes to the seat's own address."""
    mail = press_for_blue(begun)
    before = len(begun.mails())
    reply(begun, mail, sender=CYD)

    assert [each["To"] for each in begun.mails()[before:]] == [BOB]


def test_a_reply_to_the_gm_goes_there(begun: Desk) -> None:
    """An announcement is answered by the player to the GM, who can reply to the player's address."""
    run_action(begun.app, "toy1", Announce("Snow is coming."), begun.now)
    begun.answer()
    offer = reply(begun, begun.last(BOB), "How much?")
    reply(begun, offer, "YES")

    assert "How much?" in text_of(begun.last(GM))
    assert "] question 1 from blue, " in begun.last(GM)["Subject"]


def test_keys_are_not_sent_on(begun: Desk) -> None:
    """A token in a reply is masked in the offer and in what is sent."""
    key = token(begun, BOB)
    offer = reply(begun, press_for_blue(begun), f"My token is {key}.")
    reply(begun, offer, "YES")

    assert not any(key in text_of(mail) for mail in (offer, begun.last(ANN)))
    assert MASK in text_of(begun.last(ANN))


def test_offers_are_limited(begun: Desk) -> None:
    """After ten offers in a day the answer says how to write instead."""
    mail = press_for_blue(begun)
    for number in range(A_DAY):
        reply(begun, mail, f"{WORDS} {number}")

    assert "begin a mail with the line PRESS TO red" in words(reply(begun, mail))


def test_a_text_too_long_is_refused(begun: Desk) -> None:
    """Words that press could not pass on are not offered."""
    assert "9000 characters" in words(reply(begun, press_for_blue(begun), "word " * 1799 + "words"))


@pytest.fixture
def served(postgres_url: str, tmp_path: Path) -> Iterator[Desk]:
    """Yield a home on PostgreSQL with a campaign that has begun."""
    with open_desk(tmp_path / "home", database=postgres_url) as desk:
        desk.start()
        yield desk


def test_two_yes_at_once_send_once(served: Desk) -> None:
    """Two answers YES that are processed at the same moment send one reply."""
    offer = reply(served, press_for_blue(served))
    for _ in range(2):
        served.reply(offer, "YES")
    fetch_messages(served.app.store, open_mailbox(served.app.settings), served.now)
    workers = [threading.Thread(target=process_messages, args=(served.app, served.now)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert [recipients for _, recipients in written(served)] == [["blue"], ["red"]]
