"""Tests of the host's mails about people."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from pbem.inbox.command_parser import REFERENCE
from pbem.report import small
from pbem.report.answers import (
    Answer,
    CommandResult,
    Confirmation,
    ConfirmationKind,
    ConfirmSender,
    FindingWithLine,
    Help,
)
from pbem.report.notices import Notice, Page
from tests.report.toy import drawn_lines, reporter

ANSWER = Answer(
    address="orders@example.org",
    done=(
        CommandResult("STATUS", "fair1: all is well.\n\nfair2: " + "and so it goes on " * 9),
        CommandResult("PAUSE", "Your seat is paused."),
    ),
    findings=(FindingWithLine(3, "error", "MUET blue", "'MUET' is not an order", "did you mean MUTE?"),),
    notes=("The signature was left out.",),
)
CONFIRMATION = Confirmation(
    kind="join",
    code="abcdefghijklmnop",
    address="orders@example.org",
    days=14,
    campaign="fair1",
    seat="red",
    game="Toy Fair",
    summary="sealed bids for a prize a round",
    schedule="FRI 20:00 Europe/Berlin",
    gm="gm@example.org",
    about="ann@example.org",
    until="2026-12-24",
)
NOTICE = Notice(
    subject="red has a new player",
    blocks=("The seat red of fair1 has a new player. " * 5, "It is ann."),
)
WHICH = small.which_seat(
    address="orders@example.org", frame="PLAYER", lines=("PAUSE",), seats=(("fair1", "red"), ("fair2", "blue"))
)
QUESTION = ConfirmSender(
    address="orders@example.org",
    sender="ann@example.org",
    excerpt="PRESS TO blue\n" + "I shall betray you. " * 9,
    days=14,
    campaign="fair1",
    seat="red",
    gm="gm@example.org",
)
HELP = Help(address="orders@example.org", commands=REFERENCE)


@pytest.mark.parametrize(
    "page",
    [
        ANSWER,
        replace(ANSWER, done=()),
        replace(ANSWER, findings=(), notes=()),
        NOTICE,
        replace(NOTICE, to_gm=True),
        WHICH,
        QUESTION,
        replace(QUESTION, orders=True),
        replace(QUESTION, weighty=True, last=True),
        replace(QUESTION, campaign="", seat="", gm=""),
        HELP,
    ],
    ids=lambda page: page.page,
)
def test_pages_fit_a_mail(page: Page) -> None:
    """No drawn line is longer than 78 characters, no gap larger than a line, and the page ends with one line end."""
    mail = reporter().write(page)
    text = mail.text

    assert max(map(len, drawn_lines(mail)), default=0) <= 78
    assert "\n\n\n" not in text
    assert text == text.strip() + "\n"


@pytest.mark.parametrize("kind", get_args(ConfirmationKind))
def test_each_confirmation_says_what_it_is_for(kind: ConfirmationKind) -> None:
    """Every kind has its own words, with the code to be sent back."""
    text = reporter().write(replace(CONFIRMATION, kind=kind)).text

    assert "send CONFIRM abcdefghijklmnop to orders@example.org." in text
    assert "\n\n\n" not in text


def test_confirmations_differ() -> None:
    """No two kinds have the same text."""
    texts = {reporter().write(replace(CONFIRMATION, kind=kind)).text for kind in get_args(ConfirmationKind)}

    assert len(texts) == len(get_args(ConfirmationKind))


def test_an_answer_tells_command_by_command() -> None:
    """Each command is above its result, a paragraph a line; lines that were not understood come last."""
    text = reporter().write(ANSWER).text

    assert text.startswith("Not all was understood\n")
    assert "\n\nSTATUS\n\nfair1: all is well.\n\nfair2: and so it goes on" in text
    assert "\n\nPAUSE\n\nYour seat is paused.\n" in text
    assert "\n\nMUET blue\n\n'MUET' is not an order. Did you mean MUTE?\n" in text


def test_the_player_guide_lists_every_command() -> None:
    """HELP shows the usage and the help of each command."""
    text = reporter().write(HELP).text

    assert all(f"- {usage}: {' '.join(help_.split()[:5])}" in text for usage, help_ in REFERENCE)
