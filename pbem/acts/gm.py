"""Who runs a campaign, and the token by which he may run it by mail."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.orm import Session

from pbem.acts.act import Act, Question, Scene
from pbem.acts.creation import check_address
from pbem.campaign.journal import note
from pbem.campaign.notices import Postman
from pbem.campaign.snapshot import CampaignSnapshot
from pbem.campaign.tokens import draw_token, hash_token
from pbem.errors import CampaignError
from pbem.house import House
from pbem.report.gm_pages import GmToken
from pbem.store.models import Campaign


@dataclass(frozen=True, slots=True)
class WhoIsGm:
    """Whose the campaign is, and whether a new token is on its way to him."""

    campaign: str
    gm: str
    mailed: bool = False


@dataclass(frozen=True, slots=True)
class ShowGm(Question[WhoIsGm]):
    """Who is the GM?"""

    def look(self, scene: Scene) -> WhoIsGm:
        """His address."""
        return WhoIsGm(scene.table.name, scene.table.gm)


@dataclass(frozen=True, slots=True)
class ChangeGm(Act[WhoIsGm]):
    """Lets the campaign be run from another address; a token given before is void."""

    address: str

    def do(self, scene: Scene) -> WhoIsGm:
        """Hands the campaign over."""
        table = scene.table
        gm = check_address(self.address, "the GM", scene.house.settings.address)
        if gm.lower() == table.gm.lower():
            raise CampaignError(f"{gm} is the GM of {table.name} already")
        values = {"gm": gm, "gm_token_hash": ""}
        scene.session.execute(update(Campaign).where(Campaign.id == table.id).values(values))
        said = f"{gm} is the GM now; it was {table.gm}"
        note(scene.session, table.id, scene.now, actor="gm", text=said, secret=True)
        return WhoIsGm(table.name, gm)


@dataclass(frozen=True, slots=True)
class MailToken(Act[WhoIsGm]):
    """Draws the GM's token anew, and mails it to him; the old one is void."""

    def do(self, scene: Scene) -> WhoIsGm:
        """Queues the mail."""
        mail_gm_token(scene.session, scene.house, scene.table, scene.now)
        return WhoIsGm(scene.table.name, scene.table.gm, mailed=True)


def mail_gm_token(session: Session, house: House, table: CampaignSnapshot, now: dt.datetime) -> None:
    """Draws a GM's token anew and mails it to him, with all that he may write; the old one is void."""
    token = draw_token()
    session.execute(update(Campaign).where(Campaign.id == table.id).values(gm_token_hash=hash_token(token)))
    act = note(session, table.id, now, actor="gm", text="the GM was mailed a new token", secret=True)
    page = GmToken(campaign=table.name, token=token, address=house.settings.address)
    postman = Postman.of(house, table)
    mail = postman.mail(table.gm, "Your token as its GM", page, ("gm token", act), kind="welcome")
    postman.send(session, now, mail)
