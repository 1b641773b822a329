"""Rulings that a GM sends by replying to a mail with the form.

The form may stay quoted, with the answers typed between its lines, or be filled in
above or below the quotation; it goes from its RULING line to END. The code of the
mail and the GM's registered address are the proof (docs/decisions/0008).
"""

from __future__ import annotations

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


def has_filled_form(session: Session, letter: Message, asked: PendingRequest) -> bool:
    """Return True if a message has a form that is not as it was mailed, in reply to that or to the offer on it."""
    forms = find_forms(letter.source_lines)
    sent = _mail_with_form(session, asked) if forms else None
    return sent is not None and any(form.checksum != sent.data.get("form", "") for form in forms)


def _mail_with_form(session: Session, asked: PendingRequest) -> PendingRequest | None:
    """Return the mail with a form that a message answers, or that with the form which an offer is about."""
    if asked.kind != OFFER:
        return asked if asked.kind == DIGEST_KIND else None
    digest = select(PendingRequest).where(
        PendingRequest.kind == DIGEST_KIND, PendingRequest.code == asked.data["digest"]
    )
    return session.scalar(digest) if asked.data["digest"] else None


def take_form(mail: Reading) -> Outcome:
    """Take the ruling in a reply to a mail with a form."""
    case = mail.case
    sent = _mail_with_form(case.session, mail.asked) if mail.asked else None
    campaign = case.session.get(Campaign, sent.campaign_id) if sent is not None else None
    if sent is None or campaign is None:
        return "a reply to the form of a campaign that is gone", False
    if not is_from_gm(case, campaign):
        return refuse_other(case, campaign), False
    try:
        frame = _read_ruling(case.session, case.letter, sent, campaign)
    except CampaignError as error:
        problem = GmAnswer(campaign=campaign.name, result="not-done", at_fault="RULING", problem=str(error))
        # As `answer` limits it: an answering machine may send back the form for ever.
        heading = Heading(CampaignMailer.of(case.app, campaign), "Not done: ruling")
        return "no ruling in it; " + answer(case, campaign.gm, problem, code=sent.code, heading=heading), False
    # The form is asked for, so that the code does.
    trust: Trust = "token" if trust_in(mail) == "code" else "address"
    return run(case, campaign, frame, mail.came.wishes, trust), False


def _read_ruling(session: Session, letter: Message, sent: PendingRequest, campaign: Campaign) -> GmFrame:
    """Return the commands in a reply to a mail with a form. Raises CampaignError if there are none for today."""
    turn = session.get(Turn, sent.data.get("turn_id"))
    if turn is None or turn.campaign_id != campaign.id or turn.shelf_id or turn.number != campaign.turn:
        raise CampaignError(f"the mail that you answer is about another turn than the open one, {campaign.turn}")
    form = choose_form(find_forms(letter.source_lines), campaign.name, turn.number, sent.data.get("form", ""))
    return GmFrame(campaign.name, "", tuple(enumerate((form.command, *form.lines), start=1)), sent.code)
