"""Mail commands of GMs, and the frame that holds them.

    GM trap7 TOKEN
    EXTEND 24h
    TEXT TO ALL
    The harbour master is away until Monday.
    END

A command with a text has everything below it, so it comes last.

Files that come with a ruling are examined before the message's transaction: that
may take long, and it would block the database for everyone else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from pbem.actions.arguments import GmCommand, TextBlock, Wish
from pbem.actions.base import Change, Channel, Query, add_audit_entries, apply_change, confirmation, mail_channel
from pbem.actions.fork import TrialResult
from pbem.actions.open_turn import Preview
from pbem.actions.questions import AUDIENCES
from pbem.actions.registry import GM_COMMANDS
from pbem.actions.rerun import ShownState
from pbem.actions.statistics import Statistics, statistics_chart
from pbem.app import App
from pbem.campaign.order_sheets import Lines, redact_lines
from pbem.campaign.people import verify_token
from pbem.campaign.snapshot import Context, locked_campaign
from pbem.errors import CampaignError, PbemError, RulesetError, StoreError
from pbem.inbox.command_parser import as_command_finding
from pbem.inbox.context import MessageContext
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.replies import answer_gm, warn_gm
from pbem.mail.compose import MailPart
from pbem.mail.message import find_reply_codes, is_truncated, list_attachments
from pbem.mail.reply_parser import is_end
from pbem.report.answers import GmAnswer, GmCommandResult, GmSenderMismatch, tell_findings
from pbem.report.notices import Notice
from pbem.report.pictures import render_png
from pbem.ruleset.order_types import Order, ParsedSheet
from pbem.ruleset.tokenizer import split_words
from pbem.store.models import Campaign, Question

_FRAME = re.compile(r"\A\s*+gm\s++(\S{1,40}+)\s++(\S{1,64}+)\s*+", re.IGNORECASE)
_TOKENLIKE = re.compile(r"[0-9a-f]{15,25}", re.IGNORECASE)
"""A token, or one that was mistyped."""


@dataclass(frozen=True, slots=True)
class GmFrame:
    """A GM's commands as found: the campaign, the token, and the numbered lines between GM and END.

    `code` is that of the mail to the GM's address which they answer: it proves them instead of a token.
    """

    campaign: str
    key: str
    lines: tuple[tuple[int, str], ...]
    code: str = ""

    @property
    def shown(self) -> Lines:
        """The lines without credentials."""
        return redact_lines(self.lines)


@dataclass(frozen=True, slots=True)
class GmOrders:
    """Parsed commands of a GM, and the text after the last."""

    parsed: ParsedSheet
    text: TextBlock


def find_gm_frame(lines: Sequence[str]) -> GmFrame | None:
    """Return the first GM frame in a text, or None; it ends at the last END, so that a text in it may have one too."""
    first = next((at for at, line in enumerate(lines) if line.strip()), None)
    for at, line in enumerate(lines):
        match = _FRAME.fullmatch(line)
        # "GM is away" may be a line of a player's press or comment, which must not be lost by it.
        if match and (at == first or _TOKENLIKE.fullmatch(match[2])):
            ends = [end for end in range(at + 1, len(lines)) if is_end(lines[end])]
            inside = lines[at + 1 : ends[-1] if ends else None]
            return GmFrame(match[1].lower(), match[2], tuple(enumerate(inside, start=1)))
    return None


def parse_gm_frame(sheet: GmFrame) -> GmOrders:
    """Parse the commands, down to the first that takes a text, and that text. Never raises."""
    texted = next((at for at, (_, line) in enumerate(sheet.lines) if _takes_text(line)), len(sheet.lines))
    parsed = GM_COMMANDS.parse({}, sheet.shown[: texted + 1])
    found = tuple(as_command_finding(each, "the mail with your token lists the commands") for each in parsed.findings)
    return GmOrders(replace(parsed, findings=found), TextBlock(sheet.lines[texted + 1 :]))


def _takes_text(line: str) -> bool:
    words = split_words(line)
    return bool(words) and words[0].upper() in _WITH_TEXT


_WITH_TEXT = frozenset(
    word
    for verb in GM_COMMANDS.verbs
    if issubclass(verb.order, GmCommand) and verb.order.takes_text
    for word in (verb.word, *verb.order.also)
)


@dataclass(frozen=True, slots=True)
class _CommandAnswer:
    """Answer to one command, in one or more paragraphs, and its files.

    `acts`: something was changed; `asks`: nothing was, and the command waits for a YES.
    """

    text: str
    files: tuple[MailPart, ...] = ()
    acts: bool = False
    asks: bool = False


class _CommandFailed(Exception):
    def __init__(self, order: Order, error: Exception) -> None:
        super().__init__(str(error))
        self.order = order


Wishes = Mapping[type[GmCommand], Wish | CampaignError]
"""The wishes of the commands that take files, or the error of one."""

_NOT_EXAMINED = "the files of this mail were not examined, since the token was changed meanwhile: please send it again"
_NOT_ALONE = (
    "this command needs a YES behind it, and other commands of the mail do not; "
    "to see first what it would do, send it in a mail of its own"
)


def examine_files(app: App, raw: bytes, sheet: GmFrame) -> Wishes:
    """Return the wishes of the commands that take the files of their mail, if the token is right.

    May take long, and holds no lock.
    """
    orders = parse_gm_frame(sheet)
    taking = [each for each in orders.parsed.orders if isinstance(each, GmCommand) and each.takes_files]
    if not taking or orders.parsed.errors:
        return {}
    # Examination may take long, so only a GM's files are examined.
    with app.store.reading() as session:
        campaign = _find_campaign(session, sheet)
        if campaign is None or not _is_gm(campaign, sheet):
            return {}
    text = replace(orders.text, attached=tuple(list_attachments(raw)), cut=is_truncated(raw))
    return {type(order): _wish(order, text) for order in taking}


def _wish(order: GmCommand, text: TextBlock) -> Wish | CampaignError:
    try:
        return order.wish(text)
    except CampaignError as error:
        return error


def answer_gm_letter(case: MessageContext, sheet: GmFrame, wishes: Wishes) -> str:
    """Run the commands of a message with a GM frame, if its token is right; return what to note of it."""
    campaign = _find_campaign(case.session, sheet)
    if campaign is None:
        return f"for no campaign, by its GM frame; {to_stranger(case)}"
    if not _is_gm(campaign, sheet):
        page = GmSenderMismatch(campaign=campaign.name, sender=case.shown_sender)
        warned = warn_gm(case, campaign, page)
        return f"in the GM's name without his token; {warned}; {to_stranger(case)}"
    told, files = _run_all(case, campaign.name, sheet, wishes)
    # To the GM's registered address alone, never to the sender (docs/decisions/0008).
    answer_gm(case, campaign, told, files=files, code=sheet.code)
    return f"from the GM of {campaign.name}: " + _summary_note(told)


_TO = re.compile(
    r"\A\s*+(?:(?:answer|reply)\s++)?+(?:(\d{1,9}+)\s++)?+to\s++(?:the\s++)?+(\w++)\s*+[:.]?\s*+", re.IGNORECASE
)
"""The first line of a reply to a question that says whom the answer is for."""


def find_question(case: MessageContext) -> Question | None:
    """Return the question of which a message answers the mail, by its code or Message-ID; None if it answers none."""
    codes = find_reply_codes(case.letter, case.address)
    shown = (Question.code.in_(codes), Question.message_id.in_(case.letter.references[:1]))
    return case.session.scalar(select(Question).where(Question.code != "", or_(*shown)).limit(1))


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
    told, files = _run_all(case, campaign.name, sheet, {})
    answer_gm(case, campaign, told, files=files)
    return f"a reply to question {asked.number} of {campaign.name}: " + _summary_note(told)


def _find_campaign(session: Session, sheet: GmFrame) -> Campaign | None:
    return session.scalar(select(Campaign).where(Campaign.name == sheet.campaign))


def _is_gm(campaign: Campaign, sheet: GmFrame) -> bool:
    return bool(sheet.code) or (bool(campaign.gm_token_hash) and verify_token(sheet.key, campaign.gm_token_hash))


def _run_all(case: MessageContext, name: str, sheet: GmFrame, wishes: Wishes) -> tuple[GmAnswer, tuple[MailPart, ...]]:
    orders = parse_gm_frame(sheet)
    if orders.parsed.errors or not orders.parsed.orders:
        return GmAnswer(campaign=name, findings=tell_findings(orders.parsed.findings, sheet.shown)), ()
    try:
        # A savepoint, so that a mail that fails is undone as a whole, and is answered all the same.
        with case.session.begin_nested():
            said = [(order, _run_command(case, name, order, orders.text, wishes)) for order in orders.parsed.orders]
            _check_confirmations(said)
    except _CommandFailed as failed:
        return GmAnswer(campaign=name, at_fault=GM_COMMANDS.line(failed.order), problem=str(failed)), ()
    done = tuple(GmCommandResult(GM_COMMANDS.line(order), told.text) for order, told in said)
    return GmAnswer(campaign=name, done=done), tuple(file for _, told in said for file in told.files)


def _check_confirmations(said: Sequence[tuple[Order, _CommandAnswer]]) -> None:
    """Raise _CommandFailed if a command waits for a YES and others do not: all commands of a mail are done, or none."""
    asking = next((order for order, answer in said if answer.asks), None)
    if asking is not None and any(answer.acts for _, answer in said):
        raise _CommandFailed(asking, CampaignError(_NOT_ALONE))


def _run_command(case: MessageContext, name: str, order: Any, text: TextBlock, wishes: Wishes) -> _CommandAnswer:
    try:
        wish = wishes.get(type(order), CampaignError(_NOT_EXAMINED)) if order.takes_files else _wish(order, text)
        if isinstance(wish, CampaignError):
            raise wish
        # Loaded for each command, since the one before may have changed it.
        context = case.campaign_context(locked_campaign(case.session, name))
        return _apply_or_preview(context, wish, order)
    except StoreError:
        raise
    except (PbemError, RulesetError) as error:
        raise _CommandFailed(order, error) from error


def _apply_or_preview(context: Context, wish: Wish, order: GmCommand) -> _CommandAnswer:
    """Apply a command, or show its effect if it needs confirmation and has no YES."""
    _check_turn(context, order)
    asked = confirmation(wish, context) if isinstance(wish, Change) and order.sure is None else None
    if isinstance(wish, Change) and asked is None:
        facts, channel = apply_change(context, wish), Channel(by_mail=True)
    else:
        assert isinstance(wish, Query)
        facts = wish.look(context) if asked is None else asked
        channel = mail_channel("" if asked is None else _command_with_yes(context, order.confirmed(asked)))
        add_audit_entries(context, wish.traces(facts))
    acts = isinstance(wish, Change) and asked is None
    return _CommandAnswer(
        "\n".join(wish.render(facts, channel)), _result_files(facts), acts=acts, asks=asked is not None
    )


def _command_with_yes(context: Context, order: GmCommand) -> str:
    """Return the command with a YES, and with the open turn if it depends on that."""
    yes: dict[str, Any] = {"sure": "YES"}
    if any(field.name == "asked" for field in fields(order)):
        yes["asked"] = str(context.snapshot.turn)
    return GM_COMMANDS.line(replace(order, **yes))


def _check_turn(context: Context, order: GmCommand) -> None:
    """Raise CampaignError if another turn is open than when the GM was asked about a command."""
    snapshot = context.snapshot
    if order.asked is not None and int(order.asked) != snapshot.turn:
        raise CampaignError(
            f"turn {order.asked} of {snapshot.name}, about which you were asked, is no longer open, but turn "
            f"{snapshot.turn}: nothing was done; to see what it would do now, send it without YES"
        )


def _result_files(facts: Any) -> tuple[MailPart, ...]:
    """Return the files of a result: reports of a preview, the chart of statistics, the state of a turn."""
    if isinstance(facts, Preview):
        return tuple(_text_part(f"{report.place.seat}.txt", report.parts.text) for report in facts.reports)
    if isinstance(facts, TrialResult):
        return _result_files(facts.preview)
    if isinstance(facts, Statistics):
        png = render_png(statistics_chart(facts))
        return (MailPart(f"{facts.campaign}-statistics.png", "image/png", png),) if png else ()
    if isinstance(facts, ShownState):
        return (_text_part(f"{facts.campaign}-{facts.turn}.json", facts.text),)
    return ()


def _text_part(name: str, content: str) -> MailPart:
    return MailPart(name, "text/plain; charset=utf-8", content.encode())


def _summary_note(told: GmAnswer) -> str:
    if told.done:
        return "; ".join(done.line for done in told.done)
    return f"nothing done ({told.problem})" if told.problem else "nothing done, lines not understood"
