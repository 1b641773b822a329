"""Completion in a shell: of campaigns, seats, turns, house rules and games; commands and options are click's own.

Completing a word only reads: a database that is missing, busy or damaged completes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from pbem.config import find_home, load_settings
from pbem.store.plain import read_column

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completer(find: Callable[[click.Context, str], Iterable[Any]]) -> Complete:
    """Return a function for click that offers those of the words found that begin as what is typed."""

    def complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            words = [str(word) for word in find(ctx, incomplete)]
        except Exception:  # noqa: BLE001 - whatever is wrong is said by the command itself, not while it is typed
            return []
        return [CompletionItem(word) for word in dict.fromkeys(words) if word.startswith(incomplete)]

    return complete


def _read(ctx: click.Context, statement: str) -> Sequence[Any]:
    """Return the first column of a query on the home's database; `:campaign` is the one that was typed."""
    home: Path | None = ctx.params.get("home") or ctx.find_root().params.get("home")
    return read_column(load_settings(home or find_home(Path.cwd())).database, statement, {"campaign": _campaign(ctx)})


def _campaign(ctx: click.Context) -> str | None:
    """Return the campaign that was typed; behind an option without its value, click has it among what is left."""
    return ctx.params.get("name") or next(iter(ctx.args), None)


def _rules(_ctx: click.Context, incomplete: str) -> Iterator[str]:
    """Yield the house rules with a = behind, and once that is typed, the values that are words."""
    from pbem.campaign.house_rules import HOUSE_RULES

    name, equals, _ = incomplete.partition("=")
    if not equals:
        yield from (f"{rule}=" for rule in HOUSE_RULES)
    elif name in HOUSE_RULES:
        yield from (f"{name}={value}" for value in HOUSE_RULES[name].words)


def _games(ctx: click.Context, _incomplete: str) -> list[str]:
    from pbem.games import installed_games

    return sorted(ctx.find_root().obj or installed_games())


_SEATS = """
    SELECT seat.name FROM seat JOIN campaign ON campaign.id = campaign_id
    WHERE campaign.name = :campaign ORDER BY seat.id
"""
_TURNS = """
    SELECT DISTINCT number FROM turn JOIN campaign ON campaign.id = campaign_id
    WHERE campaign.name = :campaign ORDER BY number
"""

campaigns = _completer(lambda ctx, _: _read(ctx, "SELECT name FROM campaign ORDER BY name"))
seats = _completer(lambda ctx, _: _read(ctx, _SEATS))
seat_pairs = _completer(lambda ctx, _: (f"{seat}=" for seat in _read(ctx, _SEATS)))
turns = _completer(lambda ctx, _: _read(ctx, _TURNS))
house_rules = _completer(_rules)
games = _completer(_games)

SHELLS: Mapping[str, tuple[str, str]] = {
    "bash": (".bashrc", 'eval "$(_PBEM_COMPLETE=bash_source pbem)"'),
    "zsh": (".zshrc", 'eval "$(_PBEM_COMPLETE=zsh_source pbem)"'),
    "fish": (".config/fish/completions/pbem.fish", "_PBEM_COMPLETE=fish_source pbem | source"),
}
"""For each shell its file of settings, in the user's home, and the line that makes it complete."""


def install_completion() -> list[str]:
    """Add the line for completion to the settings of the user's shell; return what to print.

    Raises:
        click.ClickException: If the shell is none of those in `SHELLS`.
    """
    shell = Path(os.environ.get("SHELL", "")).name
    if shell not in SHELLS:
        raise click.ClickException(f"{shell or 'this shell'} has no completion; there is one for: {', '.join(SHELLS)}")
    name, line = SHELLS[shell]
    path = Path.home() / name
    before = path.read_text("utf-8") if path.exists() else ""
    if line in before:
        return [f"Nothing to do: {path} has completion already."]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(before + ("" if before.endswith("\n") or not before else "\n") + line + "\n", "utf-8")
    return [f"Done: completion is in {path}. Open a new shell to use it."]
