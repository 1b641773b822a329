"""Commands about people and house rules: seat, invite, set, journal, and sign-up by mail."""

from __future__ import annotations

import fcntl
import json
import re
from pathlib import Path

from pbem.scheduler.worker_status import SERVING
from tests.cli.conftest import Run

NEW = ["new", "duel", "--game", "singularity", "--gm", "gm@example.org", "--schedule", "FRI 20:00 Europe/Berlin"]


def test_a_campaign_with_a_seat_for_who_comes(pbem: Run) -> None:
    """If anyone may sign up, missing seats are open, and the start waits for players."""
    assert pbem(*NEW, "--seat", "blue=bob@example.org", "--set", "signup=on").exit_code == 0

    seats = json.loads(pbem("status", "duel", "--json").output)["campaigns"][0]["seats"]
    assert [(seat["seat"], seat["address"]) for seat in seats] == [("red", ""), ("blue", "bob@example.org")]
    refused = pbem("start", "duel")
    assert refused.exit_code == 1
    assert refused.output.startswith("Not done: Singularity is for 2 players, and duel has 1. Invite more: pbem invite")
    assert pbem("invite", "duel", "eve@example.org").exit_code == 0
    assert "and duel has 1; 1 invited has not answered. Invite more: pbem invite" in pbem("start", "duel").output


def test_a_campaign_has_a_title_of_its_own(pbem: Run) -> None:
    """It stands in status instead of the game's, and one that would break a line is refused."""
    seats = ("--seat", "red=ann@example.org", "--seat", "blue=bob@example.org")
    refused = pbem(*NEW, *seats, "--title", "Kings\nBcc: eve@example.org")
    assert refused.exit_code == 1
    assert pbem(*NEW, *seats, "--title", "The Kings of Naxos").exit_code == 0

    assert "duel: The Kings of Naxos, not started" in pbem("status", "duel").output


def test_an_open_seat_needs_no_sign_up(pbem: Run) -> None:
    """With --open, seats wait for invited players."""
    assert pbem(*NEW, "--seat", "red=ann@example.org").exit_code == 1
    assert pbem(*NEW, "--seat", "red=ann@example.org", "--open", "1").exit_code == 0

    assert pbem("invite", "duel", "bob@example.org", "as", "blue").output == (
        "Done: invited bob@example.org to seat blue. Valid for 14 days. Next: pbem tick\n"
    )
    assert pbem("invite", "duel", "eve@example.org", "as", "red").output == (
        "Not done: seat red of duel is not open. Open seats: blue.\n"
    )


def test_a_seat_is_handed_over_paused_and_removed(duel: Run) -> None:
    """Each change prints its result; taking a seat from its player, or removing it, needs confirmation."""
    asked = duel("give", "duel", "red", "to", "eve@example.org")
    assert (asked.exit_code, asked.output) == (
        3,
        (
            "Would do: give seat red to eve@example.org, in place of ann@example.org. ann@example.org is notified.\n"
            "Nothing has changed. To do it, add --yes.\n"
        ),
    )
    assert duel("give", "duel", "red", "to", "eve@example.org", "--yes").output == (
        "Done: eve@example.org plays red. A new token and the newest report are queued for them. Undo: pbem undo duel\n"
    )
    paused = "Done: seat blue is paused: turns do not wait for it. Undo: pbem undo duel\n"
    assert duel("pause", "duel", "blue").output == paused
    assert duel("remove", "duel", "red").exit_code == 3
    assert duel("remove", "duel", "red", "--yes").output == (
        "Done: seat red removed; it leaves the game when turn 1 is run. Undo: pbem undo duel\n"
    )
    seats = json.loads(duel("status", "duel", "--json").output)["campaigns"][0]["seats"]
    assert [(seat["seat"], seat["address"]) for seat in seats] == [
        ("red", "eve@example.org"),
        ("blue", "bob@example.org"),
    ]


def test_a_seat_command_without_a_verb_is_refused(duel: Run) -> None:
    """A seat needs one change, and a change needs a seat."""
    for words in (["duel", "red"], ["duel", "--remove"], ["remove", "duel"], ["give", "duel", "red"]):
        assert duel("seat", *words).exit_code == 2


def test_house_rules_are_shown_and_changed(duel: Run) -> None:
    """Each rule has its value and the allowed ones; a misspelt one is refused with the nearest."""
    changed = duel("set", "duel", "grace=12h", "late-list=players").output
    shown = duel("set", "duel").output

    assert changed == "Done: house rules changed: grace 12h, late-list players. Undo: pbem undo duel\n"
    assert "Time\n  schedule=" in shown
    assert "  grace=12h  (default: off)\n" in shown
    assert "  signup=off  (default)\n" in shown
    assert duel("set", "duel", "grase=1h").output == ('Not done: no house rule "grase". Did you mean grace?\n')
    rules = {rule["name"]: rule for rule in json.loads(duel("set", "duel", "--json").output)["house_rules"]}
    assert rules["late-list"]["value"] == "players"


def test_the_journal_is_shown(duel: Run) -> None:
    """The journal has all entries with times in the campaign's zone; secret ones are marked, and what can be undone.

    A line that would be longer than 100 columns is broken, and the command to undo it is whole.
    """
    duel("invite", "duel", "eve@example.org", "--now", "2026-11-03T09:00Z")
    lines = duel("journal", "duel").output.splitlines()

    said = "gm: invited eve@example.org  (secret)"
    assert lines[-2:] == [f"Tue 3 Nov 2026 10:00 Europe/Berlin (09:00 UTC)  {said}", "    (undo: pbem undo duel 3)"]
    assert any("gm: started; dice seal" in line for line in lines)
    entries = json.loads(duel("journal", "duel", "--json").output)["entries"]
    assert entries[-1]["secret"] is True


def test_status_counts_what_waits(duel: Run) -> None:
    """Mail that was not tried yet is only counted."""
    shown = duel("status").output

    assert re.search(r"^  [0-9]+ mails queued$", shown, re.MULTILINE)
    assert "not delivered" not in shown


def test_a_service_needs_no_tick(duel: Run, home: Path) -> None:
    """While a service runs in the home, no result proposes a tick."""
    with (home / SERVING).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        invited = duel("invite", "duel", "eve@example.org").output
    again = duel("invite", "duel", "dan@example.org").output

    assert invited == "Done: invited eve@example.org to the standby list (no open seat). Valid for 14 days.\n"
    assert again.endswith("Valid for 14 days. Next: pbem tick\n")
