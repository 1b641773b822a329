"""The commands about time: deadline, hold and release."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

NOW = ("--now", "2026-11-03T09:00Z")


def test_deadline_says_the_new_deadline(duel: Run) -> None:
    """A deadline moves by a span, or to a moment of the campaign's clocks."""
    outputs = [duel("deadline", "duel", *by, *NOW).output for by in (["1d"], ["2026-11-08T20:00"])]

    assert outputs[0] == (
        "Done: turn 1 is due Sat 7 Nov 2026 20:00 Europe/Berlin (19:00 UTC) "
        "(was Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)). Players are notified. Undo: pbem undo duel\n"
    )
    assert "is due Sun 8 Nov 2026 20:00 Europe/Berlin" in outputs[1]


def test_deadline_refuses_what_is_no_time(duel: Run) -> None:
    """A text that is no time is refused in one sentence with an example."""
    result = duel("deadline", "duel", "soon", *NOW)

    assert result.exit_code == 2
    expected = "expected a span like 24h or 3d, or a moment like 24 Dec 20:00, Fri 20:00 or 2026-12-24T20:00"
    assert f"Error: {expected}, got 'soon'. Write: pbem deadline duel [TIME]" in " ".join(result.output.split())


def test_hold_and_release(duel: Run) -> None:
    """A held campaign runs no turn, status has the reason, and a release lets it go on."""
    assert duel("hold", "duel", "a train", *NOW).output == (
        "Done: duel is on hold. Players are notified. Release: pbem release duel\n"
    )
    since = "since Tue 3 Nov 2026 10:00 Europe/Berlin (09:00 UTC)"
    assert f'  on hold by the GM {since}: "a train". Release: pbem release duel\n' in duel("status", "duel").output
    assert "run (" not in duel("tick", "--now", "2026-11-07T09:00Z").output
    assert duel("release", "duel", *NOW).output == (
        "Done: duel released. Turn 1 is run at its deadline, Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC). "
        "Players are notified.\n"
    )
    assert "duel: turn 1 run (deadline)" in duel("tick", "--now", "2026-11-07T09:00Z").output


def test_release_of_all_passes_over_a_campaign_that_has_moved(duel: Run, tmp_path: Path) -> None:
    """A campaign that is played in another home is not on hold here: `release --all` leaves it alone."""
    duel("export", "duel", str(tmp_path / "duel.zip"), "--to", "play@example.net", "--yes", *NOW)
    released = duel("release", "--all", "--yes", *NOW)

    assert (released.exit_code, released.output) == (0, "Nothing to do: no campaign is on hold.\n")


def test_holding_twice_changes_nothing(duel: Run) -> None:
    """A second hold changes nothing, and neither does a release without a hold."""
    assert duel("release", "duel").output == "Nothing to do: duel is not on hold.\n"
    duel("hold", "duel")

    assert duel("hold", "duel", "again").output == (
        "Nothing to do: duel is already on hold by the GM. Release: pbem release duel\n"
    )


def test_deadline_shows_what_is_to_come(duel: Run) -> None:
    """`deadline` prints the open turn's deadline and the next."""
    assert duel("deadline", "duel", *NOW).output == (
        "duel: FRI 20:00 Europe/Berlin\n"
        "  turn 1 is due Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)\n"
        "  run then, the next is due Fri 13 Nov 2026 20:00 Europe/Berlin (19:00 UTC)\n"
    )


def test_the_schedule_is_a_house_rule(duel: Run) -> None:
    """The open turn keeps its deadline; the JSON has the same facts."""
    assert duel("set", "duel", "schedule=LAST SUN 18:00 Europe/Berlin", *NOW).exit_code == 0
    shown = json.loads(duel("deadline", "duel", "--json", *NOW).output)

    assert shown["schedule"] == "LAST SUN 18:00 Europe/Berlin"
    assert shown["deadline"] == "2026-11-06T19:00:00+00:00"
    assert shown["next_deadline"] == "2026-11-29T17:00:00+00:00"


def test_a_tick_tells_what_it_held(duel: Run) -> None:
    """A turn that awaits its review is a line of its own."""
    assert duel("set", "duel", "hold=always").exit_code == 0

    assert (
        "duel: turn 1 on hold: needs your review. Next: pbem release duel\n"
        in duel("tick", "--now", "2026-11-07T09:00Z").output
    )
