"""A GM replies to any mail of the program with a command: no frame, no token, as far as the reply proves it."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.settings import ChangeGm, mail_gm_token
from pbem.campaign.snapshot import Context, load_campaign
from pbem.inbox.gm_lines import read_command
from pbem.store.models import Campaign, InboxMessage
from pbem.store.types import HoldKind
from tests.inbox.gms import framed
from tests.inbox.trusting import believing, stamp
from tests.toy.home import Desk, text_of

GM, ANN, BOB, EVE = "gm@example.org", "ann@example.org", "bob@example.org", "eve@example.net"


def reply(desk: Desk, mail: EmailMessage, text: str, **changes: str) -> str:
    """Answer a mail as the GM, unless another is named; return the newest mail to the GM, its lines joined."""
    desk.reply(mail, text, **{"sender": GM, **changes})
    desk.answer()
    return " ".join(text_of(desk.last(GM)).split())


def is_held(desk: Desk) -> bool:
    """Return True if the campaign is on hold."""
    with desk.app.store.reading() as session:
        return session.scalar(select(Campaign.hold_kind)) != HoldKind.NONE


def last_note(desk: Desk) -> str:
    """Return the note on the newest message."""
    with desk.app.store.reading() as session:
        return session.scalars(select(InboxMessage.note).order_by(InboxMessage.id)).all()[-1]


def done(desk: Desk) -> EmailMessage:
    """Return a Done."""
    return framed(desk, "DEADLINE 2d")


def not_done(desk: Desk) -> EmailMessage:
    """Return a Not done."""
    return framed(desk, "PAUSE pink")


def offer(desk: Desk) -> EmailMessage:
    """Return an offer."""
    return framed(desk, "REMOVE red")


def helped(desk: Desk) -> EmailMessage:
    """Return the list of commands."""
    return framed(desk, "HELP")


def question(desk: Desk) -> EmailMessage:
    """Return the mail with a player's question."""
    desk.post("PLAYER toy1 red\nASK GM\nMay ships dock?\nEND", sender=ANN)
    desk.answer()
    return desk.last(GM)


MAILS = (done, not_done, offer, helped, question)


@pytest.mark.parametrize("above", ["", "Here is my sheet:\n", "Thanks!\n\n"])
def test_a_gm_who_plays_sends_a_sheet_in_reply_to_a_mail_for_the_gm(running: Desk, above: str) -> None:
    """A framed sheet without key is a sheet, proved as any other mail from that address."""
    run_action(running.app, "toy1", ChangeGm(ANN), running.now)
    running.post("I am away until Monday.", sender=BOB, headers={"Auto-Submitted": "auto-replied"})
    running.answer()
    assert "blue may be away" in running.last(ANN)["Subject"]
    running.reply(running.last(ANN), f"{above}ORDERS toy1 red\nBID 3\nEND")
    running.answer()

    assert running.last(ANN)["Subject"].startswith("[toy1] orders in: 1 of 1, round 1")


@pytest.mark.parametrize("kind", MAILS)
def test_each_kind_of_mail_takes_commands(running: Desk, kind) -> None:  # type: ignore[no-untyped-def]
    """A command that shows, and one that can be undone, are done in reply to any mail for the GM."""
    mail = kind(running)

    assert "DONE: STATUS." in reply(running, mail, "STATUS")
    assert "DONE: HOLD." in reply(running, mail, "HOLD\n\nBest regards\nJo")
    assert is_held(running)


def test_undo_takes_back_what_was_done(running: Desk) -> None:
    """UNDO in reply to the Done is all that it takes, in small letters too; it asks once players were told."""
    mail = framed(running, "SET late-list=players")
    assert "DONE: UNDO." in reply(running, mail, "Undo")

    assert "WOULD DO: UNDO." in reply(running, framed(running, "HOLD"), "UNDO")
    assert "DONE: UNDO" in reply(running, running.last(GM), "Yes")
    assert not is_held(running)


@pytest.mark.parametrize("text", ["thanks a lot, that was quick", "Hold on, I have to think", "Run is fine for me"])
def test_words_are_told_to_be_none(running: Desk, text: str) -> None:
    """Words do nothing, and the answer says which line is no command and how one is sent."""
    told = reply(running, done(running), text)

    assert running.last(GM)["Subject"].startswith("[toy1] Not done: no command in it")
    assert f"Nothing was done. The first line is no command: '{text}'." in told
    assert "Commands go without token in a reply to any mail of mine. HELP lists them." in told
    assert not is_held(running)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("who has not sent orders yet?", "STATUS"),
        ("Who is missing?", "STATUS"),
        ("Hi,\n\nhas everyone sent their moves?\n\nThanks\nJo", "STATUS"),
        ("Is red's sheet in", "STATUS"),
        ("When is the turn due?", "STATUS"),
        ("what did blue order?", "SHEETS"),
        ("Please give them two more days", "DEADLINE 24h"),
        ("could you run the turn now?", "RUN"),
        ("I have to stop the game for a while", "HOLD"),
        ("How do I kick out a player?", "OPEN"),
        ("who is winning?", "PREVIEW"),
    ],
)
def test_a_question_is_told_the_line_to_send(running: Desk, question: str, line: str) -> None:
    """In a reply and in a mail that answers none, for what a command does; nothing is done."""
    told = reply(running, done(running), question)
    running.post(question, sender=GM)
    running.answer()

    for text in (told, " ".join(text_of(running.last(GM)).split())):
        assert f"'. {line} " in text
        assert read_command(line) is not None or line == "OPEN"
    assert not is_held(running)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "lines", ["ROLL 3d6 ann storms the gate", "RUN", "RUN YES", "ANNOUNCE\nBeware.", "INVITE eve@example.net", "TOKEN"]
)
def test_what_cannot_be_undone_is_shown_first(running: Desk, lines: str) -> None:
    """What UNDO does not take back, and all words to people, wait for a YES; it does them."""
    mail, before = done(running), len(running.mails())
    told = reply(running, mail, lines)
    assert "WOULD DO:" in told
    assert "3d6: " not in told
    assert [each["To"] for each in running.mails()[before:]] == [GM]

    reply(running, running.last(GM), "YES")
    assert any("Done: " in each["Subject"] for each in running.mails(GM)[-3:])


@pytest.mark.parametrize("kind", [done, offer, helped])
def test_another_address_can_only_look(running: Desk, kind) -> None:  # type: ignore[no-untyped-def]
    """Of a notice that was passed on, the code shows things to the GM alone, and changes nothing; the GM is warned."""
    mail = kind(running)
    assert "DONE: STATUS." in reply(running, mail, "STATUS", sender=EVE)
    assert running.mails(EVE) == []

    told = reply(running, mail, "HOLD", sender=EVE)
    assert "answered a mail to you as the GM of toy1" in told
    assert not is_held(running)


def test_a_forged_sender_can_only_look(running: Desk) -> None:
    """The GM's address counts for nothing when the receiving server calls it forged."""
    believing(running)
    mail = done(running)
    headers = {"In-Reply-To": mail["Message-ID"], **stamp("fail")}
    running.post("HOLD", sender=GM, to=mail["Reply-To"], headers=headers)
    running.answer()

    assert not is_held(running)


def test_a_former_gm_can_do_nothing(running: Desk) -> None:
    """Mails to a former GM take no commands."""
    mail = done(running)
    run_action(running.app, "toy1", ChangeGm("new@example.org"), running.now)
    running.reply(mail, "HOLD", sender=GM)
    running.answer()

    assert not is_held(running)


@pytest.mark.parametrize("kind", [offer, question])
@pytest.mark.parametrize("text", ["HOLD", "Some words"])
def test_a_mail_to_a_former_gm_proves_nothing(running: Desk, kind, text: str) -> None:  # type: ignore[no-untyped-def]
    """Who has the mails of a former GM, and writes in the name of the new one, can hold nothing and tell nobody."""
    mail = kind(running)
    run_action(running.app, "toy1", ChangeGm("new@example.org"), running.now)
    running.tick()
    before = len(running.mails())
    running.reply(mail, text, sender="new@example.org")
    running.answer()

    assert not is_held(running)
    assert {each["To"] for each in running.mails()[before:]} == {"new@example.org"}


@pytest.mark.parametrize("kind", [offer, question])
def test_an_old_mail_proves_nothing(running: Desk, kind) -> None:  # type: ignore[no-untyped-def]
    """The code of an offer or a question is good for commands as long as that of any other mail."""
    mail = kind(running)
    running.tick(hours=40 * 24)

    assert "WOULD DO: HOLD." in reply(running, mail, "HOLD")


def test_a_sheet_in_reply_to_a_mail_for_the_gm_counts(running: Desk) -> None:
    """A player's ORDERS line beside the code of a mail that the GM has passed on is a sheet, and gets its receipt."""
    running.reply(done(running), "ORDERS toy1 red\nBID 3\nEND", sender=ANN)
    running.answer()

    assert "BID 3" in text_of(running.last(ANN))


@pytest.mark.parametrize("looks", ["JOURNAL", "ROLLS"])
def test_dice_that_wait_for_a_yes_are_not_seen(running: Desk, looks: str) -> None:
    """A command that shows things, behind a roll that was undone, does not show the roll."""
    assert '"x": ' not in reply(running, done(running), f"ROLL 3d6 x\n{looks}")
    assert '"x": ' in reply(running, running.last(GM), "YES")


@pytest.mark.parametrize("text", ["STATUS", "HOLD back on Monday"])
def test_without_a_code_all_is_offered(running: Desk, text: str) -> None:
    """A fresh mail from the GM's address may be forged: nothing is done before a YES to what it would do."""
    running.post(text, sender=GM)
    running.answer()
    assert "(reply YES)" in running.last(GM)["Subject"]
    assert not is_held(running)

    assert "DONE: " in reply(running, running.last(GM), "YES")


def test_offers_without_a_code_are_limited(running: Desk) -> None:
    """Forged mails cannot fill the mailbox of a GM, nor the table of requests."""
    for number in range(30):
        running.post(f"HOLD reason {number}", sender=GM)
        running.answer()

    assert len([mail for mail in running.mails(GM) if "hold" in mail["Subject"]]) <= 20
    with running.app.store.reading() as session:
        assert load_campaign(session, "toy1").held == ""


@pytest.mark.parametrize(
    "text", ["ORDERS toy1 red\nBID 3\nEND", "GM toy1 wrong\nHOLD\nEND", "> HOLD\n", "HOLD? " * 9_000, "SET\n" * 5_000]
)
def test_hostile_replies_do_nothing(running: Desk, text: str) -> None:
    """Frames without proof, quotations and floods of words in a reply change nothing, and stop nothing."""
    reply(running, done(running), text)

    assert "quarantined" not in last_note(running)
    assert not is_held(running)


def test_a_question_is_answered_in_words_that_begin_like_a_command(running: Desk) -> None:
    """Only capitals make a command of a reply to a question; all else is for the player."""
    reply(running, question(running), "Hold your fire.")

    assert not is_held(running)
    assert "Hold your fire." in text_of(running.last(ANN))


def test_a_text_below_a_command_needs_no_frame(running: Desk) -> None:
    """Order lines below SHEET are entered by a plain reply, and what stands there of the GM's mail program is not."""
    told = reply(running, done(running), "SHEET red\nBID 2\n\n> DONE: DEADLINE 2d.\n> To take it back: UNDO.")

    assert "DONE: SHEET red." in told
    assert "counts BID 2" in reply(running, running.last(GM), "sheet red")


def test_two_replies_at_once_are_done_in_turn(running: Desk) -> None:
    """Two commands that come together are both done, each in a mail of its own."""
    mail = done(running)
    running.reply(mail, "PAUSE red", sender=GM)
    running.reply(mail, "PAUSE blue", sender=GM)
    running.answer()

    assert [each["Subject"].partition("] ")[2].partition(" [")[0] for each in running.mails(GM)[-2:]] == [
        "Done: pause seat red",
        "Done: pause seat blue",
    ]


def test_a_held_turn_is_given_time_by_a_reply_as_its_mail_says(desk: Desk) -> None:
    """The mail asks for no frame, and its command in a reply is done."""
    desk.start(rules={"hold": "always"})
    desk.tick(hours=24 * 7)
    mail = desk.last(GM)

    assert "RELEASE, DEADLINE 2d and STATUS, each in a reply to this mail." in " ".join(text_of(mail).split())
    assert is_held(desk)
    reply(desk, mail, "DEADLINE 2d")
    assert not is_held(desk)


def test_the_mail_with_a_token_is_answered_with_a_command(running: Desk) -> None:
    """It says that a reply needs no frame, and a reply to it is done."""
    with running.app.store.writing() as session:
        mail_gm_token(Context(session, running.app, load_campaign(session, "toy1"), running.now))
    running.tick()
    mail = running.last(GM)

    assert "reply to any mail about it with a command" in " ".join(text_of(mail).split())
    reply(running, mail, "HOLD snow")
    assert is_held(running)
