"""Answers to questions of ours: about a message, to invitations, and to other requests.

The code in the reply's address or subject shows what is answered, and what an answer
does stands in the table of `pbem.inbox.consent.effects`. A sender who shows the code has
read the mail that has it, and the answer holds for that question alone
(docs/decisions/0014). Nothing of that is done by a reply to a report, whose code is
another's.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from pbem.actions.seats import seat_of
from pbem.campaign.notices import GM, host_mailer, post, queued_ids
from pbem.campaign.people import find_person, is_open, mark_confirmed
from pbem.campaign.snapshot import CampaignSnapshot, add_entry, load_campaign
from pbem.inbox.codes import find_codes
from pbem.inbox.command_parser import CommandList, first_line
from pbem.inbox.consent.effects import ADD, STEPS, act_of, chosen_word, unread_part
from pbem.inbox.consent.reader import Said
from pbem.inbox.context import Confirmed, ConfirmedSender, MessageContext, Outcome
from pbem.inbox.rate_limits import PASSED_ON_A_DAY
from pbem.inbox.replies import answer
from pbem.inbox.run_commands import run_commands
from pbem.inbox.seat_lookup import SeatContext, load_seat
from pbem.mail.message import parse_message
from pbem.report import small
from pbem.report.answers import Reason, Refusal, RequestOutcome, RequestReply
from pbem.report.notices import Notice
from pbem.store.models import Campaign, InboxMessage, PendingRequest, Person, Seat
from pbem.store.types import RequestKind
from pbem.text import shorten
from pbem.util import redact_all

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

MOST_PASSED_ON = 2_000
"""Characters of a reply that are passed on."""

MOST_AGAIN = 3
"""Mails that ask one question again, on as many days."""

_SHOWN = 80
"""Characters of an answer's first line that are shown where it is asked again."""


def take_answer(mail: Reading) -> Outcome | Confirmed:
    """Do what a reply to a question says."""
    context, asked = mail.context, mail.asked
    assert asked is not None
    step = STEPS[act_of(asked)][mail.answer_class]
    if asked.data.get("declined"):  # who said NO by mistake may say YES as long as the request would be open
        if step not in ("do", "do-tell"):
            return take_settled(mail)
        asked.data = {key: value for key, value in asked.data.items() if key != "declined"}
        asked.done_at = None
        context.session.flush()
    match step:
        case "do" | "do-tell" if asked.kind == RequestKind.MESSAGE:
            return _confirm_message(mail, asked, tell=step == "do-tell")
        case "do" | "do-tell":
            note, is_sheet = run_commands(context, CommandList(None, ((1, f"CONFIRM {asked.code}"),)))
            told = f"; {_pass_on_words(context, asked, agreed=True)}" if step == "do-tell" else ""
            return f"{note}{told}", is_sheet
        case "end" if mark_confirmed(context.session, asked, context.now):
            return _decline(context, asked), False
        case "end":
            return take_settled(mail)
        case "tell":
            return _pass_on_words(context, asked), False
        case _:
            return _ask_once_more(context, asked, mail.answer_class), False


def take_replacement(mail: Reading) -> Outcome | Confirmed:
    """Take the orders that answer the question about a sheet, in its place."""
    context, asked = mail.context, mail.asked
    assert asked is not None
    if refused := _settle(context, asked):
        return refused, False
    kept = context.session.get_one(InboxMessage, asked.data["inbox_id"])
    kept.note = f"given up for message {context.inbox_id}, by its owner"
    return Confirmed(replace(mail.context, confirmed=_confirmed_sender(asked, meant=False)))


def take_settled(mail: Reading) -> Outcome:
    """Answer a reply to a question that is closed; questions and words still go to the GM."""
    context, asked = mail.context, mail.asked
    assert asked is not None
    if asked.kind == RequestKind.MESSAGE:
        return _report_outcome(context, asked, "answered"), False
    if mail.answer_class in ("question", "words", "courtesy") and act_of(asked) != "press":
        return _pass_on_words(context, asked), False
    if asked.data.get("declined"):
        return _reply(context, asked, "declined-before"), False
    snapshot, person = _campaign_of(context, asked), find_person(context.session, asked.data["to"])
    place = seat_of(context.session, snapshot, person) if snapshot and person else None
    if place is not None and asked.kind in (RequestKind.INVITE, RequestKind.JOIN):
        return _reply(context, asked, "seated-before", seat=place.seat), False
    return _reply(context, asked, "settled-before"), False


def _confirm_message(mail: Reading, asked: PendingRequest, *, tell: bool) -> Outcome | Confirmed:
    """Have the message that was kept processed as its owner's."""
    context = mail.context
    if refused := _settle(context, asked):
        return refused, False
    kept = context.session.get_one(InboxMessage, asked.data["inbox_id"])
    message = parse_message(kept.raw)
    told = f"; {_pass_on_words(context, asked, agreed=True)}" if tell and asked.campaign_id is not None else ""
    # The receiving server's verdict is on the answer; it says nothing about the message that was kept.
    adds = act_of(asked) == "besides" and chosen_word(context.message.lines) == ADD
    by = _confirmed_sender(asked, meant=True, adds=adds)
    codes = find_codes(context.session, message, context.address, context.now)
    as_kept = replace(context, message=message, inbox_id=kept.id, verdict="none", codes=codes, confirmed=by)
    return Confirmed(as_kept, kept, told)


def _confirmed_sender(asked: PendingRequest, *, meant: bool, adds: bool = False) -> ConfirmedSender:
    data = asked.data
    return ConfirmedSender(data["to"], data["seat_id"], data["report_id"], meant=meant, adds=adds)


def _settle(context: MessageContext, asked: PendingRequest) -> str:
    """Mark a question as answered; return what to note if that is too late, "" if the answer holds."""
    # A code is good once (docs/decisions/0014), also when two answers are processed at the same time.
    if not (is_open(asked, context.now) and mark_confirmed(context.session, asked, context.now)):
        return _report_outcome(context, asked, "answered")
    person, seat_id = context.session.get_one(Person, asked.data["person_id"]), asked.data["seat_id"]
    theirs = person.key == asked.data["to"]
    if theirs and seat_id is not None:
        theirs = load_seat(context.session, seat_id).address.lower() == asked.data["player"]
    return "" if theirs else _report_outcome(context, asked, "not-yours-now")


def _report_outcome(context: MessageContext, asked: PendingRequest, reason: Reason) -> str:
    """Tell the address that was asked what its answer has led to."""
    place: SeatContext | None = None
    if asked.data["seat_id"] is not None:
        place = load_seat(context.session, asked.data["seat_id"])
    campaign, seat = (place.campaign, place.seat) if place else ("", "")
    page = Refusal(reason=reason, address=context.address, campaign=campaign, seat=seat, notes=context.notes)
    return f"{reason}; " + answer(context, asked.data["to"], page, about=place)


def _decline(context: MessageContext, asked: PendingRequest) -> str:
    """End a question whose receiver has said NO, and tell those who wait for the answer."""
    asked.data = {**asked.data, "declined": True}
    context.session.flush()
    if asked.kind == RequestKind.MESSAGE:
        kept = context.session.get_one(InboxMessage, asked.data["inbox_id"])
        kept.note = f"not its owner's, as message {context.inbox_id} says"
        return f"says that message {kept.id} is not theirs; {_reply(context, asked, 'declined')}"
    snapshot, address = _campaign_of(context, asked), asked.data["to"]
    if snapshot is not None and asked.kind == RequestKind.INVITE:
        # Secret: players may read the journal, and must not learn addresses from it.
        add_entry(context.session, snapshot.id, context.now, actor="pbem", text=f"{address} has declined", secret=True)
        _send_words(context, asked, snapshot, declined=True)
    if snapshot is not None and asked.kind == RequestKind.DEPUTY:
        player = context.session.get_one(Person, asked.data["person_id"])
        said = f"{address} has declined to be your deputy for {_seat_name(context, asked)} in {snapshot.name}."
        page = Notice(subject=f"{address} is not your deputy", blocks=(said,))
        post(context.campaign_context(snapshot), player.address, page)
    note = _reply(context, asked, "declined")
    if snapshot is not None and context.sender and context.sender != address.lower():
        # The code may have been passed on, or stolen: the person who was asked has to know.
        said = f"NO was said to the mail that asked you about {snapshot.name}, by {context.shown_sender}."
        help_ = "If that was not you, please tell the GM."
        post(context.campaign_context(snapshot), address, Notice(subject="you said NO", blocks=(said, help_)))
    return f"declined; {note}"


def _ask_once_more(context: MessageContext, asked: PendingRequest, said: Said) -> str:
    """Ask again what an answer has not settled; return what to note of it."""
    outcome: RequestOutcome = "empty" if said == "nothing" else "unreadable" if said == "unreadable" else "unclear"
    if context.sender == asked.data["to"].lower():
        return f"{outcome}; {_ask_again(context, _page(context, asked, outcome), asked)}"
    # From another address it uses up no question to the person who was asked.
    return _reply(context, asked, outcome)


def _pass_on_words(context: MessageContext, asked: PendingRequest, *, agreed: bool = False) -> str:
    """Pass the words of a reply on to the GM, and tell its sender; return what to note of it.

    `agreed`: it says YES as well, and that was done.
    """
    snapshot = _campaign_of(context, asked)
    if snapshot is None:
        if asked.kind == RequestKind.MESSAGE:
            return _ask_once_more(context, asked, "words")
        return _reply(context, asked, "unasked")
    told = _send_words(context, asked, snapshot, seated=agreed)
    return f"{told}; " + _reply(context, asked, "passed-on" if told.startswith("passed on") else "not-passed-on")


def _send_words(
    context: MessageContext,
    asked: PendingRequest,
    snapshot: CampaignSnapshot,
    *,
    declined: bool = False,
    seated: bool = False,
) -> str:
    """Mail the words of a reply to the GM, who can answer its sender directly; return what to note of it."""
    sender, words = _writer(context, asked), redact_all(context.message.text.strip())
    page = small.words_for_gm(
        campaign=snapshot.name,
        kind=asked.kind,
        sender=sender,
        words=words if len(words) <= MOST_PASSED_ON else f"{words[:MOST_PASSED_ON]} ...",
        declined=declined,
        seated=seated,
        waits=not (declined or seated) and is_open(asked, context.now),
    )
    # A message passes on one text: with its id, a NO uses up nothing of the day.
    free, day = str(context.inbox_id) if declined else "", context.now.date().isoformat()
    campaign_context, most = context.campaign_context(snapshot), 1 if declined else PASSED_ON_A_DAY
    sent = post(campaign_context, GM, page, id_=("words", asked.id, free or day), most=most, reply_to=sender)
    return f"passed on to {snapshot.gm}" if sent else f"not passed on: {PASSED_ON_A_DAY} such went to the GM today"


def _writer(context: MessageContext, asked: PendingRequest) -> str:
    """Return the address that is answered: not one that the receiving server calls forged."""
    receiver: str = asked.data["to"]
    return receiver if context.verdict == "fail" or not context.message.sender else context.message.sender


def _reply(context: MessageContext, asked: PendingRequest, outcome: RequestOutcome, *, seat: str = "") -> str:
    """Answer a reply; while the request is open, the next reply answers it too."""
    page, about = _page(context, asked, outcome, seat=seat), _campaign_of(context, asked)
    return f"{outcome}; " + answer(context, _writer(context, asked), page, about=about, code=asked.code)


def _ask_again(context: MessageContext, page: RequestReply, asked: PendingRequest) -> str:
    """Ask the receiver of a request once more, at most once a day; return what to note of it."""
    to, mailer = asked.data["to"], host_mailer(context.app, context.session)
    first = asked.created_at.date()
    days = (first + dt.timedelta(days=day) for day in range((context.now.date() - first).days + 1))
    # A Message-ID for each day: it is unique in the outbox, so that two processes at once ask once.
    ids = [mailer.id_of("asked again", asked.id, day.isoformat()) for day in days]
    before = queued_ids(context.session, ids)
    if ids[-1] in before or len(before) >= MOST_AGAIN:
        return context.silent(f"{to} was asked again today, or {MOST_AGAIN} times")
    answer(context, to, page, about=_campaign_of(context, asked), code=asked.code, id_=ids[-1])
    return f"asked {to} again"


def _page(context: MessageContext, asked: PendingRequest, outcome: RequestOutcome, *, seat: str = "") -> RequestReply:
    snapshot, typed = _campaign_of(context, asked), redact_all(first_line(context.message))
    return RequestReply(
        outcome=outcome,
        kind=asked.kind,
        address=context.address,
        campaign=snapshot.name if snapshot else "",
        game=context.app.game(snapshot.game).title if snapshot else "",
        seat=seat or asked.data.get("wish", "") or _seat_name(context, asked),
        gm=snapshot.gm_shown if snapshot else "",
        open=is_open(asked, context.now),
        typed=f"“{shorten(typed, _SHOWN)}”" if typed else "nothing but its subject.",
        unread=unread_part(context.message),
        leaves=asked.data.get("leaves", False),
        besides=asked.data.get("doubt") == "instead",
        orders=asked.data.get("orders", False),
    )


def _seat_name(context: MessageContext, asked: PendingRequest) -> str:
    seat_id = asked.data.get("seat_id")
    return context.session.get_one(Seat, seat_id).name if seat_id is not None else ""


def _campaign_of(context: MessageContext, asked: PendingRequest) -> CampaignSnapshot | None:
    named = select(Campaign.name).where(Campaign.id == asked.campaign_id)
    name = context.session.scalar(named) if asked.campaign_id is not None else None
    return load_campaign(context.session, name) if name else None
