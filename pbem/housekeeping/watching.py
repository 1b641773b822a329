"""Remembers the polls of a home in a small file, and tells campaigns of outages in their journals.

The file is a home's own. Without it, or with one that cannot be read, the next
poll is taken for the first: deadlines then wait for nothing.
"""

from __future__ import annotations

import datetime as dt
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from pbem.calendar.outage import Outage, Watch, after_failure, after_poll
from pbem.campaign.due import Waiting, load_waiting
from pbem.campaign.journal import note
from pbem.campaign.snapshot import load_campaign
from pbem.durable import write_whole
from pbem.house import House
from pbem.logbook import tell
from pbem.report.wording import when

FILE = "mailbox.json"


def watch_polls(house: House, now: dt.datetime, *, readable: bool) -> Outage | None:
    """Remembers a poll, good or not; returns the outage for which deadlines wait now."""
    before = read_watch(house.settings.home)
    longest = dt.timedelta(hours=house.settings.outage_hours)
    watch = after_poll(before, now, longest=longest) if readable else after_failure(before, now)
    if watch.outage is not None and (before is None or watch.outage != before.outage):
        _announce(house, watch.outage, now)
    if watch != before:
        with suppress(OSError):  # a full disk is no reason to let turns wait
            write_whole(house.settings.home / FILE, _written(watch))
    return watch.outage


def read_watch(home: Path) -> Watch | None:
    """What is remembered of a home's polls, if anything."""
    try:
        return _read(json.loads((home / FILE).read_bytes()))
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return None


def waiting_for(turns: list[Waiting], outage: Outage) -> list[Waiting]:
    """The turns that would be run in an outage or soon after it, and wait until its release."""
    return [turn for turn in turns if turn.closes is not None and outage.since <= turn.closes < outage.release]


def _announce(house: House, outage: Outage, now: dt.datetime) -> None:
    tell("outage over", level="warning", since=outage.since, until=outage.until, deadlines_wait_until=outage.release)
    with house.store.writing() as session:
        for turn in waiting_for(load_waiting(session), outage):
            zone = turn.schedule.zone
            said = f"no mail was read from {when(outage.since, zone)} to {when(outage.until, zone)}"
            waits = f"turn {turn.turn} waits until {when(outage.release, zone)}"
            note(session, load_campaign(session, turn.campaign).id, now, actor="pbem", text=f"{said}: {waits}")


def _written(watch: Watch) -> bytes:
    outage = watch.outage
    return json.dumps(
        {
            "last_good": watch.last_good.isoformat(),
            "usual": watch.usual.total_seconds() if watch.usual is not None else None,
            "failed": watch.failed,
            "outage": [at.isoformat() for at in (outage.since, outage.until, outage.release)] if outage else None,
        }
    ).encode()


def _read(data: Any) -> Watch:
    usual, outage = data["usual"], data["outage"]
    return Watch(
        last_good=_time(data["last_good"]),
        usual=None if usual is None else dt.timedelta(seconds=usual),
        failed=bool(data["failed"]),
        outage=Outage(*map(_time, outage)) if outage else None,
    )


def _time(text: str) -> dt.datetime:
    """An aware time. Raises ValueError for one without a zone."""
    at = dt.datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at
