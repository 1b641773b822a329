"""The ruleset of The Umpire's Pen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pbem.ruleset import (
    AttachedFiles,
    BaseRuleset,
    Dice,
    Event,
    Finding,
    Json,
    Option,
    Order,
    Panorama,
    Rolls,
    SeatName,
    Seats,
    SetupError,
    Standing,
    TurnInput,
    View,
    append_score,
    suggest,
)
from pbem_rules.gm_adjudicated import bots, forms, reading, sheet, story
from pbem_rules.gm_adjudicated.enclosing import NOTHING
from pbem_rules.gm_adjudicated.ledger_files import read_ledgers
from pbem_rules.gm_adjudicated.ledgers import Ledgers
from pbem_rules.gm_adjudicated.merging import parts_of
from pbem_rules.gm_adjudicated.orders import ORDERS, order_outcomes
from pbem_rules.gm_adjudicated.ruling import Ruling
from pbem_rules.gm_adjudicated.state import VERSION, Player, ReportTexts, State
from pbem_rules.gm_adjudicated.summary import turn_summary
from pbem_rules.gm_adjudicated.takeover import taken_over
from pbem_rules.gm_adjudicated.text import block
from pbem_rules.gm_adjudicated.turn import resolve
from pbem_rules.gm_adjudicated.verbs import read_verbs
from pbem_rules.gm_adjudicated.views import enclosures, view_of

EVERYONE = "all"
"""The key of the text for all seats in a briefing, as in the name of the file for all readers."""

NOT_SEATS = frozenset({EVERYONE, "game", "digest"})
"""Names that are taken by files of a ruling."""

USUAL_TURNS = 24

_ORDERED = ("players", "verbs", "usages", "lists")
"""The mappings of a state whose order counts."""


class GmAdjudicated(BaseRuleset[State]):
    """Any game with a GM: sheets in free words, a digest of them, and a ruling for each seat.

    The GM decides the actions of a seat without a sheet (ruling 5), and draws maps as text.
    """

    key = "gm_adjudicated"
    title = "The Umpire's Pen"
    designer = "the GM"
    version = VERSION
    oldest_version = 3
    seats = Seats(2, 60)
    pace = "simultaneous; each turn waits for the GM's ruling"
    summary = "Any game at all: sheets in your own words, judged by the GM, who writes to each what comes of it."
    pitch = (
        "Write in your own words what your people shall do; the GM reads all sheets together, decides, and "
        "writes to each player what came of it. What the world is like and how it ends is for the GM and you "
        "to find out."
    )
    minutes = 10
    free_text = True
    orders = ORDERS
    options = (
        Option(
            "verbs",
            "file",
            None,
            "the GM's own verbs: a list, or an object of verb and help or usage; none for free text",
        ),
        Option("briefing", "file", None, "what is known at the start: an object of all, or a seat, and a text"),
        Option(
            "turns", "int", USUAL_TURNS, "the last turn; 0 until the GM ends the game", low=0, high=reading.LAST_TURN
        ),
        Option("ledgers", "file", None, "what the GM keeps of seats and world: an object by seats, or a table"),
        Option("scores", "bool", default=True, help="whether the scores that the GM gives are public"),
    )
    bots = bots.BOTS
    demo = story.DEMO

    view = staticmethod(view_of)
    enclosures = staticmethod(enclosures)
    template = staticmethod(sheet.template)
    desk = staticmethod(sheet.desk)
    turn_summary = staticmethod(turn_summary)
    order_outcomes = staticmethod(order_outcomes)
    digest = staticmethod(forms.digest)
    ruling_help = forms.HELP

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> State:
        """Return the initial state, with the texts of the briefing (ruling 3); raise SetupError."""
        taken = sorted(NOT_SEATS & set(seats))  # such a seat would read the file of that name
        if taken:
            raise SetupError(f"a seat cannot be called {taken[0]!r}: a file of the GM's ruling has that name")
        verbs = read_verbs(options["verbs"])
        texts = _briefing(options["briefing"], seats)
        return State(
            players={seat: Player(ReportTexts(texts.get(seat, ""))) for seat in seats},
            verbs=verbs.helps,
            usages=verbs.usages,
            lists=verbs.lists,
            turns=options["turns"],
            open_scores=options["scores"],
            shared=ReportTexts(texts.get(EVERYONE, "")),
            ledgers=read_ledgers(options["ledgers"], seats),
        )

    def dump(self, state: State) -> Json:
        """Return the state as JSON data; mappings whose order counts are lists of pairs."""
        data = super().dump(state)
        pairs = {name: [[key, data[name][key]] for key in getattr(state, name)] for name in _ORDERED}
        return {**data, **pairs, "ledgers": state.ledgers.dump()}

    def read(self, data: Json) -> State:
        """Return the state that `dump` has written."""
        state = super().read({**data, **{name: dict(data[name]) for name in _ORDERED}, "ledgers": {}})
        return replace(state, ledgers=Ledgers.read(data["ledgers"]))

    def state_from(
        self, options: Mapping[str, Any], seats: Sequence[SeatName], files: Mapping[str, str], turn: int
    ) -> tuple[Json, Mapping[str, tuple[Finding, ...]]]:
        """Return the state at a turn of a game taken over, from files like those of a ruling, and their findings."""
        begun, findings = taken_over(self.begin(options, seats, Dice(b"")), files, turn)
        return self.dump(begun), findings

    def resolve(self, state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        """Apply the GM's ruling; without one, nothing changes (ruling 7). The GM alone rolls dice."""
        return resolve(state, turn)

    def without_orders(self, view: View) -> str:
        """Return that the GM decides for the seat (ruling 5)."""
        return "Without orders your GM decides what you do."

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return the seat's scores by turn, where scores are public."""
        if not view["scores"]:
            return before
        return {"scores": append_score(before, "score", "turn", view["turn"], view["scores"][view["seat"]])}

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama | None:
        """Return the scores, where they are public."""
        scores = next(iter(views.values()))["scores"]
        return Panorama(scores=scores, of="score") if scores else None

    def standing(self, state: State) -> Standing:
        """Return the standing: all seats in the game are awaited each turn, and all are told."""
        result = state.result
        return Standing(
            over=result is not None,
            awaiting=state.awaiting,
            scores={seat: player.score for seat, player in state.players.items()},
            winners=result.winners if result else (),
            reason=result.reason if result else "",
        )

    def ruling_files(
        self,
        state: State,
        orders: Mapping[SeatName, tuple[Order, ...]],
        missing: frozenset[SeatName],
        ruling: Json = None,
        *,
        brief: bool = False,
        seats: Collection[SeatName] | None = None,
    ) -> Mapping[str, str]:
        """Return the files for the GM to fill in, with the ruling so far."""
        return forms.ruling_files(state, orders, missing, _loaded(ruling), brief=brief, seats=seats)

    def read_ruling(
        self,
        state: State,
        files: Mapping[str, str],
        rolls: Rolls,
        brought: AttachedFiles = NOTHING,
        before: Json = None,
    ) -> tuple[Json, Mapping[str, tuple[Finding, ...]]]:
        """Return the ruling in such files, merged with the one before, and their findings."""
        earlier = None if before is None else _loaded(before)
        ruling, findings = reading.read_ruling(state, files, rolls, brought, earlier)
        return ruling.dump(), findings

    def ruling_parts(self, state: State, ruling: Json) -> Mapping[str, str]:
        """Return the text of each part of a ruling, by its name."""
        return parts_of(state, _loaded(ruling))

    def text_map(self, view: View) -> str:
        return str(view["map"])


def _loaded(ruling: Json) -> Ruling:
    return Ruling() if ruling is None else Ruling.load(ruling)


def _briefing(data: Json, seats: Sequence[SeatName]) -> dict[str, str]:
    """Return the texts of the option by seat, and by `all`; raise SetupError."""
    if data is None:
        return {}
    if not isinstance(data, Mapping) or not all(isinstance(text, str) for text in data.values()):
        raise SetupError('option briefing must be an object such as {"all": "It is the year 431.", "red": "…"}')
    known = [EVERYONE, *seats]
    for name, text in data.items():
        if name not in known:
            raise SetupError(f"option briefing: there is no seat {name!r}: {suggest(name, known)}")
        if len(text) > reading.LONGEST_TEXT:
            raise SetupError(
                f"option briefing: the text of {name} has {len(text)} characters; {reading.LONGEST_TEXT} are the most"
            )
    return {name: block(text) for name, text in data.items()}
