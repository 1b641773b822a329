"""Checks of archive and database for the doctor, with advice for repair."""

from __future__ import annotations

import datetime as dt
import re
import shlex
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import chain, count, islice
from pathlib import Path
from typing import Literal

from sqlalchemy import func, inspect, select, text, update
from sqlalchemy.exc import DBAPIError

from pbem.actions.withdrawal import find_inconsistency
from pbem.admin.health import stuck_mail
from pbem.admin.processed import unmoved_notice
from pbem.archive.record import folder_name
from pbem.archive.writer import campaigns_there, list_turns, turn_folder
from pbem.campaign.archive_sync import (
    CODE_REPAIR,
    ResolvedTurn,
    code_change,
    find_archive_damage,
    load_resolved,
    resolved_turns,
)
from pbem.campaign.schedule import Schedule
from pbem.campaign.snapshot import load_campaign
from pbem.config import Settings
from pbem.errors import PARSE_ERRORS, CampaignError, ConfigError
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.migrate import find_schema_problem, sqlite_path
from pbem.store.models import Base, Campaign, InboxMessage, JournalEntry, OutgoingMail, Turn
from pbem.store.rows import find_damage, find_faults
from pbem.store.session import SEE_DOCTOR, Store, restoring
from pbem.store.types import UNREADABLE, CampaignState
from pbem.util import Progress, no_progress

Result = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check: `text` is the result, `mend` says how to repair it, "" if there is nothing to repair."""

    name: str
    result: Result
    text: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All checks, with the numbers of problems and warnings."""

    problems: int
    warnings: int
    checks: tuple[CheckResult, ...]


def ok(name: str, text: str) -> CheckResult:
    """Return a result with nothing to repair."""
    return CheckResult(name, "ok", text)


def warning(name: str, text: str, mend: str) -> CheckResult:
    """Return a result that may be intended, and does not stop turns."""
    return CheckResult(name, "warning", text, mend)


def failure(name: str, text: str, mend: str) -> CheckResult:
    """Return a result that keeps something from working until it is repaired."""
    return CheckResult(name, "problem", text, mend)


# The first pattern that matches counts, in any case, so the more specific ones come first.
_DATABASE_ADVICE = [
    (re.compile(pattern, re.IGNORECASE), advice)
    for pattern, advice in {
        r"disk is full": "free some space where the database lies; nothing is lost, the next tick goes on",
        r"malformed|not a database": "it is damaged: keep it as it is, and {restore}",
        r"database \"[^\"]{1,63}\" does not exist": (
            "correct its name in `database` in pbem.toml; for a new home: createdb, pbem init; if lost, {restore}"
        ),
        r"password authentication failed|no password supplied": (
            "look at user and password in `database` in pbem.toml; the password may also stand in ~/.pgpass"
        ),
        r"role \"[^\"]{1,63}\" does not exist": "make the user (createuser), or correct it in `database` in pbem.toml",
        r"pg_hba\.conf|peer authentication failed": (
            "let the server take this user from this machine: a line of its pg_hba.conf says who may come, and how"
        ),
        r"read-only transaction|read-write mode during recovery": (
            "name the primary server in `database`, or reset default_transaction_read_only of this user or database"
        ),
        r"permission denied": "grant the user the right to use the database and its schema: it must own its tables",
        r"translate host name|name or service not known|name resolution": (
            "the host in `database` in pbem.toml is misspelt, or this machine's name service (DNS) does not work"
        ),
        r"connection refused|no such file or directory|timed out|timeout expired|unreachable|no route": (
            "start the database server, or correct host and port of `database` in pbem.toml"
        ),
        r"readonly|read-only|unable to open": "let pbem's user write to the file and to its folder (chown, chmod)",
        r"locked": ("another process holds it: see which with fuser, and try again"),
    }.items()
]


def find_advice(advice: Iterable[tuple[re.Pattern[str], str]], failure: str, usual: str) -> str:
    """Return the advice of the first pattern that matches a failure, or the usual one."""
    return next((each for pattern, each in advice if pattern.search(failure)), usual)


def database_advice(failure: str, restore: str) -> str:
    """Return how to mend a failure of the database; `restore` is the instruction for one that is lost."""
    usual = "correct `database` in pbem.toml, or start its server; then run: pbem doctor"
    return find_advice(_DATABASE_ADVICE, failure, usual).format(restore=restore)


MOST_NAMED = 8
"""The most turns named in a sentence."""


@dataclass(slots=True)
class _Compared:
    """The turns of a campaign that the archive lacks or has changed, and those that only the archive has."""

    lost: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def add(self, turn: ResolvedTurn, folder: Path) -> None:
        """Add a turn whose folder is not as it was written."""
        said = f"{'withdrawn ' if turn.withdrawn else ''}turn {turn.number}"
        if folder.exists():
            self.changed.append(said)
            self.folders.append(str(folder))
        else:
            self.lost.append(said)


def archive(
    settings: Settings, store: Store, restore: str, *, progress: Progress = no_progress
) -> Iterator[CheckResult]:
    """Yield the differences between database and archive.

    Args:
        restore: The instruction for a database that is too old.
    """
    place = settings.archive
    # Of several machines on one PostgreSQL database, only one may have the archive.
    if sqlite_path(settings.database) is None and not place.is_dir():
        mend = "if no other machine has the archive, make the folder: the next tick or worker writes it again"
        yield warning("archive", f"there is no folder {place} on this machine", mend)
        return
    # The folders first: a turn is in the database before it is in the archive.
    there = {name: list_turns(place, name)[0] for name in campaigns_there(place)}
    compared: dict[str, _Compared] = defaultdict(_Compared)
    known = _load_folder_names(store)
    _compare_folders(place, store, compared, progress)
    for name in there.keys() & known.keys():
        compared[name].unknown += sorted(there[name] - known[name])
    found = [each for name, what in sorted(compared.items()) for each in _render_differences(name, what, restore)]
    for name in sorted(there.keys() - known.keys()):
        said = f"the archive has a campaign {name}, and the database has none of this name"
        found.append(failure("archive", said, f"{restore}; if it belongs to another home, move {place / name} away"))
    yield from found or [ok("archive", "it has every turn that the database has, and no other")]


def _load_folder_names(store: Store) -> Mapping[str, set[str]]:
    """Return the names of the folders that the archive may have, by campaign."""
    turns = select(Campaign.name, Turn.number).join(Turn, Turn.campaign_id == Campaign.id)
    with store.reading() as session:
        known: dict[str, set[str]] = {name: set() for name in session.scalars(select(Campaign.name))}
        for name, number in session.execute(turns.where(Turn.resolved_at.is_not(None))):
            known[name].add(folder_name(number))
    return known


# Other turns are yet to be written, or moved to withdrawn/, by the next tick.
_ARCHIVED = Turn.resolved_at.is_not(None) & (Turn.withdrawal_id.is_not(None) == Turn.archived_at.is_(None))


def _compare_folders(place: Path, store: Store, compared: Mapping[str, _Compared], progress: Progress) -> None:
    turns = select(Turn.id, Turn.number, Campaign.name).join(Campaign, Campaign.id == Turn.campaign_id)
    with store.reading() as session:
        rows = session.execute(turns.where(_ARCHIVED).order_by(Turn.id)).all()
    for done, (id_, number, name) in enumerate(rows, start=1):
        try:
            # Checked twice: a rollback may move the folder between the reading of its row and the look at the disk.
            if _find_damaged(place, store, id_) and (turn := _find_damaged(place, store, id_)):
                compared[name].add(turn, turn_folder(place, turn.record, withdrawn=turn.withdrawn))
        except (zlib.error, *PARSE_ERRORS):
            compared[name].unreadable.append(f"turn {number}")
        progress("comparing", done, len(rows))


def _find_damaged(place: Path, store: Store, id_: int) -> ResolvedTurn | None:
    with store.reading() as session:
        found = load_resolved(session, resolved_turns().where(Turn.id == id_, _ARCHIVED))
    return next((turn for turn in found if find_archive_damage(place, turn)), None)


def _render_differences(name: str, what: _Compared, restore: str) -> Iterator[CheckResult]:
    if what.lost:
        mend = "run: pbem tick, which writes them again from the database"
        yield failure("archive", f"campaign {name}: the archive lacks {_join_some(what.lost)}", mend)
    if what.changed:
        mend = f"move {_join_some(what.folders)} away; pbem tick then writes it again from the database"
        changed = _join_some(what.changed)
        yield failure("archive", f"campaign {name}: the archive has {changed} changed, cut or unreadable", mend)
    if what.unreadable:
        turns = _join_some(what.unreadable)
        yield failure("archive", f"campaign {name}: the database cannot read its own {turns}", restore)
    if what.unknown:
        said = f"the archive has {_join_some(what.unknown)}, and the database does not: it is of an earlier time"
        yield failure("archive", f"campaign {name}: {said}", f"put the newer database back, or {restore}")


def _join_some(names: Sequence[str], most: int = MOST_NAMED) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


MOST_ROWS = 10
"""The most rows that are named."""

CLOCK_SLACK = dt.timedelta(minutes=5)
"""The most by which the clock may be behind the newest row; servers' clocks differ."""

MOST_RIGHTS = 6
"""The most missing rights that are named."""


def check_database(
    settings: Settings, now: dt.datetime, games: Mapping[str, AnyRuleset], *, progress: Progress = no_progress
) -> Iterator[CheckResult]:
    """Yield whether the database can be reached, has this version and can be written, then the checks of its rows."""
    restore = restoring(settings.database, shlex.quote(str(_new_folder(settings.home))))
    trouble = _find_trouble(settings, restore)
    if trouble is not None:
        yield trouble
        return
    with closing(Store(settings.database)) as store:
        try:
            # Before the write below, which would fail for the first missing right and name no other.
            if lacking := _find_missing_rights(store):
                yield lacking
                return
            with store.writing() as session:
                # Changes no row, but fails where the database cannot be written.
                session.execute(update(InboxMessage).where(InboxMessage.id < 0).values(note=""))
        except (ConfigError, DBAPIError) as error:
            yield _unusable_database(error, restore)
            return
        if lacks := _find_missing_columns(store):
            yield failure("database", f"it lacks {', '.join(lacks)}", database_advice("malformed", restore))
            return
        yield ok("database", "it can be written to and is of this version")
        yield from _check_rows(store, restore)
        examined = [_check_clock(store, now), _check_outbox(store), _check_schedules(store), _check_histories(store)]
        examined += [
            _check_unmoved(store),
            _check_game_code(store, games),
            archive(settings, store, restore, progress=progress),
        ]
        for each in examined:
            with suppress(*UNREADABLE):  # `_check_rows` has reported these rows
                yield from each


def _check_rows(store: Store, restore: str) -> Iterator[CheckResult]:
    """Yield values that cannot be read."""
    with store.reading() as session, closing(find_faults(session.connection())) as faults:
        for fault in islice(faults, MOST_ROWS):
            yield failure("rows", fault.text, f"put it right in the database, or {restore}")


def compare_with_archive(settings: Settings, *, progress: Progress) -> list[CheckResult]:
    """Return the differences between a database and its archive, as problems."""
    restore = restoring(settings.database, shlex.quote(str(_new_folder(settings.home))))
    with closing(Store(settings.database)) as store:
        return [found for found in archive(settings, store, restore, progress=progress) if found.result != "ok"]


def _new_folder(home: Path) -> Path:
    """Return a folder beside the home that does not exist yet."""
    names = chain(["restored"], (f"restored-{number}" for number in count(2)))
    return next(path for name in names if not (path := home.with_name(f"{home.name}-{name}")).exists())


def _find_trouble(settings: Settings, restore: str) -> CheckResult | None:
    """Return why the tables cannot be used, None if they can."""
    path = sqlite_path(settings.database)
    if path and not path.exists():
        return _missing_file(path, restore)
    try:
        if path and (damage := find_damage(path)):
            return failure("database", f"{path} is damaged: {damage}", database_advice("malformed", restore))
        found = find_schema_problem(settings.database, restore)
    except ConfigError as error:
        return _unusable_database(error, restore)
    return failure("database", f"it {found.said}", found.mend) if found else None


def _missing_file(file: Path, restore: str) -> CheckResult:
    folder = file.parent
    if not folder.is_dir():
        mend = "make the folder, mount the disk that it lies on, or correct `database` in pbem.toml"
        return failure("database", f"there is no folder {folder} for the database {file.name}", mend)
    mend = f"put it back where it was, or correct `database` in pbem.toml; if it is lost, {restore}"
    return failure("database", f"there is no file {file}", mend)


def _unusable_database(error: Exception, restore: str) -> CheckResult:
    said = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split()).removesuffix(SEE_DOCTOR)
    return failure("database", said, database_advice(said, restore))


_RIGHTS = text("""
    SELECT quote_ident(current_schema()), quote_ident(current_user), relation.relname, wanted.privilege
    FROM pg_class AS relation
    JOIN pg_namespace AS schema ON schema.oid = relation.relnamespace AND schema.nspname = current_schema()
    JOIN (VALUES ('r', 'SELECT'), ('r', 'INSERT'), ('r', 'UPDATE'), ('r', 'DELETE'), ('S', 'USAGE'))
        AS wanted (kind, privilege) ON wanted.kind = relation.relkind::text
    WHERE NOT CASE relation.relkind
        WHEN 'S' THEN has_sequence_privilege(relation.oid, wanted.privilege)
        ELSE has_table_privilege(relation.oid, wanted.privilege)
    END
    ORDER BY relation.relname, wanted.privilege
""")


def _find_missing_rights(store: Store) -> CheckResult | None:
    """Return the rights on tables and sequences that pbem's user on a server lacks, None if it has all."""
    if store.engine.dialect.name == "sqlite":
        return None
    with store.reading() as session:
        rows = session.execute(_RIGHTS).all()
    if not rows:
        return None
    named = _join_some([f"{row.privilege} on {row.relname}" for row in rows], MOST_RIGHTS)
    grants = (f"GRANT ALL ON ALL {kind} IN SCHEMA {rows[0][0]} TO {rows[0][1]};" for kind in ("TABLES", "SEQUENCES"))
    mend = f"let that user own the database, or as the server's administrator run in it: {' '.join(grants)}"
    return failure("database", f"its user lacks rights: {named}", mend)


def _find_missing_columns(store: Store) -> list[str]:
    """Return the tables and columns that this version needs and the database lacks, whatever its version says."""
    there = inspect(store.engine)
    tables, lacks = set(there.get_table_names()), list[str]()
    for table in Base.metadata.sorted_tables:
        if table.name not in tables:
            lacks.append(f"the table {table.name}")
            continue
        columns = {column["name"] for column in there.get_columns(table.name)}
        lacks += [f"the column {column.name} of {table.name}" for column in table.columns if column.name not in columns]
    return lacks


def _check_clock(store: Store, now: dt.datetime) -> Iterator[CheckResult]:
    """Check that the clock is not behind what it has stamped: then it was set back, or was wrong before."""
    newest = {
        "message": func.max(InboxMessage.received_at),
        "act in a campaign's journal": func.max(JournalEntry.at),
        "mail in the outbox": func.max(OutgoingMail.created_at),
    }
    with store.reading() as session:
        found = {what: at for what, column in newest.items() if (at := session.scalar(select(column))) is not None}
    shown = f"it is {format_utc_minute(now)}"
    if not found:
        yield ok("clock", shown)
        return
    what = max(found, key=found.__getitem__)
    if found[what] <= now + CLOCK_SLACK:
        yield ok("clock", f"{shown}, and nothing in the database is of a later time")
        return
    text = f"{shown} by this machine, but the newest {what} is of {format_utc_minute(found[what])}"
    yield failure("clock", text, "set the clock, and keep it right: timedatectl set-ntp true")


def _check_outbox(store: Store) -> Iterator[CheckResult]:
    """Yield a failure if the carrier keeps deferring mail, but never refuses it: then no bounce tells of it."""
    with store.reading() as session:
        said = stuck_mail(session)
    if said:
        yield failure("outbox", said, "ask whoever runs the carrier; when it is repaired: pbem outbox all --retry")


def format_utc_minute(at: dt.datetime) -> str:
    """Return a time as the doctor shows it."""
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def _check_histories(store: Store) -> Iterator[CheckResult]:
    """Yield the campaigns whose turns are inconsistent, so that they cannot go on or cannot be proved."""
    whole = True
    with store.reading() as session:
        for name in session.scalars(select(Campaign.name).order_by(Campaign.name)).all():
            try:
                broken = find_inconsistency(session, load_campaign(session, name))
            except (CampaignError, *UNREADABLE):
                continue  # its schedule or another row cannot be read, which is reported already
            if broken is not None:
                whole = False
                yield failure("history", f"campaign {name}: {broken}", "restore a backup: pbem restore FILE DIR")
    if whole:
        yield ok("history", "consistent in every campaign")


def _check_game_code(store: Store, games: Mapping[str, AnyRuleset]) -> Iterator[CheckResult]:
    """Yield the campaigns whose game has other code than before, but the same version."""
    with store.reading() as session:
        for name in session.scalars(select(Campaign.name).order_by(Campaign.name)).all():
            with suppress(CampaignError, *UNREADABLE):  # its schedule or another row cannot be read: as above
                if said := code_change(session, games, load_campaign(session, name)):
                    yield failure("games", f"campaign {name}: {said}", CODE_REPAIR)


def _check_unmoved(store: Store) -> Iterator[CheckResult]:
    with store.reading() as session:
        said = unmoved_notice(session)
    if said:
        mend = "give the mailbox the right or the room that is missing: the next poll moves the mail"
        yield warning("processed", said, mend)
    else:
        yield ok("processed", "no stored mail stays in the inbox")


def _check_schedules(store: Store) -> Iterator[CheckResult]:
    """Yield the campaigns whose deadlines cannot be computed on this machine."""
    with store.reading() as session:
        campaigns = session.execute(
            select(Campaign.name, Campaign.schedule).where(Campaign.status != CampaignState.OVER)
        ).all()
    for name, schedule in campaigns:
        try:
            Schedule.read(schedule)
        except CampaignError as error:
            yield failure("time zones", f"campaign {name}: {error}", "install or renew the time zone data (tzdata)")
