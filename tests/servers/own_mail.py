"""The program that runs the mail server of the page `docs/own-mail-server.md`, as root, with other paths and ports.

It works as `tests.servers.mail_system` does, and starts both servers in its way.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers import mail_system
from tests.servers.certificates import make_certificates
from tests.servers.mail import LOG, MAILBOXES, SPOOL
from tests.servers.processes import ServerMissing, answers, free_ports, stopping, wait_until

PAGE = Path(__file__).parents[2] / "docs" / "own-mail-server.md"
MASTER = Path("/usr/share/postfix/master.cf.dist")
"""The services of Debian's Postfix."""

_WRITTEN = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END$", re.DOTALL | re.MULTILINE)
_USERS = re.compile(r"^printf .*$", re.MULTILINE)

_POSTFIX = """
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
queue_directory = {folder}/spool
data_directory = {folder}/postfix-data
maillog_file = {folder}/{log}
maillog_file_prefixes = {folder}
"""
_DOVECOT = """
base_dir = {folder}/run/dovecot
state_dir = {folder}/run/dovecot-state
instance_name = pbemown
log_path = {folder}/dovecot.log
first_valid_uid = 1
first_valid_gid = 1
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
}}
"""
"""Settings that the page leaves at their default, and servers beside those of the machine need otherwise."""


def files_of_the_page(version: str = "") -> dict[str, str]:
    """Return the files that the page writes, by path, with the Dovecot settings of a version such as 2.4 alone."""
    sections = PAGE.read_text().split("\n## ")
    of_all = [each for each in sections if not each.startswith("Dovecot ") or each.startswith(f"Dovecot {version}:")]
    return dict(_WRITTEN.findall("\n## ".join(of_all)))


def run(folder: Path) -> None:
    """Run both servers, with all that they need in an empty folder, until the input ends."""
    version = ".".join(mail_system.dovecot_version().split(".")[:2])
    folder.chmod(0o755)
    with mail_system.emptied(folder):
        ports = dict(zip(("imap", "smtp"), free_ports(2), strict=True))
        _write(folder, version, ports)
        start_dovecot, start_postfix = mail_system.start_dovecot, mail_system.start_postfix
        with stopping(start_dovecot(folder, "dovecot.conf")) as dovecot, stopping(start_postfix(folder)) as postfix:
            wait_until(lambda: answers(ports["imap"]), dovecot, "Dovecot")
            wait_until(lambda: answers(ports["smtp"]), postfix, "Postfix")
            print(json.dumps(ports), flush=True)
            sys.stdin.read()


def _write(folder: Path, version: str, ports: dict[str, int]) -> None:
    certificates = make_certificates(folder / "tls")
    uid, gid = mail_system.owner(folder)
    for name in ("dovecot", "postfix", "pbem", MAILBOXES):
        (folder / name).mkdir()
    os.chown(folder / MAILBOXES, uid, gid)
    others = {
        "/etc/letsencrypt/live/play.example.org/privkey.pem": str(certificates.key),
        "/etc/letsencrypt/live/play.example.org/fullchain.pem": str(certificates.certificate),
        "/var/spool/postfix": str(folder / SPOOL),
        "/var/vmail": str(folder / MAILBOXES),
        "/etc/": f"{folder}/",
        "mail_uid = vmail": f"mail_uid = {uid}",
        "mail_gid = vmail": f"mail_gid = {gid}",
    }
    written = files_of_the_page(version)
    postfix, dovecot = written["/etc/postfix/main.cf"], written["/etc/dovecot/dovecot.conf"]
    added = {"folder": folder, "log": LOG, **ports}
    (folder / "postfix" / "main.cf").write_text(_with(others, postfix) + _POSTFIX.format(**added))
    services = re.sub(r"^smtp +inet", f"127.0.0.1:{ports['smtp']} inet", MASTER.read_text(), flags=re.MULTILINE)
    (folder / "postfix" / "master.cf").write_text(services)
    (folder / "dovecot" / "dovecot.conf").write_text(_with(others, dovecot) + _DOVECOT.format(**added))
    (folder / "pbem" / "mail-password").write_text("not-a-secret\n")
    subprocess.run(["bash", "-c", _with(others, _USERS.findall(PAGE.read_text())[0])], check=True)
    shutil.chown(folder / "dovecot" / "users", "root", "dovecot")


def _with(others: dict[str, str], text: str) -> str:
    for there, here in others.items():
        text = text.replace(there, here)
    return text


if __name__ == "__main__":
    try:
        run(Path(sys.argv[1]))
    except ServerMissing as missing:
        sys.exit(str(missing))
