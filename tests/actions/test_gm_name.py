"""A GM's name and a campaign's title are in its mails; neither can make a mail seem to be another's."""

from __future__ import annotations

import pytest

from pbem.actions.base import run_action
from pbem.actions.deadlines import HoldCampaign
from pbem.actions.seats import Invite
from pbem.actions.settings import ChangeGm, NameGm
from pbem.campaign.notices import CampaignMailer
from pbem.campaign.snapshot import load_campaign
from pbem.errors import CampaignError
from pbem.mail.compose import compose
from pbem.report.notices import Notice
from tests.toy.home import Desk, prepared, text_of

EVE = "Eve Smith (gm@example.org)"


@pytest.fixture
@prepared
def named(desk: Desk) -> Desk:
    """Return a home with a campaign whose GM has a name."""
    desk.begin()
    run_action(desk.app, "toy1", NameGm("  Eve   Smith "), desk.now)
    return desk


def test_the_name_is_in_reports_notices_and_invitations(named: Desk) -> None:
    """Each mail shows it with the address."""
    run_action(named.app, "toy1", HoldCampaign("snow"), named.now)
    run_action(named.app, "toy1", Invite("dora@example.org"), named.now)
    named.tick()

    assert f"Your GM: {EVE} · Reply HELP" in text_of(named.last("ann@example.org"))
    assert EVE in text_of(named.last("dora@example.org"))
    assert named.last("dora@example.org")["Subject"].startswith("Eve Smith invites you to ")


def test_a_receipt_and_a_refusal_show_it(named: Desk) -> None:
    """Answers show the same as notices."""
    named.tick()
    named.reply(named.last("ann@example.org"), "BID 1")
    named.tick()

    assert f"Your GM: {EVE}" in text_of(named.last("ann@example.org"))


@pytest.mark.parametrize(
    "name",
    [
        "Eve\r\nBcc: x",
        "x" * 61,
        "boss@example.com",
        "<b>Eve</b>",
        'Eve"',
        "Eve \u202egro",
        "\x1b[2J",
        "see https://example.com",
        "www.example.com",
        "Eve\u200b",
    ],
)
def test_what_is_no_name_is_refused(named: Desk, name: str) -> None:
    """An address, a link, an invisible sign or a line end is no part of a name; the old name stays."""
    if "\r" in name:
        run_action(named.app, "toy1", NameGm(name), named.now)  # the line end becomes a blank
        with named.app.store.reading() as session:
            assert load_campaign(session, "toy1").gm_name == "Eve Bcc: x"
        return
    with pytest.raises(CampaignError, match="cannot be the name of the GM"):
        run_action(named.app, "toy1", NameGm(name), named.now)

    with named.app.store.reading() as session:
        assert load_campaign(session, "toy1").gm_name == "Eve Smith"


def test_another_gm_has_no_name_yet(named: Desk) -> None:
    """The name belongs to the person; "" takes it away, too."""
    run_action(named.app, "toy1", ChangeGm("gma@example.org"), named.now)
    with named.app.store.reading() as session:
        assert load_campaign(session, "toy1").gm_shown == "gma@example.org"
    run_action(named.app, "toy1", NameGm("Ma"), named.now)
    run_action(named.app, "toy1", NameGm(""), named.now)
    with named.app.store.reading() as session:
        assert load_campaign(session, "toy1").gm_shown == "gma@example.org"


def test_a_title_is_a_house_rule(named: Desk) -> None:
    """It heads the mails of the campaign, and programs show it as the one who is replied to."""
    named.set_rules(title="King of Corinth")
    run_action(named.app, "toy1", HoldCampaign("snow"), named.now)
    named.tick()

    assert "King of Corinth · toy1" in text_of(named.last("ann@example.org"))
    assert named.last("ann@example.org")["Reply-To"].startswith("King of Corinth <")


def test_the_title_stands_for_the_games_title(named: Desk) -> None:
    """A campaign's own title heads its mails, and programs show it as the one who is replied to."""
    title = "King of Corinth\r\nBcc: x@example.org"
    mailer = CampaignMailer(named.app, 1, "toy1", b"key", "toy", "gm@example.org", title=title)
    mail = mailer.mail("ann@example.org", "snow", Notice(subject="snow", blocks=("It snows.",)), ("x",))
    raw = compose(mail, sender="orders@example.org", sender_name="pbem", at=named.now)

    assert b"King of Corinth" in raw.partition(b"Reply-To: ")[2].partition(b"\r\n")[0]
    assert b"\r\nBcc:" not in raw.partition(b"\r\n\r\n")[0]
    assert "Toy Auction" not in mail.text
