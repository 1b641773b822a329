"""The tick as a whole: exclusive, undisturbed by one fault, and able to continue after any."""

from __future__ import annotations

import dataclasses
import fcntl
import shutil
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import text, update

from pbem.campaign.archive_sync import prove_archive
from pbem.errors import CampaignError, ConfigError, ReplayError
from pbem.ruleset import Dice, OrderParser, TurnInput, View
from pbem.ruleset import Event as Happening
from pbem.scheduler.tick import LOCK, run_campaign_now, serve
from pbem.scheduler.work import TickResult
from pbem.scheduler.worker_status import is_served
from pbem.store.models import Turn
from tests.toy.home import Desk, open_desk, text_of
from tests.toy.ruleset import Auction, Table, Whisper

ANN = "ann@example.org"


class Broken(Auction):
    """The toy with a fault that shows in games of two rounds."""

    def resolve(self, state: Table, turn: TurnInput, dice: Dice) -> tuple[Table, tuple[Happening, ...]]:
        if state.rounds == 2:
            raise ZeroDivisionError("the resolver tripped")
        return super().resolve(state, turn, dice)


class Untemplated(Auction):
    """The toy with a fault in its templates, for campaigns without green."""

    def template(self, view: View) -> list[str]:
        if "green" not in (view["seat"], *view["others"]):
            raise ZeroDivisionError("the template tripped")
        return super().template(view)


class Silent(Auction):
    """A later version of the toy, without bids."""

    orders = OrderParser((Whisper,))


TRIPPED = "ZeroDivisionError: the resolver tripped, at tests/campaign/test_tick.py, line 33, in resolve"
"""The fault of `Broken`, with its place in this file."""


def traceback_in(desk: Desk) -> str:
    """Return the words on where the traceback is."""
    return f"the traceback is in {desk.app.settings.log}"


def archived(desk: Desk) -> dict[str, bytes]:
    """Return all files of the archive."""
    root = desk.home / "turns"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_second_tick_leaves_quietly(desk: Desk) -> None:
    """Only one tick works in a home at a time; another one says so and does nothing."""
    desk.begin()
    with (desk.home / LOCK).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = desk.tick()

    assert done.busy
    assert desk.mails() == []


def test_two_homes_on_one_database_take_turns(postgres_url: str, tmp_path: Path) -> None:
    """A tick does nothing while one of another home, as on another machine, works on the same PostgreSQL."""
    with open_desk(tmp_path / "near", database=postgres_url) as near:
        with open_desk(tmp_path / "far", database=postgres_url) as far, near.app.store.alone():
            done = far.tick()

        assert done.busy
        assert not near.tick().busy


def test_one_games_fault_does_not_stop_the_others(desk: Desk) -> None:
    """The turn stays open, its GM is told once, and other campaigns go on."""
    desk.begin(rounds="2")
    desk.start(name="toy2")
    fine = desk.app
    desk.app = dataclasses.replace(fine, games={"toy": Broken()})
    done = [desk.tick(hours=107), desk.tick(hours=1)]
    desk.app = fine

    assert [turn.campaign for turn in done[0].resolved] == ["toy2"]
    assert done[0].problems == [f"campaign toy1: turn 1 could not be run ({TRIPPED}); {traceback_in(desk)}"]
    (told,) = (text_of(mail) for mail in desk.mails("gm@example.org") if "could not be run" in mail["Subject"])
    assert TRIPPED in " ".join(told.split())
    assert f"The traceback is in the log of the program: {desk.app.settings.log}." in " ".join(told.split())
    assert [turn.campaign for turn in desk.tick().resolved] == ["toy1"]


def test_mail_that_cannot_be_sent_stops_nothing(desk: Desk) -> None:
    """The turn is run; welcomes and reports wait for the transport."""
    desk.begin()
    (desk.home / "post").mkdir(exist_ok=True)
    (desk.home / "post" / "sent").write_text("not a folder")
    done = desk.tick(hours=107)
    (desk.home / "post" / "sent").unlink()

    assert [turn.reason for turn in done.resolved] == ["deadline"]
    assert done.sent.sent == 0
    desk.tick(hours=1)
    assert [len(desk.mails(player)) for player in (ANN, "bob@example.org")] == [3, 3]


def test_what_a_crash_left_unarchived_is_archived_the_same(desk: Desk) -> None:
    """Folders written from the database alone have the same bytes as those written at once."""
    desk.start(rounds="2")
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    desk.post("ORDERS toy1 red\nnonsense\nEND")
    desk.tick()
    desk.tick(hours=24 * 7)
    desk.tick(hours=24 * 7)
    before = archived(desk)
    shutil.rmtree(desk.home / "turns")
    with desk.app.store.writing() as session:
        session.execute(update(Turn).values(archived_at=None))

    assert desk.tick().archived == 3
    assert archived(desk) == before


def test_an_archive_that_cannot_be_written_is_told(desk: Desk) -> None:
    """The turn counts, its mail goes out, and the next tick tries again."""
    desk.begin()
    shutil.rmtree(desk.home / "turns")
    (desk.home / "turns").write_text("not a folder")
    done = desk.tick(hours=107)
    (desk.home / "turns").unlink()

    assert len(done.resolved) == 1
    why = f"{desk.home}/turns/toy1: Not a directory"
    assert done.problems == [f"campaign toy1: turn {number} cannot be archived ({why})" for number in (1, 0)]
    with pytest.raises(CampaignError, match="turn 1 is not archived yet"):
        prove_archive(desk.app, "toy1")


def test_a_replay_proves_what_ticks_wrote(desk: Desk) -> None:
    """Every turn is resolved again, also in a game that reports to seats in turn."""
    desk.begin(seats=("red", "blue", "green"), pace="in_turn", rounds="4")
    for _ in range(4):
        desk.post("ORDERS toy1 red\nBID 1\nWHISPER green deal\nEND")
        desk.tick()
        desk.tick(hours=24 * 7)

    proof = prove_archive(desk.app, "toy1")

    assert (proof.turns, proof.over) == (4, True)
    assert proof.reports == 3 + 3 + 3


def test_a_replay_finds_an_altered_report(desk: Desk) -> None:
    """A replay names the first difference."""
    desk.begin()
    report = desk.home / "turns" / "toy1" / "0000" / "reports" / "red.txt"
    report.write_bytes(report.read_bytes() + b" ")

    with pytest.raises(ReplayError, match=r"turn 0: 0000/reports/red\.txt"):
        prove_archive(desk.app, "toy1")


def test_there_is_nothing_to_prove_before_the_start(desk: Desk) -> None:
    """A misspelt or forming campaign is refused in a sentence."""
    with pytest.raises(CampaignError, match=r'no campaign "toy1"\. Campaigns: none'):
        prove_archive(desk.app, "toy1")


def test_the_gm_may_resolve_at_any_time(desk: Desk) -> None:
    """`run` reads the mail first, so that no sheet is overlooked, then resolves and sends."""
    desk.start()
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    done = run_campaign_now(desk.app, "toy1", desk.now)

    assert [(turn.turn, turn.reason) for turn in done.resolved] == [(1, "gm")]
    assert "This report is made of your sheet 1." in text_of(desk.last(ANN))


def test_a_fault_in_a_turn_run_by_the_gm_is_a_problem_told(desk: Desk) -> None:
    """The GM reads one sentence; the turn stays open."""
    desk.begin(rounds="2")
    done = run_campaign_now(dataclasses.replace(desk.app, games={"toy": Broken()}), "toy1", desk.now)

    assert done.resolved == []
    assert done.problems == [f"campaign toy1: turn 1 could not be run ({TRIPPED}); {traceback_in(desk)}"]
    assert [turn.turn for turn in run_campaign_now(desk.app, "toy1", desk.now).resolved] == [1]


def test_one_games_fault_does_not_stop_reminders(desk: Desk) -> None:
    """Reminders that cannot be rendered are reported; those of other campaigns go out, and so does all other mail."""
    desk.begin()
    desk.begin(name="toy2", seats=("red", "green"))
    desk.app = dataclasses.replace(desk.app, games={"toy": Untemplated()})
    done = desk.tick(hours=83)

    tripped = "ZeroDivisionError: the template tripped, at tests/campaign/test_tick.py, line 42, in template"
    assert done.problems == [f"campaign toy1: no player could be reminded ({tripped})"]
    assert (done.reminded, done.sent.sent) == (2, 4 + 4 + 2)


def test_a_fault_that_cannot_be_mailed_is_told_nevertheless(desk: Desk) -> None:
    """A GM's own broken template stops neither the other campaigns nor the mail."""
    desk.begin(rounds="2")
    (desk.home / "templates" / "host").mkdir()
    (desk.home / "templates" / "host" / "notice.txt.j2").write_text("{{ page.nothing }}")
    desk.app = dataclasses.replace(desk.app, games={"toy": Broken()})
    done = desk.tick(hours=107)

    assert f"{TRIPPED}); {traceback_in(desk)}, nor could its GM be mailed (the template" in done.problems[0]
    assert done.sent.sent == 2 + 2


def test_one_turn_that_cannot_be_archived_does_not_stop_the_others(desk: Desk) -> None:
    """A folder in the way, or orders that a later version of the game lacks, is reported; the rest is archived."""
    desk.start()
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    desk.tick(hours=107)
    desk.begin(name="toy2")
    shutil.rmtree(desk.home / "turns")
    (desk.home / "turns" / "toy1" / "0000").mkdir(parents=True)
    (desk.home / "turns" / "toy1" / "0000" / "turn.json").write_text("{}")
    with desk.app.store.writing() as session:
        session.execute(update(Turn).values(archived_at=None))
    desk.app = dataclasses.replace(desk.app, games={"toy": Silent()})
    done = desk.tick()

    assert done.archived == 1
    assert "turn 0 cannot be archived (" in done.problems[0]
    assert "holds another record of this turn" in done.problems[0]
    assert "turn 1 cannot be archived (" in done.problems[1]


def test_serve_tells_what_stops_a_tick_and_stays_up(desk: Desk) -> None:
    """A lock file that cannot be opened is reported, and `serve` goes on."""
    (desk.home / LOCK).mkdir()
    stop, told = Event(), []

    def hear(done: TickResult) -> None:
        told.append(done.problems)
        assert is_served(desk.app)
        stop.set()

    serve(desk.app, clock=lambda: desk.now, stop=stop, told=hear)

    assert not is_served(desk.app)
    assert told == [[f"{desk.home}/tick.lock: Is a directory"]]


def test_nothing_more_is_done_once_a_newer_version_has_brought_the_database_up(desk: Desk) -> None:
    """A process started before the upgrade says so, and reads no message until it is started again."""
    desk.begin()
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    with desk.app.store.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(ConfigError, match="by a newer pbem, to migration 9999"):
        desk.tick()
    assert len(list((desk.home / "post" / "inbox").glob("*.eml"))) == 1


def test_what_lies_in_the_inbox_and_is_no_mail_is_told(desk: Desk) -> None:
    """A loop of links in new/ is reported to the GM; the mail beside it is answered, and turns are run."""
    desk.begin()
    desk.post("ORDERS toy1 red\nBID 1\nEND")
    (desk.home / "post" / "inbox" / "new").mkdir(exist_ok=True)
    (desk.home / "post" / "inbox" / "new" / "loop").symlink_to("loop")
    done = desk.tick(hours=107)

    assert (done.processed.sheets, len(done.resolved)) == (1, 1)
    (problem,) = done.problems
    assert problem.startswith("1 thing in the inbox is no mail that can be read and was left alone: ")
    assert problem.endswith("/new/loop: Too many levels of symbolic links")
