"""Backup, restore and import are killed at each point: the result is complete, or is not accepted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.app import App, open_app
from pbem.backup.create import create_backup
from pbem.backup.restore import check_backup, restore_home
from pbem.backup.transfer import export_campaign, import_campaign
from pbem.campaign.archive_sync import prove_archive
from pbem.config import load_settings
from pbem.errors import BackupError
from pbem.store.models import Campaign
from tests.actions.history import begin, play
from tests.backup.test_moving import NEW
from tests.faults.local import copy_home
from tests.faults.night import GAMES, tick_in_a_process
from tests.sampling import Sampler
from tests.servers.processes import server_folder
from tests.toy.home import MONDAY, make_home, open_desk

STEPS = ("commit: after", "file: before os.rename", "file: in the middle", "file: before os.mkdir")
"""Points right after something was stored permanently: only these matter here."""


def keep(app: App, now: dt.datetime) -> None:
    """Make a backup inside the home, where the points are."""
    create_backup(load_settings(app.settings.home), app.settings.home / "backup.zip", now)


def bring_back(app: App, now: dt.datetime) -> None:
    """Restore a home from a backup, inside the home."""
    restore_home(app.settings.home / "backup.zip", app.settings.home / "again", now, GAMES)


def take_in(app: App, now: dt.datetime) -> None:
    """Import a campaign."""
    import_campaign(app, app.settings.home / "toy1.zip", now)


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """Return a home in the middle of a campaign, with a backup of it inside."""
    with server_folder("kills") as folder:
        with open_desk(folder / "home", games=GAMES) as desk:
            begin(desk, rounds="9", rules={"hold": "off"})
            play(desk, {"red": "BID 2"})
            keep(desk.app, desk.now)
        yield folder / "home"


@pytest.fixture(scope="module")
def new_home(home: Path) -> Path:
    """Return a home to which the campaign of the other was exported."""
    leaving = copy_home(home, "leaving")
    new = make_home(home.with_name("new"))
    settings = new / "pbem.toml"
    settings.write_text(settings.read_text().replace("orders@example.org", NEW))
    with open_app(leaving, GAMES) as app:
        export_campaign(app, "toy1", new / "toy1.zip", MONDAY, to=NEW)
    return new


def left_over(home: Path) -> list[str]:
    """Return the drafts in a home."""
    return [path.name for path in home.rglob(".pbem-draft-*")]


TAKEN = 1
"""Points at which a usual run kills an action."""


def points(passed: tuple[str, ...]) -> list[int]:
    """Return every point right before and after something is stored."""
    return [at for at, name in enumerate(passed) if name.startswith(STEPS)]


def test_a_kill_in_a_backup(home: Path, sampler: Sampler) -> None:
    """After a kill the older backup is intact, and the next backup deletes the draft."""
    for at in sampler.sample(points(tick_in_a_process(copy_home(home, "copy"), work=keep).passed), TAKEN):
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at, work=keep).code == -9
        assert check_backup(copy / "backup.zip", MONDAY, GAMES).problems == ()
        with open_app(copy, GAMES) as app:
            keep(app, MONDAY)
        assert left_over(copy) == []


def test_a_kill_in_a_restoring(home: Path, sampler: Sampler) -> None:
    """After a kill there is no home, and another restore makes one; or it is complete."""
    for at in sampler.sample(points(tick_in_a_process(copy_home(home, "copy"), work=bring_back).passed), TAKEN):
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at, work=bring_back).code == -9
        if not (copy / "again" / "pbem.toml").exists():
            restore_home(copy / "backup.zip", copy / "again", MONDAY, GAMES)
            assert left_over(copy) == []
        with open_app(copy / "again", GAMES) as app:
            assert prove_archive(app, "toy1").turns == 1


def test_a_kill_in_an_import(new_home: Path, sampler: Sampler) -> None:
    """After a kill the campaign is not there, and another import works; or it is there, complete."""
    for at in sampler.sample(points(tick_in_a_process(copy_home(new_home, "copy"), work=take_in).passed), TAKEN):
        copy = copy_home(new_home, "copy")
        assert tick_in_a_process(copy, at=at, work=take_in).code == -9
        with open_app(copy, GAMES) as app:
            with app.store.reading() as session:
                there = session.scalar(select(Campaign.id)) is not None
            if there:
                with pytest.raises(BackupError, match="here already"):
                    take_in(app, MONDAY)
            else:
                take_in(app, MONDAY)
                assert left_over(copy) == []
            assert prove_archive(app, "toy1").turns == 1
