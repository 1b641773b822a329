"""Checks of a dumped state, before a game that was started elsewhere is played on from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import Json, SeatName, ValidationError, validation
from pbem_rules.singularity.board import Board
from pbem_rules.singularity.events import ENDS
from pbem_rules.singularity.field import LARGEST, SMALLEST, Grid, field_of
from pbem_rules.singularity.replies import MAX_KEPT
from pbem_rules.singularity.state import SEATS, VERSION, opponent


def check_state(data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:  # noqa: ARG001 - always red and blue
    """Return the faults of a dumped state that is to be played on."""
    size = data.get("size") if isinstance(data, dict) else None
    # In Python bool is a kind of int, but true is no size.
    known = isinstance(size, int) and SMALLEST <= size <= LARGEST and not isinstance(size, bool)
    found = list(validation.validate(_shape(field_of(size).names if known and size else ()), data))
    return found or list(_across(data))


def _shape(cells: Sequence[str]) -> validation.Schema:
    cell = validation.EnumSchema(cells, "cell of the board") if cells else validation.StringSchema()
    kept = validation.ListSchema(validation.TupleSchema((cell, cell, validation.Nullable(cell))), most=MAX_KEPT)
    return validation.ObjectSchema(
        {
            "edition": validation.IntegerSchema(VERSION, VERSION),
            "size": validation.IntegerSchema(SMALLEST, LARGEST),
            "forfeit_after": validation.IntegerSchema(0, 99),
            "moves": validation.ListSchema(cell, distinct=True),
            "players": validation.MapSchema(
                validation.ObjectSchema({"kept": kept, "misses": validation.IntegerSchema(0, 99)}), every=SEATS
            ),
            "offer": validation.Nullable(validation.EnumSchema(SEATS, "seat")),
            "result": validation.Nullable(
                validation.ObjectSchema(
                    {
                        "winners": validation.ListSchema(validation.EnumSchema(SEATS, "seat"), most=1),
                        "how": validation.ListSchema(validation.EnumSchema(tuple(ENDS), "end of the game"), least=1),
                    }
                )
            ),
        }
    )


def _across(data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Yield contradictions of stones, in the order placed, kept replies and missed deadlines."""
    plan = field_of(data["size"])
    if data["result"] is not None:
        yield validation.unexpected("/result", "null: a game that is over is not played on", data["result"])
        return
    wrong = list(_stones(plan, data["moves"]))
    yield from wrong or _useless_replies(plan, data)
    limit = data["forfeit_after"]
    for seat in SEATS:
        misses = data["players"][seat]["misses"]
        if 0 < limit <= misses:
            path = f"/players/{seat}/misses"
            yield validation.unexpected(path, f"fewer than {limit}, with which the game is lost", misses)


def _stones(plan: Grid, moves: Sequence[str]) -> Iterator[ValidationError]:
    board = Board(plan)
    for number, name in enumerate(moves):
        if plan.cells[name] == plan.black:
            yield ValidationError(validation.below("/moves", number), f"the black stone lies on {name}")
        elif board.place(number % 2, plan.cells[name]):
            seat = SEATS[number % 2]
            yield ValidationError(
                validation.below("/moves", number), f"with this stone {seat} has won, so there is nothing to play on"
            )
            return
    if len(moves) >= len(plan.axial) - 1:
        yield ValidationError("/moves", "the board is full, so there is nothing to play on")


def _useless_replies(plan: Grid, data: Mapping[str, Any]) -> Iterator[ValidationError]:
    """Yield replies that can never be used, which the game would have dropped (ruling 9)."""
    board = Board(plan, [plan.cells[name] for name in data["moves"]])
    for seat in SEATS:
        kept = data["players"][seat]["kept"]
        for index, (when, reply, after) in enumerate(kept):
            path = validation.below(f"/players/{seat}/kept", index)
            taken = [name for name in (when, reply) if not board.is_free(plan.cells[name])]
            if taken:
                yield ValidationError(path, f"{taken[0]} is not free, so this reply would be of no use")
            elif when == reply:
                yield ValidationError(path, f"{when} cannot be the opponent's stone and the reply to it")
            elif after is not None and board.colour(plan.cells[after]) == SEATS.index(opponent(seat)):
                yield ValidationError(path, f"{after} is the opponent's, so this reply would never wake")
