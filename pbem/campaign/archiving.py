"""Archives what a crash left unarchived: the same folders again, from the database alone."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.archive import archive_turn, turn_files
from pbem.campaign.history import orders_used
from pbem.campaign.reporting import unpack_files
from pbem.campaign.resolving import received
from pbem.campaign.table import Table, live, load_sheets, load_table
from pbem.campaign.turnrun import mark_archived
from pbem.errors import StoreError, in_words
from pbem.house import House
from pbem.store.models import Campaign, Report, Turn


def archive_left(house: House, now: dt.datetime) -> tuple[int, list[str]]:
    """Archives all resolved turns that are not archived yet.

    Returns how many, and a sentence for each that could not be.
    """
    unarchived = (
        select(Turn.id, Turn.number, Campaign.name)
        .join(Campaign, Campaign.id == Turn.campaign_id)
        .where(Turn.resolved_at.is_not(None), Turn.archived_at.is_(None), Turn.shelf_id.is_(None))
        .order_by(Turn.id)
    )
    with house.store.reading() as session:
        left = session.execute(unarchived).all()
    count, problems = 0, []
    for turn_id, number, name in left:
        try:
            with house.store.reading() as session:
                record, files = _folder(session, house, load_table(session, name), turn_id, number)
            archive_turn(house.settings.archive, record, files)
            mark_archived(house, turn_id, now)
            count += 1
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - one campaign's fault must not stop the others
            problems.append(f"campaign {name}: turn {number} cannot be archived ({in_words(error)})")
    return count, problems


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
