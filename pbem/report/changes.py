"""Says in sentences what is different between a report and the corrected one in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbem.report.facts import OrderOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSentences:
    """Sentences of a report: headlines, events (each a sentence and lines that explain it), and orders."""

    headlines: Sequence[str]
    events: Sequence[Sequence[str]]
    orders: Sequence[OrderOutcome]

    @property
    def lines(self) -> list[str]:
        return [order.typed for order in self.orders]

    @property
    def outcomes(self) -> list[str]:
        """The orders that have an outcome, each with it."""
        return [f"{each.typed}: {each.told}" for each in self.orders if each.told]


def describe_changes(before: ReportSentences, now: ReportSentences) -> tuple[str, ...]:
    """Return the changes: of orders, then what is new, then what is told no longer; each once."""
    new = [*_outcomes_of_same_orders(before, now), *_news(before, now)]
    gone = _news(now, before)
    said = [*_describe_orders(before.lines, now.lines), *map("New: {}".format, new), *map("No longer: {}".format, gone)]
    return tuple(dict.fromkeys(said))


def _describe_orders(before: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    entered = [line for line in now if line not in before]
    dropped = [line for line in before if line not in now]
    if entered:
        yield f"Orders were entered for you: {'; '.join(entered)}." + ("" if before else " Before, there were none.")
    if dropped:
        yield f"No longer among your orders: {'; '.join(dropped)}."


def _outcomes_of_same_orders(before: ReportSentences, now: ReportSentences) -> Iterator[str]:
    for each, outcome in zip((order for order in now.orders if order.told), now.outcomes, strict=True):
        if each.typed in before.lines and outcome not in before.outcomes:
            yield outcome


def _news(old: ReportSentences, new: ReportSentences) -> Iterator[str]:
    """Yield the headlines and events of a report that another one does not have."""
    yield from (str(each) for each in new.headlines if each not in old.headlines)
    told = [" ".join(lines) for lines in old.events]
    first = [lines[0] for lines in old.events]
    for lines in new.events:
        if " ".join(lines) not in told:
            # Of an event that is told otherwise, the explanation differs.
            yield " ".join(lines) if lines[0] in first else lines[0]
