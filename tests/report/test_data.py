"""Tests of a report's JSON, which players read back for checks at home."""

from __future__ import annotations

import json

import pytest

from pbem.report.data import ReportDataError, read_report_data, report_data, write_report_data
from pbem.ruleset import canonical_json
from tests.report.toy import Fair, facts, seen


def test_report_data_can_be_read_back() -> None:
    """The data attached to a report is read back unchanged."""
    data = report_data(Fair(), seen(), facts(), ["Red is ahead."])

    assert read_report_data(write_report_data(data, canonical_json(data["view"]))) == data


def test_a_view_that_is_written_already_is_not_written_again() -> None:
    """A view that is given as canonical JSON leads to the same bytes."""
    data = report_data(Fair(), seen(), facts(), ["Red is ahead."])

    assert write_report_data(data, canonical_json(data["view"])) == canonical_json(data) + b"\n"


def test_saved_with_a_byte_order_mark() -> None:
    """An editor's byte order mark does no harm."""
    data = report_data(Fair(), seen(), facts(), ["Red is ahead."])

    assert read_report_data(b"\xef\xbb\xbf" + write_report_data(data, canonical_json(data["view"]))) == data


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "no JSON text"),
        (b"\xff\x00", "no JSON text"),
        (b"[" * 100_000, "no JSON text"),
        (b"[1]", "not the file attached"),
        (b"{}", "not the file attached"),
        (b'{"format": 2}', "has format 2; this program reads format 1"),
        (b'{"format": "x"}', "has format 'x'"),
        (b'{"format": 1}', "'game' is missing"),
    ],
)
def test_other_files_are_refused_in_words(raw: bytes, words: str) -> None:
    """For any other file, one sentence says why it is not a report."""
    with pytest.raises(ReportDataError, match=words):
        read_report_data(raw)


def test_damaged_report_is_refused_by_its_first_bad_key() -> None:
    """A report with a part of another type is refused with the name of that part."""
    data = report_data(Fair(), seen(), facts(), ["Red is ahead."]) | {"view": []}

    with pytest.raises(ReportDataError, match="'view' is missing or of the wrong kind"):
        read_report_data(json.dumps(data).encode())
