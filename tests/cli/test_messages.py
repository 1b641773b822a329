"""The words of the commands of every day to a GM: the fact, then the next command."""

from __future__ import annotations

import shlex

import pytest

from tests.cli.conftest import Run

DUE = "Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)"
SAID = {
    "status dule": 'Not done: no campaign "dule". Did you mean duel?',
    "pause duel green": 'Not done: duel has no seat "green". Seats: red, blue.',
    "set duel graze=1h": 'Not done: no house rule "graze". Did you mean grace?',
    "set duel 'schedule=FRI 20'": (
        'Not done: "FRI 20" is not a schedule. Example: FRI 20:00 Europe/Berlin. More: pbem help schedule'
    ),
    "give duel red to ann@example.org": "Not done: ann@example.org already plays red.",
    "inbox 12 --retry": "Not done: there is no message 12. List them: pbem inbox",
    "rollback duel 0": "Not done: duel has no earlier turn.",
    "release duel": "Nothing to do: duel is not on hold.",
    "rerun duel": "duel: the set-up would come out so:",
    "deadline duel 2026-11-02T12:00": (
        f"Would do: move the deadline from {DUE} to Mon 2 Nov 2026 12:00 Europe/Berlin (11:00 UTC), earlier. "
        "Players are notified."
    ),
    "deadline duel 24h": (
        "Done: turn 1 is due Sat 7 Nov 2026 20:00 Europe/Berlin (19:00 UTC) "
        f"(was {DUE}). Players are notified. Undo: pbem undo duel"
    ),
    "open duel blue": ("Would do: take seat blue from bob@example.org. No standbys. bob@example.org is notified."),
    "open duel blue --yes": ("Done: seat blue is open. No standbys. Next: pbem invite duel ADDRESS as blue"),
    "remove duel blue --yes": ("Done: seat blue removed; it leaves the game when turn 1 is run. Undo: pbem undo duel"),
    "invite duel cyd@example.org": (
        "Done: invited cyd@example.org to the standby list (no open seat). Valid for 14 days. Next: pbem tick"
    ),
    "hold duel 'on a train'": "Done: duel is on hold. Players are notified. Release: pbem release duel",
}
"""By command, the first line of what it prints."""


@pytest.mark.parametrize("line", SAID)
def test_the_first_line_is_the_fact(duel: Run, line: str) -> None:
    """It begins with the result, and ends with what helps or comes next."""
    assert duel(*shlex.split(line), "--now", "2026-11-02T10:00Z").output.splitlines()[0] == SAID[line]


def test_a_hold_is_called_so_wherever_it_is_told(duel: Run) -> None:
    """Status, its JSON, the answer to a second hold, and the journal have the same words, with the GM's own quoted."""
    at = ("--now", "2026-11-02T10:00Z")
    duel("hold", "duel", "on a train", *at)

    held = 'on hold by the GM: "on a train"'
    assert f"Nothing to do: duel is already {held}. Release: pbem release duel\n" == duel("hold", "duel", *at).output
    assert f"gm: turn 1 {held}" in duel("journal", "duel").output
    assert '"reason": "on a train"' in duel("status", "duel", "--json", *at).output
    duel("release", "duel", *at)
    assert f"gm: turn 1 released; it was {held}" in " ".join(duel("journal", "duel").output.split())
