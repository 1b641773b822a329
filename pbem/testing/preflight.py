"""Check that turns can be played, before any rule is tried: a first one, then those of the games of the suites.

Where that fails most rules would fail, under names that have nothing to do with
it. So the fault is told once, in a sentence with its place.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from pbem.app import TEMPLATE_DIR
from pbem.archive.record import setup_dice, turn_dice
from pbem.report.renderer import Renderer
from pbem.report.template_check import sample_facts
from pbem.ruleset.base import BaseRuleset
from pbem.ruleset.dice import Dice
from pbem.ruleset.order_types import ParsedSheet
from pbem.ruleset.protocol import Adjudicated, AnyRuleset, Ruleset, TurnInput
from pbem.ruleset.values import Event, Json, SeatName, View
from pbem.testing.play import (
    REMEMBERED,
    SEED,
    PlayError,
    crowded_game,
    default_options,
    during,
    games,
    mail_view,
    number_lines,
    standard,
    usual_seats,
)

TITLE = 28
"""Characters of the label of a view, which a phone shows in one line of a heading."""

LABEL = re.compile(rf"\S.{{0,{TITLE - 2}}}\S")
NEEDED = ("seat", "label", "over", "awaited", "events")
"""Keys of every view."""


@functools.lru_cache(maxsize=REMEMBERED)
def preflight_fault(ruleset: AnyRuleset) -> str:
    """Return what keeps a first turn from being played and reported, or later ones from being played; "" if nothing."""
    try:
        _check_parameters(ruleset)
        _play_first_turn(ruleset)
        for game in (*games(ruleset), crowded_game(ruleset)):
            for number, (state, _) in enumerate(game.worlds()):
                _dump(ruleset, state, f" after turn {number}")
    except PlayError as error:
        return str(error)
    return ""


def require_whole(what: str, data: Json) -> None:
    """Raise PlayError for the first number in data that is not whole, with its path."""
    if found := next(_floats(data), ""):
        raise PlayError(
            f"{what} has {found}: use whole numbers, or fractions as pairs of them; floats differ from machine to "
            "machine"
        )


def _floats(data: Any, path: str = "") -> Iterator[str]:
    """Yield the floats in JSON data, or in a state of dataclasses, with their paths: "0.5 at /players/red/cave"."""
    if isinstance(data, float):
        yield f"{data!r} at {path or '/'}"
    elif dataclasses.is_dataclass(data):
        for slot in dataclasses.fields(data):
            yield from _floats(getattr(data, slot.name), f"{path}/{slot.name}")
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from _floats(value, f"{path}/{key}")
    elif isinstance(data, list | tuple | AbstractSet):
        for at, value in enumerate(data):
            yield from _floats(value, f"{path}/{at}")


def _dump(ruleset: AnyRuleset, state: Any, when: str = "") -> None:
    require_whole(f"the state{when}", state)
    with during(ruleset, f"dump{when}"):
        data = ruleset.dump(state)
    require_whole(f"the save{when}", data)


def _check_parameters(ruleset: AnyRuleset) -> None:
    """Raise for a method whose parameters have other names, or another order, than the host gives them in."""
    for interface in (Ruleset, Adjudicated, BaseRuleset):
        for name, method in vars(interface).items():
            found = getattr(ruleset, name, None)
            if name[0] != "_" and inspect.isfunction(method) and callable(found):
                _check_method(name, [*inspect.signature(method).parameters][1:], found)


def _check_method(name: str, wanted: list[str], found: Callable[..., Any]) -> None:
    given = inspect.signature(found).parameters.values()
    if any(parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) for parameter in given):
        return  # a wrapper, which passes on whatever it is given
    names = [parameter.name for parameter in given if parameter.name in wanted or parameter.default is parameter.empty]
    if names != wanted:
        raise PlayError(
            f"{name} has the parameters ({', '.join(names)}): they are ({', '.join(wanted)}), in this order"
        )


def _play_first_turn(ruleset: AnyRuleset) -> None:
    seats = usual_seats(ruleset)
    with during(ruleset, "setup"):
        state = ruleset.setup(default_options(ruleset), seats, setup_dice(SEED))
    first = _look_at(ruleset, state, seats, ())
    orders = {}
    with during(ruleset, "standing"):
        awaited = sorted(ruleset.standing(state).awaiting)
    for seat in awaited:
        orders[seat] = _write_sheet(ruleset, seat, first[seat]).orders
    with during(ruleset, "resolve"):
        result: Any = ruleset.resolve(state, TurnInput(orders), turn_dice(SEED, 1))
    _require(
        isinstance(result, tuple) and len(result) == 2 and all(isinstance(event, Event) for event in result[1]),
        "resolve must return the next state and the events, a tuple of Event",
    )
    after, events = result
    _look_at(ruleset, after, seats, events, first)


def _write_sheet(ruleset: AnyRuleset, seat: SeatName, view: View) -> ParsedSheet:
    with during(ruleset, 'the bot "standard"'):
        lines: Any = standard(ruleset, view, Dice(b"preflight").within(seat))
    _require(
        isinstance(lines, list) and all(isinstance(line, str) for line in lines),
        f'the bot "standard" must return a list of lines, not {lines!r}',
    )
    with during(ruleset, "parse"):
        parsed = ruleset.parse(view, number_lines(lines))
    _require(isinstance(parsed, ParsedSheet), f"parse must return a ParsedSheet, not {type(parsed).__name__}")
    return parsed


def _look_at(
    ruleset: AnyRuleset,
    state: Any,
    seats: tuple[SeatName, ...],
    events: tuple[Event, ...],
    before: Mapping[SeatName, View] | None = None,
) -> dict[SeatName, View]:
    """Return the views of all seats, of which the reports can be written."""
    _dump(ruleset, state)
    views = {}
    for seat in seats:
        with during(ruleset, f"view of {seat}"):
            views[seat] = mail_view(ruleset, state, seat, events, last=(before or {}).get(seat))
        _check_view(seat, views[seat])
    with Renderer([TEMPLATE_DIR], {ruleset.key: ruleset}, pictures=False) as reporter:
        for view in views.values():
            for facts in sample_facts(view, seats):
                with during(ruleset, f"the report of {facts.seat}"):
                    # The page of one seat alone: making it takes longer than all else.
                    alone = replace(facts, page=facts.page and facts.seat == seats[0])
                    reporter.render_trial(ruleset, view, alone, drawn=False)
    return views


def _check_view(seat: SeatName, view: View) -> None:
    missing = [key for key in NEEDED if key not in view]
    _require(not missing, f"view of {seat} has no {', '.join(missing)}: begin it with self.heading(…)")
    _require(view["seat"] == seat, f"view of {seat} has the seat {view['seat']!r}: it is the name of the seat")
    _require(
        isinstance(view["label"], str) and LABEL.fullmatch(view["label"]) is not None,
        f"view of {seat} has the label {view['label']!r}: it is one line of 2 to {TITLE} characters",
    )
    require_whole(f"view of {seat}", view)


def _require(holds: object, text: str) -> None:
    if not holds:
        raise PlayError(text)
