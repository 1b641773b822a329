"""Brings the archive up to the database: writes missing turns and moves withdrawn ones.

Every change of a campaign's history is made in the database first. Each step here
follows from it alone and may be repeated, so a crash between any two is repaired
by the next tick.

Each tick checks that every turn has its folder, which takes two directory
listings for each campaign and reads none of the turns' rows. It also verifies a
few random folders completely, so that in time all have been verified.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Select, bindparam, func, select, update
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.archive.record import attachment_hash, file_hash, folder_name, state_hash
from pbem.archive.writer import (
    REPORTS,
    archive_turn,
    is_complete,
    list_turns,
    move_from_withdrawn,
    move_to_withdrawn,
    turn_files,
    turn_folder,
)
from pbem.campaign.files import AttachmentStore, batched
from pbem.campaign.history import load_withdrawn, orders_used, received_sheets
from pbem.campaign.snapshot import CampaignSnapshot, Context, is_current, load_campaign, load_sheets
from pbem.errors import CampaignError, PbemError, ReplayError, SaveError, describe_error
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.models import Campaign, Report, Turn
from pbem.store.session import flushed_connection
from pbem.store.types import CampaignState, InArchive, is_picture
from pbem.util import Progress, isolated, no_progress

if TYPE_CHECKING:
    from pbem.archive.replay import ReplayProof

_Rows = Select[int, str, int, int | None, bytes | None]

# The turn is withdrawn, and its folder may still be among those of live turns.
_TO_MOVE = Turn.withdrawal_id.is_not(None) & Turn.archived_at.is_not(None)


@dataclass(frozen=True, slots=True)
class ResolvedTurn:
    """A turn that was run, with the record from which its folder is written."""

    id: int
    campaign: str
    number: int
    withdrawn: bool
    record: bytes

    @property
    def title(self) -> str:
        """The turn, as problems name it."""
        return f"campaign {self.campaign}: {'withdrawn ' if self.withdrawn else ''}turn {self.number}"


def resolved_turns() -> _Rows:
    """Return a SELECT of turns that were run, for `load_resolved`."""
    return (
        select(Turn.id, Campaign.name, Turn.number, Turn.withdrawal_id, Turn.record)
        .join(Campaign, Campaign.id == Turn.campaign_id)
        .where(Turn.resolved_at.is_not(None))
    )


def load_resolved(session: Session, turns: _Rows) -> list[ResolvedTurn]:
    """Return the turns of a SELECT made from `resolved_turns`, by id."""
    found = flushed_connection(session).execute(turns)
    rows = sorted(found, key=lambda row: row.id)  # with ORDER BY, SQLite would read all turns
    return [
        ResolvedTurn(id_, name, number, withdrawal_id is not None, record or b"{}")
        for id_, name, number, withdrawal_id, record in rows
    ]


# Marked without waiting for the disk: after a power cut the next tick finds the folder complete, and marks it again.
_MARK_ARCHIVED = update(Turn).where(Turn.id == bindparam("turn")).values(archived_at=bindparam("at"))


def archive_now(app: App, turn_id: int, record: bytes, files: Mapping[str, bytes], now: dt.datetime) -> None:
    """Write the folder of a turn just run. A failure is left to `archive_pending`, which reports it."""
    with suppress(OSError, PbemError):
        _mark_archived(app, turn_id, archive_turn(app.settings.archive, record, files), now)


def archive_pending(app: App, now: dt.datetime, campaign: str | None = None) -> tuple[int, list[str]]:
    """Archive all turns that were run and are not archived yet, of one campaign or of all.

    Returns their number, and a sentence for each that failed.
    """
    with app.store.reading() as session:
        unarchived = resolved_turns().where(Turn.archived_at.is_(None), Turn.withdrawal_id.is_(None))
        here: tuple[_Rows, ...] = (resolved_turns().where(_TO_MOVE), unarchived)
        if campaign is not None:
            here = tuple(turns.where(Campaign.name == campaign) for turns in here)
        withdrawn, left = (load_resolved(session, turns) for turns in here)
    # Withdrawn folders first: the new run of a turn is written to the very folder that the old one still has.
    problems = _set_aside_withdrawn(app, withdrawn)
    count = 0
    for turn in left:
        problem = rewrite_turn(app, turn)
        if problem:
            problems.append(problem)
        else:
            _mark_archived(app, turn.id, turn_folder(app.settings.archive, turn.record), now)
            count += 1
    return count, problems


def rewrite_turn(app: App, turn: ResolvedTurn) -> str:
    """Write the missing files of a turn's folder; return a sentence if that fails, else ""."""
    archive = app.settings.archive
    with isolated() as faults:
        # The list was read in another transaction, and no lock is held while files are written.
        if _is_moved(app, turn):
            return ""  # withdrawn or restored just now: the next tick does the rest
        if not turn.withdrawn:
            move_from_withdrawn(archive, turn.record)
        if not is_complete(archive, turn.record, withdrawn=turn.withdrawn):
            with app.store.reading() as session:
                files = _load_files(session, app, turn)
            archive_turn(archive, turn.record, files, withdrawn=turn.withdrawn)
    return "".join(f"{turn.title} cannot be archived ({describe_error(fault)})" for fault in faults)


def _is_moved(app: App, turn: ResolvedTurn) -> bool:
    with app.store.reading() as session:
        withdrawal = session.scalar(select(Turn.withdrawal_id).where(Turn.id == turn.id))
    return (withdrawal is not None) != turn.withdrawn


def _set_aside_withdrawn(app: App, turns: Sequence[ResolvedTurn]) -> list[str]:
    """Move the folders of withdrawn turns aside, or write them there; return a sentence for each failure."""
    problems = []
    for turn in turns:
        try:
            move_to_withdrawn(app.settings.archive, turn.record)
        except OSError as error:
            problems.append(f"{turn.title} cannot be moved to withdrawn/ ({describe_error(error)})")
            continue
        problem = rewrite_turn(app, turn)
        if problem:
            problems.append(problem)
        else:
            with app.store.writing(durable=False) as session:
                # With the condition again: if the turn was reinstated meanwhile, its folder has to be moved back.
                session.execute(update(Turn).where(Turn.id == turn.id, _TO_MOVE).values(archived_at=None))
    return problems


def pending_moves(session: Session, campaign_id: int) -> list[int]:
    """Return the numbers of a campaign's withdrawn turns whose folders are yet to be moved."""
    return list(session.scalars(select(Turn.number).where(Turn.campaign_id == campaign_id, _TO_MOVE)))


def _mark_archived(app: App, turn_id: int, folder: Path, now: dt.datetime) -> None:
    with app.store.writing(durable=False) as session:
        session.connection().execute(_MARK_ARCHIVED, {"turn": turn_id, "at": now})
    _leave_pictures(app, turn_id, folder.parent / folder_name(int(folder.name) - 1) / REPORTS)


def _leave_pictures(app: App, turn_id: int, reports: Path) -> None:
    """Leave to the archive the pictures of the reports that opened a turn, where it has them in `reports`.

    Until the turn is run they may be mailed again, so the database has them. A kill leaves some there for ever.
    """
    if not any(reports.glob("*.png")):
        return
    with app.store.reading() as session:
        ids = session.scalars(select(Report.id).where(Report.turn_id == turn_id)).all()
    for batch in batched(ids):
        with app.store.writing(durable=False) as session:
            for id_, files in session.execute(select(Report.id, Report.files).where(Report.id.in_(batch))).all():
                left = {name: _left_to(reports, name, content) for name, content in files.items()}
                if left != files:
                    session.execute(update(Report).where(Report.id == id_).values(files=left))


def _left_to(reports: Path, name: str, content: bytes | InArchive) -> bytes | InArchive:
    if isinstance(content, bytes) and is_picture(name):
        with suppress(OSError):
            if (reports / name).read_bytes() == content:
                return InArchive(file_hash(content))
    return content


def _load_files(session: Session, app: App, turn: ResolvedTurn) -> dict[str, bytes]:
    """Return the files that a turn's record names, as the database still has them.

    Files are identified by their hashes: unchanged reports of a withdrawn turn now
    belong to the turn in its place.
    """
    from pbem.campaign.reports import report_files

    snapshot, told = load_campaign(session, turn.campaign), json.loads(turn.record)
    book, named = app.game(snapshot.game).orders, told["files"]
    reports = session.scalars(
        select(Report)
        .join(Turn, Turn.id == Report.turn_id)
        .where(Turn.campaign_id == snapshot.id, Turn.number == turn.number + 1)
        .order_by(Report.id)
    )
    then = Context(session, app, snapshot, dt.datetime.fromisoformat(told["resolved"]))
    parts = [turn_files([report_files(then, report)]) for report in reports if _is_named(report, named)]
    sheets = received_sheets(snapshot, load_sheets(session, turn.id))
    given = orders_used(turn.record, book) if "orders" in told else None
    parts.append(turn_files((), sheets=sheets, orders=given, book=book))
    paths = {attachment_hash(path): path for path in named if attachment_hash(path)}
    attached = AttachmentStore(session, snapshot.id).find(paths)
    parts.append({paths[hash_]: content for hash_, content in attached.items()})
    # Of two runs of the turn reports may differ in their text alone.
    found = itertools.chain.from_iterable(each.items() for each in parts)
    return {path: content for path, content in found if named.get(path) == file_hash(content)}


def _is_named(report: Report, named: Mapping[str, str]) -> bool:
    """Return True if a record names the data of a report, which is of another run of the turn if not."""
    return any(
        named.get(f"{REPORTS}/{name}") == file_hash(content)
        for name, content in report.files.items()
        if isinstance(content, bytes) and name.endswith(".json")
    )


MOST_READ = 30
"""The largest number of folders that a tick reads completely."""

AT_ONCE = 10
"""Records loaded together: each query takes longer than its rows, but records of large games are long."""

ENOUGH_FILES = 500
"""Files after which a tick reads no further folder: with a tick each minute, most of 10,000 turns are read in a day."""


def repair_archive(app: App, campaign: str | None = None) -> list[str]:
    """Write lost or damaged folders again, of one campaign or of all; return a sentence for each.

    Turns that were never archived are left to `archive_pending`.
    """
    with app.store.reading() as session:
        drawn = _sample_turns(session) if campaign is None else ()
        turns = {turn.id: turn for turn in itertools.chain(_turns_without_folder(session, app, campaign), drawn)}
    found = ((turn, find_archive_damage(app.settings.archive, turn)) for turn in turns.values())
    written = "it was written again from the database"
    return [rewrite_turn(app, turn) or f"{damage}; {written}" for turn, damage in found if damage]


def find_archive_damage(archive: Path, turn: ResolvedTurn) -> str:
    """Return why the folder of a turn cannot be called complete, or "" if it can."""
    try:
        if is_complete(archive, turn.record, withdrawn=turn.withdrawn):
            return ""
    except OSError as error:
        return f"{turn.title} cannot be read in the archive ({describe_error(error)})"
    return f"{turn.title} was lost or cut in the archive"


def _turns_without_folder(session: Session, app: App, campaign: str | None) -> Iterator[ResolvedTurn]:
    """Yield the turns that were archived and have no folder."""
    counts = select(Turn.campaign_id, func.count()).where(*_SET_ASIDE, Turn.resolved_at.is_not(None))
    rows = flushed_connection(session).execute(counts.group_by(Turn.campaign_id))
    withdrawn: dict[int, int] = {row[0]: row[1] for row in rows}
    columns = (Campaign.id, Campaign.name, Campaign.origin, Campaign.turn)
    begun = select(*columns).where(Campaign.status != CampaignState.FORMING).order_by(Campaign.id)
    if campaign is not None:
        begun = begun.where(Campaign.name == campaign)
    for id_, name, origin, turn in flushed_connection(session).execute(begun):
        # Withdrawn turns are only counted: the names of their folders hold hashes of records, and no row is read here.
        names, aside = list_turns(app.settings.archive, name)
        lost = [number for number in range(origin, turn) if folder_name(number) not in names]
        here = resolved_turns().where(Turn.campaign_id == id_)
        if lost:
            live = (Turn.withdrawal_id.is_(None), Turn.archived_at.is_not(None), Turn.number.in_(lost))
            yield from load_resolved(session, here.where(*live))
        if aside < withdrawn.get(id_, 0):
            yield from load_resolved(session, here.where(*_SET_ASIDE))


_SET_ASIDE = (Turn.withdrawal_id.is_not(None), Turn.archived_at.is_(None))


def _sample_turns(session: Session) -> Iterator[ResolvedTurn]:
    """Yield a random sample of the turns whose folders should be there, or all where they are few."""
    newest = flushed_connection(session).execute(select(func.max(Turn.id))).scalar() or 0
    # Drawn here: for ORDER BY random() the database would read all turns, whose rows are long.
    drawn = random.sample(range(1, newest + 1), min(MOST_READ, newest))
    files = 0
    for start in range(0, len(drawn), AT_ONCE):
        these = resolved_turns().where(Turn.id.in_(drawn[start : start + AT_ONCE]))
        loaded = load_resolved(session, these.where(Turn.withdrawal_id.is_not(None) == Turn.archived_at.is_(None)))
        random.shuffle(loaded)  # or the sample would favour old turns
        for turn in loaded:
            yield turn
            files += len(json.loads(turn.record)["files"])
            if files >= ENOUGH_FILES:
                return


CODE_REPAIR = "install the code that ran it, or give the new code a new version with an upgrade of its saves"
"""Advice where the code of a game has changed under the same version."""


def prove_archive(app: App, name: str, *, progress: Progress = no_progress) -> ReplayProof:
    """Resolve every archived turn again, and compare the results.

    Raises:
        ReplayError: The archive differs; the text names the first difference.
        CampaignError: There is nothing to prove yet.
    """
    try:
        return _replay(app, name, progress)
    except ReplayError as error:
        with app.store.reading() as session:
            changed = code_change(session, app.games, load_campaign(session, name))
        if not changed:
            raise
        raise ReplayError(f"{error}. {changed[0].upper()}{changed[1:]}: {CODE_REPAIR}") from None


def begun(app: App) -> list[str]:
    """Return the names of the campaigns that have started, and so have an archive. Raises CampaignError if none has."""
    with app.store.reading() as session:
        has_begun = Campaign.status != CampaignState.FORMING
        names = list(session.scalars(select(Campaign.name).where(has_begun).order_by(Campaign.name)))
    if not names:
        raise CampaignError("no campaign has begun: there is no archive to prove")
    return names


def code_change(session: Session, games: Mapping[str, AnyRuleset], snapshot: CampaignSnapshot) -> str:
    """Return a sentence if the code of a campaign's game has changed under the same version, or "".

    The states of the newest turn and of the first one are loaded and dumped again: a field that was added with a
    default, or renamed, changes their hashes. The first one shows a change even after turns were run with it. States of
    another version show nothing.
    """
    ruleset = games.get(snapshot.game)
    if ruleset is None:
        return ""
    for opened, version, kept in _load_states(session, snapshot):
        if version == ruleset.version and not _round_trips(ruleset, *kept):
            game = f"{ruleset.title} version {version}"
            return f"the code of {game} has changed since {opened} was opened, but not its version"
    return ""


def _load_states(session: Session, snapshot: CampaignSnapshot) -> Iterator[tuple[str, int, tuple[bytes, str]]]:
    """Yield the newest and the first turn: its name, the version that wrote its state, and the state with its hash."""
    turns = select(Turn.state, Turn.state_hash, Turn.record).where(is_current(snapshot.id))
    newest = session.execute(turns.order_by(Turn.number.desc()).limit(1)).first()
    if newest is not None:
        yield "the newest turn", snapshot.version, (newest.state, newest.state_hash)
    first = session.execute(turns.where(Turn.number == snapshot.first)).first()
    set_up = session.execute(turns.where(Turn.number == snapshot.origin)).first()
    if first is not None and set_up is not None and set_up.record:
        yield f"turn {snapshot.first}", json.loads(set_up.record)["version"], (first.state, first.state_hash)


def _round_trips(ruleset: AnyRuleset, state: bytes, expected: str) -> bool:
    try:
        return state_hash(ruleset, ruleset.load(json.loads(state), ruleset.version)) == expected
    except SaveError:
        return False


def _replay(app: App, name: str, progress: Progress) -> ReplayProof:
    from pbem.archive.replay import replay

    with app.store.reading() as session:
        snapshot = load_campaign(session, name)
        resolved = session.execute(
            select(Turn.number, Turn.record, Turn.archived_at)
            .where(is_current(snapshot.id), Turn.resolved_at.is_not(None))
            .order_by(Turn.number)
        ).all()
        left = pending_moves(session, snapshot.id)
        withdrawn = [(each.turn, each.hash) for each in load_withdrawn(session, snapshot.id)]
    if not resolved:
        raise CampaignError(f"campaign {name} has not begun: there is no archive to prove")
    late = [turn.number for turn in resolved if turn.archived_at is None]
    if late:
        raise CampaignError(f"campaign {name}: turn {late[0]} is not archived yet; run: pbem tick")
    if left:
        raise CampaignError(f"campaign {name}: withdrawn turn {left[0]} is not archived yet; run: pbem tick")
    return replay(
        app.settings.archive,
        name,
        ruleset=app.game(snapshot.game),
        seed=snapshot.seed,
        head=file_hash(resolved[-1].record or b""),
        withdrawn=withdrawn,
        on_turn=lambda number: progress("replaying", number, len(resolved) - 1),
    )
