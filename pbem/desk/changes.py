"""Commands by which somebody changes his addresses, and how mail comes to him, in all his campaigns."""

from __future__ import annotations

from pbem.campaign.people import DAYS, ENOUGH_CODES, put_request
from pbem.desk.commands import ChangeAddress, Fallback, MailAs
from pbem.desk.replies import Case, answer
from pbem.desk.requests import AskedByPerson, PersonHandlers
from pbem.mail.headers import check_address
from pbem.report.answers import Confirmation, RequestKind
from pbem.store.models import Person
from pbem.store.types import Pages

_PAGE = (
    "Your reports bring a page from now on: a file to open in your browser, where orders can be put together by"
    " clicking. FORMAT NOPAGE leaves it out."
)
_LINK = (
    "Your reports bring a link to a page from now on, in campaigns that have a site; in others the page is a file of"
    " the report. FORMAT NOPAGE leaves it out."
)
_NO_PAGE = "Your reports come without pages from now on. FORMAT PAGE changes it back."
_PAGES = {"PAGE": (Pages.ATTACHED, _PAGE), "LINK": (Pages.LINK, _LINK), "NOPAGE": (Pages.OFF, _NO_PAGE)}
"""The words for pages, and what is answered."""

_NOBODY = "This address is nobody's here, so there is nothing to change."


def _change_address(asked: AskedByPerson, order: ChangeAddress) -> str:
    if asked.person is None:
        return _NOBODY
    address = check_address(order.address, "a player", asked.case.address)
    if address.lower() == asked.person.key:
        return f"You play from {asked.person.address} already."
    return _ask_owner(asked.case, asked.person, "address", address)


def _fallback(asked: AskedByPerson, order: Fallback) -> str:
    if asked.person is None:
        return _NOBODY
    address = check_address(order.address, "a player", asked.case.address)
    return _ask_owner(asked.case, asked.person, "fallback", "" if address.lower() == asked.person.key else address)


def _ask_owner(case: Case, person: Person, kind: RequestKind, address: str) -> str:
    """Mails a code to the registered address; returns "" if it goes out."""
    data = {"person_id": person.id, "address": address}
    code = put_request(case.session, kind, case.now, to=person.address, data=data, account=case.account)
    if code is None:
        return ENOUGH_CODES
    page = Confirmation(kind=kind, code=code, address=case.address, days=DAYS, about=address)
    answer(case, person.address, page, code=code)
    return ""


def _mail_as(asked: AskedByPerson, order: MailAs) -> str:
    if asked.person is None:
        return _NOBODY
    if order.form in _PAGES:
        asked.person.pages, said = _PAGES[order.form]
        return said
    if order.form in ("CALENDAR", "NOCALENDAR"):
        asked.person.calendar = order.form == "CALENDAR"
        if asked.person.calendar:
            return "Deadlines come as files for your calendar from now on, with reports that have files at all."
        return "Deadlines come without files for your calendar from now on. FORMAT CALENDAR changes it back."
    asked.person.plain = order.form == "PLAIN"
    if asked.person.plain:
        return "Your reports come as text alone from now on, in all your campaigns. FORMAT WHOLE changes it back."
    return "Your reports come with HTML and pictures from now on, in all your campaigns."


ADDRESS_HANDLERS: PersonHandlers = {ChangeAddress: _change_address, Fallback: _fallback, MailAs: _mail_as}
"""What is done for each command of this module."""
