"""Dispatch of a message: what it is by the table of routes, and the handler of its row."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.people import verify_token
from pbem.inbox.codes import find_codes
from pbem.inbox.command_parser import CommandList, Confirm, find_commands
from pbem.inbox.context import Confirmed, MessageContext, OpenedMessage, Outcome
from pbem.inbox.facts import Reading
from pbem.inbox.frames import GmFrame, Names, SheetHeader, SheetText, find_gm_frame, find_sheet
from pbem.inbox.gm_commands import Wishes
from pbem.inbox.routes import HANDLERS, choose_route
from pbem.mail.authentication import AuthVerdict, authentication_verdict, is_stamping, test_key
from pbem.mail.message import Message, parse_message
from pbem.store.models import Campaign, OutgoingMail, Seat


@dataclass(frozen=True, slots=True)
class QueuedMail:
    """A message yet to be parsed."""

    id: int
    raw: bytes
    received_at: dt.datetime


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """A parsed message, and the frames in it; `verdict` is that of the receiving server on its sender.

    `wishes` are those of a GM's commands that take files, once these were examined.
    """

    mail: QueuedMail
    message: Message
    verdict: AuthVerdict
    sheet: SheetText
    gm_sheet: GmFrame | None
    wishes: Wishes = field(default_factory=dict)


def parse_mail(app: App, mail: QueuedMail, known: Names) -> ParsedMail:
    """Parse a message; `known` are the names of all campaigns."""
    message = parse_message(mail.raw)
    server, taker = app.settings.authserv_id, app.settings.received_by
    verdict = authentication_verdict(mail.raw, server, message.sender, taker) if server and message.sender else "none"
    return ParsedMail(mail, message, verdict, find_sheet(message.lines, known), find_gm_frame(message.lines))


def open_message(app: App, session: Session, now: dt.datetime, read: ParsedMail, known: Names) -> OpenedMessage:
    """Open a message in a transaction, and find the valid key that it shows."""
    counts = read.verdict == "none" or is_stamping(session, app.settings.authserv_id)
    codes = find_codes(session, read.message, app.settings.address, now)
    context = MessageContext(app, session, now, read.mail.id, read.message, read.verdict if counts else "none", codes)
    key = find_credential(context, read.sheet, read.gm_sheet, known)
    return OpenedMessage(replace(context, key=key), read.sheet, read.gm_sheet, read.wishes)


def handle(came: OpenedMessage, known: Names) -> Outcome:
    """Do what a message asks; return what to note of it."""
    mail = Reading(came, known)
    done = find_handler(choose_route(mail).route)(mail)
    if not isinstance(done, Confirmed):
        return done
    lines = done.context.message.lines
    return done.conclude(handle(OpenedMessage(done.context, find_sheet(lines, known), find_gm_frame(lines)), known))


Handler = Callable[[Reading], Outcome | Confirmed]


def find_handler(route: str) -> Handler:
    """Return the handler of a route, imported when it is asked for: most messages are sheets."""
    module, _, name = HANDLERS[route].partition(":")
    handler: Handler = getattr(import_module(f"pbem.inbox.{module}"), name)
    return handler


def find_credential(context: MessageContext, sheet: SheetText, gm_sheet: GmFrame | None, known: Names) -> str:
    """Return a name for the valid key that a message shows, such as "token 12" for that of a seat; "" if none.

    A code names its report, so that an old one, lost long ago, is no account of today; nor is one of a game that is
    over, whose archive may be public.
    """
    if gm_sheet is not None and (found := _gm_key(context, gm_sheet)):
        return found
    request = None if sheet.header else find_commands(context.message.lines, known)
    header = request.header if request else sheet.header
    key = find_seat_key(context, header) or _request_key(context, request) or _test_key(context)
    # What one sheet proves is no account of another's.
    unproved = sheet.others and not all(find_seat_key(context, each.header) for each in sheet.others)
    return "" if unproved else key


def find_seat_key(context: MessageContext, header: SheetHeader | None) -> str:
    """Return a name for the valid token or code that a frame, or the message, shows for a seat; "" if none."""
    return _token_key(context, header) or _code_key(context, header)


def _gm_key(context: MessageContext, sheet: GmFrame) -> str:
    row = context.session.execute(
        select(Campaign.id, Campaign.gm_token_hash).where(Campaign.name == sheet.campaign)
    ).first()
    return f"gm {row.id}" if row and row.gm_token_hash and verify_token(sheet.key, row.gm_token_hash) else ""


# Built once: it runs for most messages.
_TOKEN = (
    select(Seat.id, Seat.token_hash)
    .join(Campaign, Campaign.id == Seat.campaign_id)
    .where(Campaign.name == bindparam("campaign"), Seat.name == bindparam("seat"))
)


def _token_key(context: MessageContext, header: SheetHeader | None) -> str:
    if header is None or not header.key or context.codes.report_with(header.key.lower()):
        return ""
    seat = context.session.connection().execute(_TOKEN, {"campaign": header.campaign, "seat": header.seat}).first()
    return f"token {seat.id}" if seat and verify_token(header.key, seat.token_hash) else ""


def _code_key(context: MessageContext, header: SheetHeader | None) -> str:
    named = context.codes.report_with(header.key.lower()) if header else None
    found = [*filter(None, [named]), *context.codes.reports]
    reports = [each.subject_id for each in found if not each.over]
    return f"code {max(reports)}" if reports else ""


def _request_key(context: MessageContext, request: CommandList | None) -> str:
    written = {order.code.lower() for order in request.parse().orders if isinstance(order, Confirm)} if request else ()
    confirmed = (each.key for each in context.codes.typed if each.key in written and not each.is_report)
    code = context.codes.request_key or next(confirmed, "")
    return f"request {code}" if code else ""


def _test_key(context: MessageContext) -> str:
    """Return the key of a person's reply to a test of the mailbox, from the address to which the test went."""
    found = next((each for each in context.codes.of("test") if not each.state), None)
    if found is None or not context.sender or context.message.written_by_program:
        return ""
    asked = context.session.get_one(OutgoingMail, found.subject_id).recipient
    return test_key(found.subject_id) if asked.lower() == context.sender.lower() else ""
