"""Helpers of the tests about trust: keys as players have them, house rules, and the answers to each address."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re

from sqlalchemy import select, update

from pbem.campaign.people import get_or_create_person
from pbem.store.models import Campaign, Deputy, Seat
from tests.toy.home import Desk, text_of

ANN, BOB, CYD, EVE = "ann@example.org", "bob@example.org", "cyd@example.org", "eve@example.net"
SERVER = "mx.example.org"
SHEET = "ORDERS toy1 red\nBID 3\nEND"
TAKEN = "Your order is in"
"""The title of the receipt of a sheet with one order, which was accepted."""


def version_taken(receipt: str) -> int:
    """Return the version of the sheet that a receipt says is in; 0 if it says something else."""
    title = r"(?:Your order is|Both orders are|All \d+ orders are) in\s"
    found = re.match(rf"{title}.*\sSheet (\d+), [0-9a-f]+\.", receipt, re.DOTALL)
    return int(found[1]) if found else 0


def token(desk: Desk, to: str = ANN, campaign: str = "toy1") -> str:
    """Return the token in a player's welcome mail."""
    welcome = next(mail for mail in desk.mails(to) if mail["Subject"].startswith(f"[{campaign}] the game starts"))
    (line,) = [line for line in text_of(welcome).splitlines() if line.startswith("ORDERS ")]
    return line.split()[3]


def code(desk: Desk, to: str = ANN, campaign: str = "toy1") -> str:
    """Return the reply code of the newest mail of a campaign to a player that has one."""
    tagged = [mail for mail in desk.mails(to) if f"[{campaign}]" in mail["Subject"] and "+" in mail["Reply-To"]]
    return str(tagged[-1]["Reply-To"]).partition("+")[2].partition("@")[0]


def told(desk: Desk) -> dict[str, str]:
    """Tick, and return the text mailed to each address then, on one line."""
    before = len(desk.mails())
    desk.answer()
    return {mail["To"]: " ".join(text_of(mail).split()) for mail in desk.mails()[before:]}


def rule(desk: Desk, **rules: str) -> None:
    """Set house rules of the first campaign."""
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).where(Campaign.name == "toy1").values(policy=rules))


def believing(desk: Desk) -> None:
    """Set the mail server whose verdicts count."""
    settings = dataclasses.replace(desk.app.settings, authserv_id=SERVER)
    desk.app = dataclasses.replace(desk.app, settings=settings)


def stamp(verdict: str) -> dict[str, str]:
    """Return the header that the mail server adds to a message."""
    return {"Authentication-Results": f"{SERVER}; dmarc={verdict}"}


def stand_in(desk: Desk, address: str, *, first: int, last: int, seat: str = "red") -> None:
    """Make an address the deputy of a seat, between two days counted from now."""
    with desk.app.store.writing() as session:
        seat_id = session.scalars(select(Seat.id).where(Seat.name == seat).order_by(Seat.id)).first()
        person = get_or_create_person(session, address, desk.now)
        days = {"since": desk.now + dt.timedelta(days=first), "until": desk.now + dt.timedelta(days=last)}
        session.add(Deputy(seat_id=seat_id, person_id=person.id, **days))


def put_seat(desk: Desk, seat: str = "red", **values: object) -> None:
    """Change a seat of the first campaign."""
    with desk.app.store.writing() as session:
        first = select(Seat.id).where(Seat.name == seat).order_by(Seat.id).limit(1).scalar_subquery()
        session.execute(update(Seat).where(Seat.id == first).values(**values))
