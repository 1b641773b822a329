"""The handlers of all routes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pbem.inbox.bounce_replies import note_machine
from pbem.inbox.confirmations import take_answer, take_replacement, take_settled
from pbem.inbox.context import Confirmed, Outcome
from pbem.inbox.gm_messages import answer_offer, answer_question, take_form, take_gm_frame, take_reply, take_unproved
from pbem.inbox.newcomers import to_stranger
from pbem.inbox.offers import offer_press_reply
from pbem.inbox.queries import send_help
from pbem.inbox.routes import Route
from pbem.inbox.run_commands import join_by_wish, take_commands, take_order_command
from pbem.inbox.sheets import answer_recall, take_bulk_sheet, take_robot_sheet, take_sheet
from pbem.inbox.sheets import take_unproved as take_unproved_sheet

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

Handler = Callable[["Reading"], Outcome | Confirmed]


def _note_machine(mail: Reading) -> Outcome:
    return note_machine(mail.came.context), False


def _leave_past(_mail: Reading) -> Outcome:
    return "not answered: mail of a stranger that is older than 14 days, or than the first campaign", False


def _note_test(mail: Reading) -> Outcome:
    if mail.came.context.key:
        return "the reply to a test of the mailbox: pbem doctor shows it", False
    return "a reply to a test of the mailbox that proves nothing: another address was asked, or too long ago", False


def _send_help(mail: Reading) -> Outcome:
    return send_help(mail.context, mail.help or ()), False


def _offer_games(mail: Reading) -> Outcome:
    return to_stranger(mail.context), False


HANDLERS: Mapping[Route, Handler] = {
    "note": _note_machine,
    "recall": answer_recall,
    "robot-sheet": take_robot_sheet,
    "bulk-sheet": take_bulk_sheet,
    "gm-frame": take_gm_frame,
    "past": _leave_past,
    "ruling": take_form,
    "gm-offer": answer_offer,
    "gm-commands": take_reply,
    "gm-answer": answer_question,
    "gm-unproved": take_unproved,
    "test": _note_test,
    "help": _send_help,
    "player-commands": take_commands,
    "orders-command": take_order_command,
    "answer": take_answer,
    "replacement": take_replacement,
    "settled": take_settled,
    "press": offer_press_reply,
    "sheet": take_sheet,
    "join": join_by_wish,
    "unproved": take_unproved_sheet,
    "games": _offer_games,
}
