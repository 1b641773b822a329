"""A recorded game: all that four players were shown in six turns, as one text file to be reviewed as a difference.

The sheets are those of the file, as bots of version 1 of the rules wrote them.
`python -m tests.rules.singularity_trap.golden` records again what they lead to,
with the frozen save of the current version of the rules beside it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pbem.ruleset import Dice, Event, TurnInput, canonical_json, json_sha256
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.state import State

PATH = Path(__file__).with_name("golden.txt")
SAVES = Path(__file__).with_name("saves")
SEED = b"the golden game of the trap"
SEATS = ("red", "green", "cyan", "blue")
TURNS = 6


def text() -> str:
    """Return the game as text: every sheet, every event a player hears of, and a digest of each view and state."""
    lines: list[str] = []
    for state, events, sheets in _played():
        lines.append(f"== turn {state.turn} state {json_sha256(RULESET.dump(state))[:16]}")
        for seat, view in RULESET.views(state, SEATS, events):
            lines.append(f"-- {seat} view {json_sha256(view)[:16]}")
            lines += [canonical_json(event).decode() for event in view["events"]]
            lines += [f"> {line}" for line in sheets.get(seat, ())]
    return "\n".join(lines) + "\n"


def last_state() -> State:
    """Return the state after the recorded turns, rich in ships, charts and events to come."""
    return list(_played())[-1][0]


Moment = tuple[State, tuple[Event, ...], dict[str, list[str]]]
"""A state, the events that led to it, and the sheets sent then."""


def _played() -> list[Moment]:
    dice = Dice(SEED)
    state = RULESET.setup({}, SEATS, dice)
    events: tuple[Event, ...] = ()
    moments: list[Moment] = []
    for turn, sheets in enumerate(_sheets(), 1):
        views: dict[str, Any] = dict(RULESET.views(state, SEATS, events))
        moments.append((state, events, sheets))
        orders = {seat: RULESET.parse(views[seat], list(enumerate(sheets[seat], 1))).orders for seat in SEATS}
        state, events = RULESET.resolve(state, TurnInput(orders), dice.within("turn", turn))
    return [*moments, (state, events, {})]


def _sheets() -> list[dict[str, list[str]]]:
    """Return the sheets recorded, by turn and seat."""
    turns: list[dict[str, list[str]]] = []
    for line in PATH.read_text().splitlines():
        if line.startswith("== turn"):
            turns.append({})
        elif line.startswith("-- "):
            turns[-1][line.split()[1]] = sheet = []
        elif line.startswith("> "):
            sheet.append(line.removeprefix("> "))
    return turns[:TURNS]


def save_file() -> Path:
    """Return the path of the frozen save of the current version."""
    return SAVES / f"version{RULESET.version}.json"


if __name__ == "__main__":
    PATH.write_text(text())
    save_file().write_text(json.dumps(RULESET.dump(last_state()), sort_keys=True, indent=1) + "\n")
