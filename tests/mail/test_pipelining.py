"""A server that accepts DATA after it refused the recipient; Postfix, which the other tests use, never does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest

from pbem.config import load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import PermanentMailError
from pbem.mail.transport import open_transport
from tests.mail.letters import mail

RAW = mail("turn 3\n", "Subject: turn 3", sender="orders@example.org")


class EagerServer(ThreadingTCPServer):
    """SMTP server that answers 354 to every DATA, as RFC 2920 allows, though it accepts mail for ann alone."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.taken: list[bytes] = []


class _Session(StreamRequestHandler):
    server: EagerServer

    def handle(self) -> None:
        """Answer until the client disconnects."""
        self.wfile.write(b"220 eager\r\n")
        wanted = False
        for line in self.rfile:
            wanted = b"ann@" in line if line.startswith(b"RCPT") else wanted
            self.wfile.write(self._answer(line, wanted=wanted))

    def _answer(self, line: bytes, *, wanted: bool) -> bytes:
        if line.startswith(b"ehlo"):
            return b"250-eager\r\n250 PIPELINING\r\n"
        if line.startswith(b"RCPT") and not wanted:
            return b"550 5.1.1 nobody of that name\r\n"
        if line.startswith(b"DATA"):
            self.wfile.write(b"354 go on\r\n")
            # Until the dot, or until the client has gone.
            self.server.taken.append(b"".join(takewhile(b".\r\n".__ne__, self.rfile)))
        return b"250 ok\r\n"


@pytest.fixture
def server() -> Iterator[EagerServer]:
    """Yield the server, running."""
    with EagerServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_nothing_is_sent_after_a_refusal(server: EagerServer, tmp_path: Path) -> None:
    """If the server accepts DATA although it refused the recipient, it gets no mail, and the next one is sent."""
    url = f"smtp://127.0.0.1:{server.server_address[1]}"
    (tmp_path / FILE_NAME).write_text(f'address = "orders@example.org"\ncarrier = "{url}"\n')

    with closing(open_transport(load_settings(tmp_path))) as carrier:
        with pytest.raises(PermanentMailError, match=r"550 5\.1\.1"):
            carrier.send("bob@example.org", RAW)
        carrier.send("ann@example.org", RAW)
    assert [taken for taken in server.taken if taken] == [RAW]
