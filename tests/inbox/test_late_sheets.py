"""Sheets that came after their turn was run: what the GM is told, and the turn run again with one, by its number."""

from __future__ import annotations

from typing import get_args

import pytest
from click.testing import CliRunner

from pbem.actions.base import run_action
from pbem.actions.settings import ChangeGm
from pbem.admin.mail import REASONS, list_messages
from pbem.cli import main
from pbem.report.answers import Reason
from tests.inbox.gms import framed, running
from tests.inbox.people import ANN, BOB, GM, reports, words
from tests.toy.home import GAMES, Desk

__all__ = ["running"]


@pytest.fixture
def late(running: Desk) -> Desk:
    """Return a home in which red's sheet for round 1 came after the round was run, as message 1."""
    report = running.last(ANN)
    running.tick(hours=24 * 5)
    running.reply(report, "Hi!\n\nBID 3\n\nThanks\nAnn")
    running.answer()
    return running


def told(desk: Desk) -> list[str]:
    """Return the mails to the GM about late sheets."""
    return [words(mail) for mail in desk.mails(GM) if "came late" in mail["Subject"]]


def test_the_gm_is_told_once_what_would_have_changed(late: Desk) -> None:
    """The mail has the orders, whose reports would change and both commands; the player reads that the GM knows."""
    late.reply(reports(late, ANN)[0], "BID 3")
    late.answer()

    (said,) = told(late)
    assert "as message 1, after the turn was run. The orders in it: BID 3 toy1: turn 1 would come out so: red:" in said
    assert "RERUN red 1 pbem rerun toy1 --sheet red=inbox:1" in said
    assert "Your GM was told that it came" in words(late.last(ANN))


def test_what_was_shown_is_disclosed(late: Desk) -> None:
    """The next reports say that the round was computed with another sheet, though the GM had not asked."""
    report = words(reports(late, BOB)[-1])
    late.tick(hours=24 * 7)

    assert "was shown what" not in report
    assert "was shown what" in words(reports(late, BOB)[-1])


@pytest.mark.parametrize("text", ["Sorry, I was ill.", "", "BUD 3", "TURN 3\nBID 3"])
def test_what_is_no_sheet_is_not_told(running: Desk, text: str) -> None:
    """Words to an old report bring the GM no mail."""
    report = running.last(ANN)
    running.tick(hours=24 * 5)
    running.reply(report, text)
    running.answer()

    assert not told(running)


def test_a_gm_who_plays_is_shown_no_orders(running: Desk) -> None:
    """They are told that the sheet came, as they might run the round again, and not what stands in it."""
    report = running.last(ANN)
    run_action(running.app, "toy1", ChangeGm(BOB), running.now)
    running.tick(hours=24 * 5)
    running.reply(report, "BID 3")
    running.answer()

    said = words(running.last(BOB))
    assert "RERUN red 1" in said
    assert "BID 3" not in said


def test_the_turn_is_run_again_with_a_message(late: Desk) -> None:
    """By mail the number of the message brings its orders, without its courtesies; it is shown first."""
    assert "WOULD DO: RERUN red 1. Nothing has changed yet." in words(framed(late, "RERUN red 1"))
    late.reply(late.last(GM), "YES")
    late.tick()

    assert "DONE: RERUN red 1." in words(late.last(GM))
    assert "BID 3" in words(late.last(ANN))


def test_a_message_of_another_seat_is_not_read(late: Desk) -> None:
    """Neither by mail nor typed; and with lines below it there would be two sheets."""
    assert "message 1 is none for the seat blue of toy1" in words(framed(late, "RERUN blue 1"))
    assert "message 99 is none for the seat red of toy1" in words(framed(late, "RERUN red 99"))
    assert "are two sheets: take out one" in words(framed(late, "RERUN red 1", "BID 2"))
    line = ["--home", str(late.home), "rerun", "toy1", "--sheet", "blue=inbox:1", "--dry-run"]
    assert "message 1 is none for the seat blue" in CliRunner().invoke(main, line, obj=GAMES).output


@pytest.mark.parametrize("number", ["9" * 30, "\u0661", "x"])
def test_what_is_no_number_is_named(late: Desk, number: str) -> None:
    """Neither a number of thirty digits nor one that is not of this alphabet ends in a traceback."""
    assert f"line 1: RERUN red {number}" in words(framed(late, f"RERUN red {number}"))
    line = ["--home", str(late.home), "rerun", "toy1", "--sheet", f"red=inbox:{number}", "--dry-run"]
    assert f"{number!r} is not a number such as 4" in CliRunner().invoke(main, line, obj=GAMES).output


def test_a_message_is_named_on_the_command_line(late: Desk) -> None:
    """In the place of a file stands its number in the inbox."""
    line = ["--home", str(late.home), "rerun", "toy1", "--sheet", "red=inbox:1", "--dry-run"]

    assert "turn 1 would come out so:\n  red: corrected report" in CliRunner().invoke(main, line, obj=GAMES).output


def test_a_number_behind_a_seat_is_no_turn(late: Desk) -> None:
    """It names a message, and with YES the turn stands behind that; another command takes no number there."""
    assert "message 8 is none for the seat blue" in words(framed(late, "RERUN blue 8"))
    assert "NOT UNDERSTOOD" in words(framed(late, "REMOVE blue 8"))


def test_what_became_of_a_message_is_told_in_words(late: Desk) -> None:
    """The list of messages has no codes of the program: each reason to refuse one has words."""
    (shown,) = list_messages(late.app.store, limit=5).messages

    assert shown.note.startswith("too late: its turn had been run; answered")
    assert REASONS.keys() == set(get_args(Reason))


def test_the_answer_to_a_late_sheet_names_the_campaign(late: Desk) -> None:
    """Its subject has the campaign before that of the message, as each answer about a seat."""
    assert late.last(ANN)["Subject"].startswith("Re: [toy1] ")
