"""Texts that make a regular expression work hardest, derived from the expression itself.

A pattern backtracks over a text that one of its repeats matches again and again,
followed by characters that the rest of it does not match. So each repeat gives
pumps: a prefix that leads to it, its repeated text, and a suffix that fails. Other
pumps are near misses of the whole, one after the other, for the many places
where a search may begin.
"""

from __future__ import annotations

import importlib
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_PARSER: Any = importlib.import_module("re._parser")
_OPS: Any = importlib.import_module("re._constants")

_LEAVES = (_OPS.LITERAL, _OPS.NOT_LITERAL, _OPS.ANY, _OPS.IN)
_REPEATS = (_OPS.MAX_REPEAT, _OPS.MIN_REPEAT, _OPS.POSSESSIVE_REPEAT)
# A repeat with a lower maximum makes no pump.
_MANY = 20

_COMMON = " \t\n\ra0Z5_-.:;,@<>\"'\\[](){}=?!#&%+*/|~é"
# A character that hardly any pattern matches.
_REFUSED = "\x01"

_CATEGORIES = {
    _OPS.CATEGORY_SPACE: r"\s",
    _OPS.CATEGORY_NOT_SPACE: r"\S",
    _OPS.CATEGORY_DIGIT: r"\d",
    _OPS.CATEGORY_NOT_DIGIT: r"\D",
    _OPS.CATEGORY_WORD: r"\w",
    _OPS.CATEGORY_NOT_WORD: r"\W",
}


@dataclass(frozen=True)
class Pump:
    """Text of any length."""

    before: str
    again: str
    after: str

    def text(self, size: int) -> str:
        """Return the text, of about so many characters."""
        return self.before + self.again * (size // len(self.again)) + self.after


def pumps(pattern: re.Pattern[Any]) -> set[Pump]:
    """Return the texts to try a pattern with."""
    nodes = _parsed(pattern)
    signs = _signs(nodes)
    whole = _sample(nodes, signs)
    found = {Pump("", sign, after) for sign in signs for after in ("", _REFUSED)}
    found |= {Pump("", whole[:-1], ""), Pump("", whole, _REFUSED)}
    for before, body, tail in _repeats(nodes, "", "", signs):
        bodies = {text for text in _bodies(body, signs) if text}
        near = [_REFUSED, tail[:-1] + _REFUSED, tail + _REFUSED]
        found |= {Pump(lead, text, after) for lead in ("", before) for text in bodies for after in near}
        found |= {Pump("", before + text, after) for text in bodies | {""} for after in ("", _REFUSED)}
        found |= {Pump(before, "".join(pair), _REFUSED) for pair in itertools.combinations(sorted(bodies)[:6], 2)}
    return {pump for pump in found if pump.again}


def has_possessive_group(pattern: re.Pattern[Any]) -> bool:
    """Return True if a pattern repeats more than a single character possessively."""
    repeated = [argument[-1] for op, argument in _all(_parsed(pattern)) if op is _OPS.POSSESSIVE_REPEAT]
    return any(len(body) != 1 or body[0][0] not in _LEAVES for body in repeated)


def _parsed(pattern: re.Pattern[Any]) -> Any:
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return _PARSER.parse(source, pattern.flags & ~re.UNICODE & ~re.LOCALE & ~re.DEBUG)


def _signs(nodes: Any) -> list[str]:
    """Return one character of each kind that the pattern distinguishes."""
    leaves = list(_leaves(nodes))
    kinds: dict[tuple[bool, ...], str] = {}
    for sign in dict.fromkeys([*_COMMON, *_named(leaves)]):
        kinds.setdefault(tuple(_takes(op, argument, sign) for op, argument in leaves), sign)
    return list(kinds.values())


def _inner(op: Any, argument: Any) -> Sequence[Any]:
    """Return the sequences of nodes inside a node."""
    if op is _OPS.BRANCH:
        return list(argument[1])
    if op is _OPS.SUBPATTERN or op in _REPEATS:
        return [argument[-1]]
    if op is _OPS.ATOMIC_GROUP:
        return [argument]
    if op in (_OPS.ASSERT, _OPS.ASSERT_NOT):
        return [argument[1]]
    return []


def _all(nodes: Any) -> Iterator[tuple[Any, Any]]:
    for op, argument in nodes:
        yield op, argument
        for inner in _inner(op, argument):
            yield from _all(inner)


def _leaves(nodes: Any) -> Iterator[tuple[Any, Any]]:
    return ((op, argument) for op, argument in _all(nodes) if op in _LEAVES)


def _named(leaves: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    for op, argument in leaves:
        for item, value in argument if op is _OPS.IN else [(op, argument)]:
            if item in (_OPS.LITERAL, _OPS.NOT_LITERAL):
                yield chr(value)
            elif item is _OPS.RANGE:
                yield chr(value[0])


def _takes(op: Any, argument: Any, sign: str) -> bool:
    """Return True if a node of one character matches this one."""
    if op is _OPS.ANY:
        return sign != "\n"
    if op is _OPS.LITERAL:
        return chr(argument) == sign
    if op is _OPS.NOT_LITERAL:
        return chr(argument) != sign
    negated = argument[0][0] is _OPS.NEGATE
    return negated != any(_in(item, value, sign) for item, value in argument[negated:])


def _in(item: Any, value: Any, sign: str) -> bool:
    if item is _OPS.RANGE:
        return bool(value[0] <= ord(sign) <= value[1])
    if item is _OPS.CATEGORY:
        return re.fullmatch(_CATEGORIES[value], sign) is not None
    return chr(value) == sign


def _sample(nodes: Any, signs: Sequence[str]) -> str:
    """Return the shortest text, or nearly, that nodes match."""
    text = ""
    for op, argument in nodes:
        if op in (_OPS.ANY, _OPS.NOT_LITERAL, _OPS.IN):
            text += next((sign for sign in signs if sign.strip() and _takes(op, argument, sign)), "") or next(
                (sign for sign in signs if _takes(op, argument, sign)), ""
            )
        elif op is _OPS.LITERAL:
            text += chr(argument)
        elif op in _REPEATS:
            text += _sample(argument[2], signs) * argument[0]
        elif op not in (_OPS.ASSERT, _OPS.ASSERT_NOT):
            text += next((_sample(inner, signs) for inner in _inner(op, argument)), "")
    return text


def _bodies(nodes: Any, signs: Sequence[str]) -> Iterator[str]:
    """Return texts that a repeat of these nodes may match."""
    items = list(nodes)
    yield _sample(items, signs)
    for at, (op, argument) in enumerate(items):
        before, after = _sample(items[:at], signs), _sample(items[at + 1 :], signs)
        if op in _LEAVES:
            yield from (before + sign + after for sign in signs if _takes(op, argument, sign))
        for inner in _inner(op, argument):
            yield from (before + body + after for body in _bodies(inner, signs))


def _repeats(nodes: Any, before: str, tail: str, signs: Sequence[str]) -> Iterator[tuple[str, Any, str]]:
    """Yield prefix, repeated text and suffix of each repeat in some nodes."""
    items = list(nodes)
    for at, (op, argument) in enumerate(items):
        lead = before + _sample(items[:at], signs)
        rest = _sample(items[at + 1 :], signs) + tail
        if op in _REPEATS and argument[1] > _MANY:
            yield lead, argument[2], rest
        for inner in _inner(op, argument):
            yield from _repeats(inner, lead, rest, signs)
