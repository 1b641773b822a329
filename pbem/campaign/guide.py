"""Examples of orders for guides and welcomes, from a sample game that bots have played."""

from __future__ import annotations

from functools import lru_cache

from pbem.campaign.courtesies import find_courtesies
from pbem.campaign.order_sheets import PreviousSheets, make_receipt, parse_sheet
from pbem.log import event
from pbem.report.answers import GuideExample
from pbem.report.sample_game import play_sample, sample_sheet
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import View

_MOST_ORDERS = 3
_MOST_HEADLINES = 2
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
    return found.letter[1:-1] if found else ()


def _example(ruleset: AnyRuleset) -> GuideExample | None:
    found = _awaited_view(ruleset)
    lines = [ruleset.orders.line(order) for order in sample_sheet(ruleset, found, _MOST_ORDERS)] if found else []
    if not lines or found is None:
        return None
    letter = (_GREETING, *lines, _THANKS)
    numbered = tuple(enumerate(letter, start=1))
    reading = parse_sheet(ruleset, found, numbered, find_courtesies(ruleset, found, numbered, ("ann",)))
    receipt = make_receipt(
        reading,
        PreviousSheets(0, 0, 0),
        ruleset.orders,
        campaign="",
        seat=found["seat"],
        label=found["label"],
        deadline=None,
        held=False,
        zone="UTC",
    )
    return GuideExample(
        label=found["label"],
        headlines=tuple(map(str, ruleset.turn_summary(found)[:_MOST_HEADLINES])),
        letter=letter,
        subject=receipt.subject,
        title=receipt.title,
        restated=tuple(": ".join(filter(None, (each.typed, each.became))) for each in receipt.noted_orders),
        courtesies=reading.courtesies,
    )


def _awaited_view(ruleset: AnyRuleset) -> View | None:
    """Return a view of a sample game, of a later turn if there is one, whose seat is awaited."""
    for turns in (2, 1, 0):
        for view in play_sample(ruleset, turns).values():
            if view["awaited"] and not view["over"]:
                return view
    return None
