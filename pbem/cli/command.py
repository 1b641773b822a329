"""Commands: their declaration, shared options and help, and one call: how it acts, asks and prints.

A command is declared with an example and its weight: the actions that it performs,
or a weight of its own. Its function is given a `Call` first, which has the options
that all commands share, then its own arguments.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from pbem.actions.weight import Confirmed, Harmless, Weight
from pbem.cli.group import Group, refuse_repeated
from pbem.cli.options import FILE, FOLDER, TimeParam
from pbem.cli.output import colour, print_document, print_lines, to_json
from pbem.config import find_home, load_settings
from pbem.util import gc_paused

if TYPE_CHECKING:
    from pbem.actions.base import Change, Channel, PreviewedChange, Query
    from pbem.app import App
    from pbem.games import InstalledGames

Acts: TypeAlias = "tuple[type[Change[Any]], ...]"

SHOWS = Harmless("it only shows")
NEW = Harmless("it writes only where nothing is")
DUE = Harmless("it does what is due, which others have asked for")

# Click exits with 1 after an error and with 2 after wrong usage.
UNSOUND = 1
"""The exit code of a command that found an error in what it was given or checked."""

UNCONFIRMED = 3
"""The exit code of a command that has changed nothing, since it needs confirmation."""

Facts = TypeVar("Facts")
F = TypeVar("F", bound=Callable[..., Any])


def clock() -> dt.datetime:
    """Return the current time."""
    return dt.datetime.now(dt.UTC)


def shared_options(*, asks: bool, dry: bool, log: bool, json: bool) -> list[click.Parameter]:
    """Return the options of `Call` for a command that asks, can be tried, writes a log or prints JSON."""
    wanted = {
        "sure": click.Option(["--yes", "sure"], is_flag=True, help="Do it without asking.") if asks else None,
        "dry_run": click.Option(["--dry-run"], is_flag=True, help="Only show what it would do.") if dry else None,
        "log": click.Option(["--log"], type=FILE, hidden=True) if log else None,
        "as_json": click.Option(["--json", "as_json"], is_flag=True, hidden=True) if json else None,
        "now": click.Option(["--now"], type=TimeParam(), hidden=True),
        "home": click.Option(["--home"], type=FOLDER, hidden=True),
        "color": click.Option(["--color/--no-color"], default=None, hidden=True),
    }
    return [option for option in wanted.values() if option is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a command. `live` if it happens at the clock's time; `sure` if what asks is done without asking."""

    now: dt.datetime
    live: bool
    own_games: InstalledGames | None = None
    own_home: Path | None = None
    log: Path | None = None
    as_json: bool = False
    sure: bool = False
    dry_run: bool = False

    @classmethod
    def of(cls, ctx: click.Context) -> tuple[Call, dict[str, Any]]:
        """Return the call that a context is for, and the command's own arguments."""
        own = dict(ctx.params)
        now, color = own.pop("now", None), own.pop("color", None)
        ctx.color = ctx.find_root().color = colour(color)
        shared = {name: own.pop(name, default) for name, default in _SHARED.items()}
        before: Path | None = ctx.find_root().params.get("home")
        home = own.pop("home", None)
        # The later one does not win: the command could change another home than was meant.
        if home and before and home != before:
            raise click.UsageError(f"--home is given twice: {before} and {home}")
        return cls(own_games=ctx.obj, now=now or clock(), live=now is None, own_home=home or before, **shared), own

    @property
    def home(self) -> Path:
        """The home that the call is for: its own --home, the one before the command, or the nearest.

        Raises:
            ConfigError: If there is none.
        """
        return self.own_home or find_home(Path.cwd())

    @property
    def games(self) -> InstalledGames:
        """The games that are installed, or those that a test gives."""
        from pbem.games import installed_games

        return installed_games() if self.own_games is None else self.own_games

    @contextmanager
    def open(self) -> Iterator[App]:
        """Open the home, and its log, until the end of the block. Raises ConfigError."""
        settings = load_settings(self.home)
        # After that, since it takes long. Collecting garbage among all that is imported took a fifth of the start.
        with gc_paused(for_good=True):
            from pbem.app import app_of
            from pbem.log import open_log

        with app_of(settings, self.games) as app, open_log(self.log or app.settings.log):
            yield app

    def show(self, name: str, question: Query[Any]) -> None:
        """Print the answer to a query on a campaign, through the pager if it is long."""
        from pbem.actions import base

        with self.open() as app:
            facts = base.run_query(app, name, question, self.now)
        self.print(facts, question.render(facts, base.CLI), paged=True)

    def act(self, name: str, wish: Change[Any]) -> None:
        """Apply a change to a campaign and print the result; ask for confirmation as in `perform`."""
        with self.open() as app:
            facts = self.perform(app, name, wish)
            lines = list(wish.render(facts, cli_channel(app)))
        self.print(facts, lines)

    def perform(self, app: App, name: str, wish: Change[Facts]) -> Facts:
        """Apply a change to a campaign, and return its facts.

        What needs confirmation is shown first, unless the caller is `sure`: at a terminal they are asked.
        Without one, or if they decline, nothing is changed and the command exits with `UNCONFIRMED`.
        """
        from pbem.actions import base

        if self.dry_run:
            assert isinstance(wish, base.PreviewedChange)
            facts: Facts = base.run_query(app, name, wish, self.now)
            self.print(facts, wish.render(facts, base.DRY_RUN), "would_do")
            raise click.exceptions.Exit(0)
        if self.sure:
            return base.run_action(app, name, wish, self.now)
        tried = base.attempt(app, name, wish, self.now)
        if tried.read_set is None:
            return tried.facts
        self.confirm(tried.facts, wish.render(tried.facts, base.ASKED if self.asks else base.DRY_RUN))
        # Only if what was shown is unchanged: a turn may have been run while the question waited (decision 38).
        return base.do_as_shown(app, name, wish.confirmed(tried.facts), self.now, tried.read_set)

    def ask_before(self, app: App, name: str, wish: PreviewedChange[Any]) -> None:
        """Ask for confirmation as in `perform`, of a change that the command then does in several steps."""
        from pbem.actions import base

        if self.dry_run:
            self.perform(app, name, wish)
        shown = None if self.sure else base.preview_confirmation(app, name, wish, self.now)
        if shown is not None and shown.read_set is not None:
            self.confirm(shown.facts, wish.render(shown.facts, base.ASKED if self.asks else base.DRY_RUN))
            base.require_as_shown(app, name, self.now, shown.read_set)

    @property
    def asks(self) -> bool:
        """True if there is a terminal at which to ask."""
        return sys.stdin.isatty() and not self.as_json

    def confirm(self, facts: Any, lines: Iterable[str]) -> None:
        """Show what would be done, and return if it is to be done.

        Raises:
            Exit: If not: with `UNCONFIRMED`, or with 0 in a dry run or where nothing would change.
        """
        if self.sure and not self.dry_run:
            return
        nothing = getattr(facts, "nothing_to_do", False)
        self.print(facts, lines, "nothing_to_do" if nothing else "would_do")
        if self.dry_run or nothing:
            raise click.exceptions.Exit(0)
        # On standard error, as standard output has the facts.
        if not (self.asks and _is_confirmed()):
            raise click.exceptions.Exit(UNCONFIRMED)

    def print(
        self, facts: Any, lines: Iterable[str], result: str = "done", *, sound: bool = True, paged: bool = False
    ) -> None:
        """Print facts as JSON for scripts, or as lines for people.

        Raises:
            Exit: With `UNSOUND`, if what was checked is not `sound`.
        """
        lines = list(lines)
        if result == "would_do" and lines and not any(line.startswith(_HEADED) for line in lines):
            lines[0] = f"Would do: {lines[0]}"
        if self.as_json:
            print_document(envelope(facts, lines, result if sound else "not_done"))
        else:
            print_lines(lines, paged=paged)
        if not sound:
            raise click.exceptions.Exit(UNSOUND)


def cli_channel(app: App) -> Channel:
    """Return the channel of the command line, which knows whether a service runs in the home."""
    from pbem.actions import base
    from pbem.scheduler.worker_status import is_served

    return dataclasses.replace(base.CLI, is_served=lambda: is_served(app))


_NEXT = re.compile(r"\bNext: (pbem .+?)\.?$")
_SHARED = {"log": None, "as_json": False, "sure": False, "dry_run": False}
_RENAMED = {"next": "next_deadline"}
"""Facts whose names are those of keys that every document has."""

_HEADED = ("Would do:", "Nothing to do")


def _is_confirmed() -> bool:
    try:
        return click.confirm("Do it?", err=True)
    except click.Abort as error:
        # An end of input is no answer; Ctrl-C ends the command.
        if isinstance(error.__context__, EOFError):
            click.echo(err=True)
            return False
        raise


def envelope(facts: Any, lines: Iterable[str], result: str) -> dict[str, Any]:
    """Return the JSON document of a result: its kind, the fact in a line, the commands to go on with, and the facts."""
    said = [" ".join(line.split()) for line in lines if line.strip()]
    summary = next(iter(said), "")
    nothing = result == "done" and summary.startswith("Nothing to do")
    following = [found for line in said for found in _NEXT.findall(line)]
    document: dict[str, Any] = {"result": "nothing_to_do" if nothing else result, "summary": summary, "next": following}
    plain = to_json(facts)
    for name, value in plain.items() if isinstance(plain, dict) else ():
        document[_RENAMED.get(str(name), str(name))] = value
    return document


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
        # A change without a `look`, its dry run, cannot be shown before it is done.
        dry = asks and all(hasattr(act, "look") for act in acts)
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
