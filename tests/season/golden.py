"""The list of all mails of the season; `python -m tests.season.golden` writes it anew after a change that is meant.

Each line has the address, the subject, and a hash of all headers and texts; pictures depend on the painter's version.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.season.club import Club, Mail
from tests.season.registries import watch_actions
from tests.season.script import CHAPTERS
from tests.season.steps import Played
from tests.servers.processes import server_folder

FILE = Path(__file__).with_name("mails.txt")
"""The list as it was written last."""


@contextmanager
def playing() -> Iterator[Played]:
    """Yield the season when all of it was played, with its home as it is then."""
    with pytest.MonkeyPatch.context() as patch, server_folder("season") as folder:
        numbers = itertools.count()

        def drawn(count: int | None = None) -> bytes:
            return hashlib.shake_256(b"season %d" % next(numbers)).digest(count or 32)

        # All keys, codes and seeds come from here, so that each season is like the last.
        patch.setattr("secrets.token_bytes", drawn)
        played = Played(Club(folder / "home"))
        watch_actions(patch, played.actions)
        for chapter in CHAPTERS:
            played.play(chapter())
        yield played


def listed(mails: Iterable[Mail]) -> list[str]:
    """Return a line for each mail."""
    return [f"{number:3d} {_hash(mail)} {mail.to} {mail.subject}" for number, mail in enumerate(mails, start=1)]


def _hash(mail: Mail) -> str:
    found = hashlib.sha256()
    for part in mail.message.walk():
        # Boundaries depend on pictures too.
        headers = [f"{name}: {value}" for name, value in part.items() if "boundary=" not in str(value)]
        content = (
            b"" if part.is_multipart() or part.get_content_maintype() == "image" else part.get_payload(decode=True)
        )
        found.update("\n".join(headers).encode() + b"\n\n" + bytes(content))
    return found.hexdigest()[:16]


if __name__ == "__main__":
    with playing() as season:
        FILE.write_text("\n".join(listed(season.club.mails)) + "\n", encoding="utf-8")
