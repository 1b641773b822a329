"""Backups are made while messages come in and turns are run, and each is of one moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from pbem.app import open_app
from pbem.backup.create import create_backup
from pbem.backup.restore import check_backup, restore_home
from pbem.campaign.archive_sync import prove_archive
from pbem.config import load_settings
from tests.actions.history import begin, live_turns, play
from tests.toy.home import GAMES, Desk, open_desk

ROUNDS = 4
BACKUPS = 2


@pytest.fixture(params=["sqlite", "postgresql"])
def busy(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """Yield a home with a running campaign, on each database in turn."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("migrated_postgres_url")
    with open_desk(tmp_path / "home", database=url) as desk:
        begin(desk, rounds="20", rules={"hold": "off"})
        yield desk


def work(desk: Desk) -> None:
    """Submit sheets and run turns, one after the other."""
    for _ in range(ROUNDS):
        play(desk, {"red": "BID 1", "blue": "BID 0"})


@pytest.mark.sampled(1)
def test_backups_of_a_home_at_work(busy: Desk, tmp_path: Path) -> None:
    """Each backup is proved to its last result, and the last one can be continued."""
    at_work = Thread(target=work, args=(busy,))
    at_work.start()
    settings = load_settings(busy.home)
    made = [create_backup(settings, tmp_path / f"{number}.zip", busy.now) for number in range(BACKUPS)]
    at_work.join()
    made.append(create_backup(settings, tmp_path / "last.zip", busy.now))

    checked = [check_backup(each.path, busy.now, GAMES) for each in made]
    assert [each.problems for each in checked] == [()] * (BACKUPS + 1)
    assert [each.campaigns[0].turns for each in checked] == sorted(each.campaigns[0].turns for each in checked)
    assert checked[-1].campaigns[0].turns == ROUNDS
    restore_home(made[0].path, tmp_path / "again", busy.now, GAMES)
    with open_app(tmp_path / "again", GAMES) as app:
        assert prove_archive(app, "toy1").turns == checked[0].campaigns[0].turns
        assert len(live_turns(Desk(app))) == checked[0].campaigns[0].turns + 2
