"""A GM's acts about people and house rules, as typed: each in the session given, told in a sentence.

All raise CampaignError, naming the nearest valid thing.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.acts.creation import check_address
from pbem.acts.people.seating import free_places, hand_over, open_seat, pause_seat, place_of, remove_seat
from pbem.campaign.journal import note
from pbem.campaign.notices import send_page
from pbem.campaign.people.confirming import DAYS, put_request
from pbem.campaign.people.identity import enrol, find_person
from pbem.campaign.people.standby import standbys
from pbem.campaign.policy import RULES, Policy, read_policy
from pbem.campaign.table import Table, find_place
from pbem.errors import CampaignError
from pbem.house import House
from pbem.report.people_pages import Confirmation
from pbem.ruleset import Seat
from pbem.store.models import Act, Campaign


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """A house rule of a campaign: its value in words, what it may be, and what it does."""

    name: str
    value: str
    allowed: str
    help: str
    default: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a campaign's journal. Players may not read it if it is `secret`."""

    at: dt.datetime
    actor: str
    text: str
    secret: bool


@dataclass(frozen=True, slots=True)
class Roster:
    """Who sits where in a campaign ("" for nobody), how the seat stands, and who waits for one, the first first."""

    campaign: str
    seats: tuple[tuple[Seat, str, str], ...]
    standbys: tuple[tuple[str, Seat], ...]


def change_seat(
    session: Session, house: House, table: Table, seat: Seat, now: dt.datetime, *, act: str, address: str = ""
) -> str:
    """Does one of the acts on a seat: "give" it to an address, "open", "remove", "pause" or "resume" it."""
    if act == "give":
        return give_seat(session, house, table, seat, address, now)
    if act == "open":
        return vacate_seat(session, house, table, seat, now)
    if act == "remove":
        return expel_seat(session, house, table, seat, now)
    return pause(session, table, seat, now, paused=act == "pause")


def give_seat(session: Session, house: House, table: Table, seat: Seat, address: str, now: dt.datetime) -> str:
    """Seats whoever has this address, whoever sat there before."""
    place = find_place(table, seat)
    person = enrol(session, check_address(address, f"seat {place.seat}", house.settings.address), now)
    if place.address.lower() == person.key:
        raise CampaignError(f"seat {place.seat} of {table.name} is played by {person.address} already")
    hand_over(session, house, table, place, person, now, "seated by the GM", actor="gm")
    mailed = ", who is mailed a new token and its newest report" if table.status == "running" else ""
    return f"Seat {place.seat} of {table.name} is played by {person.address} now{mailed}."


def vacate_seat(session: Session, house: House, table: Table, seat: Seat, now: dt.datetime) -> str:
    """Takes a seat from its player; the first standby gets it."""
    return open_seat(session, house, table, find_place(table, seat), now, "opened by the GM", actor="gm")


def expel_seat(session: Session, house: House, table: Table, seat: Seat, now: dt.datetime) -> str:
    """Takes a seat out of the game."""
    place = find_place(table, seat)
    remove_seat(session, house, table, place, now, "removed by the GM", actor="gm")
    return f"Seat {place.seat} of {table.name} is out of the game; the rules hear of it when the next turn is run."


def pause(session: Session, table: Table, seat: Seat, now: dt.datetime, *, paused: bool) -> str:
    """Lets turns no longer wait for a seat, or wait again."""
    place = find_place(table, seat)
    state = "paused: turns do not wait for it" if paused else "not paused"
    if not pause_seat(session, table, place, now, paused=paused):
        raise CampaignError(f"seat {place.seat} of {table.name} is {state} already")
    return f"Seat {place.seat} of {table.name} is {state}."


def invite(session: Session, house: House, table: Table, address: str, now: dt.datetime, *, seat: Seat = "") -> str:
    """Mails somebody a code by which he gets a seat, that named if it is still free then."""
    if table.status == "over":
        raise CampaignError(f"campaign {table.name} is over: nobody can be invited")
    address = check_address(address, "a player", house.settings.address)
    wish = find_place(table, seat).seat if seat else ""
    free = [place.seat for place in free_places(table)]
    if wish and wish not in free:
        raise CampaignError(f"seat {wish} of {table.name} is taken; free: {', '.join(free) or 'none'}")
    person = find_person(session, address)
    if person and (place := place_of(session, table, person)):
        raise CampaignError(f"{address} plays in {table.name} already, as {place.seat}")
    data = {"address": address, "wish": wish, "words": ""}
    code = put_request(session, "invite", now, to=address, data=data, campaign_id=table.id)
    if code is None:
        raise CampaignError(f"{address} was mailed so many codes today that it gets no more before tomorrow")
    _mail_invitation(session, house, table, address, now, wish=wish, code=code)
    note(session, table.id, now, actor="gm", text=f"invited {address}", secret=True)
    which = f"seat {wish}" if wish else "a seat" if free else "the standby list, since no seat is free"
    return f"{address} is invited to {which}; the code in the mail holds for {DAYS} days."


def _mail_invitation(
    session: Session, house: House, table: Table, address: str, now: dt.datetime, *, wish: Seat, code: str
) -> None:
    ruleset = house.game(table.game)
    page = Confirmation(
        kind="invite",
        code=code,
        address=house.settings.address,
        days=DAYS,
        campaign=table.name,
        seat=wish,
        game=ruleset.title,
        summary=ruleset.summary,
        schedule=table.schedule.text,
        gm=table.gm,
    )
    subject = f"You are invited to {ruleset.title}"
    send_page(session, house, table, now, to=address, subject=subject, page=page, code=code)


def set_rules(session: Session, table: Table, given: Mapping[str, str], now: dt.datetime) -> None:
    """Changes house rules of a campaign."""
    changed = read_policy(given)
    campaign = session.get_one(Campaign, table.id)
    campaign.policy = {**campaign.policy, **changed}
    said = ", ".join(f"{name} {in_words(name, value)}" for name, value in changed.items())
    note(session, table.id, now, actor="gm", text=f"house rules: {said}")


def list_rules(table: Table) -> list[RuleSet]:
    """Every house rule of a campaign."""
    usual = Policy()
    return [
        RuleSet(
            name=name,
            value=in_words(name, getattr(table.policy, name)),
            allowed=rule.allowed,
            help=rule.help,
            default=getattr(table.policy, name) == getattr(usual, name),
        )
        for name, rule in RULES.items()
    ]


def in_words(name: str, value: object) -> str:
    """The value of a house rule as a GM types it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and RULES[name].allowed.startswith("a span"):
        unit, minutes = next(each for each in (("d", 1440), ("h", 60), ("m", 1)) if value % each[1] == 0)
        return f"{value // minutes}{unit}"
    return ",".join(value) or "none" if isinstance(value, tuple | list) else str(value)


def list_roster(session: Session, table: Table) -> Roster:
    """Who sits where, and who waits."""
    seats = [
        (place.seat, place.address, _standing(place.playing, place.address, place.paused)) for place in table.places
    ]
    waiting = [(person.address, wish) for person, wish in standbys(session, table.id)]
    return Roster(table.name, tuple(seats), tuple(waiting))


def _standing(playing: bool, address: str, paused: bool) -> str:
    if not playing:
        return "removed"
    return "open" if not address else "paused" if paused else "playing"


def list_journal(session: Session, table: Table) -> list[Entry]:
    """All that was done to a campaign, the oldest first."""
    acts = select(Act.at, Act.actor, Act.text, Act.secret).where(Act.campaign_id == table.id).order_by(Act.id)
    return [Entry(*row) for row in session.execute(acts)]
