"""A test of the mailbox proves the way there and back, and nothing to anybody else."""

from __future__ import annotations

import dataclasses
import datetime as dt
from email.message import EmailMessage
from typing import Any

import pytest

from pbem.admin.checks import CheckResult
from pbem.admin.health import CLOSED
from pbem.admin.mail_checks import check_stored_mail
from pbem.admin.round_trip import send_test
from pbem.campaign.damaged_rows import keep_fact
from pbem.errors import CampaignError, ConfigError
from pbem.mail.authentication import is_stamping
from tests.toy.home import Desk, text_of

GM, ANN = "gm@example.org", "ann@example.org"
MX = "mx.example.org"
OUTSIDE = f"from out.example.net (out.example.net [192.0.2.1]) by {MX} with ESMTPS id 1; Mon, 2 Nov 2026 08:59:00 +0000"
STAMP = f"{MX}; dkim=pass header.d=example.org; dmarc=pass header.from=example.org"


def asked(desk: Desk, to: str = GM) -> EmailMessage:
    """Send a test; return it as it came."""
    send_test(desk.app, to, desk.now)
    desk.answer()
    return desk.last(to)


def reply(desk: Desk, test: EmailMessage, text: str = "", sender: str = "", **headers: str) -> int:
    """Reply to a test from outside; return how many mails that brings about."""
    before = len(desk.mails())
    code = {"In-Reply-To": test["Message-ID"], **headers}
    desk.post(text, sender=sender or test["To"], to=test["Reply-To"], subject=f"Re: {test['Subject']}", headers=code)
    desk.answer()
    return len(desk.mails()) - before


def found(desk: Desk, name: str = "test mail") -> CheckResult:
    """Return what the doctor says."""
    (check,) = [each for each in check_stored_mail(desk.app.settings) if each.name == name]
    return check


def settle(desk: Desk, **settings: Any) -> None:
    """Change settings."""
    desk.app = dataclasses.replace(desk.app, settings=dataclasses.replace(desk.app.settings, **settings))


def test_there_and_back(desk: Desk) -> None:
    """The doctor tells each stage, in the end what the server wrote, and settings that follow; nobody is answered."""
    send_test(desk.app, GM, desk.now)
    assert (found(desk).result, found(desk).mend) == ("warning", "run: pbem tick")
    desk.answer()
    test = desk.last(GM)
    assert "no reply has come yet" in found(desk).text
    assert "Press Reply" in text_of(test)

    assert reply(desk, test, **{"Authentication-Results": STAMP, "Received": OUTSIDE}) == 0
    told = found(desk)
    assert told.result == "ok"
    assert "the way there and back works" in told.text
    assert f"says of the sender: {STAMP}; the sender is proved" in told.text
    assert f'For pbem.toml: received_by = "{MX}", authserv_id = "{MX}"' in told.text


def test_settings_that_are_there_are_not_proposed(desk: Desk) -> None:
    """With both settings the doctor proposes none, and shows by an example when a mail came."""
    settle(desk, received_by=MX, authserv_id=MX)
    reply(desk, asked(desk), Received=OUTSIDE)

    assert "pbem.toml" not in found(desk).text
    assert "nothing (no Authentication-Results); it proves no sender" in found(desk).text
    assert found(desk, "received_by").text.endswith("by its Received field: message 1, 2026-11-02 08:59:00 UTC")


def test_the_reply_of_another_proves_nothing(desk: Desk) -> None:
    """A reply from another address, of a machine, or to an old test, is noted and is no proof."""
    test = asked(desk)
    assert reply(desk, test, sender=ANN) == 0
    assert reply(desk, test, text="I am away.", **{"Auto-Submitted": "auto-replied"}) == 0
    assert found(desk).result == "warning"

    desk.now += dt.timedelta(days=31)
    reply(desk, test)
    assert found(desk).result == "warning"


def test_a_guessed_code_is_none(desk: Desk) -> None:
    """A reply with another code is a stranger's mail."""
    test = asked(desk)
    desk.post("", sender=GM, to="orders+abcdefghijklmn23@example.org", subject="Re: a test")
    desk.answer()

    assert test["Reply-To"]
    assert found(desk).result == "warning"


def test_commands_in_a_reply_are_done(desk: Desk) -> None:
    """A reply with a command, or a sheet with its token, is what it would be anywhere."""
    test = asked(desk)

    assert reply(desk, test, text="HELP") == 1
    assert "commands" in text_of(desk.last(GM)).lower()


def test_a_reply_opens_nothing(desk: Desk) -> None:
    """The code of a test is no key to a seat: a sheet in a reply to it is asked about as without."""
    desk.begin(rules={"authentication": "code"})
    test = asked(desk, ANN)
    reply(desk, test, text="ORDERS toy1 red\nBID 3\nEND")

    assert "Your order is in" not in text_of(desk.last(ANN))


def test_the_reply_of_the_gm_shows_whether_the_server_stamps(desk: Desk) -> None:
    """The reply of a GM counts as their mail with the token does: without the server's word none counts."""
    desk.begin()
    settle(desk, authserv_id=MX)
    reply(desk, asked(desk), Received=OUTSIDE)

    with desk.app.store.reading() as session:
        assert not is_stamping(session, MX)
    assert found(desk, "authserv_id").result == "problem"


def test_a_newer_test_counts(desk: Desk) -> None:
    """Of two tests the newer counts; a queued one gives way to it."""
    send_test(desk.app, GM, desk.now)
    first = asked(desk)
    assert len(desk.mails(GM)) == 1
    reply(desk, first)
    asked(desk)

    assert "no reply has come yet" in found(desk).text


@pytest.mark.parametrize("to", ["orders@example.org", "gm", "a@b.org\nBcc: c@d.org", "mailer-daemon@example.org", ""])
def test_where_a_test_cannot_go(desk: Desk, to: str) -> None:
    """A test goes to the address of a person, and to no other."""
    with pytest.raises(CampaignError, match="cannot be the address"):
        send_test(desk.app, to, desk.now)


def test_an_inactive_home_sends_none(desk: Desk) -> None:
    """A restored home sends nothing before it is activated."""
    with desk.app.store.writing() as session:
        keep_fact(session, CLOSED, {"made": desk.now.isoformat()})
    with pytest.raises(ConfigError, match=r"this home .* is inactive"):
        send_test(desk.app, GM, desk.now)


def test_hostile_words_of_a_server(desk: Desk) -> None:
    """What stands in the fields of a reply is shown on one line, cut; no setting is proposed that is no name."""
    settle(desk, authserv_id="")
    hostile = 'x"; received_by="evil; ' + "y" * 900
    reply(desk, asked(desk), **{"Authentication-Results": hostile, "Received": 'from a by x";y with ESMTP id 1; never'})

    assert "pbem.toml" not in found(desk).text
    assert len(found(desk).text) < 700


def test_a_mailbox_that_is_filled_by_a_fetcher(desk: Desk) -> None:
    """If mailbox and server differ the doctor shows both times, and names the setting; then the server counts."""
    late = OUTSIDE.replace("08:59", "07:30")
    reply(desk, asked(desk), Received=late)
    check = found(desk, "received_by")
    assert check.result == "warning"
    assert "07:30:00 UTC" in check.text
    assert f'write received_by = "{MX}"' in check.mend

    settle(desk, received_by=MX)
    desk.post("BID 3", headers={"Received": late})
    desk.answer()
    assert "message 2, 2026-11-02 07:30:00 UTC" in found(desk, "received_by").text


def test_mail_that_lacks_the_field(desk: Desk) -> None:
    """Mail without a field of the server that is named is counted: a sender could write one."""
    settle(desk, received_by="mx2.example.org")
    reply(desk, asked(desk), Received=OUTSIDE)

    assert "1 of the newest 1 message, such as message 1, have no Received field" in found(desk, "received_by").text
