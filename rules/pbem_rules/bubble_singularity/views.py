"""Views: what a player may know, as plain JSON data.

The game lies open on the table (ruling 32), so views differ in `seat`,
`awaited`, refused lines and `keeping`, and the mover's has `wish` and `liking`.
Spaces are named as players write them, bubbles are colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from pbem.ruleset import Event, SeatName, View, events_for
from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES
from pbem_rules.bubble_singularity.cards import KINDS, Card
from pbem_rules.bubble_singularity.events import ENDS
from pbem_rules.bubble_singularity.scores import station_points, total
from pbem_rules.bubble_singularity.state import PendingChoice, Player, Rules, State, counted, uncounted


class SpaceView(TypedDict):
    """A space: the arrows of its card as it lies now, the card's kind, and what lies on it.

    `node` is True for a token and for the Universe; `mari` and `control` are seats.
    """

    arrows: str
    kind: str
    node: bool
    bubbles: list[str]
    mari: SeatName | None
    control: SeatName | None


class PlayerView(TypedDict):
    """A player's Mari, supply, cards and score.

    `total` is what would count if the game ended now, `stations` the part of it for stations.
    """

    side: str
    at: str | None
    hand: dict[str, int]
    cards: list[str]
    offer: list[str]
    points: int
    markers: int
    stations: int
    total: int
    blocked: str
    out: bool


class AbilityView(TypedDict):
    """Title, category and effect of an ability card."""

    title: str
    category: str
    text: str


class QuestionView(TypedDict):
    """An open question: `kind` is "card", "replace" or "bubbles"."""

    kind: str
    seat: SeatName
    choices: list[str]


class BubbleView(TypedDict):
    """The view of a seat; most of it is the same for all.

    `phase` is "setup", "turn", "question" or "over"; `decks` name the cards
    left in each, sorted, so that their order stays unknown; `pending` counts the
    pairs of cards that the mover has still to draw. `abilities` are all cards by
    key, none for beginners, and `kinds` says what the special space cards on the
    board do. `edition` is the version of the game whose rules the campaign keeps,
    `keeping` the seat's own standing KEEP list. `further` are the questions to the
    mover after `question`, `unscored` counts the turns in a row without a score.
    """

    seat: SeatName
    label: str
    over: bool
    awaited: bool
    events: list[dict[str, Any]]
    phase: str
    rules: dict[str, Any]
    size: int
    seats: list[SeatName]
    first: SeatName
    order: list[SeatName]
    mover: SeatName | None
    round: int
    last_round: bool
    quiet: int
    spaces: dict[str, SpaceView]
    nodes: list[str]
    players: dict[SeatName, PlayerView]
    bag: dict[str, int]
    decks: dict[str, list[str]]
    abilities: dict[str, AbilityView]
    kinds: dict[str, str]
    question: QuestionView | None
    pending: int
    wish: list[str]
    liking: list[str]
    result: dict[str, Any] | None
    edition: int
    keeping: list[str]
    further: list[QuestionView]
    unscored: int


def view_of(state: State, seat: SeatName, events: Sequence[Event]) -> BubbleView:
    """Return the view of a seat; of the turn's `events` it takes those that the seat may know."""
    return BubbleView(
        seat=seat,
        label=_label(state),
        over=state.result is not None,
        awaited=seat in state.awaiting,
        events=events_for(events, seat),
        phase=state.phase,
        rules=state.rules.as_data(),
        size=state.rules.size,
        seats=list(state.seats),
        first=state.first,
        order=list(state.order),
        mover=state.mover,
        round=state.round,
        last_round=state.last_round,
        quiet=state.quiet,
        spaces=_spaces(state),
        nodes=list(state.nodes),
        players={each: _player(state, each) for each in state.seats},
        bag=counted(state.bag),
        # Sorted: how decks lie is unknown to players (ruling 32).
        decks={category: sorted(state.decks[category]) for category in CATEGORIES},
        abilities=_abilities(state),
        kinds={kind: text for kind, text in KINDS.items() if any(card.kind == kind for card in state.cards.values())},
        question=next(map(_question, state.questions), None),
        pending=state.pending,
        # KEEP and DRAW are secret until they take effect (ruling 32).
        wish=list(state.wish) if seat == state.mover else [],
        liking=list(state.liking) if seat == state.mover else [],
        result=_result(state),
        edition=state.edition,
        keeping=list(state.lists.get(seat, ())),
        further=[_question(asked) for asked in state.further],
        unscored=state.unscored,
    )


def _label(state: State) -> str:
    if state.phase == "over":
        return f"end, round {state.round}"
    if state.phase == "setup":
        return "set-up"
    doing = "choosing" if state.phase == "question" else "moving"
    return f"round {state.round}, {state.mover} {doing}"


def _spaces(state: State) -> dict[str, SpaceView]:
    standing = {player.at: seat for seat, player in state.players.items() if player.at}
    return {
        place: SpaceView(
            arrows=card.arrows,
            kind=card.kind,
            node=place in state.nodes or card.kind == "universe",
            bubbles=list(state.bubbles.get(place, ())),
            mari=standing.get(place),
            control=state.control.get(card.kind),
        )
        for place, card in state.cards.items()
    }


def _player(state: State, seat: SeatName) -> PlayerView:
    player = state.players[seat]
    return PlayerView(
        side=player.side,
        at=player.at,
        hand=counted(player.hand),
        cards=list(player.cards),
        offer=list(player.offer),
        points=player.points,
        markers=player.markers,
        stations=station_points(state, seat),
        total=total(state, seat),
        blocked=player.blocked,
        out=player.out,
    )


def _abilities(state: State) -> dict[str, AbilityView]:
    cards = {} if state.rules.beginner else ABILITIES
    return {key: AbilityView(title=card.title, category=card.category, text=card.text) for key, card in cards.items()}


def _question(asked: PendingChoice) -> QuestionView:
    return QuestionView(kind=asked.kind, seat=asked.seat, choices=list(asked.choices))


def _result(state: State) -> dict[str, Any] | None:
    if state.result is None:
        return None
    return {"winners": list(state.result.winners), "how": state.result.how, "words": ENDS[state.result.how]}


def state_of(view: View) -> State:
    """Return the state that a view shows, with decks in no order, for receipts and bots.

    A view of a game that is over has no result in it.
    """
    spaces: Mapping[str, Any] = view["spaces"]
    asked = view["question"]
    return State(
        rules=Rules(**view["rules"]),
        seats=tuple(view["seats"]),
        first=view["first"],
        cards={place: Card(space["arrows"], space["kind"]) for place, space in spaces.items()},
        nodes=tuple(view["nodes"]),
        players={seat: _player_of(player) for seat, player in view["players"].items()},
        bag=uncounted(view["bag"]),
        decks={category: tuple(view["decks"][category]) for category in CATEGORIES},
        bubbles={place: tuple(space["bubbles"]) for place, space in spaces.items() if space["bubbles"]},
        control={space["kind"]: space["control"] for space in spaces.values() if space["control"]},
        order=tuple(view["order"]),
        mover=view["mover"],
        round=view["round"],
        last_round=view["last_round"],
        quiet=view["quiet"],
        question=asked and _question_of(asked),
        further=tuple(map(_question_of, view["further"])),
        pending=view["pending"],
        wish=tuple(view["wish"]),
        liking=tuple(view["liking"]),
        lists={view["seat"]: tuple(view["keeping"])} if view["keeping"] else {},
        edition=view["edition"],
        unscored=view["unscored"],
    )


def _question_of(asked: Mapping[str, Any]) -> PendingChoice:
    return PendingChoice(asked["kind"], asked["seat"], tuple(asked["choices"]))


def _player_of(player: Mapping[str, Any]) -> Player:
    return Player(
        side=player["side"],
        at=player["at"],
        hand=uncounted(player["hand"]),
        cards=tuple(player["cards"]),
        offer=tuple(player["offer"]),
        points=player["points"],
        markers=player["markers"],
        blocked=player["blocked"],
        out=player["out"],
    )
