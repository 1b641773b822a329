"""Test of a season in which every command, every mail command and every action is used, and of what is kept of it.

What the season leaves is backed up, restored, exported and imported: rows are the same, and so is the next turn.
"""

from __future__ import annotations

import dataclasses
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table

from pbem.actions.registry import GM_COMMANDS
from pbem.inbox.command_parser import COMMANDS
from pbem.store.models import Base
from tests.season import registries
from tests.season.club import Club
from tests.season.golden import FILE, listed, playing
from tests.season.script import SEATS, left_open
from tests.season.steps import Cli, File, Gm, Played, Sheets

Rows = Mapping[str, Mapping[Any, Mapping[str, Any]]]
"""The rows of all tables, each table's by their keys."""


@pytest.fixture(scope="module")
def season() -> Iterator[Played]:
    """Yield the season when all of it was played, with its home as it is then."""
    with playing() as season:
        yield season


def lines(season: Played, *kinds: str) -> list[str]:
    """Return what was typed or written in the season, of these kinds."""
    return [line for kind, line in season.lines if kind in kinds]


def test_all_mails_are_as_they_were(season: Played) -> None:
    """Every mail of the season is the same; after a change that is meant: python -m tests.season.golden."""
    assert listed(season.club.mails) == FILE.read_text(encoding="utf-8").splitlines()


def test_every_command_and_option_of_the_command_line_is_used(season: Played, going_on: Path) -> None:
    """A new command, or a new option of one, needs its line in the season."""
    used = {each for line in lines(season, "cli") for each in registries.options(line)}

    assert registries.all_options() - used == set()


def test_every_command_by_mail_is_used(season: Played) -> None:
    """A new command of players or of GMs needs its line in the season."""
    by_gms = registries.used(GM_COMMANDS, lines(season, "gm"))
    by_players = registries.used(COMMANDS, lines(season, "player", "reply"))

    assert not (registries.GM - by_gms) | (registries.PLAYER - by_players)


def test_every_command_that_asks_waits_for_its_yes() -> None:
    """All commands of GMs that are first shown are left open at the end, but one for a history that is broken."""
    shown = registries.used(GM_COMMANDS, [step.text for step in left_open() if isinstance(step, Gm)])

    assert registries.ASKING - shown == set()


def test_every_action_is_used(season: Played) -> None:
    """A new action needs a step in the season that runs it."""
    assert registries.actions().keys() - season.actions == set()


def test_every_table_has_rows(season: Played) -> None:
    """What the season leaves fills every table, but that of workers, which only PostgreSQL has."""
    empty = {table for table, rows in rows_of(season.club.home).items() if not rows}

    assert empty == {"worker"}


def test_every_kind_of_request_waits(season: Played) -> None:
    """Requests of every kind wait for an answer, but for those that the tick itself answers."""
    requests = rows_of(season.club.home)["request"].values()
    kinds = {row["kind"] for row in requests}

    assert kinds - {row["kind"] for row in requests if row["done_at"] is None} == {"run"}


def rows_of(home: Path) -> Rows:
    """Return all rows of a home's database, as they are stored."""
    with closing(sqlite3.connect(home / "pbem.sqlite")) as database:
        database.row_factory = sqlite3.Row
        return {table.name: _rows(database, table.name, [key.name for key in table.primary_key]) for table in TABLES}


TABLES = Base.metadata.sorted_tables


def _rows(database: sqlite3.Connection, table: str, keys: list[str]) -> Mapping[Any, Mapping[str, Any]]:
    found = database.execute(f"SELECT * FROM {table}")
    return {tuple(row[key] for key in keys): dict(row) for row in found}


@pytest.fixture(scope="module")
def restored(season: Played) -> Path:
    """Return a home that was restored from a backup of the season's."""
    season.play(
        [
            Cli("backup {place}/all.pbem.zip --verify", "Verified"),
            File("../backups/readme.txt", "Backups of the season.\n"),
            Cli("backup {place}/backups --keep 2 --with-secrets", "backups"),
            Cli("verify {place}/all.pbem.zip", "Verified"),
            Cli("restore {place}/all.pbem.zip {place}/restored --yes", "restored"),
            Cli("restore {place}/all.pbem.zip {place}/no --database sqlite:///x", "PostgreSQL", code=1),
        ]
    )
    return season.club.home.parent / "restored"


CHANGED = {
    ("campaign", "revision"),
    ("campaign", "hold_kind"),
    ("campaign", "hold_reason"),
    ("outgoing", "state"),
    ("outgoing", "reply"),
    ("sealed_page", "written_at"),
    ("act", "undo"),
    *(("fact", "name"), ("fact", "data")),
}
"""The columns that a restore changes: turns are on hold, mail that waited is not sent, and pages are written anew.

What can be undone is carried over to the new revision of the campaign.

The key of the home and what its site was built from are facts that it does not take along.
"""

ADDED = {"fact", "inbox", "outgoing", "act"}
"""The tables to which it adds rows: a mark, notices, and entries in journals."""


def test_a_restored_home_has_all_rows(season: Played, restored: Path) -> None:
    """All rows are as they were, but for what a restore holds back."""
    before, after = rows_of(season.club.home), rows_of(restored)

    assert differences(before, after) <= CHANGED
    assert {table for table in before if len(before[table]) != len(after[table])} <= ADDED


def differences(before: Rows, after: Rows) -> set[tuple[str, str]]:
    """Return the tables and columns in which rows differ; a row that is gone differs in all of them."""
    return {
        (table, column)
        for table, rows in before.items()
        for key, row in rows.items()
        for column, value in row.items()
        if value != after[table].get(key, {}).get(column, "no row")
    }


@pytest.fixture(scope="module")
def moved(season: Played) -> Path:
    """Return a home into which the campaigns were imported, each exported from a copy of the season's home."""
    place = season.club.home.parent
    shutil.copytree(season.club.home, place / "left")
    season.play([Cli("init {place}/third --address play@example.net", "is ready")])
    for name in SEATS:
        season.play(
            [
                Cli(f"export {name} {{place}}/{name}.pbem.zip --to play@example.net --yes", name, home="left"),
                Cli(f"import {{place}}/{name}.pbem.zip", name, home="third"),
                Cli(f"verify --campaign {name}", "every hash agrees", home="third"),
            ]
        )
    return place / "third"


@pytest.mark.parametrize("name", SEATS)
def test_an_imported_campaign_has_all_rows(season: Played, moved: Path, name: str) -> None:
    """All rows of a campaign are as they were, but for codes and what concerned its former home alone."""
    before, after = (rows_of_campaign(rows_of(home), name) for home in (season.club.home, moved))

    lost = {table for table in before if len(before[table]) > len(after[table])}
    changed = {each for table in before.keys() - lost for each in _pairs(table, before[table], after[table])}
    assert lost <= LEFT_BEHIND
    assert changed <= VOID


LEFT_BEHIND = {"applicant", "deputy", "inbox", "outgoing", "report_copy", "request", "sealed_page"}
"""The tables whose rows stay in the home that a campaign leaves: mail, requests, and people who do not play."""

VOID = {
    *(("campaign", each) for each in ("revision", "gm_token_hash", "hold_kind", "hold_reason", "mail_key")),
    *(("question", "code"), ("question", "message_id"), ("report", "code"), ("report", "message_id")),
    *(("seat", "dice_code"), ("seat", "token_hash"), ("act", "undo"), ("turn", "archived_at")),
}
"""The columns that an import changes: codes and tokens are void, turns are on hold, and what was done stays done.

The archive is there since the import.
"""


def rows_of_campaign(rows: Rows, name: str) -> Mapping[str, list[Mapping[str, Any]]]:
    """Return the rows that belong to a campaign, in their order, without their numbers and those of other rows."""
    (key,) = (row["id"] for row in rows["campaign"].values() if row["name"] == name)
    found: dict[str, list[Mapping[str, Any]]] = {}
    for table in TABLES:
        links = {column.name for column in table.columns if column.primary_key or column.foreign_keys}
        own = [row for row in rows[table.name].values() if _campaign_of(rows, table, row) == key]
        found[table.name] = [{name: row[name] for name in row.keys() - links} for row in own]
    return found


def _campaign_of(rows: Rows, table: Table, row: Mapping[str, Any]) -> int | None:
    """Return the key of the campaign to which a row leads, itself or by the rows that it names."""
    if table.name == "campaign":
        return int(row["id"])
    for link in table.foreign_keys:
        there = rows[link.column.table.name].get((row[link.parent.name],))
        if there is not None and (found := _campaign_of(rows, link.column.table, there)) is not None:
            return found
    return None


def _pairs(table: str, before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    return {(table, name) for one, two in zip(before, after, strict=False) for name in one if one[name] != two[name]}


def test_doctor_finds_no_problem_in_a_restored_home(season: Played, going_on: Path) -> None:
    """Once it is active, all is sound in it."""
    said = season.club.run("doctor", home=going_on.name)

    assert "0 problems" in said


@pytest.fixture(scope="module")
def going_on(season: Played, restored: Path) -> Path:
    """Return a copy of the restored home, which is active, and in which all is released."""
    home = Path(shutil.copytree(restored, restored.with_name("going-on")))
    season.play(
        [
            Cli("restore --activate --yes", "active", home=home.name),
            Cli("release --all --yes", "released", home=home.name),
        ]
    )
    return home


def test_the_next_turns_are_the_same(season: Played, going_on: Path) -> None:
    """After the same sheets each campaign has the same state in the restored home as in the one that was backed up."""
    here = Path(shutil.copytree(season.club.home, going_on.with_name("here")))

    turns = [next_turns(season.club, home) for home in (here, going_on)]
    assert turns[0] == turns[1], f"here {turns[0]}, there {turns[1]}"
    assert {name: number for name, (number, _) in turns[0].items()} == {
        name: number + 1 for name, number in open_turns(season.club.home).items()
    }


def next_turns(club: Club, home: Path) -> Mapping[str, tuple[int, str]]:
    """Release all campaigns, run their turns with the sheets of bots, and return the next ones: number and state."""
    there = dataclasses.replace(club, home=home, mails=[*club.mails], tokens={**club.tokens})
    played = Played(there)
    # The turn of the pen has its ruling and is due: the tick that reads the first sheets runs it.
    played.play([Cli("release --all --yes", "")])
    for name in sorted(SEATS.keys() - {"pen"}):
        played.play([Sheets(name), Cli(f"run {name} --yes", f"{name}: turn")])
    rows = rows_of(home)
    names = {row["id"]: row["name"] for row in rows["campaign"].values() if row["name"] in SEATS}
    turns = [row for row in rows["turn"].values() if row["withdrawal_id"] is None and row["resolved_at"] is None]
    return {
        names[row["campaign_id"]]: (row["number"], row["state_hash"]) for row in turns if row["campaign_id"] in names
    }


def open_turns(home: Path) -> Mapping[str, int]:
    """Return the number of the open turn of each campaign of the season."""
    return {row["name"]: row["turn"] for row in rows_of(home)["campaign"].values() if row["name"] in SEATS}
