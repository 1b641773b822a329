"""A GM rules in his editor: on one file after the other, in as many sittings as he likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import click

from pbem.actions.ruling import DIGEST, Form, Taken, render_findings
from pbem.ruleset.fields import Refused, choose
from pbem.text import wrapped

TAKE, STOP = "take", "stop"
"""What may be typed instead of a file: to have them read as the ruling, or to go on some other day."""


def rule(form: Form, folder: Path, read: Callable[[], Taken]) -> bool:
    """Opens the files of a ruling in the GM's editor, one by one; returns whether they are to be taken.

    `read` says how they read now. It begins with the first that is wrong, or else
    open, and tells after each what is wrong in it, and which are open still.
    """
    files = [*form.files]
    file = _first(files, read())
    _say([f"Pictures and files that the ruling shows lie beside it, in {folder}"])
    while file not in (TAKE, STOP):
        _edit(form, folder, file)
        found = read()
        beside = [name for name in found.findings if name not in files]
        _say([line for name in (file, *beside) for line in render_findings(name, found.findings.get(name, ()))])
        others = [other for other in found.findings if other not in (file, *beside)]
        _say([f"Still open: {', '.join(others)}."] if others else [])
        file = _choose(files, next(iter(files[files.index(file) + 1 :]), TAKE))
    if file == STOP:
        _say([f"All of it is kept in {folder}; go on with: pbem adjudicate {form.campaign} --edit"])
    return file == TAKE


def _first(files: Sequence[str], found: Taken) -> str:
    """The first file that has an error; or of which else something is to be said; or the first of all."""
    wrong = (file for file in files if any(each.severity == "error" for each in found.findings.get(file, ())))
    said = (file for file in files if file in found.findings)
    return next(chain(wrong, said, files))


def _edit(form: Form, folder: Path, file: str) -> None:
    """Opens a file, and says beforehand if its sheet is not the one that stands in it."""
    path = folder / file
    sheet = _remarks(form.files[file])
    if sheet and sheet not in path.read_text("utf-8"):
        _say([f"{file} was written with another sheet in it than has come by now: see {folder / DIGEST}"])
        click.pause(err=True)
    click.edit(filename=str(path))


def _remarks(text: str) -> str:
    """The remarks that a file begins with."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[: next((at for at, line in enumerate(lines) if not line.startswith(";")), len(lines))])


def _choose(files: Sequence[str], following: str) -> str:
    """The file to be opened next, `TAKE` or `STOP`; Enter means the one that follows."""
    names = [*files, TAKE, STOP]

    def meant(typed: str) -> str:
        try:
            return choose(typed, names, "a file, take or stop")
        except Refused as refused:
            raise click.UsageError(f"{refused.text}: {refused.hint}") from None

    chosen: str = click.prompt(f"Next (a file, {TAKE} or {STOP})", default=following, value_proc=meant, err=True)
    return chosen


def _say(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(wrapped(line, "    "), err=True)
