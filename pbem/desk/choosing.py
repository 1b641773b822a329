"""Which of the texts in a letter its writer means as his orders: what stands at its top, a sheet below, or a file.

Mail programs quote in ways that nobody has foreseen, so that a sheet below
other text may be an older one. Prose never reads as an order, but in games that
take any words: what does, above a sheet, was typed to be obeyed.
"""

from __future__ import annotations

from dataclasses import replace

from pbem.desk.sheet import SheetText, plain_sheet
from pbem.mail.message import Filed, read_from
from pbem.ruleset.order_types import Parsed
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import View

MOST_ASIDE = 8
"""Lines that are no orders, above a sheet: more of them than greetings and a signature have are a quotation."""

UPPER = (
    "Your mail has orders at its top and a sheet below them. Only the orders at the top were read: "
    "the sheet below, from its ORDERS line on, may be an older one that your mail program quoted."
)
LOWER = (
    "Your mail has lines above the ORDERS line that read as orders, among much else: they were left alone, "
    "and the sheet was read. Send your orders again without the rest if that is not what you meant."
)
_NO_ORDERS = "The attached {} was not read: there is no ORDERS line in it, and the mail itself has orders."
_PROSE = "Here are my orders for this turn."


def meant(ruleset: AnyRuleset, view: View, sheet: SheetText, filed: Filed | None) -> SheetText:
    """The sheet that counts of those in a letter; its notes tell what was passed over."""
    if sheet.header is None:
        return sheet if filed is None else _from_file(ruleset, view, sheet, filed)
    if not (above := _orders_above(ruleset, view, sheet)):
        return sheet
    return _upper(sheet, above) or replace(sheet, notes=(*sheet.notes, LOWER))


def upper(ruleset: AnyRuleset, view: View, sheet: SheetText) -> SheetText | None:
    """The orders above a sheet that cannot count itself; None if there are none that do."""
    above = _orders_above(ruleset, view, sheet)
    return _upper(sheet, above) if above else None


def _orders_above(ruleset: AnyRuleset, view: View, sheet: SheetText) -> Parsed | None:
    """Return what stands above a sheet as it parses; None without an order, or where any words are some."""
    if not sheet.above:
        return None
    above = ruleset.parse(view, plain_sheet(sheet.above).lines)
    # Most have none: whether the game reads any words as orders takes parsing once more.
    return above if above.entries and not ruleset.parse(view, [(1, _PROSE)]).entries else None


def _upper(sheet: SheetText, above: Parsed) -> SheetText | None:
    lines = sheet.above
    if len(above.errors) > MOST_ASIDE:
        lines = lines[: min(finding.line for finding in above.errors) - 1]
    found = plain_sheet(lines)
    if found.empty or sheet.header is None:
        return None
    # The key stands in the sheet that does not count, and says nothing of these orders.
    return replace(found, header=replace(sheet.header, key=""), notes=(UPPER,))


def _from_file(ruleset: AnyRuleset, view: View, sheet: SheetText, filed: Filed) -> SheetText:
    """The orders of a file without an ORDERS line, if the mail itself has none."""
    if ruleset.parse(view, sheet.lines).entries or sheet.wait is not None:
        return replace(sheet, notes=(*sheet.notes, _NO_ORDERS.format(filed.names)))
    return replace(plain_sheet(filed.lines), notes=(read_from(filed.names),))
