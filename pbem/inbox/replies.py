"""Answers to messages, and notices about them, queued into the outbox.

All but receipts are limited (`pbem.inbox.rate_limits`), so that two machines cannot
talk to each other without end, and a forged address is not flooded with answers.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Row, select

from pbem.campaign.notices import CampaignMailer, as_title, campaign_url
from pbem.campaign.order_sheets import receipt_id_parts
from pbem.campaign.snapshot import CampaignSnapshot
from pbem.inbox.context import MessageContext
from pbem.inbox.rate_limits import (
    ANSWERS_A_DAY,
    PASSED_ON_A_DAY,
    STRANGER,
    WARNINGS_A_DAY,
    first_free,
    host_mailer,
    ids_taken,
    ids_today,
    stranger_place,
)
from pbem.inbox.seat_lookup import SeatContext, is_known, seat_for_deputy
from pbem.mail.compose import MailPart, NewMail
from pbem.mail.headers import without_codes
from pbem.mail.message import parse_message
from pbem.mail.reply_parser import has_header
from pbem.report import small
from pbem.report.answers import (
    Answer,
    Confirmation,
    Help,
    HelpOnVerb,
    OpenGames,
    Receipt,
    Refusal,
    RequestReply,
    RulebookPage,
)
from pbem.report.notices import Notice, Page
from pbem.store.models import Campaign, InboxMessage, PendingRequest, Person, Seat
from pbem.store.types import CampaignState
from pbem.text import cut_at_word
from pbem.util import redact_all, redact_credentials

MOST_OF_ABSENCE = 200
"""Signs of an away message that are shown to a GM."""

SAME_A_DAY = 3
"""Answers to the same unusable words of one sender: one who sends them again is a program."""

ECHO = f"the same words came from there {SAME_A_DAY} times today, as from an answering machine"
"""Note on messages that have no answer any more."""

MOST_AGAIN = 3
"""Mails that ask one question again, on as many days."""

_ALIKE = 0.8
"""Share of words in which two messages of a program agree; they may quote different subjects."""

_LONGEST_SUBJECT = 120
_LONGEST_THREAD = 18
"""With the message itself, and the first mail of its campaign, as many ids as a mail names (`MAX_REFERENCES`)."""

_PREFIXES = re.compile(r"\A(?>(?:\s*+(?:(?:re|aw|sv|antw|fwd?|wg)(?:\[\d++\])?:|\[[^\]]*+\]))*)", re.IGNORECASE)

_OF_UNUSABLE = (Refusal, OpenGames, RequestReply)
"""Answers to messages that brought nothing that can be used."""

_WITH_LAST = (Answer, Confirmation, Help, HelpOnVerb, OpenGames, RulebookPage)
"""Answers to strangers, of which the last of a day says so."""

_UNASKED = ("notice", "warning")
"""Kinds of mail that are no replies to the message."""

_HELPING = (Help, HelpOnVerb, RulebookPage)


@dataclass(frozen=True, slots=True)
class Heading:
    """The campaign that a mail belongs to, and its subject, if that is not the message's own."""

    mailer: CampaignMailer
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Mail that a message brings about.

    Attributes:
        to: The recipient.
        page: What it says.
        ids: Its Message-ID; or the few that such mails may have in a period, which are a limit.
        heading: The campaign and subject, where these are not those of `spot`, or of the message.
        spot: The seat that it is about; with a `code`, the mail is in the thread of its report.
        code: The reply code: a reply to the mail counts as orders for the seat, or answers a request.
        kind: The kind of mail, such as "receipt".
        topic: The topic; a queued mail of the same topic is superseded.
        reply_to: The address to which replies go, "" for the order address.
        files: Further parts.
    """

    to: str
    page: Page
    ids: str | Sequence[str]
    heading: Heading | None = None
    spot: SeatContext | None = None
    code: str = ""
    kind: str = "answer"
    topic: str = ""
    reply_to: str = ""
    files: tuple[MailPart, ...] = ()


def send(case: MessageContext, reply: Reply) -> str:
    """Queue a mail; return its Message-ID, "" if its limit is reached.

    Help and rules have the code of the mail that was answered: who asks before a YES may say it in reply to them.
    """
    if isinstance(reply.page, _HELPING) and not reply.code:
        reply = replace(reply, code=case.answers)
    id_ = reply.ids if isinstance(reply.ids, str) else first_free(case, reply.ids)
    if id_:
        mailer = reply.heading.mailer if reply.heading else _mailer(case, reply.spot)
        if reply.kind in _UNASKED:
            assert reply.heading is not None
            mail = mailer.mail(reply.to, reply.heading.subject, reply.page, id_, kind=reply.kind)
        else:
            mail = _in_reply(case, mailer, reply, id_)
        if reply.reply_to:
            mail = replace(mail, reply_to=reply.reply_to, reply_name="")
        mailer.send(case.session, case.now, replace(mail, topic=reply.topic))
    return id_


def _mailer(case: MessageContext, spot: SeatContext | None) -> CampaignMailer:
    if spot is None:
        return host_mailer(case)
    site = campaign_url(case.app, spot.campaign, spot.policy)
    own = (spot.campaign, spot.mail_key, spot.game, spot.gm)
    return CampaignMailer(case.app, spot.campaign_id, *own, site, spot.gm_name, spot.policy.title)


def _in_reply(case: MessageContext, mailer: CampaignMailer, reply: Reply, id_: str) -> NewMail:
    code, of_campaign = reply.code, reply.heading or reply.spot
    about = redact_credentials(bare_subject(case.letter.subject)) or "your mail"
    subject = f"Re: {mailer.subject(about, code) if of_campaign else about}"
    own = reply.page.subject if isinstance(reply.page, Answer | Refusal) else ""
    if own := (reply.heading and reply.heading.subject) or own:
        subject = mailer.subject(own, code)
    thread = _thread(case, reply)
    return mailer.answer(
        case.letter, reply.to, subject, reply.page, id_, thread=thread, code=code, kind=reply.kind, files=reply.files
    )


def bare_subject(subject: str) -> str:
    """Return a subject without reply codes, and without "Re:" and tags before it."""
    return " ".join(_PREFIXES.sub("", without_codes(subject)).split())[:_LONGEST_SUBJECT]


def _thread(case: MessageContext, reply: Reply) -> tuple[str, ...]:
    """Return the thread of a reply, oldest first; a question begins with the message.

    The report is always in that of an answer, so that a reply to a receipt still finds its turn.
    """
    letter, spot = case.letter, reply.spot if reply.code else None
    older = [id_ for id_ in reversed(dict.fromkeys(letter.references)) if id_ != letter.message_id]
    if spot is not None and spot.report_message_id not in ("", *older):
        older.append(spot.report_message_id)
    before = [] if reply.kind == "question" else older[-_LONGEST_THREAD:]
    return (*before, *([letter.message_id] if letter.message_id else []))


def answer(
    case: MessageContext,
    to: str,
    page: Page,
    *,
    kind: str = "answer",
    about: str = "",
    spot: SeatContext | None = None,
    code: str = "",
    heading: Heading | None = None,
    files: tuple[MailPart, ...] = (),
) -> str:
    """Queue an answer; return what to note of it.

    A message without a key from an unknown address has few answers of each `kind` a day; `about` tells several to one
    message apart. The other arguments are those of a `Reply`.
    """
    if isinstance(page, _OF_UNUSABLE) and is_echo(case, spot, digits=bool(case.key)):
        return case.silent(ECHO)
    known = is_known(case.session, to)
    if known or case.key:
        # Of a key that is shown from many unknown addresses, all count: it may be stolen, and they forged.
        whose = to.lower() if known else ""
        # A forged sender's answers go to the owner of the address, who must not be flooded with them.
        most = WARNINGS_A_DAY if case.verdict == "fail" and not case.key else ANSWERS_A_DAY
        ids = ids_today(case, most, "answer", whose, account=[case.account])
        sent = send(case, Reply(to=to, page=page, ids=ids, heading=heading, spot=spot, code=code, files=files))
        return f"answered {to}" if sent else case.silent(f"{to} has had {most} answers today")
    place = stranger_place(case, to, kind, about)
    if isinstance(place, str):
        return case.silent(place)
    if isinstance(page, _WITH_LAST):
        page = replace(page, last=place.last)
    reply = Reply(to=to, page=page, ids=place.message_id, kind=STRANGER, topic=place.topic)
    send(case, replace(reply, heading=heading, code=code, files=files))
    return f"answered {to}, who is unknown"


def ask_again(case: MessageContext, page: RequestReply, request: PendingRequest, heading: Heading | None) -> str:
    """Ask the receiver of a request once more, at most once a day; return what to note of it."""
    to, mailer, days = request.data["to"], host_mailer(case), (case.now.date() - request.created_at.date()).days
    asked = [case.now.date() - dt.timedelta(days=day) for day in reversed(range(days + 1))]
    # A Message-ID for each day: it is unique in the outbox, so that two processes at once ask once.
    ids = [mailer.id_of("asked again", request.id, day.isoformat()) for day in asked]
    taken = ids_taken(case, ids)
    if ids[-1] in taken or len(taken) >= MOST_AGAIN:
        return case.silent(f"{to} was asked again today, or {MOST_AGAIN} times")
    again = Heading(heading.mailer if heading else mailer, page.subject)
    send(case, Reply(to=to, page=page, ids=ids[-1], heading=again, code=request.code))
    return f"asked {to} again"


def question(case: MessageContext, spot: SeatContext | None, page: Page, *, to: str, code: str) -> str:
    """Queue a question about a message, which any reply that shows the code answers; return its Message-ID."""
    heading = Heading(_mailer(case, spot), page.subject)
    id_ = heading.mailer.id_of("question", code)
    return send(case, Reply(to=to, page=page, ids=id_, heading=heading, code=code, kind="question"))


def answer_gm(
    case: MessageContext,
    campaign: Campaign,
    page: Page,
    *,
    code: str = "",
    files: Sequence[MailPart] = (),
) -> str:
    """Queue the answer to a GM's own message, proved by their token or by reply; return its Message-ID."""
    id_ = host_mailer(case).id_of("gm answer", campaign.id, case.letter_id)
    heading = Heading(CampaignMailer.of(case.app, campaign), page.subject)
    return send(case, Reply(to=campaign.gm, page=page, ids=id_, heading=heading, code=code, files=tuple(files)))


def send_receipts(case: MessageContext, spot: SeatContext, page: Receipt, *, deputy: str = "") -> None:
    """Queue the receipt for the seat's own address, in the thread of the sheet, and for the deputy who sent it."""
    send_verdict(case, spot, page.subject, lambda own: replace(page, code=own.code), page.version, deputy)


def send_verdict(
    case: MessageContext,
    spot: SeatContext,
    subject: str,
    page_for: Callable[[SeatContext], Page],
    version: int,
    deputy: str,
) -> None:
    """Queue a receipt, or the answer in its place; `page_for` makes it, with the reader's own code."""
    # It has its verdict in its subject, and no "Re:": a changed subject begins a conversation of its own.
    heading = Heading(_mailer(case, spot), subject)
    name = receipt_id_parts(spot.campaign, spot.seat, spot.turn, version, spot.era)
    names = {spot.address: name} | ({deputy: (*name, "deputy")} if deputy else {})
    for to, parts in names.items():
        own, id_ = seat_for_deputy(case.session, spot, to) if to == deputy else spot, heading.mailer.id_of(*parts)
        reply = Reply(to=to, page=page_for(own), ids=id_, heading=heading, spot=own, code=own.code, kind="receipt")
        send(case, reply)


def send_rulebook(
    case: MessageContext, to: str, page: RulebookPage, *, topic: str, files: tuple[MailPart, ...] = ()
) -> None:
    """Queue pages of a rulebook that a message has asked for, as text and as HTML, in reply to it."""
    heading, about = Heading(host_mailer(case), page.subject), f"{page.game} {page.about}"
    if not (case.key or is_known(case.session, to)):
        answer(case, to, page, kind="rules", about=about, heading=heading, files=files)
        return
    id_ = heading.mailer.id_of(topic)
    send(case, Reply(to=to, page=page, ids=id_, heading=heading, kind="rules", topic=topic, files=files))


def notify(case: MessageContext, to: str, page: Page) -> None:
    """Queue a notice about a message to a GM."""
    heading = Heading(host_mailer(case), page.subject)
    id_ = heading.mailer.id_of("notice", to.lower(), case.letter_id)
    send(case, Reply(to=to, page=page, ids=id_, heading=heading, kind="notice"))


def pass_on(
    case: MessageContext,
    campaign: CampaignSnapshot,
    page: Page,
    *,
    sender: str,
    about: tuple[str, int],
    free: bool = False,
) -> str:
    """Mail the words of a person to a GM, whose reply goes to that person; return what to note of it.

    At most `PASSED_ON_A_DAY` mails `about` one thing are passed on in a day, unless it is `free` of that.
    """
    # A message passes on one text: with its id alone, one that is free of the limit uses up none of it.
    own = [host_mailer(case).id_of(*about, case.letter_id)] if free else []
    ids = own or ids_today(case, PASSED_ON_A_DAY, *about)
    heading = Heading(CampaignMailer.of(case.app, campaign), page.subject)
    reply = Reply(to=campaign.gm, page=page, ids=ids, heading=heading, kind="notice", reply_to=sender)
    sent = send(case, reply)
    return f"passed on to {campaign.gm}" if sent else f"not passed on: {PASSED_ON_A_DAY} such went to the GM today"


def warn_seat(case: MessageContext, spot: SeatContext, page: Page) -> str:
    """Tell a seat's own address what was tried in its name, at most so often a day; return what to note."""
    heading = Heading(_mailer(case, spot), "rejected: a mail for your seat")
    return _warn_today(case, spot.address, heading, page, "warning", spot.seat_id)


def warn_gm(case: MessageContext, campaign: Campaign, page: Page) -> str:
    """Tell a GM that a message came in their name; return what to note."""
    heading = Heading(CampaignMailer.of(case.app, campaign), page.subject)
    return _warn_today(case, campaign.gm, heading, page, "gm warning", campaign.id)


def _warn_today(case: MessageContext, to: str, heading: Heading, page: Page, *about: str | int) -> str:
    ids = ids_today(case, WARNINGS_A_DAY, *about)
    sent = send(case, Reply(to=to, page=page, ids=ids, heading=heading, kind="warning"))
    return f"warned {to}" if sent else f"{to} has been warned enough today"


def warn_once(
    case: MessageContext, to: str, campaign: str, page: Page, about: tuple[str, ...], period: str = ""
) -> str:
    """Tell an address once a day, or `period`, of what concerns no single message; return what to note, or ""."""
    ids = [host_mailer(case).id_of("once", to.lower(), *about, period or case.now.date().isoformat())]
    # The mailer of the campaign, so that a GM can answer with a command.
    named = case.session.scalars(select(Campaign).where(Campaign.name == campaign)).one()
    heading = Heading(CampaignMailer.of(case.app, named), page.subject)
    return f"warned {to}" if send(case, Reply(to=to, page=page, ids=ids, heading=heading, kind="warning")) else ""


def tell_gm_once(
    case: MessageContext, gm: str, about: tuple[str, ...], subject: str, *paragraphs: str, period: str = ""
) -> str:
    """Tell a GM once a day, or `period`, what is `about` something in a campaign; return what to note, or "".

    `about` is a word, the name of the campaign, and what else tells such news apart.
    """
    page = Notice(subject=subject, title=as_title(subject), blocks=paragraphs, to_gm=bool(about[1]))
    return warn_once(case, gm, about[1], page, about, period)


def is_echo(case: MessageContext, spot: SeatContext | None, *, digits: bool) -> bool:
    """Return True if the messages of the sender before this one, within a day, said the same in words.

    For messages that brought nothing that can be used: a person tries something else by
    then. A message of a known seat is none if it looks like a sheet, whatever is wrong
    with that. Without `digits`, words that have some are left out: machines tell times
    and numbers of theirs.
    """
    if not case.sender or (spot is not None and _looks_like_sheet(case, spot)):
        return False
    # Not later ones: of messages that came together, the first are answered.
    sent = (InboxMessage.sender == case.sender, InboxMessage.id < case.letter_id)
    lately = select(InboxMessage.raw).where(*sent, InboxMessage.received_at > case.now - dt.timedelta(days=1))
    before = case.session.scalars(lately.order_by(InboxMessage.id.desc()).limit(SAME_A_DAY)).all()
    if len(before) < SAME_A_DAY:
        return False
    this = case.session.scalars(select(InboxMessage.raw).where(InboxMessage.id == case.letter_id)).one()
    said = _own_words(this, digits=digits)
    others = (_own_words(raw, digits=digits) for raw in before)
    return all(len(said & other) >= _ALIKE * len(said | other) for other in others)


def _looks_like_sheet(case: MessageContext, spot: SeatContext) -> bool:
    """Return True if a message has the frame of a sheet, or a line that begins like an order of the seat's game."""
    lines = case.letter.lines
    return has_header(lines) or any(map(case.app.game(spot.game).orders.is_like_order, lines))


def _own_words(raw: bytes, *, digits: bool) -> frozenset[str]:
    """Return the words of a message; without `digits`, those that have none."""
    words = parse_message(raw).text.casefold().split()
    return frozenset(word for word in words if digits or not any(map(str.isdigit, word)))


SeatRow = Row[str, str, str, str]
"""Campaign, GM, seat and address of the player."""

_SEATS = (
    select(Campaign.name.label("campaign"), Campaign.gm, Seat.name.label("seat"), Person.address)
    .join(Seat, Seat.campaign_id == Campaign.id)
    .join(Person, Person.id == Seat.person_id)
    .where(Campaign.status != CampaignState.OVER)
    .order_by(Campaign.id, Seat.id)
)


def _tell_of_seats(case: MessageContext, tell: Callable[[SeatRow], str]) -> str:
    """Return the notes on what was told of each seat of the sender."""
    rows = case.session.execute(_SEATS.where(Person.key == case.sender)).all()
    return "; ".join(filter(None, (tell(row) for row in rows)))


def warn_message_limit(case: MessageContext, most: int) -> str:
    """Warn of too many messages of one sender in a day, if seats are played from that address; return what to note."""
    if case.key or not case.sender:
        return ""
    return _tell_of_seats(case, lambda place: warn_of_limit(case, place, "letters", most))


def warn_of_limit(case: MessageContext, spot: SeatContext | SeatRow, of: small.FloodOf, most: int) -> str:
    """Tell the player of a seat, and their GM, that too much came in a day, or for a turn; return what to note."""
    told, campaign, seat, gm = [], spot.campaign, spot.seat, spot.gm
    for to in dict.fromkeys((spot.address, gm)):
        page = small.too_much_mail(
            of=of, most=most, campaign=campaign, seat=seat, player=spot.address, to_gm=to == gm, gm=gm
        )
        told.append(warn_once(case, to, campaign, page, ("flood", of, campaign, seat)))
    return "; ".join(filter(None, told))


def note_bulk_mail(case: MessageContext, spot: SeatContext) -> str:
    """Tell a GM, once a day, of bulk mail with the right code of a seat and without orders; return what to note of it.

    Nothing is refused by mail (RFC 3834), as the writer may be a machine.
    """
    said = (
        f"A mail with the right code of {spot.seat} came as bulk mail, as {case.letter.machine.reason}. There were no "
        "orders in it, and such mail is not answered: a program may have written it."
    )
    help_ = "pbem inbox shows it, and those that follow today, of which you are not told."
    subject = f"bulk mail without orders for {spot.seat}"
    told = tell_gm_once(case, spot.gm, ("bulk", spot.campaign, spot.seat), subject, said, help_)
    return "; ".join(filter(None, (case.silent(f"no orders, and {case.letter.machine.reason}"), told)))


def tell_of_absence(case: MessageContext) -> str:
    """Tell the GMs of the sender's seats, once a week, what their answering machine says; return what to note."""
    words = cut_at_word(" ".join(redact_all(case.letter.text).split()), MOST_OF_ABSENCE)
    # Below a sheet, or a form that was sent back, there is no word on the absence.
    if not words or has_header(case.letter.lines) or not case.sender or case.verdict == "fail":
        return ""
    week = str(case.now.date().toordinal() // 7)

    def tell(place: SeatRow) -> str:
        who = f"{case.shown_sender}, who plays {place.seat} in {place.campaign}"
        pause = f"Reply PAUSE {place.seat} if turns shall not wait for their orders. You are told of it once a week."
        said = f"{who}, has an answering machine that says: '{words}'", pause
        about = ("away", place.campaign, place.seat)
        return tell_gm_once(case, place.gm, about, f"{place.seat} may be away", *said, period=week)

    return _tell_of_seats(case, tell)


def tell_of_echo(case: MessageContext) -> str:
    """Tell the GMs of the sender's seats, once a day, of an answering machine; return what to note."""
    help_ = "pbem inbox shows them. Please ask the player to switch it off, or to have it leave this address alone."

    def tell(place: SeatRow) -> str:
        said = (
            f"{case.shown_sender}, who plays {place.seat} in {place.campaign}, has sent the same words more than "
            f"{SAME_A_DAY} times today, which are no orders. It looks like an answering machine that does not say so, "
            "and would be answered without end; so these words have no answer any more. Sheets, commands and other "
            "words count as ever."
        )
        about = ("echo", place.campaign, place.seat)
        return tell_gm_once(case, place.gm, about, f"an answering machine at {place.seat}?", said, help_)

    return _tell_of_seats(case, tell)
