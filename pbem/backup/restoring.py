"""Makes a home of a backup: in an empty place, whole or not at all, and at rest until it is opened."""

from __future__ import annotations

import datetime as dt
import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pbem.app import house_of, make_folders
from pbem.backup.container import Packed, opened
from pbem.backup.proving import broken_campaigns
from pbem.backup.settling import Settled, settle
from pbem.backup.unpacking import FILE, change_settings, complete_archive, lay_out
from pbem.config import Settings, checked_database, lacks, reaches
from pbem.errors import BackupError
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.copy import as_one_file, copy_in, is_empty
from pbem.store.migrate import NOT_EMPTY
from pbem.store.queue import add_queues
from pbem.util import Progress, put, silent, workshop


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A home that was made of a backup of a moment, and what is yet to be done.

    `held` are campaigns that wait for their GMs, `mails` how many mails are not
    sent by themselves; `lacks` is what its settings name that is not there,
    `reaches` what they run and reach outside it, `moved` what they no longer do;
    `unknown` are the games of its campaigns that are not installed here, or in
    an older version; `problems` are sentences on turns that the archive lacks.
    """

    home: Path
    made: dt.datetime
    campaigns: tuple[str, ...]
    held: tuple[str, ...]
    mails: int
    lacks: tuple[str, ...]
    reaches: tuple[str, ...]
    moved: tuple[str, ...]
    left_out: tuple[str, ...]
    unknown: tuple[str, ...]
    problems: tuple[str, ...]


def restore_home(
    file: Path,
    home: Path,
    now: dt.datetime,
    games: Mapping[str, AnyRuleset],
    *,
    database: str = "",
    progress: Progress = silent,
) -> Restored:
    """Makes the home, with its database in a file, or in an empty one on a server.

    Raises BackupError or ConfigError, having made nothing.
    """
    home = home.absolute()
    _check_place(home)
    url = checked_database(database) if database else ""
    if url and not is_empty(url):
        raise BackupError(NOT_EMPTY)
    home.parent.mkdir(parents=True, exist_ok=True)
    with opened(file, "home") as packed, workshop(home.parent) as shop:
        draft = shop / home.name
        draft.mkdir(mode=0o700)
        laid = lay_out(packed, draft, progress)
        settled, problems = _prepare(packed, laid.settings, now, games)
        facts = packed.facts
        with _alone(home.parent):
            _check_place(home)
            _make_way(home)
            if url:
                _move_database(draft, url)
            missing, reached = lacks(draft), reaches(draft)
            put(draft, home)
    return Restored(
        home=home,
        made=made_at(packed),
        campaigns=tuple(each["name"] for each in facts["campaigns"]),
        held=settled.held,
        mails=settled.mails,
        lacks=tuple(each.replace(str(draft), str(home)) for each in missing),
        reaches=tuple(reached),
        moved=laid.moved,
        left_out=tuple(facts["left_out"]),
        unknown=unknown_games(packed, games),
        problems=tuple(problems),
    )


def made_at(packed: Packed) -> dt.datetime:
    """When a backup was made."""
    return dt.datetime.fromisoformat(packed.facts["made"])


def unknown_games(packed: Packed, games: Mapping[str, AnyRuleset]) -> tuple[str, ...]:
    """The games of its campaigns that are not known here, or not in their version."""
    wanted = {(each["game"], each["version"]) for each in packed.facts["campaigns"]}
    return tuple(
        f"{game}, version {version}"
        for game, version in sorted(wanted)
        if game not in games or games[game].version < version
    )


def _check_place(home: Path) -> None:
    if home.is_symlink() or (home.exists() and (not home.is_dir() or any(home.iterdir()))):
        raise BackupError(f"{home} is not empty: a home is restored into an empty place alone")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait for others who put a home there: of two into one place, the second finds it taken, and fills no database."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _make_way(home: Path) -> None:
    """Takes the empty folder away in whose place the home is put."""
    try:
        home.rmdir()
    except FileNotFoundError:
        return
    except OSError as error:
        raise BackupError(
            f"{home} cannot be replaced ({error.strerror}): name a new folder, if need be in it"
        ) from None


def _prepare(
    packed: Packed, settings: Settings, now: dt.datetime, games: Mapping[str, AnyRuleset]
) -> tuple[Settled, list[str]]:
    make_folders(settings)
    with house_of(settings, games) as house:
        settled = settle(house, made_at(packed), now)
        problems = complete_archive(house, now)
        with house.store.reading() as session:
            problems += broken_campaigns(session)
    as_one_file(settings.home / FILE)
    return settled, problems


def _move_database(draft: Path, url: str) -> None:
    change_settings(draft, {"database": url})
    copy_in(draft / FILE, url, also=add_queues)
    (draft / FILE).unlink()
