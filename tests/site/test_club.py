"""Public pages: the club, its campaigns, calendars and feeds."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from icalendar import Calendar
from markupsafe import escape
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.settings import NameGm
from pbem.errors import CampaignError
from pbem.ruleset import Picture, SeatName, View
from pbem.ruleset.values import Panorama
from pbem.site.publish import publish, sample_pages
from pbem.store.models import Campaign
from pbem.store.types import HoldKind
from tests.site.test_ticks import with_site
from tests.toy.home import Desk
from tests.toy.ruleset import Auction

HOSTILE = "<script>alert(1)</script> & ]]> \" '"


def site(desk: Desk, *only: str) -> Path:
    """Write the site, and return its folder."""
    done = publish(desk.app, desk.home / "public", desk.now, only)
    assert done.problems == ()
    return desk.home / "public"


def files(root: Path) -> dict[str, bytes]:
    """Return all files of a site."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_club_shows_what_is_played(desk: Desk) -> None:
    """The pages have campaigns with their deadlines and the rules of their games, and link to each other."""
    desk.begin()
    root = site(desk)

    club, campaign = (root / "index.html").read_text(), (root / "c/toy1/index.html").read_text()
    assert 'href="c/toy1/index.html"' in club
    assert '<time datetime="2026-11-06T19:00+00:00">Fri 6 Nov 2026 20:00</time> Europe/Berlin' in club
    assert "Round 1" in campaign
    assert 'href="../../games/toy.html"' in campaign
    assert "Bid coins" in (root / "games/toy.html").read_text()


def test_samples_fill_in_every_page(desk: Desk) -> None:
    """The samples for templates of GMs fill in the program's own ones in every state of a campaign."""
    pages = [write() for write in sample_pages(desk.app.reporter)]

    assert all(page.startswith("<!DOCTYPE html>") for page in pages)
    for said in ("not begun yet", "in another home now", "won by sample", "won by nobody"):
        assert any(said in page.lower() for page in pages)


def test_open_seats_say_how_to_join(desk: Desk) -> None:
    """The page of a campaign with signup=on has the line to mail for a seat, and it works."""
    wanted = NewCampaign(
        name="toy2",
        game="toy",
        gm="gm@example.org",
        seats=[("red", "ann@example.org")],
        deadline="EVERY 24h",
        options={},
        policy={"signup": "on"},
        open=2,
    )
    create_campaign(desk.app, wanted, desk.now)
    page = (site(desk) / "c/toy2/index.html").read_text()
    desk.post("JOIN toy2", sender="new@example.org")
    desk.tick()

    assert "<pre>JOIN toy2</pre>" in page
    assert "2 seats open" in page
    assert "confirm" in desk.last("new@example.org").as_string().lower()


def test_a_campaign_is_called_by_its_title(desk: Desk) -> None:
    """Cards, pages, feeds and calendars have the title of a campaign as text, beside the name that mails need."""
    desk.start(rules={"title": HOSTILE})
    root = site(desk)
    told = escape(HOSTILE)

    for name in ("index.html", "c/toy1/index.html"):
        page = (root / name).read_text()
        assert told in page
        assert "<script>alert" not in page
        assert "toy1" in page
    for name in ("feed.xml", "c/toy1/feed.xml"):
        entry = ET.fromstring((root / name).read_bytes()).findtext("{*}entry/{*}title")
        assert entry == f"{HOSTILE}: round 1"
    (event,) = Calendar.from_ical((root / "deadlines.ics").read_bytes()).walk("VEVENT")
    assert HOSTILE in str(event["SUMMARY"])


def test_a_held_turn_waits_for_the_gm(desk: Desk) -> None:
    """A turn that is held after its deadline is said to wait for the GM, in pages and feed; its calendar is empty."""
    desk = with_site(desk)
    desk.start(rules={"hold": "always"})
    desk.tick(hours=24 * 5)
    root = desk.home / "public"

    for name in ("index.html", "c/toy1/index.html"):
        assert "waits for the GM" in (root / name).read_text()
        assert "orders due" not in (root / name).read_text().lower()
    assert "waits for the GM" in (root / "c/toy1/feed.xml").read_text()
    assert b"VEVENT" not in (root / "deadlines.ics").read_bytes()


def test_a_hold_before_the_deadline_is_told_to_none(desk: Desk) -> None:
    """That all sheets are in, for which a turn may wait for its GM early, changes no file before the deadline."""
    desk.start(rules={"hold": "always"})
    before = files(site(desk))
    for who in ("ann", "bob"):
        desk.reply(desk.last(f"{who}@example.org"), "BID 3\nFINAL")
    desk.tick(hours=2)
    desk.tick(hours=2)

    with desk.app.store.reading() as session:
        assert session.scalars(select(Campaign.hold_kind)).one() == HoldKind.REVIEW
    assert files(site(desk)) == before


def test_a_campaign_without_sign_up_says_how_to_get_in(desk: Desk) -> None:
    """Seats, GM and, only where the house rule `contact` says so, an address to write to are shown while it forms."""
    wanted = NewCampaign(
        name="toy2", game="toy", gm="gm@example.org", seats=[("red", "ann@example.org")],
        deadline="EVERY 24h", options={}, policy={}, open=2,
    )  # fmt: skip
    create_campaign(desk.app, wanted, desk.now)
    run_action(desk.app, "toy2", NameGm("Ada Smith"), desk.now)
    shut = (site(desk) / "index.html").read_text(), (site(desk) / "c/toy2/index.html").read_text()
    desk.set_rules("toy2", contact="ask@club.example.org")
    open_ = (site(desk) / "index.html").read_text(), (site(desk) / "c/toy2/index.html").read_text()

    for page in (*shut, *open_):
        assert "<b>2 seats open</b> of 3. The GM is Ada Smith." in page
        assert "gm@example.org" not in page
    assert all("The GM invites the players" in page and "mailto:" not in page for page in shut)
    assert all('href="mailto:ask@club.example.org?subject=A%20seat%20in%20toy2' in page for page in open_)


def test_finished_games_have_a_page_of_results(desk: Desk) -> None:
    """A page tells of each game that is over who has won, and leads to its replay; a running one is not on it."""
    desk.begin(rounds="1")
    desk.tick()
    before = (site(desk) / "results.html").exists()
    desk.tick(hours=24 * 7)
    root = site(desk)
    page, club = (root / "results.html").read_text(), (root / "index.html").read_text()

    assert not before
    assert 'href="results.html">All 1 finished game with results' in club
    assert "Won by" in page
    assert "over since" in page
    assert 'href="c/toy1/replay/index.html"' in page


def test_a_site_has_no_addresses_and_no_secrets(desk: Desk) -> None:
    """No file has an address except that for orders, nor a code, a token or the hash of a seed."""
    desk.start()
    written = files(site(desk))
    # The guide is the same in all homes; its example of a deputy has the address of this home's Bob.
    written["guide.html"] = written["guide.html"].replace(b"DEPUTY bob@example.org", b"")
    told = b"".join(written.values()).decode()

    with desk.app.store.reading() as session:
        campaign = session.scalars(select(Campaign)).one()
    for secret in (
        "ann@example.org",
        "bob@example.org",
        "gm@example.org",
        campaign.seed.hex(),
        campaign.mail_key.hex(),
    ):
        assert secret not in told
    codes = re.findall(r"orders\+(\w+)@", " ".join(mail["Reply-To"] for mail in desk.mails()))
    assert codes
    assert [code for code in codes if code in told] == []


def test_nothing_is_written_twice(desk: Desk) -> None:
    """A second run writes nothing, and all may read the files."""
    desk.begin()
    root = site(desk)
    again = publish(desk.app, root, desk.now)

    assert again.files == 0
    assert {path.stat().st_mode & 0o777 for path in root.rglob("*") if path.is_file()} == {0o644}
    assert {path.stat().st_mode & 0o777 for path in (root, *root.rglob("*")) if path.is_dir()} == {0o755}


def test_a_turn_is_not_told_before_it_is_mailed(desk: Desk) -> None:
    """Sheets that came in, and their effects, change no file."""
    desk.start()
    before = files(site(desk))
    desk.reply(desk.last(), "BID 7\nWHISPER blue deal")
    desk.tick()

    assert files(site(desk)) == before


def test_a_turn_for_some_seats_alone_is_seen_by_none(desk: Desk) -> None:
    """While one seat knows what others do not, the site stays as of the last opening that all had a report of."""
    desk.start(pace="in_turn", deadline="EVERY 24h")
    before = files(site(desk))
    desk.tick(hours=25)
    desk.tick()

    assert desk.last("bob@example.org")["Subject"] != desk.last("ann@example.org")["Subject"]
    assert files(site(desk)) == before


def test_news_are_shown_when_all_have_them(desk: Desk) -> None:
    """The newspaper appears with the reports that brought it, and is text, whatever is in it."""
    desk.start()
    desk.reply(desk.last(), f"NEWS\n{HOSTILE}\nEND")
    desk.tick()
    before = (site(desk) / "c/toy1/index.html").read_text()
    desk.tick(hours=24 * 7)
    page = (site(desk) / "c/toy1/index.html").read_text()

    assert "alert(1)" not in before
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert "red</footer>" in page


def test_press_is_never_shown_before_the_end(desk: Desk) -> None:
    """Press to some seats is not published."""
    desk.start(rules={"site": "full"})
    desk.reply(desk.last(), "PRESS TO blue\nLet us part the coins.\nEND")
    desk.tick(hours=24 * 7)

    assert b"part the coins" not in b"".join(files(site(desk)).values())


def test_calendars_have_the_open_deadlines(desk: Desk) -> None:
    """A calendar has one entry a campaign, with a UID that stays when the deadline moves."""
    desk.begin()
    (first,) = Calendar.from_ical((site(desk) / "c/toy1/deadline.ics").read_bytes()).walk("VEVENT")
    desk.tick(hours=24 * 7)
    (second,) = Calendar.from_ical((site(desk) / "deadlines.ics").read_bytes()).walk("VEVENT")

    assert str(first["UID"]) == str(second["UID"]) == "toy1@example.org"
    assert (first.decoded("dtstart").isoformat(), second.decoded("dtstart").isoformat()) == (
        "2026-11-06T19:30:00+01:00",
        "2026-11-13T19:30:00+01:00",
    )
    assert "toy1" in str(first["SUMMARY"])


def test_feeds_tell_turns_and_news(desk: Desk) -> None:
    """Feeds are Atom, with entries that keep their ids; words of players are text in them."""
    desk.start()
    desk.reply(desk.last(), f"NEWS\n{HOSTILE}\nEND")
    desk.tick(hours=24 * 7)
    feed = ET.fromstring((site(desk) / "c/toy1/feed.xml").read_bytes())

    atom = "{http://www.w3.org/2005/Atom}"
    titles = [entry.findtext(f"{atom}title") for entry in feed.iter(f"{atom}entry")]
    ids = [entry.findtext(f"{atom}id") for entry in feed.iter(f"{atom}entry")]
    assert titles[-1] == "toy1: Toy Auction"
    assert {"toy1: round 1", "toy1: round 2", "toy1: the newspaper of round 2"} < set(titles)
    assert len(set(ids)) == len(ids)
    assert HOSTILE in "".join(filter(None, (entry.findtext(f"{atom}content") for entry in feed.iter(f"{atom}entry"))))


def test_a_campaign_can_be_left_out(desk: Desk) -> None:
    """The house rule site=off keeps a campaign from the site, and requests by name are refused."""
    desk.begin(rules={"site": "off"})

    assert "toy1" not in (site(desk) / "index.html").read_text()
    with pytest.raises(CampaignError, match="site is off"):
        publish(desk.app, desk.home / "public", desk.now, ["toy1"])
    with pytest.raises(CampaignError, match='no campaign "toy9"'):
        publish(desk.app, desk.home / "public", desk.now, ["toy9"])


class Open(Auction):
    """A toy whose prizes all players see, with a board."""

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama:
        """Return the prizes, and a board with them."""
        view = next(iter(views.values()))
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>{view["label"]}</text></svg>'
        return Panorama((Picture("board", "The prizes", svg, 9, 9),), view["prizes"], "prizes")


def opened(desk: Desk) -> Desk:
    """Return the same home with an open toy."""
    return dataclasses.replace(desk, app=dataclasses.replace(desk.app, games={"toy": Open()}))


def test_an_open_board_is_shown_unless_the_gm_says_no(desk: Desk) -> None:
    """What all players see of the board is shown when they have it, later with spectators=1, and never with off."""
    desk = opened(desk)
    desk.start()
    first = (site(desk) / "c/toy1/board.svg").read_text()
    desk.tick(hours=24 * 7)
    second = (site(desk) / "c/toy1/board.svg").read_text()
    desk.set_rules(spectators="1")
    late = (site(desk) / "c/toy1/board.svg").read_text()
    desk.set_rules(spectators="off")
    page = (site(desk) / "c/toy1/index.html").read_text()

    assert ("round 1" in first, "round 2" in second, "round 1" in late) == (True, True, True)
    assert "The board, " not in page
    assert 'src="../../games/toy/board.svg"' in page


def test_public_scores_are_a_plot(desk: Desk) -> None:
    """From the second opening on the standing is drawn over the turns that all know of, with a line for each seat."""
    desk = opened(desk)
    desk.start()
    first = (site(desk) / "c/toy1/index.html").read_text()
    desk.reply(desk.last("ann@example.org"), "BID 7")
    desk.tick(hours=24 * 7)
    second = (site(desk) / "c/toy1/index.html").read_text()

    assert "<polyline" not in first
    assert second.count('<polyline class="c-red" points="44.0,') == 1
    assert second.count("<title>blue</title>") == 1


def test_each_time_stands_once(desk: Desk) -> None:
    """No page of a campaign or of the club gives a time twice, or in two zones."""
    desk.start()
    desk.reply(desk.last(), "NEWS\nThe cat is out.\nEND")
    desk.tick(hours=24 * 7)
    root = site(desk)
    for name in ("index.html", "c/toy1/index.html"):
        times = re.findall(r'<time datetime="([^"]+)">', (root / name).read_text())
        assert times
        assert len(times) == len(set(times))
        assert " UTC" not in (root / name).read_text()


def test_a_seat_is_asked_for_by_one_tap(desk: Desk) -> None:
    """Join is a button, whose mail has all that is needed."""
    desk.begin(rules={"signup": "on"})
    root = site(desk)
    link = 'class="button main" href="mailto:{}?subject=JOIN%20toy1&amp;body=JOIN%20toy1%0A">Join toy1</a>'

    assert link.format(desk.app.settings.address) in (root / "c/toy1/index.html").read_text()
