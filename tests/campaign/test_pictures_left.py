"""The database has the pictures of the open turn, and the archive alone those of turns that were run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.fork import ForkCampaign
from pbem.actions.rerun import RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.app import TEMPLATE_DIR, open_app
from pbem.archive.verify import verify
from pbem.backup.transfer import export_campaign, import_campaign
from pbem.campaign.archive_sync import repair_archive
from pbem.report.renderer import Renderer
from pbem.scheduler.tick import tick
from pbem.store.models import Report, Turn
from pbem.store.types import InArchive
from tests.actions.history import ANN, begin, play, proof
from tests.toy.home import GAMES, Desk, make_home

NEW = "play@club.example.net"


@contextmanager
def drawing(folder: Path, *, database: str = "", address: str = "orders@example.org") -> Iterator[Desk]:
    """Open a home that draws pictures."""
    path = make_home(folder, database=database) / "pbem.toml"
    text = path.read_text().replace("pictures = false", "pictures = true").replace("orders@example.org", address)
    path.write_text(text)
    with open_app(folder, GAMES) as app:
        yield Desk(app)


@pytest.fixture(params=["sqlite", "postgresql"])
def drawn(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """Yield a campaign with pictures, of which two turns were run, on each database in turn."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("migrated_postgres_url")
    with drawing(tmp_path / "home", database=url) as desk:
        played(desk)
        yield desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Yield the same campaign on SQLite alone."""
    with drawing(tmp_path / "home") as desk:
        played(desk)
        yield desk


def played(desk: Desk) -> None:
    """Run two turns."""
    begin(desk, rounds="5", rules={"hold": "off"})
    play(desk, {"red": "BID 2"})
    play(desk, {"blue": "BID 2"})


def pictures(desk: Desk) -> dict[int, set[bool]]:
    """Return for each turn whether the database has the pictures of the reports that opened it."""
    found: dict[int, set[bool]] = {}
    with desk.app.store.reading() as session:
        for number, files in session.execute(select(Turn.number, Report.files).join(Turn, Turn.id == Report.turn_id)):
            held = {not isinstance(content, InArchive) for name, content in files.items() if name.endswith(".png")}
            found[number] = found.get(number, set()) | held
    return found


def archive(desk: Desk) -> Path:
    """Return the archive of toy1."""
    return desk.home / "turns" / "toy1"


def files(desk: Desk) -> dict[str, bytes]:
    """Return every file of the archive."""
    return {str(path.relative_to(archive(desk))): path.read_bytes() for path in archive(desk).rglob("*.*")}


def pictures_of(mail: EmailMessage) -> list[bytes]:
    """Return the pictures in a mail."""
    return [part.get_content() for part in mail.walk() if part.get_content_type() == "image/png"]


def test_the_database_has_the_pictures_of_the_open_turn_alone(drawn: Desk) -> None:
    """Those of turns that were run are in the archive, which is whole."""
    assert pictures(drawn) == {1: {False}, 2: {False}, 3: {True}}
    assert verify(archive(drawn).parent, "toy1", games=GAMES).turns == 2
    assert tick(drawn.app, drawn.now).problems == []


def test_an_earlier_report_mailed_again_has_them(drawn: Desk) -> None:
    """RESEND with the name of a turn brings what was mailed then."""
    first = next(mail for mail in drawn.mails(ANN) if "round 2" in mail["Subject"] and pictures_of(mail))
    drawn.reply(drawn.last(ANN), "RESEND round 2")
    drawn.tick()

    assert len(pictures_of(first)) == 1
    assert pictures_of(drawn.last(ANN)) == pictures_of(first)


def test_a_lost_archive_is_drawn_again(drawn: Desk) -> None:
    """A folder that is lost is written again to the byte, with its pictures."""
    before = files(drawn)
    shutil.rmtree(archive(drawn))

    assert len(tick(drawn.app, drawn.now).problems) == 3
    assert files(drawn) == before


def test_a_turn_rolled_back_and_run_again(desk: Desk) -> None:
    """Reports that did not change keep their pictures, wherever the folder of the first run is by then."""
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    run_action(desk.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 3")]})), desk.now)
    desk.tick()
    play(desk, {"blue": "BID 2"})

    assert proof(desk).withdrawn == 2
    assert pictures(desk)[2] == {False}
    before = files(desk)
    shutil.rmtree(archive(desk))
    tick(desk.app, desk.now)
    assert files(desk) == before


def test_a_copy_has_them_in_its_own_archive(desk: Desk, tmp_path: Path) -> None:
    """A fork is whole without the home that it was made in."""
    with drawing(tmp_path / "fork") as fork:
        run_action(desk.app, "toy1", ForkCampaign(2, fork.app), desk.now)
        shutil.rmtree(desk.home)

        assert tick(fork.app, desk.now).problems == []
        assert (archive(fork) / "0000" / "reports" / "red.purse.png").read_bytes().startswith(b"\x89PNG")


def test_an_exported_campaign_has_them(desk: Desk, tmp_path: Path) -> None:
    """Its file is imported, and the reports there can be mailed again."""
    export_campaign(desk.app, "toy1", tmp_path / "toy1.zip", desk.now, to=NEW)
    with drawing(tmp_path / "new", address=NEW) as new:
        import_campaign(new.app, tmp_path / "toy1.zip", desk.now)

        assert files(new) == files(desk)
        assert pictures(new) == {1: {True}, 2: {True}, 3: {True}}


def test_a_picture_that_the_archive_lacks_stays(desk: Desk) -> None:
    """A picture stays in the database unless the archive has it as it was mailed."""
    damaged = archive(desk) / "0002" / "reports" / "red.purse.png"
    damaged.write_bytes(b"of another program")
    play(desk, {"red": "BID 1"})

    with desk.app.store.reading() as session:
        reports = session.scalars(select(Report.files).join(Turn, Turn.id == Report.turn_id).where(Turn.number == 3))
        held = sorted(name for each in reports for name, content in each.items() if isinstance(content, bytes))
    assert [name for name in held if name.endswith(".png")] == ["red.purse.png"]


def test_one_that_cannot_be_drawn_again_is_named(desk: Desk) -> None:
    """A home that draws no pictures any more says which is lost, and what to do; texts of other turns are restored."""
    app = replace(desk.app, open_reporter=lambda: Renderer((TEMPLATE_DIR,), GAMES, pictures=False))
    shutil.rmtree(archive(desk) / "0001")
    (problem,) = repair_archive(app)

    assert problem.startswith("campaign toy1: turn 1 cannot be archived (the picture ")
    assert problem.endswith("0001/reports/red.purse.png is lost: take it, or its folder, from a backup)")
