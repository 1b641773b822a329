"""The gain of several SMTP connections.

    python -m bench.connections [--mails 200] [--connections 1 2 4] [--delay 0 10 30]

The outbox sends the same mails of 20 kB to a Postfix started for the occasion,
with TLS, over a line that delays everything by some milliseconds each way.
SQLite; each figure is mails a second of wall-clock time, including the login.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.config import load_settings
from pbem.config_values import FILE_NAME
from pbem.mail.compose import NewMail
from pbem.mail.delivery import deliver_due
from pbem.mail.outbox import enqueue
from pbem.mail.transport import open_transport
from pbem.store.migrate import migrate
from pbem.store.session import Store
from tests.servers.mail import HOST, MailServer, running_mail
from tests.servers.processes import server_folder
from tests.servers.relay import relaying

PASSWORD = "PBEM_BENCH_PASSWORD"  # noqa: S105 - the name of an environment variable
NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
TEXT = "The fleet lies in the harbour and waits for a word of its admiral.\n" * 300


def rate(server: MailServer, home: Path, *, mails: int, connections: int, delay: float) -> float:
    """Return the mails a second over a line with a delay of so many seconds each way."""
    with relaying(server.ports["smtps"], delay=delay) as relay:
        _write_settings(server, home, port=relay.port, connections=connections)
        settings = load_settings(home)
        migrate(settings.database)
        with closing(Store(settings.database)) as store:
            address = server.address("ann")
            ready = [NewMail(address, "a report", TEXT, f"<{each}@bench>", address) for each in range(mails)]
            with store.writing() as session:
                enqueue(session, ready, settings, campaign=None, now=NOON)
            began = time.perf_counter()
            with closing(open_transport(settings)) as carrier:
                sent = deliver_due(store, carrier, NOON, connections=connections).sent
            spent = time.perf_counter() - began
    assert sent == mails, f"{sent} of {mails} mails sent"
    return mails / spent


def _write_settings(server: MailServer, home: Path, *, port: int, connections: int) -> None:
    home.mkdir()
    lines = [
        f'address = "{server.address("orders")}"',
        f'carrier = "smtps://orders@{HOST}:{port}"',
        f'carrier_password = {{ env = "{PASSWORD}" }}',
        f'tls_ca = "{server.ca_file}"',
        f"connections = {connections}",
    ]
    (home / FILE_NAME).write_text("\n".join(lines))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What several SMTP connections are worth.")
    parser.add_argument("--mails", type=int, default=200)
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 2, 4], metavar="N")
    parser.add_argument("--delay", type=float, nargs="+", default=[0, 10, 30], metavar="MS", help="each way")
    asked = parser.parse_args()
    print("ms each way" + "".join(f"{each:>8} conn." for each in asked.connections), flush=True)
    with server_folder("bench") as folder, TemporaryDirectory() as homes, running_mail(folder) as server:
        os.environ[PASSWORD] = server.password("orders")
        for delay in asked.delay:
            row = [
                rate(server, Path(homes, f"{delay}-{each}"), mails=asked.mails, connections=each, delay=delay / 1000)
                for each in asked.connections
            ]
            print(f"{delay:11.0f}" + "".join(f"{each:14.1f}" for each in row), flush=True)


if __name__ == "__main__":
    main()
