"""What is done to a campaign by its GM and by the clock, by name: for tests in which acts meet, or are killed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from click.testing import CliRunner

from cli import main
from pbem.acts.past.amending import amend
from pbem.acts.past.entering import enter_sheet
from pbem.acts.past.patching import patch_state
from pbem.acts.past.preview import preview
from pbem.acts.past.rerunning import Changes
from pbem.acts.past.rolling import forward, rollback
from pbem.errors import PbemError, StoreError
from pbem.house import House
from pbem.ruleset import RulesetError
from pbem.tick import Ticked, run_now, tick
from tests.campaign.history import begin, play
from tests.toy.home import GAMES, Desk

Act = Callable[[House, dt.datetime], Any]
"""What somebody does to the campaign toy1."""

ALL = {"red": "BID 2", "blue": "BID 1", "green": "BID 0"}
SHEET = {"red": [(1, "BID 3")]}
PURSE = [{"op": "replace", "path": "/purses/1", "value": 40}]


def command(*words: str) -> Act:
    """What a GM types."""

    def typed(house: House, now: dt.datetime) -> None:
        line = ["--home", str(house.settings.home), *words, "--now", now.isoformat()]
        result = CliRunner().invoke(main, line, obj=GAMES)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception

    return typed


SHARP: dict[str, Act] = {
    "run": lambda house, now: run_now(house, "toy1", now),
    "rollback by one": lambda house, now: rollback(house, "toy1", 3, now),
    "rollback by two": lambda house, now: rollback(house, "toy1", 2, now),
    "forward": lambda house, now: forward(house, "toy1", now),
    "rerun": lambda house, now: amend(house, "toy1", Changes(), now, sure=True),
    "rerun with a sheet": lambda house, now: amend(house, "toy1", Changes(sheets=SHEET), now, sure=True),
    "patch": lambda house, now: patch_state(house, "toy1", PURSE, now, sure=True),
    "remove": command("seat", "toy1", "green", "--remove"),
}
"""What changes turns, or who plays them."""

SHARPEST = ("rollback by two", "rerun with a sheet")
"""What changes most of the past, where there is no time for all."""

ACTS: dict[str, Act] = SHARP | {
    "tick": tick,
    "sheet": lambda house, now: enter_sheet(house, "toy1", "red", SHEET["red"], now, sure=True),
    "preview": lambda house, now: preview(house, "toy1", now),
    "hold": command("hold", "toy1"),
    "release": command("release", "toy1"),
    "extend": command("extend", "toy1"),
    "reschedule": command("deadline", "toy1", "DAILY 20:00 UTC"),
    "rules": command("policy", "toy1", "grace=2h"),
    "pause": command("seat", "toy1", "green", "--pause"),
    "hand over": command("seat", "toy1", "green", "--to", "dan@example.org"),
}

PLANNED = ("tick", "run", "rerun", "rerun with a sheet", "patch")
"""What is planned before the campaign is locked; all else is decided under the lock."""


def set_the_stage(desk: Desk) -> dt.datetime:
    """Turn 4 was run, and taken back: it is open again, and from the moment returned on it is due."""
    begin(desk, rounds="9", rules={"mass": "101"})
    for _ in range(4):
        play(desk, ALL)
    rollback(desk.house, "toy1", 4, desk.now)
    desk.tick()
    return desk.now + dt.timedelta(days=7)


def attempt(act: Act, house: House, now: dt.datetime) -> str:
    """Does an act, or hears in a sentence why not. Whatever else it raises is a traceback at the GM."""
    try:
        done = act(house, now)
    except StoreError:
        raise
    except (PbemError, RulesetError) as error:
        return str(error)
    problems = done.problems if isinstance(done, Ticked) else []
    assert not any("could not be" in problem for problem in problems), problems
    return " ".join(problems)
