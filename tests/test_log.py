"""The log has a line of JSON for each event, without secrets, and never stops a turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbem import log
from pbem.errors import DISK_FULL
from pbem.log import event, open_log
from pbem.util import register_secret

TOKEN = "0123456789abcdef0123"
CODE = "abcdefghij234567"


def lines(path: Path) -> list[dict[str, Any]]:
    """Return all events in a log."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_event_is_a_line(tmp_path: Path) -> None:
    """An event has time, level, name, and its facts as they were given."""
    with open_log(tmp_path / "new" / "pbem.log"):
        event("turn resolved", campaign="trap7", turn=3, seats=["red", "blue"], late=None)

    (entry,) = lines(tmp_path / "new" / "pbem.log")
    assert entry.pop("at").endswith("Z")
    facts = {"campaign": "trap7", "turn": 3, "seats": ["red", "blue"], "late": None}
    assert entry == {"level": "info", "event": "turn resolved", **facts}


def test_a_fault_comes_with_its_traceback(tmp_path: Path) -> None:
    """The log of a fault includes its causes."""
    with open_log(tmp_path / "log"):
        fault = ValueError("the rules")
        fault.__cause__ = KeyError("red")
        event("turn not resolved", level="error", fault=fault)

    (entry,) = lines(tmp_path / "log")
    assert entry["level"] == "error"
    assert "KeyError: 'red'" in entry["traceback"]
    assert entry["traceback"].endswith("ValueError: the rules\n")


def test_no_line_tells_a_secret(tmp_path: Path) -> None:
    """Tokens, codes and passwords are masked in facts and tracebacks, and nothing can end a line early."""
    password = register_secret("open sesame")
    with open_log(tmp_path / "log"):
        fault = ValueError(f"{password}: ORDERS toy1 red {TOKEN}")
        event("mail failed", fault=fault, reply=f"550 {password}\n", subject=f"[toy1 {CODE}]", notes=[TOKEN])

    text = (tmp_path / "log").read_text()
    assert [secret for secret in (password, TOKEN, CODE) if secret in text] == []
    assert len(lines(tmp_path / "log")) == 1


def test_a_log_that_cannot_be_written_is_left(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither a folder in its place nor a full disk raises an error; each is reported once."""
    (tmp_path / "log").mkdir()
    for path in (tmp_path / "log", Path("/dev/full")):
        with open_log(path):
            event("tick began")
            event("tick ended")

    said = capfd.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        f"Warning: the log {tmp_path / 'log'} cannot be written: Is a directory",
        f"Warning: the log /dev/full cannot be written: {DISK_FULL}",
    ]


def test_a_log_may_go_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log named "-" goes to standard error, as systemd and containers expect it."""
    with open_log(tmp_path / "-"):
        event("tick began")

    assert json.loads(capsys.readouterr().err)["event"] == "tick began"
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_has_grown_is_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large log is rotated: a few old files are kept, and the newest events are in the named one."""
    monkeypatch.setattr(log, "MOST_BYTES", 200)
    with open_log(tmp_path / "log"):
        for number in range(20):
            event("tick began", number=number)

    assert len(list(tmp_path.iterdir())) == 1 + log.KEPT
    assert lines(tmp_path / "log")[-1]["number"] == 19


def test_without_a_log_nothing_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    """Modules used without a log write nothing."""
    event("problem", level="error", text="none")

    assert capfd.readouterr() == ("", "")
