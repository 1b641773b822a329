"""A player at home with the JSON of a report: the findings that a receipt would have, and what may be ordered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pbem.campaign.order_sheets import Reading, read_lines
from pbem.desk.choosing import meant
from pbem.desk.sheet import SheetText, find_sheet
from pbem.desk.sheet_files import file_lines
from pbem.errors import MISREAD
from pbem.games import choose_game
from pbem.mail.body import mend
from pbem.report.answers import Restated, Told
from pbem.report.data import ReportDataError, read_report_data
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Json, View

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What a receipt would say of a sheet, without its host."""

    campaign: str
    seat: str
    label: str
    accepted: bool
    orders: tuple[Restated, ...]
    findings: tuple[Told, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def errors(self) -> int:
        """How many findings are lines that could not be taken."""
        return sum(finding.severity == "error" for finding in self.findings)


def check_sheet(games: Mapping[str, AnyRuleset], sheet: bytes, report: bytes) -> Check:
    """Reads a sheet, cleaned as a mail's text is, against a report's attachment.

    Raises ReportDataError or CampaignError for a report it cannot use.
    """
    ruleset, data = _opened(games, report)
    lines, cleaned = file_lines(sheet)
    lines, mended = mend(lines, None)
    sheet_text = find_sheet(lines, {data["campaign"]})
    found, reading = _asked(ruleset, lambda: _read_offline(ruleset, data["view"], sheet_text))
    return Check(
        campaign=data["campaign"],
        seat=data["seat"],
        label=data["label"],
        accepted=reading.accepted,
        orders=reading.restated,
        findings=reading.told,
        missing=reading.missing,
        notes=(*cleaned, *mended, *found.notes, *_other_seat(found, data), *reading.notes),
    )


def offered(games: Mapping[str, AnyRuleset], report: bytes) -> Json:
    """What its seat may order, by a report's attachment: the data of `pbem.ruleset.desk`. Raises as `check_sheet`."""
    ruleset, data = _opened(games, report)
    return _asked(ruleset, lambda: ruleset.desk(data["view"]))


def _opened(games: Mapping[str, AnyRuleset], report: bytes) -> tuple[AnyRuleset, dict[str, Any]]:
    """A report's data, and their game in the version that wrote them."""
    data = read_report_data(report)
    ruleset = choose_game(games, data["game"])
    if data["game_version"] != ruleset.version:
        there, here = data["game_version"], ruleset.version
        raise ReportDataError(f"this report is of version {there} of {ruleset.title}; this program has version {here}")
    return ruleset, data


def _read_offline(ruleset: AnyRuleset, view: View, sheet: SheetText) -> tuple[SheetText, Reading]:
    found = meant(ruleset, view, sheet, None)
    return found, read_lines(ruleset, view, found.lines)


def _asked(ruleset: AnyRuleset, ask: Callable[[], Answer]) -> Answer:
    """What a ruleset answers on a view from a file; it may expect of views what it writes itself."""
    try:
        return ask()
    except MISREAD:
        raise ReportDataError(f"this report is damaged: its 'view' is none of {ruleset.title}") from None


def _other_seat(sheet: SheetText, data: Mapping[str, Any]) -> tuple[str, ...]:
    header = sheet.header
    if header is None or (header.campaign, header.seat) == (data["campaign"], data["seat"]):
        return ()
    here = f"{data['seat']} in {data['campaign']}"
    return (f"The sheet is for {header.seat} in {header.campaign}, but the report is for {here}.",)
