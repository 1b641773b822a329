"""Polls IMAP servers of Debian as a home does, and writes down what they can: part of `docs/mail-servers.md`.

    python -m tests.programs.polling [NAME]... [--suite SUITE]

Each server is installed in a Debian system of its own, and driven by a file of `servers`: it gets two mails of
Ann's, which a home fetches and moves out of the inbox; a second poll finds nothing. `polling.json` has what came of it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from imapclient import IMAPClient

from tests.mail.letters import mail as letter
from tests.programs.home import run_pbem
from tests.programs.system import HERE, SYSTEMS, system
from tests.servers.processes import answers, free_ports

FOUND = HERE / "polling.json"
PAGE = HERE.parents[1] / "docs" / "mail-servers.md"


@contextmanager
def serving(name: str, suite: str, port: int) -> Iterator[None]:
    """Run a server at a port of loopback, with the account `orders`, while the block runs."""
    driver = SYSTEMS / suite / "root" / "driver.sh"
    driver.write_bytes((HERE / "servers" / f"{name}.sh").read_bytes())
    account = "id -u orders || useradd --create-home orders; echo orders:orders-pw | chpasswd"
    command = (
        f"cd; guess() {{ :; }}; . ./driver.sh; {account}; rm -rf ~orders/* /var/mail/orders; serve; exec sleep 600"
    )
    with subprocess.Popen(
        [HERE / "system.sh", "serve", "env", f"PORT={port}", "bash", "-c", command],
        env={"PATH": os.environ["PATH"], "SUITE": suite, "PROGRAMS": str(SYSTEMS)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as server:
        try:
            for _ in range(100):
                if answers(port) or server.poll() is not None:
                    break
                subprocess.run(["/bin/sleep", "0.2"], check=True)
            yield
        finally:
            os.killpg(server.pid, signal.SIGKILL)  # with it ends the namespace, and all that runs there


def poll(port: int) -> dict[str, object]:
    """Put two sheets into the inbox, and poll it twice; return what came of it."""
    with IMAPClient("127.0.0.1", port, ssl=False) as imap:
        imap.login("orders", "orders-pw")
        for number in (1, 2):
            imap.append("INBOX", letter("HELP", f"Message-ID: <{number}@example.org>", "Subject: hello"))
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        os.environ["PROGRAMS_PASSWORD"] = "orders-pw"
        run_pbem(home, "init", ".", "--address", "orders@example.org")
        settings = (home / "pbem.toml").read_text()
        inbox = f'inbox = "imap://orders@127.0.0.1:{port}/INBOX"\ninbox_password = {{ env = "PROGRAMS_PASSWORD" }}'
        (home / "pbem.toml").write_text(re.sub(r"(?m)^inbox = .*$", inbox, settings))
        ticks = [run_pbem(home, "tick").splitlines()[0] for _ in range(2)]
        told = run_pbem(home, "doctor", fails=True)
    with IMAPClient("127.0.0.1", port, ssl=False) as imap:
        imap.login("orders", "orders-pw")
        left = imap.select_folder("INBOX", readonly=True)[b"EXISTS"]
    can = re.search(r"inbox server: (.*(?:\n +.*)*)", told)
    return {"ticks": ticks, "left": left, "can": " ".join(can[1].split()) if can else "nothing is told"}


def write(page: str) -> str:
    """Return the page with its table of servers as it is now."""
    above, mark, below = page.partition("<!-- polling -->\n\n")
    rows = [
        "| server | version | first and second poll | left in the inbox | the doctor says |",
        "|---|---|---|---|---|",
    ]
    for it in json.loads(FOUND.read_text()):
        cells = (it["server"], f"{it['version']} ({it['suite']})", " ".join(it["ticks"]), str(it["left"]), it["can"])
        rows.append(f"| {' | '.join(cells)} |")
    return above + mark + "\n".join([*rows, ""]) + re.sub(r"\A(?:\|.*\n)*", "", below)


def main() -> None:
    """Run the servers asked for, or all."""
    parser = argparse.ArgumentParser(prog="tests.programs.polling", description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--suite", default="trixie")
    options = parser.parse_args()
    for name in options.names or sorted(path.stem for path in (HERE / "servers").glob("*.sh")):
        installed = system(options.suite, "install", name)
        if installed.returncode:
            sys.exit(installed.stderr)
        version = system(options.suite, "run", "dpkg-query", "--show", "--showformat=${Version}", name).stdout
        [port] = free_ports(1)
        with serving(name, options.suite, port):
            found = {"server": name, "version": version, "suite": options.suite, **poll(port)}
        print(json.dumps(found))
        known = json.loads(FOUND.read_text()) if FOUND.exists() else []
        others = [it for it in known if (it["server"], it["suite"]) != (name, options.suite)]
        ordered = sorted([*others, found], key=lambda it: (it["server"], it["suite"]))
        FOUND.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(write(PAGE.read_text()))


if __name__ == "__main__":
    main()
