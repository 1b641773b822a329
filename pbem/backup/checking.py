"""Proves a backup without using it: it is laid out in a passing place, and everything in it is checked there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select

from pbem.app import House, house_of
from pbem.archive.record import file_hash
from pbem.archive.verify import verify
from pbem.backup.container import opened
from pbem.backup.proving import broken_campaigns
from pbem.backup.restoring import made_at, unknown_games
from pbem.backup.unpacking import complete_archive, lay_out
from pbem.errors import ReplayError
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.models import Campaign, Turn
from pbem.util import Progress, silent


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """A campaign in a backup: so many turns in its archive, and what is not proved of them, in sentences."""

    campaign: str
    turns: int
    unproved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a backup holds that can be believed; `problems` are sentences on what cannot. Without any it is sound."""

    path: Path
    made: dt.datetime
    pbem: str
    campaigns: tuple[Proved, ...]
    unknown: tuple[str, ...]
    left_out: tuple[str, ...]
    problems: tuple[str, ...]


def check_backup(
    path: Path, now: dt.datetime, games: Mapping[str, AnyRuleset], *, progress: Progress = silent
) -> Checked:
    """Checks every part and proves every archive. Raises BackupError at a file that cannot be read to its end."""
    with opened(path, "home") as packed, TemporaryDirectory(prefix="pbem-check-") as folder:
        laid = lay_out(packed, Path(folder).resolve(), progress)
        with house_of(laid.settings, games) as house:
            problems = complete_archive(house, now)
            with house.store.reading() as session:
                problems += broken_campaigns(session)
            proved, wrong = _prove_all(house, progress)
        return Checked(
            path=path,
            made=made_at(packed),
            pbem=str(packed.facts["pbem"]),
            campaigns=tuple(proved),
            unknown=unknown_games(packed, games),
            left_out=tuple(packed.facts["left_out"]),
            problems=(*problems, *wrong),
        )


def _prove_all(house: House, progress: Progress) -> tuple[list[Proved], list[str]]:
    proved, wrong = [], []
    with house.store.reading() as session:
        begun = session.execute(
            select(Campaign.name, Campaign.seed, Turn.record)
            .join(Turn, Turn.campaign_id == Campaign.id)
            .where(Turn.shelf_id.is_(None), Turn.number == Campaign.turn - 1, Turn.record.is_not(None))
            .order_by(Campaign.id)
        ).all()
    for number, (name, seed, newest) in enumerate(begun, start=1):
        try:
            found = verify(house.settings.archive, name, games=house.games, seed=seed)
        except ReplayError as error:
            wrong.append(f"campaign {name}: {error}")
            continue
        proved.append(Proved(campaign=name, turns=found.turns, unproved=found.unproved))
        if found.head != file_hash(newest or b""):
            wrong.append(f"campaign {name}: its archive ends with another record than its database")
        progress("proving", number, len(begun))
    return proved, wrong
