"""Lost parts of the archive are written again from the database, and the GM is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import event

from pbem.actions.base import run_action
from pbem.actions.fork import ForkCampaign
from pbem.actions.rerun import RerunTurn
from pbem.actions.rerun_plan import RerunChanges
from pbem.actions.rollback import RollBack
from pbem.actions.run_turn import run_turn
from pbem.campaign import archive_sync
from pbem.scheduler.tick import tick
from tests.actions.history import begin, play, proof
from tests.toy.home import Desk, open_desk, prepared


@pytest.fixture
@prepared
def past(desk: Desk) -> Desk:
    """Return a campaign of three turns: the first was run again, and a second was withdrawn."""
    begin(desk, rounds="5")
    play(desk, {"red": "BID 2"})
    run_action(desk.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 3")]})), desk.now)
    play(desk, {"blue": "BID 1"})
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    play(desk, {"blue": "BID 2"})
    play(desk, {"red": "BID 1"})
    return desk


def turns(desk: Desk) -> Path:
    """Return the archive of toy1."""
    return desk.home / "turns" / "toy1"


def files(desk: Desk) -> dict[str, bytes]:
    """Return every file of the archive."""
    return {str(path.relative_to(turns(desk))): path.read_bytes() for path in turns(desk).rglob("*") if path.is_file()}


def emptied(path: Path) -> None:
    """Truncate a file to nothing, as a full disk does."""
    path.write_bytes(b"")


def halved(path: Path) -> None:
    """Cut a file in the middle."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def test_any_folder_that_is_lost_is_written_again(past: Desk) -> None:
    """The next tick writes the folder of any turn, also of a withdrawn one, the same to the byte, and reports it."""
    before = files(past)
    for folder in [*turns(past).glob("0*"), *(turns(past) / "withdrawn").iterdir()]:
        shutil.rmtree(folder)
        problems = tick(past.app, past.now).problems

        which = f"{'withdrawn ' if '-' in folder.name else ''}turn {int(folder.name[:4])}"
        told = f"campaign toy1: {which} was lost or cut in the archive; it was written again from the database"
        assert problems == [told]
        assert files(past) == before
    assert tick(past.app, past.now).problems == []


def test_a_whole_archive_that_is_lost_is_written_again(past: Desk) -> None:
    """The archive is written again from the database alone."""
    before = files(past)
    shutil.rmtree(turns(past))

    assert len(tick(past.app, past.now).problems) == len(list(turns(past).rglob("turn.json"))) == 6
    assert files(past) == before
    assert proof(past).withdrawn == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("harm", [Path.unlink, emptied, halved])
def test_any_file_that_is_cut_is_written_again(past: Desk, harm: Callable[[Path], None]) -> None:
    """Records, sheets and reports are written again, of live and of withdrawn turns."""
    before = files(past)
    for name in [name for name, content in before.items() if content and "green" not in name and ".html" not in name]:
        harm(turns(past) / name)
        assert archive_sync.repair_archive(past.app) != []
        assert files(past) == before


def test_what_was_put_in_its_place_is_left_to_the_gm(past: Desk) -> None:
    """A file with other content may be evidence; nothing of its folder is touched."""
    report = turns(past) / "0002" / "reports" / "red.txt"
    report.write_text("forged")
    (turns(past) / "0002" / "turn.json").unlink()
    (problem,) = tick(past.app, past.now).problems

    assert problem.startswith("campaign toy1: turn 2 cannot be archived (")
    assert problem.endswith("0002 holds another file reports/red.txt than the database: move it away, then try again)")
    assert report.read_text() == "forged"
    assert not (turns(past) / "0002" / "turn.json").exists()


def test_moving_it_away_as_told_mends_it(past: Desk) -> None:
    """A GM who does what the message says has the archive back at the next tick."""
    before = files(past)
    (turns(past) / "0002" / "turn.json").write_text("{}")
    assert "holds another record of this turn" in tick(past.app, past.now).problems[0]
    (turns(past) / "0002").rename(past.home / "moved away")
    tick(past.app, past.now)

    assert files(past) == before
    assert tick(past.app, past.now).problems == []


def test_a_turn_withdrawn_before_it_was_archived_is_archived(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run killed before its folder was written, and then rolled back, is archived among the withdrawn turns."""
    begin(desk)
    monkeypatch.setattr("pbem.actions.run_turn.archive_now", lambda *_: None)
    run_turn(desk.app, "toy1", desk.now, reason="test")
    run_action(desk.app, "toy1", RollBack(1), desk.now)
    desk.tick()
    play(desk, {"red": "BID 3"})

    assert (proof(desk).turns, proof(desk).withdrawn) == (1, 1)


def test_on_either_database(shared: Desk) -> None:
    """Lost folders are found and written again on SQLite and PostgreSQL alike."""
    play(shared, {"red": "BID 2"})
    run_action(shared.app, "toy1", RerunTurn(RerunChanges(sheets={"red": [(1, "BID 3")]})), shared.now)
    before = files(shared)
    shutil.rmtree(turns(shared))

    assert len(tick(shared.app, shared.now).problems) == 3
    assert files(shared) == before
    assert tick(shared.app, shared.now).problems == []


def test_a_fork_has_what_its_records_name(past: Desk, tmp_path: Path) -> None:
    """The archive of a fork is proved like that of the campaign."""
    with open_desk(tmp_path / "fork") as there:
        run_action(past.app, "toy1", ForkCampaign(3, there.app), past.now)
        tick(there.app, past.now)

        assert (proof(there).turns, proof(there).withdrawn) == (2, 2)


def test_a_tick_reads_few_turns_however_many_there_are(past: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of turns whose folders are there, a tick loads only those that it verifies completely."""
    seen: list[tuple[str, tuple[object, ...]]] = []
    event.listen(past.app.store.engine, "before_cursor_execute", lambda *args: seen.append((args[2], args[3])))
    loaded = {}
    for most in (1, 4):
        monkeypatch.setattr(archive_sync, "MOST_READ", most)
        seen.clear()
        archive_sync.repair_archive(past.app)
        asked = [values for statement, values in seen if "turn.record" in statement]
        loaded[most] = sum(len(values) for values in asked)

    assert loaded == {1: 1, 4: 4}


def test_a_tick_reads_one_large_folder_at_a_time(past: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a game of thousands of seats, a tick verifies one folder."""
    monkeypatch.setattr(archive_sync, "ENOUGH_FILES", 1)
    for path in turns(past).rglob("turn.json"):
        path.unlink()

    assert len(archive_sync.repair_archive(past.app)) == 1


def test_a_tick_looks_through_no_turns(past: Desk) -> None:
    """The queries of a tick over all turns are answered by an index, since the rows are long."""
    seen: list[tuple[str, tuple[object, ...]]] = []
    event.listen(past.app.store.engine, "before_cursor_execute", lambda *args: seen.append((args[2], args[3])))
    tick(past.app, past.now)
    asked = [
        (statement, values) for statement, values in seen if "FROM turn" in statement and "withdrawal_id" in statement
    ]
    with past.app.store.engine.connect() as connection:
        plans = {
            statement: str([row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)])
            for statement, values in asked
        }

    assert len(asked) > 3
    assert [statement for statement, plan in plans.items() if "'SCAN turn'" in plan] == []
