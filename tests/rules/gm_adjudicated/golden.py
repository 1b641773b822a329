"""The golden game: a whole game as one text, with every sheet, digest, ruling, event and view.

`python -m tests.rules.gm_adjudicated.golden` writes it again; the differences in
golden.txt then show the effects of a change of rules or words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pbem.ruleset import Event, SeatName
from pbem_rules.gm_adjudicated import RULESET
from pbem_rules.gm_adjudicated.state import State
from tests.rules.gm_adjudicated.table import SEATS, VERBS, new_game, ruled, told, turn, view

PATH = Path(__file__).with_name("golden.txt")

Sheets = dict[SeatName, list[str]]
Files = dict[str, str]

TURNS: Sequence[tuple[Sheets, Files | None]] = (
    (
        {"red": ["mar the pass; rest there", "MRACH back"], "blue": ["Ask the abbot.", "; thinks"]},
        {"all": "Snow fell.", "red": "The pass is yours.\n[FILE]\nfirst army: 900 men", "game": "LABEL Spring 1806"},
    ),
    ({"red": [], "blue": ["mar Lucia"], "green": ["SAY marry, sir!"]}, None),
    (
        {"red": ["BUILD a tower"]},
        {"all": "[MAP]\npass --- Corinth", "red": "[FILE]\n", "game": "SCORE red 3\nSCORE blue -1\nOUT green\nTURNS 4"},
    ),
    ({"blue": ["MARRY Lucia"]}, {"blue": "She said yes.", "game": "OVER Peace was made.\nWINNER blue"}),
)
"""Sheets and rulings with all their parts; the second turn passes without a ruling."""


def game() -> Iterator[str]:
    """Yield the lines of the golden game."""
    state, events = new_game(verbs=VERBS, turns=9, briefing={"all": "It is 1805."}), ()  # type: State, tuple[Event, ...]
    for sheets, files in TURNS:
        yield from _moment(state, events)
        yield from _sheets(state, sheets)
        state, events = turn(state, None if files is None else ruled(state, **files), sheets=sheets)
    yield from _moment(state, events)
    yield repr(RULESET.standing(state))


def _moment(state: State, events: Sequence[Event]) -> Iterator[str]:
    """Yield the events that each seat heard, and its view."""
    for seat in SEATS:
        yield from (f"  {seat}: {kind} {data}" for kind, data in told(events, seat))
    yield ""
    yield f"== {view(state, 'red')['label']}"
    for seat in SEATS:
        shown = view(state, seat)
        yield f"  {seat}: " + ", ".join(
            f"{key}={shown[key]!r}" for key in ("shared", "file", "map", "sheet", "scores", "out")
        )


def _sheets(state: State, sheets: Sheets) -> Iterator[str]:
    """Yield the sheets with their findings, and the digest."""
    orders = {}
    for seat, lines in sheets.items():
        yield from (f"{seat}> {line}" for line in lines)
        parsed = RULESET.parse(view(state, seat), list(enumerate(lines, 1)))
        orders[seat] = parsed.orders
        for found in parsed.findings:
            yield f"  {found.severity} in line {found.line}: {found.text} [{found.code}] {found.hint}".rstrip()
    missing = RULESET.standing(state).awaiting - set(orders)
    yield from (f"  | {line}".rstrip() for line in RULESET.digest(state, orders, missing).splitlines())


def text() -> str:
    """Return the golden game as it is now."""
    return "\n".join(game()) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
