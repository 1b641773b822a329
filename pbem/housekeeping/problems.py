"""Tells a GM that a turn could not be resolved: once a turn, by mail."""

from __future__ import annotations

import datetime as dt

from pbem.campaign.due import Due
from pbem.campaign.notices import Postman, is_known_mail
from pbem.campaign.table import locked_table
from pbem.errors import ConfigError, StoreError, in_words
from pbem.house import House
from pbem.post.outbox import topic_of
from pbem.report import TurnProblem


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
        postman = Postman.of(house, table)
        id_ = postman.id_of("problem", table.name, turn.turn, table.era)
        if is_known_mail(session, id_):
            return
        page = TurnProblem(
            campaign=table.name, label=f"turn {turn.turn}", problem=problem, at=now, zone=table.schedule.zone
        )
        subject, topic = f"Turn {turn.turn} could not be resolved", topic_of("problem", table.name, turn.turn, "gm")
        postman.send(session, now, postman.mail(table.gm, subject, page, id_, kind="problem", topic=topic))
