"""Reports of a game of bots, played without mail, and the cost of each part of rendering them."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pbem.report.data import report_data, write_report_data
from pbem.report.facts import OrderOutcome, ReportFacts, SheetUsed
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset, Dice, Event, Order, SeatName, TurnInput, View
from pbem.ruleset.protocol import mailed_views
from pbem.ruleset.serialization import canonical_json

TEMPLATES = Path(__file__).parents[2] / "templates"
DEADLINE = dt.datetime(2030, 1, 1, 20, tzinfo=dt.UTC)


class Reported(NamedTuple):
    """A seat's view of a turn, as JSON data, and its orders in that turn."""

    view: View
    orders: tuple[Order, ...]


@dataclass(frozen=True)
class Costs:
    """Milliseconds of processor time a report.

    Made by the game: outcomes of orders (`became`), the turn summary (`brief`), the
    `map`, the `form` of the sheet. Made by templates: the events (`worded`, with the rows of the report), then
    `text` and `html` of all that. `data` is the JSON, without its `brief`. `whole` is
    a report rendered in one call.
    """

    became: float
    brief: float
    map: float
    form: float
    worded: float
    text: float
    html: float
    data: float
    whole: float


def played(ruleset: AnyRuleset, seats: Sequence[SeatName], turns: int) -> list[Reported]:
    """Return the data of all seats' reports after so many turns of bots, or at the end of the game."""
    dice = Dice(b"bench")
    state, events = ruleset.setup({}, seats, dice), tuple[Event, ...]()
    orders: dict[SeatName, tuple[Order, ...]] = {}
    views: dict[SeatName, View] = {}
    for number in range(turns + 1):
        views = mailed_views(ruleset, state, seats, events, views)
        if number == turns or ruleset.standing(state).over:
            break
        orders = {seat: _ordered(ruleset, view, dice.within("bot", seat, number)) for seat, view in views.items()}
        state, events = ruleset.resolve(state, TurnInput(orders), dice.within("turn", number))
    return [Reported(view, orders.get(seat, ())) for seat, view in views.items()]


def _ordered(ruleset: AnyRuleset, view: View, dice: Dice) -> tuple[Order, ...]:
    if not view["awaited"]:
        return ()
    return ruleset.parse(view, enumerate(ruleset.bots["standard"](view, dice), 1)).orders


def costs(ruleset: AnyRuleset, reports: Sequence[Reported], rounds: int) -> Costs:
    """Return the least time of each part in some rounds, for one report."""
    with Renderer([TEMPLATES], {ruleset.key: ruleset}, pictures=False) as reporter:
        facts = [_facts(ruleset, each) for each in reports]
        jobs = [(ruleset, each.view, about) for each, about in zip(reports, facts, strict=True)]
        reporter.report(*jobs[0])  # templates are compiled
        contexts = [reporter._context(*job, [], ruleset.turn_summary(job[1])) for job in jobs]
        datas = [report_data(*job, ruleset.turn_summary(job[1])) for job in jobs]

        views = [each.view for each in reports]
        name, now = ruleset.key, ruleset.current_view
        parts: dict[str, Callable[[], Any]] = {
            "became": lambda: [ruleset.order_outcomes(each.view, each.orders) for each in reports],
            "brief": lambda: [ruleset.turn_summary(view) for view in views],
            "map": lambda: [ruleset.text_map(view) for view in views],
            "form": lambda: [ruleset.template(view) for view in views],
            "worded": lambda: [reporter._render_events(f"{name}/events.j2", now(view)) for view in views],
            "text": lambda: [reporter._render(f"{name}/report.txt.j2", context) for context in contexts],
            "html": lambda: [reporter._render(f"{name}/report.html.j2", context) for context in contexts],
            "data": lambda: [write_report_data(data, canonical_json(data["view"])) for data in datas],
            "whole": lambda: [reporter.report(ruleset, each.view, _facts(ruleset, each)) for each in reports],
        }
        # Part after part in each round, so that a slow moment of the machine spoils one round and not one part.
        spent = [{part: _timed(act) for part, act in parts.items()} for _ in range(rounds)]
    least = {part: 1000 * min(each[part] for each in spent) / len(reports) for part in parts}
    return Costs(**least)


def _timed(act: Callable[[], Any]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def _facts(ruleset: AnyRuleset, report: Reported) -> ReportFacts:
    became = ruleset.order_outcomes(report.view, report.orders) if report.orders else ()
    return ReportFacts(
        campaign="bench",
        seat=report.view["seat"],
        seats=(),
        deadline=DEADLINE,
        zone="Europe/Berlin",
        code="code",
        address="orders@example.org",
        used=SheetUsed(1, "0" * 64),
        ordered=tuple(OrderOutcome(order.words(), said) for order, said in zip(report.orders, became, strict=True)),
        record="0" * 64,
    )
