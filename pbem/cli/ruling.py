"""Commands for deciding a turn as the GM: the ruling, and dice.

A ruling is edited as one file, in as many sittings as the GM likes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from pbem.actions.base import CLI, run_query
from pbem.actions.ruling import (
    DIGEST,
    WHOLE,
    RulingForm,
    RulingResult,
    ShowRulingForm,
    SubmitRuling,
    file_name,
    format_ruling,
    has_errors,
    parse_ruling,
    read_folder,
    render_findings,
    render_ruling,
    write_folder,
)
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling, ShowRuling
from pbem.app import App
from pbem.cli.command import Call, command
from pbem.cli.lines import ruling_folder_lines
from pbem.cli.options import FOLDER, campaign, restore_option
from pbem.errors import CampaignError, StoreError
from pbem.ruleset.order_types import Finding
from pbem.text import wrap
from pbem.util import write_atomically

MARK = "; ERROR: "
"""Begins the remarks by which errors are marked in the file that a GM edits; they go when it is read again."""


def edit_ruling(path: Path, read: Callable[[Mapping[str, str]], RulingResult], *, sure: bool) -> bool:
    """Open the file with the whole ruling in the GM's editor; return True if it is to be submitted.

    After an error it is opened again, with the errors marked above their lines. The
    GM's text stays in the file, whatever happens.

    Args:
        path: The file.
        read: Returns how the files of a ruling read now. Raises CampaignError if its turn is no longer open.
        sure: Submit a ruling without an error without asking.
    """
    kept = f"Your text is kept in {path}"
    _echo([f"{kept}; pictures and files that it shows lie beside it."])
    while True:
        click.edit(filename=str(path))
        text = _without_marks(path.read_text("utf-8", errors="replace"))
        write_atomically(path, text.encode())
        try:
            taken = read(parse_ruling(text.splitlines())) if _is_whole(text) else None
        except StoreError:
            raise
        except CampaignError as error:
            raise CampaignError(f"{error}. {kept}") from None
        found = taken.findings if taken else _NO_FILE
        if taken and not has_errors(found):  # what has to be confirmed is shown and asked about when it is submitted
            return sure or taken.asks or click.confirm("Submit it?", default=True, err=True)
        _echo([line for file, findings in found.items() for line in render_findings(file, findings)])
        write_atomically(path, _with_marks(text, found).encode())
        if not click.confirm("Edit it again?", default=True, err=True):
            _echo([f"Nothing has changed. {kept}; go on with: --edit"])
            return False


_LOOSE = Finding(1, "error", "no-file", "words above the first FILE belong to no file", "write FILE all above them")
_NO_FILE: Mapping[str, tuple[Finding, ...]] = {WHOLE: (_LOOSE,)}


def _is_whole(text: str) -> bool:
    """Return True if nothing but remarks stands above the first file."""
    try:
        return bool(parse_ruling(text.splitlines()))
    except CampaignError:
        return False


def _without_marks(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith((MARK, f"# {MARK[2:]}")))


def _with_marks(text: str, found: Mapping[str, Sequence[Finding]]) -> str:
    """Return the text of a ruling with its errors as remarks above their lines, or above all."""
    errors: dict[tuple[str, int], list[str]] = {}
    for file, findings in found.items():
        for each in findings:
            if each.severity == "error":
                hint = f" ({each.hint})" if each.hint else ""
                errors.setdefault((file, each.line), []).append(f"{each.text}{hint}".replace("\n", " "))
    marked: list[str] = []
    file, number = "", 0
    for line in text.splitlines():
        name = file_name(line)
        file, number = (name, 0) if name else (file, number + 1)
        remarks = [f"{MARK}{error}" for error in errors.pop((file, number), ())]
        # What is wrong with a file as a whole stands below its FILE line, as a remark of that file.
        marked += [line, *remarks] if name else [*remarks, line]
    above = [f"# {MARK[2:]}{error}" for some in errors.values() for error in some]
    return "\n".join([*above, *marked, ""])


def _echo(lines: Sequence[str]) -> None:
    for line in lines:
        click.echo(wrap(line, "    "), err=True)


RULINGS = "rulings"
"""The folder of a home with the rulings that GMs write in their editors, one folder per turn."""


@command(
    "pbem ruling king1 --edit",
    (SubmitRuling, DropRuling, RestoreRuling),
    help="The files in FOLDER are submitted; they replace the parts of an earlier ruling that they name. Exits 1 "
    "if they have an error.",
)
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
                call.perform(app, name, read_folder(name, folder).submission())
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
    path = folder / WHOLE
    _prepare(form, folder)

    def written() -> SubmitRuling:
        # For this turn and revision alone: when the GM is done, another turn may be open (decision 13).
        return read_folder(name, folder).submission((form.turn, form.revision))

    def read(files: Mapping[str, str]) -> RulingResult:
        # Read as a query, which rolls no dice: else a ruling could be submitted only if they suit (decision 38).
        return run_query(app, name, replace(written(), files=files), call.now)

    if not edit_ruling(path, read, sure=call.sure):
        return None
    return call.perform(app, name, written())


def _prepare(form: RulingForm, folder: Path) -> None:
    """Write the sheets and the file with the whole ruling, unless the GM has begun it; then tell of later sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DIGEST).write_text(form.digest, encoding="utf-8")
    path = folder / WHOLE
    if not path.exists():
        write_atomically(path, format_ruling(form.files).encode())
    text = path.read_text("utf-8", errors="replace")
    late = [file for file, said in form.files.items() if (sheet := _leading_remarks(said)) and sheet not in text]
    if late:
        # The GM's text stays as it is, so the new sheet is in the digest alone.
        _echo([f"Other sheets than those in your text have come by now for {', '.join(late)}: see {folder / DIGEST}"])
        click.pause(err=True)


def _leading_remarks(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(lines[: next((at for at, line in enumerate(lines) if not line.startswith(";")), len(lines))])
