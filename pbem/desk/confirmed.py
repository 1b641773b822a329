"""What is done once a code has come back: an address is changed, a deputy is appointed."""

from __future__ import annotations

from pbem.actions.seats import place_of
from pbem.actions.welcome import RENEWED, find_report, mail_again, mail_copy, recall_copies, welcome
from pbem.campaign.history import note
from pbem.campaign.notices import send_page, send_words
from pbem.campaign.people import (
    DAYS,
    ENOUGH_CODES,
    appoint,
    end_of,
    enrol,
    find_person,
    new_token,
    put_request,
    stands_in_for,
)
from pbem.campaign.snapshot import CampaignSnapshot, Place, load_campaign, locked_campaign
from pbem.desk.replies import Case
from pbem.desk.requests import AskedByPerson
from pbem.desk.seats import seats_of
from pbem.report.answers import Confirmation
from pbem.store.models import Campaign, Person, Request, SeatRow
from pbem.store.types import Phase, Seating

_GONE = "This code was mailed to an address that is no longer yours here, so nothing was done."


def ask_new_address(asked: AskedByPerson, request: Request) -> str:
    """Asks the address that somebody wishes to play from, in words that do not tell whether it is known here."""
    case, address = asked.case, request.data["address"]
    person = case.session.get_one(Person, request.data["person_id"])
    if request.data["to"] != person.key:
        return _GONE
    data = {"person_id": person.id, "address": address, "from": person.key}
    by, account = person.key, case.account
    code = put_request(case.session, "new_address", case.now, to=address, by=by, data=data, account=account)
    if code is None:
        return ENOUGH_CODES
    page = Confirmation(kind="new_address", code=code, address=case.address, days=DAYS, about=person.address)
    subject = "Is this your address?"
    send_page(case.session, case.house, None, case.now, to=address, subject=subject, page=page, code=code)
    return f"{address} was mailed a code. Once it is confirmed from there, you play from it, and both addresses hear."


def confirm_address(asked: AskedByPerson, request: Request) -> str:
    """Moves a person to another address in all his campaigns, or notes his second one; both addresses hear of it."""
    case, address = asked.case, request.data["address"]
    person = case.session.get_one(Person, request.data["person_id"])
    if request.data.get("from", request.data["to"]) != person.key:
        # Who has left an address may have lost it: what its mailbox still holds moves him nowhere.
        return _GONE
    if request.kind == "fallback":
        person.fallback = address
        if not address:
            return f"You have no second address now: all mail goes to {person.address}."
        said = f"Mail that {person.address} does not take goes to {address} from now on."
        _tell(case, [person.address, address], "Your second address", said)
        return ""
    if find_person(case.session, address) is not None:
        return f"{address} is in use here, so another's games cannot be moved to it. Nothing was done."
    old, person.address, person.key = person.address, address, address.lower()
    person.fallback = "" if person.fallback.lower() == person.key else person.fallback
    case.session.flush()
    said = f"You play from {address} from now on, in all your campaigns here, and no longer from {old}."
    _tell(case, [old, address], "Your address has changed", said)
    _note_address(case, person, old)
    return ""


def confirm_deputy(asked: AskedByPerson, request: Request) -> str:
    """Appoints somebody for a seat, if its player and the time are still those of the request."""
    case, data = asked.case, request.data
    seat, snapshot, place = _locked(case, request)
    until = end_of(data["until"], snapshot.schedule.zone)
    if (
        seat.person_id != data["person_id"]
        or seat.status != Seating.PLAYING
        or snapshot.status == Phase.OVER
        or until <= case.now
    ):
        return "You are no longer asked to stand in for this seat, so nothing was done. Thank you all the same."
    deputy = enrol(case.session, data["address"], case.now)
    player = case.session.get_one(Person, data["person_id"])
    elsewhere = [place for place in stands_in_for(case.session, snapshot, deputy, case.now) if place.id != seat.id]
    if elsewhere or place_of(case.session, snapshot, deputy) is not None:
        # The player hears nothing, as if there had been no answer: else he learned who plays in his campaign.
        how = (
            f"stand in for {elsewhere[0].seat} in {snapshot.name}" if elsewhere else f"play in {snapshot.name} yourself"
        )
        return f"You {how}, so you cannot stand in for another seat."
    recall_copies(case.session, place)
    stand_in = appoint(case.session, seat.id, deputy, case.now, until)
    noted = f"has a deputy to the end of {data['until']}"
    note(case.session, snapshot.id, case.now, actor=seat.name, text=noted, secret=True)
    said = (
        f"{deputy.address} stands in for your seat {seat.name} in {snapshot.name} to the end of {data['until']}: "
        "sheets are taken from both of you, and you hear of each. To end it sooner, mail the line UNDEPUTE."
    )
    send_words(case.session, case.house, snapshot, case.now, said, to=player.address, subject="Your deputy")
    report = find_report(case.session, snapshot, place)
    if report is not None:
        mail_copy(case.session, case.house, snapshot, place, report, case.now, deputy=stand_in)
    return (
        f"You stand in for the seat {seat.name} of {snapshot.name} to the end of {data['until']}. Its reports come to "
        "you too: press Reply on one to send orders. Thank you!"
    )


def confirm_moved(asked: AskedByPerson, request: Request) -> str:
    """Gives a player whose campaign has moved here all that opens his seat: its newest report, and a token."""
    case = asked.case
    seat, snapshot, place = _locked(case, request)
    person = case.session.get_one(Person, request.data["person_id"])
    if seat.person_id != person.id or not place.playing or request.data["to"] != person.key:
        return _GONE
    welcome(
        case.session,
        case.house,
        snapshot,
        {place: new_token(case.session, place.id)},
        case.now,
        heir=True,
        moved=True,
    )
    report = find_report(case.session, snapshot, place)
    if report is not None:
        mail_again(case.session, case.house, snapshot, place, report, case.now, to=person.address, key=RENEWED)
    note(case.session, snapshot.id, case.now, actor=seat.name, text="has confirmed that the campaign is played here")
    said = f"{person.address}, who plays {seat.name} in {snapshot.name}, has confirmed that it is played here now."
    send_words(case.session, case.house, snapshot, case.now, said, to=snapshot.gm, subject="A player has confirmed")
    return (
        f"You play {seat.name} in {snapshot.name} here from now on. Your newest report and your token follow by mail."
    )


def _locked(case: Case, request: Request) -> tuple[SeatRow, CampaignSnapshot, Place]:
    """The seat that a request is about, and its campaign, locked."""
    seat = case.session.get_one(SeatRow, request.data["seat_id"])
    snapshot = locked_campaign(case.session, case.session.get_one(Campaign, seat.campaign_id).name)
    return seat, snapshot, next(each for each in snapshot.places if each.id == seat.id)


def _tell(case: Case, addresses: list[str], subject: str, said: str) -> None:
    help_ = "If this was not you, please tell your GM at once."
    for address in dict.fromkeys(addresses):
        send_words(case.session, case.house, None, case.now, said, help_, to=address, subject=subject)


def _note_address(case: Case, person: Person, old: str) -> None:
    """Enters the change into the journal of each campaign, for its GM alone, and tells him."""
    for known in seats_of(case.session, person.address):
        snapshot = load_campaign(case.session, known.campaign)
        said = (
            f"The seat {known.seat} of {snapshot.name} is played from {person.address} now, and no longer from {old}."
        )
        note(case.session, snapshot.id, case.now, actor=known.seat, text=said, secret=True)
        send_words(case.session, case.house, snapshot, case.now, said, to=snapshot.gm, subject="A player's address")
