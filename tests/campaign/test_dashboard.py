"""The dashboard: all campaigns at a glance in one private page, kept up to date by ticks."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.deadlines import HoldCampaign
from pbem.actions.seats import OpenSeat
from pbem.admin.dashboard import MOST_LISTED, load_dashboard, write_dashboard
from pbem.cli import main
from pbem.errors import ConfigError
from pbem.store.models import Deputy, InboxMessage, OutgoingMail, Person, Seat, Standby
from pbem.store.types import MessageState, OutgoingState
from tests.toy.home import Desk

HOSTILE = "<script>alert(1)</script><img src=https://example.net/x onerror=alert(1)>"


def shown(desk: Desk) -> str:
    """Return the page as it is now."""
    path = desk.home / "status.html"
    write_dashboard(desk.app, path, desk.now)
    return path.read_text()


def words(page: str) -> str:
    """Return the words of a page, without its elements."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("</head>")[2]).split())


def with_dashboard(desk: Desk, path: Path) -> Desk:
    """Return the same home, with the setting `dashboard`."""
    settings = dataclasses.replace(desk.app.settings, dashboard=path)
    return dataclasses.replace(desk, app=dataclasses.replace(desk.app, settings=settings))


def test_a_home_without_campaigns_has_nothing_to_do(desk: Desk) -> None:
    """The page of an empty home says what to do first."""
    assert "Nothing to do No campaign is running. pbem new" in words(shown(desk))


def test_the_page_says_who_is_in_and_when_it_is_due(desk: Desk) -> None:
    """Of each seat the page has the player and the sheet, and of the turn its deadline in the campaign's zone."""
    desk.start()
    desk.reply(desk.last("ann@example.org"), "BID 1")
    desk.tick()

    told = words(shown(desk))

    assert "toy1 turn 1 Toy Auction , turn 1 Due Fri 6 Nov 2026 20:00 Europe/Berlin (19:00 UTC)" in told
    assert "1 of 2 sheets are in." in told
    assert "red ann@example.org ✓ sheet 1 – blue bob@example.org missing –" in told


def test_the_page_says_which_sheet_is_to_be_corrected(desk: Desk) -> None:
    """The seats whose newest sheet has refused lines are marked, whether a sheet of theirs counts or not."""
    desk.start()
    desk.reply(desk.last("ann@example.org"), "BID 1\nBIT 2")
    desk.reply(desk.last("bob@example.org"), "BIT 2\nBIT 3")
    desk.tick()

    told = words(shown(desk))

    assert "✓ sheet 1 , 1 line refused" in told
    assert "missing , 2 lines refused" in told


def test_the_page_says_what_waits_for_the_gm(desk: Desk) -> None:
    """Holds, open seats, undelivered mail and quarantined messages are listed, each with the command that helps."""
    desk.begin()
    desk.post("BID 1")
    desk.tick()
    run_action(desk.app, "toy1", HoldCampaign("Back on Monday"), desk.now)
    run_action(desk.app, "toy1", OpenSeat("blue"), desk.now)
    with desk.app.store.writing() as session:
        session.execute(update(OutgoingMail).values(state=OutgoingState.BOUNCED, attempts=1, reply="550 no such user"))
        session.execute(update(InboxMessage).values(state=MessageState.QUARANTINED, note="it took too long"))

    told = words(shown(desk))

    assert "on hold by the GM: &#34;Back on Monday&#34; pbem release toy1" in told
    assert "1 open seat: blue pbem invite toy1 ADDRESS as blue" in told
    assert re.search(r"\d mails not delivered pbem outbox", told)
    assert "1 message quarantined pbem inbox --quarantined" in told
    assert "bounced , 1 try: 550 no such user" in told
    assert "it took too long pbem inbox 1" in told


def test_deputies_and_standbys_are_named(desk: Desk) -> None:
    """The page has the deputy of a seat, and who waits for one."""
    desk.begin()
    with desk.app.store.writing() as session:
        seat = session.scalars(select(Seat).where(Seat.name == "red")).one()
        eve = Person(address="eve@example.org", key="eve@example.org", created_at=desk.now)
        session.add(eve)
        session.flush()
        until = desk.now + dt.timedelta(days=2)
        session.add(Deputy(seat_id=seat.id, person_id=eve.id, since=desk.now, until=until))
        session.add(Standby(campaign_id=seat.campaign_id, person_id=eve.id, created_at=desk.now))

    told = words(shown(desk))

    assert "red ann@example.org deputy: eve@example.org" in told
    assert "Standby: eve@example.org" in told


def test_questions_wait_for_their_answers(desk: Desk) -> None:
    """The number of open questions is among what waits for the GM, with the command that lists them."""
    desk.start()
    desk.reply(desk.last("ann@example.org"), "ASK GM\nMay I bid twice?")
    desk.tick()

    assert "toy1 : 1 question not answered pbem answer toy1" in words(shown(desk))


def test_sheets_are_plotted_by_turn(desk: Desk) -> None:
    """Of each turn the plot has the sheets that came on time, late or not at all, and those still awaited."""
    desk.start(rules={"hold": "off"})
    desk.reply(desk.last("ann@example.org"), "BID 1")
    desk.tick(hours=1)
    desk.tick(hours=24 * 7)

    [card] = load_dashboard(desk.app, desk.now).cards
    page = shown(desk)

    assert [dataclasses.astuple(turn) for turn in card.sheets] == [(1, 1, 0, 1, 0), (2, 0, 0, 0, 2)]
    assert "<title>Turn 1: 1 on time, 0 late, 1 missed, 0 pending</title>" in page
    assert page.count('<rect class="pending"') == 2  # turn 2, and the key


def test_a_page_asks_for_nothing_and_runs_nothing(desk: Desk) -> None:
    """The page has a policy that forbids everything, no script, no inline style and no address of another file."""
    desk.begin()
    page = shown(desk)

    assert "default-src 'none'" in page
    assert "script-src 'none'" in page
    assert re.findall(r"<script|<img|<link|<iframe|\bon\w+=|\bsrc=|style=|url\(", page) == []


def test_what_strangers_write_is_text(desk: Desk) -> None:
    """Subjects, senders, replies of servers and reasons are escaped, whatever they hold."""
    desk.begin()
    desk.post("x", subject=f"{HOSTILE} \u202e gnihtyna", sender="stranger@example.net")
    desk.tick()
    run_action(desk.app, "toy1", HoldCampaign(HOSTILE), desk.now)
    with desk.app.store.writing() as session:
        session.execute(update(InboxMessage).values(state=MessageState.QUARANTINED, note=HOSTILE))
        session.execute(update(OutgoingMail).values(state=OutgoingState.FAILED, attempts=3, reply=HOSTILE))

    page = shown(desk)

    assert page.count("&lt;script&gt;") > 4
    assert re.findall(r"<script|<img", page) == []
    assert "<bdi>&lt;script&gt;" in page  # isolated, so that its direction turns no text of ours


def test_long_lists_are_cut(desk: Desk) -> None:
    """Of many quarantined messages and undelivered mails the newest are shown, and their number."""
    desk.begin()
    for number in range(MOST_LISTED + 5):
        desk.post("x", subject=f"number {number}", sender=f"s{number}@example.net")
    desk.tick()
    with desk.app.store.writing() as session:
        session.execute(update(InboxMessage).values(state=MessageState.QUARANTINED))

    told = words(shown(desk))

    assert f"The newest of {MOST_LISTED + 5}: pbem inbox --quarantined" in told
    assert "number 24" in told
    assert "number 4 " not in told


def test_each_tick_writes_the_page(desk: Desk) -> None:
    """With the setting `dashboard` a tick writes the page, for its owner alone, and leaves nothing beside it."""
    desk = with_dashboard(desk, desk.home / "status.html")
    page = desk.home / "status.html"
    page.write_text("an old one, which all could read")
    page.chmod(0o644)
    desk.begin()
    assert desk.tick().problems == []

    assert "as of Mon 2 Nov 2026 09:00 UTC" in words(page.read_text())
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert [path for path in desk.home.iterdir() if "draft" in path.name] == []


def test_a_page_that_cannot_be_written_stops_no_tick(desk: Desk) -> None:
    """A fault in the page is a problem of the tick, which has done all else."""
    desk = with_dashboard(desk, desk.home / "nowhere" / "status.html")
    desk.begin()

    done = desk.tick()

    assert done.sent.sent > 0
    assert [problem.partition(" cannot")[0] for problem in done.problems] == [
        f"the dashboard was not written: the dashboard {desk.home}/nowhere/status.html"
    ]


def test_a_folder_in_the_place_of_the_page_is_left_alone(desk: Desk) -> None:
    """A folder of the page's name is not replaced; the refusal names it."""
    (desk.home / "status.html").mkdir()

    with pytest.raises(ConfigError, match=r"status\.html cannot be written"):
        write_dashboard(desk.app, desk.home / "status.html", desk.now)
    assert (desk.home / "status.html").is_dir()


def test_a_link_in_the_place_of_the_page_is_replaced(desk: Desk) -> None:
    """The page is not written through a link to another file."""
    (desk.home / "status.html").symlink_to("pbem.toml")
    before = (desk.home / "pbem.toml").read_text()
    shown(desk)

    assert (desk.home / "pbem.toml").read_text() == before
    assert not (desk.home / "status.html").is_symlink()


def test_two_at_once_leave_one_whole_page(desk: Desk) -> None:
    """A tick and a command that write the page at the same time leave a whole one."""
    desk.begin()
    path = desk.home / "status.html"
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: write_dashboard(desk.app, path, desk.now), range(8)))

    assert path.read_text().endswith("</html>\n")
    assert [each.name for each in desk.home.iterdir() if each.name.startswith(".pbem-draft")] == []


def test_a_campaign_that_cannot_be_read_does_not_hide_the_others(desk: Desk) -> None:
    """Of a damaged campaign the page says so; the others are shown."""
    desk.begin()
    desk.begin(name="toy2")
    with desk.app.store.writing() as session:
        session.connection().exec_driver_sql("UPDATE campaign SET policy = 'not JSON' WHERE name = 'toy1'")

    told = words(shown(desk))

    assert "campaign toy1 cannot be read" in told
    assert "toy2 turn 1" in told


def test_the_command_writes_the_page(desk: Desk) -> None:
    """`pbem status --html FILE` writes the page and prints the status too; another ending is refused."""
    desk.begin()
    page = desk.home / "now.html"
    run = CliRunner().invoke(main, ["--home", str(desk.home), "status", "--html", str(page)])
    refused = CliRunner().invoke(main, ["--home", str(desk.home), "status", "--html", str(desk.home / "pbem.sqlite")])

    assert run.exit_code == 0, run.output
    assert "Private: this page" in words(page.read_text())
    assert refused.exit_code == 1
    assert "ends in .html" in refused.output
