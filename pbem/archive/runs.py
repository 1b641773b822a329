"""Every run of every turn: those that count, and those that were taken back or run again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbem.archive.reading import Folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of a turn, or of the set-up: when it was (ISO 8601), and the hash of its record.

    `withdrawn`: it was taken back, or another run is in its place.
    """

    turn: int
    resolved: str
    record: str
    withdrawn: bool


def list_runs(folders: Sequence[Folder], aside: Sequence[Folder]) -> tuple[Run, ...]:
    """All runs in an archive, by turn and time; `aside` are those withdrawn."""
    runs = [_run(folder, withdrawn=False) for folder in folders] + [_run(folder, withdrawn=True) for folder in aside]
    return tuple(sorted(runs, key=lambda run: (run.turn, run.resolved, run.record)))


def _run(folder: Folder, *, withdrawn: bool) -> Run:
    return Run(turn=folder.number, resolved=folder.record["resolved"], record=folder.hash, withdrawn=withdrawn)
