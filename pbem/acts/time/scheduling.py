"""Shows a GM the deadlines of his campaign, and changes its schedule."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from sqlalchemy import update

from pbem.acts.act import Act, Question, Reversible, Scene
from pbem.acts.arguments import GmCommand, TextBlock, Typed, Wish, Words
from pbem.acts.channel import Channel
from pbem.calendar.schedule import Schedule
from pbem.campaign.deadlines import new_deadline
from pbem.campaign.journal import note
from pbem.campaign.notices import tell_players
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign, open_deadline
from pbem.errors import CampaignError
from pbem.report.notices import Rescheduled
from pbem.store.models import Campaign
from pbem.store.types import Phase
from pbem.text import when

LONGEST = 120
"""Characters of a schedule's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """When turns are due: the one open now, if there is one, and the next, if that is run at its deadline."""

    campaign: str
    schedule: str
    zone: str
    turn: int
    deadline: dt.datetime | None
    closes: dt.datetime | None
    next: dt.datetime


@dataclass(frozen=True, slots=True)
class ShowDeadlines(Question[Deadlines]):
    """When are turns due?"""

    def look(self, scene: Scene) -> Deadlines:
        """The deadlines, as far as they can be told. Raises CampaignError if the campaign is over."""
        session, snapshot, now = scene.session, scene.snapshot, scene.now
        _check_not_over(snapshot)
        deadline = open_deadline(session, snapshot)
        closes = deadline + snapshot.policy.grace_time if deadline else None
        opens = max(closes, now) if closes else now
        return Deadlines(
            campaign=snapshot.name,
            schedule=snapshot.schedule.text,
            zone=snapshot.schedule.zone,
            turn=snapshot.turn,
            deadline=deadline,
            closes=closes,
            next=new_deadline(session, snapshot, opens),
        )

    def render(self, facts: Deadlines, channel: Channel) -> Iterator[str]:
        zone = facts.zone
        yield f"{facts.campaign}: {facts.schedule}"
        if facts.deadline is None:
            yield f"  its first turn would be due {when(facts.next, zone)} if it began now"
            return
        yield f"  turn {facts.turn} is due {when(facts.deadline, zone)}"
        if facts.closes is not None and facts.closes > facts.deadline:
            yield f"  late sheets count until {when(facts.closes, zone)}"
        yield f"  run then, the next is due {when(facts.next, zone)}"


@dataclass(frozen=True, slots=True)
class Reschedule(GmCommand, Act[Deadlines]):
    """See when turns are due, or set another schedule for the turns to come."""

    usage = "DEADLINE [schedule...]"
    command = "deadline"
    typed = Typed(
        """Show when turns are due, or set another SCHEDULE for the turns to come.

        \b
        "FRI 20:00 Europe/Berlin"                  weekly
        "MON,THU 20:00 Europe/Berlin"              on several days; DAILY is each
        "EVERY 2 WEEKS FRI 20:00 Europe/Berlin"    the second Friday to come
        "1ST,3RD FRI 20:00 Europe/Berlin"          by weeks of a month; LAST is one
        "EVERY 12h"                                so long after the turn opened
        """,
        json=True,
        shows=ShowDeadlines,
    )
    weight = Reversible("pbem deadline NAME SCHEDULE", "DEADLINE schedule")
    schedule: Annotated[str, Words("schedule", "a schedule", "FRI 20:00 Europe/Berlin")] = ""

    def wish(self, text: TextBlock) -> Wish:
        """Return the change of the schedule, or the question when turns are due if there is none."""
        return self.with_values() if self.schedule else ShowDeadlines()

    def do(self, scene: Scene) -> Deadlines:
        """Changes the schedule, and tells everybody. Raises CampaignError naming what is wrong with the words."""
        session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
        _check_not_over(snapshot)
        schedule = Schedule.read(self.schedule)
        if len(schedule.text) > LONGEST:
            raise CampaignError(f"a schedule has {LONGEST} characters at most, these are {len(schedule.text)}")
        session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(schedule=schedule.text))
        said = f"schedule changed from {snapshot.schedule.text} to {schedule.text}"
        act = note(session, snapshot.id, now, actor="gm", text=said)
        page = Rescheduled(
            campaign=snapshot.name,
            old=snapshot.schedule.text,
            new=schedule.text,
            deadline=open_deadline(session, snapshot),
            zone=schedule.zone,
        )
        tell_players(session, house, snapshot, now, act=act, subject="The schedule has changed", page=page)
        return ShowDeadlines().look(replace(scene, snapshot=load_campaign(session, snapshot.name)))

    def render(self, facts: Deadlines, channel: Channel) -> Iterator[str]:
        return ShowDeadlines().render(facts, channel)


def _check_not_over(snapshot: CampaignSnapshot) -> None:
    if snapshot.status == Phase.OVER:
        raise CampaignError(f"campaign {snapshot.name} is over: no turn of it is due any more")
