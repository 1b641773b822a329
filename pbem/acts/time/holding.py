"""Holds a campaign, so that no turn of it runs until its GM says so, and releases it.

A GM who pauses his campaign tells its players by it, and again when it goes on.
The house's own holds are between it and the GM: a turn that awaits his review,
his ruling, or his word on a mass of missing sheets.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.acts.act import Act, Reversible, Scene
from pbem.campaign.holds import AWAITING, PAUSED, is_pause
from pbem.campaign.journal import note
from pbem.campaign.notices import tell_players
from pbem.campaign.snapshot import CampaignSnapshot, check_running, open_deadline
from pbem.errors import CampaignError
from pbem.report.time_pages import Paused, Resumed
from pbem.store.models import Campaign

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Held:
    """A campaign whose turns run no more, or, when `released`, run again; and why they did not."""

    campaign: str
    why: str
    released: bool = False


@dataclass(frozen=True, slots=True)
class Hold(Act[Held]):
    """A GM pauses his campaign."""

    weight = Reversible("pbem release NAME", "RELEASE")
    why: str = ""

    def do(self, scene: Scene) -> Held:
        """Pauses it, if it is not held already."""
        snapshot = scene.snapshot
        if not hold(scene, self.why, actor="gm"):
            raise CampaignError(f"campaign {snapshot.name} is held already: {snapshot.held}")
        return Held(snapshot.name, self.why)


@dataclass(frozen=True, slots=True)
class Release(Act[Held]):
    """A GM lets turns run again."""

    weight = Reversible("pbem hold NAME", "HOLD")

    def do(self, scene: Scene) -> Held:
        """Releases the campaign, if it is held, and not for want of a ruling: that alone would do nothing."""
        snapshot = scene.snapshot
        if snapshot.held == AWAITING:
            raise CampaignError(
                f"turn {snapshot.turn} of {snapshot.name} awaits your ruling: give it, or run the turn without one"
            )
        if not release(scene):
            raise CampaignError(f"campaign {snapshot.name} is not held")
        return Held(snapshot.name, snapshot.held, released=True)


def hold(scene: Scene, why: str, *, actor: str = "pbem") -> bool:
    """Holds a running campaign, which is locked; False, having changed nothing, if it is held already.

    `why` is what status says of it. By the actor "gm" it is a pause, of which
    its players are told; then `why` may be "". Raises CampaignError if no turn is open.
    """
    session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
    check_running(snapshot)
    why = " ".join(why.split())[:_LONGEST]
    held = ": ".join(filter(None, (PAUSED, why))) if actor == "gm" else why
    if _held(session, snapshot):
        return False
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(held=held))
    said = f"turn {snapshot.turn} is held: {held}"
    act = note(session, snapshot.id, now, actor=actor, text=said, secret=not is_pause(held))
    if actor == "gm":
        page = Paused(campaign=snapshot.name, why=why, gm=snapshot.gm)
        tell_players(session, house, snapshot, now, act=act, subject="The game pauses", page=page)
    return True


def release(scene: Scene, *, actor: str = "gm") -> bool:
    """Lets turns of a locked campaign run again, at once if they are due; False if it is not held.

    Its players are told if they were told of the hold.
    """
    session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
    held = _held(session, snapshot)
    if not held:
        return False
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(held=""))
    said = f"turn {snapshot.turn} is released; it was held: {held}"
    act = note(session, snapshot.id, now, actor=actor, text=said, secret=not is_pause(held))
    if is_pause(held):
        deadline = open_deadline(session, snapshot)
        page = Resumed(campaign=snapshot.name, deadline=deadline, now=now, zone=snapshot.schedule.zone)
        tell_players(session, house, snapshot, now, act=act, subject="The game goes on", page=page)
    return True


def _held(session: Session, snapshot: CampaignSnapshot) -> str:
    """Why it is held by now: what else this transaction did may have changed that."""
    return session.scalar(select(Campaign.held).where(Campaign.id == snapshot.id)) or ""
