"""An independent account of a turn: where each bubble goes, what is asked, and whether the game ends.

Written from the designer's text and the numbered rulings; it uses events and
states alone and none of the game's functions. `audited` follows the bubbles of
a turn through its events and compares the result with the state after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pbem.ruleset import Event, SeatName
from pbem_rules.bubble_singularity.state import PendingChoice, State

Words = Sequence[str]


class Ledger:
    """The bubbles of a game by colour: in the bag, on the board, on the table to choose from, and in supplies."""

    def __init__(self, state: State) -> None:
        self.bag = Counter(state.bag)
        self.board = Counter(colour for found in state.bubbles.values() for colour in found)
        self.table = Counter(colour for asked in state.questions if asked.kind == "bubbles" for colour in asked.choices)
        self.hands = {seat: Counter(player.hand) for seat, player in state.players.items()}

    def take_down(self, event: Event) -> None:
        """Enter the bubbles that an event moves."""
        entry = getattr(self, f"_{event.kind.replace('-', '_')}", None)
        if entry:
            entry(event.data)

    def as_in(self, state: State) -> bool:
        """Return True if a state has the same in all places, and no count is negative."""
        return vars(self) == vars(Ledger(state)) and all(count >= 0 for count in self._counts())

    def total(self) -> int:
        return sum(self._counts())

    def _counts(self) -> list[int]:
        places = (self.bag, self.board, self.table, *self.hands.values())
        return [count for place in places for count in place.values()]

    def _moved(self, data: Mapping[str, Any]) -> None:
        self._pass([colour for _, placed in data["path"] for colour in placed], self.hands[data["who"]], self.board)

    def _deployed(self, data: Mapping[str, Any]) -> None:
        self._pass([colour for _, colour in data["bubbles"]], self.hands[data["who"]], self.board)

    def _popped(self, data: Mapping[str, Any]) -> None:
        self._pass(data["collected"], self.board, self.hands[data["who"]])

    def _converted(self, data: Mapping[str, Any]) -> None:
        self._pass([colour for _, colour in data["bubbles"]], self.board, self.bag)
        self._pass([data["who"]] * len(data["bubbles"]), self.bag, self.board)

    def _selected(self, data: Mapping[str, Any]) -> None:
        self._pass(data["bubbles"], self.bag, self.hands[data["who"]])

    def _harvested(self, data: Mapping[str, Any]) -> None:
        self._pass([data["colour"]], self.bag, self.hands[data["who"]])

    def _researched(self, data: Mapping[str, Any]) -> None:
        # Fewer than three are all kept, and the game ends.
        goal = self.table if len(data["bubbles"]) == 3 else self.hands[data["who"]]
        self._pass(data["bubbles"], self.bag, goal)

    def _kept(self, data: Mapping[str, Any]) -> None:
        if set(data["what"]) <= set(self.hands) | {"red", "green", "blue", "yellow"}:
            self._pass(data["what"], self.table, self.hands[data["who"]])
            self._pass(data["returned"], self.table, self.bag)

    def _left(self, data: Mapping[str, Any]) -> None:
        self._pass(list(self.hands[data["who"]].elements()), self.hands[data["who"]], self.bag)

    @staticmethod
    def _pass(colours: Words, start: Counter[str], goal: Counter[str]) -> None:
        for colour in colours:
            start[colour] -= 1
            goal[colour] += 1
            if not start[colour]:
                del start[colour]


def asked_for(state: State, events: Sequence[Event], listed: Words) -> list[tuple[str, ...]]:
    """Return the open choices of a turn: all drawn from the first that a list does not name in full (ruling 26)."""
    drawn = [tuple(event.data["bubbles"]) for event in events if event.kind == "researched"]
    drawn += [tuple(event.data["cards"]) for event in events if event.kind == "drawn"]
    open_ones = [at for at, choices in enumerate(drawn) if not set(choices) <= set(listed)]
    # In a last turn no cards are drawn, and bubbles are not asked about (rulings 14 and 38).
    over = any(event.kind == "ended" for event in events) or is_last_round(state, events)
    return drawn[open_ones[0] :] if open_ones and not over else []


def pairs_due(before: State, events: Sequence[Event]) -> int:
    """Return how many pairs of cards a turn draws: one for each pop on a node, none in a last turn (ruling 14)."""
    if before.rules.beginner or is_last_round(before, events) or has_ended_at_once(events):
        return 0
    return sum(event.data["node"] for event in events if event.kind == "popped")


def is_last_round(before: State, events: Sequence[Event]) -> bool:
    """Return True if no round follows: by markers, or by the number of rounds."""
    return by_markers(before, events) or 0 < before.rules.rounds <= before.round


def by_markers(before: State, events: Sequence[Event]) -> bool:
    """Return True if a player still in the game has the markers that end it, with those of this turn."""
    won = Counter[SeatName]()
    for event in events:
        if event.kind == "scored":
            won[event.data["who"]] += event.data["markers"]
    limit = 7 if before.rules.advanced else 5
    gone = {event.data["who"] for event in events if event.kind == "left"}
    rich = [seat for seat in before.order if before.players[seat].markers + won[seat] >= limit and seat not in gone]
    return before.last_round or bool(rich)


def has_ended_at_once(events: Sequence[Event]) -> bool:
    """Return True if a bubble had to be drawn from an empty bag, or all others left."""
    return any(event.kind == "ended" and event.data["how"] in ("bag", "left") for event in events)


def ending(before: State, events: Sequence[Event], asked: Sequence[object]) -> str:
    """Return how the game ends with a turn in which no player left, "" if it goes on (rulings 24, 34 and 35)."""
    kinds = [event.kind for event in events]
    if has_ended_at_once(events):
        return "bag"
    turn = before.question is None
    stirred = "moved" in kinds or "popped" in kinds
    scored = any(event.data["points"] or event.data["markers"] for event in events if event.kind == "scored")
    quiet = before.quiet if not turn else 0 if stirred else before.quiet + 1
    unscored = before.unscored if not turn else 0 if scored else before.unscored + 1
    if quiet >= 2 * len(before.order):
        return "standstill"
    if before.rules.scoreless and unscored >= before.rules.scoreless:
        return "scoreless"
    is_last = before.mover == before.order[-1]
    how = "markers" if by_markers(before, events) else "rounds"
    return how if is_last_round(before, events) and is_last else ""


def audited(before: State, after: State, events: Sequence[Event], listed: Words) -> list[str]:
    """Return the differences between a turn in which no player left and the rulings."""
    ledger, wrong = Ledger(before), []
    for event in events:
        ledger.take_down(event)
    if not ledger.as_in(after):
        wrong.append(f"bubbles: {vars(ledger)} in events, {vars(Ledger(after))} in the state")
    if ledger.total() != 60:
        wrong.append(f"{ledger.total()} bubbles")
    if before.question is None:
        drawn = sum(event.kind == "drawn" for event in events)
        due = pairs_due(before, events)
        if drawn > due or (drawn < due and any(before.decks.values()) and not drawn):
            wrong.append(f"{drawn} pairs of cards were drawn, {due} are due")
    asked = asked_for(before, events, listed) if before.question is None else []
    if [question.choices for question in after.questions] != asked:
        wrong.append(f"asked for {after.questions}, not {asked}")
    how = ending(before, events, asked)
    if (after.result.how if after.result else "") != how:
        wrong.append(f"ends by {after.result}, not {how!r}")
    cards = Counter(_cards(after))
    if not before.rules.beginner and (len(cards) != 12 or set(cards.values()) != {1}):
        wrong.append(f"ability cards: {cards}")
    return wrong


def _cards(state: State) -> list[str]:
    held = [card for player in state.players.values() for card in (*player.cards, *player.offer)]
    lying = [card for deck in state.decks.values() for card in deck]
    return [*held, *lying, *(card for asked in state.questions for card in _new(asked))]


def _new(asked: PendingChoice) -> Words:
    return asked.choices if asked.kind == "card" else ()
