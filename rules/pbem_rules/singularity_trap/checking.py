"""A state of a game that was begun elsewhere: whether it is one, and can be played on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import Dice, Json, SeatName, SetupError, ValidationError
from pbem.ruleset import validation as shapes
from pbem_rules.singularity_trap.chart import COLOURS, GRAY, UNITS, Chart, letter_of, read_chart, write_chart
from pbem_rules.singularity_trap.draft import Draft
from pbem_rules.singularity_trap.resolve import asked
from pbem_rules.singularity_trap.state import State, read

MOST = 1_000_000
"""Turns and points: far more than any game has."""

SECTIONS = ("economic", "movement", "combat", "ecopolitical")
"""At which players are asked; the end of combat asks nobody."""

_COLOUR = shapes.EnumSchema((*COLOURS, GRAY), "colour")


def check_state(data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:
    """What is wrong with a dumped state, to be played on by these seats."""
    if not isinstance(data, dict) or "chart" not in data:
        return list(shapes.validate(shapes.ObjectSchema({"chart": shapes.ObjectSchema({})}), data))
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
    found = list(shapes.validate(_SEATS, data.get("seats"), "/seats"))
    found = found or list(shapes.validate(_shape(chart, data["seats"]), data))
    found = found or list(_across(data, chart, seats))
    return found or list(_asked(read(data)))


_SEATS = shapes.ListSchema(shapes.EnumSchema(COLOURS, "seat"), 2, len(COLOURS), distinct=True)


def _shape(chart: Chart, seats: Sequence[SeatName]) -> shapes.Schema:
    board, seat = chart.board, shapes.EnumSchema(seats, "seat")
    space = shapes.EnumSchema([board.name(each) for each in board.spaces()], "space of the board")
    points = shapes.IntegerSchema(0, MOST)
    house: Mapping[str, shapes.Schema] = {
        "planets_to_win": shapes.IntegerSchema(2, len(chart.sites)),
        "turns_to_hold": shapes.IntegerSchema(1, 20),
        "largest_faction": shapes.IntegerSchema(0, len(seats) - 1),
        "empire_planets": shapes.IntegerSchema(1, 200),
        "alliances": shapes.BooleanSchema(),
        "pace": shapes.EnumSchema(("turn", "section")),
    }
    player: Mapping[str, shapes.Schema] = {
        "seat": seat,
        "points": points,
        "playing": shapes.BooleanSchema(),
        "held": shapes.IntegerSchema(0, 20),
        "numbers": shapes.ListSchema(shapes.IntegerSchema(100, 9_999), distinct=True),
        "charts": shapes.ListSchema(shapes.TupleSchema((space, space))),
        "wishes": shapes.ListSchema(seat, distinct=True),
    }
    kinds = shapes.EnumSchema([kind.name for kind in chart.types], "type of ship")
    ship = shapes.TupleSchema(
        (
            shapes.StringSchema(5, 2),
            seat,
            kinds,
            space,
            shapes.ListSchema(shapes.IntegerSchema(0, 99), len(UNITS), len(UNITS)),
            shapes.BooleanSchema(),
        )
    )
    return shapes.ObjectSchema(
        {
            "house": shapes.ObjectSchema(house),
            "chart": shapes.AnySchema(),
            "turn": shapes.IntegerSchema(1, MOST),
            "section": shapes.EnumSchema(SECTIONS, "section"),
            "round": shapes.IntegerSchema(0, MOST),
            "seats": _SEATS,
            "players": shapes.ListSchema(shapes.ObjectSchema(player), len(seats), len(seats)),
            "planets": shapes.ListSchema(
                shapes.TupleSchema((space, _COLOUR, shapes.Nullable(seat))), len(chart.sites), len(chart.sites)
            ),
            "ships": shapes.ListSchema(ship),
            "allies": shapes.ListSchema(shapes.TupleSchema((seat, seat)), distinct=True),
            "factions": shapes.ListSchema(
                shapes.TupleSchema(
                    (
                        shapes.ListSchema(seat, least=2, distinct=True),
                        shapes.Nullable(seat),
                        shapes.IntegerSchema(1, 20),
                    )
                )
            ),
            "result": shapes.Nullable(
                shapes.ObjectSchema({"winners": shapes.ListSchema(seat), "reason": shapes.StringSchema()})
            ),
            "awaited": shapes.ListSchema(seat, least=1, distinct=True),
            "told": shapes.Nullable(shapes.ListSchema(seat, distinct=True)),
        }
    )


def _across(data: Mapping[str, Any], chart: Chart, seats: Sequence[SeatName]) -> Iterator[ValidationError]:
    """What does not go together: seats and campaign, planets and chart, ships and their players."""
    if data["result"] is not None:
        yield shapes.unexpected("/result", "null: a game that is over is not played on", data["result"])
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
        path = shapes.below("/players", index)
        if player["held"] >= limit:
            yield shapes.unexpected(f"{path}/held", f"fewer than {limit}, with which the game is won", player["held"])
        if player["seat"] in player["wishes"]:
            yield shapes.unexpected(f"{path}/wishes", "other players", player["seat"])
        if not player["playing"] and (player["held"] or player["wishes"]):
            yield ValidationError(path, "expected neither held nor wishes of a player who has left")


def _planets(data: Mapping[str, Any], chart: Chart, players: Mapping[SeatName, Any]) -> Iterator[ValidationError]:
    """The planets of the chart, in its order; who has left owns none."""
    for index, ((space, _, owner), site) in enumerate(zip(data["planets"], chart.sites, strict=True)):
        path, wanted = shapes.below("/planets", index), chart.board.name(site.space)
        if space != wanted:
            yield shapes.unexpected(
                f"{path}/0", f"{wanted}, where {site.name} lies: the planets in the chart's order", space
            )
        if owner is not None and not players[owner]["playing"]:
            yield shapes.unexpected(f"{path}/2", "null or a player who has not left", owner)


def _ships(data: Mapping[str, Any], chart: Chart, players: Mapping[SeatName, Any]) -> Iterator[ValidationError]:
    """Ids tell whose a ship is, and each has a number that its player has used; no ship has more than its type."""
    ids = [ship[0] for ship in data["ships"]]
    if ids != sorted(set(ids)):
        yield ValidationError("/ships", "expected each id once, in alphabetical order")
    for index, (id_, owner, kind, _, left, _) in enumerate(data["ships"]):
        path = shapes.below("/ships", index)
        allowed = [f"{letter_of(owner)}{number}" for number in players[owner]["numbers"]]
        if id_ not in allowed:
            yield shapes.unexpected(
                f"{path}/0", f"{letter_of(owner)} and one of the numbers that {owner} has used", id_
            )
        if not players[owner]["playing"]:
            yield shapes.unexpected(f"{path}/1", "a player who has not left", owner)
        for unit, (count, full) in enumerate(zip(left, chart.type_by_name[kind].units, strict=True)):
            if count > full:
                what = f"at most the {UNITS[unit]} of a {kind}"
                yield shapes.unexpected(f"{path}/4/{unit}", what, count, f"the nearest is {full}")


def _factions(data: Mapping[str, Any], players: Mapping[SeatName, Any]) -> Iterator[ValidationError]:
    if data["allies"] and not data["house"]["alliances"]:
        yield ValidationError("/allies", "expected none: there are no alliances in this campaign")
    for index, (one, other) in enumerate(data["allies"]):
        if not one < other or not (players[one]["playing"] and players[other]["playing"]):
            yield shapes.unexpected(shapes.below("/allies", index), "two players, in alphabetical order", [one, other])
    for index, (members, dominant, held) in enumerate(data["factions"]):
        path = shapes.below("/factions", index)
        if members != [seat for seat in data["seats"] if seat in members]:
            yield ValidationError(f"{path}/0", "expected the members in the order of the wheel")
        if dominant is not None and dominant not in members:
            yield shapes.unexpected(f"{path}/1", f"null or a member, {', '.join(members)}", dominant)
        if held >= data["house"]["turns_to_hold"]:
            yield shapes.unexpected(f"{path}/2", "fewer turns than those with which the game is won", held)


def _asked(state: State) -> Iterator[ValidationError]:
    """Who is awaited follows from the section, and in combat from who stands where."""
    if state.house.pace == "turn" and state.section != "economic":
        yield shapes.unexpected("/section", "economic, as a sheet is for a whole turn", state.section)
        return
    if state.section != "combat" and state.round:
        yield shapes.unexpected("/round", "0, as there is no combat", state.round)
    wanted = asked(Draft(state, {}, Dice(b"")))
    if state.awaited != wanted:
        expected = f"those who must be asked now, {', '.join(sorted(wanted)) or 'nobody'}"
        yield shapes.unexpected("/awaited", expected, sorted(state.awaited))
