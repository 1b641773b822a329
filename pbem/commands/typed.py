"""The commands of the command line that follow from the declarations of actions."""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import click

from pbem.actions.arguments import GmCommand, Numeral, Typed
from pbem.actions.base import Act, Question
from pbem.commands.common import act, ask
from pbem.commands.group import Command
from pbem.commands.options import clock, home_option, json_option, now_option, yes_option
from pbem.inbox.gm_commands import GM_COMMANDS
from pbem.ruleset.fields import Kind

_CONFIRMING = ("sure", "asked")
"""The fields that only confirm, for which the command line has --yes."""


def command_of(action: type[GmCommand], typed: Typed, kinds: Mapping[str, Kind]) -> Command:
    """Return the command that does an action: its fields are the arguments, behind the name of the campaign."""

    def run(name: str, home: Path | None, now: dt.datetime | None = None, **given: Any) -> None:
        sure, as_json = given.pop("sure", False), given.pop("as_json", False)
        given = {field: value for field, value in given.items() if value is not None}
        wish: GmCommand | Question[Any] = typed.shows() if typed.shows and not any(given.values()) else action(**given)
        if isinstance(wish, Act):
            act(home, name, wish, now or clock(), sure=sure, as_json=as_json)
        else:
            assert isinstance(wish, Question)
            ask(home, name, wish, now or clock(), as_json=as_json)

    command = Command(action.command, callback=run, help=inspect.cleandoc(typed.help))
    command.params = [click.Argument(["name"])]
    for field in fields(action):
        if field.name in kinds and field.name not in _CONFIRMING:
            type_, required = _type_of(kinds[field.name]), field.default is MISSING
            command.params.append(click.Argument([field.name], type=type_, required=required))
    has = {yes_option: "sure" in kinds, now_option: issubclass(action, Act), json_option: typed.json, home_option: True}
    for option in (option for option, needed in has.items() if needed):
        option(command)
    return command


def _type_of(kind: Kind) -> click.ParamType[Any]:
    return click.IntRange(kind.least, 2**31 - 1) if isinstance(kind, Numeral) else click.STRING


def _commands() -> Iterator[Command]:
    for verb in GM_COMMANDS.verbs:
        if issubclass(verb.order, GmCommand) and verb.order.typed is not None:
            yield command_of(verb.order, verb.order.typed, verb.kinds)


TYPED: Mapping[str, Command] = {command.name or "": command for command in _commands()}
"""The commands by their names."""
