"""The command line: one module for each group of commands. Only here application and games meet."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.util import gc_paused

with gc_paused(for_good=True):  # collecting garbage among all that is imported here took a fifth of the start
    from pbem import __version__
    from pbem.cli import campaigns, demo, games, home, mail, service, turns, verify
    from pbem.cli.campaigns import TYPED
    from pbem.cli.options import Commands, home_option
    from pbem.games import installed_games


@click.group(
    cls=Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "obj": installed_games(),
        # Here, since no other module may know a game by its name.
        "default_map": {"demo": {"game": "singularity_trap"}},
    },
)
@click.version_option(__version__, package_name="pbem", prog_name="pbem")
@home_option
def main(home: Path | None) -> None:
    """Play-by-email turns: order sheets in by mail, batch turns, personal reports out."""


main.add_section("Try it", demo.demo, games.games, games.rules, games.check, games.desk)
main.add_section("A home", home.init, home.migrate, home.doctor)
main.add_section("Backup", home.backup, home.check_backup, home.restore, home.reopen)
main.add_section("A campaign that moves", home.export_campaign_, home.import_campaign_)
main.add_section("A campaign", campaigns.new, TYPED["start"], campaigns.gm, campaigns.policy, TYPED["journal"])
main.add_section("Who plays", campaigns.invite, campaigns.seat)
main.add_section("Every day", service.tick, service.serve, service.worker, service.run, service.status, service.stats)
main.add_section("Mail", mail.letters, mail.outbox)
main.add_section("Deadlines", TYPED["deadline"], TYPED["extend"], TYPED["hold"], TYPED["release"])
main.add_section("Words to players", campaigns.text, campaigns.press, campaigns.answer)
main.add_section("The open turn", turns.preview, turns.sheet, turns.adjudicate, turns.state, turns.patch)
main.add_section("Dice of the GM", TYPED["roll"], TYPED["rolls"])
main.add_section("The past", TYPED["rollback"], TYPED["forward"], turns.rerun, TYPED["mend"], turns.fork)
main.add_section("A site", service.site)
main.add_section("Proof", verify.replay, verify.verify)
main.add_section("A game or client of your own", games.ruleset, games.print_schema)
