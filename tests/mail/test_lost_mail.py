"""A carrier that closes the connection in place of a reply to one mail, as a filter does that fails at it."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest
from sqlalchemy import select

from pbem.config import Settings, load_settings
from pbem.config_values import FILE_NAME
from pbem.mail import transport
from pbem.mail.compose import NewMail
from pbem.mail.delivery import deliver_due
from pbem.mail.outbox import DeliveryResult, enqueue
from pbem.mail.transport import open_transport
from pbem.store.models import OutgoingMail
from pbem.store.session import Store

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
NAMES = ("ann", "bob", "cyn", "dee")


class LosingServer(ThreadingTCPServer):
    """SMTP server that closes the connection after the mails to some people; `got` are those who have got one.

    It accepts a mail after so many seconds.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.loses: set[str] = set()
        self.seconds = 0.0
        self.got: list[str] = []


class _Session(StreamRequestHandler):
    server: LosingServer

    def handle(self) -> None:
        """Answer until the client disconnects, or until a mail that is lost."""
        self.wfile.write(b"220 losing\r\n")
        reader = ""
        for line in self.rfile:
            if line.startswith(b"RCPT"):
                reader = line.decode().partition("<")[2].partition("@")[0]
            if line.startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                list(takewhile(b".\r\n".__ne__, self.rfile))
                self.server.got.append(reader)
                if reader in self.server.loses:
                    return
                time.sleep(self.server.seconds)
            self.wfile.write(b"250 ok\r\n")


@pytest.fixture
def server() -> Iterator[LosingServer]:
    """Yield the server, running."""
    with LosingServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def settings(server: LosingServer, tmp_path: Path) -> Settings:
    """Return settings whose carrier is the server."""
    url = f"smtp://127.0.0.1:{server.server_address[1]}"
    (tmp_path / FILE_NAME).write_text(f'address = "orders@example.org"\ncarrier = "{url}"\n')
    return load_settings(tmp_path)


@pytest.fixture
def outbox(store: Store, settings: Settings) -> Store:
    """Return a store with a mail for each name in its outbox."""
    mails = [NewMail(f"{name}@example.org", "turn 3", "Ships.", f"<{name}@x>", "orders@example.org") for name in NAMES]
    with store.writing() as session:
        enqueue(session, mails, settings, campaign=None, now=NOON)
    return store


def deliver(outbox: Store, settings: Settings, minutes: int = 0) -> DeliveryResult:
    """Send what is due so many minutes after noon."""
    with closing(open_transport(settings)) as carrier:
        return deliver_due(outbox, carrier, NOON + dt.timedelta(minutes=minutes))


def test_the_mails_behind_a_lost_one_go_on(outbox: Store, settings: Settings, server: LosingServer) -> None:
    """It is that mail's own failure: the next goes over a new connection, in the same pass."""
    server.loses = {"ann"}
    done = deliver(outbox, settings)

    assert (done.sent, done.deferred, done.trouble) == (3, 1, "")
    assert server.got == list(NAMES)


def test_a_lost_mail_comes_at_growing_intervals(outbox: Store, settings: Settings, server: LosingServer) -> None:
    """Its reader has got it, perhaps, and so it is repeated after 15 minutes, an hour, four hours, and not before."""
    server.loses = {"ann"}
    for minute in range(120):
        deliver(outbox, settings, minute)

    assert server.got.count("ann") == 3


def test_a_filter_has_longer_than_another_reply(
    outbox: Store, settings: Settings, server: LosingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A carrier that stalls after DATA has the mail, which would arrive twice if it were given up too soon."""
    monkeypatch.setattr(transport, "ANSWER_SECONDS", 0.2)
    server.seconds = 0.4

    assert deliver(outbox, settings).sent == len(NAMES)
    assert server.got == list(NAMES)


def test_a_carrier_that_never_accepts_a_mail(
    outbox: Store, settings: Settings, server: LosingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its time the mail is taken for lost, and comes again; none is forgotten."""
    monkeypatch.setattr(transport, "ACCEPT_SECONDS", 0.2)
    server.seconds = 0.4
    stalled = deliver(outbox, settings)
    assert (stalled.sent, stalled.deferred) == (0, 2)

    server.seconds = 0.0
    assert deliver(outbox, settings, 60).sent == len(NAMES)


def test_two_lost_mails_in_a_row_mean_that_the_carrier_is_down(
    outbox: Store, settings: Settings, server: LosingServer
) -> None:
    """The rest waits for the next pass, and the operator is told; what failed before goes last then."""
    server.loses = {"ann", "bob"}
    first = deliver(outbox, settings)
    assert (first.sent, first.deferred, server.got) == (0, 2, ["ann", "bob"])
    assert "gave no reply to the mail" in first.trouble

    server.loses = set()
    deliver(outbox, settings, 15)

    assert server.got[2:] == ["cyn", "dee", "ann", "bob"]


def test_a_lost_mail_is_told_with_its_reason(outbox: Store, settings: Settings, server: LosingServer) -> None:
    """The outbox says what happened, for `pbem outbox`."""
    server.loses = {"cyn"}
    deliver(outbox, settings)

    with outbox.reading() as session:
        mail = session.scalars(select(OutgoingMail).where(OutgoingMail.recipient == "cyn@example.org")).one()
    assert (mail.attempts, mail.not_before) == (1, NOON + dt.timedelta(minutes=15))
    assert mail.reply.startswith(f"127.0.0.1:{server.server_address[1]} gave no reply to the mail: ")
