"""A player's own check at home: the findings of a receipt, from a sheet and the JSON of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pbem.campaign.reading import Reading, read_lines
from pbem.desk.choosing import meant
from pbem.desk.sheet import SheetText, find_sheet
from pbem.house import choose_game
from pbem.post.cleaning import own_lines, plain
from pbem.post.mime import decode_text
from pbem.post.wrapping import mend
from pbem.report import ReportDataError, Restated, Told, read_report_data
from pbem.ruleset import AnyRuleset, View


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
        """How many findings are lines not understood."""
        return sum(finding.severity == "error" for finding in self.findings)


def check_sheet(games: Mapping[str, AnyRuleset], sheet: bytes, report: bytes) -> Check:
    """Reads a sheet, cleaned as a mail's text is, against a report's attachment.

    Raises ReportDataError or CampaignError for a report it cannot use.
    """
    data = read_report_data(report)
    ruleset = choose_game(games, data["game"])
    if data["game_version"] != ruleset.version:
        there, here = data["game_version"], ruleset.version
        raise ReportDataError(f"this report is of version {there} of {ruleset.title}; this program has version {here}")
    lines, cleaned = own_lines(plain(decode_text(sheet, "")).strip("\n").split("\n"))
    lines, mended = mend(lines, None)
    found, reading = _read(ruleset, data["view"], find_sheet(lines, data["campaign"].__eq__))
    return Check(
        campaign=data["campaign"],
        seat=data["seat"],
        label=data["label"],
        accepted=reading.accepted,
        orders=reading.restated,
        findings=reading.told,
        missing=reading.missing,
        notes=(*cleaned, *mended, *found.notes, *_other_seat(found, data)),
    )


def _read(ruleset: AnyRuleset, view: View, sheet: SheetText) -> tuple[SheetText, Reading]:
    """A ruleset may expect of a view what it writes itself; this one comes from a file."""
    try:
        found = meant(ruleset, view, sheet, None)
        return found, read_lines(ruleset, view, found.lines)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise ReportDataError(f"this report is damaged: its 'view' is none of {ruleset.title}") from None


def _other_seat(sheet: SheetText, data: Mapping[str, Any]) -> tuple[str, ...]:
    header = sheet.header
    if header is None or (header.campaign, header.seat) == (data["campaign"], data["seat"]):
        return ()
    here = f"{data['seat']} in {data['campaign']}"
    return (f"The sheet is for {header.seat} in {header.campaign}, but the report is for {here}.",)
