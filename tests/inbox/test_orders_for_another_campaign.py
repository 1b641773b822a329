"""Orders in a reply to the report of another campaign: its player, and nobody else, is told where they belong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.actions.base import run_action
from pbem.actions.start import StartCampaign
from tests.inbox.letters import GAMES
from tests.inbox.people import ANN, BOB, EVE, form, reports, words
from tests.toy.home import Desk, open_desk

TOLD = "ou also play stars, where it is an order: send it in a reply to your report of stars."


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Yield a home with two campaigns: Ann and Bob play stones, Ann and Cyd play stars."""
    with open_desk(Path(tmp_path_factory.mktemp("two"), "home"), games=GAMES) as desk:
        form(desk, "red", "blue", name="stones", game="singularity")
        form(desk, "red", "green", name="stars", game="singularity_trap")
        for name in ("stones", "stars"):
            run_action(desk.app, name, StartCampaign(), desk.now)
        desk.tick()
        yield desk


def reply(desk: Desk, to: str, text: str, **changes: str) -> str:
    """Reply to the report of stones; return the text of the answer to the player."""
    desk.reply(next(mail for mail in reports(desk, to) if "stones" in mail["Subject"]), text, **changes)
    desk.answer()
    return words(desk.last(to))


@pytest.mark.parametrize("text", ["BUILD Scout AT A1+0", "PLACE E5\nBUILD 2 Scout AT A1+0", "build a scout at a1+0"])
def test_the_players_other_campaign_is_named(desk: Desk, text: str) -> None:
    """An order of another game that the player has is answered with the campaign to send it to."""
    assert TOLD in reply(desk, ANN, text)


@pytest.mark.parametrize("text", ["BUILD Scout AT A1+0", "build a scout at a1+0"])
def test_nothing_is_told_of_campaigns_of_others(desk: Desk, text: str) -> None:
    """A campaign is told neither to one who does not play it, nor of a sheet that another sent with Ann's code."""
    assert "stars" not in reply(desk, BOB, text)
    assert "stars" not in reply(desk, ANN, text, sender=EVE)


def test_a_line_that_is_an_order_nowhere_names_no_campaign(desk: Desk) -> None:
    """A word that begins an order of no game of the player is refused as before."""
    assert "stars" not in reply(desk, ANN, "FROBNICATE E5")
