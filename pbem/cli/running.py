"""Commands for running a campaign: deadlines, house rules, holds, turns, seats and words to players."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.actions.base import CLI, run_action, run_query
from pbem.actions.deadlines import (
    ReleaseCampaign,
)
from pbem.actions.open_turn import Preview, PreviewRealDice, PreviewTurn, write_preview
from pbem.actions.run_turn import RequestRun
from pbem.actions.settings import ChangeGm, MailToken, NameGm, ShowGm
from pbem.admin.health import home_status, require_active
from pbem.app import App
from pbem.cli import completion
from pbem.cli.command import Call, command
from pbem.cli.lines import preview_facts, preview_folder_lines
from pbem.cli.options import FOLDER, campaign
from pbem.cli.output import print_error, print_lines, progress
from pbem.cli.tick import print_tick
from pbem.errors import PbemError
from pbem.scheduler.tick import run_campaign_now
from pbem.scheduler.worker_status import has_workers


@command("pbem release trap7", (ReleaseCampaign,))
@click.argument("name", required=False, shell_complete=completion.campaigns)
@click.option("--all", "every", is_flag=True, help="Release all campaigns that are on hold.")
def release(call: Call, name: str | None, *, every: bool) -> None:
    if every == (name is not None):
        raise click.UsageError("give a NAME or --all")
    if name is not None:
        call.act(name, ReleaseCampaign())
        return
    with call.open() as app:
        names = [each.name for each in home_status(app).campaigns if each.hold and not each.moved_to]
        released = [each for each in names if _release(call, app, each)]
    lines = [] if call.as_json or names else ["Nothing to do: no campaign is on hold."]
    call.print({"released": released}, lines, sound=len(released) == len(names))


def _release(call: Call, app: App, name: str) -> bool:
    """Release one of several campaigns; return False, and print the reason, if that cannot be done."""
    wish = ReleaseCampaign()
    try:
        facts = call.perform(app, name, wish)
    except PbemError as error:
        print_error(f"Not done: {name}: {error}")
        return False
    if not call.as_json:
        print_lines(wish.render(facts, CLI))
    return True


@command("pbem run trap7", (RequestRun,), log=True)
@campaign
def run(call: Call, name: str) -> None:
    with call.open() as app, progress() as bar:
        require_active(app)
        call.ask_before(app, name, RequestRun())
        done = run_campaign_now(app, name, call.now, progress=bar)
        # Workers share the lock that a tick takes alone, so the run is left to them (decision 22).
        if done.busy and has_workers(app):
            wish = RequestRun()
            asked = run_action(app, name, wish, call.now)
            call.print(asked, wish.render(asked, CLI))
            return
    print_tick(call, done, sound=not done.busy)


@command("pbem preview trap7 --to look", (PreviewRealDice,))
@campaign
@click.option("--to", type=FOLDER, help="Write all reports into this folder.")
@click.option("--real-dice", is_flag=True, help="Roll the dice that the turn will have; the next reports tell it.")
def preview(call: Call, name: str, *, to: Path | None, real_dice: bool) -> None:
    with call.open() as app:
        if real_dice:
            made = call.perform(app, name, PreviewRealDice())
            assert isinstance(made, Preview)
        else:
            made = run_query(app, name, PreviewTurn(), call.now)
    lines = [*PreviewTurn().render(made, CLI), *(preview_folder_lines(write_preview(made, to)) if to else ())]
    call.print(preview_facts(made), lines, paged=True)


@command("pbem gm trap7 --token", (ChangeGm, NameGm, MailToken))
@campaign
@click.option("--token", is_flag=True, help="Mail the GM a new token, with which they run the campaign by mail.")
@click.option("--address", help="From now on this is the GM's address; the old token is void.")
@click.option("--name", "called", metavar="TEXT", help="The GM's name, which mails show beside the address.")
def gm(call: Call, name: str, *, token: bool, address: str | None, called: str | None) -> None:
    # The address first, as it voids the token: a new one goes to the new address.
    wishes = [
        *([ChangeGm(address)] if address else ()),
        *([] if called is None else [NameGm(called)]),
        *([MailToken()] if token else ()),
    ]
    if not wishes:
        call.show(name, ShowGm())
        return
    with call.open() as app:
        done = [call.perform(app, name, wish) for wish in wishes]
    call.print(done[-1], wishes[-1].render(done[-1], CLI))
