"""Tells a GM that a turn could not be resolved: once a turn, by mail."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import select

from pbem.campaign.due import Due
from pbem.campaign.table import locked_table
from pbem.errors import ConfigError, StoreError, in_words
from pbem.house import House
from pbem.post.codes import message_id
from pbem.post.outbox import queue, topic_of
from pbem.post.writing import Mail
from pbem.report import TurnProblem
from pbem.store.models import Outgoing


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
        table = locked_table(session, turn.campaign)
        id_ = message_id(table.mail_key, house.settings.domain, "problem", table.name, turn.turn, table.era)
        if session.scalar(select(Outgoing.id).where(Outgoing.message_id == id_)) is not None:
            return
        page = TurnProblem(
            campaign=table.name, label=f"turn {turn.turn}", problem=problem, at=now, zone=table.schedule.zone
        )
        mail = Mail(
            recipient=table.gm,
            subject=f"[{table.name}] Turn {turn.turn} could not be resolved",
            text=house.reporter.write(page),
            message_id=id_,
            reply_to=house.settings.address,
            automatic="auto-generated",
            kind="problem",
            topic=topic_of("problem", table.name, turn.turn, "gm"),
        )
        queue(session, mail, house.settings, campaign_id=table.id, now=now)
