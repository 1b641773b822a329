"""Checks of a dumped state, before a game that was started elsewhere is played on from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import Dice, Json, SeatName, SetupError, ValidationError, validation
from pbem_rules.singularity_trap.chart import COLOURS, GRAY, UNITS, Chart, letter_of, read_chart, write_chart
from pbem_rules.singularity_trap.draft import Draft
from pbem_rules.singularity_trap.resolve import required_seats
from pbem_rules.singularity_trap.state import State, read

MOST = 1_000_000
"""Turns and points: far more than any game has."""

SECTIONS = ("economic", "movement", "combat", "ecopolitical")
"""The sections at which players are asked; the end of combat needs no orders."""

_COLOUR = validation.EnumSchema((*COLOURS, GRAY), "colour")


def check_state(data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:
    """Return the faults of a dumped state that is to be played on by these seats."""
    if not isinstance(data, dict) or "chart" not in data:
        return list(validation.validate(validation.ObjectSchema({"chart": validation.ObjectSchema({})}), data))
    try:
        chart = read_chart(data["chart"])
    except SetupError as error:
        return [ValidationError("/chart", str(error))]
    if write_chart(chart) != data["chart"]:
        return [
            ValidationError(
                "/chart", "expected all of it written out: each home, if it is null, and no units of which are 0"
            )
        ]
    found = list(validation.validate(_SEATS, data.get("seats"), "/seats"))
    found = found or list(validation.validate(_shape(chart, data["seats"]), data))
    found = found or list(_across(data, chart, seats))
    return found or list(_section_faults(read(data)))


_SEATS = validation.ListSchema(validation.EnumSchema(COLOURS, "seat"), 2, len(COLOURS), distinct=True)


def _shape(chart: Chart, seats: Sequence[SeatName]) -> validation.Schema:
    board, seat = chart.board, validation.EnumSchema(seats, "seat")
    space = validation.EnumSchema([board.name(each) for each in board.spaces()], "space of the board")
    points = validation.IntegerSchema(0, MOST)
    house: Mapping[str, validation.Schema] = {
        "planets_to_win": validation.IntegerSchema(2, len(chart.sites)),
        "turns_to_hold": validation.IntegerSchema(1, 20),
        "largest_faction": validation.IntegerSchema(0, len(seats) - 1),
        "empire_planets": validation.IntegerSchema(1, 200),
        "alliances": validation.BooleanSchema(),
        "pace": validation.EnumSchema(("turn", "section")),
    }
    player: Mapping[str, validation.Schema] = {
        "seat": seat,
        "points": points,
        "playing": validation.BooleanSchema(),
        "held": validation.IntegerSchema(0, 20),
        # Numbers have three digits while any are free, then four.
        "numbers": validation.ListSchema(validation.IntegerSchema(100, 9_999), distinct=True),
        "charts": validation.ListSchema(validation.TupleSchema((space, space))),
        "wishes": validation.ListSchema(seat, distinct=True),
    }
    kinds = validation.EnumSchema([kind.name for kind in chart.types], "type of ship")
    ship = validation.TupleSchema(
        (
            validation.StringSchema(5, 2),
            seat,
            kinds,
            space,
            validation.ListSchema(validation.IntegerSchema(0, 99), len(UNITS), len(UNITS)),
            validation.BooleanSchema(),
        )
    )
    return validation.ObjectSchema(
        {
            "house": validation.ObjectSchema(house),
            "chart": validation.AnySchema(),
            "turn": validation.IntegerSchema(1, MOST),
            "section": validation.EnumSchema(SECTIONS, "section"),
            "round": validation.IntegerSchema(0, MOST),
            "seats": _SEATS,
            "players": validation.ListSchema(validation.ObjectSchema(player), len(seats), len(seats)),
            "planets": validation.ListSchema(
                validation.TupleSchema((space, _COLOUR, validation.Nullable(seat))), len(chart.sites), len(chart.sites)
            ),
            "ships": validation.ListSchema(ship),
            "allies": validation.ListSchema(validation.TupleSchema((seat, seat)), distinct=True),
            "factions": validation.ListSchema(
                validation.TupleSchema(
                    (
                        validation.ListSchema(seat, least=2, distinct=True),
                        validation.Nullable(seat),
                        validation.IntegerSchema(1, 20),
                    )
                )
            ),
            "result": validation.Nullable(
                validation.ObjectSchema({"winners": validation.ListSchema(seat), "reason": validation.StringSchema()})
            ),
            "awaited": validation.ListSchema(seat, least=1, distinct=True),
            "told": validation.Nullable(validation.ListSchema(seat, distinct=True)),
        }
    )


def _across(data: Mapping[str, Any], chart: Chart, seats: Sequence[SeatName]) -> Iterator[ValidationError]:
    """Yield contradictions of seats and campaign, planets and chart, ships and their players."""
    if data["result"] is not None:
        yield validation.unexpected("/result", "null: a game that is over is not played on", data["result"])
    if set(data["seats"]) != set(seats):
        yield ValidationError(
            "/seats", f"expected those of the campaign, {', '.join(seats)}, got {', '.join(data['seats'])}"
        )
    order = [colour for colour in COLOURS if colour in data["seats"]]
    if data["seats"] != order:
        yield ValidationError("/seats", f"expected the order of the wheel: {', '.join(order)}")
    if [player["seat"] for player in data["players"]] != data["seats"]:
        yield ValidationError("/players", f"expected one for each seat, in their order: {', '.join(data['seats'])}")
        return
    # These need each player by seat.
    players = {player["seat"]: player for player in data["players"]}
    yield from _players(data, players)
    yield from _planets(data, chart, players)
    yield from _ships(data, chart, players)
    yield from _factions(data, players)


def _players(data: Mapping[str, Any], players: Mapping[SeatName, Any]) -> Iterator[ValidationError]:
    if sum(player["playing"] for player in players.values()) < 2:
        yield ValidationError("/players", "expected two at least who are playing")
    limit = data["house"]["turns_to_hold"]
    for index, player in enumerate(data["players"]):
        path = validation.below("/players", index)
        if player["held"] >= limit:
            yield validation.unexpected(
                f"{path}/held", f"fewer than {limit}, with which the game is won", player["held"]
            )
        if player["seat"] in player["wishes"]:
            yield validation.unexpected(f"{path}/wishes", "other players", player["seat"])
        if not player["playing"] and (player["held"] or player["wishes"]):
            yield ValidationError(path, "expected neither held nor wishes of a player who has left")


def _planets(data: Mapping[str, Any], chart: Chart, players: Mapping[SeatName, Any]) -> Iterator[ValidationError]:
    """Yield faults of planets: not the chart's, in its order, or owned by a player who has left."""
    for index, ((space, _, owner), site) in enumerate(zip(data["planets"], chart.sites, strict=True)):
        path, wanted = validation.below("/planets", index), chart.board.name(site.space)
        if space != wanted:
            yield validation.unexpected(
                f"{path}/0", f"{wanted}, where {site.name} lies: the planets in the chart's order", space
            )
        if owner is not None and not players[owner]["playing"]:
            yield validation.unexpected(f"{path}/2", "null or a player who has not left", owner)


def _ships(data: Mapping[str, Any], chart: Chart, players: Mapping[SeatName, Any]) -> Iterator[ValidationError]:
    """Yield faults of ships: ids that their owners have not used, or more units than their types have."""
    ids = [ship[0] for ship in data["ships"]]
    if ids != sorted(set(ids)):
        yield ValidationError("/ships", "expected each id once, in alphabetical order")
    for index, (id_, owner, kind, _, left, _) in enumerate(data["ships"]):
        path = validation.below("/ships", index)
        allowed = [f"{letter_of(owner)}{number}" for number in players[owner]["numbers"]]
        if id_ not in allowed:
            yield validation.unexpected(
                f"{path}/0", f"{letter_of(owner)} and one of the numbers that {owner} has used", id_
            )
        if not players[owner]["playing"]:
            yield validation.unexpected(f"{path}/1", "a player who has not left", owner)
        for unit, (count, full) in enumerate(zip(left, chart.type_by_name[kind].units, strict=True)):
            if count > full:
                what = f"at most the {UNITS[unit]} of a {kind}"
                yield validation.unexpected(f"{path}/4/{unit}", what, count, f"the nearest is {full}")


def _factions(data: Mapping[str, Any], players: Mapping[SeatName, Any]) -> Iterator[ValidationError]:
    if data["allies"] and not data["house"]["alliances"]:
        yield ValidationError("/allies", "expected none: there are no alliances in this campaign")
    for index, (one, other) in enumerate(data["allies"]):
        if not one < other or not (players[one]["playing"] and players[other]["playing"]):
            yield validation.unexpected(
                validation.below("/allies", index), "two players, in alphabetical order", [one, other]
            )
    for index, (members, dominant, held) in enumerate(data["factions"]):
        path = validation.below("/factions", index)
        if members != [seat for seat in data["seats"] if seat in members]:
            yield ValidationError(f"{path}/0", "expected the members in the order of the wheel")
        if dominant is not None and dominant not in members:
            yield validation.unexpected(f"{path}/1", f"null or a member, {', '.join(members)}", dominant)
        if held >= data["house"]["turns_to_hold"]:
            yield validation.unexpected(f"{path}/2", "fewer turns than those with which the game is won", held)


def _section_faults(state: State) -> Iterator[ValidationError]:
    """Yield faults of section, round and awaited players: the section, and in combat the ships, decide who is asked."""
    if state.house.pace == "turn" and state.section != "economic":
        yield validation.unexpected("/section", "economic, as a sheet is for a whole turn", state.section)
        return
    if state.section != "combat" and state.round:
        yield validation.unexpected("/round", "0, as there is no combat", state.round)
    # No dice are needed to find out who is asked.
    wanted = required_seats(Draft(state, {}, Dice(b"")))
    if state.awaited != wanted:
        expected = f"those who must be asked now, {', '.join(sorted(wanted)) or 'nobody'}"
        yield validation.unexpected("/awaited", expected, sorted(state.awaited))
