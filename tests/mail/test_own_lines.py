"""The lines that a player typed are told from those that a mail program quoted and added."""

from __future__ import annotations

import pytest

from tests.mail.letters import letter, text

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


FORMS = {
    "Yahoo, original behind it": "On Fri, Nov 20, 2026 at 10:00, Pbem<orders@example.org> wrote:   Round 1.",
    "address and no date": "orders@example.org wrote:",
    "name, address and no date": "Pbem <orders@example.org> wrote:",
    "no colon": "On Fri, 20 Nov 2026 10:00:00 +0100 Pbem <orders@example.org> wrote",
    "no colon, two lines": "Am Freitag, 20. November 2026 um 10:00 Play by Email\nPbem <orders@example.org> schrieb",
    "Gmail of 2016": "2026-11-20 17:21 GMT+01:00 Play by Email <orders@example.org>:",
    "Gmail of 2016, nothing but the name": "2026-11-20 17:21 GMT+01:00 Play by Email",
    "Gmail of 2013": "2026/11/20 Play by Email <orders@example.org>",
    "Samsung, all on one line": "-------- Original message --------From: Pbem <orders@example.org> "
    "Date: 20/11/2026  10:00  (GMT+01:00) To: ann@example.org Subject: turn 3 ",
    "Yahoo, all on one line": "  ----- Forwarded Message ----- From: Pbem <orders@example.org>To: Ann "
    "<ann@example.org>Sent: Friday Subject: turn 3",
    "Yahoo, line by line": "   ----- Forwarded Message ----- From: Pbem <orders@example.org>\n To: Ann\n Sent: Friday",
    "two fields": "From: Pbem <orders@example.org>\nDate: Fri, 20 Nov 2026 10:00:00 +0100",
    "Orange": "Message du : 20/11/2026 10:00\nDe : Pbem <orders@example.org>\nCopie à : \nSujet :  turn 3",
    "iPhone, Arabic": "في ٢٠ نوفمبر ٢٠٢٦، الساعة ١٠:٠٠ ص، كتب Pbem <orders@example.org>:",
    "iPhone, Hebrew": "\u200fב-20 בנוב׳ 2026, בשעה 10:00, ‏Pbem <orders@example.org> כתב/ה:",
    "iPhone, Greek": "Στις 20 Νοε 2026, στις 10:00, ο χρήστης Pbem έγραψε:",
    "iPhone, Vietnamese": "Vào 20 thg 11, 2026, lúc 10:00, Pbem đã viết:",
    "iPhone, Indonesian": "Pada 20 Nov 2026, pukul 10.00, Pbem menulis:",
    "iPhone, Thai": "ในวันที่ 20 พ.ย. 2026 เวลา 10:00 Pbem เขียนว่า:",
    "iPhone, Catalan": "El dia 20 nov 2026, a les 10:00, Pbem va escriure:",
    "iPhone, Ukrainian": "20 лист. 2026 р. о 10:00 Pbem <orders@example.org> пише:",
    "iPhone, Croatian": "Dana 20. stu 2026. u 10:00 Pbem je napisao:",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("original", [QUOTED, UNMARKED])
def test_forms_of_all_kinds(form: str, original: str) -> None:
    """Other programs' lines above an original are recognised as well, whether that is marked or not."""
    assert text(f"WAIT\n\n{form}\n\n{original}") == "WAIT"


def test_initials_as_marks() -> None:
    """Lines with their writer's initials before them are quoted (The Bat!, Supercite), if there are several."""
    assert text("WAIT\n\nPbE> Your ships:\nPbE>\nPbE>> scout-1 at B6\n") == "WAIT"
    assert text("SC> Your ships:\nSC> scout-1\nWAIT\n    SC> at B6") == "WAIT"
    assert text("S1> N\nWAIT") == "S1> N\nWAIT"


def test_bars_as_marks() -> None:
    """Lines that begin with a bar are quoted where they stand below an attribution."""
    attribution = "2026/11/20 Play by Email <orders@example.org>"

    assert text(f"{attribution}\n\n| Your ships:\n|\n| scout-1\nWAIT") == "WAIT"
    assert text("| a map |\nWAIT") == "| a map |\nWAIT"


@pytest.mark.parametrize("bars", ["| Your ships:\n|\n| MOVE S1 N\n", "| Your ships:\n\n| MOVE S1 N |\n"])
def test_bars_without_an_attribution(bars: str) -> None:
    """Neighbouring lines with a bar before them are quoted, wherever they stand; the rows of a table are typed."""
    table = "| S1 | N |\n| S2 | E |\nWAIT"

    assert text(f"WAIT\n{bars}") == text(f"{bars}WAIT") == "WAIT"
    assert text(table) == table


def test_excerpts() -> None:
    """A line that names the writer of the quoted lines below it is left out with them."""
    assert text(f"Excerpts from Play by Email's message of Fri Nov 20 10:00:00 +0100 2026:\n{QUOTED}WAIT") == "WAIT"


NOTMUCH = (
    "Non-text part: text/html\nNon-text part: image/png\nAttachment: trap7 turn-4.png (image/png)\n> BEGIN:VCALENDAR"
)


@pytest.mark.parametrize("mark", ["[...]", "[…]", "(...)", "<snip>", "[Quoted text hidden]", NOTMUCH])
def test_an_original_cut_short(mark: str) -> None:
    """The answer goes on below a mark for an omitted part of the original, as KMail and notmuch write it."""
    attribution = "On Friday, 20 November 2026 10:00:00 CET Orders wrote:"

    assert text(f"{attribution}\n{QUOTED}{mark}\nWAIT") == "WAIT"
    assert text(f"{attribution}\n{mark}\nWAIT") == "WAIT"


@pytest.mark.parametrize("own", ["Il mio ordine", "On we go", "Am liebsten so"])
def test_a_line_that_begins_like_the_attribution_below_it(own: str) -> None:
    """A line that begins like the attribution below it is kept, since that is whole without it."""
    attribution = "Il giorno ven 20 nov 2026 alle ore 10:00 Orders\n<orders@example.org> ha scritto:"

    assert text(f"{own}\n{attribution}\n\n{QUOTED}") == own


def test_a_date_that_begins_an_attribution() -> None:
    """An attribution that begins with a date is recognised right below a line, too."""
    attribution = '20.11.2026 10:00 пользователь "Pbem" <\norders@example.org> написал:'

    assert text(f"WAIT\n{attribution}\n{QUOTED}") == "WAIT"
    assert text(f"ABSENT 20.12.2026\norders@example.org wrote:\n{QUOTED}") == "ABSENT 20.12.2026"


def test_a_forwarded_mail_of_ones_own_on_one_line() -> None:
    """The sender of a forwarded mail is read from the divider's own line, and not from others named there."""
    divider = "----- Forwarded Message ----- From: {} To: {} Sent: Friday Subject: x"

    assert text(f"{divider.format('ann@example.org', 'orders@example.org')}\n\nWAIT") == "WAIT"
    assert text(f"{divider.format('eve@example.org', 'ann@example.org')}\n\nWAIT") == ""


def test_an_answer_below_the_original() -> None:
    """An answer below and between lines quoted with ">" is read, as are lines above them."""
    assert text(f"On Friday Orders wrote:\n\n{QUOTED}WAIT\n{QUOTED}BUILD mine") == "WAIT\nBUILD mine"


SHEET = "ORDERS trap7 red code\nWAIT\nEND"
OUTLOOK = "-----Original Message-----\nFrom: Orders\nSent: Friday\nTo: Ann\nSubject: turn 3\n\nYour ships:\n"


def test_a_sheet_filled_in_inside_an_unmarked_original() -> None:
    """If nothing is written above an original that is not marked, a sheet filled in inside it is read."""
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
    "line",
    [
        *("Sent from my iPhone", "Get Outlook for iOS", "Von meinem iPhone gesendet", "Envoyé de mon iPhone"),
        *(
            "Get [Outlook for Android](https://aka.example/x)",
            "Hent Outlook til iOS",
            "iOS için Outlook uygulamasını edinin",
        ),
        *("<<Sent from my Galaxy>>", "(Sent from a phone)", "Надіслано з iPhone", "Az iPhone-omról küldve"),
        *("Đã gửi từ iPhone của tôi", "[image: map.png][image: chart.png]", "Poslano s mog iPhonea"),
    ],
)
def test_what_telephones_add(line: str) -> None:
    """The line that telephones add below a mail is left out."""
    assert text(f"WAIT\n\n{line}") == "WAIT"


def test_notes_tell_what_was_left_out() -> None:
    """The notes count quoted lines and name the line from which an earlier mail was left out."""
    assert letter("WAIT\n> a\n> b\n").notes == ("2 quoted lines were left out.",)
    assert letter("WAIT\n> a\n").notes == ("1 quoted line was left out.",)
    assert letter("WAIT\n-----Original Message-----\nx").notes == (
        "The earlier mail below '-----Original Message-----' was left out.",
    )
