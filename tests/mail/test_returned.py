"""Reports of real mail servers on a mail that did not arrive are read as they were meant.

`returned/` has one report of each server, without the text of the mail that came back. `returned/reports.json` says
which program and version wrote it, and what it is to bring. `python -m tests.programs.sending` makes more of them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.mail.bounces import Bounce, parse_bounce
from pbem.mail.machines import Kind
from pbem.mail.message import parse_message

FOLDER = Path(__file__).parent / "returned"
REPORTS = json.loads((FOLDER / "reports.json").read_text())


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_names_mail_recipient_and_reason(name: str) -> None:
    """A report of any of these servers is a bounce of the mail that it is about, and no person's mail."""
    raw = (FOLDER / f"{name}.eml").read_bytes()
    wanted = REPORTS[name]["brings"]

    assert parse_bounce(raw) == Bounce(
        message_ids=(wanted["mail"],),
        recipient=wanted["recipient"],
        action="failed",
        status=wanted["status"],
        diagnostic=wanted["diagnostic"],
    )
    assert parse_message(raw).machine.kind is Kind.BOUNCE


def test_each_report_has_its_line() -> None:
    """Each report of the folder is in the table."""
    assert {path.stem for path in FOLDER.glob("*.eml")} == REPORTS.keys()
