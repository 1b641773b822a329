"""The player guide as its reader obeys it: each command in it is mailed, and does what its line says."""

from __future__ import annotations

import re

import pytest

from tests.inbox.people import ANN, ask, reports, words
from tests.toy.home import Desk, prepared, text_of

DONE = {
    "EXTEND": "more time is noted",
    "ABSENT 24.12. TO 27.12.": "absent from 2026-12-24 to 2026-12-27",
    "DEPUTY bob@example.org UNTIL 6 Jan": "bob@example.org",
    "PAUSE": "Did you send this?",
    "LEAVE": "Did you send this?",
    "PRESS TO blue\nLet us deal.": "goes by mail at once to blue",
    "ASK GM\nMay I bid twice?": "Mailed to your GM",
    "NEWS\nAll is well.": "newspaper",
    "DIARY\nI bid low.": "diary",
    "MUTE blue": "UNMUTE",
    "FORMAT TEXT": "text",
    "FORMAT PAGE": "page",
    "FORMAT CALENDAR": "calendar",
    "ZONE Athens": "Europe/Athens",
    "RESEND FULL": "WHAT YOU KNOW NOW",
    "STATUS": "round 1",
}
"""The commands of the guide's first part as they are sent, and a part of the answer to each."""

ALSO = {
    "RESUME": "Did you send this?",
    "UNMUTE blue": "blue",
    "FORMAT HTML": "HTML",
    "FORMAT LINK": "link",
    "FORMAT NOPAGE": "page",
    "FORMAT NOCALENDAR": "calendar",
    "ZONE OFF": "zone of each campaign",
    "RESEND 1": "WHAT YOU KNOW NOW",
    "JOURNAL": "toy1",
    "PRESS TO ALL\nHello all.": "goes by mail at once to all other seats",
    "HELP BID": "BID",
    "HELP alpine": "In alpine: R, then Y",
    "HELP Claws Mail": "In claws-mail: Ctrl+R",
    "RULES orders": "order",
}
"""Commands that stand within its sentences."""


@prepared
def begin(desk: Desk) -> None:
    """Start a campaign whose house rules allow all that the guide speaks of."""
    desk.start(rules={"press": "signed"})


@pytest.fixture
def guide(desk: Desk) -> str:
    """Return the guide as it is mailed in answer to a report."""
    begin(desk)
    desk.reply(reports(desk, ANN)[0], "HELP")
    desk.answer()
    return text_of(desk.last())


def test_each_command_of_the_guide_is_tried(guide: str) -> None:
    """No command stands in the guide's first part that the next test does not mail."""
    first = guide.partition("NO TIME?")[2].partition("ALL COMMANDS")[0]

    assert re.findall(r"^- ([A-Z][^:]*):", first, re.MULTILINE) == [line.partition("\n")[0] for line in DONE]


@pytest.mark.parametrize("typed", [*DONE, *ALSO])
def test_a_command_of_the_guide_does_what_it_says(desk: Desk, typed: str) -> None:
    """Mailed in reply to a report, each command is understood, and answered by what it does."""
    begin(desk)
    if typed == "UNMUTE blue":
        desk.reply(reports(desk, ANN)[0], "MUTE blue")
        desk.answer()
    before = len(desk.mails(ANN))
    desk.reply(reports(desk, ANN)[0], typed)
    desk.answer()

    told = " ".join(map(words, desk.mails(ANN)[before:]))
    assert (DONE | ALSO)[typed] in told
    assert not re.search("Not understood|Not done|There is no (?:order|command)", told)


def test_the_guide_begins_with_a_turn_in_three_mails(guide: str) -> None:
    """Report, orders and receipt of the reader's own game stand within the first 45 lines."""
    top = "\n".join(guide.splitlines()[:45])

    assert "Subject: [toy1] round" in top
    assert "\nHi,\nBID " in top
    assert 'Not orders: "Hi,", "Thanks, Ann".' in top
    assert "That is all." in top


def test_cryptography_stands_at_the_end(guide: str) -> None:
    """Nothing is said of seals, digests, records and hashes above the part on what goes wrong."""
    above = guide.partition("WHEN SOMETHING GOES WRONG")[0]

    assert re.findall(r"\b(?:seal\w*|digest|record|hash\w*)\b", above) == []


def test_the_example_of_the_guide_is_accepted(desk: Desk, guide: str) -> None:
    """The letter of the example, sent as it stands, brings a receipt with its two courtesies."""
    letter = guide.partition("above everything else:\n\n")[2].partition("\n\nThe receipt")[0]
    desk.reply(reports(desk, ANN)[0], letter)
    desk.answer()

    assert desk.last()["Subject"].startswith("[toy1] orders in: ")
    assert 'Not orders: "Hi,", "Thanks, Ann".' in words(desk.last())


def test_the_form_sent_back_unchanged_changes_nothing(desk: Desk) -> None:
    """Orders that count stay, and the answer says so."""
    begin(desk)
    report = reports(desk, ANN)[0]
    desk.reply(report, "BID 3")
    desk.answer()
    form = text_of(report).partition("\nORDERS ")[2].partition("\nEND")[0]
    desk.post(f"ORDERS {form}\nEND", sender=ANN)
    desk.answer()

    assert "You sent the form as it came, so nothing has changed." in words(desk.last())
    assert "still count" in words(desk.last())


def test_a_plain_yes_is_no_order(desk: Desk) -> None:
    """A courtesy alone changes nothing either."""
    begin(desk)

    assert "There were no orders in your mail." in " ".join(ask(desk, "Thanks, nice game!").split())
