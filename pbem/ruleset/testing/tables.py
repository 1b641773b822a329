"""The tables at which a game is tried: its options, usual, other and at their bounds, and its seats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Option, Seat


def default_options(ruleset: AnyRuleset) -> dict[str, Any]:
    """The options of a campaign whose GM chose none."""
    return {option.name: option.default for option in ruleset.options}


def other_options(ruleset: AnyRuleset) -> dict[str, Any]:
    """The options of a GM who decides every question of kind otherwise, and leaves the numbers."""
    others = {"bool": lambda option: not option.default, "choice": _other_choice}
    return {
        option.name: others[option.kind](option) if option.kind in others else option.default
        for option in ruleset.options
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
