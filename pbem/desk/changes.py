"""Commands by which a player changes what is his: his seat, his deputy, his addresses, and how mail comes to him."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from pbem.acts.creation import check_address
from pbem.acts.people.remailing import recall_copies
from pbem.acts.people.seating import open_seat, pause_seat
from pbem.campaign.journal import note
from pbem.campaign.notices import send_page, send_words
from pbem.campaign.people.confirming import DAYS, put_request
from pbem.campaign.people.deputies import MOST_DAYS, dismiss
from pbem.campaign.people.dicewords import choose_word
from pbem.campaign.people.identity import find_person
from pbem.campaign.table import find_place, locked_table
from pbem.desk.commands import (
    AppointDeputy,
    ChangeAddress,
    ChooseWord,
    Fallback,
    Leave,
    MailAs,
    NoDeputy,
    Pause,
    Resume,
)
from pbem.desk.replies import Case, answer
from pbem.desk.requests import Asked, AskedByPerson, Handlers, PersonHandlers
from pbem.report.people_pages import Confirmation, RequestKind
from pbem.store.models import Person

_ENOUGH = "So many codes were mailed today that no more are sent before tomorrow. Nothing was done."
_NOBODY = "This address is nobody's here, so there is nothing to change."


def _leave(asked: Asked, _: Leave) -> str:
    case, spot = asked.case, asked.spot
    table = locked_table(case.session, spot.campaign)
    place = find_place(table, spot.seat)
    open_seat(case.session, case.house, table, place, case.now, "its player has left", actor=spot.seat, told=True)
    return f"You have given up the seat {spot.seat} in {spot.campaign}. Thank you for playing!"


def _pause(asked: Asked, _: Pause) -> str:
    spot = asked.spot
    if not _set_paused(asked, paused=True):
        return f"Your seat {spot.seat} in {spot.campaign} was paused already. RESUME ends it."
    return (
        f"Your seat {spot.seat} in {spot.campaign} is paused: turns no longer wait for you, and the game's defaults "
        "are used unless you send a sheet. You still get every report. RESUME ends it."
    )


def _resume(asked: Asked, _: Resume) -> str:
    spot = asked.spot
    if not _set_paused(asked, paused=False):
        return f"Your seat {spot.seat} in {spot.campaign} was not paused."
    return f"Your pause is over: turns of {spot.campaign} wait for {spot.seat} again."


def _choose_word(asked: Asked, order: ChooseWord) -> str:
    case, spot = asked.case, asked.spot
    table = locked_table(case.session, spot.campaign)
    word = choose_word(case.session, table, find_place(table, spot.seat), order.said, case.now)
    return (
        f"Your word for the dice of {spot.campaign} is now: {word}\n"
        "You may choose another until the campaign begins. Your first report lists the words of all."
    )


def _set_paused(asked: Asked, *, paused: bool) -> bool:
    case, spot = asked.case, asked.spot
    table = locked_table(case.session, spot.campaign)
    return pause_seat(case.session, table, find_place(table, spot.seat), case.now, paused=paused, actor=spot.seat)


def _appoint(asked: Asked, order: AppointDeputy) -> str:
    case, spot = asked.case, asked.spot
    table = locked_table(case.session, spot.campaign)
    address = check_address(order.address, "a deputy", case.address)
    today = case.now.astimezone(ZoneInfo(table.schedule.zone)).date()
    if not today <= dt.date.fromisoformat(order.last) <= today + dt.timedelta(days=MOST_DAYS):
        return f"A deputy may stand in from today to a day at most {MOST_DAYS} days ahead, not to {order.last}."
    if address.lower() == spot.address.lower():
        return "That is your own address: name that of somebody else."
    player = find_person(case.session, spot.address)
    assert player is not None
    data = {"seat_id": spot.seat_id, "person_id": player.id, "address": address, "until": order.last}
    code = put_request(
        case.session,
        "deputy",
        case.now,
        to=address,
        by=player.key,
        data=data,
        campaign_id=table.id,
        account=case.account,
    )
    if code is None:
        return _ENOUGH
    page = Confirmation(
        kind="deputy",
        code=code,
        address=case.address,
        days=DAYS,
        campaign=spot.campaign,
        seat=spot.seat,
        game=case.house.game(spot.game).title,
        about=spot.address,
        until=order.last,
    )
    subject = f"Will you stand in for {spot.seat}?"
    send_page(case.session, case.house, table, case.now, to=address, subject=subject, page=page, code=code)
    return f"{address} was asked to stand in for you to the end of {order.last}. You hear of it once that is confirmed."


def _dismiss(asked: Asked, _: NoDeputy) -> str:
    case, spot = asked.case, asked.spot
    table = locked_table(case.session, spot.campaign)
    place = find_place(table, spot.seat)
    dismissed = dismiss(case.session, place, case.now)
    if not dismissed:
        return f"Nobody stands in for {spot.seat} in {spot.campaign}, and nobody is asked to any more."
    note(case.session, table.id, case.now, actor=spot.seat, text="has no deputy any more", secret=True)
    recall_copies(case.session, place)
    said = f"You no longer stand in for the seat {spot.seat} of {spot.campaign}. Thank you!"
    for deputy in dismissed:
        send_words(case.session, case.house, table, case.now, said, to=deputy.address, subject="You are relieved")
    return (
        f"{dismissed[0].address} no longer stands in for {spot.seat} in {spot.campaign}, and the reports mailed there "
        "open your seat no more."
    )


def _change_address(asked: AskedByPerson, order: ChangeAddress) -> str:
    if asked.person is None:
        return _NOBODY
    address = check_address(order.address, "a player", asked.case.address)
    if address.lower() == asked.person.key:
        return f"You play from {asked.person.address} already."
    return _ask_owner(asked.case, asked.person, "address", address)


def _fallback(asked: AskedByPerson, order: Fallback) -> str:
    if asked.person is None:
        return _NOBODY
    address = check_address(order.address, "a player", asked.case.address)
    return _ask_owner(asked.case, asked.person, "fallback", "" if address.lower() == asked.person.key else address)


def _ask_owner(case: Case, person: Person, kind: RequestKind, address: str) -> str:
    """Mails a code to the registered address; returns "" if it goes out."""
    data = {"person_id": person.id, "address": address}
    code = put_request(case.session, kind, case.now, to=person.address, data=data, account=case.account)
    if code is None:
        return _ENOUGH
    page = Confirmation(kind=kind, code=code, address=case.address, days=DAYS, about=address)
    answer(case, person.address, page, code=code)
    return ""


def _mail_as(asked: AskedByPerson, order: MailAs) -> str:
    if asked.person is None:
        return _NOBODY
    asked.person.plain = order.form == "PLAIN"
    if asked.person.plain:
        return "Your reports come as text alone from now on, in all your campaigns. FORMAT WHOLE changes it back."
    return "Your reports come with HTML and pictures from now on, in all your campaigns."


HANDLERS: Handlers = {
    Leave: _leave,
    ChooseWord: _choose_word,
    Pause: _pause,
    Resume: _resume,
    AppointDeputy: _appoint,
    NoDeputy: _dismiss,
}
"""What is done for each command of this module about a seat."""

PERSON_HANDLERS: PersonHandlers = {ChangeAddress: _change_address, Fallback: _fallback, MailAs: _mail_as}
"""What is done for each command of this module about no seat in particular."""
