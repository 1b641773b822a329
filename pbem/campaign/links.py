"""Links in the place of pages: a report that would bring its page as a file brings the way to it on the site."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import cast

from sqlalchemy import Table, bindparam, insert, select
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.mail.compose import Mail
from pbem.ruleset.drawing import svg_escape
from pbem.store.models import SealedPage, SeatRow
from pbem.store.session import Queue, Work, flushed, wake
from pbem.web.page import seal_page

_PUT = insert(cast(Table, SealedPage.__table__))
_SEAT = select(SeatRow.id, SeatRow.person_id).where(
    SeatRow.campaign_id == bindparam("campaign"), SeatRow.name == bindparam("seat")
)
_FIRST = re.compile(r"(?=<h2)|(?=</body>)")
_SAID = "As a page, with a desk for your orders; whoever has this link can read it:"


def with_links(session: Session, house: House, campaign_id: int | None, mails: Sequence[Mail]) -> Sequence[Mail]:
    """The mails, with links where their pages are to be linked to. Those pages are kept, sealed, for the site."""
    return [_linked(session, house, campaign_id, mail) for mail in mails]


def _linked(session: Session, house: House, campaign_id: int | None, mail: Mail) -> Mail:
    page = next((part for part in mail.parts if part.is_page and part.linked), None)
    if page is None:
        return mail
    sealed = seal_page(page.content)
    connection = flushed(session)
    seat_id, person_id = connection.execute(_SEAT, {"campaign": campaign_id, "seat": page.linked}).one()
    row = {"campaign_id": campaign_id, "seat_id": seat_id, "person_id": person_id}
    connection.execute(_PUT, [{**row, "place": sealed.place, "content": sealed.content}])
    wake(session, Work(Queue.ARCHIVE))
    url = f"{house.settings.site_url}{sealed.place}#{sealed.key}"
    return dataclasses.replace(
        mail,
        text=f"{_SAID}\n{url}\n\n{mail.text}",
        html=_with_link(mail.html, url),
        parts=tuple(part for part in mail.parts if part is not page),
    )


def _with_link(html: str, url: str) -> str:
    """The HTML of a report with the link below its head, whose first words mail programs show in their lists."""
    link = f'<p><a href="{svg_escape(url)}">Open this report as a page</a>, with a desk for your orders.</p>\n'
    return _FIRST.sub(lambda _: link, html, count=1)
