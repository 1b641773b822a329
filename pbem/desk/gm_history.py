"""What is done for a GM's commands about what is, was, and would be: looks, sheets, and changes of the past."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.acts.past.amending import LOOKED, keep_amendment, note_question
from pbem.acts.past.entering import give_sheet
from pbem.acts.past.patching import read_edit
from pbem.acts.past.preview import OTHER_DICE, REAL_DICE, preview_of
from pbem.acts.past.radius import Radius, plan_amendment
from pbem.acts.past.rerunning import Changes
from pbem.acts.past.rolling import go_forward, plan_rollback, roll_back
from pbem.campaign.table import check_running, find_place, locked_table
from pbem.desk.gm import GmAsked, GmHandlers, GmSaid
from pbem.desk.gm_commands import (
    GiveSheet,
    GoForward,
    PatchState,
    RollBack,
    RunAgain,
    ShowPreview,
    ShowStatus,
)
from pbem.errors import CampaignError
from pbem.housekeeping.status import SeatStatus, campaign_status
from pbem.post.writing import Part
from pbem.report.wording import joined, when
from pbem.ruleset.canonical import read_json


def _status(asked: GmAsked, _: ShowStatus) -> GmSaid:
    status = campaign_status(asked.case.session, asked.case.house, asked.table)
    lines = [f"{status.title}, turn {status.turn}, {status.status}."]
    if status.deadline:
        lines.append(f"Orders are due {when(status.deadline, status.zone)}.")
    if status.held:
        lines.append(f"No turn is run: {status.held}.")
    lines += map(_seat, status.seats)
    lines += [f"mail to {mail.recipient} is {mail.state}: {mail.reply}" for mail in status.undelivered if mail.attempts]
    return GmSaid("\n".join(lines))


def _seat(seat: SeatStatus) -> str:
    if not seat.playing:
        return f"{seat.seat}: out of the game"
    sheet = f"sheet {seat.sheet}" if seat.sheet else "awaited" if seat.awaited else "not awaited"
    wait = ", waits for the deadline" if seat.wait else ""
    paused = ", paused" if seat.paused else ""
    return f"{seat.seat}: {sheet}{wait}{paused}; {seat.address or 'nobody sits there'}"


def _preview(asked: GmAsked, order: ShowPreview) -> GmSaid:
    check_running(asked.table)
    real = order.real is not None
    made = preview_of(asked.case.session, asked.case.house, asked.table, asked.case.now, real_dice=real)
    files = tuple(
        Part(f"{report.place.seat}.txt", "text/plain; charset=utf-8", report.parts.text.encode())
        for report in made.reports
    )
    missing = f" Without a sheet: {joined(made.missing)}." if made.missing else ""
    dice = REAL_DICE if real else OTHER_DICE
    return GmSaid(f"These are the reports if turn {made.turn} were run now. Nothing is kept.{missing} {dice}", files)


def _sheet(asked: GmAsked, order: GiveSheet) -> GmSaid:
    case = asked.case
    table = locked_table(case.session, asked.table.name)
    receipt = give_sheet(case.session, case.house, table, order.seat, asked.orders, case.now)
    return GmSaid(receipt.verdict + "".join(f"\nline {each.line}: {each.text}" for each in receipt.findings))


def _roll_back(asked: GmAsked, order: RollBack) -> GmSaid:
    case, number = asked.case, _number(order.turn)
    table = locked_table(case.session, asked.table.name)
    if order.sure is None:
        plan = plan_rollback(case.session, table, number, case.now)
        said = f"Turn {number} would be open again, and the reports of later turns withdrawn"
        kept = f"; sheets in for it: {joined(list(plan.sheets))}" if plan.sheets else ""
        return GmSaid(f"{said}{kept}. To do it: ROLLBACK {number} YES")
    roll_back(case.session, case.house, table, number, case.now)
    return GmSaid(f"Turn {number} is open again; everybody is told.")


def _go_forward(asked: GmAsked, _: GoForward) -> GmSaid:
    case = asked.case
    rolled = go_forward(case.session, case.house, locked_table(case.session, asked.table.name), case.now)
    return GmSaid(f"The rollback is taken back: turn {rolled.turn} is open again.")


def _run_again(asked: GmAsked, order: RunAgain) -> GmSaid:
    seat = find_place(asked.table, order.seat).seat
    return _amended(asked, Changes(sheets={seat: asked.orders}), f"RERUN {seat} YES", sure=order.sure is not None)


def _patch(asked: GmAsked, order: PatchState) -> GmSaid:
    try:
        data = read_json(asked.words)
    except (ValueError, RecursionError) as error:
        raise CampaignError(f"what stands below PATCH is not JSON ({error})") from None
    edit = read_edit(asked.case.session, asked.case.house, asked.table, data)
    said = _amended(asked, edit.changes, "PATCH YES", sure=order.sure is not None)
    return GmSaid("".join(f"{each.path}: {each.text}\n" for each in edit.differences) + said.text)


def _amended(asked: GmAsked, changes: Changes, again: str, *, sure: bool) -> GmSaid:
    case = asked.case
    table = locked_table(case.session, asked.table.name)
    amendment = plan_amendment(case.session, case.house, table, changes, case.now)
    said = "\n".join(_radius(amendment.radius))
    if not sure:
        note_question(case.session, table, amendment.radius, case.now)
        looked = f" {LOOKED}" if amendment.radius.tried else ""
        return GmSaid(f"{said}\nNothing is changed yet.{looked} To do it, send the same with: {again}")
    keep_amendment(case.session, case.house, table, amendment, case.now)
    return GmSaid(f"{said}\nIt is done; corrected reports are on their way.")


def _radius(radius: Radius) -> Iterator[str]:
    """Whose reports a second run changes, in lines."""
    if not radius.touched:
        yield f"No report of turn {radius.turn} changes."
    for touched in radius.touched:
        sheet = {"none": "", "kept": "; its sheet still counts", "dropped": "; its sheet no longer counts"}[
            touched.sheet
        ]
        yield f"{touched.seat}: another report, edition {touched.edition}{sheet}"
        yield from (f"    {line}" for line in touched.differences)
    if radius.untouched:
        yield f"Not touched: {joined(radius.untouched)}."


def _number(text: str) -> int:
    if not text.isdecimal():
        raise CampaignError(f"{text!r} is not the number of a turn")
    return int(text)


HANDLERS: GmHandlers = {
    ShowStatus: _status,
    ShowPreview: _preview,
    GiveSheet: _sheet,
    RollBack: _roll_back,
    GoForward: _go_forward,
    RunAgain: _run_again,
    PatchState: _patch,
}
"""The acts on the past, and looks; `pbem.desk.gm_acts` has those on time, people and words."""
