"""Tests that log, terminal and database show no token, code or password, whatever fails."""

from __future__ import annotations

import dataclasses
import socketserver
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from pbem.cli import main
from pbem.config_values import FILE_NAME
from pbem.log import open_log
from pbem.mail.message import find_reply_codes, parse_message
from pbem.ruleset import ParsedSheet, View
from pbem.store.models import InboxMessage, OutgoingMail
from pbem.util import MASK
from tests.toy.home import Desk, text_of
from tests.toy.ruleset import Auction

PASSWORD = "correct horse battery"
ANN = "ann@example.org"


class Gossip(Auction):
    """The toy game with a parser that fails, and names all that it has read."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        raise ValueError(f"no idea what to make of {list(lines)}")


def keys(desk: Desk) -> tuple[str, str]:
    """Return Ann's token and reply code, from her mails."""
    welcome, report = desk.mails(ANN)
    token = text_of(welcome).partition("ORDERS toy1 red ")[2].split()[0]
    (code,) = set(find_reply_codes(parse_message(bytes(report)), "orders@example.org")) | {
        str(report["Reply-To"])[7:23]
    }
    return token, code


def notes(desk: Desk) -> str:
    """Return the notes and replies of all messages and mails in the database."""
    with desk.app.store.reading() as session:
        return "\n".join([*session.scalars(select(InboxMessage.note)), *session.scalars(select(OutgoingMail.reply))])


def test_a_letter_that_is_set_aside(desk: Desk, tmp_path: Path) -> None:
    """A game that fails at a sheet, and quotes it, discloses its token neither in the log nor in the note."""
    desk.start()
    token, code = keys(desk)
    desk.app = dataclasses.replace(desk.app, games={"toy": Gossip()})
    with open_log(tmp_path / "log"):
        for key in (token, code):
            desk.post(f"ORDERS toy1 red {key}\nBID 1 ; {key}\nEND", subject=f"[toy1 {code}] {token}")
        assert desk.tick().processed.quarantined == 2

    told = (tmp_path / "log").read_text() + notes(desk) + "".join(map(text_of, desk.mails("gm@example.org")))
    assert told.count("no idea what to make of") >= 2 * 2
    assert [key for key in (token, code) if key in told] == []


class Parrot(socketserver.StreamRequestHandler):
    """An IMAP server that refuses every command, and repeats it."""

    def handle(self) -> None:
        """Talk to one client."""
        self.wfile.write(b"* OK [CAPABILITY IMAP4rev1] ready\r\n")
        for line in self.rfile:
            tag, _, command = line.partition(b" ")
            refused = b"OK done" if command.startswith(b"CAPABILITY") else b"NO what is " + command.strip() + b"?"
            self.wfile.write(b"* CAPABILITY IMAP4rev1\r\n" + tag + b" " + refused + b"\r\n")


def test_a_password_that_a_server_repeats(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The problem of the tick and the log have the server's words without the password."""
    monkeypatch.setenv("PBEM_TEST_PASSWORD", PASSWORD)
    settings = desk.home / FILE_NAME
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Parrot) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        inbox = f'"imap://orders@127.0.0.1:{server.server_address[1]}"'
        secret = '\ninbox_password = { env = "PBEM_TEST_PASSWORD" }'
        settings.write_text(settings.read_text().replace('"maildir:post/inbox"', inbox + secret))
        done = CliRunner().invoke(main, ["--home", str(desk.home), "tick"])
        server.shutdown()

    log = (desk.home / "log" / "pbem.log").read_text()
    assert f'what is LOGIN orders "{MASK}"?' in done.stderr.replace("\\", "")
    assert "what is LOGIN orders" in log
    assert PASSWORD not in done.output + log
