"""Tests that the documents are complete, name existing things, and make a site."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.catalogue import CATALOGUE, catalogue

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NOTES = sorted(path for path in (DOCS / "decisions").glob("[0-9]*.md"))

_FILE = re.compile(r"`((?:[a-z_]+/)*[a-z_]+\.py)`")
_DEFINITION = re.compile(r"`([a-z]+_[a-z_]+|[A-Z][a-z]+(?:[A-Z][a-z]+)+)`")
_STATUS = re.compile(r"^Status: (\w+)", re.MULTILINE)


@pytest.mark.in_turn
def test_the_documents_make_a_site_without_a_warning(tmp_path: Path) -> None:
    """Every link and heading that a document refers to exists, and every document is in the table of contents."""
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", str(DOCS), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (built.returncode, built.stderr) == (0, "")
    assert "Return" in (tmp_path / "api.html").read_text()


def test_the_catalogue_is_made_from_the_code() -> None:
    """The page of errors and findings is the output of `python -m tests.docs.catalogue`."""
    assert CATALOGUE.read_text() == catalogue()


@pytest.mark.parametrize("name", ["docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_files_that_a_document_names_are_there(name: str) -> None:
    """A path in a document is one of the repository, or of the host's package."""
    named = _FILE.findall((ROOT / name).read_text())

    assert [
        file for file in named if not any((ROOT / at / file).exists() for at in ("", "pbem", "pbem/scheduler"))
    ] == []


def test_definitions_that_the_architecture_names_are_there() -> None:
    """A function or class in the page on architecture is defined in the host."""
    source = "\n".join(path.read_text() for path in sorted((ROOT / "pbem").rglob("*.py")))

    named = _DEFINITION.findall((DOCS / "architecture.md").read_text())

    assert [name for name in named if not re.search(rf"^ *(def|class) {name}\b", source, re.MULTILINE)] == []


def test_the_index_of_decisions_lists_every_note() -> None:
    """Each note is in the index with its title and its status."""
    index = (DOCS / "decisions" / "README.md").read_text()

    for note in NOTES:
        text = note.read_text()
        title, status = text.partition("\n")[0].removeprefix("# "), _STATUS.findall(text)[0]
        number, _, words = title.partition(". ")
        assert f"| {number} | [{words}]({note.name}) | {status}" in index
