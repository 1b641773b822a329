"""A player's mail in the folder for junk is told, or fetched, and no other mail there."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os

import pytest

from pbem.admin.checks import CheckResult
from pbem.admin.mail_checks import check_mail
from pbem.config_values import Secret
from tests.servers.scripted_imap import saying, scripted_imap
from tests.toy.home import Desk, text_of

GM, ANN = "gm@example.org", "ann@example.org"


@pytest.fixture
def played(desk: Desk) -> Desk:
    """Yield a campaign whose first reports are out, with spam in the folder for junk."""
    desk.start()
    put(desk, "From: spam@example.net\nTo: orders@example.org\nSubject: [win abcdefghijklmn23]\n\nBuy\n", "spam")
    return desk


def put(desk: Desk, mail: str, name: str, *, days: float = 0) -> None:
    """Put a mail into the folder for junk, as if it had come so many days ago."""
    folder = desk.home / "post" / "inbox" / ".Junk"
    for part in ("cur", "new", "tmp"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    path = folder / "new" / name
    path.write_text(mail)
    at = (desk.now - dt.timedelta(days=days)).timestamp()
    os.utime(path, (at, at))


def orders(desk: Desk, *, days: float = 0) -> None:
    """Put Ann's reply to her report there."""
    to = desk.last(ANN)["Reply-To"]
    head = f"From: {ANN}\nTo: {to}\nSubject: Re: turn 1\nMessage-ID: <junk@example.org>\n"
    put(desk, f"{head}\nBID 3\n", "ours", days=days)


def doctor(desk: Desk) -> CheckResult | None:
    """Return what the doctor says of the folder."""
    checks = check_mail(desk.app.settings, desk.now, database=True)
    return next((each for each in checks if each.name == "junk"), None)


def test_it_is_told_once_a_day(played: Desk) -> None:
    """The doctor and a tick of each day tell of it, and the GM is mailed; nothing is moved."""
    orders(played)
    problems = played.tick().problems

    assert problems == ["1 mail with a valid code lies in the folder .Junk, from ann@example.org"]
    assert "ann@example.org: Re: turn 1" in text_of(played.last(GM))
    check = doctor(played)
    assert check is not None
    assert "fetch_junk" in check.mend
    count = len(played.mails(GM))
    assert played.tick(hours=1).problems == []
    assert len(played.mails(GM)) == count
    assert len(played.tick(hours=24).problems) == 1
    assert len(played.mails(GM)) > count


def test_spam_is_not_told(played: Desk) -> None:
    """Mail without a code that was given, or of long ago, is nobody's business."""
    orders(played, days=20)

    assert played.tick().problems == []
    assert doctor(played) is None


def test_it_is_fetched(played: Desk) -> None:
    """With the setting it is read in the same tick as of the time it came, once; spam stays where it is."""
    played.app = dataclasses.replace(played.app, settings=dataclasses.replace(played.app.settings, fetch_junk=True))
    orders(played, days=0.01)
    done = played.tick()

    assert done.problems == []
    assert done.processed.sheets == 1
    assert "Your order is in" in text_of(played.last(ANN))
    assert [path.name for path in (played.home / "post" / "inbox" / ".Junk").rglob("*") if path.is_file()] == ["spam"]
    assert played.tick(hours=1).processed.sheets == 0


def test_a_mailbox_that_is_nearly_full(desk: Desk) -> None:
    """A tick of each day tells of it, before it is full."""
    answer = b'* QUOTAROOT INBOX "user"\r\n* QUOTA "user" (STORAGE 900 1000)\r\n'
    with scripted_imap("MOVE QUOTA", {b"GETQUOTAROOT": saying(answer)}) as server:
        settings = dataclasses.replace(desk.app.settings, inbox=server.inbox, inbox_password=Secret(command="echo x"))
        desk.app = dataclasses.replace(desk.app, settings=settings)
        told = [[said for said in desk.tick(hours=hours).problems if "are used" in said] for hours in (0, 1, 24)]

    said = "900 of 1,000 kB are used in the mailbox: when it is full no mail can come, or be moved"
    assert told == [[said], [], [said]]
