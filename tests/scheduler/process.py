"""A worker in a process of its own, for the toy game.

python -m tests.scheduler.process HOME [QUEUE …]
"""

from __future__ import annotations

import sys
from pathlib import Path

from pbem.app import open_app
from pbem.log import open_log
from pbem.scheduler.tick import stopped_by_signals
from pbem.scheduler.work import TickResult
from pbem.scheduler.worker import run_worker, select_queues
from pbem.store.session import JobQueue
from tests.toy.home import GAMES


def main(home: Path, *chosen: str) -> None:
    """Work until SIGTERM, and print problems."""
    with open_app(home, GAMES) as app, open_log(app.settings.log), stopped_by_signals() as stop:
        queues = select_queues(app, [JobQueue(name) for name in chosen])
        run_worker(app, queues, stop=stop, told=_tell)
    print("stopped", flush=True)


def _tell(done: TickResult) -> None:
    for problem in done.problems:
        print(problem, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
