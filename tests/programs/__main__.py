"""Runs mail programs on mails of ours, each as its players would use it, and writes down what came of their replies.

    python -m tests.programs [NAME]... [--suite SUITE] [--keep FOLDER]

Each program is installed in a Debian system of its own (`system.sh`) and driven by a
file of `clients`. The results replace those of the same program and suite in
`results.json`, of which `tables.py` makes the page for players. `--keep` writes each
reply, with the names of example.org, into a folder.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.programs.home import ASKED, Home, Taken, made_home
from tests.programs.system import HERE, SYSTEMS, in_system, system
from tests.programs.traits import traits_of
from tests.servers.mail import running_mail

RESULTS = HERE / "results.json"

_LIMIT, _WAIT = 180, 20
"""Seconds after which a program is ended that has sent nothing, and for which its reply may be on its way."""


@dataclass(frozen=True)
class Case:
    """A reply: the mail that is answered, the driver's function, where what is typed."""

    mail: str
    action: str = "reply"
    way: str = "top"
    seat: str = "trap"

    @property
    def name(self) -> str:
        """The name in tables."""
        return f"{self.mail}-{self.way if self.action == 'reply' else self.action}"


CASES = (
    Case("report"),
    Case("report", way="bottom"),
    Case("report", way="form"),
    Case("report", "forward"),
    Case("report", "compose", "form"),
    Case("receipt"),
    Case("reminder", seat="soon"),
    Case("invitation"),
    Case("question"),
)


@dataclass(frozen=True)
class Driver:
    """A driver's file: the package, others that are needed, how it is driven, what players do, and the guesses."""

    path: Path
    package: str
    needs: str
    driven: str
    tip: str
    guesses: dict[str, str]

    @classmethod
    def read(cls, name: str) -> Driver:
        """Read the driver of a program."""
        path = HERE / "clients" / f"{name}.sh"
        text = path.read_text()
        fields = dict(re.findall(r'^(package|needs|driven)="?([^"\n]*)"?$', text, re.MULTILINE))
        tip = re.search(r"^tip '(.*)'$", text, re.MULTILINE)
        return cls(
            path,
            fields["package"],
            fields.get("needs", ""),
            fields["driven"],
            tip[1] if tip else "",
            dict(re.findall(r'^guess (\S+) "(.*)"$', text, re.MULTILINE)),
        )

    def can(self, action: str) -> bool:
        """Return True if the program can do it."""
        like = re.findall(r'/(\w+)\.sh"$', self.path.read_text(), re.MULTILINE)
        texts = [self.path.read_text(), *((HERE / "clients" / f"{name}.sh").read_text() for name in like)]
        return any(re.search(rf"^{action}\(\)", text, re.MULTILINE) for text in texts)


def typed(home: Home, case: Case) -> list[str]:
    """Return the lines that the player types, or frees in the form."""
    if case.mail in ("invitation", "question"):
        return ["YES"]
    suggested = home.form("reminder" if case.seat == "soon" else "report")
    return suggested if case.way == "form" else [re.sub(r"^BUILD \w+", "BUILD Terraformer", line) for line in suggested]


def is_right(home: Home, case: Case, taken: Taken) -> bool:
    """Return True if what was meant has come of a reply."""
    match case.mail:
        case "invitation":
            return taken.seated
        case "question":
            return taken.orders == (ASKED,)
        case _:
            return taken.orders == home.orders(typed(home, case), case.seat)


def run_case(home: Home, driver: Driver, case: Case, suite: str) -> tuple[bytes, str, str]:
    """Have a program answer a mail; return the reply, what was on its screen, and its complaints."""
    server = home.server
    server.empty()
    server.append("ann", [home.mails[case.mail]])
    player = SYSTEMS / suite / "home" / "ann"
    subprocess.run(["/bin/rm", "-rf", player], check=True)
    player.mkdir()
    player.chmod(0o777)
    for path in (HERE / "lib.sh", *(HERE / "clients").glob("*.sh")):
        (player / path.name).write_bytes(path.read_bytes())
    variables = {
        "IMAP_PORT": str(server.ports["imap"]),
        "SMTP_PORT": str(server.ports["smtp"]),
        "WAY": case.way,
        "TYPED": "\n".join(typed(home, case)),
        "ORDERS": str(home.parsed("report")["Reply-To"]) if case.action == "forward" else server.address("orders"),
        "URL": home.button(),
    }
    pairs = [f"{name}={value}" for name, value in variables.items()]
    command = f'. ./lib.sh; . ./{driver.path.name}; {case.action} "$URL"; sleep {_WAIT}'
    words, seen, told = ("run", "env", *pairs, "bash", "-c", command), player / "screen", player / "told"
    with told.open("wb") as file, in_system(suite, *words, stdout=file.fileno(), stderr=file.fileno()) as process:
        raw = next(_arrived(home, process), b"")
    screen, complaints = (path.read_text(errors="replace") if path.exists() else "" for path in (seen, told))
    return raw, screen, complaints.strip()


def _arrived(home: Home, process: subprocess.Popen[str]) -> Iterator[bytes]:
    until = time.monotonic() + _LIMIT
    while process.poll() is None and time.monotonic() < until:
        yield from home.server.mails("orders")
        time.sleep(0.5)


def run_program(home: Home, name: str, suite: str, keep: Path | None) -> dict[str, Any]:
    """Have a program answer all mails; return what came of it."""
    driver = Driver.read(name)
    asked = system(suite, "run", "dpkg-query", "--show", "--showformat=${Version}", driver.package)
    result: dict[str, Any] = {
        "program": name,
        "version": asked.stdout,
        "suite": suite,
        "driven": driver.driven,
        "tip": driver.tip,
        "guessed": driver.guesses,
        "seen": {},
        "cases": {},
    }
    for case in CASES:
        if not driver.can(case.action):
            continue
        raw, screen, complaints = run_case(home, driver, case, suite)
        if not raw:
            print(f"  {case.name}: nothing sent\n{complaints}")
            result["cases"][case.name] = {"right": False, "answer": "nothing sent"}
            continue
        taken = home.take(case.seat)
        right = is_right(home, case, taken)
        result["cases"][case.name] = {"right": right, "answer": re.sub(r" \[[a-z2-7]{16}\]", "", taken.subject)}
        result["seen"].update(traits_of(case.name, home.parsed(case.mail), raw, screen))
        print(f"  {case.name}: {'as meant' if right else 'NOT as meant'}: {taken.subject} {complaints[-300:]}")
        if keep is not None:
            (keep / f"{name}-{case.name}.eml").write_bytes(raw)
            (keep / f"{name}-{case.name}.screen").write_text(screen)
    return result


def install(suite: str, *packages: str) -> None:
    """Install packages in the system of a suite."""
    done = system(suite, "install", *sorted(packages))
    if done.returncode:
        sys.exit(done.stderr)


def offered(suite: str, names: Iterable[str]) -> dict[str, Driver]:
    """Return the drivers of the programs that a suite has, by their names."""
    drivers = {name: Driver.read(name) for name in names}
    known = system(suite, "serve", "apt-cache", "show", *(driver.package for driver in drivers.values())).stdout
    packages = re.findall(r"^Package: (.*)$", known, re.MULTILINE)
    return {name: driver for name, driver in drivers.items() if driver.package in packages}


def main() -> None:
    """Run the programs asked for, or all."""
    parser = argparse.ArgumentParser(prog="tests.programs", description=__doc__.split("\n", 1)[0])
    known = sorted(path.stem for path in (HERE / "clients").glob("*.sh"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--suite", default="trixie")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    if os.geteuid() or not Path("/etc/debian_version").exists():
        sys.exit("make programs: it makes Debian systems to run mail programs in, and so needs Debian and root.")
    install(options.suite, "tmux", "isync", "msmtp-mta")
    drivers = offered(options.suite, options.names or known)
    install(options.suite, *{name for driver in drivers.values() for name in (driver.package, *driver.needs.split())})
    editor = SYSTEMS / options.suite / "usr" / "local" / "bin" / "player"
    editor.write_bytes((HERE / "player.py").read_bytes())
    editor.chmod(0o755)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as own,
        running_mail(Path(folder)) as server,
        made_home(Path(own), server) as home,
    ):
        if options.keep:
            for kind, raw in home.mails.items():
                (options.keep / f"{kind}.eml").write_bytes(raw)
        for name in drivers:
            print(name, flush=True)
            result = run_program(home, name, options.suite, options.keep)
            results = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
            others = [it for it in results if (it["program"], it["suite"]) != (name, options.suite)]
            ordered = sorted([*others, result], key=lambda it: (it["program"], it["suite"]))
            RESULTS.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
