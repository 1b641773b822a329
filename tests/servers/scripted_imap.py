"""A scripted IMAP server with one mail, for what no real server does at a test's wish."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer

MAIL = b"From: ann@example.org\r\nMessage-ID: <1@example.org>\r\n\r\nWAIT\r\n"

Say = Callable[[bytes], None]
Script = Callable[[Say], None]


class ScriptedImap(ThreadingTCPServer):
    """IMAP server with one mail of UID 1.

    Args:
        capabilities: What it announces besides IMAP4rev1.
        answers: What it says to a command, such as b"UID COPY", in place of its usual answer and before the
            tagged one; the latter is its own if it says a line that begins with b"TAG ".
        greeting: What it says first.
    """

    daemon_threads = True

    def __init__(
        self, capabilities: str = "", answers: Mapping[bytes, Script] | None = None, greeting: Script | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.capabilities = capabilities.encode()
        self.answers = dict(answers or {})
        self.greeting = greeting
        self.heard: list[bytes] = []

    @property
    def inbox(self) -> str:
        """The `inbox` setting for it."""
        return f"imap://orders@127.0.0.1:{self.server_address[1]}/INBOX"


_COMMAND = re.compile(rb"(\S+) ((?:UID )?\S+)([^\r\n]*)")


class _Session(StreamRequestHandler):
    server: ScriptedImap

    def handle(self) -> None:
        """Answer until the client has gone."""
        try:
            (self.server.greeting or _greet)(self._say)
            for line in self.rfile:
                if (command := _COMMAND.match(line)) is not None:
                    self._answer(command[1], command[2].upper(), command[3])
        except OSError:
            return  # the client has ended a connection that it had enough of

    def _say(self, said: bytes) -> None:
        self.wfile.write(said)

    def _answer(self, tag: bytes, name: bytes, rest: bytes) -> None:
        self.server.heard.append(name + rest)
        tagged = []

        def say(said: bytes) -> None:
            if said.startswith(b"TAG "):
                tagged.append(said[4:])
            else:
                self._say(said)

        script = self.server.answers.get(name)
        if script is not None:
            script(say)
        else:
            self._usual(name, rest)
        self._say(tag + b" " + (tagged[0] if tagged else b"OK done\r\n"))

    def _usual(self, name: bytes, rest: bytes) -> None:
        size, head = len(MAIL), b'* 1 FETCH (UID 1 INTERNALDATE " 1-Nov-2026 09:00:00 +0000" '
        folder = b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n"
        usual = {
            b"CAPABILITY": b"* CAPABILITY IMAP4rev1 " + self.server.capabilities + b"\r\n",
            b"SELECT": folder,
            b"EXAMINE": folder,
            b"LIST": b'* LIST () "/" Processed\r\n',
            b"UID SEARCH": b"* SEARCH 1\r\n",
            b"UID FETCH": head + b"BODY[] {%d}\r\n" % size + MAIL + b")\r\n",
        }
        if b"RFC822.SIZE" in rest:
            self._say(b"* 1 FETCH (UID 1 RFC822.SIZE %d)\r\n" % size)
        else:
            self._say(usual.get(name, b""))


def _greet(say: Say) -> None:
    say(b"* OK scripted\r\n")


def saying(said: bytes) -> Script:
    """Return a script that says this."""
    return lambda say: say(said)


@contextmanager
def scripted_imap(
    capabilities: str = "", answers: Mapping[bytes, Script] | None = None, greeting: Script | None = None
) -> Iterator[ScriptedImap]:
    """Run such a server while the block runs."""
    with ScriptedImap(capabilities, answers, greeting) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
