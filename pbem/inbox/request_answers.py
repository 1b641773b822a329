"""Replies to requests of ours, in plain words: invitations, requests to join, deputies, addresses, messages to send on.

The code of the request in the reply's address or subject shows what is answered. YES
does what CONFIRM does; NO ends the request; what is neither is passed on to the GM of
the campaign, and the sender is told so. Nothing of that is done by a reply to a
report, whose code is another's.
"""

from __future__ import annotations

from typing import get_args

from sqlalchemy import select

from pbem.actions.seats import seat_of
from pbem.campaign.history import add_entry
from pbem.campaign.notices import CampaignMailer, send_text
from pbem.campaign.people import find_person, is_open, mark_confirmed
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign
from pbem.inbox.command_parser import CommandList
from pbem.inbox.context import MessageContext
from pbem.inbox.held_offers import HELD
from pbem.inbox.plain_answers import asks_something, read_answer
from pbem.inbox.press_replies import PRESS_REPLY
from pbem.inbox.replies import Heading, answer, bare_subject, pass_on
from pbem.inbox.run_commands import Declining, run_commands
from pbem.mail.message import find_reply_codes
from pbem.report.answers import ConfirmationKind, RequestOutcome, RequestReply, WordsForGm
from pbem.store.models import Campaign, PendingRequest, Person, Seat
from pbem.util import redact_all

WEIGHTY = ("address", "new_address", "fallback", "import", HELD)
"""Requests that change where a person plays from, or send what may be a secret: YES must be a word, and no phrase."""

_FOR_PLAYERS = (PRESS_REPLY, HELD)
"""Requests to send words to other players, which are not for the GM."""

_KINDS = (*get_args(ConfirmationKind), *_FOR_PLAYERS)

MOST_PASSED_ON = 2_000
"""Characters of a reply that are passed on."""


def find_asked(case: MessageContext) -> PendingRequest | None:
    """Return the request that a reply answers, open or not; None if it shows the code of none."""
    found = {each.code: each for each in case.requests}
    codes = find_reply_codes(case.letter, case.address)
    request = next((found[code] for code in codes if code in found), None)
    return request if request is not None and request.kind in _KINDS else None


def answer_request(case: MessageContext, asked: PendingRequest, declined: Declining) -> str:
    """Do what a reply to a request says in plain words; return what to note of it.

    `declined` is as in `run_commands`.
    """
    letter, weighty = case.letter, asked.kind in WEIGHTY
    said = read_answer(letter.lines, bare_subject(letter.subject), clear=weighty)
    if said == "yes" and is_open(asked, case.now):
        return _accept(case, asked, declined)
    if said == "no" and asked.kind == "import":
        said = "other"  # the seat is theirs all the same, so that the GM has to know
    if said == "no" and is_open(asked, case.now) and mark_confirmed(case.session, asked, case.now):
        return _decline(case, asked)
    if said in ("yes", "no"):
        return _tell_settled(case, asked)
    # Words about a message to another player are not for the GM.
    if said == "unclear" or not letter.text.strip() or asked.kind in _FOR_PLAYERS:
        return _reply(case, asked, "unclear" if is_open(asked, case.now) else "settled-before")
    return pass_on_words(case, asked)


def _accept(case: MessageContext, asked: PendingRequest, declined: Declining) -> str:
    request = CommandList(None, ((1, f"CONFIRM {asked.code}"),))
    note = run_commands(case, request, declined)
    snapshot = _campaign_of(case, asked)
    if snapshot is not None and asked.kind not in _FOR_PLAYERS and asks_something(case.letter.lines):
        note = f"{note}; {_send_words(case, asked, snapshot, seated=True)}"
    return note


def deny_message(case: MessageContext, asked: PendingRequest) -> str:
    """End a question about a message whose receiver says that it is not theirs; return what to note of it."""
    asked.data = {**asked.data, "declined": True}
    case.session.flush()
    return _reply(case, asked, "declined")


def _decline(case: MessageContext, asked: PendingRequest) -> str:
    """End a request whose receiver has said NO, and tell those who wait for the answer."""
    asked.data = {**asked.data, "declined": True}
    case.session.flush()
    snapshot, address = _campaign_of(case, asked), _receiver(asked)
    if snapshot is not None and asked.kind == "invite":
        # Secret: players may read the journal, and must not learn addresses from it.
        add_entry(case.session, snapshot.id, case.now, actor="pbem", text=f"{address} has declined", secret=True)
        _send_words(case, asked, snapshot, declined=True)
    if snapshot is not None and asked.kind == "deputy":
        player = case.session.get_one(Person, asked.data["person_id"])
        seat = case.session.get_one(Seat, asked.data["seat_id"])
        said = f"{address} has declined to be your deputy for {seat.name} in {snapshot.name}."
        send_text(case.campaign_context(snapshot), said, to=player.address, subject=f"{address} is not your deputy")
    note = _reply(case, asked, "declined")
    if snapshot is not None and case.sender and case.sender != address.lower():
        # The code may have been passed on, or stolen: the person who was asked has to know.
        said = f"NO was said to the mail that asked you about {snapshot.name}, by {case.shown_sender}."
        help_ = "If that was not you, please tell the GM."
        send_text(case.campaign_context(snapshot), said, help_, to=address, subject="you said NO")
    return f"declined; {note}"


def _tell_settled(case: MessageContext, asked: PendingRequest) -> str:
    """Answer a YES or NO to a request that is settled, or too old."""
    if asked.data.get("declined"):
        return _reply(case, asked, "declined-before")
    snapshot = _campaign_of(case, asked)
    person = find_person(case.session, _receiver(asked))
    place = seat_of(case.session, snapshot, person) if snapshot and person else None
    if place is not None and asked.kind in ("invite", "join"):
        return _reply(case, asked, "seated-before", seat=place.seat)
    return _reply(case, asked, "settled-before")


def pass_on_words(case: MessageContext, asked: PendingRequest) -> str:
    """Pass a reply that is neither YES nor NO on to the GM, and tell its sender; return what to note of it."""
    snapshot = _campaign_of(case, asked)
    if snapshot is None:
        return _reply(case, asked, "unasked")
    told = _send_words(case, asked, snapshot)
    return f"{told}; " + _reply(case, asked, "passed-on" if told.startswith("passed on") else "not-passed-on")


def _send_words(
    case: MessageContext,
    asked: PendingRequest,
    snapshot: CampaignSnapshot,
    *,
    declined: bool = False,
    seated: bool = False,
) -> str:
    """Mail the words of a reply to the GM, who can answer its sender directly; return what to note of it."""
    # A sender whom the receiving server calls forged must not get the GM's answer.
    sender = _receiver(asked) if case.verdict == "fail" or not case.letter.sender else case.letter.sender
    words = redact_all(case.letter.text.strip())
    page = WordsForGm(
        campaign=snapshot.name,
        kind=asked.kind,
        sender=sender,
        words=words if len(words) <= MOST_PASSED_ON else f"{words[:MOST_PASSED_ON]} ...",
        declined=declined,
        seated=seated,
    )
    subject = f"{sender} has declined" if declined else f"a question from {sender}"
    return pass_on(case, snapshot, subject, page, sender=sender, about=("words", asked.id), free=declined)


def _reply(case: MessageContext, asked: PendingRequest, outcome: RequestOutcome, *, seat: str = "") -> str:
    """Answer a reply; while the request is open, the next reply answers it too."""
    snapshot, open_ = _campaign_of(case, asked), is_open(asked, case.now)
    page = RequestReply(
        outcome=outcome,
        kind=asked.kind,
        address=case.address,
        campaign=snapshot.name if snapshot else "",
        game=case.app.game(snapshot.game).title if snapshot else "",
        seat=seat or asked.data.get("wish", "") or _seat_name(case, asked),
        gm=snapshot.gm_shown if snapshot else "",
        open=open_,
    )
    to = _receiver(asked) if case.verdict == "fail" or not case.letter.sender else case.letter.sender
    heading = Heading(CampaignMailer.of(case.app, snapshot)) if snapshot else None
    return f"{outcome}; " + answer(case, to, page, code=asked.code, heading=heading)


def _seat_name(case: MessageContext, asked: PendingRequest) -> str:
    seat_id = asked.data.get("seat_id")
    return case.session.get_one(Seat, seat_id).name if seat_id is not None else ""


def _receiver(asked: PendingRequest) -> str:
    """Return the address to which a request was mailed."""
    address: str = asked.data["to"]
    return address


def _campaign_of(case: MessageContext, asked: PendingRequest) -> CampaignSnapshot | None:
    named = select(Campaign.name).where(Campaign.id == asked.campaign_id)
    name = case.session.scalar(named) if asked.campaign_id is not None else None
    return load_campaign(case.session, name) if name else None
