"""Commands about people and house rules: seat, invite, policy, journal, and sign-up by mail."""

from __future__ import annotations

import json
import re

from tests.cli.conftest import Run

NEW = ["new", "duel", "--game", "singularity", "--gm", "gm@example.org", "--deadline", "FRI 20:00 Europe/Berlin"]


def test_a_campaign_with_a_seat_for_who_comes(pbem: Run) -> None:
    """If anyone may sign up, missing seats are open, and the start waits for players."""
    assert pbem(*NEW, "--seat", "blue=bob@example.org", "--policy", "signup=on").exit_code == 0

    assert pbem("seat", "duel").output == (
        "seat  player           state\nred                    open\nblue  bob@example.org  playing\n"
    )
    refused = pbem("start", "duel")
    assert refused.exit_code == 1
    assert refused.output.startswith("Error: Singularity is for 2 players, and 1 sit in duel: wait until somebody")


def test_an_open_seat_needs_no_sign_up(pbem: Run) -> None:
    """With --open, seats wait for invited players."""
    assert pbem(*NEW, "--seat", "red=ann@example.org").exit_code == 1
    assert pbem(*NEW, "--seat", "red=ann@example.org", "--open", "1").exit_code == 0

    assert pbem("invite", "duel", "bob@example.org", "--seat", "blue").output == (
        "bob@example.org is invited to seat blue; the code in the mail holds for 14 days.\n"
    )
    assert pbem("invite", "duel", "eve@example.org", "--seat", "red").output == (
        "Error: seat red of duel is taken; free: blue\n"
    )


def test_a_seat_is_handed_over_paused_and_removed(duel: Run) -> None:
    """Each change prints its result; taking a seat from its player, or removing it, needs confirmation."""
    asked = duel("seat", "duel", "red", "--to", "eve@example.org")
    assert (asked.exit_code, asked.output) == (
        3,
        (
            "Seat red of duel would be taken from ann@example.org, and played by eve@example.org from then on.\n"
            "Nothing has changed. To do it, add --yes.\n"
        ),
    )
    assert duel("seat", "duel", "red", "--to", "eve@example.org", "--yes").output == (
        "Seat red of duel is played by eve@example.org now, who is mailed a new token and its newest report.\n"
    )
    assert duel("seat", "duel", "blue", "--pause").output == "Seat blue of duel is paused: turns do not wait for it.\n"
    assert duel("seat", "duel", "red", "--remove").exit_code == 3
    assert duel("seat", "duel", "red", "--remove", "--yes").output.startswith("Seat red of duel is out of the game;")
    shown = json.loads(duel("seat", "duel", "--json").output)
    assert shown["seats"] == [["red", "eve@example.org", "removed"], ["blue", "bob@example.org", "paused"]]


def test_a_seat_command_without_an_act_is_refused(duel: Run) -> None:
    """A seat needs one change, and a change needs a seat."""
    for words in (["red"], ["--remove"], ["red", "--remove", "--to", "eve@example.org"]):
        refused = duel("seat", "duel", *words)

        assert refused.exit_code == 2
        assert "name a SEAT and one of --to, --open, --remove, --pause and --resume" in refused.output


def test_house_rules_are_shown_and_changed(duel: Run) -> None:
    """Each rule has its value and the allowed ones; a misspelt one is refused with the nearest."""
    changed = duel("policy", "duel", "grace=12h", "late-list=players").output
    shown = duel("policy", "duel").output

    assert changed == "House rules of duel from now on: grace 12h, late-list players.\n"
    assert "Time\n  schedule=" in shown
    assert "  grace=12h  (default: off)\n" in shown
    assert "  signup=off  (default)\n" in shown
    assert duel("policy", "duel", "grase=1h").output == ('Error: no house rule "grase". Did you mean grace?\n')
    rules = {rule["name"]: rule for rule in json.loads(duel("policy", "duel", "--json").output)["house_rules"]}
    assert rules["late-list"]["value"] == "players"


def test_the_journal_is_shown(duel: Run) -> None:
    """The journal has all entries with times in the campaign's zone; secret ones are marked, and what can be undone."""
    duel("invite", "duel", "eve@example.org", "--now", "2026-11-03T09:00Z")
    lines = duel("journal", "duel").output.splitlines()

    said = "gm: invited eve@example.org  (secret)  (undo: pbem undo duel 3)"
    assert lines[-1] == f"Tue 3 Nov 2026 10:00 Europe/Berlin (09:00 UTC)  {said}"
    assert any("gm: started; dice seal" in line for line in lines)
    entries = json.loads(duel("journal", "duel", "--json").output)["entries"]
    assert entries[-1]["secret"] is True


def test_status_counts_what_waits(duel: Run) -> None:
    """Mail that was not tried yet is only counted."""
    shown = duel("status").output

    assert re.search(r"^  [0-9]+ mails wait to be sent$", shown, re.MULTILINE)
    assert "not delivered" not in shown
