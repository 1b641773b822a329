"""A home whose mails are answered by mail programs, over a real Postfix and Dovecot.

Ann has five mails of The Singularity Trap: a report, the receipt of a sheet, an invitation, a reminder, and the
question whether a sheet is theirs. Each reply is processed in a copy of the home of its own.
"""

from __future__ import annotations

import datetime as dt
import email
import email.policy
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

from tests.mail.letters import mail as letter
from tests.servers.mail import MailServer

KINDS: Mapping[str, str] = {
    "report": "[trap] turn 2, due",
    "receipt": "[trap] orders in",
    "invitation": "invites you to",
    "reminder": "[soon] no orders yet",
    "question": "did you send this?",
}
"""The mails by words of their subjects."""

EARLIER, ASKED = "BUILD Scout AT J1+9", "BUILD Cruiser AT J1+9"
"""The sheet that counts before each reply, and the one that the question is about."""

_PBEM = Path(sys.executable).with_name("pbem")
_FORM = re.compile(r"^; ((?:BUILD|MOVE) .*)$", re.MULTILINE)
_BUTTON = re.compile(r'href="(mailto:[^"]*)"')


@dataclass(frozen=True)
class Taken:
    """Orders of a seat after a reply, whether Ann has the seat of the invitation, and the subject of the answer."""

    orders: tuple[str, ...]
    seated: bool
    subject: str


@dataclass(frozen=True)
class Home:
    """The home, as it is before each reply, and Ann's mails in it by their kinds."""

    folder: Path
    server: MailServer
    mails: Mapping[str, bytes]

    def parsed(self, kind: str) -> EmailMessage:
        """Return one of Ann's mails, parsed."""
        return email.message_from_bytes(self.mails[kind], policy=email.policy.default)

    def form(self, kind: str) -> list[str]:
        """Return the orders that the form of a mail suggests."""
        return _FORM.findall(_text(self.parsed(kind), "plain"))

    def button(self) -> str:
        """Return the URL of the report's button."""
        found = _BUTTON.search(_text(self.parsed("report"), "html"))
        assert found is not None
        return found[1].replace("&amp;", "&")

    def orders(self, lines: Sequence[str], seat: str) -> tuple[str, ...]:
        """Return the orders that count for a seat after its GM has entered these lines in a copy of the home."""
        copy = self._copy()
        run_pbem(copy, "sheet", seat, "red", "--text", "-", "--yes", given="\n".join(lines))
        return _counting(copy, seat)

    def _copy(self) -> Path:
        copy = self.folder.with_name("copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder, copy)
        return copy

    def take(self, seat: str = "trap") -> Taken:
        """Process what is in the inbox of the order address in a copy of the home; return what came of it."""
        copy = self._copy()
        before = len(self.server.mails("ann"))
        run_pbem(copy, "tick")
        seats = run_pbem(copy, "status", "duel")
        self.server.settle()
        answers = [
            email.message_from_bytes(raw, policy=email.policy.default) for raw in self.server.mails("ann")[before:]
        ]
        return Taken(
            _counting(copy, seat),
            re.search(r"^ +(one|two) +ann@", seats, re.MULTILINE) is not None,
            "; ".join(str(mail["Subject"]) for mail in answers),
        )


def _counting(home: Path, seat: str) -> tuple[str, ...]:
    counts = json.loads(run_pbem(home, "sheet", seat, "red", "--json"))["seats"][0]["counts"]
    return tuple(counts["lines"]) if counts else ()


def _text(mail: EmailMessage, kind: str) -> str:
    body = mail.get_body((kind,))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def run_pbem(home: Path, *words: str, given: str = "", ago: float = 0, fails: bool = False) -> str:
    """Run a command of pbem in a folder, so many hours ago; return its output. It must succeed unless it `fails`."""
    now = dt.datetime.now(dt.UTC) - dt.timedelta(hours=ago)
    done = subprocess.run(
        [_PBEM, *words, *(() if words[0] == "init" else ("--now", now.isoformat()))],
        cwd=home,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not fails:
        raise RuntimeError(f"pbem {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


@contextmanager
def made_home(folder: Path, server: MailServer) -> Iterator[Home]:
    """Make the home in an empty folder, and have its mails delivered."""
    home = folder / "home"
    os.environ["PROGRAMS_PASSWORD"] = server.password("orders")
    ann, gm = server.address("ann"), server.address("gm")
    run_pbem(folder, "init", str(home), "--address", server.address("orders"))
    settings = [
        f'address = "{server.address("orders")}"',
        f'inbox = "{server.inbox("orders")}"',
        f'carrier = "{server.carrier("orders")}"',
        f'tls_ca = "{server.ca_file}"',
        *(f'{name}_password = {{ env = "PROGRAMS_PASSWORD" }}' for name in ("inbox", "carrier")),
    ]
    (home / "pbem.toml").write_text("\n".join(settings) + "\n")
    weekly, seats = "FRI 20:00 Europe/Berlin", [f"--seat=red={ann}", f"--seat=cyan={server.address('bob')}"]
    for name, schedule in (("trap", weekly), ("soon", "EVERY 12h")):
        words = ("--game", "singularity_trap", "--gm", gm, "--schedule", schedule, *seats)
        run_pbem(home, "new", name, *words, ago=9)
        run_pbem(home, "start", name, ago=9)
    run_pbem(home, "sheet", "trap", "red", "--text", "-", "--yes", given="BUILD Scout AT J1+9\nMOVE NEW1 S\n", ago=8)
    run_pbem(home, "run", "trap", "--yes", ago=8)
    run_pbem(home, "new", "duel", "--game", "dueling_masters", "--gm", gm, "--schedule", weekly, "--open", "2", ago=8)
    run_pbem(home, "invite", "duel", ann, ago=8)
    run_pbem(home, "tick")
    report = next(raw for raw in server.mails("ann") if KINDS["report"] in _subject(raw))
    code = str(email.message_from_bytes(report, policy=email.policy.default)["Reply-To"])
    for number, (to, text) in enumerate(
        ((code, EARLIER), (server.address("orders"), f"ORDERS trap red\n{ASKED}\nEND"))
    ):
        raw = letter(text, f"Message-ID: <{number}@pbem.test>", sender=ann)
        server.deliver(to, raw.replace(b"orders@example.org", to.encode()), sender=ann)
        server.mails("orders", at_least=1)
        run_pbem(home, "tick")
    server.settle()
    found = {kind: raw for kind, words in KINDS.items() for raw in server.mails("ann") if words in _subject(raw)}
    if missing := KINDS.keys() - found.keys():
        raise RuntimeError(f"no {missing} among {[*map(_subject, server.mails('ann'))]}")
    yield Home(home, server, found)


def _subject(raw: bytes) -> str:
    return str(email.message_from_bytes(raw, policy=email.policy.default)["Subject"])
