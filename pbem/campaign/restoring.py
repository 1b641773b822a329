"""Finds folders of the archive that were lost or cut since they were written, and writes them again.

Each tick looks whether every turn has its folder, which takes two looks at the
disk for each campaign and none at the turns' rows; and it reads a few folders
whole, drawn by lot, so that in time it has read them all.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.archive.record import folder_name
from pbem.archive.writer import is_whole, turns_there
from pbem.campaign.archiving import Resolved, load_resolved, resolved_turns, write_again
from pbem.errors import in_words
from pbem.store.models import Campaign, Turn
from pbem.store.session import flushed
from pbem.store.types import Phase

MOST_READ = 30
"""Folders that a tick reads to the last byte, at most."""

AT_ONCE = 10
"""Records that are loaded together: each query takes longer than what it brings, but those of large games are long."""

ENOUGH_FILES = 500
"""It stops when they had so many files together: of 10,000 turns, with a tick each minute, most are read in a day."""


def restore(house: House, campaign: str | None = None) -> list[str]:
    """Writes folders that were lost or cut again, of all campaigns or of one.

    Returns a sentence for each, also where that cannot be done. A turn that was never archived is none of them: that
    is the matter of `archive_left`.
    """
    with house.store.reading() as session:
        drawn = _some(session) if campaign is None else ()
        turns = {turn.id: turn for turn in itertools.chain(_without_folder(session, house, campaign), drawn)}
    return [problem for turn in turns.values() if (problem := _restored(house, turn))]


def damaged(archive: Path, turn: Resolved) -> str:
    """Why the folder of a turn cannot be said to be whole, "" if it is."""
    try:
        if is_whole(archive, turn.record, withdrawn=turn.withdrawn):
            return ""
    except OSError as error:
        return f"{turn.said} cannot be read in the archive ({in_words(error)})"
    return f"{turn.said} was lost or cut in the archive"


def _restored(house: House, turn: Resolved) -> str:
    if not (damage := damaged(house.settings.archive, turn)):
        return ""
    return write_again(house, turn) or f"{damage}; it was written again from the database"


_BEGUN = (
    select(Campaign.id, Campaign.name, Campaign.origin, Campaign.turn)
    .where(Campaign.status != Phase.FORMING)
    .order_by(Campaign.id)
)


def _without_folder(session: Session, house: House, campaign: str | None) -> Iterator[Resolved]:
    """The turns that have been archived, and have no folder there."""
    withdrawn = _withdrawn(session)
    begun = _BEGUN if campaign is None else _BEGUN.where(Campaign.name == campaign)
    for id_, name, origin, turn in flushed(session).execute(begun):
        names, aside = turns_there(house.settings.archive, name)
        lost = [number for number in range(origin, turn) if folder_name(number) not in names]
        here = resolved_turns().where(Turn.campaign_id == id_)
        if lost:
            live = (Turn.shelf_id.is_(None), Turn.archived_at.is_not(None), Turn.number.in_(lost))
            yield from load_resolved(session, here.where(*live))
        if aside < withdrawn.get(id_, 0):
            yield from load_resolved(session, here.where(*_SET_ASIDE))


_SET_ASIDE = (Turn.shelf_id.is_not(None), Turn.archived_at.is_(None))
_COUNTS = (
    select(Turn.campaign_id, func.count()).where(*_SET_ASIDE, Turn.resolved_at.is_not(None)).group_by(Turn.campaign_id)
)


def _withdrawn(session: Session) -> dict[int, int]:
    """How many withdrawn turns each campaign has."""
    return {row[0]: row[1] for row in flushed(session).execute(_COUNTS)}


_NEWEST_TURN = select(func.max(Turn.id))
_DRAWN = resolved_turns().where(
    Turn.id.in_(bindparam("drawn", expanding=True)), Turn.shelf_id.is_not(None) == Turn.archived_at.is_(None)
)


def _some(session: Session) -> Iterator[Resolved]:
    """A few of the turns whose folders should be there, or all where they are few."""
    newest = flushed(session).execute(_NEWEST_TURN).scalar() or 0
    drawn = random.sample(range(1, newest + 1), min(MOST_READ, newest))
    files = 0
    for start in range(0, len(drawn), AT_ONCE):
        loaded = load_resolved(session, _DRAWN, drawn=drawn[start : start + AT_ONCE])
        random.shuffle(loaded)  # where it stops shall not depend on how old they are
        for turn in loaded:
            yield turn
            files += len(json.loads(turn.record)["files"])
            if files >= ENOUGH_FILES:
                return
