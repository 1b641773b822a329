"""Polls IMAP servers of Debian as a home does, and writes down what they can: part of `docs/mail-servers.md`.

    python -m tests.programs.polling [NAME]... [--suite SUITE]

Each server is installed in a Debian system of its own, and driven by a file of `servers`: it gets two mails of
Ann's, one with a star, which a home fetches and moves out of the inbox; a second poll finds nothing, a third one new
mail, and a fourth nothing. `polling.json` has what came of it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from imapclient import IMAPClient
from imapclient.imapclient import FLAGGED

from tests.mail.letters import mail as letter
from tests.programs.home import run_pbem
from tests.programs.system import HERE, SYSTEMS, in_system, system
from tests.servers.processes import answers, free_ports

FOUND = HERE / "polling.json"
PAGE = HERE.parents[1] / "docs" / "mail-servers.md"


def install(driver: Path, suite: str) -> str:
    """Install what a driver names: packages, with answers `preset`, or a package of Python; return its version."""
    named: dict[str, str] = dict(re.findall(r'^(package|preset|python)="?([^"\n]*)', driver.read_text(), re.MULTILINE))
    packages = named["package"].split()
    if "preset" in named:
        preset = "\n".join(named["preset"].split("; "))
        system(suite, "install", "debconf")  # makes the system
        system(suite, "serve", "bash", "-c", f'echo "{preset}" | debconf-set-selections')
    done = system(suite, "install", *packages)
    if not done.returncode and "python" in named:
        command = f"python3 -m venv /opt/{driver.stem} && /opt/{driver.stem}/bin/pip install --quiet {named['python']}"
        done = system(suite, "serve", "sh", "-c", command)
    if done.returncode:
        raise RuntimeError(done.stderr)
    if "python" in named:
        return named["python"].partition("==")[2]
    return system(suite, "run", "dpkg-query", "--show", "--showformat=${Version}", packages[0]).stdout


def guessed(driver: Path, topic: str) -> str:
    """Return what a driver guesses about a topic."""
    found = re.search(rf'^guess {topic} "(.*)"$', driver.read_text(), re.MULTILINE)
    return found[1] if found else ""


@contextmanager
def serving(driver: Path, suite: str, **ports: int) -> Iterator[None]:
    """Run a server at the loopback port PORT, with the account `orders`, while the block runs."""
    for file in (driver, HERE / "bridge.py"):
        (SYSTEMS / suite / "root" / file.name).write_bytes(file.read_bytes())
    account = "id -u orders || useradd --create-home orders; echo orders:orders-pw | chpasswd"
    command = (
        f"cd; guess() {{ :; }}; . ./{driver.name}; {account}; rm -rf ~orders/* /var/mail/orders; serve; exec sleep 600"
    )
    pairs = [f"{key}={port}" for key, port in ports.items()]
    with in_system(suite, "serve", "env", *pairs, "bash", "-c", command) as server:
        for _ in range(450):
            if answers(ports["PORT"]):
                break
            if server.poll() is not None:
                raise RuntimeError("its driver has ended")
            time.sleep(0.2)
        else:
            raise RuntimeError("it does not answer")
        yield


def append(port: int, *numbers: int) -> None:
    """Put mails of Ann's into the inbox; the first has a star."""
    with IMAPClient("127.0.0.1", port, ssl=False) as imap:
        imap.login("orders", "orders-pw")
        for number in numbers:
            raw = letter("HELP", f"Message-ID: <{number}@example.org>", "Subject: hello")
            imap.append("INBOX", raw, [FLAGGED] if number == 1 else [])


def poll(port: int) -> dict[str, object]:
    """Poll an inbox with two mails, once more, and again after a third has come; return what came of it."""
    append(port, 1, 2)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        os.environ["PROGRAMS_PASSWORD"] = "orders-pw"
        run_pbem(home, "init", ".", "--address", "orders@example.org")
        settings = (home / "pbem.toml").read_text()
        inbox = f'inbox = "imap://orders@127.0.0.1:{port}/INBOX"\ninbox_password = {{ env = "PROGRAMS_PASSWORD" }}'
        (home / "pbem.toml").write_text(re.sub(r"(?m)^inbox = .*$", inbox, settings))
        ticks = [run_pbem(home, "tick").splitlines()[0] for _ in range(2)]
        append(port, 3)
        ticks += [run_pbem(home, "tick").splitlines()[0] for _ in range(2)]
        told = run_pbem(home, "doctor", fails=True)
    can = re.search(r"inbox server: (.*(?:\n +.*)*)", told)
    return {"ticks": ticks, **lie_in(port), "can": " ".join(can[1].split()) if can else "nothing is told"}


def lie_in(port: int) -> dict[str, object]:
    """Return how many mails lie in the inbox and in Processed, and how many there have their star."""
    with IMAPClient("127.0.0.1", port, ssl=False) as imap:
        imap.login("orders", "orders-pw")
        left = imap.select_folder("INBOX", readonly=True)[b"EXISTS"]
        processed = next(name for _, _, name in imap.list_folders() if name.endswith("Processed"))
        moved = imap.select_folder(processed, readonly=True)[b"EXISTS"]
        return {"left": left, "moved": moved, "stars": len(imap.search(["FLAGGED"]))}


def write(page: str) -> str:
    """Return the page with its table of servers as it is now."""
    above, mark, below = page.partition("<!-- polling -->\n\n")
    rows = [
        "| server | version | mails that the polls find | in the inbox | in Processed | guessed | the doctor says |",
        "|---|---|---|---|---|---|---|",
    ]
    for it in json.loads(FOUND.read_text()):
        polls = ", ".join("0" if each == "Nothing to do." else each.split()[0] for each in it["ticks"])
        moved = f"{it['moved']}, {'with' if it['stars'] else 'without'} the star"
        version, guess = f"{it['version']} ({it['suite']})", guessed(HERE / "servers" / f"{it['server']}.sh", "can")
        cells = (it["server"], version, polls, str(it["left"]), moved, guess, it["can"])
        rows.append(f"| {' | '.join(cells)} |")
    return above + mark + "\n".join([*rows, ""]) + re.sub(r"\A(?:\|.*\n)*", "", below)


def run_drivers(
    name: str,
    summary: str,
    folder: str,
    results: Path,
    run: Callable[[Path, str], dict[str, object]],
    write: Callable[[str], str],
) -> None:
    """Run the servers asked for on the command line, or all of a folder; keep what was found, and write the page."""
    parser = argparse.ArgumentParser(prog=f"tests.programs.{name}", description=summary.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--suite", default="trixie")
    options = parser.parse_args()
    failed = []
    for server in options.names or sorted(path.stem for path in (HERE / folder).glob("*.sh")):
        driver = HERE / folder / f"{server}.sh"
        try:
            version = install(driver, options.suite)
            found = {"server": server, "version": version, "suite": options.suite, **run(driver, options.suite)}
        except Exception:  # noqa: BLE001 - one server's fault must not stop the others
            failed.append(server)
            print(f"{server} has failed, and its earlier result stays:\n{traceback.format_exc()}", flush=True)
            continue
        print(json.dumps(found), flush=True)
        known = json.loads(results.read_text()) if results.exists() else []
        others = [it for it in known if (it["server"], it["suite"]) != (server, options.suite)]
        ordered = sorted([*others, found], key=lambda it: (it["server"], it["suite"]))
        results.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(write(PAGE.read_text()))
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def _run(driver: Path, suite: str) -> dict[str, object]:
    [port] = free_ports(1)
    with serving(driver, suite, PORT=port):
        return poll(port)


if __name__ == "__main__":
    run_drivers("polling", __doc__, "servers", FOUND, _run, write)
