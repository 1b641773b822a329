"""Tests that follow the page for a bare Debian, block by block, in a folder that acts as the root of a machine.

The shell is interactive and on a terminal, like a reader's; mail goes through real servers. Only lines that would
change the machine itself are left out, one by one, and tested in another way.
"""

from __future__ import annotations

import configparser
import email
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import policy
from pathlib import Path

import pytest

from tests.docs.terminal import terminal
from tests.docs.warm import warm_pbem
from tests.servers.mail import HOST, MailServer
from tests.servers.postgres import PostgresServer

PAGE = (Path(__file__).parents[2] / "docs" / "from-bare-debian.md").read_text()
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PASSWORDS = "orders-pw"
"""The answer to every prompt for a password: the mailbox's; the database server trusts all."""

NOT_RUN = (
    "apt-get update && apt-get install --yes --no-install-recommends python3-venv ca-certificates tzdata cron",
    "python3 -m venv /opt/pbem",
    "/opt/pbem/bin/pip install /usr/local/src/pbem",
    "useradd --system --create-home --home-dir /srv/pbem --shell /bin/bash pbem",
    "su - pbem",
    "systemctl daemon-reload",
    "systemctl enable --now pbem.timer",
    "systemctl list-timers --no-pager pbem.timer",
    "journalctl --no-pager --lines 50 --unit pbem.service",
    "systemctl stop pbem.timer pbem.service",
    "su - pbem -c 'pbem backup /var/backups/pbem --keep 14'",
    "/opt/pbem/bin/pip install --upgrade /usr/local/src/pbem",
    "su - pbem -c 'pbem migrate && pbem doctor'",
    "systemctl start pbem.timer",
    "apt-get install --yes --no-install-recommends postgresql",
    "/opt/pbem/bin/pip install '/usr/local/src/pbem[postgresql]'",
)
"""The lines of the page that are not run here, in its order; all others are run."""


@dataclass
class Machine:
    """A machine: its root folder, the servers it knows, and the output of each block."""

    root: Path
    mail: MailServer
    database: PostgresServer
    printed: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    @property
    def home(self) -> Path:
        """The home of pbem."""
        return self.root / "srv" / "pbem"

    def prepare(self) -> None:
        """Make the folders that the left-out lines would have made."""
        for folder in ("usr/local/bin", "etc/systemd/system", "etc/cron.d", "opt/pbem/bin", "srv/pbem", "var/backups"):
            (self.root / folder).mkdir(parents=True)

    def environment(self) -> dict[str, str]:
        """Return the environment of a fresh machine with the tests' servers; `pbem` is only where the page puts it."""
        path = f"{self.root / 'usr' / 'local' / 'bin'}:/usr/bin:/bin"
        database = {"PGHOST": HOST, "PGPORT": str(self.database.port), "PGUSER": "pbem", "PGDATABASE": "postgres"}
        return {"PATH": path, "HOME": str(self.home), "SSL_CERT_FILE": str(self.mail.ca_file), **database}

    def here(self, line: str) -> str:
        """Return a line as it is run here: in this root, by the user of the tests, with the servers of the tests."""
        ports = self.mail.ports
        line = re.sub(r"(?<![\w.@/])/(?!dev/)(?=\w+/)", f"{self.root}/", line)
        line = line.replace(" --owner=root --group=pbem", "").replace(" --owner=pbem --group=pbem", "")
        line = line.replace("orders%40example.org@imap.example.org", f"orders@{HOST}:{ports['imaps']}")
        line = line.replace("orders%40example.org@smtp.example.org", f"orders@{HOST}:{ports['submission']}")
        line = line.replace("@example.org", f"@{self.mail.address('').removeprefix('@')}")
        line = line.replace("postgresql:///pbem", f"postgresql://bare_debian@{HOST}:{self.database.port}/bare_debian")
        if line.startswith("runuser -u postgres -- "):
            return re.sub(r"\bpbem\b", "bare_debian", line.removeprefix("runuser -u postgres -- "))
        return line

    def follow(self) -> None:
        """Paste all blocks, and let Ann send the lines that the page shows, as soon as it shows them."""
        with terminal(self.home, self.environment()) as shell:
            for kind, block in BLOCK.findall(PAGE):
                if kind == "text":
                    self.send("ann", block)
                    continue
                lines = [line for line in block.splitlines() if line not in NOT_RUN]
                typed = [PASSWORDS for line in lines if "read -rsp" in line]
                self.printed[block], status = shell.paste("\n".join(map(self.here, lines)), *typed)
                if status:
                    self.failed.append(block)

    def send(self, player: str, lines: str) -> None:
        """Press Reply on the player's report, and send these lines."""
        report = self.reports(player)[-1]
        reply = email.message.EmailMessage()
        reply["From"], reply["To"] = self.mail.address(player), report["Reply-To"]
        reply["Subject"], reply["In-Reply-To"] = f"Re: {report['Subject']}", report["Message-ID"]
        reply.set_content(lines)
        self.mail.submit(player, str(report["Reply-To"]), reply.as_bytes())
        self.mail.mails("orders", at_least=1)

    def reports(self, player: str) -> list[email.message.EmailMessage]:
        """Return the reports that a player was mailed."""
        mails = [email.message_from_bytes(raw, policy=policy.default) for raw in self.mail.mails(player, at_least=2)]
        return [mail for mail in mails if any(part.get_content_subtype() == "json" for part in mail.walk())]


@pytest.fixture(scope="module")
def machine(
    _mail_server: MailServer, _postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """Yield a machine on which the whole page has been followed."""
    _mail_server.empty()
    machine = Machine(tmp_path_factory.mktemp("debian"), _mail_server, _postgres)
    machine.prepare()
    with warm_pbem(machine.root / "opt" / "pbem" / "bin" / "pbem"):
        machine.follow()
        yield machine


def _lines() -> Iterator[str]:
    for kind, block in BLOCK.findall(PAGE):
        if kind == "sh":
            yield from block.splitlines()


def test_every_block_is_run_but_for_the_lines_named_here() -> None:
    """Every line that is not run is named in this file, so that no other is left out."""
    assert tuple(dict.fromkeys(line for line in _lines() if line in NOT_RUN)) == NOT_RUN


@pytest.mark.in_turn("bare Debian")
def test_every_block_can_be_pasted_as_it_stands(machine: Machine) -> None:
    """Each block succeeds in an interactive shell."""
    assert [(block, machine.printed[block]) for block in machine.failed] == []


@pytest.mark.in_turn("bare Debian")
def test_the_doctor_finds_no_problem(machine: Machine) -> None:
    """`pbem doctor` finds no problem in mailbox, transport, database and permissions."""
    [first, *_] = [said for block, said in machine.printed.items() if block.rstrip().endswith("pbem doctor")]

    assert "0 problems, 1 warning." in first
    assert "warning  address: the domain pbem.test is not found" in first


@pytest.mark.in_turn("bare Debian")
def test_a_turn_is_played_by_mail(machine: Machine) -> None:
    """The lines that the page shows are all understood, and bring the report of the next turn."""
    subjects = [str(report["Subject"]) for report in machine.reports("ann")]
    [receipt] = [raw for raw in machine.mail.mails("ann") if b"[first] orders in" in raw]

    assert b"Subject: [first] orders in: 2 of 2, turn 1 [" in receipt
    assert ["turn 1" in subjects[0], "turn 2" in subjects[-1]] == [True, True]


@pytest.mark.in_turn("bare Debian")
def test_the_job_does_a_round(machine: Machine) -> None:
    """The commands of the service and of cron succeed, in their folders and with hardly any environment."""
    unit = configparser.RawConfigParser()
    unit.read(machine.root / "etc" / "systemd" / "system" / "pbem.service")
    service = unit["Service"]
    [cron] = re.findall(r"^[*/5 ]+  pbem  (.*)", (machine.root / "etc" / "cron.d" / "pbem").read_text())
    bare = machine.environment() | {"PATH": "/usr/bin:/bin"}

    subprocess.run(service["ExecStart"].split(), cwd=service["WorkingDirectory"], env=bare, check=True)
    subprocess.run(["sh", "-c", cron], cwd="/", env=bare, check=True)

    assert (machine.home / "tick.log").read_text() == "Nothing to do.\n"


@pytest.mark.in_turn("bare Debian")
def test_the_backup_is_sound(machine: Machine) -> None:
    """The page's backup of the home is proved by the command that the page shows."""
    [said] = [said for block, said in machine.printed.items() if "pbem verify" in block]

    assert len([*(machine.root / "var" / "backups" / "pbem").iterdir()]) == 1
    assert "first" in said


@pytest.mark.in_turn("bare Debian")
def test_the_units_are_in_order(machine: Machine) -> None:
    """systemd, if it is installed, accepts service and timer; the timer starts the service."""
    units = machine.root / "etc" / "systemd" / "system"
    if shutil.which("systemd-analyze"):
        verify = ["systemd-analyze", "verify", "--man=no", *map(str, units.iterdir())]
        assert subprocess.run(verify, capture_output=True, text=True, check=True).stderr == ""

    assert {path.name for path in units.iterdir()} == {"pbem.service", "pbem.timer"}


@pytest.mark.in_turn("bare Debian")
def test_passwords_are_for_their_readers_alone(machine: Machine) -> None:
    """The mailbox password is readable by its group, that of the database by its owner alone; both are complete."""
    mailbox, database = machine.root / "etc" / "pbem" / "mail-password", machine.home / ".pgpass"

    assert (mailbox.read_text(), oct(mailbox.stat().st_mode)) == (f"{PASSWORDS}\n", "0o100640")
    assert database.read_text() == f"db.example.org:5432:pbem:pbem:{PASSWORDS}\n"
    assert oct(database.stat().st_mode) == "0o100600"
    assert not any(PASSWORDS in said for said in machine.printed.values())


def test_the_packages_are_debians() -> None:
    """Debian, if its package list is available, has all packages that the page installs."""
    named = [
        word
        for line in NOT_RUN
        if "apt-get install" in line
        for word in line.partition("--no-install-recommends ")[2].split()
    ]

    assert named == ["python3-venv", "ca-certificates", "tzdata", "cron", "postgresql"]
    if shutil.which("apt-cache") and any(Path("/var/lib/apt/lists").glob("*Packages*")):
        known = subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True).stdout.split()
        assert set(named) <= set(known)
