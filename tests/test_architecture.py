"""Permitted imports. Most rules are the contracts in pyproject.toml; the others are tested here."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pbem.ruleset
from tests.games import RULESETS

ROOT = Path(__file__).parents[1]

THIRD_PARTY: dict[str, set[str]] = {
    "PIL": {"report"},
    "alembic": {"store"},
    "asgiref": {"scheduler"},
    "click": {"cli"},
    "cryptography": {"web"},
    "dkim": {"mail"},
    "gymnasium": {"learn"},
    "icalendar": {"report"},
    "imapclient": {"mail"},
    "jinja2": {"report"},
    "jsonpatch": {"archive"},
    "markdown_it": {"report"},
    "markupsafe": {"report", "site", "web"},
    "packaging": {"games"},
    "numpy": {"learn"},
    "openskill": {"site"},
    "pettingzoo": {"learn"},
    "procrastinate": {"scheduler", "store"},
    "psycopg": {"scheduler"},
    "tzdata": {"util"},
    "pytest": {"testing"},
    "resvg_py": {"report"},
    "ruamel": {"actions"},
    "sqlalchemy": {
        *("actions", "admin", "backup", "campaign", "cli", "inbox", "mail", "scheduler", "site", "store", "testing"),
    },
}
"""The packages of pbem that may use each package of others."""

RULES_MAY_USE = {
    "__future__",
    "base64",
    "binascii",
    "bisect",
    "collections",
    "collections.abc",
    "copy",
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
    """Return the modules that a file imports anywhere: "a.b" for `import a.b` and for `from a.b import c`.

    Names imported by `from pbem import …` and the like are given in full.
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
    """Return the Python files below folders of the project."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def name(file: Path) -> str:
    """Return a file as test reports show it."""
    return str(file.relative_to(ROOT))


def strays(files: Iterable[Path], allowed: Callable[[Path, str], bool]) -> dict[str, list[str]]:
    """Return the imports that are not allowed, by file."""
    found = {name(file): [module for module in imports(file) if not allowed(file, module)] for file in files}
    return {file: modules for file, modules in found.items() if modules}


SUITES = {"mygame_secrets", "random", "pbem.testing"}
"""Modules that the tests of a game may use besides."""

_SEARCH = re.compile(r"import_module|resolve_name|__import__|entry_points")

HOST = [file for file in python_files("pbem") if "skeleton" not in file.parts]
GAMES = python_files("rules")


def package(file: Path) -> str:
    """Return the package of pbem a file belongs to, or its module if that is in none."""
    return file.relative_to(ROOT / "pbem").parts[0].removesuffix(".py")


def test_the_contracts_on_imports_are_kept() -> None:
    """Packages depend downwards only, without cycles; games on the public API alone; private modules stay private."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--no-logo"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_errors_import_nothing() -> None:
    """The module of exceptions depends on no other, so that every module can import it."""
    assert set(imports(ROOT / "pbem/errors.py")) <= {"__future__", *sys.stdlib_module_names}


def test_the_host_imports_no_game() -> None:
    """Only the catalogue looks for installed games; commands, actions and handlers of mail are imported by name."""
    assert strays(HOST, lambda file, module: module.split(".")[0] not in {"pbem_rules", "cli", "tests"}) == {}
    searching = [package(file) for file in HOST if _SEARCH.search(file.read_text())]
    assert sorted(searching) == ["actions", "cli", "games", "inbox", "testing"]


def test_the_host_names_no_game() -> None:
    """Neither the host nor its templates know the key or title of any game; the command line knows one, for demos."""
    code = [file for file in HOST if package(file) != "cli"]
    files = [*code, *(ROOT / "templates" / "host").iterdir(), *python_files("migrations")]
    names = "|".join(rf"\b{known}\b" for ruleset in RULESETS for known in (ruleset.key, ruleset.title))

    assert [name(file) for file in files if re.search(names, file.read_text(), re.IGNORECASE)] == []


def test_packages_are_used_where_they_belong() -> None:
    """Mail libraries in mail, SQL in the store and what reads it, templates in reports: nowhere else."""

    def allowed(file: Path, module: str) -> bool:
        used = module.split(".")[0]
        return used in {"pbem", *sys.stdlib_module_names} or package(file) in THIRD_PARTY.get(used, set())

    assert strays(HOST, allowed) == {}


def test_the_contract_needs_the_standard_library_alone() -> None:
    """pbem.ruleset depends on nothing in the host but its errors."""
    files = [file for file in python_files("pbem/ruleset") if file.name != "testing.py"]  # an alias of pbem.testing

    def allowed(_: Path, module: str) -> bool:
        own = f"{module}.".startswith(("pbem.ruleset.", "pbem.errors."))
        return own or module.split(".")[0] in sys.stdlib_module_names

    assert strays(files, allowed) == {}


def test_a_game_knows_the_contract_and_nothing_else() -> None:
    """Rules import harmless parts of the standard library, pbem.ruleset, what games share, and themselves."""

    def allowed(file: Path, module: str) -> bool:
        package = file.relative_to(ROOT / "rules/pbem_rules").parts[0]
        own = [f"pbem_rules.{package}", "pbem_rules.common"] if package != "__init__.py" else []
        inside = any(f"{module}.".startswith(f"{known}.") for known in own)
        return inside or module == "pbem.ruleset" or module in RULES_MAY_USE

    assert strays(GAMES, allowed) == {}


def test_rules_have_no_side_doors() -> None:
    """Rules open no file, print and evaluate nothing, and use no identity or hash of an object."""
    forbidden = {"open", "print", "input", "eval", "exec", "compile", "id", "hash"}

    assert [found for file in GAMES for found in calls(file) if found.partition(":")[2] in forbidden] == []


def calls(file: Path) -> Iterator[str]:
    """Return the plain function calls in a file, as "file:function"."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield f"{name(file)}:{node.func.id}"


def test_one_place_makes_all_mails_and_one_all_receipts() -> None:
    """The host writes mails in campaign.notices and receipts in campaign.order_sheets; bots write as players do."""
    made = {found for file in HOST for found in calls(file) if found.partition(":")[2] in {"NewMail", "Receipt"}}

    assert made == {
        "pbem/bots/by_mail.py:NewMail",
        "pbem/campaign/notices.py:NewMail",
        "pbem/cli/demo.py:NewMail",
        "pbem/campaign/order_sheets.py:Receipt",
    }


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
    """The skeleton for authors imports only what games may use; its tests use the suites besides."""
    files = [file for file in python_files("pbem") if "skeleton" in file.parts]

    def allowed(file: Path, module: str) -> bool:
        in_tests = file.parent.name == "tests" and module in SUITES
        return in_tests or module.split(".")[0] == "mygame" or module == "pbem.ruleset" or module in RULES_MAY_USE

    assert strays(files, allowed) == {}


def test_databases_are_closed() -> None:
    """No block relies on `with sqlite3.connect(...)`, which ends the transaction alone and leaves the file open."""
    files = [path for folder in ("pbem", "tests", "bench") for path in (ROOT / folder).rglob("*.py")]

    assert [path for path in files if re.search(r"(?<!closing\()sqlite3\.connect\(.*\) as\b", path.read_text())] == []
