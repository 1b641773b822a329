"""Tests of the host's other mails."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from functools import partial
from typing import get_args

import pytest

from pbem.report import small
from pbem.report.answers import Help, OpenGames, OrderHelp, Reason, Refusal
from pbem.report.notices import Page, Reminder, Welcome
from tests.report.toy import Fair, drawn_lines, reporter

AT = dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC)
WELCOME = Welcome(
    campaign="fair1",
    seat="red",
    token="k3yk3yk3y",
    seats=("red", "blue", "green"),
    game="Toy Fair",
    designer="the tests",
    summary="sealed bids for a prize a round",
    gm="gm@example.org",
    address="orders@example.org",
    schedule="FRI 20:00 Europe/Berlin",
    rules="toy-fair-rules.txt",
    options=("rounds to play, of which each is for a prize that nobody else can have: 9 (usually 12)",),
    seal="ab" * 32,
)
REMINDER = Reminder(
    campaign="fair1",
    seat="red",
    label="round 2",
    deadline=AT,
    zone="Europe/Berlin",
    header="ORDERS fair1 red abcdefghijklmnop",
    address="orders@example.org",
    without="Without orders nothing is bid for you.",
    order_lines=("BID coins",),
)
REFUSAL = Refusal(
    reason="no-orders", address="orders@example.org", campaign="fair1", seat="red", since=AT, until=AT, zone="UTC"
)
HELP = Help(
    address="orders@example.org",
    orders=tuple(OrderHelp(verb.word, "Fair", verb.usage, verb.help, verb.examples) for verb in Fair.orders.verbs),
)
BOUNCED = partial(
    small.mail_returned,
    campaign="fair1",
    seats=("red",),
    recipient="ann@example.org",
    subject="round 2, report for red",
    sent_at=AT,
    zone="Europe/Berlin",
    reason="550 5.1.1 <ann@example.org>: Recipient address rejected: there is no such user here, nor was there ever",
)
PROBLEM = small.turn_failed(
    campaign="fair1", label="round 2", problem="the disk is full", log="log/pbem.log", at=AT, zone="UTC"
)


@pytest.mark.parametrize("page", [WELCOME, REMINDER, REFUSAL, HELP, PROBLEM, BOUNCED()], ids=lambda page: page.page)
def test_pages_fit_a_mail(page: Page) -> None:
    """No drawn line is longer than 78 characters, no gap larger than a line, and the page ends with one line end."""
    mail = reporter().write(page)
    text = mail.text

    assert max(map(len, drawn_lines(mail)), default=0) <= 78
    assert "\n\n\n" not in text
    assert text == text.strip() + "\n"


def test_welcome_has_the_sheet_with_the_token() -> None:
    """A new player gets a sheet to copy, with the token, and the seal of the dice."""
    text = reporter().write(WELCOME).text

    assert "ORDERS fair1 red k3yk3yk3y\n" in text
    assert "\nblue and green. Your GM is gm@example.org.\n" in text
    assert "ab" * 32 in text


def test_reminder_to_a_seat_without_a_sheet() -> None:
    """A seat that sent nothing is told what happens then, and gets its sheet again."""
    text = reporter().write(REMINDER).text

    assert text.startswith("No orders from you yet\n")
    assert "Without orders nothing is bid for you." in text
    assert "ORDERS fair1 red abcdefghijklmnop\n; BID coins\nEND\n" in text


def test_reminder_to_a_seat_that_waits() -> None:
    """A seat whose sheet says WAIT is reminded that the sheet counts and delays the turn."""
    text = reporter().write(replace(REMINDER, counted=2)).text

    assert text.startswith("Your orders wait\n")
    assert "The turn waits for its deadline because of your sheet 2" in text


@pytest.mark.parametrize("reason", get_args(Reason))
def test_each_refusal_says_what_to_do(reason: Reason) -> None:
    """Every reason has its own words, and every answer says how to get help."""
    refusal = replace(REFUSAL, reason=reason, typed="fiar1", hint="did you mean fair1?", sender="eve@example.org")

    text = reporter().write(refusal).text

    title, _, *rest = text.splitlines()
    assert 8 < len(title) <= 28
    assert any(len(line) > 40 for line in rest)
    assert "Reply HELP for the guide" in text


def test_reasons_differ() -> None:
    """No two reasons have the same text."""
    texts = {reporter().write(replace(REFUSAL, reason=reason)).text for reason in get_args(Reason)}

    assert len(texts) == len(get_args(Reason))


def test_unknown_sender_learns_nothing() -> None:
    """Without games that can be joined an unknown sender is told of no campaign, seat or GM."""
    text = reporter().write(OpenGames(address="orders@example.org")).text

    assert "ORDERS CAMPAIGN SEAT TOKEN" in text


def test_wrong_campaign_names_the_nearest() -> None:
    """A misspelt campaign is answered with the nearest name."""
    text = reporter().write(replace(REFUSAL, reason="wrong-campaign", typed="fiar1", hint="did you mean fair1?")).text

    assert "\nThere is no campaign called fiar1 here. Did you mean fair1?\n" in text


def test_refusal_says_what_still_counts() -> None:
    """A refusal says that orders still count, by the time at which they came."""
    at = dt.datetime(2026, 11, 24, 9, 1, tzinfo=dt.UTC)
    mail = reporter().write(replace(REFUSAL, counted=2, counted_at=at, zone="Europe/Berlin"))

    assert "Your orders of Tue 24 Nov, 10:01 CET still count." in mail.text


def test_help_lists_the_orders() -> None:
    """The player guide shows the usage of each order of the reader's game."""
    assert "- BID <coins>: as in " in reporter().write(HELP).text


def test_problem_is_told_to_the_gm() -> None:
    """The GM learns the cause, that nothing was lost, and the commands to go on."""
    text = reporter().write(PROBLEM).text

    assert "\nThe disk is full.\n" in text
    assert "pbem run fair1\n" in text


def test_a_bounce_says_that_nobody_loses_a_seat() -> None:
    """The GM reads why a mail bounced and that seats stay, also for an address without a seat."""
    seated, unseated = (reporter().write(BOUNCED(seats=seats)).text for seats in (("red",), ()))

    assert "Not delivered to ann@example.org\nIt is the address of red." in seated
    assert "\n550 5.1.1 <ann@example.org>: Recipient address rejected" in seated
    assert "The seat stays with its player" in seated
    assert "It is the address of" not in unseated
    assert "No seat is lost" in unseated
