"""Words that a season has to use, by the registries, and those it has used."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any

import click
import pytest

import pbem.actions
from pbem.actions.base import Action, Change
from pbem.actions.registry import GM_COMMANDS
from pbem.cli import main
from pbem.inbox.command_parser import COMMANDS
from pbem.ruleset import OrderParser


def actions() -> dict[str, type[Action[Any]]]:
    """Return all actions by their names."""
    for module in pkgutil.iter_modules(pbem.actions.__path__):
        importlib.import_module(f"pbem.actions.{module.name}")
    return {each.__name__: each for each in _below(Action) if not inspect.isabstract(each)}


def _below(kind: type[Action[Any]]) -> Iterator[type[Action[Any]]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def watch_actions(patch: pytest.MonkeyPatch, done: set[str]) -> None:
    """Note the name of each change that is done, and of each query that is asked."""
    for each in {each for action in actions().values() for each in action.__mro__ if issubclass(each, Action)}:
        for name in {"do", "keep", "look"} & vars(each).keys():
            patch.setattr(each, name, _noting(name, vars(each)[name], done))


def _noting(name: str, method: Callable[..., Any], done: set[str]) -> Callable[..., Any]:
    def noting(action: Action[Any], *args: Any) -> Any:
        if name != "look" or not isinstance(action, Change):
            done.add(type(action).__name__)
        return method(action, *args)

    return noting


def commands() -> dict[str, click.Command]:
    """Return the commands of the command line by their words, those of groups with the group's word before theirs."""
    return dict(_commands(main, ()))


def _commands(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.commands:
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


def typed(line: str) -> str:
    """Return the command of a command line."""
    words = shlex.split(line)
    known = commands()
    return words[0] if words[0] in known else " ".join(words[:2])


def options(line: str) -> set[str]:
    """Return the command and each option of a command line, as in "status --stats"."""
    command, words = typed(line), shlex.split(line)
    flags = {flag: each.opts[-1] for each in commands()[command].params for flag in (*each.opts, *each.secondary_opts)}
    return {command} | {f"{command} {flags[word]}" for word in words if word in flags and word.startswith("--")}


SHARED = frozenset({"--json", "--now", "--home", "--color", "--yes", "--dry-run", "--log"})
"""Options of many commands, which have tests of their own."""


def all_options() -> set[str]:
    """Return all commands, and all options that a command has for itself and shows in its help."""
    found = set()
    for name, command in commands().items():
        own = (each for each in command.params if isinstance(each, click.Option) and not each.hidden)
        found |= {name} | {f"{name} {each.opts[-1]}" for each in own if each.opts[-1] not in SHARED}
    return found


def mailed(parser: OrderParser, text: str) -> Iterator[type]:
    """Yield the commands that a mail has, up to the first that takes the lines below it."""
    for number, line in enumerate(text.splitlines(), start=1):
        found = [type(order) for order in parser.parse({}, [(number, line)]).orders]
        yield from found
        if any(getattr(each, "takes_text", False) for each in found):
            return


def used(parser: OrderParser, texts: Iterable[str]) -> set[type]:
    """Return the commands that any of these mails has."""
    return {each for text in texts for each in mailed(parser, text)}


GM = frozenset(verb.order for verb in GM_COMMANDS.verbs)
"""The commands that a GM may mail."""

PLAYER = frozenset(verb.order for verb in COMMANDS.verbs)
"""The commands that a player may mail."""

ASKING = frozenset(each for each in GM if any(field.name == "sure" for field in fields(each)))
"""The commands of a GM that may be shown before they are done."""
