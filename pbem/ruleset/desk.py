"""The desk of a game: its orders as data, from which a page that knows no game lets a player put a sheet together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pbem.ruleset.kinds import ContextView, Kind
from pbem.ruleset.verbs import Literal, Optional, Part, Verb

FORMAT = 1
"""The version of what a desk's data look like; it grows when a client would have to be changed."""

_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")


def desk_data(verbs: Iterable[Verb], view: ContextView) -> dict[str, Any]:
    """Some verbs and what may stand in their fields, given a view.

    `verbs` have `name` (as in orders stored as JSON), `word` and `also` (other words
    for it), `usage`, `help`, `examples`, and `parts`, the first of which is the word
    to begin with. A part is `{"word": "AT"}`, to be written as it is; `{"field":
    "ship", "kind": "ship-2", "many": false}`, to be filled in by one word of that
    kind, or with `many` by one or more; or `{"optional": [part, …]}`, to be left out
    as a whole. `kinds` says by id how each is `shown` in usages, what is `expected`,
    an `example`, and its `form`. A word with a blank, comma, quote, `;` or `#` in it
    is written in quotes.
    """
    kinds = _Kinds(view)
    return {"format": FORMAT, "verbs": [_verb_data(verb, kinds) for verb in verbs], "kinds": kinds.data}


def _verb_data(verb: Verb, kinds: _Kinds) -> dict[str, Any]:
    return {
        "name": verb.name,
        "word": verb.word,
        "also": list(verb.order.also),
        "usage": verb.usage,
        "help": verb.help,
        "examples": list(verb.examples),
        "parts": _parts_data(verb.parts, verb, kinds),
    }


def _parts_data(parts: Sequence[Part], verb: Verb, kinds: _Kinds) -> list[dict[str, Any]]:
    return [_part_data(part, verb, kinds) for part in parts]


def _part_data(part: Part, verb: Verb, kinds: _Kinds) -> dict[str, Any]:
    if isinstance(part, Literal):
        return {"word": part.word}
    if isinstance(part, Optional):
        return {"optional": _parts_data(part.parts, verb, kinds)}
    return {"field": part.name, "kind": kinds.id_of(verb.kinds[part.name]), "many": part.many}


class _Kinds:
    """The kinds used so far, each written once; ids are made of what players see of a kind."""

    def __init__(self, view: ContextView) -> None:
        self.data: dict[str, dict[str, Any]] = {}
        self._view = view

    def id_of(self, kind: Kind) -> str:
        """The id of a kind, which is added if none is equal to it."""
        data = {
            "shown": kind.shown,
            "expected": kind.expected,
            "example": kind.example,
            "form": kind.form(self._view).to_json(),
        }
        for known, other in self.data.items():
            if other == data:
                return known
        new = self._unused(_NOT_IN_IDS.sub("-", kind.shown.lower()).strip("-") or "kind")
        self.data[new] = data
        return new

    def _unused(self, name: str) -> str:
        count, new = 1, name
        while new in self.data:
            count += 1
            new = f"{name}-{count}"
        return new
