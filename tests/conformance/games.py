"""The games under test, and what their own test folders say of them."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.ruleset import AnyRuleset, Option, Seat
from rules import RULESETS
from tests.conformance import toy_secrecy
from tests.conformance.toy import TOY

ROOT = Path(__file__).parents[2]
TEMPLATES = (Path(__file__).with_name("templates"), ROOT / "templates")
GAMES: tuple[AnyRuleset, ...] = (TOY, *RULESETS)

Sheets = Mapping[Seat, Sequence[str]]


@dataclass(frozen=True)
class Secrecy:
    """A game's secrets, stated by its tests and not by its views.

    `scramble(state, seat, rnd)` gives a world that differs from `state` only in
    what the seat may not know: hidden things moved, added, dropped, altered and
    renumbered.

    `elsewhere(state, seat, rnd)` gives such a world and sheets of other seats,
    so that nothing of either comes within the seat's ken during the next turn,
    whatever it orders itself. Without one, nobody acts while a scrambled world
    is resolved.

    `open` games (`OPEN = True` in the module) hide nothing between turns.
    """

    scramble: Callable[[Any, Seat, random.Random], Any]
    elsewhere: Callable[[Any, Seat, random.Random], tuple[Any, Sheets]] | None = None
    open: bool = False


def secrecy_of(ruleset: AnyRuleset) -> Secrecy:
    """The secrets of a game, from `tests/rules/<key>/secrecy.py`."""
    module: Any = (
        toy_secrecy if ruleset.key == TOY.key else importlib.import_module(f"tests.rules.{ruleset.key}.secrecy")
    )
    return Secrecy(module.scramble, getattr(module, "elsewhere", None), getattr(module, "OPEN", False))


def default_options(ruleset: AnyRuleset) -> dict[str, Any]:
    """The options of a campaign whose GM chose none."""
    return {option.name: option.default for option in ruleset.options()}


def other_options(ruleset: AnyRuleset) -> dict[str, Any]:
    """The options of a GM who decides every question of kind otherwise, and leaves the numbers."""
    others = {"bool": lambda option: not option.default, "choice": _other_choice}
    return {
        option.name: others[option.kind](option) if option.kind in others else option.default
        for option in ruleset.options()
    }


def _other_choice(option: Option) -> str:
    return next(choice for choice in option.choices if choice != option.default)


def seat_names(ruleset: AnyRuleset, count: int) -> tuple[Seat, ...]:
    """The first seats of a game, or invented ones where any name will do."""
    return (ruleset.seats.names or tuple(f"seat{number}" for number in range(1, count + 1)))[:count]


def seat_counts(ruleset: AnyRuleset) -> list[int]:
    """The fewest, the most and, where there are not very many, all numbers of seats between."""
    least, most = ruleset.seats.least, ruleset.seats.most
    return list(range(least, most + 1)) if most <= 8 else [least, least + 1, min(most, 64)]


def corners(options: Iterable[Option]) -> list[dict[str, Any]]:
    """Option values at their bounds: each option alone, then all low and all high."""
    declared = list(options)
    default = {option.name: option.default for option in declared}
    alone = [default | {option.name: value} for option in declared for value in bounds(option)]
    low = {option.name: bounds(option)[0] for option in declared}
    high = {option.name: bounds(option)[-1] for option in declared}
    return [default, *alone, low, high]


def bounds(option: Option) -> list[Any]:
    """The extreme values of an option; all of them where they are few."""
    if option.kind == "int":
        return [option.low, option.high]
    if option.kind == "bool":
        return [False, True]
    return list(option.choices) or [option.default]
