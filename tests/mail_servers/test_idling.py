"""Waiting for mail in IDLE, with the real Dovecot: mail ends a wait at once, and a failure of IDLE does no harm."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Event

import pytest

from pbem.app import open_app
from pbem.log import open_log
from pbem.mail import imap
from pbem.mail.fetch import Sleeper, open_waiter
from pbem.mail.imap import Idler
from pbem.scheduler.tick import serve
from pbem.scheduler.work import TickResult
from tests.mail_servers.conftest import MakeSettings
from tests.mail_servers.test_bounces import NOW
from tests.servers.mail import MailServer
from tests.servers.relay import relaying

DAY = 86_400
MAIL = b"From: ann@example.org\r\nSubject: orders\r\n\r\nHELP\r\n"


@contextmanager
def repeating(act: Callable[[], object], every: float, until: Event) -> Iterator[None]:
    """Do something again and again while the block runs, with so many seconds between."""

    def repeat() -> None:
        while not until.wait(every):
            act()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        until.set()
        thread.join()


def delivering(server: MailServer, until: Event) -> AbstractContextManager[None]:
    """Deliver mail again and again while the block runs, since the beginning of a wait cannot be observed."""
    return repeating(lambda: server.append("orders", [MAIL]), 0.2, until)


@pytest.mark.parametrize("scheme", ["imap", "imap+starttls", "imaps"])
def test_mail_ends_a_wait(make_settings: MakeSettings, mail_server: MailServer, scheme: str) -> None:
    """A wait of a day ends when a mail comes, on every kind of connection."""
    idler, never = Idler(make_settings(inbox=mail_server.inbox("orders", scheme))), Event()
    with delivering(mail_server, Event()):
        idler.wait(DAY, never)

    assert mail_server.mails("orders") != []


def test_mail_between_two_waits_ends_the_second(make_settings: MakeSettings, mail_server: MailServer) -> None:
    """Mail that came between two waits, as during a tick, is noticed by the mailbox's next UID."""
    idler, never = Idler(make_settings()), Event()
    idler.wait(0, never)
    mail_server.append("orders", [MAIL])

    idler.wait(DAY, never)
    assert mail_server.mails("orders") == [MAIL]


def test_a_wait_can_be_stopped(make_settings: MakeSettings) -> None:
    """A signal that comes in IDLE is heeded."""
    stop = Event()
    with stopping_soon(stop):
        Idler(make_settings()).wait(DAY, stop)

    assert stop.is_set()


@contextmanager
def stopping_soon(stop: Event) -> Iterator[None]:
    """Set the event in a moment, from another thread."""
    timer = threading.Timer(0.5, stop.set)
    timer.start()
    yield
    timer.join()


@pytest.mark.parametrize("after", [0, 600])
def test_a_line_that_breaks_is_no_end_of_waiting(
    make_settings: MakeSettings, mail_server: MailServer, tmp_path: Path, after: int
) -> None:
    """If the server cannot be reached, or hangs up, the wait goes on without IDLE, and the log tells why."""
    stop, log = Event(), tmp_path / "log"
    with relaying(mail_server.ports["imap"], limit=after) as relay, open_log(log), stopping_soon(stop):
        Idler(make_settings(inbox=f"imap://orders@127.0.0.1:{relay.port}")).wait(DAY, stop)

    told = json.loads(log.read_text())
    assert (told["event"], told["level"]) == ("waiting without IDLE", "warning")
    assert stop.is_set()


def test_a_server_that_ends_idle_after_a_time(
    make_settings: MakeSettings, mail_server: MailServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that a server keeps for a while, and then drops, is no failure: the inbox is polled at once."""
    monkeypatch.setattr(imap, "LASTED_SECONDS", 0)
    with relaying(mail_server.ports["imap"]) as relay, open_log(tmp_path / "log"), repeating(relay.cut, 1, Event()):
        Idler(make_settings(inbox=f"imap://orders@127.0.0.1:{relay.port}")).wait(60, Event())

    assert not (tmp_path / "log").exists()


def test_a_folder_is_waited_for_asleep(make_settings: MakeSettings) -> None:
    """For a local inbox the wait is a sleep."""
    assert isinstance(open_waiter(make_settings(inbox="maildir:post/inbox")), Sleeper)


def test_serve_answers_mail_as_it_comes(make_settings: MakeSettings, mail_server: MailServer) -> None:
    """With one poll a day, mail that comes in between is answered at once."""
    settings = make_settings()
    stop, answered = Event(), []

    def hear(done: TickResult) -> None:
        answered.append(done.processed.messages)
        if any(answered):
            stop.set()

    with open_app(settings.home, {}) as app, delivering(mail_server, Event()):
        patient = dataclasses.replace(app, settings=dataclasses.replace(settings, poll_seconds=DAY))
        serve(patient, clock=lambda: NOW, stop=stop, told=hear)

    assert answered[-1] > 0
