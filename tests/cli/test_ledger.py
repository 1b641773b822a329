"""`pbem outbox --by-player`: the fate of the mail to each player."""

from __future__ import annotations

import json

from click.testing import CliRunner, Result
from sqlalchemy import update

from pbem.cli import main
from pbem.store.models import OutgoingMail
from tests.toy.home import Desk


def outbox(desk: Desk, *words: str) -> Result:
    """Run the command in the toy's home."""
    return CliRunner().invoke(main, ["--home", str(desk.home), "outbox", *words])


def trouble(desk: Desk) -> None:
    """Start two campaigns; in the first, Ann's report bounced, and Bob's is deferred."""
    desk.begin()
    desk.start(name="toy2", seats=("green", "red"))
    about = (OutgoingMail.campaign_id == 1) & (OutgoingMail.kind == "report")
    with desk.app.store.writing() as session:
        to = update(OutgoingMail).where(about)
        session.execute(to.where(OutgoingMail.recipient == "ann@example.org").values(state="bounced", reply="550 gone"))
        busy = {"state": "queued", "attempts": 2, "sent_at": None, "reply": "450 busy"}
        session.execute(to.where(OutgoingMail.recipient == "bob@example.org").values(busy))


def test_a_campaign_s_ledger(desk: Desk) -> None:
    """There is a line for each player, and below, the last reply for those whose mail failed."""
    trouble(desk)

    assert outbox(desk, "--campaign", "toy1", "--by-player").output == (
        "campaign  seat  address          mails  tried  accepted  bounced  refused  retried  waiting\n"
        "toy1      red   ann@example.org      2      2         2        1        0        0        0\n"
        "toy1      blue  bob@example.org      2      2         1        0        0        1        1\n"
        "ann@example.org: 550 gone\n"
        "bob@example.org: 450 busy\n"
    )


def test_the_whole_ledger_for_scripts(shared: Desk) -> None:
    """Without a campaign the JSON has every reader with seats, counts and last reply, on each database."""
    accounts = json.loads(outbox(shared, "--by-player", "--json").output)["accounts"]

    assert [(each["campaign"], each["seats"], each["address"]) for each in accounts] == [
        ("toy1", ["red"], "ann@example.org"),
        ("toy1", ["blue"], "bob@example.org"),
    ]
    assert accounts[0]["reply"].endswith(".pbem.eml")
    assert [accounts[0][name] for name in ("mails", "tried", "accepted", "waiting")] == [2, 2, 2, 0]


def test_what_was_replaced_is_in_no_list(desk: Desk) -> None:
    """Superseded mail is neither counted nor listed as undelivered."""
    desk.begin()
    with desk.app.store.writing() as session:
        session.execute(update(OutgoingMail).values(state="superseded"))

    assert outbox(desk, "--by-player").output == "No mail.\n"
    assert outbox(desk).output == "No undelivered mail.\n"


def test_a_campaign_s_undelivered_mail(desk: Desk) -> None:
    """The list of undelivered mail may be limited to one campaign."""
    trouble(desk)

    assert outbox(desk, "--campaign", "toy1").output.count("@example.org") == 2
    assert outbox(desk, "--campaign", "toy2").output == "No undelivered mail.\n"


def test_a_campaign_that_is_not_there(desk: Desk) -> None:
    """An unknown campaign is refused, and so is --retry with a campaign."""
    trouble(desk)

    assert 'no campaign "toy3"' in outbox(desk, "--campaign", "toy3", "--by-player").stderr
    assert "give an ID, or all, with --retry alone" in outbox(desk, "all", "--retry", "--campaign", "toy1").stderr
