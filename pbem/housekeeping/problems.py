"""Tells a GM that a turn could not be resolved: once a turn, by mail."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from pbem.app import House
from pbem.campaign.deadlines import Due
from pbem.campaign.notices import tell_gm_once
from pbem.campaign.snapshot import load_campaign, lock_campaign
from pbem.errors import ConfigError, StoreError, in_words
from pbem.report.notices import TurnProblem


def report_problem(house: House, turn: Due, error: Exception, now: dt.datetime) -> str:
    """Queues the mail to the GM, unless he has had it; returns the same in one sentence."""
    problem = in_words(error)
    said = f"campaign {turn.campaign}: turn {turn.turn} could not be resolved ({problem})"
    try:
        _mail(house, turn, problem, now)
    except StoreError:
        raise
    except ConfigError as fault:
        return f"{said}, nor could its GM be mailed ({fault})"
    return said


def _mail(house: House, turn: Due, problem: str, now: dt.datetime) -> None:
    with house.store.writing() as session:
        lock_campaign(session, turn.campaign)
        # That which failed, whatever is open now.
        snapshot = replace(load_campaign(session, turn.campaign), turn=turn.turn)
        page = TurnProblem(
            campaign=snapshot.name, label=f"turn {turn.turn}", problem=problem, at=now, zone=snapshot.schedule.zone
        )
        subject = f"Turn {turn.turn} could not be resolved"
        tell_gm_once(
            session, house, snapshot, now, moment=(), subject=subject, page=page, topic="problem", kind="problem"
        )
