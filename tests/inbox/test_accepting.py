"""Proof that each value of the house rule `authentication` takes, and the answers to messages with less."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbem.store.models import OrderSheet
from tests.inbox.trusting import ANN, BOB, EVE, SHEET, TAKEN, believing, code, rule, stamp, stand_in, token, told
from tests.toy.home import Desk

CODE, TOKEN = "In this campaign an address is not enough", "neither an address nor a reply is enough"
VOUCH, FORGED = "no mail server vouches for it", "says that it did not come from there"

ASKED = "TO CONFIRM: reply with YES, before the turn runs."

GIVEN = {
    "confirm": {"address": ASKED, "vouched": TAKEN, "forged": FORGED, "reply": TAKEN, "code": TAKEN, "token": TAKEN},
    "address": {"address": TAKEN, "vouched": TAKEN, "forged": FORGED, "reply": TAKEN, "code": TAKEN, "token": TAKEN},
    "verified": {"address": VOUCH, "vouched": TAKEN, "forged": FORGED, "reply": TAKEN, "code": TAKEN, "token": TAKEN},
    "code": {"address": CODE, "vouched": CODE, "forged": FORGED, "reply": TAKEN, "code": TAKEN, "token": TAKEN},
    "token": {"address": TOKEN, "vouched": TOKEN, "forged": TOKEN, "reply": TOKEN, "code": TOKEN, "token": TAKEN},
}


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()
    believing(desk)


def send(desk: Desk, proof: str, *, sender: str = ANN) -> None:
    """Post a sheet with one kind of proof."""
    verdict = {"vouched": "pass", "forged": "fail"}.get(proof, "none")
    key = {"code": code(desk), "token": token(desk)}.get(proof, "")
    to = f"orders+{code(desk)}@example.org" if proof == "reply" else "orders@example.org"
    desk.post(f"ORDERS toy1 red {key}\nBID 3\nEND", sender=sender, to=to, headers=stamp(verdict))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("accept", GIVEN)
def test_a_policy_takes_what_it_says(desk: Desk, accept: str) -> None:
    """Each policy takes the proofs it names from the seat's own address; refusals go to that address alone."""
    rule(desk, authentication=accept)
    said = {}
    for proof, expected in GIVEN[accept].items():
        send(desk, proof)
        answers = told(desk)
        assert answers.keys() == {ANN}
        said[proof] = TAKEN if answers[ANN].startswith(TAKEN) else expected if expected in answers[ANN] else ""

    assert said == GIVEN[accept]


@pytest.mark.parametrize(("accept", "expected"), [("verified", TAKEN), ("code", TAKEN), ("token", TOKEN)])
def test_a_reply_from_elsewhere_is_answered_where_the_seat_is_played(desk: Desk, accept: str, expected: str) -> None:
    """Taken or not, a reply from another address is answered to the player and not to its sender."""
    rule(desk, authentication=accept)
    send(desk, "reply", sender=EVE)
    answers = told(desk)

    assert answers.keys() == {ANN}
    assert expected in answers[ANN]


def test_forged_messages_bring_few_warnings(desk: Desk) -> None:
    """Forged messages cannot flood the owner of the address with warnings."""
    for number in range(6):
        desk.post(f"ORDERS toy1 red\nBID {number}\nEND", headers=stamp("fail"))
    before = len(desk.mails(ANN))
    desk.answer()

    assert [mail["Subject"] for mail in desk.mails(ANN)[before:]] == ["[toy1] rejected: a mail for your seat"] * 3


def test_only_the_configured_server_is_believed(desk: Desk) -> None:
    """The verdict of any other server is ignored, as anyone can write it."""
    rule(desk, authentication="verified")
    desk.post(SHEET, headers={"Authentication-Results": "mx.example.net; dmarc=pass"})

    assert VOUCH in told(desk)[ANN]


def test_a_deputy_sends_sheets_from_their_own_address(desk: Desk) -> None:
    """A present deputy's address is proof; player and deputy get the receipt, and the sheet is marked as a deputy's."""
    stand_in(desk, EVE, first=-1, last=1)
    desk.post(SHEET, sender=EVE)
    answers = told(desk)

    assert answers.keys() == {ANN, EVE}
    assert all(f"The sheet came from {EVE}, who stands in" in text for text in answers.values())
    with desk.app.store.reading() as session:
        assert session.scalars(select(OrderSheet.author)).all() == ["deputy"]


@pytest.mark.parametrize(("first", "last"), [(-3, -1), (1, 3), (-3, 0)])
@pytest.mark.parametrize("proof", ["address", "reply", "code"])
def test_a_past_or_future_deputy_sends_no_sheets(desk: Desk, first: int, last: int, proof: str) -> None:
    """A past or future deputy is told the time, and the player of the attempt; a code they were shown does not help."""
    stand_in(desk, EVE, first=first, last=last)
    send(desk, proof, sender=EVE)
    answers = told(desk)

    assert answers.keys() == {ANN, EVE}
    assert "You may send orders for red in toy1 from " in answers[EVE]
    assert f"came from {EVE}" in answers[ANN]


def test_the_token_is_valid_for_a_past_deputy(desk: Desk) -> None:
    """A token given to a past deputy works until it is changed; the receipt goes to the player alone."""
    stand_in(desk, EVE, first=-3, last=-1)
    send(desk, "token", sender=EVE)

    assert told(desk).keys() == {ANN}


@pytest.mark.parametrize(("accept", "proof"), [("code", "address"), ("token", "code"), ("verified", "address")])
def test_the_policy_holds_for_deputies(desk: Desk, accept: str, proof: str) -> None:
    """If the player's own address does not suffice, the deputy's does not either; the player is told."""
    rule(desk, authentication=accept)
    stand_in(desk, EVE, first=-1, last=1)
    send(desk, proof, sender=EVE)
    answers = told(desk)

    assert answers.keys() == {ANN}
    assert "Nothing has changed." in answers[ANN]


def test_a_deputy_asks_for_nothing_else(desk: Desk) -> None:
    """A deputy may send sheets, not give the seat away."""
    stand_in(desk, EVE, first=-1, last=1)
    desk.post(f"PLAYER toy1 red {code(desk)}\nLEAVE\nEND", sender=EVE)

    assert "Everything else is for its player to ask" in told(desk)[EVE]


@pytest.mark.parametrize(("sender", "done"), [(ANN, True), (EVE, False)])
def test_an_old_report_changes_nothing_but_from_its_seats_address(desk: Desk, sender: str, done: bool) -> None:
    """The code of an earlier turn does not let others who were shown that report pause its seat."""
    old = code(desk)
    for seat in ("red", "blue"):
        desk.post(f"ORDERS toy1 {seat}\nBID 0\nEND", sender=ANN if seat == "red" else BOB)
    desk.tick(hours=24 * 5)
    desk.post("PAUSE", sender=sender, to=f"orders+{old}@example.org")

    assert ("answers a turn that has already run" not in told(desk)[ANN]) == done


@pytest.mark.parametrize(
    ("accept", "done"),
    [("address", True), ("code", False), ("token", False), ("verified", False)],
)
def test_the_policy_holds_for_requests(desk: Desk, accept: str, done: bool) -> None:
    """Proof that does not suffice for a sheet does not suffice for a change."""
    rule(desk, authentication=accept)
    desk.post("PLAYER toy1 red\nMUTE blue\nEND")

    assert ("Nothing has changed." not in told(desk)[ANN]) == done
