"""What an act is: something done to a campaign, or asked of it, and the same through whatever door it was wished.

A door (the command line, a GM's letter) reads what somebody wishes and makes
one of these of it. It is done, or only looked at, and comes back with facts;
`pbem.telling` puts those into the same words for all doors.

There is one rule for locks. Who only looks takes none. Who does something has
the campaign locked, and looks at it again from there; what takes long to work
out is planned before, and kept only on the same ground (`pbem.campaign.ground`).
"""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from sqlalchemy.orm import Session

from pbem.campaign.archiving import archive_left
from pbem.campaign.ground import act_on
from pbem.campaign.journal import note
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign, locked_campaign
from pbem.campaign.unreadable import readable
from pbem.house import House

Facts = TypeVar("Facts")
Plan = TypeVar("Plan")


@dataclass(frozen=True, slots=True)
class Scene:
    """What an act finds: a campaign as it stands in a session of its house, and the moment."""

    session: Session
    house: House
    snapshot: CampaignSnapshot
    now: dt.datetime


@dataclass(frozen=True, slots=True)
class Trace:
    """That somebody asked, for the journal; `told`, for the next reports too."""

    text: str
    secret: bool = False
    told: bool = False


@dataclass(frozen=True, slots=True)
class Deed:
    """What was done, where a sentence has all of it."""

    done: str


class Question(ABC, Generic[Facts]):
    """Something asked of a campaign."""

    @abstractmethod
    def look(self, scene: Scene) -> Facts:
        """The answer; nothing is changed. Raises CampaignError for what cannot be asked, or could not be done."""

    def traces(self, facts: Facts) -> tuple[Trace, ...]:
        """What others are to know of the question; of most, nothing."""
        return ()


class Act(ABC, Generic[Facts]):
    """Something done to a campaign, whole or not at all."""

    rewrites: ClassVar[bool] = False
    """Whether it changes which turns there are, so that the archive has to follow."""

    @abstractmethod
    def do(self, scene: Scene) -> Facts:
        """Does it; the campaign is locked. Raises CampaignError, naming the nearest thing that can be done."""


class Weighty(Question[Facts], Act[Facts]):
    """An act that can be looked at before it is done: what it would come to."""


class Planned(Weighty[Facts], Generic[Facts, Plan]):
    """An act that takes long to work out."""

    @abstractmethod
    def plan(self, scene: Scene) -> Plan:
        """All that will be kept. Changes nothing. Raises CampaignError."""

    @abstractmethod
    def keep(self, scene: Scene, plan: Plan) -> None:
        """Makes it so; the campaign is locked, and stands on the ground of the plan."""

    @abstractmethod
    def facts(self, plan: Plan) -> Facts:
        """What is told of it."""

    def look(self, scene: Scene) -> Facts:
        """What it would come to."""
        return self.facts(self.plan(scene))

    def do(self, scene: Scene) -> Facts:
        """Plans and keeps it, the campaign being locked all the while."""
        plan = self.plan(scene)
        self.keep(scene, plan)
        return self.facts(plan)


def look(house: House, name: str, question: Question[Facts], now: dt.datetime) -> Facts:
    """Asks something of a campaign, waiting for nobody, unless it has to be noted. Raises CampaignError."""
    with readable(house, name), house.store.reading() as session:
        facts = question.look(Scene(session, house, load_campaign(session, name), now))
    traces = question.traces(facts)
    if traces:
        with house.store.writing() as session:
            leave_traces(Scene(session, house, locked_campaign(session, name), now), traces)
    return facts


def leave_traces(scene: Scene, traces: Iterable[Trace]) -> None:
    """Enters into the journal of a locked campaign what others are to know of a question."""
    snapshot = scene.snapshot
    for trace in traces:
        turn = snapshot.turn if trace.told else None
        note(scene.session, snapshot.id, scene.now, actor="gm", text=trace.text, secret=trace.secret, turn=turn)


def do(house: House, name: str, act: Act[Facts], now: dt.datetime) -> Facts:
    """Does something to a campaign. Raises CampaignError, having changed nothing."""
    with readable(house, name):
        facts = _do_planned(house, name, act, now) if isinstance(act, Planned) else _do_at_once(house, name, act, now)
    if act.rewrites:
        archive_left(house, now)
    return facts


def _do_at_once(house: House, name: str, act: Act[Facts], now: dt.datetime) -> Facts:
    with house.store.writing() as session:
        return act.do(Scene(session, house, locked_campaign(session, name), now))


def _do_planned(house: House, name: str, act: Planned[Facts, Plan], now: dt.datetime) -> Facts:
    def plan(session: Session, snapshot: CampaignSnapshot) -> Plan:
        return act.plan(Scene(session, house, snapshot, now))

    def keep(session: Session, snapshot: CampaignSnapshot, planned: Plan) -> Facts:
        act.keep(Scene(session, house, snapshot, now), planned)
        return act.facts(planned)

    return act_on(house, name, plan, keep)
