"""What a GM's commands wish: of each command by mail the act, or the question, that the command line has too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.acts.act import Act, Question
from pbem.acts.gm import MailToken
from pbem.acts.journal import ShowJournal
from pbem.acts.opening import Start
from pbem.acts.past.amending import Amend
from pbem.acts.past.entering import GiveSheet
from pbem.acts.past.forking import TryOut
from pbem.acts.past.mending import Mend
from pbem.acts.past.patching import Patch, ShowState
from pbem.acts.past.preview import ShowPreview
from pbem.acts.past.rerunning import Changes
from pbem.acts.past.rolling import GoForward, RollBack
from pbem.acts.past.sheets import RestoreSheet, ShowSheets
from pbem.acts.people.roster import (
    ExpelSeat,
    GiveSeat,
    Invite,
    PauseSeat,
    SetPolicy,
    ShowPolicy,
    ShowRoster,
    VacateSeat,
)
from pbem.acts.press.from_gm import AddText, Broadcast, DropText, ShowPress, ShowTexts
from pbem.acts.press.writing import EVERYBODY
from pbem.acts.ruling.adjudicating import ruling_by_mail
from pbem.acts.ruling.rolling import RollDice, ShowRolls
from pbem.acts.ruling.rulingform import read_form
from pbem.acts.ruling.withdrawing import DropRuling, RestoreRuling, ShowRuling
from pbem.acts.time.extending import Extend
from pbem.acts.time.holding import Hold, Release
from pbem.acts.time.scheduling import Reschedule, ShowDeadlines
from pbem.acts.turns.run_requests import AskForRun
from pbem.desk import gm_commands as by_mail
from pbem.desk.gm_commands import GmText
from pbem.errors import CampaignError
from pbem.housekeeping.statistics import ShowStatistics
from pbem.housekeeping.status import ShowStatus
from pbem.post.incoming import MAX_GM_MAIL
from pbem.ruleset import as_size
from pbem.ruleset.canonical import read_json

Wish = Question[Any] | Act[Any]


def _deadline(order: by_mail.Deadline, _: GmText) -> Wish:
    return Reschedule(" ".join(order.schedule)) if order.schedule else ShowDeadlines()


def _span(order: by_mail.ExtendTurn) -> str:
    """Return the span of an EXTEND; the word YES behind none is no span, and nothing needs it there."""
    return "" if order.span is None or order.span.upper() == "YES" else order.span


def _add_text(order: by_mail.AddText, text: GmText) -> Wish:
    return AddText(_words(text), None if order.seat.lower() == EVERYBODY else order.seat)


def _announce(order: by_mail.Announce, text: GmText) -> Wish:
    return Broadcast(_words(text), order.seats or (EVERYBODY,))


def _run_again(order: by_mail.RunAgain, text: GmText) -> Wish:
    return Amend(Changes(sheets={order.seat: text.orders}))


def _fork(order: by_mail.Fork, text: GmText) -> Wish:
    if text.words and not order.seat:
        raise CampaignError(f"whose sheet is it that stands below? Write: FORK {order.turn} seat")
    return TryOut(_number(order.turn), {order.seat: text.orders} if order.seat else {})


def _patch(_: by_mail.PatchState, text: GmText) -> Wish:
    try:
        return Patch(read_json(text.words))
    except (ValueError, RecursionError) as error:
        raise CampaignError(f"what stands below PATCH is not JSON ({error})") from None


def _give_sheet(order: by_mail.GiveSheet, text: GmText) -> Wish:
    if order.what is None and order.number is not None:
        raise CampaignError(f"to have an earlier sheet back, write: SHEET {order.seat} BACK {order.number}")
    if order.what is not None and text.words:
        raise CampaignError(f"nothing stands below SHEET {order.seat} BACK: it is not known what to do with it")
    if order.what is not None:
        return RestoreSheet(order.seat, None if order.number is None else _number(order.number))
    return GiveSheet(order.seat, text.orders) if text.words else ShowSheets(order.seat)


def _rule(order: by_mail.Rule, text: GmText) -> Wish:
    number = None if order.number is None else _number(order.number)
    if order.what != "BACK" and number is not None:
        raise CampaignError(f"to have an earlier ruling back, write: RULING BACK {number}")
    if order.what is not None and text.words:
        raise CampaignError(f"nothing stands below RULING {order.what}: it is not known what to do with it")
    if order.what == "OFF":
        return DropRuling()
    if order.what == "BACK":
        return RestoreRuling(number)
    # A picture in the text of a mail may be the logo of its writer, and is no ruling.
    if not (text.words or text.cut or any(not each.inline for each in text.attached)):
        return ShowRuling()
    if text.cut:
        raise CampaignError(
            "the mail is too big, and only its beginning was read: make pictures smaller, or have the ruling read from "
            f"a folder; with all its files a mail may have {as_size(MAX_GM_MAIL)}"
        )
    return ruling_by_mail(read_form(line for _, line in text.lines), text.attached)


def _words(text: GmText) -> str:
    if not text.words:
        raise CampaignError("there is no text below the command")
    return text.words


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise CampaignError(f"{text!r} is not a number such as 4")
    return int(text)


WISHES: Mapping[type[by_mail.GmCommand], Callable[[Any, GmText], Wish]] = {
    by_mail.ShowStatus: lambda _order, _text: ShowStatus(),
    by_mail.ShowStatistics: lambda _order, _text: ShowStatistics(),
    by_mail.ShowSeats: lambda _order, _text: ShowRoster(),
    by_mail.ShowPolicy: lambda _order, _text: ShowPolicy(),
    by_mail.ShowJournal: lambda _order, _text: ShowJournal(),
    by_mail.ShowTexts: lambda _order, _text: ShowTexts(),
    by_mail.ShowPress: lambda _order, _text: ShowPress(),
    by_mail.ShowState: lambda _order, _text: ShowState(),
    by_mail.ShowPreview: lambda order, _text: ShowPreview(real_dice=order.real is not None),
    by_mail.StartCampaign: lambda _order, _text: Start(),
    by_mail.HoldTurns: lambda order, _text: Hold(" ".join(order.reason)),
    by_mail.ReleaseTurns: lambda _order, _text: Release(),
    by_mail.ExtendTurn: lambda order, _text: Extend(_span(order)),
    by_mail.Deadline: _deadline,
    by_mail.RunTurn: lambda _order, _text: AskForRun(),
    by_mail.PauseSeat: lambda order, _text: PauseSeat(order.seat),
    by_mail.ResumeSeat: lambda order, _text: PauseSeat(order.seat, paused=False),
    by_mail.GiveSeat: lambda order, _text: GiveSeat(order.seat, order.address),
    by_mail.OpenSeat: lambda order, _text: VacateSeat(order.seat),
    by_mail.RemoveSeat: lambda order, _text: ExpelSeat(order.seat),
    by_mail.Invite: lambda order, _text: Invite(order.address, order.seat or ""),
    by_mail.SetRule: lambda order, _text: SetPolicy({order.rule: order.value}),
    by_mail.NewToken: lambda _order, _text: MailToken(),
    by_mail.AddText: _add_text,
    by_mail.DropText: lambda order, _text: DropText(_number(order.text)),
    by_mail.Announce: _announce,
    by_mail.GiveSheet: _give_sheet,
    by_mail.ShowSheets: lambda order, _text: ShowSheets(order.seat),
    by_mail.Rule: _rule,
    by_mail.RollDice: lambda order, _text: RollDice(order.dice, " ".join(order.label)),
    by_mail.ShowRolls: lambda order, _text: ShowRolls(_number(order.turn) if order.turn else None),
    by_mail.RollBack: lambda order, _text: RollBack(_number(order.turn)),
    by_mail.GoForward: lambda _order, _text: GoForward(),
    by_mail.MendTurns: lambda _order, _text: Mend(),
    by_mail.RunAgain: _run_again,
    by_mail.PatchState: _patch,
    by_mail.Fork: _fork,
}
"""What each command wishes, with the text below it."""
