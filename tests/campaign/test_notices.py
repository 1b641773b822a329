"""The form of all mail: tags, codes and Message-IDs by which running campaigns recognise theirs."""

from __future__ import annotations

import re
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import update

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.rollback import RollBack
from pbem.actions.start import StartCampaign
from pbem.actions.undo import UndoChange
from pbem.campaign.notices import CampaignMailer
from pbem.report import small
from pbem.report.facts import DrawnPicture, RenderedReport
from pbem.report.notices import Page
from pbem.scheduler.tick import run_campaign_now
from pbem.store.models import Campaign
from tests.actions.acts import ACTS, ALL
from tests.actions.history import play
from tests.report.samples import PAGES
from tests.report.toy import facts
from tests.toy.home import ADDRESS_IS_ENOUGH, ADDRESSES, Desk

MAILS = Path(__file__).with_name("mails.txt")

PARTS = RenderedReport(
    seat="red",
    subject="Toy Fair: round 2, report for red",
    text="text",
    html="<p>html</p>",
    data=b"{}\n",
    pictures=(DrawnPicture("purse", "Your purse", b"png"), DrawnPicture("map", "The map", None)),
)


@pytest.fixture
def mailer(desk: Desk) -> CampaignMailer:
    """Return the mailer of a campaign with a known key."""
    return CampaignMailer(desk.app, 1, "fair1", b"a key for tests")


def test_reply_code_goes_out_in_subject_and_reply_address(mailer: CampaignMailer) -> None:
    """A plain reply is enough: the code is at the end of the subject and in the Reply-To."""
    mail = mailer.report("ann@example.org", PARTS, facts(), "<1@example.org>")

    assert mail.subject == "[fair1] Toy Fair: round 2, report for red [abcdefghijklmnop]"
    assert mail.reply_to == "orders+abcdefghijklmnop@example.org"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.page)
def test_no_subject_is_cut_in_mid_phrase(desk: Desk, page: Page) -> None:
    """With the longest names of campaign, seat and turn, clauses are left off whole, the first of them never."""
    longest = {"seat": "s" * 20, "by": "s" * 20, "label": "the night of the long knives", "gm": "G" * 60}
    given = {name: words for name, words in longest.items() if getattr(page, name, "")}
    told = replace(page, **given).subject  # type: ignore[type-var]
    mailed = CampaignMailer(desk.app, 1, "c" * 40, b"key").subject(told)
    kept = mailed.removeprefix(f"[{'c' * 40}] ")

    left = told.removeprefix(kept)
    assert kept + left == told
    assert not left or left.startswith((", ", ": ", "; ", " (")) or kept[-1] in ".!?"
    assert len(mailed) <= 78 or not re.search(", |: |; | \\(|[.!?] ", kept)


def test_lists_in_subjects_are_told_whole(desk: Desk) -> None:
    """A list of which names were left off would be another list: of more than two seats the number is told."""
    late = ["red", "blue", "green"]
    told = [
        small.waiting_for_others(label="turn 3", closes=desk.now, zone="UTC", late=late),
        small.others_missed(missed=late),
        small.rescheduled(old="FRI 20:00", new="MON, WED, FRI 20:00 UTC", deadline=None, zone="UTC"),
    ]

    assert [page.subject for page in told] == ["turn 3 waits for 3 seats", "no orders from 3 seats", "new schedule"]


def test_parts_of_a_report(mailer: CampaignMailer) -> None:
    """Pictures that the HTML shows are inline, others are files, as are the data, named by campaign and seat."""
    shown = facts().content_id("purse")
    drawn = (DrawnPicture("purse", "Your purse", b"png"), DrawnPicture("map", "The map", b"png", "fair1-map.png"))
    parts = replace(PARTS, html=f'<img src="cid:{shown}">', pictures=(*drawn, DrawnPicture("town", "A town", None)))
    mail = mailer.report("ann@example.org", parts, facts(), "<1@example.org>")

    assert [(part.name, part.content_id) for part in mail.parts] == [
        ("purse.png", shown),
        ("fair1-map.png", ""),
        ("fair1-red.json", ""),
    ]


def test_what_a_report_is_for_the_outbox(mailer: CampaignMailer) -> None:
    """A report has the kind "report", and supersedes one on the same topic."""
    mail = mailer.report("ann@example.org", PARTS, facts(), "<1@example.org>", topic="report fair1")

    assert (mail.kind, mail.topic) == ("report", "report fair1")


def test_a_campaign_that_runs_keeps_its_mails(desk: Desk) -> None:
    """Subjects, reply addresses, Message-IDs and threads are as ever: players' answers are recognised by them."""
    begin_with_key(desk, b"a key for tests")
    play(desk, ALL)
    for act in ("sheet", "extend", "hold", "release", "reschedule"):
        ACTS[act](desk.app, desk.now)
    desk.post("PRESS TO red\nDo you trust green?", sender="bob@example.org")
    desk.tick(hours=130)  # seats without a sheet are reminded
    desk.tick(hours=24)  # too many sheets are missing: the GM is asked
    run_campaign_now(desk.app, "toy1", desk.now)
    ACTS["rerun with a sheet"](desk.app, desk.now)
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    run_action(desk.app, "toy1", UndoChange(), desk.now)
    desk.tick()

    mails = [mail for to in ("ann@example.org", "cyd@example.org", "gm@example.org") for mail in desk.mails(to)]
    assert [told(mail) for mail in mails] == MAILS.read_text().splitlines()


def begin_with_key(desk: Desk, key: bytes) -> None:
    """Start toy1 with three seats, and with a key from which the same Message-IDs follow each time."""
    wanted = NewCampaign(
        name="toy1",
        game="toy",
        gm="gm@example.org",
        seats=list(ADDRESSES.items()),
        deadline="FRI 20:00 Europe/Berlin",
        options={"rounds": "9"},
    )
    create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).values(mail_key=key))
    desk.set_rules(**ADDRESS_IS_ENOUGH)
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.tick()


def told(mail: EmailMessage) -> str:
    """Return the fields by which mail programs and the inbox recognise a mail."""
    names = ("Subject", "Reply-To", "Message-ID", "In-Reply-To", "References")
    return " | ".join(" ".join(str(mail.get(name, "")).split()) for name in names).replace("@example.org", "")
