"""An unreadable row stops its own campaign alone, and the home names it."""

from __future__ import annotations

import datetime as dt
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select, text

from pbem.actions.base import run_query
from pbem.actions.statistics import ShowStatistics
from pbem.admin.checks import check_database
from pbem.admin.health import home_status
from pbem.app import open_app
from pbem.campaign.damaged_rows import readable, why_unreadable
from pbem.cli import main
from pbem.config import load_settings
from pbem.errors import CampaignError
from pbem.scheduler.tick import tick
from pbem.site.publish import publish
from pbem.store.models import Base, Campaign
from pbem.store.rows import find_faults
from tests.servers.processes import server_folder
from tests.toy.home import ADDRESSES, GAMES, Desk, make_home, open_desk

WRONG: tuple[object, ...] = (
    "soon", None, b"\xff\x00", 2**62, "[]", 1.5, "x" * 100_000, "[" * 3_000, '[{"a":[1]}]', "", "9" * 5_000,
    zlib.compress(b"["), zlib.compress(b"{}"), "{}", -1,
)  # fmt: skip
"""Values of a wrong type, out of bounds, huge, and senseless JSON."""

ROTTEN = b"a\xff"
"""Bytes inserted as text that are not UTF-8."""

COLUMNS = [(table.name, column.name) for table in Base.metadata.sorted_tables for column in table.columns]
"""Every column of every table."""


@dataclass(frozen=True)
class Club:
    """A home with two campaigns, toy1 and toy2, and its time."""

    home: Path
    now: dt.datetime


@pytest.fixture(scope="module")
def club() -> Iterator[Club]:
    """Return a home whose campaigns have each had a turn, with sheets for the next; Ann plays in toy1 alone."""
    with server_folder("unreadable") as folder, open_desk(folder / "home") as desk:
        desk.begin(name="toy1", seats=("red", "blue"), rounds="9", rules={"hold": "off"})
        desk.start(name="toy2", seats=("green", "blue"), rounds="9", rules={"hold": "off"})
        order(desk, "toy1", "red", "BID 2\nWHISPER blue deal")
        order(desk, "toy2", "green", "BID 2")
        desk.tick(hours=24 * 7)
        order(desk, "toy1", "red", "BID 1")
        desk.tick(hours=1)
        yield Club(folder / "home", desk.now)


def order(desk: Desk, campaign: str, seat: str, text: str) -> None:
    """Deliver a sheet."""
    desk.post(f"ORDERS {campaign} {seat}\n{text}\nEND", sender=ADDRESSES[seat])


def spoilt(club: Club, folder: Path, table: str, column: str, value: object) -> Path | None:
    """Return a copy of the home with another value in a table's first row; None if there is none, or it is refused."""
    written = "CAST(? AS TEXT)" if value is ROTTEN else "?"
    copy = Path(shutil.copytree(club.home, folder / "home", symlinks=True))
    with closing(sqlite3.connect(copy / "pbem.sqlite", isolation_level=None)) as rows:
        first = rows.execute(f"SELECT min(rowid) FROM {table}").fetchone()[0]
        try:
            rows.execute(f'UPDATE {table} SET "{column}" = {written} WHERE rowid = ?', (value, first))
        except sqlite3.IntegrityError:
            return None
    return None if first is None else copy


def turns_of_toy2(home: Path) -> int:
    """Return the number of turns of toy2."""
    with closing(sqlite3.connect(home / "pbem.sqlite")) as rows:
        return int(rows.execute("SELECT count(*) FROM turn WHERE campaign_id = 2").fetchone()[0])


def goes_on(club: Club, home: Path) -> list[str]:
    """Assert that everything goes on for toy2; return the output of the first tick and of the status."""
    with open_app(home, GAMES) as app:
        desk = Desk(app, club.now)
        before = turns_of_toy2(home)
        order(desk, "toy1", "blue", "BID 3")
        order(desk, "toy2", "green", "BID 1")
        said = list(tick(app, desk.now, live=True).problems)
        desk.tick(hours=24 * 7)
        desk.tick(hours=24)
        assert turns_of_toy2(home) > before
        status = home_status(app)
        assert "toy2" in {each.name for each in status.campaigns}
        list(check_database(load_settings(home), desk.now, GAMES))
        assert publish(app, home / "public", desk.now).page.is_file()
        assert "toy2" in (home / "public" / "index.html").read_text()
        return [*said, *status.notices]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("number", "table", "column"), [(at, *each) for at, each in enumerate(COLUMNS)])
def test_the_other_campaign_goes_on(club: Club, tmp_path: Path, number: int, table: str, column: str) -> None:
    """With a bad value in any column, ticks run the other campaign's turns, and status, doctor and site still work."""
    copy = spoilt(club, tmp_path, table, column, WRONG[number % len(WRONG)])
    if copy is not None:
        goes_on(club, copy)


@pytest.mark.parametrize(
    ("table", "column", "value", "said"),
    [
        ("turn", "record", b"x", "table turn, row 1, field record: it cannot be read: Error -"),
        ("campaign", "policy", "[", "table campaign, row 1, field policy: it cannot be read: Expecting value"),
        ("seat", "muted", "[", "table seat, row 1, field muted: it cannot be read: Expecting value"),
        ("campaign", "status", "odd", "table campaign, row 1, field status: it cannot be read: 'odd' is not among"),
    ],
)
def test_it_is_named(club: Club, tmp_path: Path, table: str, column: str, value: object, said: str) -> None:
    """The campaign, the table, the row and the field are named."""
    copy = spoilt(club, tmp_path, table, column, value)
    assert copy is not None

    assert any(f"campaign toy1 cannot be read: {said}" in each for each in goes_on(club, copy))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_text_that_is_not_in_utf8(club: Club, tmp_path: Path, table: str, column: str) -> None:
    """Damaged bytes in a text stop the other campaign no more than other values do."""
    copy = spoilt(club, tmp_path, table, column, ROTTEN)
    if copy is not None:
        goes_on(club, copy)


def test_whoever_asks_is_told_in_a_sentence(club: Club, tmp_path: Path) -> None:
    """A query about the broken campaign is refused with the field at fault and the remedy."""
    copy = spoilt(club, tmp_path, "campaign", "policy", "[")
    assert copy is not None

    with open_app(copy, GAMES) as app, pytest.raises(CampaignError, match=r"field policy: .*; put it right in the"):
        run_query(app, "toy1", ShowStatistics(), club.now)
    with open_app(copy, GAMES) as app, pytest.raises(CampaignError, match=r"field policy: .*; put it right in the"):
        home_status(app, "toy1")


@pytest.mark.parametrize("error", [AttributeError("no such name"), TypeError("not callable"), ValueError()])
def test_a_fault_in_the_code_is_not_explained_by_a_row(club: Club, tmp_path: Path, error: Exception) -> None:
    """An error while all rows can be read is shown as what it is, whatever a row says."""
    copy = spoilt(club, tmp_path, "person", "address", "nowhere")
    assert copy is not None

    with open_app(copy, GAMES) as app:
        with pytest.raises(type(error)), readable(app, "toy1"):
            raise error
        assert why_unreadable(app, "toy1", error).startswith("campaign toy1 could not be looked after")


def test_words_that_are_not_in_utf8_are_shown_and_told_of(club: Club, tmp_path: Path) -> None:
    """The journal shows a mark in their place, and the doctor names the row."""
    copy = spoilt(club, tmp_path, "act", "text", ROTTEN)
    assert copy is not None
    shown = CliRunner().invoke(main, ["--home", str(copy), "journal", "toy1"], obj=GAMES)

    assert "a\N{REPLACEMENT CHARACTER}" in shown.output
    with open_app(copy, GAMES) as app, app.store.reading() as session:
        found = [fault.text for fault in find_faults(session.connection())]
    assert found == ["table act, row 1, field text: it cannot be read: it is not in UTF-8"]


def test_what_is_remembered_of_polls_is_learnt_anew(club: Club, tmp_path: Path) -> None:
    """A remembered value that cannot be read counts as missing."""
    copy = spoilt(club, tmp_path, "campaign", "id", 1)
    assert copy is not None
    with closing(sqlite3.connect(copy / "pbem.sqlite", isolation_level=None)) as rows:
        rows.execute("INSERT OR REPLACE INTO fact VALUES ('mailbox', '[]'), ('site', '{'), ('queues', 'x')")

    assert goes_on(club, copy) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE campaign SET policy = '[]' WHERE id = 1",
        "UPDATE campaign SET status = 'odd' WHERE id = 1",
        "UPDATE turn SET awaited = '[', deadline = 'infinity' WHERE campaign_id = 1",
        "UPDATE seat SET muted = '7' WHERE campaign_id = 1",
        "UPDATE fact SET data = '[]'",
        "UPDATE outgoing SET raw = 'x' WHERE campaign_id = 1",
    ],
)
def test_the_other_goes_on_on_postgresql(migrated_postgres_url: str, tmp_path: Path, statement: str) -> None:
    """PostgreSQL checks the types of values alone, and the other campaign goes on there too."""
    make_home(tmp_path / "home", database=migrated_postgres_url)
    with open_app(tmp_path / "home", GAMES) as app:
        desk = Desk(app)
        for name in ("toy1", "toy2"):
            desk.begin(name=name, rounds="9", rules={"hold": "off"})
        with app.store.writing() as session:
            session.execute(text(statement))
        tick(app, desk.now, live=True)
        desk.tick(hours=24 * 7)
        desk.tick()

        assert "toy2" in {each.name for each in home_status(app).campaigns}
        with app.store.reading() as session:
            assert session.scalar(select(Campaign.turn).where(Campaign.name == "toy2")) == 2
