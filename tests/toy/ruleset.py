"""The toy auction: sealed bids for a prize a round, whispers, and private purses.

Small, but with all that an application can meet: private facts, dice, talk that
only one seat hears, every kind of option, and a pace in which seats are awaited and
get reports in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pbem.ruleset import (
    BaseRuleset,
    Bot,
    Dice,
    Event,
    Finding,
    IntegerField,
    Json,
    KeywordField,
    NameField,
    Option,
    Order,
    OrderParser,
    ParsedSheet,
    Picture,
    SeatName,
    Seats,
    Standing,
    TurnInput,
    View,
    append_score,
    events_for,
)

_OTHER = NameField("seat", "another seat", "blue", lambda view: view["others"])
_COINS = IntegerField(0, 99, shown="coins", example="3")
_TALK = KeywordField(("hello", "deal", "never"), example="deal")


@dataclass(frozen=True, slots=True)
class Bid(Order):
    """Bid coins for this round's prize."""

    usage = "BID coins"
    coins: Annotated[int, _COINS]

    def words(self) -> str:
        return f"bid {self.coins} for the prize"


@dataclass(frozen=True, slots=True)
class Whisper(Order):
    """Say words to one other seat."""

    usage = "WHISPER to talk..."
    to: Annotated[str, _OTHER]
    talk: Annotated[tuple[str, ...], _TALK]

    def words(self) -> str:
        return f"whisper to {self.to}: {' '.join(self.talk)}"


@dataclass(frozen=True, slots=True)
class Table:
    """The state. Bids are paid whether they win or not."""

    seats: tuple[SeatName, ...]
    purses: tuple[int, ...]
    prizes: tuple[int, ...]
    playing: tuple[bool, ...]
    round: int
    rounds: int
    in_turn: bool

    @property
    def over(self) -> bool:
        """True if all rounds are played, or no seat is left."""
        return self.round > self.rounds or not any(self.playing)

    @property
    def mover(self) -> SeatName:
        """The seat to bid, when seats bid one after the other."""
        left = [seat for seat, plays in zip(self.seats, self.playing, strict=True) if plays]
        return left[(self.round - 1) % len(left)]


def _play(view: View, dice: Dice) -> list[str]:
    if not view["awaited"]:
        return []
    coins = dice.below(view["purse"] // 2 + 1, "bid", view["label"])
    return [f"BID {coins}", f"WHISPER {view['others'][0]} deal"]


_BOTS: Mapping[str, Bot] = {"standard": _play}


class Auction(BaseRuleset[Table]):
    """The toy ruleset."""

    key = "toy"
    title = "Toy Auction"
    designer = "the tests"
    seats = Seats(2, 4, ("red", "blue", "green", "gray"))
    pace = "simultaneous"
    summary = "sealed bids for a prize a round"
    rulebook = "# Auction\n\n## Orders\n\n{{ORDERS}}"
    orders = OrderParser((Bid, Whisper))
    bots = _BOTS
    options = (
        Option("rounds", "int", 3, "rounds to play", low=1, high=20),
        Option("pace", "choice", "together", "who bids when", choices=("together", "in_turn")),
        Option("rich", "bool", default=False, help="twice the coins"),
        Option("purses", "file", None, "coins of each seat, as a JSON object"),
    )

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> Table:
        coins = [10 + dice.roll(6, "purse", seat) for seat in seats]
        if options["purses"] is not None:
            coins = [options["purses"][seat] for seat in seats]
        factor = 2 if options["rich"] else 1
        return Table(
            tuple(seats),
            tuple(factor * each for each in coins),
            (0,) * len(seats),
            (True,) * len(seats),
            1,
            options["rounds"],
            options["pace"] == "in_turn",
        )

    def view(self, state: Table, seat: SeatName, events: Sequence[Event]) -> View:
        at = state.seats.index(seat)
        return {
            "seat": seat,
            "label": f"round {min(state.round, state.rounds)}" + (", final" if state.over else ""),
            "over": state.over,
            "events": events_for(events, seat),
            "awaited": seat in self.standing(state).awaiting,
            "others": [other for other in state.seats if other != seat],
            "purse": state.purses[at],
            "prizes": dict(zip(state.seats, state.prizes, strict=True)),
        }

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        parsed = self.orders.parse(view, lines)
        findings = list(parsed.findings)
        for entry in parsed.entries:
            if isinstance(entry.order, Bid) and entry.order.coins > view["purse"]:
                text = f"{entry.order.coins} coins are more than your purse holds"
                findings.append(Finding(entry.line, "warning", "short", text, f"you have {view['purse']}"))
        talk_alone = bool(parsed.entries) and not any(isinstance(order, Bid) for order in parsed.orders)
        return replace(parsed, findings=tuple(findings), complete=not talk_alone)

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        return tuple(order for order in kept if isinstance(order, Bid))

    def turn_summary(self, view: View) -> list[str]:
        return [f"You have {view['purse']} coins and {view['prizes'].get(view['seat'], 0)} prizes."]

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        reports = len(before["scores"]["turns"]) if before else 0
        return {"scores": append_score(before, "coins", "report", reports + 1, view["purse"])}

    def order_outcomes(self, view: View, orders: Sequence[Order]) -> list[str]:
        winner = next((event["winner"] for event in view["events"] if event["kind"] == "prize"), None)
        said = "You won." if winner == view["seat"] else f"{winner or 'Nobody'} won."
        return [said if isinstance(order, Bid) else "" for order in orders]

    def template(self, view: View) -> list[str]:
        return ["; BID <coins>"]

    def resolve(self, state: Table, turn: TurnInput, dice: Dice) -> tuple[Table, tuple[Event, ...]]:
        state = self._without(state, turn.removed)
        bids = {seat: self._bid(state, seat, turn) for seat in state.seats}
        best = max(bids.values())
        winner = dice.pick([seat for seat in state.seats if bids[seat] == best], "tie") if best else None
        everyone = frozenset(state.seats)
        events = [Event("prize", everyone, {"winner": winner})]
        events += [Event("missed", frozenset({seat}), {}) for seat in state.seats if seat in turn.missing]
        for seat in state.seats:
            for order in turn.orders.get(seat, ()):
                if isinstance(order, Whisper):
                    said = {"by": seat, "words": " ".join(order.talk)}
                    events.append(Event("said", frozenset({order.to}), said))
        purses = tuple(purse - bids[seat] for seat, purse in zip(state.seats, state.purses, strict=True))
        prizes = tuple(won + (seat == winner) for seat, won in zip(state.seats, state.prizes, strict=True))
        return replace(state, purses=purses, prizes=prizes, round=state.round + 1), tuple(events)

    def _without(self, state: Table, removed: frozenset[SeatName]) -> Table:
        playing = (plays and seat not in removed for seat, plays in zip(state.seats, state.playing, strict=True))
        return replace(state, playing=tuple(playing))

    def _bid(self, state: Table, seat: SeatName, turn: TurnInput) -> int:
        if state.in_turn and seat != state.mover:
            return 0
        coins = [order.coins for order in turn.orders.get(seat, ()) if isinstance(order, Bid)]
        return min(coins[-1] if coins else 0, state.purses[state.seats.index(seat)])

    def standing(self, state: Table) -> Standing:
        scores = dict(zip(state.seats, state.prizes, strict=True))
        if state.over:
            best = max(scores.values())
            winners = tuple(seat for seat in state.seats if scores[seat] == best)
            return Standing(over=True, awaiting=frozenset(), scores=scores, winners=winners, reason="all rounds played")
        if state.in_turn:
            mover = frozenset({state.mover})
            return Standing(over=False, awaiting=mover, scores=scores, told=mover)
        awaiting = frozenset(seat for seat, plays in zip(state.seats, state.playing, strict=True) if plays)
        return Standing(over=False, awaiting=awaiting, scores=scores)

    def pictures(self, view: View) -> Sequence[Picture]:
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">'
            f'<text x="2" y="14" font-size="10">{view["purse"]}</text></svg>'
        )
        return (Picture("purse", "Your purse", svg, 40, 20),)
