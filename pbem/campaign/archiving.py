"""Brings the archive up to the database: writes what a crash left out, and sets aside what was withdrawn.

What is done to a campaign's history is done in the database first. Each step
here follows from it alone and may be done twice, so a crash between any two is
made good by the next tick.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from contextlib import suppress

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.archive import archive_turn, bring_back, set_aside, turn_files
from pbem.campaign.past.history import orders_used
from pbem.campaign.reporting import unpack_files
from pbem.campaign.resolving import received
from pbem.campaign.table import Table, live, load_sheets, load_table
from pbem.errors import PbemError, StoreError, in_words
from pbem.house import House
from pbem.store.models import Campaign, Report, Turn

_ON_SHELVES = Turn.shelf_id.is_not(None) & Turn.archived_at.is_not(None)
"""The condition that a turn is withdrawn, and its folder may still stand where those of live turns do."""


def archive_now(house: House, turn_id: int, record: bytes, files: Mapping[str, bytes], now: dt.datetime) -> None:
    """Writes the folder of a turn just run. What cannot be written now is left to `archive_left`, which tells why."""
    with suppress(OSError, PbemError):
        archive_turn(house.settings.archive, record, files)
        _mark_archived(house, turn_id, now)


def archive_left(house: House, now: dt.datetime) -> tuple[int, list[str]]:
    """Archives all resolved turns that are not archived yet.

    Returns how many, and a sentence for each that could not be.
    """
    problems = tidy(house)
    unarchived = (
        select(Turn.id, Turn.number, Campaign.name)
        .join(Campaign, Campaign.id == Turn.campaign_id)
        .where(Turn.resolved_at.is_not(None), Turn.archived_at.is_(None), Turn.shelf_id.is_(None))
        .order_by(Turn.id)
    )
    with house.store.reading() as session:
        left = session.execute(unarchived).all()
    count = 0
    for turn_id, number, name in left:
        try:
            with house.store.reading() as session:
                record, files = _folder(session, house, load_table(session, name), turn_id, number)
            bring_back(house.settings.archive, record)
            archive_turn(house.settings.archive, record, files)
            _mark_archived(house, turn_id, now)
            count += 1
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one campaign's fault must not stop the others
            problems.append(f"campaign {name}: turn {number} cannot be archived ({in_words(error)})")
    return count, problems


def tidy(house: House) -> list[str]:
    """Sets the folders of withdrawn turns aside; returns a sentence for each that could not be moved."""
    withdrawn = select(Turn.id, Turn.number, Turn.record, Campaign.name).join(Campaign).where(_ON_SHELVES)
    with house.store.reading() as session:
        rows = session.execute(withdrawn.order_by(Turn.id)).all()
    problems = []
    for turn_id, number, record, name in rows:
        try:
            set_aside(house.settings.archive, record or b"{}")
            _mark_set_aside(house, turn_id)
        except OSError as error:
            problems.append(f"campaign {name}: withdrawn turn {number} cannot be set aside ({in_words(error)})")
    return problems


def untidy(session: Session, campaign_id: int) -> list[int]:
    """The numbers of a campaign's withdrawn turns whose folders are yet to be set aside."""
    return list(session.scalars(select(Turn.number).where(Turn.campaign_id == campaign_id, _ON_SHELVES)))


def _mark_archived(house: House, turn_id: int, now: dt.datetime) -> None:
    with house.store.writing(durable=False) as session:
        session.execute(update(Turn).where(Turn.id == turn_id).values(archived_at=now))


def _mark_set_aside(house: House, turn_id: int) -> None:
    with house.store.writing(durable=False) as session:
        session.execute(update(Turn).where(Turn.id == turn_id, _ON_SHELVES).values(archived_at=None))


def _folder(
    session: Session, house: House, table: Table, turn_id: int, number: int
) -> tuple[bytes, Mapping[str, bytes]]:
    record = session.scalars(select(Turn.record).where(Turn.id == turn_id)).one() or b"{}"
    reports = session.scalars(
        select(Report.files)
        .join(Turn, Turn.id == Report.turn_id)
        .where(live(table.id), Turn.number == number + 1)
        .order_by(Report.seat_id)
    )
    book = house.game(table.game).orders
    given = orders_used(record, book) if "orders" in json.loads(record) else None
    files = turn_files(
        map(unpack_files, reports), sheets=received(table, load_sheets(session, turn_id)), orders=given, book=book
    )
    return record, files
