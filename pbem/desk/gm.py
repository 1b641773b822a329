"""A GM's own letters: proved by his token, done whole or not at all, answered to his address alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from pbem.campaign.reading import Lines
from pbem.campaign.table import Table, locked_table
from pbem.campaign.tokens import token_fits
from pbem.desk.gm_commands import GM_COMMANDS, GmCommand, GmOrders, GmSheet, read_gm_sheet
from pbem.desk.replies import Case, answer_gm, to_stranger, warn_gm
from pbem.errors import PbemError, StoreError
from pbem.masking import without_keys
from pbem.post.writing import Part
from pbem.report import tell_findings
from pbem.report.gm_pages import Done, GmAnswer, GmImpostor
from pbem.ruleset import Order, RulesetError
from pbem.store.models import Campaign


@dataclass(frozen=True, slots=True)
class GmAsked:
    """A command as its handler is given it; `text` are the numbered lines below it, for commands that take a text."""

    case: Case
    table: Table
    text: tuple[tuple[int, str], ...]

    @property
    def words(self) -> str:
        """The text as it was written."""
        return "\n".join(line for _, line in self.text).strip()

    @property
    def orders(self) -> Lines:
        """The text as the lines of a sheet, which is kept: a key that stands among them is masked."""
        return tuple((number, without_keys(line)) for number, line in self.text)


@dataclass(frozen=True, slots=True)
class GmSaid:
    """What a handler has to tell: a paragraph or more, and files to go with the answer."""

    text: str
    files: tuple[Part, ...] = ()


GmHandlers = Mapping[type[GmCommand], Callable[[GmAsked, Any], GmSaid]]
"""What is done for each command, in the letter's transaction. A handler raises PbemError for what it refuses."""


class _Failed(Exception):
    def __init__(self, order: Order, error: Exception) -> None:
        super().__init__(str(error))
        self.order = order


def answer_gm_letter(case: Case, sheet: GmSheet, handlers: GmHandlers) -> str:
    """Does what a letter with a GM frame asks, if its token is right; returns what to note of it."""
    campaign = case.session.scalar(select(Campaign).where(Campaign.name == sheet.campaign))
    if campaign is None:
        return f"for no campaign, by its GM frame; {to_stranger(case)}"
    if not (campaign.gm_token_hash and token_fits(sheet.key, campaign.gm_token_hash)):
        page = GmImpostor(campaign=campaign.name, sender=case.letter.sender or "an unreadable sender")
        warned = warn_gm(case, campaign, page)
        return f"in the GM's name without his token; {warned}; {to_stranger(case)}"
    orders = read_gm_sheet(sheet, {})
    told, files = _answered(case, campaign.name, sheet, orders, handlers)
    answer_gm(case, campaign, told, files=files)
    return f"from the GM of {campaign.name}: " + _in_short(told)


def _answered(
    case: Case, name: str, sheet: GmSheet, orders: GmOrders, handlers: GmHandlers
) -> tuple[GmAnswer, tuple[Part, ...]]:
    if orders.parsed.errors or not orders.parsed.orders:
        return GmAnswer(campaign=name, findings=tell_findings(orders.parsed.findings, sheet.shown)), ()
    try:
        with case.session.begin_nested():
            said = [(order, _perform(case, name, order, orders, handlers)) for order in orders.parsed.orders]
    except _Failed as failed:
        return GmAnswer(campaign=name, at_fault=GM_COMMANDS.line(failed.order), problem=str(failed)), ()
    done = tuple(Done(GM_COMMANDS.line(order), told.text) for order, told in said)
    return GmAnswer(campaign=name, done=done), tuple(file for _, told in said for file in told.files)


def _perform(case: Case, name: str, order: Any, orders: GmOrders, handlers: GmHandlers) -> GmSaid:
    try:
        # Anew, since the command before may have changed it.
        asked = GmAsked(case, locked_table(case.session, name), orders.text)
        return handlers[type(order)](asked, order)
    except StoreError:
        raise
    except (PbemError, RulesetError) as error:
        raise _Failed(order, error) from error


def _in_short(told: GmAnswer) -> str:
    if told.done:
        return "; ".join(done.line for done in told.done)
    return f"nothing done ({told.problem})" if told.problem else "nothing done, lines not understood"
