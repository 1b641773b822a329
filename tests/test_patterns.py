"""No pattern of the program takes more than linear time, for any text and use."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pbem
import pbem_rules
from tests.growth import MOST_GROWTH, growth, suspicious
from tests.pumps import Pump, has_possessive_group, pumps
from tests.sampling import Sampler

ROOT = Path(__file__).parents[1]
LOOKED_AT = 16_000
"""Characters of the first text; the growth is measured only if it takes disproportionately long."""

TAKEN = 100
"""Texts that a pattern is tried with in a usual run; most have fewer."""


def modules() -> Iterator[Any]:
    """Return all modules of the host and the games."""
    for package in (pbem, pbem_rules):
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)


def within(value: Any, name: str, seen: set[int]) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the patterns in a value, with names that tell where they are."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif id(value) not in seen:
        seen.add(id(value))
        for key, each in held(value):
            yield from within(each, f"{name}[{key!r}]", seen)


def held(value: Any) -> list[tuple[Any, Any]]:
    """Return the contents of a value of the program's own, each with its key."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return list(enumerate(value))
    if isinstance(value, type):
        return list(vars(value).items()) if value.__module__.split(".")[0] in ("pbem", "pbem_rules") else []
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value)]
    return []


def patterns() -> dict[str, re.Pattern[Any]]:
    """Return all compiled patterns, each by the first name it has."""
    found: dict[str, re.Pattern[Any]] = {}
    for module in modules():
        seen: set[int] = set()
        for name, value in vars(module).items():
            if not name.startswith("__"):
                found.update(within(value, f"{module.__name__}.{name}", seen))
    names: dict[re.Pattern[Any], str] = {}
    for name, pattern in found.items():
        names.setdefault(pattern, name)
    return {name: pattern for pattern, name in names.items()}


PATTERNS = patterns()


def ways(pattern: re.Pattern[Any]) -> dict[str, Callable[[Any], object]]:
    """Return the uses of a pattern to try; a replacement includes a search, and that a match: it takes longest."""
    nothing: Any = b"" if isinstance(pattern.pattern, bytes) else ""
    return {"fullmatch": pattern.fullmatch, "sub": lambda text: pattern.sub(nothing, text)}


def made(pattern: re.Pattern[Any], pump: Pump) -> Callable[[int], Any]:
    """Return a function that makes the text of a pump, or its bytes for a pattern of bytes."""
    if isinstance(pattern.pattern, bytes):
        return lambda size: pump.text(size).encode("latin-1", "replace")
    return pump.text


def slow(pattern: re.Pattern[Any], sampler: Sampler) -> Iterator[tuple[str, Pump]]:
    """Yield the uses and texts of the day for which a pattern takes more than linear time."""
    for pump in sampler.sample(sorted(pumps(pattern), key=repr), TAKEN):
        make = made(pattern, pump)
        for name, use in ways(pattern).items():
            if suspicious(use, make, LOOKED_AT) and growth(use, make) > MOST_GROWTH:
                yield name, pump


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_takes_time_in_proportion(name: str, sampler: Sampler) -> None:
    """Repeated and nearly matching text takes linear time, in a match, a search or a replacement."""
    assert next(slow(PATTERNS[name], sampler), None) is None


QUADRATIC = [
    r"\s*-{3,}\s*(\S.{10,300}\S)\s*-{3,}\s*",
    r"(?m)^[>|\s]*orders[^\S\n]+\S+",
    r"(?:a+)+b",
    r'"(?:[^"\\]|\\.)*+"',
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("source", QUADRATIC)
def test_what_is_asked_of_patterns_can_fail(source: str, sampler: Sampler) -> None:
    """Patterns like those that once stopped the inbox, and worse, are found."""
    assert next(slow(re.compile(source), sampler), None) is not None


# The Python of Debian 12, 3.11.2, goes on where a round of a possessive repetition failed midway, not where it began
# (CPython gh-106052, mended in 3.11.5): `(?: [a-z]+)*+ 4` does not match " lane 4". An atomic group does the same and
# has no such fault.
def test_no_group_is_repeated_possessively() -> None:
    """A group is repeated in an atomic group, `(?>(?:ab)*)`, and a single character alone possessively."""
    assert [name for name, pattern in PATTERNS.items() if has_possessive_group(pattern)] == []


@pytest.mark.parametrize(
    "source", [r"(?: [a-z]++)*+4", r"(?:\\\\)*+u", r"(?>x(?:y|zz)?+)", r"(a)++", r"(?=(?:ab){2,4}+)", b"(?:\r?\n)?+"]
)
def test_a_group_that_is_repeated_possessively_is_found(source: str | bytes) -> None:
    """A possessive repetition of a group is found at any depth."""
    assert has_possessive_group(re.compile(source))


@pytest.mark.parametrize("source", [r"a++", r"[^ab]*+", r"(?:a|b)?+", r".{0,4}+", r"(?>(?:ab|\s++)*)"])
def test_a_character_may_be_repeated_possessively(source: str) -> None:
    """A possessive repetition of a single character, or of one of several, is no group."""
    assert not has_possessive_group(re.compile(source))


def test_no_pattern_escapes() -> None:
    """Every pattern has a name in its module, where the test above finds it: none is compiled elsewhere."""
    assert [found for file in files() for found in unnamed(file)] == []


def files() -> list[Path]:
    """Return the modules of the host and the games, but not the suites, which read no mail."""
    found = [file for package in ("pbem", "rules") for file in sorted((ROOT / package).rglob("*.py"))]
    return [file for file in found if not file.is_relative_to(ROOT / "pbem/testing")]


def unnamed(file: Path) -> Iterator[str]:
    """Return the uses of `re` in a file that are no named pattern."""
    module = ".".join(file.relative_to(ROOT).with_suffix("").parts).removeprefix("rules.").removesuffix(".__init__")
    tree = ast.parse(file.read_text())
    named: set[ast.AST] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and any(map(is_compile, ast.walk(statement))):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            value = getattr(importlib.import_module(module), ast.unparse(target))
            if next(within(value, "", set()), None):
                named.update(filter(is_compile, ast.walk(statement)))
    for node in ast.walk(tree):
        used = isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")
        if (used and node not in named) or (isinstance(node, ast.ImportFrom) and node.module == "re"):
            yield f"{module}: {ast.unparse(node)[:60]}"


def is_compile(node: ast.AST) -> bool:
    """Return True if a node is a call of `re.compile`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
