"""Press by mail: who may write what, who gets it and when, and what is disclosed to none."""

from __future__ import annotations

import datetime as dt
import re
from email.message import EmailMessage

import pytest
from sqlalchemy import func, select, update

from pbem.actions.base import run_action
from pbem.actions.press_delivery import COPIES_A_TURN, PIECES_A_TURN, ROOM_FOR_DIARIES, ROOM_IN_REPORTS
from pbem.actions.seats import GiveSeat, OpenSeat
from pbem.campaign.press import load_press
from pbem.campaign.snapshot import load_campaign
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import OrderSheet, OutgoingMail, Press, Seat
from pbem.util import MASK
from tests.inbox.people import ANSWER
from tests.inbox.trusting import TAKEN, put_seat, token
from tests.toy.home import Desk, text_of

ANN, BOB, CYD, EVE = "ann@example.org", "bob@example.org", "cyd@example.org", "eve@example.net"
THREE = ("red", "blue", "green")


def begin(desk: Desk, **rules: str) -> None:
    """Start a campaign of three seats with these house rules, and send its first mails."""
    desk.start(seats=THREE, rules=rules)


def say(desk: Desk, text: str, sender: str = ANN, *, subject: str = "hello") -> str:
    """Post a mail and tick; return the answer."""
    desk.post(text, sender=sender, subject=subject)
    desk.answer()
    return text_of(
        [mail for mail in desk.mails(sender) if re.search(f"{ANSWER.pattern}| orders in: ", mail["Subject"])][-1]
    )


def press(desk: Desk, to: str = "") -> list[EmailMessage]:
    """Return the press mailed so far, to one address or all."""
    return [mail for mail in desk.mails(to) if re.search("message from|anonymous message", mail["Subject"])]


def count(desk: Desk, table: type[Press | OrderSheet]) -> int:
    """Count the rows of a table."""
    with desk.app.store.reading() as session:
        return session.scalars(select(func.count()).select_from(table)).one()


def test_press_reaches_its_recipients_and_no_others(desk: Desk) -> None:
    """Press goes at once, as a mail of its own, to the seats named; its writer is told so."""
    begin(desk)

    answer = say(desk, "PRESS TO blue\nLet us deal.")
    assert "Your message, signed red, goes by mail at once to blue." in answer
    (mail,) = press(desk)
    assert (mail["To"], mail["Subject"]) == (BOB, "[toy1] message from red")
    assert text_of(mail).startswith("Message from red\nToy Auction · toy1 · to blue\n\n| Let us deal.\n\n")
    assert not any("Let us deal" in text_of(other) for other in desk.mails() if other["To"] != BOB)


def test_press_to_all_is_not_mailed_to_its_writer(desk: Desk) -> None:
    """ALL means all other seats."""
    begin(desk)

    assert "to all other seats" in say(desk, "PRESS TO ALL\nHello.")
    assert [mail["To"] for mail in press(desk)] == [BOB, CYD]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("PRESS TO GM hello", "hello"),
        ("Press to gm blue is away", "blue is away"),
        ("PRESS TO blue GM", "your words"),
        ("PRESS TO GM all", "all"),
    ],
)
def test_press_to_the_gm_is_told_the_line_to_send(desk: Desk, line: str, words: str) -> None:
    """The GM has no seat: nothing is sent to anyone, and the answer has ASK GM with the words of the line."""
    begin(desk)
    answer = " ".join(say(desk, f"{line}\nAt dawn.").split())

    assert press(desk) == []
    assert f"send ASK GM: {words}." in answer


@pytest.mark.parametrize(
    "words", ["let us all attack green", "all of us against green!", "and green is weak", "we attack"]
)
def test_words_on_the_line_of_the_seat_name_no_recipients(desk: Desk, words: str) -> None:
    """Neither "all" in them nor the seat that they are about gets what stands below; the answer says where to write."""
    begin(desk)
    answer = " ".join(say(desk, f"PRESS TO blue {words}\nAt dawn, from the north.").split())

    assert press(desk) == []
    assert (
        "is no seat, and nothing was sent; write your words below the line, or behind a colon, as in TO blue" in answer
    )
    assert "to blue and green." in " ".join(say(desk, "PRESS TO blue and green\nHello.").split())


def test_press_passes_on_words_alone(desk: Desk) -> None:
    """Keys, mail headers, quotations and signatures are not passed on; the writer is told of masks."""
    begin(desk)
    code = re.search(r"\[(\S{16})\]", desk.mails(ANN)[1]["Subject"])
    assert code is not None
    text = f"PRESS TO blue\nMy code is {code[1]}.\nReply-To: {ANN}\n> quoted\n-- \nAnn Example, Main Street 1"

    answer = say(desk, text)
    passed = text_of(press(desk)[0])
    assert f"| My code is {MASK}.\n| Reply-To: {MASK}\n\n" in passed
    assert not any(word in passed for word in (code[1], "Main Street", "quoted", ANN))
    assert "In 2 lines stood what looks like a key or the head of a mail" in answer.replace("\n", " ")


def test_the_address_of_a_writer_is_not_told(desk: Desk) -> None:
    """No header of press names its writer, or the mail it came in."""
    begin(desk)
    say(desk, "PRESS TO blue\nHello.")

    (mail,) = press(desk)
    assert mail["Reply-To"] == "orders@example.org"
    assert not any(word in bytes(mail) for word in (b"ann@example.org", b"letter0@example.org"))


def test_chat_in_reply_to_press_is_no_order_sheet(desk: Desk) -> None:
    """A plain reply to press never counts as orders, even if it would parse as some; a command in it is done."""
    begin(desk)
    say(desk, "PRESS TO blue\nHow much?")
    desk.reply(press(desk, BOB)[0], "BID 3")
    desk.answer()

    assert count(desk, OrderSheet) == 0
    desk.reply(press(desk, BOB)[0], "PRESS TO red\nThree coins.")
    desk.answer()
    assert "| Three coins." in text_of(press(desk, ANN)[0])


QUOTING = {
    "in a letter": "PRESS TO blue\nMine was:\nORDERS toy1 red\nBID 9\nEND",
    "with its token": "PRESS TO blue\nMine was:\nORDERS toy1 red {token}\nBID 9\nEND\nAnd yours?",
    "indented in the news": "NEWS\nRead this:\n\n    ORDERS toy1 red {token}\n    BID 9\n    END",
    "in a frame": "Hello\n\nPLAYER toy1 red {token}\nDIARY\nMine:\nORDERS toy1 red {token}\nBID 9\nEND",
}


@pytest.mark.parametrize("text", QUOTING.values(), ids=QUOTING)
def test_press_that_holds_a_sheet_waits_for_a_yes(desk: Desk, text: str) -> None:
    """Nothing goes out, and no mail has the key; the orders count, as there were none."""
    begin(desk)
    own = token(desk)

    say(desk, text.format(token=own))
    assert (count(desk, OrderSheet), count(desk, Press)) == (1, 0)
    assert "NOT sent: reply YES" in desk.last(ANN)["Subject"]
    assert [mail for mail in desk.mails()[3:] if own in text_of(mail)] == []


def test_a_sheet_below_the_end_of_press_counts(desk: Desk) -> None:
    """Press that is closed by END goes out, and the sheet below it is taken."""
    begin(desk)

    say(desk, f"PRESS TO blue\nHow much?\nEND\n\nORDERS toy1 red {token(desk)}\nBID 9\nEND")
    assert (count(desk, OrderSheet), count(desk, Press)) == (1, 1)
    assert "BID" not in text_of(press(desk, BOB)[0])


@pytest.mark.parametrize("first", ["Press on, my fleet!", "News: none.", "PRESS blue", "The press:"])
def test_words_above_a_sheet_are_no_press(desk: Desk, first: str) -> None:
    """A greeting that begins with the name of a command does not keep the sheet below it from being taken."""
    begin(desk)

    assert say(desk, f"{first}\n\nORDERS toy1 red\nBID 3\nEND").startswith(TAKEN)


def test_a_sheet_cannot_be_smuggled_in_by_press(desk: Desk) -> None:
    """Order lines in press are behind bars, so that a reply that quotes them without marks orders nothing."""
    begin(desk)
    say(desk, 'PRESS TO blue\nORDERS\n"BID 9"\nEND of my words\nORDERS for this week: none')

    letter = text_of(press(desk, BOB)[0])
    desk.post(letter, sender=BOB, to=desk.mails(BOB)[1]["Reply-To"])
    desk.answer()
    with desk.app.store.reading() as session:
        assert [sheet.accepted for sheet in session.scalars(select(OrderSheet))] in ([], [False])


@pytest.mark.parametrize(
    ("rules", "text", "reason"),
    [
        ({"press": "off"}, "PRESS TO blue\nHi.", "there is no press in toy1"),
        ({"press": "off"}, "NEWS\nHi.", "there is no press in toy1"),
        ({}, "UNSIGNED TO blue\nHi.", "the press of toy1 is signed: write PRESS TO instead of UNSIGNED TO"),
        ({}, "PRESS TO blu\nHi.", 'toy1 has no seat "blu". Did you mean blue?'),
        ({}, "PRESS TO blue", "there are no words to pass on"),
        ({}, "PRESS TO blue\n" + "long words " * 800, "the text has 8799 characters, and 8000 at the most"),
        ({}, "MUTE rde", 'toy1 has no seat "rde". Did you mean red?'),
        ({}, "MUTE red", "no seat can mute itself"),
    ],
)
def test_press_that_is_not_allowed_is_refused_with_the_reason(
    desk: Desk, rules: dict[str, str], text: str, reason: str
) -> None:
    """Nothing is passed on or kept, and the answer says why not and what would do."""
    begin(desk, **rules)

    assert f"Not done: {reason}" in say(desk, text).replace("\n", " ")
    assert (count(desk, Press), press(desk)) == (0, [])


def test_open_seats_are_named(desk: Desk) -> None:
    """The writer is told which of the seats are vacant; press to vacant seats alone is refused."""
    begin(desk)
    with desk.app.store.writing() as session:
        session.execute(update(Seat).where(Seat.name == "green").values(person_id=None, status="open"))

    assert "to blue and green. No player has green now." in say(desk, "PRESS TO blue green\nHi.").replace("\n", " ")
    assert "that seat has no player now" in say(desk, "PRESS TO green\nHi.")


def test_a_removed_seat_gets_no_press(desk: Desk) -> None:
    """Press to a removed seat is refused."""
    begin(desk)
    with desk.app.store.writing() as session:
        session.execute(update(Seat).where(Seat.name == "green").values(status="removed"))

    assert "green has left the game" in say(desk, "PRESS TO green\nHi.")


def test_a_paused_player_gets_press(desk: Desk) -> None:
    """A paused seat gets press."""
    begin(desk)
    put_seat(desk, "blue", paused=True)
    say(desk, "PRESS TO blue\nGet well soon.")

    assert len(press(desk, BOB)) == 1


def test_unsigned_press_tells_nothing_of_its_writer(desk: Desk) -> None:
    """Unsigned press is the same, except for its Message-IDs and boundaries, whichever seat wrote it."""
    begin(desk, press="anonymous")
    desk.now = desk.now.replace(minute=20)
    say(desk, "UNSIGNED TO green\nBoo.", ANN, subject="from Ann")
    desk.now = desk.now.replace(minute=40)
    say(desk, "UNSIGNED TO green\nBoo.", BOB, subject="from Bob")
    assert press(desk) == []
    desk.tick(hours=1)

    # The boundary follows from the Message-ID.
    own = ("Message-ID", "Content-Type")
    first, second = ({name: value for name, value in mail.items() if name not in own} for mail in press(desk))
    assert first == second
    assert first["Date"] == "Mon, 02 Nov 2026 10:00:00 +0000"
    assert text_of(press(desk)[0]) == text_of(press(desk)[1])
    assert not re.search(r"\b(?:red|ann|bob)\b", str(press(desk)[0]), re.IGNORECASE)


def test_unsigned_press_is_announced_to_its_writer(desk: Desk) -> None:
    """The writer is told that it goes on the hour, so that its time does not disclose who was writing."""
    begin(desk, press="anonymous")
    desk.now = desk.now.replace(minute=20)

    answer = say(desk, "UNSIGNED TO ALL\nBoo.").replace("\n", " ")
    assert "goes by mail on the hour, Mon 2 Nov 2026 11:00 Europe/Berlin (10:00 UTC)," in answer
    assert "to all seats, yours as well." in answer


def test_muting_keeps_press_away(desk: Desk) -> None:
    """Press of a muted seat is not mailed, its writer is not told, and UNMUTE brings it back."""
    begin(desk)
    assert "You get no more messages and news of red in toy1" in say(desk, "MUTE red", BOB)
    assert "goes by mail at once to blue." in say(desk, "PRESS TO blue\nHear me!")
    assert press(desk, BOB) == []
    assert "You get the press of red in toy1 again." in say(desk, "UNMUTE red", BOB)
    say(desk, "PRESS TO blue\nHear me now!")

    assert len(press(desk, BOB)) == 1


def test_muting_a_seat_does_not_tell_its_unsigned_press(desk: Desk) -> None:
    """Unsigned press of a muted seat still comes, or its absence would name it; MUTE UNSIGNED stops all of it."""
    begin(desk, press="anonymous")
    say(desk, "MUTE red", BOB)
    say(desk, "MUTE UNSIGNED", CYD)
    say(desk, "UNSIGNED TO ALL\nBoo.")
    desk.tick(hours=1)

    assert [mail["To"] for mail in press(desk)] == [ANN, BOB]


def test_a_seat_writes_only_so_much_a_turn(desk: Desk) -> None:
    """After 20 pieces of press in a turn no more are taken before the next; news are counted by themselves."""
    begin(desk, press_delivery="report")
    with desk.app.store.writing() as session:
        red = session.scalars(select(Seat).where(Seat.name == "red")).one()
        session.add_all(letter(desk, red, "hi") for _ in range(PIECES_A_TURN))

    assert "you have written 20 of these this turn" in say(desk, "PRESS TO blue\nOne more.")
    assert "Your news" in say(desk, "NEWS\nStill there.")


def test_a_seat_causes_only_so_many_mails_a_turn(desk: Desk) -> None:
    """Press that makes too many mails is refused, with the way to reach many."""
    begin(desk)
    with desk.app.store.writing() as session:
        red = session.scalars(select(Seat).where(Seat.name == "red")).one()
        session.add(letter(desk, red, "hi", to=["blue"] * (COPIES_A_TURN - 1), mailed=True))

    answer = say(desk, "PRESS TO ALL\nOne more.").replace("\n", " ")
    assert "would come to 301 mails, and 300 are the most: use NEWS to reach many." in answer


def test_reports_and_diaries_have_room_for_so_much(desk: Desk) -> None:
    """News for a full share of the reports, and entries for a full diary, are refused with the room that is left."""
    begin(desk)
    with desk.app.store.writing() as session:
        red = session.scalars(select(Seat).where(Seat.name == "red")).one()
        session.add(letter(desk, red, "x" * (ROOM_IN_REPORTS // 3 - 3), kind="news"))
        session.add(letter(desk, red, "x" * (ROOM_FOR_DIARIES // 3 - 2), kind="diary"))

    assert "have room for 3 characters more from your seat; this is 4" in " ".join(say(desk, "NEWS\nfour").split())
    assert "has room for 2 characters more; this is 4" in say(desk, "DIARY\nfour").replace("\n", " ")
    assert "Entered into the diary of blue" in say(desk, "DIARY\nfour", BOB)


def letter(
    desk: Desk, seat: Seat, text: str, *, kind: str = "press", to: list[str] | None = None, mailed: bool = False
) -> Press:
    """Build a piece of press written before."""
    return Press(
        campaign_id=seat.campaign_id,
        turn=1,
        kind=kind,
        sender_id=seat.id,
        recipients=to,
        text=text,
        at=desk.now,
        published_at=desk.now if mailed else None,
    )


def test_press_is_written_on_either_database(shared: Desk) -> None:
    """Press, news, diaries and mutes are stored and read alike on SQLite and PostgreSQL."""
    for text in ("NEWS\nWar!", "DIARY\nI lied.", "MUTE blue", "PRESS TO blue\nDeal?"):
        assert "Not done" not in say(shared, text)
    with shared.app.store.reading() as session:
        snapshot = load_campaign(session, "toy1")
        postbag = load_press(session, snapshot, 2, over=True)
        red, blue = snapshot.places

    assert [said.text for said in postbag.words(blue).news] == ["War!"]
    assert [said.text for said in postbag.words(red).diaries] == ["I lied."]
    assert muted_of(shared) == {"red": ["blue"], "blue": []}
    assert len(press(shared, BOB)) == 1


def muted_of(desk: Desk) -> dict[str, list[str]]:
    """Return the seats that each seat has muted."""
    with desk.app.store.reading() as session:
        return {seat.name: seat.muted for seat in session.scalars(select(Seat))}


@pytest.mark.parametrize("name", ["Auto-Submitted", "List-Id", "X-Autoreply"])
def test_automatic_mail_never_becomes_press(desk: Desk, name: str) -> None:
    """Automatic mail is not passed on."""
    begin(desk)
    desk.post("PRESS TO ALL\nI am away until Monday.", headers={name: "auto-replied"})
    desk.answer()

    assert (count(desk, Press), press(desk)) == (0, [])


def test_a_stranger_writes_no_press(desk: Desk) -> None:
    """Press in a player's name from another address is not passed on."""
    begin(desk)
    desk.post("PLAYER toy1 red\nPRESS TO blue\nI am Ann, honest.\nEND", sender="eve@example.org")
    desk.answer()

    assert (count(desk, Press), press(desk)) == (0, [])


def test_press_leaves_no_trace_in_what_others_may_read(desk: Desk) -> None:
    """Neither the journal nor the archive nor mail to others has anything of press between two."""
    begin(desk)
    say(desk, "PRESS TO blue\nA pact!")
    desk.tick(hours=24 * 7)

    archived = b"".join(path.read_bytes() for path in (desk.home / "turns").rglob("*") if path.is_file())
    assert b"A pact!" not in archived
    with desk.app.store.reading() as session:
        readers = session.scalars(select(OutgoingMail.recipient).where(OutgoingMail.kind == "press")).all()
    assert readers == [BOB]
    assert "A pact!" not in say(desk, "HISTORY", CYD)


def test_one_seat_cannot_fill_the_newspaper(desk: Desk) -> None:
    """Each seat has its share of the reports, and is told how much of it is left."""
    begin(desk)
    share = ROOM_IN_REPORTS // len(THREE)
    texts = ["a" * 8_000, "b" * 8_000, "c" * (share - 16_000)]
    left = [f"Your seat has room for {share - used:d} characters more" for used in (8_000, 16_000, share)]

    assert [one in " ".join(say(desk, f"NEWS\n{text}").split()) for text, one in zip(texts, left, strict=True)] == [
        True
    ] * 3
    assert "room for 0 characters more from your seat; this is 4" in " ".join(say(desk, "NEWS\nmore").split())
    assert "stand in the newspaper" in " ".join(say(desk, "NEWS\n" + "x" * 8_000, BOB).split())


def test_full_reports_tell_no_numbers(desk: Desk) -> None:
    """In a game of many seats the room may run out for all; how much others wrote is not disclosed."""
    begin(desk, press_delivery="report")
    with desk.app.store.writing() as session:
        row = {"campaign_id": 1, "turn": 1, "kind": "press", "sender_id": 2, "at": desk.now, "recipients": ["green"]}
        session.add(Press(**row, text="x" * (ROOM_IN_REPORTS - 10)))

    assert "the next reports are full" in " ".join(say(desk, "NEWS\nThis is too much.").split())


def test_queued_press_goes_to_the_present_player(desk: Desk) -> None:
    """Press is for a seat: queued press is not mailed to the seat's former player."""
    begin(desk, press="anonymous")
    desk.now += dt.timedelta(minutes=10)
    say(desk, "UNSIGNED TO green\nTrust nobody.")
    run_action(desk.app, "toy1", GiveSeat("green", EVE), desk.now)
    desk.tick(hours=1)

    assert press(desk, CYD) == []
    (mail,) = press(desk, EVE)
    assert text_of(mail).startswith("Anonymous message\nToy Auction · toy1 · to green\n\n| Trust nobody.\n")


def test_queued_press_that_is_signed_follows_the_seat_too(desk: Desk) -> None:
    """Signed press that a slow outbox held up goes to the new player, under the same Message-ID."""
    begin(desk)
    put_off(desk, "PRESS TO green\nLet us deal.")
    run_action(desk.app, "toy1", GiveSeat("green", EVE), desk.now)
    desk.tick(hours=2)

    assert [mail["To"] for mail in press(desk)] == [EVE]


def put_off(desk: Desk, text: str) -> None:
    """Post press that is processed while no mail goes out."""
    desk.post(text)
    fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
    process_messages(desk.app, desk.now)


def test_queued_press_for_an_open_seat_is_not_mailed(desk: Desk) -> None:
    """Queued press to a seat that became vacant is not sent."""
    begin(desk, press="anonymous")
    desk.now += dt.timedelta(minutes=10)
    say(desk, "UNSIGNED TO green\nTrust nobody.")
    run_action(desk.app, "toy1", OpenSeat("green"), desk.now)
    desk.tick(hours=1)

    assert press(desk) == []
