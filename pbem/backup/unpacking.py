"""Makes a home of a backup in a folder that nobody uses yet: files, settings, and a database of this version."""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.app import House
from pbem.backup.container import DATABASE, Packed
from pbem.backup.making import CARRIER, FILES, INBOX, TEMPLATES, TURNS
from pbem.backup.proving import check_rows
from pbem.campaign.archive_sync import archive_left, damaged, load_resolved, resolved_turns, write_again
from pbem.campaign.value_checks import is_campaign_name, shown
from pbem.config import (
    INACTIVE,
    LACKING,
    Settings,
    check_values,
    confined,
    load_settings,
    may_come_along,
    read_values,
    with_values,
)
from pbem.config_values import FILE_NAME
from pbem.errors import BackupError, ConfigError, StoreError
from pbem.store.copy import PASSED_BY
from pbem.store.models import Turn
from pbem.store.session import Store
from pbem.store.untrusted import take_rows
from pbem.util import Progress

FILE = "pbem.sqlite"
"""The database of a home that is being made."""

MOST_SETTINGS = 1_000_000

_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class Laid:
    """The settings of a home that a backup was unpacked to, and sentences on those that were changed to keep to it."""

    settings: Settings
    moved: tuple[str, ...]


def lay_out(packed: Packed, home: Path, progress: Progress) -> Laid:
    """Write all that a backup has into an empty folder, as an inactive home. Raise BackupError for what is wrong."""
    check_room(packed, home)
    take_database(packed, home / FILE)
    data, moved = _take_settings(packed, home)
    if FILES in packed.parts:
        packed.unpack(FILES, home, lambda name: may_come_along(data, name))
    if TEMPLATES in packed.parts:
        packed.unpack(TEMPLATES, home / data.get("templates", TEMPLATES.removesuffix(".tar")))
    settings = load_settings(home, without=LACKING)
    for name, url in ((INBOX, settings.inbox_url), (CARRIER, settings.carrier_url)):
        if name in packed.parts and url.scheme == "maildir":
            packed.unpack(name, home / url.path)
    turns = [name for name in packed.parts if name.startswith(TURNS)]
    for number, name in enumerate(turns, start=1):
        packed.unpack(name, settings.archive / campaign_of(packed, name))
        progress("unpacking", number, len(turns))
    return Laid(settings, moved)


def _take_settings(packed: Packed, home: Path) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Write settings that keep to the home, and mark it as inactive; return them, and what was changed."""
    if packed.facts["parts"].get(FILE_NAME, {}).get("bytes", 0) > MOST_SETTINGS:
        raise BackupError(f"{packed.path}: {FILE_NAME} is longer than {MOST_SETTINGS:,} bytes")
    packed.take(FILE_NAME, home / FILE_NAME)
    (home / INACTIVE).touch()
    try:
        check_values(data := read_values(home))
        changes = confined(data)
        change_settings(home, {**changes, "database": f"sqlite:///{FILE}"})
        moved = (f"{key} = {data.get(key)!r} is {new or 'left out'}" for key, new in changes.items())
        return read_values(home), tuple(moved)
    except ConfigError as error:
        raise BackupError(f"{packed.path}: {str(error).replace(f'{home}/', '')}") from None


def check_room(packed: Packed, folder: Path) -> None:
    """Raises BackupError if the disk has not room for all that is in it, its database twice while it is migrated."""
    free = shutil.disk_usage(folder).free
    if packed.bytes > free:
        raise BackupError(f"{folder} has room for {free:,} bytes, and {packed.path} holds {packed.bytes:,}")


def take_database(packed: Packed, target: Path, *, leave: Collection[str] = PASSED_BY) -> None:
    """Make a database of this version of the rows in it, but for those of some tables. Raise BackupError.

    The file may be a stranger's: nothing of it is run, and every value is checked.
    """
    theirs = target.with_name(f"theirs-{target.name}")
    packed.take(DATABASE, theirs)
    try:
        take_rows(theirs, target, leave=leave)
        with closing(Store(f"sqlite:///{target}")) as store, store.reading() as session:
            check_rows(session)
    except (StoreError, BackupError) as error:
        made = shown(packed.facts.get("pbem"))
        raise BackupError(f"{packed.path}, made by pbem {made}: {DATABASE}: {error}") from None
    finally:
        theirs.unlink()


def campaign_of(packed: Packed, part: str) -> str:
    """The campaign that a part is the archive of. Raises BackupError for what can be no name."""
    name = part.removeprefix(TURNS).removesuffix(".tar")
    if not is_campaign_name(name):
        raise BackupError(f"{packed.path}: {part!r} is no part of a backup")
    return name


def change_settings(home: Path, changes: Mapping[str, str | None]) -> None:
    """Gives settings of a home other values. Raises ConfigError."""
    path = home / FILE_NAME
    path.write_text(with_values(path.read_text(encoding="utf-8"), changes), encoding="utf-8")


def complete_archive(house: House, now: dt.datetime) -> list[str]:
    """Writes what the archive lacks from the database; returns a sentence for each turn where that cannot be done."""
    _, problems = archive_left(house, now)
    with house.store.reading() as session:
        ids = [turn_id for (turn_id,) in session.execute(resolved_turns().with_only_columns(Turn.id).order_by(Turn.id))]
    for start in range(0, len(ids), _AT_ONCE):
        with house.store.reading() as session:
            turns = load_resolved(session, resolved_turns().where(Turn.id.in_(ids[start : start + _AT_ONCE])))
        problems += filter(None, [write_again(house, turn) for turn in turns if damaged(house.settings.archive, turn)])
    return list(dict.fromkeys(problems))
