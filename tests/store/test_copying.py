"""A database of either kind is copied into one of either kind, with every value as it was."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.errors import StoreError
from pbem.store.copy import copy_from_file, copy_to_file, is_empty
from pbem.store.models import Absence, Campaign, KeyValue, Person, Seat, Worker
from pbem.store.rows import find_damage
from pbem.store.session import Store
from pbem.store.types import CampaignState, PageDelivery
from pbem.testing.suite import migrated_database

NOON = dt.datetime(2026, 11, 2, 12, 0, 0, 123456, dt.UTC)


def fill(store: Store) -> None:
    """Insert one or two rows with each type of value: times, bytes, JSON, enumerations, booleans, NULL."""
    with store.writing() as session:
        ann = Person(
            address="Ann@example.org", key="ann@example.org", pages=PageDelivery.LINK, plain=True, created_at=NOON
        )
        campaign = Campaign(
            name="toy1",
            game="toy",
            version=1,
            options={"rounds": 3, "umlaut": "Ü"},
            gm="gm@example.org",
            schedule="FRI 20:00 UTC",
            status=CampaignState.RUNNING,
            seed=bytes(range(256)),
            mail_key=b"\0key",
            created_at=NOON,
        )
        seat = Seat(name="red", person=ann, campaign=campaign, token_hash="")
        worker = Worker(id=1, machine="here", process=2, queues=[], since=NOON)
        session.add_all([ann, campaign, seat, worker, KeyValue(name="a", data={"none": None})])
        session.flush()
        session.add(Absence(seat_id=seat.id, since=NOON, until=NOON + dt.timedelta(days=1)))


def values(url: str) -> list[object]:
    """Return the values of those rows as the host reads them."""
    store = Store(url)
    try:
        with store.reading() as session:
            kinds = (Person, Campaign, Seat, Absence, KeyValue, Worker)
            rows = [row for kind in kinds for row in session.scalars(select(kind))]
            return [{column.name: getattr(row, column.name) for column in row.__table__.columns} for row in rows]
    finally:
        store.close()


def test_every_value_comes_through(any_store: Store, tmp_path: Path, postgres_url: str) -> None:
    """A copy through a file into an empty server leaves out the workers alone; new rows get the next numbers."""
    fill(any_store)
    there = any_store.engine.url.render_as_string(hide_password=False)
    copy_to_file(there, tmp_path / "copy.sqlite")
    assert is_empty(postgres_url)
    copy_from_file(tmp_path / "copy.sqlite", postgres_url)

    assert values(f"sqlite:///{tmp_path / 'copy.sqlite'}") == values(postgres_url) == values(there)[:-1]
    assert find_damage(tmp_path / "copy.sqlite") == ""
    store = Store(postgres_url)
    with store.writing() as session:
        session.add(Person(address="bob@example.org", key="bob@example.org", created_at=NOON))
    store.close()


def test_an_empty_server_is_filled_wholly_or_not_at_all(tmp_path: Path, postgres_url: str) -> None:
    """A file with a row that does not fit leaves no table behind."""
    file = tmp_path / "copy.sqlite"
    file.write_bytes(migrated_database())
    store = Store(f"sqlite:///{file}")
    with store.writing() as session:
        session.add(Person(address="a" * 300, key="ann", created_at=NOON))
    store.close()

    with pytest.raises(StoreError, match="cannot be used"):
        copy_from_file(file, postgres_url)
    assert is_empty(postgres_url)


def test_text_with_a_zero_goes_to_a_server(tmp_path: Path, postgres_url: str) -> None:
    """SQLite stores NUL, PostgreSQL does not: a replacement character is stored there."""
    file = tmp_path / "copy.sqlite"
    file.write_bytes(migrated_database())
    store = Store(f"sqlite:///{file}")
    with store.writing() as session:
        session.add(Person(address="a\0b", key="ann", created_at=NOON))
    store.close()
    copy_from_file(file, postgres_url)

    assert [row["address"] for row in values(postgres_url) if isinstance(row, dict)] == ["a\N{REPLACEMENT CHARACTER}b"]


def test_a_page_that_rotted_is_noticed(tmp_path: Path) -> None:
    """SQLite checks its own pages."""
    file = tmp_path / "copy.sqlite"
    raw = bytearray(migrated_database())
    raw[8192:8400] = bytes(208)
    file.write_bytes(raw)

    assert find_damage(file)
