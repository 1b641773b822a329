"""The command line: one module for each section of its help. Only here application and games meet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from pbem.util import gc_paused

with gc_paused(for_good=True):  # collecting garbage among all that is imported here took a fifth of the start
    from pbem import __version__
    from pbem.cli import bots, correcting, mail, programmers, ruling, running, start_here
    from pbem.cli.call import Call
    from pbem.cli.command import SHOWS, Main, command
    from pbem.cli.completion import install_completion
    from pbem.cli.demo import demo
    from pbem.cli.options import FOLDER
    from pbem.cli.output import print_lines
    from pbem.cli.topics import TOPICS
    from pbem.cli.verify import verify
    from pbem.games import installed_games


def _install_completion(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        print_lines(install_completion())
        ctx.exit()


@click.group(
    cls=Main,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "obj": installed_games(),
        # Here, since no other module may know a game by its name.
        "default_map": {"demo": {"game": "singularity_trap"}},
    },
)
@click.option("--home", type=FOLDER, metavar="DIR", help="Home to use [default: nearest with pbem.toml]")
@click.version_option(__version__, package_name="pbem", prog_name="pbem", help="Print the version")
@click.option(
    "--install-completion",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_install_completion,
    help="Complete commands and names in this shell",
)
@click.help_option("-h", "--help", help=f'Print help; "pbem help TOPIC": {", ".join(TOPICS)}')
def main(home: Path | None) -> None:
    """Play-by-email turn processor: orders and reports go by mail."""


main.add_section(
    "Start here",
    *(demo, start_here.init, start_here.doctor, start_here.games, start_here.new),
    *(start_here.invite, start_here.start, start_here.tick, start_here.status, start_here.backup),
)
main.add_section(
    "Running a campaign",
    *(running.deadline, running.set_, running.hold, running.release, running.run, running.preview),
    *(running.seat_group, running.announce, running.answer, running.gm, running.journal),
)
main.add_section("Deciding a turn as the GM", ruling.ruling, ruling.roll)
main.add_section(
    "Correcting mistakes",
    *(correcting.undo, correcting.sheet, correcting.rerun, correcting.rollback, correcting.state, correcting.fork),
)
main.add_section(
    "Mail, moving and proof",
    *(mail.inbox, mail.outbox, mail.serve, mail.site, mail.restore, mail.export, mail.import_, verify, mail.migrate),
)
main.add_section("Players and programmers", programmers.check, bots.arena, bots.bot, programmers.dev)
main.add_command(correcting.forward)


@command("pbem help schedule", SHOWS, name="help", hidden=True)
@click.argument("about", metavar="[TOPIC|COMMAND]..", nargs=-1)
@click.pass_context
def help_(ctx: click.Context, call: Call, about: tuple[str, ...]) -> None:
    """Print the help of a topic or a command."""
    topic = " ".join(about)
    lines = list(TOPICS[topic]()) if topic in TOPICS else [_help_of(ctx, about)]
    call.print({"topic": topic, "text": "\n".join(lines)}, lines, paged=True)


def _help_of(ctx: click.Context, words: Sequence[str]) -> str:
    """Return the help of a command, or that of all. Raises UsageError if there is none."""
    shown: click.Command = main
    within = ctx.find_root()
    for word in words:
        found = shown.get_command(within, word) if isinstance(shown, click.Group) else None
        if found is None:
            raise click.UsageError(f"no topic or command {' '.join(words)!r}. Topics: {', '.join(TOPICS)}")
        shown, within = found, click.Context(found, parent=within, info_name=word)
    return shown.get_help(within)


main.add_command(help_)
