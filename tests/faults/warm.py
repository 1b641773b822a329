"""Does a night's work when it is imported, in the process that all killed processes are forked from.

Work that a process does only once is thus done for all of them: SQL is compiled,
tables are mapped, migrations and templates are read. Not for the tests' own
process, which does all that by itself.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.app import open_app
from tests.faults.life import life_night
from tests.faults.local import put_in_inbox
from tests.faults.night import GAMES, NIGHT, live_tick, whole_night
from tests.servers.processes import fastest_folder
from tests.servers.statements import share_statements
from tests.toy.home import make_home

share_statements()
for work in (whole_night, life_night):
    with TemporaryDirectory(dir=fastest_folder()) as folder:
        home = make_home(Path(folder) / "home")
        put_in_inbox(home, work(home))
        with open_app(home, GAMES) as app:
            live_tick(app, NIGHT)
