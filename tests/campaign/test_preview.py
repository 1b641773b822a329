"""Looking at all reports of a turn before it is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.campaign.past.preview import preview, write_preview
from pbem.errors import CampaignError
from pbem.store.models import Outgoing, Turn
from tests.campaign.history import begin, play, rows, send
from tests.toy.home import Desk


def test_a_preview_tells_what_would_happen(desk: Desk) -> None:
    """Sheets that count, who has sent none, and every report as it would be mailed."""
    begin(desk)
    send(desk, {"red": "BID 2\nWHISPER blue deal"})
    desk.tick()
    made = preview(desk.house, "toy1", desk.now)

    assert (made.turn, made.sheets, made.missing) == (1, {"red": 1}, ("blue", "green"))
    assert [report.place.seat for report in made.reports] == ["red", "blue", "green"]
    assert "red whispered to you: deal" in made.reports[1].parts.text


def test_a_preview_keeps_nothing_and_mails_nobody(desk: Desk) -> None:
    """Turns and outbox are as before, and so are the codes of the reports that come of it."""
    begin(desk)
    before = len(rows(desk, Outgoing))
    made = preview(desk.house, "toy1", desk.now)

    assert [turn.number for turn in rows(desk, Turn) if turn.record is None] == [1]
    assert len(rows(desk, Outgoing)) == before
    play(desk, {})
    assert made.reports[0].parts.text == desk_report(desk, "red")


def desk_report(desk: Desk, seat: str) -> str:
    """The text of a seat's report as archived with turn 1."""
    return (desk.home / "turns" / "toy1" / "0001" / "reports" / f"{seat}.txt").read_text()


def test_a_preview_is_written_as_files(desk: Desk, tmp_path: Path) -> None:
    """Text, HTML and JSON of each seat, under the names that the archive gives them."""
    begin(desk)
    written = write_preview(preview(desk.house, "toy1", desk.now), tmp_path / "look")

    names = sorted(path.name for path in (tmp_path / "look" / "reports").iterdir())
    assert names == [f"{seat}.{ending}" for seat in ("blue", "green", "red") for ending in ("html", "json", "txt")]
    assert written.changed is None


def test_a_second_preview_tells_what_has_changed(desk: Desk, tmp_path: Path) -> None:
    """Only the seats that would know otherwise are named, whatever deadlines do."""
    begin(desk)
    write_preview(preview(desk.house, "toy1", desk.now), tmp_path)
    send(desk, {"red": "WHISPER blue deal"})
    desk.tick(hours=30)
    written = write_preview(preview(desk.house, "toy1", desk.now), tmp_path)

    assert written.changed == ("red", "blue")


def test_a_damaged_earlier_preview_is_written_over(desk: Desk, tmp_path: Path) -> None:
    """What cannot be read counts as changed."""
    begin(desk)
    made = preview(desk.house, "toy1", desk.now)
    write_preview(made, tmp_path)
    (tmp_path / "reports" / "red.json").write_text("{")

    assert write_preview(made, tmp_path).changed == ("red",)


def test_there_must_be_an_open_turn(desk: Desk) -> None:
    """A game that is over has nothing to preview."""
    begin(desk, rounds="1")
    play(desk, {})

    with pytest.raises(CampaignError, match="campaign toy1 is over: it has no open turn"):
        preview(desk.house, "toy1", desk.now)
