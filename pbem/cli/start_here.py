"""The first commands of a GM: a home, a campaign, and a backup."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.actions.create import LAST_TURN, NewCampaign, create_campaign, read_data, read_texts, render_created
from pbem.actions.weight import Harmless
from pbem.admin.doctor import run_checks
from pbem.admin.round_trip import send_test
from pbem.app import init_home
from pbem.backup.create import create_backup
from pbem.cli import completion
from pbem.cli.command import NEW, SHOWS, Call, cli_channel, command
from pbem.cli.lines import checked_lines, diagnosis_lines, game_facts, game_lines, made_lines
from pbem.cli.options import FILE, FOLDER, NUMBER, campaign, pairs_option
from pbem.cli.output import print_error, progress
from pbem.config import load_settings
from pbem.games import find_game, rulebook


@command(
    "pbem init home --address orders@example.org",
    NEW,
    help="A home in FOLDER that is there already is brought up to this version.",
)
@click.argument("folder", type=FOLDER, default=Path())
@click.option("--address", show_default="orders@example.org", help="The address players write to.")
def init(call: Call, folder: Path, address: str | None) -> None:
    settings = init_home(folder, address or "orders@example.org")
    kept = address not in (None, settings.address)
    lines = [
        f"{settings.home} is ready: pbem.toml, database, mail folders and archive.",
        f"Players write to {settings.address}.",
        *([f"Its pbem.toml was there already: for {address}, change the line address in it."] if kept else ()),
        "Next: pbem new",
    ]
    call.print({"home": settings.home, "address": settings.address}, lines)


@command(
    "pbem doctor",
    Harmless("it only shows, or mails a test to an address that is given"),
    help="Exits 1 if there is a problem.",
)
@click.option("--send", "to", metavar="ADDRESS", help="Mail a test there; the doctor tells of the reply.")
def doctor(call: Call, to: str | None) -> None:
    if to is not None:
        with call.open() as app:
            send_test(app, to, call.now)
    with progress() as bar:
        # The folder alone is given: what keeps a home from being opened is to be named, too.
        diagnosis = run_checks(call.home, call.now, call.games, progress=bar)
    call.print(diagnosis, diagnosis_lines(diagnosis), sound=not diagnosis.problems)


@command("pbem games harvester --rules", SHOWS)
@click.argument("key", required=False, shell_complete=completion.games)
@click.option("--rules", is_flag=True, help="Print the rulebook.")
def games(call: Call, key: str | None, *, rules: bool) -> None:
    if rules and key is None:
        raise click.UsageError("name the game whose rules to print")
    if rules:
        text = rulebook(find_game(call.games, key or ""))
        call.print({"key": key, "rules": text}, [text], paged=True)
        return
    shown = list(call.games.usable().values()) if key is None else [find_game(call.games, key)]
    call.print({"games": game_facts(shown, call.games)}, game_lines(shown), paged=True)
    # On standard error: standard output may be JSON.
    for fault in call.games.faults().values() if key is None else ():
        print_error(f"\nNot here: {fault}")


@command(
    'pbem new trap7 --game singularity_trap --gm gm@example.org --schedule "FRI 20:00 Europe/Berlin" --open 2', NEW
)
@campaign
@click.option("--game", required=True, metavar="KEY", shell_complete=completion.games, help="The game; see: pbem games")
@click.option("--gm", required=True, metavar="ADDRESS", help="The GM's address.")
@click.option("--schedule", required=True, help='When turns are due, like "FRI 20:00 Europe/Berlin" or "EVERY 12h".')
@pairs_option("--seat", "seats", "SEAT=ADDRESS", "A seat with its player; may be repeated.")
@click.option("--open", "open_seats", default=0, type=click.IntRange(0), help="So many seats more, to be taken later.")
@pairs_option("--option", "options", "NAME=VALUE", "An option of the game; see: pbem games KEY")
@pairs_option("--set", "rules", "RULE=VALUE", "A house rule; see: pbem help house-rules", completion.house_rules)
@click.option("--title", metavar="TEXT", help="The campaign's name in status and mails. [default: the game's title]")
@click.option("--state", type=FILE, help="Go on from this state of a game begun elsewhere; see: pbem state")
@click.option("--from", "texts", type=FOLDER, help="Go on from the texts in this folder, in a game that its GM judges.")
@click.option("--turn", type=click.IntRange(1, LAST_TURN), help="The number of the first turn, with --state or --from.")
def new(
    call: Call,
    *,
    name: str,
    game: str,
    gm: str,
    schedule: str,
    seats: dict[str, str],
    open_seats: int,
    options: dict[str, str],
    rules: dict[str, str],
    title: str | None,
    state: Path | None,
    texts: Path | None,
    turn: int | None,
) -> None:
    if state and texts:
        raise click.UsageError("--state and --from cannot go together: a game goes on from one of them")
    given = {"title": title} if title else {}
    wanted = NewCampaign(
        name=name,
        game=game,
        gm=gm,
        seats=tuple(seats.items()),
        deadline=schedule,
        options=options,
        policy={**given, **rules},
        open=open_seats,
        state=read_data(state) if state else None,
        texts=read_texts(texts) if texts else None,
        turn=turn,
    )
    with call.open() as app:
        created = create_campaign(app, wanted, call.now)
        lines = list(render_created(name, created, cli_channel(app)))
    call.print({"campaign": name, "created": created}, lines)


@command(
    "pbem backup /backup --keep 14",
    Harmless("it overwrites nothing, and --keep removes backups older than those that it asks for"),
    help="The home may be at work meanwhile.",
)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE|FOLDER")
@click.option("--keep", type=NUMBER, help="Into a FOLDER: keep so many of the newest there, and remove older ones.")
@click.option("--with-secrets", is_flag=True, help="Include key files: that of DKIM, and those that commands name.")
@click.option(
    "--verify/--no-verify", default=True, help="Verify the backup before older ones are removed. [default: on]"
)
def backup(call: Call, file: Path, *, keep: int | None, with_secrets: bool, verify: bool) -> None:
    # Not opened, which needs a database of this version: homes of any older one can be copied.
    settings = load_settings(call.home)
    with progress() as bar:
        made = create_backup(
            settings,
            file,
            call.now,
            keep=keep or 0,
            with_secrets=with_secrets,
            games=call.games if verify else None,
            progress=bar,
        )
    checked = made.verified
    lines = [*made_lines(made), *(checked_lines(checked) if checked else ())]
    call.print(made, lines, sound=not (checked and checked.problems))
