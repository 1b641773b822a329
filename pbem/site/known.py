"""What all players of a campaign may know of it, and so everybody: looked up in the database.

A turn that opened for some seats alone is not told of: its number, its deadline
and that there is one would tell the others what they do not know. All that a
page says of the course of a game is as of the last opening that every seat in
it had a report of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.app import House
from pbem.campaign.damaged_rows import fault_of, unreadable_words
from pbem.campaign.press import NEWS
from pbem.campaign.snapshot import CampaignSnapshot, is_pause, live, load_campaign, load_state
from pbem.errors import StoreError
from pbem.report.facts import Said
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Panorama, Seat, View
from pbem.site.facts import CampaignShown, ClubShown, GameShown, Issue, Opened, Result, Score, Spectacle
from pbem.store.models import Campaign, Press, Report, SeatRow, Turn
from pbem.store.types import Phase, Seating

OFF, NEWS_ALONE, REPLAY, ALL = "off", "news", "replay", "all"
"""What the house rule `site` may be."""

MOST_OPENINGS = 12
"""Openings told in a feed."""

_Told = tuple[int, Opened]
"""The id of a turn whose opening all were told of, and what is told of it; its label is looked up when it is needed."""


def load_club(session: Session, house: House, problems: list[str]) -> ClubShown:
    """The club and all of its campaigns that the site may show; problems are told of those that cannot be read."""
    settings = house.settings
    names = session.scalars(select(Campaign.name).order_by(Campaign.id)).all()
    campaigns = tuple(filter(None, (_shown(session, house, name, problems) for name in names)))
    games = {each.game.key: each.game for each in campaigns}
    return ClubShown(
        name=settings.sender_name,
        address=settings.address,
        domain=settings.domain,
        url=settings.site_url,
        campaigns=campaigns,
        games=tuple(sorted(games.values(), key=lambda game: game.title)),
    )


def _shown(session: Session, house: House, name: str, problems: list[str]) -> CampaignShown | None:
    try:
        snapshot = load_campaign(session, name)
        if snapshot.policy.site == OFF or snapshot.game not in house.games:
            return None
        return _campaign(session, house.game(snapshot.game), snapshot)
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - one campaign's fault must not stop the others
        problems.append(unreadable_words(name, error, fault_of(session, name)))
        return None


def _campaign(session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot) -> CampaignShown:
    told = list(_told(session, snapshot))
    openings = [_labelled(session, *each) for each in told[:MOST_OPENINGS]]
    over = snapshot.status == Phase.OVER
    panorama = _panorama(session, ruleset, told[0][0]) if told else None
    return CampaignShown(
        name=snapshot.name,
        game=GameShown(ruleset.key, ruleset.title, ruleset.designer, ruleset.summary),
        status=snapshot.status,
        schedule=snapshot.schedule.text,
        zone=snapshot.schedule.zone,
        seats=snapshot.seats,
        joins=snapshot.policy.signup and snapshot.status in (Phase.FORMING, Phase.RUNNING),
        free=_free(session, snapshot),
        paused=is_pause(snapshot.hold_kind),
        created=session.scalars(select(Campaign.created_at).where(Campaign.id == snapshot.id)).one(),
        last=openings[0] if openings else None,
        openings=tuple(openings),
        scores=tuple(ranked(panorama.scores)) if panorama else (),
        of=panorama.of if panorama else "",
        spectacle=_spectacle(session, ruleset, snapshot, told),
        issues=tuple(_issues(session, snapshot, [*reversed(told)])),
        result=_result(session, ruleset, snapshot) if over else None,
        replay=over and snapshot.policy.site in (REPLAY, ALL),
    )


def _free(session: Session, snapshot: CampaignSnapshot) -> int:
    open_seats = (SeatRow.campaign_id == snapshot.id, SeatRow.status == Seating.OPEN)
    return session.scalar(select(func.count()).where(*open_seats)) or 0


def _told(session: Session, snapshot: CampaignSnapshot) -> Iterator[_Told]:
    """The openings that all seats still in the game had a report of, the newest first."""
    playing = [place.id for place in snapshot.playing]
    rows = session.execute(
        select(Turn.id, Turn.number, Turn.opened_at, Turn.deadline)
        .join(Report, Report.turn_id == Turn.id)
        .join(SeatRow, SeatRow.id == Report.seat_id)
        .where(live(snapshot.id), SeatRow.status != Seating.REMOVED)
        .group_by(Turn.id, Turn.number, Turn.opened_at, Turn.deadline)
        .having(func.count(Report.id) >= max(1, len(playing)))
        .order_by(Turn.number.desc())
    )
    for id_, number, at, deadline in rows:
        yield id_, Opened(number=number, label="", at=at, deadline=deadline)


def _labelled(session: Session, turn_id: int, opened: Opened) -> Opened:
    label = str(_view(session, turn_id)["label"])
    return Opened(number=opened.number, label=label, at=opened.at, deadline=opened.deadline)


def _view(session: Session, turn_id: int) -> View:
    """The view of a seat at an opening. What all know is the same in each."""
    raw = session.scalars(select(Report.view).where(Report.turn_id == turn_id).order_by(Report.seat_id).limit(1)).one()
    view: View = json.loads(raw)
    return view


def _panorama(session: Session, ruleset: AnyRuleset, turn_id: int) -> Panorama | None:
    view = _view(session, turn_id)
    return ruleset.public({view["seat"]: view})


def ranked(scores: Mapping[Seat, int]) -> Iterator[Score]:
    """Scores, the best first."""
    best = max(1, *scores.values()) if scores else 1
    for seat, score in sorted(scores.items(), key=lambda each: (-each[1], each[0])):
        yield Score(seat, score, max(0, 100 * score // best))


def _spectacle(
    session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot, told: Sequence[_Told]
) -> Spectacle | None:
    delay = snapshot.policy.delay
    if delay is None or len(told) <= delay or snapshot.status != Phase.RUNNING:
        return None
    turn_id, opened = told[delay]
    panorama = _panorama(session, ruleset, turn_id)
    return Spectacle(_labelled(session, turn_id, opened), panorama.pictures) if panorama else None


def _issues(session: Session, snapshot: CampaignSnapshot, told: Sequence[_Told]) -> Iterator[Issue]:
    """The newspapers, the newest first; `told` are the openings in their order."""
    news = select(Press.turn, Press.text, Press.anonymous, SeatRow.name)
    rows = session.execute(
        news.outerjoin(SeatRow, SeatRow.id == Press.sender_id)
        .where(Press.campaign_id == snapshot.id, Press.kind == NEWS)
        .order_by(Press.id)
    ).all()
    found = []
    since = 0
    for turn_id, opened in told:
        pieces = tuple(
            Said(by="" if anonymous else seat or "the GM", text=text)
            for turn, text, anonymous, seat in rows
            if since <= turn < opened.number
        )
        since = opened.number
        if pieces:
            found.append(Issue(_labelled(session, turn_id, opened), pieces))
    yield from reversed(found)


def _result(session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot) -> Result:
    standing = ruleset.standing(load_state(session, ruleset, snapshot))
    return Result(winners=standing.winners, reason=standing.reason)
