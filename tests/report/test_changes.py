"""The sentences on what is different in a corrected report."""

from __future__ import annotations

import random

import pytest

from pbem.report.changes import ReportSentences, describe_changes
from pbem.report.facts import OrderOutcome

HEADLINES = ("You have 3 coins.", "You lost a ship.", "Nobody won.")
EVENTS = (("The prize went to red.",), ("A fight at J7+3:", "2 hits"), ("A fight at J7+3:", "3 hits"), ("Rain.",))
ORDERS = (
    OrderOutcome("", "You won.", "BID 2"),
    OrderOutcome("", "red won", "BID 2", "not"),
    OrderOutcome("", "", "WHISPER blue deal"),
)


def drawn(seed: int) -> ReportSentences:
    """Return what a report may say."""
    chance = random.Random(seed)
    return ReportSentences(
        headlines=chance.sample(HEADLINES, chance.randint(0, len(HEADLINES))),
        events=chance.sample(EVENTS, chance.randint(0, len(EVENTS))),
        orders=chance.sample(ORDERS, chance.randint(0, len(ORDERS))),
    )


def said(report: ReportSentences) -> str:
    """Return all that a report says, as one text."""
    events = [text for lines in report.events for text in (lines[0], " ".join(lines))]
    return "\n".join((*report.headlines, *events, *report.outcomes, *report.lines))


@pytest.mark.parametrize("seed", range(200))
def test_each_sentence_is_new_or_gone(seed: int) -> None:
    """Sentences called new are in the later report alone, those told no longer in the earlier one alone."""
    before, now = drawn(seed), drawn(seed + 1000)
    both = (said(before).split("\n"), said(now).split("\n"))
    for sentence in describe_changes(before, now):
        kind, _, what = sentence.partition(": ")
        if kind in ("New", "No longer"):
            assert [what in each for each in both] == [kind == "No longer", kind == "New"]
        else:
            assert kind in ("Orders were entered for you", "No longer among your orders")


@pytest.mark.parametrize("seed", range(20))
def test_equal_reports_have_no_changes(seed: int) -> None:
    """Nothing is told of what is the same."""
    assert describe_changes(drawn(seed), drawn(seed)) == ()


def test_orders_that_were_entered_are_named() -> None:
    """Orders where there were none are told so; their outcome is not told once more."""
    before = ReportSentences(headlines=(), events=(), orders=())
    now = ReportSentences(headlines=(), events=(), orders=ORDERS[:1])

    assert describe_changes(before, now) == ("Orders were entered for you: BID 2. Before, there were none.",)
    assert describe_changes(now, before) == ("No longer among your orders: BID 2.",)
