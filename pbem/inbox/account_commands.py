"""Mail commands for accounts: join, leave the list, addresses, and confirmations by code.

People who are not in a campaign learn only that it takes players, if it does;
campaigns that take none and campaigns that never existed are answered alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from sqlalchemy import select

from pbem.actions.arguments import OFF
from pbem.actions.seats import free_places, seat_of, seat_or_standby
from pbem.actions.welcome import (
    RENEWED,
    find_report,
    resend_report,
    send_deputy_copy,
    send_welcomes,
    withdraw_deputy_copies,
)
from pbem.campaign.invitations import offer_seat
from pbem.campaign.notices import GM, post
from pbem.campaign.people import (
    DAYS,
    ENOUGH_CODES,
    appoint,
    create_request,
    deputies_of,
    end_of,
    find_person,
    find_request,
    find_standby,
    further_addresses,
    get_or_create_person,
    mark_confirmed,
    replace_token,
    seats_deputised,
    standby_campaigns,
    use_address,
)
from pbem.campaign.schedule import find_zone
from pbem.campaign.snapshot import CampaignSnapshot, SeatView, add_entry, load_campaign, lock_campaign, locked_campaign
from pbem.errors import CampaignError
from pbem.inbox.command_parser import (
    AlsoWriteFrom,
    ChangeAddress,
    Confirm,
    Fallback,
    Join,
    MailAs,
    Requester,
    TellTimesIn,
    Withdraw,
)
from pbem.inbox.context import MessageContext
from pbem.inbox.newcomers import offer_games
from pbem.inbox.offers import send_held, send_press_reply
from pbem.inbox.rate_limits import (
    STRANGERS_A_DAY,
    STRANGERS_OF_DOMAIN_A_DAY,
    entered_today,
    reply_limit_reason,
    stranger_place,
)
from pbem.inbox.replies import answer, warn
from pbem.inbox.seat_lookup import games_of, seats_of, taking_players
from pbem.mail.headers import require_address
from pbem.report.answers import Confirmation
from pbem.report.notices import Notice
from pbem.ruleset.fields import suggest_name
from pbem.store.models import Campaign, PendingRequest, Person, Seat
from pbem.store.types import CampaignState, PageDelivery, RequestKind, SeatState, StandbyState
from pbem.text import format_due, join_names

_GONE = "this code was mailed to an address that is no longer yours here"


def ask_new_address(asked: Requester, request: PendingRequest) -> str:
    """Mail a code to the address that a person wishes to play from.

    The answer does not disclose whether that address is known here.
    """
    context, address = asked.context, request.data["address"]
    person = context.session.get_one(Person, request.data["person_id"])
    if request.data["to"] != person.key:
        raise CampaignError(_GONE)
    data = {"person_id": person.id, "address": address, "from": person.key}
    by, account = person.key, context.account
    moves = request.kind == RequestKind.ADDRESS
    kind = RequestKind.NEW_ADDRESS if moves else RequestKind.NEW_ALSO
    code = create_request(context.session, kind, context.now, to=address, by=by, data=data, account=account)
    if code is None:
        raise CampaignError(ENOUGH_CODES)
    page = Confirmation(
        kind="new_address" if moves else "new_also", code=code, address=context.address, days=DAYS, about=person.address
    )
    post(context, address, page, kind="confirmation", code=code, tagged=False)
    does = "you play from it" if moves else "mail from it counts as yours"
    return f"{address} was mailed a code. Once it is confirmed from there, {does}, and both addresses hear."


def confirm_address(asked: Requester, request: PendingRequest) -> str:
    """Change a person's address in all campaigns, or their second address; notify the old and the new one."""
    context, address = asked.context, request.data["address"]
    person = context.session.get_one(Person, request.data["person_id"])
    if request.data.get("from", request.data["to"]) != person.key:
        # A player who left an address may have lost it: a code in its mailbox must not move them again.
        raise CampaignError(_GONE)
    if request.kind == "fallback":
        person.fallback = address
        if not address:
            return f"You have no second address now: all mail goes to {person.address}."
        said = f"Mail that {person.address} does not take goes to {address} from now on."
        _notify_addresses(context, [person.address, address], "your second address", said)
        return ""
    if (other := find_person(context.session, address)) is not None and other is not person:
        raise CampaignError(f"{address} is in use here, so another's games cannot be moved to it")
    old = person.address
    use_address(context.session, person, address)
    said = f"You play from {address} from now on, in all your campaigns here, and no longer from {old}."
    _notify_addresses(context, [old, address], "your address has changed", said)
    words = f"is played from {person.address} now, and no longer from {old}"
    _record_address_change(context, person, "has a new address", words)
    return ""


def confirm_further(asked: Requester, request: PendingRequest) -> str:
    """Let a person write from a further address, asked about there, or no longer; notify both addresses and GMs."""
    context, address = asked.context, request.data["address"]
    person = context.session.get_one(Person, request.data["person_id"])
    if request.data.get("from", request.data["to"]) != person.key:
        raise CampaignError(_GONE)
    begins = request.kind == RequestKind.NEW_ALSO
    if not begins and not request.data["off"]:
        return ask_new_address(asked, request)
    own = select(Person).where(Person.key == address.lower())
    if begins and context.session.scalar(own) is None:
        context.session.add(Person(address=address, key=address.lower(), created_at=context.now))
        context.session.flush()
    other = context.session.scalars(own).one()
    if other.also != person.key and (not begins or _is_in_use(context, other)):
        raise CampaignError(f"{address} is in use here, so it cannot be one of another's addresses")
    other.also = person.key if begins else ""
    context.session.flush()
    does = "counts as yours from now on" if begins else "is no longer yours"
    said = f"Mail from {address} {does}, and all mail goes to {person.address}."
    _notify_addresses(context, [person.address, address], "your addresses have changed", said)
    words = f"is {'also' if begins else 'no longer'} played from {address}"
    _record_address_change(context, person, "has another address", words)
    return ""


def _is_in_use(context: MessageContext, other: Person) -> bool:
    """Return True if an address plays, waits or is a GM here, or if it is another person's, or has further ones."""
    seated = context.session.scalar(select(Seat.id).where(Seat.person_id == other.id).limit(1)) is not None
    theirs = other.also or further_addresses(context.session, other)
    waits = standby_campaigns(context.session, other.address)
    return bool(theirs or seated or waits or games_of(context.session, other.address, context.now))


def confirm_deputy(asked: Requester, request: PendingRequest) -> str:
    """Appoint a deputy for a seat, unless its player has changed or the time is over."""
    context, data = asked.context, request.data
    seat, snapshot, place = _lock_seat(context, request)
    until = end_of(data["until"], snapshot.clock_of(place))
    if (
        seat.person_id != data["person_id"]
        or seat.status != SeatState.PLAYING
        or snapshot.status == CampaignState.OVER
        or until <= context.now
    ):
        raise CampaignError("you are no longer asked to stand in for this seat. Thank you all the same")
    deputy = get_or_create_person(context.session, data["address"], context.now)
    player = context.session.get_one(Person, data["person_id"])
    elsewhere = [
        place for place in seats_deputised(context.session, snapshot, deputy, context.now) if place.id != seat.id
    ]
    if elsewhere or seat_of(context.session, snapshot, deputy) is not None:
        # The player is told nothing, as if there had been no answer: else they learned who plays in their campaign.
        how = (
            f"stand in for {elsewhere[0].seat} in {snapshot.name}" if elsewhere else f"play in {snapshot.name} yourself"
        )
        raise CampaignError(f"you {how}, so you cannot stand in for another seat")
    withdraw_deputy_copies(context.session, place)
    stand_in = appoint(context.session, seat.id, deputy, context.now, until)
    noted = f"has a deputy to the end of {data['until']}"
    add_entry(context.session, snapshot.id, context.now, actor=seat.name, text=noted, secret=True)
    said = (
        f"{deputy.address} stands in for your seat {seat.name} in {snapshot.name} to the end of {data['until']}: "
        "sheets of both of you count, and you hear of each. To end it sooner, mail the line UNDEPUTE."
    )
    campaign_context = context.campaign_context(snapshot)
    post(campaign_context, player.address, Notice(subject=f"{deputy.address} is your deputy", blocks=(said,)))
    report = find_report(context.session, snapshot, place)
    if report is not None:
        send_deputy_copy(campaign_context, place, report, deputy=stand_in)
    return (
        f"You stand in for the seat {seat.name} of {snapshot.name} to the end of {data['until']}. Its reports come to "
        "you too: press Reply on one to send orders. Thank you!"
    )


def confirm_moved(asked: Requester, request: PendingRequest) -> str:
    """Send a player whose campaign has moved here the newest report of their seat and a token."""
    context = asked.context
    seat, snapshot, place = _lock_seat(context, request)
    person = context.session.get_one(Person, request.data["person_id"])
    if not _may_still(context, request, place, [seat.person_id]):
        raise CampaignError(_GONE)
    campaign_context = context.campaign_context(snapshot)
    send_welcomes(campaign_context, {place: replace_token(context.session, place.id)}, heir=True, moved=True)
    report = find_report(context.session, snapshot, place)
    if report is not None:
        resend_report(campaign_context, place, report, to=person.address, key=RENEWED)
    add_entry(
        context.session,
        snapshot.id,
        context.now,
        actor=seat.name,
        text="has confirmed that the campaign is played here",
    )
    said = f"{person.address}, who plays {seat.name} in {snapshot.name}, has confirmed that it is played here now."
    post(campaign_context, GM, Notice(subject=f"{seat.name} has confirmed", blocks=(said,)))
    said = f"The seat {seat.name} of {snapshot.name} is played here from now on, as the person who was asked is told."
    return "" if asked.sender.lower() == person.key else said  # the welcome says so


def _lock_seat(context: MessageContext, request: PendingRequest) -> tuple[Seat, CampaignSnapshot, SeatView]:
    """Lock the campaign of a request's seat; return the seat, the campaign and the view of the seat."""
    seat = context.session.get_one(Seat, request.data["seat_id"])
    snapshot = locked_campaign(context.session, context.session.get_one(Campaign, seat.campaign_id).name)
    return seat, snapshot, next(each for each in snapshot.places if each.id == seat.id)


def _notify_addresses(context: MessageContext, addresses: list[str], subject: str, said: str) -> None:
    page = Notice(subject=subject, blocks=(said, "If this was not you, please tell your GM at once."))
    for address in dict.fromkeys(addresses):
        post(context, address, page)


def _record_address_change(context: MessageContext, person: Person, subject: str, words: str) -> None:
    """Enter the change into the journal of each campaign, for its GM alone, and notify the GM."""
    for known in seats_of(context.session, person.address):
        snapshot = load_campaign(context.session, known.campaign)
        said = f"The seat {known.seat} of {snapshot.name} {words}."
        add_entry(context.session, snapshot.id, context.now, actor=known.seat, text=said, secret=True)
        post(context.campaign_context(snapshot), GM, Notice(subject=f"{known.seat} {subject}", blocks=(said,)))


_UNKNOWN_CODE = (
    f"this code is not known here, was used already, or is more than {DAYS} days old. "
    "If something is still to be confirmed, please ask for it again"
)
MOST_LISTED = 200
"""Newcomers entered into the journal of a campaign in a day."""

_ENOUGH = "you were mailed so many codes today that no more are sent before tomorrow"


def join(asked: Requester, order: Join) -> str:
    """Mail a code to a person who wishes to join a campaign, or the games that they can join."""
    context, name = asked.context, order.campaign.lower()
    for own in seats_of(context.session, asked.person.key if asked.person else None):
        if own.campaign == name:
            raise CampaignError(f"you play in {name} already, as {own.seat}")
    # Whether there is a campaign of that name is not disclosed: one that takes no players is answered alike.
    if name not in taking_players(context.session):
        offer_games(context, asked.to, asked=name)
        return ""
    snapshot = load_campaign(context.session, name)
    wish = (order.seat or "").lower()
    if wish and _cannot_become_seat(context, snapshot, wish):
        raise CampaignError(f'{name} has no seat "{wish}". {suggest_name(wish, snapshot.seats, "Seats")}')
    address = asked.person.address if asked.person else asked.sender
    kind = f"join {name}"
    if asked.person is None and not context.key and (why := _unanswered(context, snapshot, address, kind)):
        context.silent(why)  # before a code is drawn, so that forged senders do not pile up requests
        return ""
    data = {"address": address, "wish": wish, "words": asked.text}
    code = create_request(
        context.session,
        RequestKind.JOIN,
        context.now,
        to=address,
        data=data,
        campaign_id=snapshot.id,
        account=context.account,
    )
    if code is None:
        raise CampaignError(_ENOUGH)
    page = offer_seat(context.app, snapshot, "join", code=code, wish=wish, now=context.now)
    answer(context, address, page, about=snapshot, kind=kind, code=code)
    return ""


def _unanswered(context: MessageContext, snapshot: CampaignSnapshot, address: str, kind: str) -> str:
    """Return why a newcomer who asks to join is not answered now; "" if they are."""
    why = reply_limit_reason(context, address, kind)
    if why and context.verdict != "fail":
        _list_newcomer(context, snapshot, address)
    place = why or stranger_place(context, address, kind)
    return place if isinstance(place, str) else ""


def _list_newcomer(context: MessageContext, snapshot: CampaignSnapshot, address: str) -> None:
    """Enter a newcomer who is not answered today into the journal; notify the GM once a day that there are some."""
    begins = "not answered today: "
    words, listed = f"{begins}{address} asked to join", entered_today(context, snapshot.id, begins)
    if words in listed or len(listed) >= MOST_LISTED:
        return
    add_entry(context.session, snapshot.id, context.now, actor="pbem", text=words, secret=True)
    why = (
        f"More people have asked to join {snapshot.name} today than are answered in a day: {STRANGERS_A_DAY} for whom "
        f"the mail server does not vouch, and {STRANGERS_OF_DOMAIN_A_DAY} of one domain. Most of these mails may be "
        f"forged. {address} was the first who was not answered."
    )
    help_ = (
        f"The journal lists them: pbem journal {snapshot.name}, or JOURNAL by mail. You can invite those you know: "
        f"pbem invite {snapshot.name} ADDRESS, or INVITE by mail. Whoever asks again tomorrow is answered then."
    )
    page = Notice(subject="newcomers were not answered", blocks=(why, help_))
    warn(context, snapshot.name, snapshot.gm, page, "newcomers")


def withdraw(asked: Requester, order: Withdraw) -> str:
    """Take a person off the standby list of a campaign, and tell its GM."""
    context, name = asked.context, order.campaign.lower()
    session = context.session
    lock_campaign(session, name)
    campaign_id = session.scalar(select(Campaign.id).where(Campaign.name == name))
    found = find_standby(session, campaign_id, asked.person) if campaign_id and asked.person else None
    if found is None or found.status != StandbyState.WAITING:
        raise CampaignError(
            f"you are not on the standby list of a campaign called {name}. To give a seat up, the command is LEAVE"
        )
    found.status = StandbyState.LEFT
    snapshot = load_campaign(session, name)
    said = f"{asked.sender} no longer wishes to play in {name}."
    page = Notice(subject=f"{asked.sender} no longer wants to join", blocks=(said,))
    post(context.campaign_context(snapshot), GM, page)
    return f"You are off the standby list of {name}."


def confirm_request(asked: Requester, order: Confirm) -> str:
    """Do what was asked about in the mail that has the code."""
    context = asked.context
    request = find_request(context.session, order.code, context.now)
    if request is None or request.kind not in _CONFIRMED or not mark_confirmed(context.session, request, context.now):
        raise CampaignError(_UNKNOWN_CODE)
    return _CONFIRMED[request.kind](asked, request)


def _confirm_seat(asked: Requester, request: PendingRequest) -> str:
    """Seat a person who has confirmed a request to join or an invitation, or put them on the standby list."""
    context, data = asked.context, request.data
    name = context.session.scalars(select(Campaign.name).where(Campaign.id == request.campaign_id)).one()
    snapshot = locked_campaign(context.session, name)
    invited = request.kind == "invite"
    if snapshot.status == CampaignState.OVER or not (invited or snapshot.policy.signup):
        raise CampaignError(f"{name} takes no more players now. We are sorry that it comes too late")
    person = get_or_create_person(context.session, data["address"], context.now)
    if place := seat_of(context.session, snapshot, person):
        raise CampaignError(f"you play in {name} already, as {place.seat}")
    why = "invited by the GM" if invited else "signed up by mail"
    campaign_context = context.campaign_context(snapshot)
    said, welcomed = seat_or_standby(campaign_context, person, wish=data["wish"], words=data["words"], why=why)
    # A code may be mailed from any address, and its answer goes there.
    elsewhere = asked.sender.lower() != person.key
    if elsewhere and not welcomed:
        post(campaign_context, person.address, Notice(subject="your request to join", blocks=(said,)))
    return said if elsewhere or not welcomed else ""


def _confirm_press_reply(asked: Requester, request: PendingRequest) -> str:
    """Send on a reply to press, if its sender still plays the seat."""
    seat, snapshot, place = _lock_seat(asked.context, request)
    if not _may_still(asked.context, request, place, [seat.person_id]):
        raise CampaignError(_GONE)
    return send_press_reply(asked.context.campaign_context(snapshot), place, request)


def _confirm_held(asked: Requester, request: PendingRequest) -> str:
    """Send texts that were held back, if their writer still plays the seat, or stands in for its player."""
    context = asked.context
    seat, snapshot, place = _lock_seat(context, request)
    deputies = [each.id for each in deputies_of(context.session, [seat.id], context.now).get(seat.id, [])]
    if not _may_still(context, request, place, deputies if request.data["deputy"] else [seat.person_id]):
        raise CampaignError(_GONE)
    return send_held(context.campaign_context(snapshot), place, request, context.account)


def _may_still(context: MessageContext, request: PendingRequest, place: SeatView, who: Iterable[int | None]) -> bool:
    """Return True if the person who was asked is among those `who` may, at the address that was mailed the code."""
    person_id = request.data["person_id"]
    person = context.session.get_one(Person, person_id)
    return place.playing and person_id in who and bool(request.data["to"] == person.key)


_CONFIRMED: dict[str, Callable[[Requester, PendingRequest], str]] = {
    "join": _confirm_seat,
    "invite": _confirm_seat,
    "deputy": confirm_deputy,
    # The old address confirms before the new one is asked, since the old one is trusted (docs/decisions/0008).
    "address": ask_new_address,
    "new_address": confirm_address,
    "fallback": confirm_address,
    "also": confirm_further,
    "new_also": confirm_further,
    "import": confirm_moved,
    RequestKind.PRESS: _confirm_press_reply,
    RequestKind.TEXTS: _confirm_held,
}


def _cannot_become_seat(context: MessageContext, snapshot: CampaignSnapshot, wish: str) -> bool:
    """Return True if there is no such seat and none can be named so.

    Before the start, seats without names of their own may be named by those who take them.
    """
    named = (
        snapshot.status != CampaignState.FORMING
        or context.app.game(snapshot.game).seats.names
        or not free_places(snapshot)
    )
    return wish not in snapshot.seats and bool(named)


_PAGE = (
    "Your reports bring a page from now on: a file to open in your browser, where orders can be put together by"
    " clicking. FORMAT NOPAGE leaves it out."
)
_LINK = (
    "Your reports bring a link to a page from now on, in campaigns that have a site; in others the page is a file of"
    " the report. FORMAT NOPAGE leaves it out."
)
_PAGE_LINKED = (
    "Your reports bring a link to a page from now on, where orders can be put together by clicking; as a file it would"
    " not pass all spam filters. FORMAT NOPAGE leaves it out."
)
_NO_PAGE = "Your reports come without pages from now on. FORMAT PAGE changes it back."
_CALENDAR = "Deadlines come as files for your calendar from now on, with reports that have files at all."
_NO_CALENDAR = "Deadlines come without files for your calendar from now on. FORMAT CALENDAR changes it back."
_TEXT = "Your reports come as text alone from now on, in all your campaigns. FORMAT HTML changes it back."
_HTML = "Your reports come with HTML and pictures from now on, in all your campaigns."
_FORMS = {
    "PAGE": ("pages", PageDelivery.ATTACHED, _PAGE),
    "LINK": ("pages", PageDelivery.LINK, _LINK),
    "NOPAGE": ("pages", PageDelivery.OFF, _NO_PAGE),
    "CALENDAR": ("calendar", True, _CALENDAR),
    "NOCALENDAR": ("calendar", False, _NO_CALENDAR),
    "TEXT": ("plain", True, _TEXT),
    "HTML": ("plain", False, _HTML),
}
"""For each word after FORMAT the column of the person, its value, and the answer."""

_NOBODY = "this address is nobody's here, so there is nothing to change"


def change_address(asked: Requester, order: ChangeAddress) -> str:
    """Ask a person's address whether they play from another one from now on."""
    if asked.person is None:
        raise CampaignError(_NOBODY)
    address = require_address(order.address, "a player", asked.context.address)
    if address.lower() == asked.person.key:
        raise CampaignError(f"you play from {asked.person.address} already")
    return _ask_owner(asked.context, asked.person, "address", address)


def change_fallback(asked: Requester, order: Fallback) -> str:
    """Ask a person's address whether mail that it does not take goes to another one."""
    if asked.person is None:
        raise CampaignError(_NOBODY)
    if order.address == OFF:
        return _ask_owner(asked.context, asked.person, "fallback", "")
    address = require_address(order.address, "a player", asked.context.address)
    return _ask_owner(asked.context, asked.person, "fallback", "" if address.lower() == asked.person.key else address)


MOST_FURTHER = 5
"""Further addresses of a person."""


def change_further(asked: Requester, order: AlsoWriteFrom) -> str:
    """Ask a person's address whether they write from another one too, or no longer; or say from which they do."""
    if asked.person is None:
        raise CampaignError(_NOBODY)
    person, known = asked.person, further_addresses(asked.context.session, asked.person)
    if order.address is None:
        also = f", and mail from {join_names(known)} is yours as well" if known else ""
        return f"All mail goes to {person.address}{also}. ALSO and an address adds one, and OFF behind it drops it."
    address = require_address(order.address, "a player", asked.context.address)
    yours = address.lower() in map(str.lower, known)
    if order.off and not yours:
        raise CampaignError(f"{address} is not one of your further addresses: ALSO lists them")
    if not order.off and (yours or address.lower() == person.key):
        raise CampaignError(f"{address} is yours already")
    if not order.off and len(known) >= MOST_FURTHER:
        raise CampaignError(f"you have {MOST_FURTHER} further addresses: drop one of them with OFF first")
    return _ask_owner(asked.context, person, "also", address, off=bool(order.off))


def _ask_owner(
    context: MessageContext,
    person: Person,
    kind: Literal["address", "fallback", "also"],
    address: str,
    *,
    off: bool = False,
) -> str:
    """Mail a code to the registered address; return "" once it is queued."""
    data = {"person_id": person.id, "address": address, "off": off}
    code = create_request(
        context.session, RequestKind(kind), context.now, to=person.address, data=data, account=context.account
    )
    if code is None:
        raise CampaignError(ENOUGH_CODES)
    asks: Literal["address", "fallback", "also", "not_also"] = "not_also" if off else kind
    page = Confirmation(kind=asks, code=code, address=context.address, days=DAYS, about=address)
    answer(context, person.address, page, code=code)
    return ""


def set_format(asked: Requester, order: MailAs) -> str:
    """Set the form of a person's mail."""
    if asked.person is None:
        raise CampaignError(_NOBODY)
    column, value, said = _FORMS[order.form]
    if value == PageDelivery.ATTACHED and asked.context.app.settings.has_site:
        value, said = PageDelivery.LINK, _PAGE_LINKED
    setattr(asked.person, column, value)
    return said


def set_zone(asked: Requester, order: TellTimesIn) -> str:
    """Set the time zone in which a person is told times, or say which it is."""
    if asked.person is None:
        raise CampaignError(_NOBODY)
    words = " ".join(order.city)
    if words:
        asked.person.zone = "" if words.upper() == OFF else find_zone(words)
    if not asked.person.zone:
        return "Your mails tell times in the zone of each campaign. ZONE and your city, as in ZONE Athens, changes it."
    now = format_due(asked.context.now, asked.person.zone)
    return (
        f"Your mails tell times in {asked.person.zone}, where it is {now}, in all your campaigns, and read days so."
        " ZONE OFF changes it back."
    )
