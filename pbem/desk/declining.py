"""Tells why a letter cannot be served: whoever may know it, at the address that is registered."""

from __future__ import annotations

from dataclasses import replace

from pbem.campaign.people import find_person
from pbem.campaign.schedule import Schedule
from pbem.desk.claims import Claim, Declined, Disagreeing, Impostor, Lapsed, Unproven
from pbem.desk.floods import tell_of_guesses
from pbem.desk.kept import keep
from pbem.desk.limits import GUESSES_A_DAY, note_guess
from pbem.desk.pages import Disagreement
from pbem.desk.replies import Case, answer, to_stranger, warn
from pbem.desk.seats import SeatContext
from pbem.report.answers import Reason, Refusal
from pbem.util import without_keys


def declined(case: Case, claim: Claim) -> str:
    """Answers a letter by what its claim lacks; returns what to note of it."""
    match claim:
        case Declined():
            return _known(case, claim)
        case Disagreeing(to=to, header=header):
            return "for two seats at once; " + answer(case, to, Disagreement(address=case.address, header=header))
        case Unproven():
            return keep(case, claim)
        case Impostor():
            return _impostor(case, claim)
        case Lapsed():
            return _lapsed(case, claim)
        case _:
            return to_stranger(case)


def _known(case: Case, claim: Declined) -> str:
    spot = claim.spot
    page = Refusal(
        reason=claim.reason,
        address=case.address,
        campaign=spot.campaign if spot else "",
        seat=spot.seat if spot else "",
        label=spot.label if spot else "",
        typed=without_keys(claim.typed),
        hint=spot.moved_to if spot and spot.moved_to else claim.hint,
        gm=spot.gm if spot else "",
        notes=case.letter.notes,
    )
    return f"{claim.reason}; " + answer(case, claim.to, page, spot=spot)


def _impostor(case: Case, claim: Impostor) -> str:
    """The seat's own address hears of it; the sender no more than a stranger, and nothing if he is not the sender."""
    spot = claim.spot
    said = f"not from {spot.seat} of {spot.campaign}"
    if claim.forged:
        return f"{said}, by the receiving server's word; {warn(case, spot, _about(case, spot, 'forged'))}"
    page = _about(case, spot, "sender-mismatch")
    if find_person(case.session, case.sender):  # one who mistook the seat shall not tell another where he is written to
        page = replace(page, sender="somebody else who plays here")
    said = f"{said}; {warn(case, spot, page)}"
    if claim.guessed and note_guess(case, spot):
        said = f"{said}; {tell_of_guesses(case, spot, GUESSES_A_DAY)}"
    return f"{said}; {to_stranger(case)}"


def _lapsed(case: Case, claim: Lapsed) -> str:
    spot, stand_in = claim.spot, claim.stand_in
    page = Refusal(
        reason="not-deputy-now",
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        gm=spot.gm,
        since=stand_in.since,
        until=stand_in.until,
        zone=Schedule.read(spot.schedule).zone,
    )
    told = answer(case, stand_in.address, page, spot=spot)
    warned = warn(case, spot, _about(case, spot, "sender-mismatch"))
    return f"from one who does not stand in for {spot.seat} of {spot.campaign} now; {told}; {warned}"


def _about(case: Case, spot: SeatContext, reason: Reason) -> Refusal:
    """What a seat's own address is told of a letter in its name."""
    return Refusal(
        reason=reason,
        address=case.address,
        campaign=spot.campaign,
        seat=spot.seat,
        sender=case.shown_sender,
        gm=spot.gm,
    )
