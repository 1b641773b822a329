"""The dashboard: one private page with all campaigns of a home at a glance, without scripts and without requests.

It is for the operator and the GM alone: it has addresses, and who has sent orders.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pbem.actions.statistics import SheetTiming, count_sheets
from pbem.actions.status import CampaignStatus, SeatStatus
from pbem.admin.health import HomeStatus, home_status
from pbem.admin.mail import MessageInfo, MessageList, UndeliveredMail, list_messages, list_outbox
from pbem.app import App
from pbem.campaign.damaged_rows import noticed
from pbem.campaign.questions import load_questions
from pbem.campaign.snapshot import load_campaign
from pbem.errors import CampaignError, ConfigError, reason_of
from pbem.store.types import UNREADABLE, CampaignState, MessageState, OutgoingState
from pbem.text import count_noun
from pbem.util import publish, staging_directory
from pbem.web.page import page_assets

MOST_TURNS = 24
"""The most turns in a plot, the newest."""

MOST_SEATS = 40
"""The most seats of a campaign that are listed, those without a sheet first."""

MOST_LISTED = 20
"""The most messages and mails of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetCounts:
    """The sheets of a turn, counted by when they came; `pending` ones are still awaited."""

    turn: int
    on_time: int
    late: int
    missed: int
    pending: int

    @property
    def total(self) -> int:
        """The number of seats from which a sheet was awaited or came."""
        return self.on_time + self.late + self.missed + self.pending


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignCard:
    """A campaign on the dashboard: its status, the seats listed, the number of open questions, and sheets by turn."""

    status: CampaignStatus
    seats: tuple[SeatStatus, ...]
    questions: int
    sheets: tuple[SheetCounts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A thing that waits for the GM: the campaign ("" for the whole home), a clause, and the command that helps."""

    campaign: str
    text: str
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """All that the page shows. `quarantined` and `undelivered` are the newest; the numbers beside them are of all."""

    name: str
    address: str
    at: dt.datetime
    tasks: tuple[Task, ...]
    cards: tuple[CampaignCard, ...]
    ended: tuple[CampaignStatus, ...]
    quarantined: tuple[MessageInfo, ...]
    quarantined_total: int
    undelivered: tuple[UndeliveredMail, ...]
    undelivered_total: int


def load_dashboard(app: App, now: dt.datetime) -> Dashboard:
    """Return the facts of the dashboard. A campaign that cannot be read is a task; the others are shown."""
    status, faults = home_status(app, now=now), list[str]()
    nothing = MessageList((), 0)
    messages: MessageList = noticed(
        faults, "the inbox", lambda: list_messages(app.store, MessageState.QUARANTINED, limit=MOST_LISTED), nothing
    )
    mails: tuple[UndeliveredMail, ...] = noticed(faults, "the outbox", lambda: list_outbox(app.store), ())
    tried = [mail for mail in mails if mail.attempts or mail.state != OutgoingState.QUEUED]
    ended = (CampaignState.OVER, CampaignState.MOVED)
    cards = tuple(_load_card(app, each) for each in status.campaigns if each.status not in ended)
    return Dashboard(
        name=app.settings.sender_name,
        address=app.settings.address,
        at=now,
        tasks=(*_tasks(status, cards, len(tried)), *(Task(campaign="", text=fault) for fault in faults)),
        cards=cards,
        ended=tuple(each for each in status.campaigns if each.status in ended),
        quarantined=messages.messages[::-1],
        quarantined_total=messages.total,
        undelivered=tuple(tried[: -MOST_LISTED - 1 : -1]),
        undelivered_total=len(tried),
    )


def _tasks(status: HomeStatus, cards: Iterable[CampaignCard], tried: int) -> Iterator[Task]:
    for card in cards:
        yield from _campaign_tasks(card)
    if tried:
        yield Task(campaign="", text=f"{count_noun(tried, 'mail')} not delivered", command="pbem outbox")
    if status.quarantined:
        quarantined = f"{count_noun(status.quarantined, 'message')} quarantined"
        yield Task(campaign="", text=quarantined, command="pbem inbox --quarantined")
    yield from (Task(campaign="", text=notice) for notice in status.notices)


def _campaign_tasks(card: CampaignCard) -> Iterator[Task]:
    status, name = card.status, card.status.name
    if status.awaits_ruling:
        yield Task(campaign=name, text=f"turn {status.turn} needs a ruling", command=f"pbem ruling {name} --edit")
    elif status.hold:
        yield Task(campaign=name, text=status.hold.words, command=f"pbem release {name}")
    if card.questions:
        questions = f"{count_noun(card.questions, 'question')} not answered"
        yield Task(campaign=name, text=questions, command=f"pbem answer {name}")
    if open_seats := [seat.seat for seat in status.seats if seat.playing and not seat.address and not seat.bot]:
        seats = f"{count_noun(len(open_seats), 'open seat')}: {', '.join(open_seats)}"
        yield Task(campaign=name, text=seats, command=f"pbem invite {name} ADDRESS as {open_seats[0]}")
    elif status.status == CampaignState.FORMING:
        yield Task(campaign=name, text="every seat is taken", command=f"pbem start {name}")


def _load_card(app: App, status: CampaignStatus) -> CampaignCard:
    """Return the card of a campaign; with its status alone, which was read, if other rows of it cannot be."""
    seats = status.seats
    if len(seats) > MOST_SEATS:
        seats = tuple(sorted(seats, key=lambda seat: not (seat.awaited and seat.sheet_version is None)))[:MOST_SEATS]
    card = CampaignCard(status=status, seats=seats, questions=0, sheets=())
    with suppress(*UNREADABLE, CampaignError), app.store.reading() as session:
        snapshot = load_campaign(session, status.name)
        sheets = tuple(
            SheetCounts(turn=turn, **{came.value: counted.get(came, 0) for came in SheetTiming})
            for turn, counted in count_sheets(session, snapshot, MOST_TURNS)
        )
        questions = sum(asked.answer is None for asked in load_questions(session, snapshot))
        return replace(card, questions=questions, sheets=sheets)
    return card


def write_dashboard(app: App, path: Path, now: dt.datetime) -> None:
    """Write the dashboard into a file for its owner alone, whole or not at all.

    Raises:
        ConfigError: The name does not end in .html, or the file cannot be written.
    """
    # By its ending, so that a slip overwrites no database and no settings.
    if path.suffix != ".html":
        raise ConfigError(f"the dashboard is a page: name a file that ends in .html, not {path}")
    page = app.reporter.site("dashboard", page=load_dashboard(app, now), dress=page_assets("base.css", "dashboard.css"))
    try:
        with staging_directory(path.parent) as folder:
            draft = folder / path.name
            draft.touch(mode=0o600)
            # Replaced: what a mail calls its subject may hold half of a pair of UTF-16, which no file can.
            draft.write_bytes(page.encode(errors="replace"))
            publish(draft, path)
    except OSError as error:
        raise ConfigError(f"the dashboard {path} cannot be written ({reason_of(error)})") from None
