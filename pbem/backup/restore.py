"""Restore a home from a backup, inactive until the operator activates it, and check backups.

Queued mail may have been sent since, so none of it is sent automatically. Turns
may have been run, and their reports read: so no campaign continues before its GM
has released it, all players are notified, and all further mail has codes and
Message-IDs that cannot have been used before. An inactive home reads, runs and
sends nothing at all.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from pbem.actions.deadlines import hold
from pbem.actions.reversal import carry_over
from pbem.actions.withdrawal import find_inconsistency
from pbem.admin.health import deactivate_home
from pbem.app import App, app_of, make_directories
from pbem.archive.record import file_hash
from pbem.archive.verify import verify
from pbem.backup.files import CARRIER, DATABASE, FILES, INBOX, TEMPLATES, TURNS, BackupReader, open_backup
from pbem.campaign.archive_sync import archive_pending, find_archive_damage, load_resolved, resolved_turns, rewrite_turn
from pbem.campaign.damaged_rows import shown
from pbem.campaign.notices import GM, HOUSE_KEY, post
from pbem.campaign.snapshot import HOST, Context, is_campaign_name, load_campaign, locked_campaign
from pbem.config import (
    INACTIVE,
    LACKING,
    Settings,
    check_values,
    checked_database,
    confine_settings,
    load_settings,
    may_come_along,
    missing_references,
    reaches,
    read_values,
    rewrite_settings,
)
from pbem.config_values import FILE_NAME
from pbem.errors import BackupError, ConfigError, ReplayError, StoreError
from pbem.report.notices import Notice
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.copy import checkpoint, copy_from_file, is_empty
from pbem.store.migrate import NOT_EMPTY
from pbem.store.models import Campaign, InboxMessage, JournalEntry, KeyValue, OutgoingMail, SealedPage, Turn
from pbem.store.queue import QUEUES, add_queues
from pbem.store.rows import take_rows
from pbem.store.types import SITE_KEY, UNSENT_STATES, CampaignState, HoldKind, MessageState, OutgoingState
from pbem.text import format_time
from pbem.util import Progress, no_progress, publish, staging_directory

LEAP = 1_000_000
"""By how much the ids of messages and journal entries, from which Message-IDs are computed, go on: no home has so many
between a backup and its restore."""

HELD_BACK = "not sent: it waited when the backup was made, and may have gone since"

_PLAYED = (CampaignState.FORMING, CampaignState.RUNNING)


def quiesce(app: App, made: dt.datetime, now: dt.datetime) -> tuple[list[str], int]:
    """Put a restored home on hold, in one transaction; return the campaigns held, and how many mails are held back."""
    with app.store.writing() as session:
        waiting = update(OutgoingMail).where(OutgoingMail.state.in_(UNSENT_STATES)).returning(OutgoingMail.id)
        mails = session.scalars(waiting.values(state=OutgoingState.FAILED, reply=HELD_BACK)).all()
        session.execute(update(SealedPage).values(written_at=None))
        session.execute(delete(KeyValue).where(KeyValue.name.in_((QUEUES, SITE_KEY, HOUSE_KEY))))
        _skip_ids(session, made, now)
        names = session.scalars(select(Campaign.name).where(Campaign.status.in_(_PLAYED)).order_by(Campaign.id))
        held = [name for name in names.all() if _hold_campaign(session, app, name, made, now)]
        deactivate_home(session, made, now)
    return held, len(mails)


def _skip_ids(session: Session, made: dt.datetime, now: dt.datetime) -> None:
    """Leave a gap in the ids of messages, marked by an entry that GMs can read."""
    newest = session.scalar(select(func.max(InboxMessage.id))) or 0
    id_ = secrets.token_hex(16)  # unlike that of any earlier restore in the backup
    mark = InboxMessage(
        id=newest + LEAP,
        mailbox="restore",
        uid_validity="",
        uid=id_,
        sha256=f"restored {id_}",
        received_at=made,
        raw=b"",
        state=MessageState.PROCESSED,
        note=f"no message: here the home was restored from the backup of {format_time(made, 'UTC')}",
        sender="",
        verdict="none",
        key="",
        masked_at=now,
    )
    session.add(mark)
    session.flush()


def _hold_campaign(session: Session, app: App, name: str, made: dt.datetime, now: dt.datetime) -> bool:
    """Begin a new revision of a campaign, hold its turns and notify all; return True if it is on hold."""
    snapshot = locked_campaign(session, name)
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(revision=snapshot.revision + 1))
    said = f"the home was restored from its backup of {format_time(made, 'UTC')}: what was done after that is void"
    newest = session.scalar(select(func.max(JournalEntry.id))) or 0
    running = snapshot.status == CampaignState.RUNNING
    session.add(
        JournalEntry(
            id=newest + LEAP,
            campaign_id=snapshot.id,
            at=now,
            actor=HOST,
            text=said,
            secret=False,
            turn=snapshot.turn if running else None,
        )
    )
    session.flush()
    carry_over(session, snapshot.id, since=snapshot.revision, revision=snapshot.revision + 1)
    if not running:
        return False
    why = (
        f"it stands again as it did {format_time(made, 'UTC')}, since its home was restored from a backup. Reports, "
        "receipts and answers that you had after that are void, and orders sent after that have to be sent again"
    )
    context = Context(session, app, locked_campaign(session, name), now)
    held = hold(context, HoldKind.RESTORED, why)
    _notify_gm(context, made)
    return held or bool(context.snapshot.held)


def _notify_gm(context: Context, made: dt.datetime) -> None:
    snapshot, name = context.snapshot, context.snapshot.name
    said = (
        (
            f"The home of {name} was restored from its backup of {format_time(made, 'UTC')}. Turn {snapshot.turn} is "
            "open again as it was then, and on hold: no turn is run until you release it. Players are told that what "
            "came later is void."
        ),
        (
            f"Look at it first: pbem status {name}. If its deadline has passed or is near, give more time: "
            f"pbem deadline {name} (by mail: DEADLINE 24h). Then let it go on: pbem release {name} (by mail: RELEASE)."
        ),
    )
    post(context, GM, Notice(subject="restored from a backup, on hold", blocks=said))


FILE = "pbem.sqlite"
"""The database file of a home that is being restored."""

MOST_SETTINGS = 1_000_000

_AT_ONCE = 10


def unpack_home(packed: BackupReader, home: Path, progress: Progress) -> tuple[Settings, tuple[str, ...]]:
    """Unpack a backup into an empty folder, as an inactive home. Raise BackupError if it is broken.

    Returns:
        The settings, and sentences on those changed so that it keeps to its folder.
    """
    check_room(packed, home)
    _take_database(packed, home / FILE)
    data, moved = _take_settings(packed, home)
    packed.unpack(FILES, home, lambda name: may_come_along(data, name))
    packed.unpack(TEMPLATES, home / data.get("templates", TEMPLATES))
    settings = load_settings(home, without=LACKING)
    for folder, url in ((INBOX, settings.inbox_url), (CARRIER, settings.carrier_url)):
        if url.scheme == "maildir":
            packed.unpack(folder, home / url.path)
    campaigns = packed.folders(TURNS)
    for number, name in enumerate(campaigns, start=1):
        if not is_campaign_name(name):
            raise BackupError(f"{packed.path}: {TURNS + name!r:.200} is no folder of a backup")
        packed.unpack(f"{TURNS}{name}/", settings.archive / name)
        progress("unpacking", number, len(campaigns))
    return settings, moved


def _take_settings(packed: BackupReader, home: Path) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Write settings that keep to the home, and mark it as inactive; return them, and sentences on the changes."""
    packed.take(FILE_NAME, home / FILE_NAME, most=MOST_SETTINGS)
    (home / INACTIVE).touch()
    try:
        check_values(data := read_values(home))
        changes = confine_settings(data)
        change_settings(home, {**changes, "database": f"sqlite:///{FILE}"})
        moved = (f"{key} = {data.get(key)!r} is {new or 'left out'}" for key, new in changes.items())
        return read_values(home), tuple(moved)
    except ConfigError as error:
        raise BackupError(f"{packed.path}: {str(error).replace(f'{home}/', '')}") from None


def check_room(packed: BackupReader, folder: Path) -> None:
    """Raise BackupError if the disk has no room for the unpacked files."""
    free = shutil.disk_usage(folder).free
    if packed.bytes > free:
        raise BackupError(f"{folder} has room for {free:,} bytes, and {packed.path} holds {packed.bytes:,}")


def _take_database(packed: BackupReader, target: Path) -> None:
    """Create a database of this version from the rows of a backup.

    Raises:
        BackupError: The file is no such database, or a value in it cannot be read.
    """
    theirs = target.with_name(f"theirs-{target.name}")
    packed.take(DATABASE, theirs)
    try:
        take_rows(theirs, target)
    except StoreError as error:
        made = shown(packed.facts.get("pbem"))
        raise BackupError(f"{packed.path}, made by pbem {made}: {DATABASE}: {error}") from None
    finally:
        theirs.unlink()


def change_settings(home: Path, changes: Mapping[str, str | None]) -> None:
    """Change settings of a home. Raise ConfigError if its file cannot be changed line by line."""
    path = home / FILE_NAME
    path.write_text(rewrite_settings(path.read_text(encoding="utf-8"), changes), encoding="utf-8")


def broken_campaigns(session: Session) -> list[str]:
    """Return a sentence for each campaign whose turns are inconsistent, or whose open turn was changed."""
    names = session.scalars(select(Campaign.name).order_by(Campaign.id)).all()
    found = ((name, find_inconsistency(session, load_campaign(session, name))) for name in names)
    return [f"campaign {name}: {broken}" for name, broken in found if broken is not None]


def complete_archive(app: App, now: dt.datetime, campaign: str | None = None) -> list[str]:
    """Write missing turns of the archive, of one campaign or all; return a sentence for each that cannot be written."""
    _, problems = archive_pending(app, now, campaign)
    which = resolved_turns() if campaign is None else resolved_turns().where(Campaign.name == campaign)
    with app.store.reading() as session:
        ids = [turn_id for (turn_id,) in session.execute(which.with_only_columns(Turn.id).order_by(Turn.id))]
    for start in range(0, len(ids), _AT_ONCE):
        with app.store.reading() as session:
            turns = load_resolved(session, resolved_turns().where(Turn.id.in_(ids[start : start + _AT_ONCE])))
        problems += filter(
            None, [rewrite_turn(app, turn) for turn in turns if find_archive_damage(app.settings.archive, turn)]
        )
    return list(dict.fromkeys(problems))


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """A restored home, and what is yet to be done.

    `held` are the campaigns on hold for their GMs, `mails` the number of mails held
    back; `lacks` is what its settings name that is missing, `reaches` what they run
    and reach outside of it, `moved` which of them were changed; `unknown` are the
    games that are not installed here, or in an older version; `problems` are
    sentences on turns that the archive lacks.
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
    progress: Progress = no_progress,
) -> RestoreResult:
    """Create the home, with its database in a file, or in an empty one on a server.

    If it fails, nothing is left behind.

    Raises:
        BackupError: The file is broken, or the place or the database is not empty.
        ConfigError: The settings or the database cannot be used.
    """
    home = home.absolute()
    _require_empty(home)
    url = checked_database(database) if database else ""
    if url and not is_empty(url):
        raise BackupError(NOT_EMPTY)
    home.parent.mkdir(parents=True, exist_ok=True)
    with open_backup(file, "home") as packed, staging_directory(home.parent) as shop:
        draft = shop / home.name
        draft.mkdir(mode=0o700)
        settings, moved = unpack_home(packed, draft, progress)
        held, mails, problems = _prepare(packed, settings, now, games)
        facts = packed.facts
        with _locked(home.parent):
            _require_empty(home)
            _remove_empty(home)
            if url:
                _move_database(draft, url)
            missing, reached = missing_references(draft), reaches(draft)
            publish(draft, home)
    return RestoreResult(
        home=home,
        made=made_at(packed),
        campaigns=tuple(each["name"] for each in facts["campaigns"]),
        held=tuple(held),
        mails=mails,
        lacks=tuple(each.replace(str(draft), str(home)) for each in missing),
        reaches=tuple(reached),
        moved=moved,
        left_out=tuple(facts["left_out"]),
        unknown=unknown_games(packed, games),
        problems=tuple(problems),
    )


def made_at(packed: BackupReader) -> dt.datetime:
    return dt.datetime.fromisoformat(packed.facts["made"])


def unknown_games(packed: BackupReader, games: Mapping[str, AnyRuleset]) -> tuple[str, ...]:
    """Return the games of its campaigns that are not installed here, or in an older version."""
    wanted = {(each["game"], each["version"]) for each in packed.facts["campaigns"]}
    return tuple(
        f"{game}, version {version}"
        for game, version in sorted(wanted)
        if game not in games or games[game].version < version
    )


def _require_empty(home: Path) -> None:
    if home.is_symlink() or (home.exists() and (not home.is_dir() or any(home.iterdir()))):
        raise BackupError(f"{home} is not empty: a home is restored into an empty place alone")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder: of two restores into one place, the second finds it taken before it fills a database."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _remove_empty(home: Path) -> None:
    """Delete the empty folder that the home replaces."""
    try:
        home.rmdir()
    except FileNotFoundError:
        return
    except OSError as error:
        raise BackupError(
            f"{home} cannot be replaced ({error.strerror}): name a new folder, if need be in it"
        ) from None


def _prepare(
    packed: BackupReader, settings: Settings, now: dt.datetime, games: Mapping[str, AnyRuleset]
) -> tuple[list[str], int, list[str]]:
    """Make an unpacked home ready; return what `quiesce` does, and sentences on what its archive lacks."""
    make_directories(settings)
    with app_of(settings, games) as app:
        held, mails = quiesce(app, made_at(packed), now)
        problems = complete_archive(app, now)
        with app.store.reading() as session:
            problems += broken_campaigns(session)
    checkpoint(settings.home / FILE)
    return held, mails, problems


def _move_database(draft: Path, url: str) -> None:
    change_settings(draft, {"database": url})
    # In one transaction with the queues: a failure between them would leave a database that is not empty, and so
    # refused by the next attempt.
    copy_from_file(draft / FILE, url, also=add_queues)
    (draft / FILE).unlink()


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignCheck:
    """A campaign in a backup: the number of turns in its archive, and sentences on what is not proved of them."""

    campaign: str
    turns: int
    unproved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupCheck:
    """Verified contents of a backup; `problems` are sentences on what is wrong. Without any it is sound."""

    path: Path
    made: dt.datetime
    pbem: str
    campaigns: tuple[CampaignCheck, ...]
    unknown: tuple[str, ...]
    left_out: tuple[str, ...]
    problems: tuple[str, ...]


def check_backup(
    path: Path, now: dt.datetime, games: Mapping[str, AnyRuleset], *, progress: Progress = no_progress
) -> BackupCheck:
    """Check every file and prove every archive.

    Raises:
        BackupError: The file cannot be read to its end.
    """
    with open_backup(path, "home") as packed, TemporaryDirectory(prefix="pbem-check-") as folder:
        settings, _ = unpack_home(packed, Path(folder).resolve(), progress)
        with app_of(settings, games) as app:
            problems = complete_archive(app, now)
            with app.store.reading() as session:
                problems += broken_campaigns(session)
            proved, wrong = _prove_all(app, progress)
        return BackupCheck(
            path=path,
            made=made_at(packed),
            pbem=str(packed.facts["pbem"]),
            campaigns=tuple(proved),
            unknown=unknown_games(packed, games),
            left_out=tuple(packed.facts["left_out"]),
            problems=(*problems, *wrong),
        )


def _prove_all(app: App, progress: Progress) -> tuple[list[CampaignCheck], list[str]]:
    proved, wrong = [], []
    with app.store.reading() as session:
        begun = session.execute(
            select(Campaign.name, Campaign.seed, Turn.record)
            .join(Turn, Turn.campaign_id == Campaign.id)
            .where(Turn.withdrawal_id.is_(None), Turn.number == Campaign.turn - 1, Turn.record.is_not(None))
            .order_by(Campaign.id)
        ).all()
    for number, (name, seed, newest) in enumerate(begun, start=1):
        try:
            found = verify(app.settings.archive, name, games=app.games, seed=seed)
        except ReplayError as error:
            wrong.append(f"campaign {name}: {error}")
            continue
        proved.append(CampaignCheck(campaign=name, turns=found.turns, unproved=found.unproved))
        if found.head != file_hash(newest or b""):
            wrong.append(f"campaign {name}: its archive ends with another record than its database")
        progress("proving", number, len(begun))
    return proved, wrong
