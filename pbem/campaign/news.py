"""News by mail to one address: to a GM, to a player, or to somebody who wishes to play."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Iterable

from sqlalchemy.orm import Session

from pbem.campaign.table import Table
from pbem.house import House
from pbem.post.codes import message_id, plus_address
from pbem.post.outbox import queue
from pbem.post.writing import Mail
from pbem.report.pages import Page
from pbem.report.people_pages import Notice

_NO_CAMPAIGN = b"pbem: news that belongs to no campaign"


def tell(
    session: Session, house: House, table: Table | None, now: dt.datetime, *, to: str, subject: str, said: Iterable[str]
) -> None:
    """Queues a notice of some paragraphs; `table` is None for what concerns no single campaign."""
    if table is None:
        page = Notice(paragraphs=tuple(said))
    else:
        gm = "" if to.lower() == table.gm.lower() else table.gm
        page = Notice(paragraphs=tuple(said), campaign=table.name, gm=gm)
    send_page(session, house, table, now, to=to, subject=subject, page=page)


def send_page(
    session: Session,
    house: House,
    table: Table | None,
    now: dt.datetime,
    *,
    to: str,
    subject: str,
    page: Page,
    code: str = "",
) -> None:
    """Queues one of the host's pages as a mail of its own; a reply to it carries `code`, if there is one."""
    settings = house.settings
    key = table.mail_key if table else _NO_CAMPAIGN
    mail = Mail(
        recipient=to,
        subject=f"[{table.name if table else 'pbem'}] {subject}",
        text=house.reporter.write(page),
        # Two notices may be alike in all but the moment, and a tick is one moment.
        message_id=message_id(key, settings.domain, page.page, secrets.token_hex(8)),
        reply_to=plus_address(settings.address, code) if code else settings.address,
        kind=page.page,
    )
    queue(session, mail, settings, campaign_id=table.id if table else None, now=now)
