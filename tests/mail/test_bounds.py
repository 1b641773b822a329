"""Servers that send without end, too slowly or too much: what they may hold of a tick is bounded."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from pbem.config import Settings, load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import TemporaryMailError, TransportUnavailable
from pbem.mail import imap, transport
from pbem.mail.fetch import open_mailbox
from pbem.mail.imap import Idler
from pbem.mail.mailbox import MAX_GM_MAIL
from pbem.mail.transport import open_transport
from tests.servers.scripted_imap import MAIL, Say, saying, scripted_imap

BEGINNING = b'* 1 FETCH (UID 1 INTERNALDATE " 1-Nov-2026 09:00:00 +0000" BODY[] '


def settings_of(folder: Path, **values: str) -> Settings:
    """Return settings with these values."""
    password = '{ command = "echo secret" }'
    lines = ['address = "orders@example.org"', *(f'{name} = "{value}"' for name, value in values.items())]
    lines += [f"{name}_password = {password}" for name in values]
    (folder / FILE_NAME).write_text("\n".join(lines))
    return load_settings(folder)


def drip(say: Say) -> None:
    """Send a long line a byte at a time, without its end, for half a minute."""
    for _ in range(600):
        say(b"x")
        time.sleep(0.05)


def drip_mail(say: Say) -> None:
    """Answer the request for sizes, and send the mail itself a byte at a time."""
    say(b"* 1 FETCH (UID 1 RFC822.SIZE %d)\r\n" % len(MAIL))
    say(BEGINNING + b"{5000}\r\n")
    drip(say)


def refusal(folder: Path, inbox: str) -> str:
    """Return the sentence with which an inbox cannot be read."""
    with closing(open_mailbox(settings_of(folder, inbox=inbox))) as mailbox:
        with pytest.raises(TemporaryMailError) as error:
            list(mailbox.batches())
        return str(error.value)


@pytest.mark.parametrize("command", [b"UID FETCH", b"SELECT", b"LOGIN", b"CAPABILITY"])
def test_an_imap_server_that_sends_a_byte_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: bytes
) -> None:
    """The exchange ends when its time is over, wherever the server dawdles."""
    monkeypatch.setattr(imap, "EXCHANGE_SECONDS", 0.5)
    began = time.monotonic()
    with scripted_imap(answers={command: drip_mail if command == b"UID FETCH" else drip}) as server:
        said = refusal(tmp_path, server.inbox)

    assert "it has not sent all within 0.5 seconds" in said
    assert time.monotonic() - began < 10


def test_a_greeting_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time counts from the first byte."""
    monkeypatch.setattr(imap, "EXCHANGE_SECONDS", 0.5)
    with scripted_imap(greeting=drip) as server:
        assert "it has not sent all within 0.5 seconds" in refusal(tmp_path, server.inbox)


def test_a_literal_of_a_hundred_gigabytes(tmp_path: Path) -> None:
    """No memory is asked for what a server only announces."""
    with scripted_imap(answers={b"UID FETCH": saying(BEGINNING + b"{99999999999}\r\n")}) as server:
        assert "it announces 99,999,999,999 bytes at once" in refusal(tmp_path, server.inbox)


def test_many_answers_that_are_too_much_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that a server sends in a poll has one bound, asked for or not."""
    monkeypatch.setattr(imap, "EXCHANGE_BYTES", 100_000)
    with scripted_imap(answers={b"SELECT": saying(b"* OK still here\r\n" * 10_000)}) as server:
        assert "it sends more than 100,000 bytes" in refusal(tmp_path, server.inbox)


def test_every_mail_that_is_read_may_be_sent() -> None:
    """The bound of a literal is above that of a mail."""
    assert imap.LITERAL_BYTES > MAX_GM_MAIL


def test_a_line_in_idle_that_never_ends(tmp_path: Path) -> None:
    """Idling gives up on a server that sends a line without an end, and waits without it."""
    with scripted_imap("IDLE", {b"IDLE": saying(b"x" * 1_000_000)}) as server:
        began = time.monotonic()
        Idler(settings_of(tmp_path, inbox=server.inbox)).wait(2, Event())

    assert server.heard[-1] == b"IDLE"
    assert time.monotonic() - began >= 2


@pytest.fixture
def endless() -> Iterator[int]:
    """Yield the port of an SMTP server whose greeting never ends: line for line, until the client has gone."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def greet() -> None:
            line, _ = listener.accept()
            with closing(line):
                try:
                    while True:
                        line.sendall(b"220-welcome\r\n")
                        time.sleep(0.001)
                except OSError:
                    return

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [("ANSWER_SECONDS", 0.5, "not sent all within 0.5 seconds"), ("REPLY_BYTES", 1000, "more than 1,000 bytes")],
)
def test_a_reply_of_a_carrier_that_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endless: int, limit: str, value: float, said: str
) -> None:
    """A reply of a carrier has a bound of time and of size too."""
    monkeypatch.setattr(transport, limit, value)
    settings = settings_of(tmp_path, carrier=f"smtp://127.0.0.1:{endless}")
    with closing(open_transport(settings)) as carrier, pytest.raises(TransportUnavailable, match=said):
        carrier.send("ann@example.org", b"From: x\r\n\r\n")
