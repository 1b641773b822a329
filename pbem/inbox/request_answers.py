"""Replies to requests of ours, in plain words: invitations, requests to join, deputies, addresses, messages to send on.

The code of the request in the reply's address or subject shows what is answered. YES
does what CONFIRM does; NO ends the request; what another answer does stands in
`pbem.inbox.consent.acts`. Nothing of that is done by a reply to a report, whose code
is another's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import select

from pbem.actions.seats import seat_of
from pbem.campaign.history import add_entry
from pbem.campaign.notices import CampaignMailer, send_text
from pbem.campaign.people import find_person, is_in_time, is_open, mark_confirmed
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign
from pbem.inbox.command_parser import CommandList, first_line
from pbem.inbox.consent.acts import STEPS, Act, read_reply, unread_part
from pbem.inbox.consent.reader import Said
from pbem.inbox.context import MessageContext
from pbem.inbox.held_offers import HELD
from pbem.inbox.press_replies import PRESS_REPLY
from pbem.inbox.replies import Heading, answer, ask_again, bare_subject, pass_on
from pbem.inbox.run_commands import Declining, run_commands
from pbem.mail.message import find_reply_codes
from pbem.report.answers import RequestOutcome, RequestReply, WordsForGm
from pbem.store.models import Campaign, PendingRequest, Person, Seat
from pbem.text import shorten
from pbem.util import redact_all

_ACTS: Mapping[str, Act] = {
    **dict.fromkeys(("address", "new_address", "fallback"), "address"),
    **dict.fromkeys(("invite", "join", "deputy"), "welcome"),
    "import": "import",
    **dict.fromkeys((PRESS_REPLY, HELD), "press"),
}

MOST_PASSED_ON = 2_000
"""Characters of a reply that are passed on."""

_SHOWN = 80
"""Characters of an answer's first line that are shown where it is asked again."""


def find_asked(case: MessageContext) -> PendingRequest | None:
    """Return the request that a reply answers, open or not; None if it shows the code of none."""
    found = {each.code: each for each in case.requests}
    codes = find_reply_codes(case.letter, case.address)
    request = next((found[code] for code in codes if code in found), None)
    return request if request is not None and request.kind in _ACTS else None


def answer_request(case: MessageContext, asked: PendingRequest, declined: Declining) -> str:
    """Do what a reply to a request says in plain words; return what to note of it.

    `declined` is as in `run_commands`.
    """
    act = _ACTS[asked.kind]
    said = read_reply(case.letter, bare_subject(case.letter.subject), act)
    if act == "welcome" and STEPS[act][said] in ("do", "do-tell"):
        _reopen(case, asked)
    if not is_open(asked, case.now):
        return _tell_settled(case, asked, said)
    match STEPS[act][said]:
        case "do":
            return _accept(case, asked, declined)
        case "do-tell":
            return f"{_accept(case, asked, declined)}; {pass_on_words(case, asked, agreed=True)}"
        case "end" if mark_confirmed(case.session, asked, case.now):
            return _decline(case, asked)
        case "tell":
            return pass_on_words(case, asked)
        case "end":
            return _tell_settled(case, asked, said)
        case _:
            return ask_once_more(case, asked, said)


def _reopen(case: MessageContext, asked: PendingRequest) -> None:
    """Undo a NO: who said it by mistake may say YES as long as the request would have been open."""
    if asked.data.get("declined") and is_in_time(asked, case.now):
        asked.data = {key: value for key, value in asked.data.items() if key != "declined"}
        asked.done_at = None
        case.session.flush()


def _accept(case: MessageContext, asked: PendingRequest, declined: Declining) -> str:
    return run_commands(case, CommandList(None, ((1, f"CONFIRM {asked.code}"),)), declined)


def ask_once_more(case: MessageContext, asked: PendingRequest, said: Said) -> str:
    """Ask again what an answer has not settled; return what to note of it."""
    outcome: RequestOutcome = "empty" if said == "nothing" else "unreadable" if said == "unreadable" else "unclear"
    if case.sender == _receiver(asked).lower():
        heading, page = _heading(case, asked), _page(case, asked, outcome)
        return f"{outcome}; {ask_again(case, page, asked, heading)}"
    # From another address it uses up no question to the person who was asked.
    return _reply(case, asked, outcome)


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


def _tell_settled(case: MessageContext, asked: PendingRequest, said: Said) -> str:
    """Answer a reply to a request that is settled, or too old; questions and words still go to the GM."""
    if said in ("question", "words", "courtesy") and _ACTS[asked.kind] != "press":
        return pass_on_words(case, asked)
    if asked.data.get("declined"):
        return _reply(case, asked, "declined-before")
    snapshot = _campaign_of(case, asked)
    person = find_person(case.session, _receiver(asked))
    place = seat_of(case.session, snapshot, person) if snapshot and person else None
    if place is not None and asked.kind in ("invite", "join"):
        return _reply(case, asked, "seated-before", seat=place.seat)
    return _reply(case, asked, "settled-before")


def pass_on_words(case: MessageContext, asked: PendingRequest, *, agreed: bool = False) -> str:
    """Pass the words of a reply on to the GM, and tell its sender; return what to note of it.

    `agreed`: it says YES as well, and that was done.
    """
    snapshot = _campaign_of(case, asked)
    if snapshot is None:
        return _reply(case, asked, "unasked")
    told = _send_words(case, asked, snapshot, seated=agreed)
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
    page = _page(case, asked, outcome, seat=seat)
    to = _receiver(asked) if case.verdict == "fail" or not case.letter.sender else case.letter.sender
    heading = _heading(case, asked)
    heading = replace(heading, subject=page.subject) if heading else None
    return f"{outcome}; " + answer(case, to, page, code=asked.code, heading=heading)


def _heading(case: MessageContext, asked: PendingRequest) -> Heading | None:
    snapshot = _campaign_of(case, asked)
    return Heading(CampaignMailer.of(case.app, snapshot)) if snapshot else None


def _page(case: MessageContext, asked: PendingRequest, outcome: RequestOutcome, *, seat: str = "") -> RequestReply:
    snapshot, typed = _campaign_of(case, asked), redact_all(first_line(case.letter))
    return RequestReply(
        outcome=outcome,
        kind=asked.kind,
        address=case.address,
        campaign=snapshot.name if snapshot else "",
        game=case.app.game(snapshot.game).title if snapshot else "",
        seat=seat or asked.data.get("wish", "") or _seat_name(case, asked),
        gm=snapshot.gm_shown if snapshot else "",
        open=is_open(asked, case.now),
        typed=f"“{shorten(typed, _SHOWN)}”" if typed else "nothing but its subject.",
        unread=unread_part(case.letter),
        leaves=asked.data.get("leaves", False),
        orders=asked.data.get("orders", False),
    )


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
