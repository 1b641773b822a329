"""Commands: their declaration, shared options and help.

A command is declared with an example and its weight: the actions that it performs,
or a weight of its own. Its function is given a `Call` first, which has the options
that all commands share, then its own arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from pbem.actions.base import Change, Confirmed, Harmless, PreviewedChange, Weight
from pbem.cli.call import Call, shared_options
from pbem.cli.group import Group, refuse_repeated

Acts = tuple[type[Change[Any]], ...]

SHOWS = Harmless("it only shows")
NEW = Harmless("it writes only where nothing is")
DUE = Harmless("it does what is due, which others have asked for")

F = TypeVar("F", bound=Callable[..., Any])


class Command(click.Command):
    """Command with an example and a weight. It refuses an option given twice where the first value would be lost."""

    def __init__(
        self,
        *args: Any,
        example: str = "",
        weight: Acts | Weight = SHOWS,
        asks: bool = False,
        log: bool = False,
        json: bool = True,
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self.example, self.weight = example, weight
        acts = weight if isinstance(weight, tuple) else ()
        asks = asks or any(isinstance(act.weight, Confirmed) for act in acts)
        # A change without a dry run cannot be shown before it is done.
        dry = asks and all(issubclass(act, PreviewedChange) for act in acts)
        self.params += shared_options(asks=asks, dry=dry, log=log, json=json)

    @property
    def summary(self) -> str:
        """The first sentence of the help, as lists of commands have it."""
        return " ".join((self.help or "").partition("\n\n")[0].split()).removesuffix(".")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command. Raises UsageError if an option that takes one value is given twice."""
        refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the function with a `Call` and its own arguments."""
        assert self.callback is not None
        call, own = Call.of(ctx)
        return ctx.invoke(self.callback, call, **own)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example."""
        with formatter.section("Example"):
            # In one line, to be copied.
            formatter.write(f"{'':>{formatter.current_indent}}{self.example}\n")
        formatter.write_paragraph()
        formatter.write_text("Options of all commands: pbem help options")


def command(
    example: str, weight: Acts | Weight, *, name: str | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], Command]:
    """Return a decorator that makes a command of a function.

    Its help is the summary in `pbem.cli.COMMANDS` and what `help` adds; in a group it is the docstring.
    """
    return click.command(name, cls=Command, example=example, weight=weight, **settings)


def group(name: str, *commands: Command) -> Group:
    """Return a group of commands that its help lists in this order."""
    summaries = {str(each.name): each.summary for each in commands}
    return Group(name, commands=commands, sections={"Commands": summaries})
