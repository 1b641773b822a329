"""The command line: which commands there are, and in which module. Only here application and games meet.

A command's module imports at its top what all its commands need; a function imports
what it alone needs, if that takes long. tests/cli/test_imports.py says what the help,
an idle tick and the status do without.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Mapping
from pathlib import Path

import click

from pbem import __version__
from pbem.cli.group import Main
from pbem.cli.output import print_lines
from pbem.cli.topics import TOPICS
from pbem.verbs import BY_TOPIC, VERBS

# At its end Python would look for garbage among all that was imported: a third of the time of an idle tick.
atexit.register(gc.freeze)


_BY_HAND = {
    "status": "status",
    **dict.fromkeys(("release", "run", "preview"), "running"),
    "ruling": "ruling",
    **dict.fromkeys(("rerun", "state", "fork"), "correcting"),
}
"""Modules of the commands for actions that take more than the words of a mail."""

_ELSEWHERE = ("invite", "start", "status", "journal")
"""Actions that stand in a section of their own choice."""


def _actions(*words: str) -> Mapping[str, tuple[str, str]]:
    """Return commands for actions, with their modules; their summaries are those of `pbem.verbs`."""
    return {word: (_BY_HAND.get(word, "worded"), VERBS[word].summary) for word in words}


def _actions_of(*topics: str) -> Mapping[str, tuple[str, str]]:
    """Return the commands for the actions of some topics, but for those in another section."""
    return _actions(*(verb.word for topic in topics for verb in BY_TOPIC[topic] if verb.word not in _ELSEWHERE))


COMMANDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Start here": {
        "demo": ("demo", "Play a campaign with bots, to see everything at work"),
        "init": ("start_here", "Create a home: settings, database, mail folders"),
        "doctor": ("start_here", "Check the installation and say how to fix problems"),
        "games": ("start_here", "List the games; show the options or rules of one"),
        "new": ("start_here", "Create a campaign"),
        **_actions("invite", "start"),
        "tick": ("tick", "Do all that is due: read mail, run turns, send mail"),
        **_actions("status"),
        "backup": ("start_here", "Write a backup of the home"),
    },
    "Running a campaign": {
        **_actions_of("Time and turns", "Seats", "Words to players"),
        "gm": ("running", "Show or change the GM; send the GM a new token"),
        **_actions("journal"),
    },
    "Deciding a turn as the GM": _actions_of("Deciding a turn"),
    "Correcting mistakes": _actions_of("Correcting mistakes"),
    "Mail, moving and proof": {
        "inbox": ("inbox", "List messages received; show, save or retry one"),
        "outbox": ("mail", "List mail not delivered; send it again"),
        "serve": ("mail", "Do what tick does, continuously"),
        "site": ("mail", "Write the web site"),
        "standings": ("mail", "Show the points and ratings of players over finished games"),
        "restore": ("mail", "Create a home from a backup, or activate it"),
        "export": ("mail", "Export a campaign to another home"),
        "import": ("mail", "Import a campaign from another home"),
        "verify": ("verify", "Verify an archive, a campaign or a backup"),
        "migrate": ("mail", "Upgrade the database to this version"),
    },
    "Players and programmers": {
        "check": ("programmers", "Check an order sheet without sending it"),
        "arena": ("bots", "Let bots play each other, and count who wins"),
        "bot": ("bots", "Answer reports by mail with a bot's order sheets"),
        "dev": ("programmers", "Start a game of your own, record one; print JSON schemas"),
    },
}
"""The sections of the help: for each command its module, and the summary with which its own help begins."""

_ANYWHERE = ("demo", "init", "games", "restore", "verify", "check", "arena", "dev", "help")
"""The commands that can do without a home."""


def _install_completion(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from pbem.cli.completion import install_completion

        print_lines(install_completion())
        ctx.exit()


@click.group(
    cls=Main,
    declared=COMMANDS,
    hidden={"help": ("help", "Print the help of a topic or a command")},
    anywhere=_ANYWHERE,
    context_settings={
        "help_option_names": ["-h", "--help"],
        # Here, since no other module may know a game by its name.
        "default_map": {"demo": {"game": "singularity_trap"}},
    },
)
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Home to use [default: nearest with pbem.toml]",
)
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
