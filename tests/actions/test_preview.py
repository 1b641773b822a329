"""Previews of all reports of a turn before it is run."""

from __future__ import annotations

import dataclasses
import html
import json
from pathlib import Path

import pytest

from pbem.actions.base import run_query
from pbem.actions.open_turn import PreviewTurn, write_preview
from pbem.actions.run_turn import run_turn
from pbem.errors import CampaignError
from pbem.ruleset import Order, View
from pbem.store.models import OutgoingMail, Turn
from tests.actions.history import ANN, BOB, begin, journal, live_turns, play, rows, send
from tests.toy.home import Desk, is_report, text_of
from tests.toy.ruleset import Auction


def test_a_preview_tells_what_would_happen(desk: Desk) -> None:
    """A preview has the sheets that count, the seats without one, and every report as it would be mailed."""
    begin(desk)
    send(desk, {"red": "BID 2\nWHISPER blue deal"})
    desk.tick()
    made = run_query(desk.app, "toy1", PreviewTurn(), desk.now)

    assert (made.turn, made.sheets, made.missing) == (1, {"red": 1}, ("blue", "green"))
    assert [report.place.seat for report in made.reports] == ["red", "blue", "green"]
    assert "red whispered to you: deal" in made.reports[1].parts.text


def test_a_preview_keeps_nothing_and_mails_nobody(desk: Desk) -> None:
    """Turns and outbox are unchanged, and later the reports have the same codes."""
    begin(desk)
    before = len(rows(desk, OutgoingMail))
    made = run_query(desk.app, "toy1", PreviewTurn(), desk.now)

    assert [turn.number for turn in rows(desk, Turn) if turn.record is None] == [1]
    assert len(rows(desk, OutgoingMail)) == before
    play(desk, {})
    assert made.reports[0].parts.text == desk_report(desk, "red")


def desk_report(desk: Desk, seat: str) -> str:
    """Return the text of a seat's report as archived with turn 1."""
    return (desk.home / "turns" / "toy1" / "0001" / "reports" / f"{seat}.txt").read_text()


def test_a_preview_is_written_as_files(desk: Desk, tmp_path: Path) -> None:
    """Text, HTML and JSON of each seat have the names that the archive gives them."""
    begin(desk)
    written = write_preview(run_query(desk.app, "toy1", PreviewTurn(), desk.now), tmp_path / "look")

    names = sorted(path.name for path in (tmp_path / "look" / "reports").iterdir())
    assert names == [f"{seat}.{ending}" for seat in ("blue", "green", "red") for ending in ("html", "json", "txt")]
    assert written.changed is None


def test_a_second_preview_tells_what_has_changed(desk: Desk, tmp_path: Path) -> None:
    """Only the seats whose views differ are named; a later deadline is no difference."""
    begin(desk)
    write_preview(run_query(desk.app, "toy1", PreviewTurn(), desk.now), tmp_path)
    send(desk, {"red": "WHISPER blue deal"})
    desk.tick(hours=30)
    written = write_preview(run_query(desk.app, "toy1", PreviewTurn(), desk.now), tmp_path)

    assert written.changed == ("red", "blue")


def test_a_damaged_earlier_preview_is_written_over(desk: Desk, tmp_path: Path) -> None:
    """An unreadable report of an earlier preview counts as changed."""
    begin(desk)
    made = run_query(desk.app, "toy1", PreviewTurn(), desk.now)
    write_preview(made, tmp_path)
    (tmp_path / "reports" / "red.json").write_text("{")

    assert write_preview(made, tmp_path).changed == ("red",)


def test_there_must_be_an_open_turn(desk: Desk) -> None:
    """A game that is over has nothing to preview."""
    begin(desk, rounds="1")
    play(desk, {})

    with pytest.raises(CampaignError, match="campaign toy1 is over: it has no open turn"):
        run_query(desk.app, "toy1", PreviewTurn(), desk.now)


LOOK = 'The GM looked at what "round 1" would come to, with the dice that it will have'


def winners(desk: Desk, *, real_dice: bool) -> list[str]:
    """Return the winner's line of each of eight turns in which all bid the same, as previewed before the run."""
    begin(desk, rounds="9")
    told = []
    for _ in range(8):
        send(desk, {"red": "BID 0\nWHISPER blue deal", "blue": "BID 1", "green": "BID 1"})
        desk.tick()
        (line,) = [
            line
            for line in run_query(desk.app, "toy1", PreviewTurn(real_dice=real_dice), desk.now)
            .reports[0]
            .parts.text.splitlines()
            if line.startswith("- The prize went to ")
        ]
        told.append(line)
        play(desk, {}, hours=0)
    return told


def won(desk: Desk) -> list[str]:
    """Return the winner's line of each turn, as red was told."""
    archive = desk.home / "turns" / "toy1"
    texts = [(archive / f"{turn.number:04d}" / "reports" / "red.txt").read_text() for turn in live_turns(desk)[1:-1]]
    return [line for text in texts for line in text.splitlines() if line.startswith("- The prize went to ")]


def test_a_preview_tells_nothing_of_the_dice_to_come(desk: Desk) -> None:
    """A preview rolls other dice, so no sheet can be tried until it suits."""
    looked = winners(desk, real_dice=False)

    assert looked != won(desk)
    assert not any("looked" in entry for entry in journal(desk))


def test_two_previews_can_be_compared(desk: Desk) -> None:
    """The other dice are the same each time."""
    begin(desk)
    send(desk, dict.fromkeys(("red", "blue", "green"), "BID 1"))
    desk.tick()
    first, second = (run_query(desk.app, "toy1", PreviewTurn(), desk.now).reports[0].parts.text for _ in range(2))

    assert first == second


def test_a_look_with_the_real_dice_is_told_to_all(desk: Desk) -> None:
    """The turn comes out as previewed; journal and next reports disclose it, once, in text, HTML and JSON."""
    looked = winners(desk, real_dice=True)

    assert looked == won(desk)
    reports = [mail for mail in desk.mails(BOB) if is_report(mail)]
    assert [LOOK in " ".join(text_of(mail).split()) for mail in reports] == [False, True, *[False] * 7]
    archived = desk.home / "turns" / "toy1" / "0001" / "reports"
    assert LOOK in html.unescape((archived / "green.html").read_text())
    assert json.loads((archived / "green.json").read_text())["looks"] == [f"{LOOK}."]


def test_looks_are_counted(desk: Desk) -> None:
    """Three previews with the real dice are disclosed as three."""
    begin(desk)
    for _ in range(3):
        run_query(desk.app, "toy1", PreviewTurn(real_dice=True), desk.now)
    play(desk, {})

    assert f"{LOOK} (3 times)." in " ".join(text_of(desk.last(ANN)).split())


def test_a_look_while_the_turn_is_computed_is_told(desk: Desk) -> None:
    """The turn is computed again, so that its reports disclose the preview."""

    class Watched(Auction):
        """Auction in which the GM previews the turn while its defaults are asked for, once."""

        def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
            if not any("looked" in entry for entry in journal(desk)):
                run_query(desk.app, "toy1", PreviewTurn(real_dice=True), desk.now)
            return super().defaults(view, kept)

    begin(desk)
    run_turn(dataclasses.replace(desk.app, games={"toy": Watched()}), "toy1", desk.now, reason="test")
    desk.tick()

    assert LOOK in " ".join(text_of(desk.last(ANN)).split())


def test_a_preview_of_the_last_turn_keeps_the_seed(desk: Desk) -> None:
    """A game that would be over does not disclose its seed, which would tell all dice to come."""
    begin(desk, rounds="1")
    made = run_query(desk.app, "toy1", PreviewTurn(), desk.now)

    assert made.over
    assert b"a seed for tests".hex() not in made.reports[0].parts.text
