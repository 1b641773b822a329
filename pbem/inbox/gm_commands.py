"""Mail commands of GMs, and the frame that holds them.

    GM trap7 TOKEN
    DEADLINE 24h
    ANNOUNCE IN REPORT
    The harbour master is away until Monday.
    END

A command with a text has everything below it, so it comes last. All commands of a
frame are done, or none; if one of them needs confirmation, all are only shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import func, select

from pbem.actions.arguments import GmCommand, TextBlock, Wish
from pbem.actions.base import AuditEntry, Change, Channel, Query, add_audit_entries, apply_change, confirmation
from pbem.actions.deadlines import ExtendDeadline
from pbem.actions.fork import TrialResult
from pbem.actions.gm_forms import GmHelp
from pbem.actions.open_turn import Preview
from pbem.actions.rerun import RunAgain, ShownState
from pbem.actions.reversal import REVERSALS, UNDO
from pbem.actions.ruling import RulingResult
from pbem.actions.seats import GiveSeat, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat
from pbem.actions.statistics import Statistics, statistics_chart
from pbem.actions.withdraw_ruling import RulingCommand
from pbem.campaign.press import sanitise_text
from pbem.campaign.snapshot import Context, locked_campaign, open_deadline
from pbem.errors import CampaignError, PbemError, RulesetError, StoreError
from pbem.inbox.authenticate import find_orders
from pbem.inbox.context import MessageContext
from pbem.inbox.frames import GmFrame
from pbem.inbox.gm_lines import (
    WORDS,
    GmOrders,
    command_line,
    explain,
    first_word,
    held_by,
    help_lines,
    names_people,
    parse_gm_frame,
    second_word,
)
from pbem.inbox.late_sheets import lines_of_message
from pbem.inbox.seat_lookup import find_seat, seats_of
from pbem.mail.compose import MailPart
from pbem.mail.message import is_truncated, list_attachments
from pbem.report.answers import GmAnswer, GmCommandResult, tell_findings
from pbem.report.pictures import render_png
from pbem.ruleset.order_types import Order, ParsedOrder
from pbem.store.models import Campaign
from pbem.text import format_time_short, quote_block, quote_lines
from pbem.util import redact_credentials


@dataclass(frozen=True, slots=True)
class _CommandAnswer:
    """Answer to one command, in one or more paragraphs, its files, and the journal entries that it left.

    `acts`: something was changed, and UNDO `undoes` it; `asks`: nothing was, and the command waits for a YES, as it is
    `asked`: UNDO names the entry that was shown. `fact` is the result in a few words.
    """

    text: str
    files: tuple[MailPart, ...] = ()
    traces: tuple[AuditEntry, ...] = ()
    acts: bool = False
    undoes: bool = False
    asks: bool = False
    fact: str = ""
    asked: GmCommand | None = None


_TOLD = (*WORDS, RulingCommand)
"""Commands whose texts are told to others."""

_Said = list[tuple[GmCommand, _CommandAnswer]]


class _CommandFailed(Exception):
    def __init__(self, entry: ParsedOrder, error: Exception) -> None:
        super().__init__(str(error))
        self.entry = entry


class _OnlyShown(Exception):
    """Raised to undo what was done beside a command that needs confirmation."""

    def __init__(self, said: _Said) -> None:
        self.said = said


Trust = Literal["token", "code", "address", "none"]
"""Kinds of proof for commands.

With the token all are done. With the "code" of a mail to the GM, from their address, those are that only show or that
UNDO takes back, and the others are shown first. By their "address" alone all are shown first; with "none" none changes
anything.
"""


class NotTheirs(Exception):
    """Raised for a command that changes something, of a message that does not come from the GM's address."""


Wishes = Mapping[type[GmCommand], Wish | CampaignError]
"""The wishes of the commands that take files, or the error of one."""

NOT_EXAMINED = "the files of the mail could not be examined: please send it again"
_TOGETHER = "Done together with the others."
_LATER = "Shown once the others are done."


@dataclass(frozen=True, slots=True)
class GmRun:
    """The result of a frame: the answer with its files.

    `waits`: it was only shown, and waits for a YES. `meant` are the commands that were asked about, in their order.
    """

    answer: GmAnswer
    files: tuple[MailPart, ...] = ()
    waits: bool = False
    meant: tuple[GmCommand | None, ...] = ()


def run_frame(
    context: MessageContext, name: str, sheet: GmFrame, wishes: Wishes, *, sure: bool = False, trust: Trust = "token"
) -> GmRun:
    """Run the commands of a frame, as far as the `trust` goes; with `sure`, those too that need confirmation.

    Raises:
        NotTheirs: If a command would change something, and nothing may be changed.
    """
    orders = parse_gm_frame(sheet)
    entries, found = orders.parsed.entries, orders.parsed.findings
    if elsewhere := _find_elsewhere(context, name, orders):
        return GmRun(elsewhere)
    if orders.parsed.errors:
        meant = found[0].corrected if found[0].code == "unknown-verb" else ""
        told = tell_findings([replace(each, corrected="") for each in found], sheet.shown)
        return GmRun(GmAnswer(campaign=name, result="not-understood", findings=told, meant=meant))
    if not entries:
        return GmRun(GmAnswer(campaign=name, result="empty"))
    try:
        # A savepoint, so that a mail that fails is undone as a whole, and is answered all the same.
        with context.session.begin_nested():
            said = [_run_entry(context, name, entry, orders, wishes, sure=sure, trust=trust) for entry in entries]
            if not sure:
                _check_texts(context, name, orders, said, trust)
            _check_all_done(said)
    except _CommandFailed as failed:
        return GmRun(_failure(name, failed, count=len(entries)))
    except _OnlyShown as shown:
        said = shown.said
        # Whatever the GM has seen is disclosed, also where what was done beside it is undone.
        campaign_context = context.campaign_context(locked_campaign(context.session, name))
        add_audit_entries(campaign_context, [trace for _, each in said for trace in each.traces])
        said = list(_shown_alone(said))
    return _answer_run(context, name, said)


def _find_elsewhere(context: MessageContext, name: str, orders: GmOrders) -> GmAnswer | None:
    """Return the refusal of a command that names another campaign of the GM; None if there is none."""
    named = {word: line for line in orders.commands if (word := second_word(line[1]))}
    campaign = locked_campaign(context.session, name)
    theirs = select(Campaign.name).where(func.lower(Campaign.gm) == campaign.gm.lower(), Campaign.name.in_(named))
    other = next((each for each in context.session.scalars(theirs) if each not in {name, *campaign.seats}), None)
    if other is None:
        return None
    number, line = named[other]
    problem = f"{other} is another campaign of yours: send this in a reply to a mail of {other}"
    if first_word(line) == "HOLD":
        problem += f", or begin your reason with a word before {other}"
    return GmAnswer(
        campaign=name, result="not-done", count=len(orders.commands), line=number, at_fault=line, problem=problem
    )


def _shown_alone(said: _Said) -> Iterator[tuple[GmCommand, _CommandAnswer]]:
    """Yield the answers to commands that were undone; what looked at their results, such as dice, is not shown."""
    changed = False
    for order, each in said:
        looks = not (each.acts or each.asks)
        yield order, _CommandAnswer(_TOGETHER if each.acts else _LATER) if each.acts or (looks and changed) else each
        changed = changed or not looks


def _check_all_done(said: _Said) -> None:
    """Raise _OnlyShown if a command waits for a YES and another does not: all commands of a mail are done, or none."""
    if any(each.asks for _, each in said) and any(each.acts for _, each in said):
        raise _OnlyShown(said)


def _check_texts(context: MessageContext, name: str, orders: GmOrders, said: _Said, trust: Trust) -> None:
    """Raise _OnlyShown if a text may not be meant for its readers, or what was done needs more proof: it is undone."""
    entries = orders.parsed.entries
    held = [_held_back(context, name, orders.text_of(entry), *each) for entry, each in zip(entries, said, strict=True)]
    if trust != "token":
        held = [_unproved(entry, orders, *each) for entry, each in zip(entries, held, strict=True)]
    if held != said:
        raise _OnlyShown(held)


def _held_back(
    context: MessageContext, name: str, text: TextBlock, order: GmCommand, told: _CommandAnswer
) -> tuple[GmCommand, _CommandAnswer]:
    """Return the answer to a command; one whose text has lines like commands, or orders, in it is only shown."""
    if not (told.acts and isinstance(order, _TOLD)):
        return order, told
    because, kind, else_ = held_by(text), "commands", "send it again, with END alone on a line below each text"
    if isinstance(order, RulingCommand):  # its form has headings of its own, and it is long
        because = tuple(line for line in because if names_people(line))
    elif not because:
        because = _orders_in(context, name, text)
        kind, else_ = "orders of your own seat", "send them in a reply to your report"
    if not because:
        return order, told
    words = told.text if isinstance(order, RulingCommand) else sanitise_text(text.words).text
    lines = (
        *(f"Not sent, since lines in the text look like {kind}:", quote_block("\n".join(because))),
        *("With YES this goes out:", quote_block(words)),
        f"Else {else_}.",
    )
    return order, _CommandAnswer("\n".join(lines), asks=True, asked=order)


def _orders_in(context: MessageContext, name: str, text: TextBlock) -> tuple[str, ...]:
    """Return the lines of a text that are orders of a seat of its writer, a GM who plays."""
    own = [each.seat for each in seats_of(context.session, context.sender) if each.campaign == name]
    places = filter(None, (find_seat(context.session, name, seat) for seat in own))
    found = dict(line for place in places for line in find_orders(context, place, text.lines))
    return tuple(redact_credentials(line.strip()) for line in found.values())


def _unproved(
    entry: ParsedOrder, orders: GmOrders, order: GmCommand, told: _CommandAnswer
) -> tuple[GmCommand, _CommandAnswer]:
    """Return the answer to a command; one that UNDO does not take back is only shown."""
    if not told.acts or told.undoes:
        return order, told
    text = _NOT_TAKEN_BACK
    if isinstance(order, WORDS):
        words = sanitise_text(orders.text_of(entry).words).text
        text = f"With YES this goes out:\n{quote_block(words)}"
    return order, _CommandAnswer(text, asks=True, asked=order)


_NOT_TAKEN_BACK = "Shown first, since UNDO does not take it back."
_NO_CODE = "Shown first, since your mail shows no valid code of mine."
_MAILED = ("invite", "text")
"""Kinds of actions by which people are mailed words of the GM, or mail at all."""


def _is_undone(wish: Wish) -> bool:
    """Return True for what UNDO takes back whoever has read of it, and which mails no words of the GM to anybody."""
    if not isinstance(wish, Change):
        return True
    way = REVERSALS[wish.kind]
    return wish.kind == UNDO or (bool(way.tables) and not way.until_mailed and wish.kind not in _MAILED)


def _answer_run(context: MessageContext, name: str, said: _Said) -> GmRun:
    waits = any(each.asks for _, each in said)
    snapshot = locked_campaign(context.session, name)
    # A command without such a word is done by a reply alone.
    asked = [sent for _, each in said if each.asked and (sent := each.asked.with_yes(snapshot.turn)).has_yes]
    answer = GmAnswer(
        campaign=name,
        result="would-do" if waits else "done",
        count=len(said),
        fact=(said[0][1].fact or _fact(said[0][0])) if len(said) == 1 else "",
        done=tuple(GmCommandResult(command_line(order), each.text) for order, each in said),
        asked=tuple(map(command_line, asked)),
    )
    meant = tuple(each.asked for _, each in said)
    return GmRun(answer, tuple(file for _, each in said for file in each.files), waits, meant)


def _failure(name: str, failed: _CommandFailed, *, count: int) -> GmAnswer:
    order = failed.entry.order
    return GmAnswer(
        campaign=name,
        result="not-done",
        count=count,
        fact=_fact(order),
        line=failed.entry.line,
        at_fault=command_line(order),
        problem=str(failed),
    )


_OF_SEATS = (GiveSeat, OpenSeat, PauseSeat, ResumeSeat, RemoveSeat)


def _fact(order: Order) -> str:
    """Return a command in a few words, for a subject."""
    verb, _, rest = command_line(order).partition(" ")
    words = [verb.lower(), *["seat"] * isinstance(order, _OF_SEATS), rest]
    return " ".join(filter(None, words))


def _run_entry(
    context: MessageContext,
    name: str,
    entry: ParsedOrder,
    orders: GmOrders,
    wishes: Wishes,
    *,
    sure: bool,
    trust: Trust,
) -> tuple[GmCommand, _CommandAnswer]:
    order: Any = entry.order
    try:
        # Loaded for each command, since the one before may have changed it.
        campaign_context = context.campaign_context(locked_campaign(context.session, name))
        if isinstance(order, GmHelp):
            return order, _CommandAnswer("\n".join(help_lines(explain(order.about, name))))
        text = _text_of(context, name, entry, orders)
        if entry == orders.parsed.entries[-1] and ((text.words and not order.takes_text) or orders.below):
            below = quote_lines([redact_credentials(line) for _, line in orders.below])
            raise CampaignError(f"it is not known what to do with the lines below it{f': {below}' if below else ''}")
        wish = wishes.get(type(order), CampaignError(NOT_EXAMINED)) if order.takes_files else _wish(order, text)
        if isinstance(wish, CampaignError):
            raise wish
        if trust == "none" and isinstance(wish, Change):
            raise NotTheirs
        if trust == "address" and not sure:
            return order, _CommandAnswer(_NO_CODE, asks=True, asked=order)
        meant = order.with_yes(campaign_context.snapshot.turn) if sure else order
        told = _apply_or_preview(campaign_context, wish, meant, sure=sure or (order.has_yes and trust == "token"))
        return order, replace(told, undoes=_is_undone(wish))
    except StoreError:
        raise
    except (PbemError, RulesetError) as error:
        raise _CommandFailed(entry, error) from error


def _text_of(context: MessageContext, name: str, entry: ParsedOrder, orders: GmOrders) -> TextBlock:
    """Return the text below a command, or the orders of the message that it names. Raises CampaignError."""
    order, text = entry.order, orders.text_of(entry)
    if not isinstance(order, RunAgain) or order.seat is None or order.message is None:
        return text
    if text.words:
        raise CampaignError(f"message {order.message} and the lines below are two sheets: take out one")
    return TextBlock(tuple(lines_of_message(context.app, context.session, name, order.seat, int(order.message))))


def _wish(order: GmCommand, text: TextBlock) -> Wish | CampaignError:
    try:
        return order.wish(text)
    except CampaignError as error:
        return error


def find_wishes(orders: GmOrders, raw: bytes) -> Wishes:
    """Return the wishes of the commands that take files, with those of their message. May take long."""
    files: dict[str, Any] = {"attached": tuple(list_attachments(raw)), "cut": is_truncated(raw)}
    return {type(order): _wish(order, replace(text, **files)) for order, text in _taking_files(orders)}


def takes_files(orders: GmOrders) -> bool:
    """Return True if a command takes the files of its message."""
    return bool(_taking_files(orders))


def _taking_files(orders: GmOrders) -> list[tuple[GmCommand, TextBlock]]:
    found = ((each.order, orders.text_of(each)) for each in orders.parsed.entries)
    return [(order, text) for order, text in found if isinstance(order, GmCommand) and order.takes_files]


_UNDONE = "\0"
"""The line that the renderers of previews end with; the answer has a heading instead."""


def _apply_or_preview(context: Context, wish: Wish, order: GmCommand, *, sure: bool) -> _CommandAnswer:
    """Apply a command, or show its effect if it needs confirmation and is not `sure`."""
    _check_turn(context, order)
    asked = confirmation(wish, context) if isinstance(wish, Change) and not sure else None
    traces: tuple[AuditEntry, ...] = ()
    if isinstance(wish, Change) and asked is None:
        facts, channel = apply_change(context, wish), Channel(by_mail=True)
    else:
        assert isinstance(wish, Query)
        facts = wish.look(context) if asked is None else asked
        channel = Channel(by_mail=True, undone="" if asked is None else _UNDONE)
        traces = wish.traces(facts)
        add_audit_entries(context, traces)
    acts = isinstance(wish, Change) and asked is None
    text = "\n".join(line for line in wish.render(facts, channel) if line != _UNDONE)
    if isinstance(facts, RulingResult) and not facts.kept:
        raise CampaignError(text)
    fact = ""
    if acts and isinstance(order, ExtendDeadline) and (deadline := open_deadline(context.session, context.snapshot)):
        fact = f"deadline {format_time_short(deadline, context.snapshot.schedule.zone)}"
    meant = None if asked is None else order.confirmed(asked)
    return _CommandAnswer(text, _result_files(facts), traces, acts, asks=meant is not None, fact=fact, asked=meant)


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
        return tuple(
            MailPart(f"{report.place.seat}.txt", "text/plain; charset=utf-8", report.parts.text.encode())
            for report in facts.reports
        )
    if isinstance(facts, TrialResult):
        return _result_files(facts.preview)
    if isinstance(facts, Statistics):
        png = render_png(statistics_chart(facts))
        return (MailPart(f"{facts.campaign}-statistics.png", "image/png", png),) if png else ()
    if isinstance(facts, ShownState):
        return (MailPart(f"{facts.campaign}-{facts.turn}.json", "application/json", facts.text.encode()),)
    return ()
