"""Holds a campaign, so that no turn of it runs until its GM says so, and releases it.

A GM who pauses his campaign tells its players by it, and again when it goes on.
The house's own holds are between it and the GM: a turn that awaits his review,
his ruling, or his word on a mass of missing sheets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from pbem.acts.act import Act, Reversible, Scene
from pbem.acts.arguments import GmCommand, Typed, Words
from pbem.acts.channel import Channel
from pbem.campaign.holds import NO_HOLD, describe_hold, is_pause
from pbem.campaign.journal import note
from pbem.campaign.notices import tell_players
from pbem.campaign.snapshot import CampaignSnapshot, check_running, open_deadline
from pbem.errors import CampaignError
from pbem.report.notices import Paused, Resumed
from pbem.store.models import Campaign
from pbem.store.types import HoldKind

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Held:
    """A campaign whose turns run no more, or, when `released`, run again; and why they did not."""

    campaign: str
    why: str
    released: bool = False


@dataclass(frozen=True, slots=True)
class Hold(GmCommand, Act[Held]):
    """Let no turn run until you say RELEASE."""

    usage = "HOLD [reason...]"
    command = "hold"
    typed = Typed("Pause a campaign: no turn runs until you release it. Its players are told, with your REASON.")
    weight = Reversible("pbem release NAME", "RELEASE")
    reason: Annotated[str, Words("reason", "words", "I am on a train")] = ""

    def do(self, scene: Scene) -> Held:
        """Pauses it, if it is not held already."""
        snapshot = scene.snapshot
        if not hold(scene, HoldKind.GM, self.reason):
            raise CampaignError(f"campaign {snapshot.name} is held already: {snapshot.held}")
        return Held(snapshot.name, self.reason)

    def render(self, facts: Held, channel: Channel) -> Iterator[str]:
        release = channel.either(f"pbem release {facts.campaign}", "RELEASE")
        yield f"Campaign {facts.campaign} is paused, and its players are told. Let it go on with: {release}"


@dataclass(frozen=True, slots=True)
class Release(GmCommand, Act[Held]):
    """Let turns run again."""

    usage = "RELEASE"
    command = "release"
    typed = Typed("Let the turns of a held campaign run again: at the next tick, if one is due.")
    weight = Reversible("pbem hold NAME", "HOLD")

    def do(self, scene: Scene) -> Held:
        """Releases the campaign, if it is held, and not for want of a ruling: that alone would do nothing."""
        snapshot = scene.snapshot
        if snapshot.hold_kind == HoldKind.RULING:
            raise CampaignError(
                f"turn {snapshot.turn} of {snapshot.name} awaits your ruling: give it, or run the turn without one"
            )
        if not release(scene):
            raise CampaignError(f"campaign {snapshot.name} is not held")
        return Held(snapshot.name, snapshot.held, released=True)

    def render(self, facts: Held, channel: Channel) -> Iterator[str]:
        yield f"Campaign {facts.campaign} is released; it was held: {facts.why}"


def hold(scene: Scene, kind: HoldKind, reason: str = "") -> bool:
    """Hold a running campaign, which is locked; return False, having changed nothing, if it is held already.

    Its players are told of a GM's own hold. Raise CampaignError if no turn is open.
    """
    session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
    check_running(snapshot)
    reason = " ".join(reason.split())[:_LONGEST]
    if _load_hold(session, snapshot)[0] != HoldKind.NONE:
        return False
    values = {"hold_kind": kind, "hold_reason": reason}
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(values))
    said = f"turn {snapshot.turn} is held: {describe_hold(kind, reason)}"
    actor = "gm" if is_pause(kind) else "pbem"
    act = note(session, snapshot.id, now, actor=actor, text=said, secret=not is_pause(kind))
    if is_pause(kind):
        page = Paused(campaign=snapshot.name, why=reason, gm=snapshot.gm)
        tell_players(session, house, snapshot, now, act=act, subject="The game pauses", page=page)
    return True


def release(scene: Scene) -> bool:
    """Let turns of a locked campaign run again, at once if they are due; return False if it is not held.

    Its players are told if they were told of the hold.
    """
    session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
    kind, reason = _load_hold(session, snapshot)
    if kind == HoldKind.NONE:
        return False
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(NO_HOLD))
    said = f"turn {snapshot.turn} is released; it was held: {describe_hold(kind, reason)}"
    act = note(session, snapshot.id, now, actor="gm", text=said, secret=not is_pause(kind))
    if is_pause(kind):
        deadline = open_deadline(session, snapshot)
        page = Resumed(campaign=snapshot.name, deadline=deadline, now=now, zone=snapshot.schedule.zone)
        tell_players(session, house, snapshot, now, act=act, subject="The game goes on", page=page)
    return True


def _load_hold(session: Session, snapshot: CampaignSnapshot) -> tuple[HoldKind, str]:
    """Return kind and reason of the hold by now: what else this transaction did may have changed them."""
    hold_of = select(Campaign.hold_kind, Campaign.hold_reason).where(Campaign.id == snapshot.id)
    kind, reason = session.execute(hold_of).one()
    return kind, reason
