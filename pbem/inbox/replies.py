"""Answers to messages, and notices about them, queued into the outbox.

All but receipts are limited (`pbem.inbox.rate_limits`), so that two machines cannot
talk to each other without end, and a forged address is not flooded with answers.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy import Row, select, update

from pbem.campaign.notices import CampaignMailer, as_title, campaign_url, first_free, host_mailer, post
from pbem.campaign.people import DAYS, create_request
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign
from pbem.inbox.context import MessageContext
from pbem.inbox.rate_limits import ANSWERS_A_DAY, STRANGER, WARNINGS_A_DAY, ids_today, stranger_place
from pbem.inbox.seat_lookup import SeatContext, is_known
from pbem.mail.compose import MailPart
from pbem.mail.headers import without_codes
from pbem.mail.message import parse_message
from pbem.mail.reply_parser import has_header
from pbem.report import small
from pbem.report.answers import (
    Answer,
    Confirmation,
    ConfirmSender,
    Help,
    HelpOnVerb,
    OpenGames,
    Reason,
    Refusal,
    RequestReply,
    RulebookPage,
)
from pbem.report.notices import Notice, Page, Together, TogetherPart
from pbem.store.models import Campaign, InboxMessage, PendingRequest, Person, Seat
from pbem.store.types import CampaignState, RequestKind
from pbem.text import cut_at_word
from pbem.util import redact_all, redact_credentials

MOST_OF_ABSENCE = 200
"""Signs of an away message that are shown to a GM."""

SAME_A_DAY = 3
"""Answers to the same unusable words of one sender: one who sends them again is a program."""

ECHO = f"the same words came from there {SAME_A_DAY} times today, as from an answering machine"
"""Note on messages that have no answer any more."""

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

_HELPING = (Help, HelpOnVerb, RulebookPage)


def bare_subject(subject: str) -> str:
    """Return a subject without reply codes, and without "Re:" and tags before it."""
    return cut_at_word(" ".join(_PREFIXES.sub("", without_codes(subject)).split()), _LONGEST_SUBJECT)


About = SeatContext | Campaign | CampaignSnapshot | None
"""The seat or the campaign that an answer is about; None for what concerns no single campaign."""


def mailer_of(context: MessageContext, about: About) -> CampaignMailer:
    """Return the mailer for answers about a seat or a campaign."""
    if about is None:
        return host_mailer(context.app, context.session)
    if not isinstance(about, SeatContext):
        return CampaignMailer.of(context.app, about)
    site = campaign_url(context.app, about.campaign, about.policy)
    own = (about.campaign, about.mail_key, about.game, about.gm)
    return CampaignMailer(context.app, about.campaign_id, *own, site, about.gm_name, about.policy.title)


def answer(
    context: MessageContext,
    to: str,
    page: Page,
    *,
    about: About = None,
    code: str = "",
    id_: str = "",
    kind: str = "answer",
    part: str = "",
    topic: str = "",
    files: Sequence[MailPart] = (),
) -> str:
    """Queue an answer to a message; return what to note of it.

    Without an `id_` the recipient has only so many a day, and one without a key from an unknown address few of each
    `kind`. Without a subject of its own the page has that of the message.

    Args:
        context: The message that is answered.
        to: The address of the recipient.
        page: What it says, with its subject.
        about: The seat or campaign that it is about; with a `code` it is in the thread of the seat's report.
        code: The reply code: a reply to it counts as orders for the seat, or answers a request.
        id_: The Message-ID of an answer that is due whatever came today, such as a receipt.
        kind: The kind of mail, such as "receipt"; a "question" begins a thread.
        part: Words that tell several answers of a kind to one message apart.
        topic: The topic; a queued mail of the same topic is superseded.
        files: Further parts.
    """
    if context.together is not None and kind != "question":
        send = partial(answer, replace(context, together=None), to, page, about=about, code=code)
        send = partial(send, id_=id_, kind=kind, part=part, topic=topic, files=files)
        context.together.append(HeldAnswer(to, TogetherPart(page, mailer_of(context, about).frame(code)), id_, send))
        return f"answered {to}"
    if isinstance(page, _HELPING) and not code:
        code = context.answers  # who asks before a YES may say it in reply to the help
    if id_:
        _send(context, to, page, about, id_, code=code, kind=kind, topic=topic, files=files)
        return f"answered {to}"
    if isinstance(page, _OF_UNUSABLE) and is_echo(context, about, digits=bool(context.key)):
        return context.silent(ECHO)
    known = is_known(context.session, to)
    if known or context.key:
        # Of a key that is shown from many unknown addresses, all count: it may be stolen, and they forged.
        whose = to.lower() if known else ""
        # A forged sender's answers go to the owner of the address, who must not be flooded with them.
        most = WARNINGS_A_DAY if context.verdict == "fail" and not context.key else ANSWERS_A_DAY
        if free := first_free(context.session, ids_today(context, most, "answer", whose, account=[context.account])):
            _send(context, to, page, about, free, code=code, files=files)
            return f"answered {to}"
        return context.silent(f"{to} has had {most} answers today")
    place = stranger_place(context, to, kind, part)
    if isinstance(place, str):
        return context.silent(place)
    if isinstance(page, _WITH_LAST):
        page = replace(page, last=place.last)
    _send(context, to, page, about, place.message_id, code=code, kind=STRANGER, topic=place.topic, files=files)
    return f"answered {to}, who is unknown"


@dataclass(frozen=True, slots=True)
class HeldAnswer:
    """An answer to one of several sheets of a message; `send` mails it alone."""

    to: str
    part: TogetherPart
    id_: str
    send: Callable[[], str]


def answer_together(context: MessageContext, held: Sequence[HeldAnswer]) -> None:
    """Mail the answers to the sheets of a message, those to one address in one mail.

    It has no code, and names no report: a reply to it may be about any of them.
    """
    by_address = defaultdict[str, dict[Page, HeldAnswer]](dict)
    for each in held:
        by_address[each.to.lower()].setdefault(each.part.page, each)
    for some in map(list, map(dict.values, by_address.values())):
        if len(some) == 1:
            some[0].send()
            continue
        page = Together(parts=tuple(each.part for each in some))
        id_ = next((each.id_ for each in some if each.id_), "")
        answer(context, some[0].to, page, id_=id_, kind="receipt")


def _send(
    context: MessageContext,
    to: str,
    page: Page,
    about: About,
    id_: str,
    *,
    code: str,
    kind: str = "answer",
    topic: str = "",
    files: Sequence[MailPart] = (),
) -> None:
    """Queue a mail in the thread of a message (RFC 3834)."""
    mailer, own = mailer_of(context, about), page.subject
    if isinstance(page, Together):
        mailer = replace(mailer, name=page.campaigns)
    said = own or redact_credentials(bare_subject(context.message.subject)) or "your mail"
    mail = mailer.mail(to, said, page, id_, code=code, kind=kind, topic=topic, files=tuple(files))
    subject = mail.subject if own else f"Re: {said if about is None else mail.subject}"
    thread = _thread(context, about if code else None, begins=kind == "question" or isinstance(page, Together))
    mail = replace(mail, subject=subject, references=thread, in_reply_to=context.message.message_id)
    mailer.send(context.session, context.now, replace(mail, automatic="auto-replied"))


def _thread(context: MessageContext, about: About, *, begins: bool) -> tuple[str, ...]:
    """Return the thread of an answer, oldest first; it may begin with the message.

    The report is always in that of an answer about a seat, so that a reply to a receipt still finds its turn.
    """
    message = context.message
    older = [id_ for id_ in reversed(dict.fromkeys(message.references)) if id_ != message.message_id]
    if isinstance(about, SeatContext) and about.report_message_id not in ("", *older):
        older.append(about.report_message_id)
    before = [] if begins else older[-_LONGEST_THREAD:]
    return (*before, *([message.message_id] if message.message_id else []))


def ask(
    context: MessageContext,
    place: SeatContext | None,
    kind: RequestKind,
    person: Person,
    data: Mapping[str, Any],
    *,
    account: str,
    **shown: Any,
) -> bool:
    """Keep a request, and ask the person who alone can settle it; return False if they were asked enough today.

    `shown` are further fields of the question. A reply that shows its code, or names the mail, is its answer.
    """
    data = {"seat_id": place.seat_id if place else None, "person_id": person.id, **data}
    campaign_id = place.campaign_id if place else None
    code = create_request(
        context.session, kind, context.now, to=person.address, data=data, campaign_id=campaign_id, account=account
    )
    if code is None:
        return False
    page = ConfirmSender(
        address=context.address,
        sender=context.shown_sender,
        days=DAYS,
        campaign=place.campaign if place else "",
        seat=place.seat if place else "",
        **shown,
    )
    id_ = mailer_of(context, place).id_of("question", code)
    answer(context, person.address, page, about=place, code=code, id_=id_, kind="question")
    context.session.execute(update(PendingRequest).where(PendingRequest.code == code).values(message_id=id_))
    return True


def refusal(context: MessageContext, place: SeatContext, reason: Reason, **told: Any) -> Refusal:
    """Return the page that says why a message for a seat cannot be used."""
    seat: dict[str, Any] = {"campaign": place.campaign, "seat": place.seat, "gm": place.gm_shown, "zone": place.zone}
    return Refusal(reason=reason, address=context.address, **seat, **told)


def warn(
    context: MessageContext, campaign: str, to: str, page: Page, *about: str | int, period: str = "", most: int = 1
) -> str:
    """Warn of mail in a campaign, at most so often a day, or `period`, `about` one thing; return what to note."""
    campaign_context = context.campaign_context(load_campaign(context.session, campaign))
    id_ = (*about, to.lower(), period or context.now.date().isoformat())
    warned = post(campaign_context, to, page, id_=id_, most=most, kind="warning")
    return f"warned {to}" if warned else f"{to} has been warned enough"


def is_echo(context: MessageContext, about: About, *, digits: bool) -> bool:
    """Return True if enough of the sender's last messages before this one, within a day, said the same in words.

    For messages that brought nothing that can be used: a person tries something else by then, and a machine that sends
    our mails back says two things in turn. A message of a known seat is none if it looks like a sheet, whatever is
    wrong with that. Without `digits`, words that have some are left out: machines tell times and numbers of theirs.
    """
    if not context.sender or (isinstance(about, SeatContext) and _looks_like_sheet(context, about)):
        return False
    # Not later ones: of messages that came together, the first are answered.
    sent = (InboxMessage.sender == context.sender, InboxMessage.id < context.inbox_id)
    lately = select(InboxMessage.raw).where(*sent, InboxMessage.received_at > context.now - dt.timedelta(days=1))
    before = context.session.scalars(lately.order_by(InboxMessage.id.desc()).limit(2 * SAME_A_DAY)).all()
    if len(before) < SAME_A_DAY:
        return False
    this = context.session.scalars(select(InboxMessage.raw).where(InboxMessage.id == context.inbox_id)).one()
    said = _own_words(this, digits=digits)
    others = (_own_words(raw, digits=digits) for raw in before)
    return sum(len(said & other) >= _ALIKE * len(said | other) for other in others) >= SAME_A_DAY


def _looks_like_sheet(context: MessageContext, place: SeatContext) -> bool:
    """Return True if a message has the frame of a sheet, or a line that begins like an order of the seat's game."""
    lines = context.message.lines
    return has_header(lines) or any(map(context.app.game(place.game).orders.is_like_order, lines))


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


def _tell_of_seats(context: MessageContext, tell: Callable[[SeatRow], str]) -> str:
    """Return the notes on what was told of each seat of the sender."""
    return "; ".join(map(tell, context.session.execute(_SEATS.where(Person.key == context.sender)).all()))


def _tell_gm(
    context: MessageContext, seat: SeatContext | SeatRow, what: str, subject: str, *paragraphs: str, period: str = ""
) -> str:
    """Tell the GM of a seat, once a day, or `period`, of what comes from there; return what to note."""
    page = Notice(subject=subject, title=as_title(subject), blocks=paragraphs)
    return warn(context, seat.campaign, seat.gm, page, what, seat.seat, period=period)


def warn_message_limit(context: MessageContext, most: int) -> str:
    """Warn of too many messages of one sender in a day, if seats are played from that address; return what to note."""
    if context.key or not context.sender:
        return ""
    return _tell_of_seats(context, lambda place: warn_of_limit(context, place, "letters", most))


def warn_of_limit(context: MessageContext, place: SeatContext | SeatRow, of: small.FloodOf, most: int) -> str:
    """Tell the player of a seat, and their GM, that too much came in a day, or for a turn; return what to note."""
    told, campaign, seat, gm = [], place.campaign, place.seat, place.gm
    for to in dict.fromkeys((place.address, gm)):
        page = small.too_much_mail(
            of=of, most=most, campaign=campaign, seat=seat, player=place.address, to_gm=to == gm, gm=gm
        )
        told.append(warn(context, campaign, to, page, "flood", of, seat))
    return "; ".join(told)


def note_bulk_mail(context: MessageContext, place: SeatContext) -> str:
    """Tell a GM, once a day, of bulk mail with the right code of a seat and without orders; return what to note of it.

    Nothing is refused by mail (RFC 3834), as the writer may be a machine.
    """
    said = (
        f"A mail with the right code of {place.seat} came as bulk mail, as {context.message.machine.reason}. There "
        "were no orders in it, and such mail is not answered: a program may have written it."
    )
    help_ = "pbem inbox shows it, and those that follow today, of which you are not told."
    told = _tell_gm(context, place, "bulk", f"bulk mail without orders for {place.seat}", said, help_)
    reason = context.silent(f"no orders, and {context.message.machine.reason}")
    return f"{reason}; {told}"


def tell_of_absence(context: MessageContext) -> str:
    """Tell the GMs of the sender's seats, once a week, what their answering machine says; return what to note."""
    words = cut_at_word(" ".join(redact_all(context.message.text).split()), MOST_OF_ABSENCE)
    # Below a sheet, or a form that was sent back, there is no word on the absence.
    if not words or has_header(context.message.lines) or not context.sender or context.verdict == "fail":
        return ""
    week = str(context.now.date().toordinal() // 7)

    def tell(place: SeatRow) -> str:
        who = f"{context.shown_sender}, who plays {place.seat} in {place.campaign}"
        pause = f"Reply PAUSE {place.seat} if turns shall not wait for their orders. You are told of it once a week."
        said = f"{who}, has an answering machine that says: '{words}'", pause
        return _tell_gm(context, place, "away", f"{place.seat} may be away", *said, period=week)

    return _tell_of_seats(context, tell)


def tell_of_echo(context: MessageContext) -> str:
    """Tell the GMs of the sender's seats, once a day, of an answering machine; return what to note."""
    help_ = "pbem inbox shows them. Please ask the player to switch it off, or to have it leave this address alone."

    def tell(place: SeatRow) -> str:
        said = (
            f"{context.shown_sender}, who plays {place.seat} in {place.campaign}, has sent the same words more than "
            f"{SAME_A_DAY} times today, which are no orders. It looks like an answering machine that does not say so, "
            "and would be answered without end; so these words have no answer any more. Sheets, commands and other "
            "words count as ever."
        )
        return _tell_gm(context, place, "echo", f"an answering machine at {place.seat}?", said, help_)

    return _tell_of_seats(context, tell)
