"""What one sender may have done in a day, and what guessing at keys comes to."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import select

from pbem.store.models import Act, Letter, Sheet
from tests.desk.trusting import ANN, BOB, EVE, SHEET, believing, code, stamp, token, told
from tests.toy.home import Desk, text_of

WRONG = "ORDERS toy1 red {key}\nBID 3\nEND"
LOCKED = "Too many wrong tokens were tried for your seat red"


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.begin()
    desk.tick()


def guess(desk: Desk, times: int) -> None:
    """Has strangers try wrong tokens for the red seat."""
    for number in range(times):
        desk.post(WRONG.format(key=f"{number:020x}"), sender=f"eve{number}@example.net")
    desk.tick()


def sheets(desk: Desk) -> int:
    """How many sheets were kept."""
    with desk.house.store.reading() as session:
        return len(session.scalars(select(Sheet.id)).all())


def test_ten_wrong_tokens_lock_the_token_for_other_addresses(desk: Desk) -> None:
    """The right one is not taken from elsewhere any more that day, and its player is told why."""
    guess(desk, 10)
    desk.post(WRONG.format(key=token(desk)), sender=EVE)
    answers = told(desk)

    assert answers.keys() == {ANN}
    assert LOCKED in answers[ANN]
    assert sheets(desk) == 0


def test_nine_wrong_tokens_lock_nothing(desk: Desk) -> None:
    """Whoever mistypes a token now and then is not shut out."""
    guess(desk, 9)
    desk.post(WRONG.format(key=token(desk)), sender=EVE)

    assert told(desk)[ANN].startswith("Sheet 1 taken")


def test_a_locked_seat_is_still_played(desk: Desk) -> None:
    """From its own address with the token, and by reply from anywhere, sheets are taken as always."""
    guess(desk, 10)
    desk.post(WRONG.format(key=token(desk)))
    desk.post("BID 4", sender=EVE, to=f"orders+{code(desk)}@example.org")
    desk.tick()

    assert sheets(desk) == 2


def test_a_lock_ends_with_the_day(desk: Desk) -> None:
    """On the next day the token is good again from everywhere."""
    guess(desk, 10)
    desk.tick(hours=24)
    desk.post(WRONG.format(key=token(desk)), sender=EVE)

    assert told(desk)[ANN].startswith("Sheet 1 taken")


def test_the_player_is_told_of_a_lock_once(desk: Desk) -> None:
    """However many more wrong tokens come."""
    guess(desk, 30)

    assert len([mail for mail in desk.mails(ANN) if LOCKED in " ".join(text_of(mail).split())]) == 1


def test_one_seat_locked_leaves_the_others(desk: Desk) -> None:
    """Guessing at one seat's token shuts nobody else out."""
    guess(desk, 10)
    desk.post(f"ORDERS toy1 blue {token(desk, BOB)}\nBID 3\nEND", sender=EVE)

    assert told(desk)[BOB].startswith("Sheet 1 taken")


def test_guesses_stand_in_the_gms_journal_alone(desk: Desk) -> None:
    """The GM can see from where they came, ten a day at most. Players do not read of them; no key is told."""
    guess(desk, 12)

    with desk.house.store.reading() as session:
        acts = session.execute(select(Act.text, Act.secret).where(Act.text.contains("wrong key"))).all()
    assert len(acts) == 10
    assert all(act.secret for act in acts)
    assert acts[0].text == "a wrong key was tried for the seat red, by eve0@example.net"


@pytest.mark.parametrize("key", ["", "TOKEN", "please"])
def test_a_word_that_cannot_be_a_key_is_no_guess(desk: Desk, key: str) -> None:
    """Whoever leaves the word TOKEN standing locks nothing."""
    for number in range(12):
        desk.post(WRONG.format(key=key), sender=f"eve{number}@example.net")
    desk.tick()
    desk.post(WRONG.format(key=token(desk)), sender=EVE)

    assert told(desk)[ANN].startswith("Sheet 1 taken")


def flood(desk: Desk, number: int, sender: str = EVE) -> None:
    """Puts many letters of one sender into the database, as a mailbox full of them would."""
    with desk.house.store.writing() as session:
        for each in range(number):
            raw = f"From: {sender}\r\nMessage-ID: <flood{each}@x>\r\n\r\nhello {each}\r\n".encode()
            name = f"{sender} {desk.now} {each}"
            session.add(Letter(mailbox="x", uid_validity="", uid=name, sha256=name, received_at=desk.now, raw=raw))


def test_forged_letters_shut_nobody_out(desk: Desk) -> None:
    """However many come in a player's name, what his mail server vouches for is read, where servers are believed."""
    believing(desk)
    flood(desk, 203, ANN)
    desk.post(SHEET, headers=stamp("pass"))

    assert "Sheet 1 taken" in told(desk)[ANN]


def states(desk: Desk) -> list[str]:
    """The states of all letters, in the order in which they came."""
    with desk.house.store.reading() as session:
        return list(session.scalars(select(Letter.state).order_by(Letter.id)))


def test_two_hundred_letters_a_day_are_dealt_with(desk: Desk) -> None:
    """What one sender mails beyond that is kept, and done nothing about; others are served as always."""
    flood(desk, 203)
    desk.now += dt.timedelta(minutes=1)
    desk.post("ORDERS toy1 red\nBID 3\nEND")
    answers = told(desk)

    assert states(desk) == ["done"] * 200 + ["quarantined"] * 3 + ["done"]
    assert answers[ANN].startswith("Sheet 1 taken")


def test_letters_of_earlier_ticks_count(desk: Desk) -> None:
    """A sender who mails a few at a time has no more done than one who mails all at once."""
    for _ in range(3):
        flood(desk, 90)
        desk.tick(hours=1)

    assert states(desk).count("quarantined") == 70


def test_another_day_is_another_two_hundred(desk: Desk) -> None:
    """The limit is that of a day, and a letter left alone can be tried again after it."""
    flood(desk, 201)
    desk.tick()
    flood(desk, 1, sender=BOB)
    desk.tick(hours=25)
    flood(desk, 10)
    desk.tick()

    assert states(desk).count("quarantined") == 1


def test_a_letter_left_alone_says_why(desk: Desk) -> None:
    """Whoever runs the house reads it in the list of letters."""
    flood(desk, 201)
    desk.tick()

    with desk.house.store.reading() as session:
        note = session.scalars(select(Letter.note).where(Letter.state == "quarantined")).one()
    assert note.startswith(f"not dealt with: more than 200 letters came from {EVE} that day")
