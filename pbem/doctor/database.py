"""The database: whether it can be used, and whether the clock and the zones agree with what stands in it."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from itertools import chain, count, islice
from pathlib import Path

from sqlalchemy import func, inspect, select, text, update
from sqlalchemy.exc import DBAPIError

from pbem.actions.withdrawal import find_break
from pbem.campaign.archive_sync import CODE_REPAIR, code_change
from pbem.campaign.column_checks import find_faults
from pbem.campaign.damaged_rows import UNREADABLE
from pbem.campaign.schedule import Schedule
from pbem.campaign.snapshot import load_campaign
from pbem.config import Settings
from pbem.doctor.advice import advice_for_database
from pbem.doctor.archive import archive
from pbem.doctor.verdict import Examined, bad, doubtful, fine
from pbem.errors import CampaignError, ConfigError
from pbem.housekeeping.health import stuck_mail
from pbem.mail.authentication import newest_proven
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.copy import damage_of
from pbem.store.migrate import misfit, sqlite_path
from pbem.store.models import Act, Base, Campaign, InboxMessage, Outgoing
from pbem.store.session import SEE_DOCTOR, Store, restoring
from pbem.store.types import Phase
from pbem.util import Progress, silent

MOST_ROWS = 10
"""Rows that are named."""

CLOCK_SLACK = dt.timedelta(minutes=5)
"""How far the clock may be behind what was written by it; servers' clocks differ."""

MOST_RIGHTS = 6
"""Rights that are named; where more are lacking, all are granted alike."""


def database(
    settings: Settings, now: dt.datetime, games: Mapping[str, AnyRuleset], *, progress: Progress = silent
) -> Iterator[Examined]:
    """Whether it can be reached, is of this version and takes what is written; then what it says of the clock."""
    restore = restoring(settings.database, shlex.quote(str(_new_folder(settings.home))))
    trouble = _trouble(settings, restore)
    if trouble is not None:
        yield trouble
        return
    with closing(Store(settings.database)) as store:
        try:
            if lacking := _lacking_rights(store):
                yield lacking
                return
            with store.writing() as session:
                session.execute(update(InboxMessage).where(InboxMessage.id < 0).values(note=""))
        except (ConfigError, DBAPIError) as error:
            yield _unusable(error, restore)
            return
        if lacks := _lacking(store):
            yield bad("database", f"it lacks {', '.join(lacks)}", advice_for_database("malformed", restore))
            return
        yield fine("database", "it can be written to and is of this version")
        yield from _rows(store, restore)
        examined = [_clock(store, now), _stuck(store), _schedules(store), _histories(store)]
        examined += [_codes(store, games), archive(settings, store, restore, progress=progress)]
        if settings.authserv_id:
            examined.append(iter([_senders(store, settings.authserv_id)]))
        for each in examined:
            with suppress(*UNREADABLE):  # of these rows is told already
                yield from each


def _rows(store: Store, restore: str) -> Iterator[Examined]:
    """Values that cannot be read, one by one; but for those that the time zone data of this machine may lack."""
    with store.reading() as session, closing(find_faults(session.connection())) as faults:
        others = (fault for fault in faults if (fault.table, fault.field) != ("campaign", "schedule"))
        for fault in islice(others, MOST_ROWS):
            yield bad("rows", fault.text, f"put it right in the database, or {restore}")


def compare_with_archive(settings: Settings, *, progress: Progress = silent) -> list[Examined]:
    """Return the problems of an archive that does not go with its database, or the other way round."""
    restore = restoring(settings.database, shlex.quote(str(_new_folder(settings.home))))
    with closing(Store(settings.database)) as store:
        return [found for found in archive(settings, store, restore, progress=progress) if found.result != "ok"]


def _new_folder(home: Path) -> Path:
    """Return a folder beside the home that is not there yet."""
    names = chain(["restored"], (f"restored-{number}" for number in count(2)))
    return next(path for name in names if not (path := home.with_name(f"{home.name}-{name}")).exists())


def _senders(store: Store, name: str) -> Examined:
    """Return whether the mail server of a name adds its word on senders, by a mail of a GM from outside."""
    with store.reading() as session:
        proven = newest_proven(session, name)
    if proven is None:
        said = f"""whether "{name}" adds its word on senders is not known: no mail of a GM came from outside"""
        mend = (
            "mail GM trap7 TOKEN, STATUS, END on three lines from the GM's address, by another server than this one, "
            "then pbem tick and pbem doctor again; where a server adds none, anybody can write it"
        )
        return doubtful("authserv_id", said, mend)
    mail = f"letter {proven.letter}, the GM's of {_utc(proven.received_at)}"
    if proven.stamped:
        return fine("authserv_id", f'{mail}, bears the word of "{name}" on its sender: {proven.verdict}')
    said = f'{mail}, does not bear the word of "{name}": anybody can write it, so none counts'
    mend = (
        'name the server as it stands after "Authentication-Results:" on top of a mail from outside, or take '
        "authserv_id out of pbem.toml if there is no such line; then mail and look once more"
    )
    return bad("authserv_id", said, mend)


def _trouble(settings: Settings, restore: str) -> Examined | None:
    """Why the tables cannot be used, if they cannot."""
    path = sqlite_path(settings.database)
    if path and not path.exists():
        return _missing(path, restore)
    try:
        if path and (damage := damage_of(path)):
            return bad("database", f"{path} is damaged: {damage}", advice_for_database("malformed", restore))
        found = misfit(settings.database, restore)
    except ConfigError as error:
        return _unusable(error, restore)
    return bad("database", f"it {found.said}", found.mend) if found else None


def _missing(file: Path, restore: str) -> Examined:
    folder = file.parent
    if not folder.is_dir():
        mend = "make the folder, mount the disk that it lies on, or correct `database` in pbem.toml"
        return bad("database", f"there is no folder {folder} for the database {file.name}", mend)
    mend = f"put it back where it was, or correct `database` in pbem.toml; if it is lost, {restore}"
    return bad("database", f"there is no file {file}", mend)


def _unusable(error: Exception, restore: str) -> Examined:
    said = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split()).removesuffix(SEE_DOCTOR)
    return bad("database", said, advice_for_database(said, restore))


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


def _lacking_rights(store: Store) -> Examined | None:
    """Return the rights on tables and sequences that pbem's user on a server does not have, if there are any."""
    if store.engine.dialect.name == "sqlite":
        return None
    with store.reading() as session:
        rows = session.execute(_RIGHTS).all()
    if not rows:
        return None
    named = [f"{row.privilege} on {row.relname}" for row in rows]
    more = f" and {len(named) - MOST_RIGHTS} more" if len(named) > MOST_RIGHTS else ""
    grants = (f"GRANT ALL ON ALL {kind} IN SCHEMA {rows[0][0]} TO {rows[0][1]};" for kind in ("TABLES", "SEQUENCES"))
    mend = f"let that user own the database, or as the server's administrator run in it: {' '.join(grants)}"
    return bad("database", f"its user lacks rights: {', '.join(named[:MOST_RIGHTS])}{more}", mend)


def _lacking(store: Store) -> list[str]:
    """Tables and columns that this version needs and that are not there, though the database says that it has them."""
    there = inspect(store.engine)
    tables, lacks = set(there.get_table_names()), list[str]()
    for table in Base.metadata.sorted_tables:
        if table.name not in tables:
            lacks.append(f"the table {table.name}")
            continue
        columns = {column["name"] for column in there.get_columns(table.name)}
        lacks += [f"the column {column.name} of {table.name}" for column in table.columns if column.name not in columns]
    return lacks


def _clock(store: Store, now: dt.datetime) -> Iterator[Examined]:
    """A clock that is behind what it has already stamped was set back, or was wrong then."""
    newest = {
        "letter": func.max(InboxMessage.received_at),
        "act in a campaign's journal": func.max(Act.at),
        "mail in the outbox": func.max(Outgoing.created_at),
    }
    with store.reading() as session:
        found = {what: at for what, column in newest.items() if (at := session.scalar(select(column))) is not None}
    shown = f"it is {_utc(now)}"
    if not found:
        yield fine("clock", shown)
        return
    what = max(found, key=found.__getitem__)
    if found[what] <= now + CLOCK_SLACK:
        yield fine("clock", f"{shown}, and nothing in the database is of a later time")
        return
    text = f"{shown} by this machine, but the newest {what} is of {_utc(found[what])}"
    yield bad("clock", text, "set the clock, and keep it right: timedatectl set-ntp true")


def _stuck(store: Store) -> Iterator[Examined]:
    """Mail that the carrier refuses time and again, but never for good: nobody is told of that by mail."""
    with store.reading() as session:
        said = stuck_mail(session)
    if said:
        yield bad("outbox", said, "ask whoever runs the carrier; when it is mended: pbem outbox --retry all")


def _utc(at: dt.datetime) -> str:
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def _histories(store: Store) -> Iterator[Examined]:
    """Campaigns whose turns do not hang together, so that they cannot go on or cannot be proved."""
    whole = True
    with store.reading() as session:
        for name in session.scalars(select(Campaign.name).order_by(Campaign.name)).all():
            try:
                broken = find_break(session, load_campaign(session, name))
            except (CampaignError, *UNREADABLE):
                continue  # its schedule, or another row, cannot be read, which is told already
            if broken is not None:
                whole = False
                yield bad("history", f"campaign {name}: {broken.text}", f"see what mends it with: pbem mend {name}")
    if whole:
        yield fine("history", "the turns of every campaign hang together")


def _codes(store: Store, games: Mapping[str, AnyRuleset]) -> Iterator[Examined]:
    """Campaigns whose game is played by other code than before, though it has the same version."""
    with store.reading() as session:
        for name in session.scalars(select(Campaign.name).order_by(Campaign.name)).all():
            with suppress(CampaignError, *UNREADABLE):  # its schedule, or another row, cannot be read: as above
                if said := code_change(session, games, load_campaign(session, name)):
                    yield bad("games", f"campaign {name}: {said}", CODE_REPAIR)


def _schedules(store: Store) -> Iterator[Examined]:
    """Campaigns whose deadlines cannot be reckoned on this machine."""
    with store.reading() as session:
        campaigns = session.execute(select(Campaign.name, Campaign.schedule).where(Campaign.status != Phase.OVER)).all()
    for name, schedule in campaigns:
        try:
            Schedule.read(schedule)
        except CampaignError as error:
            yield bad("time zones", f"campaign {name}: {error}", "install or renew the time zone data (tzdata)")
