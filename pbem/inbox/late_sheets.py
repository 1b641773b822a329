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
from pbem.campaign.order_sheets import Lines, redact_lines
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
    place = find_seat_view(load_campaign(session, campaign), seat)
    row, spot = session.get(InboxMessage, number), find_seat(session, campaign, place.seat)
    unknown = CampaignError(
        f"message {number} is none for the seat {place.seat} of {campaign}: look at its number again"
    )
    if row is None or spot is None:
        raise unknown
    letter = parse_message(row.raw)
    codes = find_codes(session, letter, app.settings.address, None)
    case = MessageContext(app, session, row.received_at, number, letter, codes=codes)
    mail = Reading(OpenedMessage(case, find_sheet(letter.lines, {campaign}), None), {campaign})
    header = mail.sheet.header
    named = header is not None and (header.campaign, header.seat) == (campaign, place.seat)
    if not (named or any(code.seat_id == spot.seat_id for code in codes.reports)):
        raise unknown
    _, _, sheet = with_edited_form(mail.case, Accepted(spot), mail.sheet)
    return _orders_in(mail.case, spot, sheet)


def _orders_in(case: MessageContext, spot: SeatContext, sheet: SheetText) -> Lines:
    """Return the lines of the sheet that counts in a message, without courtesies."""
    ruleset, view = case.app.game(spot.game), json.loads(spot.view)
    names = sender_names(case.letter.sender_name, case.letter.sender or "", spot.address, spot.seat)
    sheet = choose_sheet(ruleset, view, sheet, case.letter.filed, names)
    left = find_courtesies(ruleset, view, sheet.lines, names)
    return redact_lines([line for line in sheet.lines if line[0] not in left and line[1].strip()])


def tell_gm_of_late(case: MessageContext, claim: Declined) -> MessageContext:
    """Tell the GM, once, of a sheet for the turn that was run last; return the message, with a note on it if so."""
    spot, late = claim.spot, _turn_answered(case, claim)
    if spot is None or late is None:
        return case
    try:
        lines = lines_of_message(case.app, case.session, spot.campaign, spot.seat, case.letter_id)
    except CampaignError:
        return case
    ruleset = case.app.game(spot.game)
    if not (ruleset.free_text and lines) and not ruleset.parse(late.view, lines).entries:
        return case
    context = case.campaign_context(locked_campaign(case.session, spot.campaign))
    id_: tuple[str | int, ...] = ("late", spot.campaign, late.number, spot.seat, *(line for _, line in lines))
    if not was_posted(context, id_):
        # A GM who plays is shown no orders, nor what they would do, unless they ask for it.
        plays = context.snapshot.gm.lower() in (place.address.lower() for place in context.snapshot.playing)
        what = () if plays else (_ORDERS, form(*(line for _, line in lines)), *_what_changes(context, spot.seat, lines))
        seat, label, number = spot.seat, late.label, case.letter_id
        came = format_time(case.now, context.snapshot.schedule.zone)
        blocks = (
            f"It was read {came}, as message {number}, after the turn was run.",
            *what,
            "To run the turn again with it, reply with the first line, or type the second:",
            form(f"RERUN {seat} {number}", f"pbem rerun {spot.campaign} --sheet {seat}=inbox:{number}"),
            "To leave the turn as it is, do nothing.",
        )
        post(context, GM, Notice(subject=f"the sheet of {seat} for {label} came late", blocks=blocks), id_=id_)
    return replace(case, letter=replace(case.letter, notes=(*case.letter.notes, TOLD)))


@dataclass(frozen=True, slots=True)
class _LateFor:
    """The turn that a message came too late for, with the view and the label of the report that it answers."""

    number: int
    view: View
    label: str


def _turn_answered(case: MessageContext, claim: Declined) -> _LateFor | None:
    """Return the turn whose report a message answers, if it is the one that was run last."""
    seat_id = claim.spot.seat_id if claim.spot else 0
    answered = next((code for code in case.codes if code.is_report and code.seat_id == seat_id), None)
    report = case.session.get(Report, answered.subject_id) if answered and claim.reason in _LATE else None
    turn = case.session.get(Turn, report.turn_id) if report else None
    if report is None or turn is None or claim.spot is None or turn.shelf_id or turn.number != claim.spot.turn - 1:
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
