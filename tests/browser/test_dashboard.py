"""The dashboard in a browser: on a phone and on a screen, in light and dark, and without a request."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pbem.actions.status import CampaignStatus, DeputyStatus, HoldStatus, SeatStatus, StandbyStatus
from pbem.admin.dashboard import CampaignCard, Dashboard, SheetCounts, Task
from pbem.admin.mail import MessageInfo, UndeliveredMail
from pbem.app import TEMPLATE_DIR
from pbem.report.renderer import Renderer
from pbem.store.types import CampaignState, HoldKind
from pbem.web.page import page_assets
from tests.browser.looking import SCHEMES, WIDTHS, Scheme, faults, new_page, too_wide

NOW = dt.datetime(2026, 11, 26, 19, tzinfo=dt.UTC)
LONG = "a-very-long-mail-address-of-a-player.who-has-many-names@a-domain-that-is-long.example.org"
HOSTILE = "<script>document.title='run'</script><img src='https://example.net/x'> " + "w" * 300


def dashboard() -> Dashboard:
    """Return a dashboard with all that it can have, in words as long as they get."""
    seats = tuple(
        SeatStatus(
            seat=seat,
            address=address,
            playing=True,
            paused=False,
            awaited=True,
            sheet_version=sheet,
            wait=sheet == 2,
            nmr_in_a_row=missed,
            nmr_total=missed,
            deputies=(DeputyStatus(LONG, NOW),),
        )
        for seat, address, sheet, missed in (("red", LONG, None, 3), ("a-seat-of-20-letters", "", 2, 0))
    )
    status = CampaignStatus(
        name="trap7",
        game="singularity_trap",
        title="The Singularity Trap",
        status=CampaignState.RUNNING,
        turn=30,
        schedule="FRI 20:00 America/Argentina/ComodRivadavia",
        zone="America/Argentina/ComodRivadavia",
        deadline=NOW,
        closes=NOW + dt.timedelta(hours=12),
        hold=HoldStatus(kind=HoldKind.GM, reason=HOSTILE, since=NOW),
        moved_to="",
        ruled=True,
        ruled_at=NOW,
        awaits_ruling=False,
        seats=seats,
        standbys=(StandbyStatus(LONG, ""), StandbyStatus(LONG, "red")),
        invited=(),
        imported=None,
        undelivered=(),
        result=None,
    )
    sheets = tuple(SheetCounts(turn=7 + at, on_time=at % 3, late=1, missed=at % 2, pending=0) for at in range(24))
    card = CampaignCard(status=status, seats=seats, questions=2, sheets=sheets)
    message = MessageInfo(id=7, received_at=NOW, sender=LONG, subject=HOSTILE, state="quarantined", note=HOSTILE)
    mail = UndeliveredMail(
        id=7,
        campaign="trap7",
        recipient=LONG,
        subject=HOSTILE,
        state="bounced",
        attempts=1,
        since=NOW,
        next_try=None,
        reply=HOSTILE,
    )
    return Dashboard(
        name="Play by Email",
        address=LONG,
        at=NOW,
        tasks=(Task(campaign="trap7", text=HOSTILE, command=f"pbem invite trap7 ADDRESS as {seats[1].seat}"),),
        cards=(card, card),
        ended=(status,),
        quarantined=(message,),
        quarantined_total=30,
        undelivered=(mail,),
        undelivered_total=30,
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of the page."""
    path = tmp_path_factory.mktemp("dashboard") / "status.html"
    with Renderer([TEMPLATE_DIR], pictures=False) as renderer:
        assets = page_assets("base.css", "dashboard.css")
        path.write_text(renderer.site("dashboard", page=dashboard(), dress=assets))
    return path


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_dashboard_can_be_read(browser: Browser, written: Path, width: int, scheme: Scheme) -> None:
    """Nothing is wider than the page, axe finds no fault, and what strangers wrote neither runs nor is fetched."""
    page = new_page(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    try:
        page.goto(written.as_uri())

        assert page.title() == "Play by Email: dashboard"
        assert too_wide(page) == []
        assert asked == [written.as_uri()]
        page.emulate_media(media="print")
        assert too_wide(page) == []
        page.emulate_media(media="screen")
        assert faults(page) == []
    finally:
        page.close()
