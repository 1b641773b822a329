"""What the player typed is told from what his mail program quoted and signed."""

from __future__ import annotations

import pytest

from tests.post.letters import letter, text

QUOTED = "> Your ships:\n> scout-1 at B6\n"
UNMARKED = "Your ships:\nscout-1 at B6\n"


@pytest.mark.parametrize(
    "attribution",
    [
        "On Fri, Nov 20, 2026 at 10:00 AM Orders <orders@example.org> wrote:",
        "On Fri, Nov 20, 2026 at 10:00 AM Play by Email\n<orders+abcdefgh@example.org>\nwrote:",
        "Am 20.11.26 um 10:00 schrieb Orders:",
        "Am 20.11.2026 schrieb Orders <orders@example.org> folgendes:",
        "Le ven. 20 nov. 2026 à 10:00, Orders <orders@example.org> a écrit\u00a0:",
        "El vie, 20 nov 2026 a las 10:00, Orders (<orders@example.org>) escribió:",
        "Op vr 20 nov. 2026 om 10:00 schreef Orders <orders@example.org>:",
        "-----Original Message-----",
        "-------- Ursprüngliche Nachricht --------",
        "From: Orders <orders@example.org>\nSent: Friday, 20 November 2026\nTo: Ann\nSubject: turn 3",
        "Von: Orders <orders@example.org>\nGesendet: Freitag\nAn: Ann\nBetreff: turn 3",
        "________________________________\nFrom: Orders <orders@example.org>\nSent: Friday\nTo: Ann\nSubject: turn 3",
    ],
)
@pytest.mark.parametrize("original", [QUOTED, UNMARKED])
def test_an_answer_above_the_original(attribution: str, original: str) -> None:
    """Of an answer above the quoted original only the answer is read, in the languages of the mail programs."""
    assert text(f"WAIT\n\n{attribution}\n{original}") == "WAIT"


def test_an_answer_below_the_original() -> None:
    """Below and between lines quoted with ">" the answer is read, as is what stands above."""
    assert text(f"On Friday Orders wrote:\n\n{QUOTED}WAIT\n{QUOTED}BUILD mine") == "WAIT\nBUILD mine"


SHEET = "ORDERS trap7 red code\nWAIT\nEND"
OUTLOOK = "-----Original Message-----\nFrom: Orders\nSent: Friday\nTo: Ann\nSubject: turn 3\n\nYour ships:\n"


def test_a_sheet_filled_in_inside_an_unmarked_original() -> None:
    """If nothing is written above an original that is not marked, the sheet in it has been filled in and is read."""
    assert SHEET in text(f"\n{OUTLOOK}{SHEET}\n{UNMARKED}")


def test_the_empty_sheet_of_an_unmarked_original_is_not_read() -> None:
    """If something is written above the original, the sheet in the original is left out, and a note says so."""
    read = letter(f"MOVE a\n\n--\nAnn\n\n{OUTLOOK}{SHEET}")

    assert read.text == "MOVE a"
    assert read.notes[0].endswith("was left out, with the sheet in it; write your orders above it.")


def test_a_sheet_above_the_sheet_of_an_original() -> None:
    """Of several sheets, each in the original of the one before, the newest is read."""
    assert text(f"{SHEET}\n{OUTLOOK}ORDERS trap7 red code\nEND") == SHEET
    assert text(f"{OUTLOOK}{SHEET}\n{OUTLOOK}{SHEET}").count("WAIT") == 1


@pytest.mark.parametrize(
    "line",
    [
        "_____",
        "From: Kyrr",
        "On wrote:x",
        "Amend: scout",
        "On the wall we wrote",
        "-- wait",
        "---",
        "Le: x",
        "MOVE a > b",
    ],
)
def test_orders_that_look_like_quotations(line: str) -> None:
    """A line that only resembles an attribution or a signature is kept, with all below it."""
    assert text(f"{line}\nWAIT") == f"{line}\nWAIT"


@pytest.mark.parametrize("mark", ["-- ", "--"])
def test_signature(mark: str) -> None:
    """A signature ends the text."""
    read = letter(f"WAIT\n{mark}\nAnn\nMOVE along")

    assert (read.text, read.notes) == ("WAIT", ("The signature was left out.",))


def test_a_sheet_below_two_dashes() -> None:
    """Two dashes above a sheet are no signature."""
    assert "WAIT" in text("Hello\n--\nORDERS trap7 red code\nWAIT\nEND")


@pytest.mark.parametrize(
    "line", ["Sent from my iPhone", "Get Outlook for iOS", "Von meinem iPhone gesendet", "Envoyé de mon iPhone"]
)
def test_what_telephones_add(line: str) -> None:
    """The line that telephones put below a mail is left out."""
    assert text(f"WAIT\n\n{line}") == "WAIT"


def test_notes_tell_what_was_left_out() -> None:
    """The notes count quoted lines and name the line from which an earlier mail was left out."""
    assert letter("WAIT\n> a\n> b\n").notes == ("2 quoted lines were left out.",)
    assert letter("WAIT\n> a\n").notes == ("1 quoted line was left out.",)
    assert letter("WAIT\n-----Original Message-----\nx").notes == (
        "The earlier mail below '-----Original Message-----' was left out.",
    )
