"""The check of an order sheet against the attachment of a report, without a home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pbem.campaign.courtesies import split_host_words
from pbem.campaign.later_orders import split_parts
from pbem.campaign.order_sheets import open_report, parse_sheet
from pbem.cli.sheet_files import file_lines
from pbem.errors import PARSE_ERRORS
from pbem.inbox.frames import SheetText, find_sheet
from pbem.inbox.sheet_choice import choose_sheet
from pbem.mail.reply_parser import is_routine, rejoin_lines
from pbem.report.answers import FindingWithLine, RestatedOrder
from pbem.report.data import ReportDataError
from pbem.ruleset import order_tree
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Json

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Content of a receipt for a sheet, without a home."""

    campaign: str
    seat: str
    label: str
    accepted: bool
    orders: tuple[RestatedOrder, ...]
    findings: tuple[FindingWithLine, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]
    courtesies: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """The number of lines that could not be accepted."""
        return sum(finding.severity == "error" for finding in self.findings)


def check_sheet(games: Mapping[str, AnyRuleset], sheet: bytes, report: bytes) -> Check:
    """Check a sheet, cleaned as the text of a mail is, against the attachment of a report.

    Raises:
        ReportDataError: the report cannot be used.
        CampaignError: its game is not installed.
    """
    ruleset, data = open_report(games, report)
    lines, cleaned = file_lines(sheet)
    cleaned = [note for note in cleaned if not is_routine(note)]
    lines, mended = rejoin_lines(lines)
    sheet_text = find_sheet(lines, {data["campaign"]})
    found = _call_ruleset(ruleset, lambda: choose_sheet(ruleset, data["view"], sheet_text, None))
    present, parts = _call_ruleset(ruleset, lambda: split_parts(ruleset, data["view"], found.lines))
    reading = _call_ruleset(ruleset, lambda: parse_sheet(ruleset, data["view"], split_host_words(present)[0]))
    return Check(
        campaign=data["campaign"],
        seat=data["seat"],
        label=data["label"],
        accepted=reading.accepted,
        orders=reading.restated,
        findings=reading.remarks,
        missing=reading.missing,
        notes=(
            *(note for note in cleaned if not is_routine(note)),
            *mended,
            *found.notes,
            *(f"{part.typed}: {part.fault or 'not checked: that needs the report of then'}." for part in parts),
            *_other_seat_note(found, data),
            *reading.notes,
        ),
        courtesies=(*reading.courtesies, *found.courtesies),
    )


def order_form(games: Mapping[str, AnyRuleset], report: bytes) -> Json:
    """Return the orders that a seat may give, by its report's attachment: the data of `pbem.ruleset.orders`.

    Raises:
        ReportDataError: the report cannot be used.
        CampaignError: its game is not installed.
    """
    ruleset, data = open_report(games, report)
    return _call_ruleset(ruleset, lambda: order_tree.order_form(ruleset, data["view"]))


def _call_ruleset(ruleset: AnyRuleset, ask: Callable[[], Answer]) -> Answer:
    """Return the answer of a ruleset on a view from a file.

    A ruleset may rely on what it writes into views itself, so any other view can make it raise.
    """
    try:
        return ask()
    except PARSE_ERRORS:
        raise ReportDataError(f"this report is damaged: its 'view' is none of {ruleset.title}") from None


def _other_seat_note(sheet: SheetText, data: Mapping[str, Any]) -> tuple[str, ...]:
    header = sheet.header
    if header is None or (header.campaign, header.seat) == (data["campaign"], data["seat"]):
        return ()
    here = f"{data['seat']} in {data['campaign']}"
    return (f"The sheet is for {header.seat} in {header.campaign}, but the report is for {here}.",)
