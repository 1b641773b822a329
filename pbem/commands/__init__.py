"""The command line, a module a theme: each command is a thin function. Here alone host and games meet."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.util import rubbish_left

with rubbish_left(for_good=True):  # to look for some in all that is read here took a fifth of the start
    from pbem import __version__
    from pbem.commands import (
        backup,
        campaigns,
        games,
        house,
        mail,
        past,
        people,
        press,
        proof,
        rulesets,
        running,
        site,
        turns,
    )
    from pbem.commands.group import Commands
    from pbem.commands.options import home_option
    from pbem.commands.typed import TYPED
    from pbem.games import installed_games


@click.group(
    cls=Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "obj": installed_games(),
        "default_map": {"demo": {"game": "singularity_trap"}},
    },
)
@click.version_option(__version__, package_name="pbem", prog_name="pbem")
@home_option
def main(home: Path | None) -> None:
    """Play-by-email turns: order sheets in by mail, batch turns, personal reports out."""


main.add_section("Try it", games.demo, games.games, games.rules, games.check, games.desk)
main.add_section("A home", house.init, house.migrate, house.doctor)
main.add_section("Backup", backup.backup, backup.check_backup, backup.restore, backup.reopen)
main.add_section("A campaign that moves", backup.export_campaign_, backup.import_campaign_)
main.add_section("A campaign", campaigns.new, TYPED["start"], campaigns.gm, campaigns.policy, TYPED["journal"])
main.add_section("Who plays", people.invite, people.seat)
main.add_section("Every day", running.tick, running.serve, running.worker, running.run, running.status, running.stats)
main.add_section("Mail", mail.letters, mail.outbox)
main.add_section("Deadlines", TYPED["deadline"], TYPED["extend"], TYPED["hold"], TYPED["release"])
main.add_section("Words to players", press.text, press.press)
main.add_section("The open turn", turns.preview, turns.sheet, turns.adjudicate, turns.state, turns.patch)
main.add_section("Dice of the GM", TYPED["roll"], TYPED["rolls"])
main.add_section("The past", TYPED["rollback"], TYPED["forward"], past.rerun, TYPED["mend"], past.fork)
main.add_section("A site", site.site)
main.add_section("Proof", proof.replay, proof.verify)
main.add_section("A game or client of your own", rulesets.ruleset, rulesets.print_schema)
