"""Messages of GMs: frames with their token, replies YES to what was only shown, and messages without a frame.

A frame is proved by its token alone. What needs confirmation is shown, in a mail with a
code: an offer. A reply YES does it, if it comes from the GM's registered address and
shows that code, so that it takes both to read that mailbox and to write from there; and
if the campaign is still as it was when the effect was shown. An offer is good once.

Files that come with a ruling are examined before the message's transaction: that
may take long, and it would block the database for everyone else. A YES to a ruling
takes them from the message that it came in.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import replace
from typing import Any

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session

from pbem.actions.questions import AUDIENCES
from pbem.app import App
from pbem.campaign.notices import CampaignMailer
from pbem.campaign.optimistic_lock import fingerprint, load_read_set
from pbem.campaign.people import is_open, mark_confirmed, verify_token
from pbem.campaign.snapshot import locked_campaign
from pbem.errors import CampaignError
from pbem.inbox.consent.acts import STEPS, read_reply, unread_part
from pbem.inbox.context import MessageContext
from pbem.inbox.frames import GmFrame
from pbem.inbox.gm_commands import (
    NOT_EXAMINED,
    GmRun,
    Wishes,
    command_line,
    find_wishes,
    parse_gm_frame,
    run_frame,
    takes_files,
)
from pbem.inbox.gm_help import explain
from pbem.inbox.message_queue import load_raw
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.replies import ECHO, Heading, answer, answer_gm, bare_subject, is_echo, warn_gm
from pbem.inbox.seat_lookup import seats_of
from pbem.mail.headers import reply_code
from pbem.mail.message import find_reply_codes, list_attachments
from pbem.report.answers import GmAnswer, GmHelpPage, GmSenderMismatch
from pbem.report.notices import Notice
from pbem.store.models import Campaign, OutgoingMail, PendingRequest, Question
from pbem.store.types import CampaignState, RequestKind

OFFER = RequestKind.GM
"""The kind of a `PendingRequest` for commands that were only shown."""

_SETTLED = {
    "": "This offer was accepted before, or is too old; nothing was done now",
    "declined": "You have said NO to it before; nothing was done now",
}
_QUESTION = select(Question.id).where(
    Question.code != "",
    or_(
        Question.code.in_(bindparam("codes", expanding=True)),
        Question.message_id.in_(bindparam("ids", expanding=True)),
    ),
)


def examine_files(app: App, raw: bytes, sheet: GmFrame) -> Wishes:
    """Return the wishes of the commands that take the files of their mail, if the token is right.

    May take long, and holds no lock.
    """
    orders = parse_gm_frame(sheet)
    if orders.parsed.errors or not takes_files(orders):
        return {}
    # Examination may take long, so only a GM's files are examined.
    with app.store.reading() as session:
        campaign = _find_campaign(session, sheet)
        if campaign is None or not _is_gm(campaign, sheet):
            return {}
    return find_wishes(orders, raw)


class FilesNeeded(Exception):
    """Raised for a YES to an `offer`, by its id, whose files have to be examined before the message's transaction."""

    def __init__(self, offer: int) -> None:
        super().__init__(offer)
        self.offer = offer


def examine_offer(app: App, offer: int) -> Wishes:
    """Return the wishes of the commands of an offer that take files, with those of the message that they came in.

    May take long, and holds no lock.
    """
    with app.store.reading() as session:
        asked = session.get_one(PendingRequest, offer)
        campaign, raw = session.get_one(Campaign, asked.campaign_id), load_raw(session, asked.data["letter"])
        orders, files = parse_gm_frame(_frame_of(asked, campaign)), asked.data["files"]
    wishes = find_wishes(orders, raw)
    # What is masked in a stored message may have been a word in one of its files.
    return wishes if _hash_files(raw) == files else dict.fromkeys(wishes, CampaignError(NOT_EXAMINED))


def _hash_files(raw: bytes) -> str:
    return hashlib.sha256(b"\0".join(each.content for each in list_attachments(raw))).hexdigest()


def answer_gm_letter(case: MessageContext, sheet: GmFrame, wishes: Wishes) -> str:
    """Run the commands of a message with a GM frame, if its token is right; return what to note of it."""
    campaign = _find_campaign(case.session, sheet)
    if campaign is None:
        return f"for no campaign, by its GM frame; {to_stranger(case)}"
    if not _is_gm(campaign, sheet):
        page = GmSenderMismatch(campaign=campaign.name, sender=case.shown_sender)
        warned = warn_gm(case, campaign, page)
        return f"in the GM's name without the token; {warned}; {to_stranger(case)}"
    words = _asked_help(sheet)
    if words is not None:
        _send(case, campaign, explain(words, campaign.name))
        return f"from the GM of {campaign.name}: HELP"
    if _says_yes(sheet) and (asked := find_offer(case)) is not None and asked.campaign_id == campaign.id:
        return _accept(case, campaign, asked, wishes)
    return _run(case, campaign, sheet, wishes)


def _find_campaign(session: Session, sheet: GmFrame) -> Campaign | None:
    return session.scalar(select(Campaign).where(Campaign.name == sheet.campaign))


def _is_gm(campaign: Campaign, sheet: GmFrame) -> bool:
    return bool(sheet.code) or (bool(campaign.gm_token_hash) and verify_token(sheet.key, campaign.gm_token_hash))


def _asked_help(sheet: GmFrame) -> tuple[str, ...] | None:
    """Return the words behind HELP in a frame with nothing else; None for any other frame."""
    parsed = parse_gm_frame(sheet).parsed
    if parsed.errors or len(parsed.orders) != 1 or command_line(parsed.orders[0]).split()[0] != "HELP":
        return None
    return tuple(command_line(parsed.orders[0]).split()[1:])


def _says_yes(sheet: GmFrame) -> bool:
    return [line.strip().upper().rstrip(".!") for _, line in sheet.lines if line.strip()] == ["YES"]


def _run(case: MessageContext, campaign: Campaign, sheet: GmFrame, wishes: Wishes) -> str:
    # Before the commands lock it: what only shows something is rolled back, and its lock goes with that.
    locked_campaign(case.session, campaign.name)
    run = run_frame(case, campaign.name, sheet, wishes)
    _tell(case, campaign, sheet, run)
    return f"from the GM of {campaign.name}: " + _summary(run.answer)


def _tell(case: MessageContext, campaign: Campaign, sheet: GmFrame, run: GmRun) -> None:
    """Queue the answer to a frame, with an offer where something waits for a YES."""
    code, page = "", run.answer
    # Words like a token are masked in what is kept.
    if run.waits and sheet.shown == sheet.lines:
        code, asked = _offer(case, campaign, replace(sheet, lines=_meant_lines(sheet, run)))
        label = f"turn {campaign.turn}" if campaign.status == CampaignState.RUNNING else ""
        page = replace(page, offered=True, label=label)
    # To the GM's registered address alone, never to the sender (docs/decisions/0008).
    sent = _send(case, campaign, page, run, code=code or sheet.code)
    if code:
        asked.message_id = sent


def _meant_lines(sheet: GmFrame, run: GmRun) -> tuple[tuple[int, str], ...]:
    """Return the lines of a frame, with the commands that were asked about as they were shown."""
    entries = parse_gm_frame(sheet).parsed.entries
    meant = {entry.line: command_line(order) for entry, order in zip(entries, run.meant, strict=True) if order}
    return tuple((number, meant.get(number, line)) for number, line in sheet.lines)


def _send(
    case: MessageContext, campaign: Campaign, page: GmAnswer | GmHelpPage, run: GmRun | None = None, *, code: str = ""
) -> str:
    return answer_gm(case, campaign, page, subject=page.subject, code=code, files=run.files if run else ())


def _offer(case: MessageContext, campaign: Campaign, sheet: GmFrame) -> tuple[str, PendingRequest]:
    # Now, as what was shown may have left journal entries; the campaign has been locked since before it was.
    seen = _fingerprint(case, campaign)
    code = reply_code(secrets.token_bytes(32), OFFER)
    # `to`, `by` and `account` are read by the daily limits of codes, of which this one uses up nothing.
    data: dict[str, Any] = {"to": campaign.gm.lower(), "by": "", "account": OFFER}
    letter = sheet.letter or case.letter_id
    files = _hash_files(load_raw(case.session, letter)) if takes_files(parse_gm_frame(sheet)) else ""
    data |= {"lines": list(sheet.lines), "seen": seen, "digest": sheet.code, "letter": letter, "files": files}
    asked = PendingRequest(kind=OFFER, code=code, campaign_id=campaign.id, data=data, created_at=case.now)
    case.session.add(asked)
    case.session.flush()
    return code, asked


def _fingerprint(case: MessageContext, campaign: Campaign) -> str:
    """Return a hash of all that the effect of commands depends on, and of who the GM is."""
    snapshot = locked_campaign(case.session, campaign.name)
    seen = fingerprint(load_read_set(case.session, snapshot))
    return hashlib.sha256(f"{seen} {campaign.gm} {campaign.gm_token_hash}".encode()).hexdigest()


def answer_gm_reply(case: MessageContext, wishes: Wishes) -> str:
    """Answer a reply to an offer or to a question; return what to note of it, "" if it is neither."""
    if offer := find_offer(case):
        return answer_offer(case, offer, wishes)
    question = find_question(case)
    return answer_by_reply(case, question) if question else ""


_TO = re.compile(
    r"\A\s*+(?>(?:(?:answer|reply)\s++)?)(?>(?:(\d{1,9}+)\s++)?)to\s++(?>(?:the\s++)?)(\w++)\s*+[:.]?\s*+",
    re.IGNORECASE,
)
"""The first line of a reply to a question that says whom the answer is for."""


def find_question(case: MessageContext) -> Question | None:
    """Return the question of which a message answers the mail, by its code or Message-ID; None if it answers none."""
    codes, ids = find_reply_codes(case.letter, case.address), case.letter.references[:1]
    id_ = case.session.connection().scalar(_QUESTION, {"codes": codes, "ids": ids}) if codes or ids else None
    return None if id_ is None else case.session.get(Question, id_)


def answer_by_reply(case: MessageContext, asked: Question) -> str:
    """Take a plain reply to the mail of a question for the GM's answer; return what to note of it.

    It must come from the GM's own address. The words are what ANSWER would have below it, and are answered as it is.
    """
    campaign = case.session.get_one(Campaign, asked.campaign_id)
    if case.sender != campaign.gm.lower() or case.verdict == "fail":
        said = f"Question {asked.number} was answered from {case.shown_sender}, not from your address: not sent on."
        how = f"If it was you, reply from {campaign.gm}, or send ANSWER {asked.number} with your token."
        page = Notice(title="Answer not accepted", paragraphs=(said, how), campaign=campaign.name)
        return f"a reply to question {asked.number}, not from the GM; {warn_gm(case, campaign, page)}"
    lines = [*case.letter.lines]
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    to = _TO.fullmatch(lines[first]) if lines else None
    audience = to[2].upper() if to and to[1] in (None, str(asked.number)) else ""
    if audience in AUDIENCES:
        lines[first] = ""
    command = f"ANSWER {asked.number}" + (f" TO {audience}" if audience in AUDIENCES else "")
    sheet = GmFrame(campaign.name, "", tuple(enumerate([command, *lines], start=1)))
    return _run(case, campaign, sheet, {})


def find_offer(case: MessageContext) -> PendingRequest | None:
    """Return the offer that a message answers, open or not, by its code or the mail that it replies to."""
    return next((each for each in case.requests if each.kind == OFFER), None)


def answer_offer(case: MessageContext, asked: PendingRequest, wishes: Wishes) -> str:
    """Do what a reply to an offer says; return what to note of it."""
    campaign = case.session.get_one(Campaign, asked.campaign_id)
    if case.sender != campaign.gm.lower() or case.verdict == "fail":
        page = GmSenderMismatch(campaign=campaign.name, sender=case.shown_sender, reply=True)
        return f"a reply to the GM's mail, not from their address; {warn_gm(case, campaign, page)}; {to_stranger(case)}"
    said = read_reply(case.letter, bare_subject(case.letter.subject), "offer")
    step = STEPS["offer"][said]
    if step == "do":
        return _accept(case, campaign, asked, wishes)
    if step == "end" and is_open(asked, case.now) and mark_confirmed(case.session, asked, case.now):
        asked.data = {**asked.data, "outcome": "declined"}
        return _refuse(case, campaign, asked, "You said NO, so the offer has ended")
    if not is_open(asked, case.now):
        return _refuse(case, campaign, asked, _SETTLED[asked.data.get("outcome", "")])
    if step == "list":
        return answer_unframed(case, campaign)
    why = {"nothing": "Your reply was empty. ", "unreadable": f"{unread_part(case.letter)} "}.get(said, "")
    return _refuse(case, campaign, asked, f"{why}To do it, reply with YES alone on the first line", code=asked.code)


def _accept(case: MessageContext, campaign: Campaign, asked: PendingRequest, wishes: Wishes) -> str:
    """Do what an offer has shown, once, and only if the campaign has not changed since.

    Raises:
        FilesNeeded: If `wishes` lacks the files that its commands came with.
    """
    if asked.data["files"] and not wishes and is_open(asked, case.now):
        raise FilesNeeded(asked.id)
    unchanged = _fingerprint(case, campaign) == asked.data["seen"]
    # The condition and the mark are one statement: of two replies at the same time one does it.
    if not (is_open(asked, case.now) and mark_confirmed(case.session, asked, case.now)):
        return _refuse(case, campaign, asked, _SETTLED[asked.data.get("outcome", "")])
    sheet = _frame_of(asked, campaign)
    if unchanged:
        run = run_frame(case, campaign.name, sheet, wishes, sure=True)
    else:
        run = run_frame(case, campaign.name, sheet, wishes)
        run = replace(run, answer=replace(run.answer, changed=run.waits))
    _tell(case, campaign, sheet, run)
    return f"from the GM of {campaign.name}, by reply: " + _summary(run.answer)


def _frame_of(asked: PendingRequest, campaign: Campaign) -> GmFrame:
    lines = tuple((number, line) for number, line in asked.data["lines"])
    return GmFrame(campaign.name, "", lines, letter=asked.data["letter"])


def _refuse(case: MessageContext, campaign: Campaign, asked: PendingRequest, why: str, *, code: str = "") -> str:
    lines = [command_line(order) for order in parse_gm_frame(_frame_of(asked, campaign)).parsed.orders]
    page = GmAnswer(campaign=campaign.name, result="not-done", at_fault="; ".join(lines), problem=why)
    return f"{why}; " + _limited(case, campaign, page, code=code)


def _limited(case: MessageContext, campaign: Campaign, page: GmAnswer | GmHelpPage, *, code: str = "") -> str:
    """Queue an answer to a message without a token, to the GM's registered address; return what to note."""
    if is_echo(case, None, digits=bool(case.key)):
        return case.silent(ECHO)
    heading = Heading(CampaignMailer.of(case.app, campaign), page.subject)
    return answer(case, campaign.gm, page, code=code, heading=heading)


_MAIL_OF_GM = (
    select(Campaign)
    .join(OutgoingMail, OutgoingMail.campaign_id == Campaign.id)
    .where(
        OutgoingMail.message_id.in_(bindparam("ids", expanding=True)),
        func.lower(OutgoingMail.recipient) == bindparam("gm"),
        func.lower(Campaign.gm) == bindparam("gm"),
    )
)
_OF_GM = select(Campaign).where(
    func.lower(Campaign.gm) == bindparam("gm"), Campaign.status.not_in((CampaignState.OVER, CampaignState.MOVED))
)


def find_gm_campaign(case: MessageContext) -> Campaign | None:
    """Return the campaign of a GM whose message has no frame: the one whose mail it answers, or else their only one.

    Its sender may be forged, so nothing is done by that alone. None for a player: there it is a player's message.
    """
    if not case.sender or case.verdict == "fail":
        return None
    ids, seats = case.letter.references[:3], {seat.campaign for seat in seats_of(case.session, case.sender)}
    answered = case.session.scalars(_MAIL_OF_GM, {"ids": ids, "gm": case.sender}).first() if ids else None
    if answered is not None:
        return None if answered.name in seats else answered
    own = case.session.scalars(_OF_GM.limit(2), {"gm": case.sender}).all()
    return own[0] if len(own) == 1 and not seats else None


def help_gm(case: MessageContext, campaign: Campaign, words: tuple[str, ...]) -> str:
    """Answer HELP without a frame, at the GM's registered address; return what to note of it."""
    return "help for the GM; " + _limited(case, campaign, explain(words, campaign.name))


def answer_unframed(case: MessageContext, campaign: Campaign) -> str:
    """Tell a GM that commands need a frame, with the list; return what to note of it."""
    why = "your mail has no frame, so no command was read in it."
    return "from a GM, without a frame; " + _limited(case, campaign, explain((), campaign.name, unframed=why))


def _summary(told: GmAnswer) -> str:
    if told.result == "done":
        return "; ".join(done.line for done in told.done)
    if told.result == "would-do":
        return "shown, waits for YES: " + "; ".join(done.line for done in told.done)
    return f"nothing done ({told.problem})" if told.problem else "nothing done, lines not understood"
