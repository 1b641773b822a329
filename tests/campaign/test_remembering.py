"""The memory of seats, which follows from report to report, also after changes of a campaign's history."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

import pytest

from pbem.actions.base import run_action
from pbem.actions.rerun import RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.campaign.archive_sync import prove_archive
from pbem.errors import ReplayError
from pbem.ruleset import Json, View
from pbem.store.models import Report, Seat
from tests.actions.history import ANN, begin, live_turns, play, proof, rows
from tests.toy.home import Desk, text_of
from tests.toy.ruleset import Auction


class Forgetful(Auction):
    """The toy game as it was before it had a memory."""

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        return {}


def memory(desk: Desk, seat: str = "red") -> Json:
    """Return the memory of a seat's newest report."""
    open_turn = live_turns(desk)[-1]
    (seat_id,) = [row.id for row in rows(desk, Seat) if row.name == seat]
    (report,) = [row for row in rows(desk, Report) if (row.turn_id, row.seat_id) == (open_turn.id, seat_id)]
    return json.loads(report.view).get("memory")


def scores(desk: Desk, seat: str = "red") -> list[list[int]]:
    """Return the scores in a seat's memory, with the number of each report."""
    told: list[list[int]] = memory(desk, seat)["scores"]["turns"]
    return told


def test_every_report_adds_to_memory(desk: Desk) -> None:
    """The memory of a report adds to that of the one before; its scores become a line of the report."""
    begin(desk, rounds="5")
    (first,) = scores(desk)
    play(desk, {"red": "BID 2"})
    play(desk, {"red": "BID 1"})

    coins = first[1]
    assert scores(desk) == [[1, coins], [2, coins - 2], [3, coins - 3]]
    assert f"Your coins by report, 1 to 3: {coins}, {coins - 2}, {coins - 3}." in text_of(desk.last(ANN))
    assert proof(desk).turns == 2


def test_who_was_not_told_remembers_his_last_report(desk: Desk) -> None:
    """In a game that reports to seats in turn, each memory is made of that seat's own reports."""
    begin(desk, rounds="6", pace="in_turn")
    for mover in ("red", "blue", "green"):
        play(desk, {mover: "BID 1"})

    assert [number for number, _ in scores(desk)] == [1, 2]
    assert proof(desk).turns == 3


def test_what_was_taken_back_is_forgotten(desk: Desk) -> None:
    """After a rollback, withdrawn reports have left nothing in memory."""
    begin(desk, rounds="5")
    for bid in (3, 1):
        play(desk, {"red": f"BID {bid}"})
    start = scores(desk)[0][1]

    run_action(desk.app, "toy1", RollBack(1), desk.now)
    play(desk, {"red": "BID 5"})

    assert scores(desk) == [[1, start], [2, start - 5]]
    assert proof(desk).turns == 1


def test_a_turn_run_again_replaces_what_was_remembered_of_it(desk: Desk) -> None:
    """The memory of a corrected report adds its own content to the reports before that turn."""
    begin(desk, rounds="5")
    for bid in (3, 1):
        play(desk, {"red": f"BID {bid}"})
    start = scores(desk)[0][1]

    run_action(desk.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 7")]})), desk.now)

    assert scores(desk) == [[1, start], [2, start - 3], [3, start - 10]]
    assert proof(desk).turns == 2


def test_a_campaign_from_before_memory_goes_on(desk: Desk) -> None:
    """Seats of an older campaign begin to remember with their next report; its archive still proves itself."""
    old = dataclasses.replace(desk.app, games={"toy": Forgetful()})
    desk.app, now = old, desk.app
    begin(desk, rounds="5")
    play(desk, {"red": "BID 2"})
    assert memory(desk) is None

    desk.app = now
    play(desk, {"red": "BID 1"})

    assert [number for number, _ in scores(desk)] == [1]
    assert prove_archive(now, "toy1").turns == 2
    with pytest.raises(ReplayError, match="the view in"):
        prove_archive(old, "toy1")
