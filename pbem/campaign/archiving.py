"""Brings the archive up to the database: writes what a crash left out, and sets aside what was withdrawn.

What is done to a campaign's history is done in the database first. Each step
here follows from it alone and may be done twice, so a crash between any two is
made good by the next tick.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, bindparam, select, update
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.archive.record import file_hash, hash_in
from pbem.archive.writer import archive_turn, bring_back, is_whole, set_aside, turn_files
from pbem.campaign.history import orders_used
from pbem.campaign.resolving import received
from pbem.campaign.shelf import Shelf
from pbem.campaign.snapshot import load_campaign, load_sheets
from pbem.errors import PbemError, StoreError, in_words
from pbem.store.models import Campaign, Report, Turn
from pbem.store.session import flushed

_Rows = Select[int, str, int, int | None, bytes | None]

_ON_SHELVES = Turn.shelf_id.is_not(None) & Turn.archived_at.is_not(None)
"""The condition that a turn is withdrawn, and its folder may still stand where those of live turns do."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A turn that was run, as the archive is to have it."""

    id: int
    campaign: str
    number: int
    withdrawn: bool
    record: bytes

    @property
    def said(self) -> str:
        """The turn, as problems name it."""
        return f"campaign {self.campaign}: {'withdrawn ' if self.withdrawn else ''}turn {self.number}"


def resolved_turns() -> _Rows:
    """Turns that were run, for `load_resolved`."""
    return (
        select(Turn.id, Campaign.name, Turn.number, Turn.shelf_id, Turn.record)
        .join(Campaign, Campaign.id == Turn.campaign_id)
        .where(Turn.resolved_at.is_not(None))
    )


_WITHDRAWN = resolved_turns().where(_ON_SHELVES)
_UNARCHIVED = resolved_turns().where(Turn.archived_at.is_(None), Turn.shelf_id.is_(None))


def load_resolved(session: Session, turns: _Rows, **parameters: Any) -> list[Resolved]:
    """The turns of a selection made from `resolved_turns`, with its parameters, in the order of their making."""
    found = flushed(session).execute(turns, parameters)
    rows = sorted(found, key=lambda row: row.id)  # asked to sort them, SQLite looks through all turns
    return [
        Resolved(id_, name, number, shelf_id is not None, record or b"{}")
        for id_, name, number, shelf_id, record in rows
    ]


_ARCHIVED = update(Turn).where(Turn.id == bindparam("turn")).values(archived_at=bindparam("at"))


def archive_now(house: House, turn_id: int, record: bytes, files: Mapping[str, bytes], now: dt.datetime) -> None:
    """Writes the folder of a turn just run. What cannot be written now is left to `archive_left`, which tells why."""
    with suppress(OSError, PbemError):
        archive_turn(house.settings.archive, record, files)
        _mark_archived(house, turn_id, now)


def archive_left(house: House, now: dt.datetime, campaign: str | None = None) -> tuple[int, list[str]]:
    """Archives all resolved turns, or those of a campaign, that are not archived yet.

    Returns how many, and a sentence for each that could not be.
    """
    with house.store.reading() as session:
        here = (_WITHDRAWN, _UNARCHIVED)
        if campaign is not None:
            here = (_WITHDRAWN.where(Campaign.name == campaign), _UNARCHIVED.where(Campaign.name == campaign))
        withdrawn, left = (load_resolved(session, turns) for turns in here)
    problems = _tidy(house, withdrawn)
    count = 0
    for turn in left:
        problem = write_again(house, turn)
        if problem:
            problems.append(problem)
        else:
            _mark_archived(house, turn.id, now)
            count += 1
    return count, problems


def write_again(house: House, turn: Resolved) -> str:
    """Writes what is missing of a turn's folder; returns a sentence where that cannot be done, else ""."""
    archive = house.settings.archive
    try:
        if _is_moved(house, turn):
            return ""  # taken back, or brought back, at this moment: another tick sees to what is left of it
        if not turn.withdrawn:
            bring_back(archive, turn.record)
        if not is_whole(archive, turn.record, withdrawn=turn.withdrawn):
            with house.store.reading() as session:
                files = _files(session, house, turn)
            archive_turn(archive, turn.record, files, withdrawn=turn.withdrawn)
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - one campaign's fault must not stop the others
        return f"{turn.said} cannot be archived ({in_words(error)})"
    return ""


def _is_moved(house: House, turn: Resolved) -> bool:
    with house.store.reading() as session:
        shelf = session.scalar(select(Turn.shelf_id).where(Turn.id == turn.id))
    return (shelf is not None) != turn.withdrawn


def _tidy(house: House, turns: Sequence[Resolved]) -> list[str]:
    """Sets the folders of withdrawn turns aside, or writes them there; returns a sentence for each where it failed."""
    problems = []
    for turn in turns:
        try:
            set_aside(house.settings.archive, turn.record)
        except OSError as error:
            problems.append(f"{turn.said} cannot be set aside ({in_words(error)})")
            continue
        problem = write_again(house, turn)
        if problem:
            problems.append(problem)
        else:
            _mark_set_aside(house, turn.id)
    return problems


def untidy(session: Session, campaign_id: int) -> list[int]:
    """The numbers of a campaign's withdrawn turns whose folders are yet to be set aside."""
    return list(session.scalars(select(Turn.number).where(Turn.campaign_id == campaign_id, _ON_SHELVES)))


def _mark_archived(house: House, turn_id: int, now: dt.datetime) -> None:
    with house.store.writing(durable=False) as session:
        session.connection().execute(_ARCHIVED, {"turn": turn_id, "at": now})


def _mark_set_aside(house: House, turn_id: int) -> None:
    with house.store.writing(durable=False) as session:
        session.execute(update(Turn).where(Turn.id == turn_id, _ON_SHELVES).values(archived_at=None))


def _files(session: Session, house: House, turn: Resolved) -> dict[str, bytes]:
    """The files that a turn's record names, as the database still has them.

    Reports that did not change go from a turn that is withdrawn to the one in
    its place, so they are known by their hashes.
    """
    snapshot = load_campaign(session, turn.campaign)
    told, book = json.loads(turn.record), house.game(snapshot.game).orders
    reports = session.scalars(
        select(Report.files)
        .join(Turn, Turn.id == Report.turn_id)
        .where(Turn.campaign_id == snapshot.id, Turn.number == turn.number + 1)
        .order_by(Report.id)
    )
    given = orders_used(turn.record, book) if "orders" in told else None
    sheets = received(snapshot, load_sheets(session, turn.id))
    kept: dict[str, bytes] = {}
    # With none at first: where nobody was told anything there are sheets all the same.
    for report in ({}, *reports):
        made = turn_files([report], sheets=sheets, orders=given, book=book)
        kept |= {path: content for path, content in made.items() if told["files"].get(path) == file_hash(content)}
    return kept | _enclosed(session, snapshot.id, told["files"])


def _enclosed(session: Session, campaign_id: int, files: Mapping[str, str]) -> dict[str, bytes]:
    """What the GM has enclosed, of the files that a record names."""
    paths = {hash_in(path): path for path in files if hash_in(path)}
    return {paths[hash_]: content for hash_, content in Shelf(session, campaign_id).find(paths).items()}
