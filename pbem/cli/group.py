"""Groups of commands: help in sections, and errors.

What is imported here, `pbem --help` and the shell's completion import each time:
a command's own module is imported when that command is asked for.
"""

from __future__ import annotations

import os
import re
from collections import UserDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from pbem.cli.output import colour, drop_unwritten, print_document, print_error, printable
from pbem.errors import Conflict, PbemError, RulesetError, describe_error
from pbem.text import as_sentence
from pbem.util import gc_paused

AS_JSON = "pbem.json"
"""The key in the context's `meta` of whether the command prints JSON, known before its options are parsed."""

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of SIGINT, as shells have it."""


class Group(click.Group):
    """Group of commands.

    Args:
        sections: The lists in its help, which stand above its options: the commands of each with their summaries.
    """

    def __init__(self, *args: Any, sections: Mapping[str, Mapping[str, str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.sections = sections

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant. Raises UsageError with the nearest one."""
        if args and not ctx.resilient_parsing and not args[0].startswith("-") and args[0] not in self.commands:
            from pbem.ruleset.fields import nearest

            near = nearest(args[0], list(self.commands))
            hint = f" Did you mean {near}?" if near else ""
            raise click.UsageError(f'no command "{printable(args[0])}".{hint}', ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, section by section."""
        return [name for summaries in self.sections.values() for name in summaries]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists of commands, whose columns are the same, then the options."""
        width = max(map(len, self.list_commands(ctx)))
        for title, summaries in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", summary) for name, summary in summaries.items()])
        click.Command.format_options(self, ctx, formatter)


class _Commands(UserDict[str, Any]):
    """Commands by name. A module of pbem.cli and a summary are replaced by the command when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        if isinstance(self.data[name], tuple):
            module, summary = self.data[name]
            # Collecting garbage among all that is imported took a fifth of the start.
            with gc_paused(for_good=True):
                there = vars(import_module(f"pbem.cli.{module}"))
            # As in "import_": where Python or another import has the name.
            self.data[name] = there["make"](name) if module == "worded" else there.get(f"{name}_") or there[name]
            self.data[name].help = f"{summary}.\n\n{self.data[name].help or ''}"
        found: click.Command = self.data[name]
        return found


def _require_home(ctx: click.Context, words: Sequence[str]) -> None:
    """Raise ConfigError if a command finds no home, before its module is imported: that takes ten times as long."""
    asked = {"-h", "--help"} & {*words}
    if not (asked or ctx.params.get("home") or any(word.startswith("--home") for word in words)):
        from pbem.config import find_home

        find_home(Path.cwd())


class Main(Group):
    """The group of all commands; its errors are sentences, never a traceback.

    Args:
        declared: For each section of the help its commands by name, each with its module and its summary.
        hidden: The commands that the help does not list.
        anywhere: The names of those that can do without a home.
    """

    def __init__(
        self,
        *args: Any,
        declared: Mapping[str, Mapping[str, tuple[str, str]]],
        hidden: Mapping[str, tuple[str, str]],
        anywhere: Collection[str],
        **settings: Any,
    ) -> None:
        self._anywhere = anywhere
        places = {name: place for names in [*declared.values(), hidden] for name, place in names.items()}
        sections = {title: {name: names[name][1] for name in names} for title, names in declared.items()}
        super().__init__(*args, commands=_Commands(places), sections=sections, **settings)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the names of commands, which are not imported, and options."""
        summaries = [each for listed in self.sections.values() for each in listed.items()]
        # A command of click's own, for its way of shortening.
        shown = (click.Command(name, help=f"{summary}.") for name, summary in summaries if name.startswith(incomplete))
        items = [CompletionItem(each.name, help=each.get_short_help_str()) for each in shown]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run the program; its exit code says how the command ended, even where its words cannot be written."""
        try:
            return super().main(*args, **settings)
        finally:
            drop_unwritten()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command."""
        refuse_repeated(self, ctx, args)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        ctx.meta[AS_JSON] = "--json" in args
        # As in "pbem seat swap six green blue"; no command has the name.
        spelt_out = args[0] == "seat" and args[1:2] and args[1] in self.commands
        words = args[1:] if spelt_out else args
        if words[0] in self.commands and words[0] not in self._anywhere:
            _require_home(ctx, words[1:])
        return super().resolve_command(ctx, words)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; raise its errors as `NotDone`."""
        ctx.color = colour(None)
        try:
            with _private_umask():
                return super().invoke(ctx)
        except click.UsageError as error:
            if ctx.meta.get(AS_JSON):
                raise WrongUsage("usage", error.format_message(), as_json=True) from error
            raise
        except BrokenPipeError:
            raise  # the reader of the pipe has seen enough; click exits silently
        except (PbemError, RulesetError, UnicodeEncodeError, OSError) as error:
            raise CommandFailed.of(error, as_json=bool(ctx.meta.get(AS_JSON))) from error
        except (KeyboardInterrupt, click.Abort):
            click.echo(err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None


_BETWEEN_WORDS = re.compile("(?<=[a-z])(?=[A-Z])")


class CommandFailed(click.ClickException):
    """Raised when a command could not be done: one sentence why, and one with the fix."""

    def __init__(self, kind: str, text: str, hint: str = "", *, as_json: bool = False) -> None:
        super().__init__(text)
        self.kind, self.hint, self.as_json = kind, hint, as_json
        # Kept, as the error is printed when the context has ended.
        self.color = click.get_current_context().find_root().color

    @classmethod
    def of(cls, error: Exception, *, as_json: bool) -> CommandFailed:
        """Return an error of the application as one of the command line."""
        kind = _BETWEEN_WORDS.sub("-", type(error).__name__).lower().removesuffix("-error")
        if isinstance(error, UnicodeEncodeError):
            # Words in another encoding than the terminal's arrive as lone surrogates.
            said = f"{error.object[error.start : error.end]!r} is no character that can be written"
            return cls(kind, said, "look at the words of the command, and at its files", as_json=as_json)
        if isinstance(error, Conflict):
            return cls("changed", f"{error.campaign} changed meanwhile", "look at it, then try again", as_json=as_json)
        return cls(kind, *split_fix(printable(describe_error(error))), as_json=as_json)

    def show(self, file: Any = None) -> None:
        """Print the error: as two sentences on standard error, or as JSON on standard output."""
        said, hint = stop(self.message), stop(self.hint[:1].upper() + self.hint[1:]) if self.hint else ""
        if self.as_json:
            document = {"result": "not_done", "summary": f"Not done: {said}", "next": []}
            print_document({**document, "error": {"code": self.kind, "text": said, "hint": hint}})
        else:
            print_error(f"Not done: {said}" + (f" {hint}" if hint else ""), color=self.color)


class WrongUsage(CommandFailed):
    """Raised instead where the words of the command are wrong, to print that as JSON."""

    exit_code = click.UsageError.exit_code


_FIX_BEGINS = (
    "activate add call check choose copy create did enter export fill find free give install list look make move name "
    "open pbem pip possible put release remove rename repair restore run save say see send set start take try upgrade "
    "use wait write"
)
"""First words of a clause that says how to go on after an error."""

_FIX = re.compile(rf"[:;] (?:and )?(?=(?:{'|'.join(_FIX_BEGINS.split())})\b)")


_COMMAND = re.compile(r"(?:^|: )(?:pbem|pip) [^.]*$")


def split_fix(text: str) -> tuple[str, str]:
    """Return a sentence without the fix that follows it, and the fix, "" if there is none.

    >>> split_fix("there is no campaign 'dule': did you mean duel?")
    ("there is no campaign 'dule'", 'did you mean duel?')
    >>> split_fix("trap7 has 1 player. Invite more: pbem invite trap7 ADDRESS")
    ('trap7 has 1 player', 'Invite more: pbem invite trap7 ADDRESS')
    """
    # A text of several lines has a fix in each.
    if "\n" in text:
        return text, ""
    sentence, _, fix = text.partition(". ")
    if fix:
        return sentence, fix
    found = _FIX.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def stop(text: str) -> str:
    """Return a text with a full stop, unless it ends in punctuation of its own, or in a command to be typed."""
    return text if _COMMAND.search(text) else text[:1] + as_sentence(text)[1:]


def refuse_repeated(command: click.Command, ctx: click.Context, args: Sequence[str]) -> None:
    """Raise UsageError for an option that is given twice; a flag may be repeated, as nothing is lost by it."""
    # Click keeps the last of several values, and drops the others without a word.
    given = () if ctx.resilient_parsing else command.make_parser(ctx).parse_args(args=list(args))[2]
    seen: set[str | None] = set()
    for option in given:
        if option.name in seen and isinstance(option, click.Option) and not (option.multiple or option.is_flag):
            raise click.UsageError(f"{option.opts[-1]} is given twice, and takes one value: give it once", ctx)
        seen.add(option.name)


@contextmanager
def _private_umask() -> Iterator[None]:
    """Let other users read no file or folder that is made in the block: seeds, tokens and reports are among them."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
