"""ZONE: times in the mails of a player by their own clock, with the campaign's behind them."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from icalendar import Calendar
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.deadlines import ExtendDeadline
from pbem.actions.open_turn import EnterSheet
from pbem.actions.settings import SetHouseRule
from pbem.store.models import Absence, Person
from tests.inbox.people import ANN, BOB, ask, words
from tests.toy.home import Desk, text_of


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start(rounds="9")


def zone(desk: Desk, address: str = ANN) -> str:
    """Return the zone of a person."""
    with desk.app.store.reading() as session:
        return session.scalars(select(Person.zone).where(Person.key == address)).one()


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("ZONE Europe/Athens", "Europe/Athens"),
        ("zone athens", "Europe/Athens"),
        ("ZONE New York", "America/New_York"),
        ("ZONE EST", "America/New_York"),
        ("ZONE UTC", "UTC"),
        ("Zone: Athens", "Europe/Athens"),
        ("Zone Asia/Kolkata.", "Asia/Kolkata"),
    ],
)
def test_a_zone_is_named_by_its_city(desk: Desk, typed: str, kept: str) -> None:
    """The answer names the zone and what time it is there."""
    said = ask(desk, typed)

    assert zone(desk) == kept
    assert f"Your mails tell times in {kept}, where it is " in words(desk.last(ANN)), said


@pytest.mark.parametrize(
    "typed",
    ["Atlantis", "../../etc/passwd", "Europe", "+25", "x" * 90, "localtime", "Factory", "right/Europe/Berlin"],
)
def test_what_is_no_zone_changes_nothing(desk: Desk, typed: str) -> None:
    """The answer says how one is written."""
    said = ask(desk, f"ZONE {typed}")

    assert zone(desk) == ""
    assert "is not a time zone" in words_of(said)


def test_a_near_miss_is_told(desk: Desk) -> None:
    """A slip of the pen brings the nearest zone."""
    assert "did you mean Europe/Athens?" in " ".join(ask(desk, "ZONE Europe/Athen").split())


def test_deadlines_stand_in_the_readers_zone(desk: Desk) -> None:
    """Reports, receipts, STATUS and a new deadline tell Ann's time, and Berlin's behind it; Bob's are as before."""
    ask(desk, "ZONE Athens")
    assert "Orders are due Fri 6 Nov 2026 21:00 Europe/Athens (20:00 Europe/Berlin)." in words_of(ask(desk, "STATUS"))
    desk.post("STATUS\n", sender=BOB)
    desk.answer()
    assert "Orders are due Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)." in words(desk.last(BOB))
    run_action(desk.app, "toy1", ExtendDeadline("2026-11-08 20:00"), desk.now)
    desk.tick()
    assert "Due Sun 8 Nov, 21:00 EET 20:00 CET. Before: Fri 6 Nov, 21:00 EET" in words(desk.last(ANN))
    assert "Due Sun 8 Nov, 20:00 CET 19:00 UTC. Before: Fri 6 Nov, 20:00 CET" in words(desk.last(BOB))
    desk.tick(hours=24 * 7)

    report, other = desk.last(ANN), desk.last(BOB)
    assert "due Fri 13 Nov 21:00 EET" in report["Subject"]
    assert "Due Fri 13 Nov, 21:00 EET 20:00 CET, or sooner" in words(report)
    assert "Due Fri 13 Nov, 20:00 CET 19:00 UTC, or sooner" in words(other)
    desk.reply(report, "BID 1\n")
    desk.answer()
    assert "21:00 EET" in words(desk.last(ANN))


def words_of(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


def test_a_refusal_and_the_journal_are_in_the_readers_zone(desk: Desk) -> None:
    """The time of the sheet that counts, told where a mail has none, and those of what was done are the player's."""
    ask(desk, "ZONE Tokyo")
    assert "Mon 2 Nov 2026 18:00 Asia/Tokyo (10:00 Europe/Berlin), gm: started" in words_of(ask(desk, "JOURNAL"))
    report = next(mail for mail in desk.mails(ANN) if "+" in mail["Reply-To"])
    desk.reply(report, "BID 1\n")
    desk.answer()
    desk.reply(report, "Hi,\n\nmany thanks for the game!\n\nKind regards\nAnn")
    desk.answer()

    assert "Your orders of Mon 2 Nov, 18:00 JST still count" in words(desk.last(ANN))


def test_the_receipt_of_a_sheet_by_the_gm_is_in_the_readers_zone(desk: Desk) -> None:
    """Whoever has sent the sheet, its player reads their own times."""
    ask(desk, "ZONE Tokyo")
    run_action(desk.app, "toy1", EnterSheet("red", [(1, "BID 1")]), desk.now)
    desk.answer()

    assert "Round 1 runs on Sat 7 Nov, 04:00 JST" in words(desk.last(ANN))


def test_a_schedule_is_told_with_the_readers_deadline(desk: Desk) -> None:
    """One act mails each player in their zone, and each once."""
    ask(desk, "ZONE Tokyo")
    before = {each: len(desk.mails(each)) for each in (ANN, BOB)}
    run_action(desk.app, "toy1", SetHouseRule({"schedule": "SAT 20:00 Europe/Berlin"}), desk.now)
    desk.tick()

    assert {each: len(desk.mails(each)) - count for each, count in before.items()} == {ANN: 1, BOB: 1}
    assert "The current deadline stays: Sat 7 Nov, 04:00 JST." in words(desk.last(ANN))


def test_the_calendar_is_in_the_readers_zone(desk: Desk) -> None:
    """The file of a report has the same moment, by the reader's clock."""
    ask(desk, "ZONE Athens")
    desk.tick(hours=24 * 7)
    found = {}
    for who in (ANN, BOB):
        (file,) = (part for part in desk.last(who).iter_attachments() if part.get_content_type() == "text/calendar")
        event: Any = Calendar.from_ical(bytes(file.get_content(), "utf-8")).walk("VEVENT")[0]
        found[who] = (event["DTEND"].params["TZID"], event["DTEND"].dt)

    assert found[ANN][0] == "Europe/Athens"
    assert found[BOB][0] == "Europe/Berlin"
    assert found[ANN][1] == found[BOB][1]


def test_days_of_an_absence_are_the_players(desk: Desk) -> None:
    """An absence begins at midnight in Tokyo, and is told in the days that its player named."""
    ask(desk, "ZONE Tokyo")
    said = words_of(ask(desk, "ABSENT 2026-11-12 TO 2026-11-15"))

    with desk.app.store.reading() as session:
        absence = session.scalars(select(Absence)).one()
        times = (absence.since, absence.until)
    assert times == (dt.datetime(2026, 11, 11, 15, tzinfo=dt.UTC), dt.datetime(2026, 11, 15, 15, tzinfo=dt.UTC))
    assert "The current deadline stays: Sat 7 Nov 2026 04:00 Asia/Tokyo (Fri 20:00 Europe/Berlin)." in said
    assert "You are absent from 2026-11-12 to 2026-11-15; PRESENT" in words_of(ask(desk, "STATUS"))


def test_today_is_the_players(desk: Desk) -> None:
    """TODAY and TOMORROW in a command are days of the player's own clock."""
    ask(desk, "ZONE Tokyo")
    desk.tick(hours=8)
    said = words_of(ask(desk, "ABSENT TODAY TO TOMORROW"))

    assert desk.now.date() == dt.date(2026, 11, 2)
    assert "You are absent from 2026-11-03 to 2026-11-04." in said


def test_zone_off_and_zone_alone(desk: Desk) -> None:
    """ZONE tells what holds; OFF brings back the clock of each campaign."""
    assert "Your mails tell times in the zone of each campaign." in words_of(ask(desk, "ZONE"))
    ask(desk, "ZONE Athens")
    assert "Your mails tell times in Europe/Athens" in words_of(ask(desk, "ZONE"))
    ask(desk, "ZONE OFF")

    assert zone(desk) == ""


@pytest.mark.parametrize(
    ("offset", "offered"),
    [("+0200", "ZONE Europe/Athens"), ("-0500", "ZONE America/New_York"), ("+0100", ""), ("+0545", ""), ("+0000", "")],
)
def test_a_clock_that_is_another_is_told_once(desk: Desk, offset: str, offered: str) -> None:
    """The first receipt offers the zone of a mail's Date, if that is not the campaign's; a second one does not."""
    report = desk.last(ANN)
    found = []
    for bid in (1, 2):
        shown = (desk.now.astimezone(_zone(offset))).strftime("%a, %d %b %Y %H:%M:%S ") + offset
        desk.post(f"BID {bid}\n", to=report["Reply-To"], headers={"In-Reply-To": report["Message-ID"], "Date": shown})
        desk.answer()
        found.append(re.findall(r"ZONE [A-Z]\w+/\w+", words(desk.last(ANN))))

    assert found == [[offered] if offered else [], []]


def _zone(offset: str) -> dt.timezone:
    hours, minutes = int(offset[:3]), int(offset[3:])
    return dt.timezone(dt.timedelta(hours=hours, minutes=minutes))


def test_a_zone_stays_with_its_person(desk: Desk) -> None:
    """A stranger has none, and nobody else's mails change."""
    assert "nobody's here" in words_of(ask(desk, "ZONE Athens", "eve@example.net")) or zone(desk) == ""
    ask(desk, "ZONE Athens")

    assert zone(desk, BOB) == ""
    desk.tick(hours=24 * 7)
    assert "EET" not in text_of(desk.last(BOB))
    assert "Athens" not in desk.last(BOB).as_string()
