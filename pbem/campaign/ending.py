"""Facts of the last report of a game: who has won, everybody's scores by turn, and games to join next."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.campaign.house_rules import HouseRules
from pbem.campaign.snapshot import CampaignSnapshot, Context, SeatView
from pbem.report.facts import Ending, FinalScore, OpenCampaign
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import SeatName, Standing, View
from pbem.store.models import Campaign, Seat
from pbem.store.types import UNREADABLE, CampaignState, SeatState

MOST_SCORED = 60
"""Seats up to which everybody's scores are told; the views of a larger game would be computed once more for it."""

MOST_OFFERED = 3
"""Campaigns to join next that are named."""

LAST_WORDS = dt.timedelta(days=7)
"""Time after the end for which players may add to their diaries, for the replay."""

_SHOWS_REPLAY = ("replay", "full")


def load_ending(
    context: Context,
    snapshot: CampaignSnapshot,
    ruleset: AnyRuleset,
    standing: Standing,
    views: Iterable[tuple[SeatView, View]],
) -> Ending | None:
    """Return the ending of a game from its standing and the views of the last reports; None if it is not over.

    What a seat's reports alone told it of its scores is disclosed where the replay discloses it too.
    """
    if not standing.over:
        return None
    opened = _shows_replay(snapshot)
    last = {place.seat: view for place, view in views} if len(snapshot.places) <= MOST_SCORED else {}
    remembered = {seat: view.get("memory", {}).get("scores") for seat, view in last.items()} if opened else {}
    scores = {seat: told for seat, told in remembered.items() if told and told["turns"]}
    course = {seat: dict(map(tuple, told["turns"])) for seat, told in scores.items()}
    public = ruleset.public_view(last) if last else None
    final = {seat: told["turns"][-1][1] for seat, told in scores.items()}
    known = (dict(public.scores) if public else {}) | final
    first: Mapping[str, str] = next(iter(scores.values()), {})
    return Ending(
        seats=snapshot.seats,
        winners=standing.winners,
        reason=standing.reason,
        scores=tuple(_rank(snapshot.seats, standing.winners, known)),
        course=course,
        of=first.get("of") or (public.of if public else ""),
        by=first.get("by", ""),
        replay=replay_url(context, snapshot),
        following=tuple(_open_campaigns(context, snapshot)),
    )


def _rank(
    seats: Iterable[SeatName], winners: Iterable[SeatName], scores: Mapping[SeatName, int]
) -> Iterator[FinalScore]:
    """Yield the winners, then the others, the best first."""
    found = [FinalScore(seat, scores.get(seat), seat in winners) for seat in seats]
    lowest = min(scores.values(), default=0) - 1
    yield from sorted(found, key=lambda each: (not each.won, -(lowest if each.score is None else each.score)))


def replay_url(context: Context, snapshot: CampaignSnapshot) -> str:
    """Return the web address that the replay has when the game is over, "" if it has none."""
    settings = context.app.settings
    shown = settings.has_site and _shows_replay(snapshot)
    return f"{settings.site_url}c/{snapshot.name}/replay/index.html" if shown else ""


def _shows_replay(snapshot: CampaignSnapshot) -> bool:
    return snapshot.policy.site in _SHOWS_REPLAY


def _open_campaigns(context: Context, snapshot: CampaignSnapshot) -> Iterator[OpenCampaign]:
    """Yield the newest campaigns with open seats that anyone may ask for by mail."""
    rows = context.session.execute(
        select(Campaign.id, Campaign.name, Campaign.game, func.count(Seat.id))
        .join(Seat, Seat.campaign_id == Campaign.id)
        .where(
            Campaign.id != snapshot.id,
            Campaign.status.in_((CampaignState.FORMING, CampaignState.RUNNING)),
            Seat.status == SeatState.OPEN,
        )
        .group_by(Campaign.id)
        .order_by(Campaign.id.desc())
    ).all()
    games = context.app.games
    found = (
        OpenCampaign(name, games[game].title, free)
        for id_, name, game, free in rows
        if game in games and _takes_players(context.session, id_)
    )
    return islice(found, MOST_OFFERED)


def _takes_players(session: Session, campaign_id: int) -> bool:
    try:
        policy = session.scalars(select(Campaign.policy).where(Campaign.id == campaign_id)).one()
        return HouseRules.read(policy).signup
    except UNREADABLE:  # another campaign's damaged row must not keep this one from ending
        return False
