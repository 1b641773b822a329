"""A progress bar for work that takes long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from pbem.util import Progress, silent


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on the terminal that errors go to; nothing anywhere else."""
    if not sys.stderr.isatty():
        yield silent
        return
    bar = _Bar()
    yield bar
    bar.finish()


class _Bar:
    """One line at a time: a new stage of the work begins a new one. Without a total, it counts."""

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
        """Ends the line shown, if there is one."""
        if self._bar is not None:
            self._bar.render_finish()
        elif self._stage:
            click.echo(err=True)
        self._stage, self._bar = "", None
