"""The journal of a campaign, as its GM may read it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select

from pbem.acts.act import Question, Scene
from pbem.acts.arguments import GmCommand, Typed
from pbem.acts.channel import Channel
from pbem.store.models import Act as Row
from pbem.text import when


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
class ShowJournal(GmCommand, Question[Journal]):
    """See all that was done to the campaign, when, and by whom."""

    usage = "JOURNAL"
    command = "journal"
    typed = Typed("Show all that was done to a campaign, when, and by whom.", json=True)

    def look(self, scene: Scene) -> Journal:
        """The whole journal."""
        snapshot = scene.snapshot
        acts = select(Row.at, Row.actor, Row.text, Row.secret).where(Row.campaign_id == snapshot.id).order_by(Row.id)
        entries = tuple(Entry(*row) for row in scene.session.execute(acts))
        return Journal(snapshot.name, snapshot.schedule.zone, entries)

    def render(self, facts: Journal, channel: Channel) -> Iterator[str]:
        for entry in facts.entries:
            secret = "  (secret)" if entry.secret else ""
            yield f"{when(entry.at, facts.zone)}  {entry.actor}: {entry.text}{secret}"
