"""No pattern of the program takes longer than in proportion to the text, whatever the text and however it is used."""

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
from tests.pumps import Pump, pumps

ROOT = Path(__file__).parents[1]
LOOKED_AT = 16_000
"""Characters of a text that is tried first; only where it takes long, out of proportion, the growth is measured."""


def modules() -> Iterator[Any]:
    """All modules of the host and the games."""
    for package in (pbem, pbem_rules):
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            yield importlib.import_module(found.name)


def within(value: Any, name: str, seen: set[int]) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """The patterns in a value, with names that tell where they stand."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif id(value) not in seen:
        seen.add(id(value))
        for key, each in held(value):
            yield from within(each, f"{name}[{key!r}]", seen)


def held(value: Any) -> list[tuple[Any, Any]]:
    """What a value of the program's own holds, each with its key."""
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
    """All compiled patterns, each by the first name it has."""
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
    """What a pattern may be used for; a replacement begins with a search, that with a match: it takes longest."""
    nothing: Any = b"" if isinstance(pattern.pattern, bytes) else ""
    return {"fullmatch": pattern.fullmatch, "sub": lambda text: pattern.sub(nothing, text)}


def made(pattern: re.Pattern[Any], pump: Pump) -> Callable[[int], Any]:
    """Makes the text of a pump, or its bytes for a pattern of bytes."""
    if isinstance(pattern.pattern, bytes):
        return lambda size: pump.text(size).encode("latin-1", "replace")
    return pump.text


def slow(pattern: re.Pattern[Any]) -> Iterator[tuple[str, Pump]]:
    """The ways and texts for which a pattern takes longer than in proportion."""
    for pump in sorted(pumps(pattern), key=repr):
        make = made(pattern, pump)
        for name, use in ways(pattern).items():
            if suspicious(use, make, LOOKED_AT) and growth(use, make) > MOST_GROWTH:
                yield name, pump


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_takes_time_in_proportion(name: str) -> None:
    """Repeated and nearly right text of any length, in a match, a search or a replacement: four times, not sixteen."""
    assert next(slow(PATTERNS[name]), None) is None


QUADRATIC = [
    r"\s*-{3,}\s*(\S.{10,300}\S)\s*-{3,}\s*",
    r"(?m)^[>|\s]*orders[^\S\n]+\S+",
    r"(?:a+)+b",
    r'"(?:[^"\\]|\\.)*+"',
]


@pytest.mark.parametrize("source", QUADRATIC)
def test_what_is_asked_of_patterns_can_fail(source: str) -> None:
    """Patterns like those that have stopped the desk, and worse, are found out."""
    assert next(slow(re.compile(source)), None) is not None


def test_no_pattern_escapes() -> None:
    """Every pattern has a name in its module, where the test above finds it: none is used on the way."""
    assert [found for file in files() for found in unnamed(file)] == []


def files() -> list[Path]:
    """The modules of the host and the games; the suites that games are held to read no mail."""
    found = [file for package in ("pbem", "rules") for file in sorted((ROOT / package).rglob("*.py"))]
    return [file for file in found if not file.is_relative_to(ROOT / "pbem/testing")]


def unnamed(file: Path) -> Iterator[str]:
    """The uses of `re` in a file that are no pattern found by its name."""
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
    """Whether a node is a call of `re.compile`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
