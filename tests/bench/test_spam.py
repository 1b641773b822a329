"""The measurement of spam filters sorts mails, and says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.spam import mails_of, table, unpack

MAIL = b"Subject: [trap7] turn 3, due Fri 20 Nov\r\nDate: Fri, 13 Nov 2026 20:00:00 +0100\r\n\r\nYour report.\r\n"


def test_mails_of_a_folder_are_named_by_their_files(tmp_path: Path) -> None:
    """A mail with a page, which is a file with the ending of HTML, is a kind of its own."""
    page = b'Content-Disposition: attachment; filename="trap7-red.html"\r\n'
    (tmp_path / "plain.eml").write_bytes(MAIL)
    (tmp_path / "report.eml").write_bytes(MAIL + page)

    assert [kind for kind, _ in mails_of(str(tmp_path))] == ["plain", "report, with a page"]


def test_mails_are_measured_as_if_sent_now(tmp_path: Path) -> None:
    """The Date of a mail of long ago would count against it."""
    (tmp_path / "1.eml").write_bytes(MAIL)

    [(_, mail)] = mails_of(str(tmp_path))
    assert b"13 Nov 2026 20:00" not in mail
    assert mail.partition(b"\r\n\r\n")[2] == MAIL.partition(b"\r\n\r\n")[2]


def test_the_worst_mail_of_a_kind_counts() -> None:
    """Each kind is listed with its highest points, and the last line names what is above the aim."""
    fine, bad = (-1.0, "FINE"), (0.1, "BAD")
    lines = list(table([("answer", fine, fine), ("answer", bad, fine), ("report, with a page", bad, fine)]))

    assert lines[1].split() == ["answer", "2", "0.10", "-1.00", "BAD;", "FINE"]
    assert lines[-1] == "Above the aim: answer (aim: 0)."
    assert list(table([("answer", fine, fine)]))[-1].startswith("All are at or below 0 points")


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The measurement ends with a sentence where there is no apt-get."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SystemExit, match="spamassassin and rspamd are missing, and apt-get does not bring them"):
        unpack(tmp_path)
