"""A seat changes hands while a message for it waits for the campaign's lock, as it may on PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from pbem.actions.seats import give_seat
from pbem.campaign.people import get_or_create_person
from pbem.campaign.snapshot import Context, find_seat_view, locked_campaign
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import InboxMessage, OrderSheet, OutgoingMail
from tests.toy.home import Desk, open_desk

ANN, EVE = "ann@example.org", "eve@example.org"


@pytest.fixture
def served(postgres_url: str, tmp_path: Path) -> Iterator[Desk]:
    """Yield a home on PostgreSQL with a campaign that has begun."""
    with open_desk(tmp_path / "home", database=postgres_url) as desk:
        desk.start()
        yield desk


def while_it_waits(desk: Desk, act: Callable[[Session], object]) -> str:
    """Change the campaign while a message that is being processed waits for its lock; return the message's note."""
    fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
    answering = threading.Thread(target=process_messages, args=(desk.app, desk.now))
    with desk.app.store.writing() as session:
        locked_campaign(session, "toy1")
        answering.start()
        _wait_for_a_waiter(desk)
        act(session)
    answering.join()
    with desk.app.store.reading() as session:
        return session.scalars(select(InboxMessage.note).order_by(InboxMessage.id.desc())).first() or ""


def _wait_for_a_waiter(desk: Desk) -> None:
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    with desk.app.store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        while not connection.scalar(waiting):
            pass


def give_to_eve(desk: Desk) -> Callable[[Session], None]:
    """Return a function that gives red's seat to Eve."""

    def act(session: Session) -> None:
        snapshot = locked_campaign(session, "toy1")
        eve = get_or_create_person(session, EVE, desk.now)
        give_seat(Context(session, desk.app, snapshot, desk.now), find_seat_view(snapshot, "red"), eve, "a test")

    return act


@pytest.mark.parametrize("key", [True, False])
def test_a_sheet_of_a_player_who_loses_the_seat_meanwhile(served: Desk, key: bool) -> None:
    """Neither the former player's address nor their code is proof any more, and they are not told of the new player."""
    if key:
        served.reply(served.last(ANN), "BID 1")
    else:
        served.post("ORDERS toy1 red\nBID 1\nEND")
    while_it_waits(served, give_to_eve(served))

    with served.app.store.reading() as session:
        assert session.scalars(select(OrderSheet)).all() == []
        receipts = select(OutgoingMail.recipient).where(OutgoingMail.kind == "receipt")
        assert session.scalars(receipts).all() == []


def test_sheets_for_two_campaigns_crosswise(served: Desk) -> None:
    """A mail locks its campaigns in one order, whichever its sheets have, so that no other waits for it in turn."""
    served.begin(name="toy2")
    served.tick()
    served.post("".join(f"ORDERS {name} red\nBID 1\nEND\n\n" for name in ("toy2", "toy1")))
    while_it_waits(served, lambda session: locked_campaign(session, "toy2"))

    with served.app.store.reading() as session:
        (message,) = session.scalars(select(InboxMessage)).all()
        assert message.state == "processed"
        assert len(session.scalars(select(OrderSheet)).all()) == 2
        assert len(session.scalars(select(OutgoingMail).where(OutgoingMail.kind == "receipt")).all()) == 1
