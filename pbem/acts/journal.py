"""The journal of a campaign, as its GM may read it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import select

from pbem.acts.act import Question, Scene
from pbem.store.models import Act as Row


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a campaign's journal. Players may not read it if it is `secret`."""

    at: dt.datetime
    actor: str
    text: str
    secret: bool


@dataclass(frozen=True, slots=True)
class Journal:
    """All that was done to a campaign, the oldest first."""

    campaign: str
    zone: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class ShowJournal(Question[Journal]):
    """What was done, when, and by whom?"""

    def look(self, scene: Scene) -> Journal:
        """The whole journal."""
        snapshot = scene.snapshot
        acts = select(Row.at, Row.actor, Row.text, Row.secret).where(Row.campaign_id == snapshot.id).order_by(Row.id)
        entries = tuple(Entry(*row) for row in scene.session.execute(acts))
        return Journal(snapshot.name, snapshot.schedule.zone, entries)
