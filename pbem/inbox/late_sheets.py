"""Sheets that came too late: the GM is told of one, and may have the turn run again with it, by its number.

A sheet is read once more from the stored message, so that a GM copies nothing. A GM can have no
other message read than one for a seat of their campaign, by its reply code or its ORDERS line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from pbem.actions.base import AuditEntry, Channel, add_audit_entries
from pbem.actions.rerun import RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.app import App
from pbem.campaign.courtesies import find_courtesies, sender_names
from pbem.campaign.notices import GM, post, was_posted
from pbem.campaign.order_sheets import Lines, parse_split, redact_lines
from pbem.campaign.snapshot import Context, find_seat_view, load_campaign, locked_campaign
from pbem.errors import CampaignError, PbemError, RulesetError
from pbem.inbox.codes import find_codes
from pbem.inbox.context import Accepted, Declined, MessageContext, OpenedMessage
from pbem.inbox.facts import Reading
from pbem.inbox.frames import SheetText, find_sheet
from pbem.inbox.seat_lookup import SeatContext, find_seat
from pbem.inbox.sheet_choice import choose_sheet, with_edited_form
from pbem.mail.message import parse_message
from pbem.report.notices import Block, Notice
from pbem.report.small import form
from pbem.ruleset.values import SeatName, View
from pbem.store.models import InboxMessage, Report, Turn
from pbem.text import as_sentence, format_time

_LATE = ("stale-code", "confirmed-late", "game-over")
"""Reasons by which a sheet may have come after its turn was run."""

_MOST_SEATS = 12
"""Seats up to which a turn is run again to see what a late sheet would have changed: that takes time."""

_ORDERS = "The orders in it:"

TOLD = "Your GM was told that it came, and may have the turn run again with it."


def lines_of_message(app: App, session: Session, campaign: str, seat: SeatName, number: int) -> Lines:
    """Return the orders in a stored message, as they would be read in a sheet of the seat.

    Raises:
        CampaignError: If there is no such seat or message, or the message is not for the seat.
    """
    seat_view = find_seat_view(load_campaign(session, campaign), seat)
    row, place = session.get(InboxMessage, number), find_seat(session, campaign, seat_view.seat)
    unknown = CampaignError(
        f"message {number} is none for the seat {seat_view.seat} of {campaign}: look at its number again"
    )
    if row is None or place is None:
        raise unknown
    message = parse_message(row.raw)
    codes = find_codes(session, message, app.settings.address, None)
    context = MessageContext(app, session, row.received_at, number, message, codes=codes)
    mail = Reading(OpenedMessage(context, find_sheet(message.lines, {campaign}), None), {campaign})
    named = next((each for each in (mail.sheet, *mail.sheet.others) if each.is_for(campaign, seat_view.seat)), None)
    if not (named or any(code.seat_id == place.seat_id for code in codes.reports)):
        raise unknown
    _, _, sheet = with_edited_form(mail.context, Accepted(place), named or mail.sheet)
    return _orders_in(mail.context, place, sheet)


def _orders_in(context: MessageContext, place: SeatContext, sheet: SheetText) -> Lines:
    """Return the lines of the sheet that counts in a message, without courtesies."""
    ruleset, view = context.app.game(place.game), place.view
    names = sender_names(context.message.sender_name, context.message.sender or "", place.address, place.seat)
    sheet = choose_sheet(ruleset, view, sheet, context.message.filed, names)
    left = find_courtesies(ruleset, view, sheet.lines, names)
    return redact_lines([line for line in sheet.lines if line[0] not in left and line[1].strip()])


def tell_gm_of_late(context: MessageContext, result: Declined) -> MessageContext:
    """Tell the GM, once, of a sheet for the turn that was run last; return the message, with a note on it if so."""
    from pbem.campaign.later_orders import split_parts  # most sheets are not late

    place, late = result.place, _turn_answered(context, result)
    if place is None or late is None:
        return context
    try:
        lines = lines_of_message(context.app, context.session, place.campaign, place.seat, context.inbox_id)
    except CampaignError:
        return context
    ruleset = context.app.game(place.game)
    present, _ = split_parts(ruleset, late.view, lines)
    if not (ruleset.free_text and present) and not parse_split(ruleset, late.view, present).entries:
        return context
    campaign_context = context.campaign_context(locked_campaign(context.session, place.campaign))
    id_: tuple[str | int, ...] = ("late", place.campaign, late.number, place.seat, *(line for _, line in lines))
    if not was_posted(campaign_context, id_):
        # A GM who plays is shown no orders, nor what they would do, unless they ask for it.
        snapshot, orders = campaign_context.snapshot, form(*(line for _, line in lines))
        plays = snapshot.gm.lower() in (seat_view.address.lower() for seat_view in snapshot.playing)
        what = () if plays else (_ORDERS, orders, *_what_changes(campaign_context, place.seat, lines))
        seat, label, number = place.seat, late.label, context.inbox_id
        came = format_time(context.now, snapshot.schedule.zone)
        blocks = (
            f"It was read {came}, as message {number}, after the turn was run.",
            *what,
            "To run the turn again with it, reply with the first line, or type the second:",
            form(f"RERUN {seat} {number}", f"pbem rerun {place.campaign} --sheet {seat}=inbox:{number}"),
            "To leave the turn as it is, do nothing.",
        )
        post(campaign_context, GM, Notice(subject=f"the sheet of {seat} for {label} came late", blocks=blocks), id_=id_)
    return replace(context, message=replace(context.message, notes=(*context.message.notes, TOLD)))


@dataclass(frozen=True, slots=True)
class _LateFor:
    """The turn that a message came too late for, with the view and the label of the report that it answers."""

    number: int
    view: View
    label: str


def _turn_answered(context: MessageContext, result: Declined) -> _LateFor | None:
    """Return the turn whose report a message answers, if it is the one that was run last."""
    seat_id = result.place.seat_id if result.place else 0
    answered = next((code for code in context.codes if code.is_report and code.seat_id == seat_id), None)
    report = context.session.get(Report, answered.subject_id) if answered and result.reason in _LATE else None
    turn = context.session.get(Turn, report.turn_id) if report else None
    if report is None or turn is None or turn.withdrawal_id:
        return None
    if result.place is None or turn.number != result.place.turn - 1:
        return None
    view = json.loads(report.view)
    return _LateFor(turn.number, view, view["label"])


def _what_changes(context: Context, seat: SeatName, lines: Lines) -> Iterator[str | Block]:
    """Yield what another run of the last turn with a sheet would bring; nothing in a game of many seats."""
    if len(context.snapshot.playing) > _MOST_SEATS:
        return
    again = RerunTurn(RerunChanges(sheets={seat: lines}))
    try:
        facts = again.look(context)
    except (PbemError, RulesetError) as error:
        yield f"The turn cannot be run with it as it is: {as_sentence(str(error))}"
        return
    # It was computed with the dice of the turn, and that is disclosed, as of all dice that a GM knows (decision 16).
    said = f"was shown what {facts.what} would have come to with a sheet that came late"
    add_audit_entries(context, (AuditEntry(said, told=True), AuditEntry(f"{said}: of {seat}", secret=True)))
    yield form(*again.render(replace(facts, tried=()), Channel(by_mail=True, undone="Nothing has changed yet.")))
    yield "Players will read in the next report that you were shown this, but not with whose sheet."
