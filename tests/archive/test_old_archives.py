"""Archives of the previous format can be read, and a campaign with such an archive goes on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.rollback import RollBack
from pbem.archive.record import file_hash
from pbem.archive.verify import verify
from pbem.errors import ReplayError
from pbem.ruleset import canonical_json
from pbem.scheduler.tick import tick
from pbem.store.models import Turn
from tests.actions.history import begin, play, proof
from tests.archive.test_held import attached, hash_of, newest
from tests.toy.fixtures import desk
from tests.toy.home import GAMES, Desk

__all__ = ["desk"]


def made_old(desk: Desk) -> None:
    """Give the records of toy1 the previous format: no salt, and no names of withdrawn turns."""
    previous = ""
    with desk.app.store.writing() as session:
        for turn in session.scalars(select(Turn).where(Turn.record.is_not(None)).order_by(Turn.number)):
            record = json.loads(turn.record or b"") | {"format": 1, "previous": previous}
            turn.record = (
                canonical_json({key: record[key] for key in record if key not in ("salt", "withdrawn")}) + b"\n"
            )
            turn.archived_at = None
            previous = file_hash(turn.record)
    shutil.rmtree(desk.home / "turns" / "toy1")
    tick(desk.app, desk.now)


@pytest.fixture
def old(desk: Desk) -> Desk:
    """Return a campaign of two turns, played under the previous version."""
    begin(desk, rounds="5")
    play(desk, {"red": "BID 2"})
    play(desk, {"blue": "BID 1"})
    made_old(desk)
    return desk


def archive(desk: Desk) -> Path:
    """Return the archive."""
    return desk.home / "turns"


def test_an_old_archive_is_proved(old: Desk) -> None:
    """Chain, files and results of an old archive are checked as before."""
    assert proof(old).turns == 2
    assert verify(archive(old), "toy1", games=GAMES).turns == 2


def test_a_campaign_goes_on_in_the_new_format(old: Desk) -> None:
    """New records follow old ones; both together are proved."""
    play(old, {"red": "BID 1"})

    formats = [json.loads(path.read_bytes())["format"] for path in sorted(archive(old).glob("toy1/*/turn.json"))]
    assert formats == [1, 1, 1, 2]
    assert (proof(old).turns, verify(archive(old), "toy1", games=GAMES).turns) == (3, 3)


def test_the_hash_of_a_record_without_salt_is_never_told(old: Desk) -> None:
    """The hash of a record without a salt is not disclosed, since guesses could be tested; the next one's is."""
    play(old, {"red": "BID 1"})
    first = json.loads(attached(newest(old)))["record"]
    play(old, {"red": "BID 1"})

    assert first == ""
    assert json.loads(attached(newest(old)))["record"] == hash_of(old, 3)


def test_what_was_withdrawn_before_is_vouched_for_by_the_next_record(old: Desk) -> None:
    """Old records name no withdrawn turns; the first new one names them all."""
    run_action(old.app, "toy1", RollBack(2), old.now)
    before = verify(archive(old), "toy1", games=GAMES)
    play(old, {"blue": "BID 2"})

    assert (before.withdrawn, before.unnamed) == (1, 1)
    assert verify(archive(old), "toy1", games=GAMES).unnamed == 0
    shutil.rmtree(archive(old) / "toy1" / "withdrawn")
    with pytest.raises(ReplayError, match=r"turn 2: .*, which was withdrawn, is missing"):
        verify(archive(old), "toy1", games=GAMES)
