"""Validation of a dumped state before it is played on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pbem.ruleset import FieldError, Json, SeatName, ValidationError, validation
from pbem_rules.dueling_masters.board import HALVES, SQUARES, flights
from pbem_rules.dueling_masters.events import ENDS
from pbem_rules.dueling_masters.kinds import ALONE, HOME, KINDS, WORDS, manner, names, numbers
from pbem_rules.dueling_masters.placement import check_placement
from pbem_rules.dueling_masters.state import SEATS, VERSION

MOST_MOVES = 100_000
MOST_HEARD = 1_000
"""Most squares on which the opponent has heard one piece."""

_SQUARE = validation.EnumSchema(SQUARES, "square")
_SEAT = validation.EnumSchema(SEATS, "seat")
_MOVE = validation.IntegerSchema(0, MOST_MOVES)
_HOMES = (1, 3)


def check_state(data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:  # noqa: ARG001 - always one and two
    """Return the errors of a dumped state that is to be played on."""
    return list(validation.validate(_SHAPE, data)) or list(_across(data))


def _shape() -> validation.Schema:
    loss = validation.ObjectSchema({"square": _SQUARE, "move": _MOVE, "rammed": validation.BooleanSchema()})
    piece = validation.ObjectSchema(
        {
            "name": validation.EnumSchema([name for kind in KINDS for name in _all_names(kind)], "piece"),
            "kind": validation.EnumSchema(KINDS, "kind"),
            "square": _SQUARE,
            "transit": validation.BooleanSchema(),
            "course": validation.ListSchema(_SQUARE, most=MOST_HEARD),
            "typed": validation.BooleanSchema(),
            "mark": validation.IntegerSchema(0, 99),
            "loss": validation.Nullable(loss),
        }
    )
    player = validation.ObjectSchema(
        {
            "pieces": validation.ListSchema(piece, most=99),
            "misses": validation.IntegerSchema(0, 99),
            "scouted": validation.MapSchema(_MOVE, some=SQUARES),
        }
    )
    rules: Mapping[str, validation.Schema] = {
        "homes": validation.IntegerSchema(min(_HOMES), max(_HOMES)),
        "home_moves": validation.BooleanSchema(),
        "reached": validation.BooleanSchema(),
        "forfeit_after": validation.IntegerSchema(0, 99),
        "blind": validation.BooleanSchema(),
        "quiet_turns": validation.IntegerSchema(0, 999),
        "edition": validation.IntegerSchema(VERSION, VERSION),
    }
    return validation.ObjectSchema(
        {
            "rules": validation.ObjectSchema(rules),
            "players": validation.MapSchema(player, every=SEATS),
            "move": _MOVE,
            "mover": _SEAT,
            "offer": validation.Nullable(_SEAT),
            "asked_again": validation.BooleanSchema(),
            "result": validation.Nullable(
                validation.ObjectSchema(
                    {"winners": validation.ListSchema(_SEAT, most=1), "how": validation.EnumSchema(tuple(ENDS), "end")}
                )
            ),
        }
    )


def _all_names(kind: str) -> dict[str, None]:
    """Return the names of pieces of a kind, for any number of home planets."""
    return dict.fromkeys(name for homes in _HOMES for name in names(kind, numbers(homes)[kind]))


_SHAPE = _shape()


def _across(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Yield contradictions between fields: pieces and rules, flights and squares, what was heard and what was lost."""
    rules = data["rules"]
    if data["result"] is not None:
        yield validation.unexpected("/result", "null: a game that is over is not played on", data["result"])
    if rules["homes"] not in _HOMES:
        yield validation.unexpected("/rules/homes", "1 or 3", rules["homes"])
        return
    for seat in SEATS:
        player, path = data["players"][seat], f"/players/{seat}"
        if 0 < rules["forfeit_after"] <= player["misses"]:
            text = f"fewer than {rules['forfeit_after']}, with which the game is lost"
            yield validation.unexpected(f"{path}/misses", text, player["misses"])
        for square, move in player["scouted"].items():
            if move > data["move"]:
                yield validation.unexpected(f"{path}/scouted/{square}", f"a move up to {data['move']}", move)
        yield from _fleet(data, seat, f"{path}/pieces")
    if data["move"] and data["asked_again"]:
        yield validation.unexpected("/asked_again", "false from move 1 on", True)
    # The first move is due as soon as both set-ups are complete (ruling 1).
    if not data["move"] and all(_is_placed(data, seat) for seat in SEATS):
        yield validation.unexpected("/move", "1 or more, as both have placed all pieces", 0)


def _is_placed(data: Mapping[str, Any], seat: SeatName) -> bool:
    return len(data["players"][seat]["pieces"]) == sum(numbers(data["rules"]["homes"]).values())


def _fleet(data: Mapping[str, Any], seat: SeatName, path: str) -> Iterator[ValidationError]:
    pieces, homes = data["players"][seat]["pieces"], data["rules"]["homes"]
    there = {piece["kind"] for piece in pieces}
    wanted = [(name, kind) for kind in KINDS if kind in there for name in names(kind, numbers(homes)[kind])]
    if [(piece["name"], piece["kind"]) for piece in pieces] != wanted:
        expected = ", ".join(name for name, _ in wanted)
        yield ValidationError(path, f"expected the pieces {expected}, in this order and each of its kind")
        return
    if not data["move"]:
        yield from _placed(pieces, seat, homes, path)
        return
    if len(there) < len(KINDS):
        lacking = ", ".join(kind for kind in KINDS if kind not in there)
        yield ValidationError(path, f"{lacking} is missing: from move 1 on all pieces have been placed")
    if not any(piece["kind"] == HOME and piece["loss"] is None for piece in pieces):
        yield ValidationError(path, f"{seat} has no home planet left, so there is nothing to play on")
    marks = [piece["mark"] for piece in pieces if piece["mark"]]
    for index, piece in enumerate(pieces):
        at = validation.below(path, index)
        if marks.count(piece["mark"]) > 1:
            yield validation.unexpected(f"{at}/mark", "a number that no other piece has", piece["mark"])
        if piece["loss"] is not None and piece["loss"]["move"] > data["move"]:
            yield validation.unexpected(f"{at}/loss/move", f"a move up to {data['move']}", piece["loss"]["move"])
        yield from _heard(piece, at, data["rules"])
        if piece["loss"] is None:
            yield from _flying(piece, pieces, seat, at, home_moves=data["rules"]["home_moves"])


def _placed(pieces: Sequence[Mapping[str, Any]], seat: SeatName, homes: int, path: str) -> Iterator[ValidationError]:
    """Check that before the first move no piece has flown, been heard of or been lost, and all are in their half."""
    untouched = {"transit": False, "course": [], "typed": False, "mark": 0, "loss": None}
    for index, piece in enumerate(pieces):
        for key, value in untouched.items():
            if piece[key] != value:
                yield validation.unexpected(
                    validation.below(validation.below(path, index), key), f"{value!r} before the first move", piece[key]
                )
    placed: dict[str, tuple[str, ...]] = {}
    for kind in dict.fromkeys(piece["kind"] for piece in pieces):
        squares = tuple(piece["square"] for piece in pieces if piece["kind"] == kind)
        try:
            check_placement(placed, kind, squares, seat=seat, homes=homes)
        except FieldError as refused:
            yield ValidationError(path, refused.text)
        placed[kind] = squares


def _heard(piece: Mapping[str, Any], path: str, rules: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Check what the opponent has heard: one flight after the other, and the kind of a piece with a mark alone."""
    moves = manner(piece["kind"], home_moves=rules["home_moves"])
    for index, (start, end) in enumerate(pairwise(piece["course"]), start=1):
        if end not in flights(moves, start):
            yield validation.unexpected(f"{path}/course/{index}", f"a square that it reaches from {start}", end)
    if piece["typed"] and not piece["mark"]:
        yield validation.unexpected(f"{path}/typed", "false, as its opponent has not heard of it (mark)", True)
    if piece["mark"] and not (piece["typed"] or rules["blind"]):
        yield validation.unexpected(f"{path}/typed", "true, as departures are announced with the kind", False)
    # A meeting reveals the kind (ruling 7), so an unknown kind is only announced, and in transit.
    elif piece["mark"] and not (piece["typed"] or piece["transit"] or piece["loss"]):
        yield validation.unexpected(f"{path}/typed", "true, as it was met where it is: it is not in transit", False)


def _flying(
    piece: Mapping[str, Any], pieces: Sequence[Mapping[str, Any]], seat: SeatName, path: str, *, home_moves: bool
) -> Iterator[ValidationError]:
    moves = manner(piece["kind"], home_moves=home_moves)
    if not moves and piece["transit"]:
        yield validation.unexpected(f"{path}/transit", f"false, as {piece['name']} cannot move", True)
    elif not moves and piece["square"][0] not in HALVES[seat]:
        yield validation.unexpected(
            f"{path}/square", f"one of the rows {HALVES[seat]}, as it cannot move", piece["square"]
        )
    elif piece["transit"] and not piece["course"]:
        yield ValidationError(f"{path}/course", "expected the square that it departed from, as it is in transit")
    elif piece["course"]:
        known = piece["course"][-1]
        if piece["square"] not in flights(moves, known) and (piece["transit"] or piece["square"] != known):
            yield validation.unexpected(f"{path}/square", f"a square that it reaches from {known}", piece["square"])
    if bool(piece["course"]) != bool(piece["mark"]):
        yield validation.unexpected(
            f"{path}/mark", "a number just if its opponent has heard of it (course)", piece["mark"]
        )
    if piece["kind"] in ALONE:
        others = [each for each in pieces if each is not piece and each["loss"] is None]
        if any(each["square"] == piece["square"] for each in others):
            text = f"a square of its own, as the {WORDS[piece['kind']]} stands alone"
            yield validation.unexpected(f"{path}/square", text, piece["square"])
