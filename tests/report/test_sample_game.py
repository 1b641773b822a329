"""The picture of a board in play, for people who do not play yet."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.seats import Invite
from pbem.report import sample_game as module
from pbem.report.sample_game import sample_board, sample_picture
from pbem.ruleset import Dice, SeatName
from pbem.ruleset.protocol import AnyRuleset
from tests.games import RULESETS
from tests.toy.home import open_desk, text_of
from tests.toy.ruleset import Auction

DRAWN = [ruleset for ruleset in RULESETS if ruleset.key != "gm_adjudicated"]


@pytest.mark.parametrize("ruleset", DRAWN, ids=lambda ruleset: ruleset.key)
def test_each_game_has_a_sample(ruleset: AnyRuleset) -> None:
    """Each game that draws has a picture with words of its own, and it is painted once."""
    board = sample_board(ruleset)

    assert board is not None
    assert board.png.startswith(b"\x89PNG")
    assert len(board.png) < 200_000
    assert board.title
    assert sample_board(ruleset) is board


@pytest.mark.parametrize("ruleset", DRAWN, ids=lambda ruleset: ruleset.key)
def test_the_sample_is_the_same_each_time(ruleset: AnyRuleset) -> None:
    """It depends on the game alone."""
    assert sample_picture(ruleset) == sample_picture(ruleset)


def test_a_game_without_pictures_has_no_sample() -> None:
    """Without a picture there is no sample, and no error."""
    (pen,) = [ruleset for ruleset in RULESETS if ruleset.key == "gm_adjudicated"]

    assert sample_board(pen) is None


class Broken(Auction):
    """A game whose set-up fails."""

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> Any:
        """Fail."""
        raise RuntimeError("a fault of the game")


def test_a_game_that_fails_has_no_sample() -> None:
    """A fault of a game costs its invitations a picture and nothing else."""
    assert sample_board(Broken()) is None


def test_playing_ends_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow game is shown as far as it came."""
    monkeypatch.setattr(module, "SECONDS", -1.0)

    assert sample_picture(DRAWN[0]) is not None


def test_an_invitation_has_the_picture(tmp_path: Path) -> None:
    """The PNG goes with the mail, and so does what the GM has chosen otherwise than usual."""
    games = {ruleset.key: ruleset for ruleset in RULESETS}
    with open_desk(tmp_path / "home", games=games) as desk:
        desk.app = dataclasses.replace(desk.app, settings=dataclasses.replace(desk.app.settings, pictures=True))
        wanted = NewCampaign(
            name="solo1",
            game="singularity",
            gm="gm@example.org",
            seats=[("red", "ann@example.org")],
            deadline="FRI 20:00 UTC",
            options={"size": "8"},
            policy={},
            open=1,
        )
        create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
        run_action(desk.app, "solo1", Invite("eve@example.net"), desk.now)
        desk.tick()

        (picture,) = [part for part in desk.last("eve@example.net").walk() if part.get_content_type() == "image/png"]
        assert picture.get_filename() == "singularity-board.png"
        assert "- cells along each side of the board: 8 (usually 6)" in text_of(desk.last("eve@example.net"))
