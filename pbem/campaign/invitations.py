"""Facts for people who are asked to play: invitations, requests to join, and the games that can be joined."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.people import DAYS, open_invitations
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign
from pbem.mail.compose import MailPart
from pbem.report.answers import Confirmation, ConfirmationKind, OpenGame
from pbem.report.mailto import mailto
from pbem.report.sample_game import middle_band, sample_board
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import SeatName
from pbem.store.models import Campaign
from pbem.store.types import CampaignState


def offer_seat(
    app: App, snapshot: CampaignSnapshot, kind: ConfirmationKind, *, code: str, wish: SeatName, now: dt.datetime
) -> Confirmation:
    """Return what an invitation or the question to a person who asked to join says; `wish` is the seat, "" for any."""
    ruleset = app.game(snapshot.game)
    last_day = (now + dt.timedelta(days=DAYS)).astimezone(ZoneInfo(snapshot.schedule.zone))
    site = app.settings.site_url if app.settings.has_site and snapshot.policy.site != "off" else ""
    return Confirmation(
        kind=kind,
        code=code,
        address=app.settings.address,
        days=DAYS,
        campaign=snapshot.name,
        seat=wish,
        game=ruleset.title,
        summary=ruleset.summary,
        schedule=snapshot.schedule.words,
        gm=snapshot.gm_shown,
        pitch=ruleset.pitch,
        options=tuple(changed_options(ruleset, snapshot)),
        minutes=ruleset.minutes,
        seats=tuple(place.seat for place in snapshot.playing),
        free=_count_free(snapshot),
        running=snapshot.status == CampaignState.RUNNING,
        holds=f"{last_day:%a} {last_day.day} {last_day:%b}",
        rules_url=f"{site}games/{ruleset.key}.html" if site else "",
        look_url=site,
    )


def renew_invitation(app: App, session: Session, address: str, now: dt.datetime) -> Confirmation | None:
    """Return the newest invitation that an address may still answer, as it was mailed; None if there is none."""
    own = [each for each in open_invitations(session, now) if each.data["address"].lower() == address.lower()]
    campaign = session.get(Campaign, own[-1].campaign_id) if own else None
    if campaign is None or campaign.status in (CampaignState.OVER, CampaignState.MOVED):
        return None
    asked, snapshot = own[-1], load_campaign(session, campaign.name)
    return offer_seat(app, snapshot, "invite", code=asked.code, wish=asked.data["wish"], now=asked.created_at)


def changed_options(ruleset: AnyRuleset, snapshot: CampaignSnapshot) -> Iterator[str]:
    """Yield the options of the game that the GM has chosen otherwise than usual, in words."""
    # A campaign started under an earlier version of its game has none of the newer options.
    for option in ruleset.options:
        chosen = snapshot.options.get(option.name, option.default)
        if chosen != option.default and (described := option.describe(chosen)):
            yield described


def describe_open_game(app: App, snapshot: CampaignSnapshot) -> OpenGame:
    """Return a campaign that takes players as anyone may know it."""
    ruleset, name = app.game(snapshot.game), snapshot.name
    return OpenGame(
        campaign=name,
        game=ruleset.title,
        key=ruleset.key,
        summary=ruleset.summary,
        free=_count_free(snapshot),
        seats=len(snapshot.playing),
        pace=snapshot.schedule.pace,
        schedule=snapshot.schedule.words,
        running=snapshot.status == CampaignState.RUNNING,
        gm=snapshot.gm_shown,
        join=mailto(app.settings.address, f"JOIN {name}", [f"JOIN {name}"]),
    )


def with_board(app: App, page: Confirmation, ruleset: AnyRuleset) -> tuple[Confirmation, tuple[MailPart, ...]]:
    """Return an invitation with a picture of a board in play, and the file; without one where there is none."""
    part, shows = board_file(app, ruleset)
    if part is None:
        return page, ()
    # The middle alone, so that the button stands on the first screen of a phone.
    part = dataclasses.replace(part, content=middle_band(part.content))
    return dataclasses.replace(page, board=part.content_id, shows=shows), (part,)


def board_file(app: App, ruleset: AnyRuleset) -> tuple[MailPart | None, str]:
    """Return the picture of a board in play as a file of a mail, and its alternative text; None without pictures."""
    board = sample_board(ruleset) if app.settings.pictures else None
    if board is None:
        return None, ""
    name = f"{ruleset.key.replace('_', '-')}-board.png"
    return MailPart(name, "image/png", board.png, f"board.{ruleset.key}@{app.settings.domain}"), board.title


def _count_free(snapshot: CampaignSnapshot) -> int:
    return sum(not place.address and not place.bot for place in snapshot.playing)
