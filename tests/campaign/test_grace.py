"""The grace after a deadline, and notices to late players."""

from __future__ import annotations

import pytest

from pbem.admin.health import home_status
from tests.toy.home import Desk, text_of

ANN, BOB, CYD, GM = "ann@example.org", "bob@example.org", "cyd@example.org", "gm@example.org"
TO_DEADLINE = 106
"""Hours from the start of the campaign, Monday 9:00 UTC, to Friday 20:00 in Berlin."""


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start(rules={"grace": "24h", "hold": "off"}, seats=("red", "blue", "green"))


def send(desk: Desk, to: str, text: str = "BID 1") -> None:
    """Answer the first report of a player."""
    desk.reply(desk.mails(to)[1], text)


def reasons(desk: Desk, *, hours: float) -> list[str]:
    """Tick some hours later; return the reasons of the runs."""
    return [turn.reason for turn in desk.tick(hours=hours).resolved]


def test_the_report_tells_of_the_grace(desk: Desk) -> None:
    """A player knows from the start how long late orders count."""
    text = text_of(desk.mails(ANN)[1])

    assert "\nDue Fri 6 Nov, 20:00 CET\n" in text
    assert "Late orders count until Sat 7 Nov, 20:00 CET\n" in text


def test_a_turn_waits_out_its_grace_for_those_without_a_sheet(desk: Desk) -> None:
    """Without a sheet from green, the turn runs a day after the deadline and not before."""
    send(desk, ANN)
    send(desk, BOB)

    assert reasons(desk, hours=TO_DEADLINE) == []
    assert reasons(desk, hours=23.9) == []
    assert reasons(desk, hours=0.1) == ["deadline"]


def test_without_anybody_late_there_is_no_grace(desk: Desk) -> None:
    """A turn whose sheets are all in runs at its deadline, even if they say WAIT."""
    for player in (ANN, BOB, CYD):
        send(desk, player, "BID 1\nWAIT")
    desk.tick()

    assert reasons(desk, hours=TO_DEADLINE) == ["deadline"]


def test_the_last_late_sheet_ends_the_grace_after_settling(desk: Desk) -> None:
    """Half an hour is left for second thoughts."""
    send(desk, ANN)
    send(desk, BOB)
    desk.tick(hours=TO_DEADLINE)
    send(desk, CYD, "BID 2\nWAIT")

    assert reasons(desk, hours=1) == []
    assert reasons(desk, hours=0.4) == []
    assert reasons(desk, hours=0.1) == ["deadline"]


def test_a_sheet_late_in_the_grace_does_not_prolong_it(desk: Desk) -> None:
    """The settling time ends with the grace."""
    send(desk, ANN)
    send(desk, BOB)
    desk.tick(hours=TO_DEADLINE)
    send(desk, CYD)

    assert reasons(desk, hours=23.9) == []
    assert reasons(desk, hours=0.1) == ["deadline"]


def test_those_who_are_late_are_told_once(desk: Desk) -> None:
    """Late players are told until when they may send; the others are told nothing."""
    send(desk, ANN)
    done = [desk.tick(hours=hours) for hours in (TO_DEADLINE, 1, 1)]

    assert [tick.reminded for tick in done] == [2, 0, 0]
    assert text_of(desk.last(BOB)).startswith("Your orders are late\nToy Auction · toy1 · blue · round 1\n")
    assert "Orders still count until Sat 7 Nov, 20:00 CET\n" in text_of(desk.last(BOB))
    assert "late" not in desk.last(ANN)["Subject"]


def test_late_notices_follow_reminders(desk: Desk) -> None:
    """A player who was reminded a day before the deadline is told again when it has passed."""
    send(desk, ANN)
    send(desk, BOB)

    assert [desk.tick(hours=hours).reminded for hours in (TO_DEADLINE - 24, 24)] == [1, 1]
    assert "late: orders still count, until" in desk.last(CYD)["Subject"]


def test_a_late_notice_can_be_answered_with_orders(desk: Desk) -> None:
    """The receipt says that the deadline has passed, and that the sheet counts."""
    send(desk, ANN)
    desk.tick(hours=TO_DEADLINE)
    desk.reply(desk.last(BOB), "BID 2")
    desk.tick(hours=1)

    text = text_of(desk.last(BOB))
    assert text.startswith("Your order is in\n")
    assert "\nThe deadline was Fri 6 Nov, 20:00 CET. Your orders still count." in text
    assert " Late orders count until Sat 7 Nov, 20:00 CET.\n" in text


def test_the_gm_is_told_who_is_late(desk: Desk) -> None:
    """When the deadline has passed the GM gets one digest."""
    send(desk, ANN)
    desk.tick(hours=TO_DEADLINE)
    desk.tick(hours=1)

    digests = [mail for mail in desk.mails(GM) if "sheets missing" in mail["Subject"]]
    assert len(digests) == 1
    assert "- Without a sheet: blue and green\n" in text_of(digests[0])
    assert "- With a sheet: red\n" in text_of(digests[0])


def test_where_all_are_told_everybody_learns_who_is_late(desk: Desk) -> None:
    """With late-list=players, the others learn which seats are late, and the late learn which others are."""
    desk.set_rules(late_list="players")
    send(desk, ANN)
    desk.tick(hours=TO_DEADLINE)

    assert "The turn waits for blue and green, until" in text_of(desk.last(ANN)).replace("\n", " ")
    assert "Late besides you: green." in text_of(desk.last(BOB)).replace("\n", " ")


def test_a_public_reminder_names_who_is_missing(desk: Desk) -> None:
    """With late-list=players, a reminder names the seats without a sheet; otherwise it says nothing of others."""
    send(desk, ANN)
    desk.set_rules(late_list="players")
    desk.tick(hours=TO_DEADLINE - 24)

    assert "Also awaited: green." in text_of(desk.last(BOB)).replace("\n", " ")


def test_status_tells_the_grace(desk: Desk) -> None:
    """The GM sees until when late sheets count."""
    campaign = home_status(desk.app, "toy1").campaigns[0]

    assert campaign.deadline is not None
    assert campaign.closes is not None
    assert (campaign.closes - campaign.deadline).total_seconds() == 24 * 3600
