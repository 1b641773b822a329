"""The command line: one module for each section of its help. Only here application and games meet."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.util import gc_paused

with gc_paused(for_good=True):  # collecting garbage among all that is imported here took a fifth of the start
    from pbem import __version__
    from pbem.cli import correcting, mail, programmers, ruling, running, start_here
    from pbem.cli.command import Main
    from pbem.cli.demo import demo
    from pbem.cli.options import FOLDER
    from pbem.cli.verify import verify
    from pbem.games import installed_games


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
main.add_section("Players and programmers", programmers.check, programmers.dev)
main.add_command(correcting.forward)
