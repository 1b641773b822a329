"""Commands for correcting mistakes: sheets, the last turn again, earlier turns, the state, and copies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import click

from pbem.actions import fork as forking
from pbem.actions.arguments import read_number
from pbem.actions.base import run_action, run_query
from pbem.actions.open_turn import EnterSheet, PreviewTurn, render_receipt
from pbem.actions.rerun import EditState, RerunTurn, ShowState
from pbem.actions.rerun_plan import RerunChanges
from pbem.app import init_home, open_app
from pbem.campaign.order_sheets import Lines
from pbem.cli import completion
from pbem.cli.command import Call, command
from pbem.cli.options import FOLDER, TURN, campaign, sheets_option
from pbem.cli.sheet_files import sheet_lines
from pbem.ruleset.serialization import parse_json
from pbem.ruleset.values import SeatName


@command(
    "pbem rerun trap7 --sheet red=red.txt",
    (RerunTurn,),
    help="It has the same dice; only those whose report changes get a corrected one. For an older turn roll the "
    "campaign back first, enter the sheets, and run it.",
)
@campaign
@sheets_option
@click.option("--without-patch", is_flag=True, help="Leave out what you changed of the state by hand.")
def rerun(call: Call, name: str, *, sheets: dict[str, str], without_patch: bool) -> None:
    call.act(name, RerunTurn(RerunChanges(sheets=_read_sheets(call, name, sheets), drop_patch=without_patch)))


@command(
    "pbem state trap7 > state.json", (EditState,), help="FILE has the wanted state, or a JSON Patch (RFC 6902) of it."
)
@campaign
@click.argument("file", type=click.File("rb"), required=False)
@click.option("--edit", is_flag=True, help="Change it in your editor.")
def state(call: Call, name: str, *, file: BinaryIO | None, edit: bool) -> None:
    if edit and file is not None:
        raise click.UsageError("give a FILE or --edit")
    if file is not None:
        call.act(name, EditState(_read_json(file.read().decode("utf-8-sig", "replace"))))
        return
    with call.open() as app:
        shown = run_query(app, name, ShowState(), call.now)
        written = click.edit(shown.text, extension=".json") if edit else None
    if not edit:
        call.print({"campaign": name, "turn": shown.turn, "state": shown.state}, [shown.text], paged=True)
    elif written is None:
        call.print({}, ["Nothing to do: the state was not changed."])
    else:
        call.act(name, EditState(_read_json(written)))


def _read_json(text: str) -> Any:
    try:
        # Arrays nested too deep raise RecursionError.
        return parse_json(text)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"it is not JSON: {error}", param_hint="FILE") from None


@command(
    "pbem fork trap7 4 trial --compare",
    (forking.ForkCampaign,),
    help="The copy is in a home of its own in FOLDER, and can mail nobody.",
)
@campaign
@click.argument("turn", type=TURN, shell_complete=completion.turns)
@click.argument("folder", type=FOLDER)
@sheets_option
@click.option("--compare", is_flag=True, help="Show how its reports would differ from those really mailed.")
def fork(call: Call, name: str, *, turn: int, folder: Path, sheets: dict[str, str], compare: bool) -> None:
    given = _read_sheets(call, name, sheets)
    with call.open() as app:
        # Asked and checked before a home is made in FOLDER.
        run_query(app, name, forking.ShowFork(turn), call.now)
        call.ask_before(app, name, forking.ForkCampaign(turn))
        settings = init_home(folder, app.settings.address)
        forking.copy_templates(app, settings.home)
        with open_app(settings.home, call.games) as there:
            forked = run_action(app, name, forking.ForkCampaign(turn, there), call.now)
            receipts = {
                seat: run_action(there, name, EnterSheet(seat, lines), call.now) for seat, lines in given.items()
            }
            compared = None
            if compare:
                # A fork has the real dice: it is compared with what was really mailed (decision 16).
                made = run_query(there, name, PreviewTurn(real_dice=True), call.now)
                compared = run_query(app, name, forking.Compare(there, made), call.now)
    lines = [
        f"{forked.campaign} is copied to {settings.home}, with turn {forked.turn} open. It sends no mail.",
        *forking.render_forked(forked),
        *(line for receipt in receipts.values() for line in render_receipt(receipt)),
        *(forking.render_compared(compared) if compared else ()),
        f"Next: pbem --home {settings.home} preview {name}",
    ]
    facts = {"home": settings.home, "forked": forked, "sheets": sorted(receipts), "compared": compared}
    call.print(facts, lines)


_MESSAGE = "inbox:"
"""Prefix of the number of a received message in the place of a file."""


def _read_sheets(call: Call, name: str, sheets: Mapping[SeatName, str]) -> dict[SeatName, Lines]:
    return {seat: _read_sheet(call, name, seat, source) for seat, source in sheets.items()}


def _read_sheet(call: Call, name: str, seat: SeatName, source: str) -> Lines:
    """Return the lines of a file, or with "inbox:20" those of a message that was received."""
    if not source.startswith(_MESSAGE):
        return sheet_lines(Path(source).read_bytes(), name)
    number = read_number(source.removeprefix(_MESSAGE))
    from pbem.inbox.late_sheets import lines_of_message

    with call.open() as app, app.store.reading() as session:
        return lines_of_message(app, session, name, seat, number)
