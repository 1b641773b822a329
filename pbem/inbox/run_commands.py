"""Execution of the commands of a message, answered in one mail to the registered address."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from pbem.actions.arguments import PlayerCommand, Proof, SeatCommand
from pbem.actions.days import fill_years
from pbem.actions.deadlines import VoteForExtension
from pbem.actions.players import LeaveSeat, SetDiceWord
from pbem.actions.seats import seat_of
from pbem.campaign.people import find_person, standby_campaigns
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign, locked_campaign
from pbem.errors import CampaignError
from pbem.inbox.account_commands import (
    change_address,
    change_fallback,
    confirm_request,
    join,
    set_format,
    withdraw,
)
from pbem.inbox.authenticate import authenticate, authenticate_request, is_own_address, only_seat
from pbem.inbox.command_parser import (
    COMMANDS,
    ORDER_COMMANDS,
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
    Status,
    Withdraw,
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
from pbem.inbox.queries import resend, send_rules, show_history, show_status
from pbem.inbox.refusals import refuse
from pbem.inbox.replies import answer
from pbem.inbox.seat_lookup import SeatContext, games_of, load_seat, seat_for_deputy, seats_of, taking_players
from pbem.inbox.sheets import ask_if_doubtful, take_beside
from pbem.report import small
from pbem.report.answers import Answer, CommandResult, tell_findings
from pbem.ruleset.order_types import Order, ParsedOrder, ParsedSheet
from pbem.store.models import Campaign, PendingRequest, Person, Seat
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
    Rules: send_rules,
    Join: join,
    Withdraw: withdraw,
    Confirm: confirm_request,
    ChangeAddress: change_address,
    Fallback: change_fallback,
    MailAs: set_format,
    **dict.fromkeys(ORDER_COMMANDS, _refuse_mixed),
}
"""Handlers of the commands that are no actions of seats."""

_LACKING_PROOF = ("needs-token", "needs-code", "unverified")

_ALONE = "LEAVE must stand alone in a mail without errors, so that nobody leaves by a slip"
_BY_SUBJECT = "nobody leaves by a subject alone. Write LEAVE as the first line of the mail itself"
_RUN_SINCE = "the turn for which you asked it has been run since"


def take_commands(mail: Reading) -> Outcome:
    """Run the commands of a message, and take the orders that stand in or below their texts."""
    request = mail.press if mail.frame == "text" else mail.request
    assert request is not None
    return run_commands(mail.case if mail.frame != "text" else mail.came.case, request)


def join_by_wish(mail: Reading) -> Outcome:
    """Answer a wish to join as JOIN."""
    assert mail.join is not None
    return run_commands(mail.case, mail.join)


def take_order_command(mail: Reading) -> Outcome:
    """Process NO ORDERS or CLEAR ORDERS as a sheet, so that the same proof, turn and deputy count."""
    case, request = mail.case, mail.request
    sheet = request.as_sheet() if request else None
    assert request is not None
    assert sheet is not None
    claim = authenticate(case, sheet.header)
    if sheet.header is None:
        if said := ask_for_seat(case, request, claim):
            return said, False
        if own := only_seat(case, claim):
            claim = authenticate(case, own)
    if not isinstance(claim, Accepted):
        return refuse(case, claim), False
    return ask_if_doubtful(case, claim, process_sheet(case, claim, sheet))


def run_commands(case: MessageContext, request: CommandList) -> Outcome:
    """Run the commands of a message and queue the answer; return what to note, and whether a sheet was saved."""
    request = replace(request, lines=tuple((number, _fill_years(case, line)) for number, line in request.lines))
    request, parsed = _find_left(case, request, request.parse())
    asker = _identify_requester(case, request, parsed)
    if isinstance(asker, Requester) and asker.spot is None and _is_forged(case, parsed):
        return f"asked for {_verbs(parsed)}; not from its sender, by the receiving server's word; not answered", False
    if isinstance(asker, Requester):
        note, is_sheet = _run_all(asker, request, parsed)
        return f"asked for {_verbs(parsed)}; {note}", is_sheet
    if request.header is None and (said := ask_for_seat(case, request, asker)):
        return said, False
    if isinstance(asker, NeedsConfirmation):
        weighty = asker.weighty or any(order.proof is Proof.STRONG for order in _commands(parsed))
        ends_seat = any(isinstance(order, LeaveSeat) for order in parsed.orders)
        asker = replace(asker, weighty=weighty, ends_seat=ends_seat, at=request.at)
    return refuse(case, asker), False


def _run_all(asker: Requester, request: CommandList, parsed: ParsedSheet) -> Outcome:
    """Run the commands for one who may give them, and take the orders beside their texts."""
    found = screen_texts(asker.case, asker.spot, request) if asker.spot and request.texts else Screened()
    note, is_sheet = take_beside(asker.case, found.sheet) if found.sheet else ("", False)
    notes = [note] if found.sheet else []
    held = bool(found.because)
    done = [
        _run_command(asker, request, parsed, entry)
        for entry in parsed.entries
        if not (held and isinstance(entry.order, SeatCommand) and entry.order.takes_text)
    ]
    if held and asker.spot is not None:
        said = offer_texts(asker.case, asker.spot, found, deputy=asker.deputy)
        notes.append(said if isinstance(said, str) else "held texts, not offered")
        done += [] if isinstance(said, str) else [said]
    elif found.notes:
        request = replace(request, notes=(*request.notes, *found.notes))
    if done or parsed.findings or not held:
        notes.append(_send_answer(asker, request, parsed, done))
    return "; ".join(notes), is_sheet


def ask_for_seat(case: MessageContext, request: CommandList, claim: AuthResult) -> str:
    """Ask a player of several seats which of them a message is for; return what to note, "" if that is no question."""
    seats = seats_of(case.session, case.letter.sender)
    if not (isinstance(claim, Declined) and claim.reason == "no-orders" and len(seats) > 1):
        return ""
    page = small.which_seat(
        address=case.address,
        commands=tuple(line for _, line in request.lines),
        seats=tuple((seat.campaign, seat.seat) for seat in seats),
    )
    return "for which seat?; " + answer(case, claim.to, page)


def _fill_years(case: MessageContext, line: str) -> str:
    verb = line.split(None, 1)[:1]
    return fill_years(line, case.now.date()) if verb and verb[0].upper()[:3] in ("ABS", "DEP") else line


def _find_left(case: MessageContext, request: CommandList, parsed: ParsedSheet) -> tuple[CommandList, ParsedSheet]:
    """Return the request with what LEAVE is meant for: a seat, or the standby list on which its sender is."""
    order = parsed.orders[0] if len(parsed.orders) == 1 else None
    if not isinstance(order, LeaveSeat) or request.header is not None or request.pressed:
        return request, parsed
    seats = seats_of(case.session, case.letter.sender)
    name = (order.campaign or "").lower()
    seat = next((each for each in seats if each.campaign == name), None)
    if seat is not None:
        return replace(request, header=SheetHeader(seat.campaign, seat.seat)), parsed
    of_seat = bool(seats) or case.key.startswith(("code ", "token "))
    listed = [name] if name else [] if of_seat else standby_campaigns(case.session, case.letter.sender)
    if len(listed) != 1:
        return request, parsed
    withdrawn = replace(parsed.entries[0], order=Withdraw(listed[0]))
    return request, replace(parsed, entries=(withdrawn,))


def _identify_requester(case: MessageContext, request: CommandList, parsed: ParsedSheet) -> Requester | AuthResult:
    """Return the requester, or a result of authentication that does not suffice for the commands."""
    commands = _commands(parsed)
    for_deputies = bool(commands) and all(order.for_deputies for order in commands)
    claim, sender = _authenticate_seat(case, request, for_deputies=for_deputies), case.letter.sender
    asks = tuple(order for order in commands if not _slip_reason(case, request, parsed, order))
    # A button may be pressed by accident, so the player is asked whatever the message proves.
    if request.pressed and (spot := _button_seat(claim)) is not None:
        return NeedsConfirmation(spot, to=spot.address, pressed=True)
    if isinstance(claim, Accepted):
        asked = next((order for order in asks if _must_confirm(case, claim, order)), None)
        if asked is not None:
            leaves = isinstance(asked, LeaveSeat) and _is_proven(case, claim)
            weighty = asked.proof is Proof.STRONG
            return NeedsConfirmation(claim.spot, to=claim.spot.address, weighty=weighty, leaves=leaves)
        asker = _for_player(case, claim.spot, proven=_is_proven(case, claim))
        return replace(asker, to=claim.deputy, deputy=claim.deputy) if claim.deputy else asker
    if isinstance(claim, NeedsConfirmation):
        own = claim.spot if claim.spot and claim.to == claim.spot.address else None
        unasked = [order for order in asks if order.proof is not Proof.ASKED]
        return _for_player(case, own, proven=False) if own and _needs_no_proof(own, unasked) else claim
    if isinstance(claim, Declined) and _is_players_own(claim) and commands and _needs_no_proof(claim.spot, commands):
        assert claim.spot is not None
        return _for_player(case, claim.spot, proven=False)
    if isinstance(claim, SenderMismatch) and claim.forged and _is_forged(case, parsed):
        return claim
    if sender is None or request.header is not None or any(order.needs_seat for order in commands):
        return claim
    person = find_person(case.session, sender)
    if person is None and not (commands and all(order.for_strangers for order in commands)):
        return UnknownSender()
    known = case.verdict == "pass" or case.confirmed is not None
    if person is not None and not known and not all(order.proof in (Proof.NONE, Proof.ASKED) for order in asks):
        return NeedsConfirmation(None, to=person.address)
    return Requester(case, person, sender, person.address if person else sender)


def _button_seat(claim: AuthResult) -> SeatContext | None:
    """Return the seat whose address is asked whether the unsubscribe button was meant; None without evidence of it."""
    if isinstance(claim, Accepted):
        return None if claim.proof == "confirmed" else claim.spot
    if isinstance(claim, Declined):
        return claim.spot if claim.reason in _LACKING_PROOF and _is_players_own(claim) else None
    return claim.spot if isinstance(claim, NeedsConfirmation) else None


def _is_proven(case: MessageContext, claim: Accepted) -> bool:
    """Return True if only the player can have written it, even if a report of theirs was passed on."""
    own = is_own_address(case.letter, claim.spot)
    vouched = own and case.verdict == "pass"
    return claim.proof == "confirmed" or vouched or (own and claim.proof == "token" and case.verdict != "fail")


def _is_forged(case: MessageContext, parsed: ParsedSheet) -> bool:
    """Return True if the receiving server says that the sender did not write it; a code is valid from anywhere."""
    return case.verdict == "fail" and not (parsed.orders and all(isinstance(order, Confirm) for order in parsed.orders))


def _authenticate_seat(case: MessageContext, request: CommandList, *, for_deputies: bool) -> AuthResult:
    """Authenticate a message for the seat that it names, else that it answers, else for its sender's only one."""
    claim = authenticate_request(case, request.header, for_deputies=for_deputies)
    own = only_seat(case, claim) if request.header is None else None
    return authenticate_request(case, own, for_deputies=for_deputies) if own else claim


def _is_players_own(claim: Declined) -> bool:
    """Return True if the refusal goes to the seat's registered address."""
    return claim.spot is not None and bool(claim.to) and claim.to == claim.spot.address


def _for_player(case: MessageContext, spot: SeatContext, *, proven: bool) -> Requester:
    player = select(Person).join(Seat, Seat.person_id == Person.id).where(Seat.id == spot.seat_id)
    return Requester(case, case.session.scalar(player), case.letter.sender or spot.address, spot.address, spot, proven)


def _run_command(asker: Requester, request: CommandList, parsed: ParsedSheet, entry: ParsedOrder) -> CommandResult:
    case, order = asker.case, entry.order
    shown = "CONFIRM" if isinstance(order, Confirm) else COMMANDS.line(order)
    if slip := _slip_reason(case, request, parsed, order):
        return CommandResult.refused(shown, slip)
    confirmed, spot = case.confirmed, asker.spot
    if isinstance(order, VoteForExtension) and confirmed and spot and confirmed.report_id != spot.report_id:
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
    assert asked.spot is not None
    case, campaign = asked.case, locked_campaign(asked.case.session, asked.spot.campaign)
    filled = replace(command, seat=asked.spot.seat, text=asked.text, account=case.account, deputy=asked.deputy)
    return filled.do(case.campaign_context(campaign)).done


def _must_confirm(case: MessageContext, claim: Accepted, order: PlayerCommand) -> bool:
    """Return True if the registered address is asked before a command is done."""
    if isinstance(order, SetDiceWord):
        return claim.proof == "address" and case.verdict != "pass" and not _is_late_dice_word(claim.spot, order)
    if isinstance(order, LeaveSeat):
        return claim.proof != "confirmed"  # it ends a seat, so the player is asked even with proof
    return order.proof is Proof.STRONG and not _is_proven(case, claim)


def _needs_no_proof(spot: SeatContext | None, commands: Iterable[PlayerCommand]) -> bool:
    """Return True if all commands can be answered whatever the message proves."""
    return all(order.proof is Proof.NONE or _is_late_dice_word(spot, order) for order in commands)


def _is_late_dice_word(spot: SeatContext | None, order: Order) -> bool:
    """Return True if a dice word comes after the start: the sender is told so at once, since a proof would not help."""
    return isinstance(order, SetDiceWord) and spot is not None and spot.status != CampaignState.FORMING


def _slip_reason(case: MessageContext, request: CommandList, parsed: ParsedSheet, order: Order) -> str:
    """Return why a command is not done for anyone, because it may not be meant; "" if it is clear."""
    if not isinstance(order, LeaveSeat) or request.pressed:
        return ""
    if parsed.errors or len(parsed.orders) > 1:
        return _ALONE
    return "" if case.letter.text.strip() else _BY_SUBJECT


def _send_answer(asker: Requester, request: CommandList, parsed: ParsedSheet, done: list[CommandResult]) -> str:
    case = asker.case
    told = tuple(each for each in done if each.result)
    if not (told or parsed.findings):
        if case.silences:
            return f"not answered: {'; '.join(case.silences)}"
        return "answered by what it brought about"
    page = Answer(
        address=case.address,
        done=told,
        findings=tell_findings(parsed.findings, request.lines),
        notes=(*case.notes, *request.notes),
    )
    left = asker.proven and any(isinstance(order, LeaveSeat) for order in parsed.orders)
    seat_id = asker.spot.seat_id if asker.spot is not None and not left else None
    if named := _named_campaign(case, asker.to, parsed):
        person = find_person(case.session, asker.to)
        place = seat_of(case.session, named, person) if person else None
        seat_id = place.id if place else None
    # Loaded again, since a command may have given its report another code.
    spot = None if seat_id is None else load_seat(case.session, seat_id)
    if spot is not None and asker.deputy:
        spot = seat_for_deputy(case.session, spot, asker.deputy)
    return answer(case, asker.to, page, about=spot or named, code=spot.code if spot is not None else "")


def _named_campaign(case: MessageContext, to: str, parsed: ParsedSheet) -> CampaignSnapshot | None:
    """Return the one campaign that commands about joining name, if the person who is answered may know of it."""
    names = {_campaign_name(case, order) for order in parsed.orders}
    name = names.pop() if len(names) == 1 else ""
    known = name and (name in games_of(case.session, to, case.now) or name in taking_players(case.session))
    return load_campaign(case.session, name) if known else None


def _campaign_name(case: MessageContext, order: Order) -> str:
    if isinstance(order, Join | Withdraw):
        return order.campaign.lower()
    if not isinstance(order, Confirm):
        return ""
    asked = select(Campaign.name).join(PendingRequest, PendingRequest.campaign_id == Campaign.id)
    return case.session.scalar(asked.where(PendingRequest.code == order.code.lower())) or ""


def _commands(parsed: ParsedSheet) -> list[PlayerCommand]:
    return [order for order in parsed.orders if isinstance(order, PlayerCommand)]


def _verbs(parsed: ParsedSheet) -> str:
    return ", ".join(COMMANDS.line(order).split()[0] for order in parsed.orders) or "nothing that is understood"
