"""What is done to a campaign by its GM and by the clock, by name: for tests in which acts meet, or are killed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from click.testing import CliRunner

from cli import main
from pbem.acts.act import do, look
from pbem.acts.past.amending import Amend
from pbem.acts.past.entering import GiveSheet
from pbem.acts.past.patching import Patch
from pbem.acts.past.preview import ShowPreview
from pbem.acts.past.rerunning import Changes
from pbem.acts.past.rolling import GoForward, RollBack
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
    "rollback by one": lambda house, now: do(house, "toy1", RollBack(3), now),
    "rollback by two": lambda house, now: do(house, "toy1", RollBack(2), now),
    "forward": lambda house, now: do(house, "toy1", GoForward(), now),
    "rerun": lambda house, now: do(house, "toy1", Amend(), now),
    "rerun with a sheet": lambda house, now: do(house, "toy1", Amend(Changes(sheets=SHEET)), now),
    "patch": lambda house, now: do(house, "toy1", Patch(PURSE), now),
    "remove": command("seat", "toy1", "green", "--remove"),
}
"""What changes turns, or who plays them."""

SHARPEST = ("rollback by two", "rerun with a sheet")
"""What changes most of the past, where there is no time for all."""

ACTS: dict[str, Act] = SHARP | {
    "tick": tick,
    "sheet": lambda house, now: do(house, "toy1", GiveSheet("red", SHEET["red"]), now),
    "preview": lambda house, now: look(house, "toy1", ShowPreview(), now),
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
    do(desk.house, "toy1", RollBack(4), desk.now)
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
