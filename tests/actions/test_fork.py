"""Forks: a campaign continues in a home of its own, and the real one is not affected."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.actions.base import run_action, run_query
from pbem.actions.fork import Compare, ForkCampaign, ForkComparison
from pbem.actions.open_turn import EnterSheet, PreviewTurn
from pbem.actions.rollback import RollBack
from pbem.errors import CampaignError
from pbem.store.models import Person, Seat, Turn
from tests.actions.history import begin, live_turns, play, proof, rows, snapshot
from tests.toy.home import Desk, open_desk, prepared, text_of


@pytest.fixture
@prepared
def played(desk: Desk) -> Desk:
    """Return a campaign with two turns run; turn 3 is open."""
    begin(desk, rounds="5")
    play(desk, {"red": "BID 2\nWHISPER blue deal", "blue": "BID 1"})
    play(desk, {"red": "BID 1"})
    return desk


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Desk]:
    """Yield an empty home for the copy."""
    with open_desk(tmp_path / "there") as desk:
        yield desk


def compared(played: Desk, there: Desk) -> ForkComparison:
    """Return the comparison of the copy's open turn with the real reports."""
    made = run_query(there.app, "toy1", PreviewTurn(real_dice=True), played.now)
    return run_query(played.app, "toy1", Compare(there.app, made), played.now)


def test_a_fork_stands_where_the_turn_was_open(played: Desk, there: Desk) -> None:
    """State, sheets and reports are those of that time; later ones are not in the copy."""
    forked = run_action(played.app, "toy1", ForkCampaign(1, there.app), played.now)

    assert (forked.turn, forked.sheets) == (1, {"red": 1, "blue": 1})
    assert [turn.number for turn in live_turns(there)] == [0, 1]
    assert live_turns(there)[1].state_hash == live_turns(played)[1].state_hash


def test_a_fork_run_as_it_was_comes_out_the_same(played: Desk, there: Desk) -> None:
    """A fork has the same dice, turn after turn, and its own archive is proved."""
    run_action(played.app, "toy1", ForkCampaign(1, there.app), played.now)
    there.now = played.now
    play(there, {})

    assert live_turns(there)[2].state_hash == live_turns(played)[2].state_hash
    assert proof(there).turns == 1


def test_a_fork_with_another_sheet_tells_whose_reports_differ(played: Desk, there: Desk) -> None:
    """With another whisper of red, the reports of red and blue differ, and green's does not."""
    run_action(played.app, "toy1", ForkCampaign(1, there.app), played.now)
    run_action(there.app, "toy1", EnterSheet("red", [(1, "BID 2"), (2, "WHISPER blue never")]), played.now)
    found = compared(played, there)

    assert found.differing == {"blue": ("- - red whispered to you: deal.", "+ - red whispered to you: never.")}
    assert found.same == ("red", "green")


def test_nobody_can_be_mailed_from_a_fork(played: Desk, there: Desk) -> None:
    """A fork has no address of a player or GM, and no token."""
    run_action(played.app, "toy1", ForkCampaign(2, there.app), played.now)

    assert {person.address for person in rows(there, Person)} == {
        f"{seat}@fork.invalid" for seat in snapshot(there).seats
    }
    assert snapshot(there).gm == "gm@fork.invalid"
    assert {seat.token_hash for seat in rows(there, Seat)} == {""}


def test_a_copy_with_the_real_dice_is_told(played: Desk, there: Desk) -> None:
    """Journal and next reports disclose that a copy was made, since other sheets can be tried in it."""
    run_action(played.app, "toy1", ForkCampaign(1, there.app), played.now)
    play(played, {})

    told = 'The GM made a copy of the campaign as it stood when "round 1" was open, with its dice, to try what if.'
    assert told in " ".join(text_of(played.last("cyd@example.org")).split())


def test_the_real_campaign_is_only_read(played: Desk, there: Desk) -> None:
    """After a fork was made and played, the real campaign is unchanged but for its journal."""
    turns, mails = [turn.id for turn in rows(played, Turn)], len(played.mails())
    run_action(played.app, "toy1", ForkCampaign(1, there.app), played.now)
    play(there, {})
    played.tick()

    assert ([turn.id for turn in rows(played, Turn)], len(played.mails())) == (turns, mails)
    assert proof(played).turns == 2


@pytest.mark.parametrize("number", [0, 4])
def test_only_a_turn_there_was_can_be_forked(played: Desk, there: Desk, number: int) -> None:
    """A wrong turn is refused with those that are possible."""
    with pytest.raises(CampaignError, match=f"toy1 has no turn {number} to start from: it can be 1 to 3"):
        run_action(played.app, "toy1", ForkCampaign(number, there.app), played.now)


def test_a_fork_needs_an_empty_home(played: Desk, there: Desk) -> None:
    """A home with a campaign is refused."""
    run_action(played.app, "toy1", ForkCampaign(1, there.app), played.now)

    with pytest.raises(CampaignError, match="has a campaign already: fork into an empty folder"):
        run_action(played.app, "toy1", ForkCampaign(2, there.app), played.now)


def test_a_fork_whose_archive_cannot_be_written_leaves_no_copy(played: Desk, there: Desk) -> None:
    """Nothing is copied if withdrawn turns cannot be, as a copy that stays would not be disclosed."""
    run_action(played.app, "toy1", RollBack(2), played.now)
    play(played, {})
    there.app.settings.archive.mkdir(exist_ok=True)
    (there.app.settings.archive / "toy1").write_text("in the way")

    with pytest.raises(OSError, match="toy1"):
        run_action(played.app, "toy1", ForkCampaign(3, there.app), played.now)

    assert live_turns(there) == []


def test_the_open_turn_has_nothing_to_compare_with(played: Desk, there: Desk) -> None:
    """A turn that was not run has no reports to compare with."""
    run_action(played.app, "toy1", ForkCampaign(3, there.app), played.now)

    with pytest.raises(CampaignError, match="turn 3 of toy1 has not been run: there is nothing to compare"):
        compared(played, there)
