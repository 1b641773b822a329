"""Records filled with samples, by which templates can be tried before a mail needs them."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import types
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import EnumType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from markupsafe import Markup

from pbem.report import gm_pages, history_pages, pages, people_pages, press_pages, receipt, time_pages
from pbem.report.facts import ReportFacts
from pbem.report.pages import Page
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset, TurnInput, remembering
from pbem.ruleset.serialization import canonical
from pbem.ruleset.values import Seat, View

_MODULES = (gm_pages, history_pages, pages, people_pages, press_pages, receipt, time_pages)
_AT = dt.datetime(2030, 1, 4, 19, 0, tzinfo=dt.UTC)
_PLAIN: Mapping[Any, Any] = {
    str: "sample",
    bytes: b"sample",
    int: 2,
    dt.datetime: _AT,
    Markup: Markup("sample"),
    Any: "sample",
}
_NAMED = {"zone": "UTC"}
"""Fields in which not every text has a meaning."""


def sample_pages() -> Iterator[Page]:
    """Each of the host's mails as records: with everything in it and with as little as can be, and of every kind."""
    for module in _MODULES:
        for kind in vars(module).values():
            if (
                isinstance(kind, type)
                and dataclasses.is_dataclass(kind)
                and isinstance(getattr(kind, "page", None), str)
            ):
                yield sample(kind, full=False)
                yield from _variants(sample(kind, full=True))


def _variants(page: Any) -> Iterator[Page]:
    hints = get_type_hints(type(page))
    choices = [(name, get_args(hint)) for name, hint in hints.items() if get_origin(hint) is Literal]
    yield page
    for name, words in choices:
        yield from (dataclasses.replace(page, **{name: word}) for word in words)


def sample_facts(view: View, seats: tuple[Seat, ...]) -> Iterator[ReportFacts]:
    """What may stand around a view in a report: little, and everything."""
    for full in (False, True):
        yield dataclasses.replace(sample(ReportFacts, full=full), seat=view["seat"], seats=seats, page=full)


def sample(kind: Any, *, full: bool) -> Any:
    """A record of a class with a sample in each field, or, if not `full`, only in those that it needs."""
    hints = get_type_hints(kind)
    if hasattr(kind, "_fields"):
        return kind(**{name: _value(name, hints[name], full=full) for name in kind._fields})
    needed = [field.name for field in dataclasses.fields(kind) if full or _is_needed(field)]
    return kind(**{name: _value(name, hints[name], full=full) for name in needed})


def _is_needed(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _value(name: str, hint: Any, *, full: bool) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if name in _NAMED:
        return _NAMED[name]
    if hint is bool:
        return full
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Literal:
        return args[0]
    if isinstance(hint, EnumType):
        return next(iter(hint))
    if origin in (Union, types.UnionType):
        return _value(name, args[0], full=full) if full else None
    if isinstance(origin, type):
        return _several(name, origin, args, full=full)
    return sample(hint, full=full)


def _several(name: str, origin: type, args: Sequence[Any], *, full: bool) -> Any:
    if issubclass(origin, Mapping):
        return {_value(name, args[0], full=full): _value(name, args[1], full=full)} if full else {}
    if issubclass(origin, tuple) and Ellipsis not in args:
        return tuple(_value(name, each, full=full) for each in args)
    assert issubclass(origin, Collection), origin
    return tuple(_value(name, args[0], full=full) for _ in range(2)) if full else ()


def sample_views(ruleset: AnyRuleset) -> Iterator[tuple[View, tuple[Seat, ...]]]:
    """The first views of a game with as few players as it takes, and those after a turn of its bots; with all seats."""
    dice = Dice(b"sample")
    known = ruleset.seats
    seats = known.names[: known.least] or tuple(f"seat{number}" for number in range(1, known.least + 1))
    options = {option.name: option.default for option in ruleset.options}
    state = ruleset.setup(options, list(seats), dice.scoped("setup"))
    first = {seat: _seen(ruleset, ruleset.view(state, seat, ()), None) for seat in seats}
    yield from ((view, tuple(seats)) for view in first.values())
    awaited = sorted(ruleset.standing(state).awaiting)
    bot = ruleset.bots["standard"]
    lines = {seat: bot(first[seat], dice.scoped(seat)) for seat in awaited}
    orders = {seat: ruleset.parse(first[seat], list(enumerate(lines[seat], 1))).orders for seat in awaited}
    state, events = ruleset.resolve(state, TurnInput(orders, frozenset(), frozenset(), None), dice.scoped("turn"))
    yield from ((_seen(ruleset, ruleset.view(state, seat, events), first[seat]), tuple(seats)) for seat in seats)


def _seen(ruleset: AnyRuleset, view: View, last: View | None) -> View:
    seen: View = json.loads(canonical(remembering(ruleset, view, last)))
    return seen
