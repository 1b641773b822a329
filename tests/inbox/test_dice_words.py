"""Dice words: requested when a campaign is created, chosen by a player alone, and fixed when it begins."""

from __future__ import annotations

import json
import re
from email.message import EmailMessage
from typing import Any

import pytest

from pbem.actions.base import run_action
from pbem.actions.seats import GiveSeat
from pbem.actions.start import StartCampaign
from pbem.ruleset import seed_hash
from tests.inbox.people import ANN, BOB, CYD, EVE, GM, ask, confirm, form, reports, words
from tests.inbox.trusting import believing, stamp
from tests.toy.home import Desk, text_of

SEAL = seed_hash(b"a seed for tests")


def notice(desk: Desk, to: str = ANN) -> EmailMessage:
    """Return the newest mail about the dice to an address."""
    notices = [
        mail for mail in desk.mails(to) if re.search("first report at the start|created, not started", mail["Subject"])
    ]
    return [mail for mail in notices if not mail["Subject"].startswith("Re:")][-1]


def formed(desk: Desk) -> Desk:
    """Create a campaign that has not begun, and mail its players."""
    form(desk, "red", "blue")
    desk.answer()
    return desk


def drawn(desk: Desk, to: str = ANN) -> str:
    """Return the word that the mail about the dice names."""
    (word,) = re.findall(r"^[a-z0-9]+(?:-[a-z0-9]+)+$", text_of(notice(desk, to)), re.MULTILINE)
    return str(word)


def choose(desk: Desk, line: str, to: str = ANN) -> str:
    """Reply to the mail about the dice; return the text of the answer."""
    desk.reply(notice(desk, to), line)
    desk.answer()
    return words(desk.last(to))


def listed(desk: Desk, to: str = ANN) -> dict[str, Any]:
    """Start the campaign; return the dice in the data of a first report."""
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()
    (data,) = [part for part in reports(desk, to)[-1].iter_attachments() if part.get_filename("").endswith(".json")]
    found: dict[str, Any] = json.loads(data.get_content())["dice"]
    return found


def test_the_seal_is_mailed_when_a_campaign_is_made(desk: Desk) -> None:
    """Each player and the GM have the seal before the start; a player also the word drawn for their seat."""
    formed(desk)

    assert SEAL in text_of(notice(desk, GM))
    assert SEAL in text_of(notice(desk, BOB))
    assert drawn(desk, ANN) != drawn(desk, BOB)


def test_a_reply_chooses_a_word(desk: Desk) -> None:
    """One reply with the line that the mail about the dice names chooses a word."""
    formed(desk)

    assert "Your word for the dice of toy1 is now: my words" in choose(desk, "DICE my words")
    assert listed(desk)["words"] == [["red", "my words"], ["blue", drawn(desk, BOB)]]


def test_the_first_report_lists_all_words(desk: Desk) -> None:
    """The words are in text, HTML and JSON, drawn words marked, beside the seal, for all players alike."""
    formed(desk)
    choose(desk, "DICE Zwölf <Äpfel>")
    told = listed(desk, BOB)
    report = reports(desk, BOB)[-1]

    assert (told["seal"], told["own"]) == (SEAL, ["red"])
    assert f"\n- red: Zwölf <Äpfel>\n- blue: {drawn(desk, BOB)} (drawn)\n" in text_of(report)
    html = report.get_body(("html",))
    assert html is not None
    assert "red: Zwölf &lt;Äpfel&gt;" in html.get_content()
    assert "Zwölf" in words(desk.mails(ANN)[-2])


def test_a_word_may_be_changed_until_the_start(desk: Desk) -> None:
    """The last word chosen before the start counts."""
    formed(desk)
    choose(desk, "DICE first")
    choose(desk, "dice second")

    assert listed(desk)["words"][0] == ["red", "second"]


def test_a_word_after_the_start_is_too_late(desk: Desk) -> None:
    """Neither a reply to the old mail nor one to the report changes the word, and both are told so."""
    formed(desk)
    fixed = listed(desk)

    assert "Not done: it is too late" in choose(desk, "DICE late")
    assert "Not done: it is too late" in ask(desk, "PLAYER toy1 red\nDICE late\nEND")
    assert listed_again(desk) == fixed["words"]


def listed_again(desk: Desk) -> list[list[str]]:
    """Return the words in the record of the set-up."""
    record = json.loads((desk.home / "turns" / "toy1" / "0000" / "turn.json").read_bytes())
    found: list[list[str]] = record["dice"]["words"]
    return found


def test_an_address_alone_chooses_no_word(desk: Desk) -> None:
    """A word from an address alone takes effect once the player has replied to one question."""
    formed(desk)
    asked = ask(desk, "PLAYER toy1 red\nDICE mine\nEND")
    desk.reply(desk.last(ANN), "yes")
    desk.answer()

    assert "did you send this? Reply YES" in desk.mails(ANN)[1]["Subject"]
    assert "DICE mine" in asked
    assert listed(desk)["words"][0] == ["red", "mine"]


@pytest.mark.parametrize("accept", ["token", "code", "verified", "address"])
def test_one_reply_is_enough_under_every_rule(desk: Desk, accept: str) -> None:
    """Before the start there are no tokens; the code of the mail is proof wherever sheets need more."""
    form(desk, "red", "blue", authentication=accept)
    desk.answer()
    asked = ask(desk, "PLAYER toy1 red\nDICE forged\nEND")
    choose(desk, "DICE mine")

    assert "is now" not in asked
    assert listed(desk)["words"][0] == ["red", "mine"]


def test_a_forged_word_does_nothing(desk: Desk) -> None:
    """Without the player's reply, the drawn word stays."""
    formed(desk)
    ask(desk, "PLAYER toy1 red\nDICE forged\nEND")
    ask(desk, "PLAYER toy1 red\nDICE forged\nEND", EVE)

    assert listed(desk)["words"][0] == ["red", drawn(desk)]


def test_a_sender_vouched_for_may_choose(desk: Desk) -> None:
    """The receiving server's verdict is as good as a code."""
    believing(desk)
    formed(desk)
    desk.post("PLAYER toy1 red\nDICE mine\nEND", headers=stamp("pass"))
    desk.answer()

    assert listed(desk)["words"][0] == ["red", "mine"]


def test_a_word_is_short(desk: Desk) -> None:
    """A longer word is refused with the limit, and the one before stays."""
    formed(desk)
    choose(desk, "DICE " + "x" * 40)

    assert "a word for the dice is at most 40 characters" in choose(desk, "DICE " + "y" * 41)
    assert listed(desk)["words"][0] == ["red", "x" * 40]


def test_no_other_word_is_told_before_the_start(desk: Desk) -> None:
    """A chosen word is shown neither to other players, nor to the GM, nor in the journal."""
    formed(desk)
    choose(desk, "DICE swordfish")
    ask(desk, "STATUS", BOB)
    ask(desk, "PLAYER toy1 blue\nHISTORY\nEND", BOB)

    assert not any("swordfish" in bytes(mail).decode() for to in (BOB, GM) for mail in desk.mails(to))


def test_a_player_who_comes_later_is_told_too(desk: Desk) -> None:
    """A player who gets a seat before the start has a mail about the dice too, and may choose."""
    form(desk, "red", open_seats=1, signup="on")
    ask(desk, "JOIN toy1", CYD)
    confirm(desk, CYD)
    choose(desk, "DICE late but here", CYD)

    assert SEAL in text_of(notice(desk, CYD))
    assert listed(desk)["words"][1] == ["blue", "late but here"]


def test_a_former_player_chooses_no_word(desk: Desk) -> None:
    """The code and the word of a player end with the seat."""
    formed(desk)
    choose(desk, "DICE mine")
    run_action(desk.app, "toy1", GiveSeat("red", EVE), desk.now)
    desk.answer()
    desk.reply(notice(desk, ANN), "DICE still mine")
    desk.answer()

    assert listed(desk, EVE)["words"][0] == ["red", drawn(desk, EVE)]


def test_a_mail_that_no_longer_holds_is_not_sent(desk: Desk) -> None:
    """Players of a campaign that was started before its mails went out are not asked for a word."""
    form(desk, "red", "blue")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()

    assert not any("first report at the start" in mail["Subject"] for mail in desk.mails())
    assert "FAIR DICE" in text_of(desk.mails(ANN)[0])
