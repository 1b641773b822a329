"""Authentication of a message: its seat, and whether its content may be accepted.

Trust comes from any one of: the seat's token, a reply code mailed to it (in the
ORDERS line, the plus-address, the subject, or as the Message-ID that a reply
names), the address of its player or deputy, or the answer of that address to the
question whether the message is its own. The campaign's house rules say which of
them are sufficient (docs/decisions/0004 and 0014). A message that shows a code of
an earlier report, and no token, is stale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from pbem.campaign.order_sheets import Lines, parse_split
from pbem.campaign.people import verify_token
from pbem.inbox.codes import Code
from pbem.inbox.context import (
    Accepted,
    AuthResult,
    Declined,
    DeputyExpired,
    Evidence,
    MessageContext,
    NeedsConfirmation,
    Proof,
    SeatMismatch,
    SenderMismatch,
    UnknownSender,
)
from pbem.inbox.frames import SheetHeader
from pbem.inbox.rate_limits import is_guess
from pbem.inbox.seat_lookup import (
    DeputyInfo,
    SeatContext,
    find_seat,
    find_stand_in,
    is_known,
    last_seats_of,
    load_seat,
    seat_names,
    seats_of,
)
from pbem.mail.authentication import AuthVerdict
from pbem.mail.message import Message
from pbem.report.answers import Reason
from pbem.ruleset.fields import suggest
from pbem.store.types import CampaignState

WRONG_KEY = (
    "The last word of your ORDERS line is neither your token nor the code of your report. "
    "The sheet counts because it came from your address, or as a reply."
)
PAUSED = (
    "Your seat is paused: this sheet counts, but no turn waits for your sheets. "
    "A mail with the line RESUME ends the pause."
)


def authenticate(context: MessageContext, header: SheetHeader | None) -> AuthResult:
    """Return whether a message may send a sheet, and for which seat. `header` is that of its sheet, if it has one."""
    result = _authenticate(context, header, changing=False)
    if not isinstance(result, Accepted):
        return result
    return replace(result, notes=(*result.notes, *_sheet_notes(context, result)))


def _sheet_notes(context: MessageContext, seated: Accepted) -> Iterator[str]:
    """Yield what the seat's player should know of an accepted sheet."""
    if seated.deputy:
        yield f"The sheet came from {seated.deputy}, who stands in for the seat's player."
    elif seated.proof != "confirmed" and not is_own_address(context.message, seated.place):
        shown = "its token" if seated.proof == "token" else "the reply code of its report"
        came = f"The sheet came from {context.shown_sender}, which is not the seat's address"
        yield f"{came}; it counts because it had {shown}."
    if seated.place.paused:
        yield PAUSED


def authenticate_request(
    context: MessageContext, header: SheetHeader | None, *, for_deputies: bool = False, after_end: bool = False
) -> AuthResult:
    """Return whether a message may change a seat; `header` is that of its frame, if it has one.

    A deputy may send sheets and what is `for_deputies`, and nothing else. The code of an old
    report does no harm when the message comes from the seat's own address. `after_end`: it
    asks only for what may be done in a game that is over.
    """
    result = _authenticate(context, header, changing=True, after_end=after_end)
    if isinstance(result, Accepted) and result.deputy and not for_deputies:
        return Declined(reason="deputy-asks", to=result.deputy, place=result.place)
    return result


def _authenticate(
    context: MessageContext, header: SheetHeader | None, *, changing: bool, after_end: bool = False
) -> AuthResult:
    session, message = context.session, context.message
    if context.confirmed is not None and context.confirmed.seat_id is not None:
        confirmed = Evidence(load_seat(session, context.confirmed.seat_id), "confirmed")
        return _decide(context, confirmed, changing=changing, after_end=after_end)
    key = header.key.lower() if header else ""
    replied = context.codes.reports
    if header is None:
        found = _reply_evidence(session, message, replied)
    elif (place := find_seat(session, header.campaign, header.seat)) is None:
        found = _unknown_seat(session, message, header, replied)
    else:
        found = _frame_evidence(session, message, header, place, named=context.codes.report_with(key), replied=replied)
    if not isinstance(found, Evidence):
        return found
    return _decide(context, _drop_outdated_key(context, found), changing=changing, after_end=after_end)


def _drop_outdated_key(context: MessageContext, evidence: Evidence) -> Evidence:
    """Return the evidence without a key that is no longer valid.

    The key was renewed, as for another player, between its look-up and the campaign's
    lock; or it is that of a deputy whose time is over.
    """
    shown, place = evidence.shown, evidence.place
    if shown is not None and shown.stand_in is not None:
        return evidence if shown.stand_in.is_on(context.now) else replace(evidence, proof=None, shown=None)
    if shown is None or shown.subject_id != place.report_id or shown.key in (place.code, place.report_message_id):
        return evidence
    return replace(evidence, proof=None, shown=None)


def _reply_evidence(session: Session, message: Message, replied: Sequence[Code]) -> AuthResult | Evidence:
    if not replied:
        return _without_code(session, message)
    if len({shown.seat_id for shown in replied}) > 1:
        return _seat_mismatch(load_seat(session, replied[0].seat_id), None)
    return Evidence(load_seat(session, replied[0].seat_id), "reply", _newest_report(replied))


def _without_code(session: Session, message: Message) -> AuthResult:
    if message.sender is None or not is_known(session, message.sender):
        return UnknownSender()
    seats = seats_of(session, message.sender)
    place = find_seat(session, seats[0].campaign, seats[0].seat) if len(seats) == 1 else None
    return Declined(reason="no-orders", to=message.sender, place=place)


def _unknown_seat(session: Session, message: Message, header: SheetHeader, replied: Sequence[Code]) -> AuthResult:
    """Decline a header that names no seat.

    Only known people are told, and the hint has nothing but what is theirs.
    """
    if replied:
        place = load_seat(session, replied[0].seat_id)
        if not place.address:
            return UnknownSender()
        to, own = place.address, [(place.campaign, place.seat)]
    elif message.sender is not None and is_known(session, message.sender):
        to, own = message.sender, [(seat.campaign, seat.seat) for seat in seats_of(session, message.sender)]
    else:
        return UnknownSender()
    if header.campaign in {campaign for campaign, _ in own}:
        hint = suggest(header.seat, seat_names(session, header.campaign))
        return Declined(reason="unknown-seat", to=to, typed=f"{header.seat} in {header.campaign}", hint=hint)
    hint = suggest(header.campaign, sorted({campaign for campaign, _ in own}))
    return Declined(reason="wrong-campaign", to=to, typed=header.campaign, hint=hint)


def _frame_evidence(
    session: Session,
    message: Message,
    header: SheetHeader,
    place: SeatContext,
    *,
    named: Code | None,
    replied: Sequence[Code],
) -> AuthResult | Evidence:
    own = [shown for shown in replied if shown.seat_id == place.seat_id]
    other = [shown for shown in (named, *replied) if shown is not None and shown.seat_id != place.seat_id]
    by_token = named is None and verify_token(header.key, place.token_hash)  # a code is no token
    # Header and codes disagree: nothing is taken, and the mail is answered with both readings (docs/decisions/0004).
    if other:
        proven = by_token or is_own_address(message, place)
        return _seat_mismatch(place if proven else load_seat(session, other[0].seat_id), header)
    if by_token:
        return Evidence(place, "token")
    if named is not None:
        return Evidence(place, "code", named)
    notes = (WRONG_KEY,) if header.key else ()
    if own:
        return Evidence(place, "reply", _newest_report(own), notes)
    return Evidence(place, None, None, notes, guessed=is_guess(header.key))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writer of a message for a seat, or the one who has confirmed it: its player, or a deputy, present or not."""

    own: bool
    deputy: str = ""
    lapsed: DeputyInfo | None = None


def _find_writer(context: MessageContext, place: SeatContext, shown: Code | None) -> _Writer:
    if shown is not None and shown.stand_in is not None:
        return _Writer(own=False, deputy=shown.stand_in.address)  # the code is the deputy's own, whatever From says
    sender = context.confirmed.by if context.confirmed else context.message.sender
    own = sender is not None and sender.lower() == place.address.lower()
    found = None if own or sender is None else find_stand_in(context.session, place.seat_id, sender, context.now)
    if found is None:
        return _Writer(own)
    return _Writer(own, deputy=found.address) if found.is_on(context.now) else _Writer(own, lapsed=found)


def _decide(context: MessageContext, evidence: Evidence, *, changing: bool, after_end: bool) -> AuthResult:
    """Return what the evidence is sufficient for.

    It depends on the writer, the state of the game, the house rules and the turn.
    """
    place = evidence.place
    if not place.address:
        return _vacant_seat(context, evidence)
    writer = _find_writer(context, place, evidence.shown)
    proof = evidence.proof or ("address" if writer.own or writer.deputy else None)
    if writer.lapsed and proof != "token":
        return DeputyExpired(place, writer.lapsed)
    if proof is None:
        return SenderMismatch(place, guessed=evidence.guessed)
    stale = _reason_by_turn(context, place, evidence, changing=changing)
    if stale and changing and writer.own and _reason_by_policy(place, "address", context.verdict) is None:
        # The code of an old report proves nothing, but the address remains as good as without it.
        proof, stale = "address", None
    reason = _reason_by_state(place, changing=changing, after_end=after_end) or _reason_by_policy(
        place, proof, context.verdict
    )
    if reason == "forged":
        return SenderMismatch(place, forged=True)
    if lacking := reason or stale:
        return Declined(reason=lacking, to=place.address, place=place)
    if (proof == "address" or place.status == CampaignState.OVER) and _must_ask(context, place, proof, writer):
        return NeedsConfirmation(place, to=writer.deputy or place.address, orders=not changing)
    return Accepted(place, evidence.notes, proof, writer.deputy)


def _must_ask(context: MessageContext, place: SeatContext, proof: Proof, writer: _Writer) -> bool:
    """Return True if a proof that suffices by the house rules may be another's, so that its owner is asked."""
    policy, vouched = place.policy.authentication, context.verdict == "pass"
    if place.status == CampaignState.OVER and proof in ("reply", "code") and not writer.deputy:
        # The archive of a game that is over may be public, and has its codes.
        return not (writer.own and (vouched or policy == "address"))
    # Anyone can write an address into From (docs/decisions/0014).
    return proof == "address" and policy == "confirm" and not vouched


def _reason_by_state(place: SeatContext, *, changing: bool, after_end: bool) -> Reason | None:
    """Return why the seat cannot be served at all; None if it can.

    Before the start a seat takes no sheets, but may be changed.
    """
    if place.status == CampaignState.MOVED:
        return "moved"
    if place.status == CampaignState.OVER and not after_end:
        return "game-over"
    if place.status == CampaignState.FORMING and not changing:
        return "not-started"
    return None if place.playing else "removed"


def _reason_by_policy(place: SeatContext, proof: Proof, verdict: AuthVerdict) -> Reason | None:
    """Return why the proof does not suffice by the house rules; None if it does."""
    accept = place.policy.authentication
    if proof == "confirmed":
        return None
    if accept == "token" and place.status == CampaignState.FORMING:
        accept = "code"  # there are no tokens yet
    if accept == "token" and proof != "token":
        return "needs-token"
    if proof != "address":
        return None
    if verdict == "fail":
        return "forged"
    if accept == "code":
        return "needs-code"
    return "unverified" if accept == "verified" and verdict != "pass" else None


def _reason_by_turn(
    context: MessageContext, place: SeatContext, evidence: Evidence, *, changing: bool
) -> Reason | None:
    """Return why the report is not the one to answer; None if it is.

    It is the report that the message answers, or for a confirmed message the newest one when that came.
    """
    if context.confirmed is not None:
        return None if changing or context.confirmed.report_id == place.report_id else "confirmed-late"
    shown = evidence.shown
    if shown is None or shown.subject_id == place.report_id:
        return None
    return "withdrawn" if shown.withdrawn else "stale-code"


def _vacant_seat(context: MessageContext, evidence: Evidence) -> AuthResult:
    """Decline a message for a vacant seat; only a sender who knows one of its keys, and so has played it, is told."""
    sender = context.message.sender
    if evidence.proof is None or sender is None or not is_known(context.session, sender):
        return UnknownSender()
    return Declined(reason="vacant", to=sender, place=evidence.place)


def _seat_mismatch(place: SeatContext, header: SheetHeader | None) -> AuthResult:
    return SeatMismatch(place.address, header) if place.address else UnknownSender()


def reads_as_order(context: MessageContext, line: tuple[int, str]) -> bool:
    """Return True if a numbered line of a reply is an order of its seat's game: some games accept free text."""
    result = authenticate(context, None)
    return isinstance(result, Accepted) and are_orders(context, result.place, [line])


def are_orders(context: MessageContext, place: SeatContext, lines: Lines) -> bool:
    """Return True if all numbered lines are orders of a seat's game."""
    read = parse_split(context.app.game(place.game), place.view, lines)
    return bool(read.entries) and not read.errors


def find_orders(context: MessageContext, place: SeatContext, lines: Lines) -> Lines:
    """Return those of numbered lines that are orders of a seat's game; none in a game of free words."""
    game = context.app.game(place.game)
    read = () if game.free_text else parse_split(game, place.view, lines).entries
    numbers = {entry.line for entry in read}
    return tuple(line for line in lines if line[0] in numbers)


def is_own_address(message: Message, place: SeatContext) -> bool:
    """Return True if the From of a message names the seat's own address."""
    return message.sender is not None and message.sender.lower() == place.address.lower()


def _newest_report(shown: Sequence[Code]) -> Code:
    return max(shown, key=lambda each: each.subject_id)


def only_seat(context: MessageContext, result: AuthResult) -> SheetHeader | None:
    """Return the header of the sender's only or last seat, if a message names none and shows no code; else None."""
    seats = seats_of(context.session, context.message.sender) or last_seats_of(context.session, context.message.sender)
    unnamed = isinstance(result, Declined) and result.reason == "no-orders"
    return SheetHeader(seats[0].campaign, seats[0].seat) if unnamed and len(seats) == 1 else None
