"""Create a backup of a home: database, archive, settings, templates and local mailboxes.

The order makes the parts agree. The inbox is read before the database is copied,
so that each message is in one of both: a message is stored before it is moved
away. Then the database is copied, as of one moment. The archive and sent mail
follow from it, so they are read after it.

By then a turn may have been run that the copy does not have, and one that it has
may have been withdrawn. So the copy is asked for its records and the places of
their folders, and each file is looked for in both places, by its hash.
"""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pbem.archive.reader import MOST_RECORD
from pbem.archive.record import RECORD, WITHDRAWN, file_hash, folder_name, withdrawn_name
from pbem.backup.files import (
    CARRIER,
    DATABASE,
    FILES,
    INBOX,
    TEMPLATES,
    TURNS,
    BackupWriter,
    disk_full_named,
    is_backup,
)
from pbem.backup.restore import BackupCheck, check_backup
from pbem.config import Settings, referenced_files, relocated_settings, rewrite_settings
from pbem.config_values import FILE_NAME, MailUrl
from pbem.errors import BackupError, PbemError
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.copy import copy_to_file, open_file, revision_of
from pbem.store.migrate import migrate
from pbem.util import Progress, no_progress, publish, staging_directory


@dataclass(frozen=True, slots=True)
class ArchivedRun:
    """A turn that was run: its record, the place of its folder, and the other place where it may be."""

    record: bytes
    place: str
    elsewhere: str


def _list_campaigns(database: sqlite3.Connection) -> list[dict[str, object]]:
    """Return name, game, version, status and open turn of each campaign in a copy."""
    keys = ("name", "game", "version", "status", "turn")
    rows = database.execute(f"SELECT {', '.join(keys)} FROM campaign ORDER BY id")  # noqa: S608 - names of ours
    return [dict(zip(keys, row, strict=True)) for row in rows]


StoredRun = tuple[int, int | None, bytes]
"""Number of a turn that was run, the withdrawal it belongs to, if any, and its record."""


def pack_archive(runs: Iterable[StoredRun], archive: Path, campaign: str, packing: BackupWriter) -> int:
    """Add the folders of a campaign's turns; return how many turns lack files in the archive.

    Missing files can be written again from the database.
    """
    home, lacking = archive / campaign, 0
    for turn in _iter_runs(runs, home):
        lacking += not _pack_turn(home, turn, f"{TURNS}{campaign}/", packing)
    return lacking


def _stored_runs(database: sqlite3.Connection, campaign: str) -> Iterator[StoredRun]:
    rows = database.execute(
        "SELECT turn.number, turn.withdrawal_id, turn.record FROM turn JOIN campaign ON campaign.id = turn.campaign_id"
        " WHERE campaign.name = ? AND turn.record IS NOT NULL ORDER BY turn.number, turn.id",
        (campaign,),
    )
    return ((number, withdrawal, zlib.decompress(packed)) for number, withdrawal, packed in rows)


def _pack_turn(home: Path, turn: ArchivedRun, folder: str, packing: BackupWriter) -> bool:
    """Add the intact files of a turn, its record last; return True if all are."""
    files: dict[str, str] = json.loads(turn.record)["files"]
    whole = True
    for name, hash_ in [*sorted(files.items()), (RECORD, file_hash(turn.record))]:
        content = _find_content(home, turn, name, hash_)
        if content is None:
            whole = False
        else:
            packing.put(f"{folder}{turn.place}/{name}", content)
    return whole


def _find_content(home: Path, turn: ArchivedRun, name: str, hash_: str) -> bytes | None:
    for place in (turn.place, turn.elsewhere, turn.place):  # it may be moved between two attempts
        try:
            content = (home / place / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
        if file_hash(content) == hash_:
            return content
    return None


def _iter_runs(runs: Iterable[StoredRun], home: Path) -> Iterator[ArchivedRun]:
    known: set[str] = set()
    newest = b""
    for number, withdrawal, record in runs:
        live, aside = folder_name(number), f"{WITHDRAWN}/{withdrawn_name(number, file_hash(record))}"
        if withdrawal is None:
            newest = record
            yield ArchivedRun(record, live, aside)
        else:
            known.add(aside)
            yield ArchivedRun(record, aside, live)
    yield from _runs_of_origin(home, newest, known)


def _runs_of_origin(home: Path, newest: bytes, known: set[str]) -> Iterator[ArchivedRun]:
    """Yield withdrawn turns of the campaign that this one is a copy of: only the archive has their records."""
    for each in json.loads(newest).get("withdrawn", ()) if newest else ():
        place = f"{WITHDRAWN}/{withdrawn_name(each['turn'], each['hash'])}"
        path = home / place / RECORD
        if place not in known and path.is_file() and path.stat().st_size <= MOST_RECORD:
            record = path.read_bytes()
            if file_hash(record) == each["hash"]:
                yield ArchivedRun(record, place, place)


DRAFT = "draft.zip"
ENDING = ".pbem.zip"
_NAME = "pbem-%Y%m%dT%H%M%SZ" + ENDING
_ALL = "pbem-????????T??????Z" + ENDING


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupCreated:
    """A backup that was made: its campaigns, sentences on what was left out, and the names of older ones deleted.

    `lacking` is the number of turns that lack files in the archive; the database has
    them. `verified` is None if that was not asked for.
    """

    path: Path
    bytes: int
    campaigns: tuple[str, ...]
    lacking: int
    left_out: tuple[str, ...]
    removed: tuple[str, ...]
    verified: BackupCheck | None


def create_backup(
    settings: Settings,
    target: Path,
    now: dt.datetime,
    *,
    keep: int = 0,
    with_secrets: bool = False,
    games: Mapping[str, AnyRuleset] | None = None,
    progress: Progress = no_progress,
) -> BackupCreated:
    """Write a backup to a file, or to one named after the time in a folder, whose newest `keep` are kept.

    With `games` it is verified, by those that are installed. If it fails, or what was
    written is not sound, older backups are unchanged.

    Raises:
        BackupError: The target cannot be used, the disk is full, or what was written could not be verified.
        ConfigError: The settings or the database cannot be used.
        OSError: A file cannot be read or written.
    """
    path = target / now.astimezone(dt.UTC).strftime(_NAME) if target.is_dir() else target
    if keep and path == target:
        raise BackupError(f"{target} is no folder: only in one can the newest be kept and older ones removed")
    if path.exists() and not is_backup(path):
        raise BackupError(f"{path} is there, and is no backup: give another name, or a folder")
    if not path.parent.is_dir():
        raise BackupError(f"the folder {path.parent} is not there")
    with disk_full_named(path), staging_directory(path.parent) as draft:
        facts, lacking = _write_backup(settings, draft, now, with_secrets=with_secrets, progress=progress)
        checked = None if games is None else _verify_and_publish(draft / DRAFT, path, now, games, progress)
        if checked is None:
            publish(draft / DRAFT, path)
    sound = checked is None or not checked.problems
    removed = _remove_old(path, keep) if keep and sound else ()
    return BackupCreated(
        path=path,
        bytes=path.stat().st_size,
        campaigns=tuple(str(each["name"]) for each in facts["campaigns"]),
        lacking=lacking,
        left_out=tuple(facts["left_out"]),
        removed=removed,
        verified=checked,
    )


def _verify_and_publish(
    draft: Path, path: Path, now: dt.datetime, games: Mapping[str, AnyRuleset], progress: Progress
) -> BackupCheck:
    try:
        checked = check_backup(draft, now, games, progress=progress)
    except Exception as error:
        # It has the database all the same, and may be the only backup; but it takes the place of none.
        kept = path.exists()
        if not kept:
            publish(draft, path)
        if not isinstance(error, PbemError):
            raise
        told = f"{path} is unchanged: what was to replace it" if kept else f"{path} was written, but"
        said = str(error).replace(str(draft), path.name)
        raise BackupError(f"{told} could not be verified: {said}. No older backup was removed") from error
    publish(draft, path)
    return replace(checked, path=path)


def _write_backup(
    settings: Settings, draft: Path, now: dt.datetime, *, with_secrets: bool, progress: Progress
) -> tuple[Mapping[str, Any], int]:
    copy = draft / DATABASE
    with BackupWriter(draft / DRAFT) as packing:
        _pack_mail_folder(packing, settings, settings.inbox_url, INBOX)
        copy_to_file(settings.database, copy)
        _pack_mail_folder(packing, settings, settings.carrier_url, CARRIER)
        packing.put_file(DATABASE, copy)
        made_by = revision_of(copy)
        migrate(f"sqlite:///{copy}")  # the queries below need tables of this version
        _pack_settings(packing, settings, with_secrets=with_secrets)
        lacking = 0
        with open_file(copy) as database:
            campaigns = _list_campaigns(database)
            for number, name in enumerate((str(each["name"]) for each in campaigns), start=1):
                lacking += pack_archive(_stored_runs(database, name), settings.archive, name, packing)
                progress("packing", number, len(campaigns))
        facts = {
            "kind": "home",
            "pbem": version("pbem"),
            "made": now.astimezone(dt.UTC).isoformat(),
            "migration": made_by,
            "address": settings.address,
            "campaigns": campaigns,
            "secrets": with_secrets,
            "left_out": list(_list_left_out(settings, with_secrets=with_secrets)),
        }
        packing.put_manifest(facts)
    return facts, lacking


def _pack_mail_folder(packing: BackupWriter, settings: Settings, url: MailUrl, folder: str) -> None:
    """Add a Maildir of the home; one elsewhere is left out, as is a mailbox on a server."""
    if _is_in_home(settings, url):
        packing.put_folder(folder, settings.home / url.path, leave_out=("tmp",))


def _is_in_home(settings: Settings, url: MailUrl) -> bool:
    return url.scheme == "maildir" and (settings.home / url.path).resolve().is_relative_to(settings.home)


def _pack_settings(packing: BackupWriter, settings: Settings, *, with_secrets: bool) -> None:
    text = (settings.home / FILE_NAME).read_text(encoding="utf-8")
    packing.put(FILE_NAME, rewrite_settings(text, relocated_settings(settings, text)).encode())
    if settings.templates is not None:
        packing.put_folder(TEMPLATES, settings.templates)
    public, secret = referenced_files(settings)
    for path in [*public, *(secret if with_secrets else [])]:
        packing.put_file(FILES + path.relative_to(settings.home).as_posix(), path)


def _list_left_out(settings: Settings, *, with_secrets: bool) -> Iterator[str]:
    if not with_secrets and (secret := referenced_files(settings)[1]):
        yield f"secrets: {', '.join(str(path.relative_to(settings.home)) for path in secret)}; see --with-secrets"
    for name, url in (("inbox", settings.inbox_url), ("carrier", settings.carrier_url)):
        if url.scheme == "maildir" and not _is_in_home(settings, url):
            yield f"the {name} {settings.home / url.path}, which is not in the home"
    if settings.site is not None:
        yield "the site, which is written anew from the database"


def _remove_old(newest: Path, keep: int) -> tuple[str, ...]:
    """Delete all but the newest backups in its folder, by name; return the names of those deleted."""
    others = sorted((path for path in newest.parent.glob(_ALL) if path != newest), reverse=True)
    old = others[keep - 1 :]
    for path in old:
        path.unlink()
    return tuple(path.name for path in reversed(old))
