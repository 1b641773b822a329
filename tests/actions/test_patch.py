"""Edits of the state by a GM: shown, checked, kept in the record, and reported to those whose reports show them."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from pbem.actions.base import run_action, run_query
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.rerun import EditState, RerunTurn, ShowState, StateEdited
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.actions.start import StartCampaign
from pbem.archive.json_patch import PatchError
from pbem.errors import CampaignError
from pbem.scheduler.tick import run_campaign_now
from pbem_rules.gm_adjudicated import RULESET
from tests.actions.history import ANN, BOB, begin, journal, live_turns, play, proof, subjects
from tests.toy.home import GAMES, Desk, open_desk, prepared, text_of


@pytest.fixture
@prepared
def played(desk: Desk) -> Desk:
    """Return a campaign with turn 1 run; turn 2 is open."""
    begin(desk, rounds="5")
    play(desk, {"red": "BID 2", "blue": "BID 1"})
    return desk


def edited(desk: Desk, **values: Any) -> dict[str, Any]:
    """Return the state of the open turn with other values."""
    return {**copy.deepcopy(run_query(desk.app, "toy1", ShowState(), desk.now).state), **values}


def patch(desk: Desk, data: object, *, sure: bool = True) -> StateEdited:
    """Edit the state of toy1."""
    return (run_action if sure else run_query)(desk.app, "toy1", EditState(data), desk.now)


def test_an_edit_is_shown_path_by_path(played: Desk) -> None:
    """The GM sees each value that changes, and whose report would change; nothing is done yet."""
    before = run_query(played.app, "toy1", ShowState(), played.now).state
    patched = patch(played, edited(played, purses=[9, 99, 11]), sure=False)

    assert [(each.path, each.text) for each in patched.edit.differences] == [("/purses/1", "14 → 99")]
    assert [touched.seat for touched in patched.impact.touched] == ["blue"]
    assert run_query(played.app, "toy1", ShowState(), played.now).state == before


def test_an_edit_is_told_to_whom_it_shows(played: Desk) -> None:
    """Only blue may know blue's purse, so only blue gets a corrected report."""
    before = len(subjects(played, ANN))
    patch(played, edited(played, purses=[9, 99, 11]))
    played.tick()

    assert "- Your purse holds 14 coins.\n+ Your purse holds 99 coins." in text_of(played.last(BOB))
    assert len(subjects(played, ANN)) == before


def test_the_archive_proves_an_edit(played: Desk) -> None:
    """The edit is in the record of the turn before, and a replay makes it too."""
    patch(played, edited(played, purses=[9, 99, 11]))
    play(played, {"blue": "BID 90"})

    assert proof(played).turns == 2
    assert b'"patch":[{"op":"test"' in (live_turns(played)[1].record or b"")
    assert any("the GM has changed the state" in act for act in journal(played))


def test_a_json_patch_does_as_well(played: Desk) -> None:
    """Operations of RFC 6902 are accepted instead of a whole state."""
    patch(played, [{"op": "replace", "path": "/purses/1", "value": 99}])

    assert run_query(played.app, "toy1", ShowState(), played.now).state["purses"][1] == 99


def test_the_set_up_can_be_edited(desk: Desk) -> None:
    """Before the first run the set-up is made again with the edit."""
    begin(desk, rounds="5")
    patch(desk, edited(desk, purses=[20, 20, 20]))
    play(desk, {"red": "BID 19"})

    assert any("CORRECTED, round 1, due " in subject for subject in subjects(desk, ANN))
    assert proof(desk).turns == 1


def test_two_edits_add_up(played: Desk) -> None:
    """A second edit changes the state that the first has left."""
    patch(played, edited(played, purses=[9, 99, 11]))
    patch(played, edited(played, prizes=[0, 1, 0]))

    assert (
        run_query(played.app, "toy1", ShowState(), played.now).state["purses"][1],
        run_query(played.app, "toy1", ShowState(), played.now).state["prizes"],
    ) == (99, [0, 1, 0])
    assert proof(played).turns == 1


def test_a_rerun_keeps_an_edit_that_still_fits(played: Desk) -> None:
    """Another sheet of red leaves blue's edited purse as it is."""
    patch(played, edited(played, purses=[9, 99, 11]))
    run_action(played.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 3")]})), played.now)

    assert run_query(played.app, "toy1", ShowState(), played.now).state["purses"] == [8, 99, 11]
    assert proof(played).turns == 1


def test_a_rerun_refuses_an_edit_that_fits_no_more(played: Desk) -> None:
    """If blue's purse differs before the edit, the GM must decide whether to leave the edit out."""
    patch(played, edited(played, purses=[9, 99, 11]))
    changes = RerunChanges(sheets={"blue": [(1, "BID 3")]})

    with pytest.raises(CampaignError, match="change 1 expects 14 at /purses/1, but there is another; leave it out"):
        run_query(played.app, "toy1", RerunTurn(changes), played.now)
    run_action(played.app, "toy1", RerunTurn(RerunChanges(sheets=changes.sheets, drop_patch=True)), played.now)
    assert run_query(played.app, "toy1", ShowState(), played.now).state["purses"] == [9, 12, 11]


def test_a_rollback_takes_an_edit_with_it(played: Desk) -> None:
    """The edit belongs to the run of the turn that is open again."""
    patch(played, edited(played, purses=[9, 99, 11]))
    run_action(played.app, "toy1", RollBack(1), played.now)
    play(played, {})

    assert run_query(played.app, "toy1", ShowState(), played.now).state["purses"][1] == 14
    assert proof(played).turns == 1


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"purses": "many"},
            "Toy Auction refuses this state: this is not a save of Toy Auction: .* is not of kind list",
        ),
        ({"purses": []}, "Toy Auction cannot read this state"),
        ({"coins": 1}, "Toy Auction refuses this state: this is not a save of Toy Auction: KeyError.'coins'"),
        ({}, "this is the state that toy1 has: there is nothing to change"),
    ],
)
def test_the_game_must_be_able_to_go_on(played: Desk, changed: dict[str, Any], said: str) -> None:
    """A state that the game cannot load as it is written is refused with a reason."""
    with pytest.raises(CampaignError, match=said):
        patch(played, edited(played, **changed))


@pytest.mark.parametrize("data", [5, None, "state", {}, [1]])
def test_what_is_no_state_is_refused(played: Desk, data: object) -> None:
    """Any JSON that is no state is refused in a sentence."""
    with pytest.raises(CampaignError):
        patch(played, data)


def test_the_number_of_the_turn_stays(tmp_path: Path) -> None:
    """The state of a game that counts its turns keeps the number; the refusal says how to go back, if one was run."""
    with open_desk(tmp_path / "home", games={**GAMES, "gm_adjudicated": RULESET}) as desk:
        wanted = NewCampaign(
            name="king1",
            game="gm_adjudicated",
            gm="gm@example.org",
            seats=[("red", "ann@example.org"), ("blue", "bob@example.org")],
            deadline="FRI 20:00 UTC",
            options={},
        )
        create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
        run_action(desk.app, "king1", StartCampaign(), desk.now)

        for change in ({"op": "replace", "path": "/turn", "value": 7}, {"op": "remove", "path": "/turn"}):
            with pytest.raises(CampaignError, match=r"/turn .* stays 1, here and in the archive$"):
                run_action(desk.app, "king1", EditState([change]), desk.now)
        run_campaign_now(desk.app, "king1", desk.now)
        with pytest.raises(CampaignError, match=r"/turn .* stays 2, .* pbem rollback king1 1$"):
            run_action(desk.app, "king1", EditState([{"op": "remove", "path": "/turn"}]), desk.now)


def test_a_patch_that_does_not_fit_is_refused(played: Desk) -> None:
    """The error names the operation."""
    with pytest.raises(PatchError, match=r"change 1 \(.*/purse/1.*\) does not fit"):
        patch(played, [{"op": "replace", "path": "/purse/1", "value": 99}])


def test_before_the_start_there_is_no_state(desk: Desk) -> None:
    """Without a campaign there is no state."""
    with pytest.raises(CampaignError, match='no campaign "toy1"'):
        run_query(desk.app, "toy1", ShowState(), desk.now)
