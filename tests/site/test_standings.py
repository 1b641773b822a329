"""The standings of a club: points over all finished games, of players who have a public name alone."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Mapping

import pytest
from sqlalchemy import update

from pbem.campaign.snapshot import load_campaign
from pbem.config import load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import ConfigError
from pbem.site.publish import publish
from pbem.site.standings import NEWCOMER, FinishedGame, load_standings, rank_players, rate_players, standings_lines
from pbem.store.models import Turn
from tests.inbox.people import ask, code, confirm
from tests.site.test_club import HOSTILE, files, site
from tests.toy.home import Desk, text_of

NAMES = {name.lower(): name for name in ("Ann", "Bob", "Cyd", "Dan")}


def finished(ranks: Mapping[str, int], at: int = 0, **players: str) -> FinishedGame:
    """Return a game that is over, by the ranks of its seats."""
    won = [seat for seat, rank in ranks.items() if rank == max(ranks.values())]
    return FinishedGame(dt.datetime(2026, 11, 2 + at, tzinfo=dt.UTC), ranks, players, won)


FIRST = finished({"red": 3, "blue": 1, "green": 1, "grey": 0}, red="ann", blue="bob", green="cyd", grey="dan")


def points(*games: FinishedGame) -> list[tuple[str, int, int, int]]:
    """Return name, points, games and wins of each player, the best first."""
    return [(each.name, each.points, each.games, each.won) for each in rank_players(games, NAMES).players]


def test_a_game_gives_a_point_for_each_seat_behind() -> None:
    """Equal ranks give equal points, who is first has won, and games are added up."""
    second = finished({"red": 0, "blue": 2, "green": 2, "grey": 0}, 1, blue="ann", red="bob")

    assert points(FIRST, second) == [("Ann", 5, 2, 2), ("Cyd", 1, 1, 0), ("Bob", 1, 2, 0), ("Dan", 0, 1, 0)]


def test_equal_players_share_a_place() -> None:
    """A player with the points, wins and games of another has their place too; the next one's counts both."""
    draw = finished({"red": 2, "blue": 2, "green": 0, "grey": 0}, red="ann", blue="bob", green="cyd", grey="dan")
    found = rank_players([draw], {name: name.capitalize() for name in ("dan", "cyd", "bob", "ann")})

    assert [(each.place, each.name) for each in found.players] == [(1, "Ann"), (1, "Bob"), (3, "Cyd"), (3, "Dan")]
    assert [line.partition(":")[0] for line in standings_lines(found)][:4] == ["1. Ann", "1. Bob", "3. Cyd", "3. Dan"]
    longer = rank_players([draw, finished({"red": 0}, 1, red="dan")], {"cyd": "Cyd", "dan": "Dan"})
    assert [(each.place, each.name) for each in longer.players] == [(1, "Dan"), (2, "Cyd")]


def test_a_player_of_two_seats_has_played_once() -> None:
    """Who had several seats of a game has the points of the best of them."""
    assert points(finished({"red": 0, "blue": 3}, red="ann", blue="ann")) == [("Ann", 3, 1, 1)]


def test_a_game_that_nobody_won_has_no_winner() -> None:
    """The best of it has points, and has won nothing."""
    game = dataclasses.replace(FIRST, won=())

    assert points(game)[0] == ("Ann", 3, 1, 0)


def test_a_campaign_that_cannot_be_read_is_left_out(desk: Desk) -> None:
    """The site is written, and STANDINGS answered, as of the others."""
    settings = dataclasses.replace(desk.app.settings, players={"ann@example.org": "Ann"})
    home = dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings))
    for name in ("toy1", "toy2"):
        home.start(name=name, rounds="1")
    home.tick(hours=24 * 7)
    with home.app.store.writing() as session:
        session.execute(update(Turn).values(state=b"{}").where(Turn.campaign_id == 1))
    home.post("STANDINGS\n")
    home.answer()

    assert "1 game counted" in " ".join(text_of(home.last("ann@example.org")).split())
    assert publish(home.app, home.home / "public", home.now).problems
    assert (home.home / "public" / "results.html").is_file()


def test_ratings_follow_the_order_in_which_players_ended() -> None:
    """The first has more than a newcomer, a draw is one, the last has least; games of two and of many count."""
    ratings = rate_players([FIRST])
    assert ratings["ann"] > ratings["bob"] == ratings["cyd"] > ratings["dan"]
    assert ratings["ann"] > NEWCOMER > ratings["dan"]

    duel = finished({"white": 0, "black": 1}, 1, white="ann", black="dan")
    after = rate_players([duel, FIRST])
    assert after["ann"] < ratings["ann"]
    assert after["dan"] > ratings["dan"]
    assert after == rate_players([FIRST, duel])


def test_who_met_nobody_has_no_rating() -> None:
    """A game of one player alone says nothing of their skill."""
    assert rate_players([finished({"red": 0, "blue": 1}, red="ann", blue="ann")]) == {}


def test_those_without_a_name_count_and_are_not_shown() -> None:
    """Their number is told, and their games make the ratings of others."""
    found = rank_players([FIRST], {"ann": "Ann"})

    assert [each.name for each in found.players] == ["Ann"]
    assert (found.games, found.others) == (1, 3)
    assert found.players[0].rating == rate_players([FIRST])["ann"]
    assert [*standings_lines(found)] == [
        f"1. Ann: 3 points in 1 game, 1 won, rating {found.players[0].rating}",
        "A game gives a point for each seat that ended behind; 1 game counted.",
        "3 players without a public name are not shown.",
    ]


def test_before_any_game_is_over_that_is_said() -> None:
    """No table without rows."""
    assert [*standings_lines(rank_players([], NAMES))] == ["No game is over yet."]


def test_standings_come_by_mail(desk: Desk) -> None:
    """STANDINGS brings what the site shows, without addresses; a campaign kept off the site does not count."""
    settings = dataclasses.replace(desk.app.settings, players={"ann@example.org": "Ann A."})
    home = dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings))
    home.start(rounds="1")
    home.reply(home.last("ann@example.org"), "BID 3")
    home.tick(hours=24 * 7)

    def asked() -> str:
        home.post("STANDINGS\n")
        home.answer()
        return " ".join(text_of(home.last("ann@example.org")).split())

    said = asked()
    assert re.search(r"1\. Ann A\.: 1 point in 1 game, 1 won, rating 1\d\d\d", said), said
    assert "1 player without a public name is not shown." in said
    assert "bob" not in said
    home.set_rules(site="off")
    assert "No game is over yet." in asked()


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
    assert page.count('<tr><th scope="row">1. ') == page.count('<th scope="row">') == 1
    assert "example.org" not in page


def test_a_name_goes_with_a_player_who_moves(desk: Desk) -> None:
    """After ADDRESS a player stands in the standings as before, by command, mail and on the site, with all games."""
    home = _named(desk, **{"ann@example.org": "Ann"})
    home.start(rounds="1")
    home.tick(hours=24 * 7)
    home.start(name="toy2", rounds="1")
    before = (site(home) / "results.html").read_text()
    for new in ("anna@example.com", "anna@example.net"):
        _move(home, new)
    home.tick(hours=24 * 7)

    with home.app.store.reading() as session:
        (found,) = load_standings(session, home.app).players
    assert (found.name, found.place, found.games) == ("Ann", 1, 2)
    home.post("STANDINGS\n", sender="anna@example.net")
    home.answer()
    assert "1. Ann: " in text_of(home.last("anna@example.net"))
    row = '<th scope="row">1. Ann</th>'
    assert before.count(row) == (site(home) / "results.html").read_text().count(row) == 1


def test_a_name_stays_with_the_address_that_another_plays_from(desk: Desk) -> None:
    """Two people never stand in the standings by the name of one address."""
    home = _named(desk, **{"ann@example.org": "Ann"})
    home.start(rounds="1")
    home.tick(hours=24 * 7)
    _move(home, "anna@example.com")
    home.start(name="toy2", rounds="1")
    home.tick(hours=24 * 7)

    with home.app.store.reading() as session:
        found = load_standings(session, home.app)
    assert [(each.name, each.games) for each in found.players] == [("Ann", 1)]
    assert found.others == 2


def test_the_name_of_the_newer_address_counts(desk: Desk) -> None:
    """A line for the address of today is never passed over for that of an old one."""
    home = _named(desk, **{"ann@example.org": "Ann", "anna@example.com": "Anna"})
    home.start(rounds="1")
    home.tick(hours=24 * 7)
    _move(home, "anna@example.com")

    with home.app.store.reading() as session:
        assert [each.name for each in load_standings(session, home.app).players] == ["Anna"]


def test_a_move_that_was_not_confirmed_gives_no_name(desk: Desk) -> None:
    """A player who only asks to play from a named address is not shown by its name."""
    home = _named(desk, **{"dan@example.org": "Dan"})
    home.start(rounds="1")
    home.post("ADDRESS dan@example.org\n")
    home.answer()
    ask(home, f"CONFIRM {code(home.last('ann@example.org'))}")
    home.tick(hours=24 * 7)

    with home.app.store.reading() as session:
        assert load_standings(session, home.app).players == ()


def _named(desk: Desk, **names: str) -> Desk:
    """Return the home with these public names by addresses."""
    settings = dataclasses.replace(desk.app.settings, players=names)
    return dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings))


def _move(desk: Desk, new: str) -> None:
    """Let the player of red move to another address."""
    with desk.app.store.reading() as session:
        old = load_campaign(session, "toy1").places[0].address
    ask(desk, f"ADDRESS {new}", old)
    for address in (old, new):
        confirm(desk, address)


@pytest.mark.parametrize(
    "line", ['players = "Ann"', '[players]\nann = "Ann"', '[players]\n"ann@example.org" = "a@example.org"']
)
def test_a_public_name_is_checked(desk: Desk, line: str) -> None:
    """A table that is none, a line without an address and a name that is an address are refused with an example."""
    file = desk.home / FILE_NAME
    file.write_text(f"{line}\n" + file.read_text() if line[0] != "[" else f"{file.read_text()}\n{line}\n")

    with pytest.raises(ConfigError, match=r'players.*"ann@example.org" = "Ann"'):
        load_settings(desk.home)
