"""The form at the end of a report counts as a sheet once the player has filled it in, and never before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail.reply_parser import sender_lines
from tests.mail.letters import letter

FORM = ["ORDERS trap7 red k3jq2m5xw7abcdef", "; take the ; off the orders you want", "; MOVE S1 N", "END"]
FILLED = [*FORM[:2], "MOVE S1 N", FORM[3]]
REPORT = ["The Singularity Trap - turn 3", "Orders are due Fri 20 Nov 2026 20:00 CET.", "- S1 moved from A5 to B6.", ""]
OPENINGS = [
    ["On Fri, Nov 20, 2026 at 10:00 AM Play by Email <orders@example.org> wrote:"],
    ["Am 20.11.26 um 10:00 schrieb Play by Email:"],
    ["2026年11月20日(金) 10:00 Play by Email <orders@example.org>:"],
    ["---- On Fri, 20 Nov 2026 10:00:00 +0100 Play by Email <orders@example.org> wrote ----"],
    ["-----Original Message-----", "From: Play by Email", "Sent: Friday", "To: Ann", "Subject: turn 3"],
    ["From: Play by Email", "Sent: Friday", "To: Ann", "Subject: turn 3"],
    ["________________________________", "Von: Play by Email", "Gesendet: Freitag", "An: Ann", "Betreff: turn 3"],
    ["---------- Forwarded message ---------", "From: Play by Email <orders@example.org>", "Date: Friday", "To: Ann"],
    ["------ Mesaj ------", "De la: Play by Email <orders@example.org>", "Trimis: vineri", "Subiect: turn 3"],
]
ORDERS = ["MOVE S1 N 2", "FIRE S2 AT S7", "", "; later", "WAIT", 'NAME S1 "New Hope"']


def original(opening: list[str], form: list[str]) -> list[str]:
    """Return a report below the lines that a mail program puts above it."""
    return [*opening, "", *REPORT, *form]


@pytest.mark.parametrize("opening", OPENINGS)
@given(own=st.lists(st.sampled_from(ORDERS), min_size=1, max_size=6).filter(any), marked=st.booleans())
def test_a_form_below_orders_is_never_a_sheet(opening: list[str], own: list[str], *, marked: bool) -> None:
    """The lines above a report, marked or not, are read; the report is not."""
    below = [*opening, "", *(f"> {line}" for line in [*REPORT, *FORM])] if marked else original(opening, FORM)

    kept, notes = sender_lines([*own, "", *below])

    assert "\n".join(kept).rstrip() == "\n".join(own).rstrip()
    assert notes


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_form_alone_is_no_sheet(opening: list[str]) -> None:
    """A report sent back unchanged, below a telephone's line alone, holds no orders."""
    assert letter("\n".join(["", "Sent from my phone", *original(opening, FORM)])).lines == []


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("above", [[], [""], ["Sent from my phone"], ["-- ", "Ann"]])
def test_a_form_filled_in_is_the_sheet(opening: list[str], above: list[str]) -> None:
    """A report sent back whole, with its form filled in and nothing written above, holds that sheet."""
    read = letter("\n".join([*above, *original(opening, FILLED)]))

    assert read.lines == FILLED
    assert read.notes[0].startswith("The sheet was taken from the earlier mail below ")


def test_a_form_filled_in_between_marks_is_told_of() -> None:
    """Orders in quoted lines are not read, and a note tells the player what to do."""
    read = letter("\n".join(f"> {line}" for line in FILLED))

    assert read.lines == []
    assert read.notes[-1] == 'Orders in quoted lines are not read: take the ">" off them, or write them above.'


@pytest.mark.parametrize("sheet", [FILLED, ["ORDERS trap7 red", "END"], ["ORDERS trap7 red", "WAIT", "END"]])
def test_a_sheet_below_a_greeting_is_a_sheet(sheet: list[str]) -> None:
    """A sheet that the player wrote counts below other words, also an empty one."""
    read = letter("\n".join(["Hello!", "", *sheet]))

    assert read.lines == ["Hello!", "", *sheet]
    assert read.notes == ()


def test_a_form_on_top_is_the_players_own() -> None:
    """A mail of nothing but a form with comments is an empty sheet."""
    assert letter("\n".join(FORM)).lines == FORM
