"""The measurement of spam filters sorts mails, and says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.spam import kind_of, mails_of, unpack

MAIL = b"Subject: [trap7] turn 3, due Fri 20 Nov\r\nDate: Fri, 13 Nov 2026 20:00:00 +0100\r\n\r\nYour report.\r\n"


def test_a_mail_with_a_page_is_a_kind_of_its_own() -> None:
    """A page is a file with the ending of HTML."""
    page = b'Content-Disposition: attachment; filename="trap7-red.html"\r\n'

    assert (kind_of(MAIL), kind_of(MAIL + page)) == ("report", "report, with a page")


def test_mails_are_measured_as_if_sent_now(tmp_path: Path) -> None:
    """The Date of a mail of long ago would count against it."""
    (tmp_path / "1.eml").write_bytes(MAIL)

    [mail] = mails_of(str(tmp_path))
    assert b"13 Nov 2026 20:00" not in mail
    assert mail.partition(b"\r\n\r\n")[2] == MAIL.partition(b"\r\n\r\n")[2]


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no apt-get, the measurement ends with a sentence."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SystemExit, match="spamassassin and rspamd are missing, and apt-get does not bring them"):
        unpack(tmp_path)
