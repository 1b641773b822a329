"""The standings of a club: points over all finished games, of players who have a public name alone."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping

import pytest

from pbem.config import load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import ConfigError
from pbem.site.data import CampaignPage, GamePage, Result, Score
from pbem.site.standings import PlayerStanding, rank_players
from pbem.store.types import CampaignState
from tests.site.test_club import HOSTILE, files, site
from tests.toy.home import Desk


def finished(winners: str, scores: Mapping[str, int], **players: str) -> CampaignPage:
    """Return a game of red, blue, green and grey that is over."""
    return CampaignPage(
        name="war1",
        game=GamePage("toy", "Toy", "Ann", ""),
        status=CampaignState.OVER,
        schedule="FRI 20:00",
        zone="UTC",
        seats=("red", "blue", "green", "grey"),
        joins=False,
        free=0,
        paused=False,
        created=dt.datetime(2026, 11, 2, tzinfo=dt.UTC),
        scores=tuple(Score(seat, score, 0) for seat, score in scores.items()),
        result=Result(winners=tuple(winners.split()), reason="all is played"),
        players=players,
    )


def test_a_game_gives_a_point_for_each_seat_behind() -> None:
    """Winners are first whatever they scored, equal scores give equal points, and games are added up."""
    scores = {"red": 1, "blue": 7, "green": 7, "grey": 0}
    first = finished("red", scores, red="Ann", blue="Bob", green="Cyd", grey="Dan")
    second = finished("blue green", {}, blue="Ann", red="Bob")

    assert rank_players([first, second]) == [
        PlayerStanding("Ann", 3 + 2, 2, 2),
        PlayerStanding("Cyd", 1, 1, 0),
        PlayerStanding("Bob", 1 + 0, 2, 0),
        PlayerStanding("Dan", 0, 1, 0),
    ]


def test_a_player_of_two_seats_has_played_once() -> None:
    """Who had several seats of a game has the points of the best of them."""
    assert rank_players([finished("blue", {}, red="Ann", blue="Ann")]) == [PlayerStanding("Ann", 3, 1, 1)]


def test_only_those_with_a_public_name_are_shown(desk: Desk) -> None:
    """At the end a player is shown by the name in the settings, as text; others, and all before the end, are not."""
    settings = dataclasses.replace(desk.app.settings, players={"ann@example.org": HOSTILE})
    home = dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings))
    home.start(rounds="1")
    before = b"".join(files(site(home)).values())
    home.reply(home.last("ann@example.org"), "BID 3")
    home.tick(hours=24 * 7)
    page = (site(home) / "results.html").read_text()

    assert b"alert(1)" not in before
    assert "&lt;script&gt;alert(1)" in page
    assert page.count('<tr><th scope="row">') == 1
    assert "example.org" not in page


@pytest.mark.parametrize(
    "line", ['players = "Ann"', '[players]\nann = "Ann"', '[players]\n"ann@example.org" = "a@example.org"']
)
def test_a_public_name_is_checked(desk: Desk, line: str) -> None:
    """A table that is none, a line without an address and a name that is an address are refused with an example."""
    file = desk.home / FILE_NAME
    file.write_text(f"{line}\n" + file.read_text() if line[0] != "[" else f"{file.read_text()}\n{line}\n")

    with pytest.raises(ConfigError, match=r'players.*"ann@example.org" = "Ann"'):
        load_settings(desk.home)
