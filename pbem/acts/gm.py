"""Who runs a campaign, and the token by which he may run it by mail."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import update
from sqlalchemy.orm import Session

from pbem.acts.creation import check_address
from pbem.campaign.journal import note
from pbem.campaign.notices import Postman
from pbem.campaign.table import Table
from pbem.campaign.tokens import draw_token, hash_token
from pbem.errors import CampaignError
from pbem.house import House
from pbem.report.gm_pages import GmToken
from pbem.store.models import Campaign


def mail_gm_token(session: Session, house: House, table: Table, now: dt.datetime) -> None:
    """Draws a GM's token anew and mails it to him, with all that he may write; the old one is void."""
    token = draw_token()
    session.execute(update(Campaign).where(Campaign.id == table.id).values(gm_token_hash=hash_token(token)))
    act = note(session, table.id, now, actor="gm", text="the GM was mailed a new token", secret=True)
    page = GmToken(campaign=table.name, token=token, address=house.settings.address)
    postman = Postman.of(house, table)
    mail = postman.mail(table.gm, "Your token as its GM", page, ("gm token", act), kind="welcome")
    postman.send(session, now, mail)


def change_gm(session: Session, house: House, table: Table, address: str, now: dt.datetime) -> None:
    """Lets the campaign be run from another address; a token given before is void. Raises CampaignError."""
    gm = check_address(address, "the GM", house.settings.address)
    if gm.lower() == table.gm.lower():
        raise CampaignError(f"{gm} is the GM of {table.name} already")
    values = {"gm": gm, "gm_token_hash": ""}
    session.execute(update(Campaign).where(Campaign.id == table.id).values(values))
    note(session, table.id, now, actor="gm", text=f"{gm} is the GM now; it was {table.gm}", secret=True)
