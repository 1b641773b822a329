"""Judges a letter: whose sheet it is, and whether it may be taken.

Trust comes from any one of: the seat's own address, its token, or a reply code
mailed to it (in the ORDERS line, the plus-address, the subject, or as the
Message-ID that a reply names). A sheet that shows a code of an earlier report,
and no token, is stale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from pbem.campaign.tokens import token_fits
from pbem.desk.seats import (
    Shown,
    Spot,
    find_seat,
    is_known,
    load_spot,
    seat_names,
    seats_of,
    shown_by_code,
    shown_by_reference,
)
from pbem.desk.sheet import Header
from pbem.post.codes import find_codes
from pbem.post.reading import Letter
from pbem.report.pages import Reason
from pbem.ruleset import suggest

WRONG_KEY = (
    "The last word of your ORDERS line is neither your token nor the code of your report. "
    "The sheet was taken because it came from your address, or as a reply."
)


@dataclass(frozen=True, slots=True)
class Seated:
    """The letter may send a sheet for this seat's open turn."""

    spot: Spot
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """Somebody known cannot be served; `to` is the address that is told why."""

    reason: Reason
    to: str
    spot: Spot | None = None
    typed: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Disagreeing:
    """A letter whose text is for one seat and whose reply code for another's report."""

    to: str
    header: Header | None


@dataclass(frozen=True, slots=True)
class Impostor:
    """A sheet for a seat from an address that is not its own, with nothing to prove it."""

    spot: Spot


@dataclass(frozen=True, slots=True)
class Stranger:
    """Nobody the house knows."""


Claim = Seated | Declined | Disagreeing | Impostor | Stranger


def judge(session: Session, letter: Letter, header: Header | None, address: str) -> Claim:
    """What a letter may do; `address` is the order address. `header` is that of its sheet, if it has one."""
    key = header.key.lower() if header else ""
    codes = find_codes(letter, address)
    known = shown_by_code(session, [*codes, key] if key else codes)
    replied = [known[code] for code in codes if code in known] or shown_by_reference(session, letter.references)
    if header is None:
        return _plain_reply(session, letter, replied)
    seat_id = find_seat(session, header.campaign, header.seat)
    if seat_id is None:
        return _misnamed(session, letter, header, replied)
    return _framed(session, letter, header, load_spot(session, seat_id), named=known.get(key), replied=replied)


def _plain_reply(session: Session, letter: Letter, replied: Sequence[Shown]) -> Claim:
    if not replied:
        return _without_code(session, letter)
    if len({shown.seat_id for shown in replied}) > 1:
        return Disagreeing(load_spot(session, replied[0].seat_id).address, None)
    return _on_time(load_spot(session, replied[0].seat_id), _newest(replied))


def _without_code(session: Session, letter: Letter) -> Claim:
    if letter.sender is None or not is_known(session, letter.sender):
        return Stranger()
    seats = seats_of(session, letter.sender)
    spot = None
    if len(seats) == 1:
        seat_id = find_seat(session, seats[0].campaign, seats[0].seat)
        spot = load_spot(session, seat_id) if seat_id is not None else None
    return Declined(reason="no-orders", to=letter.sender, spot=spot)


def _misnamed(session: Session, letter: Letter, header: Header, replied: Sequence[Shown]) -> Claim:
    """A header that names no seat: told only to people known, and with nothing but what is theirs."""
    if replied:
        spot = load_spot(session, replied[0].seat_id)
        to, own = spot.address, [(spot.campaign, spot.seat)]
    elif letter.sender is not None and is_known(session, letter.sender):
        to, own = letter.sender, [(seat.campaign, seat.seat) for seat in seats_of(session, letter.sender)]
    else:
        return Stranger()
    if header.campaign in {campaign for campaign, _ in own}:
        hint = suggest(header.seat, seat_names(session, header.campaign))
        return Declined(reason="unknown-seat", to=to, typed=header.seat, hint=hint)
    hint = suggest(header.campaign, sorted({campaign for campaign, _ in own}))
    return Declined(reason="wrong-campaign", to=to, typed=header.campaign, hint=hint)


def _framed(
    session: Session, letter: Letter, header: Header, spot: Spot, *, named: Shown | None, replied: Sequence[Shown]
) -> Claim:
    own = [shown for shown in replied if shown.seat_id == spot.seat_id]
    other = [shown for shown in (named, *replied) if shown is not None and shown.seat_id != spot.seat_id]
    by_token = token_fits(header.key, spot.token_hash)
    by_sender = letter.sender is not None and letter.sender.lower() == spot.address.lower()
    if other:
        proven = by_token or by_sender
        return Disagreeing(spot.address if proven else load_spot(session, other[0].seat_id).address, header)
    if named is not None:
        return _on_time(spot, named)
    if by_token:
        return _on_time(spot, None)
    notes = (WRONG_KEY,) if header.key else ()
    if own:
        return _on_time(spot, _newest(own), notes)
    return _on_time(spot, None, notes) if by_sender else Impostor(spot)


def _on_time(spot: Spot, shown: Shown | None, notes: tuple[str, ...] = ()) -> Claim:
    """The seat as it may be served now; `shown` is the report whose code was used, None without one."""
    reason: Reason | None = None
    if spot.status == "over":
        reason = "game-over"
    elif spot.status == "forming":
        reason = "not-started"
    elif not spot.playing:
        reason = "removed"
    elif shown is not None and shown.report_id != spot.report_id:
        reason = "stale-code"
    return Seated(spot, notes) if reason is None else Declined(reason=reason, to=spot.address, spot=spot)


def _newest(shown: Sequence[Shown]) -> Shown:
    return max(shown, key=lambda each: each.report_id)
