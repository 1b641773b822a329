"""Names that games import: what is said of one that is not there."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.ruleset.names import OF_TESTING, PAGES

DOCS = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("module", "name", "told"),
    [
        ("pbem.ruleset", "IntField", "did you mean IntegerField? See docs/api.md"),
        ("pbem.ruleset", "Orders", "did you mean Order? See docs/api.md"),
        ("pbem.ruleset", "IntegerSchema", "import it from pbem.ruleset.validation; see docs/api.md"),
        ("pbem.ruleset", "RulesetSuite", "import it from pbem.testing; see docs/games/suites.md"),
        ("pbem.ruleset", "Zzz", "docs/api.md lists what it has"),
        ("pbem.ruleset.validation", "IntSchema", "did you mean IntegerSchema? See docs/api.md"),
        ("pbem.testing", "RuleSuite", "did you mean RulesetSuite? See docs/games/suites.md"),
        ("pbem.testing", "Dice", "import it from pbem.ruleset; see docs/api.md"),
        ("pbem.testing", "SecrecySpecs", "did you mean SecrecySpec? See docs/games/suites.md"),
    ],
)
def test_a_name_that_is_not_there_leads_to_one_that_is(module: str, name: str, told: str) -> None:
    """The import fails with the nearest name, or the package that has it, and the page that lists its names."""
    with pytest.raises(ImportError) as failed:
        exec(f"from {module} import {name}")

    assert str(failed.value) == f"{module} has no {name}: {told}"


@pytest.mark.parametrize("module", PAGES)
def test_its_page_lists_a_package(module: str) -> None:
    """Each page that is named is there, and speaks of the package."""
    assert module in (DOCS / PAGES[module]).read_text(encoding="utf-8")


def test_modules_of_a_package_are_imported_as_ever() -> None:
    """In a fresh process a module is imported by its package, and tools may ask for names that are not there."""
    script = (
        "from pbem.ruleset import golden; import pbem.ruleset; "
        "print(golden.__name__, hasattr(pbem.ruleset, '__path__'), hasattr(pbem.ruleset, '_repr_html_'))"
    )

    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

    assert said.split() == ["pbem.ruleset.golden", "True", "False"]


@pytest.mark.parametrize("module", PAGES)
def test_all_that_is_exported_is_there(module: str) -> None:
    """Each name of a package for authors can be imported."""
    package = importlib.import_module(module)

    assert [name for name in package.__all__ if not hasattr(package, name)] == []
    assert module != "pbem.testing" or list(OF_TESTING) == package.__all__
