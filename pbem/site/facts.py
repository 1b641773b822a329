"""What the pages of a site tell, as their templates see it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from pbem.report.facts import Said
from pbem.ruleset.drawing import Picture
from pbem.ruleset.values import Seat
from pbem.store.types import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A turn whose opening all players were told of: what reports call it, when it opened, when it is or was due."""

    number: int
    label: str
    at: dt.datetime
    deadline: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Issue:
    """The newspaper that came with the reports of one opening."""

    opened: Opened
    pieces: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Spectacle:
    """What strangers see of the board, as it was some turns ago."""

    opened: Opened
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's score, and its share of the best one in percent."""

    seat: Seat
    score: int
    share: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a game ended."""

    winners: tuple[Seat, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class GameShown:
    """A game as the site tells of it."""

    key: str
    title: str
    designer: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignShown:
    """A campaign as all its players may know it.

    `free` seats can be asked for by mail where it `joins`. `last` is the newest
    opening that all were told of; `openings` are the last ones, the newest
    first. `replay` says that the game is over and its replay is here.
    """

    name: str
    game: GameShown
    status: Phase
    schedule: str
    zone: str
    seats: tuple[Seat, ...]
    joins: bool
    free: int
    paused: bool
    created: dt.datetime
    last: Opened | None = None
    openings: tuple[Opened, ...] = ()
    scores: tuple[Score, ...] = ()
    of: str = ""
    spectacle: Spectacle | None = None
    issues: tuple[Issue, ...] = ()
    result: Result | None = None
    replay: bool = False

    @property
    def due(self) -> dt.datetime | None:
        """When orders are due."""
        return self.last.deadline if self.last and self.status == Phase.RUNNING and not self.paused else None

    @property
    def since(self) -> dt.datetime:
        """When something last happened here that all know of."""
        return self.last.at if self.last else self.created


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubShown:
    """The club: its name, its order address, and what is played there."""

    name: str
    address: str
    domain: str
    url: str
    campaigns: tuple[CampaignShown, ...] = ()
    games: tuple[GameShown, ...] = field(default=())

    def of(self, *statuses: Phase) -> list[CampaignShown]:
        """The campaigns that stand so, those with news first."""
        found = [each for each in self.campaigns if each.status in statuses]
        return sorted(found, key=lambda each: each.since, reverse=True)
