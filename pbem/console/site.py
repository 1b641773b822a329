"""What was written of a site."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.report.wording import counted
from pbem.site import Published


def site_lines(done: Published) -> Iterator[str]:
    """How much changed, and where to look."""
    replays = f", {counted(done.replays, 'replay')}" if done.replays else ""
    yield f"{counted(done.files, 'file')} written{replays}. Look at {done.page}"
