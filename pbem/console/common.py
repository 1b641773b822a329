"""What many commands say alike: JSON, numbers, times, sheets and how they were read."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pbem.report import Restated, Told
from pbem.report.wording import sentence, wrapped
from pbem.ruleset import Seat


def json_text(facts: Any) -> str:
    """Facts as JSON: records become objects, times ISO 8601 in UTC, paths text."""
    return json.dumps(_plain(facts), indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    return str(value) if isinstance(value, Path) else value


NOT_YET = "Nothing was changed. To do it, add --yes."


def counted(number: int, noun: str, nouns: str = "") -> str:
    """So many of a thing, in words: "1 mail", "2 mails"; `nouns` if the plural is another."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def utc(at: dt.datetime) -> str:
    """A time in a table for GMs: minutes, UTC."""
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M}"


def versions(sheets: Mapping[Seat, int]) -> str:
    """The sheets that count, a version a seat."""
    return ", ".join(f"{seat} (version {version})" for seat, version in sheets.items()) or "none"


def reading_lines(findings: Sequence[Told], orders: Sequence[Restated]) -> Iterator[str]:
    """How a sheet was read, as receipts show it: what was found in it, and the orders in words."""
    for finding in findings:
        yield ""
        yield f"Line {finding.line}: {finding.source}" if finding.line else "The whole sheet:"
        yield from (f"    {wrapped(sentence(text), '    ')}" for text in (finding.text, finding.hint) if text)
    if orders:
        yield ""
    for order in orders:
        yield f"{order.line:4d}  {wrapped(sentence(order.words), '      ')}"
