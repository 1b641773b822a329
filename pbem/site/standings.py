"""Standings of a club: the points of its players over all finished games, and their ratings.

A game gives a point for each seat that ended behind. Winners are before all others,
and these follow by the scores that all know. Only players to whom the settings give a
public name are shown, and only games that the site may show count.

Ratings are those of `openskill`, an optional package: games of two and of many count
alike, each by the order in which its players ended.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.house_rules import OFF
from pbem.campaign.snapshot import load_campaign, load_state
from pbem.log import event
from pbem.ruleset.values import SeatName
from pbem.site.data import load_panorama, public_openings
from pbem.store.models import Campaign, PendingRequest, Person
from pbem.store.types import CampaignState, RequestKind
from pbem.text import count_noun
from pbem.util import isolated

NEWCOMER, POINTS_A_SIGMA = 1000, 40
"""The rating of a player without games, and the points of the library's unit."""


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that is over: its end, the rank of each seat, and the players of those that have one, by their keys.

    The rank of a seat is the number of seats that ended behind it; `won` are the seats that won, if any did.
    """

    ended: dt.datetime
    ranks: Mapping[SeatName, int]
    players: Mapping[SeatName, str]
    won: Collection[SeatName]

    @property
    def best(self) -> dict[str, int]:
        """The rank of each player: who had several seats has played once, and has that of the best of them."""
        found: dict[str, int] = {}
        for seat, player in self.players.items():
            found[player] = max(self.ranks[seat], found.get(player, 0))
        return found

    @property
    def winners(self) -> set[str]:
        """The players of the seats that won."""
        return {player for seat, player in self.players.items() if seat in self.won}


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """A player's points, the numbers of games that they played and won, and their rating, None if it is not known.

    Equal players share a `place`, and the next one's is as many below it.
    """

    name: str
    place: int = 0
    points: int = 0
    games: int = 0
    won: int = 0
    rating: int | None = None

    @property
    def merit(self) -> tuple[int, int, int]:
        """The measure of places, the least first: more points, then more games won, then fewer games played."""
        return -self.points, -self.won, self.games


@dataclass(frozen=True, slots=True)
class Standings:
    """Players with a public name, the best first; `games` are those that count, `others` the players without a name."""

    players: tuple[PlayerStanding, ...]
    games: int
    others: int


def load_standings(session: Session, app: App) -> Standings:
    """Return the standings over the finished campaigns that the site may show, of games that are installed.

    A campaign that cannot be read is left out, and logged.
    """
    names = session.scalars(select(Campaign.name).where(Campaign.status == CampaignState.OVER).order_by(Campaign.id))
    games = []
    for name in names.all():
        with isolated() as faults:
            games += [game] if (game := _load_game(session, app, name)) else []
        for fault in faults:
            event("campaign not in standings", level="warning", fault=fault, campaign=name)
    return rank_players(games, _load_names(session, app.settings.players, games))


def _load_names(session: Session, names: Mapping[str, str], games: Sequence[FinishedGame]) -> Mapping[str, str]:
    """Return the public names of players by their addresses of today.

    A name that was given to an address which its player has left goes with them, unless another plays from there now.
    """
    playing = {player for game in games for player in game.players.values()}
    keys = {person.id: person.key for person in session.execute(select(Person.id, Person.key))}
    asked = select(PendingRequest.data).where(PendingRequest.kind == RequestKind.NEW_ADDRESS)
    moves = session.scalars(asked.order_by(PendingRequest.id))
    left = [(keys.get(data["person_id"]), data.get("from")) for data in moves]
    return {key: names[old] for key, old in left if key and old in names and old not in playing} | {**names}


def _load_game(session: Session, app: App, name: str) -> FinishedGame | None:
    snapshot = load_campaign(session, name)
    told = next(public_openings(session, snapshot), None)
    if snapshot.policy.site == OFF or snapshot.game not in app.games or told is None:
        return None
    ruleset = app.game(snapshot.game)
    standing = ruleset.standing(load_state(session, ruleset, snapshot))
    panorama = load_panorama(session, ruleset, told[0])
    scores = panorama.scores if panorama else {}
    order = {seat: (True, 0) if seat in standing.winners else (False, scores.get(seat, 0)) for seat in snapshot.seats}
    return FinishedGame(
        ended=told[1].at,
        ranks={seat: sum(other < own for other in order.values()) for seat, own in order.items()},
        players={place.seat: place.address.lower() for place in snapshot.playing if place.address},
        won=standing.winners,
    )


def rank_players(games: Sequence[FinishedGame], names: Mapping[str, str]) -> Standings:
    """Return the standings of the players to whom `names` gives one, by their keys."""
    found: dict[str, PlayerStanding] = {}
    ratings = rate_players(games)
    for game in games:
        for player, points in game.best.items():
            before = found.get(player, PlayerStanding(names.get(player, ""), rating=ratings.get(player)))
            won = before.won + (player in game.winners)
            found[player] = replace(before, points=before.points + points, games=before.games + 1, won=won)
    shown = sorted((each for each in found.values() if each.name), key=lambda each: (each.merit, each.name))
    merits = [each.merit for each in shown]
    placed = tuple(replace(each, place=bisect_left(merits, each.merit) + 1) for each in shown)
    return Standings(placed, len(games), len(found) - len(shown))


def rate_players(games: Sequence[FinishedGame]) -> dict[str, int]:
    """Return the rating of each player who met another, in the order in which the games ended; none without openskill.

    It is the library's `ordinal`, three deviations below what a player's skill is taken to be, so that few games do not
    make a champion: a newcomer has 1,000.
    """
    try:
        from openskill.models import PlackettLuce
    except ModuleNotFoundError:
        return {}
    model = PlackettLuce()
    ratings: dict[str, Any] = {}
    for game in sorted(games, key=lambda each: each.ended):
        players = list(game.best)
        if len(players) > 1:
            # Of the library's ranks the lowest is the best, and equal ones are a draw.
            sides = [[ratings.get(player) or model.rating(name=player)] for player in players]
            rated = model.rate(sides, ranks=[-game.best[player] for player in players])
            ratings.update((player, side[0]) for player, side in zip(players, rated, strict=True))
    return {player: round(each.ordinal(alpha=POINTS_A_SIGMA, target=NEWCOMER)) for player, each in ratings.items()}


def standings_lines(standings: Standings) -> Iterator[str]:
    """Yield the standings in words, a line for each player."""
    for each in standings.players:
        rating = "" if each.rating is None else f", rating {each.rating}"
        points = f"{count_noun(each.points, 'point')} in {count_noun(each.games, 'game')}, {each.won} won{rating}"
        yield f"{each.place}. {each.name}: {points}"
    if not standings.games:
        yield "No game is over yet."
        return
    yield f"A game gives a point for each seat that ended behind; {count_noun(standings.games, 'game')} counted."
    if standings.others:
        are = "is" if standings.others == 1 else "are"
        yield f"{count_noun(standings.others, 'player')} without a public name {are} not shown."
