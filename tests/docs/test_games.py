"""The pages for authors of games: their examples are run, and they name all that there is."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import re
import sys
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import pbem.ruleset
from pbem.app import TEMPLATE_DIR
from pbem.cli.programmers import write_skeleton
from pbem.report.template_check import check_rendering
from pbem.report.templates import TEXT_FILTERS

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in (ROOT / "docs" / "games").glob("*.md") if path.stem != "tutorial")
TEMPLATES = (ROOT / "docs" / "games" / "templates.md").read_text()

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(text: str, *kinds: str) -> Iterator[str]:
    """Yield the blocks of a page that are of some kinds."""
    yield from (block for kind, block in _BLOCK.findall(text) if kind in kinds)


@pytest.fixture
def night_market(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Write the game of `pbem dev new` that the pages speak of, where it and its tests can be imported."""
    write_skeleton("night_market", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "tests")
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("night_market")]:
        del sys.modules[name]


@pytest.mark.usefixtures("night_market")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_are_run(page: Path) -> None:
    """Its Python is run in order; where it shows results, they are these. Nothing else is executable but templates."""
    names: dict[str, Any] = {name: getattr(pbem.ruleset, name) for name in pbem.ruleset.__all__}
    names |= {
        "dataclass": dataclasses.dataclass,
        "Annotated": typing.Annotated,
        "Mapping": Mapping,
        "__name__": __name__,
    }
    runner = doctest.DocTestRunner()

    for block in blocks(page.read_text(), "python"):
        if block.startswith(">>> "):
            example = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            runner.run(example, clear_globs=False)
            names |= example.globs
        else:
            exec(compile(block, page.name, "exec", dont_inherit=True), names)

    assert runner.summarize(verbose=False).failed == 0
    assert {kind for kind, _ in _BLOCK.findall(page.read_text())} <= {"python", "jinja", "text"}


def test_the_templates_of_the_page_write_reports(night_market: Path) -> None:
    """The two templates are those of the game of `pbem dev new`, in short: its reports can be written with them."""
    folder = night_market / "night_market" / "templates"
    for name, text in zip(("report.j2", "events.j2"), blocks(TEMPLATES, "jinja"), strict=True):
        (folder / name).write_text(text)

    game = importlib.import_module("night_market").RULESET

    assert list(check_rendering(None, TEMPLATE_DIR, {game.key: game})) == []


def test_each_filter_is_on_the_page() -> None:
    """A filter that pbem adds to those of Jinja is named with its use."""
    assert [name for name in {*TEXT_FILTERS, "typed"} if not re.search(rf"\\\| {name}\b", TEMPLATES)] == []


def test_each_variable_is_on_the_page() -> None:
    """All that a report's template is given is named there."""
    source = (ROOT / "pbem" / "report" / "renderer.py").read_text()
    given = re.findall(
        r'^            "(\w+)": ', source.partition("def _context(")[2].partition("def _render(")[0], re.MULTILINE
    )

    assert len(given) > 10
    assert [name for name in given if f"`{name}`" not in TEMPLATES] == []
