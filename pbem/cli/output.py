"""Functions that all commands use: open the home, run actions, print results."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from pbem.actions.base import (
    ASKED,
    CLI,
    DRY_RUN,
    Change,
    Channel,
    PreviewedChange,
    Query,
    attempt,
    do_as_shown,
    preview_confirmation,
    require_as_shown,
    run_action,
    run_query,
)
from pbem.actions.fork import Forked, render_forked
from pbem.actions.open_turn import PreviewFiles as PreviewWritten
from pbem.actions.ruling import WrittenFiles as RulingWritten
from pbem.app import App, open_app
from pbem.cli.options import printable
from pbem.config import find_home
from pbem.errors import CampaignError, reason_of
from pbem.games import InstalledGames
from pbem.log import open_log
from pbem.report.pictures import render_png
from pbem.ruleset.drawing import Picture
from pbem.scheduler.worker_status import is_served
from pbem.site.publish import Published
from pbem.text import count_noun, wrap
from pbem.util import Progress, no_progress

# Click exits with 1 after an error and with 2 after wrong usage.
UNCONFIRMED = 3
"""The exit code of a command that has changed nothing, since it needs confirmation."""

Facts = TypeVar("Facts")


def known_games() -> InstalledGames:
    """Return the games of this command line, by key."""
    games: InstalledGames = click.get_current_context().obj
    return games


def home_folder(home: Path | None) -> Path:
    """Return the home that a command is meant for: its own --home, the one before its name, or the nearest.

    Raises:
        ConfigError: If there is none.
    """
    before: Path | None = click.get_current_context().find_root().params.get("home")
    # The later one does not win: the command could change another home than was meant.
    if home and before and home != before:
        raise click.UsageError(f"--home is given twice: {before} and {home}")
    return home or before or find_home(Path.cwd())


@contextmanager
def open_home(home: Path | None, log: Path | None = None) -> Iterator[App]:
    """Open the home that a command is meant for, and its log, until the end of the block. Raises ConfigError."""
    with open_app(home_folder(home), known_games()) as app, open_log(log or app.settings.log):
        yield app


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, without characters that would steer the terminal."""
    for line in lines:
        click.echo(printable(line))


def print_facts(facts: Any, lines: Iterable[str], *, as_json: bool) -> None:
    """Print facts as JSON for scripts, or as lines for people."""
    print_lines([json.dumps(_to_json(facts), indent=2, ensure_ascii=False)] if as_json else lines)


def ask_and_print(
    home: Path | None, name: str, question: Query[Any], now: dt.datetime, *, as_json: bool = False
) -> None:
    """Print the answer to a query on a campaign."""
    with open_home(home) as app:
        facts = run_query(app, name, question, now)
    print_facts(facts, question.render(facts, CLI), as_json=as_json)


def act_and_print(
    home: Path | None, name: str, wish: Change[Any], now: dt.datetime, *, sure: bool = False, as_json: bool = False
) -> None:
    """Apply a change to a campaign and print the result; ask for confirmation as in `perform`."""
    with open_home(home) as app:
        facts = perform(app, name, wish, now, sure=sure, as_json=as_json)
        channel = cli_channel(app)
    print_facts(facts, wish.render(facts, channel), as_json=as_json)


def cli_channel(app: App) -> Channel:
    """Return the channel of the command line, which knows whether a service runs in the home."""
    return dataclasses.replace(CLI, served=is_served(app))


def perform(app: App, name: str, wish: Change[Facts], now: dt.datetime, *, sure: bool, as_json: bool = False) -> Facts:
    """Apply a change to a campaign, and return its facts.

    What needs confirmation, and is not `sure`, is shown first: at a terminal the caller is asked; without
    one, or if they decline, nothing is changed and the command exits with `UNCONFIRMED`.
    """
    if sure:
        return run_action(app, name, wish, now)
    tried = attempt(app, name, wish, now)
    if tried.read_set is None:
        return tried.facts
    _ask(wish, tried.facts, as_json=as_json)
    # Only if what was shown is unchanged: a turn may have been run while the question waited (decision 38).
    return do_as_shown(app, name, wish, now, tried.read_set)


def ask_before(
    app: App, name: str, wish: PreviewedChange[Any], now: dt.datetime, *, sure: bool, as_json: bool = False
) -> None:
    """Ask for confirmation as in `perform`, of a change that the command then does in several steps."""
    shown = None if sure else preview_confirmation(app, name, wish, now)
    if shown is not None and shown.read_set is not None:
        _ask(wish, shown.facts, as_json=as_json)
        require_as_shown(app, name, now, shown.read_set)


def _ask(wish: Change[Facts], facts: Facts, *, as_json: bool) -> None:
    """Show the effect of a change, and exit unless it is confirmed."""
    asked = sys.stdin.isatty() and not as_json
    print_facts(facts, wish.render(facts, ASKED if asked else DRY_RUN), as_json=as_json)
    # On standard error, as standard output has the facts.
    if not (asked and click.confirm("Do it?", err=True)):
        raise click.exceptions.Exit(UNCONFIRMED)


def _to_json(value: Any) -> Any:
    """Return facts as JSON has them: records as objects, times as ISO 8601 in UTC, paths as text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _to_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(each) for each in value]
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    return str(value) if isinstance(value, Path) else value


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a progress bar on standard error if that is a terminal; elsewhere one that shows nothing."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    bar = _Bar()
    yield bar
    bar.finish()


class _Bar:
    """Progress bar with a line for each stage of the work. Without a total, it counts."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.finish()
            self._stage = stage
            self._bar = click.progressbar(length=total, label=stage, file=sys.stderr, show_pos=True) if total else None
        if self._bar is not None:
            self._bar.update(done - self._bar.pos)
        else:
            click.echo(f"\r{stage} {done}", nl=False, err=True)

    def finish(self) -> None:
        """End the current line, if there is one."""
        if self._bar is not None:
            self._bar.render_finish()
        elif self._stage:
            click.echo(err=True)
        self._stage, self._bar = "", None


def write_picture(path: Path, picture: Picture) -> None:
    """Write a picture as SVG or PNG, by the ending of the file's name.

    Raises:
        CampaignError: If the ending is another, or the file cannot be written.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise CampaignError(f"{path} is neither an SVG nor a PNG: call it like {path.with_suffix('.png')}")
    content = picture.svg.encode() if kind == ".svg" else render_png(picture)
    if content is None:
        raise CampaignError("the picture cannot be painted as PNG here; an SVG can be written")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CampaignError(f"{path} cannot be written ({reason_of(error)})") from None


def copied_lines(forked: Forked, home: Path) -> Iterator[str]:
    """Yield that a campaign was copied, and how to go on there."""
    yield f"{forked.campaign} is copied to {home}, with turn {forked.turn} open. Nobody can be mailed from there."
    yield from render_forked(forked)
    yield f"Go on with: pbem --home {home} preview {forked.campaign}"


def preview_folder_lines(written: PreviewWritten) -> Iterator[str]:
    """Yield where a preview was written."""
    yield f"Written to {written.folder}"
    if written.changed is not None:
        yield f"Changed since the last preview there: {', '.join(written.changed) or 'nothing'}"


def ruling_folder_lines(written: RulingWritten) -> Iterator[str]:
    """Yield what was written for a GM's ruling, and how to go on."""
    yield wrap(f"Turn {written.turn} of {written.campaign}; written to {written.folder}: {', '.join(written.written)}.")
    if written.left:
        yield wrap(f"Left as they are: {', '.join(written.left)}. To write them anew, add --force.")
    if written.kept is not None:
        yield f"What you had written in them is kept in {written.kept}"
    yield f"Fill them in, then: pbem adjudicate {written.campaign} {written.folder} --take"


def site_lines(done: Published) -> Iterator[str]:
    """Yield how much of a site changed, and where to look."""
    replays = f", {count_noun(done.replays, 'replay')}" if done.replays else ""
    yield f"{count_noun(done.files, 'file')} written{replays}. Look at {done.page}"
