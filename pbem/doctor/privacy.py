"""Whether other users of the machine can read what a home keeps: seeds, tokens, reports and mail."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from pbem.config import Settings
from pbem.doctor.verdict import Examined, doubtful, fine

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def privacy(settings: Settings) -> Examined:
    """What others can get at, with the command that keeps them out."""
    found = [str(place) for place in _places(settings) if _is_open(place)]
    if not found:
        return fine("privacy", "no other user of this machine can read database, archive, log or mail")
    return doubtful("privacy", f"other users of this machine can read {', '.join(found)}", f"run: {_closing(found)}")


def _closing(places: Sequence[str]) -> str:
    """The command that closes files and folders, and all in them."""
    return f"chmod -R go= {shlex.join(places)}"


def _places(settings: Settings) -> Iterator[Path]:
    """Files and folders with secrets in them."""
    scheme, _, path = settings.database.partition(":///")
    if scheme == "sqlite":
        yield from (Path(path + ending) for ending in ("", "-wal", "-shm"))
    yield settings.archive
    yield from settings.log.parent.glob(f"{settings.log.name}*")
    for url in (settings.inbox_url, settings.carrier_url):
        if url.scheme == "maildir":
            yield settings.home / url.path
    if settings.dkim is not None:
        yield settings.dkim.key_file


def _is_open(place: Path) -> bool:
    """Whether others can get at a file or into a folder: neither it nor any folder above it keeps them out."""
    with suppress(OSError):  # what is not there is not open
        return all(path.stat().st_mode & _OTHERS for path in (place, *place.parents))
    return False
