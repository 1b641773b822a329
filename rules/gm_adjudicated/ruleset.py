"""The Umpire's Pen through the door of the ruleset contract."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbem.ruleset import (
    Bot,
    Dice,
    Event,
    Finding,
    Json,
    Option,
    Order,
    Parsed,
    Picture,
    Seat,
    Seats,
    SetupError,
    Standing,
    TurnInput,
    View,
    suggest,
)
from rules.gm_adjudicated import bots, forms, reading, sheet, turn
from rules.gm_adjudicated.orders import ORDERS
from rules.gm_adjudicated.state import VERSION, Known, Player, State, dump, load
from rules.gm_adjudicated.text import block
from rules.gm_adjudicated.verbs import read_verbs
from rules.gm_adjudicated.views import view_of
from rules.kit.rulebook import WithRulebook

EVERYONE = "all"
"""Stands for all seats in a briefing, as in the name of the file that all read."""

NOT_SEATS = frozenset({EVERYONE, "game", "digest"})
"""Names that files of a ruling have already."""

USUAL_TURNS = 24

OPTIONS = (
    Option("verbs", "file", None, "the GM's own verbs: a JSON list, or an object of verb and help; none for free text"),
    Option("briefing", "file", None, "what is known at the start: a JSON object of all, or a seat, and a text"),
    Option("turns", "int", USUAL_TURNS, "the last turn; 0 until the GM ends the game", low=0, high=reading.LAST_TURN),
    Option("scores", "bool", default=True, help="whether the scores that the GM gives are public"),
)


class GmAdjudicated(WithRulebook):
    """Any game with a GM: sheets in free words, a digest for him, and his ruling for each seat."""

    key = "gm_adjudicated"
    title = "The Umpire's Pen"
    designer = "the GM"
    version = VERSION
    seats = Seats(2, 60)
    pace = "simultaneous; each turn waits for the GM's ruling"
    summary = "Any game at all: sheets in your own words, judged by the GM, who writes to each what comes of it."
    orders = ORDERS

    def options(self) -> tuple[Option, ...]:
        """The GM's verbs, what is known at the start, the last turn, and whether scores are public."""
        return OPTIONS

    def setup(self, options: Mapping[str, Any], seats: Sequence[Seat], dice: Dice) -> State:
        """Seats that know what the briefing tells them. Raises SetupError."""
        taken = sorted(NOT_SEATS & set(seats))
        if taken:
            raise SetupError(f"a seat cannot be called {taken[0]!r}: a file of the GM's ruling has that name")
        chosen = {option.name: options.get(option.name, option.default) for option in OPTIONS}
        texts = _briefing(chosen["briefing"], seats)
        return State(
            players={seat: Player(Known(texts.get(seat, ""))) for seat in seats},
            verbs=read_verbs(chosen["verbs"]),
            turns=chosen["turns"],
            open_scores=chosen["scores"],
            shared=Known(texts.get(EVERYONE, "")),
        )

    def view(self, state: State, seat: Seat, events: Sequence[Event]) -> View:
        """What the GM has told the seat, and what he has told all."""
        return view_of(state, seat, events)

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> Parsed:
        """The lines of a sheet, nearly all of which are taken: the GM reads them."""
        return ORDERS.parse(view, lines)

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """None: the GM decides what a seat does that has sent nothing (ruling 5)."""
        return ()

    def template(self, view: View) -> list[str]:
        """The campaign's verbs, as comments."""
        return sheet.template(view)

    def resolve(self, state: State, turn_input: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        """The GM's ruling takes effect; without one, the turn passes and nothing is decided. No dice."""
        return turn.resolve(state, turn_input)

    def standing(self, state: State) -> Standing:
        """All seats in the game are awaited each turn, and all are told."""
        result = state.result
        return Standing(
            over=result is not None,
            awaiting=state.awaiting,
            scores={seat: player.score for seat, player in state.players.items()},
            winners=result.winners if result else (),
            reason=result.reason if result else "",
        )

    def digest(self, state: State, orders: Mapping[Seat, tuple[Order, ...]], missing: frozenset[Seat]) -> str:
        """Every seat's sheet, for the GM."""
        return forms.digest(state, orders, missing)

    def ruling_files(self, state: State) -> Mapping[str, str]:
        """A file for each seat, `all.txt` for all, and `game.txt` for the game as a whole."""
        return forms.ruling_files(state)

    def read_ruling(self, state: State, files: Mapping[str, str]) -> tuple[Json, Mapping[str, tuple[Finding, ...]]]:
        """The ruling in such files, and what is wrong in them."""
        ruling, findings = reading.read_ruling(state, files)
        return ruling.dump(), findings

    def pictures(self, view: View) -> Sequence[Picture]:
        """None; a GM draws his maps as text."""
        return ()

    def text_map(self, view: View) -> str:
        """The map that the GM has drawn for the seat, or for all."""
        return str(view["map"])

    def dump(self, state: State) -> Json:
        """The state as JSON data."""
        return dump(state)

    def load(self, data: Json, version: int) -> State:
        """The state of a save. Raises SaveError."""
        return load(data, version)

    @property
    def bots(self) -> Mapping[str, Bot]:
        """ "standard" writes what a player might."""
        return bots.BOTS


def _briefing(data: Json, seats: Sequence[Seat]) -> dict[str, str]:
    """The texts of the option by seat, and by `all`. Raises SetupError."""
    if data is None:
        return {}
    if not isinstance(data, Mapping) or not all(isinstance(text, str) for text in data.values()):
        raise SetupError('option briefing must be a JSON object such as {"all": "It is the year 431.", "red": "…"}')
    known = [EVERYONE, *seats]
    for name, text in data.items():
        if name not in known:
            raise SetupError(f"option briefing: there is no seat {name!r}: {suggest(name, known)}")
        if len(text) > reading.LONGEST_TEXT:
            raise SetupError(
                f"option briefing: the text of {name} has {len(text)} characters; {reading.LONGEST_TEXT} are the most"
            )
    return {name: block(text) for name, text in data.items()}
