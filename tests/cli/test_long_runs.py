"""The commands that run long: demo and serve."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from click.testing import CliRunner

from pbem.cli import main
from pbem.scheduler.tick import stopped_by_signals
from tests.cli.conftest import Run
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]


def test_a_demo_plays_by_mail_and_tells_where_to_look(tmp_path: Path) -> None:
    """Bots mail real sheets, some with errors; the archive is proved, and all named files exist."""
    words = ["demo", str(tmp_path / "demo"), "--game", "bubble_singularity", "--seats", "2"]
    result = CliRunner().invoke(main, words)

    assert result.exit_code == 0, result.output
    assert re.search(r"turns +[1-9]", result.output)
    assert re.search(r"[1-9][0-9]* of them with a slip on purpose", result.output)
    assert "all hashes equal" in result.output
    assert re.search(r"standing +(won by|nobody has won)", result.output)
    paths = re.findall(rf"{re.escape(str(tmp_path))}\S+", result.output)
    assert len(paths) == 6
    assert all(Path(path).exists() for path in paths)
    assert '"event": "turn resolved"' in (tmp_path / "demo/log/pbem.log").read_text()


def test_a_demo_stops_after_the_turns_asked_for(tmp_path: Path) -> None:
    """With --turns the demo ends before the game does."""
    words = ["demo", str(tmp_path / "demo"), "--game", "singularity_trap", "--seats", "2", "--turns", "1"]
    result = CliRunner().invoke(main, words)

    assert re.search(r"turns +1\n", result.output)
    assert "still playing" in result.output


def test_a_demo_needs_a_folder_of_its_own(home: Path) -> None:
    """A folder that is a home already is refused."""
    result = CliRunner().invoke(main, ["demo", str(home)])

    assert (result.exit_code, result.output) == (1, f"Not done: {home}/pbem.toml exists already.\n")


def test_a_demo_refuses_too_many_seats(tmp_path: Path) -> None:
    """The refusal names the possible number of players."""
    result = CliRunner().invoke(main, ["demo", str(tmp_path / "demo"), "--game", "singularity", "--seats", "5"])

    assert (result.exit_code, result.output) == (1, "Not done: Singularity is for 2 players, not 5.\n")
    assert not (tmp_path / "demo").exists()


def test_serve_ticks_until_it_is_told_to_stop(duel: Run, home: Path) -> None:
    """It sends queued mail, and SIGTERM ends it between two ticks with exit code 0."""
    command = [sys.executable, "-u", str(ROOT / "cli.py"), "serve", "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ) as process:
        assert process.stdout is not None
        first = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()

    assert first[0] == f"Serving {home}; a tick every 60 seconds.\n"
    assert first[1] != "Nothing to do.\n"
    assert rest.endswith("Stopped.\n")
    assert process.returncode == 0


def test_a_signal_that_comes_while_the_event_is_looked_at_stops_the_service() -> None:
    """The handler does not wait for a lock that the code below it has, in `Event.wait`: it would for ever."""
    with stopped_by_signals() as stop:
        with stop._cond:  # type: ignore[attr-defined] # as inside `wait`
            os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(PATIENCE)


def test_a_signal_stops_the_service_while_the_main_thread_waits_for_a_lock() -> None:
    """It may reach another thread, or the main one just before it waits; no handler in Python runs then."""
    held, heard = threading.Lock(), []

    def told() -> None:
        time.sleep(0.5)  # the main thread waits by now
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        heard.append(stop.wait(PATIENCE))
        held.release()

    with stopped_by_signals() as stop, held:
        threading.Thread(target=told).start()
        held.acquire()
    assert heard == [True]
