"""Standings of a club: the points of its players over all finished games.

A game gives a point for each seat that ended behind. Winners are before all others,
and these follow by the scores that all know. Only players to whom the settings give a
public name are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pbem.ruleset.values import SeatName
from pbem.site.data import CampaignPage


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """A player's points, and the numbers of games that they played and won."""

    name: str
    points: int = 0
    games: int = 0
    won: int = 0


def rank_players(campaigns: Iterable[CampaignPage]) -> list[PlayerStanding]:
    """Return the players with a public name, the best first."""
    found: dict[str, PlayerStanding] = {}
    for campaign in campaigns:
        points, winners = _points(campaign), campaign.result.winners if campaign.result else ()
        for name in sorted(set(campaign.players.values())):
            # Who had several seats has played once, and has the points of the best of them.
            seats = [seat for seat, player in campaign.players.items() if player == name]
            before, won = found.get(name, PlayerStanding(name)), any(seat in winners for seat in seats)
            best = max(points[seat] for seat in seats)
            found[name] = PlayerStanding(name, before.points + best, before.games + 1, before.won + won)
    return sorted(found.values(), key=lambda each: (-each.points, -each.won, each.games, each.name))


def _points(campaign: CampaignPage) -> Mapping[SeatName, int]:
    """Return the number of seats that ended behind each seat."""
    winners = campaign.result.winners if campaign.result else ()
    scores = {each.seat: each.score for each in campaign.scores}
    rank = {seat: (True, 0) if seat in winners else (False, scores.get(seat, 0)) for seat in campaign.seats}
    return {seat: sum(other < own for other in rank.values()) for seat, own in rank.items()}
