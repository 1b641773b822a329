"""Rulings that a GM sends by replying to a mail with the form.

The form may stay quoted, with the answers typed between its lines, or be filled in
above or below the quotation; it goes from its RULING line to END. The code of the
mail and the GM's registered address are the proof (docs/decisions/0008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.ruling import DIGEST_KIND
from pbem.campaign.notices import CampaignMailer
from pbem.errors import CampaignError
from pbem.inbox.context import Outcome
from pbem.inbox.frames import GmFrame
from pbem.inbox.gm_commands import Trust
from pbem.inbox.gm_messages import OFFER, is_from_gm, refuse_other, run, trust_in
from pbem.inbox.our_frames import choose_form, find_forms
from pbem.inbox.replies import Heading, answer
from pbem.mail.message import Message
from pbem.report.answers import GmAnswer
from pbem.store.models import Campaign, PendingRequest, Turn

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply to a mail with a form: the campaign and the code, and the commands in it or why there are none."""

    campaign: Campaign
    code: str
    frame: GmFrame | None = None
    problem: str = ""


def _find_reply(session: Session, letter: Message, shown: Sequence[PendingRequest]) -> _Reply | None:
    """Return what a message replies to a mail with a form; None if it is no such reply."""
    sent = next((each for each in shown if each.kind == DIGEST_KIND), None)
    if sent is None and shown and find_forms(letter.source_lines):
        sent = _find_digest(session, shown)
    campaign = session.get(Campaign, sent.campaign_id) if sent is not None else None
    if sent is None or campaign is None:
        return None
    turn = session.get(Turn, sent.data.get("turn_id"))
    reply = _Reply(campaign, sent.code)
    if turn is None or turn.campaign_id != campaign.id or turn.shelf_id or turn.number != campaign.turn:
        said = f"the mail that you answer is about another turn than the open one, {campaign.turn}"
        return replace(reply, problem=said)
    try:
        form = choose_form(find_forms(letter.source_lines), campaign.name, turn.number, sent.data.get("form", ""))
    except CampaignError as error:
        return replace(reply, problem=str(error))
    lines = tuple(enumerate((form.command, *form.lines), start=1))
    return replace(reply, frame=GmFrame(campaign.name, "", lines, reply.code))


def has_filled_form(session: Session, letter: Message, shown: Sequence[PendingRequest]) -> bool:
    """Return True if a message has a form that is not as it was mailed, in reply to that or to the offer on it."""
    if not any(each.kind in (DIGEST_KIND, OFFER) for each in shown):
        return False
    forms = find_forms(letter.source_lines)
    sent = next((each for each in shown if each.kind == DIGEST_KIND), None) or (
        _find_digest(session, shown) if forms else None
    )
    return sent is not None and any(form.checksum != sent.data.get("form", "") for form in forms)


def _find_digest(session: Session, shown: Sequence[PendingRequest]) -> PendingRequest | None:
    """Return the mail with a form to whose answer, an offer, a message replies with a form again."""
    offer = next((each for each in shown if each.kind == OFFER), None)
    code = offer.data["digest"] if offer is not None else ""
    digest = select(PendingRequest).where(PendingRequest.kind == DIGEST_KIND, PendingRequest.code == code)
    return session.scalar(digest) if code else None


def take_form(mail: Reading) -> Outcome:
    """Take the ruling in a reply to a mail with a form."""
    case, reply = mail.case, _find_reply(mail.case.session, mail.case.letter, [mail.asked] if mail.asked else [])
    if reply is None:
        return "a reply to the form of a campaign that is gone", False
    campaign = reply.campaign
    if not is_from_gm(case, campaign):
        return refuse_other(case, campaign), False
    if reply.frame is not None:
        # The form is asked for, so that the code does.
        trust: Trust = "token" if trust_in(mail) == "code" else "address"
        return run(case, campaign, reply.frame, mail.came.wishes, trust), False
    problem = GmAnswer(campaign=campaign.name, result="not-done", at_fault="RULING", problem=reply.problem)
    # As `answer` limits it: an answering machine may send back the form for ever.
    heading = Heading(CampaignMailer.of(case.app, campaign), "Not done: ruling")
    return "no ruling in it; " + answer(case, campaign.gm, problem, code=reply.code, heading=heading), False
