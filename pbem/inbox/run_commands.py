"""Execution of the commands of a message, answered in one mail to the registered address."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from sqlalchemy import select

from pbem.actions.arguments import PlayerCommand, Proof, SeatCommand
from pbem.actions.claims import ClaimTurn, LetWait
from pbem.actions.days import fill_years
from pbem.actions.deadlines import VoteForExtension
from pbem.actions.players import LeaveSeat, SetDiceWord
from pbem.actions.seats import seat_of
from pbem.campaign.people import find_person, standby_campaigns
from pbem.campaign.schedule import Schedule
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign, locked_campaign
from pbem.errors import CampaignError
from pbem.inbox.account_commands import (
    change_address,
    change_fallback,
    change_further,
    confirm_request,
    join,
    set_format,
    set_zone,
    withdraw,
)
from pbem.inbox.authenticate import authenticate, authenticate_request, is_own_address, only_seat
from pbem.inbox.command_parser import (
    COMMANDS,
    ORDER_COMMANDS,
    AlsoWriteFrom,
    ChangeAddress,
    CommandList,
    Confirm,
    Fallback,
    Handlers,
    History,
    Join,
    MailAs,
    Requester,
    Resend,
    Rules,
    ShowStandings,
    Status,
    TellTimesIn,
    Withdraw,
    absence_in,
)
from pbem.inbox.context import (
    Accepted,
    AuthResult,
    Declined,
    MessageContext,
    NeedsConfirmation,
    Outcome,
    SenderMismatch,
    UnknownSender,
)
from pbem.inbox.frames import SheetHeader
from pbem.inbox.held_texts import Screened, screen_texts
from pbem.inbox.offers import offer_texts
from pbem.inbox.order_sheets import process_sheet
from pbem.inbox.queries import resend, send_rules, show_history, show_standings, show_status
from pbem.inbox.refusals import ask_for_seat, refuse
from pbem.inbox.replies import answer
from pbem.inbox.seat_lookup import SeatContext, games_of, load_seat, seat_for_deputy, seats_of, taking_players
from pbem.inbox.sheets import OneSheet, ask_if_doubtful, take_beside, take_each
from pbem.report.answers import Answer, CommandResult, tell_findings
from pbem.ruleset.order_types import Finding, Order, ParsedOrder, ParsedSheet
from pbem.store.models import Campaign, InboxMessage, PendingRequest, Person, Seat
from pbem.store.types import CampaignState

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading


def _refuse_mixed(_asked: Requester, command: PlayerCommand) -> str:
    """Refuse a command that stands for a sheet, beside others: alone it is processed as one."""
    raise CampaignError(f"{COMMANDS.line(command)} goes in a mail of its own, or into your order sheet")


HANDLERS: Handlers = {
    Resend: resend,
    History: show_history,
    Status: show_status,
    ShowStandings: show_standings,
    Rules: send_rules,
    Join: join,
    Withdraw: withdraw,
    Confirm: confirm_request,
    ChangeAddress: change_address,
    Fallback: change_fallback,
    AlsoWriteFrom: change_further,
    MailAs: set_format,
    TellTimesIn: set_zone,
    **dict.fromkeys(ORDER_COMMANDS, _refuse_mixed),
}
"""Handlers of the commands that are no actions of seats."""

_LACKING_PROOF = ("needs-token", "needs-code", "unverified")

_ALONE = "LEAVE must stand alone in a mail without errors, so that nobody leaves by a slip"
_BY_SUBJECT = "nobody leaves by a subject alone. Write LEAVE as the first line of the mail itself"
_OF_A_TURN = (VoteForExtension, ClaimTurn, LetWait)
_RUN_SINCE = "the turn for which you asked it has been run since"


def take_commands(mail: Reading) -> Outcome:
    """Run the commands of a message, and take the orders that stand in or below their texts."""
    request = mail.press if mail.frame == "text" else mail.request
    assert request is not None
    return run_commands(mail.context if mail.frame != "text" else mail.came.context, request)


def join_by_wish(mail: Reading) -> Outcome:
    assert mail.join is not None
    return run_commands(mail.context, mail.join)


def take_order_command(mail: Reading) -> Outcome:
    """Process NO ORDERS or CLEAR ORDERS as a sheet, so that the same proof, turn and deputy count."""
    context, request = mail.context, mail.request
    sheet = request.as_sheet() if request else None
    assert request is not None
    assert sheet is not None
    result = authenticate(context, sheet.header)
    if sheet.header is None:
        if said := ask_for_seat(context, request.lines, result):
            return said, False
        if own := only_seat(context, result):
            result = authenticate(context, own)
    if not isinstance(result, Accepted):
        return refuse(context, result), False
    return ask_if_doubtful(context, result, process_sheet(context, result, sheet))


def run_commands(context: MessageContext, request: CommandList) -> Outcome:
    """Run the commands of a message and queue the answer; return what to note, and whether a sheet was saved."""
    request = replace(request, lines=tuple((number, _fill_years(context, line)) for number, line in request.lines))
    parsed = request.parse()
    findings = tuple(_with_absence(context, request, each) for each in parsed.findings)
    request, parsed = _find_left(context, request, replace(parsed, findings=findings))
    asker = _identify_requester(context, request, parsed)
    if isinstance(asker, Requester) and asker.place is None and _is_forged(context, parsed):
        return f"asked for {_verbs(parsed)}; not from its sender, by the receiving server's word; not answered", False
    if isinstance(asker, Requester):
        note, is_sheet = _run_all(asker, request, parsed)
        return f"asked for {_verbs(parsed)}; {note}", is_sheet
    if request.header is None and (said := ask_for_seat(context, request.lines, asker)):
        return said, False
    if isinstance(asker, NeedsConfirmation):
        weighty = asker.weighty or any(order.proof is Proof.STRONG for order in _commands(parsed))
        ends_seat = any(isinstance(order, LeaveSeat) for order in parsed.orders)
        asker = replace(asker, weighty=weighty, ends_seat=ends_seat, at=request.at)
    return refuse(context, asker), False


def _run_all(asker: Requester, request: CommandList, parsed: ParsedSheet) -> Outcome:
    """Run the commands for one who may give them, and take the orders beside their texts."""
    found = screen_texts(asker.context, asker.place, request) if asker.place and request.texts else Screened()
    note, is_sheet = "", 0
    if found.sheet:
        several = found.sheet.others
        one = OneSheet(asker.context, found.sheet)
        note, is_sheet = take_each(*one, take_beside) if several else take_beside(one)
    notes = [note] if found.sheet else []
    held = bool(found.because)
    done = [
        _run_command(asker, request, parsed, entry)
        for entry in parsed.entries
        if not (held and isinstance(entry.order, SeatCommand) and entry.order.takes_text)
    ]
    if held and asker.place is not None:
        said = offer_texts(asker.context, asker.place, found, deputy=asker.deputy)
        notes.append(said if isinstance(said, str) else "held texts, not offered")
        done += [] if isinstance(said, str) else [said]
    elif found.notes:
        request = replace(request, notes=(*request.notes, *found.notes))
    if done or parsed.findings or not held:
        notes.append(_send_answer(asker, request, parsed, done))
    return "; ".join(notes), is_sheet


def _fill_years(context: MessageContext, line: str) -> str:
    verb = line.split(None, 1)[:1]
    return fill_years(line, _today(context)) if verb and verb[0].upper()[:3] in ("ABS", "DEP") else line


def _with_absence(context: MessageContext, request: CommandList, finding: Finding) -> Finding:
    """Return a finding on words about an absence with the line to send, and its days as they are understood."""
    absence = absence_in(dict(request.lines).get(finding.line, ""))
    return replace(finding, hint="", corrected=fill_years(absence, _today(context))) if absence else finding


def _today(context: MessageContext) -> dt.date:
    """Return the day on which a message came, by the clock of the seat that it is for, or else of its sender."""
    session, own = context.session, seats_of(context.session, context.sender)
    seat = next((session.get(Seat, code.seat_id) for code in context.codes.reports), None)
    if seat is None and len(own) == 1:
        named = (Campaign.name == own[0].campaign, Seat.name == own[0].seat)
        seat = session.scalar(select(Seat).join(Campaign, Campaign.id == Seat.campaign_id).where(*named))
    person = seat.person if seat else find_person(session, context.sender)
    zone = (person.zone if person else "") or (Schedule.read(seat.campaign.schedule).zone if seat else "UTC")
    # Not the day on which a question about it was answered.
    return session.get_one(InboxMessage, context.inbox_id).received_at.astimezone(ZoneInfo(zone)).date()


def _find_left(context: MessageContext, request: CommandList, parsed: ParsedSheet) -> tuple[CommandList, ParsedSheet]:
    """Return the request with what LEAVE is meant for: a seat, or the standby list on which its sender is."""
    order = parsed.orders[0] if len(parsed.orders) == 1 else None
    if not isinstance(order, LeaveSeat) or request.header is not None or request.pressed:
        return request, parsed
    seats = seats_of(context.session, context.message.sender)
    name = (order.campaign or "").lower()
    seat = next((each for each in seats if each.campaign == name), None)
    if seat is not None:
        return replace(request, header=SheetHeader(seat.campaign, seat.seat)), parsed
    of_seat = bool(seats) or context.key.startswith(("code ", "token "))
    listed = [name] if name else [] if of_seat else standby_campaigns(context.session, context.message.sender)
    if len(listed) != 1:
        return request, parsed
    withdrawn = replace(parsed.entries[0], order=Withdraw(listed[0]))
    return request, replace(parsed, entries=(withdrawn,))


def _identify_requester(context: MessageContext, request: CommandList, parsed: ParsedSheet) -> Requester | AuthResult:
    """Return the requester, or a result of authentication that does not suffice for the commands."""
    commands = _commands(parsed)
    result, sender = _authenticate_seat(context, request, commands), context.message.sender
    asks = tuple(order for order in commands if not _slip_reason(context, request, parsed, order))
    # A button may be pressed by accident, so the player is asked whatever the message proves.
    if request.pressed and (place := _button_seat(result)) is not None:
        return NeedsConfirmation(place, to=place.address, pressed=True)
    if isinstance(result, Accepted):
        asked = next((order for order in asks if _must_confirm(context, result, order)), None)
        if asked is not None:
            leaves = isinstance(asked, LeaveSeat) and _is_proven(context, result)
            weighty = asked.proof is Proof.STRONG
            return NeedsConfirmation(result.place, to=result.place.address, weighty=weighty, leaves=leaves)
        asker = _for_player(context, result.place, proven=_is_proven(context, result))
        return replace(asker, to=result.deputy, deputy=result.deputy) if result.deputy else asker
    if isinstance(result, NeedsConfirmation):
        own = result.place if result.place and result.to == result.place.address else None
        unasked = [order for order in asks if order.proof is not Proof.ASKED]
        return _for_player(context, own, proven=False) if own and _needs_no_proof(own, unasked) else result
    if (
        isinstance(result, Declined)
        and _is_players_own(result)
        and commands
        and _needs_no_proof(result.place, commands)
    ):
        assert result.place is not None
        return _for_player(context, result.place, proven=False)
    if isinstance(result, SenderMismatch) and result.forged and _is_forged(context, parsed):
        return result
    if sender is None or request.header is not None or any(order.needs_seat for order in commands):
        return result
    person = find_person(context.session, sender)
    if person is None and not (commands and all(order.for_strangers for order in commands)):
        return UnknownSender()
    known = context.verdict == "pass" or context.confirmed is not None
    if person is not None and not known and not all(order.proof in (Proof.NONE, Proof.ASKED) for order in asks):
        return NeedsConfirmation(None, to=person.address)
    return Requester(context, person, sender, person.address if person else sender)


def _button_seat(result: AuthResult) -> SeatContext | None:
    """Return the seat whose address is asked whether the unsubscribe button was meant; None without evidence of it."""
    if isinstance(result, Accepted):
        return None if result.proof == "confirmed" else result.place
    if isinstance(result, Declined):
        return result.place if result.reason in _LACKING_PROOF and _is_players_own(result) else None
    return result.place if isinstance(result, NeedsConfirmation) else None


def _is_proven(context: MessageContext, result: Accepted) -> bool:
    """Return True if only the player can have written it, even if a report of theirs was passed on."""
    own = is_own_address(context.message, result.place)
    vouched = own and context.verdict == "pass"
    return result.proof == "confirmed" or vouched or (own and result.proof == "token" and context.verdict != "fail")


def _is_forged(context: MessageContext, parsed: ParsedSheet) -> bool:
    """Return True if the receiving server says that the sender did not write it; a code is valid from anywhere."""
    return context.verdict == "fail" and not (
        parsed.orders and all(isinstance(order, Confirm) for order in parsed.orders)
    )


def _authenticate_seat(context: MessageContext, request: CommandList, commands: Sequence[PlayerCommand]) -> AuthResult:
    """Authenticate a message for the seat that it names, else that it answers, else for its sender's only one."""
    for_deputies = bool(commands) and all(order.for_deputies for order in commands)
    after_end = bool(commands) and all(order.after_end for order in commands)

    def judge(header: SheetHeader | None) -> AuthResult:
        return authenticate_request(context, header, for_deputies=for_deputies, after_end=after_end)

    result = judge(request.header)
    own = only_seat(context, result) if request.header is None else None
    return judge(own) if own else result


def _is_players_own(result: Declined) -> bool:
    """Return True if the refusal goes to the seat's registered address."""
    return result.place is not None and bool(result.to) and result.to == result.place.address


def _for_player(context: MessageContext, place: SeatContext, *, proven: bool) -> Requester:
    player = select(Person).join(Seat, Seat.person_id == Person.id).where(Seat.id == place.seat_id)
    return Requester(
        context, context.session.scalar(player), context.message.sender or place.address, place.address, place, proven
    )


def _run_command(asker: Requester, request: CommandList, parsed: ParsedSheet, entry: ParsedOrder) -> CommandResult:
    context, order = asker.context, entry.order
    shown = "CONFIRM" if isinstance(order, Confirm) else COMMANDS.line(order)
    if slip := _slip_reason(context, request, parsed, order):
        return CommandResult.refused(shown, slip)
    confirmed, place = context.confirmed, asker.place
    if isinstance(order, _OF_A_TURN) and confirmed and place and confirmed.report_id != place.report_id:
        return CommandResult.refused(shown, _RUN_SINCE)
    assert isinstance(order, PlayerCommand)
    try:
        return CommandResult(shown, _do(replace(asker, text=request.texts.get(entry.line, "")), order))
    except CampaignError as error:
        return CommandResult.refused(shown, str(error))


def _do(asked: Requester, command: PlayerCommand) -> str:
    """Do what a command asks; return the answer. Raises CampaignError."""
    if not isinstance(command, SeatCommand):
        return HANDLERS[type(command)](asked, command)
    assert asked.place is not None
    context, campaign = asked.context, locked_campaign(asked.context.session, asked.place.campaign)
    filled = replace(command, seat=asked.place.seat, text=asked.text, account=context.account, deputy=asked.deputy)
    return filled.do(context.campaign_context(campaign)).done


def _must_confirm(context: MessageContext, result: Accepted, order: PlayerCommand) -> bool:
    """Return True if the registered address is asked before a command is done."""
    if isinstance(order, SetDiceWord):
        return result.proof == "address" and context.verdict != "pass" and not _is_late_dice_word(result.place, order)
    if isinstance(order, LeaveSeat):
        return result.proof != "confirmed"  # it ends a seat, so the player is asked even with proof
    return order.proof is Proof.STRONG and not _is_proven(context, result)


def _needs_no_proof(place: SeatContext | None, commands: Iterable[PlayerCommand]) -> bool:
    """Return True if all commands can be answered whatever the message proves."""
    return all(order.proof is Proof.NONE or _is_late_dice_word(place, order) for order in commands)


def _is_late_dice_word(place: SeatContext | None, order: Order) -> bool:
    """Return True if a dice word comes after the start: the sender is told so at once, since a proof would not help."""
    return isinstance(order, SetDiceWord) and place is not None and place.status != CampaignState.FORMING


def _slip_reason(context: MessageContext, request: CommandList, parsed: ParsedSheet, order: Order) -> str:
    """Return why a command is not done for anyone, because it may not be meant; "" if it is clear."""
    if not isinstance(order, LeaveSeat) or request.pressed:
        return ""
    if parsed.errors or len(parsed.orders) > 1:
        return _ALONE
    return "" if context.message.text.strip() else _BY_SUBJECT


def _send_answer(asker: Requester, request: CommandList, parsed: ParsedSheet, done: list[CommandResult]) -> str:
    context = asker.context
    told = tuple(each for each in done if each.result)
    if not (told or parsed.findings):
        if context.silences:
            return f"not answered: {'; '.join(context.silences)}"
        return "answered by what it brought about"
    page = Answer(
        address=context.address,
        done=told,
        findings=tell_findings(parsed.findings, request.lines),
        notes=(*context.notes, *request.notes),
    )
    left = asker.proven and any(isinstance(order, LeaveSeat) for order in parsed.orders)
    seat_id = asker.place.seat_id if asker.place is not None and not left else None
    if named := _named_campaign(context, asker.to, parsed):
        person = find_person(context.session, asker.to)
        seat_view = seat_of(context.session, named, person) if person else None
        seat_id = seat_view.id if seat_view else None
    # Loaded again, since a command may have given its report another code.
    place = None if seat_id is None else load_seat(context.session, seat_id)
    if place is not None and asker.deputy:
        place = seat_for_deputy(context.session, place, asker.deputy)
    return answer(context, asker.to, page, about=place or named, code=place.code if place is not None else "")


def _named_campaign(context: MessageContext, to: str, parsed: ParsedSheet) -> CampaignSnapshot | None:
    """Return the one campaign that commands about joining name, if the person who is answered may know of it."""
    names = {_campaign_name(context, order) for order in parsed.orders}
    name = names.pop() if len(names) == 1 else ""
    known = name and (name in games_of(context.session, to, context.now) or name in taking_players(context.session))
    return load_campaign(context.session, name) if known else None


def _campaign_name(context: MessageContext, order: Order) -> str:
    if isinstance(order, Join | Withdraw):
        return order.campaign.lower()
    if not isinstance(order, Confirm):
        return ""
    asked = select(Campaign.name).join(PendingRequest, PendingRequest.campaign_id == Campaign.id)
    return context.session.scalar(asked.where(PendingRequest.code == order.code.lower())) or ""


def _commands(parsed: ParsedSheet) -> list[PlayerCommand]:
    return [order for order in parsed.orders if isinstance(order, PlayerCommand)]


def _verbs(parsed: ParsedSheet) -> str:
    return ", ".join(COMMANDS.line(order).split()[0] for order in parsed.orders) or "nothing that is understood"
