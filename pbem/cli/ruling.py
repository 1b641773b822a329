"""Commands for deciding a turn as the GM: the ruling, and dice.

A ruling is edited one file after the other, in as many sittings as the GM likes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import click

from pbem.actions.base import CLI, run_query
from pbem.actions.open_turn import RollDice, ShowRolls
from pbem.actions.ruling import (
    DIGEST,
    RulingForm,
    RulingResult,
    ShowRulingForm,
    SubmitRuling,
    read_folder,
    render_findings,
    render_ruling,
    write_folder,
)
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling, ShowRuling
from pbem.app import App
from pbem.cli import completion
from pbem.cli.call import Call
from pbem.cli.command import command
from pbem.cli.lines import ruling_folder_lines
from pbem.cli.options import FOLDER, NUMBER, campaign, restore_option
from pbem.ruleset.fields import FieldError, match_name
from pbem.text import wrap

TAKE, STOP = "take", "stop"
"""Answers to the prompt instead of a file: submit the ruling, or save it for later."""


def edit_ruling(form: RulingForm, folder: Path, read: Callable[[], RulingResult]) -> bool:
    """Open the files of a ruling in the GM's editor, one by one; return True if the ruling is to be submitted.

    It begins with the first file that has an error, or else a finding, and prints after
    each file what is wrong in it, and which others have findings.

    Args:
        read: Returns how the files read now.
    """
    files = [*form.files]
    file = _first_to_edit(files, read())
    _echo([f"Pictures and files that the ruling shows lie beside it, in {folder}"])
    while file not in (TAKE, STOP):
        _edit(form, folder, file)
        found = read()
        beside = [name for name in found.findings if name not in files]
        _echo([line for name in (file, *beside) for line in render_findings(name, found.findings.get(name, ()))])
        others = [other for other in found.findings if other not in (file, *beside)]
        _echo([f"Still open: {', '.join(others)}."] if others else [])
        file = _choose(files, next(iter(files[files.index(file) + 1 :]), TAKE))
    if file == STOP:
        _echo([f"All of it is kept in {folder}; go on with: pbem ruling {form.campaign} --edit"])
    return file == TAKE


def _first_to_edit(files: Sequence[str], found: RulingResult) -> str:
    """Return the first file with an error; else the first with a finding; else the first of all."""
    wrong = (file for file in files if any(each.severity == "error" for each in found.findings.get(file, ())))
    said = (file for file in files if file in found.findings)
    return next(chain(wrong, said, files))


def _edit(form: RulingForm, folder: Path, file: str) -> None:
    """Open a file in the editor; warn before if its sheet is not the newest."""
    path = folder / file
    sheet = _leading_remarks(form.files[file])
    if sheet and sheet not in path.read_text("utf-8"):
        # The GM's text stays as it is, so the new sheet is in the digest alone.
        _echo([f"{file} was written with another sheet in it than has come by now: see {folder / DIGEST}"])
        click.pause(err=True)
    click.edit(filename=str(path))


def _leading_remarks(text: str) -> str:
    """Return the remarks with which a file begins."""
    lines = text.splitlines(keepends=True)
    return "".join(lines[: next((at for at, line in enumerate(lines) if not line.startswith(";")), len(lines))])


def _choose(files: Sequence[str], following: str) -> str:
    """Return the file to be opened next, `TAKE` or `STOP`; Enter means the one that follows."""
    names = [*files, TAKE, STOP]

    def meant(typed: str) -> str:
        try:
            return match_name(typed, names, "a file, take or stop")
        except FieldError as refused:
            # click.prompt repeats its question after a UsageError.
            raise click.UsageError(f"{refused.text}; {refused.hint}") from None

    chosen: str = click.prompt(f"Next (a file, {TAKE} or {STOP})", default=following, value_proc=meant, err=True)
    return chosen


def _echo(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(wrap(line, "    "), err=True)


RULINGS = "rulings"
"""The folder of a home with the rulings that GMs write in their editors, one folder per turn."""


@command("pbem ruling king1 --edit", (SubmitRuling, DropRuling, RestoreRuling))
@campaign
@click.argument("folder", type=FOLDER, required=False)
@click.option("--edit", is_flag=True, help="Write the ruling in your editor, and submit it.")
@click.option("--form", type=FOLDER, metavar="FOLDER", help="Write the files of the ruling into this folder.")
@click.option("--force", is_flag=True, help="With --form: write files anew that are there already.")
@click.option("--drop", is_flag=True, hidden=True)
@restore_option
def ruling(
    call: Call,
    name: str,
    *,
    folder: Path | None,
    edit: bool,
    form: Path | None,
    force: bool,
    drop: bool,
    restore: int | None,
) -> None:
    """Show, write or submit the ruling on the open turn.

    The files in FOLDER are submitted; they replace the parts of an earlier ruling that they name.
    Exits 1 if they have an error.
    """
    if sum((folder is not None, edit, form is not None, drop, restore is not None)) > 1 or (force and form is None):
        raise click.UsageError("give one of FOLDER, --edit and --form, and --force with --form alone")
    if drop:
        call.act(name, DropRuling())
    elif restore is not None:
        call.act(name, RestoreRuling(restore or None))
    elif form is not None:
        with call.open() as app:
            written = write_folder(run_query(app, name, ShowRulingForm(), call.now), form, force=force)
        call.print(written, ruling_folder_lines(written))
    elif folder is None and not edit:
        call.show(name, ShowRuling())
    else:
        with call.open() as app:
            submitted = (
                call.perform(app, name, read_folder(name, folder).taken())
                if folder is not None
                else _edit_and_submit(call, app, name)
            )
        if submitted is not None:
            call.print(submitted, render_ruling(submitted, CLI), sound=submitted.kept)


def _edit_and_submit(call: Call, app: App, name: str) -> RulingResult | None:
    """Let the GM write the ruling in an editor and submit it; return None if they go on another day."""
    form = run_query(app, name, ShowRulingForm(), call.now)
    # In the home, and for each turn, so that the GM can go on another day.
    folder = app.settings.home / RULINGS / f"{name}-{form.turn}"
    write_folder(form, folder)

    def written() -> SubmitRuling:
        # For this turn and revision alone: when the GM is done, another turn may be open (decision 13).
        return read_folder(name, folder).taken((form.turn, form.era))

    # Read as a query, which rolls no dice: else a ruling could be submitted only if they suit (decision 38).
    if not edit_ruling(form, folder, lambda: run_query(app, name, written(), call.now)):
        return None
    return call.perform(app, name, written())


@command('pbem roll king1 3d6+2 "ann storms the gate"', (RollDice,))
@campaign
@click.argument("dice", required=False)
@click.argument("label", required=False)
@click.option(
    "--turn", type=NUMBER, shell_complete=completion.turns, help="List the rolls of this turn. [default: the open one]"
)
def roll(call: Call, name: str, *, dice: str | None, label: str | None, turn: int | None) -> None:
    """Roll the campaign's dice, or list rolls.

    A roll in the open turn, for what LABEL says, is final; anyone can check it at the end.
    """
    if (dice is None) != (label is None) or (dice is not None and turn is not None):
        raise click.UsageError("give DICE and a LABEL, or neither and perhaps --turn")
    if dice is None or label is None:
        call.show(name, ShowRolls(turn))
    else:
        call.act(name, RollDice(dice, label))
