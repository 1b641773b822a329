"""Sends through mail servers of Debian to people whose mail does not arrive, and writes down what comes back.

    python -m tests.programs.sending [NAME]... [--suite SUITE]

Each server is installed in a Debian system of its own, and driven by a file of `carriers`: it delivers mail for
example.org itself, and hands all other to a server that refuses three people for good, and one for now. A home
sends the first mails of a campaign through it; what comes back is put into its inbox. `sending.json` has what came of
it; the reports that came back are in the folder KEPT, if that is in the environment.
"""

from __future__ import annotations

import email
import email.policy
import json
import mailbox
import os
import re
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import NamedTuple

from sqlalchemy import select

from pbem.admin.health import home_status
from pbem.app import open_app
from pbem.games import installed_games
from pbem.store.models import InboxMessage
from tests.programs.home import run_pbem
from tests.programs.polling import guessed, run_drivers, serving
from tests.programs.system import HERE, SYSTEMS
from tests.servers.processes import free_ports

FOUND = HERE / "sending.json"

REFUSALS = {
    "nosuch": b"550 5.1.1 <nosuch@example.net>: no mailbox of that name\r\n",
    "full": b"552 5.2.2 <full@example.net>: mailbox is full\r\n",
    "late": b"451 4.2.1 <late@example.net>: mailbox is busy\r\n",
    "filter": b"554 5.7.1 message rejected as spam\r\n",
}
"""The answers of the other server: to RCPT, the last to DATA."""

SEATS = {
    "red": "nosuch@example.net",
    "yellow": "full@example.net",
    "green": "filter@example.net",
    "cyan": "stranger@example.org",
    "blue": "late@example.net",
}
COLUMNS = {
    "nosuch@example.net": "550 5.1.1 to RCPT",
    "full@example.net": "552 5.2.2 to RCPT",
    "filter@example.net": "554 5.7.1 to DATA",
    "stranger@example.org": "no such user here",
    "late@example.net": "451 4.2.1 to RCPT",
}
"""The people by their addresses, as the table has them: why their mail does not arrive."""

WAIT = 150.0
"""Seconds in which a mail is to come back. By their drivers, servers give up a mail that is delayed within a minute."""


class Taken(NamedTuple):
    """A mail that was taken, with the addresses of its envelope."""

    sender: str
    to: str
    raw: bytes


class FarServer(ThreadingTCPServer):
    """SMTP server that refuses the people of `REFUSALS`, and takes all other mail."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Session)
        self.taken: list[Taken] = []


class _Session(StreamRequestHandler):
    server: FarServer

    def handle(self) -> None:
        """Answer until the client disconnects."""
        with suppress(ConnectionResetError):  # nullmailer's way to end
            self._talk()

    def _talk(self) -> None:
        self.wfile.write(b"220 mx.example.net ESMTP\r\n")
        sender, to = "", [""]
        for line in self.rfile:
            word, address = line[:4].upper(), line.decode().partition("<")[2].partition(">")[0]
            if word == b"MAIL":
                sender, to = address, []
            elif word == b"RCPT":
                to.append(address)
            self.wfile.write(self._answer(word, sender, to))

    def _answer(self, word: bytes, sender: str, to: Sequence[str]) -> bytes:
        name = to[-1].partition("@")[0] if to else ""
        if word == b"EHLO":
            return b"250-mx.example.net\r\n250 8BITMIME\r\n"
        if word == b"QUIT":
            return b"221 2.0.0 bye\r\n"
        if word == b"RCPT" and name in ("nosuch", "full", "late"):
            return REFUSALS[name]
        if word == b"DATA":
            self.wfile.write(b"354 go on\r\n")
            raw = b"".join(takewhile(b".\r\n".__ne__, self.rfile)).replace(b"\r\n..", b"\r\n.")
            if name in REFUSALS:
                return REFUSALS[name]
            self.server.taken += [Taken(sender, each, raw) for each in to]
        return b"250 2.0.0 ok\r\n"


@contextmanager
def far_server(port: int) -> Iterator[FarServer]:
    """Run the other server while the block runs."""
    with FarServer(port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def came_back(far: FarServer, suite: str) -> list[bytes]:
    """Return the mails for the order address: in its mailbox in the system, or handed to the other server."""
    root = SYSTEMS / suite
    spool, folder = root / "var/mail/orders", root / "home/orders/Maildir"
    mails = [mail.as_bytes() for mail in mailbox.mbox(spool, create=False)] if spool.exists() else []
    mails += [path.read_bytes() for path in sorted(folder.glob("new/*"))]
    return mails + [mail.raw for mail in far.taken if mail.to.startswith("orders@")]


def send(port: int, far: FarServer, suite: str) -> dict[str, object]:
    """Send the first mails of a campaign, wait for what comes back, and process it; return what came of it."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        run_pbem(home, "init", ".", "--address", "orders@example.org")
        settings = (home / "pbem.toml").read_text()
        (home / "pbem.toml").write_text(re.sub(r"(?m)^carrier = .*$", f'carrier = "smtp://127.0.0.1:{port}"', settings))
        people = [f"--seat={seat}={address}" for seat, address in SEATS.items()]
        words = ("--game", "singularity_trap", "--gm", "gm@example.net", "--schedule", "FRI 20:00 Europe/Berlin")
        run_pbem(home, "new", "trap", *words, *people)
        run_pbem(home, "start", "trap")
        run_pbem(home, "tick", fails=True)
        at_once = undelivered(home)
        wanted, end = 2 * (len(SEATS) - len(at_once)) + 2, time.monotonic() + WAIT
        while len(back := came_back(far, suite)) < wanted and time.monotonic() < end:
            time.sleep(0.5)
        inbox = home / "post" / "inbox"
        inbox.mkdir(parents=True, exist_ok=True)
        for number, raw in enumerate(back):
            (inbox / f"{number}.eml").write_bytes(raw)
        for hours in (0, 1, 3):  # what a server answered not at all is sent again
            run_pbem(home, "tick", ago=-hours, fails=True)
        later, delayed = undelivered(home), delays(home)
        keep(back)
    forms = sorted({email.message_from_bytes(raw).get_content_type() for raw in back})
    fates = {name: later.get(name, ["", ""]) for name in SEATS.values()}
    return {"back": len(back), "forms": forms, "delayed": delayed, "people": fates}


def undelivered(home: Path) -> dict[str, list[str]]:
    """Return the addresses whose mail did not arrive, each with the worst state of a mail and the reason."""
    with open_app(home, installed_games()) as app:
        [campaign] = home_status(app).campaigns
        tried = [each for each in campaign.undelivered if each.reply]
        tried.sort(key=lambda each: each.state == "queued", reverse=True)
        return {each.recipient: [each.state, re.sub(r"127.0.0.1:\d+", "the server", each.reply)] for each in tried}


def delays(home: Path) -> int:
    """Return the number of mails that came back to say that one is still on its way."""
    with open_app(home, installed_games()) as app, app.store.reading() as session:
        notes = session.scalars(select(InboxMessage.note)).all()
    return sum(note.startswith("delivery report: delayed") for note in notes)


def keep(back: Sequence[bytes]) -> None:
    """Write the mails that came back into the folder KEPT."""
    if folder := os.environ.get("KEPT"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        for number, raw in enumerate(back):
            (Path(folder) / f"{number}.eml").write_bytes(raw)


def write(page: str) -> str:
    """Return the page with its table of what came back as it is now."""
    above, mark, below = page.partition("<!-- sending -->\n\n")
    rows = [
        f"| server | version | {' | '.join(COLUMNS.values())} | its reports | guessed |",
        f"|---|---|{'---|' * len(COLUMNS)}---|---|",
    ]
    for it in json.loads(FOUND.read_text()):
        people = [_fate(*it["people"][name]) if name in it["people"] else "not run" for name in COLUMNS]
        people[-1] += f", {it['delayed']} warnings before" if it.get("delayed") else ""
        forms = f"{', '.join(it['forms'])}, of {it['back']}" if it["forms"] else "none"
        guess = guessed(HERE / "carriers" / f"{it['server']}.sh", "back")
        cells = (it["server"], f"{it['version']} ({it['suite']})", *people, forms, guess)
        rows.append(f"| {' | '.join(cells)} |")
    return above + mark + "\n".join([*rows, ""]) + re.sub(r"\A(?:\|.*\n)*", "", below)


def _fate(state: str, reason: str) -> str:
    code = re.search(r"\b[45]\.\d\.\d+\b", reason) or re.search(r"\b[45]\d\d\b", reason)
    return f"{state} {code[0] if code else ''}".strip() if state else "—"


def _run(driver: Path, suite: str) -> dict[str, object]:
    port, beyond = free_ports(2)
    with far_server(beyond) as far, serving(driver, suite, PORT=port, FAR=beyond):
        return send(port, far, suite)


if __name__ == "__main__":
    run_drivers("sending", __doc__, "carriers", FOUND, _run, write)
