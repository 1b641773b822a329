"""The report as data: the JSON that is attached to it, for clients and for checks at home."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pbem.errors import PbemError
from pbem.report.facts import DiceTold, ReportFacts
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical, canonical_object, read_json
from pbem.ruleset.values import View

FORMAT = 1
_KEYS = {
    "format": int,
    "game": str,
    "game_version": int,
    "campaign": str,
    "seat": str,
    "label": str,
    "zone": str,
    "view": dict,
}


class ReportDataError(PbemError):
    """A file is not the JSON of a report, or of one this program cannot read."""


def report_data(ruleset: AnyRuleset, view: View, facts: ReportFacts) -> dict[str, Any]:
    """The data of a report: its game, its place, its deadline (ISO 8601, UTC) and the view itself.

    `brief` are the lines it begins with. `dice` has the words mixed into them, where the report tells those; `looks`
    how the GM looked at real dice.
    """
    return {
        "format": FORMAT,
        "game": ruleset.key,
        "game_version": ruleset.version,
        "campaign": facts.campaign,
        "seat": facts.seat,
        "label": view["label"],
        "deadline": facts.deadline.astimezone(dt.UTC).isoformat() if facts.deadline else None,
        "zone": facts.zone,
        "record": facts.record,
        "brief": list(ruleset.brief(view)),
        "view": view,
        **({"dice": dice_data(facts.dice, facts.seal)} if facts.dice else {}),
        **({"looks": list(facts.words.looks)} if facts.words.looks else {}),
    }


def dice_data(told: DiceTold, seal: str) -> dict[str, Any]:
    """What a report's data say of the dice."""
    words = [[each.seat, each.word] for each in told.words]
    own = [each.seat for each in told.words if each.own]
    return {"seal": seal, "words": words, "own": own, "digest": told.digest, "seats": told.seats}


def write_report_data(data: dict[str, Any], view: bytes | None = None) -> bytes:
    """The bytes of `report_data`: canonical JSON and a newline. Of its `view` that may be at hand already."""
    if view is None:
        return canonical(data) + b"\n"
    return canonical_object({name: canonical(data[name]) for name in data if name != "view"} | {"view": view}) + b"\n"


def read_report_data(raw: bytes) -> dict[str, Any]:
    """The data of a report's JSON attachment. Raises ReportDataError saying what the bytes are not."""
    try:
        data = read_json(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise ReportDataError("this is not a report: it is no JSON text; use the .json file attached to one") from None
    if not isinstance(data, dict) or "format" not in data:
        raise ReportDataError("this is not a report: it is JSON, but not the file attached to one")
    if data["format"] != FORMAT:
        raise ReportDataError(f"this report has format {data['format']!r}; this program reads format {FORMAT}")
    for key, kind in _KEYS.items():
        if not isinstance(data.get(key), kind):
            raise ReportDataError(f"this report is damaged: its {key!r} is missing or of the wrong kind")
    return data
