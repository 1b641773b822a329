"""Find what a scrambler forgets: parts of the state that are the same in all worlds made of it.

A part has a path, such as `players.*.cave`: the fields of dataclasses, the keys of
tables whose values differ in kind, and `*` for any item of a list or of other tables.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from pbem.testing.leaks import Sample, elsewhere_world

Parts = Mapping[str, list[Any]]
"""Values of a state by path, in their order."""


def find_unscrambled(samples: Iterable[Sample]) -> list[str]:
    """Return the paths that no world made of the samples has changed; of paths below each other the uppermost.

    What is empty in all of them is not among them: nothing is hidden there.
    """
    filled, changed = set[str](), set[str]()
    for sample in samples:
        ours = state_parts(sample.state)
        worlds = (
            sample.secrecy.scramble(sample.state, sample.seat, sample.rnd("coverage")),
            elsewhere_world(sample, sample.rnd("coverage elsewhere")).state,
        )
        for theirs in map(state_parts, worlds):
            paths = ours.keys() | theirs.keys()
            filled |= {path for path in paths if any(map(_holds_anything, ours.get(path, [])))}
            changed |= {path for path in paths if ours.get(path) != theirs.get(path)}
    return sorted(_uppermost(filled - changed, filled | changed))


def covers(declared: str, path: str) -> bool:
    """Return True if a path is the declared one, or below it."""
    return path == declared or path.startswith(f"{declared}.")


def state_parts(state: Any) -> Parts:
    """Return the values of a state by path."""
    parts: dict[str, list[Any]] = {}
    for path, value in _walk(state, ""):
        parts.setdefault(path, []).append(value)
    return parts


def _walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _walk(getattr(value, field.name), _below(path, field.name))
    elif isinstance(value, Mapping):
        yield path, sorted(map(str, value))
        for key in sorted(value, key=str):
            yield from _walk(value[key], _below(path, str(key) if _is_record(value) else "*"))
    elif isinstance(value, AbstractSet):
        yield path, sorted(map(repr, value))
    elif isinstance(value, list | tuple) and any(dataclasses.is_dataclass(each) for each in value):
        yield path, len(value)
        for each in value:
            yield from _walk(each, _below(path, "*"))
    else:
        # An array, such as of numpy, is compared as a list.
        yield path, value.tolist() if hasattr(value, "tolist") else value


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _is_record(table: Mapping[Any, Any]) -> bool:
    return len({type(each) for each in table.values()}) > 1


def _holds_anything(value: Any) -> bool:
    return value not in (None, "", (), []) and value != 0


def _uppermost(same: set[str], known: set[str]) -> Iterator[str]:
    """Yield the paths that are the same, each by its uppermost branch of which all that is known is the same."""
    branches = {path[:end] for path in same for end in _ends(path)}
    whole = {branch for branch in branches if all(path in same for path in known if covers(branch, path))}
    # The names in a table of which some item changes are on no such branch.
    yield from (branch for branch in whole if branch.rpartition(".")[0] not in whole)


def _ends(path: str) -> Iterator[int]:
    yield from (at for at, sign in enumerate(path) if sign == ".")
    yield len(path)
