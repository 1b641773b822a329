"""A verdict in a mail does not count if the mail server adds none: the sender may have written it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re

import pytest

from pbem.actions.settings import mail_gm_token
from pbem.admin.checks import CheckResult
from pbem.admin.mail_checks import check_stored_mail
from pbem.campaign.snapshot import Context, load_campaign
from pbem.mail.authentication import is_from_outside
from tests.inbox.trusting import ANN, SHEET, believing, rule, stamp, told, version_taken
from tests.toy.home import Desk, text_of

GM = "gm@example.org"
OUTSIDE = {"Received": "from out.example.net by mx.example.org with ESMTPS id 1; Mon, 2 Nov 2026 10:00:00 +0000"}
LOCAL = {"Received": "from laptop by mx.example.org with ESMTPSA id 1; Mon, 2 Nov 2026 10:00:00 +0000"}


@pytest.fixture
def strict(desk: Desk) -> Desk:
    """Yield a campaign that takes sheets from an address alone only if the server vouches for it."""
    desk.begin()
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.answer()
    believing(desk)
    rule(desk, authentication="verified")
    return desk


def gm_writes(desk: Desk, headers: dict[str, str]) -> None:
    """Mail a STATUS of the GM with the token."""
    token = next(filter(None, (re.search(r"^GM toy1 (\w+)$", text_of(mail), re.MULTILINE) for mail in desk.mails(GM))))
    desk.post(f"GM toy1 {token[1]}\nSTATUS\nEND", sender=GM, headers=headers)
    desk.answer()


def is_taken(desk: Desk) -> bool:
    """Return True if a sheet with a server's verdict for its sender is accepted."""
    desk.post(SHEET, headers=stamp("pass"))
    return version_taken(told(desk)[ANN]) > 0


def found(desk: Desk) -> CheckResult:
    """Return the result of the doctor's check."""
    checks = check_stored_mail(desk.app.settings)
    (check,) = [each for each in checks if each.name == "authserv_id"]
    return check


def test_a_word_counts_until_the_mail_of_the_gm_has_none(strict: Desk) -> None:
    """A verdict does not count once a mail of the GM has none; the doctor says so, and what to do."""
    assert is_taken(strict)
    assert found(strict).result == "warning"
    gm_writes(strict, OUTSIDE)

    assert not is_taken(strict)
    assert found(strict).result == "problem"
    assert "anybody can write it, so none counts" in found(strict).text


def test_a_word_counts_once_the_mail_of_the_gm_has_it(strict: Desk) -> None:
    """The newest mail of the GM decides."""
    gm_writes(strict, OUTSIDE)
    strict.now += dt.timedelta(minutes=5)
    gm_writes(strict, {**stamp("pass"), **OUTSIDE})

    assert is_taken(strict)
    assert found(strict).result == "ok"
    assert 'bears the word of "mx.example.org" on its sender: pass' in found(strict).text


def test_a_mail_from_within_shows_nothing(strict: Desk) -> None:
    """A mail from within shows nothing, since a server need not stamp what its own users send."""
    gm_writes(strict, LOCAL)

    assert is_taken(strict)
    assert found(strict).result == "warning"


def test_a_forged_mail_of_the_gm_shows_nothing(strict: Desk) -> None:
    """A mail without the GM's token changes nothing about verdicts."""
    strict.post("GM toy1 0123456789abcdef0123\nSTATUS\nEND", sender=GM, headers=OUTSIDE)
    strict.tick()
    assert is_taken(strict)

    gm_writes(strict, OUTSIDE)
    strict.now += dt.timedelta(minutes=5)
    strict.post("GM toy1 0123456789abcdef0123\nSTATUS\nEND", sender=GM, headers={**stamp("pass"), **OUTSIDE})
    strict.tick()
    assert not is_taken(strict)


def test_without_a_name_nothing_is_examined(strict: Desk) -> None:
    """Without `authserv_id` no verdict counts, and none is checked."""
    settings = dataclasses.replace(strict.app.settings, authserv_id="")
    assert "authserv_id" not in [each.name for each in check_stored_mail(settings)]


@pytest.mark.parametrize(
    ("received", "outside"),
    [
        ("Received: by mx with LMTP id 1\r\nReceived: from a by mx with ESMTPS id 2\r\n", True),
        ("Received: by mx with LMTP id 1\r\nReceived: from a by mx\r\n\twith ESMTPSA id 2\r\n", False),
        ("Received: from a by mx with ESMTP id 1\r\nReceived: by b with ESMTPSA id 2\r\n", True),
        ("", False),
        ("Subject: x\r\n\r\nReceived: from a by mx with ESMTPS id 2\r\n", False),
    ],
)
def test_the_nearest_server_says_from_where_a_mail_came(received: str, *, outside: bool) -> None:
    """The nearest server that took the mail decides, whatever handed it on within or sent it before."""
    assert is_from_outside(f"{received}From: gm@example.org\r\n\r\nx\r\n".encode()) is outside
