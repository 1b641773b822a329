"""Which packages may be imported where."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pbem.ruleset
from tests.games import RULESETS

ROOT = Path(__file__).parents[1]

RULES_MAY_USE = {
    "__future__",
    "base64",
    "binascii",
    "bisect",
    "collections",
    "collections.abc",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "importlib.resources",
    "itertools",
    "json",
    "math",
    "numpy",
    "numpy.typing",
    "operator",
    "re",
    "textwrap",
    "typing",
}
"""Arrays, and the parts of the standard library without clock, chance, files, network or log: chance is the dice's."""


def imports(file: Path) -> Iterator[str]:
    """The modules a file imports, wherever in it: "a.b" for `import a.b` and for `from a.b import c`.

    What `from pbem import …` and the like take out of a package is named in full.
    """
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            assert node.module
            packages = {"pbem", "pbem_rules", "importlib"}
            names = (
                [f"{node.module}.{alias.name}" for alias in node.names] if node.module in packages else [node.module]
            )
            yield from names


def python_files(*folders: str) -> list[Path]:
    """The Python files below folders of the project."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def name(file: Path) -> str:
    """A file as test reports show it."""
    return str(file.relative_to(ROOT))


def strays(files: Iterable[Path], allowed: Callable[[Path, str], bool]) -> dict[str, list[str]]:
    """The imports that are not allowed, by file."""
    found = {name(file): [module for module in imports(file) if not allowed(file, module)] for file in files}
    return {file: modules for file, modules in found.items() if modules}


SUITES = {"hidden", "random", "pbem.testing"}
HOST = [file for file in python_files("pbem") if "skeleton" not in file.parts]
GAMES = python_files("rules")


def test_the_host_imports_no_game() -> None:
    """Games are handed to the host by the command line; only the catalogue looks for those that are installed."""
    assert strays(HOST, lambda file, module: module.split(".")[0] not in {"pbem_rules", "cli", "tests"}) == {}


def test_the_host_names_no_game() -> None:
    """Neither the host nor its templates know the key or title of any game; the command line knows one, for demos."""
    code = [file for file in HOST if file.parent not in (ROOT / "pbem/commands", ROOT / "pbem/cli")]
    files = [*code, *(ROOT / "templates" / "host").iterdir(), *python_files("migrations")]
    names = "|".join(rf"\b{known}\b" for ruleset in RULESETS for known in (ruleset.key, ruleset.title))

    assert [name(file) for file in files if re.search(names, file.read_text(), re.IGNORECASE)] == []


def test_the_contract_needs_the_standard_library_alone() -> None:
    """pbem.ruleset could be lifted out of the host as it is."""
    files = [file for file in python_files("pbem/ruleset") if "testing" not in file.parts]

    assert strays(files, lambda _, module: module.split(".")[0] in {"pbem", *sys.stdlib_module_names}) == {}


def test_a_game_knows_the_contract_and_nothing_else() -> None:
    """Rules import harmless parts of the standard library, pbem.ruleset, what games share, and themselves."""

    def allowed(file: Path, module: str) -> bool:
        package = file.relative_to(ROOT / "rules/pbem_rules").parts[0]
        own = [f"pbem_rules.{package}", "pbem_rules.common"] if package != "__init__.py" else []
        inside = any(f"{module}.".startswith(f"{known}.") for known in own)
        return inside or module == "pbem.ruleset" or module in RULES_MAY_USE

    assert strays(GAMES, allowed) == {}


def test_rules_have_no_side_doors() -> None:
    """No file is opened, nothing printed or evaluated, no identity or hash of an object decides anything."""
    forbidden = {"open", "print", "input", "eval", "exec", "compile", "id", "hash"}

    assert [found for file in GAMES for found in calls(file) if found.partition(":")[2] in forbidden] == []


def calls(file: Path) -> Iterator[str]:
    """The plain function calls in a file, as "file:function"."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield f"{name(file)}:{node.func.id}"


def test_the_contract_exports_exactly_what_it_says() -> None:
    """`__all__` is sorted and complete, and everything public comes from one of the contract's modules."""
    public = {
        export
        for export, value in vars(pbem.ruleset).items()
        if not export.startswith("_") and not isinstance(value, type(pbem.ruleset))
    }

    assert set(pbem.ruleset.__all__) == public
    assert pbem.ruleset.__all__ == sorted(
        pbem.ruleset.__all__, key=lambda export: (not export.isupper(), export.islower(), export)
    )


def test_the_skeleton_of_a_game_knows_the_contract_and_nothing_else() -> None:
    """What an author begins with keeps to what games may use; its tests use the suites besides."""
    files = [file for file in python_files("pbem") if "skeleton" in file.parts]

    def allowed(file: Path, module: str) -> bool:
        in_tests = file.parent.name == "tests" and module in {
            "hidden",
            "random",
            "pbem.testing",
        }
        return in_tests or module.split(".")[0] == "mygame" or module == "pbem.ruleset" or module in RULES_MAY_USE

    assert strays(files, allowed) == {}
