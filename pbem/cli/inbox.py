"""The inbox command."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.actions.weight import Harmless
from pbem.cli.command import Call, command
from pbem.cli.options import FOLDER, NUMBER
from pbem.config import load_settings
from pbem.store.plain import has_no_messages

NO_MESSAGES = "No such messages."


@command("pbem inbox 12 --retry", Harmless("a quarantined message is tried again, and stays if it fails"))
@click.argument("wanted", type=NUMBER, metavar="[ID]", required=False)
@click.option("--retry", is_flag=True, help="Let the next tick process the message again.")
@click.option(
    "--save",
    type=FOLDER,
    is_flag=False,
    flag_value=".",
    help="Write text, head and files into this folder, or here.",
)
@click.option("--quarantined", "state", flag_value="quarantined", help="List only messages that were not processed.")
@click.option("--limit", type=NUMBER, default=50, show_default=True, help="List the newest so many.")
def inbox(
    call: Call,
    *,
    wanted: int | None,
    retry: bool,
    save: Path | None,
    state: str | None,
    limit: int,
) -> None:
    if ((retry or save) and wanted is None) or (retry and save) or (state and wanted is not None):
        raise click.UsageError("--retry or --save needs an ID, and --quarantined none")
    if wanted is None and has_no_messages(load_settings(call.home).database):
        call.print({"messages": (), "total": 0}, [NO_MESSAGES])
        return
    with call.open() as app:
        from pbem.admin import mail
        from pbem.cli import lines

        if wanted is None:
            listed = mail.list_messages(app.store, state, limit=limit)
            call.print(listed, lines.message_lines(listed) if listed.messages else [NO_MESSAGES], paged=True)
        elif retry:
            mail.retry_message(app.store, wanted)
            said = f"Done: message {wanted} is processed again by the next tick."
            call.print({"retried": [wanted]}, [said])
        elif save is not None:
            head = lines.head_lines(mail.show_message(app.store, wanted))
            saved = mail.save_message(app.store, wanted, save, head)
            call.print(saved, lines.saved_lines(saved))
        else:
            message = mail.show_message(app.store, wanted)
            call.print(message, lines.shown_lines(message), paged=True)
