"""Servers that do not move mail, or only say that they do; what is asked of them, and told of them."""

from __future__ import annotations

import datetime as dt
import imaplib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from pbem.admin.checks import CheckResult
from pbem.admin.mail_checks import check_mail
from pbem.config import Settings, load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import TemporaryMailError
from pbem.mail.connection import word_error
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.mail.mailbox import Unmoved
from pbem.store.session import Store
from tests.servers.scripted_imap import Say, Script, ScriptedImap, saying, scripted_imap

NOON = dt.datetime(2100, 1, 1, 12, tzinfo=dt.UTC)


def settings_of(server: ScriptedImap, folder: Path) -> Settings:
    """Return settings whose inbox is on the server."""
    lines = ('address = "orders@localhost"', f'inbox = "{server.inbox}"', 'inbox_password = { command = "echo x" }')
    (folder / FILE_NAME).write_text("\n".join(lines))
    return load_settings(folder)


def poll_twice(server: ScriptedImap, folder: Path, store: Store) -> Unmoved:
    """Let two polls store the mail of a server that does not move it; return what the second could not move."""
    unmoved: Unmoved | None = None
    for new in (1, 0):
        with closing(open_mailbox(settings_of(server, folder))) as mailbox:
            assert fetch_messages(store, mailbox, NOON, unmoved) == new
            unmoved = mailbox.unmoved_mail()
    assert unmoved is not None
    return unmoved


def count(server: ScriptedImap, command: bytes) -> int:
    """Return how often the server got a command."""
    return sum(line.startswith(command) for line in server.heard)


def test_a_server_that_only_says_that_mail_is_deleted(tmp_path: Path, store: Store) -> None:
    """RFC 4314 lets STORE be OK without effect: the mail is copied once, and not again at every poll."""
    with scripted_imap("UIDPLUS") as server:
        unmoved = poll_twice(server, tmp_path, store)

    assert (count(server, b"UID COPY"), count(server, b"UID STORE")) == (1, 2)
    assert unmoved.copied == {"1"}
    assert "it does not mark mail in INBOX as deleted, and says that it has" in unmoved.reason


def test_a_server_that_only_says_that_mail_is_moved(tmp_path: Path, store: Store) -> None:
    """It is asked to move a mail once; from then on only to delete it."""
    with scripted_imap("MOVE UIDPLUS") as server:
        poll_twice(server, tmp_path, store)

    assert (count(server, b"UID MOVE"), count(server, b"UID COPY"), count(server, b"UID STORE")) == (1, 0, 1)


@pytest.mark.parametrize("before", [b"", b'* OK [MYRIGHTS "acdilrsw"] ACL\r\n'], ids=["alone", "Courier 1.4"])
def test_a_right_that_is_missing(tmp_path: Path, store: Store, before: bytes) -> None:
    """Where the server tells that mail cannot be marked as deleted, none is copied; right and folder are named."""
    with scripted_imap("UIDPLUS ACL", {b"MYRIGHTS": saying(before + b"* MYRIGHTS INBOX lrswi\r\n")}) as server:
        unmoved = poll_twice(server, tmp_path, store)

    assert count(server, b"UID COPY") == 0
    assert "the right t (mark as deleted) is missing in INBOX" in unmoved.reason


@pytest.mark.parametrize(
    ("capabilities", "answers"),
    [
        ("MOVE", {b"UID MOVE": saying(b"TAG NO [OVERQUOTA] Quota exceeded\r\n")}),
        ("", {b"UID COPY": saying(b"TAG NO [OVERQUOTA] Quota exceeded\r\n")}),
        ("", {b"LIST": saying(b""), b"CREATE": saying(b"TAG NO [OVERQUOTA] Quota exceeded\r\n")}),
        ("", {b"UID STORE": saying(b"TAG NO [OVERQUOTA] Quota exceeded\r\n")}),
    ],
    ids=["move", "copy", "create", "store"],
)
def test_a_refusal_is_no_failure_of_the_poll(
    tmp_path: Path, store: Store, capabilities: str, answers: Mapping[bytes, Script]
) -> None:
    """Whichever command the server refuses, the mail is stored, and its words are told."""
    with scripted_imap(capabilities, answers) as server:
        unmoved = poll_twice(server, tmp_path, store)

    assert unmoved.reason == f"{server.inbox[14:-6]}: {unmoved.reason.partition(': ')[2]}"
    assert "[OVERQUOTA] Quota exceeded" in unmoved.reason


def hang_up(_: Say) -> None:
    """End the connection."""
    raise ConnectionError


def test_a_server_that_hangs_up_at_every_move(tmp_path: Path, store: Store) -> None:
    """If all mail has been stored by then, the poll is good all the same."""
    with scripted_imap("MOVE", {b"UID MOVE": hang_up}) as server:
        unmoved = poll_twice(server, tmp_path, store)

    assert set(unmoved.sizes) == {"1"}


def test_an_answer_without_uidvalidity(tmp_path: Path) -> None:
    """A server that leaves out what it must say is a mailbox that cannot be used."""
    with (
        scripted_imap(answers={b"SELECT": saying(b"* 1 EXISTS\r\n")}) as server,
        closing(open_mailbox(settings_of(server, tmp_path))) as mailbox,
        pytest.raises(TemporaryMailError, match="its answer lacks b'UIDVALIDITY'"),
    ):
        list(mailbox.batches())


def doctor(server: ScriptedImap, folder: Path) -> dict[str, CheckResult]:
    """Return what the doctor finds, by name."""
    return {check.name: check for check in check_mail(settings_of(server, folder), NOON)}


def test_a_refusal_without_a_reason_names_folders_and_rights(tmp_path: Path, store: Store) -> None:
    """A server that says only "Permission denied", and shows no rights, leaves the GM to know which are needed."""
    with scripted_imap("MOVE", {b"UID MOVE": saying(b"TAG NO Permission denied\r\n")}) as server:
        unmoved = poll_twice(server, tmp_path, store)

    needed = "needed are the rights t (mark as deleted) and e (expunge) in INBOX, and i (insert) in Processed"
    assert unmoved.reason.endswith(f"Permission denied; {needed}")


def test_junk_that_cannot_be_marked_is_not_copied(tmp_path: Path) -> None:
    """A server without MOVE that ignores the mark would have the mail copied by every poll: it stays where it is."""
    with scripted_imap() as server, closing(open_mailbox(settings_of(server, tmp_path))) as mailbox:
        list(mailbox.batches())
        with pytest.raises(
            TemporaryMailError, match=r"not moved from .* it does not mark mail .* needed are the rights"
        ):
            mailbox.fetch_junk(NOON, lambda _: True)

    assert count(server, b"UID COPY") == 0


def test_the_doctor_names_the_folder_of_a_server_that_has_all_below_the_inbox(tmp_path: Path) -> None:
    """Courier and Cyrus have INBOX.Processed; what such a server can is told with what follows."""
    answer = b'* NAMESPACE (("INBOX." ".")) NIL NIL\r\n'
    with scripted_imap("NAMESPACE MOVE ACL", {b"NAMESPACE": saying(answer)}) as server:
        told = doctor(server, tmp_path)["inbox server"].text

    assert told.startswith("stored mail is moved to INBOX.Processed (MOVE); new mail is noticed every 60 s (no IDLE)")
    assert told.endswith("it tells no limit of its room; a missing right is named beforehand (ACL)")


def test_the_doctor_names_missing_rights(tmp_path: Path) -> None:
    """Each right that reading and moving needs is named with its folder; the old right d stands for t and e."""
    with scripted_imap("ACL", {b"MYRIGHTS": saying(b"* MYRIGHTS INBOX lrsw\r\n")}) as server:
        found = doctor(server, tmp_path)
        server.answers[b"MYRIGHTS"] = saying(b"* MYRIGHTS INBOX lrswid\r\n")
        sound = doctor(server, tmp_path)

    assert found["inbox"].result == sound["inbox"].result == "ok"
    assert found["inbox rights"].result == "problem"
    assert "inbox rights" not in sound


@pytest.mark.parametrize(("used", "said"), [(899, None), (900, "900 of 1,000 kB"), (2000, "2,000 of 1,000 kB")])
def test_the_doctor_names_a_mailbox_that_is_nearly_full(tmp_path: Path, used: int, said: str | None) -> None:
    """From 90 % of the quota on there is a warning, with the setting that helps."""
    answer = b'* QUOTAROOT INBOX "user"\r\n* QUOTA "user" (STORAGE %d 1000 MESSAGE 3 1000)\r\n' % used
    with scripted_imap("QUOTA", {b"GETQUOTAROOT": saying(answer)}) as server:
        found = doctor(server, tmp_path).get("inbox quota")

    assert (found and found.text.partition(" are used")[0]) == said
    assert found is None or "keep_processed" in found.mend


def test_a_mailbox_without_a_quota(tmp_path: Path) -> None:
    """Dovecot announces QUOTA and then says nothing of a mailbox that has none."""
    with scripted_imap("QUOTA") as server:
        assert doctor(server, tmp_path)["inbox"].result == "ok"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("b'[NOPERM] Permission denied'", "[NOPERM] Permission denied"),
        ("b'\"Junk\"' is not writable", '"Junk" is not writable'),
        ('b"it\'s gone"', "it's gone"),
        ("plain", "plain"),
    ],
)
def test_words_of_a_server_have_no_bytes_around_them(said: str, words: str) -> None:
    """What the libraries pass on as bytes is told as text, whole."""
    assert word_error(imaplib.IMAP4.error(said)) == words
