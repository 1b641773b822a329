"""Messages of GMs: frames with their token, replies to mails of ours, and messages that answer none.

A frame is proved by its token alone. A reply to any mail for the GM takes commands
without either, as far as `pbem.inbox.gm_commands.Trust` goes. What needs more is shown,
in a mail with a code: an offer. A reply YES does it, if it comes from the GM's
registered address and shows that code, so that it takes both to read that mailbox and
to write from there; and if the campaign is still as it was when the effect was shown.
An offer is good once. Answers go to the GM's registered address alone, never to the
sender (docs/decisions/0008).

A ruling may be a reply to the mail with its form: this may stay quoted, with the answers
typed between its lines, or be filled in above or below the quotation; it goes from its
RULING line to END. The code of the mail and the GM's registered address are the proof.

Files that come with a command are examined outside of the message's transaction: that
may take long, and it would block the database for everyone else.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.questions import AUDIENCES
from pbem.app import App
from pbem.campaign.optimistic_lock import load_read_set
from pbem.campaign.people import UNPROVEN_A_DAY, asked_today, is_open, mark_confirmed, verify_token
from pbem.campaign.snapshot import locked_campaign
from pbem.errors import CampaignError
from pbem.inbox.command_parser import first_line
from pbem.inbox.consent.effects import STEPS, unread_part
from pbem.inbox.context import MessageContext, Outcome
from pbem.inbox.frames import GmFrame
from pbem.inbox.gm_commands import NOT_EXAMINED, GmRun, NotTheirs, Trust, Wishes, find_wishes, run_frame, takes_files
from pbem.inbox.gm_lines import asked_help, command_line, explain, parse_gm_frame
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.our_frames import choose_form, find_forms
from pbem.inbox.rate_limits import WARNINGS_A_DAY
from pbem.inbox.replies import ECHO, answer, is_echo, mailer_of, warn
from pbem.inbox.sheets import take_sheet
from pbem.inbox.wishes import answer_gm_wish
from pbem.mail.fetch import load_raw
from pbem.mail.headers import reply_code
from pbem.mail.message import Message, list_attachments
from pbem.report import small
from pbem.report.answers import GmAnswer, GmHelpPage
from pbem.report.notices import Notice
from pbem.store.models import Campaign, PendingRequest, Turn
from pbem.store.types import CampaignState, RequestKind
from pbem.text import shorten
from pbem.util import redact_all

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

OFFER = RequestKind.GM
"""The kind of a `PendingRequest` for commands that were only shown."""

_SETTLED = {
    "": "This offer was accepted before, or is too old; nothing was done now",
    "declined": "You have said NO to it before; nothing was done now",
}
_MOST_ASKED = 40
"""Lines in which a question is looked for."""

_SHOWN = 60
"""Characters of a first line that are shown where it is no command."""

_HOW = "Commands go without token in a reply to any mail of mine. HELP lists them."


class FilesNeeded(Exception):
    """Raised for commands whose files have to be examined before the message's transaction.

    The files are those of the message `inbox_id`, which must have the hash `files` if that is not "".
    """

    def __init__(self, sheet: GmFrame, inbox_id: int, files: str = "") -> None:
        super().__init__(inbox_id)
        self.sheet, self.inbox_id, self.files = sheet, inbox_id, files


def examine_files(app: App, needed: FilesNeeded) -> Wishes:
    """Return the wishes of the commands that take the files of their mail. May take long, and holds no lock."""
    with app.store.reading() as session:
        raw = load_raw(session, needed.inbox_id)
    wishes = find_wishes(parse_gm_frame(needed.sheet), raw)
    # What is masked in a stored message may have been a word in one of its files.
    known = not needed.files or _hash_files(raw) == needed.files
    return wishes if known else dict.fromkeys(wishes, CampaignError(NOT_EXAMINED))


def _hash_files(raw: bytes) -> str:
    return hashlib.sha256(b"\0".join(each.content for each in list_attachments(raw))).hexdigest()


def take_gm_frame(mail: Reading) -> Outcome:
    """Run the commands of a message with a GM frame, if its token is right."""
    context, sheet = mail.came.context, mail.came.gm_sheet
    assert sheet is not None
    campaign = context.session.scalar(select(Campaign).where(Campaign.name == sheet.campaign))
    if campaign is None:
        return f"for no campaign, by its GM frame; {to_stranger(context)}", False
    if not (campaign.gm_token_hash and verify_token(sheet.key, campaign.gm_token_hash)):
        page = small.gm_mismatch(campaign=campaign.name, sender=context.shown_sender, reply=False)
        return f"in the GM's name without the token; {_warn(context, campaign, page)}", False
    words = asked_help(sheet)
    if words is not None:
        _send(context, campaign, explain(words, campaign.name))
        return f"from the GM of {campaign.name}: HELP", False
    asked = mail.asked
    says_yes = [line.strip().upper().rstrip(".!") for _, line in sheet.lines if line.strip()] == ["YES"]
    if says_yes and asked is not None and asked.kind == OFFER and asked.campaign_id == campaign.id:
        return _accept(context, campaign, asked, mail.came.wishes), False
    return run(context, campaign, sheet, mail.came.wishes), False


def take_reply(mail: Reading) -> Outcome:
    """Run the commands of a reply to a mail for the GM, as far as its code and sender prove them."""
    campaign = mail.gm_campaign
    # A GM may play too; and a player may write a sheet below what their GM has passed on to them.
    if mail.sheet.header and not (mail.commands and parse_gm_frame(mail.commands).parsed.entries):
        return take_sheet(mail)
    if not is_from_gm(mail.context, campaign):
        return _take_unframed(mail, campaign, "none"), False
    return _take_unframed(mail, campaign, trust_in(mail)), False


def trust_in(mail: Reading) -> Trust:
    """Return what a reply from the GM's address is good for: a former GM has codes of mails, too, and old ones leak."""
    assert mail.answered is not None
    return "code" if mail.context.codes.proves_gm(mail.answered) else "address"


def take_unproved(mail: Reading) -> Outcome:
    """Show a GM what the commands of a message would do that answers no mail of ours."""
    assert mail.own_campaign is not None
    return _take_unframed(mail, mail.own_campaign, "address"), False


def _take_unframed(mail: Reading, campaign: Campaign, trust: Trust) -> str:
    context = mail.context
    if mail.commands is None:
        return _refuse_words(mail, campaign) if trust != "none" else refuse_other(context, campaign)
    if (words := asked_help(mail.commands)) is not None:
        return "help for the GM; " + _limited(context, campaign, explain(words, campaign.name))
    try:
        return run(context, campaign, replace(mail.commands, campaign=campaign.name), mail.came.wishes, trust)
    except NotTheirs:
        return refuse_other(context, campaign)


def is_from_gm(context: MessageContext, campaign: Campaign) -> bool:
    """Return True if a message comes from the GM's registered address, as far as the receiving server knows."""
    return context.sender == campaign.gm.lower() and context.verdict != "fail"


def refuse_other(context: MessageContext, campaign: Campaign) -> str:
    """Warn a GM of a reply to their mail that does not come from their address."""
    page = small.gm_mismatch(campaign=campaign.name, sender=context.shown_sender, reply=True)
    return f"a reply to the GM's mail, not from their address; {_warn(context, campaign, page)}"


def _warn_gm(context: MessageContext, campaign: Campaign, page: Notice) -> str:
    return warn(context, campaign.name, campaign.gm, page, "gm warning", most=WARNINGS_A_DAY)


def _warn(context: MessageContext, campaign: Campaign, page: Notice) -> str:
    """Warn a GM of a message in their name, and answer another sender as a stranger; return what to note of it."""
    warned = _warn_gm(context, campaign, page)
    return warned if context.sender == campaign.gm.lower() else f"{warned}; {to_stranger(context)}"


def _refuse_words(mail: Reading, campaign: Campaign) -> str:
    """Tell a GM that a message has no command, and which does what they ask for."""
    typed = ((line, answer_gm_wish(line)) for line in mail.context.message.lines[:_MOST_ASKED])
    line, told = next((each for each in typed if each[1]), (first_line(mail.context.message), ""))
    shown = f"{'This' if told else 'The first line'} is no command: '{shorten(redact_all(line.strip()), _SHOWN)}'."
    said = f"{shown} {told}".rstrip() if line else "Your mail is empty."
    page = GmAnswer(campaign=campaign.name, result="empty", problem=f"Nothing was done. {said} {_HOW}")
    return "no command in it; " + _limited(mail.context, campaign, page)


def run(context: MessageContext, campaign: Campaign, sheet: GmFrame, wishes: Wishes, trust: Trust = "token") -> str:
    """Run the commands of a GM as far as the `trust` goes, and answer them; return what to note.

    Raises:
        FilesNeeded: If `wishes` lacks the files that the commands came with.
        NotTheirs: If a command would change something, and nothing may be changed.
    """
    if not wishes and takes_files(orders := parse_gm_frame(sheet)) and not orders.parsed.errors:
        raise FilesNeeded(sheet, context.inbox_id)
    # Before the commands lock it: what only shows something is rolled back, and its lock goes with that.
    locked_campaign(context.session, campaign.name)
    done = run_frame(context, campaign.name, sheet, wishes, trust=trust)
    _tell(context, campaign, sheet, done, limited=trust in ("address", "none"))
    return f"from the GM of {campaign.name}: " + _summary(done.answer)


def _tell(context: MessageContext, campaign: Campaign, sheet: GmFrame, run: GmRun, *, limited: bool = False) -> None:
    """Queue the answer to commands, with an offer where something waits for a YES."""
    page, code, asked = run.answer, sheet.code, None
    account = f"{OFFER} unproved" if limited else OFFER
    enough = limited and asked_today(context.session, campaign.gm.lower(), "", account, context.now) >= UNPROVEN_A_DAY
    # Words like a token are masked in what is kept.
    if run.waits and sheet.shown == sheet.lines and not enough:
        asked = _offer(context, campaign, replace(sheet, lines=_meant_lines(sheet, run)), account)
        label = f"turn {campaign.turn}" if campaign.status == CampaignState.RUNNING else ""
        page, code = replace(page, offered=True, label=label), asked.code
    if limited:
        _limited(context, campaign, page, code=code)
        return
    sent = _send(context, campaign, page, run, code=code)
    if asked is not None:
        asked.message_id = sent


def _meant_lines(sheet: GmFrame, run: GmRun) -> tuple[tuple[int, str], ...]:
    """Return the lines of a frame, with the commands that were asked about as they were shown."""
    entries = parse_gm_frame(sheet).parsed.entries
    meant = {entry.line: command_line(order) for entry, order in zip(entries, run.meant, strict=True) if order}
    return tuple((number, meant.get(number, line)) for number, line in sheet.lines)


def _send(
    context: MessageContext,
    campaign: Campaign,
    page: GmAnswer | GmHelpPage,
    run: GmRun | None = None,
    *,
    code: str = "",
) -> str:
    id_ = mailer_of(context, None).id_of("gm answer", campaign.id, context.inbox_id)
    answer(context, campaign.gm, page, about=campaign, code=code, id_=id_, files=run.files if run else ())
    return id_


def _offer(context: MessageContext, campaign: Campaign, sheet: GmFrame, account: str) -> PendingRequest:
    # Now, as what was shown may have left journal entries; the campaign has been locked since before it was.
    seen, inbox_id = _fingerprint(context, campaign), sheet.inbox_id or context.inbox_id
    files = _hash_files(load_raw(context.session, inbox_id)) if takes_files(parse_gm_frame(sheet)) else ""
    # `to`, `by` and `account` are read by the daily limits of codes, of which this one uses up nothing.
    data: dict[str, Any] = {"to": campaign.gm.lower(), "by": "", "account": account}
    data |= {"lines": list(sheet.lines), "seen": seen, "digest": sheet.code, "inbox_id": inbox_id, "files": files}
    code = reply_code(secrets.token_bytes(32), OFFER)
    asked = PendingRequest(kind=OFFER, code=code, campaign_id=campaign.id, data=data, created_at=context.now)
    context.session.add(asked)
    context.session.flush()
    return asked


def _fingerprint(context: MessageContext, campaign: Campaign) -> str:
    """Return a hash of all that the effect of commands depends on, and of who the GM is."""
    snapshot = locked_campaign(context.session, campaign.name)
    seen = load_read_set(context.session, snapshot)
    return hashlib.sha256(f"{seen} {campaign.gm} {campaign.gm_token_hash}".encode()).hexdigest()


_TO = re.compile(
    r"\A\s*+(?>(?:(?:answer|reply)\s++)?)(?>(?:(\d{1,9}+)\s++)?)to\s++(?>(?:the\s++)?)(\w++)\s*+[:.]?\s*+",
    re.IGNORECASE,
)
"""The first line of a reply to a question that says whom the answer is for."""


def answer_question(mail: Reading) -> Outcome:
    """Take a plain reply to the mail of a question for the GM's answer.

    It must come from the GM's own address. The words are what ANSWER would have below it, and are answered as it is.
    """
    context, asked, campaign = mail.context, mail.question, mail.gm_campaign
    assert asked is not None
    if not is_from_gm(context, campaign):
        said = f"Question {asked.number} was answered from {context.shown_sender}, not from your address: not sent on."
        how = f"If it was you, reply from {campaign.gm}, or send ANSWER {asked.number} with your token."
        page = Notice(
            subject="rejected: a mail in your name", title="Answer not accepted", blocks=(said, how), to_gm=True
        )
        return f"a reply to question {asked.number}, not from the GM; {_warn_gm(context, campaign, page)}", False
    lines = [*context.message.lines]
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    to = _TO.fullmatch(lines[first]) if lines else None
    audience = to[2].upper() if to and to[1] in (None, str(asked.number)) else ""
    if audience in AUDIENCES:
        lines[first] = ""
    command = f"ANSWER {asked.number}" + (f" TO {audience}" if audience in AUDIENCES else "")
    sheet = GmFrame(campaign.name, "", tuple(enumerate([command, *lines], start=1)))
    # Words to a question are asked for, so that the code does.
    return run(context, campaign, sheet, {}, "token" if trust_in(mail) == "code" else "address"), False


def answer_offer(mail: Reading) -> Outcome:
    """Do what a YES, a NO or no answer to an offer says."""
    context, asked, campaign = mail.context, mail.asked, mail.gm_campaign
    assert asked is not None
    if not is_from_gm(context, campaign):
        return refuse_other(context, campaign), False
    step = STEPS["offer"][mail.answer_class]
    if step == "do":
        return _accept(context, campaign, asked, mail.came.wishes), False
    if not is_open(asked, context.now):
        return _refuse(context, campaign, asked, _SETTLED[asked.data.get("outcome", "")]), False
    if step == "end" and mark_confirmed(context.session, asked, context.now):
        asked.data = {**asked.data, "outcome": "declined"}
        return _refuse(context, campaign, asked, "You said NO, so the offer has ended"), False
    silent = {"nothing": "Your reply was empty. ", "unreadable": f"{unread_part(context.message)} "}
    why = f"{silent.get(mail.answer_class, '')}To do it, reply with YES alone on the first line"
    return _refuse(context, campaign, asked, why, code=asked.code), False


def _accept(context: MessageContext, campaign: Campaign, asked: PendingRequest, wishes: Wishes) -> str:
    """Do what an offer has shown, once, and only if the campaign has not changed since.

    Raises:
        FilesNeeded: If `wishes` lacks the files that its commands came with.
    """
    if asked.data["files"] and not wishes and is_open(asked, context.now):
        raise FilesNeeded(_frame_of(asked, campaign), asked.data["inbox_id"], asked.data["files"])
    unchanged = _fingerprint(context, campaign) == asked.data["seen"]
    # The condition and the mark are one statement: of two replies at the same time one does it.
    if not (is_open(asked, context.now) and mark_confirmed(context.session, asked, context.now)):
        return _refuse(context, campaign, asked, _SETTLED[asked.data.get("outcome", "")])
    sheet = _frame_of(asked, campaign)
    if unchanged:
        run = run_frame(context, campaign.name, sheet, wishes, sure=True)
    else:
        run = run_frame(context, campaign.name, sheet, wishes)
        run = replace(run, answer=replace(run.answer, changed=run.waits))
    _tell(context, campaign, sheet, run)
    return f"from the GM of {campaign.name}, by reply: " + _summary(run.answer)


def _frame_of(asked: PendingRequest, campaign: Campaign) -> GmFrame:
    lines = tuple((number, line) for number, line in asked.data["lines"])
    return GmFrame(campaign.name, "", lines, inbox_id=asked.data["inbox_id"])


def _refuse(context: MessageContext, campaign: Campaign, asked: PendingRequest, why: str, *, code: str = "") -> str:
    lines = [command_line(order) for order in parse_gm_frame(_frame_of(asked, campaign)).parsed.orders]
    page = GmAnswer(campaign=campaign.name, result="not-done", at_fault="; ".join(lines), problem=why)
    return f"{why}; " + _limited(context, campaign, page, code=code)


def _limited(context: MessageContext, campaign: Campaign, page: GmAnswer | GmHelpPage, *, code: str = "") -> str:
    """Queue an answer to a message without a token, to the GM's registered address; return what to note."""
    if is_echo(context, None, digits=bool(context.key)):
        return context.silent(ECHO)
    return answer(context, campaign.gm, page, about=campaign, code=code)


def _summary(told: GmAnswer) -> str:
    if told.result == "done":
        return "; ".join(done.line for done in told.done)
    if told.result == "would-do":
        return "shown, waits for YES: " + "; ".join(done.line for done in told.done)
    return f"nothing done ({told.problem})" if told.problem else "nothing done, lines not understood"


def take_form(mail: Reading) -> Outcome:
    """Take the ruling in a reply to a mail with a form."""
    context, sent = mail.context, mail.mail_with_form
    campaign = context.session.get(Campaign, sent.campaign_id) if sent is not None else None
    if sent is None or campaign is None:
        return "a reply to the form of a campaign that is gone", False
    if not is_from_gm(context, campaign):
        return refuse_other(context, campaign), False
    try:
        frame = _read_ruling(context.session, context.message, sent, campaign)
    except CampaignError as error:
        why = str(error)
        page = GmAnswer(campaign=campaign.name, result="not-done", fact="ruling", at_fault="RULING", problem=why)
        # As `answer` limits it: an answering machine may send back the form for ever.
        return "no ruling in it; " + answer(context, campaign.gm, page, about=campaign, code=sent.code), False
    # The form is asked for, so that the code does.
    trust: Trust = "token" if trust_in(mail) == "code" else "address"
    return run(context, campaign, frame, mail.came.wishes, trust), False


def _read_ruling(session: Session, message: Message, sent: PendingRequest, campaign: Campaign) -> GmFrame:
    """Return the commands in a reply to a mail with a form. Raises CampaignError if there are none for today."""
    turn = session.get(Turn, sent.data.get("turn_id"))
    if turn is None or turn.campaign_id != campaign.id or turn.withdrawal_id or turn.number != campaign.turn:
        raise CampaignError(f"the mail that you answer is about another turn than the open one, {campaign.turn}")
    form = choose_form(find_forms(message.source_lines), campaign.name, turn.number, sent.data.get("form", ""))
    return GmFrame(campaign.name, "", tuple(enumerate((form.command, *form.lines), start=1)), sent.code)
