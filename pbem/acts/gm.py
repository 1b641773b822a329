"""Who runs a campaign, and the token by which he may run it by mail."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.orm import Session

from pbem.acts.act import Act, Harmless, Question, Reversible, Scene
from pbem.acts.arguments import GmCommand
from pbem.acts.channel import Channel
from pbem.app import House
from pbem.campaign.journal import note
from pbem.campaign.notices import Postman
from pbem.campaign.snapshot import CampaignSnapshot
from pbem.campaign.tokens import draw_token, hash_token
from pbem.errors import CampaignError
from pbem.mail.headers import check_address
from pbem.report.notices import GmToken
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
        return WhoIsGm(scene.snapshot.name, scene.snapshot.gm)

    def render(self, facts: WhoIsGm, channel: Channel) -> Iterator[str]:
        mailed = "; a new token goes to him with the next tick" if facts.mailed else ""
        yield f"The GM of {facts.campaign} is {facts.gm}{mailed}."


@dataclass(frozen=True, slots=True)
class ChangeGm(Act[WhoIsGm]):
    """Lets the campaign be run from another address; a token given before is void."""

    command = "gm"
    weight = Reversible("pbem gm NAME --address ADDRESS")
    address: str

    def do(self, scene: Scene) -> WhoIsGm:
        """Hands the campaign over."""
        snapshot = scene.snapshot
        gm = check_address(self.address, "the GM", scene.house.settings.address)
        if gm.lower() == snapshot.gm.lower():
            raise CampaignError(f"{gm} is the GM of {snapshot.name} already")
        values = {"gm": gm, "gm_token_hash": ""}
        scene.session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(values))
        said = f"{gm} is the GM now; it was {snapshot.gm}"
        note(scene.session, snapshot.id, scene.now, actor="gm", text=said, secret=True)
        return WhoIsGm(snapshot.name, gm)

    def render(self, facts: WhoIsGm, channel: Channel) -> Iterator[str]:
        return ShowGm().render(facts, channel)


@dataclass(frozen=True, slots=True)
class MailToken(GmCommand, Act[WhoIsGm]):
    """Get a new token; this one is void then."""

    usage = "TOKEN"
    command = "gm"
    weight = Harmless("the same GM gets another token")

    def do(self, scene: Scene) -> WhoIsGm:
        """Queues the mail."""
        mail_gm_token(scene.session, scene.house, scene.snapshot, scene.now)
        return WhoIsGm(scene.snapshot.name, scene.snapshot.gm, mailed=True)

    def render(self, facts: WhoIsGm, channel: Channel) -> Iterator[str]:
        return ShowGm().render(facts, channel)


def mail_gm_token(session: Session, house: House, snapshot: CampaignSnapshot, now: dt.datetime) -> None:
    """Draws a GM's token anew and mails it to him, with all that he may write; the old one is void."""
    token = draw_token()
    session.execute(update(Campaign).where(Campaign.id == snapshot.id).values(gm_token_hash=hash_token(token)))
    act = note(session, snapshot.id, now, actor="gm", text="the GM was mailed a new token", secret=True)
    page = GmToken(campaign=snapshot.name, token=token, address=house.settings.address)
    postman = Postman.of(house, snapshot)
    mail = postman.mail(snapshot.gm, "Your token as its GM", page, ("gm token", act), kind="welcome")
    postman.send(session, now, mail)
