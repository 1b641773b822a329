"""Which right key a letter shows, found by index and before any limit is asked: by it the letter has an account."""

from __future__ import annotations

from sqlalchemy import select

from pbem.campaign.people import known_code, token_fits
from pbem.desk.commands import Confirm
from pbem.desk.gm_commands import GmSheet
from pbem.desk.replies import Case
from pbem.desk.requests import CommandList, find_request
from pbem.desk.seats import find_seat, shown_by_code, shown_by_reference
from pbem.desk.sheet import Header, Names, SheetText
from pbem.mail.message import find_codes
from pbem.store.models import Campaign


def right_key(case: Case, sheet: SheetText, gm_sheet: GmSheet | None, known: Names) -> str:
    """A name for the key that a letter shows, such as "token 12" for that of a seat; "" if it shows none that is right.

    A code names its report, so that an old one, lost long ago, is no account of today; nor is one of a game that is
    over, whose archive may lie where everybody can read it.
    """
    if gm_sheet is not None and (found := _gm_token(case, gm_sheet)):
        return found
    request = None if sheet.header else find_request(case.letter.lines, known)
    header = request.header if request else sheet.header
    return _token(case, header) or _code(case, header) or _confirmed(case, request)


def _gm_token(case: Case, sheet: GmSheet) -> str:
    row = case.session.execute(
        select(Campaign.id, Campaign.gm_token_hash).where(Campaign.name == sheet.campaign)
    ).first()
    return f"gm {row.id}" if row and row.gm_token_hash and token_fits(sheet.key, row.gm_token_hash) else ""


def _token(case: Case, header: Header | None) -> str:
    seat = find_seat(case.session, header.campaign, header.seat) if header and header.key else None
    return f"token {seat.id}" if header and seat and token_fits(header.key, seat.token_hash) else ""


def _code(case: Case, header: Header | None) -> str:
    written = [header.key.lower()] if header and header.key else []
    shown = shown_by_code(case.session, [*find_codes(case.letter, case.address), *written])
    found = list(shown.values()) or shown_by_reference(case.session, case.letter.references)
    reports = [each.report_id for each in found if not each.over]
    return f"code {max(reports)}" if reports else ""


def _confirmed(case: Case, request: CommandList | None) -> str:
    written = [order.code.lower() for order in request.parse().orders if isinstance(order, Confirm)] if request else []
    code = known_code(case.session, [*find_codes(case.letter, case.address), *written])
    return f"request {code}" if code else ""
