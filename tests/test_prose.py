"""Docstrings and comments are plain English; what ruff does not look at is counted here."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.util import gc_paused

ROOT = Path(__file__).parents[1]
FOLDERS = ("pbem", "rules", "tests", "bench", "migrations")

_NOUN_CLAUSE = re.compile(r"(What|Whether|How|Who|Whose|Whom|Where|Which|Why|When a|That|Whatever|Whoever)\b")
_ANY = re.compile("")
_HE = re.compile(r"\b(he|his|him|himself)\b", re.IGNORECASE)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def files(folder: str, having: re.Pattern[str]) -> Iterator[Path]:
    """Yield the modules below a folder that have a text anywhere: to look for it is faster than to parse them."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        if having.search(path.read_text()):
            yield path


def docstrings(folder: str, having: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield each docstring of the modules below a folder that have a text, with its file and line."""
    for path in files(folder, having):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, _DOCUMENTED) and (text := ast.get_docstring(node)):
                yield f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}", text


def comments(folder: str, having: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield each comment of the modules below a folder that have a text, with its file and line."""
    for path in files(folder, having):
        with path.open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.COMMENT:
                    yield f"{path.relative_to(ROOT)}:{token.start[0]}", token.string


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_say_what_is_done(folder: str) -> None:
    """At most one docstring in a hundred opens with a noun clause, such as "What …" or "Whether …"."""
    with gc_paused():
        found = list(docstrings(folder, having=_ANY))

    clauses = [f"{place}: {text.splitlines()[0]}" for place, text in found if _NOUN_CLAUSE.match(text)]

    assert len(clauses) <= len(found) / 100, "\n".join(clauses)


@pytest.mark.parametrize("folder", FOLDERS)
def test_people_are_they(folder: str) -> None:
    """No docstring and no comment has a pronoun of one gender for people of any."""
    found = [*docstrings(folder, having=_HE), *comments(folder, having=_HE)]

    assert [f"{place}: {text}" for place, text in found if _HE.search(text)] == []


_REPLACED = re.compile(
    r"\b(somebody|dealt with|set aside|taken back|thrown away|hang together|paused by the GM|everybody is told|"
    r"he|his|him|himself)\b",
    re.IGNORECASE,
)


def literals(folder: str) -> Iterator[tuple[str, str]]:
    """Yield each text in the code below a folder that is no docstring, with its file and line."""
    for path in files(folder, _ANY):
        tree = ast.parse(path.read_text())
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def test_messages_have_the_words_of_the_glossary() -> None:
    """No text of the program and no mail has a word for which the glossary has another, or a person of one gender."""
    mails = [(str(path.name), path.read_text()) for path in sorted((ROOT / "templates").rglob("*.j2"))]
    with gc_paused():  # all are parsed: a text may go over several lines of the code
        found = [*literals("pbem"), *mails]

    assert [f"{place}: {text[:200]}" for place, text in found if _REPLACED.search(text)] == []
