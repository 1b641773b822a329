"""Lines that lists, scanners and companies put into a mail are not the sender's, and are named."""

from __future__ import annotations

import pytest

from tests.mail.letters import letter, multipart, part, text

RULE = "_______________________________________________"
LISTS = {
    "Mailman 2": f"{RULE}\nClub mailing list\nClub@lists.example.org\nhttps://lists.example.org/mailman/listinfo/club",
    "Mailman 3": f"{RULE}\nClub -- club@lists.example.org\nTo unsubscribe send an email to leave@lists.example.org",
    "Groups.io": "-=-=-=-=-=-=-=-=-=-\nGroups.io Links: All messages sent to this group.\n-=-=-=-=-=-=-=-=-=-",
    "L-Soft": "########################\n\nTo unsubscribe from the CLUB list, click the following link:\nhttps://example.org/w",
    "German": "====================\nMailingliste des Clubs; zum Abmelden: https://lists.example.org/club",
}


@pytest.mark.parametrize("footer", LISTS.values(), ids=LISTS.keys())
def test_the_footer_of_a_list_is_left_out(footer: str) -> None:
    """Below the text, or as a second part, which Mailman makes where it cannot change the first."""
    body, kind = multipart("mixed", part("BID 3\r\n"), part(footer, "Content-Disposition: inline"))

    for read in (letter(f"BID 3\n{footer}\n"), letter(body, kind)):
        assert read.lines == ["BID 3"]
        assert read.notes == ("The mailing list's footer was left out.",)


def test_a_second_part_without_words_of_lists_counts() -> None:
    """Apple Mail breaks a text where a picture stands in it."""
    body, kind = multipart("mixed", part("BID 3\r\n"), part("WHISPER blue deal", "Content-Disposition: inline"))

    assert list(filter(None, letter(body, kind).lines)) == ["BID 3", "WHISPER blue deal"]


def test_a_rule_above_a_sheet_begins_no_footer() -> None:
    """Words of lists do not take a sheet away that stands below them."""
    lines = f"{RULE}\nThe mailing list is down.\nORDERS toy1 red\nBID 3\nEND"

    assert text(lines) == lines


SCANNERS = {
    "Avast": "---\nThis email has been checked for viruses by Avast antivirus software.\nwww.avast.com",
    "Avast in German": "---\nDiese E-Mail wurde von Avast-Antivirussoftware auf Viren geprüft.\nhttps://www.avast.com/antivirus",
    "Avast in French": "L'absence de virus dans ce courrier électronique a été vérifiée par Avast.\nhttps://www.avast.com",
    "AVG": "No virus found in this message.\nChecked by AVG - www.avg.com\nVersion: 2014.0.4161 / Virus Database: 3722",
    "ESET": "__________ Information from ESET NOD32, version 4563 __________\n\nThe message was checked by ESET.\n\n"
    "http://www.eset.com",
    "MailScanner": "This message has been scanned for viruses and\ndangerous content by MailScanner, and is\nclean.",
    "Symantec": f"{RULE}\nThis email has been scanned by Symantec.\nFor more information visit us\n{RULE}",
}


@pytest.mark.parametrize("said", SCANNERS.values(), ids=SCANNERS.keys())
def test_what_a_virus_scanner_says_is_left_out_and_named(said: str) -> None:
    """Its sentences go, also where they are broken, with the rules and links that belong to them."""
    read = letter(f"BID 3\n\n{said}\n", "Content-Type: text/plain; charset=utf-8")

    assert read.lines == ["BID 3"]
    assert all(note.startswith("The line ") for note in read.notes)
    assert read.notes


OUTSIDE = "CAUTION: This email originated from outside of the organization. Do not click links or open attachments."
BANNERS = {
    "one line": OUTSIDE,
    "broken": f"{OUTSIDE[:71]}\n{OUTSIDE[72:]}",
    "a tag": "[EXTERNAL]",
    "stars": "*** EXTERNAL EMAIL ***",
    "first contact": "You don't often get email from ann@example.org. Learn why this is important",
    "German": "ACHTUNG: Diese E-Mail stammt von außerhalb der Firma.",
}


@pytest.mark.parametrize("banner", BANNERS.values(), ids=BANNERS.keys())
def test_a_banner_on_mail_from_outside_is_left_out(banner: str) -> None:
    """It stands above the text, mostly with a blank line between, in HTML without."""
    for gap in ("\n", "\n\n"):
        assert text(f"{banner}{gap}BID 3", "Content-Type: text/plain; charset=utf-8") == "BID 3"


@pytest.mark.parametrize(
    "said",
    [
        "Warning: the external walls of Rome are weak",
        "external",
        "I march on 24.12.2026, and the virus is free",
        "Virus-free. www.avast.com\nmove the fleet",
    ],
)
def test_a_sentence_of_the_same_words_is_typed(said: str) -> None:
    """A line of free words keeps what only resembles a banner, and what stands below a scanner's line."""
    assert text(said).split("\n")[-1] == said.split("\n")[-1]


UNKNOWN = {
    "no word": "orders@example.org 2026/11/20 17:21",
    "another language": "2026-11-20 17:21 orders+abcdefgh234567ab@example.org dixit",
    "two lines": "20/11/2026, 17h21, Orders\n<orders@example.org> igorre du",
}


@pytest.mark.parametrize("attribution", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_an_attribution_in_unknown_words_names_where_the_mail_went(attribution: str) -> None:
    """The address to which a reply goes, beside a date and a time, stands above the mail that it answers."""
    assert text(f"BID 3\n\n{attribution}\nBID 7") == "BID 3"


def test_an_address_without_a_time_is_no_attribution() -> None:
    """Who mentions the address in a sentence loses nothing below it."""
    said = "I mailed orders@example.org on 20.11.2026 but got no answer.\nBID 7"

    assert text(f"BID 3\n\n{said}") == f"BID 3\n\n{said}"


def test_what_notmuch_adds_to_a_quotation_is_left_out() -> None:
    """Its lines for parts that are no text stand without a mark below the quotation."""
    lines = "> Turn 3\nNon-text part: image/png\nAttachment: turn.json (application/json)\nBID 3"

    assert text(lines).strip() == "BID 3"
