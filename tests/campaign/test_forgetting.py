"""Tokens are not kept in mail that has done its work."""

from __future__ import annotations

import base64
import datetime as dt
from email.message import EmailMessage

import pytest
from sqlalchemy import update

from pbem.errors import UpkeepError
from pbem.masking import MASK
from pbem.post.fingerprint import message_ids
from pbem.post.forgetting import is_masked, without_tokens
from pbem.post.reading import read_letter
from pbem.store.models import Letter, Outgoing
from pbem.upkeep.letters import retry_letter, show_letter
from pbem.upkeep.outbox import retry_mail
from tests.campaign.history import rows
from tests.toy.home import Desk, text_of

ANN = "ann@example.org"
TOKEN = "0123456789abcdef0123"


@pytest.fixture
def token(desk: Desk) -> str:
    """Ann's token, from the welcome mail of a running campaign."""
    desk.begin()
    desk.tick()
    welcome = text_of(desk.mails(ANN)[0])
    return welcome.partition("ORDERS toy1 red ")[2].split()[0]


def kept(desk: Desk, kind: type[Letter | Outgoing], token: str) -> list[int]:
    """The ids of stored mails in which a token stands, as it is or encoded."""
    return [row.id for row in rows(desk, kind) if token in read_letter(row.raw).text or token.encode() in row.raw]


def test_a_letter_that_is_dealt_with_has_no_token(desk: Desk, token: str) -> None:
    """Its sheet was taken, and what the GM looks at is the letter with a mask."""
    desk.post(f"ORDERS toy1 red {token}\nBID 2\nEND", sender="elsewhere@example.org", subject=f"orders {token}")
    assert desk.tick().answered.sheets == 1

    assert kept(desk, Letter, token) == []
    assert f"ORDERS toy1 red {MASK}\nBID 2" in show_letter(desk.house.store, 1).text
    assert token not in str(read_letter(rows(desk, Letter)[0].raw))


def test_on_either_database(shared: Desk) -> None:
    """Letters and sent mail are masked on SQLite and PostgreSQL alike."""
    key = text_of(shared.mails(ANN)[0]).partition("ORDERS toy1 red ")[2].split()[0]
    shared.post(f"ORDERS toy1 red {key}\nBID 2\nEND", sender="elsewhere@example.org")
    shared.tick()
    shared.tick(hours=24 * 8)

    assert (kept(shared, Letter, key), kept(shared, Outgoing, key)) == ([], [])


def test_a_letter_that_comes_twice_is_still_known(desk: Desk, token: str) -> None:
    """What it is known by was noted before."""
    desk.post(f"ORDERS toy1 red {token}\nBID 2\nEND", sender="elsewhere@example.org")
    desk.tick()
    (path,) = (desk.home / "post" / "inbox" / "Processed" / "cur").iterdir()
    path.rename(desk.home / "post" / "inbox" / "again.eml")

    assert (desk.tick().polled, len(rows(desk, Letter))) == (0, 1)


def test_a_letter_set_aside_can_be_tried_again(desk: Desk, token: str) -> None:
    """It keeps its token until it is dealt with."""
    desk.post(f"ORDERS toy1 red {token}\nBID 2\nEND", sender="elsewhere@example.org")
    desk.tick()
    raw = f"From: elsewhere@example.org\n\nORDERS toy1 red {token}\nBID 3\nEND\n".encode()
    with desk.house.store.writing() as session:
        session.execute(update(Letter).values(state="quarantined", raw=raw, masked_at=None))
    desk.tick()
    assert kept(desk, Letter, token) == [1]
    retry_letter(desk.house.store, 1)

    assert desk.tick().answered.sheets == 1
    assert kept(desk, Letter, token) == []


def test_a_mail_long_sent_has_no_token(desk: Desk, token: str) -> None:
    """For a week it may come back and go another way; then it is masked, and reports are left as they were."""
    reports = {mail.id: mail.raw for mail in rows(desk, Outgoing) if mail.kind == "report"}
    desk.tick(hours=24 * 6)
    before = kept(desk, Outgoing, token)
    desk.tick(hours=24 * 2)

    assert (len(before), kept(desk, Outgoing, token)) == (1, [])
    assert {mail.id: mail.raw for mail in rows(desk, Outgoing) if mail.id in reports} == reports


def test_a_masked_mail_does_not_go_out_again(desk: Desk, token: str) -> None:
    """Its reader would have no use for it, and whoever tries again is told so."""
    (welcome,) = kept(desk, Outgoing, token)
    desk.tick(hours=24 * 8)
    with desk.house.store.writing() as session:
        session.execute(update(Outgoing).where(Outgoing.id == welcome).values(state="bounced"))

    with pytest.raises(
        UpkeepError, match=f"mail {welcome} was sent too long ago to go again: its token is no longer kept"
    ):
        retry_mail(desk.house.store, desk.now, welcome)


def test_the_backlog_of_an_older_home_is_masked(desk: Desk, token: str) -> None:
    """What was stored before there was a note of it counts as unmasked."""
    desk.post(f"ORDERS toy1 red {token}\nBID 2\nEND", sender="elsewhere@example.org")
    raw = f"Subject: old\n\nORDERS toy1 red {token}\nEND\n".encode()
    desk.tick()
    with desk.house.store.writing() as session:
        session.execute(update(Letter).values(raw=raw, masked_at=None))
        session.execute(update(Outgoing).values(sent_at=desk.now - dt.timedelta(days=99)))
    desk.tick()

    assert (kept(desk, Letter, token), kept(desk, Outgoing, token)) == ([], [])


@pytest.mark.parametrize("encoding", ["7bit", "quoted-printable", "base64"])
def test_however_it_is_encoded(encoding: str) -> None:
    """The text stays to be read, but for the token; so do the fields by which the mail is known."""
    mail = EmailMessage()
    mail["From"], mail["Message-ID"], mail["Subject"] = ANN, f"<{TOKEN}@example.org>", "orders"
    mail.set_content(f"{'x' * 60} {TOKEN} BID 2\n", cte=encoding)
    masked = without_tokens(bytes(mail))
    letter = read_letter(masked)

    assert is_masked(masked)
    assert not is_masked(bytes(mail))
    assert letter.text.rstrip() == f"{'x' * 60} {MASK} BID 2"
    assert (letter.sender, letter.subject, message_ids(masked)) == (ANN, "orders", message_ids(bytes(mail)))
    assert base64.b64encode(TOKEN.encode())[:20] not in masked


def test_a_mail_without_a_token_stays_as_it_is() -> None:
    """Hashes and longer numbers are none."""
    raw = f"From: {ANN}\r\nMessage-ID: <{TOKEN}@x>\r\n\r\n{'ab' * 32} {TOKEN}0\r\n".encode()

    assert without_tokens(raw) == raw
