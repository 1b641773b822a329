"""Checks of a sheet beyond its syntax, and a bot. Both see the mailed view alone, never the state."""

from collections.abc import Iterable, Mapping

from pbem.ruleset import Bot, Dice, Finding, Order, ParsedSheet, View

from mygame.orders import ORDERS, Hide, Search


def parse(view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
    """Return the orders as declared, one of each kind; every refusal is a finding with its line."""
    parsed = ORDERS.parse(view, lines)
    entries, findings, given = [], list(parsed.findings), set[type[Order]]()
    for entry in parsed.entries:
        kind = type(entry.order)
        if kind in given:
            text = f"you have ordered to {kind.__name__.lower()} already, further up"
            findings.append(Finding(entry.line, "error", "twice", text, "leave one of the two lines out"))
        else:
            given.add(kind)
            entries.append(entry)
    return ParsedSheet(tuple(entries), tuple(sorted(findings, key=lambda finding: finding.line)))


def standard(view: View, dice: Dice) -> list[str]:
    """Hide anywhere within reach, and search anywhere else."""
    hidden = dice.pick(view["near"], "hide", view["label"])
    elsewhere = [cave for cave in view["near"] if cave != hidden]
    return [ORDERS.line(Hide(hidden)), ORDERS.line(Search(dice.pick(elsewhere, "search", view["label"])))]


BOTS: Mapping[str, Bot] = {"standard": standard}
