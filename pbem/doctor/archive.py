"""Compare database and archive: each must have the turns that the other has."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select

from pbem.archive.record import folder_name
from pbem.archive.writer import campaigns_there, turn_folder, turns_there
from pbem.campaign.archive_sync import Resolved, damaged, load_resolved, resolved_turns
from pbem.config import Settings
from pbem.doctor.verdict import Examined, bad, doubtful, fine
from pbem.errors import MISREAD
from pbem.store.migrate import sqlite_path
from pbem.store.models import Campaign, Turn
from pbem.store.session import Store
from pbem.util import Progress, silent

MOST_NAMED = 8
"""Turns named in a sentence."""


@dataclass(slots=True)
class _Compared:
    """The turns of a campaign that the archive lacks or has otherwise, and those that only the archive has."""

    lost: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def add(self, turn: Resolved, folder: Path) -> None:
        """Add a turn whose folder is not as it was written."""
        said = f"{'withdrawn ' if turn.withdrawn else ''}turn {turn.number}"
        if folder.exists():
            self.changed.append(said)
            self.folders.append(str(folder))
        else:
            self.lost.append(said)


def archive(settings: Settings, store: Store, restore: str, *, progress: Progress = silent) -> Iterator[Examined]:
    """Yield what database and archive do not have alike; `restore` is the instruction for a database too old."""
    place = settings.archive
    if sqlite_path(settings.database) is None and not place.is_dir():
        mend = "if no other machine has the archive, make the folder: the next tick or worker writes it again"
        yield doubtful("archive", f"there is no folder {place} on this machine", mend)
        return
    # The folders first: a turn is in the database before it is in the archive.
    there = {name: turns_there(place, name)[0] for name in campaigns_there(place)}
    compared: dict[str, _Compared] = defaultdict(_Compared)
    known = _known(store)
    _look_for_folders(place, store, compared, progress)
    for name in there.keys() & known.keys():
        compared[name].unknown += sorted(there[name] - known[name])
    found = [each for name, what in sorted(compared.items()) for each in _told(name, what, restore)]
    found += [_stranger(place, name, restore) for name in sorted(there.keys() - known.keys())]
    yield from found or [fine("archive", "it has every turn that the database has, and no other")]


def _known(store: Store) -> Mapping[str, set[str]]:
    """Return the names of the folders that the archive may have, by campaign."""
    turns = select(Campaign.name, Turn.number).join(Turn, Turn.campaign_id == Campaign.id)
    with store.reading() as session:
        known: dict[str, set[str]] = {name: set() for name in session.scalars(select(Campaign.name))}
        for name, number in session.execute(turns.where(Turn.resolved_at.is_not(None))):
            known[name].add(folder_name(number))
    return known


_ARCHIVED = Turn.resolved_at.is_not(None) & (Turn.shelf_id.is_not(None) == Turn.archived_at.is_(None))
"""Other turns are yet to be written, or set aside, by the next tick."""


def _look_for_folders(place: Path, store: Store, compared: Mapping[str, _Compared], progress: Progress) -> None:
    turns = select(Turn.id, Turn.number, Campaign.name).join(Campaign, Campaign.id == Turn.campaign_id)
    with store.reading() as session:
        rows = session.execute(turns.where(_ARCHIVED).order_by(Turn.id)).all()
    for done, (id_, number, name) in enumerate(rows, start=1):
        try:
            # Looked at twice: a rollback may move the folder between the look at its row and the one at the disk.
            if _find_damaged(place, store, id_) and (turn := _find_damaged(place, store, id_)):
                compared[name].add(turn, turn_folder(place, turn.record, withdrawn=turn.withdrawn))
        except (zlib.error, *MISREAD):
            compared[name].unreadable.append(f"turn {number}")
        progress("comparing", done, len(rows))


def _find_damaged(place: Path, store: Store, id_: int) -> Resolved | None:
    with store.reading() as session:
        found = load_resolved(session, resolved_turns().where(Turn.id == id_, _ARCHIVED))
    return next((turn for turn in found if damaged(place, turn)), None)


def _told(name: str, what: _Compared, restore: str) -> Iterator[Examined]:
    if what.lost:
        mend = "run: pbem tick, which writes them again from the database"
        yield bad("archive", f"campaign {name}: the archive lacks {_listed(what.lost)}", mend)
    if what.changed:
        mend = f"move {_listed(what.folders)} away; pbem tick then writes it again from the database"
        yield bad(
            "archive", f"campaign {name}: the archive has {_listed(what.changed)} changed, cut or unreadable", mend
        )
    if what.unreadable:
        yield bad("archive", f"campaign {name}: the database cannot read its own {_listed(what.unreadable)}", restore)
    if what.unknown:
        said = f"the archive has {_listed(what.unknown)}, and the database does not: it is of an earlier time"
        yield bad("archive", f"campaign {name}: {said}", f"put the newer database back, or {restore}")


def _stranger(place: Path, name: str, restore: str) -> Examined:
    said = f"the archive has a campaign {name}, and the database has none of this name"
    return bad("archive", said, f"{restore}; if it belongs to another home, move {place / name} away")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"
