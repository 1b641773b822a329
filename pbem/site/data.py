"""Public data of the website, and the folder into which its files are written.

Files are written when they change, and all but sealed pages stay, so that old
addresses keep working.

A turn that opened for some seats alone is not shown: its number, its deadline and
its existence would disclose what the others do not know. Everything on a page is
as of the last opening that every seat in the game had a report of
(docs/decisions/0028).
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.app import App
from pbem.campaign.damaged_rows import fault_of, unreadable_words
from pbem.campaign.house_rules import OFF
from pbem.campaign.press import NEWS
from pbem.campaign.snapshot import CampaignSnapshot, is_current, is_gm_hold, load_campaign, load_state
from pbem.errors import ConfigError, reason_of
from pbem.report.facts import QuotedText
from pbem.ruleset.drawing import Picture
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Panorama, SeatName, View
from pbem.store.models import Campaign, Press, Report, Seat, Turn
from pbem.store.types import CampaignState, HoldKind, SeatState
from pbem.util import isolated

_FILE, _FOLDER = 0o644, 0o755
"""A web server reads what pbem writes, though the rest of a home is for its user alone."""


class SiteFolder:
    """Folder of a site; `written` counts the files that were new or had changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.written = 0
        _make_folder(root)

    def has(self, name: str) -> bool:
        """Return True if there is a file of this name."""
        return (self.root / name).is_file()

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file whole or not at all, unless it has this content already. Raises OSError."""
        data = content.encode() if isinstance(content, str) else content
        path = self.root / name
        if path.is_file() and path.read_bytes() == data:
            return
        draft = self.draft(name)
        draft.write_bytes(data)
        self.put(draft, name)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there. Raises OSError."""
        (self.root / name).unlink(missing_ok=True)

    def read(self, name: str) -> str:
        """Return the text of a file, "" if there is none that can be read."""
        try:
            return (self.root / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def draft(self, name: str) -> Path:
        """Return the path at which a file is written before `put` publishes it; make its folders."""
        path = self.root / name
        for folder in reversed(path.relative_to(self.root).parents):
            _make_folder(self.root / folder)
        # Beside its place: a file can be renamed, in one step, only within one file system.
        # With the process in its name: two that publish at once would write into each other's drafts.
        return path.with_name(f".{path.name}.{os.getpid()}.draft")

    def put(self, draft: Path, name: str) -> None:
        """Publish a draft in the place of a file."""
        draft.chmod(_FILE)
        draft.replace(self.root / name)
        self.written += 1


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise ConfigError(f"the site cannot be written to {folder}: {reason_of(error)}") from None
    # By chmod, since the umask, which keeps the rest of a home private, cuts the mode of a new folder.
    folder.chmod(_FOLDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOpened:
    """A turn of whose opening all players had a report: its label there, its opening and its deadline."""

    number: int
    label: str
    at: dt.datetime
    deadline: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Issue:
    """The newspaper that came with the reports of one opening."""

    opened: TurnOpened
    pieces: tuple[QuotedText, ...]


@dataclass(frozen=True, slots=True)
class BoardView:
    """Public view of the board, delayed by some turns."""

    opened: TurnOpened
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's score, and its share of the best one in percent."""

    seat: SeatName
    score: int
    share: int


@dataclass(frozen=True, slots=True)
class ScoreCourse:
    """The scores of the leading seats at public openings, in the order of the openings, with the labels of these."""

    labels: tuple[str, ...] = ()
    scores: Mapping[SeatName, tuple[int | None, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """End of a game: the winners, and the reason."""

    winners: tuple[SeatName, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class GamePage:
    """A game as the site shows it."""

    key: str
    title: str
    designer: str
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignPage:
    """A campaign as all its players may know it.

    `title` is its own, "" if it has none. `gm` is the name that the GM gave, and `contact`
    the address that they let the site show, each "" if there is none. `free` seats can be
    asked for by mail where it `joins`. `last` is the newest opening that all were told of;
    `openings` are the last ones, the newest first. `waits`: its deadline is past, and the
    GM lets the turn run. `replay` says that the game is over and its replay is here.
    """

    name: str
    title: str = ""
    game: GamePage
    status: CampaignState
    schedule: str
    zone: str
    seats: tuple[SeatName, ...]
    joins: bool
    free: int
    paused: bool
    waits: bool = False
    gm: str = ""
    contact: str = ""
    created: dt.datetime
    last: TurnOpened | None = None
    openings: tuple[TurnOpened, ...] = ()
    scores: tuple[Score, ...] = ()
    of: str = ""
    course: ScoreCourse = ScoreCourse()
    spectacle: BoardView | None = None
    issues: tuple[Issue, ...] = ()
    result: Result | None = None
    replay: bool = False

    @property
    def heading(self) -> str:
        """The title, or else the name."""
        return self.title or self.name

    @property
    def due(self) -> dt.datetime | None:
        """The deadline of the open turn, if the campaign is running and is not paused or waits for its GM."""
        held = self.paused or self.waits or self.status != CampaignState.RUNNING
        return self.last.deadline if self.last and not held else None

    @property
    def since(self) -> dt.datetime:
        """The time of the newest public event."""
        return self.last.at if self.last else self.created


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubPage:
    """The club: its name, its order address, and what is played there."""

    name: str
    address: str
    domain: str
    url: str
    campaigns: tuple[CampaignPage, ...] = ()
    games: tuple[GamePage, ...] = field(default=())

    def of(self, *statuses: CampaignState) -> list[CampaignPage]:
        """Return the campaigns in one of these states, the ones with the newest events first."""
        found = [each for each in self.campaigns if each.status in statuses]
        return sorted(found, key=lambda each: each.since, reverse=True)


MOST_TOGETHER = 12
"""Seats up to which a moment is also shown as all views together."""

REPLAY, FULL = "replay", "full"
"""Values of the house rule `site`, beside news alone."""

MOST_OPENINGS = 12
"""Openings in a feed."""

MOST_COMPARED = 20
"""Openings whose public scores are drawn; of a longer game, as many that lie evenly over it."""

MOST_DRAWN = 8
"""Seats whose scores are drawn, the best ones: there are as many colours."""

# Id of a turn, and its opening, whose label is added when it is needed.
PublicOpening = tuple[int, TurnOpened]


def load_public_data(session: Session, app: App, now: dt.datetime, problems: list[str]) -> ClubPage:
    """Load the club and its campaigns that the site may show; add a problem for each that cannot be read."""
    settings = app.settings
    names = session.scalars(select(Campaign.name).order_by(Campaign.id)).all()
    campaigns = tuple(filter(None, (_load_campaign_page(session, app, now, name, problems) for name in names)))
    games = {each.game.key: each.game for each in campaigns}
    return ClubPage(
        name=settings.sender_name,
        address=settings.address,
        domain=settings.domain,
        url=settings.site_url,
        campaigns=campaigns,
        games=tuple(sorted(games.values(), key=lambda game: game.title)),
    )


def _load_campaign_page(
    session: Session, app: App, now: dt.datetime, name: str, problems: list[str]
) -> CampaignPage | None:
    with isolated() as faults:
        snapshot = load_campaign(session, name)
        if snapshot.policy.site == OFF or snapshot.game not in app.games:
            return None
        return _build_campaign_page(session, app.game(snapshot.game), snapshot, now)
    problems += [unreadable_words(name, fault, fault_of(session, name)) for fault in faults]
    return None


def _build_campaign_page(
    session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot, now: dt.datetime
) -> CampaignPage:
    told = list(public_openings(session, snapshot))
    openings = [_with_label(session, *each) for each in told[:MOST_OPENINGS]]
    over = snapshot.status == CampaignState.OVER
    # Of a mailed view: the site has no way of its own to a state (docs/decisions/0028).
    panorama = load_panorama(session, ruleset, told[0][0]) if told else None
    scores = tuple(rank_scores(panorama.scores)) if panorama else ()
    replay = over and snapshot.policy.site in (REPLAY, FULL)
    show = _final_view if replay else _board_view
    standing = ruleset.standing(load_state(session, ruleset, snapshot)) if over else None
    open_seats = (Seat.campaign_id == snapshot.id, Seat.status == SeatState.OPEN)
    return CampaignPage(
        name=snapshot.name,
        title=snapshot.policy.title,
        game=GamePage(ruleset.key, ruleset.title, ruleset.designer, ruleset.summary),
        status=snapshot.status,
        schedule=snapshot.schedule.text,
        zone=snapshot.schedule.zone,
        seats=snapshot.seats,
        joins=snapshot.policy.signup and snapshot.status in (CampaignState.FORMING, CampaignState.RUNNING),
        free=session.scalar(select(func.count()).where(*open_seats)) or 0,
        paused=is_gm_hold(snapshot.hold_kind),
        waits=bool(openings) and _waits_for_gm(snapshot, openings[0], now),
        gm=snapshot.gm_name,
        contact="" if snapshot.policy.contact == OFF else snapshot.policy.contact,
        created=session.scalars(select(Campaign.created_at).where(Campaign.id == snapshot.id)).one(),
        last=openings[0] if openings else None,
        openings=tuple(openings),
        scores=scores,
        of=panorama.of if panorama else "",
        course=_load_course(session, ruleset, told, [each.seat for each in scores[:MOST_DRAWN]]),
        spectacle=show(session, ruleset, snapshot, told),
        issues=tuple(_issues(session, snapshot, [*reversed(told)])),
        result=Result(winners=standing.winners, reason=standing.reason) if standing else None,
        replay=replay,
    )


def _waits_for_gm(snapshot: CampaignSnapshot, opened: TurnOpened, now: dt.datetime) -> bool:
    """Return True if the open turn is public, is past its deadline, and is held."""
    # Only then: a hold before the deadline would disclose that all sheets are in.
    past = opened.deadline is not None and opened.deadline <= now
    return past and opened.number == snapshot.turn and snapshot.hold_kind != HoldKind.NONE


def public_openings(session: Session, snapshot: CampaignSnapshot) -> Iterator[PublicOpening]:
    """Yield the openings of which all seats still in the game had a report, the newest first."""
    playing = [place.id for place in snapshot.playing]
    rows = session.execute(
        select(Turn.id, Turn.number, Turn.opened_at, Turn.deadline)
        .join(Report, Report.turn_id == Turn.id)
        .join(Seat, Seat.id == Report.seat_id)
        .where(is_current(snapshot.id), Seat.status != SeatState.REMOVED)
        .group_by(Turn.id, Turn.number, Turn.opened_at, Turn.deadline)
        # A turn may open for some seats alone; such a turn is not public (docs/decisions/0028).
        .having(func.count(Report.id) >= max(1, len(playing)))
        .order_by(Turn.number.desc())
    )
    for id_, number, at, deadline in rows:
        yield id_, TurnOpened(number=number, label="", at=at, deadline=deadline)


def _with_label(session: Session, turn_id: int, opened: TurnOpened) -> TurnOpened:
    return replace(opened, label=str(_load_view(session, turn_id)["label"]))


def _load_view(session: Session, turn_id: int) -> View:
    """Return the view of a seat at an opening. Public data are the same in each."""
    raw = session.scalars(select(Report.view).where(Report.turn_id == turn_id).order_by(Report.seat_id).limit(1)).one()
    view: View = json.loads(raw)
    return view


def load_panorama(session: Session, ruleset: AnyRuleset, turn_id: int) -> Panorama | None:
    """Return what all players know at a public opening; None if the game does not say it."""
    view = _load_view(session, turn_id)
    return ruleset.public_view({view["seat"]: view})


def rank_scores(scores: Mapping[SeatName, int]) -> Iterator[Score]:
    """Yield scores, the best first."""
    best = max(1, *scores.values()) if scores else 1
    for seat, score in sorted(scores.items(), key=lambda each: (-each[1], each[0])):
        yield Score(seat, score, max(0, 100 * score // best))


def _board_view(
    session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot, told: Sequence[PublicOpening]
) -> BoardView | None:
    delay = snapshot.policy.delay
    if delay is None or len(told) <= delay or snapshot.status != CampaignState.RUNNING:
        return None
    turn_id, opened = told[delay]
    panorama = load_panorama(session, ruleset, turn_id)
    return BoardView(_with_label(session, turn_id, opened), panorama.pictures) if panorama else None


def _final_view(
    session: Session, ruleset: AnyRuleset, snapshot: CampaignSnapshot, told: Sequence[PublicOpening]
) -> BoardView | None:
    """Return the board of a game whose replay is public, as all its views show it together at the end."""
    if not told or len(snapshot.seats) > MOST_TOGETHER:
        return None
    turn_id, opened = told[0]
    rows = session.scalars(select(Report.view).where(Report.turn_id == turn_id).order_by(Report.seat_id))
    views: dict[SeatName, View] = {view["seat"]: view for view in map(json.loads, rows)}
    panorama = ruleset.full_view(views)
    return BoardView(_with_label(session, turn_id, opened), panorama.pictures) if panorama else None


def _load_course(
    session: Session, ruleset: AnyRuleset, told: Sequence[PublicOpening], seats: Sequence[SeatName]
) -> ScoreCourse:
    """Return the public scores of these seats over the public openings."""
    if not seats or len(told) < 2:
        return ScoreCourse()
    chosen = [_load_view(session, turn_id) for turn_id, _ in _evenly([*reversed(told)], MOST_COMPARED)]
    known = [ruleset.public_view({view["seat"]: view}) for view in chosen]
    scores = {seat: tuple(each.scores.get(seat) if each else None for each in known) for seat in seats}
    return ScoreCourse(tuple(str(view["label"]) for view in chosen), scores)


def _evenly(all_of: Sequence[PublicOpening], most: int) -> list[PublicOpening]:
    """Return so many items of a sequence, the first and the last among them."""
    if len(all_of) <= most:
        return list(all_of)
    return [all_of[at * (len(all_of) - 1) // (most - 1)] for at in range(most)]


def _issues(session: Session, snapshot: CampaignSnapshot, told: Sequence[PublicOpening]) -> Iterator[Issue]:
    """Yield the newspapers, the newest first; `told` are the openings in their order."""
    news = select(Press.turn, Press.text, Press.anonymous, Seat.name)
    rows = session.execute(
        news.outerjoin(Seat, Seat.id == Press.sender_id)
        .where(Press.campaign_id == snapshot.id, Press.kind == NEWS)
        .order_by(Press.id)
    ).all()
    found = []
    # By public openings: news of a turn that opened for some seats alone come with the next that opened for all.
    since = 0
    for turn_id, opened in told:
        pieces = tuple(
            QuotedText(by="" if anonymous else seat or "the GM", text=text)
            for turn, text, anonymous, seat in rows
            if since <= turn < opened.number
        )
        since = opened.number
        if pieces:
            found.append(Issue(_with_label(session, turn_id, opened), pieces))
    yield from reversed(found)
