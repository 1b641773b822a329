"""Isolates unreadable rows, so that they stop their own campaign alone and are named.

Rows written by the program are always readable. But disks fail, and databases are
edited by hand: the other campaigns of the home continue regardless.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from sqlalchemy import Table, insert, select, type_coerce, update
from sqlalchemy.exc import DataError
from sqlalchemy.orm import Session
from sqlalchemy.types import NullType

from pbem.app import App
from pbem.campaign.column_checks import FACTS, Fault, find_faults
from pbem.campaign.value_checks import is_campaign_name, shown, stored_data
from pbem.errors import PARSE_ERRORS, CampaignError, PbemError, StoreError, describe_error
from pbem.log import event
from pbem.store.models import Base, Campaign, KeyValue
from pbem.store.types import MailForm, MessageState, OutgoingState

UNREADABLE = (*PARSE_ERRORS, zlib.error, DataError)
"""Errors raised by values of the database that the program did not write; DataError for PostgreSQL's infinite times."""

_FACT = Base.metadata.tables["fact"].c

MEND = "put it right in the database, or restore a backup"


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
        faults = [(name, fault) for name in campaigns if (fault := fault_of(session, name, error))]
    said = [unreadable_words(name, error, fault) for name, fault in faults]
    return said or [f"the campaigns could not be looked after together ({describe_error(error)})"]


def why_unreadable(app: App, campaign: str, error: Exception) -> str:
    """Return the sentence on a campaign that caused an error: the field at fault, and the remedy."""
    with app.store.reading() as session:
        fault = fault_of(session, campaign, error)
    return unreadable_words(campaign, error, fault)


def unreadable_words(campaign: str, error: Exception, fault: Fault | None) -> str:
    """Return the same sentence for a fault that was already searched for."""
    name = str(campaign) if is_campaign_name(str(campaign)) else shown(campaign)
    if fault is None:
        return f"campaign {name} could not be looked after ({describe_error(error)})"
    return f"campaign {name} cannot be read: {fault.text}; {MEND}"


def fault_of(session: Session, campaign: str, error: Exception) -> Fault | None:
    """Return the first unreadable value of a campaign or of its people that may have raised an error, or None."""
    # Compared here: a name that is not UTF-8 cannot be a parameter of a query.
    ids = {name: id_ for id_, name in session.execute(select(Campaign.id, Campaign.name))}
    if campaign not in ids:
        return None
    with closing(find_faults(session.connection(), ids[campaign])) as faults:
        return next((fault for fault in faults if fault.may_raise(error)), None)


@contextmanager
def readable(app: App, campaign: str) -> Iterator[None]:
    """Raise CampaignError naming the field at fault if the block cannot read a row of the campaign."""
    try:
        yield
    except UNREADABLE as error:
        with app.store.reading() as session:
            fault = fault_of(session, campaign, error)
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


def read_fact(session: Session, name: str) -> Any:
    """Return the remembered value of a name; None if there is none or it cannot be read."""
    # NullType leaves the stored text as it is, since CanonicalJson would raise on damaged JSON.
    row = session.execute(select(type_coerce(_FACT.data, NullType())).where(_FACT.name == name)).first()
    if row is None:
        return None
    try:
        data = stored_data(row[0])
        FACTS[name](data)
    except ValueError as error:
        event("fact cannot be read", level="warning", name=name, text=str(error))
        return None
    return data


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
    "letter": {"state": MessageState.QUARANTINED},
    "outgoing": {"state": OutgoingState.FAILED},
}
_SAYS = {"letter": "note", "outgoing": "reply"}
_NEUTRAL: dict[str, Any] = {"raw": b"", "attempts": 0, "unanswered": False, "form": MailForm.FULL}


def set_aside(app: App, now: dt.datetime, error: Exception) -> list[str]:
    """Set messages and mails aside that cannot be read; the field at fault is emptied, and its content reported.

    Raises `error` if there are none, since they cannot have caused it.
    """
    with app.store.reading() as session:
        faults = [fault for fault in find_faults(session.connection()) if fault.table in _AT_REST]
    said = []
    for fault in faults:
        table = Base.metadata.tables[fault.table]
        with app.store.writing() as session:
            session.execute(
                update(table).where(table.c.id == int(fault.row)).values(_neutral_values(table, fault, now))
            )
        said.append(f"{fault.text}; the field was emptied")
    if not said:
        raise error
    return said


def _neutral_values(table: Table, fault: Fault, now: dt.datetime) -> dict[str, Any]:
    values = {**_AT_REST[table.name], _SAYS[table.name]: f"it cannot be read: {fault.text}", "masked_at": now}
    column = table.c[fault.field]
    if fault.field in values or fault.field == "id":
        return values
    if column.nullable:
        return values | {fault.field: None}
    neutral = _NEUTRAL.get(fault.field, now if fault.field.endswith("_at") or fault.field == "not_before" else "")
    return values | {fault.field: neutral}
