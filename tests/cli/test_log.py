"""The log of the scheduled commands, and the faults of a home in status and doctor."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path

from click.testing import CliRunner
from sqlalchemy import update

from pbem.admin.doctor import run_checks
from pbem.admin.health import home_status
from pbem.cli import main
from pbem.cli.status import status_lines
from pbem.games import installed_games
from pbem.mail.outbox import GIVE_UP
from pbem.ruleset import Picture, View
from pbem.store.models import OutgoingMail
from tests.cli.conftest import Run
from tests.toy.home import Desk
from tests.toy.ruleset import Auction


def events(text: str) -> list[str]:
    """Return the names of the events in a log."""
    return [json.loads(line)["event"] for line in text.splitlines()]


def test_a_tick_is_logged_in_the_home(duel: Run, home: Path) -> None:
    """A tick is logged from its beginning to its end, with a line for each mail."""
    duel("tick", "--now", "2026-11-02T10:00Z")

    assert events((home / "log" / "pbem.log").read_text()) == ["tick began", *["mail sent"] * 4, "tick ended"]


def test_a_night_is_logged(duel: Run, home: Path, tmp_path: Path) -> None:
    """The log has messages by number, the turn with its reason and the new state's hash; --log names another file."""
    (home / "post" / "inbox" / "one.eml").write_bytes(b"From: eve@example.org\nSubject: hello\n\nWho are you?\n")
    duel("tick", "--log", str(tmp_path / "night"))
    duel("run", "duel", "--yes", "--log", str(tmp_path / "night"))

    log = [json.loads(line) for line in (tmp_path / "night").read_text().splitlines()]
    by_event = {line["event"]: line for line in log}
    assert by_event["messages stored"]["messages"] == [1]
    assert by_event["message answered"]["note"].startswith("answered eve@example.org")
    assert by_event["turn resolved"]["reason"] == "gm"
    assert len(by_event["turn resolved"]["state"]) == 64


def test_a_log_on_the_terminal(duel: Run, home: Path) -> None:
    """With a dash the log goes to standard error, and standard output is unchanged."""
    result = duel("tick", "--log", "-", "--now", "2026-11-02T10:00Z")

    assert events(result.stderr)[0] == "tick began"
    assert result.stdout == "4 mails sent.\n"
    assert not (home / "log").exists()


class Spoiled(Auction):
    """The toy, with a picture that cannot be drawn."""

    def pictures(self, view: View) -> Sequence[Picture]:
        return (Picture("map", "The map", "<svg", 10, 10),)


def test_a_picture_that_cannot_be_drawn_is_logged_by_every_command(desk: Desk) -> None:
    """The log names the picture, whatever made the reports; the terminal output is unchanged."""
    desk.begin()
    settings = desk.home / "pbem.toml"
    settings.write_text(settings.read_text().replace("pictures = false", "pictures = true"))
    result = CliRunner().invoke(main, ["--home", str(desk.home), "preview", "toy1"], obj={"toy": Spoiled()})

    assert (result.exit_code, result.stderr) == (0, "")
    assert events((desk.home / "log" / "pbem.log").read_text()) == ["picture not drawn"]


def test_mail_that_is_stuck_for_days(desk: Desk) -> None:
    """Mail that a carrier keeps deferring is reported by status and doctor, as no mail can report it."""
    desk.begin()
    with desk.app.store.writing() as session:
        late = desk.now + GIVE_UP + dt.timedelta(hours=1)
        session.execute(update(OutgoingMail).values(attempts=9, not_before=late, reply="454 try later"))

    said = "4 mails have been tried for 5 days or more, since Mon 2 Nov 2026 09:00 UTC; last said: 454 try later"
    assert said in " ".join(" ".join(status_lines(home_status(desk.app))).split())
    assert said in [check.text for check in run_checks(desk.home, desk.now, installed_games()).checks]
