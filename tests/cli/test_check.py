"""`pbem check`: a player's own check, compared with the receipt for the same sheet."""

from __future__ import annotations

import email
import email.policy
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main
from tests.cli.conftest import Run
from tests.cli.test_commands import post
from tests.toy.home import text_of

SHEET = "ORDERS duel red\nPLAEC c3\nPLACE c3\nPLACE z9\n; later\nIF b2 THEN b2\nEND\n"


def check(sheet: Path, report: Path, *more: str) -> tuple[int, str]:
    """Run `pbem check` outside of a home; return its exit code and output."""
    result = CliRunner().invoke(main, ["check", str(sheet), "--report", str(report), *more])
    return result.exit_code, result.output


@pytest.fixture
def report(duel: Run, home: Path) -> Path:
    """Return the path of the JSON attached to red's first report."""
    duel("tick", "--now", "2026-11-02T09:01Z")
    return home / "turns" / "duel" / "0000" / "reports" / "red.json"


def test_the_findings_are_those_of_the_receipt(duel: Run, home: Path, report: Path, tmp_path: Path) -> None:
    """Lines, texts and hints are those of the receipt, word for word."""
    (tmp_path / "sheet.txt").write_text(SHEET)
    post(home, SHEET)
    duel("tick", "--now", "2026-11-02T10:00Z")
    sent = sorted((home / "post" / "sent" / "new").iterdir())[-1]
    mail = email.message_from_bytes(sent.read_bytes(), email.message.EmailMessage, policy=email.policy.default)
    receipt = text_of(mail).replace("\r\n", "\n")

    code, output = check(tmp_path / "sheet.txt", report)

    findings = [block.partition(": ")[2].split("\n    ") for block in output.split("\n\n") if block.startswith("Line ")]
    assert code == 1
    assert len(findings) >= 3
    assert [said for said in findings if f"{said[0]}\n\n{' '.join(said[1:])}" not in receipt] == []


def test_a_clean_sheet_exits_zero(report: Path, tmp_path: Path) -> None:
    """A sheet without findings exits with 0, for scripts."""
    (tmp_path / "sheet.txt").write_text("PLACE c3\n")

    code, output = check(tmp_path / "sheet.txt", report)

    assert code == 0
    assert output.startswith("duel, move 1, seat red: 1 of 1 order accepted.\n")
    assert "\n   1  " in output


def test_a_sheet_for_another_seat_is_noted(report: Path, tmp_path: Path) -> None:
    """A sheet for another seat than that of the report gets a note."""
    (tmp_path / "sheet.txt").write_text("ORDERS duel blue\nPLACE a1\nEND\n")

    assert (
        "The sheet is for blue in duel, but the report is for red in duel." in check(tmp_path / "sheet.txt", report)[1]
    )


def test_findings_as_json(report: Path, tmp_path: Path) -> None:
    """With --json the findings are data for clients."""
    (tmp_path / "sheet.txt").write_bytes(b"\xef\xbb\xbfPLAEC a1\r\n")
    data = json.loads(check(tmp_path / "sheet.txt", report, "--json")[1])

    assert [finding["hint"] for finding in data["findings"] if finding["line"] == 1] == ["did you mean PLACE?"]
    assert data["accepted"] is False


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"format": 99}', "\xff"])
def test_a_file_that_is_no_report_is_refused(report: Path, tmp_path: Path, content: str) -> None:
    """Any file that is no report is refused in one sentence."""
    (tmp_path / "sheet.txt").write_text("PLACE a1\n")
    (tmp_path / "other.json").write_text(content, encoding="latin-1")

    code, output = check(tmp_path / "sheet.txt", tmp_path / "other.json")

    assert code == 1
    assert output.startswith("Not done: this ")
    assert output.count("\n") == 1


def test_a_client_reads_what_may_be_ordered(report: Path) -> None:
    """On red's move the order form offers a stone on any free cell."""
    result = CliRunner().invoke(main, ["dev", "choices", str(report)])

    data = json.loads(result.output)
    assert "PLACE" in [verb["word"] for verb in data["verbs"]]
    assert "c3" in data["kinds"]["cell"]["form"]["values"]


def test_a_desk_is_made_of_reports_alone(tmp_path: Path) -> None:
    """An order form of a file that is no report is refused in a sentence."""
    (tmp_path / "other.json").write_text("{}")

    result = CliRunner().invoke(main, ["dev", "choices", str(tmp_path / "other.json")])

    assert result.exit_code == 1
    assert result.output.startswith("Not done: this is not a report")
