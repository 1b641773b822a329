"""A home in the middle of a campaign, and a backup of it, made once for all tests that only read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbem.actions.base import run_action
from pbem.actions.rollback import RollBack
from pbem.backup.create import create_backup
from pbem.config import load_settings
from tests.actions.history import begin, play, send
from tests.servers.processes import server_folder
from tests.toy.home import Desk, open_desk, prepared


@dataclass(frozen=True)
class Kept:
    """An open home that is not changed any more, and a backup of it."""

    desk: Desk
    file: Path


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Yield a home of its own, to which a test may do anything."""
    with open_desk(tmp_path / "home") as desk:
        yield desk


@prepared
def in_the_middle(desk: Desk) -> None:
    """Run two turns, one of them again, and submit a sheet for the open one, whose receipt is queued."""
    begin(desk, rounds="9", rules={"hold": "off"})
    play(desk, {"red": "BID 2\nWHISPER blue deal", "blue": "BID 1"})
    play(desk, {"red": "BID 1"})
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    play(desk, {"blue": "BID 3"})
    send(desk, {"green": "BID 2"})
    desk.tick(hours=1)
    run_action(desk.app, "toy1", RollBack(2), desk.now)  # all players are notified at the next tick
    play_again(desk)


def play_again(desk: Desk) -> None:
    """Run the open turn, and leave its mail in the queue."""
    from pbem.actions.run_turn import always, run_turn

    assert run_turn(desk.app, "toy1", desk.now, reason="test", still=always)


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    """Yield the home and its backup."""
    with server_folder("backup") as folder, open_desk(folder / "home") as desk:
        in_the_middle(desk)
        made = create_backup(load_settings(desk.home), folder / "kept.zip", desk.now)
        yield Kept(desk, made.path)
