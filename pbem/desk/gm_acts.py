"""What is done for a GM's commands: each calls the campaign's own act, in the transaction of his letter."""

from __future__ import annotations

from pbem.acts.people.roster import change_seat, invite, set_rules
from pbem.acts.ruling.adjudicating import check_ruled, take_ruling
from pbem.acts.ruling.rulingform import read_form
from pbem.acts.time.extending import extend, read_extension
from pbem.acts.time.holding import hold, release
from pbem.acts.turns.asking import ask_for_run
from pbem.acts.words.gmwords import add_text, broadcast
from pbem.acts.words.writing import EVERYBODY
from pbem.desk.gm import GmAsked, GmHandlers, GmSaid
from pbem.desk.gm_commands import (
    AddText,
    Announce,
    ExtendTurn,
    GiveSeat,
    HoldTurns,
    Invite,
    OpenSeat,
    PauseSeat,
    ReleaseTurns,
    RemoveSeat,
    ResumeSeat,
    Rule,
    RunTurn,
    SetRule,
)
from pbem.errors import CampaignError
from pbem.report.wording import joined


def _hold(asked: GmAsked, order: HoldTurns) -> GmSaid:
    case, table = asked.case, asked.table
    if not hold(case.session, case.house, table, " ".join(order.reason), case.now, actor="gm"):
        raise CampaignError(f"{table.name} is held already: {table.held}")
    return GmSaid(f"No turn of {table.name} runs until you say RELEASE. Its players are told.")


def _release(asked: GmAsked, _: ReleaseTurns) -> GmSaid:
    case, table = asked.case, asked.table
    check_ruled(table)
    if not release(case.session, case.house, table, case.now):
        raise CampaignError(f"{table.name} is not held")
    return GmSaid(f"Turns of {table.name} run again. It was held: {table.held}.")


def _extend(asked: GmAsked, order: ExtendTurn) -> GmSaid:
    case, table = asked.case, asked.table
    more = read_extension(order.span, table.schedule.zone)
    return GmSaid(extend(case.session, case.house, table, case.now, more))


def _run(asked: GmAsked, _: RunTurn) -> GmSaid:
    ask_for_run(asked.case.session, asked.table, asked.case.now)
    return GmSaid(f"Turn {asked.table.turn} of {asked.table.name} is run as soon as all letters are read.")


def _give(asked: GmAsked, order: GiveSeat) -> GmSaid:
    return _changed(asked, order.seat, "give", order.address)


def _open(asked: GmAsked, order: OpenSeat) -> GmSaid:
    return _changed(asked, order.seat, "open")


def _pause(asked: GmAsked, order: PauseSeat) -> GmSaid:
    return _changed(asked, order.seat, "pause")


def _resume(asked: GmAsked, order: ResumeSeat) -> GmSaid:
    return _changed(asked, order.seat, "resume")


def _remove(asked: GmAsked, order: RemoveSeat) -> GmSaid:
    if order.sure is None:
        seat = order.seat.lower()
        return GmSaid(f"A seat removed never comes back. If that is what you want, write: REMOVE {seat} YES")
    return _changed(asked, order.seat, "remove")


def _changed(asked: GmAsked, seat: str, act: str, address: str = "") -> GmSaid:
    case = asked.case
    return GmSaid(change_seat(case.session, case.house, asked.table, seat, case.now, act=act, address=address))


def _invite(asked: GmAsked, order: Invite) -> GmSaid:
    case = asked.case
    return GmSaid(invite(case.session, case.house, asked.table, order.address, case.now, seat=order.seat or ""))


def _set_rule(asked: GmAsked, order: SetRule) -> GmSaid:
    set_rules(asked.case.session, asked.table, {order.rule: order.value}, asked.case.now)
    return GmSaid(f"The house rule {order.rule} of {asked.table.name} is {order.value} from now on.")


def _add_text(asked: GmAsked, order: AddText) -> GmSaid:
    seat = None if order.seat.lower() == EVERYBODY else order.seat
    text = add_text(asked.case.session, asked.table, _text(asked), asked.case.now, seat=seat)
    return GmSaid(f"Your text stands in the reports that open turn {text.turn}, of {text.seat or 'all seats'}.")


def _announce(asked: GmAsked, _: Announce) -> GmSaid:
    case = asked.case
    reached = broadcast(case.session, case.house, asked.table, _text(asked), case.now)
    return GmSaid(f"Your words are mailed to {joined(reached)}.")


def _rule(asked: GmAsked, _: Rule) -> GmSaid:
    case, name = asked.case, asked.table.name
    taken = take_ruling(case.house, case.session, name, read_form(line for _, line in asked.text), case.now)
    told = [f"{file}, line {each.line}: {each.text}" for file, found in taken.findings.items() for each in found]
    if not taken.kept:
        raise CampaignError("the ruling is not kept; " + "; ".join(told))
    notes = "".join(f"\n- {line}" for line in told)
    return GmSaid(f"Your ruling on turn {taken.turn} is kept. RELEASE lets the turn run with it.{notes}")


def _text(asked: GmAsked) -> str:
    if not asked.words:
        raise CampaignError("there is no text below the command")
    return asked.words


HANDLERS: GmHandlers = {
    HoldTurns: _hold,
    ReleaseTurns: _release,
    ExtendTurn: _extend,
    RunTurn: _run,
    GiveSeat: _give,
    OpenSeat: _open,
    PauseSeat: _pause,
    ResumeSeat: _resume,
    RemoveSeat: _remove,
    Invite: _invite,
    SetRule: _set_rule,
    AddText: _add_text,
    Announce: _announce,
    Rule: _rule,
}
"""The acts on time, people and words; `pbem.desk.gm_history` has those on the past."""
