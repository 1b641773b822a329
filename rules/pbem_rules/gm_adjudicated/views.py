"""Views of The Umpire's Pen as plain JSON data: the GM's words to all, and those to this seat (ruling 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from pbem.ruleset import Attachment, Event, SeatName, View, events_for
from pbem_rules.gm_adjudicated.state import State

PLACES = ("map", "shared", "file")
"""Places of standing attachments in a report, besides those of the events "public" and "result"."""


class VerbView(TypedDict):
    """One of the GM's verbs; `help` may be empty, and `usage` is "" if any words may follow."""

    verb: str
    help: str
    usage: str


class ResultView(TypedDict):
    """The end of the game; there may be no winners."""

    winners: list[SeatName]
    reason: str


class LedgerView(TypedDict):
    """The visible part of a ledger, that of a seat or of the world.

    Each entry has `name` and `value` (a number, a text, or a list of texts), and
    `was`, its value before, if the last turn has changed it.
    """

    of: str
    entries: list[dict[str, Any]]


class GmView(TypedDict):
    """The whole knowledge of a seat.

    `turns` is the number of the last turn, 0 if the GM alone ends the game.
    `file` and `shared` are the GM's standing texts for this seat and for all;
    `map` is the seat's own, or else that for all; `enclosed` are the data of
    the pictures and files that go with these three. `sheet` are the lines it
    sent last turn. `scores` is None unless they are public and the GM has given
    any; `out` are the seats no longer in the game. `ledgers` begin with its own.
    `lists` are those that usages name.
    """

    seat: SeatName
    label: str
    over: bool
    awaited: bool
    events: list[dict[str, Any]]
    turn: int
    turns: int
    seats: list[SeatName]
    out: list[SeatName]
    verbs: list[VerbView]
    lists: dict[str, list[str]]
    file: str
    shared: str
    map: str
    enclosed: dict[str, list[dict[str, Any]]]
    sheet: list[str]
    scores: dict[SeatName, int] | None
    ledgers: list[LedgerView]
    result: ResultView | None


def view_of(state: State, seat: SeatName, events: Sequence[Event]) -> GmView:
    """Return the view of a seat; `events` are all of the turn, of which it shows those that the seat may hear."""
    own, result = state.players[seat], state.result
    map_ = own.known if own.known.has_map else state.shared
    return GmView(
        seat=seat,
        label=f"end, after turn {state.turn - 1}" if result else state.label,
        over=result is not None,
        awaited=seat in state.awaiting,
        events=events_for(events, seat),
        turn=state.turn,
        turns=state.turns,
        seats=list(state.players),
        out=[each for each, player in state.players.items() if not player.playing],
        verbs=[
            VerbView(verb=verb, help=help_, usage=state.usages.get(verb, "")) for verb, help_ in state.verbs.items()
        ],
        lists={name: list(names) for name, names in state.lists.items()},
        file=own.known.file,
        shared=state.shared.file,
        map=map_.map,
        enclosed=_enclosed(file=own.known.with_file, shared=state.shared.with_file, map=map_.with_map),
        sheet=list(own.sheet),
        scores=_scores(state),
        ledgers=[LedgerView(of=each["of"], entries=each["entries"]) for each in state.ledgers.shown_to(seat)],
        result=ResultView(winners=list(result.winners), reason=result.reason) if result else None,
    )


def enclosures(view: View) -> dict[str, tuple[Attachment, ...]]:
    """Return the pictures and files of a view, by their places in its report."""
    kept = {place: view["enclosed"].get(place, ()) for place in PLACES}
    told = {
        kind: [each for event in view["events"] if event["kind"] == kind for each in event.get("enclosed", ())]
        for kind in ("public", "result")
    }
    return {place: tuple(Attachment(**each) for each in data) for place, data in (*kept.items(), *told.items())}


def _enclosed(**places: Sequence[Attachment]) -> dict[str, list[dict[str, Any]]]:
    return {place: [each.dump() for each in enclosed] for place, enclosed in places.items()}


def _scores(state: State) -> dict[SeatName, int] | None:
    scores = {seat: player.score for seat, player in state.players.items()}
    return scores if state.open_scores and any(scores.values()) else None
