"""Publishes the website: pages, score plots, replays and sealed pages."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from markupsafe import Markup, escape
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from pbem import __version__
from pbem.app import App
from pbem.archive.record import disclose_dice_words, file_hash
from pbem.campaign.damaged_rows import keep_fact, read_fact
from pbem.campaign.house_rules import OFF
from pbem.campaign.snapshot import CampaignSnapshot, is_current, load_campaign
from pbem.errors import CampaignError, PbemError, RulesetError, StoreError, describe_error
from pbem.games import rulebook
from pbem.log import event
from pbem.report.answers import Help
from pbem.report.markdown import as_html
from pbem.report.renderer import Renderer
from pbem.report.style import with_dark_colours
from pbem.report.template_check import sample
from pbem.ruleset.dice import seed_hash
from pbem.ruleset.drawing import Picture, svg_escape
from pbem.ruleset.fields import suggest
from pbem.ruleset.protocol import Adjudicated, AnyRuleset
from pbem.ruleset.values import SeatName
from pbem.site.data import FULL, BoardView, CampaignPage, ClubPage, GamePage, Result, SiteFolder, load_public_data
from pbem.site.feeds import calendar, campaign_feed, club_feed
from pbem.site.pictures import (
    SHARE_HEIGHT,
    SHARE_WIDTH,
    BoardFile,
    first_safe,
    is_safe_picture,
    key_of,
    share_picture,
    title_picture,
)
from pbem.site.replay import Replay, write_replay
from pbem.site.samples import GameSamples, SampleMail, make_samples
from pbem.site.standings import PlayerStanding, load_standings
from pbem.store.models import Campaign, JournalEntry, Press, Report, SealedPage, Seat, Turn
from pbem.store.types import SITE_KEY, UNREADABLE, CampaignState
from pbem.web.page import PageAssets, json_script, page_assets
from pbem.web.sanitize import SanitizedHtml, sanitize_html

WIDTH, HEIGHT = 720, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 12, 12, 26
COLOURS = 8
"""Number of line colours; with more seats, they repeat."""

KNOWN = ("red", "yellow", "green", "cyan", "blue", "magenta", "white", "orange")
"""Seats with these names have their own colour."""


def colour_of(seats: Sequence[SeatName]) -> Mapping[SeatName, str]:
    """Return the class of each seat's line: that of its own colour, or else one by its place."""
    return {seat: f"c-{seat}" if seat in KNOWN else f"c-{at % COLOURS}" for at, seat in enumerate(seats)}


def score_plot(
    scores: Mapping[SeatName, Sequence[int | None]],
    labels: Sequence[str],
    title: str,
    colours: Mapping[SeatName, str] | None = None,
) -> str:
    """Return an SVG of the scores of each seat, one for each of the labels; "" if there are none to compare."""
    told = [score for each in scores.values() for score in each if score is not None]
    if len(labels) < 2 or not told:
        return ""
    low, high = min(0, *told), max(1, *told)
    colours = colours or colour_of(tuple(scores))

    def x(at: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / (len(labels) - 1)

    def y(score: int) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - score) / (high - low)

    def line(seat: SeatName, values: Sequence[int | None]) -> str:
        points = " ".join(f"{x(at):.1f},{y(score):.1f}" for at, score in enumerate(values) if score is not None)
        return f'<polyline class="{colours[seat]}" points="{points}"><title>{svg_escape(seat)}</title></polyline>'

    axis = "".join(_axis(y, low, high))
    ends = (
        f'<text x="{LEFT}" y="{HEIGHT - 6}">{svg_escape(labels[0])}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end">{svg_escape(labels[-1])}</text>'
    )
    lines = "".join(line(seat, values) for seat, values in scores.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{svg_escape(title)}" data-left="{LEFT}" data-right="{WIDTH - RIGHT}">{axis}{ends}{lines}'
        f'<line class="now" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/></svg>'
    )


def _axis(y: Callable[[int], float], low: int, high: int) -> Iterator[str]:
    """Yield horizontal lines at round numbers."""
    step = _grid_step(high - low)
    for score in range(-(-low // step) * step, high + 1, step):
        at = y(score)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{score}</text>'


def _grid_step(span: int) -> int:
    """Return a round number of which at most five make the span."""
    step = 1
    while span > 5 * step:
        step = 5 * step // 2 if str(step)[0] == "2" else 2 * step
    return step


# To be increased when pages change, so that those of older versions are written again.
_FORMAT = 4

SEALED_FOR = dt.timedelta(days=90)
"""Time for which a sealed page stays on the site; RESEND brings a link to a new one."""

_STYLE = re.compile(r' style="[^"]*"')


@dataclass(frozen=True, slots=True)
class Published:
    """Result of publishing: the first page of the site, the number of files new or changed, and of replays.

    `problems` are sentences on campaigns and samples whose pages could not be made; the others were. `lacking` are
    those on samples, which are tried again when there is something new.
    """

    page: Path
    files: int
    replays: int
    problems: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


def publish(app: App, root: Path, now: dt.datetime, only: Collection[str] = ()) -> Published:
    """Write the site below a folder: all of it, or with `only` the first pages and those of these campaigns.

    Raises:
        CampaignError: there is no such campaign, or it is not shown.
        ConfigError: the folder cannot be written to.
    """
    folder = SiteFolder(root)
    with app.store.reading() as session:
        problems: list[str] = []
        club = load_public_data(session, app, now, problems)
        _check_shown(session, club, only)
        site = _Site(session, app, club, folder)
        lacking = tuple(filter(None, map(site.write_samples, club.games)))
        site.write_club()
        _write_all_sealed(session, folder)
        chosen = [each for each in club.campaigns if not only or each.name in only]
        problems += filter(None, map(site.write_campaign, chosen))
    return Published(root / "index.html", folder.written, site.replays, (*problems, *lacking), lacking)


def publish_changes(app: App, now: dt.datetime) -> tuple[str, ...]:
    """Write the site into the folder of the settings, if there is one and anything has changed since.

    Returns:
        A sentence for each campaign whose pages could not be made.
    """
    root = app.settings.site
    if root is None:
        return ()
    _withdraw_sealed(app, root, now)
    _write_sealed(app, root, now)
    with app.store.reading() as session:
        state, kept = None, read_fact(session, SITE_KEY, list)
        with suppress(*UNREADABLE):
            state = _load_state(session, app, now)
    # With the first page: a folder that was lost or emptied is written again.
    if state is not None and kept == state and (root / "index.html").is_file():
        return ()
    done = publish(app, root, now)
    # Not after problems, so that the next tick tries again. A game whose samples fail would fail in each: it is tried
    # again when there is something new.
    if done.problems == done.lacking and state is not None:
        with app.store.writing(durable=False) as session:
            keep_fact(session, SITE_KEY, state)
    return done.problems


def _withdraw_sealed(app: App, root: Path, now: dt.datetime) -> None:
    """Remove sealed pages from the site that are old, or whose seat has another player now."""
    passed_on = Seat.person_id.is_distinct_from(SealedPage.person_id)
    ended = (
        select(SealedPage.id, SealedPage.place)
        .outerjoin(Seat, SealedPage.seat_id == Seat.id)
        .where(SealedPage.withdrawn_at.is_(None))
        .where((SealedPage.written_at < now - SEALED_FOR) | (SealedPage.seat_id.is_not(None) & passed_on))
        .order_by(SealedPage.id)
    )
    with app.store.reading() as session:
        pages = session.execute(ended).all()
    if not pages:
        return
    folder = SiteFolder(root)
    # Files go before their rows say so: killed in between, the next call removes them again.
    for _, place in pages:
        folder.remove(place)
    with app.store.writing(durable=False) as session:
        # The rows stay, so that `publish` into another folder removes the files there too.
        rows = update(SealedPage).where(SealedPage.id.in_([id_ for id_, _ in pages]))
        session.execute(rows.values(withdrawn_at=now, content=b""))


def _write_sealed(app: App, root: Path, now: dt.datetime) -> None:
    """Write the sealed pages that are new, and record that they were written."""
    is_new = SealedPage.written_at.is_(None) & SealedPage.withdrawn_at.is_(None)
    unwritten = select(SealedPage.id).where(is_new).order_by(SealedPage.id)
    with app.store.reading() as session:
        ids = session.scalars(unwritten).all()
    if not ids:
        return
    folder = SiteFolder(root)
    for id_ in ids:
        # One by one, since all pages of a turn together would fill the memory.
        with app.store.reading() as session:
            page = session.get_one(SealedPage, id_)
            # The file before its row says so: killed in between, the next tick writes it again.
            folder.write(page.place, page.content)
        with app.store.writing(durable=False) as session:
            session.execute(update(SealedPage).where(SealedPage.id == id_).values(written_at=now))


def _write_all_sealed(session: Session, folder: SiteFolder) -> None:
    """Write those sealed pages into a folder that it lacks, and remove from it those that were withdrawn."""
    pages = select(SealedPage.id, SealedPage.place, SealedPage.withdrawn_at).order_by(SealedPage.id)
    for id_, place, withdrawn_at in session.execute(pages).all():
        if withdrawn_at is not None:
            folder.remove(place)
        elif not folder.has(place):
            folder.write(place, session.scalars(select(SealedPage.content).where(SealedPage.id == id_)).one())


def _load_state(session: Session, app: App, now: dt.datetime) -> Any:
    """Return the data on which the site depends."""
    # Columns and counts alone, no views or states: this is compared in every tick.
    campaign = Campaign.__table__.c
    campaigns = session.execute(
        select(campaign.name, campaign.status, campaign.turn, campaign.revision, campaign.schedule)
        .add_columns(campaign.policy, campaign.hold_kind, campaign.hold_reason, campaign.moved_to)
        .order_by(campaign.id)
    )
    due = session.scalars(select(Turn.deadline).where(Turn.resolved_at.is_(None)).order_by(Turn.id))
    # The newest ids stand for all rows. Sheets are left out: those that come in must change no file of the site.
    last = [session.scalar(select(func.max(rows.id))) for rows in (JournalEntry, Press, Report)]
    seats = session.execute(select(Seat.status, func.count()).group_by(Seat.status).order_by(Seat.status))
    settings = app.settings
    return [
        _FORMAT,
        [str(settings.site), settings.site_url, settings.sender_name, settings.address, dict(settings.players)],
        [list(map(str, row)) for row in campaigns],
        [[str(each), each is not None and each <= now] for each in due],
        last,
        [[str(status), count] for status, count in seats],
    ]


def _check_shown(session: Session, club: ClubPage, only: Collection[str]) -> None:
    shown = [each.name for each in club.campaigns]
    for name in only:
        if load_campaign(session, name).policy.site == OFF:
            raise CampaignError(f"campaign {name} is not shown: its house rule site is off")
        if name not in shown:
            raise CampaignError(f"campaign {name} cannot be shown: {suggest(name, shown)}")


@dataclass(frozen=True, slots=True)
class SharedPicture:
    """The picture that a link to a page shows elsewhere: its web address and alternative text."""

    url: str
    title: str
    width: int = SHARE_WIDTH
    height: int = SHARE_HEIGHT


class _Site:
    """One run of publishing the site."""

    def __init__(self, session: Session, app: App, club: ClubPage, folder: SiteFolder) -> None:
        self._session, self._app, self._club, self._folder = session, app, club, folder
        self._samples: dict[str, Mapping[str, Any]] = {}
        self.replays = 0

    def write_samples(self, game: GamePage) -> str:
        """Write how a turn of a game looks, unless the site has that; return a sentence if that fails, else ""."""
        ruleset, marker = self._app.game(game.key), f"games/{game.key}/made.json"
        made = self._hash_inputs(ruleset)
        kept = _read_marker(self._folder.read(marker))
        if kept and kept["made"] == made and all(map(self._folder.has, kept["files"])):
            self._samples[game.key] = kept
            return ""
        try:
            kept = self._write_samples(game, ruleset) | {"made": made}
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - a game may raise anything, and its campaigns are shown without samples
            event("samples not made", level="warning", fault=error, game=game.key)
            return f"game {game.key}: its samples cannot be made ({describe_error(error)})"
        # Last: killed before, the next run makes all of them again.
        self._folder.write(marker, json.dumps(kept))
        self._samples[game.key] = kept
        return ""

    def _hash_inputs(self, ruleset: AnyRuleset) -> str:
        """Return the hash of what samples are made of, so that they are made once."""
        club = self._club
        parts = [_FORMAT, __version__, ruleset.key, ruleset.version, ruleset.title, club.name, club.url]
        worn = [_assets_of("sample").policy, page_assets("seat.css", "map.css", "base.css", script="seat.js").policy]
        return hashlib.sha256(json.dumps([*parts, *worn]).encode()).hexdigest()[:16]

    def _write_samples(self, game: GamePage, ruleset: AnyRuleset) -> dict[str, Any]:
        samples = make_samples(self._app.reporter, ruleset)
        home = f"games/{game.key}"
        board = samples.board or title_picture(game.title, f"by {game.designer}")
        files = [f"{home}/board.svg", f"{home}/turn.html"]
        self._folder.write(files[0], board.svg)
        self._folder.write(files[1], samples.page)
        for kind, mail in (("report", samples.report), ("receipt", samples.receipt)):
            if mail is not None:
                files.append(f"{home}/{kind}.html")
                page = sample_page(self._app.reporter, self._club, game, kind, samples, mail)
                self._folder.write(files[-1], page)
        shown = {"title": board.title, "width": board.width, "height": board.height}
        return {"files": files, "board": shown, "receipt": samples.receipt is not None}

    def write_club(self) -> None:
        """Write the first page, results, calendar and feed of all campaigns, the guide and the rulebooks."""
        club, folder = self._club, self._folder
        boards = {each.name: self._board_file(each) for each in club.campaigns}
        games = {key: self._sample_file(key) for key in self._samples}
        shown = next(filter(None, [*boards.values(), *games.values()]), None)
        share = self._share("", club.name, "Games by mail", self._read_board(shown))
        self._page("index.html", "club", club=club, boards=boards, games=games, samples=self._samples, share=share)
        if club.of(CampaignState.OVER):
            standings = load_standings(self._session, self._app).players
            self._page("results.html", "results", club=club, boards=boards, standings=standings, share=share)
        self._write_guide()
        folder.write("deadlines.ics", calendar(club, club.campaigns, club.name))
        folder.write("feed.xml", club_feed(club))
        for game in club.games:
            # A page's policy forbids the styles that mails need; in the text of a rulebook quotes are escaped.
            html = _STYLE.sub("", as_html(rulebook(self._app.game(game.key))))
            text = Markup(html)  # noqa: S704 - it was HTML before
            kept = self._samples.get(game.key)
            self._page(f"games/{game.key}.html", "rules", club=club, game=game, text=text, samples=kept)

    def write_campaign(self, campaign: CampaignPage) -> str:
        """Write the pages of a campaign; return a sentence if they cannot be made, else ""."""
        try:
            self._write_campaign(campaign)
        except StoreError:
            raise
        except (PbemError, RulesetError, OSError, ValueError, LookupError, TypeError) as error:
            return f"campaign {campaign.name}: its pages cannot be written ({describe_error(error)})"
        return ""

    def _write_campaign(self, campaign: CampaignPage) -> None:
        home = f"c/{campaign.name}"
        if campaign.replay:
            self._write_replay(campaign, f"{home}/replay")
        shown = campaign.spectacle.pictures if campaign.spectacle else ()
        pictures = [Markup(picture.svg) for picture in shown if is_safe_picture(picture)]  # noqa: S704 - checked
        self._page(
            f"{home}/index.html",
            "campaign",
            club=self._club,
            campaign=campaign,
            pictures=pictures,
            board=self._sample_file(campaign.game.key),
            samples=self._samples,
            share=self._share_campaign(campaign),
            **course_plot(campaign),
        )
        self._folder.write(f"{home}/deadline.ics", calendar(self._club, [campaign], campaign.heading))
        self._folder.write(f"{home}/feed.xml", campaign_feed(self._club, campaign))

    def _write_replay(self, campaign: CampaignPage, home: str) -> None:
        """Write the replay, unless the site has it as it would be made."""
        session, app = self._session, self._app
        snapshot = load_campaign(session, campaign.name)
        head = self._head(snapshot)
        of = f"{_FORMAT} {_assets_of('replay').policy} {head} {snapshot.policy.site} {campaign.title} {self._club.url}"
        of += f" {session.scalar(select(func.max(Press.id)).where(Press.campaign_id == snapshot.id))}"
        # The page has this hash, so that the replay of a game that is over is written once.
        made = hashlib.sha256(of.encode()).hexdigest()[:16]
        page = f"{home}/index.html"
        if self._folder.has(page) and f'"made":"{made}"' in (self._folder.root / page).read_text(encoding="utf-8"):
            return
        replay = write_replay(session, app, snapshot, self._folder, home)
        archive = self._write_archive(snapshot, head, home) if snapshot.policy.site == FULL else ""
        judged = isinstance(app.game(snapshot.game), Adjudicated)
        facts = {"archive": archive, "made": made, **_proof(snapshot, head, judged=judged)}
        facts["share"] = self._share_campaign(campaign)
        self._folder.write(page, replay_page(app.reporter, self._club, campaign, replay, **facts))
        self.replays += 1

    def _head(self, snapshot: CampaignSnapshot) -> str:
        """Return the hash of the newest record."""
        newest = (
            select(Turn.record).where(is_current(snapshot.id), Turn.record.is_not(None)).order_by(Turn.number.desc())
        )
        return file_hash(self._session.scalars(newest.limit(1)).one() or b"")

    def _write_archive(self, snapshot: CampaignSnapshot, head: str, home: str) -> str:
        """Write the archive as one file, for `pbem verify`; return its name, "" where its folder does not exist."""
        # With the hash in its name: a link to an archive never leads to another one.
        source, name = self._app.settings.archive / snapshot.name, f"archive-{head[:12]}.zip"
        if not source.is_dir():
            return ""
        if not self._folder.has(f"{home}/{name}"):
            draft = self._folder.draft(f"{home}/{name}")
            _zip(source, draft)
            self._folder.put(draft, f"{home}/{name}")
        return name

    def _write_guide(self) -> None:
        """Write the player guide, which HELP brings by mail."""
        html = self._app.reporter.write(Help(address=self._club.address)).html
        content = sanitize_html(html, {})
        dress = _assets_of("sample").with_style(with_dark_colours(content.style))
        self._page("guide.html", "guide", club=self._club, text=content.body, dress=dress)

    def _board_file(self, campaign: CampaignPage) -> BoardFile | None:
        """Write the board of a campaign as all may see it; return its file, or that of its game's sample."""
        picture = _open_board(campaign.spectacle)
        if picture is None:
            return self._sample_file(campaign.game.key)
        place = f"c/{campaign.name}/board.svg"
        self._folder.write(place, picture.svg)
        return BoardFile(place, picture.title, picture.width, picture.height)

    def _sample_file(self, key: str) -> BoardFile | None:
        kept = self._samples.get(key)
        board = kept["board"] if kept else None
        return BoardFile(f"games/{key}/board.svg", board["title"], board["width"], board["height"]) if board else None

    def _read_board(self, file: BoardFile | None) -> Picture | None:
        """Return the picture of a file, if it is one that can be shown: others may write into the folder of a site."""
        if file is None:
            return None
        picture = Picture("board", file.title, self._folder.read(file.place), file.width, file.height)
        return first_safe([picture])

    def _share_campaign(self, campaign: CampaignPage) -> SharedPicture | None:
        board = _open_board(campaign.spectacle) or self._read_board(self._sample_file(campaign.game.key))
        return self._share(f"c/{campaign.name}/", campaign.heading, campaign.game.title, board)

    def _share(self, home: str, title: str, line: str, board: Picture | None) -> SharedPicture | None:
        """Write the picture of links to a page, unless the site has it; None without an address on the web."""
        if not self._club.url or board is None:
            return None
        picture, name = share_picture(title, line, board), f"{home}share.png"
        # Its hash is in its address: pages that preview links keep what they once had from an address.
        shown = SharedPicture(f"{self._club.url}{name}?{key_of(picture)}", title)
        if self._folder.has(name) and shown.url in self._folder.read(f"{home}index.html"):
            return shown
        png = self._app.reporter.paint(picture)
        if png is None:
            return None
        self._folder.write(name, png)
        return shown

    def _page(self, path: str, template: str, **facts: Any) -> None:
        self._folder.write(path, site_page(self._app.reporter, path, template, **facts))


def _read_marker(text: str) -> dict[str, Any] | None:
    """Return what a site says of the samples that it has; None if it says nothing that can be read."""
    try:
        kept: dict[str, Any] = json.loads(text)
        board = kept["board"]
        whole = all(type(board[side]) is int for side in ("width", "height")) and type(kept["receipt"]) is bool
        named = all(isinstance(each, str) for each in (kept["made"], board["title"], *kept["files"]))
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return kept if whole and named else None


def _open_board(spectacle: BoardView | None) -> Picture | None:
    return first_safe(spectacle.pictures) if spectacle else None


def site_page(reporter: Renderer, path: str, template: str, **facts: Any) -> str:
    """Return a page of the site; `path` is its place from the root."""
    url = facts["club"].url
    given: dict[str, Any] = {
        "up": "../" * path.count("/"),
        "url": f"{url}{path.removesuffix('index.html')}" if url else "",
        "dress": _assets_of(template),
        "when": format_when,
        "share": None,
    }
    return reporter.site(template, **(given | facts))


def format_when(at: dt.datetime, zone: str, *, zoned: bool = True) -> Markup:
    """Return a time in a zone as an element; without `zoned` the page says elsewhere which zone it is."""
    there = at.astimezone(ZoneInfo(zone))
    exact = at.astimezone(dt.UTC).isoformat(timespec="minutes")
    shown = Markup('<time datetime="{}">{}</time>').format(exact, f"{there:%a} {there.day} {there:%b %Y %H:%M}")
    return shown + (" " + escape(zone) if zoned else "")


def course_plot(campaign: CampaignPage) -> dict[str, Any]:
    """Return the plot of the public scores of a campaign for its page, and the colours of its lines."""
    course = campaign.course
    # By all seats, so that a seat keeps its colour when others overtake it.
    colours = {seat: colour for seat, colour in colour_of(campaign.seats).items() if seat in course.scores}
    svg = score_plot(course.scores, course.labels, f"{campaign.of.capitalize()} of each seat over time", colours)
    return {"plot": Markup(svg), "colours": list(colours.items())}  # noqa: S704 - it escapes its words


def sample_page(
    reporter: Renderer, club: ClubPage, game: GamePage, kind: str, samples: GameSamples, mail: SampleMail
) -> str:
    """Return the page of a sample mail, a "report" or a "receipt"."""
    dress = _assets_of("sample").with_style(with_dark_colours(mail.content.style))
    path = f"games/{game.key}/{kind}.html"
    facts = {"game": game, "kind": kind, "samples": samples, "mail": mail}
    return site_page(reporter, path, "sample", club=club, dress=dress, **facts)


def replay_page(
    reporter: Renderer, club: ClubPage, campaign: CampaignPage, replay: Replay, *, made: str, **proof: Any
) -> str:
    """Return the page of a replay whose files were written; `made` is the hash of what it was made from."""
    colours = colour_of(replay.seats)
    labels = [moment["label"] for moment in replay.moments]
    title = f"{replay.of.capitalize()} of each seat over time"
    data = {
        "made": made,
        "campaign": campaign.name,
        "seats": list(colours.items()),
        "moments": replay.moments,
        "moves": replay.has_moves,
    }
    return site_page(
        reporter,
        f"c/{campaign.name}/replay/index.html",
        "replay",
        club=club,
        campaign=campaign,
        data=json_script("replay", data),
        colours=list(colours.items()),
        plot=Markup(score_plot(replay.scores, labels, title)),  # noqa: S704 - it escapes its words
        plot_of=replay.of,
        **proof,
    )


def _assets_of(template: str) -> PageAssets:
    """Return the assets of a page. Of pages with a script, only a replay loads more: the data in files beside it."""
    if template == "replay":
        return page_assets("base.css", "map.css", "site.css", "replay.css", script="replay.js", files=_HERE)
    if template in ("club", "campaign"):
        return page_assets("base.css", "site.css", script="countdown.js", images=_HERE)
    return page_assets("base.css", "site.css", images=_HERE if template == "results" else "")


_HERE = "'self' file:"
"""The source, in a page's policy, of files of the site: from the web, and from a disk."""


def _proof(snapshot: CampaignSnapshot, head: str, *, judged: bool) -> dict[str, Any]:
    """Return the facts by which anyone can verify the game; `judged`: its GM adjudicated it."""
    told = disclose_dice_words(snapshot.words)
    return {
        "seal": seed_hash(snapshot.seed),
        "seed": snapshot.seed.hex(),
        "head": head,
        "judged": judged,
        "dice": next(iter(told.values())).lines if told else (),
    }


def _zip(source: Path, target: Path) -> None:
    """Write all files of a folder in their order."""
    # One date for all, so that the same archive is the same file.
    entry = partial(zipfile.ZipInfo, date_time=(2020, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(each for each in source.rglob("*") if each.is_file() and not each.name.startswith(".")):
            told = entry(str(path.relative_to(source.parent)))
            told.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(told, path.read_bytes())


def sample_pages(reporter: Renderer) -> Iterator[Callable[[], str]]:
    """Yield callables that write each page of a site: with all that it can have, with little, in each state."""
    campaigns = tuple(_sample_campaigns())
    game = sample(GamePage, full=True)
    club = replace(sample(ClubPage, full=True), campaigns=campaigns)
    text, board = Markup("sample"), BoardFile("sample.svg", "sample", 2, 2)
    for each, made, file in ((sample(ClubPage, full=False), None, None), (club, {"receipt": True}, board)):
        given = {"club": each, "share": SharedPicture("sample", "sample") if made else None}
        kept = dict.fromkeys((game.key, *(campaign.game.key for campaign in each.campaigns)), made)
        boards = {campaign.name: file for campaign in each.campaigns}
        games = dict.fromkeys(kept, file)
        yield partial(site_page, reporter, "index.html", "club", boards=boards, games=games, samples=kept, **given)
        yield partial(
            site_page, reporter, f"games/{game.key}.html", "rules", game=game, text=text, samples=made, **given
        )
        standings = [PlayerStanding("sample", 1, 1, 1, 1, 1000)] if made else []
        yield partial(site_page, reporter, "results.html", "results", boards=boards, standings=standings, **given)
        yield partial(site_page, reporter, "guide.html", "guide", text=text, **given)
    yield from _sample_mails(reporter, club, game)
    for campaign in campaigns:
        yield from _sample_campaign_pages(reporter, campaign, club)


def _sample_mails(reporter: Renderer, club: ClubPage, game: GamePage) -> Iterator[Callable[[], str]]:
    for kind, message in (("report", ()), ("receipt", ("sample",))):
        mail = SampleMail("sample", SanitizedHtml(Markup("sample"), ""), message)
        samples = GameSamples(None, "sample", "sample", mail, b"", mail if message else None)
        yield partial(sample_page, reporter, club, game, kind, samples, mail)


def _sample_campaigns() -> Iterator[CampaignPage]:
    for full in (False, True):
        campaign = sample(CampaignPage, full=full)
        over = Result(winners=("sample",) if full else (), reason="sample")
        for changed in (campaign, replace(campaign, paused=not campaign.paused)):
            for phase in CampaignState:
                ended = phase == CampaignState.OVER
                yield replace(changed, status=phase, result=over if ended else None, replay=changed.replay and ended)


def _sample_campaign_pages(reporter: Renderer, campaign: CampaignPage, club: ClubPage) -> Iterator[Callable[[], str]]:
    home = f"c/{campaign.name}"
    drawn = Markup("<svg></svg>")
    pictures = [drawn] if campaign.spectacle else []
    for board in (None, BoardFile("sample.svg", "sample", 2, 2)):
        yield partial(
            site_page,
            reporter,
            f"{home}/index.html",
            "campaign",
            club=club,
            campaign=campaign,
            pictures=pictures,
            board=board,
            samples={campaign.game.key: {"receipt": True} if board else None},
            plot=drawn if board else "",
            colours=[("sample", "sample")],
        )
    if campaign.status != CampaignState.OVER:
        return
    for full in (False, True):
        yield partial(
            site_page,
            reporter,
            f"{home}/replay/index.html",
            "replay",
            club=club,
            campaign=campaign,
            data=Markup("sample"),
            colours=[("sample", "sample")],
            plot=drawn if full else "",
            plot_of="sample" if full else "",
            judged=full,
            archive="sample" if full else "",
            dice=("sample",) if full else (),
            **dict.fromkeys(("seal", "seed", "head"), "sample"),
        )
