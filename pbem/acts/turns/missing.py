"""What follows a missed sheet, once the turn has been run: warnings, and the seat's next player or its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.acts.act import Scene
from pbem.acts.people.seating import back_hint, open_seat, remove_seat
from pbem.campaign.labels import open_label
from pbem.campaign.notices import tell_each, tell_gm_once, tell_players
from pbem.campaign.policy import Policy
from pbem.campaign.snapshot import CampaignSnapshot, Place, load_campaign
from pbem.report.notices import Miss, Missed, MissedDigest, MissedOthers
from pbem.ruleset.values import Seat
from pbem.store.models import SeatRow


@dataclass(frozen=True, slots=True)
class _Misser:
    """A place that missed, and how often, this time included."""

    place: Place
    in_a_row: int
    in_all: int


def follow_misses(scene: Scene, missing: frozenset[Seat], *, act: int) -> None:
    """Warns who missed and tells the GM, and does what the house rules say of those who missed too often.

    The campaign is as it was when the turn was run, `missing` are its seats without
    a sheet, `act` is the run's entry in the journal. The misses are counted already.
    """
    snapshot = scene.snapshot
    missers = _missers(scene.session, snapshot, missing)
    if not missers:
        return
    _warn(scene, missers, act)
    if snapshot.policy.late == "public":
        _tell_others(scene, missers, act)
    misses = tuple(Miss(each.place.seat, each.in_a_row, each.in_all, _act(scene, each)) for each in missers)
    page = MissedDigest(campaign=snapshot.name, turn=snapshot.turn, missed=misses)
    subject = f"Missed in turn {snapshot.turn}: {', '.join(miss.seat for miss in misses)}"
    moment = ("missed", str(act))
    tell_gm_once(scene.session, scene.house, snapshot, scene.now, moment=moment, subject=subject, page=page)


def _missers(session: Session, snapshot: CampaignSnapshot, missing: frozenset[Seat]) -> list[_Misser]:
    """Those whose sheets were waited for."""
    places = {place.id: place for place in snapshot.places if place.manned and place.seat in missing}
    rows = session.execute(
        select(SeatRow.id, SeatRow.nmr_in_a_row, SeatRow.nmr_total)
        .where(SeatRow.campaign_id == snapshot.id, SeatRow.nmr_in_a_row > 0)
        .order_by(SeatRow.id)
    )
    return [_Misser(places[id_], in_a_row, in_all) for id_, in_a_row, in_all in rows if id_ in places]


def _warn(scene: Scene, missers: Sequence[_Misser], act: int) -> None:
    """Warns those for whom it has consequences, or becomes a habit; of a single miss the report tells enough."""
    snapshot = scene.snapshot
    pages = [
        (each.place, _warning(scene, each))
        for each in missers
        if not _is_too_many(snapshot.policy, each) and (_has_consequences(snapshot.policy) or each.in_a_row > 1)
    ]
    subject = "Your sheet did not come"
    tell_each(scene.session, scene.house, snapshot, scene.now, act=act, subject=subject, pages=pages)


def _warning(scene: Scene, misser: _Misser) -> Missed:
    snapshot, policy = scene.snapshot, scene.snapshot.policy
    removed_in = policy.nmr_remove - misser.in_a_row if policy.nmr_remove else None
    opens_in = policy.nmr_open - misser.in_a_row if policy.nmr_open else None
    opens_first = opens_in is not None and (removed_in is None or opens_in < removed_in)
    return Missed(
        campaign=snapshot.name,
        seat=misser.place.seat,
        label=open_label(scene.session, snapshot, misser.place.id),
        in_a_row=misser.in_a_row,
        opens_in=opens_in if opens_first else None,
        removed_in=None if opens_first else removed_in,
        gm=snapshot.gm,
        address=scene.house.settings.address,
    )


def _tell_others(scene: Scene, missers: Sequence[_Misser], act: int) -> None:
    session, house, snapshot, now = scene.session, scene.house, scene.snapshot, scene.now
    seats = tuple(each.place.seat for each in missers)
    page = MissedOthers(campaign=snapshot.name, missed=seats)
    tell_players(session, house, snapshot, now, act=act, subject="Sheets did not come", page=page, but=seats)


def _has_consequences(policy: Policy) -> bool:
    return bool(policy.nmr_open or policy.nmr_remove)


def _is_too_many(policy: Policy, misser: _Misser) -> bool:
    return any(limit and misser.in_a_row >= limit for limit in (policy.nmr_open, policy.nmr_remove))


def _act(scene: Scene, misser: _Misser) -> str:
    """Opens or removes the seat of somebody who missed too often; returns what was done, "" if nothing."""
    if not _is_too_many(scene.snapshot.policy, misser):
        return ""
    why = f"its player sent no sheet {misser.in_a_row} times in a row"
    # The run has changed the campaign since it was looked at.
    newest = load_campaign(scene.session, scene.snapshot.name)
    since = replace(scene, snapshot=newest)
    if newest.policy.nmr_remove and misser.in_a_row >= newest.policy.nmr_remove:
        remove_seat(since, misser.place, why)
        back = back_hint(newest.name, misser.place.seat)
        return f"The seat is out of the game. Until turn {newest.turn} is run it is brought back by: {back}"
    return open_seat(since, misser.place, why)
