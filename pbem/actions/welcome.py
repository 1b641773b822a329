"""Welcome mails, resent reports with new codes, and notices on dice words.

The sealed seed was drawn by the creator of the campaign; the dice words are what
the players add to it (`pbem.archive.record` mixes them). Until the campaign begins
each player may choose one, which is shown to no one else before the start.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import quote

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.archive.record import drawn_word
from pbem.campaign.files import AttachmentStore
from pbem.campaign.guide import example_orders
from pbem.campaign.history import LONGEST
from pbem.campaign.invitations import changed_options
from pbem.campaign.notices import GM, CampaignMailer, post
from pbem.campaign.people import save_deputy_code
from pbem.campaign.reports import full_report, report_files
from pbem.campaign.snapshot import CampaignSnapshot, Context, SeatView, is_current
from pbem.games import rulebook
from pbem.mail.compose import MailPart, NewMail
from pbem.mail.headers import reply_code
from pbem.mail.outbox import DICE, deputy_topic, topic_of, welcome_id, withdraw_mails, withdraw_topics
from pbem.report.attachments import Attachments
from pbem.report.data import read_report_data
from pbem.report.facts import DrawnPicture, RenderedReport, ReportFacts
from pbem.report.markdown import as_text
from pbem.report.notices import DiceNotice, Notice, Welcome
from pbem.report.renderer import report_subject
from pbem.ruleset.dice import seed_hash
from pbem.ruleset.protocol import Adjudicated, AnyRuleset
from pbem.ruleset.values import SeatName
from pbem.store.models import Deputy, DeputyReport, JournalEntry, Person, Report, Seat, Turn
from pbem.store.types import PageDelivery
from pbem.util import CODE_CHARACTERS, plus_address


def mail_dice_notice(context: Context, places: Iterable[SeatView], wish: SeatName = "") -> int:
    """Mail each player of these seats, before the start, the seal and a code to choose a dice word with.

    Codes mailed to earlier players of the seats are void. `wish` is another seat that they had asked for.

    Returns:
        The number of mails.
    """
    session, snapshot = context.session, context.snapshot
    codes = {
        place: reply_code(snapshot.mail_key, "dice", place.seat, secrets.token_hex(8))
        for place in places
        if place.address
    }
    if codes:
        rows = [{"id": place.id, "dice_code": code, "dice_word": ""} for place, code in codes.items()]
        session.execute(update(Seat), rows)
    # The places as given: the campaign was loaded before their players came, and may have renamed them since.
    given = {place.id: place for place in codes}
    taken = _seats_with_player(given.get(place.id, place) for place in snapshot.places)
    for place, code in codes.items():
        _post_dice_notice(context, place, taken, code, wish)
    return len(codes)


def mail_dice_notice_gm(context: Context) -> None:
    """Mail the GM the seal, and that the players may choose words."""
    _post_dice_notice(context, None, _seats_with_player(context.snapshot.places), "", "")


def _seats_with_player(places: Iterable[SeatView]) -> tuple[SeatName, ...]:
    return tuple(place.seat for place in places if place.address)


def _post_dice_notice(
    context: Context, place: SeatView | None, taken: tuple[SeatName, ...], code: str, wish: SeatName
) -> None:
    """Queue the notice to the player of a seat, or without one to the GM."""
    snapshot = context.snapshot
    ruleset = context.app.game(snapshot.game)
    page = DiceNotice(
        campaign=snapshot.name,
        seat=place.seat if place else "",
        seal=_seal(ruleset, snapshot),
        word=drawn_word(snapshot.seed, place.seat) if place else "",
        longest=LONGEST,
        judged=isinstance(ruleset, Adjudicated),
        seats=taken,
        free=len(snapshot.places) - len(taken),
        gm=snapshot.gm_shown,
        schedule=snapshot.schedule.text,
        wish=wish,
    )
    post(context, place or GM, page, id_=("dice", snapshot.name, code), kind=DICE, code=code, topic=DICE)


def send_welcomes(
    context: Context,
    tokens: Mapping[SeatView, str],
    *,
    heir: bool = False,
    moved: bool = False,
    wish: SeatName = "",
) -> None:
    """Queue the welcomes to the players of some seats.

    Args:
        tokens: The new token of each seat.
        heir: They take over seats that were played before.
        moved: The campaign has moved here from another home.
        wish: Another seat that they had asked for.
    """
    app, snapshot = context.app, context.snapshot
    ruleset = app.game(snapshot.game)
    rules = MailPart(_rules_file(ruleset), "text/plain; charset=utf-8", as_text(rulebook(ruleset)).encode())
    # One by one: with thousands of seats, all together would fill the memory (decision 21).
    for place, token in tokens.items():
        page = replace(_build_welcome(app, snapshot, place, token, heir=heir), moved=moved, wish=wish)
        # The first has a fixed Message-ID; a later one differs by its token, which no one can guess.
        id_ = welcome_id(snapshot.name, place.seat, *([token] if heir else []))
        post(context, place, page, id_=id_, kind="welcome", files=(rules,))


def _rules_file(ruleset: AnyRuleset) -> str:
    return f"{ruleset.key.replace('_', '-')}-rules.txt"


def _build_welcome(app: App, snapshot: CampaignSnapshot, place: SeatView, token: str, *, heir: bool) -> Welcome:
    ruleset = app.game(snapshot.game)
    return Welcome(
        campaign=snapshot.name,
        seat=place.seat,
        token=token,
        seats=snapshot.seats,
        game=ruleset.title,
        designer=ruleset.designer,
        summary=ruleset.summary,
        gm=snapshot.gm_shown,
        address=app.settings.address,
        schedule=snapshot.schedule.text,
        rules=_rules_file(ruleset),
        options=tuple(changed_options(ruleset, snapshot)),
        examples=example_orders(ruleset),
        seal=_seal(ruleset, snapshot),
        word=next((each.word for each in snapshot.words if each.seat == place.seat), "") if not heir else "",
        judged=isinstance(ruleset, Adjudicated),
        heir=heir,
    )


def _seal(ruleset: AnyRuleset, snapshot: CampaignSnapshot) -> str:
    """Return the seal of the dice, "" in a game without dice."""
    return seed_hash(snapshot.seed) if ruleset.has_dice else ""


RESENT = "resent"
"""The kind of mail of a report that its player requested again."""

RENEWED = "renewed"
"""The key of the mail in which a new player gets the newest report, with its renewed code."""

# The place where a report names the order address, with the full stop after it.
_SENT_TO = re.compile(r"(\bthe\s++sheet\s++below\s++to\s++)[^\s@<]++@[^\s<]*+")

# The first line of a sheet, as it stands in a report or in a link that writes a mail.
_CODED = re.compile(rf"ORDERS( |%20)([\w-]++)\1([\w-]++)\1[a-z2-7]{{{CODE_CHARACTERS}}}(?![\w-])")
# The address of such a link.
_REPLY_TO = re.compile(rf"mailto:[\w.%-]{{1,200}}%2B[a-z2-7]{{{CODE_CHARACTERS}}}@[\w.-]++\?")


def find_report(
    session: Session, snapshot: CampaignSnapshot, place: SeatView, number: int | None = None
) -> Report | None:
    """Return the report that opened a turn for a seat, or its newest; None if there is none."""
    reports = (
        select(Report)
        .join(Turn, Turn.id == Report.turn_id)
        .where(is_current(snapshot.id), Report.seat_id == place.id)
        .order_by(Turn.number.desc())
        .limit(1)
    )
    return session.scalar(reports if number is None else reports.where(Turn.number == number))


def resend_report(
    context: Context,
    place: SeatView,
    report: Report,
    *,
    to: str,
    key: str,
    kind: str = "report",
    topic: str = "",
    full: bool = False,
) -> None:
    """Queue a stored report to an address; a reply to it finds its seat.

    Args:
        key: Distinguishes this mail from others of the report; part of its Message-ID.
        full: Render it again with all that the seat knows, where the game still reads the view.
    """
    mailer = CampaignMailer.of(context.app, context.snapshot)
    id_ = mailer.id_of("again", report.code, key)
    mail = _full_mail(context, place, report, to=to, id_=id_) if full else None
    mail = mail or _resent_mail(context, place, report, to=to, id_=id_, code=report.code)
    older = (report.message_id,) if report.message_id != id_ else ()
    mailer.send(context.session, context.now, dataclasses.replace(mail, references=older, kind=kind, topic=topic))


def send_deputy_copy(context: Context, place: SeatView, report: Report, *, deputy: Deputy) -> None:
    """Queue a stored report to a new deputy, with a reply code of their own."""
    session, snapshot = context.session, context.snapshot
    mailer = CampaignMailer.of(context.app, snapshot)
    id_ = mailer.id_of("again", report.code, "deputy", deputy.id)
    # The code is good for sheets alone, and only while its owner is deputy (decision 14).
    code = save_deputy_code(session, snapshot, deputy, report.code, id_)
    to = session.get_one(Person, deputy.person_id).address
    mail = _resent_mail(context, place, report, to=to, id_=id_, code=code)
    topic = deputy_topic(_report_topic(session, snapshot, place, report))
    mailer.send(session, context.now, dataclasses.replace(mail, topic=topic))


def withdraw_deputy_copies(session: Session, place: SeatView) -> None:
    """Withdraw queued copies of reports to the former deputies of a seat."""
    theirs = select(DeputyReport.message_id).join(Deputy, Deputy.id == DeputyReport.deputy_id)
    withdraw_mails(session, session.scalars(theirs.where(Deputy.seat_id == place.id)))


def tell_deputies(context: Context, place: SeatView, dismissed: Iterable[Person]) -> None:
    """Notify former deputies of a seat."""
    said = f"You no longer stand in for the seat {place.seat} of {context.snapshot.name}. Thank you!"
    for deputy in dismissed:
        post(context, deputy.address, Notice(subject=f"you are no longer deputy of {place.seat}", blocks=(said,)))


def renew_codes(context: Context, place: SeatView) -> Report | None:
    """Give all reports of a seat new reply codes and Message-IDs, so that the old ones are void; return the newest."""
    session, snapshot = context.session, context.snapshot
    mailer = CampaignMailer.of(context.app, snapshot)
    reports = session.scalars(select(Report).where(Report.seat_id == place.id)).all()
    own = JournalEntry.campaign_id == snapshot.id
    done = session.scalar(select(func.count()).select_from(JournalEntry).where(own)) or 0
    # Older reports too: after a rollback one of them is the report to answer.
    for report in reports:
        # Not of the old code alone, which counts again when a change of player is undone: of two changes in a row each
        # needs a code that was never mailed, dropped or void. A change that was killed is repeated with the same code.
        report.code = reply_code(snapshot.mail_key, "renewed", report.code, snapshot.revision, done)
        # A reply names the Message-ID as well as the code (In-Reply-To), and either is enough.
        report.message_id = mailer.id_of("again", report.code, RENEWED)
    session.flush()
    newest = find_report(session, snapshot, place)
    if newest is not None:
        # Still queued, it would go to the former player, with a code that is void.
        withdraw_topics(session, [_report_topic(session, snapshot, place, newest)])
    return newest


def _report_topic(session: Session, snapshot: CampaignSnapshot, place: SeatView, report: Report) -> str:
    """Return the topic of a report's mail; queued mail of the same topic is superseded by a newer one."""
    return topic_of("report", snapshot.name, session.get_one(Turn, report.turn_id).number, place.seat)


def _full_mail(context: Context, place: SeatView, report: Report, *, to: str, id_: str) -> NewMail | None:
    """Return a report with all that its seat knows; None if it cannot be made of its view any more."""
    app, snapshot = context.app, context.snapshot
    made = full_report(context, place, report)
    if made is None:
        return None
    facts, parts = made
    enclosed = Attachments(app.game(snapshot.game), json.loads(report.view), facts).mail_parts()
    linked = snapshot.pages_for(place) == PageDelivery.LINK
    return CampaignMailer.of(app, snapshot).report(to, parts, facts, id_, linked=linked, enclosed=enclosed)


def _resent_mail(context: Context, place: SeatView, report: Report, *, to: str, id_: str, code: str) -> NewMail:
    app, snapshot = context.app, context.snapshot
    files = report_files(context, report)
    data = read_report_data(files[f"{place.seat}.json"])
    deadline = data["deadline"]
    view, game = json.loads(report.view), app.game(snapshot.game)
    facts = ReportFacts(
        campaign=snapshot.name,
        seat=place.seat,
        seats=snapshot.seats,
        deadline=dt.datetime.fromisoformat(deadline) if deadline else None,
        zone=snapshot.zone_for(place),
        code=code,
        address=app.settings.address,
        enclosed=AttachmentStore(context.session, snapshot.id).of(game, view),
    )
    parts = _recode_report(facts, report_subject(view, facts, data.get("brief", ()), report.edition), files)
    pages = snapshot.pages_for(place)
    if pages != PageDelivery.OFF:
        parts = dataclasses.replace(parts, page=app.reporter.seat_page(game, view, facts, parts.html))
    enclosed = Attachments(game, view, facts).mail_parts()
    return CampaignMailer.of(app, snapshot).report(
        to, parts, facts, id_, linked=pages == PageDelivery.LINK, enclosed=enclosed
    )


def _recode_report(facts: ReportFacts, subject: str, files: dict[str, bytes]) -> RenderedReport:
    """Return the parts of a stored report, with the address and code of these facts in sheet and names of pictures."""
    seat = facts.seat
    text, html = (_recode_text(files.pop(f"{seat}.{ending}").decode(), facts) for ending in ("txt", "html"))
    data = files.pop(f"{seat}.json")
    pictures = [
        DrawnPicture(name.removeprefix(f"{seat}.").removesuffix(".png"), "", png) for name, png in files.items()
    ]
    html = facts.with_content_ids(html)
    return RenderedReport(seat=seat, subject=subject, text=text, html=html, data=data, pictures=tuple(pictures))


def _recode_text(text: str, facts: ReportFacts) -> str:
    """Return a report, as text or HTML, with its reader's code and our address where it says how to send orders."""
    text = _SENT_TO.sub(lambda found: f"{found[1]}{facts.address}.", text)
    own = (facts.campaign, facts.seat)

    def coded(found: re.Match[str]) -> str:
        return found[1].join(facts.header.split(" ")) if found.group(2, 3) == own else found[0]

    reply_to = quote(plus_address(facts.address, facts.code), safe="@")
    return _REPLY_TO.sub(f"mailto:{reply_to}?", _CODED.sub(coded, text))
