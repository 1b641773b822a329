"""Mends a campaign whose turns do not hang together: it stands at the last turn that does, and that is open again.

Until acts stood on one ground, a run could store a turn that had been computed
from a past taken back at the same moment. Such a stray goes onto the shelf of
the turn that it was computed from, as if it had been run before that was taken
out; so a rollback can still be taken back, the stray with it.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.acts.act import Confirmed, Scene, Weighty
from pbem.acts.arguments import SURE, GmCommand, Typed
from pbem.acts.channel import Channel
from pbem.acts.past.chain import find_break
from pbem.acts.past.rolling import RollBack, Rolled, rolled_to, seat_again, tell_rolled
from pbem.acts.past.shelving import (
    REPAIR,
    count_misses_again,
    move_reports,
    new_shelf,
    put_instead,
    put_on,
    set_campaign,
    shelve,
    stop_mail,
    version_before,
)
from pbem.campaign.deadlines import new_deadline
from pbem.campaign.journal import note
from pbem.campaign.sheets import copy_sheets
from pbem.campaign.snapshot import CampaignSnapshot, live, live_turn
from pbem.errors import CampaignError
from pbem.store.models import Turn
from pbem.text import wrapped


@dataclass(frozen=True, slots=True)
class Mended:
    """What is wrong with a campaign's turns, in a clause, the numbers of the strays, and where it comes to stand."""

    wrong: str
    strays: tuple[int, ...]
    rolled: Rolled


@dataclass(frozen=True, slots=True)
class Mend(GmCommand, Weighty[Mended]):
    """Mend a campaign whose turns do not hang together. Without YES you are told what that would do."""

    usage = "MEND [sure]"
    command = "mend"
    typed = Typed(
        "Mend a campaign whose turns do not hang together, as `pbem doctor` tells: it goes on from the last that does.",
    )
    weight = Confirmed("the turns that do not hang together", "the archive, in withdrawn/")
    rewrites = True
    sure: Annotated[str | None, SURE] = None

    def look(self, scene: Scene) -> Mended:
        """What is wrong, and where the campaign would stand.

        Raises CampaignError if there is nothing to mend, or nothing left to stand on.
        """
        session, snapshot = scene.session, scene.snapshot
        broken = find_break(session, snapshot)
        if broken is None:
            raise CampaignError(f"all turns of {snapshot.name} hang together: there is nothing to mend")
        if broken.last < snapshot.first:
            raise CampaignError(
                f"{snapshot.name} cannot be mended, since {broken.text}: go back to a copy of the database"
            )
        last = live_turn(session, snapshot, broken.last)
        strays = tuple(turn.number for turn in _strays(session, snapshot, broken.last))
        return Mended(
            broken.text, strays, rolled_to(session, snapshot, last, _deadline(session, snapshot, last, scene.now))
        )

    def do(self, scene: Scene) -> Mended:
        """Puts the strays away, and opens the last turn that hangs together."""
        session, snapshot, now = scene.session, scene.snapshot, scene.now
        plan = self.look(scene)
        number = plan.rolled.turn
        version = version_before(session, snapshot, number)
        strays = _strays(session, snapshot, number)
        gone = _put_away(session, snapshot, strays, now)
        stop_mail(session, strays)
        last = live_turn(session, snapshot, number)
        if last.resolved_at is not None:
            gone.append(last)
            last = _open_again(session, snapshot, last, now)
        last.deadline = plan.rolled.deadline
        last.reminded_at = None
        set_campaign(session, snapshot, turn=number, over=False, version=version)
        count_misses_again(session, snapshot, gone=gone)
        said = f"its turns did not hang together ({plan.wrong}); they were mended, and turn {number} is open"
        act = note(session, snapshot.id, now, actor="gm", text=said)
        tell_rolled(seat_again(scene, plan.rolled), plan.rolled, act=act, back=True)
        return plan

    def render(self, facts: Mended, channel: Channel) -> Iterator[str]:
        name, strays, done = facts.rolled.campaign, facts.strays, channel.done
        yield wrapped(f"The turns of {name} {'did' if done else 'do'} not hang together: {facts.wrong}.")
        if strays:
            which = f"Turn {strays[0]}" if len(strays) == 1 else f"Turns {', '.join(map(str, strays))}"
            yield f"{which} {'went' if done else 'would go'} onto a shelf; nothing is thrown away."
        yield from RollBack(facts.rolled.turn).render(facts.rolled, channel)


def _deadline(session: Session, snapshot: CampaignSnapshot, last: Turn, now: dt.datetime) -> dt.datetime:
    """That which the turn has, if it is open and has time left."""
    if last.resolved_at is None and last.deadline is not None and now < last.deadline:
        return last.deadline
    return new_deadline(session, snapshot, now)


def _strays(session: Session, snapshot: CampaignSnapshot, last: int) -> list[Turn]:
    after = select(Turn).where(live(snapshot.id), Turn.number > last)
    return list(session.scalars(after.order_by(Turn.number)))


def _open_again(session: Session, snapshot: CampaignSnapshot, last: Turn, now: dt.datetime) -> Turn:
    """Puts a turn that was run, but led nowhere, onto a shelf, and one like it in its place."""
    shelve(session, snapshot, REPAIR, last.number, now)
    turn = put_instead(session, last, opened_at=now, ruling=None)
    move_reports(session, last, turn)
    copy_sheets(session, last, turn, wait=True)
    return turn


def _put_away(session: Session, snapshot: CampaignSnapshot, strays: Sequence[Turn], now: dt.datetime) -> list[Turn]:
    """Puts strays onto shelves; returns all turns whose runs are undone with them."""
    gone = list(strays)
    own: int | None = None
    for stray in strays:
        origin = _origin(session, snapshot, stray)
        if origin is None:
            own = own if own is not None else new_shelf(session, snapshot, REPAIR, stray.number, now)
            put_on(own, stray, now)
        else:
            assert origin.shelf_id is not None
            put_on(origin.shelf_id, stray, now)
            gone += [origin] if origin not in gone else []
        session.flush()
    return gone


def _origin(session: Session, snapshot: CampaignSnapshot, stray: Turn) -> Turn | None:
    """The turn on a shelf whose run led to a stray."""
    shelved = (Turn.campaign_id == snapshot.id, Turn.shelf_id.is_not(None), Turn.record.is_not(None))
    before = select(Turn).where(*shelved, Turn.number == stray.number - 1).order_by(Turn.id.desc())
    for turn in session.scalars(before):
        if json.loads(turn.record or b"{}")["state_after"] == stray.state_hash:
            return turn
    return None
