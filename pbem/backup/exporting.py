"""Sends a campaign to another home: it is marked as moved first, and only then written to a file.

So there is never a moment in which it could be played in both. Whoever is
killed in between, or loses the file, exports it once more; and what was never
taken in there can be taken back.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import update
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.backup.archives import campaigns_in, pack_archive
from pbem.backup.container import DATABASE, Packing, disk_full_named, is_ours
from pbem.backup.making import DRAFT, TURNS
from pbem.backup.others import take_out_others
from pbem.backup.trees import writing
from pbem.campaign.history import note
from pbem.campaign.notices import send_words, tell_players
from pbem.campaign.snapshot import NO_HOLD, CampaignSnapshot, check_running, load_campaign, lock_campaign
from pbem.config import checked_address
from pbem.errors import BackupError, CampaignError
from pbem.report.notices import Notice, Paused
from pbem.store.copy import copy_out, open_file, revision_of
from pbem.store.models import Campaign, Request
from pbem.store.types import HoldKind, Phase
from pbem.util import put, workshop


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A campaign on its way: the file, and the address at which it is to be played."""

    campaign: str
    path: Path
    bytes: int
    to: str


def export_campaign(house: House, name: str, file: Path, now: dt.datetime, *, to: str) -> Exported:
    """Marks a campaign as moved and writes it to a file. Raises CampaignError or BackupError."""
    to = checked_address(to)
    if to.lower() == house.settings.address.lower():
        raise BackupError(f"{to} is the address of this home: say that of the other with --to")
    if file.exists() and not is_ours(file):
        raise BackupError(f"{file} is there, and is no exported campaign: give another name")
    if not file.parent.is_dir():
        raise BackupError(f"the folder {file.parent} is not there")
    _mark(house, name, to, now)
    with disk_full_named(file), workshop(file.parent) as draft:
        _write(house, name, draft, now, to)
        put(draft / DRAFT, file)
    return Exported(campaign=name, path=file, bytes=file.stat().st_size, to=to)


def take_back(house: House, name: str, now: dt.datetime) -> None:
    """Lets a campaign be played here after all; it is paused, and its players are told. Raises CampaignError."""
    with house.store.writing() as session:
        lock_campaign(session, name)
        moved = load_campaign(session, name)
        if moved.status != Phase.MOVED:
            raise CampaignError(f"campaign {name} has not moved: it is {moved.status}")
        why = "it is played here after all, and not at " + moved.moved_to
        hold = {"hold_kind": HoldKind.GM, "hold_reason": why}
        values = {"status": Phase.RUNNING, **hold, "moved_to": "", "era": moved.era + 1}
        session.execute(update(Campaign).where(Campaign.id == moved.id).values(values))
        back = load_campaign(session, name)
        act = note(session, back.id, now, actor="gm", text=f"taken back: {why}", turn=back.turn)
        page = Paused(campaign=name, why=why, gm=back.gm)
        tell_players(session, house, back, now, act=act, subject="The game is played here after all", page=page)


def _mark(house: House, name: str, to: str, now: dt.datetime) -> None:
    with house.store.writing() as session:
        lock_campaign(session, name)
        snapshot = load_campaign(session, name)
        if snapshot.status == Phase.MOVED:
            if snapshot.moved_to.lower() != to.lower():
                raise CampaignError(
                    f"campaign {name} has moved to {snapshot.moved_to} already; take it back first, with: "
                    f"pbem export {name} --back"
                )
            return
        check_running(snapshot)
        _move_away(session, house, snapshot, to, now)


def _move_away(session: Session, house: House, snapshot: CampaignSnapshot, to: str, now: dt.datetime) -> None:
    values = {"status": Phase.MOVED, **NO_HOLD, "moved_to": to, "era": snapshot.era + 1}
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(values))
    session.execute(
        update(Request).where(Request.campaign_id == snapshot.id, Request.done_at.is_(None)).values(done_at=now)
    )
    act = note(session, snapshot.id, now, actor="gm", text=f"moved to {to}", turn=snapshot.turn)
    moves = f"The campaign {snapshot.name} moves: from now on it is played at {to}, and no longer here."
    said = (
        f"{moves} You are mailed from there, and asked to confirm it.",
        "Until then there is nothing to do. Orders that you have sent for the open turn go along, and count.",
    )
    page = Notice(paragraphs=said, campaign=snapshot.name, gm=snapshot.gm)
    tell_players(session, house, snapshot, now, act=act, subject="The game moves", page=page)
    send_words(session, house, snapshot, now, *said, to=snapshot.gm, subject="The game moves")


def _write(house: House, name: str, draft: Path, now: dt.datetime, to: str) -> None:
    copy = draft / DATABASE
    copy_out(house.settings.database, copy)
    with Packing(draft / DRAFT) as packing:
        with open_file(copy) as database:
            take_out_others(database, name)
            database.execute("VACUUM")  # what was deleted would lie in it otherwise
            campaigns = campaigns_in(database)
            with packing.part(f"{TURNS}{name}.tar") as part, writing(part) as tree:
                pack_archive(database, house.settings.archive, name, tree)
        packing.put(DATABASE, copy)
        facts = {
            "kind": "campaign",
            "pbem": version("pbem"),
            "made": now.astimezone(dt.UTC).isoformat(),
            "migration": revision_of(copy),
            "address": house.settings.address,
            "to": to,
            "campaigns": campaigns,
        }
        packing.put_manifest(facts)
