"""Rulings that a GM sends by replying to a mail with the form.

The form may stay quoted, with the answers typed between its lines, or be filled in
above or below the quotation; it goes from its RULING line to END. The code of the
mail and the GM's registered address are the proof (docs/decisions/0008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.ruling import DIGEST_KIND
from pbem.app import App
from pbem.campaign.notices import CampaignMailer
from pbem.errors import CampaignError
from pbem.inbox.context import MessageContext
from pbem.inbox.frames import GmFrame
from pbem.inbox.gm_commands import Wishes
from pbem.inbox.gm_messages import OFFER, answer_gm_letter, examine_files
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.our_frames import choose_form, find_forms
from pbem.inbox.replies import Heading, answer, warn_gm
from pbem.inbox.seat_lookup import answered_requests
from pbem.mail.message import Message
from pbem.report.answers import GmAnswer, GmSenderMismatch
from pbem.store.models import Campaign, PendingRequest, Turn


@dataclass(frozen=True, slots=True)
class _Reply:
    """A reply to a mail with a form: the campaign and the code, and the commands in it or why there are none."""

    campaign: Campaign
    code: str
    gm: str
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
    reply = _Reply(campaign, sent.code, sent.data.get("gm", ""))
    if turn is None or turn.campaign_id != campaign.id or turn.shelf_id or turn.number != campaign.turn:
        said = f"the mail that you answer is about another turn than the open one, {campaign.turn}"
        return replace(reply, problem=said)
    try:
        form = choose_form(find_forms(letter.source_lines), campaign.name, turn.number, sent.data.get("form", ""))
    except CampaignError as error:
        return replace(reply, problem=str(error))
    lines = tuple(enumerate((form.command, *form.lines), start=1))
    return replace(reply, frame=GmFrame(campaign.name, "", lines, reply.code))


def _find_digest(session: Session, shown: Sequence[PendingRequest]) -> PendingRequest | None:
    """Return the mail with a form to whose answer, an offer, a message replies with a form again."""
    offer = next((each for each in shown if each.kind == OFFER), None)
    code = offer.data["digest"] if offer is not None else ""
    digest = select(PendingRequest).where(PendingRequest.kind == DIGEST_KIND, PendingRequest.code == code)
    return session.scalar(digest) if code else None


def _is_from_gm(letter: Message, reply: _Reply) -> bool:
    # The GM of today who was also the one that was mailed: a former GM still has the code.
    return (letter.sender or "").lower() == reply.campaign.gm.lower() == reply.gm


def examine_reply(app: App, raw: bytes, letter: Message) -> Wishes:
    """Return the wishes of a reply with a form whose files were examined; none if it is no such reply."""
    if not find_forms(letter.source_lines):
        return {}
    with app.store.reading() as session:
        reply = _find_reply(session, letter, answered_requests(session, letter, app.settings.address))
        if reply is None or reply.frame is None or not _is_from_gm(letter, reply):
            return {}
        frame = reply.frame
    return examine_files(app, raw, frame)


def answer_form_reply(case: MessageContext, wishes: Wishes) -> str:
    """Take the ruling in a reply to a mail with a form; return what to note of it, "" if it is no such reply."""
    reply = _find_reply(case.session, case.letter, case.requests)
    if reply is None:
        return ""
    campaign = reply.campaign
    if case.verdict == "fail" or not _is_from_gm(case.letter, reply):
        page = GmSenderMismatch(campaign=campaign.name, sender=case.shown_sender, reply=True)
        return f"a reply to the GM's mail, not from their address; {warn_gm(case, campaign, page)}; {to_stranger(case)}"
    if reply.frame is not None:
        return answer_gm_letter(case, reply.frame, wishes)
    problem = GmAnswer(campaign=campaign.name, result="not-done", at_fault="RULING", problem=reply.problem)
    # As `answer` limits it: an answering machine may send back the form for ever.
    heading = Heading(CampaignMailer.of(case.app, campaign), "Not done: ruling")
    return "no ruling in it; " + answer(case, campaign.gm, problem, code=reply.code, heading=heading)
