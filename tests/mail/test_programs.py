"""Replies that mail programs wrote to a real report are read as they were meant.

`programs/` has the report and the replies, with names of example.org, and three lines of base64 where there were more.
`programs/messages.json` says which program and version wrote each, and the lines that it is to bring. `make programs`
makes more of them (`tests.programs`).
"""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.store.models import OrderSheet, OutgoingMail, Report, Seat
from tests.games import RULESETS
from tests.toy.home import Desk, open_desk

FOLDER = Path(__file__).parent / "programs"
MESSAGES = json.loads((FOLDER / "messages.json").read_text())
TRAP = next(game for game in RULESETS if game.key == "singularity_trap")


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Yield a home in which the report of the folder was mailed to Ann."""
    report = email.message_from_bytes((FOLDER / "report.eml").read_bytes(), policy=email.policy.default)
    with open_desk(tmp_path_factory.mktemp("home") / "home", games={TRAP.key: TRAP}) as desk:
        wanted = NewCampaign(
            name="trap",
            game=TRAP.key,
            gm="gm@example.org",
            seats=[("red", "ann@example.org"), ("cyan", "bob@example.org")],
            deadline="FRI 20:00 Europe/Berlin",
            options={},
        )
        create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
        run_action(desk.app, "trap", StartCampaign(), desk.now)
        desk.answer()
        code = report["Reply-To"].partition("+")[2].partition("@")[0]
        with desk.app.store.writing() as session:
            own = session.scalars(select(Report).join(Seat, Seat.id == Report.seat_id).where(Seat.name == "red")).one()
            session.execute(
                update(OutgoingMail)
                .where(OutgoingMail.message_id == own.message_id)
                .values(message_id=str(report["Message-ID"]), raw=report.as_bytes())
            )
            own.code, own.message_id = code, str(report["Message-ID"])
        yield desk


@pytest.mark.parametrize("name", MESSAGES)
def test_a_reply_is_read_as_it_was_meant(trap: Desk, name: str) -> None:
    """All that is read of a reply is what was typed or freed of its semicolon, whatever a program made of our mail."""
    with trap.app.store.reading() as session:
        before = list(session.scalars(select(OrderSheet.id)))
    (trap.home / "post" / "inbox").mkdir(parents=True, exist_ok=True)
    (trap.home / "post" / "inbox" / f"{name}.eml").write_bytes((FOLDER / f"{name}.eml").read_bytes())
    trap.answer()

    with trap.app.store.reading() as session:
        (text,) = session.scalars(select(OrderSheet.text).where(OrderSheet.id.not_in(before)))
    assert [line for line in text.split("\n") if line.strip()] == MESSAGES[name]["brings"]


def test_each_reply_has_its_line() -> None:
    """Each message of the folder is in the table, and names no address but those of example.org."""
    assert {path.stem for path in FOLDER.glob("*.eml")} == {"report", *MESSAGES}
    for path in FOLDER.glob("*.eml"):
        assert "pbem.test" not in path.read_text(errors="replace")
