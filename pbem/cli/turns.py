"""Commands for turns: preview, sheets, rulings, state, rerun and fork.

A ruling is edited one file after the other, in as many sittings as the GM likes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import click

from pbem.actions import fork as forking
from pbem.actions.base import CLI, DRY_RUN, run_action, run_query
from pbem.actions.fork import ShowFork
from pbem.actions.open_turn import EnterSheet, Preview, PreviewRealDice, PreviewTurn, render_receipt, write_preview
from pbem.actions.rerun import EditState, RerunTurn, ShowState
from pbem.actions.rerun_plan import RerunChanges
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
from pbem.actions.sheets import RestoreSheet, ShowSheets
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling, ShowRuling
from pbem.app import App, init_home, open_app
from pbem.campaign.order_sheets import Lines
from pbem.cli.options import (
    FOLDER,
    NUMBER,
    Command,
    F,
    clock,
    home_option,
    json_option,
    now_option,
    pairs_option,
    yes_option,
)
from pbem.cli.output import (
    act_and_print,
    ask_and_print,
    ask_before,
    copied_lines,
    known_games,
    open_home,
    perform,
    preview_folder_lines,
    print_facts,
    print_lines,
    ruling_folder_lines,
)
from pbem.inbox.sheet_finder import sheet_lines
from pbem.ruleset.fields import FieldError, match_name
from pbem.ruleset.serialization import parse_json
from pbem.ruleset.values import SeatName
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
        _echo([f"All of it is kept in {folder}; go on with: pbem adjudicate {form.campaign} --edit"])
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


def restore_option(text: str) -> Callable[[F], F]:
    """Return a decorator that gives a command its --restore, with an optional number; without it the value is 0."""
    kind = click.IntRange(0, 2**31 - 1)
    return click.option("--restore", type=kind, is_flag=False, flag_value=0, metavar="[NUMBER]", help=text)


@click.command(cls=Command)
@click.argument("name")
@click.option("--to", type=FOLDER, help="Write all reports into this folder.")
@click.option("--real-dice", is_flag=True, help="Roll the dice that the turn will have; the next reports tell it.")
@yes_option
@now_option
@home_option
def preview(name: str, to: Path | None, *, real_dice: bool, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Show what the open turn would come to if it were run now, with other dice; keep nothing, mail nobody."""
    with open_home(home) as app:
        if real_dice:
            made = perform(app, name, PreviewRealDice(), now, sure=sure)
            assert isinstance(made, Preview)
        else:
            made = run_query(app, name, PreviewTurn(), now)
    print_lines(PreviewTurn().render(made, CLI))
    if to:
        print_lines(preview_folder_lines(write_preview(made, to)))


@click.command(cls=Command)
@click.argument("name")
@click.argument("seat", required=False)
@click.argument("file", type=click.File("rb"), required=False)
@restore_option("Enter an earlier sheet again. [default: the newest that does not count]")
@yes_option
@now_option
@home_option
def sheet(
    *,
    name: str,
    seat: str | None,
    file: BinaryIO | None,
    restore: int | None,
    sure: bool,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Enter the order lines in FILE as a seat's sheet for the open turn; its player gets the receipt.

    Without FILE, show the seat's sheets; without SEAT, those of all.
    """
    if restore is not None and (file is not None or seat is None):
        raise click.UsageError("name a SEAT with --restore, and no FILE")
    if seat is None or (file is None and restore is None):
        ask_and_print(home, name, ShowSheets(seat), now)
    elif file is not None:
        act_and_print(home, name, EnterSheet(seat, sheet_lines(file.read(), name)), now, sure=sure)
    else:
        act_and_print(home, name, RestoreSheet(seat, restore or None), now, sure=sure)


@click.command(cls=Command)
@click.argument("name")
@click.argument("folder", type=FOLDER, required=False)
@click.option("--edit", is_flag=True, help="Write the ruling in your editor, one file after the other.")
@click.option("--take", is_flag=True, help="Read the files as the ruling on the open turn.")
@click.option("--force", is_flag=True, help="Write files anew that are there already.")
@click.option("--drop", is_flag=True, help="Let the ruling count no more; the turn waits for another.")
@restore_option("Bring an earlier ruling back. [default: the newest that does not count]")
@yes_option
@now_option
@json_option
@home_option
@click.pass_context
def adjudicate(
    context: click.Context,
    name: str,
    folder: Path | None,
    *,
    edit: bool,
    take: bool,
    force: bool,
    drop: bool,
    restore: int | None,
    sure: bool,
    now: dt.datetime,
    as_json: bool,
    home: Path | None,
) -> None:
    """Show what was ruled on the open turn, or write the files of a ruling into FOLDER, or take them.

    Files that are taken replace the parts of an earlier ruling that they name. Exits 1 if they have an error.
    """
    _check_options(folder=folder is not None, edit=edit, take=take, force=force, drop=drop, restore=restore is not None)
    if drop:
        act_and_print(home, name, DropRuling(), now, sure=sure, as_json=as_json)
        return
    if restore is not None:
        act_and_print(home, name, RestoreRuling(restore or None), now, sure=sure, as_json=as_json)
        return
    if folder is None and not edit:
        ask_and_print(home, name, ShowRuling(), now, as_json=as_json)
        return
    with open_home(home) as app:
        if folder is None:
            edited = _edit_and_submit(app, name, now, sure=sure)
            if edited is None:
                return
            taken = edited
        elif not take:
            written = write_folder(run_query(app, name, ShowRulingForm(), now), folder, force=force)
            print_facts(written, ruling_folder_lines(written), as_json=as_json)
            return
        else:
            taken = perform(app, name, read_folder(name, folder).taken(), now, sure=sure, as_json=as_json)
    print_facts(taken, render_ruling(taken, CLI), as_json=as_json)
    context.exit(0 if taken.kept else 1)


def _check_options(*, folder: bool, edit: bool, take: bool, force: bool, drop: bool, restore: bool) -> None:
    if take and force:
        raise click.UsageError("give one of --take and --force")
    if (take or force) and not folder:
        raise click.UsageError("give a FOLDER with --take or --force")
    if sum((folder, edit, drop, restore)) > 1:
        raise click.UsageError("give one of FOLDER, --edit, --drop and --restore")


def _edit_and_submit(app: App, name: str, now: dt.datetime, *, sure: bool) -> RulingResult | None:
    """Let the GM write the ruling in an editor and submit it; return None if they go on another day."""
    form = run_query(app, name, ShowRulingForm(), now)
    # In the home, and for each turn, so that the GM can go on another day.
    folder = app.settings.home / RULINGS / f"{name}-{form.turn}"
    write_folder(form, folder)

    def ruling() -> SubmitRuling:
        # For this turn and revision alone: when the GM is done, another turn may be open (decision 13).
        return read_folder(name, folder).taken((form.turn, form.era))

    # Read as a query, which rolls no dice: else a ruling could be submitted only if they suit (decision 38).
    if not edit_ruling(form, folder, lambda: run_query(app, name, ruling(), now)):
        return None
    return perform(app, name, ruling(), now, sure=sure)


@click.command(cls=Command)
@click.argument("name")
@home_option
def state(name: str, home: Path | None) -> None:
    """Print the state of the open turn as JSON, to be edited and given to `pbem patch`."""
    with open_home(home) as app:
        click.echo(run_query(app, name, ShowState(), clock()).text)


@click.command(cls=Command)
@click.argument("name")
@click.argument("file", type=click.File("rb"))
@yes_option
@now_option
@home_option
def patch(name: str, file: BinaryIO, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Change the state of the open turn to that in FILE, or by the JSON Patch (RFC 6902) in it."""
    act_and_print(home, name, EditState(_read_json(file)), now, sure=sure)


def _read_json(file: BinaryIO) -> Any:
    try:
        # An editor may have added a byte order mark; arrays nested too deep raise RecursionError.
        return parse_json(file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"it is not JSON: {error}", param_hint="FILE") from None


def sheets_option(command: F) -> F:
    """Give a command its --sheet SEAT=FILE, as often as there are seats."""
    return pairs_option("--sheet", "sheets", "SEAT=FILE", "Take the order lines in FILE as the seat's sheet.")(command)


@click.command(cls=Command)
@click.argument("name")
@sheets_option
@click.option("--without-patch", is_flag=True, help="Leave out what you changed of the state by hand.")
@click.option("--dry-run", is_flag=True, help="Only tell whose report would change.")
@yes_option
@now_option
@home_option
def rerun(
    *,
    name: str,
    sheets: dict[str, str],
    without_patch: bool,
    dry_run: bool,
    sure: bool,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Run the last turn again, with the same dice; only those whose report changes get a corrected one.

    For an older turn roll the campaign back first, enter the sheets, and run it.
    """
    wish = RerunTurn(RerunChanges(sheets=_read_sheets(name, sheets), drop_patch=without_patch))
    if not dry_run:
        act_and_print(home, name, wish, now, sure=sure)
        return
    with open_home(home) as app:
        impact = run_query(app, name, wish, now)
    print_lines(wish.render(impact, DRY_RUN))


@click.command(cls=Command)
@click.argument("name")
@click.argument("turn", type=NUMBER)
@click.argument("folder", type=FOLDER)
@sheets_option
@click.option("--compare", is_flag=True, help="Show how its reports would differ from those really mailed.")
@yes_option
@now_option
@home_option
def fork(
    *,
    name: str,
    turn: int,
    folder: Path,
    sheets: dict[str, str],
    compare: bool,
    sure: bool,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Copy a campaign, as it stood when TURN was open, into a home of its own in FOLDER, to try what if."""
    given = _read_sheets(name, sheets)
    with open_home(home) as app:
        # Asked and checked before a home is made in FOLDER.
        run_query(app, name, ShowFork(turn), now)
        ask_before(app, name, forking.ForkCampaign(turn), now, sure=sure)
        settings = init_home(folder, app.settings.address)
        forking.copy_templates(app, settings.home)
        with open_app(settings.home, known_games()) as there:
            print_lines(copied_lines(run_action(app, name, forking.ForkCampaign(turn, there), now), settings.home))
            for seat, lines in given.items():
                print_lines(render_receipt(run_action(there, name, EnterSheet(seat, lines), now)))
            if compare:
                # A fork has the real dice: it is compared with what was really mailed (decision 16).
                made = run_query(there, name, PreviewTurn(real_dice=True), now)
                question = forking.Compare(there, made)
                print_lines(question.render(run_query(app, name, question, now), CLI))


def _read_sheets(name: str, sheets: Mapping[SeatName, str]) -> dict[SeatName, Lines]:
    return {seat: sheet_lines(Path(path).read_bytes(), name) for seat, path in sheets.items()}
