"""A local folder as mailbox and transport: dropped mail is read once, and sent mail is complete."""

from __future__ import annotations

import datetime as dt
import mailbox as stdlib
import os
import time
from pathlib import Path

import pytest

from pbem.errors import TemporaryMailError
from pbem.mail import mailbox as incoming
from pbem.mail.mailbox import MAX_MAIL, RawMessage
from pbem.mail.maildir import STALE_SECONDS, MaildirMailbox, MaildirTransport
from tests.mail.letters import mail

SINCE = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def drop(path: Path, raw: bytes, at: float) -> None:
    """Put a file into the inbox, as if it had come at this time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
    os.utime(path, (at, at))


def read(inbox: Path) -> list[RawMessage]:
    """Return all mail in an inbox, which is then done."""
    mailbox = MaildirMailbox(inbox, name="maildir:inbox")
    found = []
    for batch in mailbox.batches():
        found += batch
        mailbox.finish(batch)
    return found


def test_mail_in_all_places_is_read_by_time(tmp_path: Path) -> None:
    """Mail in new/, in cur/ and dropped as *.eml comes in the order of its time."""
    drop(tmp_path / "cur" / "3:2,S", b"third", 300)
    drop(tmp_path / "new" / "1", b"first", 100)
    drop(tmp_path / "orders.eml", b"second", 200)

    found = read(tmp_path)
    assert [each.raw for each in found] == [b"first", b"second", b"third"]
    assert found[0].received_at == dt.datetime(1970, 1, 1, 0, 1, 40, tzinfo=dt.UTC)


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """Files that are no mail, and mail still being written, are not read."""
    for name in ("notes.txt", "tmp/1", ".hidden.eml", "new/.hidden"):
        drop(tmp_path / name, b"x", 100)

    assert read(tmp_path) == []
    assert (tmp_path / "notes.txt").exists()


def test_mail_is_read_once(tmp_path: Path) -> None:
    """Mail that is done is moved to Processed, marked as seen, and not read again."""
    drop(tmp_path / "new" / "1.host", b"first", 100)
    read(tmp_path)

    assert read(tmp_path) == []
    assert [path.name for path in (tmp_path / "Processed" / "cur").iterdir()] == ["1.host:2,S"]


def test_mail_that_is_not_done_comes_again(tmp_path: Path) -> None:
    """Mail stays, under the same name, until it is done."""
    drop(tmp_path / "new" / "1", b"first", 100)
    mailbox = MaildirMailbox(tmp_path, name="maildir:inbox")

    assert list(mailbox.batches()) == list(mailbox.batches())


def test_a_file_name_used_again(tmp_path: Path) -> None:
    """Two mails dropped one after the other under the same name are two, and both are kept."""
    drop(tmp_path / "orders.eml", b"first", 100)
    first = read(tmp_path)
    drop(tmp_path / "orders.eml", b"second", 200)
    second = read(tmp_path)

    assert first[0].uid != second[0].uid
    assert len(list((tmp_path / "Processed" / "cur").iterdir())) == 2


def test_what_went_away_is_no_error(tmp_path: Path) -> None:
    """Mail that another program took, before or after it was read, is skipped."""
    for name in ("1", "2"):
        drop(tmp_path / "new" / name, b"x", 100)
    mailbox = MaildirMailbox(tmp_path, name="maildir:inbox")
    (batch,) = mailbox.batches()
    (tmp_path / "new" / "1").unlink()
    mailbox.finish(batch)

    assert not list((tmp_path / "new").iterdir())


def test_mail_that_is_too_big_is_cut(tmp_path: Path) -> None:
    """Of a mail above the limit the beginning is read, with a mark; the file itself stays whole."""
    drop(tmp_path / "new" / "1", mail("x" * (MAX_MAIL + 1)), 100)
    (found,) = read(tmp_path)

    assert found.raw.startswith(b"X-Pbem-Cut: 1000")
    assert len(found.raw) < 70_000
    assert (tmp_path / "Processed" / "cur" / "1:2,S").stat().st_size > MAX_MAIL


def test_batches_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch ends at a number of mails and at a number of bytes."""
    monkeypatch.setattr(incoming, "BATCH_MAILS", 3)
    monkeypatch.setattr(incoming, "BATCH_BYTES", 1000)
    for number, size in enumerate([10, 10, 10, 10, 600, 600, 2000, 10]):
        drop(tmp_path / "new" / str(number), b"x" * size, 100 + number)

    batches = MaildirMailbox(tmp_path, name="maildir:inbox").batches()
    assert [[len(each.raw) for each in batch] for batch in batches] == [[10, 10, 10], [10, 600], [600], [2000], [10]]


def test_a_long_name_fits(tmp_path: Path) -> None:
    """A file name too long for the database still names its mail."""
    drop(tmp_path / "new" / ("x" * 240), b"first", 100)

    assert len(read(tmp_path)[0].uid) == 64


def test_an_inbox_that_cannot_be_read(tmp_path: Path) -> None:
    """An inbox that is a file, not a folder, is reported in a sentence, not a traceback."""
    (tmp_path / "inbox").write_text("x")

    with pytest.raises(TemporaryMailError, match=r"inbox cannot be read: .*: Not a directory"):
        read(tmp_path / "inbox")


def test_sent_mail_lies_whole_in_the_folder(tmp_path: Path) -> None:
    """Other programs find sent mail as in any Maildir, and its files sort in the order of sending."""
    carrier = MaildirTransport(tmp_path / "sent")
    names = [carrier.send("ann@example.org", mail(f"turn {number}")) for number in range(12)]

    assert names == sorted(names)
    assert sorted(stdlib.Maildir(tmp_path / "sent").keys()) == names
    assert stdlib.Maildir(tmp_path / "sent").get_bytes(names[3]) == mail("turn 3").replace(b"\r\n", b"\n")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder for sent mail that cannot be created is reported in a sentence, not a traceback."""
    (tmp_path / "sent").write_text("x")

    with pytest.raises(TemporaryMailError, match="mail cannot be put in"):
        MaildirTransport(tmp_path / "sent").send("ann@example.org", b"")


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """A file may have any bytes for a name; the database stores text."""
    drop(tmp_path / os.fsdecode(b"\xff\xfe.eml"), b"x", 100)

    (found,) = read(tmp_path)
    assert (len(found.uid), found.uid.isascii()) == (64, True)
    assert read(tmp_path) == []


def test_what_is_no_mail_stops_none(tmp_path: Path) -> None:
    """Loops of links, pipes, folders, broken links and unreadable files are left alone and reported by name."""
    drop(tmp_path / "new" / "mail", b"x", 100)
    (tmp_path / "new" / "loop").symlink_to("loop")
    (tmp_path / "new" / "nothing").symlink_to("nowhere")
    (tmp_path / "new" / "folder").mkdir()
    os.mkfifo(tmp_path / "new" / "pipe")
    (tmp_path / "odd.eml").symlink_to("/proc/self/mem")
    mailbox = MaildirMailbox(tmp_path, name="maildir:inbox")

    assert [mail.raw for batch in mailbox.batches() for mail in batch] == [b"x"]
    assert {told.removeprefix(f"{tmp_path}/") for told in mailbox.list_foreign()} == {
        "new/loop: Too many levels of symbolic links",
        "new/nothing: No such file or directory",
        "new/folder: not a file",
        "new/pipe: not a file",
        "odd.eml: Input/output error",
    }


def test_what_is_no_mail_is_not_counted_as_waiting(tmp_path: Path) -> None:
    """Counting the mail in the inbox is not stopped by a loop of links either."""
    drop(tmp_path / "new" / "mail", b"x", 100)
    (tmp_path / "new" / "loop").symlink_to("loop")

    assert len(MaildirMailbox(tmp_path, name="maildir:inbox").examine(SINCE).arrivals) == 1


def test_an_inbox_that_is_not_mounted(tmp_path: Path) -> None:
    """An empty folder is a mount point without its disk: an error, and not an inbox without mail."""
    mailbox = MaildirMailbox(tmp_path, name="maildir:inbox")

    for look in (lambda: mailbox.examine(SINCE), lambda: list(mailbox.batches())):
        with pytest.raises(TemporaryMailError, match="it has no folders new and cur; if it lies on a disk"):
            look()
    assert list(tmp_path.iterdir()) == []


def test_an_inbox_elsewhere_is_not_made(tmp_path: Path) -> None:
    """An inbox inside the home is created at the first read; one outside of it must exist."""
    with pytest.raises(TemporaryMailError, match="no folders new and cur"):
        list(MaildirMailbox(tmp_path / "far", name="maildir:inbox", ours=False).batches())

    assert read(tmp_path / "near") == []
    assert [folder.name for folder in tmp_path.iterdir()] == ["near"]


def test_half_a_mail_is_swept_when_it_is_old(tmp_path: Path) -> None:
    """A file in tmp/ that has not been touched for 36 hours is deleted, from the inbox and from sent mail."""
    for folder in ("inbox", "sent"):
        drop(tmp_path / folder / "tmp" / "old", b"half", time.time() - STALE_SECONDS - 60)
        drop(tmp_path / folder / "tmp" / "young", b"half", time.time() - 3600)

    read(tmp_path / "inbox")
    MaildirTransport(tmp_path / "sent").send("ann@example.org", b"whole")
    assert [path.name for path in tmp_path.glob("*/tmp/*")] == ["young", "young"]
