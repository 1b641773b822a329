"""Commands for time: when turns are due, more time, and turns held."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from pbem.acts.time.extending import Extend
from pbem.acts.time.holding import Hold, Release
from pbem.acts.time.scheduling import Reschedule, ShowDeadlines
from pbem.commands.common import act, ask
from pbem.commands.group import Command
from pbem.commands.options import home_option, json_option, now_option, yes_option


@click.command(cls=Command)
@click.argument("name")
@click.argument("schedule", required=False)
@now_option
@json_option
@home_option
def deadline(name: str, schedule: str | None, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Show when turns are due, or set another SCHEDULE for the turns to come.

    \b
    "FRI 20:00 Europe/Berlin"                  weekly
    "MON,THU 20:00 Europe/Berlin"              on several days; DAILY is each
    "EVERY 2 WEEKS FRI 20:00 Europe/Berlin"    the second Friday to come
    "1ST,3RD FRI 20:00 Europe/Berlin"          by weeks of a month; LAST is one
    "EVERY 12h"                                so long after the turn opened
    """
    if schedule:
        act(home, name, Reschedule(schedule), now, as_json=as_json)
    else:
        ask(home, name, ShowDeadlines(), now, as_json=as_json)


@click.command(cls=Command)
@click.argument("name")
@click.argument("by", required=False)
@yes_option
@now_option
@home_option
def extend(name: str, by: str | None, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Give the open turn more time, or another deadline, and tell everybody.

    BY is a span like 24h or 3d, or the new deadline, like 2026-12-24T20:00 by
    the campaign's clocks. Without it, the house rule `extension` says how much.
    A deadline that is earlier, or later by more than two usual turns, is asked about.
    """
    act(home, name, Extend(by), now, sure=sure)


@click.command(cls=Command)
@click.argument("name")
@click.argument("reason", default="")
@now_option
@home_option
def hold(name: str, reason: str, now: dt.datetime, home: Path | None) -> None:
    """Pause a campaign: no turn runs until you release it. Its players are told, with your REASON."""
    act(home, name, Hold(reason), now)


@click.command(cls=Command)
@click.argument("name")
@now_option
@home_option
def release(name: str, now: dt.datetime, home: Path | None) -> None:
    """Let the turns of a held campaign run again: at the next tick, if one is due."""
    act(home, name, Release(), now)
