"""Answers to faulty messages: each case the right answer, to the right address."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbem.app import open_app
from pbem.store.models import Campaign, OrderSheet, Turn, WithdrawnTurns
from tests.inbox.trusting import ANN, BOB, CYD, EVE, TAKEN, code, put_seat, token, told
from tests.toy.home import GAMES, Desk, open_desk

NOBODY = "Your mail names no seat that is played from your address."
RUN = "answers a turn that has already run"
TRIED = "A mail with orders for your seat red in toy1 came from"


@dataclass(frozen=True)
class Try:
    """A message, with words in braces for keys, and the words that each address is told about it."""

    text: str
    answers: dict[str, str]
    sender: str = ANN
    to: str = "orders@example.org"
    subject: str = "orders"
    headers: dict[str, str] = field(default_factory=dict)


CASES = {
    "own address": Try("ORDERS toy1 red\nBID 3\nEND", {ANN: TAKEN}),
    "own address, as HTML mail programs write it": Try("orders TOY1 Red\nbid 3\nend", {ANN: TAKEN}, sender=f"<{ANN}>"),
    "token from elsewhere": Try("ORDERS toy1 red {token}\nBID 3\nEND", {ANN: TAKEN}, sender=EVE),
    "code in the sheet from elsewhere": Try("ORDERS toy1 red {code}\nBID 3\nEND", {ANN: TAKEN}, sender=EVE),
    "code in the address": Try("BID 3", {ANN: TAKEN}, sender=EVE, to="orders+{code}@example.org"),
    "code in the subject": Try("BID 3", {ANN: TAKEN}, sender=EVE, subject="Re: [toy1 {code}] Toy"),
    "spoofed seat": Try("ORDERS toy1 red\nBID 3\nEND", {ANN: TRIED, EVE: NOBODY}, sender=EVE),
    "wrong token": Try("ORDERS toy1 red 00112233445566778899\nBID 3\nEND", {ANN: TRIED, EVE: NOBODY}, sender=EVE),
    "token of another seat": Try("ORDERS toy1 red {bobs}\nBID 3\nEND", {ANN: TRIED, BOB: NOBODY}, sender=BOB),
    "token of another campaign": Try("ORDERS toy1 red {second}\nBID 3\nEND", {ANN: TRIED, CYD: NOBODY}, sender=CYD),
    "another player": Try("ORDERS toy1 red\nBID 3\nEND", {ANN: TRIED, BOB: NOBODY}, sender=BOB),
    "no sender that can be read": Try("ORDERS toy1 red\nBID 3\nEND", {ANN: TRIED}, sender="nobody in particular"),
    "old code in the sheet": Try(
        "ORDERS toy1 red {old}\nBID 3\nEND", {ANN: RUN, "gm@example.org": "after the turn was run"}, sender=EVE
    ),
    "old code in the address": Try(
        "BID 3", {ANN: RUN, "gm@example.org": "after the turn was run"}, to="orders+{old}@example.org"
    ),
    "old code, but the token": Try(
        "ORDERS toy1 red {token}\nBID 3\nEND", {ANN: TAKEN}, sender=EVE, to="orders+{old}@example.org"
    ),
    "code of another seat": Try("ORDERS toy1 red {bobcode}\nBID 3\nEND", {BOB: "for two seats"}, sender=EVE),
    "code of another seat, own address": Try("ORDERS toy1 red {bobcode}\nBID 3\nEND", {ANN: "for two seats"}),
    "code of another campaign": Try("ORDERS toy1 red {code2}\nBID 3\nEND", {ANN: "for two seats"}),
    "codes of two seats": Try(
        "BID 3", {ANN: "codes of two seats"}, to="orders+{code}@example.org", subject="[toy1 {bobcode}]"
    ),
    "a seat that is not there": Try("ORDERS toy1 pink\nBID 3\nEND", {ANN: "no seat called pink"}),
    "a campaign that is not there": Try("ORDERS tyo1 red\nBID 3\nEND", {ANN: "Did you mean toy1?"}),
    "a campaign he is not in": Try("ORDERS toy2 pink\nBID 3\nEND", {BOB: "no campaign called toy2"}, sender=BOB),
    "a campaign that is not there, from a stranger": Try("ORDERS tyo1 red\nBID 3\nEND", {EVE: NOBODY}, sender=EVE),
    "a seat that is not there, by code from elsewhere": Try(
        "ORDERS toy1 pink\nBID 3\nEND", {ANN: "no seat called pink"}, sender=EVE, to="orders+{code}@example.org"
    ),
    "no code": Try("BID 3", {BOB: "Did you send this?"}, sender=BOB),
    "no code, and no orders": Try("Hello there", {BOB: "There were no orders in your mail"}, sender=BOB),
    "a stranger": Try("BID 3", {EVE: NOBODY}, sender=EVE),
    "a code nobody was sent": Try("BID 3", {EVE: NOBODY}, sender=EVE, to="orders+aaaaaaaaaaaaaaaa@example.org"),
    "a reply to a mail nobody was sent": Try("BID 3", {EVE: NOBODY}, sender=EVE, headers={"In-Reply-To": "<x@y>"}),
}


@dataclass(frozen=True)
class Played:
    """A closed home with two campaigns in their second round, the time there, and every key."""

    home: Path
    now: dt.datetime
    keys: dict[str, str]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Return the home that each test gets a copy of."""
    with open_desk(tmp_path_factory.mktemp("played") / "home") as desk:
        desk.begin()
        desk.start(seats=("red", "green"), name="toy2")
        old = code(desk)
        for name in ("toy1", "toy2"):
            desk.post(f"ORDERS {name} red\nBID 0\nEND")
        desk.tick(hours=24 * 5)
        keys = {
            "old": old,
            "code": code(desk),
            "bobcode": code(desk, BOB),
            "code2": code(desk, campaign="toy2"),
            "token": token(desk),
            "bobs": token(desk, BOB),
            "second": token(desk, CYD, "toy2"),
        }
        return Played(desk.home, desk.now, keys)


@pytest.fixture
def keys(played: Played) -> dict[str, str]:
    """Return every key there is."""
    return played.keys


@pytest.fixture
def desk(played: Played, tmp_path: Path) -> Iterator[Desk]:
    """Yield a copy of the home played so far, open."""
    with open_app(shutil.copytree(played.home, tmp_path / "home"), GAMES) as app:
        yield Desk(app, played.now, 100)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_each_address_is_told_what_concerns_it(desk: Desk, keys: dict[str, str], case: Try) -> None:
    """Exactly the addresses named are answered, each with what it may know; only a proved message becomes a sheet."""
    to, subject = case.to.format_map(keys), case.subject.format_map(keys)
    desk.post(case.text.format_map(keys), sender=case.sender, to=to, subject=subject, headers=case.headers)
    answers = told(desk)

    assert answers.keys() == case.answers.keys()
    assert [(to, said) for to, said in case.answers.items() if said not in answers[to]] == []
    with desk.app.store.reading() as session:
        taken = session.scalars(select(OrderSheet.seat_id).join(Turn).where(Turn.number == 2)).all()
    assert bool(taken) == (TAKEN in case.answers.values())


def test_no_answer_tells_a_key(desk: Desk, keys: dict[str, str]) -> None:
    """Answers never repeat a key that a message shows, right or wrong."""
    for number, key in enumerate([*keys.values(), "00112233445566778899"]):
        desk.post(f"ORDERS toy1 red {key}\nBID 3 {key}\nEND", sender=f"eve{number}@example.net")
    before = len(desk.mails())
    desk.answer()
    texts = [
        "".join(part.get_content() for part in mail.walk() if part.get_content_maintype() == "text")
        for mail in desk.mails()[before:]
    ]

    assert len(texts) >= len(keys)
    assert not [key for key in (keys["token"], keys["bobs"], keys["second"]) if any(key in text for text in texts)]


def test_a_reply_to_a_withdrawn_report_is_told_so(desk: Desk, keys: dict[str, str]) -> None:
    """After a turn was withdrawn, its report's code is recognised as such, and nothing is taken."""
    with desk.app.store.writing() as session:
        campaign_id = session.scalars(select(Campaign.id).where(Campaign.name == "toy1")).one()
        withdrawal = WithdrawnTurns(campaign_id=campaign_id, kind="rollback", first=2, at=desk.now)
        session.add(withdrawal)
        session.flush()
        session.execute(
            update(Turn).where(Turn.campaign_id == campaign_id, Turn.number == 2).values(withdrawal_id=withdrawal.id)
        )
        session.execute(update(Campaign).where(Campaign.id == campaign_id).values(turn=1))
    desk.post(f"ORDERS toy1 red {keys['code']}\nBID 3\nEND", sender=EVE)
    answers = told(desk)

    assert answers.keys() == {ANN}
    assert "That report was replaced." in answers[ANN]


@pytest.mark.parametrize(
    ("key", "answers"), [("", {BOB: NOBODY}), ("{code}", {BOB: "The seat red in toy1 has no player now."})]
)
def test_an_open_seat_takes_no_sheets(desk: Desk, keys: dict[str, str], key: str, answers: dict[str, str]) -> None:
    """A vacant seat's former player is told so, by its keys; to others it might as well not exist."""
    put_seat(desk, person_id=None, status="open")
    desk.post(f"ORDERS toy1 red {key.format_map(keys)}\nBID 3\nEND", sender=BOB)
    said = told(desk)

    assert said.keys() == answers.keys()
    assert answers[BOB] in said[BOB]


def test_a_seat_out_of_the_game_takes_no_sheets(desk: Desk, keys: dict[str, str]) -> None:
    """The player of a removed seat is told so."""
    put_seat(desk, status="removed")
    desk.post("ORDERS toy1 red\nBID 3\nEND")

    assert "Seat red in toy1 no longer plays" in told(desk)[ANN]


def test_a_paused_player_may_send_a_sheet(desk: Desk, keys: dict[str, str]) -> None:
    """A sheet of a paused seat counts, and its receipt says that turns do not wait for it."""
    put_seat(desk, paused=True)
    desk.post("ORDERS toy1 red\nBID 3\nEND")
    said = told(desk)[ANN]

    assert TAKEN in said
    assert "no turn waits for your sheets" in said


def test_the_player_hears_from_where_a_sheet_came(desk: Desk, keys: dict[str, str]) -> None:
    """The receipt of a sheet from another address names that address and the proof."""
    desk.post(f"ORDERS toy1 red {keys['token']}\nBID 3\nEND", sender=EVE)

    assert f"The sheet came from {EVE}" in told(desk)[ANN]
