"""ABSENT, PRESENT and EXTEND, by mail."""

from __future__ import annotations

import datetime as dt

import pytest
from sqlalchemy import select

from pbem.actions.base import CLI
from pbem.actions.status import ShowStatus
from pbem.admin.health import home_status
from pbem.store.models import Absence, JournalEntry
from tests.toy.home import Desk, text_of

ANN, BOB = "ann@example.org", "bob@example.org"
WEEK = 168


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start(rounds="9")


def ask(desk: Desk, text: str, *, sender: str = ANN) -> str:
    """Return the answer to a player, on one line."""
    desk.post(text, sender=sender)
    desk.answer()
    return " ".join(text_of(desk.last(sender)).split())


def absences(desk: Desk) -> list[tuple[dt.datetime, dt.datetime]]:
    """Return all absences."""
    with desk.app.store.reading() as session:
        return [(row.since, row.until) for row in session.scalars(select(Absence).order_by(Absence.since))]


def deadline(desk: Desk) -> str:
    """Return the deadline of the open turn, as text."""
    found = home_status(desk.app, "toy1").campaigns[0].deadline
    return found.isoformat()[:16] if found else ""


def test_an_absence_is_whole_days_of_the_zone(desk: Desk) -> None:
    """An absence lasts from midnight in Berlin before its first day to midnight after its last."""
    said = ask(desk, "ABSENT 2026-11-12 TO 2026-11-15")

    assert "You are absent from 2026-11-12 to 2026-11-15." in said
    start, end = absences(desk)[0]
    assert (start.isoformat(), end.isoformat()) == ("2026-11-11T23:00:00+00:00", "2026-11-15T23:00:00+00:00")


def test_an_absence_is_told_in_status(desk: Desk) -> None:
    """STATUS shows an absence to the GM and to the player."""
    ask(desk, "ABSENT 2026-11-12 TO 2026-11-15")
    (campaign,) = home_status(desk.app).campaigns

    assert "  red is absent from 2026-11-12 to 2026-11-15" in ShowStatus().render(campaign, CLI)
    assert "You are absent from 2026-11-12 to 2026-11-15; PRESENT takes that back." in ask(desk, "STATUS")


def test_an_absence_moves_the_next_deadline_and_never_the_current(desk: Desk) -> None:
    """The answer says which deadline stays; that of the turn after it keeps clear of the absence."""
    said = ask(desk, "ABSENT 2026-11-05 TO 2026-11-15")

    assert "The current deadline stays: Fri 6 Nov 2026 20:00 Europe/Berlin" in said
    assert deadline(desk) == "2026-11-06T19:00"
    desk.tick(hours=WEEK - 48)
    assert deadline(desk) == "2026-11-20T19:00"


def test_a_single_day_may_be_named_alone(desk: Desk) -> None:
    """Without TO, the first day is the last."""
    assert "You are absent on 2026-11-13." in ask(desk, "ABSENT 2026-11-13")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ABSENT 2026-11-15 TO 2026-11-12", "2026-11-12 is before 2026-11-15."),
        ("ABSENT 2026-10-01 TO 2026-10-08", "2026-10-08 is over."),
        ("ABSENT 2028-10-01", "2028-10-01 is more than a year ahead"),
        ("ABSENT 9999-12-31", "9999-12-31 is more than a year ahead"),
        ("ABSENT 2026-11-10 TO 2026-12-10", "deadlines wait for no more than 21 days in a row"),
    ],
)
def test_an_absence_that_cannot_be_is_refused(desk: Desk, text: str, said: str) -> None:
    """The answer says why, and nothing is stored."""
    answer = ask(desk, text)

    assert "Not done: your absence was not noted" in answer
    assert said in answer
    assert absences(desk) == []


def test_an_absence_begun_long_ago_counts_from_now(desk: Desk) -> None:
    """Past days of an absence do not count."""
    ask(desk, "ABSENT 0001-01-01 TO 2026-11-08")

    assert [since.date().isoformat() for since, _ in absences(desk)] == ["2026-10-31"]


def test_absences_that_touch_are_one(desk: Desk) -> None:
    """Two absences of a fortnight one after the other count as four weeks."""
    ask(desk, "ABSENT 2026-11-10 TO 2026-11-23")

    assert "no more than 21 days in a row" in ask(desk, "ABSENT 2026-11-24 TO 2026-12-07")
    assert "You are absent" in ask(desk, "ABSENT 2026-11-26 TO 2026-12-07")


def test_there_is_an_end_to_absences(desk: Desk) -> None:
    """A seat has at most six absences at a time."""
    for day in range(10, 22, 2):
        assert "You are absent" in ask(desk, f"ABSENT 2026-12-{day}")

    assert "you have told of 6 already" in ask(desk, "ABSENT 2026-12-24")


def test_some_campaigns_do_not_wait(desk: Desk) -> None:
    """With absence=0 the player is told what to do instead."""
    desk.set_rules(absence="off")

    assert "deadlines do not wait for absences. You may PAUSE instead, or name a DEPUTY" in ask(
        desk, "ABSENT 2026-11-13"
    )


def test_present_takes_all_absences_back(desk: Desk) -> None:
    """PRESENT ends all absences of its sender, and no others."""
    ask(desk, "ABSENT 2026-11-13")
    ask(desk, "ABSENT 2026-11-20", sender=BOB)

    assert "Your absences are cancelled." in ask(desk, "PRESENT")
    assert len(absences(desk)) == 1
    assert "you had told of no absence" in ask(desk, "PRESENT")


def test_absences_are_no_business_of_other_players(desk: Desk) -> None:
    """Absences are secret entries of the journal."""
    ask(desk, "ABSENT 2026-11-13")

    with desk.app.store.reading() as session:
        acts = session.execute(select(JournalEntry.text, JournalEntry.secret).where(JournalEntry.actor == "red")).all()
    assert acts == [("seat red is absent from 2026-11-13 to 2026-11-13", True)]


def test_players_extend_a_turn_together(desk: Desk) -> None:
    """One vote of two is noted; both together give two more days."""
    assert "Your wish for more time is noted" in ask(desk, "EXTEND")
    ask(desk, "EXTEND", sender=BOB)

    texts = [text_of(mail) for mail in desk.mails(BOB)[-2:]]
    assert any("Enough have asked: the turn has more time." in text for text in texts)
    assert any("Before: Fri 6 Nov, 20:00 CET." in text for text in texts)
    assert deadline(desk) == "2026-11-08T19:00"


def test_a_day_of_two_absences_counts_once(desk: Desk) -> None:
    """Whoever stays away longer than they told announces it again from the first day; STATUS says what is left."""
    desk.set_rules(absence_year="14d")
    ask(desk, "ABSENT 2026-12-24 TO 2026-12-27")
    assert "You are absent from 2026-12-24 to 2027-01-03." in ask(desk, "ABSENT 2026-12-24 TO 2027-01-03")
    assert "Of 14 days of absence in a year you have 3 left." in " ".join(ask(desk, "STATUS").split())
    assert "you have 3 left" in ask(desk, "ABSENT 2027-01-03 TO 2027-01-07")


def test_days_of_absence_have_a_yearly_budget(desk: Desk) -> None:
    """With `absence-year` each announced day counts, also of an absence that was ended while it lasted."""
    desk.set_rules(absence_year="10d")
    assert "You are absent from 2026-11-10 to 2026-11-15." in ask(desk, "ABSENT 2026-11-10 TO 2026-11-15")
    said = ask(desk, "ABSENT 2026-12-01 TO 2026-12-05")
    assert "in toy1 a player may be absent for 10 days in a year, and you have 4 left." in said
    assert "You are absent from 2026-12-01 to 2026-12-04." in ask(desk, "ABSENT 2026-12-01 TO 2026-12-04")
    assert "you have 0 left" in ask(desk, "ABSENT 2027-01-01")

    desk.now += dt.timedelta(days=11)
    assert "Your absences are cancelled." in ask(desk, "PRESENT")
    assert "you have 7 left" in ask(desk, "ABSENT 2027-01-01 TO 2027-01-08")
    assert "You are absent from 2027-11-12 to 2027-11-13." in ask(desk, "ABSENT 2027-11-12 TO 2027-11-13")
