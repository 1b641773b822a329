"""Commands by which a player looks something up: STATUS, RESEND, HISTORY. What they bring is for him alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.base import format_days
from pbem.actions.welcome import RESENT, find_report, mail_again
from pbem.campaign.deadlines import Waiting, load_waiting
from pbem.campaign.history import Labels, as_counted, labels_named, labels_of, turns_called
from pbem.campaign.people import deputies_of, place_number
from pbem.campaign.snapshot import CampaignSnapshot, Place, find_place, load_campaign
from pbem.desk.commands import History, Resend, Status
from pbem.desk.replies import Case, sent_today, was_sent
from pbem.desk.requests import Asked, AskedByPerson, Handlers, PersonHandlers
from pbem.desk.seats import seats_of
from pbem.report.answers import DIGEST_SHOWN
from pbem.store.models import Absence, Act, Applicant, Campaign, Deputy, Person, SeatRow, Sheet
from pbem.store.types import ApplicantStatus, Phase
from pbem.text import when

RESENDS_A_DAY = 20
"""Reports are large: no player reads more of them again in a day."""

UNPROVEN_RESENDS_A_DAY = 3
"""The same because of letters that anybody could have written."""

MOST_OFFERED = 20
"""Reports that are offered to somebody who has asked for none that there is."""

MOST_ACTS = 200
"""Entries of a journal told in one mail, the newest."""


_ENOUGH_REPORTS = "You have had {most} reports again today; please ask tomorrow."
_WITH_A_KEY = " With your token, or in a reply to your report, you may ask for more."


def _status(asked: AskedByPerson, _: Status) -> str:
    if asked.person is None:
        return "This address plays in no campaign here."
    told = [*_seats(asked.case, asked.person), *_waits(asked.case, asked.person), *_stands_in(asked.case, asked.person)]
    return "\n".join(told) or "You play in no campaign now, and wait for none."


def _seats(case: Case, person: Person) -> Iterator[str]:
    for known in seats_of(case.session, person.address):
        snapshot = load_campaign(case.session, known.campaign)
        yield _seat(case, snapshot, find_place(snapshot, known.seat))


def _seat(case: Case, snapshot: CampaignSnapshot, place: Place) -> str:
    """How one seat stands: the turn and its deadline, the sheet that counts, and what was arranged."""
    title = case.house.game(snapshot.game).title
    begins = f"{snapshot.name} ({title}), seat {place.seat}"
    if not place.playing:
        return f"{begins}: out of the game."
    if snapshot.status == Phase.FORMING:
        seated = sum(bool(each.address) for each in snapshot.playing)
        return f"{begins}: not begun yet; {seated} of {len(snapshot.playing)} seats are taken."
    if snapshot.status == Phase.MOVED:
        return f"{begins}: the campaign has moved to {snapshot.moved_to}; write there."
    report = find_report(case.session, snapshot, place)
    assert report is not None
    view = json.loads(report.view)
    waiting = next(iter(load_waiting(case.session, snapshot.name)))
    said = [_due(waiting, asked=view["awaited"]), _sheet(case.session, waiting, place)]
    said += _arranged(case, place, waiting.schedule.zone)
    if waiting.policy.late == "public" and waiting.missing:
        said.append(f"No sheet yet from {', '.join(waiting.missing)}.")
    return f"{begins}, {view['label']}: " + " ".join(said)


def _due(waiting: Waiting, *, asked: bool) -> str:
    if waiting.held:
        return "The turn waits for a word of the GM: it is not run before that, and may be run at once then."
    if waiting.deadline is None:
        return "There is no deadline; the GM runs the turn."
    due = when(waiting.deadline, waiting.schedule.zone)
    return f"Orders are due {due}." if asked else f"No orders are asked of you; the turn ends {due}."


def _sheet(session: Session, waiting: Waiting, place: Place) -> str:
    counts = (
        select(Sheet.version, Sheet.digest, Sheet.wait)
        .where(Sheet.turn_id == waiting.turn_id, Sheet.seat_id == place.id, Sheet.accepted)
        .order_by(Sheet.version.desc())
        .limit(1)
    )
    sheet = session.execute(counts).first()
    if sheet is None:
        return "No sheet of yours has come."
    wait = ", and the turn waits for its deadline because of it" if sheet.wait else ""
    return f"Your sheet {sheet.version} counts (digest {sheet.digest[:DIGEST_SHOWN]}){wait}."


def _arranged(case: Case, place: Place, zone: str) -> Iterator[str]:
    if place.paused:
        yield "Your seat is paused; RESUME ends it."
    for deputy in deputies_of(case.session, [place.id], case.now).get(place.id, []):
        yield f"{deputy.address} stands in for you."
    away = select(Absence).where(Absence.seat_id == place.id, Absence.until > case.now).order_by(Absence.since)
    for absence in case.session.scalars(away):
        yield f"You are absent {format_days(absence.since, absence.until, zone)}; PRESENT takes that back."


def _waits(case: Case, person: Person) -> Iterator[str]:
    """The standby lists that somebody is on."""
    listed = select(Applicant).where(Applicant.person_id == person.id, Applicant.status == ApplicantStatus.WAITING)
    for applicant in case.session.scalars(listed.order_by(Applicant.campaign_id)):
        name = case.session.get_one(Campaign, applicant.campaign_id).name
        yield f"{name}: you are number {place_number(case.session, applicant)} on the standby list."


def _stands_in(case: Case, person: Person) -> Iterator[str]:
    rows = case.session.execute(
        select(Campaign.name, SeatRow.name)
        .join(SeatRow, SeatRow.campaign_id == Campaign.id)
        .join(Deputy, Deputy.seat_id == SeatRow.id)
        .where(Deputy.person_id == person.id, Deputy.since <= case.now, Deputy.until > case.now)
        .order_by(Deputy.id)
    )
    for campaign, seat in rows:
        yield f"{campaign}: you stand in for the seat {seat}."


def _resend(asked: Asked, order: Resend) -> str:
    case, spot = asked.case, asked.spot
    snapshot = load_campaign(case.session, spot.campaign)
    place = find_place(snapshot, spot.seat)
    labels = labels_of(case.session, snapshot, place.id) if order.turn else {}
    meant = turns_called(labels, " ".join(order.turn))
    report = find_report(case.session, snapshot, place, next(iter(meant), None))
    if report is None:
        return f"There is no report for {place.seat} in {spot.campaign} yet."
    if order.turn and len(meant) != 1:
        return _which_report(labels, meant)
    begins, key = f"resent {spot.seat_id} {case.account} ", f"{case.letter_id} {report.id}"
    most = RESENDS_A_DAY if case.proven else UNPROVEN_RESENDS_A_DAY
    if was_sent(case, begins + key):
        return "This report comes already, in a mail of its own."
    if sent_today(case, begins, spot.address) >= most:
        return _ENOUGH_REPORTS.format(most=most) + ("" if case.proven else _WITH_A_KEY)
    mail_again(
        case.session,
        case.house,
        snapshot,
        place,
        report,
        case.now,
        to=spot.address,
        key=f"asked {key}",
        kind=RESENT,
        topic=begins + key,
    )
    return ""  # the report is answer enough


def _which_report(labels: Labels, meant: Sequence[int]) -> str:
    """Asks for one of several reports, or for another than was named, with the lines to mail."""
    asked = "Several of your reports are called so." if meant else "You had no report that is called so."
    called = dict.fromkeys(labels[number] for number in meant or labels)
    lines = [f"RESEND {label}" for label in list(called)[-MOST_OFFERED:]]
    return "\n".join((f"{asked} Please mail one of these lines:", *lines))


def _history(asked: Asked, _: History) -> str:
    case, spot = asked.case, asked.spot
    snapshot = load_campaign(case.session, spot.campaign)
    if snapshot.policy.journal != "players":
        return f"The journal of {snapshot.name} is kept by its GM, {snapshot.gm}, for himself."
    acts = case.session.execute(
        select(Act.at, Act.actor, Act.text)
        .where(Act.campaign_id == snapshot.id, ~Act.secret)
        .order_by(Act.id.desc())
        .limit(MOST_ACTS)
    ).all()
    named = labels_named(case.session, snapshot, [spot.seat_id], (act.text for act in acts))
    labels = named.get(spot.seat_id, {})
    return "\n".join(
        f"{when(at, snapshot.schedule.zone)}, {actor}: {as_counted(text, labels)}" for at, actor, text in reversed(acts)
    )


SEAT_QUERY_HANDLERS: Handlers = {Resend: _resend, History: _history}
"""What is done for each command of this module about a seat."""

STATUS_HANDLERS: PersonHandlers = {Status: _status}
"""What is done for each command of this module about no seat in particular."""
