"""Renders, saves and mails the reports of a turn, with copies for deputies."""

from __future__ import annotations

import datetime as dt
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import cast

from sqlalchemy import Table, insert, select

from pbem.app import App
from pbem.archive.record import disclose_dice_words, file_hash, folder_name
from pbem.archive.writer import REPORTS, find_report_file, turn_files
from pbem.campaign.ending import load_ending
from pbem.campaign.files import AttachmentStore, SpooledFiles, SpooledList, batched
from pbem.campaign.history import has_rolled, orders_disclosed
from pbem.campaign.notices import CampaignMailer, campaign_url
from pbem.campaign.people import load_deputies, save_deputy_code
from pbem.campaign.press import PressForTurn, load_press
from pbem.campaign.snapshot import CampaignSnapshot, Context, SeatView, load_record, load_state
from pbem.errors import CampaignError, describe_error
from pbem.log import event
from pbem.mail.compose import MailPart, NewMail
from pbem.mail.headers import reply_code
from pbem.mail.outbox import deputy_topic, topic_of
from pbem.report.attachments import Attachments, MailAttachment
from pbem.report.data import read_report_data
from pbem.report.facts import Correction, DiceDisclosure, Ending, RenderedReport, ReportFacts, SheetUsed
from pbem.report.pool import Job
from pbem.ruleset.dice import seed_hash
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import SeatName, View
from pbem.store.models import Deputy, Person, Report, Turn
from pbem.store.types import CampaignState, InArchive, PageDelivery
from pbem.text import own_zone
from pbem.util import isolated


def deputy_copies(context: Context, mails: Mapping[int, tuple[str, NewMail]]) -> list[NewMail]:
    """Return copies of seats' reports for their present deputies; `mails` has code and mail by the ids of seats.

    Each copy has a code of its own in place of the seat's.
    """
    return [
        _deputy_copy(context, deputy, person, *mails[deputy.seat_id])
        for deputy, person in load_deputies(context.session, mails, context.now)
    ]


def _deputy_copy(context: Context, deputy: Deputy, person: Person, code: str, mail: NewMail) -> NewMail:
    id_ = CampaignMailer.of(context.app, context.snapshot).id_of("copy", mail.message_id, person.id)
    own = save_deputy_code(context.session, context.snapshot, deputy, code, id_)
    return replace(
        mail,
        recipient=person.address,
        subject=mail.subject.replace(code, own),
        text=mail.text.replace(code, own),
        html=mail.html.replace(code, own),
        parts=tuple(
            # A page holds the code as the mail does.
            replace(part, content=part.content.replace(code.encode(), own.encode())) if part.is_page else part
            for part in mail.parts
        ),
        reply_to=mail.reply_to.replace(code, own),
        message_id=id_,
        references=(),  # the report's own Message-ID is a key to the seat
        topic=deputy_topic(mail.topic),
    )


_PUT = insert(cast(Table, Report.__table__))


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOpening:
    """The data that all reports of one opening share. `number` is that of the turn they open.

    `over`: the game has ended. Only then `seed` is set, and never for a preview; `ending`
    has who has won. `dice` is what seats are told of the dice words, at the start and at
    the end; `rolled`: this is the end, and the GM has rolled. `orders` are those that the
    turn before was resolved with: each seat is told its own. `record` is the hash of the
    record before the one whose files the reports are. `attachments` has the GM's attachments.
    """

    snapshot: CampaignSnapshot
    number: int
    deadline: dt.datetime | None
    seal: str
    seed: str = ""
    over: bool = False
    rolled: bool = False
    dice: Mapping[SeatName, DiceDisclosure] = field(default_factory=dict)
    used: Mapping[SeatName, SheetUsed]
    missing: frozenset[SeatName]
    orders: Mapping[SeatName, tuple[Order, ...]] = field(default_factory=dict)
    record: str = ""
    postbag: PressForTurn
    attachments: AttachmentStore
    corrections: Mapping[SeatName, Correction] = field(default_factory=dict)
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class SeatReport:
    """A seat's report, ready to be stored and queued; `paths` are those of its GM's pictures in the archive."""

    place: SeatView
    code: str
    view: bytes
    parts: RenderedReport
    mail: NewMail
    edition: int = 1
    enclosed: tuple[MailAttachment, ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, bytes]:
        """The parts of the report by their names in the archive."""
        return self.parts.files(self.paths)


def make_reports(
    app: App, ruleset: AnyRuleset, opening: TurnOpening, views: Iterable[tuple[SeatView, View]]
) -> Iterator[SeatReport]:
    """Yield the reports of the seats given, in their order; views are requested somewhat ahead of the reports."""
    snapshot, mailer = opening.snapshot, CampaignMailer.of(app, opening.snapshot)
    # The renderer requests jobs ahead of its results, which come in the same order.
    asked: deque[tuple[SeatView, Job, Attachments]] = deque()

    def jobs() -> Iterator[Job]:
        for place, view in views:
            # As JSON: a view must not bring references to the state into templates and pictures.
            facts = _report_facts(app, opening, place, opening.attachments.of(ruleset, view))
            job = Job(ruleset, canonical_json(view), facts, opening.orders.get(place.seat, ()))
            asked.append((place, job, Attachments(ruleset, view, facts)))
            yield job

    for parts in app.reporter.reports(jobs()):
        place, (_, view, facts, _), attached = asked.popleft()
        enclosed, paths = tuple(attached.mail_parts()), opening.attachments.paths(attached.shown, opening.number - 1)
        # Inputs of a hash that never change: running campaigns recognise answers by it.
        id_ = ("report", snapshot.name, place.seat, opening.number, snapshot.revision)
        topic = topic_of("report", snapshot.name, opening.number, place.seat)
        linked = snapshot.pages_for(place) == PageDelivery.LINK
        mail = mailer.report(place.address, parts, facts, id_, topic=topic, linked=linked, enclosed=enclosed)
        yield SeatReport(place, facts.code, view, parts, mail, facts.edition, enclosed, paths)


@dataclass(frozen=True, slots=True)
class TurnReports:
    """The reports of a turn, not yet stored, and the files of its folder in the archive."""

    pile: SpooledList[SeatReport]
    files: SpooledFiles


def render_reports(
    app: App, ruleset: AnyRuleset, opening: TurnOpening, views: Iterable[tuple[SeatView, View]]
) -> TurnReports:
    """Render the reports of these seats in batches, so that memory does not grow with their number."""
    made = TurnReports(SpooledList(), SpooledFiles())
    for reports in batched(make_reports(app, ruleset, opening, views)):
        made.pile.add(reports)
        # A report takes some 300 kB; with all of 10,000 in memory a turn took 3.1 GB (note 21).
        made.files.add(turn_files([each.files for each in reports]))
    return made


def report_text(app: App, ruleset: AnyRuleset, opening: TurnOpening, place: SeatView, view: bytes) -> str:
    """Return the text that a seat would be mailed of a view."""
    orders = opening.orders.get(place.seat, ())
    seen = json.loads(view)
    facts = _report_facts(app, opening, place, opening.attachments.of(ruleset, seen))
    return app.reporter.text(ruleset, seen, facts, orders)


def full_report(context: Context, place: SeatView, report: Report) -> tuple[ReportFacts, RenderedReport] | None:
    """Render a stored report again from its view, with all that its seat knows, and with its present code.

    None if it cannot be made of its view any more.
    """
    app, snapshot = context.app, context.snapshot
    # An earlier version of the game made the view.
    with isolated() as faults:
        ruleset, view = app.game(snapshot.game), json.loads(report.view)
        opening = _past_opening(context, ruleset, place, report, view)
        facts = _report_facts(app, opening, place, opening.attachments.of(ruleset, view))
        # Codes of the seat may have been renewed since, and do not follow from the turn then.
        facts = replace(facts, code=report.code, full=True)
        return facts, app.reporter.report(ruleset, view, facts, opening.orders.get(place.seat, ()))
    for fault in faults:
        event("report_not_rendered", campaign=snapshot.name, seat=place.seat, error=describe_error(fault))
    return None


def report_files(context: Context, report: Report) -> dict[str, bytes]:
    """Return the files of a report as mailed. Raises CampaignError if a picture of it is lost.

    A picture that the archive alone had, and has no more, is drawn again, which may need the versions of the
    libraries that drew it.
    """
    files = _texts(report)
    pictures = {name: held.sha256 for name, held in report.files.items() if isinstance(held, InArchive)}
    if pictures:
        archive, campaign = context.app.settings.archive, context.snapshot.name
        turn = context.session.get_one(Turn, report.turn_id).number - 1
        for name, sha256 in pictures.items():
            if found := find_report_file(archive, campaign, turn, name, sha256):
                files[name] = found
        if pictures.keys() - files.keys():
            place = next(place for place in context.snapshot.places if place.id == report.seat_id)
            _, again = full_report(context, place, report) or (None, None)
            drawn = again.files() if again else {}
            files |= {name: drawn[name] for name in pictures if file_hash(drawn.get(name, b"")) == pictures[name]}
        for name in pictures.keys() - files.keys():
            path = archive / campaign / folder_name(turn) / REPORTS / name
            raise CampaignError(f"the picture {path} is lost: take it, or its folder, from a backup")
    return {name: files[name] for name in report.files}


def _texts(report: Report) -> dict[str, bytes]:
    return {name: content for name, content in report.files.items() if isinstance(content, bytes)}


def _past_opening(context: Context, ruleset: AnyRuleset, place: SeatView, report: Report, view: View) -> TurnOpening:
    """Return the data that a seat's report of an opening had, from the records of the turns before."""
    session, snapshot = context.session, context.snapshot
    turn = session.get_one(Turn, report.turn_id)
    before = json.loads(load_record(session, snapshot, turn.number - 1))
    # After a game that was rolled back, its seed stays untold.
    over = bool(view["over"]) and snapshot.status == CampaignState.OVER
    return TurnOpening(
        snapshot=snapshot,
        number=turn.number,
        deadline=turn.deadline,
        seal=seed_hash(snapshot.seed),
        seed=snapshot.seed.hex() if over else "",
        over=over,
        rolled=over and has_rolled(session, snapshot),
        dice=disclose_dice_words(snapshot.words) if turn.number == snapshot.first or over else {},
        used={seat: SheetUsed(**sheet) for seat, sheet in before.get("sheets", {}).items()},
        missing=frozenset(before.get("missing", ())),
        orders=orders_disclosed(before, ruleset.orders),
        record=read_report_data(_texts(report)[f"{place.seat}.json"]).get("record", ""),
        postbag=load_press(session, snapshot, turn.number, over=over),
        attachments=AttachmentStore(session, snapshot.id),
        corrections={place.seat: Correction(edition=report.edition, differences=())} if report.edition > 1 else {},
        ending=_past_ending(context, ruleset, turn) if over else None,
    )


def _past_ending(context: Context, ruleset: AnyRuleset, turn: Turn) -> Ending | None:
    snapshot = context.snapshot
    standing = ruleset.standing(load_state(context.session, ruleset, snapshot))
    rows = context.session.execute(select(Report.seat_id, Report.view).where(Report.turn_id == turn.id)).all()
    places = {place.id: place for place in snapshot.places}
    return load_ending(context, snapshot, ruleset, standing, ((places[id_], json.loads(view)) for id_, view in rows))


def save_reports(context: Context, turn_id: int, reports: Sequence[SeatReport], deadline: dt.datetime | None) -> None:
    """Store the reports with the turn they open, and queue their mails, except to seats without a player.

    They bring the deadline of that turn as a calendar file. Deputies get copies, with codes of their own.
    """
    if not reports:
        return
    session, snapshot = context.session, context.snapshot
    mailer = CampaignMailer.of(context.app, snapshot)

    @cache
    def calendar(zone: str) -> tuple[MailPart, ...]:
        return (mailer.deadline_file(deadline, context.now, own_zone(zone)),) if deadline else ()

    rows = [
        {
            "turn_id": turn_id,
            "seat_id": made.place.id,
            "code": made.code,
            "message_id": made.mail.message_id,
            "edition": made.edition,
            "view": made.view,
            "files": made.files,
        }
        for made in reports
    ]
    session.connection().execute(_PUT, rows)
    mails = {}
    for made in reports:
        if made.place.address:
            parts = (*made.mail.parts, *calendar(snapshot.zone_for(made.place)))
            mails[made.place.id] = (made.code, replace(made.mail, parts=parts))
    mailer.send(session, context.now, *(mail for _, mail in mails.values()), *deputy_copies(context, mails))


def _report_facts(app: App, opening: TurnOpening, place: SeatView, enclosed: Mapping[str, bytes]) -> ReportFacts:
    snapshot = opening.snapshot
    return ReportFacts(
        campaign=snapshot.name,
        seat=place.seat,
        seats=snapshot.seats,
        deadline=opening.deadline,
        zone=snapshot.zone_for(place),
        # By the turn and not by the attempt: two processes that compute one turn make the same codes and Message-IDs.
        code=reply_code(snapshot.mail_key, snapshot.name, place.seat, opening.number, snapshot.revision),
        address=app.settings.address,
        gm=snapshot.gm_shown,
        title=snapshot.policy.title,
        site=campaign_url(app, snapshot.name, snapshot.policy),
        used=opening.used.get(place.seat),
        missed=place.seat in opening.missing,
        seal=opening.seal,
        seed=opening.seed,
        dice=opening.dice.get(place.seat),
        rolled=opening.rolled,
        first=opening.number == snapshot.first,
        taken_over=snapshot.first if opening.number == snapshot.first > 1 else 0,
        page=bool(place.address) and snapshot.pages_for(place) != PageDelivery.OFF,
        record=opening.record,
        correction=opening.corrections.get(place.seat),
        words=opening.postbag.words(place),
        enclosed=enclosed,
        ending=replace(opening.ending, seat=place.seat) if opening.ending else None,
        closes=opening.deadline + snapshot.policy.grace_time if opening.deadline and snapshot.policy.grace else None,
    )
