"""What a rehearsed turn will bring: the notes of its receipt.

All of it is certain unless it says "if": the table lies open, and nothing
before the pops is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pbem.ruleset import Finding
from rules.bubble_singularity.events import ENDS
from rules.bubble_singularity.play import Chain, Play
from rules.bubble_singularity.scoring import harvested
from rules.bubble_singularity.turn import QUIET_ROUNDS, quiet_after


def outlook(play: Play) -> Iterator[Finding]:
    """Where the Mari goes, what the action does, what pops and what that scores, and whether the game ends."""
    for event in play.events:
        if event.kind in _ACTS:
            yield Finding(0, "note", *_ACTS[event.kind](event.data))
    yield Finding(0, "note", "outlook", _pops(play))
    if play.result is not None:
        yield Finding(0, "note", "ends", f"the game ends in this turn: {ENDS[play.result.how]}")
        return
    if harvested(play) > len(play.table.bag):
        yield Finding(0, "note", "ends", f"the game ends in this turn: {ENDS['bag']}")
        return
    if play.pending:
        drawn = "two ability cards are" if play.pending == 1 else f"{play.pending} times two ability cards are"
        yield Finding(0, "note", "cards", f"{drawn} drawn, if the decks hold so many, and one of two is kept")
    how = _end_after(play)
    if how:
        yield Finding(0, "note", "ends", f"the game ends with this turn: {ENDS[how]}")


def _moved(data: Mapping[str, Any]) -> tuple[str, str]:
    steps = ", ".join(f"{space} ({' and '.join(bubbles) or 'nothing'} placed)" for space, bubbles in data["path"])
    return "goes", f"your Mari goes to {steps}"


def _rotated(data: Mapping[str, Any]) -> tuple[str, str]:
    sent = ", ".join(f"{colour} {way} to {space}" for colour, way, space in data["sent"]) or "nothing"
    return "pushes", f"{data['space']} turns {data['turn']} and pushes {sent}"


def _pulled(data: Mapping[str, Any]) -> tuple[str, str]:
    if not data["bubbles"]:
        return "pulls", f"nothing lies on {data['start']} to be pulled to {data['space']}"
    return "pulls", f"{', '.join(data['bubbles'])} pulled from {data['start']} to {data['space']}"


_ACTS = {"moved": _moved, "rotated": _rotated, "pulled": _pulled}


def _pops(play: Play) -> str:
    """The chains of a turn, in one sentence."""
    scored = [event.data for event in play.events if event.kind == "scored"]
    told = [_told_of_chain(chain, data) for chain, data in zip(play.chains, scored, strict=False)]
    if len(told) > 1:
        return f"{len(told)} chains; " + "; ".join(f"{at}. {text}" for at, text in enumerate(told, 1))
    return told[0] if told else "nothing pops in this turn"


def _told_of_chain(chain: Chain, scored: Mapping[str, Any]) -> str:
    """A chain's pops and what they bring."""
    pops = ", ".join(chain.pops)
    markers = f" and {scored['markers']} marker{'s' if scored['markers'] > 1 else ''}" if scored["markers"] else ""
    points = f"{scored['points']} point{'' if scored['points'] == 1 else 's'}"
    return f"pops: {pops}; length {scored['length']}, {points}{markers}"


def _end_after(play: Play) -> str:
    """How the game ends once all of this turn is done; "" if it goes on (ruling 24)."""
    if quiet_after(play) >= QUIET_ROUNDS * len(play.order):
        return "standstill"
    limit = play.table.rules.markers_to_end
    rich = play.last_round or any(play.table.players[seat].markers >= limit for seat in play.order)
    return "markers" if rich and play.seat == play.order[-1] else ""
