"""The packages that games and their tests import from, and what is said of a name that none of them has."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.util import find_spec

PAGES = {
    "pbem.ruleset": "docs/api.md",
    "pbem.ruleset.validation": "docs/api.md",
    "pbem.testing": "docs/games/suites.md",
}
"""The page of the documentation that lists the names of each package."""

OF_TESTING = ("GoldenRules", "RulesetSuite", "RulesetTests", "SecrecySpec", "rules")
"""The names of `pbem.testing`, which is imported by tests alone."""


def unknown_name(module: str, name: str) -> Exception:
    """Return the error for a name that a module has not: the module that has it, or the nearest name, and its page."""
    # Python asks a package for its modules, and tools ask for names of their own.
    if name.startswith("_") or (hasattr(sys.modules[module], "__path__") and find_spec(f"{module}.{name}")):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    known = {module: _names(module)} | {other: _names(other) for other in PAGES}
    for other, names in known.items():
        if name in names:
            return ImportError(f"{module} has no {name}: import it from {other}; see {PAGES[other]}", name=module)
    for other, names in known.items():
        if near := get_close_matches(name, names, 1):
            told = f"did you mean {near[0]}{f' of {other}' if other != module else ''}? See {PAGES[other]}"
            return ImportError(f"{module} has no {name}: {told}", name=module)
    return ImportError(f"{module} has no {name}: {PAGES[module]} lists what it has", name=module)


def _names(module: str) -> Sequence[str]:
    return OF_TESTING if module == "pbem.testing" else sys.modules[module].__all__
