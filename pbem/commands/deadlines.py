"""Commands for time: when turns are due, more time, and turns held."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from pbem.acts.ruling.adjudicating import check_ruled
from pbem.acts.time.extending import extend as extend_turn
from pbem.acts.time.extending import read_extension
from pbem.acts.time.holding import hold as hold_campaign
from pbem.acts.time.holding import release as release_campaign
from pbem.acts.time.scheduling import look_ahead, reschedule
from pbem.campaign.table import load_table, locked_table
from pbem.commands.common import open_home, show
from pbem.commands.options import home_option, json_option, now_option
from pbem.console.campaigns import deadline_lines
from pbem.errors import CampaignError


@click.command()
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
    with open_home(home) as house:
        if schedule:
            with house.store.writing() as session:
                reschedule(session, house, locked_table(session, name), schedule, now)
        with house.store.reading() as session:
            deadlines = look_ahead(session, load_table(session, name), now)
    show(deadlines, deadline_lines(deadlines), as_json=as_json)


@click.command()
@click.argument("name")
@click.argument("by", required=False)
@now_option
@home_option
def extend(name: str, by: str | None, now: dt.datetime, home: Path | None) -> None:
    """Give the open turn more time, and tell everybody.

    BY is a span like 24h or 3d, or the new deadline, like 2026-12-24T20:00 by
    the campaign's clocks. Without it, the house rule `extension` says how much.
    """
    with open_home(home) as house, house.store.writing() as session:
        table = locked_table(session, name)
        more = read_extension(by, table.schedule.zone) if by else None
        said = extend_turn(session, house, table, now, more)
    click.echo(said)


@click.command()
@click.argument("name")
@click.argument("reason", default="")
@now_option
@home_option
def hold(name: str, reason: str, now: dt.datetime, home: Path | None) -> None:
    """Pause a campaign: no turn runs until you release it. Its players are told, with your REASON."""
    with open_home(home) as house, house.store.writing() as session:
        table = locked_table(session, name)
        if not hold_campaign(session, house, table, reason, now, actor="gm"):
            raise CampaignError(f"campaign {name} is held already: {table.held}")
    click.echo(f"Campaign {name} is paused, and its players are told. Let it go on with: pbem release {name}")


@click.command()
@click.argument("name")
@now_option
@home_option
def release(name: str, now: dt.datetime, home: Path | None) -> None:
    """Let the turns of a held campaign run again: at the next tick, if one is due."""
    with open_home(home) as house, house.store.writing() as session:
        table = locked_table(session, name)
        check_ruled(table)
        if not release_campaign(session, house, table, now):
            raise CampaignError(f"campaign {name} is not held")
    click.echo(f"Campaign {name} is released; it was held: {table.held}")
