"""Facts that players may not learn, and acts in another's name, by any command, notice or entry in the journal."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.deadlines import hold, release
from pbem.actions.open_turn import EnterSheet
from pbem.actions.seats import GiveSeat
from pbem.actions.start import StartCampaign
from pbem.campaign.snapshot import RESERVED_SEATS, Context, is_valid_seat_name, load_campaign
from pbem.store.models import OutgoingMail, Person
from pbem.store.types import HoldKind, OutgoingState
from tests.inbox.people import (
    ANN,
    BOB,
    CYD,
    EVE,
    ask,
    code,
    confirm,
    form,
    insist,
    players,
    question,
    reports,
    token,
    words,
)
from tests.inbox.trusting import believing, stamp, version_taken
from tests.mail.reports import postfix
from tests.toy.home import Desk, prepared, text_of

DAN = "dan@example.net"


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red, blue and green."""
    form(desk, "red", "blue", "green", signup="on", hold="off")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.tick()


def appoint(desk: Desk, deputy: str = EVE) -> None:
    """Give Ann a deputy."""
    insist(desk, f"DEPUTY {deputy} UNTIL 2026-11-20")
    confirm(desk, deputy)


@pytest.mark.parametrize(("late", "told"), [("gm", False), ("players", True)])
def test_missed_sheets_are_in_history_where_that_is_public(desk: Desk, late: str, told: bool) -> None:
    """Missed sheets are in HISTORY by the same house rule as in notices."""
    desk.set_rules(late_list=late)
    desk.tick(hours=24 * 5)

    assert ("no sheet from blue, green, red" in ask(desk, "HISTORY")) is told


def test_history_tells_no_address_whose_mail_came_back(desk: Desk) -> None:
    """HISTORY has no bounces, whose recipients are for the GM alone."""
    inbox = desk.home / "post" / "inbox"
    (inbox / "bounce.eml").write_bytes(postfix(str(desk.last(BOB)["Message-ID"])))
    desk.tick()

    assert "came back" not in ask(desk, "HISTORY")


def test_history_does_not_tell_whose_sheet_a_gm_enters(desk: Desk) -> None:
    """HISTORY has neither seat nor version of a sheet entered by the GM, which would disclose whose was missing."""
    run_action(desk.app, "toy1", EnterSheet("green", ((1, "BID 3"),)), desk.now)

    text = ask(desk, "HISTORY")

    assert 'gm: a sheet for "round 1" was entered by the GM' in text
    assert "green for turn" not in text


def test_history_does_not_tell_why_a_turn_is_held(desk: Desk) -> None:
    """The number of missing sheets is for the GM alone; the GM's own pause is for all."""
    for kind, reason in ((HoldKind.MISSING, "2 of 3 sheets missing"), (HoldKind.GM, "snow")):
        with desk.app.store.writing() as session:
            context = Context(session, desk.app, load_campaign(session, "toy1"), desk.now)
            hold(context, kind, reason)
            release(context)

    text = ask(desk, "HISTORY")

    assert "2 of 3" not in text
    assert 'it was on hold by the GM: "snow"' in text


def test_a_vote_is_not_told_why_a_turn_is_held(desk: Desk) -> None:
    """The answer to a vote says that the turn waits, and not why."""
    with desk.app.store.writing() as session:
        context = Context(session, desk.app, load_campaign(session, "toy1"), desk.now)
        hold(context, HoldKind.MISSING, "2 of 3 sheets missing")

    assert "you have time." in ask(desk, "EXTEND")


def test_history_tells_nothing_of_deputies(desk: Desk) -> None:
    """HISTORY has no deputies, as it has no absences."""
    appoint(desk)
    ask(desk, "UNDEPUTE")

    assert "deputy" not in ask(desk, "HISTORY", BOB)


def test_a_code_in_an_old_mailbox_is_void(desk: Desk) -> None:
    """A code mailed to an address that its player has left is void, since that mailbox may have been broken into."""
    ask(desk, f"ADDRESS {EVE}")
    stolen = code(desk.last(ANN))
    ask(desk, f"ADDRESS {DAN}")
    confirm(desk, ANN)
    confirm(desk, DAN)

    ask(desk, f"CONFIRM {stolen}", EVE)

    assert players(desk)["red"] == DAN


@pytest.mark.parametrize("seats", [1, 2])
def test_a_forged_message_changes_nothing_of_a_person(desk: Desk, seats: int) -> None:
    """A command that the receiving server calls forged is neither done nor answered, in however many campaigns."""
    if seats == 2:
        form(desk, "red", "blue", name="toy2")
    believing(desk)
    desk.post("FORMAT PLAIN", sender=ANN, headers=stamp("fail"))
    desk.answer()

    with desk.app.store.reading() as session:
        assert not session.scalars(select(Person.plain).where(Person.key == ANN)).one()


@pytest.mark.parametrize("name", sorted(RESERVED_SEATS))
def test_a_seat_is_not_called_what_means_something_else(name: str) -> None:
    """PRESS TO ALL, MUTE UNSIGNED and "gm" in the journal never mean a seat."""
    assert not is_valid_seat_name(name)


@pytest.mark.parametrize("delivery", ["now", "report"])
def test_the_writer_of_unsigned_press_to_all_gets_it_too(desk: Desk, delivery: str) -> None:
    """The writer of unsigned press to all gets it too, so that comparing mail does not disclose them."""
    desk.set_rules(press="anonymous", press_delivery=delivery)
    ask(desk, "UNSIGNED TO ALL\nThe king is ill.")
    desk.tick(hours=24 * 5)

    got = {mail["To"] for mail in desk.mails() if "The king is ill." in words(mail)}

    assert got == {ANN, BOB, CYD}


def test_a_deputy_gives_no_seat_away_from_another_address(desk: Desk) -> None:
    """A deputy's code is valid for sheets alone, from any address."""
    appoint(desk)
    copy = reports(desk, EVE)[-1]
    desk.reply(copy, "LEAVE", sender=DAN)
    desk.reply(copy, f"DEPUTY {DAN} UNTIL 2026-11-30", sender=DAN)
    desk.answer()

    assert players(desk)["red"] == ANN
    assert desk.mails(DAN) == []


def test_a_player_with_a_deputy_leaves_by_their_token(desk: Desk) -> None:
    """LEAVE is asked about even with the token, since it ends a seat; the answer from the player's address does it."""
    appoint(desk)
    asked = insist(desk, f"PLAYER toy1 red {token(desk)}\nLEAVE\nEND")

    assert "You ask to give up your seat for good" in words(question(desk, ANN))
    assert players(desk)["red"] == ""
    assert "You have given up the seat red in toy1." in asked


def test_a_dismissed_deputy_has_no_code_that_counts(desk: Desk) -> None:
    """A dismissed deputy's code is refused from any address, while the player's stays valid."""
    appoint(desk)
    copy = reports(desk, EVE)[-1]
    insist(desk, "UNDEPUTE")
    desk.reply(copy, "BID 9", sender=DAN)
    desk.answer()
    assert not any("Sheet 1" in words(mail) for mail in desk.mails())

    desk.reply(reports(desk, ANN)[-1], "BID 2")
    desk.answer()

    assert version_taken(words(desk.last(ANN))) == 1


def test_the_answer_to_a_dismissal_has_the_code(desk: Desk) -> None:
    """A reply to the answer counts as orders, like one to any answer."""
    appoint(desk)
    insist(desk, "UNDEPUTE")
    answer = next(mail for mail in reversed(desk.mails(ANN)) if "no longer stands in" in words(mail))
    desk.reply(answer, "BID 2")
    desk.answer()

    assert version_taken(words(desk.last(ANN))) == 1


def test_a_copy_on_its_way_is_kept_from_a_dismissed_deputy(desk: Desk) -> None:
    """Mail that is queued when a deputy is dismissed is not sent to them."""
    appoint(desk)
    desk.tick(hours=24 * 5)
    with desk.app.store.writing() as session:
        for mail in session.scalars(select(OutgoingMail).where(OutgoingMail.recipient == EVE)):
            mail.state = OutgoingState.QUEUED if mail.topic and mail.topic.startswith("report") else mail.state
    ask(desk, f"PLAYER toy1 red {token(desk)}\nUNDEPUTE\nEND")

    with desk.app.store.reading() as session:
        sent = session.scalars(
            select(OutgoingMail.state).where(OutgoingMail.recipient == EVE, OutgoingMail.topic.is_not(None))
        )
        assert sent.all() == ["superseded", "superseded"]


def test_a_line_about_the_gm_is_no_gms_frame(desk: Desk) -> None:
    """A sheet with such a line is taken without it."""
    desk.post("ORDERS toy1 red\nBID 2\nGM is away\nEND")
    desk.answer()

    assert words(desk.last(ANN)).startswith("1 of 2 orders not accepted; the other counts")


def test_words_of_an_applicant_do_not_pass_for_ours(desk: Desk) -> None:
    """The GM gets an applicant's text in one paragraph that says whose it is, cut to a length."""
    ask(desk, "JOIN toy1\nHello.\nYour token has expired: answer with it.\n" + "more " * 1_000, EVE)
    confirm(desk, EVE)

    text = text_of(desk.last("gm@example.org"))
    assert "They wrote: Hello. Your token has expired: answer with it." in " ".join(text.split())
    assert "\n\nYour token" not in text
    assert len(text) < 2_000


def test_a_deputy_stands_in_for_one_seat(desk: Desk) -> None:
    """A deputy of one seat of a campaign is refused for another."""
    appoint(desk)
    insist(desk, f"DEPUTY {EVE} UNTIL 2026-11-20", BOB)

    assert "so you cannot stand in for another seat" in confirm(desk, EVE)
    assert len(reports(desk, EVE)) == 1


def test_a_deputy_who_gets_a_seat_stands_in_no_more(desk: Desk) -> None:
    """A deputy who gets a seat of the campaign is no deputy any more; the player is told, but not why."""
    appoint(desk)
    run_action(desk.app, "toy1", GiveSeat("blue", EVE), desk.now)
    desk.tick(hours=24 * 5)

    assert [text_of(mail).partition("you are ")[2].split()[0] for mail in reports(desk, EVE)] == ["red", "blue", "blue"]
    (told,) = [words(mail) for mail in desk.mails(ANN) if "no longer stands in" in words(mail)]
    assert "eve@example.net no longer stands in for your seat red in toy1" in told


def test_nobody_hears_of_what_a_player_keeps_for_later(desk: Desk) -> None:
    """No mail to others, nor the journal that they may read, has a word of orders for a later turn or of their use."""
    desk.reply(desk.last(ANN), "BID 1\nTURN 2\nWHISPER green xylophagous\nBID 400")
    desk.answer()
    desk.tick(hours=24 * 5)
    desk.tick(hours=24 * 7)
    others = [mail for mail in desk.mails() if mail["To"] not in (ANN, "gm@example.org")]
    texts = [f"{mail['Subject']} {text_of(mail)}" for mail in others]

    assert any("your orders for round 2" in str(mail["Subject"]) for mail in desk.mails(ANN))
    assert len(texts) > 4
    assert not [text for text in texts if "xylophagous" in text or "kept" in text.casefold()]
    assert "kept" not in ask(desk, "JOURNAL", BOB)
    assert "Kept" not in ask(desk, "STATUS", BOB)


def test_nobody_hears_of_a_players_zone(desk: Desk) -> None:
    """Neither another player nor the GM reads by which clock somebody lives, whatever that player does."""
    ask(desk, "ZONE Tokyo")
    for text in (
        "ABSENT TOMORROW",
        "EXTEND",
        "PRESS TO blue\nHello",
        "NEWS\nAll quiet",
        "ASK GM\nWhen?",
        "BID 1",
        "STATUS",
    ):
        desk.reply(reports(desk, ANN)[-1], text)
        desk.tick(hours=1)
    ask(desk, "EXTEND", BOB)
    desk.tick(hours=24 * 9)
    texts = [text_of(mail) + str(mail["Subject"]) for mail in desk.mails() if mail["To"] != ANN]

    assert "Asia/Tokyo" in ask(desk, "STATUS", ANN)
    assert len(texts) > 8
    assert not [text for text in texts if "Tokyo" in text or "JST" in text]
    assert "Tokyo" not in ask(desk, "JOURNAL", BOB)
    assert "Tokyo" not in ask(desk, "STATUS", BOB)


def test_a_bank_is_told_when_it_is_used(desk: Desk) -> None:
    """Before a player's own time covers a deadline, only that player is told of it; then all are."""
    desk.set_rules(bank="2d")
    assert "blue" not in ask(desk, "STATUS", ANN)
    desk.reply(reports(desk, ANN)[-1], "BID 1")
    desk.tick(hours=24 * 5)
    told = " ".join(" ".join(text_of(mail).split()) for mail in desk.mails(ANN))

    assert "blue has 24 hours of 2 days left" in told
    assert "For deadlines that you miss you have 2 days of 2 days left." in " ".join(ask(desk, "STATUS", ANN).split())
    assert "24 hours of 2 days left" in " ".join(ask(desk, "STATUS", BOB).split())


def test_words_beside_a_claim_stay_with_their_writer(desk: Desk) -> None:
    """Of CLAIM and WAITS the opponent is told what was decided, and no word that stood beside it."""
    form(desk, "red", "blue", name="toy2", late="opponents")
    run_action(desk.app, "toy2", StartCampaign(), desk.now)
    desk.tick()
    mine = next(mail for mail in reversed(reports(desk, ANN)) if "[toy2]" in str(mail["Subject"]))
    desk.reply(mine, "BID 1")
    desk.tick(hours=24 * 5)
    asked = next(mail for mail in reversed(desk.mails(ANN)) if "CLAIM" in str(mail["Subject"]))
    before = len(desk.mails(BOB))
    desk.reply(asked, "WAITS\nI call them xylophagous")
    desk.tick()
    theirs = " ".join(text_of(mail) for mail in desk.mails(BOB)[before:])

    assert "red lets blue have more time" in " ".join(theirs.split())
    assert "xylophagous" not in theirs + ask(desk, "JOURNAL", BOB) + ask(desk, "STATUS", BOB)
