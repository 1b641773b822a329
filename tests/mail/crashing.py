"""A sender whose process dies: run as a program with a database URL, a folder and a time."""

from __future__ import annotations

import datetime as dt
import os
import sys
from pathlib import Path

from pbem.mail.delivery import deliver_due
from pbem.mail.maildir import MaildirTransport
from pbem.store.session import Store


class DyingCarrier(MaildirTransport):
    """Transport that delivers one mail, then ends its process as a power cut would."""

    def send(self, recipient: str, raw: bytes) -> str:
        super().send(recipient, raw)
        os._exit(9)


if __name__ == "__main__":
    url, folder, now = sys.argv[1:]
    deliver_due(Store(url), DyingCarrier(Path(folder)), dt.datetime.fromisoformat(now))
