"""The help command: of topics, and of commands as their own option prints it."""

from __future__ import annotations

from collections.abc import Sequence

import click

from pbem.cli.command import SHOWS, Call, command
from pbem.cli.topics import TOPICS


@command("pbem help schedule", SHOWS, name="help", hidden=True)
@click.argument("about", metavar="[TOPIC|COMMAND]..", nargs=-1)
@click.pass_context
def help_(ctx: click.Context, call: Call, about: tuple[str, ...]) -> None:
    topic = " ".join(about)
    lines = list(TOPICS[topic]()) if topic in TOPICS else [_help_of(ctx, about)]
    call.print({"topic": topic, "text": "\n".join(lines)}, lines, paged=True)


def _help_of(ctx: click.Context, words: Sequence[str]) -> str:
    """Return the help of a command, or that of all. Raises UsageError if there is none."""
    within = ctx.find_root()
    shown = within.command
    for word in words:
        found = shown.get_command(within, word) if isinstance(shown, click.Group) else None
        if found is None:
            raise click.UsageError(f"no topic or command {' '.join(words)!r}. Topics: {', '.join(TOPICS)}")
        shown, within = found, click.Context(found, parent=within, info_name=word)
    return shown.get_help(within)
