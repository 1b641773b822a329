"""What was written into folders: copies of campaigns, previews, the files of a ruling, the site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pbem.actions.fork import Forked, render_forked
from pbem.actions.open_turn import Written as PreviewWritten
from pbem.actions.ruling import Written as RulingWritten
from pbem.site.publish import Published
from pbem.text import counted, wrapped


def copied_lines(forked: Forked, home: Path) -> Iterator[str]:
    """A copy of a campaign, and how to go on in it."""
    yield f"{forked.campaign} is copied to {home}, with turn {forked.turn} open. Nobody can be mailed from there."
    yield from render_forked(forked)
    yield f"Go on with: pbem --home {home} preview {forked.campaign}"


def preview_folder_lines(written: PreviewWritten) -> Iterator[str]:
    """Where a preview was written."""
    yield f"Written to {written.folder}"
    if written.changed is not None:
        yield f"Changed since the last preview there: {', '.join(written.changed) or 'nothing'}"


def ruling_folder_lines(written: RulingWritten) -> Iterator[str]:
    """What was written for a GM who is to rule, and how to go on."""
    yield wrapped(
        f"Turn {written.turn} of {written.campaign}; written to {written.folder}: {', '.join(written.written)}."
    )
    if written.left:
        yield wrapped(f"Left as they are: {', '.join(written.left)}. To write them anew, add --force.")
    if written.kept is not None:
        yield f"What you had written in them is kept in {written.kept}"
    yield f"Fill them in, then: pbem adjudicate {written.campaign} {written.folder} --take"


def site_lines(done: Published) -> Iterator[str]:
    """How much of a site changed, and where to look."""
    replays = f", {counted(done.replays, 'replay')}" if done.replays else ""
    yield f"{counted(done.files, 'file')} written{replays}. Look at {done.page}"
