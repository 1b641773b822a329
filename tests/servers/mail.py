"""A temporary mail system: Postfix accepts mail, Dovecot stores it, both with TLS, on loopback ports.

The tests run as any user; `tests.servers.mail_system`, which starts both servers, runs as root, by sudo where needed.
"""

from __future__ import annotations

import json
import os
import shutil
import smtplib
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from imapclient import IMAPClient

from tests.patience import PATIENCE
from tests.servers.processes import PAUSE

DOMAIN = "pbem.test"
ACCOUNTS = ("orders", "gm", "ann", "bob", "cyn", "dee", "eve", "fay", "amy", "gus", "hal")
APP_USER, APP_PASSWORD = "app", "abcdefghijklmnop"
"""An account without an address, whose password has the form of an app password."""

GHOST = "ghost"
"""An account that Postfix accepts and Dovecot does not know: mail to it bounces."""

HOST = "127.0.0.1"
WITHOUT_MOVE = "127.0.0.2"
WITHOUT_UIDPLUS = "127.0.0.3"
"""Addresses at which the same Dovecot announces fewer capabilities; neither is in its certificate."""

MAILBOXES, SPOOL, LOG, AUTHORITY = "mail", "spool", "postfix.log", "tls/ca.pem"
"""What the tests look at, or delete, in the folder of the system."""

WATCHED_QUEUES = ("maildrop", "incoming", "active")
"""Postfix's queues of mail on its way."""

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class MailServer:
    """The running system. Each account's password is its name and "-pw"; each has an address in `DOMAIN`.

    `ports` has imap (with STARTTLS), imaps, submission (with STARTTLS), smtps,
    and smtp, which accepts mail for the accounts from any sender.
    """

    folder: Path
    ports: dict[str, int]

    @property
    def ca_file(self) -> Path:
        """The certificate authority to trust."""
        return self.folder / AUTHORITY

    def address(self, account: str) -> str:
        """Return the mail address of an account."""
        return f"{account}@{DOMAIN}"

    def password(self, account: str) -> str:
        """Return the password of an account."""
        return f"{account}-pw"

    def inbox(self, account: str, scheme: str = "imaps") -> str:
        """Return the `inbox` setting for an account: `imaps`, `imap+starttls` or `imap`."""
        return f"{scheme}://{account}@{HOST}:{self.ports['imaps' if scheme == 'imaps' else 'imap']}/INBOX"

    def carrier(self, account: str, scheme: str = "smtps") -> str:
        """Return the `carrier` setting for an account: `smtps`, `smtp+starttls`, or `smtp`, which needs no account."""
        if scheme == "smtp":
            return f"smtp://{HOST}:{self.ports['smtp']}"
        return f"{scheme}://{account}@{HOST}:{self.ports['smtps' if scheme == 'smtps' else 'submission']}"

    def submit(self, account: str, recipient: str, raw: bytes) -> None:
        """Send a mail as the mail program of an account would."""
        with smtplib.SMTP_SSL(HOST, self.ports["smtps"], context=self._tls(), timeout=PATIENCE) as smtp:
            smtp.login(account, self.password(account))
            smtp.sendmail(self.address(account), [recipient], raw)

    def deliver(self, recipient: str, raw: bytes, *, sender: str = "") -> None:
        """Send a mail from outside, under any sender, without a login."""
        with smtplib.SMTP(HOST, self.ports["smtp"], timeout=PATIENCE) as smtp:
            smtp.sendmail(sender, [recipient], raw)

    def append(self, account: str, mails: list[bytes], folder: str = "INBOX") -> None:
        """Put mails into a folder of an account, without Postfix: fast, and byte for byte."""
        with self.imap(account) as imap:
            for raw in mails:
                imap.append(folder, raw)

    def mails(self, account: str, *, folder: str = "INBOX", at_least: int = 0, after: int = 0) -> list[bytes]:
        """Return the mails in a folder of an account, without the first `after`, once there are `at_least` so many."""
        with self.imap(account) as imap:
            limit = time.monotonic() + PATIENCE
            while imap.folder_status(folder, ["MESSAGES"])[b"MESSAGES"] < at_least:
                if time.monotonic() > limit:
                    raise TimeoutError(f"{account} did not get {at_least} mails:\n{self._log()}")
                time.sleep(PAUSE)
            imap.select_folder(folder, readonly=True)
            uids = sorted(imap.search())[after:]
            found = imap.fetch(uids, ["BODY.PEEK[]"]) if uids else {}
            return [found[uid][b"BODY[]"] for uid in uids]

    @contextmanager
    def imap(self, account: str) -> Iterator[IMAPClient]:
        """Return a connection of imapclient, logged in."""
        with IMAPClient(HOST, self.ports["imaps"], ssl_context=self._tls(), timeout=PATIENCE) as imap:
            imap.login(account, self.password(account))
            yield imap

    def settle(self) -> None:
        """Return once all mail on its way has arrived."""
        limit = time.monotonic() + PATIENCE
        while self._on_its_way() and time.monotonic() < limit:
            time.sleep(PAUSE)

    def empty(self) -> None:
        """Delete all mail of all accounts, once all mail on its way has arrived."""
        self.settle()
        for account in ACCOUNTS:
            shutil.rmtree(self.folder / MAILBOXES / account, ignore_errors=True)

    def _on_its_way(self) -> bool:
        queues = (self.folder / SPOOL / name for name in WATCHED_QUEUES)
        return any(path.is_file() for queue in queues for path in queue.iterdir())

    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.ca_file)

    def _log(self) -> str:
        return (self.folder / LOG).read_text(errors="replace")[-3000:]


@contextmanager
def running_mail(folder: Path, program: str = "tests.servers.mail_system") -> Iterator[MailServer]:
    """Run the system of a program while the block runs, with its files in an empty folder, which is emptied again.

    Raises:
        RuntimeError: It is not installed, or does not start, or this user may not start it.
    """
    as_root = [] if os.getuid() == 0 else ["sudo", "-n", "--"]
    with subprocess.Popen(
        [*as_root, sys.executable, "-B", "-m", program, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=_ROOT,
        start_new_session=True,  # Ctrl-C is not for it, and sudo leaves the terminal alone
    ) as system:
        yield MailServer(folder, _ports(system))
        system.communicate()  # the end of its input is its end


def _ports(system: subprocess.Popen[str]) -> dict[str, int]:
    """Return the ports once they are printed; sudo may have something to say before."""
    said = ""
    for line in system.stdout or ():
        if line.startswith("{"):
            ports: dict[str, int] = json.loads(line)
            return ports
        said += line
    raise RuntimeError(f"The mail servers, started as root or by sudo without a password, did not start:\n{said}")
