"""Composes and enqueues all mail of the host, and the notices of actions.

The caller gives the recipient, the page, the subject and the parts from which the
Message-ID follows. A notice about a journal entry has a Message-ID made from it,
so no two actions share one; a notice to the GM about a moment is sent once,
however often it is requested.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, Self, cast

from sqlalchemy import Table, bindparam, delete, insert, select
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.house_rules import OFF, HouseRules
from pbem.campaign.snapshot import CampaignSnapshot, Context, LastReport, SeatView, load_campaign
from pbem.errors import PbemError, RulesetError, describe_error
from pbem.games import fault_place
from pbem.mail.compose import MailPart, NewMail
from pbem.mail.headers import message_id, reply_code, tagged_subject, with_name
from pbem.mail.outbox import MailingCampaign, enqueue, topic_of
from pbem.report.attachments import MailAttachment
from pbem.report.data import CONTENT_TYPE, deadline_ics
from pbem.report.facts import DrawnPicture, RenderedReport, ReportFacts
from pbem.report.notices import LONGEST_SUBJECT, MailFrame, MailText, Notice, Page
from pbem.report.style import CSS
from pbem.ruleset.drawing import svg_escape
from pbem.ruleset.values import SeatName
from pbem.store.models import Campaign, KeyValue, OutgoingMail, SealedPage, Seat
from pbem.store.session import JobQueue, QueuedJob, enqueue_on_commit, flushed_connection, insert_ignore
from pbem.text import whole_clauses
from pbem.util import plus_address
from pbem.web.page import encrypt_page

_PUT = insert(cast(Table, SealedPage.__table__))
_SEAT = select(Seat.id, Seat.person_id).where(Seat.campaign_id == bindparam("campaign"), Seat.name == bindparam("seat"))
# Places for words on the page, the best first: where the template has the mark, or else above a heading.
_PLACES_IN_HTML = tuple(map(re.compile, ("<!--page-->", "(?=<h2)", "(?=</body>)", "$")))
_PLACES_IN_TEXT = tuple(map(re.compile, (r"(?m)^TO SEND ORDERS: .*+$", "(?m)(?=^WHAT HAPPENED$)", "^")))


def link_page(session: Session, app: App, campaign_id: int | None, mail: NewMail) -> NewMail:
    """Return a mail with a link in place of a linked page, which is encrypted and stored for the site."""
    page = next((part for part in mail.parts if part.is_page and part.linked), None)
    if page is None:
        return mail
    sealed = encrypt_page(page.content)
    connection = flushed_connection(session)
    seat_id, person_id = connection.execute(_SEAT, {"campaign": campaign_id, "seat": page.linked}).one()
    row = {"campaign_id": campaign_id, "seat_id": seat_id, "person_id": person_id}
    connection.execute(_PUT, [{**row, "place": sealed.place, "content": sealed.content}])
    enqueue_on_commit(session, QueuedJob(JobQueue.ARCHIVE))
    # The key is in the fragment, which browsers do not send to the server (RFC 3986, 3.5).
    url = f"{app.settings.site_url}{sealed.place}#{sealed.key}"
    mail = dataclasses.replace(mail, parts=tuple(part for part in mail.parts if part is not page))
    link = f'<a class="a" href="{svg_escape(url)}" style="{CSS["link"]}">Open the page</a> with an order form.'
    return _tell_of_page(mail, f"The page of this turn: {url}", link)


def _tell_of_page(mail: NewMail, text: str, html: str) -> NewMail:
    """Return the mail of a report with a sentence on its page, as text and as HTML, below how to send orders."""
    in_text, in_html = _first_place(_PLACES_IN_TEXT, mail.text), _first_place(_PLACES_IN_HTML, mail.html)
    text = f"{in_text[0]}\n\n{text}" if in_text[0] else f"{text}\n\n"
    html = f" {html}" if in_html[0] else f"<p>{html}</p>\n"
    return dataclasses.replace(
        mail,
        text=mail.text[: in_text.start()] + text + mail.text[in_text.end() :],
        html=mail.html[: in_html.start()] + html + mail.html[in_html.end() :],
    )


def _first_place(places: Iterable[re.Pattern[str]], content: str) -> re.Match[str]:
    """Return the first match of the first pattern that has one; the last pattern matches any content."""
    return next(filter(None, (place.search(content) for place in places)))


Parts = tuple[str | int, ...]
"""Parts of a Message-ID: words and numbers that no other mail of its sender has."""

# Not secret: the Message-ID of such news has a random part instead.
_NO_CAMPAIGN = b"pbem: news that belongs to no campaign"

HOUSE_KEY = "house key"
"""Name of the remembered value that has the key of the installation."""

_KEY_BYTES = 32


def host_mail_key(session: Session) -> bytes:
    """Return the key for Message-IDs that belong to no campaign, drawn when it is first asked for.

    It is a secret: with it the Message-ID of a mail could be computed, and a bounce forged, before the mail was sent.
    """
    kept = select(KeyValue.data).where(KeyValue.name == HOUSE_KEY)
    try:
        found = session.scalar(kept)
        if found is not None:
            return bytes.fromhex(found)
    except (ValueError, TypeError):  # damaged: replaced by a new one
        session.execute(delete(KeyValue).where(KeyValue.name == HOUSE_KEY))
    # INSERT, then SELECT: two processes may draw a key at the same time, and both must use the stored one.
    drawn = {"name": HOUSE_KEY, "data": secrets.token_hex(_KEY_BYTES)}
    session.execute(insert_ignore(session, cast(Table, KeyValue.__table__)), drawn)  # unless another process was faster
    return bytes.fromhex(session.scalars(kept).one())


def campaign_url(app: App, name: str, policy: HouseRules) -> str:
    """Return the web address of a campaign's page, "" if it has none that is known."""
    return f"{app.settings.site_url}c/{name}/" if app.settings.has_site and policy.site != OFF else ""


@dataclass(frozen=True, slots=True)
class CampaignMailer:
    """Composes the mails of a campaign, or of the installation itself, and queues them.

    `name` is part of their subjects, and their Message-IDs are made with `key`. Mails of
    running campaigns are recognised by these: neither they nor the parts of Message-IDs
    may change. `title` is the campaign's own, "" if it has none.
    """

    app: App
    campaign_id: int | None = None
    name: str = "pbem"
    key: bytes = _NO_CAMPAIGN
    game: str = ""
    gm: str = ""
    site: str = ""
    gm_name: str = ""
    title: str = ""

    @classmethod
    def of(cls, app: App, campaign: CampaignSnapshot | Campaign | None) -> Self:
        """Return the mailer of a campaign, or of the installation for what concerns no single campaign."""
        if campaign is None:
            return cls(app)
        policy = campaign.policy if isinstance(campaign, CampaignSnapshot) else HouseRules.read(campaign.policy)
        site = campaign_url(app, campaign.name, policy)
        own = (campaign.name, campaign.mail_key, campaign.game, campaign.gm)
        return cls(app, campaign.id, *own, site, campaign.gm_name, policy.title)

    def frame(self, code: str = "") -> MailFrame:
        """Return the facts for head, links and footer of a mail whose reply carries `code`."""
        settings, game = self.app.settings, self.app.games.get(self.game)
        if self.campaign_id is None:
            return MailFrame(address=settings.address, reply_to=self._reply_to(code))
        return MailFrame(
            address=settings.address,
            reply_to=self._reply_to(code),
            campaign=self.name,
            game=game.title if game else "",
            gm=with_name(self.gm_name, self.gm),
            site=self.site,
            title=self.title,
            named=bool(self.gm_name),
        )

    def id_of(self, *parts: str | int) -> str:
        """Return the Message-ID that follows from `parts`; always the same for the same parts."""
        return message_id(self.key, self.app.settings.domain, *parts)

    def subject(self, subject: str, code: str = "") -> str:
        """Return a subject as it is mailed: the campaign's name, the clauses for which there is room, a code if any."""
        return tagged_subject(self.name, whole_clauses(subject, LONGEST_SUBJECT - len(self.name) - len("[] ")), code)

    def mail(
        self,
        to: str,
        subject: str,
        page: Page | MailText,
        id_: Parts | str,
        *,
        code: str = "",
        tagged: bool = True,
        named: bool = True,
        under: LastReport | None = None,
        kind: str = "notice",
        topic: str = "",
        files: tuple[MailPart, ...] = (),
    ) -> NewMail:
        """Return a mail that is not an answer.

        Args:
            to: The address of the recipient.
            subject: The subject, without the name of the campaign.
            page: The page to be rendered, or what was rendered of it.
            id_: The Message-ID, or the parts that it follows from.
            code: The reply code of answers.
            tagged: Put the code into the subject too.
            named: Put the name of the campaign into the subject.
            under: The report in whose thread it is shown; an answer counts as orders for it.
            kind: The kind of mail, such as "notice".
            topic: The topic; a queued mail of the same topic is superseded.
            files: Further parts.
        """
        id_ = id_ if isinstance(id_, str) else self.id_of(*id_)
        own = "" if under else self._gm_code(to, id_, code)
        tagged = tagged and bool(under or code)
        code = under.code if under else code or own
        thread = (under.message_id,) if under and under.message_id else ()
        written = page if isinstance(page, MailText) else self.app.reporter.write(page, self.frame(code))
        return NewMail(
            recipient=to,
            subject=self.subject(subject, code if tagged else "") if named else f"{subject} [{code}]",
            text=written.text,
            html=written.html,
            message_id=id_,
            reply_to=self._reply_to(code),
            reply_name=self.title,
            in_reply_to="".join(thread),
            references=thread,
            parts=files,
            kind=kind,
            topic=topic,
            code=own,
        )

    def report(
        self,
        to: str,
        parts: RenderedReport,
        facts: ReportFacts,
        id_: Parts | str,
        *,
        topic: str = "",
        linked: bool = False,
        enclosed: Iterable[MailAttachment] = (),
    ) -> NewMail:
        """Return the mail of a report; a plain reply to it is enough to send orders.

        Its page, if it has one, is attached; or linked to, if it is to be `linked` and there is a site.
        `enclosed` are the attachments that its view names.
        """
        data = MailPart(name=f"{facts.campaign}-{facts.seat}.json", content_type="application/json", content=parts.data)
        pictures = tuple(
            _picture_part(facts.content_id(each.name), each, parts.html)
            for each in parts.pictures
            if each.png is not None
        )
        files = tuple(MailPart(each.name, each.kind, each.content, each.cid) for each in enclosed)
        seat = facts.seat if linked and self.app.settings.has_site else ""
        name = f"{facts.campaign}-{facts.seat}.html"
        page = (MailPart.page(name, parts.page, linked=seat),) if parts.page else ()
        written, attached = MailText(parts.text, parts.html), (*pictures, *files, *page, data)
        mail = self.mail(to, parts.subject, written, id_, code=facts.code, kind="report", topic=topic, files=attached)
        if page and not seat:
            said = f"The page is attached: {name}."
            mail = _tell_of_page(mail, said, svg_escape(said))
        return mail

    def deadline_file(self, deadline: dt.datetime, set_at: dt.datetime, zone: str) -> MailPart:
        """Return the campaign's deadline as a calendar file, in a time zone."""
        uid = self.id_of("calendar").strip("<>")
        return MailPart("deadline.ics", CONTENT_TYPE, deadline_ics(uid, self.name, deadline, set_at, zone))

    def send(self, session: Session, now: dt.datetime, *mails: NewMail) -> None:
        """Queue mails in the order given; they go once the transaction has ended."""
        ready = [link_page(session, self.app, self.campaign_id, mail) for mail in mails]
        campaign = None if self.campaign_id is None else MailingCampaign(self.campaign_id, self.name, self.key)
        enqueue(session, ready, self.app.settings, campaign=campaign, now=now)

    def _gm_code(self, to: str, id_: str, code: str) -> str:
        """Return the code by which a reply to a mail takes commands: its own `code`, or one that follows from the mail.

        It is "" for a mail to anybody but the GM.
        """
        is_gm = self.campaign_id is not None and to.lower() == self.gm.lower()
        return (code or reply_code(self.key, "gm", id_)) if is_gm else ""

    def _reply_to(self, code: str) -> str:
        address = self.app.settings.address
        return plus_address(address, code) if code else address


def _picture_part(content_id: str, drawn: DrawnPicture, html: str) -> MailPart:
    """Return a picture as a part of the mail: one that the HTML shows, or a file."""
    shown = f"cid:{content_id}" in html
    name = f"{drawn.name}.png" if shown else drawn.file or f"{drawn.name}.png"
    return MailPart(name, "image/png", drawn.png or b"", content_id if shown else "")


GM = "gm"
"""The recipient that is the GM of the campaign."""


class Desk(Protocol):
    """Sender of mail: the context of a campaign, or a message, which belongs to none."""

    @property
    def session(self) -> Session: ...
    @property
    def app(self) -> App: ...
    @property
    def snapshot(self) -> CampaignSnapshot | None: ...
    @property
    def now(self) -> dt.datetime: ...


def post(
    context: Desk,
    to: str | SeatView | Iterable[SeatView],
    page: Page,
    *,
    id_: Parts = (),
    most: int = 1,
    kind: str = "notice",
    code: str = "",
    topic: str | Callable[[SeatName], str] = "",
    turn: int | None = None,
    under: LastReport | None = None,
    files: tuple[MailPart, ...] = (),
    tagged: bool = True,
    named: bool = True,
    reply_to: str = "",
) -> str:
    """Queue a mail that answers no message; return its Message-ID, "" if none is sent. It is sent once for an `id_`.

    Args:
        context: The context of the campaign; or a message, for mail that concerns no single campaign.
        to: A seat, or several that read the same words; seats without a player are left out. Or `GM`, or an address.
        page: What it says, with its subject.
        id_: The parts that the Message-ID follows from, of several seats without theirs; if empty, it is random.
        most: Mails that are sent for the `id_`.
        kind: The kind of mail, such as "notice".
        code: The reply code of answers.
        topic: What it says of the turn, such as "reminder", or a function of the seat that returns the whole topic; a
            queued mail of the same topic is superseded.
        turn: The turn of the topic, if that is not the open one.
        under: The report in whose thread it is shown; an answer counts as orders for it.
        files: Further parts.
        tagged: Put the code into the subject too.
        named: Put the name of the campaign into the subject.
        reply_to: The address to which replies go, "" for the order address.
    """
    snapshot, mailer = context.snapshot, CampaignMailer.of(context.app, context.snapshot)
    if isinstance(page, Notice):
        is_gm = isinstance(to, str) and to.lower() in (GM, mailer.gm.lower())
        to_gm = is_gm if page.to_gm is None else page.to_gm
        title = page.title or as_title(page.subject, snapshot.seats if snapshot else ())
        page = dataclasses.replace(page, title=title, to_gm=to_gm)
    many = not isinstance(to, str | SeatView)
    if snapshot is None and id_:
        mailer = host_mailer(context.app, context.session)
    ids = [mailer.id_of(*id_, number) for number in range(most)] if most > 1 else []
    if ids and not (free := first_free(context.session, ids)):
        return ""
    # Once for all: a link with the code of a seat must not stand in it.
    written = context.app.reporter.write(page, mailer.frame()) if many else page
    turn = turn if turn is not None or snapshot is None else snapshot.turn
    mails = {}
    for address, seat in _addresses(to, mailer.gm):
        # Random, since two equal notices may be sent in one tick, which has one time.
        parts = free if ids else (*id_, seat) if id_ and many else id_ or (page.page, secrets.token_hex(8))
        whose = seat or (GM if address == mailer.gm else address)
        mail = mailer.mail(
            address,
            page.subject,
            written,
            parts,
            code=code,
            tagged=tagged,
            named=named,
            under=under,
            kind=kind,
            topic=topic(seat) if callable(topic) else topic and topic_of(topic, mailer.name, turn or 0, whose),
            files=files,
        )
        if reply_to:
            mail = dataclasses.replace(mail, reply_to=reply_to, reply_name="")
        mails[mail.message_id] = mail
    before = queued_ids(context.session, mails) if id_ else ()
    new = [mail for message_id, mail in mails.items() if message_id not in before]
    mailer.send(context.session, context.now, *new)
    return new[-1].message_id if new else ""


def _addresses(to: str | SeatView | Iterable[SeatView], gm: str) -> list[tuple[str, SeatName]]:
    """Return the addresses of recipients, each with its seat, "" if it is written to for no seat."""
    if isinstance(to, str):
        return [(gm if to == GM else to, "")]
    return [(place.address, place.seat) for place in ((to,) if isinstance(to, SeatView) else to) if place.address]


def others(snapshot: CampaignSnapshot, but: Collection[SeatName] = ()) -> list[SeatView]:
    """Return the seats still in the game, except those in `but`."""
    return [place for place in snapshot.playing if place.seat not in but]


def was_posted(context: Context, id_: Parts) -> bool:
    """Return True if the mail of an `id_` was queued."""
    message_id = CampaignMailer.of(context.app, context.snapshot).id_of(*id_)
    return message_id in queued_ids(context.session, [message_id])


_QUEUED = select(OutgoingMail.message_id).where(OutgoingMail.message_id.in_(bindparam("ids", expanding=True)))


def queued_ids(session: Session, ids: Iterable[str]) -> Collection[str]:
    """Return those of the Message-IDs that mails in the outbox have."""
    return set(session.connection().execute(_QUEUED, {"ids": list(ids)}).scalars())


def first_free(session: Session, ids: Sequence[str]) -> str:
    """Return the first of the Message-IDs that no mail has; "" if the limit is reached."""
    queued = queued_ids(session, ids)
    return next((id_ for id_ in ids if id_ not in queued), "")


def host_mailer(app: App, session: Session) -> CampaignMailer:
    """Return the mailer of the home: by Message-IDs made with its key, mails are counted across campaigns."""
    return CampaignMailer(app, key=host_mail_key(session))


def gm_moment(snapshot: CampaignSnapshot, *moment: str) -> Parts:
    """Return the `id_` of the GM's notice of a moment: words and times that tell it from others of the open turn."""
    # Running campaigns have sent notices with "gm" in the Message-ID: with another word they would be sent again.
    return (GM, snapshot.name, snapshot.turn, snapshot.revision, *moment)


def describe_fault(app: App, campaign: str, error: Exception) -> str:
    """Describe an error in a campaign's work for its GM, with file and line of the game's code where it went wrong."""
    said = describe_error(error)
    if isinstance(error, PbemError | RulesetError):
        return said
    place = ""
    with suppress(PbemError), app.store.reading() as session:
        place = fault_place(error, app.game(load_campaign(session, campaign).game))
    return f"{said}, at {place}" if place else said


def as_title(subject: str, seats: Collection[SeatName] = ()) -> str:
    """Return a subject as the title of its mail: with a capital, unless it begins with the name of a seat or person."""
    first = subject.partition(" ")[0]
    return subject if first in seats or "@" in first else subject[:1].upper() + subject[1:]
