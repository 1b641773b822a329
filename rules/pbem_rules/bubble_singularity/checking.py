"""Validation of a dumped state before it is played on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from pbem.ruleset import Json, SeatName, ValidationError, validation
from pbem_rules.bubble_singularity.abilities import ABILITIES, CATEGORIES, deck
from pbem_rules.bubble_singularity.cards import EXPANSION, FLUX, PLAIN, STATIONS, UNIVERSE, UNSTABLE
from pbem_rules.bubble_singularity.events import ENDS
from pbem_rules.bubble_singularity.grid import WAYS, far_nodes, first_nodes, squares
from pbem_rules.bubble_singularity.state import BY_MAIL, COLOURS, OF_EACH_COLOUR, SEATS, VERSION

BLOCKABLE = ("", "ROTATE", "PULL", "STATION")
ARROWS = tuple("".join(some) for count in range(1, 5) for some in combinations(WAYS, count))
MOST = 1_000_000
"""Bound of points, rounds and the like, far above any game."""

_COLOUR = validation.EnumSchema(COLOURS, "colour")
_ABILITY = validation.EnumSchema(tuple(ABILITIES), "ability card")
_WORD = validation.EnumSchema((*COLOURS, *ABILITIES), "colour or ability card")
_BUBBLES = len(COLOURS) * OF_EACH_COLOUR
_COUNT = validation.IntegerSchema(0, MOST)


def check_state(data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:
    """Return the errors of a dumped state that is to be played on by these seats."""
    if isinstance(data, dict) and isinstance(data.get("rules"), dict):
        # Saves leave these out where they change nothing.
        data = {**data, "rules": dict.fromkeys(BY_MAIL, 0) | data["rules"]}
    head: Mapping[str, Any] = data if isinstance(data, dict) else {}
    found = [
        *validation.validate(_RULES, head.get("rules"), "/rules"),
        *validation.validate(_SEATS, head.get("seats"), "/seats"),
    ]
    found = found or list(validation.validate(_shape(5 if head["rules"]["advanced"] else 4, head["seats"]), data))
    return found or list(_across(data, seats))


_RULES = validation.ObjectSchema(
    {
        "layout": validation.EnumSchema(("standard", "shuffled")),
        "beginner": validation.BooleanSchema(),
        "stations": validation.BooleanSchema(),
        "advanced": validation.BooleanSchema(),
        "scoreless": validation.IntegerSchema(0, 999),
        "rounds": validation.IntegerSchema(0, 999),
        "bubbles": validation.IntegerSchema(0, 10),
    }
)
_SEATS = validation.ListSchema(validation.EnumSchema(SEATS, "seat"), 2, len(SEATS), distinct=True)


def _shape(size: int, seats: Sequence[SeatName]) -> validation.Schema:
    seat, square = validation.EnumSchema(seats, "seat"), validation.EnumSchema(squares(size), "square of the board")
    question = validation.ObjectSchema(
        {
            "kind": validation.EnumSchema(("card", "replace", "bubbles")),
            "seat": seat,
            "choices": validation.ListSchema(_WORD, least=1, most=3),
        }
    )
    player = validation.ObjectSchema(
        {
            "side": validation.EnumSchema(("", *WAYS), "side"),
            "at": validation.Nullable(square),
            "hand": validation.ListSchema(_COLOUR, most=_BUBBLES),
            "cards": validation.ListSchema(_ABILITY, distinct=True),
            "offer": validation.ListSchema(_ABILITY, most=2, distinct=True),
            "points": _COUNT,
            "markers": validation.IntegerSchema(0, 99),
            "blocked": validation.EnumSchema(BLOCKABLE, "action"),
            "out": validation.BooleanSchema(),
        }
    )
    kinds = validation.EnumSchema((PLAIN, FLUX, UNSTABLE, EXPANSION, UNIVERSE, *STATIONS), "kind of card")
    words = validation.ListSchema(_WORD, most=99)
    return validation.ObjectSchema(
        {
            "rules": _RULES,
            "seats": _SEATS,
            "first": seat,
            "cards": validation.MapSchema(
                validation.TupleSchema((validation.EnumSchema(ARROWS, "set of arrows, clockwise"), kinds)),
                every=squares(size),
            ),
            "nodes": validation.ListSchema(square, len(first_nodes(size)), len(first_nodes(size)), distinct=True),
            "players": validation.MapSchema(player, every=seats),
            "bag": validation.MapSchema(validation.IntegerSchema(0, OF_EACH_COLOUR), every=COLOURS),
            "decks": validation.MapSchema(validation.ListSchema(_ABILITY, distinct=True), every=CATEGORIES),
            "bubbles": validation.MapSchema(validation.ListSchema(_COLOUR, least=1, most=_BUBBLES), some=squares(size)),
            "control": validation.MapSchema(seat, some=(*STATIONS, UNIVERSE)),
            "order": validation.ListSchema(seat, distinct=True),
            "mover": validation.Nullable(seat),
            "round": _COUNT,
            "last_round": validation.BooleanSchema(),
            "quiet": _COUNT,
            "question": validation.Nullable(question),
            "pending": validation.IntegerSchema(0, 99),
            "wish": validation.ListSchema(validation.EnumSchema(CATEGORIES, "deck"), most=2),
            "liking": words,
            "result": validation.Nullable(
                validation.ObjectSchema(
                    {"winners": validation.ListSchema(seat), "how": validation.EnumSchema(tuple(ENDS), "end")}
                )
            ),
            "edition": validation.IntegerSchema(VERSION, VERSION),
            "lists": validation.MapSchema(words, some=seats),
            "further": validation.ListSchema(question, most=9),
            "unscored": _COUNT,
        }
    )


def _across(data: Mapping[str, Any], seats: Sequence[SeatName]) -> Iterator[ValidationError]:
    """Yield contradictions between fields: seats and campaign, the numbers of cards and bubbles, the phase."""
    if data["result"] is not None:
        yield validation.unexpected("/result", "null: a game that is over is not played on", data["result"])
    if set(data["seats"]) != set(seats):
        yield ValidationError(
            "/seats", f"expected those of the campaign, {', '.join(seats)}, got {', '.join(data['seats'])}"
        )
    yield from _chart(data)
    yield from _bubbles(data)
    yield from _abilities(data)
    yield from _card_faults(data)
    yield from _turn(data) if data["order"] else _set_up(data)


def _chart(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Check the numbers of special cards against the modules played."""
    rules, found = data["rules"], Counter(kind for _, kind in data["cards"].values())
    stations = rules["stations"] or rules["advanced"]
    for kind in (*STATIONS, UNIVERSE):
        wanted = int(rules["advanced"] if kind == UNIVERSE else stations)
        if found[kind] != wanted:
            yield ValidationError("/cards", f"expected {wanted} of the kind {kind}, got {found[kind]}")
    for kind in () if rules["advanced"] else (FLUX, UNSTABLE, EXPANSION):
        if found[kind]:
            yield ValidationError("/cards", f"there are cards of the kind {kind} in module 2 alone")
    for place in data["control"]:
        if not found[place]:
            yield ValidationError(validation.below("/control", place), "is not on the board")


def _bubbles(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Check that each colour has all its bubbles: in the bag, in hands, on the board, or drawn to choose from."""
    found = Counter(data["bag"])
    asked = [each for each in _questions(data) if each["kind"] == "bubbles"]
    places = (
        *data["bubbles"].values(),
        *(player["hand"] for player in data["players"].values()),
        *(each["choices"] for each in asked),
    )
    found.update(chain.from_iterable(places))
    # Until the set-up is done, those for the nodes lie aside.
    aside = far_nodes("N", len({place[0] for place in data["cards"]})) if not data["order"] else ()
    found.update(seat for seat, player in data["players"].items() if not player["out"] for _ in aside)
    for colour in COLOURS:
        if found[colour] != OF_EACH_COLOUR:
            text = f"expected {OF_EACH_COLOUR} {colour} bubbles in bag, hands and on the board, got {found[colour]}"
            apart = OF_EACH_COLOUR - found[colour]
            hint = f"the bag would fit with {data['bag'][colour] + apart}" if data["bag"][colour] + apart >= 0 else ""
            yield ValidationError(validation.below("/bag", colour), text, hint)


def _abilities(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Check that each ability card is in one place, and each deck holds cards of its own category."""
    found: Counter[str] = Counter(chain.from_iterable(data["decks"].values()))
    for player in data["players"].values():
        found.update((*player["cards"], *player["offer"]))
    for each in _questions(data):
        if each["kind"] != "bubbles":
            found.update(each["choices"][1:] if each["kind"] == "replace" else each["choices"])
    for category in CATEGORIES:
        for card in data["decks"][category]:
            if card not in deck(category):
                yield validation.unexpected(
                    validation.below("/decks", category), f"cards of {', '.join(deck(category))}", card
                )
    for card in ABILITIES:
        if found[card] != 1:
            yield ValidationError("/decks", f"expected the card {card} in one place, got it in {found[card]}")


def _card_faults(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    for seat, player in data["players"].items():
        if len({ABILITIES[card].category for card in player["cards"]}) < len(player["cards"]):
            path = f"/players/{seat}/cards"
            yield validation.unexpected(path, "one card of each category at most", ", ".join(player["cards"]))


def _questions(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [] if data["question"] is None else [data["question"], *data["further"]]


def _set_up(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Check that before the Maris have their places there is no mover, and no question but the starts."""
    nothing: Mapping[str, Any] = {
        "mover": None,
        "question": None,
        "further": [],
        "round": 0,
        "last_round": False,
        "control": {},
    }
    for key, value in nothing.items():
        if data[key] != value:
            yield validation.unexpected(
                validation.below("", key), "nothing yet, as nobody is in the order of play", data[key]
            )
    seated = [seat for seat, player in data["players"].items() if player["at"] is not None or player["side"]]
    for seat in seated:
        yield ValidationError(f"/players/{seat}/at", "expected null and no side, as nobody is in the order of play")
    if sum(not player["out"] for player in data["players"].values()) < 2:
        yield ValidationError("/players", "expected two at least who are not out")


def _turn(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    players = data["players"]
    playing = {seat for seat, player in players.items() if not player["out"]}
    if set(data["order"]) != playing or len(playing) < 2:
        yield validation.unexpected(
            "/order", f"all who are not out, two at least ({', '.join(sorted(playing))})", data["order"]
        )
    if data["mover"] not in data["order"]:
        yield validation.unexpected("/mover", f"one of the order of play, {', '.join(data['order'])}", data["mover"])
    if not data["round"]:
        yield validation.unexpected("/round", "1 or more, as there is an order of play", 0)
    yield from _places(players)
    if data["question"] is None and (data["further"] or data["pending"]):
        yield ValidationError("/question", "expected what is asked first, as more is asked or pending")
    paths = ["/question", *(validation.below("/further", index) for index in range(len(data["further"])))]
    for path, question in zip(paths, _questions(data), strict=False):
        yield from _question_faults(data, question, path)


def _places(players: Mapping[str, Mapping[str, Any]]) -> Iterator[ValidationError]:
    """Check that each player still in the game has a square and a side of their own."""
    for seat, player in players.items():
        path = f"/players/{seat}"
        if player["out"]:
            if player["at"] is not None or any(player[key] for key in ("hand", "cards", "offer", "blocked")):
                yield ValidationError(path, "expected nothing before a player who is out, and his Mari nowhere")
            continue
        others = [other for name, other in players.items() if name != seat and not other["out"]]
        if player["at"] is None or any(player["at"] == other["at"] for other in others):
            yield validation.unexpected(f"{path}/at", "a square where no other Mari stands", player["at"])
        if not player["side"] or any(player["side"] == other["side"] for other in others):
            yield validation.unexpected(f"{path}/side", "a side that no other has", player["side"])
        if player["offer"]:
            yield validation.unexpected(f"{path}/offer", "none, as the starting abilities are chosen", player["offer"])


def _question_faults(data: Mapping[str, Any], question: Mapping[str, Any], path: str) -> Iterator[ValidationError]:
    kind, choices = question["kind"], question["choices"]
    if question["seat"] != data["mover"]:
        yield validation.unexpected(f"{path}/seat", f"the mover, {data['mover']}", question["seat"])
    known, wanted = (COLOURS, (3,)) if kind == "bubbles" else (tuple(ABILITIES), (2,) if kind == "replace" else (1, 2))
    if len(choices) not in wanted or any(choice not in known for choice in choices):
        what = "bubbles" if kind == "bubbles" else "ability cards"
        yield ValidationError(f"{path}/choices", f"expected {' or '.join(map(str, wanted))} {what}")
    elif kind == "replace" and choices[0] not in data["players"][question["seat"]]["cards"]:
        yield validation.unexpected(f"{path}/choices/0", "a card that its player holds", choices[0])
