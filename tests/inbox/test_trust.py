"""Authentication of sheets: the seat of a message, and whether the sheet is accepted."""

from __future__ import annotations

import pytest

from tests.inbox.people import form, words
from tests.inbox.trusting import ANN, BOB, EVE, SHEET, code, token, version_taken
from tests.toy.home import Desk, text_of


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def answered(desk: Desk, to: str = ANN) -> str:
    """Tick, and return the text of the one mail that an address gets then; "" if none."""
    before = len(desk.mails(to))
    desk.answer()
    new = desk.mails(to)[before:]
    assert len(new) <= 1
    return text_of(new[0]) if new else ""


def test_a_framed_sheet_from_the_seats_address_is_taken(desk: Desk) -> None:
    """The seat's own address is proof enough."""
    desk.post(SHEET)

    assert version_taken(answered(desk)) == 1


def test_addresses_are_compared_case_blind(desk: Desk) -> None:
    """ANN@Example.ORG is ann@example.org."""
    desk.post(SHEET, sender="ANN@Example.ORG")

    assert version_taken(answered(desk)) == 1


def test_the_token_is_proof_from_any_address(desk: Desk) -> None:
    """A sheet with the token is taken from any address, and its receipt goes to the seat's own address."""
    desk.post(f"ORDERS toy1 red {token(desk).upper()}\nBID 3\nEND", sender=EVE)

    assert version_taken(answered(desk)) == 1
    assert desk.mails(EVE) == []


@pytest.mark.parametrize("way", ["to", "subject", "in_reply_to"])
def test_any_one_way_of_the_code_is_enough(desk: Desk, way: str) -> None:
    """A plain reply finds its seat by plus-address, by subject tag, or by the Message-ID it answers."""
    kept = {"to": "orders@example.org", "subject": "Re: your mail", "in_reply_to": "<lost@example.org>"}
    del kept[way]
    desk.reply(desk.last(), "BID 3", sender=EVE, **kept)

    assert version_taken(answered(desk)) == 1


def test_a_reply_to_a_receipt_finds_the_seat(desk: Desk) -> None:
    """A receipt has the report in its thread, so that a mail program's References lead back to it."""
    desk.reply(desk.last(), "BID 3")
    desk.answer()
    desk.post("BID 4", headers={"References": str(desk.last()["References"]).replace("\n", " ")})

    assert version_taken(answered(desk)) == 2


def test_the_code_in_the_header_is_proof(desk: Desk) -> None:
    """The prepared sheet of a report may be sent from any address."""
    desk.post(f"ORDERS toy1 red {code(desk)}\nBID 3\nEND", sender=EVE)

    assert version_taken(answered(desk)) == 1


def test_a_wrong_key_from_the_right_address_is_noted(desk: Desk) -> None:
    """A sheet whose header still has the word TOKEN is taken from the seat's address, with a note."""
    desk.post("ORDERS toy1 red TOKEN\nBID 3\nEND")

    text = answered(desk)

    assert version_taken(text) == 1
    assert "neither your token nor the code" in " ".join(text.split())


@pytest.mark.parametrize("key", ["", "TOKEN", "aaaaaaaaaaaaaaaa"])
def test_a_stranger_takes_nothing_and_the_seat_is_told(desk: Desk, key: str) -> None:
    """Without proof nothing is taken; the seat's own address gets a warning with the sender."""
    desk.post(f"ORDERS toy1 red {key}\nBID 3\nEND", sender=EVE)

    text = answered(desk)

    assert "rejected: a mail for your seat" in desk.last()["Subject"]
    assert EVE in text
    assert "Nothing has changed." in text


def test_a_player_who_mistakes_the_seat_does_not_tell_their_address(desk: Desk) -> None:
    """The other seat is told that the sender plays here, and not the address."""
    desk.post("ORDERS toy1 blue\nBID 3\nEND")
    desk.answer()

    text = text_of(desk.last(BOB))

    assert "came from someone else who plays here." in " ".join(text.split())
    assert ANN not in text


def test_a_stranger_cannot_tell_what_exists(desk: Desk) -> None:
    """The answer to a stranger is the same whether or not the campaign and seat exist."""
    for number, header in enumerate(["ORDERS toy1 red", "ORDERS toy1 pink", "ORDERS toy9 red"]):
        desk.post(f"{header}\nBID 3\nEND", sender=f"eve{number}@example.net")
    desk.answer()

    texts = {text_of(desk.last(f"eve{number}@example.net")) for number in range(3)}

    assert len(texts) == 1
    assert "toy" not in texts.pop()


def test_a_stranger_is_answered_three_times_a_day(desk: Desk) -> None:
    """The last answer says that it is the last; the next day begins anew."""
    form(desk, "red", name="toy2", open_seats=1, signup="on")
    for number in range(5):
        desk.post(f"hello {number}", sender=EVE)
        desk.answer()
    assert ["This is the last answer today" in words(mail) for mail in desk.mails(EVE)] == [False, False, True]

    desk.post("hello again", sender=EVE)
    desk.tick(hours=24)
    assert len(desk.mails(EVE)) == 4


def test_a_seat_is_warned_three_times_a_day(desk: Desk) -> None:
    """Forgers cannot flood a player with warnings."""
    for number in range(6):
        desk.post(SHEET, sender=f"eve{number}@example.net")
    desk.answer()

    warnings = [mail for mail in desk.mails(ANN) if "rejected: " in mail["Subject"]]
    assert len(warnings) == 3


def test_an_old_code_is_stale(desk: Desk) -> None:
    """A reply to a report of an earlier turn is refused with an explanation."""
    old = desk.last()
    desk.tick(hours=24 * 5)
    desk.reply(old, "BID 3")

    text = " ".join(answered(desk).split())

    assert "Your mail answers a turn that has already run" in text
    assert "toy1 is at round 2 now." in text


def test_an_old_code_in_the_header_is_stale(desk: Desk) -> None:
    """The sheet of an earlier report is stale even from the seat's own address."""
    old = code(desk)
    desk.tick(hours=24 * 5)
    desk.post(f"ORDERS toy1 red {old}\nBID 3\nEND")

    assert "Your mail answers a turn that has already run" in " ".join(answered(desk).split())


def test_the_token_speaks_for_now(desk: Desk) -> None:
    """A whole sheet with the token counts for the open turn, even in the thread of an old report."""
    old, key = desk.last(), token(desk)
    desk.tick(hours=24 * 5)
    desk.reply(old, f"ORDERS toy1 red {key}\nBID 3\nEND")

    assert version_taken(answered(desk)) == 1


def test_text_and_envelope_must_agree(desk: Desk) -> None:
    """A sheet for one seat in a reply to another's report is refused with an explanation."""
    desk.reply(desk.last(BOB), SHEET, sender=BOB)

    text = " ".join(answered(desk, BOB).split())

    assert "could be meant for two seats" in text
    assert answered(desk) == ""


def test_a_code_of_another_seat_in_the_header_disagrees(desk: Desk) -> None:
    """A header that names one seat with the code of another is refused."""
    desk.post(f"ORDERS toy1 red {code(desk, BOB)}\nBID 3\nEND", sender=ANN)

    assert "could be meant for two seats" in " ".join(answered(desk).split())


def test_a_misspelt_campaign_gets_its_nearest(desk: Desk) -> None:
    """A player is told the nearest of their own campaigns."""
    desk.post("ORDERS toy11 red\nBID 3\nEND")

    text = " ".join(answered(desk).split())

    assert "no campaign called toy11" in text
    assert "Possible: toy1." in text


def test_a_misspelt_seat_gets_its_nearest(desk: Desk) -> None:
    """A player is told the nearest seat of the campaign."""
    desk.post("ORDERS toy1 rde\nBID 3\nEND")

    assert "Did you mean red?" in " ".join(answered(desk).split())


def test_a_known_player_without_code_is_asked(desk: Desk) -> None:
    """Orders without header or code may be forged, and only their sender can know; one word takes them."""
    desk.post("BID 3")
    assert "Did you send this?" in answered(desk)

    desk.reply(desk.last(ANN), "YES")
    assert "Your order is in" in answered(desk)


def test_words_of_a_known_player_without_code_are_told_what_to_do(desk: Desk) -> None:
    """Words that are no orders are nobody's sheet; their sender is told how to send one."""
    desk.post("Hello, when is it my turn?")

    text = " ".join(answered(desk).split())

    assert "There were no orders in your mail." in text
    assert "ORDERS toy1 red TOKEN" in text


def test_a_game_that_is_over_takes_no_sheets(desk: Desk) -> None:
    """A late sheet for a finished game is answered."""
    for _ in range(3):
        desk.tick(hours=24 * 8)
    desk.post(SHEET)

    assert "toy1 is over, so your orders do not count." in " ".join(answered(desk).split())


def test_a_stranger_is_answered_again_in_another_week(desk: Desk) -> None:
    """A friend who asks again much later does not meet silence."""
    for _ in range(2):
        desk.post("hello", sender=EVE)
        desk.tick(hours=24 * 7)

    assert len(desk.mails(EVE)) == 2


def test_a_stranger_told_of_help_gets_it(desk: Desk) -> None:
    """HELP, which the answer to a stranger names, is answered."""
    desk.post("hello", sender=EVE)
    desk.answer()
    desk.post("", sender=EVE, subject="HELP")
    desk.answer()

    assert [text_of(mail).split()[0] for mail in desk.mails(EVE)] == ["No", "How"]


def test_a_player_who_writes_for_another_is_not_called_unknown(desk: Desk) -> None:
    """The answer is true of a known player too, and discloses no more than to a stranger."""
    desk.post(SHEET, sender=BOB)

    text = " ".join(answered(desk, BOB).split())

    assert "Your mail names no seat that is played from your address." in text


@pytest.mark.parametrize("shown", ["{token}", "{code}"])
def test_a_key_is_kept_nowhere_in_a_sheet(desk: Desk, shown: str) -> None:
    """A token or code outside its place, in capitals too, is masked in what is stored and archived."""
    key = shown.format(token=token(desk), code=code(desk))
    desk.reply(desk.last(), f"ORDERS toy1 red {key} as you said\nBID 3\n{key.upper()}")
    desk.answer()
    desk.tick(hours=24 * 5)

    kept = (desk.home / "turns" / "toy1" / "0001" / "sheets" / "red-v1.txt").read_text()
    assert kept == "ORDERS toy1 red ******** as you said\nBID 3\n********\n"
