"""Mails of people who play nowhere: every one is answered with the games that they can join."""

from __future__ import annotations

import datetime as dt
import email.policy
import os
from email.message import EmailMessage
from email.parser import BytesParser
from urllib.parse import unquote

import pytest

from pbem.actions.base import run_action
from pbem.actions.seats import Invite
from pbem.actions.status import load_invited
from pbem.campaign.snapshot import load_campaign
from pbem.inbox.rate_limits import STRANGER_OF_ALL_KINDS_A_DAY
from tests.inbox.people import ANN, BOB, EVE, GM, ask, confirm, form, players, words
from tests.toy.home import Desk, prepared, text_of

OFFER = "Which game would you like to join?"

ANYTHING = {
    "a greeting": "Hello!",
    "a question": "What is this?",
    "a wish for any game": "I would like to play something by mail.",
    "nothing": "",
    "an unknown command": "SUBSCRIBE me",
    "another language": "Guten Tag, kann man hier mitspielen?",
    "status": "STATUS",
    "rules of no game": "RULES chess",
    "a campaign that is not there": "JOIN fair9",
}


@pytest.fixture
@prepared
def club(desk: Desk) -> Desk:
    """Return a home with a campaign that takes players, one that is full, and one that takes none."""
    form(desk, "red", name="toy1", open_seats=2, signup="on")
    form(desk, "red", "blue", name="toy2", signup="on")
    form(desk, "red", name="secret3", open_seats=2)
    desk.answer()
    return desk


@pytest.mark.parametrize("text", ANYTHING.values(), ids=ANYTHING.keys())
def test_whatever_a_newcomer_writes_the_open_games_are_offered(club: Desk, text: str) -> None:
    """Each game that takes players is listed with its free seats and a line to join; others are not named."""
    said = ask(club, text, EVE)

    assert OFFER in said
    assert "JOIN toy1: Toy Auction, 2 of 3 seats free. Turns: weekly; it starts when the GM starts it." in said
    assert "JOIN toy2: Toy Auction, no seat free, but a waiting list." in said
    assert "secret3" not in said


@pytest.mark.parametrize(
    "text", ["JOIN secret3", "Hello, Gina says that I can play?", "Yes, I want to play in secret3"]
)
def test_whoever_is_invited_gets_the_invitation_again(club: Desk, text: str) -> None:
    """A mail without its code brings it once more, and YES takes the seat; then status lists no invitation."""
    run_action(club.app, "secret3", Invite(EVE), club.now)
    run_action(club.app, "secret3", Invite(EVE, "blue"), club.now)
    club.answer()

    said = ask(club, text, EVE)
    club.reply(club.last(EVE), "YES", sender=EVE)
    club.answer()

    assert "gm@example.org invites you to play by mail, in secret3 as blue." in said
    assert "You play blue in secret3" in words(club.last(EVE))
    with club.app.store.reading() as session:
        assert load_invited(session, load_campaign(session, "secret3"), club.now) == ()


def test_a_newcomer_is_quoted_briefly(club: Desk) -> None:
    """Their words are quoted back, without links, addresses and keys, and not many of them."""
    text = (
        "Hello, see https://spam.example.com/x or mail spam@example.com, my key is 00112233445566778899! "
        + "word " * 99
    )

    said = ask(club, text, EVE)

    assert said.startswith('Games you can join You wrote: "Hello, see or mail my key is ********! word word')
    assert len(said.partition('"')[2].partition('"')[0]) < 130


def test_a_link_for_each_game_writes_the_mail_to_join(club: Desk) -> None:
    """Sent as it is, the mail that the link writes brings the question whether to join."""
    ask(club, "Hello", EVE)
    html = club.last(EVE).get_body(("html",))
    assert html is not None
    link = next(part for part in html.get_content().split('"') if part.startswith("mailto:"))
    address, _, fields = unquote(link.replace("&amp;", "&")).removeprefix("mailto:").partition("?")
    written = dict(field.split("=", 1) for field in fields.split("&"))

    club.post(written["body"], sender=EVE, to=address, subject=written["subject"])
    club.answer()

    assert "You asked to join toy1. Reply YES" in words(club.last(EVE))


WISHES = {
    "a sentence": ("Hello, I would like to join toy1 please", "hi"),
    "in the subject": ("Hello, I'm Bea.", "I'd like to join toy1"),
    "the subject alone": ("", "JOIN toy1"),
    "a command below a greeting in the subject": ("Greetings\n\nBea", "JOIN toy1"),
    "a question": ("Hi,\n\ncan I still join toy1?\n\nBea", "hi"),
    "sign up": ("Please sign me up for toy1.", "hi"),
    "German": ("Ich würde gern bei toy1 mitspielen", "hi"),
    "French": ("Je voudrais participer à toy1", "hi"),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "subject"), WISHES.values(), ids=WISHES.keys())
def test_a_wish_to_join_in_plain_words_is_a_join(club: Desk, text: str, subject: str) -> None:
    """A sentence with a word for joining and the name of an open game is a JOIN; YES then gives the seat."""
    assert "You asked to join toy1" in ask(club, text, EVE, subject=subject)

    club.reply(club.last(EVE), "Yes, gladly!")
    club.answer()
    assert EVE in players(club).values()


def test_a_wished_seat_is_read_in_plain_words(club: Desk) -> None:
    """The seat behind "as" is the one asked for."""
    assert "as green" in ask(club, "I would like to join toy1 as green, please.", EVE)


@pytest.mark.parametrize("text", ["I do not want to join toy1", "Is secret3 open? I would like to join secret3"])
def test_no_wish_is_no_join(club: Desk, text: str) -> None:
    """A sentence with a not, or of a game that takes no players, is answered with the open games."""
    assert OFFER in ask(club, text, EVE)


@pytest.mark.parametrize("text", ["JOIN tyo2", "I'd like to join tyo2 please"])
def test_a_misspelt_game_is_answered_with_the_nearest(club: Desk, text: str) -> None:
    """The nearest open game is named, with the line to join it."""
    said = ask(club, text, EVE)

    assert "TO JOIN: reply with JOIN toy2." in said
    assert ("No campaign called tyo2 takes players by mail now. Perhaps: toy2." in said) is text.startswith("JOIN")


def test_two_games_are_joined_by_two_lines(club: Desk) -> None:
    """Each JOIN of a mail has its own answer, with the code of its game and the words below it alone."""
    club.post("JOIN toy1\nI played it in 1989.\nJOIN toy2\n", sender="eve@example.org")
    club.answer()

    subjects = [str(mail["Subject"]) for mail in club.mails("eve@example.org")]
    assert [subject.partition("]")[0] for subject in subjects] == ["[toy1", "[toy2"]


def test_each_join_is_answered(club: Desk) -> None:
    """A second JOIN within minutes is answered as the first was, by a stranger and by a player."""
    for sender in (EVE, "zed@example.net"):
        assert "You asked to join toy1" in ask(club, "JOIN toy1", sender)
        assert "You asked to join toy1" in ask(club, "JOIN toy1", sender)
        assert "You asked to join toy2" in ask(club, "JOIN toy2", sender)
    assert "You asked to join toy2" in ask(club, "JOIN toy2", BOB) or "you play in toy2 already" in words(
        club.last(BOB)
    )


def test_a_stranger_gets_so_many_answers_a_day(club: Desk) -> None:
    """Answers of all kinds together are bounded, and the last says so."""
    for number, line in enumerate(["Hello", "HELP", "HELP JOIN", "RULES toy", "JOIN toy1", "JOIN toy2"] * 4):
        ask(club, line, EVE, subject=f"number {number}")

    last = ["This is the last answer today to mail without a code." in words(mail) for mail in club.mails(EVE)]
    assert len(last) == STRANGER_OF_ALL_KINDS_A_DAY
    assert last[-1]


def test_a_person_who_left_is_offered_games_too(club: Desk) -> None:
    """A known person without a seat is answered as a newcomer."""
    ask(club, "JOIN toy1", EVE)
    confirm(club, EVE)
    club.reply([mail for mail in club.mails(EVE) if "reply DICE and any words" in text_of(mail)][-1], "LEAVE")
    club.answer()
    club.reply(club.last(EVE), "YES")
    club.answer()

    assert EVE not in players(club).values()
    assert OFFER in ask(club, "Hello again, what is on?", EVE)


def test_a_player_who_says_hello_is_not_offered_games(club: Desk) -> None:
    """A player's mail without orders is answered as ever."""
    assert OFFER not in ask(club, "Hello!", ANN)


def test_an_invitation_tells_what_is_asked(club: Desk) -> None:
    """The invitation has the game, the seats, the pace, the GM, and what to reply."""
    run_action(club.app, "secret3", Invite(EVE), club.now)
    club.tick()
    mail, said = club.last(EVE), words(club.last(EVE))

    assert str(mail["Subject"]).startswith("gm invites you to Toy Auction: YES or NO? [")
    assert "Seats: red, blue and green, 2 free. It starts when the GM starts it." in said
    assert "Turns: one turn a week, due Fri 20:00 Europe/Berlin. GM: gm@example.org." in said
    assert "TO PLAY: reply with YES. TO DECLINE: reply with NO, or do nothing." in said
    assert "It holds until Mon 16 Nov." in said
    assert GM in said


def test_forged_wishes_carry_no_text_of_others(club: Desk) -> None:
    """A message that answers a code that is not known is not quoted."""
    club.post("Buy this", sender=EVE, to="orders+aaaaaaaaaaaaaaa2@example.org")
    club.answer()

    assert "Buy this" not in club.last(EVE).as_string()


def test_the_offer_is_one_mail_of_text_and_html(club: Desk) -> None:
    """A program reads both parts; no paragraph of the text is broken."""
    ask(club, "Hello", EVE)
    mail = BytesParser(EmailMessage, policy=email.policy.default).parsebytes(bytes(club.last(EVE)))

    assert mail.get_content_type() == "multipart/alternative"
    assert "\n\nWhich game would you like to join? You get a mail to confirm, which asks for YES.\n\n" in text_of(mail)
    assert "\n\n\n" not in text_of(mail)


@pytest.mark.parametrize(("days", "answered"), [(15, False), (13, False), (0, True)])
def test_old_mail_of_a_stranger_is_not_answered(club: Desk, days: int, answered: bool) -> None:
    """A mailbox may have been in use before: what came before the first campaign, or 14 days ago, is left alone."""
    club.post("HELP\n", sender="old.friend@example.net")
    (mail,) = (club.home / "post" / "inbox").glob("*.eml")
    came = (club.now - dt.timedelta(days=days)).timestamp()
    os.utime(mail, (came, came))
    club.answer()

    assert bool(club.mails("old.friend@example.net")) == answered
    assert not list((club.home / "post" / "inbox").glob("*.eml"))


def test_old_mail_of_a_player_is_answered(club: Desk) -> None:
    """An outage may have lasted long: who has a seat, or answers a mail, is read whenever the mail came."""
    club.post("HELP\n", sender=players(club, "toy2")["red"])
    (mail,) = (club.home / "post" / "inbox").glob("*.eml")
    came = (club.now - dt.timedelta(days=20)).timestamp()
    os.utime(mail, (came, came))
    before = len(club.mails())
    club.answer()

    assert len(club.mails()) == before + 1
