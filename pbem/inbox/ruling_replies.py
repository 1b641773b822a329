"""Rulings that a GM sends by replying to a mail with the form.

The form may stay quoted, with the answers typed between its lines, or be filled in
above or below the quotation; it goes from its RULING line to END. The code of the
mail and the GM's registered address are the proof (docs/decisions/0008).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.ruling import DIGEST_KIND, form_hash
from pbem.app import App
from pbem.campaign.notices import CampaignMailer
from pbem.errors import CampaignError
from pbem.inbox.context import MessageContext
from pbem.inbox.gm_commands import GmFrame, Wishes
from pbem.inbox.gm_messages import OFFER, answer_gm_letter, examine_files
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.replies import Heading, answer, warn_gm
from pbem.inbox.seat_lookup import answered_requests
from pbem.mail.message import Message
from pbem.mail.reply_parser import is_end
from pbem.report.answers import GmAnswer, GmSenderMismatch
from pbem.store.models import Campaign, PendingRequest, Turn

# All repetitions are bounded, so that hostile lines take linear time.
_FIRST_LINE = re.compile(
    r"((?:[ \t]{0,3}>){0,9}[ \t]{0,9})"
    r"(RULING(?:[ \t]{1,9}YES)?(?:[ \t]{1,9}\d{1,6})?)[ \t]{0,9}"
    r"(?:;[ \t]{0,9}(\S{1,40}),[ \t]{1,3}turn[ \t]{1,3}(\d{1,6})[ \t]{0,9})?",
    re.IGNORECASE,
)
_MARK = re.compile(r"[ \t]{0,3}>[ \t]?")


@dataclass(frozen=True, slots=True)
class MailedForm:
    """A form in a mail: how often it is quoted, its command, for which campaign and turn, and the lines down to END.

    `about` is empty if the form does not say. A form that is not `closed` has no END.
    """

    depth: int
    command: str
    about: tuple[str, ...]
    lines: tuple[str, ...]
    closed: bool

    @property
    def checksum(self) -> str:
        """The checksum of the form as it was filled in, the same as that of the mailed form if it was not."""
        about = f" ; {self.about[0]}, turn {self.about[1]}" if self.about else ""
        return form_hash("\n".join([f"{self.command}{about}", *self.lines, "END"]))


def find_forms(lines: Sequence[str]) -> list[MailedForm]:
    """Return the forms in the text of a mail, as they were written before they were quoted. Never raises."""
    starts = [(at, match) for at, line in enumerate(lines) if (match := _FIRST_LINE.fullmatch(line))]
    stops = [*(at for at, _ in starts[1:]), len(lines)]
    return [_read_form(match, lines[at + 1 : stop]) for (at, match), stop in zip(starts, stops, strict=False)]


def _read_form(first: re.Match[str], below: Sequence[str]) -> MailedForm:
    depth = first[1].count(">")
    inside = [_without_marks(line, depth) for line in below]
    # The last one: a text in the form may have a line with END, too.
    end = max((at for at, line in enumerate(inside) if is_end(line)), default=None)
    about = (first[3], first[4]) if first[3] else ()
    return MailedForm(depth, first[2], about, tuple(inside[:end]), closed=end is not None)


def _without_marks(line: str, depth: int) -> str:
    """Return a line without at most so many marks of quotation; more of them belong to its text."""
    for _ in range(depth):
        line = _MARK.sub("", line, count=1) if _MARK.match(line) else line
    return line


def choose_form(forms: Sequence[MailedForm], campaign: str, turn: int, blank: str) -> MailedForm:
    """Return the form of a reply that was filled in; `blank` is the checksum of the one that was mailed.

    Raises:
        CampaignError: There is none, there are two, it is cut off, or it belongs to another turn or campaign.
    """
    filled = [form for form in forms if form.checksum != blank]
    if not forms:
        raise CampaignError(
            "there is no form in your mail: reply with the form quoted, from RULING to END, and your words below its "
            "headings. Other commands need your token: GM NAME TOKEN above them, END below"
        )
    if not filled:
        raise CampaignError("the form in your mail is as it was sent to you: write what comes of the turn into it")
    # The least quoted is the newest, wherever a mail program puts what it quotes.
    newest = [form for form in filled if form.depth == min(each.depth for each in filled)]
    form = newest[0]
    if any(other.checksum != form.checksum for other in newest):
        raise CampaignError("there are two forms in your mail, which differ: send the one that counts")
    if form.about and form.about != (campaign, str(turn)):
        raise CampaignError(f"the form in your mail is that of {form.about[0]}, turn {form.about[1]}")
    if not form.closed:
        raise CampaignError("the form in your mail has no END, so that it may be cut off: send it again, down to END")
    return form


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
