"""The ruleset of Bubble Singularity: its options, and the functions that the contract asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pbem.ruleset import BaseRuleset, Dice, Json, Option, Order, Panorama, SeatName, Seats, Standing, View, append_score
from pbem_rules.bubble_singularity import beginning, bots, choices, desk, form, picture, sheet, textmap, turn
from pbem_rules.bubble_singularity.cards import Card
from pbem_rules.bubble_singularity.checking import check_state
from pbem_rules.bubble_singularity.events import ENDS
from pbem_rules.bubble_singularity.orders import ORDERS
from pbem_rules.bubble_singularity.outcomes import order_outcomes
from pbem_rules.bubble_singularity.scores import totals
from pbem_rules.bubble_singularity.state import SEATS, VERSION, Rules, State, counted, uncounted
from pbem_rules.bubble_singularity.summary import turn_summary, without_orders
from pbem_rules.bubble_singularity.views import view_of

USUAL = "usual"
BEGINNERS_ROUNDS = 15
"""Rounds of a beginners' game (ruling 36)."""


class BubbleSingularity(BaseRuleset[State]):
    """The game by Syanmil Izhharuddin, with both modules of its rules."""

    key = "bubble_singularity"
    title = "Bubble Singularity"
    designer = "Syanmil Izhharuddin"
    version = VERSION
    oldest_version = 4
    seats = Seats(2, 4, SEATS)
    pace = "players in turn, a whole turn a sheet"
    summary = "Leave bubbles on cards with arrows and set off chain reactions; an open board, two modules."
    pitch = (
        "Wander over cards with arrows, leave bubbles behind and let three on a space pop, each pop setting "
        "off the next. Long chains bring points and markers; the most points win."
    )
    minutes = 8
    orders = ORDERS
    options = (
        Option(
            "layout",
            "choice",
            "standard",
            "the space cards as in the fixed chart, or by lot",
            choices=("standard", "shuffled"),
        ),
        Option(
            "beginner", "bool", False, "the beginners' game: no ability cards, fixed starts, bubbles of the own colour"
        ),
        Option("stations", "bool", False, "module 1: four space stations in the corners"),
        Option("advanced", "bool", False, "module 2: a board of 5 by 5 with stations, the Universe and special cards"),
        Option(
            "scoreless",
            "int",
            0,
            "turns in a row in which nobody scores that end the game; 0 for no such end",
            low=0,
            high=999,
        ),
        Option(
            "rounds",
            "choice",
            USUAL,
            f"rounds after which the game ends; usual is {BEGINNERS_ROUNDS} in the beginners' game, else none",
            choices=(USUAL, "none", "5", "8", "10", "12", "15", "20", "30"),
        ),
        Option(
            "bubbles",
            "int",
            0,
            "bubbles that each player begins with; 0 for as many as the rules say",
            low=0,
            high=10,
        ),
    )
    bots = bots.BOTS

    view = staticmethod(view_of)
    parse = staticmethod(sheet.parse)
    template = staticmethod(form.template)
    desk = staticmethod(desk.desk)
    agenda = staticmethod(choices.agenda)
    purses = staticmethod(choices.purses)
    choices = staticmethod(choices.choices)
    resolve = staticmethod(turn.resolve)
    turn_summary = staticmethod(turn_summary)
    without_orders = staticmethod(without_orders)
    order_outcomes = staticmethod(order_outcomes)
    pictures = staticmethod(picture.pictures)
    text_map = staticmethod(textmap.text_map)
    check_state = staticmethod(check_state)

    def setup(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> State:
        """Return the state before the first turn; a campaign made before `rounds` was an option has no such end."""
        # Campaigns store all options that there are when they are made, so records of earlier ones replay as they were.
        earlier = "scoreless" in options and "rounds" not in options
        return super().setup({**options, "rounds": "none"} if earlier else options, seats, dice)

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> State:
        """Return the state before the set-up, in which the seats choose starts and abilities."""
        named = {USUAL: BEGINNERS_ROUNDS if options["beginner"] else 0, "none": 0}
        rounds = named[options["rounds"]] if options["rounds"] in named else int(options["rounds"])
        return beginning.laid(Rules(**{**options, "rounds": rounds}), seats, dice)

    def dump(self, state: State) -> Json:
        """Return the state as JSON data: cards are pairs, and bubbles of the bag are counted."""
        cards = {place: [card.arrows, card.kind] for place, card in state.cards.items()}
        # The order of draws comes from the seed alone, so the bag is stored as counts.
        return {**super().dump(state), "rules": state.rules.as_data(), "cards": cards, "bag": counted(state.bag)}

    def read(self, data: Json) -> State:
        """Return the state that `dump` has written."""
        cards = {place: asdict(Card(*card)) for place, card in data["cards"].items()}
        return super().read({**data, "cards": cards, "bag": list(uncounted(data["bag"]))})

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """Return the orders of a seat without a sheet (rulings 23 and 26).

        These are one space clockwise from north and a rotation, or the first answer to each question.
        """
        return sheet.defaults(view)

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama:
        """Return the board, which lies open, and each seat's total."""
        view = next(iter(views.values()))
        totals = {seat: player["total"] for seat, player in view["players"].items()}
        return Panorama(picture.table_pictures(view), totals, "points")

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        """Add the seat's total of this round to its remembered scores."""
        if view["phase"] == "setup":
            return before
        own = view["players"][view["seat"]]
        return {"scores": append_score(before, "points", "round", view["round"], own["total"])}

    def standing(self, state: State) -> Standing:
        """Return who is awaited (all at the set-up, then the mover) and, when the game is over, who has won."""
        if state.result is None:
            return Standing(over=False, awaiting=state.awaiting, scores=totals(state))
        result = state.result
        return Standing(
            over=True, awaiting=frozenset(), scores=totals(state), winners=result.winners, reason=ENDS[result.how]
        )
