"""Commands of those who wish to play: JOIN, WITHDRAW, and CONFIRM for whatever a code was mailed for.

Whoever is not in a campaign learns nothing of it but that it takes players,
if it does; one that does not, and one that there never was, are told alike.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import select

from pbem.actions.base import Scene
from pbem.actions.seats import free_places, place_of, seat_or_list
from pbem.campaign.history import note
from pbem.campaign.notices import send_words
from pbem.campaign.people import DAYS, enrol, find_applicant, find_request, put_request, settle
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign, lock_campaign, locked_campaign
from pbem.desk.commands import Confirm, Join, Withdraw
from pbem.desk.confirmed import ask_new_address, confirm_address, confirm_deputy, confirm_moved
from pbem.desk.replies import (
    STRANGERS_A_DAY,
    STRANGERS_OF_DOMAIN_A_DAY,
    Case,
    answer,
    forbidden,
    midnight,
    warn_once,
)
from pbem.desk.requests import AskedByPerson, PersonHandlers
from pbem.desk.seats import taking_players
from pbem.report.answers import Confirmation
from pbem.report.notices import Notice
from pbem.ruleset.fields import suggest
from pbem.store.models import Act, Campaign, Request
from pbem.store.types import ApplicantStatus, Phase

_UNKNOWN_CODE = (
    f"This code is not known here, was used already, or is more than {DAYS} days old. "
    "If something is still to be confirmed, please ask for it again."
)
MOST_LISTED = 200
"""Newcomers of a day that stand in the journal of a campaign."""

_ENOUGH = "You were mailed so many codes today that no more are sent before tomorrow."


def _join(asked: AskedByPerson, order: Join) -> str:
    case, name = asked.case, order.campaign.lower()
    if name not in taking_players(case.session):
        return f"No campaign called {name} takes players by mail now. Please look at the name, or ask its GM."
    snapshot = load_campaign(case.session, name)
    if asked.person is not None and (place := place_of(case.session, snapshot, asked.person)):
        return f"You play in {name} already, as {place.seat}."
    wish = (order.seat or "").lower()
    if wish and _never_there(case, snapshot, wish):
        return f"{name} has no seat called {wish}: {suggest(wish, snapshot.seats)} Nothing was done."
    address = asked.person.address if asked.person else asked.sender
    if asked.person is None and (why := forbidden(case, address, "join")):
        case.silent(why)  # before a code is drawn, so that forged senders do not pile up requests
        if case.verdict != "fail":
            _list_newcomer(case, snapshot, address)
        return ""
    data = {"address": address, "wish": wish, "words": asked.text}
    code = put_request(
        case.session, "join", case.now, to=address, data=data, campaign_id=snapshot.id, account=case.account
    )
    if code is None:
        if asked.person is None:
            case.silent(f"{address} was mailed enough codes today")
            return ""
        return _ENOUGH
    ruleset = case.house.game(snapshot.game)
    page = Confirmation(
        kind="join",
        code=code,
        address=case.address,
        days=DAYS,
        campaign=name,
        seat=wish,
        game=ruleset.title,
        summary=ruleset.summary,
        schedule=snapshot.schedule.text,
        gm=snapshot.gm,
    )
    answer(case, address, page, kind="join", code=code)
    return ""


def _list_newcomer(case: Case, snapshot: CampaignSnapshot, address: str) -> None:
    """Enter a newcomer who is not answered today into the journal, and tell the GM once a day that there are some."""
    begins = "not answered today: "
    words = f"{begins}{address} asked to join"
    today = (Act.campaign_id == snapshot.id, Act.secret, Act.at >= midnight(case.now))
    listed = case.session.scalars(select(Act.text).where(*today, Act.text.startswith(begins, autoescape=True))).all()
    if words in listed or len(listed) >= MOST_LISTED:
        return
    note(case.session, snapshot.id, case.now, actor="pbem", text=words, secret=True)
    why = (
        f"More people have asked to join {snapshot.name} today than are answered in a day: {STRANGERS_A_DAY} for whom "
        f"the mail server does not vouch, and {STRANGERS_OF_DOMAIN_A_DAY} of one domain. Most of these mails may be "
        f"forged. {address} was the first who was not answered."
    )
    help_ = (
        f"The journal lists them: pbem journal {snapshot.name}, or JOURNAL by mail. You can invite those you know: "
        f"pbem invite {snapshot.name} ADDRESS, or INVITE by mail. Whoever asks again tomorrow is answered then."
    )
    page = Notice(paragraphs=(why, help_), campaign=snapshot.name)
    subject = f"Newcomers to {snapshot.name} were not answered"
    warn_once(case, snapshot.gm, snapshot.name, subject, page, ("newcomers", snapshot.name))


def _withdraw(asked: AskedByPerson, order: Withdraw) -> str:
    session, name = asked.case.session, order.campaign.lower()
    lock_campaign(session, name)
    campaign_id = session.scalar(select(Campaign.id).where(Campaign.name == name))
    found = find_applicant(session, campaign_id, asked.person) if campaign_id and asked.person else None
    if found is None or found.status != ApplicantStatus.WAITING:
        return f"You are not on the standby list of a campaign called {name}. To give a seat up, the command is LEAVE."
    found.status = ApplicantStatus.LEFT
    snapshot = load_campaign(session, name)
    said = f"{asked.sender} no longer wishes to play in {name}."
    send_words(
        session, asked.case.house, snapshot, asked.case.now, said, to=snapshot.gm, subject="A standby has withdrawn"
    )
    return f"You are off the standby list of {name}."


def _confirm(asked: AskedByPerson, order: Confirm) -> str:
    case = asked.case
    request = find_request(case.session, order.code, case.now)
    if request is None or request.kind not in _CONFIRMED or not settle(case.session, request, case.now):
        return _UNKNOWN_CODE
    return _CONFIRMED[request.kind](asked, request)


def _confirm_seat(asked: AskedByPerson, request: Request) -> str:
    """Somebody has confirmed that he wishes to play, or that he comes as invited."""
    case, data = asked.case, request.data
    name = case.session.scalars(select(Campaign.name).where(Campaign.id == request.campaign_id)).one()
    snapshot = locked_campaign(case.session, name)
    invited = request.kind == "invite"
    if snapshot.status == Phase.OVER or not (invited or snapshot.policy.signup):
        return f"{name} takes no more players now. We are sorry that it comes too late."
    person = enrol(case.session, data["address"], case.now)
    if place := place_of(case.session, snapshot, person):
        return f"You play in {name} already, as {place.seat}."
    why = "invited by the GM" if invited else "signed up by mail"
    scene = Scene(case.session, case.house, snapshot, case.now)
    said = seat_or_list(scene, person, wish=data["wish"], words=data["words"], why=why)
    if asked.sender.lower() != person.key:
        send_words(case.session, case.house, snapshot, case.now, said, to=person.address, subject="You are in")
    return said


_CONFIRMED: dict[str, Callable[[AskedByPerson, Request], str]] = {
    "join": _confirm_seat,
    "invite": _confirm_seat,
    "deputy": confirm_deputy,
    "address": ask_new_address,
    "new_address": confirm_address,
    "fallback": confirm_address,
    "import": confirm_moved,
}


def _never_there(case: Case, snapshot: CampaignSnapshot, wish: str) -> bool:
    """Whether no such seat is or can come to be: before the start, seats without names of their own may be named."""
    named = snapshot.status != Phase.FORMING or case.house.game(snapshot.game).seats.names or not free_places(snapshot)
    return wish not in snapshot.seats and bool(named)


JOIN_HANDLERS: PersonHandlers = {Join: _join, Withdraw: _withdraw, Confirm: _confirm}
"""What is done for each command of this module."""
