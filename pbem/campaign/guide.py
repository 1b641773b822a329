"""Examples of orders for guides and welcomes, from a sample game of bots; and how to answer in mail programs."""

from __future__ import annotations

import datetime as dt
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from pbem.campaign.courtesies import find_courtesies
from pbem.campaign.order_sheets import PreviousSheets, make_receipt, parse_sheet
from pbem.log import event
from pbem.report.answers import GuideExample, Receipt
from pbem.report.sample_game import latest_awaited, play_turns, sample_sheet
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import View

_MOST_ORDERS, _MOST_TURNS = 3, 2
_MOST_HEADLINES = 2
_SHORTEST_NAME = 3
_GREETING, _THANKS = "Hi,", "Thanks, Ann"


@lru_cache(maxsize=64)
def guide_example(ruleset: AnyRuleset) -> GuideExample | None:
    """Return a turn of a game in three mails; None if a sample cannot be played. Never raises."""
    try:
        return _example(ruleset)
    except Exception as error:  # noqa: BLE001 - a game may raise anything, and a guide without an example is better than none
        event("guide without an example", level="warning", fault=error, game=ruleset.key)
        return None


def example_orders(ruleset: AnyRuleset) -> tuple[str, ...]:
    """Return the order lines of a usual sheet of a game; () if a sample cannot be played."""
    found = guide_example(ruleset)
    return found.message[1:-1] if found else ()


def answer_in(program: str) -> str:
    """Return how a report is answered in a mail program, whose name may be cut to three letters; "" if unknown."""
    # As its runs have shown: `tests.programs.tables` writes the file.
    known = tomllib.loads(files("pbem.campaign").joinpath("mail_programs.toml").read_text("utf-8"))
    name = program.lower().replace(" ", "-")
    found = next((each for each in sorted(known) if len(name) >= _SHORTEST_NAME and each.startswith(name)), "")
    return f"In {found}: {known[found]}." if found else ""


def _example(ruleset: AnyRuleset) -> GuideExample | None:
    # An earlier turn has its place where no seat is awaited in the later ones.
    found = latest_awaited([*play_turns(ruleset, _MOST_TURNS)])
    view = found[0].views[found[1]] if found else None
    sample = sample_receipt(ruleset, view, _MOST_ORDERS) if view else None
    if sample is None or view is None:
        return None
    receipt = sample.receipt
    return GuideExample(
        label=view["label"],
        headlines=tuple(map(str, ruleset.turn_summary(view)[:_MOST_HEADLINES])),
        message=sample.message,
        subject=receipt.subject,
        title=receipt.title,
        restated=tuple(": ".join(filter(None, (each.typed, each.became))) for each in receipt.noted_orders),
        courtesies=sample.courtesies,
    )


class SampleReceipt(NamedTuple):
    """A message with orders of a bot, its lines that are courtesies, and the receipt that answers it."""

    message: tuple[str, ...]
    courtesies: tuple[str, ...]
    receipt: Receipt


def sample_receipt(
    ruleset: AnyRuleset, view: View, most: int, campaign: str = "", deadline: dt.datetime | None = None
) -> SampleReceipt | None:
    """Return a message with at most so many orders of a bot, and its receipt; None if the bot gives no orders."""
    lines = [ruleset.orders.line(order) for order in sample_sheet(ruleset, view, most)]
    if not lines:
        return None
    message = (_GREETING, *lines, _THANKS)
    numbered = tuple(enumerate(message, start=1))
    reading = parse_sheet(ruleset, view, numbered, find_courtesies(ruleset, view, numbered, ("ann",)))
    receipt = make_receipt(
        reading,
        PreviousSheets(0, 0, 0),
        ruleset.orders,
        campaign=campaign,
        seat=view["seat"],
        label=view["label"],
        deadline=deadline,
        held=False,
        zone="UTC",
    )
    return SampleReceipt(message, reading.courtesies, receipt)
