"""A GM's own letters: proved by his token, done whole or not at all, answered to his address alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select

from pbem.acts.act import Act, Question, Scene, confirmation, leave_traces
from pbem.acts.past.forking import WhatIf
from pbem.acts.past.patching import State
from pbem.acts.past.preview import Preview
from pbem.campaign.snapshot import locked_campaign
from pbem.campaign.tokens import token_fits
from pbem.desk.attempts import raw_letter
from pbem.desk.gm_acts import WISHES, Wish
from pbem.desk.gm_commands import GM_COMMANDS, GmCommand, GmOrders, GmSheet, GmText, read_gm_sheet
from pbem.desk.replies import Case, answer_gm, to_stranger, warn_gm
from pbem.errors import PbemError, StoreError
from pbem.housekeeping.chart import picture_of
from pbem.housekeeping.statistics import Statistics
from pbem.post.attached import attached_files, was_cut
from pbem.post.writing import Part
from pbem.report import paint_one, tell_findings
from pbem.report.gm_pages import Done, GmAnswer, GmImpostor
from pbem.ruleset import Order, RulesetError
from pbem.store.models import Campaign
from pbem.telling import mail_door, told


@dataclass(frozen=True, slots=True)
class _Answer:
    """A paragraph or more, and files to go with it."""

    text: str
    files: tuple[Part, ...] = ()


class _Failed(Exception):
    def __init__(self, order: Order, error: Exception) -> None:
        super().__init__(str(error))
        self.order = order


def answer_gm_letter(case: Case, sheet: GmSheet) -> str:
    """Does what a letter with a GM frame asks, if its token is right; returns what to note of it."""
    campaign = case.session.scalar(select(Campaign).where(Campaign.name == sheet.campaign))
    if campaign is None:
        return f"for no campaign, by its GM frame; {to_stranger(case)}"
    if not (campaign.gm_token_hash and token_fits(sheet.key, campaign.gm_token_hash)):
        page = GmImpostor(campaign=campaign.name, sender=case.shown_sender)
        warned = warn_gm(case, campaign, page)
        return f"in the GM's name without his token; {warned}; {to_stranger(case)}"
    orders = _with_files(case, read_gm_sheet(sheet))
    told, files = _answered(case, campaign.name, sheet, orders)
    answer_gm(case, campaign, told, files=files)
    return f"from the GM of {campaign.name}: " + _in_short(told)


def _with_files(case: Case, orders: GmOrders) -> GmOrders:
    """The commands with the files of their mail, if one of them takes any."""
    if not any(order.takes_files for order in orders.parsed.orders if isinstance(order, GmCommand)):
        return orders
    raw = raw_letter(case.session, case.letter_id)
    return replace(orders, text=replace(orders.text, attached=tuple(attached_files(raw)), cut=was_cut(raw)))


def _answered(case: Case, name: str, sheet: GmSheet, orders: GmOrders) -> tuple[GmAnswer, tuple[Part, ...]]:
    if orders.parsed.errors or not orders.parsed.orders:
        return GmAnswer(campaign=name, findings=tell_findings(orders.parsed.findings, sheet.shown)), ()
    try:
        # A savepoint: what failed is undone whole, and the letter is answered all the same.
        with case.session.begin_nested():
            said = [(order, _perform(case, name, order, orders.text)) for order in orders.parsed.orders]
    except _Failed as failed:
        return GmAnswer(campaign=name, at_fault=GM_COMMANDS.line(failed.order), problem=str(failed)), ()
    done = tuple(Done(GM_COMMANDS.line(order), told.text) for order, told in said)
    return GmAnswer(campaign=name, done=done), tuple(file for _, told in said for file in told.files)


def _perform(case: Case, name: str, order: Any, text: GmText) -> _Answer:
    try:
        # Anew, since the command before may have changed it.
        scene = Scene(case.session, case.house, locked_campaign(case.session, name), case.now)
        return _answer(scene, WISHES[type(order)](order, text), order)
    except StoreError:
        raise
    except (PbemError, RulesetError) as error:
        raise _Failed(order, error) from error


def _answer(scene: Scene, wish: Wish, order: GmCommand) -> _Answer:
    """Do what is wished, or look at it: at what needs confirmation too, unless the command has a YES."""
    asked = confirmation(wish, scene) if isinstance(wish, Act) and order.sure is None else None
    if isinstance(wish, Act) and asked is None:
        facts, door = wish.do(scene), mail_door()
    else:
        assert isinstance(wish, Question)
        facts = wish.look(scene) if asked is None else asked
        door = mail_door("" if asked is None else f"{GM_COMMANDS.line(order)} YES")
        leave_traces(scene, wish.traces(facts))
    return _Answer("\n".join(told(facts, door)), _files(facts))


def _files(facts: Any) -> tuple[Part, ...]:
    """The reports of a preview, the state of a turn, the picture of statistics; of most else there are no files."""
    if isinstance(facts, Preview):
        return tuple(_text(f"{report.place.seat}.txt", report.parts.text) for report in facts.reports)
    if isinstance(facts, WhatIf):
        return _files(facts.preview)
    if isinstance(facts, Statistics):
        png = paint_one(picture_of(facts))
        return (Part(f"{facts.campaign}-statistics.png", "image/png", png),) if png else ()
    if isinstance(facts, State):
        return (_text(f"{facts.campaign}-{facts.turn}.json", facts.text),)
    return ()


def _text(name: str, content: str) -> Part:
    return Part(name, "text/plain; charset=utf-8", content.encode())


def _in_short(told: GmAnswer) -> str:
    if told.done:
        return "; ".join(done.line for done in told.done)
    return f"nothing done ({told.problem})" if told.problem else "nothing done, lines not understood"
