"""Isolates unreadable rows, so that they stop their own campaign alone and are named.

Rows written by the program are always readable. But disks fail, and databases are
edited by hand: the other campaigns of the home continue regardless.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Column, insert, select, type_coerce, update
from sqlalchemy.orm import Session
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from sqlalchemy.types import NullType

from pbem.app import App
from pbem.campaign.snapshot import is_campaign_name
from pbem.errors import PARSE_ERRORS, CampaignError, PbemError, StoreError, describe_error
from pbem.log import event
from pbem.store.models import Base, Campaign, KeyValue
from pbem.store.rows import UnreadableValue, find_faults, first_fault
from pbem.store.types import UNREADABLE, CompressedMail, MessageState, OutgoingState, UtcDateTime

T = TypeVar("T")

_FACT = Base.metadata.tables["fact"].c

MEND = "put it right in the database, or restore a backup"


_SHOWN = 40


def shown(value: object) -> str:
    """Return the beginning of a value in ASCII, for a sentence that tells what was found."""
    text = ascii(value if isinstance(value, str | int | float | bytes | None) else type(value).__name__)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def each_by_itself(
    app: App, work: Callable[[str | None], object], problems: list[str], campaign: str | None = None
) -> None:
    """Call `work` for all campaigns together, or if that fails, for one after the other, so that only one fails.

    `work` is given the name of a campaign, or None for all, and may be called twice. Sentences on failures are added to
    `problems`.
    """
    try:
        # All together first: that takes a few queries, one after the other some for each campaign.
        work(campaign)
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - one campaign's fault must not stop the others
        if campaign is not None:
            problems.append(why_unreadable(app, campaign, error))
            return
        with app.store.reading() as session:
            names = session.scalars(select(Campaign.name).order_by(Campaign.id)).all()
        found: list[str] = []
        for name in names:
            each_by_itself(app, work, found, name)
        problems += found or _describe_faults(app, names, error)


def _describe_faults(app: App, campaigns: Sequence[str], error: Exception) -> list[str]:
    """Return what is wrong with campaigns that can each be worked on alone."""
    with app.store.reading() as session:
        faults = [(name, fault) for name in campaigns if (fault := fault_of(session, name))]
    said = [unreadable_words(name, error, fault) for name, fault in faults]
    return said or [f"the campaigns could not be looked after together ({describe_error(error)})"]


def why_unreadable(app: App, campaign: str, error: Exception) -> str:
    """Return the sentence on a campaign that caused an error: the field at fault, and the remedy."""
    with app.store.reading() as session:
        fault = fault_of(session, campaign)
    return unreadable_words(campaign, error, fault)


def unreadable_words(campaign: str, error: Exception, fault: UnreadableValue | None) -> str:
    """Return the same sentence for a fault that was already searched for."""
    name = str(campaign) if is_campaign_name(str(campaign)) else shown(campaign)
    if fault is None:
        return f"campaign {name} could not be looked after ({describe_error(error)})"
    return f"campaign {name} cannot be read: {fault.text}; {MEND}"


def fault_of(session: Session, campaign: str) -> UnreadableValue | None:
    """Return the first unreadable value of a campaign or of its people, or None."""
    # Compared here: a name that is not UTF-8 cannot be a parameter of a query.
    ids = {name: id_ for id_, name in session.execute(select(Campaign.id, Campaign.name))}
    return first_fault(session.connection(), ids[campaign]) if campaign in ids else None


@contextmanager
def readable(app: App, campaign: str) -> Iterator[None]:
    """Raise CampaignError naming the field at fault if the block cannot read a row of the campaign."""
    try:
        yield
    except UNREADABLE as error:
        with app.store.reading() as session:
            fault = fault_of(session, campaign)
        if fault is None:
            raise
        raise CampaignError(unreadable_words(campaign, error, fault)) from error


def noticed(notices: list[str], what: str, ask: Callable[[], Any], default: Any) -> Any:
    """Return what `ask` returns, or the default, with a notice added, where a row cannot be read."""
    try:
        return ask()
    except UNREADABLE as error:
        notices.append(f"{what} cannot be read ({describe_error(error)}); pbem doctor names the row")
        return default


def read_fact(session: Session, name: str, parse: Callable[[Any], T]) -> T | None:
    """Return the remembered value of a name as parsed; None if there is none or it cannot be read."""
    # NullType leaves the stored text as it is, since CanonicalJson would raise on damaged JSON.
    row = session.execute(select(type_coerce(_FACT.data, NullType())).where(_FACT.name == name)).first()
    try:
        return None if row is None else parse(json.loads(str(row[0])))
    except PARSE_ERRORS as error:
        event("fact cannot be read", level="warning", name=name, text=describe_error(error))
        return None


def keep_fact(session: Session, name: str, data: Any) -> None:
    """Remember a value under a name, replacing the one before."""
    kept = session.scalar(update(KeyValue).where(KeyValue.name == name).values(data=data).returning(KeyValue.name))
    if kept is None:
        session.execute(insert(KeyValue).values(name=name, data=data))


def mail_at_rest(app: App, work: Callable[[], object], problems: list[str], now: dt.datetime) -> None:
    """Call `work` on messages or mails; if it fails because of unreadable rows, set these aside and call it again."""
    try:
        work()
    except PbemError:
        raise
    except Exception as error:  # noqa: BLE001 - raised again, unless rows are at fault
        problems += set_aside(app, now, error)
        work()


_AT_REST: dict[str, dict[str, Any]] = {
    "inbox": {"state": MessageState.QUARANTINED},
    "outgoing": {"state": OutgoingState.FAILED},
}
_SAYS = {"inbox": "note", "outgoing": "reply"}


def set_aside(app: App, now: dt.datetime, error: Exception) -> list[str]:
    """Set messages and mails aside that cannot be read; the field at fault is emptied, and its content reported.

    Raises `error` if there are none, since they cannot have caused it.
    """
    with app.store.reading() as session:
        faults = [fault for fault in find_faults(session.connection()) if fault.table in _AT_REST]
    said = []
    for fault in faults:
        table = Base.metadata.tables[fault.table]
        values = {**_AT_REST[table.name], _SAYS[table.name]: f"it cannot be read: {fault.text}", "masked_at": now}
        with app.store.writing() as session:
            emptied = {fault.field: _neutral_value(table.c[fault.field], now)} | values
            session.execute(update(table).where(table.c.id == int(fault.row)).values(emptied))
        said.append(f"{fault.text}; the field was emptied")
    if not said:
        raise error
    return said


def _neutral_value(column: Column[Any], now: dt.datetime) -> Any:
    """Return the default of a column, or the empty value of its type; for a time, now."""
    if column.nullable or isinstance(column.type, UtcDateTime):
        return None if column.nullable else now
    if isinstance(column.default, ScalarElementColumnDefault):
        return column.default.arg
    return b"" if isinstance(column.type, CompressedMail) else ""
