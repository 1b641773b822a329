"""Answers to messages, queued into the outbox, with limits against floods and mail loops.

Answers other than receipts are limited: so many a day for a known address, counted
for each key apart, and so many a day for a key that an unknown address shows. A
stranger, who has no key, gets a few answers of a kind and day, and a few more of
all kinds; the last says that it is the last. Only so many strangers are answered in
a day: counted for each kind apart, and apart for those for whose address the
receiving server vouches, so that forged messages of one kind use up nothing but
that. To ask to join one campaign is a kind. Beyond the limit no answer is sent, so
that two machines cannot talk to each other without end, and a forged address is not
flooded with answers.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from sqlalchemy import Boolean, bindparam, func, literal_column, select
from sqlalchemy.orm import Session

from pbem.campaign.notices import CampaignMailer, as_title, campaign_url, host_mail_key
from pbem.campaign.order_sheets import receipt_id_parts
from pbem.campaign.snapshot import CampaignSnapshot
from pbem.inbox.context import MessageContext, start_of_day_utc
from pbem.inbox.seat_lookup import SeatContext, is_known, seat_for_deputy
from pbem.inbox.sheet_finder import SheetHeader
from pbem.mail.compose import MailPart, NewMail
from pbem.mail.headers import without_codes
from pbem.mail.message import Message, parse_message
from pbem.mail.outbox import provider_of
from pbem.mail.reply_parser import has_header
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
from pbem.store.models import Campaign, InboxMessage, OutgoingMail, PendingRequest, Person, Seat
from pbem.store.types import CampaignState
from pbem.text import cut_at_word
from pbem.util import redact_all, redact_credentials

STRANGERS_A_DAY = 100
"""Answers of one kind to unknown addresses for which the receiving server does not vouch."""

STRANGERS_OF_DOMAIN_A_DAY = 30
"""Answers of one kind to unknown addresses of one domain, vouched for or not."""

STRANGER_A_DAY = 3
"""Answers of one kind to an unknown address."""

STRANGER_OF_ALL_KINDS_A_DAY = 10
"""Answers of all kinds to an unknown address."""

STRANGER = "stranger"
"""The kind of mail that answers an unknown sender."""

MOST_OF_ABSENCE = 200
"""Signs of an away message that are shown to a GM."""

SAME_A_DAY = 3
"""Answers to the same unusable words of one sender: one who sends them again is a program."""

ECHO = f"the same words came from there {SAME_A_DAY} times today, as from an answering machine"
"""Note on messages that have no answer any more."""

_ALIKE = 0.8
"""Share of words in which two messages of a program agree; they may quote different subjects."""

PASSED_ON_A_DAY = 5
"""Words of one person about one thing that are passed on to a GM."""

ANSWERS_A_DAY = 20
WARNINGS_A_DAY = 3

_LONGEST_SUBJECT = 120
_LONGEST_THREAD = 18
"""With the message itself, and the first mail of its campaign, as many ids as a mail names (`MAX_REFERENCES`)."""

_TAKEN = select(OutgoingMail.message_id).where(OutgoingMail.message_id.in_(bindparam("places", expanding=True)))

_PREFIXES = re.compile(r"\A(?>(?:\s*+(?:(?:re|aw|sv|antw|fwd?|wg)(?:\[\d++\])?:|\[[^\]]*+\]))*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """The campaign that an answer belongs to, and its subject, if that is not the message's own."""

    mailer: CampaignMailer
    subject: str = ""


_OF_UNUSABLE = (Refusal, OpenGames, RequestReply)
"""Answers to messages that brought nothing that can be used."""

_WITH_LAST = (Answer, Confirmation, Help, HelpOnVerb, OpenGames)
"""Answers to strangers, of which the last of a day says so."""


def answer(
    case: MessageContext,
    to: str,
    page: Page,
    *,
    kind: str = "answer",
    spot: SeatContext | None = None,
    code: str = "",
    heading: Heading | None = None,
    files: Sequence[MailPart] = (),
) -> str:
    """Queue an answer; return what to note of it.

    A message without a key from an unknown address has few answers of each `kind` a day.

    Args:
        to: The address that is answered.
        page: The answer.
        kind: The kind of answer by which strangers are counted.
        spot: The seat to whose report the answer belongs.
        code: The reply code of the answer: a reply to it counts as orders for the seat, or answers a request.
        heading: The campaign and subject, where there is no seat.
        files: Further parts.
    """
    if isinstance(page, _OF_UNUSABLE) and is_echo(case, spot, digits=bool(case.key)):
        return case.silent(ECHO)
    known = is_known(case.session, to)
    if not (known or case.key):
        return _answer_stranger(case, to, page, kind, code=code, heading=heading, files=files)
    day = case.now.date().isoformat()
    # Of a key that is shown from many unknown addresses, all count: it may be stolen, and they forged.
    whose = to.lower() if known else ""
    # A forged sender's answers go to the owner of the address, who must not be flooded with them.
    most = WARNINGS_A_DAY if case.verdict == "fail" and not case.key else ANSWERS_A_DAY
    # A Message-ID for each answer of the day: it is unique in the outbox, so that two processes at once cannot exceed
    # the limit.
    free = _free_id(
        case.session, [_message_id(case, "answer", whose, day, case.account, place) for place in range(most)]
    )
    if free is None:
        return case.silent(f"{to} has had {most} answers today")
    mailer = heading.mailer if heading else _mailer(case, spot)
    _queue_answer(case, mailer, to, page, id_=free, spot=spot, code=code, heading=heading, files=files)
    return f"answered {to}"


MOST_AGAIN = 3
"""Mails that ask one question again, on as many days."""


def ask_again(case: MessageContext, page: RequestReply, request: PendingRequest, heading: Heading | None) -> str:
    """Ask the receiver of a request once more, at most once a day; return what to note of it."""
    first, today = request.created_at.date(), case.now.date()
    days = [(first + dt.timedelta(days=day)).isoformat() for day in range((today - first).days + 1)]
    # A Message-ID for each day: it is unique in the outbox, so that two processes at once ask once.
    places = [_message_id(case, "asked again", request.id, day) for day in days]
    taken = set(case.session.connection().execute(_TAKEN, {"places": places}).scalars())
    if places[-1] in taken or len(taken) >= MOST_AGAIN:
        return case.silent(f"{request.data['to']} was asked again today, or {MOST_AGAIN} times")
    mailer = heading.mailer if heading else _mailer(case)
    again = Heading(mailer, page.subject)
    _queue_answer(case, mailer, request.data["to"], page, id_=places[-1], code=request.code, heading=again)
    return f"asked {request.data['to']} again"


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


def warn_seat(case: MessageContext, spot: SeatContext, page: Page) -> str:
    """Tell a seat's own address what was tried in its name, at most so often a day; return what to note."""
    mailer, subject = _mailer(case, spot), "rejected: a mail for your seat"
    return _warn(case, mailer, spot.address, subject, page, ("warning", spot.seat_id))


def warn_gm(case: MessageContext, campaign: Campaign, page: Page) -> str:
    """Tell a GM that a message came in their name; return what to note."""
    mailer, subject = CampaignMailer.of(case.app, campaign), "rejected: a mail in your name"
    return _warn(case, mailer, campaign.gm, subject, page, ("gm warning", campaign.id))


def warn_once(
    case: MessageContext, to: str, campaign: str, subject: str, page: Page, about: tuple[str, ...], period: str = ""
) -> str:
    """Tell an address once a day, or `period`, of what concerns no single message; return what to note, or ""."""
    places = [_message_id(case, "once", to.lower(), *about, period or case.now.date().isoformat())]
    return (
        f"warned {to}" if _add_warning(case, CampaignMailer(case.app, name=campaign), to, subject, page, places) else ""
    )


def pass_on(
    case: MessageContext,
    campaign: CampaignSnapshot,
    subject: str,
    page: Page,
    *,
    sender: str,
    about: tuple[str, int],
    free: bool = False,
) -> str:
    """Mail the words of a person to a GM, whose reply goes to that person; return what to note of it.

    At most `PASSED_ON_A_DAY` mails `about` one thing are passed on in a day, unless it is `free` of that.
    """
    day = case.now.date().isoformat()
    # A message passes on one text: with its id alone, one that is free of the limit uses up none of it.
    places = [_message_id(case, *about, case.letter_id)] if free else []
    places = places or [_message_id(case, *about, day, place) for place in range(PASSED_ON_A_DAY)]
    found = _free_id(case.session, places)
    if found is None:
        return f"not passed on: {PASSED_ON_A_DAY} such went to the GM today"
    mailer = CampaignMailer.of(case.app, campaign)
    mail = mailer.mail(campaign.gm, subject, page, found)
    mailer.send(case.session, case.now, replace(mail, reply_to=sender, reply_name=""))
    return f"passed on to {campaign.gm}"


def _warn(
    case: MessageContext, mailer: CampaignMailer, to: str, subject: str, page: Page, about: tuple[str, int]
) -> str:
    day = case.now.date().isoformat()
    places = [_message_id(case, *about, day, place) for place in range(WARNINGS_A_DAY)]
    warned = _add_warning(case, mailer, to, subject, page, places)
    return f"warned {to}" if warned else f"{to} has been warned enough today"


def _add_warning(
    case: MessageContext, mailer: CampaignMailer, to: str, subject: str, page: Page, places: Sequence[str]
) -> bool:
    """Queue a warning and return True, if one of its Message-IDs is free."""
    free = _free_id(case.session, places)
    if free is not None:
        mailer.send(case.session, case.now, mailer.mail(to, subject, page, free, kind="warning"))
    return free is not None


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
    mailer, name = _mailer(case, spot), receipt_id_parts(spot.campaign, spot.seat, spot.turn, version, spot.era)
    names = {spot.address: name} | ({deputy: (*name, "deputy")} if deputy else {})
    # It has its verdict in its subject, and no "Re:": a changed subject begins a conversation of its own.
    heading, mails = Heading(mailer, subject), []
    for to, parts in names.items():
        own = seat_for_deputy(case.session, spot, to) if to == deputy else spot
        page, id_ = page_for(own), mailer.id_of(*parts)
        mails.append(_draft(case, mailer, to, page, id_=id_, spot=own, code=own.code, kind="receipt", heading=heading))
    mailer.send(case.session, case.now, *mails)


def question(case: MessageContext, spot: SeatContext | None, subject: str, page: Page, *, to: str, code: str) -> str:
    """Queue a question about a message, which any reply that shows the code answers; return its Message-ID."""
    mailer, id_ = _mailer(case, spot), case.letter.message_id
    mail = mailer.answer(
        case.letter,
        to,
        mailer.subject(subject, code),
        page,
        mailer.id_of("question", code),
        thread=(id_,) if id_ else (),
        code=code,
        kind="question",
    )
    mailer.send(case.session, case.now, mail)
    return mail.message_id


def answer_gm(
    case: MessageContext,
    campaign: Campaign,
    page: Page,
    *,
    subject: str,
    code: str = "",
    files: Sequence[MailPart] = (),
) -> str:
    """Queue the answer to a GM's own message, proved by their token or by reply; return its Message-ID."""
    id_, mailer = _message_id(case, "gm answer", campaign.id, case.letter_id), CampaignMailer.of(case.app, campaign)
    heading = Heading(mailer, subject)
    _queue_answer(case, mailer, campaign.gm, page, id_=id_, code=code, heading=heading, files=files)
    return id_


def send_rulebook(
    case: MessageContext,
    to: str,
    page: RulebookPage,
    *,
    topic: str,
    id_: str = "",
    kind: str = "rules",
    files: Sequence[MailPart] = (),
) -> None:
    """Queue pages of a rulebook that a message has asked for, as text and as HTML, in reply to it."""
    mailer = _mailer(case)
    subject, thread = mailer.subject(f"{page.game}: {page.about}"), _thread(case.letter, None)
    id_ = id_ or _message_id(case, topic)
    mail = mailer.answer(case.letter, to, subject, page, id_, thread=thread, kind=kind, files=tuple(files))
    mailer.send(case.session, case.now, replace(mail, topic=topic))


def notify(case: MessageContext, to: str, subject: str, page: Page) -> None:
    """Queue a notice about a message to a GM."""
    mailer, id_ = _mailer(case), _message_id(case, "notice", to.lower(), case.letter_id)
    mailer.send(case.session, case.now, mailer.mail(to, subject, page, id_))


def _answer_stranger(
    case: MessageContext,
    to: str,
    page: Page,
    kind: str,
    *,
    code: str,
    heading: Heading | None,
    files: Sequence[MailPart],
) -> str:
    """Queue one of the few answers of its kind that an unknown address gets in a day, while not too many get theirs."""
    why = reply_limit_reason(case, to, kind) or stranger_limit_reason(case, to, kind)
    if why:
        return case.silent(why)
    free = next_stranger_id(case, to, kind)
    mailer = heading.mailer if heading else _mailer(case)
    if isinstance(page, _WITH_LAST):
        page = replace(page, last=is_last_answer(case, to, kind))
    mail = _draft(case, mailer, to, page, id_=free, code=code, kind=STRANGER, heading=heading, files=files)
    mailer.send(case.session, case.now, replace(mail, topic=stranger_topic(case, kind)))
    return f"answered {to}, who is unknown"


def stranger_topic(case: MessageContext, kind: str, about: str = "") -> str:
    """Return the topic of an answer to a stranger, by which such answers are counted.

    `about` tells several answers of one kind to a message apart.
    """
    # A topic for each mail: queued mails of one topic supersede each other.
    which = f"{case.letter_id} {about}"
    return f"{_topic_prefix(case, kind)}{hashlib.sha256(which.encode()).hexdigest()[:24]}"


def next_stranger_id(case: MessageContext, to: str, kind: str) -> str:
    """Return the Message-ID of the next answer of a kind to an unknown address that may have one."""
    free = _free_id(case.session, _stranger_ids(case, to, kind))
    assert free is not None
    return free


def _stranger_ids(case: MessageContext, to: str, kind: str) -> list[str]:
    """Return the Message-IDs of the answers of a kind that an unknown address may have today."""
    day = case.now.date().isoformat()
    return [_message_id(case, "stranger", kind, to.lower(), day, place) for place in range(STRANGER_A_DAY)]


def stranger_limit_reason(case: MessageContext, to: str, kind: str) -> str:
    """Return why an unknown address gets no more answers of a kind today; "" if it may have one."""
    if _free_id(case.session, _stranger_ids(case, to, kind)) is None:
        return f"{to} is unknown and has had {STRANGER_A_DAY} such answers today"
    if _sent_to_stranger(case, to) >= STRANGER_OF_ALL_KINDS_A_DAY:
        return f"{to} is unknown and has had {STRANGER_OF_ALL_KINDS_A_DAY} answers today"
    return ""


def is_last_answer(case: MessageContext, to: str, kind: str) -> bool:
    """Return True if the next answer of a kind is the last that an unknown address gets today."""
    ids = _stranger_ids(case, to, kind)
    return _free_id(case.session, ids) == ids[-1] or _sent_to_stranger(case, to) + 1 >= STRANGER_OF_ALL_KINDS_A_DAY


def _sent_to_stranger(case: MessageContext, to: str) -> int:
    today = (_IS_TO_STRANGER, OutgoingMail.created_at >= start_of_day_utc(case.now))
    same = func.lower(OutgoingMail.recipient) == to.lower()
    # By the provider too, for which there is an index.
    return case.session.scalar(select(func.count()).where(*today, OutgoingMail.provider == provider_of(to), same)) or 0


# Written as in the partial index `ix_outgoing_stranger`: with a parameter, databases could not use it.
_IS_TO_STRANGER = literal_column(f"outgoing.kind = '{STRANGER}'", Boolean)


def reply_limit_reason(case: MessageContext, to: str, kind: str) -> str:
    """Return why no unknown address, or none like this one, gets an answer of a kind now; "" if it may have one.

    A sender who forges addresses would make the program write to all of them.
    """
    if case.verdict == "fail":
        return f"by the receiving server's word it did not come from {to}"
    alike = OutgoingMail.topic.startswith(_topic_prefix(case, kind), autoescape=True)
    today = select(func.count()).where(_IS_TO_STRANGER, OutgoingMail.created_at >= start_of_day_utc(case.now), alike)
    if case.verdict != "pass" and (case.session.scalar(today) or 0) >= STRANGERS_A_DAY:
        return f"{to} is unknown, and {STRANGERS_A_DAY} such were answered today"
    provider = provider_of(to)
    if (case.session.scalar(today.where(OutgoingMail.provider == provider)) or 0) >= STRANGERS_OF_DOMAIN_A_DAY:
        return f"{to} is unknown, and {STRANGERS_OF_DOMAIN_A_DAY} such of {provider} were answered today"
    return ""


def _topic_prefix(case: MessageContext, kind: str) -> str:
    """Return the beginning of the topics of answers of a kind to senders like that of the message."""
    return f"{STRANGER} {kind} {case.verdict} "


def was_sent(case: MessageContext, topic: str) -> bool:
    """Return True if a mail of this topic was queued before."""
    return case.session.scalar(select(OutgoingMail.id).where(OutgoingMail.topic == topic).limit(1)) is not None


def sent_today(case: MessageContext, begins: str, to: str) -> int:
    """Count the mails to an address whose topics begin so, queued in the last 24 hours."""
    since = case.now - dt.timedelta(days=1)
    sent = OutgoingMail.topic.startswith(begins, autoescape=True) & (OutgoingMail.created_at > since)
    same = func.lower(OutgoingMail.recipient) == to.lower()
    return case.session.scalar(select(func.count()).select_from(OutgoingMail).where(sent, same)) or 0


def _free_id(session: Session, places: Sequence[str]) -> str | None:
    taken = set(session.connection().execute(_TAKEN, {"places": places}).scalars())
    return next((place for place in places if place not in taken), None)


def _message_id(case: MessageContext, *parts: str | int) -> str:
    """Return the Message-ID of an answer, with the key of the home: by it answers are counted across campaigns."""
    return _mailer(case).id_of(*parts)


def _mailer(case: MessageContext, spot: SeatContext | None = None) -> CampaignMailer:
    if spot is None:
        return CampaignMailer(case.app, key=host_mail_key(case.session))
    site = campaign_url(case.app, spot.campaign, spot.policy)
    own = (spot.campaign, spot.mail_key, spot.game, spot.gm)
    return CampaignMailer(case.app, spot.campaign_id, *own, site, spot.gm_name, spot.policy.title)


def _queue_answer(case: MessageContext, mailer: CampaignMailer, to: str, page: Page, **how: Any) -> None:
    """Queue the answer to the message; the arguments are those of `_draft`."""
    mailer.send(case.session, case.now, _draft(case, mailer, to, page, **how))


def _draft(
    case: MessageContext,
    mailer: CampaignMailer,
    to: str,
    page: Page,
    *,
    id_: str,
    spot: SeatContext | None = None,
    code: str = "",
    kind: str = "answer",
    heading: Heading | None = None,
    files: Sequence[MailPart] = (),
) -> NewMail:
    """Return the answer to the message. With a `code`, it is in the thread of the report of this `spot`."""
    letter = case.letter
    about = redact_credentials(bare_subject(letter.subject)) or "your mail"
    subject = f"Re: {mailer.subject(about, code) if heading or (spot is not None and code) else about}"
    if heading and heading.subject:
        subject = mailer.subject(heading.subject, code)
    elif isinstance(page, Answer | Refusal) and page.subject:
        subject = mailer.subject(page.subject, code)
    thread = _thread(letter, spot if code else None)
    return mailer.answer(letter, to, subject, page, id_, thread=thread, code=code, kind=kind, files=tuple(files))


def bare_subject(subject: str) -> str:
    """Return a subject without reply codes, and without "Re:" and tags before it."""
    return " ".join(_PREFIXES.sub("", without_codes(subject)).split())[:_LONGEST_SUBJECT]


def _thread(letter: Message, spot: SeatContext | None) -> tuple[str, ...]:
    """Return the thread, oldest first.

    The report is always in it, so that a reply to a receipt still finds its turn.
    """
    older = [id_ for id_ in reversed(dict.fromkeys(letter.references)) if id_ != letter.message_id]
    if spot is not None and spot.report_message_id not in ("", *older):
        older.append(spot.report_message_id)
    return (*older[-_LONGEST_THREAD:], *([letter.message_id] if letter.message_id else []))


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatMismatchNotice:
    """To a player whose mail names one seat and answers another's report; `header` is the header it has, if any."""

    page: ClassVar[str] = "disagreement"

    address: str
    header: SheetHeader | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessingFailed:
    """To a sender whose message could not be processed because of a fault in the program."""

    page: ClassVar[str] = "fault"

    address: str


FloodOf = Literal["letters", "sheets", "keys"]
"""Things of which too many came in a player's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReached:
    """To a player, and to their GM: more than `most` came in the player's name."""

    page: ClassVar[str] = "flood"

    of: FloodOf
    most: int
    campaign: str
    seat: str
    player: str
    to_gm: bool
    gm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageQuarantined:
    """To a GM: a message was quarantined. `problem` is one sentence."""

    page: ClassVar[str] = "letter_problem"

    letter: int
    sender: str
    subject: str
    problem: str


_SEATS = (
    select(Campaign.name, Campaign.gm, Seat.name, Person.address)
    .join(Seat, Seat.campaign_id == Campaign.id)
    .join(Person, Person.id == Seat.person_id)
    .where(Campaign.status != CampaignState.OVER)
    .order_by(Campaign.id, Seat.id)
)


def warn_message_limit(case: MessageContext, most: int) -> str:
    """Warn of too many messages of one sender in a day, if seats are played from that address; return what to note."""
    if case.key or not case.sender:
        return ""
    rows = case.session.execute(_SEATS.where(Person.key == case.sender)).all()
    told = [_warn_of_limit(case, row.address, row.gm, row[0], row[2], "letters", most) for row in rows]
    return "; ".join(filter(None, told))


def warn_sheet_limit(case: MessageContext, spot: SeatContext, most: int) -> str:
    """Warn of too many sheets for a seat in a day, or for a turn; return what to note."""
    return _warn_of_limit(case, spot.address, spot.gm, spot.campaign, spot.seat, "sheets", most)


def warn_guess_limit(case: MessageContext, spot: SeatContext, most: int) -> str:
    """Warn of too many wrong keys for a seat in a day; return what to note."""
    return _warn_of_limit(case, spot.address, spot.gm, spot.campaign, spot.seat, "keys", most)


def warn_of_bulk_mail(case: MessageContext, spot: SeatContext) -> str:
    """Tell a GM, once a day, of bulk mail with the right code of a seat and without orders; return what to note."""
    said = (
        f"A mail with the right code of {spot.seat} came as bulk mail, as {case.letter.machine.reason}. There were no "
        "orders in it, and such mail is not answered: a program may have written it."
    )
    help_ = "pbem inbox shows it, and those that follow today, of which you are not told."
    subject = f"bulk mail without orders for {spot.seat}"
    page = Notice(title=as_title(subject), paragraphs=(said, help_), campaign=spot.campaign)
    return warn_once(case, spot.gm, spot.campaign, subject, page, ("bulk", spot.campaign, spot.seat))


def tell_of_absence(case: MessageContext) -> str:
    """Tell the GMs of the sender's seats, once a week, what their answering machine says; return what to note."""
    words = cut_at_word(" ".join(redact_all(case.letter.text).split()), MOST_OF_ABSENCE)
    # Below a sheet, or a form that was sent back, there is no word on the absence.
    if not words or has_header(case.letter.lines) or not case.sender or case.verdict == "fail":
        return ""
    rows = case.session.execute(_SEATS.where(Person.key == case.sender)).all()
    return "; ".join(filter(None, (_tell_gm_of_absence(case, row[0], row.gm, row[2], words) for row in rows)))


def _tell_gm_of_absence(case: MessageContext, campaign: str, gm: str, seat: str, words: str) -> str:
    said = f"{case.shown_sender}, who plays {seat} in {campaign}, has an answering machine that says: '{words}'"
    subject = f"{seat} may be away"
    page = Notice(title=as_title(subject), paragraphs=(said, "You are told of it once a week."), campaign=campaign)
    week = str(case.now.date().toordinal() // 7)
    return warn_once(case, gm, campaign, subject, page, ("away", campaign, seat), period=week)


def tell_of_echo(case: MessageContext) -> str:
    """Tell the GMs of the sender's seats, once a day, of an answering machine; return what to note."""
    rows = case.session.execute(_SEATS.where(Person.key == case.sender)).all()
    return "; ".join(filter(None, (_warn_gm_of_echo(case, row[0], row.gm, row[2]) for row in rows)))


def _warn_gm_of_echo(case: MessageContext, campaign: str, gm: str, seat: str) -> str:
    said = (
        f"{case.shown_sender}, who plays {seat} in {campaign}, has sent the same words more than {SAME_A_DAY} times "
        "today, which are no orders. It looks like an answering machine that does not say so, and would be answered "
        "without end; so these words have no answer any more. Sheets, commands and other words count as ever."
    )
    help_ = "pbem inbox shows them. Please ask the player to switch it off, or to have it leave this address alone."
    subject = f"an answering machine at {seat}?"
    page = Notice(title=as_title(subject), paragraphs=(said, help_), campaign=campaign)
    return warn_once(case, gm, campaign, subject, page, ("echo", campaign, seat))


def _warn_of_limit(case: MessageContext, player: str, gm: str, campaign: str, seat: str, of: FloodOf, most: int) -> str:
    told = []
    for to in dict.fromkeys((player, gm)):
        page = LimitReached(of=of, most=most, campaign=campaign, seat=seat, player=player, to_gm=to == gm, gm=gm)
        subject = f"too much mail in the name of {seat}"
        told.append(warn_once(case, to, campaign, subject, page, ("flood", of, campaign, seat)))
    return "; ".join(filter(None, told))
