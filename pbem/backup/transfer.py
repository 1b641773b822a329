"""Export a campaign to a file, and import it into another home.

An export closes the campaign in its home, so there is never a moment in which it
could be played in both. After a crash, or if the file is lost, it is exported once
more; the export of a campaign that was never imported can be undone.

A file may come from anyone, whatever its manifest says. So none of its rows is believed,
for it has none: the campaign is made again from its lines (`pbem.backup.lines`) and its
archive (`pbem.backup.rebuild`), which is proved by replay before anything is stored.

The players are asked to confirm the transfer. Until then no code or token of the
other home gives access to their seats here: codes are new, and tokens are void.
The campaign is on hold until its GM releases it.
"""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.actions.reversal import record
from pbem.actions.settings import mail_gm_token
from pbem.actions.welcome import find_report, renew_codes
from pbem.app import App
from pbem.archive.reader import MOST_RECORD
from pbem.archive.record import RECORD, file_hash
from pbem.archive.verify import verify
from pbem.backup.create import DRAFT, pack_archive
from pbem.backup.files import (
    CONTENT,
    LINES,
    TURNS,
    BackupReader,
    BackupWriter,
    disk_full_named,
    is_backup,
    open_backup,
)
from pbem.backup.lines import MOST_BYTES, Line, is_hash, read_lines, write_lines
from pbem.backup.rebuild import ImportedArchive, Rebuilding, check_rebuilt
from pbem.backup.restore import check_room, complete_archive
from pbem.campaign.damaged_rows import readable, shown
from pbem.campaign.notices import GM, post
from pbem.campaign.people import DAYS, create_request
from pbem.campaign.snapshot import (
    HOST,
    NO_HOLD,
    Context,
    LastReport,
    SeatView,
    add_entry,
    is_campaign_name,
    is_current,
    load_campaign,
    lock_campaign,
    locked_campaign,
    require_running,
)
from pbem.config import checked_address
from pbem.errors import BackupError, CampaignError, GameError, ReplayError
from pbem.mail.outbox import welcome_id
from pbem.report.answers import Confirmation
from pbem.report.notices import Notice
from pbem.ruleset.protocol import AnyRuleset
from pbem.store.copy import remove_campaign
from pbem.store.models import Campaign, PendingRequest, Person, Turn
from pbem.store.types import CampaignState, HoldKind, RequestKind
from pbem.util import Progress, no_progress, publish, read_plain, staging_directory


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResult:
    """An exported campaign: the file, and the address at which it is to be played."""

    campaign: str
    path: Path
    bytes: int
    to: str


def export_campaign(app: App, name: str, file: Path, now: dt.datetime, *, to: str) -> ExportResult:
    """Mark a campaign as moved and write it to a file.

    Raises:
        CampaignError: It is not running, or has moved elsewhere.
        BackupError: The file or the address cannot be used.
    """
    to = checked_address(to)
    if to.lower() == app.settings.address.lower():
        raise BackupError(f"{to} is the address of this home: say that of the other with --to")
    if file.exists() and not is_backup(file):
        raise BackupError(f"{file} is there, and is no exported campaign: give another name")
    if not file.parent.is_dir():
        raise BackupError(f"the folder {file.parent} is not there")
    for problem in complete_archive(app, now, name):
        raise BackupError(f"{name} is not exported: {problem}")
    _mark_moved(app, name, to, now)  # before it is written, so that it is never played in both homes
    with disk_full_named(file), staging_directory(file.parent) as draft:
        _write_export(app, name, draft, now, to)
        publish(draft / DRAFT, file)
    return ExportResult(campaign=name, path=file, bytes=file.stat().st_size, to=to)


def _mark_moved(app: App, name: str, to: str, now: dt.datetime) -> None:
    with app.store.writing() as session:
        snapshot = load_campaign(session, name, lock=True)
        if snapshot.status == CampaignState.MOVED:
            if snapshot.moved_to.lower() != to.lower():
                raise CampaignError(
                    f"campaign {name} has moved to {snapshot.moved_to} already; take it back first, with: "
                    f"pbem undo {name}"
                )
            return
        require_running(snapshot)
        context = Context(session, app, snapshot, now)
        record(context, "export", lambda: _move_away(context, to))


def _move_away(context: Context, to: str) -> None:
    session, snapshot, now = context.session, context.snapshot, context.now
    values = {"status": CampaignState.MOVED, **NO_HOLD, "moved_to": to, "revision": snapshot.revision + 1}
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(values))
    session.execute(
        update(PendingRequest)
        .where(PendingRequest.campaign_id == snapshot.id, PendingRequest.done_at.is_(None))
        .values(done_at=now)
    )
    act = add_entry(session, snapshot.id, now, actor="gm", text=f"moved to {to}")
    moves = f"The campaign {snapshot.name} moves: from now on it is played at {to}, and no longer here."
    said = (
        f"{moves} You are mailed from there, and asked to confirm it.",
        "Until then there is nothing to do. Orders that you have sent for the open turn go along, and count.",
    )
    page = Notice(subject=f"moves to {to}", blocks=said)
    post(context, snapshot.playing, page, id_=("act", act))
    post(context, GM, page)


def _write_export(app: App, name: str, draft: Path, now: dt.datetime, to: str) -> None:
    with BackupWriter(draft / DRAFT) as packing, readable(app, name), app.store.reading() as session:
        snapshot = load_campaign(session, name)
        run = select(Turn.number, Turn.withdrawal_id, Turn.record)
        run = run.where(Turn.campaign_id == snapshot.id, Turn.record.is_not(None))
        found = session.execute(run.order_by(Turn.number, Turn.id))
        runs = [(turn.number, turn.withdrawal_id, turn.record or b"") for turn in found]
        if pack_archive(runs, app.settings.archive, name, packing):
            raise BackupError(f"the archive of {name} was changed meanwhile: export it once more")
        with (draft / LINES).open("wb") as file:
            write_lines(session, snapshot.id, file, _ContentWriter(packing, [record for *_, record in runs]))
        packing.put_file(LINES, draft / LINES)
        packing.put_manifest(
            {
                "kind": "campaign",
                "pbem": version("pbem"),
                "made": now.astimezone(dt.UTC).isoformat(),
                "address": app.settings.address,
                "to": to,
                "campaigns": [{"name": name, "game": snapshot.game, "version": snapshot.version}],
            }
        )


class _ContentWriter:
    """Adds content to an export, each once, unless the archive has it."""

    def __init__(self, packing: BackupWriter, records: Iterable[bytes]) -> None:
        self._packing = packing
        self._there = {hash_ for each in records for hash_ in (file_hash(each), *json.loads(each)["files"].values())}

    def __call__(self, content: bytes) -> None:
        if (hash_ := file_hash(content)) not in self._there:
            self._there.add(hash_)
            self._packing.put(CONTENT + hash_, content)


_CONTENT = ".content"

_REASON = "it has moved here, and goes on when its GM says so"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """An imported campaign; `asked` are the seats whose players were asked to confirm it."""

    campaign: str
    came_from: str
    turn: int
    asked: tuple[str, ...]
    unproved: tuple[str, ...]


def import_campaign(app: App, file: Path, now: dt.datetime, *, progress: Progress = no_progress) -> ImportResult:
    """Import the campaign of a file. If it fails, nothing has changed.

    Raises:
        BackupError: The file is broken, is for another home, or its campaign's name is taken; the campaign is
            inconsistent, or its archive does not prove itself.
    """
    archive = app.settings.archive
    archive.mkdir(parents=True, exist_ok=True)
    with open_backup(file, "campaign") as packed, staging_directory(archive) as draft:
        _check_addressed(packed, app)
        name, taken = _unpack(packed, draft)
        ruleset = _find_game(packed, app.games, taken)
        with app.store.reading() as session:
            _find_former(session, name, archive, taken)
        with _naming(packed):
            unproved = _prove(app, draft, name, taken, progress)
        with app.store.writing() as session, _naming(packed):
            lock_campaign(session, name)
            # Again: another import may have taken the name while the archive was proved.
            former = _find_former(session, name, archive, taken)
            _replace_rows(session, former, Rebuilding(session, taken, ruleset, now), _lines(app, draft, taken))
            check_rebuilt(session, ruleset, name)
            asked = _adopt(session, app, name, str(packed.facts["address"]), now)
            turn = load_campaign(session, name).turn
            shutil.rmtree(archive / name, ignore_errors=True)  # left by an import that was killed before its commit
            publish(draft / name, archive / name)
        came_from = str(packed.facts["address"])
    return ImportResult(campaign=name, came_from=came_from, turn=turn, asked=asked, unproved=unproved)


@contextmanager
def _naming(packed: BackupReader) -> Iterator[None]:
    """Raise a fault that the block finds in a file as a BackupError that names it."""
    try:
        yield
    except (BackupError, ReplayError) as error:
        raise BackupError(f"{packed.path}: {error}") from None


def _check_addressed(packed: BackupReader, app: App) -> None:
    to, here = str(packed.facts.get("to")), app.settings.address
    if to.lower() != here.lower():
        raise BackupError(
            f"{packed.path} is for {to}, and this home is {here}: export the campaign once more, with --to {here}"
        )


def _unpack(packed: BackupReader, draft: Path) -> tuple[str, ImportedArchive]:
    """Unpack lines, archive and content; return the name of the campaign, and its archive."""
    check_room(packed, draft)
    name = str(packed.facts["campaigns"][0]["name"])
    if not is_campaign_name(name) or packed.folders(TURNS) != (name,):
        raise BackupError(f"{packed.path} does not hold one campaign")
    packed.take(LINES, draft / LINES, most=MOST_BYTES)
    packed.unpack(f"{TURNS}{name}/", draft / name)
    packed.unpack(CONTENT, draft / _CONTENT, is_hash)
    with _naming(packed):
        return name, ImportedArchive(draft, name, draft / _CONTENT)


def _find_former(session: Session, name: str, archive: Path, taken: ImportedArchive) -> int | None:
    """Return the id of the same campaign if it has left this home before; None if its name is free.

    Raises:
        BackupError: The name is taken by another campaign or archive.
    """
    here = session.execute(select(Campaign.id, Campaign.status).where(Campaign.name == name)).first()
    if here is not None and not (here.status == CampaignState.MOVED and _continues(session, here.id, taken)):
        raise BackupError(
            f"there is a campaign {name!r} here already; all records and reports bear the name, so neither can get "
            "another"
        )
    if (archive / name).exists() and _setup_record(archive / name) != taken.turns[0].raw:
        raise BackupError(f"{archive / name} holds the archive of another campaign: move it away, then try again")
    return None if here is None else int(here.id)


def _setup_record(folder: Path) -> bytes:
    """Return the first record of a campaign's archive; b"" if there is none."""
    first = next(iter(sorted(folder.glob("[0-9]*"))), folder)
    try:
        return read_plain(first / RECORD, MOST_RECORD)
    except (OSError, ValueError):
        return b""


def _continues(session: Session, campaign_id: int, taken: ImportedArchive) -> bool:
    """Return True if the imported campaign has the last record of the one that left."""
    last = (
        select(Turn.record)
        .where(is_current(campaign_id), Turn.record.is_not(None))
        .order_by(Turn.number.desc())
        .limit(1)
    )
    return file_hash(session.scalars(last).one() or b"") in taken.by_record


def _find_game(packed: BackupReader, games: Mapping[str, AnyRuleset], taken: ImportedArchive) -> AnyRuleset:
    key, made_by = taken.turns[0].record["game"], taken.turns[-1].record["version"]
    said = shown(key).strip("'")
    try:
        ruleset = games.get(key)
    except GameError as error:
        raise BackupError(f"{packed.path} is a game of {said}: {error}") from None
    if ruleset is None:
        raise BackupError(f"{packed.path} is a game of {said}, which is not installed here")
    if ruleset.version < made_by:
        raise BackupError(
            f"{packed.path} is of {key} version {made_by}; here is version {ruleset.version}: install a newer one"
        )
    return ruleset


def _lines(app: App, draft: Path, taken: ImportedArchive) -> Iterator[Line]:
    return read_lines(draft / LINES, own=app.settings.address, seats=taken.seats)


def _prove(app: App, draft: Path, name: str, taken: ImportedArchive, progress: Progress) -> tuple[str, ...]:
    """Check all lines, and prove the archive by the seed in them; return what cannot be proved here."""
    seeds = [line.values["seed"] for line in _lines(app, draft, taken) if line.table.name == "campaign"]
    return verify(
        draft,
        name,
        games=app.games,
        seed=seeds[0],
        on_turn=lambda done, total: progress("proving", done, total),
    ).unproved


def _replace_rows(session: Session, former: int | None, rows: Rebuilding, lines: Iterator[Line]) -> None:
    """Insert the rows of lines, and remove those of the campaign as it left."""
    if former is not None:
        # Removed only afterwards, so that no id of these rows is used again.
        session.execute(update(Campaign).where(Campaign.id == former).values(name=""))
    rows.insert(lines)
    if former is not None:
        remove_campaign(session.connection(), former)
    session.expire_all()


def _adopt(session: Session, app: App, name: str, came_from: str, now: dt.datetime) -> tuple[str, ...]:
    """Put the campaign on hold, void all codes and tokens, and ask all players to confirm the transfer."""
    before = locked_campaign(session, name)
    values = {"hold_kind": HoldKind.IMPORTED, "hold_reason": _REASON, "revision": before.revision + 1}
    session.execute(update(Campaign).where(Campaign.id == before.id).values(values))
    snapshot = locked_campaign(session, name)
    context = Context(session, app, snapshot, now)
    said = f"the campaign moved here from {came_from}"
    add_entry(session, snapshot.id, now, actor=HOST, text=said, turn=snapshot.turn)
    asked = []
    for place in snapshot.places:
        thread = find_report(session, snapshot, place)
        older = thread.message_id if thread is not None else ""
        renew_codes(context, place)
        if place.playing and place.address and _ask_to_confirm(context, place, came_from=came_from, older=older):
            asked.append(place.seat)
    mail_gm_token(context)
    told = (
        (
            f"The campaign {name} has moved here from {came_from}. Its players were asked to confirm it, and you are "
            "mailed when one does. It is on hold until you release it."
        ),
        (
            "Who stood in for players and who stood by did not come along: they have agreed to it there. When enough "
            f"have confirmed: pbem deadline {name} 24h, if the deadline is near, and pbem release {name} "
            "(by mail: DEADLINE 24h, RELEASE)."
        ),
    )
    post(context, GM, Notice(subject="moved here, on hold", blocks=told))
    return tuple(asked)


def _ask_to_confirm(context: Context, place: SeatView, *, came_from: str, older: str) -> bool:
    """Ask a player to confirm, in the thread of their last report; return False if no request can be made today."""
    session, app, snapshot, now = context.session, context.app, context.snapshot, context.now
    person = session.scalars(select(Person).where(Person.key == place.address.lower())).one()
    data = {"seat_id": place.id, "person_id": person.id}
    code = create_request(session, RequestKind.IMPORT, now, to=person.address, data=data, campaign_id=snapshot.id)
    if code is None:
        return False
    page = Confirmation(
        kind="import",
        code=code,
        address=app.settings.address,
        days=DAYS,
        campaign=snapshot.name,
        seat=place.seat,
        game=app.game(snapshot.game).title,
        gm=snapshot.gm_shown,
        about=came_from,
    )
    # All later mail names this one as the root of its thread; the key is new, so the Message-ID is unused.
    post(context, place, page, id_=welcome_id(snapshot.name, place.seat), under=LastReport(0, code, older, b""))
    return True
