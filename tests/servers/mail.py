"""A temporary mail system: Postfix accepts mail, Dovecot stores it, both with TLS, on loopback ports.

It needs root, because Postfix drops privileges that it must first have.
"""

from __future__ import annotations

import os
import shutil
import smtplib
import ssl
import string
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from imapclient import IMAPClient

from tests.patience import PATIENCE
from tests.servers.certificates import Certificates, make_certificates
from tests.servers.processes import (
    PAUSE,
    Daemon,
    ServerMissing,
    answers,
    free_ports,
    start,
    stopping,
    wait_until,
)
from tests.servers.tokens import write_key

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

_HERE = Path(__file__).parent
_SERVICES = ("imap", "imaps", "lmtp", "auth", "smtp", "submission", "smtps")
_QUEUES = ("active", "bounce", "corrupt", "defer", "deferred", "flush", "hold", "incoming", "private", "saved", "trace")


@dataclass(frozen=True)
class MailServer:
    """The running system. Each account's password is its name and "-pw"; each has an address in `DOMAIN`.

    `ports` has imap (with STARTTLS), imaps, submission (with STARTTLS), smtps,
    and smtp, which accepts mail for the accounts from any sender.
    """

    folder: Path
    ports: dict[str, int]
    ca_file: Path

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
            shutil.rmtree(self.folder / "mail" / account, ignore_errors=True)

    def listens(self, *services: str) -> bool:
        """Return True if all these services accept connections."""
        return all(answers(self.ports[service]) for service in services)

    def _on_its_way(self) -> bool:
        queues = (self.folder / "spool" / name for name in ("maildrop", "incoming", "active"))
        return any(path.is_file() for queue in queues for path in queue.iterdir())

    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.ca_file)

    def _log(self) -> str:
        return (self.folder / "postfix.log").read_text(errors="replace")[-3000:]


@contextmanager
def running_mail(folder: Path) -> Iterator[MailServer]:
    """Run the system while the block runs, with its files in a folder that all users can enter.

    Raises:
        ServerMissing: It is not installed, or may not be started.
    """
    daemons = _daemons()
    folder.chmod(0o755)  # the servers run as users of their own
    ports = dict(zip(_SERVICES, free_ports(len(_SERVICES)), strict=True))
    certificates = make_certificates(folder / "tls")
    _write(folder, ports, certificates, daemons)
    with stopping(_dovecot(folder)) as dovecot, stopping(_postfix(folder, daemons)) as postfix:
        server = MailServer(folder, ports, certificates.authority)
        wait_until(lambda: server.listens("imap", "imaps", "lmtp", "auth"), dovecot, "Dovecot")
        wait_until(lambda: server.listens("smtp", "submission", "smtps"), postfix, "Postfix")
        yield server


def _daemons() -> Path:
    if os.getuid() != 0:
        raise ServerMissing("The tests with real mail start Postfix, which needs root: run them with sudo.")
    postfix = Path("/usr/lib/postfix/sbin")
    if not (postfix / "master").exists() or not shutil.which("dovecot"):
        packages = "dovecot-imapd dovecot-lmtpd postfix"
        raise ServerMissing(f"These tests need Dovecot and Postfix: apt-get install --no-install-recommends {packages}")
    version = subprocess.run(["dovecot", "--version"], capture_output=True, text=True, check=True).stdout
    if not version.startswith("2.3."):
        raise ServerMissing(f"The tests' dovecot.conf is for Dovecot 2.3 (Debian 12); this is {version.strip()}.")
    return postfix


def _write(folder: Path, ports: dict[str, int], certificates: Certificates, daemons: Path) -> None:
    values = {
        **{name: str(port) for name, port in ports.items()},
        "folder": str(folder),
        "domain": DOMAIN,
        "certificate": str(certificates.certificate),
        "key": str(certificates.key),
        "daemons": str(daemons),
    }
    (folder / "postfix").mkdir()
    (folder / "mail").mkdir()
    shutil.chown(folder / "mail", "mail", "mail")
    for source, target in (
        ("dovecot.conf", "dovecot.conf"),
        ("oauth2.conf", "oauth2.conf"),
        ("main.cf", "postfix/main.cf"),
        ("master.cf", "postfix/master.cf"),
    ):
        (folder / target).write_text(string.Template((_HERE / source).read_text()).substitute(values))
    write_key(folder / "tokens")
    _write_lines(folder / "users", "{0}:{{PLAIN}}{0}-pw::::::")
    with (folder / "users").open("a") as users:
        users.write(f"{APP_USER}:{{PLAIN}}{APP_PASSWORD}::::::\n")
    _write_lines(folder / "postfix" / "mailboxes", f"{{0}}@{DOMAIN} x", (*ACCOUNTS, GHOST))
    _write_lines(folder / "postfix" / "logins", f"{{0}}@{DOMAIN} {{0}}")
    shutil.chown(folder / "users", "root", "dovecot")
    (folder / "users").chmod(0o640)
    long_ago = time.time() - 60  # Postfix reads a file again and again while it is younger than two seconds
    for path in (folder / "postfix").iterdir():
        os.utime(path, (long_ago, long_ago))


def _write_lines(path: Path, line: str, accounts: Iterable[str] = ACCOUNTS) -> None:
    path.write_text("".join(line.format(account) + "\n" for account in accounts))


def _dovecot(folder: Path) -> Daemon:
    return start(["dovecot", "-F", "-c", folder / "dovecot.conf"], folder / "dovecot.out")


def _postfix(folder: Path, daemons: Path) -> Daemon:
    spool = folder / "spool"
    spool.mkdir()
    for name in _QUEUES:
        _made(spool / name, 0o700, "postfix")
    _made(spool / "pid", 0o755, "root")
    _made(spool / "maildrop", 0o1730, "postfix", "postdrop")
    _made(spool / "public", 0o2710, "postfix", "postdrop")
    _made(folder / "postfix-data", 0o700, "postfix")
    return start([daemons / "master", "-c", folder / "postfix", "-d"], folder / "postfix.out")


def _made(path: Path, mode: int, user: str, group: str | None = None) -> None:
    path.mkdir()
    shutil.chown(path, user, group)
    path.chmod(mode)
