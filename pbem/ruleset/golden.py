"""Golden games: whole games recorded to show which effects a change of the rules has.

A record has each sheet with its findings, each event, and hashes of the states and
views. The record of the current version is played from the set-up and has to come
out the same. Of an earlier version's, which is played from its first save, the
events and the end alone have to: campaigns begun then keep their rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pbem.errors import RulesetError, SaveError
from pbem.ruleset.dice import Dice
from pbem.ruleset.order_types import Finding, Order
from pbem.ruleset.protocol import AnyRuleset, TurnInput, bot_lines, mailed_views
from pbem.ruleset.serialization import json_sha256, through_json
from pbem.ruleset.validation import (
    AnySchema,
    BooleanSchema,
    EnumSchema,
    IntegerSchema,
    ListSchema,
    MapSchema,
    ObjectSchema,
    Schema,
    StringSchema,
    validate,
)
from pbem.ruleset.values import Json, Option, SeatName, View

MOST_TURNS = 200
"""Turns after which bots stop."""

_DICE = Dice(b"golden")

_Views = Mapping[SeatName, View]
_Sheets = Mapping[SeatName, Sequence[str]]
_Write = Callable[[int, _Views], _Sheets | None]


def golden_name(version: int) -> str:
    """Return the name of the file with the golden game of a version."""
    return f"version{version}.json"


def record_golden(ruleset: AnyRuleset, before: Json = None) -> Json:
    """Return a golden game as the code plays it now.

    Args:
        ruleset: The game.
        before: An earlier record, whose seats, options and sheets are used. Without one, three standard bots play with
            default options.

    Raises:
        SaveError: `before` is no record of this game, or cannot be played; the text says why.
    """
    if before is not None:
        _check(ruleset, before)
        return _record(ruleset, before["seats"], before["options"], _sheets_of(before))
    count = min(max(3, ruleset.seats.least), ruleset.seats.most)
    seats = list(ruleset.seats.names or (f"seat{number}" for number in range(1, count + 1)))[:count]
    options = {option.name: option.default for option in ruleset.options}
    return _record(ruleset, seats, options, lambda number, views: _bot_sheets(ruleset, number, views))


def golden_differences(ruleset: AnyRuleset, before: Json) -> list[str]:
    """Return what the code plays otherwise than it was recorded: "turn 3: events", and so on.

    Raises:
        SaveError: `before` is no record of this game, or cannot be played.
    """
    _check(ruleset, before)
    if before["version"] == ruleset.version:
        parts: tuple[str, ...] = ("findings", "events", "state", "views")
        now = record_golden(ruleset, before)
    else:
        first = ruleset.load(before["first"], before["version"])
        parts = ("events",)
        now = {**before, **_play(ruleset, first, before["seats"], _sheets_of(before))}
    found = [] if now["first"] == before["first"] else ["the set-up"]
    for number, (old, new) in enumerate(zip(before["turns"], now["turns"], strict=False), start=1):
        found += [f"turn {number}: {part}" for part in parts if old[part] != new[part]]
    return found if now["end"] == before["end"] else [*found, f"the end, after turn {len(now['turns'])}"]


def read_golden(text: str) -> Json:
    """Return the data of a file with a golden game. Raise SaveError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SaveError(f"this is not JSON: {error}") from None


def write_golden(golden: Json) -> str:
    """Return the text of a file: a line for each part of a turn, so that differences are told apart."""
    turns = ",\n".join("{" + ",\n ".join(_lines(turn)) + "}" for turn in golden["turns"])
    head = ",\n".join(_lines({key: golden[key] for key in golden if key not in ("turns", "end")}))
    return f'{{{head},\n"turns": [\n{turns}\n],\n"end": {_line(golden["end"])}}}\n'


def _lines(data: Mapping[str, Json]) -> list[str]:
    return [f'"{key}": {_line(value)}' for key, value in data.items()]


def _line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _check(ruleset: AnyRuleset, before: Json) -> None:
    head = before if isinstance(before, dict) else {}
    names = [seat for seat in head["seats"] if isinstance(seat, str)] if isinstance(head.get("seats"), list) else []
    # A record may be from before an option was added.
    options = head["options"] if isinstance(head.get("options"), dict) else {}
    given = [option for option in ruleset.options if option.name in options]
    turn = ObjectSchema(
        {
            "sheets": MapSchema(ListSchema(StringSchema()), some=names),
            **dict.fromkeys(("findings", "events", "state", "views"), AnySchema()),
        }
    )
    schema = ObjectSchema(
        {
            "game": EnumSchema((ruleset.key,)),
            "version": IntegerSchema(1, ruleset.version),
            "seats": ListSchema(StringSchema(20, 1), least=1, distinct=True),
            "options": ObjectSchema({option.name: _schema_of(option) for option in given}),
            "first": AnySchema(),
            "turns": ListSchema(turn),
            "end": AnySchema(),
        }
    )
    for fault in validate(schema, before):
        raise SaveError(f"this is not a golden game of {ruleset.title}: {fault}")


def _schema_of(option: Option) -> Schema:
    if option.kind == "int":
        return IntegerSchema(option.low or 0, option.high)
    if option.kind == "choice":
        return EnumSchema(option.choices)
    return BooleanSchema() if option.kind == "bool" else AnySchema()


def _record(ruleset: AnyRuleset, seats: Sequence[SeatName], options: Mapping[str, Any], write: _Write) -> Json:
    try:
        first = ruleset.setup(options, seats, _DICE.within("set-up"))
    # An option of kind "file" may hold anything.
    except (AttributeError, LookupError, TypeError, ValueError, RulesetError) as error:
        raise SaveError(f"the game cannot be set up with these seats and options: {error}") from None
    head = {"game": ruleset.key, "version": ruleset.version, "seats": list(seats), "options": dict(options)}
    return {**head, "first": through_json(ruleset.dump(first)), **_play(ruleset, first, seats, write)}


def _play(ruleset: AnyRuleset, state: Any, seats: Sequence[SeatName], write: _Write) -> dict[str, Json]:
    turns: list[Json] = []
    used: dict[SeatName, tuple[Order, ...]] = {}
    views = mailed_views(ruleset, state, seats, (), {})
    while not (standing := ruleset.standing(state)).over and (sheets := write(len(turns) + 1, views)) is not None:
        parsed = {seat: ruleset.parse(views[seat], list(enumerate(lines, 1))) for seat, lines in sheets.items()}
        missing = standing.awaiting - parsed.keys()
        used |= {seat: ruleset.defaults(views[seat], used.get(seat, ())) for seat in sorted(missing)}
        used |= {seat: sheet.orders for seat, sheet in parsed.items()}
        orders = {seat: used[seat] for seat in sorted(parsed.keys() | missing)}
        state, events = ruleset.resolve(state, TurnInput(orders, missing=missing), _DICE.within("turn", len(turns) + 1))
        views = mailed_views(ruleset, state, seats, events, views)
        turns.append(
            {
                "sheets": {seat: list(lines) for seat, lines in sheets.items()},
                "findings": {seat: _describe(sheet.findings) for seat, sheet in parsed.items() if sheet.findings},
                "events": [through_json([event.kind, sorted(event.audience), dict(event.data)]) for event in events],
                "state": json_sha256(ruleset.dump(state)),
                "views": json_sha256(views),
            }
        )
    end = {"over": standing.over, "winners": list(standing.winners), "reason": standing.reason}
    return {"turns": turns, "end": {**end, "scores": dict(standing.scores)}}


def _describe(findings: Iterable[Finding]) -> list[str]:
    return [f"line {each.line}: {each.severity} {each.code}: {each.text}; {each.hint}" for each in findings]


def _bot_sheets(ruleset: AnyRuleset, number: int, views: _Views) -> _Sheets | None:
    if number > MOST_TURNS:
        return None
    bot = ruleset.bots["standard"]
    dice = _DICE.within("bots", number)
    return {seat: bot_lines(bot, view, dice.within(seat)) for seat, view in views.items() if view["awaited"]}


def _sheets_of(before: Json) -> _Write:
    turns = before["turns"]

    def write(number: int, _: _Views) -> _Sheets | None:
        return turns[number - 1]["sheets"] if number <= len(turns) else None

    return write
