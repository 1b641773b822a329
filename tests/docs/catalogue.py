"""The catalogue of errors and findings, `docs/messages.md`, as read from the code.

    python -m tests.docs.catalogue

writes it again.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pbem import errors
from pbem.util import gc_paused
from tests.games import RULESETS

ROOT = Path(__file__).parents[2]
CATALOGUE = ROOT / "docs" / "messages.md"

HEAD = """\
# Errors and findings

The messages of the program by their names. A name stays when the words change, so that scripts and clients may rely
on it: receipts have it in their JSON, and so have `pbem check --json` and `pbem doctor --json`. A … stands for what
differs from case to case. This page is made from the code, by `python -m tests.docs.catalogue`.

## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | not done, or a problem was found; one sentence on stderr says what to do |
| 2 | the command was not understood: an unknown option, a word that is missing |
| 3 | nothing was changed: the command asks for confirmation, and there is no terminal (add `--yes`) |

## Errors

Each ends a command with a sentence, or is told to the GM by mail and by `pbem status`.

| error | raised when |
|---|---|
"""

FINDINGS = """
## Findings on orders and rulings

An error refuses its line, a warning asks to look at it, a note only tells.

"""


class Told(NamedTuple):
    """One finding in the code: its severity and text, as far as they are literal."""

    code: str
    severity: str
    text: str


class _Signature(NamedTuple):
    """The positions of a finding's parts among the arguments of the function that makes it."""

    severity: int | str
    code: int
    text: int


_MAKERS = {"Finding": _Signature(1, 2, 3), "FieldError": _Signature("error", 0, 1)}


def findings(folder: Path) -> Iterator[Told]:
    """Yield the findings that the modules below a folder can make, directly or by a helper of theirs."""
    with gc_paused():
        trees = [ast.parse(path.read_text()) for path in sorted(folder.rglob("*.py"))]
        modules = [(tree, [*ast.walk(tree)]) for tree in trees]
    makers = {**_MAKERS, **{name: found for _, nodes in modules for name, found in _helpers(nodes)}}
    for tree, nodes in modules:
        constants = _constants(tree)
        for node in nodes:
            if isinstance(node, ast.Call) and (maker := makers.get(_called(node))):
                yield from _told(node, maker, constants)


def _helpers(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, _Signature]]:
    """Yield the functions that take the code and the text of a finding, with the positions of these."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
            if {"code", "text"} <= {*names}:
                severity = names.index("severity") if "severity" in names else _only_severity(node)
                yield node.name, _Signature(severity, names.index("code"), names.index("text"))


def _only_severity(node: ast.AST) -> str:
    words = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
    return next((word for word in ("error", "warning", "note") if word in words), "error")


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _told(node: ast.Call, maker: _Signature, constants: Mapping[str, str]) -> Iterator[Told]:
    given = dict(enumerate(node.args)) | {each.arg: each.value for each in node.keywords}
    code = given.get(maker.code, given.get("code"))
    text = given.get(maker.text, given.get("text"))
    severity = maker.severity if isinstance(maker.severity, str) else _one(given.get(maker.severity), "note")
    for each in _choices(code):
        yield Told(each, severity, _words(text, constants))


def _choices(node: ast.expr | str | None) -> list[str]:
    """Return the words that an expression may have as its value, as far as they are literal."""
    if isinstance(node, ast.IfExp):
        return [*_choices(node.body), *_choices(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _one(node: ast.expr | None, default: str) -> str:
    return " or ".join(_choices(node)) or default


def _words(node: ast.expr | None, constants: Mapping[str, str]) -> str:
    """Return a text of the code, with … for its inserted parts."""
    if isinstance(node, ast.Name):
        return constants.get(node.id, "")
    if isinstance(node, ast.BinOp):
        return _words(node.left, constants) + _words(node.right, constants)
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)


def _constants(tree: ast.Module) -> dict[str, str]:
    return {
        node.targets[0].id: _words(node.value, {})
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


_RESULTS = {"ok": "ok", "warning": "warning", "failure": "problem"}


def _checks() -> Iterator[Told]:
    """Yield the checks of the doctor, with their results and texts."""
    makers = {name: _Signature(result, 0, 1) for name, result in _RESULTS.items()}
    for path in sorted((ROOT / "pbem" / "admin").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and (maker := makers.get(_called(node))):
                yield from _told(node, maker, {})


def catalogue() -> str:
    """Return the page."""
    kinds = [kind for kind in vars(errors).values() if inspect.isclass(kind) and kind.__module__ == errors.__name__]
    told = (f"| `{kind.__name__}` | {(kind.__doc__ or '').partition(chr(10))[0]} |" for kind in kinds)
    of_games = [(f"### {game.title}", findings(ROOT / "rules" / "pbem_rules" / game.key)) for game in RULESETS]
    tables = [
        ("### In all games, and in what a GM writes", findings(ROOT / "pbem")),
        *of_games,
        ("## Checks of `pbem doctor`", _checks()),
    ]
    return HEAD + "\n".join(told) + "\n" + FINDINGS + "\n".join(_table(*each) for each in tables)


def _table(title: str, told: Iterable[Told]) -> str:
    """Return a table under its title; a finding without literal text is left out if another has the same name."""
    rows = sorted(set(told))
    worded = {(code, severity) for code, severity, text in rows if text.strip("… ")}
    lines = [
        f"| `{code}` | {severity} | {text.replace('|', '/')} |"
        for code, severity, text in rows
        if text.strip("… ") or (code, severity) not in worded
    ]
    return "\n".join([title, "", "| name | severity | text |", "|---|---|---|", *dict.fromkeys(lines), ""])


if __name__ == "__main__":
    CATALOGUE.write_text(catalogue())
