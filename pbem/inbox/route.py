"""Routes of a message by its kind: automatic mail, delivery reports, commands or orders.

Automatic mail is not answered. A delivery report is believed when it names a
Message-ID of ours: that is unguessable, so only a reader of the mail can know it.
Even then it changes only the status of that one mail; no seat is taken from its
player by a report.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field, replace

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.history import add_entry
from pbem.campaign.notices import CampaignMailer
from pbem.campaign.people import match_code, verify_token
from pbem.campaign.schedule import Schedule
from pbem.inbox.authenticate import authenticate, has_orders
from pbem.inbox.command_parser import CommandList, Confirm, find_commands, find_press, find_request
from pbem.inbox.context import Accepted, AuthResult, Declined, MessageContext, NeedsConfirmation, Outcome
from pbem.inbox.frames import GmFrame, Names, SheetHeader, SheetText, find_gm_frame, find_sheet
from pbem.inbox.gm_commands import Wishes
from pbem.inbox.gm_messages import (
    answer_gm_letter,
    answer_gm_reply,
    answer_unframed,
    examine_files,
    find_gm_campaign,
    help_gm,
)
from pbem.inbox.message_queue import load_raw
from pbem.inbox.newcomers import find_join_wish, is_newcomer, offer_games
from pbem.inbox.order_sheets import process_sheet
from pbem.inbox.our_frames import is_unedited_form
from pbem.inbox.pending import (
    decline_typed,
    find_pending,
    handle_confirmation,
    refuse,
    refuse_doubtful,
    request_confirmation,
)
from pbem.inbox.press_replies import offer_press_reply
from pbem.inbox.queries import find_help, send_help
from pbem.inbox.quoted_originals import strip_our_text
from pbem.inbox.rate_limits import RateLimitExceeded
from pbem.inbox.replies import ECHO, answer, bare_subject, is_echo, tell_of_absence, warn_of_bulk_mail
from pbem.inbox.request_answers import answer_request, find_asked
from pbem.inbox.ruling_replies import answer_form_reply, examine_reply
from pbem.inbox.run_commands import ask_for_seat, only_seat, run_commands
from pbem.inbox.seat_lookup import answered_requests, shown_by_code, shown_by_reference
from pbem.inbox.sheet_choice import sheet_above_quote, with_edited_form
from pbem.inbox.wishes import answer_slip, answer_wish
from pbem.mail.authentication import AuthVerdict, authentication_verdict, is_stamping
from pbem.mail.bounces import Bounce, parse_bounce
from pbem.mail.delivery import append_reply, retry_bounced
from pbem.mail.machines import RECALL, Kind
from pbem.mail.message import Message, find_reply_codes, parse_message
from pbem.report.answers import Answer, CommandResult, Doubt
from pbem.report.notices import MailReturned
from pbem.store.models import Campaign, OutgoingMail, Person, Seat
from pbem.store.types import OutgoingState
from pbem.util import redact_all


def handle_automatic(case: MessageContext) -> str:
    """Process a message that must not be answered; return what to note of it."""
    bounce = parse_bounce(load_raw(case.session, case.letter_id))
    if bounce is None:
        told = tell_of_absence(case) if case.letter.machine.kind is Kind.ROBOT else ""
        return "; ".join(filter(None, (f"automatic mail: {case.letter.machine.reason}", told)))
    said = f"delivery report: {bounce.action}, {bounce.reason}"
    mail = find_bounced_mail(case.session, bounce)
    if mail is None:
        return f"{said}; of no mail of ours"
    said = f"{said}; of mail {mail.id} to {mail.recipient}"
    return f"{said}; {_handle_bounce(case, mail, bounce)}" if bounce.action == "failed" else said


def find_bounced_mail(session: Session, bounce: Bounce) -> OutgoingMail | None:
    """Return the mail of ours that a delivery report is about: the first of those whose Message-IDs it shows."""
    ids = bounce.message_ids
    found = {
        mail.message_id: mail for mail in session.scalars(select(OutgoingMail).where(OutgoingMail.message_id.in_(ids)))
    }
    return next((found[id_] for id_ in ids if id_ in found), None)


def _handle_bounce(case: MessageContext, mail: OutgoingMail, bounce: Bounce) -> str:
    """Send a mail another way, or mark it as bounced and notify its GM: once, whatever reports come."""
    if way := retry_bounced(case.session, mail, reason=bounce.reason, recipient=bounce.recipient, now=case.now):
        return way
    if not _mark_bounced(case, mail, bounce):
        return "known before"
    campaign = case.session.get(Campaign, mail.campaign_id) if mail.campaign_id is not None else None
    if campaign is None:
        return "it belongs to no campaign"
    text = f"mail {mail.id} to {mail.recipient} came back: {bounce.reason}"
    add_entry(case.session, campaign.id, case.now, actor="pbem", text=text, secret=True)
    if mail.recipient.lower() == campaign.gm.lower():
        return "nobody told: the GM's own mail came back"  # and so would a notice of that, without end
    _notify_gm(case, campaign, mail, bounce)
    return f"told {campaign.gm}"


def _mark_bounced(case: MessageContext, mail: OutgoingMail, bounce: Bounce) -> bool:
    # Also a deferred mail: the other side has received and refused it, so another try is in vain.
    mark = (
        update(OutgoingMail)
        .where(OutgoingMail.id == mail.id, OutgoingMail.state != OutgoingState.BOUNCED)
        .values(state=OutgoingState.BOUNCED, reply=append_reply(mail.reply, bounce.reason))
        .returning(OutgoingMail.id)
    )
    return case.session.connection().execute(mark).first() is not None


def _notify_gm(case: MessageContext, campaign: Campaign, mail: OutgoingMail, bounce: Bounce) -> None:
    page = MailReturned(
        campaign=campaign.name,
        seats=_recipient_seats(case, mail),
        recipient=mail.recipient,
        subject=bare_subject(parse_message(mail.raw).subject),
        sent_at=mail.sent_at or mail.created_at,
        zone=Schedule.read(campaign.schedule).zone,
        reason=bounce.reason,
    )
    mailer = CampaignMailer.of(case.app, campaign)
    subject = f"mail to {', '.join(page.seats) or page.recipient} came back"
    told = mailer.mail(campaign.gm, subject, page, ("bounce", mail.message_id))
    mailer.send(case.session, case.now, told)


def _recipient_seats(case: MessageContext, mail: OutgoingMail) -> tuple[str, ...]:
    named = (
        select(Seat.name)
        .join(Person, Person.id == Seat.person_id)
        .where(Seat.campaign_id == mail.campaign_id, Person.key == mail.recipient.lower())
    )
    return tuple(case.session.scalars(named.order_by(Seat.id)))


def find_credential(case: MessageContext, sheet: SheetText, gm_sheet: GmFrame | None, known: Names) -> str:
    """Return a name for the valid key that a message shows, such as "token 12" for that of a seat; "" if none.

    A code names its report, so that an old one, lost long ago, is no account of today; nor is one of a game that is
    over, whose archive may be public.
    """
    if gm_sheet is not None and (found := _gm_key(case, gm_sheet)):
        return found
    request = None if sheet.header else find_commands(case.letter.lines, known)
    header = request.header if request else sheet.header
    return _token_key(case, header) or _code_key(case, header) or _request_key(case, request)


def _gm_key(case: MessageContext, sheet: GmFrame) -> str:
    row = case.session.execute(
        select(Campaign.id, Campaign.gm_token_hash).where(Campaign.name == sheet.campaign)
    ).first()
    return f"gm {row.id}" if row and row.gm_token_hash and verify_token(sheet.key, row.gm_token_hash) else ""


# Built once: it runs for most messages.
_TOKEN = (
    select(Seat.id, Seat.token_hash)
    .join(Campaign, Campaign.id == Seat.campaign_id)
    .where(Campaign.name == bindparam("campaign"), Seat.name == bindparam("seat"))
)


def _token_key(case: MessageContext, header: SheetHeader | None) -> str:
    if header is None or not header.key:
        return ""
    seat = case.session.connection().execute(_TOKEN, {"campaign": header.campaign, "seat": header.seat}).first()
    return f"token {seat.id}" if seat and verify_token(header.key, seat.token_hash) else ""


def _code_key(case: MessageContext, header: SheetHeader | None) -> str:
    shown = case.shown_with(header.key.lower() if header else "")
    found = list(shown.values()) or shown_by_reference(case.session, case.letter.references)
    reports = [each.report_id for each in found if not each.over]
    return f"code {max(reports)}" if reports else ""


def _request_key(case: MessageContext, request: CommandList | None) -> str:
    written = [order.code.lower() for order in request.parse().orders if isinstance(order, Confirm)] if request else []
    code = match_code(case.session, [*find_reply_codes(case.letter, case.address), *written])
    return f"request {code}" if code else ""


_OUT_OF_DATE = ("stale-code", "withdrawn")


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
    letter: Message
    verdict: AuthVerdict
    sheet: SheetText
    gm_sheet: GmFrame | None
    wishes: Wishes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpenedMessage:
    """A message in its transaction, with the frames found in it."""

    case: MessageContext
    sheet: SheetText
    gm_sheet: GmFrame | None
    wishes: Wishes = field(default_factory=dict)


def parse_mail(app: App, mail: QueuedMail, known: Names) -> ParsedMail:
    """Parse a message; `known` are the names of all campaigns."""
    letter = parse_message(mail.raw)
    verdict = authentication_verdict(mail.raw, app.settings.authserv_id, letter.sender)
    return ParsedMail(mail, letter, verdict, find_sheet(letter.lines, known), find_gm_frame(letter.lines))


def with_files(app: App, read: ParsedMail) -> ParsedMail:
    """Return the message with the files of its GM's ruling examined. May take long: no transaction is to be open."""
    if read.letter.machine.kind:
        return read
    if read.gm_sheet is None:
        return replace(read, wishes=examine_reply(app, read.mail.raw, read.letter))
    return replace(read, wishes=examine_files(app, read.mail.raw, read.gm_sheet))


def open_message(app: App, session: Session, now: dt.datetime, read: ParsedMail, known: Names) -> OpenedMessage:
    """Open a message in a transaction, and find the valid key that it shows."""
    counts = read.verdict == "none" or is_stamping(session, app.settings.authserv_id)
    shown = shown_by_code(session, find_reply_codes(read.letter, app.settings.address))
    case = MessageContext(app, session, now, read.mail.id, read.letter, read.verdict if counts else "none", shown)
    key = find_credential(case, read.sheet, read.gm_sheet, known)
    return OpenedMessage(replace(case, key=key), read.sheet, read.gm_sheet, read.wishes)


def handle(found: OpenedMessage, known: Names) -> Outcome:
    """Do what a message asks; return what to note of it."""
    if found.case.letter.machine.kind is Kind.BULK:
        return _accept_bulk_sheet(*_strip_quotes(found, known))
    if found.case.letter.written_by_program:
        return _accept_automatic_sheet(found.case, found.sheet)
    answered = answered_requests(found.case.session, found.case.letter, found.case.address)
    found = replace(found, case=replace(found.case, requests=answered))
    if found.gm_sheet:
        return answer_gm_letter(found.case, found.gm_sheet, found.wishes), False
    if said := answer_form_reply(found.case, found.wishes):
        return said, False
    case, sheet = _strip_quotes(found, known)
    if said := answer_gm_reply(case, found.wishes):
        return said, False
    if sheet.header is None and (words := find_help(case)) is not None:
        campaign = find_gm_campaign(case)
        return send_help(case, words) if campaign is None else help_gm(case, campaign, words), False
    if asked := find_pending(case):
        again = handle_confirmation(case, asked, sheet, known, lambda kept: _handle_confirmed(kept, known))
        return again or _handle_own(found, case, sheet, known)
    if campaign := _unframed_campaign(case, sheet, known):
        return answer_unframed(case, campaign), False
    return _handle_own(found, case, sheet, known)


def _unframed_campaign(case: MessageContext, sheet: SheetText, known: Names) -> Campaign | None:
    """Return the campaign of a GM who wrote without a frame; None for what they may write as a player or a stranger."""
    # A key of a player is the proof of one.
    if sheet.header is not None or case.key.startswith(("code ", "token ")):
        return None
    campaign = find_gm_campaign(case)
    if campaign is None or find_asked(case):
        return None
    request = find_request(case, known)
    orders = request.parse().orders if request else ()
    as_player = request is not None and request.header is not None
    return None if as_player or any(getattr(order, "for_strangers", False) for order in orders) else campaign


def _strip_quotes(found: OpenedMessage, known: Names) -> tuple[MessageContext, SheetText]:
    """Return the message without what it quotes of ours, and the sheet that is left."""
    letter = strip_our_text(found.case.session, found.case.letter)
    if letter is found.case.letter:
        return found.case, found.sheet
    return replace(found.case, letter=letter), find_sheet(letter.lines, known)


def _handle_own(found: OpenedMessage, case: MessageContext, sheet: SheetText, known: Names) -> Outcome:
    """Handle a message that neither asks for help nor answers a question of ours."""
    # In the text as it came, since press may quote our mails on purpose.
    if press := find_press(found.case.letter.lines, found.sheet, known):
        return _run(found.case, press)
    request = None if sheet.header else find_request(case, known)
    asked = None if sheet.header else find_asked(case)
    # Words that only begin like a command are an answer: "Confirm!", "Status of the game?".
    if request and (asked is None or request.parse().orders):
        stands_for = request.as_sheet()
        if stands_for is None:
            return _run(case, request)
        return _accept_order_command(case, request, stands_for)
    if asked:
        return answer_request(case, asked, refuse), False
    if sheet.header is None and (said := offer_press_reply(case)):
        return said, False
    claim = authenticate(case, sheet.header)
    if wish := find_join_wish(case, claim):
        return _run(case, wish)
    if is_newcomer(case, claim):
        return offer_games(case, case.sender), False
    if isinstance(claim, Declined) and claim.reason in _OUT_OF_DATE:
        claim, sheet = _orders_above(case, sheet, claim)
    if isinstance(claim, Declined) and claim.reason == "no-orders" and (said := _answer_words(case, claim)):
        return said, False
    return _accept_own(case, claim, sheet)


def _accept_own(case: MessageContext, claim: AuthResult, sheet: SheetText) -> Outcome:
    """Process what a person typed, and what they edited in a form that they quote."""
    if isinstance(claim, Accepted):
        return _accept_sheet(*with_edited_form(case, claim, sheet))
    return refuse(case, claim), False


def _run(case: MessageContext, request: CommandList) -> Outcome:
    """Run the commands of a message, and take the orders that stand in or below their texts."""
    saved: list[bool] = []

    def take(sheet: SheetText) -> str:
        note, is_sheet = _accept_typed(case, sheet)
        saved.append(is_sheet)
        return note

    return run_commands(case, request, refuse, take), any(saved)


def _accept_typed(case: MessageContext, sheet: SheetText) -> Outcome:
    """Process orders beside a text. Nothing is asked, since an answer would do the whole message again."""
    own = replace(case, letter=replace(case.letter, filed=None))
    claim = authenticate(own, sheet.header)
    if sheet.header is None and (seat := only_seat(own, claim)):
        claim = authenticate(own, seat)
    if not isinstance(claim, Accepted):
        return decline_typed(own, claim), False
    try:
        taken = process_sheet(own, claim, sheet)
    except RateLimitExceeded as many:
        return str(many), False
    return (refuse_doubtful(own, claim, taken), False) if isinstance(taken, Doubt) else taken


_MOST_LINES = 8
"""Lines of a message without orders in which wishes are looked for."""


def _answer_words(case: MessageContext, claim: Declined) -> str:
    """Answer a known sender's message that wishes for a command, or mistypes one; return what to note, "" if none."""
    typed = [line.strip() for line in case.letter.lines if line.strip()] or [bare_subject(case.letter.subject)]
    today = case.now.date()
    wishes = [(line, said) for line in typed[:_MOST_LINES] if (said := answer_wish(line, today))]
    if not wishes and (said := answer_slip(typed[0])):
        wishes = [(typed[0], said)]
    if not wishes:
        return ""
    if is_echo(case, claim.spot, digits=bool(case.key)):
        return case.silent(ECHO)
    done = tuple(CommandResult(redact_all(line), said) for line, said in wishes)
    page = Answer(address=case.address, done=done, notes=case.letter.notes, hints=True)
    return "pointed to a command; " + answer(case, claim.to, page, spot=claim.spot)


def _accept_order_command(case: MessageContext, request: CommandList, sheet: SheetText) -> Outcome:
    """Process NO ORDERS or CLEAR ORDERS as a sheet, so that the same proof, turn and deputy count."""
    claim = authenticate(case, sheet.header)
    if sheet.header is None:
        if said := ask_for_seat(case, request, claim):
            return said, False
        if own := only_seat(case, claim):
            claim = authenticate(case, own)
    return _accept_sheet(case, claim, sheet) if isinstance(claim, Accepted) else (refuse(case, claim), False)


def _accept_sheet(case: MessageContext, claim: Accepted, sheet: SheetText) -> Outcome:
    """Process a sheet; ask the sender about one that may not be meant."""
    taken = process_sheet(case, claim, sheet)
    if not isinstance(taken, Doubt):
        return taken
    to = claim.deputy or claim.spot.address
    return request_confirmation(case, NeedsConfirmation(claim.spot, to=to, orders=True, doubt=taken)), False


def _orders_above(case: MessageContext, sheet: SheetText, claim: Declined) -> tuple[AuthResult, SheetText]:
    """Return the orders above a sheet that is an older report's, where the message itself answers the newest."""
    plain = authenticate(case, None)
    if not isinstance(plain, Accepted):
        return claim, sheet
    found = sheet_above_quote(case.app.game(plain.spot.game), json.loads(plain.spot.view), sheet)
    return (claim, sheet) if found is None else (plain, replace(found, header=None))


def _handle_confirmed(case: MessageContext, known: Names) -> Outcome:
    """Handle a message that its sender has confirmed."""
    lines = case.letter.lines
    return handle(OpenedMessage(case, find_sheet(lines, known), find_gm_frame(lines)), known)


_MAILED = ("token", "code", "reply")
"""Proofs that were mailed to a seat's own address."""


def _accept_bulk_sheet(case: MessageContext, sheet: SheetText) -> Outcome:
    """Process a sheet that came through a list, or with a sign by which programs ask for no answer.

    Its receipt goes to the seat's own address. Without a key, or without an order, nothing is refused by
    mail (RFC 3834), as the writer may be a machine; the GM is told once a day if there was a key.
    """
    claim = authenticate(case, sheet.header)
    if not (isinstance(claim, Accepted) and claim.proof in _MAILED):
        return handle_automatic(case), False
    case, claim, sheet = with_edited_form(case, claim, sheet)
    whole = sheet.header is not None and sheet.closed and not sheet.empty
    if whole or has_orders(case, claim.spot, sheet.lines):
        return _accept_sheet(case, claim, sheet)
    told = warn_of_bulk_mail(case, claim.spot)
    return "; ".join(filter(None, (case.silent(f"no orders, and {case.letter.machine.reason}"), told))), False


def _accept_automatic_sheet(case: MessageContext, sheet: SheetText) -> Outcome:
    """Process a sheet that a program has sent for a person, and answer nothing else (RFC 3834).

    An answering machine may quote a report, with its code and the form at its
    end. So the sheet must be all there is: whole, filled in, first in the mail,
    not quoted, and with the key in its own line.
    """
    whole = sheet.closed and not (sheet.empty or sheet.below_text or case.letter.sent_back)
    if case.letter.machine == RECALL:
        return _answer_recall(case), False
    if sheet.header is None or not whole or case.letter.machine.kind is not Kind.ROBOT:
        return handle_automatic(case), False
    claim = authenticate(case, sheet.header)
    if not (isinstance(claim, Accepted) and claim.proof in ("token", "code")):
        return handle_automatic(case), False
    if is_unedited_form(case.app.game(claim.spot.game), json.loads(claim.spot.view), sheet):
        return handle_automatic(case), False
    return _accept_sheet(case, claim, sheet)


def _answer_recall(case: MessageContext) -> str:
    """Answer a request to recall a mail: orders are withdrawn by a command."""
    claim = authenticate(case, None)
    if not isinstance(claim, Accepted):
        return handle_automatic(case)
    said = "A mail cannot be recalled, so what it brought still counts. The line CLEAR ORDERS, as a mail, withdraws it."
    page = Answer(address=case.address, done=(CommandResult(case.letter.subject, said),))
    return "pointed to CLEAR ORDERS; " + answer(case, claim.deputy or claim.spot.address, page, spot=claim.spot)
