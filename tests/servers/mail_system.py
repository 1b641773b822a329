"""The program that runs the mail system of the tests, as root: Postfix and Dovecot drop rights that they must have.

    sudo .venv/bin/python -B -m tests.servers.mail_system FOLDER

It prints the ports as JSON once both accept connections, and runs until its input ends: whatever becomes of the tests,
the servers stop. Then it deletes what they wrote, as the tests, run by another user, could not.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import string
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.certificates import make_certificates
from tests.servers.mail import (
    ACCOUNTS,
    APP_PASSWORD,
    APP_USER,
    DOMAIN,
    GHOST,
    LOG,
    MAILBOXES,
    SPOOL,
    WATCHED_QUEUES,
)
from tests.servers.processes import Daemon, ServerMissing, answers, free_ports, start, stopping, wait_until
from tests.servers.tokens import write_key

CONFIGURATIONS = Path(__file__).parent
DOVECOT, POSTFIX = Path("/usr/sbin/dovecot"), Path("/usr/lib/postfix/sbin")
_IN_DOVECOT, _IN_POSTFIX = ("imap", "imaps", "lmtp", "auth"), ("smtp", "submission", "smtps")
"""The services with a port each."""

_QUEUES = ("bounce", "corrupt", "defer", "deferred", "flush", "hold", "private", "saved", "trace")


def run(folder: Path) -> None:
    """Run both servers, with all that they need in an empty folder, until the input ends.

    Raises:
        ServerMissing: One is not installed, or Dovecot is of a version without a configuration here.
    """
    configuration = dovecot_configuration(dovecot_version())
    folder.chmod(0o755)  # the servers run as users of their own
    with emptied(folder):
        services = _IN_DOVECOT + _IN_POSTFIX
        ports = dict(zip(services, free_ports(len(services)), strict=True))
        _write(folder, ports)
        with stopping(start_dovecot(folder, configuration)) as dovecot, stopping(start_postfix(folder)) as postfix:
            wait_until(lambda: all(answers(ports[each]) for each in _IN_DOVECOT), dovecot, "Dovecot")
            wait_until(lambda: all(answers(ports[each]) for each in _IN_POSTFIX), postfix, "Postfix")
            print(json.dumps(ports), flush=True)
            sys.stdin.read()


def dovecot_configuration(version: str) -> str:
    """Return the name of the configuration for the output of `dovecot --version`, such as 2.4.1-4 (7d8c0e5759).

    Raises:
        ServerMissing: There is none.
    """
    name = f"{'.'.join(version.split('.')[:2])}.conf"
    if (CONFIGURATIONS / "dovecot" / name).exists():
        return name
    there = sorted(path.stem for path in CONFIGURATIONS.glob("dovecot/[0-9]*.conf"))
    raise ServerMissing(
        f"tests/servers/dovecot has settings for Dovecot {' and '.join(there)}; this is {version.strip()}."
    )


def dovecot_version() -> str:
    """Return the output of `dovecot --version`.

    Raises:
        ServerMissing: Dovecot or Postfix is not installed.
    """
    if not (DOVECOT.exists() and (POSTFIX / "master").exists()):
        packages = "dovecot-imapd dovecot-lmtpd postfix"
        raise ServerMissing(f"These tests need Dovecot and Postfix: apt-get install --no-install-recommends {packages}")
    return subprocess.run([DOVECOT, "--version"], capture_output=True, text=True, check=True).stdout


@contextmanager
def emptied(folder: Path) -> Iterator[None]:
    """Delete what is in a folder after the block."""
    try:
        yield
    finally:
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _write(folder: Path, ports: dict[str, int]) -> None:
    certificates = make_certificates(folder / "tls")
    uid, gid = owner(folder)
    values = {
        **{name: str(port) for name, port in ports.items()},
        "folder": str(folder),
        "domain": DOMAIN,
        "certificate": str(certificates.certificate),
        "key": str(certificates.key),
        "daemons": str(POSTFIX),
        "log": str(folder / LOG),
        "spool": str(folder / SPOOL),
        "mail": str(folder / MAILBOXES),
        "uid": str(uid),
        "gid": str(gid),
    }
    (folder / MAILBOXES).mkdir()
    os.chown(folder / MAILBOXES, uid, gid)
    for source in (*CONFIGURATIONS.glob("dovecot/*.conf"), *CONFIGURATIONS.glob("postfix/*.cf")):
        target = folder / source.relative_to(CONFIGURATIONS)
        target.parent.mkdir(exist_ok=True)
        target.write_text(string.Template(source.read_text()).substitute(values))
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


def owner(folder: Path) -> tuple[int, int]:
    """Return the user and group that have the mailboxes: those of the tests, but for root, which Dovecot refuses."""
    status = folder.stat()
    if status.st_uid:
        return status.st_uid, status.st_gid
    mail = pwd.getpwnam("mail")
    return mail.pw_uid, mail.pw_gid


def _write_lines(path: Path, line: str, accounts: Iterable[str] = ACCOUNTS) -> None:
    path.write_text("".join(line.format(account) + "\n" for account in accounts))


def start_dovecot(folder: Path, configuration: str) -> Daemon:
    """Start Dovecot with a file in the subfolder `dovecot`."""
    return start([DOVECOT, "-F", "-c", folder / "dovecot" / configuration], folder / "dovecot.out")


def start_postfix(folder: Path) -> Daemon:
    """Start Postfix with the settings in the subfolder `postfix`, and make its queues."""
    spool = folder / SPOOL
    spool.mkdir()
    for name in _QUEUES:
        _made(spool / name, 0o700, "postfix")
    for name in WATCHED_QUEUES:  # all may look at their names
        _made(spool / name, 0o755, "postfix")
    _made(spool / "pid", 0o755, "root")
    _made(spool / "public", 0o2710, "postfix", "postdrop")
    _made(folder / "postfix-data", 0o700, "postfix")
    return start([POSTFIX / "master", "-c", folder / "postfix", "-d"], folder / "postfix.out")


def _made(path: Path, mode: int, user: str, group: str | None = None) -> None:
    path.mkdir()
    shutil.chown(path, user, group)
    path.chmod(mode)


if __name__ == "__main__":
    try:
        run(Path(sys.argv[1]))
    except ServerMissing as missing:
        sys.exit(str(missing))
