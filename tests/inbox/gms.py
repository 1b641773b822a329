"""A campaign whose GM writes commands with a token."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from sqlalchemy import update

from pbem.campaign.people import hash_token
from pbem.store.models import Campaign
from tests.inbox.people import GM
from tests.toy.home import Desk, prepared

TOKEN = "0123456789abcdef0123"


@pytest.fixture
@prepared
def running(desk: Desk) -> Desk:
    """Return a home with a campaign whose GM has a token."""
    desk.start()
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))
    return desk


def framed(desk: Desk, *lines: str) -> EmailMessage:
    """Mail commands of the GM with the token; return the answer."""
    desk.post("\n".join([f"GM toy1 {TOKEN}", *lines, "END"]), sender=GM)
    desk.answer()
    return desk.last(GM)
